/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_PLAN_H
#define BENCH_HARNESS_PLAN_H
/*
 * What is to be measured: groups of legs.
 *
 * A *leg* is one cell of one subject; in each fork it is one process. A *group* holds the legs that
 * are compared with each other: those of the same class, parameters and threads, and for rows that
 * have one the *baseline*, a leg of another cell. Their iterations are interleaved, A B C A B C
 * ..., so the i-th iterations of two legs are the adjacent ones. Each leg of the floor (subject
 * limit) has a *twin*, a second process doing the same: A against A, the spread that no comparison
 * on this machine can go below.
 */
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/cell.h"

struct bench_settings {
    bool quick; /* Thin the parameters. */
    unsigned forks;
    unsigned warmup_count, count; /* Iterations per fork. */
    uint64_t warmup_ns, duration_ns;
};

struct bench_sample {
    uint64_t ops, ns, cpu_ns, rss_kib;
    uint64_t counters[BENCH_MAX_COUNTERS];
};

struct bench_leg {
    struct bench_cell cell;
    const char *file;
    size_t order; /* Of its row in the catalog. */
    bool twin;
    bool baseline;                /* It is here for others to be seen beside; no line shows it. */
    unsigned company;             /* Threads beside the measuring ones, as its worker says. */
    struct bench_sample *samples; /* forks x count, fork by fork. */
};

struct bench_group {
    const char *class_name;
    char params[BENCH_PARAMS_SIZE];
    unsigned threads;
    struct bench_leg *legs; /* In catalog order, the twins last. */
    size_t leg_count;
};

struct bench_plan {
    const struct bench_catalog *catalog;
    struct bench_settings settings;
    unsigned cores;
    struct bench_group *groups;
    size_t group_count;
};

/* What the user asked for. */
struct bench_choice {
    const char *regex;  /* Rows whose SUBJECT.CLASS.METHOD it matches; NULL: all. */
    const char *params; /* A space that replaces values, "size=64,128;threads=2"; NULL: none. */
};

/*
 * Plans the rows that the choice selects, with the floor for each, and for each isthmus row the
 * rows of the other wanted subjects that answer it.
 * Returns 0, or the exit status after having said what is wrong.
 */
int bench_plan_choose(struct bench_plan *plan, const struct bench_choice *choice);

/* The group of a cell, which its legs join; for plans made by hand. Good until the next one. */
struct bench_group *bench_plan_group(struct bench_plan *plan, const struct bench_cell *cell);

/* Adds one leg to a group; the same cell twice is one. */
void bench_group_add(const struct bench_plan *plan, struct bench_group *group,
                     const struct bench_cell *cell, bool baseline);

/* After the last leg: orders the legs, adds the twins, and makes room for the samples. */
void bench_plan_finish(struct bench_plan *plan);

void bench_plan_free(struct bench_plan *plan);

/* The leg of a subject that answers a leg's row; NULL if there is none. Twins only if asked for. */
const struct bench_leg *bench_group_opposite(const struct bench_group *group,
                                             const struct bench_leg *leg, const char *subject,
                                             bool twin);

/* The leg of a cell; NULL if the group has none. Never a twin. */
const struct bench_leg *bench_group_leg(const struct bench_group *group,
                                        const struct bench_cell *cell);

/* The leg that a leg's row names as its baseline; NULL if it names none or that is not measured. */
const struct bench_leg *bench_group_baseline(const struct bench_plan *plan,
                                             const struct bench_group *group,
                                             const struct bench_leg *leg);

/*
 * The leg of a subject that reports compare a leg with; NULL if they don't: isthmus rows meet all
 * other subjects, rows of other subjects the floor only.
 */
const struct bench_leg *bench_group_compared(const struct bench_group *group,
                                             const struct bench_leg *leg, const char *subject);

/* With --quick: prints one line for each way in which a class's parameters are thinned. */
void bench_plan_print_thinned(const struct bench_plan *plan, const struct bench_choice *choice);

/* Compiles an extended regular expression, NULL for the one that matches all; or says what is wrong
 * with it and returns 2. */
int bench_regex_compile(regex_t *ret_regex, const char *text);

/* Whether the expression matches SUBJECT.CLASS.METHOD. */
bool bench_offer_matches(const struct bench_offer *offer, const regex_t *regex);

#endif
