/* SPDX-License-Identifier: MIT */
/*
 * Subject talloc: a fresh context for each arena, talloc_zero_size for its block; freeing the
 * context frees the block.
 */
#include <talloc.h>

#include "tables/alloc_test.h"

/* One arena of the mix: returns the byte read back. */
static inline unsigned context_once(size_t size, uint64_t index)
{
    void *context = talloc_new(NULL);
    unsigned seen = 0;
    if (size != 0)
        seen = alloc_use(talloc_zero_size(context, size), size, index);
    talloc_free(context);
    return seen;
}

static void run_alloc(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    size_t size = state->size; /* 0 in the row that allocates nothing. */
    unsigned seen = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        bench_hide(size);
        seen |= context_once(size, i);
    }
    state->seen |= seen;
}

static void run_compound(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    unsigned seen = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        for (unsigned arena = 0; arena < COMPOUND_ARENAS; arena++)
            seen |= context_once(state->order[arena], i);
    }
    state->seen |= seen;
}

static const struct bench_row rows[] = {
    { ALLOC_ROW, .method = "zero_size", .answers = "*", .setup = alloc_setup, .check = alloc_check,
      .run = run_alloc },
    { ALLOC_NONE_ROW, .method = "new_free", .answers = "*", .setup = alloc_setup_unsized,
      .check = alloc_check, .run = run_alloc },
    { COMPOUND_ROW, .setup = alloc_setup_unsized, .check = alloc_check, .run = run_compound },
};

static const struct bench_table table = { rows, sizeof rows / sizeof rows[0] };

static const struct bench_symbol symbols[] = {
    { "talloc_named_const", (void *)talloc_named_const, "libtalloc.so." },
    { "_talloc_zero", (void *)_talloc_zero, "libtalloc.so." },
    { "_talloc_free", (void *)_talloc_free, "libtalloc.so." },
};

const struct bench_subject bench_subject = {
    .name = "talloc",
    .tables = (const struct bench_table *const[]){ &table },
    .table_count = 1,
    .symbols = symbols,
    .symbol_count = sizeof symbols / sizeof symbols[0],
};
