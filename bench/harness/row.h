/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_ROW_H
#define BENCH_HARNESS_ROW_H
/*
 * What a worker (`isthmus-peer-NAME`) supplies: one subject and its rows.
 *
 *     static const struct bench_row rows[] = {
 *         { .class_name = "AllocTest", .method = "calloc_free", .unit = "ns/op",
 *           .params = "size=5,20", .answers = "*",
 *           .setup = ..., .run = ..., .check = ..., .teardown = ... },
 *     };
 *     static const struct bench_table table = { rows, 1 };
 *     const struct bench_subject bench_subject = {
 *         .name = "glibc",
 *         .tables = (const struct bench_table *const[]){ &table }, .table_count = 1,
 *         .symbols = ..., .symbol_count = ...,
 *     };
 *
 * A row is measured in batches of rounds: run() does that many rounds without looking at the
 * clock. Every thread that measures has a state of its own, and setup, run, check and teardown
 * of one state are called on one thread.
 */
#include <stddef.h>
#include <stdint.h>

struct bench_row {
    const char *class_name;
    const char *method;
    const char *unit;         /* "ns/op" (lower is better) or "ops/us" (throughput). */
    const char *params;       /* "size=5,20;compiler=gcc,clang"; NULL: none. */
    const char *quick_params; /* The same, thinned for --quick; NULL: not thinned. */
    const char *answers;      /* The methods of its class that it stands opposite to in other
                                 subjects' rows: "*", "a,b"; NULL: those of its own name. */
    uint64_t operations;      /* Operations in one round; 0 counts as 1. */
    /* Gets one combination, "size=5;compiler=gcc"; returns NULL or what is wrong. */
    const char *(*setup)(const char *params, void **ret_state);
    void (*run)(void *state, uint64_t rounds);
    /* After all batches: NULL, or a sentence saying which work did not happen. */
    const char *(*check)(void *state, uint64_t rounds);
    void (*teardown)(void *state);
};

/* A function that the rows call, and the start of the file name that must contain it. */
struct bench_symbol {
    const char *name;
    void *address;
    const char *library;
};

struct bench_table {
    const struct bench_row *rows;
    size_t row_count;
};

struct bench_subject {
    const char *name;
    const struct bench_table *const *tables;
    size_t table_count;
    const struct bench_symbol *symbols;
    size_t symbol_count;
    const char *skipped; /* What its tables lack in this build, one sentence; NULL: nothing. */
};

extern const struct bench_subject bench_subject;

#endif
