/* SPDX-License-Identifier: MIT */
/*
 * ResourceScopeClose for isthmus.
 * Check: every status was IST_OK, every block was zeroed, no arena is open at the end, and the
 * library's own counters say which way the closes went.
 */
#include <isthmus/isthmus.h>
#include <stdbool.h>
#include <stdlib.h>

#include "harness/clock.h"
#include "tables/scope_close.h"

void scope_thread_begins(void)
{
}

void *scope_live_block(void)
{
    return calloc(1, 2);
}

static ist_stats read_stats(void)
{
    ist_stats stats = { .size = sizeof stats };
    IST_CHECK(ist_stats_get(&stats));
    return stats;
}

/* ---- Open, allocate, close ---- */

IST_INLINE unsigned use_block(ist_arena arena, size_t size, uint64_t index, unsigned *failed)
{
    ist_segment block = { 0 };
    bench_hide(size); /* All subjects meet a size that the compiler does not know. */
    *failed |= (unsigned)ist_arena_allocate(arena, size, SCOPE_ALIGNMENT, &block);
    return alloc_use(ist_segment_pointer_unchecked(block), size, index);
}

/* Both calls are inlines, and constant where this is inlined. */
IST_INLINE void run_kind(struct alloc_state *state, uint64_t rounds,
                         ist_status (*open)(ist_arena *ret_arena), ist_status (*end)(ist_arena))
{
    const size_t size = state->size;
    unsigned seen = 0, failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        ist_arena arena = { 0 };
        failed |= (unsigned)open(&arena);
        seen |= use_block(arena, size, i, &failed);
        failed |= (unsigned)end(arena);
    }
    state->seen |= seen;
    state->failed |= failed;
}

static void run_confined(void *argument, uint64_t rounds)
{
    run_kind(argument, rounds, ist_arena_open_confined, ist_arena_close);
}

static void run_shared(void *argument, uint64_t rounds)
{
    run_kind(argument, rounds, ist_arena_open_shared, ist_arena_close);
}

static void run_counted(void *argument, uint64_t rounds)
{
    run_kind(argument, rounds, ist_arena_open_automatic, ist_arena_drop);
}

static const char *check_quiet(void *state, uint64_t rounds)
{
    ist_stats stats = read_stats();
    if (stats.arenas_open != 0 || stats.shared_open != 0 || stats.automatic_open != 0)
        return "an arena was not closed";
    if (stats.heavy_fences != 0 || stats.shared_closes_escaped != 0)
        return "a close went through a fence";
    return alloc_check(state, rounds);
}

static const char *check_shared(void *state, uint64_t rounds)
{
    return read_stats().shared_closes < rounds ? "too few shared arenas were closed"
                                               : check_quiet(state, rounds);
}

/* ---- Escaped ---- */

struct batch {
    struct scope_relay relay;
    size_t count;
    ist_arena arenas[SCOPE_MANY_BATCH];
    ist_segment blocks[SCOPE_MANY_BATCH];
    ist_status statuses[SCOPE_MANY_BATCH];
    uint64_t read;   /* B's: arenas that it has read. */
    unsigned wrong;  /* B's: whether one was refused or held something else. */
    unsigned failed; /* A's: all statuses, or-ed. */
};

/* B: one checked access to each arena of the batch. */
static void read_batch(void *argument)
{
    struct batch *batch = argument;
    for (size_t i = 0; i < batch->count; i++) {
        uint8_t value = 0;
        ist_status status = ist_get_u8(batch->blocks[i], SCOPE_SIZE - 1, &value);
        batch->wrong |= status != IST_OK || value != (uint8_t)i;
        batch->read++;
    }
}

static void prepare_batch(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        batch->failed |= (unsigned)ist_arena_open_shared(&batch->arenas[i]);
        batch->failed |= (unsigned)ist_arena_allocate(batch->arenas[i], SCOPE_SIZE, SCOPE_ALIGNMENT,
                                                      &batch->blocks[i]);
        batch->failed |= (unsigned)ist_set_u8(batch->blocks[i], SCOPE_SIZE - 1, (uint8_t)i);
    }
    scope_relay_hand_over(&batch->relay);
}

static void close_one_by_one(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        batch->failed |= (unsigned)ist_arena_close(batch->arenas[i]);
}

static void close_together(struct batch *batch)
{
    batch->failed |= (unsigned)ist_arena_close_many(batch->arenas, batch->count, batch->statuses);
}

static inline void run_batches(struct batch *batch, uint64_t rounds, struct bench_time *time,
                               void (*close)(struct batch *batch))
{
    for (uint64_t i = 0; i < rounds; i++) {
        prepare_batch(batch);
        uint64_t cpu_begin = bench_thread_cpu_ns(), begin = bench_now_ns();
        close(batch);
        time->ns += bench_now_ns() - begin;
        time->cpu_ns += bench_thread_cpu_ns() - cpu_begin;
    }
}

static void run_escaped(void *argument, uint64_t rounds, struct bench_time *time)
{
    run_batches(argument, rounds, time, close_one_by_one);
}

static void run_many(void *argument, uint64_t rounds, struct bench_time *time)
{
    run_batches(argument, rounds, time, close_together);
}

/* A batch is the whole stage: there is one measuring thread. */
static const char *open_batches(size_t count, void **ret_stage)
{
    struct batch *batch = aligned_alloc(_Alignof(struct batch), sizeof *batch);
    if (batch == NULL)
        return "out of memory";
    *batch = (struct batch){ .count = count };
    const char *error = scope_relay_open(&batch->relay, read_batch, batch);
    if (error != NULL)
        free(batch);
    *ret_stage = batch;
    return error;
}

static const char *open_escaped(const char *params, unsigned threads, void **ret_stage)
{
    (void)params;
    (void)threads;
    return open_batches(SCOPE_ESCAPED_BATCH, ret_stage);
}

static const char *open_many(const char *params, unsigned threads, void **ret_stage)
{
    (void)params;
    (void)threads;
    return open_batches(SCOPE_MANY_BATCH, ret_stage);
}

static void begin_batches(void *stage)
{
    bench_company_begin(((struct batch *)stage)->relay.company);
}

static void end_batches(void *stage)
{
    bench_company_end(((struct batch *)stage)->relay.company);
}

static const char *close_batches(void *stage)
{
    scope_relay_close(&((struct batch *)stage)->relay);
    free(stage);
    return NULL;
}

static const char *enter_batches(void *stage, unsigned lane, void **ret_state)
{
    (void)lane;
    *ret_state = stage;
    return NULL;
}

/* One fence for many: at least one per batch, and far fewer than arenas. */
static const char *check_few_fences(const ist_stats *stats, uint64_t rounds)
{
    return stats->heavy_fences < rounds || stats->heavy_fences > rounds * (SCOPE_MANY_BATCH / 10)
               ? "the closes of a batch did not share their fences"
               : NULL;
}

static const char *check_batches(void *state, uint64_t rounds)
{
    const struct batch *batch = state;
    ist_stats stats = read_stats();
    uint64_t closes = rounds * batch->count;
    if (rounds == 0 || batch->failed != 0)
        return "nothing was run, or an operation was refused";
    if (batch->read != closes || batch->wrong)
        return "the other thread did not read every arena";
    if (stats.shared_closes_escaped != closes || stats.shared_open != 0)
        return "not every arena was closed as one that escaped";
    if (!stats.fence_is_light)
        return NULL; /* There are no calls to be counted. */
    bool together = batch->count == SCOPE_MANY_BATCH;
    /* One more: when the first arena of this thread was read by another. */
    return together
               ? check_few_fences(&stats, rounds)
               : (stats.heavy_fences == closes + 1 ? NULL : "not every close executed its fence");
}

static void leave_batches(void *state)
{
    (void)state; /* The stage's. */
}

static const struct bench_stage escaped_stage = {
    .open = open_escaped, .begin = begin_batches, .end = end_batches, .close = close_batches
};
static const struct bench_stage many_stage = {
    .open = open_many, .begin = begin_batches, .end = end_batches, .close = close_batches
};

static const struct bench_row rows[] = {
    { SCOPE_ROW, .method = "confined_close", .check = check_quiet, .run = run_confined },
    { SCOPE_ROW, .method = "shared_close", .baseline = "method=confined_close",
      .check = check_shared, .run = run_shared },
    { SCOPE_ROW, .method = "counted_close", .baseline = "method=confined_close",
      .check = check_shared, .run = run_counted },
    { SCOPE_BATCH_ROW, .method = "shared_close_escaped", .operations = SCOPE_ESCAPED_BATCH,
      .stage = &escaped_stage, .enter = enter_batches, .check = check_batches,
      .teardown = leave_batches, .run_timed = run_escaped },
    { SCOPE_BATCH_ROW, .method = "close_many_100", .baseline = "method=shared_close_escaped",
      .operations = SCOPE_MANY_BATCH, .stage = &many_stage, .enter = enter_batches,
      .check = check_batches, .teardown = leave_batches, .run_timed = run_many },
};

const struct bench_table scope_close_table = { rows, sizeof rows / sizeof rows[0] };
