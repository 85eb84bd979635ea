/* SPDX-License-Identifier: MIT */
/*
 * Contrasts, spreads and verdicts, with values worked out by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/outcome.h"

static void assert_near(double actual, double expected)
{
    if (!(fabs(actual - expected) <= 1e-9))
        fail_msg("%.10g is not %.10g", actual, expected);
}

/* Three forks of three iterations. */
static const double a[] = { 2, 4, 6, 10, 20, 30, 3, 3, 3 };
static const double b[] = { 1, 2, 2, 10, 10, 10, 1, 1, 1 };

static void test_ratio(void **state)
{
    (void)state;
    /* Ratios 2 2 3, 1 2 3, 3 3 3; medians of the forks 2, 2, 3; their median 2. Nine pairs: the
     * interval is the second smallest and the second largest. */
    struct bench_contrast ratio = bench_contrast_of(BENCH_RATIO, a, b, 3, 3);
    assert_near(ratio.median, 2);
    assert_near(ratio.interval.low, 2);
    assert_near(ratio.interval.high, 3);
    assert_int_equal(ratio.pairs, 9);
}

static void test_difference(void **state)
{
    (void)state;
    /* Differences 1 2 4, 0 10 20, 2 2 2; medians 2, 10, 2. */
    struct bench_contrast difference = bench_contrast_of(BENCH_DIFFERENCE, a, b, 3, 3);
    assert_near(difference.median, 2);
    assert_near(difference.interval.low, 1);
    assert_near(difference.interval.high, 10);
}

static void test_drift_cancels(void **state)
{
    (void)state;
    /* The machine becomes ten times slower; adjacent iterations do not notice. */
    const double row[] = { 2, 4, 8, 20 }, other[] = { 1, 2, 4, 10 };
    assert_near(bench_contrast_of(BENCH_RATIO, row, other, 1, 4).median, 2);
}

static void test_spread(void **state)
{
    (void)state;
    const double x[] = { 1.00, 1.02, 0.99, 1.01 }, y[] = { 1, 1, 1, 1 };
    /* Four pairs are too few for an interval: the range, 0.99 ... 1.02. */
    assert_near(bench_spread_of(BENCH_RATIO, x, y, 1, 4), 0.02);
    assert_near(bench_spread_of(BENCH_DIFFERENCE, x, y, 2, 2), 0.02);
    assert_near(bench_spread_of(BENCH_RATIO, y, y, 2, 2), 0);
}

static void test_verdicts(void **state)
{
    (void)state;
    struct bench_contrast ratio = { .median = 0.9, .interval = { 0.88, 0.92 }, .pairs = 30 };
    assert_int_equal(bench_verdict_of(&ratio, 0.05), BENCH_AHEAD);
    assert_int_equal(bench_verdict_of(&ratio, 0.11), BENCH_EQUAL);
    assert_int_equal(bench_verdict_of(&ratio, NAN), BENCH_UNKNOWN);
    ratio.interval.high = 1.01;
    assert_int_equal(bench_verdict_of(&ratio, 0.05), BENCH_EQUAL);
    ratio = (struct bench_contrast){ .median = 1.2, .interval = { 1.1, 1.3 }, .pairs = 30 };
    assert_int_equal(bench_verdict_of(&ratio, 0.05), BENCH_BEHIND);
}

static void test_scores(void **state)
{
    (void)state;
    struct bench_sample samples[] = { { 100, 200, 100, 2048 }, { 100, 400, 100, 4096 } };
    struct bench_offer offer = { .subject = "limit", .unit = "ns/op" };
    struct bench_leg leg = { .offer = &offer, .samples = samples };
    struct bench_settings settings = { .forks = 1, .count = 2 };
    struct bench_metric metric = bench_metric_of(&leg, BENCH_SCORE, &settings);
    assert_near(metric.score, 3);
    bench_metric_free(&metric);
    metric = bench_metric_of(&leg, BENCH_PEAK_RSS, &settings);
    assert_near(metric.score, 3);
    bench_metric_free(&metric);
    offer.unit = "ops/us"; /* 2 and 4 ns per operation are 500 and 250 operations in 1 us. */
    metric = bench_metric_of(&leg, BENCH_SCORE, &settings);
    assert_near(metric.score, 375);
    bench_metric_free(&metric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratio),         cmocka_unit_test(test_difference),
        cmocka_unit_test(test_drift_cancels), cmocka_unit_test(test_spread),
        cmocka_unit_test(test_verdicts),      cmocka_unit_test(test_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
