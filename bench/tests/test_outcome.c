/* SPDX-License-Identifier: MIT */
/*
 * Contrasts, spreads and verdicts, with values worked out by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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

/* One fork of two samples. */
static struct bench_sample two_samples[] = {
    { .ops = 100, .ns = 200, .cpu_ns = 100, .rss_kib = 2048, .counters = { 10, 7 } },
    { .ops = 100, .ns = 400, .cpu_ns = 300, .rss_kib = 4096, .counters = { 30, 5 } },
};
static const struct bench_settings one_fork = { .forks = 1, .count = 2 };

static double score(const struct bench_leg *leg, unsigned quantity)
{
    struct bench_metric metric = bench_metric_of(leg, quantity, &one_fork);
    double value = metric.score;
    bench_metric_free(&metric);
    return value;
}

static void test_scores(void **state)
{
    (void)state;
    struct bench_offer offer = { .subject = "limit", .unit = "ns/op", .counters = "" };
    struct bench_leg leg = { .cell.offer = &offer, .samples = two_samples };
    assert_near(score(&leg, BENCH_SCORE), 3);
    assert_near(score(&leg, BENCH_CPU_TIME), 2);
    assert_near(score(&leg, BENCH_PEAK_RSS), 3);
    offer.unit = "ops/us"; /* 2 and 4 ns per operation are 500 and 250 operations in 1 us. */
    assert_near(score(&leg, BENCH_SCORE), 375);
    offer.unit = "us/op";
    assert_near(score(&leg, BENCH_SCORE), 0.003);
    offer.clock = BENCH_CPU; /* Then the score is the processor's time, 1 and 3 ns. */
    assert_near(score(&leg, BENCH_SCORE), 0.002);
    assert_near(score(&leg, BENCH_WALL_TIME), 0.003);
}

static void test_counters(void **state)
{
    (void)state;
    struct bench_offer offer = { .unit = "ns/op", .counters = "closes=#,longest.drain=ns" };
    struct bench_leg leg = { .cell.offer = &offer, .samples = two_samples };
    struct bench_span name, unit;
    assert_int_equal(bench_counter_count(&offer), 2);
    bench_counter_name(&offer, 1, &name, &unit);
    assert_true(bench_span_is(name, "longest.drain") && bench_span_is(unit, "ns"));
    assert_near(score(&leg, BENCH_COUNTER), 20);    /* Growth: the mean of 10 and 30. */
    assert_near(score(&leg, BENCH_COUNTER + 1), 7); /* A level: the largest. */
    offer.counters = "";
    assert_int_equal(bench_counter_count(&offer), 0);
}

static void test_contrast_by_clock(void **state)
{
    (void)state;
    struct bench_sample other[] = { { .ops = 100, .ns = 100, .cpu_ns = 100 },
                                    { .ops = 100, .ns = 200, .cpu_ns = 100 } };
    struct bench_leg left = { .samples = two_samples }, right = { .samples = other };
    /* Wall: 2 / 1 and 4 / 2. Processor: 1 / 1 and 3 / 1. */
    assert_near(bench_contrast_legs(BENCH_RATIO, BENCH_WALL, &left, &right, &one_fork).median, 2);
    assert_near(bench_contrast_legs(BENCH_RATIO, BENCH_CPU, &left, &right, &one_fork).median, 2);
    assert_near(bench_contrast_legs(BENCH_DIFFERENCE, BENCH_CPU, &left, &right, &one_fork).median,
                1);
    assert_near(bench_contrast_legs(BENCH_DIFFERENCE, BENCH_WALL, &left, &right, &one_fork).median,
                1.5);
}

static void test_losses(void **state)
{
    (void)state;
    struct bench_offer offer = { .unit = "ns/op", .counters = "closes=#", .clock = BENCH_CPU };
    struct bench_sample base[] = { { .ops = 50, .ns = 999, .cpu_ns = 25 },
                                   { .ops = 50, .ns = 999, .cpu_ns = 75 } };
    struct bench_leg leg = { .cell.offer = &offer, .samples = two_samples };
    struct bench_leg quiet = { .cell.offer = &offer, .samples = base };
    /* (1 - 0.5) x 100 operations / 10 closes; (3 - 1.5) x 100 / 30. */
    double *losses = bench_losses_of(BENCH_CPU, &leg, &quiet, &one_fork);
    assert_near(losses[0], 5);
    assert_near(losses[1], 5);
    free(losses);
    struct bench_metric loss = bench_loss_of(&leg, &quiet, &one_fork);
    assert_near(loss.score, 5);
    bench_metric_free(&loss);
    /* Nothing happened in one iteration: there is nothing to divide by. */
    loss = bench_loss_of(&quiet, &leg, &one_fork);
    assert_true(isnan(loss.score));
    bench_metric_free(&loss);
}

static void test_missing_values(void **state)
{
    (void)state;
    const double some[] = { 1, NAN, 3 }, all[] = { 1, 2, 3 };
    assert_true(isnan(bench_contrast_of(BENCH_RATIO, some, all, 1, 3).median));
    assert_true(isnan(bench_spread_of(BENCH_RATIO, all, some, 1, 3)));
}

static void test_room(void **state)
{
    (void)state;
    struct bench_plan plan = { .cores = 2 };
    struct bench_leg leg = { .cell.threads = 1, .company = 1 };
    assert_true(bench_leg_has_room(&plan, &leg));
    leg.company = 2;
    assert_false(bench_leg_has_room(&plan, &leg));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratio),         cmocka_unit_test(test_difference),
        cmocka_unit_test(test_drift_cancels), cmocka_unit_test(test_spread),
        cmocka_unit_test(test_verdicts),      cmocka_unit_test(test_scores),
        cmocka_unit_test(test_counters),      cmocka_unit_test(test_contrast_by_clock),
        cmocka_unit_test(test_losses),        cmocka_unit_test(test_missing_values),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
