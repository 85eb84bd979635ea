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
 *
 * A row may have a *stage*: what its measuring threads share, and the threads beside them (see
 * harness/company.h), which run during iterations only. enter() then takes the place of setup().
 */
#include <stddef.h>
#include <stdint.h>

/* What a row's score counts. */
enum bench_clock {
    BENCH_WALL, /* The time that passes. */
    BENCH_CPU,  /* The processor time of the measuring threads: for threads that share cores. */
};

/* What a batch took, both ways. */
struct bench_time {
    uint64_t ns, cpu_ns;
};

#define BENCH_MAX_COUNTERS 8

/* All of it is called on the first measuring thread. */
struct bench_stage {
    /* Before any enter(); returns NULL or what is wrong. */
    const char *(*open)(const char *params, unsigned threads, void **ret_stage);
    /* Around each iteration, the calibration included; may be NULL. */
    void (*begin)(void *stage);
    void (*end)(void *stage);
    /* Reads the row's counters, in their order; NULL: it has none. */
    void (*count)(void *stage, uint64_t *ret_values);
    /* After the last teardown(): NULL, or which work did not happen. Frees the stage. */
    const char *(*close)(void *stage);
};

struct bench_row {
    const char *class_name;
    const char *method;
    const char *unit;         /* "ns/op", "us/op" (lower is better) or "ops/us" (throughput). */
    const char *params;       /* "size=5,20;compiler=gcc,clang;threads=1,2"; NULL: none. The key
                                 threads says on how many the row is measured, unless --threads
                                 does. "threads=1": on one, whatever --threads says. */
    const char *quick_params; /* The same, thinned for --quick; NULL: not thinned. */
    const char *answers;      /* The methods of its class that it stands opposite to in other
                                 subjects' rows: "*", "a,b"; NULL: those of its own name. */
    const char *baseline;     /* The row of this subject that it is to be seen beside, as what is
                                 different there: "method=confined_close", "threads=1",
                                 "method=unrelated;rate=none"; NULL: none. */
    const char *counters;     /* What its stage counts, "closes=#,longest.drain=ns": a name and a
                                 unit. With # it is the growth per iteration that is reported, else
                                 the last value. NULL: nothing. */
    enum bench_clock clock;
    uint64_t operations; /* Operations in one round; 0 counts as 1. */
    /* Gets one combination, "size=5;compiler=gcc"; returns NULL or what is wrong. */
    const char *(*setup)(const char *params, void **ret_state);
    const struct bench_stage *stage; /* NULL: none, and setup() is used. */
    /* Gets the stage and which of the measuring threads this is, from 0. */
    const char *(*enter)(void *stage, unsigned lane, void **ret_state);
    void (*run)(void *state, uint64_t rounds);
    /* In place of run(): adds the time that counts; the rest of a round is preparation. */
    void (*run_timed)(void *state, uint64_t rounds, struct bench_time *time);
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
