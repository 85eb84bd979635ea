/* SPDX-License-Identifier: MIT */
/*
 * Subject limit: the floor of each table, the same work in plain C and nothing else.
 *   AllocTest            memset of the size on one buffer at the arena's alignment; for an arena
 *                        that allocates nothing, the empty loop
 *   AllocCompoundTest    memset for each arena of the mix that allocates
 *   SegmentAccess        plain loops over an array (plain_kernels.c)
 * The floors of the tables of shared arenas are in tables/..._limit.c.
 */
#include <stdlib.h>
#include <string.h>

#include "tables/acquire_release.h"
#include "tables/alloc_test.h"
#include "tables/concurrent_close.h"
#include "tables/scope_close.h"
#include "tables/segment_access.h"
#include "tables/shared_access.h"

typedef void *memset_fn(void *, int, size_t);

/* The compiler must not turn the memset of the mix into a store of known size. */
static memset_fn *opaque_memset(void)
{
    memset_fn *function = memset;
    bench_hide(function);
    return function;
}

/* A block of an arena may lie at any multiple of ALLOC_ALIGNMENT; the floor gets the best one. */
static _Thread_local _Alignas(64) unsigned char buffer[ALLOC_MAX_SIZE];

static void run_memset(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    memset_fn *clear = opaque_memset();
    size_t size = state->size;
    unsigned seen = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        bench_hide(size);
        clear(buffer, 0, size);
        seen |= alloc_use(buffer, size, i);
    }
    state->seen |= seen;
}

static void run_empty(void *argument, uint64_t rounds)
{
    for (uint64_t i = 0; i < rounds; i++)
        bench_sink(argument);
}

static unsigned compound_once(memset_fn *clear, const uint8_t *order, uint64_t round)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < COMPOUND_ARENAS; i++) {
        size_t size = order[i];
        if (size == 0)
            continue;
        clear(buffer, 0, size);
        seen |= alloc_use(buffer, size, round);
    }
    return seen;
}

static void run_compound(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    memset_fn *clear = opaque_memset();
    unsigned seen = 0;
    for (uint64_t i = 0; i < rounds; i++)
        seen |= compound_once(clear, state->order, i);
    state->seen |= seen;
}

/* Aligned as an arena's block of this size may be at best: to a cache line. */
static _Thread_local _Alignas(64) unsigned char array[ACCESS_MAX_BYTES];

const char *access_memory_open(struct access_memory *ret_memory)
{
    *ret_memory = (struct access_memory){ .target = array, .bytes = array };
    return NULL;
}

void access_memory_close(struct access_memory *memory)
{
    (void)memory;
}

static const struct bench_row rows[] = {
    { ALLOC_ROW, .method = "memset", .answers = "*", .setup = alloc_setup, .check = alloc_check,
      .run = run_memset },
    { ALLOC_NONE_ROW, .method = "empty", .answers = "*", .setup = alloc_setup_unsized,
      .check = alloc_check, .run = run_empty },
    { COMPOUND_ROW, .setup = alloc_setup_unsized, .check = alloc_check, .run = run_compound },
};

static const struct bench_table table = { rows, sizeof rows / sizeof rows[0] };

static const struct bench_symbol symbols[] = {
    { "memset", (void *)memset, "libc.so." },
};

static const struct bench_table *const tables[] = {
    &table,        &scope_close_table,   &acquire_table,
    &access_table, &shared_access_table, &concurrent_table,
};

const struct bench_subject bench_subject = {
    .name = "limit",
    .tables = tables,
    .table_count = sizeof tables / sizeof tables[0],
    .symbols = symbols,
    .symbol_count = sizeof symbols / sizeof symbols[0],
    .skipped = ACCESS_SKIPPED,
};
