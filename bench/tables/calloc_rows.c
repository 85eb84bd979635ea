/* SPDX-License-Identifier: MIT */
/*
 * AllocTest, AllocCompoundTest and ResourceScopeClose for general allocators: calloc(1, size), use,
 * free. Invariant: the two functions are reached through pointers that the compiler cannot see
 * through (hidden once per batch), because it deletes pairs of malloc and free that it knows. The
 * compound allocates only what the arenas of the mix allocate: an arena that stays empty has no
 * counterpart here and costs this subject nothing.
 */
#include "tables/calloc_rows.h"

#include "tables/alloc_test.h"
#include "tables/scope_close.h"

static struct calloc_pair opaque_pair(void)
{
    struct calloc_pair pair = calloc_pair;
    bench_hide(pair.allocate);
    bench_hide(pair.release);
    return pair;
}

void calloc_run_alloc(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    struct calloc_pair pair = opaque_pair();
    size_t size = state->size;
    unsigned seen = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        bench_hide(size);
        unsigned char *block = pair.allocate(1, size);
        seen |= alloc_use(block, size, i);
        pair.release(block);
    }
    state->seen |= seen;
}

static unsigned compound_once(const struct calloc_pair *pair, const uint8_t *order, uint64_t round)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < COMPOUND_ARENAS; i++) {
        size_t size = order[i];
        if (size == 0)
            continue;
        unsigned char *block = pair->allocate(1, size);
        seen |= alloc_use(block, size, round);
        pair->release(block);
    }
    return seen;
}

static void run_compound(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    struct calloc_pair pair = opaque_pair();
    unsigned seen = 0;
    for (uint64_t i = 0; i < rounds; i++)
        seen |= compound_once(&pair, state->order, i);
    state->seen |= seen;
}

static const struct bench_row rows[] = {
    { ALLOC_ROW, .method = "calloc_free", .answers = "*", .setup = alloc_setup,
      .check = alloc_check, .run = calloc_run_alloc },
    { COMPOUND_ROW, .setup = alloc_setup_unsized, .check = alloc_check, .run = run_compound },
};

const struct bench_table calloc_table = { rows, sizeof rows / sizeof rows[0] };

void scope_thread_begins(void)
{
}

void *scope_live_block(void)
{
    return calloc_pair.allocate(1, 2);
}

static const struct bench_row scope_rows[] = {
    { SCOPE_ROW, .method = "calloc_free", .answers = SCOPE_SINGLE_METHODS, .check = alloc_check,
      .run = calloc_run_alloc },
};

const struct bench_table scope_close_table = { scope_rows,
                                               sizeof scope_rows / sizeof scope_rows[0] };
