/* SPDX-License-Identifier: MIT */
/*
 * ConcurrentClose for isthmus.
 * Invariant: a stage is one lane, whose role it knows, and everybody else as company.
 */
#include <isthmus/isthmus.h>
#include <stdlib.h>

#include "harness/clock.h"
#include "tables/closer.h"
#include "tables/concurrent_close.h"

struct stage {
    struct closer closer; /* Its kind is NONE where nothing is closed, or the lane is the closer. */
    int closes_itself;    /* The lane is the closer of escaped arenas. */
    struct bench_company *company;
    int64_t wrong; /* A bystander's sum was. */
    ist_segment global;
    uint64_t sums;   /* The lane's. */
    unsigned failed; /* The lane's statuses, or-ed. */
};

/* ---- The bystanders ---- */

static inline int64_t sum_segment(ist_segment segment, unsigned *failed)
{
    int64_t sum = 0;
    for (size_t i = 0; i < CONCURRENT_BYTES; i++) {
        uint8_t value = 0;
        *failed |= (unsigned)ist_get_u8(segment, i, &value);
        sum += value;
        bench_hide(sum);
    }
    return sum;
}

static void read_segment(void *argument, const struct bench_company *company)
{
    struct stage *stage = argument;
    unsigned failed = 0;
    while (bench_company_goes_on(company)) {
        if (sum_segment(stage->global, &failed) != CONCURRENT_SUM || failed != 0)
            stage->wrong = 1;
    }
}

static void run_segment_reader(void *argument, uint64_t rounds)
{
    struct stage *stage = argument;
    unsigned failed = 0;
    for (uint64_t i = 0; i < rounds; i++)
        stage->sums += sum_segment(stage->global, &failed) == CONCURRENT_SUM;
    stage->failed |= failed;
}

static void run_unrelated(void *argument, uint64_t rounds)
{
    struct stage *stage = argument;
    for (uint64_t i = 0; i < rounds; i++)
        stage->sums += concurrent_sum(concurrent_bytes) == CONCURRENT_SUM;
}

/* ---- The closers ---- */

static void run_closer(void *argument, uint64_t rounds)
{
    struct stage *stage = argument;
    unsigned failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        ist_arena arena = { 0 };
        failed |= (unsigned)ist_arena_open_shared(&arena);
        failed |= (unsigned)ist_arena_close(arena);
    }
    stage->sums += rounds;
    stage->failed |= failed;
}

static void run_closer_escaped(void *argument, uint64_t rounds, struct bench_time *time)
{
    struct stage *stage = argument;
    struct closer *closer = &stage->closer;
    for (uint64_t i = 0; i < rounds; i++) {
        closer_fill(closer);
        uint64_t cpu_begin = bench_thread_cpu_ns(), begin = bench_now_ns();
        for (size_t k = 0; k < CLOSER_BATCH; k++)
            stage->failed |= (unsigned)ist_arena_close(closer->arenas[k]);
        time->ns += bench_now_ns() - begin;
        time->cpu_ns += bench_thread_cpu_ns() - cpu_begin;
        closer->closes += CLOSER_BATCH;
    }
    stage->sums += rounds;
}

/* ---- The stage ---- */

enum role { SEGMENT_READER = 1, UNRELATED = 2, CLOSER = 4 };

/* Everybody but the lane, the closer first. */
static const char *start_company(struct stage *stage, enum role lane)
{
    struct bench_companion companions[CLOSER_COMPANIONS + 2];
    size_t count = 0;
    if (stage->closes_itself)
        companions[count++] = closer_toucher(&stage->closer);
    else
        count = closer_companions(&stage->closer, companions);
    if (lane != SEGMENT_READER)
        companions[count++] = (struct bench_companion){ read_segment, stage };
    if (lane != UNRELATED)
        companions[count++] = (struct bench_companion){ concurrent_unrelated, &stage->wrong };
    return bench_company_open(companions, count, bench_company_cores(1), &stage->company);
}

static const char *open_stage(const char *params, enum role lane, enum closer_kind kind,
                              void **ret_stage)
{
    uint64_t rate;
    int none;
    if (!concurrent_rate(params, &rate, &none))
        return "no such rate: none, flat or a number";
    struct stage *stage = calloc(1, sizeof *stage);
    if (stage == NULL)
        return "out of memory";
    concurrent_fill();
    stage->global = ist_segment_of(concurrent_bytes, sizeof concurrent_bytes);
    stage->closes_itself = lane == CLOSER && kind == CLOSER_ESCAPED;
    bool has_closer = stage->closes_itself || (lane != CLOSER && !none);
    closer_open(&stage->closer, has_closer ? kind : CLOSER_NONE, rate);
    *ret_stage = stage;
    return start_company(stage, lane);
}

#define DEFINE_OPEN(name, lane, kind)                                                              \
    static const char *open_##name(const char *params, unsigned threads, void **ret_stage)         \
    {                                                                                              \
        (void)threads;                                                                             \
        return open_stage(params, lane, kind, ret_stage);                                          \
    }

DEFINE_OPEN(closer, CLOSER, CLOSER_OPEN)
DEFINE_OPEN(closer_escaped, CLOSER, CLOSER_ESCAPED)
DEFINE_OPEN(segment_reader, SEGMENT_READER, CLOSER_OPEN)
DEFINE_OPEN(segment_reader_escaped, SEGMENT_READER, CLOSER_ESCAPED)
DEFINE_OPEN(unrelated, UNRELATED, CLOSER_OPEN)
DEFINE_OPEN(unrelated_escaped, UNRELATED, CLOSER_ESCAPED)

static void begin_stage(void *argument)
{
    bench_company_begin(((struct stage *)argument)->company);
}

static void end_stage(void *argument)
{
    struct stage *stage = argument;
    if (stage->closes_itself)
        closer_finish(&stage->closer);
    bench_company_end(stage->company);
}

static void count_stage(void *argument, uint64_t *ret_values)
{
    closer_count(&((const struct stage *)argument)->closer, ret_values);
}

static const char *close_stage(void *argument)
{
    struct stage *stage = argument;
    bench_company_close(stage->company);
    const char *error = closer_check(&stage->closer);
    if (stage->wrong)
        error = "a bystander's sum was wrong";
    closer_close(&stage->closer);
    free(stage);
    return error;
}

static const char *enter(void *stage, unsigned lane, void **ret_state)
{
    (void)lane;
    *ret_state = stage;
    return NULL;
}

static const char *check(void *argument, uint64_t rounds)
{
    const struct stage *stage = argument;
    if (rounds == 0 || stage->sums != rounds)
        return "nothing was run, or a sum was wrong";
    return stage->failed != 0 ? "an operation was refused" : NULL;
}

static void leave(void *state)
{
    (void)state; /* The stage's. */
}

#define DEFINE_STAGE(name)                                                                         \
    static const struct bench_stage name##_stage = {                                               \
        .open = open_##name,                                                                       \
        .begin = begin_stage,                                                                      \
        .end = end_stage,                                                                          \
        .count = count_stage,                                                                      \
        .close = close_stage,                                                                      \
    };

DEFINE_STAGE(closer)
DEFINE_STAGE(closer_escaped)
DEFINE_STAGE(segment_reader)
DEFINE_STAGE(segment_reader_escaped)
DEFINE_STAGE(unrelated)
DEFINE_STAGE(unrelated_escaped)

#define STAGED(name)                                                                               \
    .method = #name, .stage = &name##_stage, .enter = enter, .check = check, .teardown = leave

static const struct bench_row rows[] = {
    { CLOSER_ROW, STAGED(closer), .run = run_closer },
    { CLOSER_ROW, STAGED(closer_escaped), .operations = CLOSER_BATCH, .counters = CLOSER_COUNTERS,
      .run_timed = run_closer_escaped },
    { BYSTANDER_ROW, STAGED(segment_reader), .counters = CLOSER_COUNTERS, .baseline = "rate=none",
      .run = run_segment_reader },
    { BYSTANDER_ESCAPED_ROW, STAGED(segment_reader_escaped), .counters = CLOSER_COUNTERS,
      .baseline = "method=segment_reader;rate=none", .run = run_segment_reader },
    { BYSTANDER_ROW, STAGED(unrelated), .counters = CLOSER_COUNTERS, .baseline = "rate=none",
      .run = run_unrelated },
    { BYSTANDER_ESCAPED_ROW, STAGED(unrelated_escaped), .counters = CLOSER_COUNTERS,
      .baseline = "method=unrelated;rate=none", .run = run_unrelated },
};

const struct bench_table concurrent_table = { rows, sizeof rows / sizeof rows[0] };
