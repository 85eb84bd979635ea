/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_LINES_H
#define BENCH_HARNESS_LINES_H
/*
 * The lines of the tables in the order in which every report shows them: by class, then row
 * (isthmus, limit, peers), then parameters as planned. Twins and baselines are
 * left out: they show in columns of others' lines.
 */
#include "harness/plan.h"

struct bench_line {
    const struct bench_group *group;
    const struct bench_leg *leg;
};

struct bench_lines {
    const char *class_name;
    struct bench_line *lines;
    size_t count;
};

/* One entry per class, in memory of the caller's; *ret_count is how many. */
struct bench_lines *bench_lines_of(const struct bench_plan *plan, size_t *ret_count);
void bench_lines_free(struct bench_lines *classes, size_t count);

/* The parameter keys that occur in a class, each once, in order of appearance. */
#define BENCH_MAX_KEYS 8
size_t bench_lines_keys(const struct bench_lines *lines,
                        struct bench_span ret_keys[BENCH_MAX_KEYS]);

/* The subjects that have a line in the class, in order. */
size_t bench_lines_subjects(const struct bench_lines *lines,
                            const char *ret_names[BENCH_SUBJECT_COUNT]);

/* Whether a line is about more than one measuring thread. */
bool bench_lines_have_threads(const struct bench_lines *lines);

/* The line of a cell; NULL if there is none. */
const struct bench_line *bench_lines_find(const struct bench_lines *lines,
                                          const struct bench_cell *cell);

#endif
