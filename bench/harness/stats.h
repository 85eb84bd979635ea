/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_STATS_H
#define BENCH_HARNESS_STATS_H
/*
 * The statistics behind every number that `isthmus bench` prints. Pure functions.
 *
 * Score and error follow JMH: the mean, and the half-width of its 99.9 % confidence interval by
 * Student's t distribution. Ratios and differences are summed up by their median, whose interval
 * is distribution-free: two order statistics, chosen by the binomial distribution.
 */
#include <stddef.h>

struct bench_interval {
    double low, high;
};

double bench_mean(const double *values, size_t count);

/* Sample standard deviation (divisor count - 1); NaN for fewer than two values. */
double bench_deviation(const double *values, size_t count);

/* x such that a t-distributed variable is below x with the given probability (0.5 ... 1). */
double bench_t_quantile(double probability, size_t degrees);

/* Half-width of the two-sided confidence interval of the mean; NaN for fewer than two values. */
double bench_error(const double *values, size_t count, double confidence);

/* Median; the mean of the two middle values for an even count; NaN for none. */
double bench_median(const double *values, size_t count);

/*
 * Interval that holds the median with at least the given confidence: the k-th smallest and the
 * k-th largest value, k as large as the binomial distribution allows. With too few values for
 * any k (fewer than 6 at 95 %) it is the whole range, which then covers less than asked.
 */
struct bench_interval bench_median_interval(const double *values, size_t count, double confidence);

/* The rank k used above, from 1; 0 when the count is too small for the confidence. */
size_t bench_median_rank(size_t count, double confidence);

#endif
