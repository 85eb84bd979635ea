/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_REPORT_H
#define BENCH_HARNESS_REPORT_H
/*
 * The three forms of a result: text like JMH's, JMH's JSON, and a page of HTML; and the comparison
 * of two JSON files.
 */
#include <stdio.h>

#include "harness/plan.h"

/* Tables with one row a line: JMH's columns, then ratios and verdicts. */
void bench_report_text(FILE *out, const struct bench_plan *plan);

/*
 * Says so when the workers did not have their processor to themselves: then wall time, which all
 * scores are, is partly somebody else's.
 */
void bench_report_disturbance(FILE *out, const struct bench_plan *plan);

/* JMH's result format; false if the file takes no more. */
bool bench_report_json(FILE *out, const struct bench_plan *plan);

/* One self-contained page: a chart and the raw numbers for each table. */
void bench_report_html(FILE *out, const struct bench_plan *plan);

/*
 * Prints row by row old, new, their ratio, and whether the difference is beyond the noise: whether
 * the two 99.9 % intervals are disjoint. Returns 0, or 2 after having said which file is no result.
 */
int bench_report_compare(const char *old_file, const char *new_file);

#endif
