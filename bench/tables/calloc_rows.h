/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLES_CALLOC_ROWS_H
#define BENCH_TABLES_CALLOC_ROWS_H
/*
 * The rows of subjects that are a pair of functions like calloc and free. A subject says which:
 *
 *     const struct calloc_pair calloc_pair = { calloc, free };
 *     const struct bench_subject bench_subject = { CALLOC_SUBJECT("glibc", symbols) };
 */
#include <stddef.h>

#include "harness/row.h"

struct calloc_pair {
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *block);
};

extern const struct calloc_pair calloc_pair;

extern const struct bench_table calloc_table;

/* ResourceScopeClose of such a subject: 1024 bytes, in each of its modes. */
extern const struct bench_table scope_close_table;

/* The run of AllocTest.calloc_free, for subjects with a variant of it. */
void calloc_run_alloc(void *state, uint64_t rounds);

/* A subject with these rows and no others. */
#define CALLOC_SUBJECT(subject_name, subject_symbols)                                              \
    .name = subject_name,                                                                          \
    .tables = (const struct bench_table *const[]){ &calloc_table, &scope_close_table },            \
    .table_count = 2, .symbols = subject_symbols,                                                  \
    .symbol_count = sizeof subject_symbols / sizeof subject_symbols[0]

#endif
