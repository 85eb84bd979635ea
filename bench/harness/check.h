/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_CHECK_H
#define BENCH_HARNESS_CHECK_H
/*
 * `isthmus bench --check`: measures what the targets ask for and decides each.
 */
#include "harness/plan.h"

/*
 * Checks the targets whose row the expression matches, and prints each with its evidence.
 * Returns 0 if none fails, 1 if one does or a measurement fails, 2 if the file or the expression is
 * unusable; it has said why.
 */
int bench_check(const struct bench_catalog *catalog, const struct bench_settings *settings,
                const char *regex);

#endif
