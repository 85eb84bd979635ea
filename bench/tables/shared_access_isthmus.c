/* SPDX-License-Identifier: MIT */
/*
 * SharedAccess for isthmus.
 * Invariant: a stage is one shared arena with the source of all lanes, which nobody writes after
 * open; each lane has a target of its own in the same arena.
 */
#include <isthmus/isthmus.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/params.h"
#include "tables/closer.h"
#include "tables/shared_access.h"

#define SEED 7

struct stage {
    const char *params;
    ist_arena arena;
    ist_segment source;    /* SHARED_COPY_SIZE bytes: SEED + i as ints. */
    struct holder *holder; /* Beside a poller: for whose hold its closes are refused. */
    /* The closer counts in its struct: the lanes read what is above with every access. */
    char apart[128];
    struct closer closer;
    struct bench_company *company; /* NULL: no closer. */
};

struct lane {
    const struct stage *stage;
    access_kernel *kernel;
    volatile size_t count; /* Elements, or bytes to copy. */
    ist_segment target;
    int64_t result;
    unsigned failed;
};

/* ---- A thread that holds the arena and sleeps ---- */

struct holder {
    ist_arena arena;
    sem_t held, end;
    pthread_t thread;
    unsigned failed;
};

static void *hold_until_told(void *argument)
{
    struct holder *holder = argument;
    ist_hold hold = { 0 };
    holder->failed |= (unsigned)ist_arena_hold(holder->arena, &hold);
    sem_post(&holder->held);
    while (sem_wait(&holder->end) != 0)
        ; /* Interrupted. */
    holder->failed |= (unsigned)ist_arena_release(&hold);
    return NULL;
}

static const char *start_holder(struct stage *stage)
{
    struct holder *holder = calloc(1, sizeof *holder);
    if (holder == NULL)
        return "out of memory";
    holder->arena = stage->arena;
    sem_init(&holder->held, 0, 0);
    sem_init(&holder->end, 0, 0);
    if (pthread_create(&holder->thread, NULL, hold_until_told, holder) != 0)
        return "cannot start a thread";
    while (sem_wait(&holder->held) != 0)
        ; /* Interrupted. */
    stage->holder = holder;
    return NULL;
}

static const char *end_holder(struct holder *holder)
{
    sem_post(&holder->end);
    pthread_join(holder->thread, NULL);
    unsigned failed = holder->failed;
    free(holder);
    return failed == 0 ? NULL : "the arena could not be held and released";
}

/* ---- The stage ---- */

/* Another thread's access, so that the arena's owner goes the way of all others. */
static void *touch_once(void *argument)
{
    const struct stage *stage = argument;
    int32_t value = 0;
    return ist_get_i32(stage->source, 0, &value) == IST_OK && value == SEED ? NULL : argument;
}

static const char *open_arena(struct stage *stage)
{
    pthread_t other;
    void *failed = NULL;
    if (ist_arena_open_shared(&stage->arena) != IST_OK ||
        ist_arena_allocate(stage->arena, SHARED_COPY_SIZE, 64, &stage->source) != IST_OK)
        return "out of memory";
    int32_t *elements = ist_segment_pointer_unchecked(stage->source);
    for (size_t i = 0; i < SHARED_COPY_SIZE / sizeof *elements; i++)
        elements[i] = SEED + (int32_t)i;
    if (pthread_create(&other, NULL, touch_once, stage) != 0)
        return "cannot start a thread";
    pthread_join(other, &failed);
    return failed == NULL ? NULL : "another thread could not read the arena";
}

static const char *start_closer(struct stage *stage, unsigned threads)
{
    struct bench_span kind = bench_params_find(stage->params, "closer");
    struct bench_companion companions[CLOSER_COMPANIONS];
    if (bench_span_is(kind, "none"))
        closer_open(&stage->closer, CLOSER_NONE, 0);
    else if (bench_span_is(kind, "open"))
        closer_open(&stage->closer, CLOSER_OPEN, 0);
    else if (bench_span_is(kind, "escaped"))
        closer_open(&stage->closer, CLOSER_ESCAPED, 0);
    else if (bench_span_is(kind, "poll"))
        closer_open(&stage->closer, CLOSER_POLL, 0);
    else if (bench_span_is(kind, "spin"))
        closer_open(&stage->closer, CLOSER_SPIN, 0);
    else
        return "no such closer: none, open, escaped, poll or spin";
    stage->closer.polled = stage->arena;
    const char *error = stage->closer.kind == CLOSER_POLL ? start_holder(stage) : NULL;
    if (error != NULL)
        return error;
    size_t count = closer_companions(&stage->closer, companions);
    return count == 0 ? NULL
                      : bench_company_open(companions, count, bench_company_cores(threads),
                                           &stage->company);
}

static const char *open_stage(const char *params, unsigned threads, void **ret_stage)
{
    struct stage *stage = calloc(1, sizeof *stage);
    if (stage == NULL)
        return "out of memory";
    stage->params = params;
    const char *error = open_arena(stage);
    if (error == NULL)
        error = start_closer(stage, threads);
    *ret_stage = stage;
    return error; /* The worker ends after an error; so does what was opened. */
}

static void begin_stage(void *argument)
{
    const struct stage *stage = argument;
    if (stage->company != NULL)
        bench_company_begin(stage->company);
}

static void end_stage(void *argument)
{
    const struct stage *stage = argument;
    if (stage->company != NULL)
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
    if (stage->holder != NULL && error == NULL)
        error = end_holder(stage->holder);
    if (ist_arena_close(stage->arena) != IST_OK)
        error = "the arena could not be closed";
    closer_close(&stage->closer);
    free(stage);
    return error;
}

static const struct bench_stage shared_stage = {
    .open = open_stage,
    .begin = begin_stage,
    .end = end_stage,
    .count = count_stage,
    .close = close_stage,
};

/* ---- The lanes ---- */

static const char *enter(void *stage, size_t count, struct lane **ret_lane)
{
    struct lane *lane = calloc(1, sizeof *lane);
    if (lane == NULL)
        return "out of memory";
    lane->stage = stage;
    lane->count = count;
    *ret_lane = lane;
    return NULL;
}

static const char *enter_get(void *stage, void **ret_state, int held)
{
    struct lane *lane = NULL;
    access_kernel *kernel = shared_kernel(((const struct stage *)stage)->params, held);
    const char *error = kernel == NULL ? "no loops compiled by that compiler in this build"
                                       : enter(stage, ACCESS_COUNT, &lane);
    if (error == NULL)
        lane->kernel = kernel;
    *ret_state = lane;
    return error;
}

static const char *enter_checked(void *stage, unsigned index, void **ret_state)
{
    (void)index;
    return enter_get(stage, ret_state, 0);
}

static const char *enter_held(void *stage, unsigned index, void **ret_state)
{
    (void)index;
    return enter_get(stage, ret_state, 1);
}

static const char *enter_copy(void *stage, void **ret_state, size_t size)
{
    struct lane *lane;
    const char *error = enter(stage, size, &lane);
    if (error != NULL)
        return error;
    *ret_state = lane;
    return ist_arena_allocate(lane->stage->arena, size, 64, &lane->target) == IST_OK
               ? NULL
               : "out of memory";
}

static const char *enter_copy_64(void *stage, unsigned index, void **ret_state)
{
    (void)index;
    return enter_copy(stage, ret_state, 64);
}

static const char *enter_copy_1M(void *stage, unsigned index, void **ret_state)
{
    (void)index;
    return enter_copy(stage, ret_state, SHARED_COPY_SIZE);
}

static void run_get(void *argument, uint64_t rounds)
{
    struct lane *lane = argument;
    for (uint64_t i = 0; i < rounds; i++) {
        lane->result = lane->kernel(&lane->stage->source, lane->count, 0);
        bench_sink(lane);
    }
}

static void run_copy(void *argument, uint64_t rounds)
{
    struct lane *lane = argument;
    unsigned failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        failed |=
            (unsigned)ist_segment_copy(&lane->stage->source, 0, &lane->target, 0, lane->count);
        bench_sink(lane);
    }
    lane->failed |= failed;
}

static const char *enter_hold(void *stage, unsigned index, void **ret_state)
{
    (void)index;
    return enter(stage, 0, (struct lane **)ret_state);
}

static void run_hold(void *argument, uint64_t rounds)
{
    struct lane *lane = argument;
    unsigned failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        ist_hold hold = { 0 };
        failed |= (unsigned)ist_arena_hold(lane->stage->arena, &hold);
        bench_sink(lane);
        failed |= (unsigned)ist_arena_release(&hold);
    }
    lane->failed |= failed;
}

static const char *check_hold(void *argument, uint64_t rounds)
{
    const struct lane *lane = argument;
    return rounds == 0 || lane->failed != 0 ? "nothing was run, or a hold was refused" : NULL;
}

static const char *check_get(void *argument, uint64_t rounds)
{
    const struct lane *lane = argument;
    int64_t sum = SEED * ACCESS_COUNT + (int64_t)ACCESS_COUNT * (ACCESS_COUNT - 1) / 2;
    if (rounds == 0)
        return "nothing was run";
    return lane->result == sum ? NULL : "the sum of the elements read is wrong";
}

static const char *check_copy(void *argument, uint64_t rounds)
{
    const struct lane *lane = argument;
    if (rounds == 0 || lane->failed != 0)
        return "nothing was run, or a copy was refused";
    return memcmp(ist_segment_pointer_unchecked(lane->target),
                  ist_segment_pointer_unchecked(lane->stage->source), lane->count) == 0
               ? NULL
               : "the bytes were not copied";
}

#define COUNTED .counters = CLOSER_COUNTERS, .baseline = "closer=none", .stage = &shared_stage

static const struct bench_row rows[] = {
    { SHARED_GET_ROW, COUNTED, .method = "get_int", .enter = enter_checked, .run = run_get,
      .check = check_get, .teardown = free },
    { SHARED_GET_ROW, COUNTED, .method = "get_int_held", .enter = enter_held, .run = run_get,
      .check = check_get, .teardown = free },
    { SHARED_HOLD_ROW, COUNTED, .method = "hold", .enter = enter_hold, .run = run_hold,
      .check = check_hold, .teardown = free },
    { SHARED_COPY_ROW, COUNTED, .method = "copy_64", .enter = enter_copy_64, .run = run_copy,
      .check = check_copy, .teardown = free },
    { SHARED_COPY_ROW, COUNTED, .method = "copy_1M", .enter = enter_copy_1M, .run = run_copy,
      .check = check_copy, .teardown = free },
};

const struct bench_table shared_access_table = { rows, sizeof rows / sizeof rows[0] };

access_kernel *shared_kernel(const char *params, int held)
{
    struct bench_span compiler = bench_params_find(params, "compiler");
#ifdef BENCH_WITH_GCC
    if (bench_span_is(compiler, "gcc"))
        return held ? access_gcc_get_i32_held : access_gcc_get_i32;
#endif
#ifdef BENCH_WITH_CLANG
    if (bench_span_is(compiler, "clang"))
        return held ? access_clang_get_i32_held : access_clang_get_i32;
#endif
    return NULL;
}
