/* SPDX-License-Identifier: MIT */
/*
 * Statistics of samples: means, Student's t, medians with order-statistic intervals.
 * Invariant: no function changes its input; all are defined for every count, NaN where undefined.
 * The t distribution is evaluated through the regularised incomplete beta function by its
 * continued fraction (Abramowitz and Stegun 26.5.8 and 26.7.1) and inverted by bisection: it is
 * called a few times per row, so exactness matters and speed does not.
 * Not done here: which samples belong together; that is outcome.c.
 */
#include "harness/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/memory.h"

#define FRACTION_STEPS 400
#define FRACTION_TINY 1e-300
#define BISECTION_STEPS 200

double bench_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

double bench_deviation(const double *values, size_t count)
{
    if (count < 2)
        return NAN;
    double mean = bench_mean(values, count), squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return sqrt(squares / (double)(count - 1));
}

static double away_from_zero(double x)
{
    return fabs(x) < FRACTION_TINY ? FRACTION_TINY : x;
}

/* Lentz's evaluation of the continued fraction of the incomplete beta function. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m <= FRACTION_STEPS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        h *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        h *= d * c;
        if (fabs(d * c - 1) < 1e-15)
            break;
    }
    return h;
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    /* The fraction converges quickly below the mean; above it the mirror image does. */
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* Probability that a t-distributed variable is below t, for t >= 0. */
static double t_probability(double t, double degrees)
{
    return 1 - incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2;
}

double bench_t_quantile(double probability, size_t degrees)
{
    if (degrees == 0 || !(probability >= 0.5 && probability < 1))
        return NAN;
    double low = 0, high = 1;
    while (t_probability(high, (double)degrees) < probability)
        high *= 2;
    for (int i = 0; i < BISECTION_STEPS && high - low > 1e-13 * high; i++) {
        double middle = (low + high) / 2;
        if (t_probability(middle, (double)degrees) < probability)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double bench_error(const double *values, size_t count, double confidence)
{
    if (count < 2)
        return NAN;
    double quantile = bench_t_quantile(0.5 + confidence / 2, count - 1);
    return quantile * bench_deviation(values, count) / sqrt((double)count);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double *sorted_copy(const double *values, size_t count)
{
    double *copy = bench_need(calloc(count, sizeof *copy));
    memcpy(copy, values, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, by_value);
    return copy;
}

double bench_median(const double *values, size_t count)
{
    if (count == 0)
        return NAN;
    double *sorted = sorted_copy(values, count);
    double median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    free(sorted);
    return median;
}

size_t bench_median_rank(size_t count, double confidence)
{
    /* The interval (k-th smallest, k-th largest) misses the median with probability
     * 2 P(Binomial(count, 1/2) < k). */
    double n = (double)count, below = 0;
    size_t rank = 0;
    for (size_t k = 0; k < count / 2; k++) {
        double i = (double)k;
        below += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) - n * log(2));
        if (2 * below > 1 - confidence)
            break;
        rank = k + 1;
    }
    return rank;
}

struct bench_interval bench_median_interval(const double *values, size_t count, double confidence)
{
    if (count == 0)
        return (struct bench_interval){ NAN, NAN };
    size_t rank = bench_median_rank(count, confidence);
    size_t edge = rank > 0 ? rank - 1 : 0;
    double *sorted = sorted_copy(values, count);
    struct bench_interval interval = { sorted[edge], sorted[count - 1 - edge] };
    free(sorted);
    return interval;
}
