/* SPDX-License-Identifier: MIT */
/*
 * ResourceScopeClose, the floors: memset of 1024 bytes, and the bare membarrier beside a thread
 * that looks at 64 words and spins on.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/clock.h"
#include "tables/membarrier.h"
#include "tables/scope_close.h"

void scope_thread_begins(void)
{
}

/* The floor has no heap that could fill up: its modes of memory are as NONE. */
void *scope_live_block(void)
{
    static unsigned char block[2];
    return block;
}

static _Thread_local _Alignas(64) unsigned char buffer[SCOPE_SIZE];

static void run_memset(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    void *(*clear)(void *, int, size_t) = memset;
    bench_hide(clear);
    size_t size = state->size;
    unsigned seen = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        bench_hide(size);
        clear(buffer, 0, size);
        seen |= alloc_use(buffer, size, i);
    }
    state->seen |= seen;
}

struct batch {
    struct scope_relay relay;
    volatile uint64_t words[SCOPE_ESCAPED_BATCH];
    uint64_t looked; /* B's. */
    long failed;
};

static void look_at_words(void *argument)
{
    struct batch *batch = argument;
    for (size_t i = 0; i < SCOPE_ESCAPED_BATCH; i++)
        batch->looked += batch->words[i];
}

static void run_membarriers(void *argument, uint64_t rounds, struct bench_time *time)
{
    struct batch *batch = argument;
    for (uint64_t i = 0; i < rounds; i++) {
        for (size_t k = 0; k < SCOPE_ESCAPED_BATCH; k++)
            batch->words[k] = 1;
        scope_relay_hand_over(&batch->relay);
        uint64_t cpu_begin = bench_thread_cpu_ns(), begin = bench_now_ns();
        for (size_t k = 0; k < SCOPE_ESCAPED_BATCH; k++)
            batch->failed |= membarrier_execute();
        time->ns += bench_now_ns() - begin;
        time->cpu_ns += bench_thread_cpu_ns() - cpu_begin;
    }
}

static const char *open_batches(const char *params, unsigned threads, void **ret_stage)
{
    (void)params;
    (void)threads;
    const char *error = membarrier_register();
    if (error != NULL)
        return error;
    struct batch *batch = aligned_alloc(_Alignof(struct batch), sizeof *batch);
    if (batch == NULL)
        return "out of memory";
    memset(batch, 0, sizeof *batch);
    error = scope_relay_open(&batch->relay, look_at_words, batch);
    if (error != NULL)
        free(batch);
    *ret_stage = batch;
    return error;
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

static const char *check_batches(void *state, uint64_t rounds)
{
    const struct batch *batch = state;
    if (rounds == 0 || batch->failed != 0)
        return "nothing was run, or membarrier failed";
    return batch->looked == rounds * SCOPE_ESCAPED_BATCH
               ? NULL
               : "the other thread did not look at every word";
}

static void leave_batches(void *state)
{
    (void)state; /* The stage's. */
}

static const struct bench_stage batch_stage = {
    .open = open_batches, .begin = begin_batches, .end = end_batches, .close = close_batches
};

static const struct bench_row rows[] = {
    { SCOPE_ROW, .method = "memset", .answers = SCOPE_SINGLE_METHODS, .check = alloc_check,
      .run = run_memset },
    { SCOPE_BATCH_ROW, .method = "membarrier", .answers = "shared_close_escaped,close_many_100",
      .operations = SCOPE_ESCAPED_BATCH, .stage = &batch_stage, .enter = enter_batches,
      .check = check_batches, .teardown = leave_batches, .run_timed = run_membarriers },
};

const struct bench_table scope_close_table = { rows, sizeof rows / sizeof rows[0] };
