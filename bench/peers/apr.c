/* SPDX-License-Identifier: MIT */
/*
 * Subject apr: a pool of the Apache Portable Runtime for each arena, apr_pcalloc (palloc and
 * memset) for its block. The pools are children of one pool per thread with an allocator of its own
 * and no mutex, as its server has them: the best that APR can do.
 */
#include <apr_allocator.h>
#include <apr_general.h>
#include <apr_pools.h>
#include <pthread.h>

#include "tables/alloc_test.h"

static _Thread_local apr_pool_t *parent;
static pthread_once_t started = PTHREAD_ONCE_INIT;

static void start(void)
{
    apr_initialize();
}

static const char *setup_parent(void)
{
    apr_allocator_t *allocator;
    pthread_once(&started, start);
    if (parent != NULL)
        return NULL;
    if (apr_allocator_create(&allocator) != APR_SUCCESS ||
        apr_pool_create_ex(&parent, NULL, NULL, allocator) != APR_SUCCESS)
        return "apr does not start";
    return NULL;
}

static const char *setup_sized(const char *params, void **ret_state)
{
    const char *error = setup_parent();
    return error != NULL ? error : alloc_setup(params, ret_state);
}

static const char *setup_unsized(const char *params, void **ret_state)
{
    const char *error = setup_parent();
    return error != NULL ? error : alloc_setup_unsized(params, ret_state);
}

/* One arena of the mix: returns the byte read back; failures are or-ed into *failed. */
static inline unsigned pool_once(size_t size, uint64_t index, unsigned *failed)
{
    apr_pool_t *pool;
    unsigned seen = 0;
    *failed |= (unsigned)apr_pool_create(&pool, parent);
    if (size != 0)
        seen = alloc_use(apr_pcalloc(pool, size), size, index);
    apr_pool_destroy(pool);
    return seen;
}

static void run_alloc(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    size_t size = state->size; /* 0 in the row that allocates nothing. */
    unsigned seen = 0, failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        bench_hide(size);
        seen |= pool_once(size, i, &failed);
    }
    state->seen |= seen;
    state->failed |= failed;
}

static void run_compound(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    unsigned seen = 0, failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        for (unsigned arena = 0; arena < COMPOUND_ARENAS; arena++)
            seen |= pool_once(state->order[arena], i, &failed);
    }
    state->seen |= seen;
    state->failed |= failed;
}

static const struct bench_row rows[] = {
    { ALLOC_ROW, .method = "pool_calloc", .answers = "*", .setup = setup_sized,
      .check = alloc_check, .run = run_alloc },
    { ALLOC_NONE_ROW, .method = "pool_none", .answers = "*", .setup = setup_unsized,
      .check = alloc_check, .run = run_alloc },
    { COMPOUND_ROW, .setup = setup_unsized, .check = alloc_check, .run = run_compound },
};

static const struct bench_table table = { rows, sizeof rows / sizeof rows[0] };

static const struct bench_symbol symbols[] = {
    { "apr_pool_create_ex", (void *)apr_pool_create_ex, "libapr-1.so." },
    { "apr_palloc", (void *)apr_palloc, "libapr-1.so." },
    { "apr_pool_destroy", (void *)apr_pool_destroy, "libapr-1.so." },
};

const struct bench_subject bench_subject = {
    .name = "apr",
    .tables = (const struct bench_table *const[]){ &table },
    .table_count = 1,
    .symbols = symbols,
    .symbol_count = sizeof symbols / sizeof symbols[0],
};
