/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_TARGETS_H
#define BENCH_HARNESS_TARGETS_H
/*
 * Targets as data, and the decision on each. Pure but for reading the file.
 *
 * A target in the file names a row of isthmus, combinations, and what to stand against: a subject,
 * whose row that answers is taken, or a change of the row's own cell, "method=confined_close",
 * "threads=1". It is expanded into one *target* per combination and opponent: "faster than the best
 * of two" is being faster than each. Kinds:
 *
 *     ratio-at-most       row / other <= bound
 *     speedup-at-least    other / row >= bound, decided as row / other <= 1 / bound
 *     difference-at-most  row - other <= bound, in ns per operation
 *     time-at-most        row <= bound, in ns per operation on the reference machine; anywhere, the
 *                         same difference to the floor: row - limit <= bound - reference_floor
 *     loss-at-most        what each event counted beside the row takes from it, over what each
 * takes from the other, <= bound. `base` is the change of the row's cell that leads to one without
 * events, `against_base` that of the other's.
 *
 * All are decided by the row's clock, or by the one that the target names.
 *
 * A run of at least 30 pairs: the target holds if the favourable end of the 95 % interval of the
 * median (order statistics, see stats.h) meets the bound, else it fails. A target that allows less
 * beyond equality than the A/A spread is finer than this machine can tell: where the median is
 * nearer to the bound than the spread, it is undecided. Overall, what two of three runs say; if no
 * two agree, undecided.
 */
#include <stdbool.h>
#include <stddef.h>

#include "harness/outcome.h"

#define BENCH_TARGET_PAIRS 30

enum bench_target_kind {
    BENCH_RATIO_AT_MOST,
    BENCH_SPEEDUP_AT_LEAST,
    BENCH_DIFFERENCE_AT_MOST,
    BENCH_TIME_AT_MOST,
    BENCH_LOSS_AT_MOST,
};

enum bench_target_clock { BENCH_ROWS_CLOCK, BENCH_BY_WALL, BENCH_BY_CPU };

struct bench_target {
    char *row;     /* SUBJECT.CLASS.METHOD */
    char *params;  /* One combination, threads included. */
    char *against; /* A subject, "limit" for time-at-most; or a change, with an equals sign. */
    char *base, *against_base; /* Changes; NULL but for loss-at-most. */
    enum bench_target_kind kind;
    enum bench_target_clock clock;
    double bound;
    double reference_floor; /* time-at-most: what the floor takes on the reference machine. */
    char *source;
};

struct bench_targets {
    struct bench_target *targets;
    size_t count;
};

/* Returns NULL, or a sentence on what is wrong with the file, which the caller frees. */
char *bench_targets_load(const char *file, struct bench_targets *ret_targets);

enum bench_decision { BENCH_HOLDS, BENCH_FAILS, BENCH_UNDECIDED };

/* What one run measured for a target. */
struct bench_evidence {
    struct bench_contrast
        contrast;  /* Ratio or difference of the row and the other, or of losses. */
    double spread; /* A/A, of the same kind. */
};

/* The contrast that a kind is decided by. */
enum bench_contrast_kind bench_target_contrast(enum bench_target_kind kind);

/* The upper bound on that contrast. */
double bench_target_limit(const struct bench_target *target);

enum bench_decision bench_target_decide(const struct bench_target *target,
                                        const struct bench_evidence *evidence);

/* Of two or three runs; a third is needed when the first two differ. */
enum bench_decision bench_target_overall(const enum bench_decision *runs, size_t count);

const char *bench_decision_text(enum bench_decision decision);

#endif
