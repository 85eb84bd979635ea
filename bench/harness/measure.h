/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_MEASURE_H
#define BENCH_HARNESS_MEASURE_H
/*
 * Carries a plan out: starts the workers, interleaves their iterations, fills in the samples.
 */
#include "harness/plan.h"

/*
 * Measures every group. A progress line goes to standard error if that is a terminal.
 * label: what stands before it, "" or "run 2 of 3, ".
 * Returns 0, or 1 after having said which row failed and why: a worker that ended, or a check of
 * a benchmark that did not find its work done.
 */
int bench_measure(struct bench_plan *plan, const char *label);

#endif
