/* SPDX-License-Identifier: MIT */
/*
 * ConcurrentClose, the floors: a plain sum beside another one and a thread that executes bare
 * membarriers; and the bare call, or a compare-and-swap, beside two such sums.
 */
#include <stdlib.h>

#include "tables/concurrent_close.h"
#include "tables/membarrier.h"
#include "tables/pace.h"

#define UNPACED_BATCH 64

struct stage {
    uint64_t rate;
    struct bench_company *company;
    uint64_t fences;   /* Atomic; the closer's stand-in's. */
    long fence_failed; /* Likewise; read when it sleeps. */
    int64_t wrong;     /* A bystander's sum was. */
    uint64_t rounds;   /* The lane's. */
    long failed;       /* The lane's. */
    unsigned word;     /* What the lane swaps. */
};

static void execute_membarriers(void *argument, const struct bench_company *company)
{
    struct stage *stage = argument;
    struct pace pace = pace_begin(stage->rate);
    unsigned batch = stage->rate == 0 ? UNPACED_BATCH : 1;
    while (bench_company_goes_on(company)) {
        pace_wait(&pace);
        for (unsigned i = 0; i < batch; i++)
            stage->fence_failed |= membarrier_execute();
        /* Relaxed: a count that others read on the way. */
        __atomic_store_n(&stage->fences, stage->fences + batch, __ATOMIC_RELAXED);
    }
}

static void run_sum(void *argument, uint64_t rounds)
{
    struct stage *stage = argument;
    for (uint64_t i = 0; i < rounds; i++)
        stage->rounds += concurrent_sum(concurrent_bytes) == CONCURRENT_SUM;
}

static void run_membarrier(void *argument, uint64_t rounds)
{
    struct stage *stage = argument;
    for (uint64_t i = 0; i < rounds; i++)
        stage->failed |= membarrier_execute();
    stage->rounds += rounds;
}

static void run_swap(void *argument, uint64_t rounds)
{
    struct stage *stage = argument;
    for (uint64_t i = 0; i < rounds; i++) {
        unsigned before = (unsigned)i;
        stage->word = before;
        stage->failed |= !__atomic_compare_exchange_n(&stage->word, &before, before + 1, 0,
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
    stage->rounds += rounds;
}

/* Two others beside the lane: two sums, or one and the membarriers (none at the rate none). */
static const char *open_stage(const char *params, int lane_sums, void **ret_stage)
{
    struct bench_companion companions[2];
    size_t count = 0;
    uint64_t rate;
    int none;
    const char *error = membarrier_register();
    if (error != NULL || !concurrent_rate(params, &rate, &none))
        return error != NULL ? error : "no such rate: none, flat or a number";
    struct stage *stage = calloc(1, sizeof *stage);
    if (stage == NULL)
        return "out of memory";
    stage->rate = rate;
    concurrent_fill();
    if (lane_sums && !none)
        companions[count++] = (struct bench_companion){ execute_membarriers, stage };
    companions[count++] = (struct bench_companion){ concurrent_unrelated, &stage->wrong };
    if (!lane_sums)
        companions[count++] = (struct bench_companion){ concurrent_unrelated, &stage->wrong };
    *ret_stage = stage;
    return bench_company_open(companions, count, bench_company_cores(1), &stage->company);
}

static const char *open_bystander(const char *params, unsigned threads, void **ret_stage)
{
    (void)threads;
    return open_stage(params, 1, ret_stage);
}

static const char *open_closer(const char *params, unsigned threads, void **ret_stage)
{
    (void)threads;
    return open_stage(params, 0, ret_stage);
}

static void begin_stage(void *argument)
{
    bench_company_begin(((struct stage *)argument)->company);
}

static void end_stage(void *argument)
{
    bench_company_end(((struct stage *)argument)->company);
}

static void count_stage(void *argument, uint64_t *ret_values)
{
    ret_values[0] = __atomic_load_n(&((struct stage *)argument)->fences, __ATOMIC_RELAXED);
}

static const char *close_stage(void *argument)
{
    struct stage *stage = argument;
    bench_company_close(stage->company);
    const char *error = stage->fence_failed != 0 ? "membarrier failed" : NULL;
    if (stage->wrong)
        error = "a bystander's sum was wrong";
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
    return rounds == 0 || stage->rounds != rounds || stage->failed != 0
               ? "nothing was run, or an operation failed"
               : NULL;
}

static void leave(void *state)
{
    (void)state; /* The stage's. */
}

static const struct bench_stage bystander_stage = {
    .open = open_bystander,
    .begin = begin_stage,
    .end = end_stage,
    .count = count_stage,
    .close = close_stage,
};
static const struct bench_stage closer_stage = {
    .open = open_closer, .begin = begin_stage, .end = end_stage, .close = close_stage
};

#define STAGED(kind) .stage = &kind##_stage, .enter = enter, .check = check, .teardown = leave

static const struct bench_row rows[] = {
    { CLOSER_ROW, STAGED(closer), .method = "compare_and_swap", .answers = "closer",
      .run = run_swap },
    { CLOSER_ROW, STAGED(closer), .method = "membarrier", .answers = "closer_escaped",
      .run = run_membarrier },
    { FLOOR_ROW, STAGED(bystander), .method = "plain_sum",
      .answers = "segment_reader,segment_reader_escaped,unrelated,unrelated_escaped",
      .counters = "membarriers=#", .baseline = "rate=none", .run = run_sum },
};

const struct bench_table concurrent_table = { rows, sizeof rows / sizeof rows[0] };
