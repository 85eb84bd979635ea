/* SPDX-License-Identifier: MIT */
/*
 * The rows of SegmentAccess, the same for isthmus and limit; only memory and kernels differ.
 * Invariant: element i holds seed + i before each reading pass, so that every sum is known, and
 * the seed is read from a volatile, so that the compiler knows none.
 * Not done here: the loops; they are in *_kernels.c and *_read.c.
 */
#include "tables/segment_access.h"

#include <stdlib.h>

#include "harness/params.h"
#include "harness/sink.h"

enum method { GET_I32, GET_I64, SET_I64, WITH_READ_F64, PATH_GET_F64, PATH_SET_I64, METHOD_COUNT };

struct access_state {
    access_kernel *kernel;
    struct access_memory memory;
    enum method method;
    volatile int64_t seed;
    volatile size_t count;
    int64_t result; /* Of the last pass. */
};

static const struct {
    const char *compiler;
    access_kernel *kernels[METHOD_COUNT]; /* By method. */
} compilers[] = {
#ifdef BENCH_WITH_GCC
    { "gcc",
      { access_gcc_get_i32, access_gcc_get_i64, access_gcc_set_i64, access_gcc_with_read_f64,
        access_gcc_path_get_f64, access_gcc_path_set_i64 } },
#endif
#ifdef BENCH_WITH_CLANG
    { "clang",
      { access_clang_get_i32, access_clang_get_i64, access_clang_set_i64,
        access_clang_with_read_f64, access_clang_path_get_f64, access_clang_path_set_i64 } },
#endif
};

static access_kernel *find_kernel(const char *params, enum method method)
{
    struct bench_span compiler = bench_params_find(params, "compiler");
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++) {
        if (bench_span_is(compiler, compilers[i].compiler))
            return compilers[i].kernels[method];
    }
    return NULL;
}

static void fill(const struct access_state *state)
{
    for (size_t i = 0; i < ACCESS_COUNT; i++) {
        int64_t value = state->seed + (int64_t)i;
        if (state->method == GET_I32)
            ((int32_t *)state->memory.bytes)[i] = (int32_t)value;
        else if (state->method == WITH_READ_F64)
            ((double *)state->memory.bytes)[i] = (double)value;
        else if (state->method == PATH_GET_F64)
            ((struct access_point *)state->memory.bytes)[i].y = (double)value;
        else if (state->method == GET_I64)
            ((int64_t *)state->memory.bytes)[i] = value;
    }
}

static const char *setup(const char *params, enum method method, void **ret_state)
{
    access_kernel *kernel = find_kernel(params, method);
    if (kernel == NULL)
        return "no loops compiled by that compiler in this build";
    struct access_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return "out of memory";
    state->kernel = kernel;
    state->method = method;
    state->seed = 7;
    state->count = ACCESS_COUNT;
    const char *error = access_memory_open(&state->memory);
    if (error != NULL) {
        free(state);
        return error;
    }
    fill(state);
    *ret_state = state;
    return NULL;
}

static const char *setup_get_i32(const char *params, void **ret_state)
{
    return setup(params, GET_I32, ret_state);
}

static const char *setup_get_i64(const char *params, void **ret_state)
{
    return setup(params, GET_I64, ret_state);
}

static const char *setup_set_i64(const char *params, void **ret_state)
{
    return setup(params, SET_I64, ret_state);
}

static const char *setup_with_read_f64(const char *params, void **ret_state)
{
    return setup(params, WITH_READ_F64, ret_state);
}

static const char *setup_path_get_f64(const char *params, void **ret_state)
{
    return setup(params, PATH_GET_F64, ret_state);
}

static const char *setup_path_set_i64(const char *params, void **ret_state)
{
    return setup(params, PATH_SET_I64, ret_state);
}

static void run(void *argument, uint64_t rounds)
{
    struct access_state *state = argument;
    for (uint64_t i = 0; i < rounds; i++) {
        state->result = state->kernel(state->memory.target, state->count, state->seed);
        bench_sink(state);
    }
}

/* What the pass has written at index i. */
static int64_t written(const struct access_state *state, size_t i)
{
    return state->method == PATH_SET_I64
               ? ((const struct access_pair *)state->memory.bytes)[i].second
               : ((const int64_t *)state->memory.bytes)[i];
}

static const char *check(void *argument, uint64_t rounds)
{
    const struct access_state *state = argument;
    int64_t sum = state->seed * ACCESS_COUNT + (int64_t)ACCESS_COUNT * (ACCESS_COUNT - 1) / 2;
    if (rounds == 0)
        return "nothing was run";
    if (state->result == ACCESS_REFUSED)
        return "an access was refused";
    if (state->method != SET_I64 && state->method != PATH_SET_I64)
        return state->result == sum ? NULL : "the sum of the elements read is wrong";
    for (size_t i = 0; i < ACCESS_COUNT; i++) {
        if (written(state, i) != state->seed + (int64_t)i)
            return "an element was not written";
    }
    return NULL;
}

static void teardown(void *argument)
{
    struct access_state *state = argument;
    access_memory_close(&state->memory);
    free(state);
}

#define ACCESS_ROW(name)                                                                           \
    {                                                                                              \
        .class_name = "SegmentAccess", .method = #name, .unit = "ns/op",                           \
        .params = ACCESS_COMPILERS, .operations = ACCESS_COUNT, .setup = setup_##name, .run = run, \
        .check = check, .teardown = teardown                                                       \
    }

static const struct bench_row rows[] = {
    ACCESS_ROW(get_i32),       ACCESS_ROW(get_i64),      ACCESS_ROW(set_i64),
    ACCESS_ROW(with_read_f64), ACCESS_ROW(path_get_f64), ACCESS_ROW(path_set_i64),
};

const struct bench_table access_table = { rows, sizeof rows / sizeof rows[0] };
