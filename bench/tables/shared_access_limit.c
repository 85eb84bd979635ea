/* SPDX-License-Identifier: MIT */
/*
 * SharedAccess, the floors: the plain loop over 1024 ints, two stores, and memcpy. Whatever the closer is
 * called, nobody closes anything here.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/params.h"
#include "tables/shared_access.h"

struct stage {
    const char *params;
    unsigned char *source; /* SHARED_COPY_SIZE bytes: i as ints. */
};

struct lane {
    const struct stage *stage;
    access_kernel *kernel;
    volatile size_t count;
    unsigned char *target;
    int64_t result;
};

static const char *open_stage(const char *params, unsigned threads, void **ret_stage)
{
    (void)threads;
    struct stage *stage = calloc(1, sizeof *stage);
    if (stage == NULL || (stage->source = aligned_alloc(64, SHARED_COPY_SIZE)) == NULL)
        return "out of memory";
    stage->params = params;
    for (size_t i = 0; i < SHARED_COPY_SIZE / sizeof(int32_t); i++)
        ((int32_t *)(void *)stage->source)[i] = (int32_t)i;
    *ret_stage = stage;
    return NULL;
}

static const char *close_stage(void *argument)
{
    struct stage *stage = argument;
    free(stage->source);
    free(stage);
    return NULL;
}

static const struct bench_stage shared_stage = { .open = open_stage, .close = close_stage };

static const char *enter(void *stage, size_t count, struct lane **ret_lane)
{
    struct lane *lane = calloc(1, sizeof *lane);
    if (lane == NULL || (lane->target = aligned_alloc(64, SHARED_COPY_SIZE)) == NULL)
        return "out of memory";
    memset(lane->target, 0xff, SHARED_COPY_SIZE);
    lane->stage = stage;
    lane->count = count;
    *ret_lane = lane;
    return NULL;
}

static const char *enter_get(void *stage, unsigned index, void **ret_state)
{
    (void)index;
    struct lane *lane = NULL;
    access_kernel *kernel = shared_kernel(((const struct stage *)stage)->params, 0);
    const char *error = kernel == NULL ? "no loops compiled by that compiler in this build"
                                       : enter(stage, ACCESS_COUNT, &lane);
    if (error == NULL)
        lane->kernel = kernel;
    *ret_state = lane;
    return error;
}

static const char *enter_copy_64(void *stage, unsigned index, void **ret_state)
{
    (void)index;
    return enter(stage, 64, (struct lane **)ret_state);
}

static const char *enter_copy_1M(void *stage, unsigned index, void **ret_state)
{
    (void)index;
    return enter(stage, SHARED_COPY_SIZE, (struct lane **)ret_state);
}

static void run_get(void *argument, uint64_t rounds)
{
    struct lane *lane = argument;
    for (uint64_t i = 0; i < rounds; i++) {
        lane->result = lane->kernel(lane->stage->source, lane->count, 0);
        bench_sink(lane);
    }
}

static void run_copy(void *argument, uint64_t rounds)
{
    struct lane *lane = argument;
    for (uint64_t i = 0; i < rounds; i++) {
        memcpy(lane->target, lane->stage->source, lane->count);
        bench_sink(lane);
    }
}

static const char *check_get(void *argument, uint64_t rounds)
{
    const struct lane *lane = argument;
    if (rounds == 0 || lane->result != (int64_t)ACCESS_COUNT * (ACCESS_COUNT - 1) / 2)
        return "nothing was run, or the sum of the elements read is wrong";
    return NULL;
}

static const char *check_copy(void *argument, uint64_t rounds)
{
    const struct lane *lane = argument;
    if (rounds == 0 || memcmp(lane->target, lane->stage->source, lane->count) != 0)
        return "nothing was run, or the bytes were not copied";
    return NULL;
}

static const char *enter_stores(void *stage, unsigned index, void **ret_state)
{
    (void)index;
    return enter(stage, 0, (struct lane **)ret_state);
}

static void run_stores(void *argument, uint64_t rounds)
{
    struct lane *lane = argument;
    for (uint64_t i = 0; i < rounds; i++) {
        lane->count = 1;
        bench_sink(lane);
        lane->count = 0;
    }
    lane->result = 1;
}

static const char *check_stores(void *argument, uint64_t rounds)
{
    const struct lane *lane = argument;
    return rounds == 0 || lane->result != 1 ? "nothing was run" : NULL;
}

static void teardown(void *argument)
{
    struct lane *lane = argument;
    free(lane->target);
    free(lane);
}

static const struct bench_row rows[] = {
    { SHARED_GET_ROW, .method = "plain_loop", .answers = "get_int,get_int_held",
      .stage = &shared_stage, .enter = enter_get, .run = run_get, .check = check_get,
      .teardown = teardown },
    { SHARED_HOLD_ROW, .method = "stores", .answers = "hold", .stage = &shared_stage,
      .enter = enter_stores, .run = run_stores, .check = check_stores, .teardown = teardown },
    { SHARED_COPY_ROW, .method = "memcpy_64", .answers = "copy_64", .stage = &shared_stage,
      .enter = enter_copy_64, .run = run_copy, .check = check_copy, .teardown = teardown },
    { SHARED_COPY_ROW, .method = "memcpy_1M", .answers = "copy_1M", .stage = &shared_stage,
      .enter = enter_copy_1M, .run = run_copy, .check = check_copy, .teardown = teardown },
};

const struct bench_table shared_access_table = { rows, sizeof rows / sizeof rows[0] };

access_kernel *shared_kernel(const char *params, int held)
{
    struct bench_span compiler = bench_params_find(params, "compiler");
    (void)held; /* There is nothing to hold. */
#ifdef BENCH_WITH_GCC
    if (bench_span_is(compiler, "gcc"))
        return access_gcc_get_i32;
#endif
#ifdef BENCH_WITH_CLANG
    if (bench_span_is(compiler, "clang"))
        return access_clang_get_i32;
#endif
    return NULL;
}
