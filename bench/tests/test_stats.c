/* SPDX-License-Identifier: MIT */
/*
 * Statistics against values from outside: printed tables of Student's t (two-sided, 99.9 and 95
 * percent), tables of ranks for distribution-free intervals of a median, and arithmetic by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/stats.h"

static void assert_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%.10g is not within %g of %.10g", actual, tolerance, expected);
}

static void test_t_quantiles(void **state)
{
    (void)state;
    /* Tables give three decimals: one-sided 0.9995 and 0.975. */
    static const struct {
        size_t degrees;
        double high, low;
    } table[] = {
        { 1, 636.619, 12.706 }, { 2, 31.599, 4.303 }, { 4, 8.610, 2.776 },  { 9, 4.781, 2.262 },
        { 14, 4.140, 2.145 },   { 29, 3.659, 2.045 }, { 60, 3.460, 2.000 }, { 120, 3.373, 1.980 },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_near(bench_t_quantile(0.9995, table[i].degrees), table[i].high, 0.0006);
        assert_near(bench_t_quantile(0.975, table[i].degrees), table[i].low, 0.0006);
    }
    assert_near(bench_t_quantile(0.5, 5), 0, 1e-9);
    assert_true(isnan(bench_t_quantile(0.975, 0)));
}

static void test_mean_and_error(void **state)
{
    (void)state;
    /* Squared deviations of 1, 2, 3, 4, 5 sum to 10: deviation sqrt(10 / 4), and the error is
     * 8.610 x 1.5811 / sqrt(5) = 6.088. */
    const double values[] = { 1, 2, 3, 4, 5 };
    assert_near(bench_mean(values, 5), 3, 1e-12);
    assert_near(bench_deviation(values, 5), 1.58113883, 1e-8);
    assert_near(bench_error(values, 5, 0.999), 6.088, 0.001);
    assert_true(isnan(bench_error(values, 1, 0.999)));
    const double same[] = { 7, 7, 7 };
    assert_near(bench_error(same, 3, 0.999), 0, 1e-12);
}

static void test_median(void **state)
{
    (void)state;
    const double odd[] = { 9, 1, 5 }, even[] = { 4, 1, 3, 2 };
    assert_near(bench_median(odd, 3), 5, 0);
    assert_near(bench_median(even, 4), 2.5, 0);
    assert_true(isnan(bench_median(odd, 0)));
    assert_near(odd[0], 9, 0); /* The input stays as it was. */
}

static void test_median_ranks(void **state)
{
    (void)state;
    /* 95 %: k = 1 from 6 values on, 2 of 10, 10 of 30, 40 of 100; 5 values are too few. */
    assert_int_equal(bench_median_rank(5, 0.95), 0);
    assert_int_equal(bench_median_rank(6, 0.95), 1);
    assert_int_equal(bench_median_rank(9, 0.95), 2);
    assert_int_equal(bench_median_rank(10, 0.95), 2);
    assert_int_equal(bench_median_rank(12, 0.95), 3);
    assert_int_equal(bench_median_rank(20, 0.95), 6);
    assert_int_equal(bench_median_rank(30, 0.95), 10);
    assert_int_equal(bench_median_rank(100, 0.95), 40);
}

static void test_median_interval(void **state)
{
    (void)state;
    double values[30];
    for (int i = 0; i < 30; i++)
        values[i] = (i * 7) % 30 + 1; /* 1 ... 30 in some order. */
    struct bench_interval interval = bench_median_interval(values, 30, 0.95);
    assert_near(interval.low, 10, 0);
    assert_near(interval.high, 21, 0);
    const double few[] = { 3, 1, 2 };
    interval = bench_median_interval(few, 3, 0.95);
    assert_near(interval.low, 1, 0);
    assert_near(interval.high, 3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t_quantiles),     cmocka_unit_test(test_mean_and_error),
        cmocka_unit_test(test_median),          cmocka_unit_test(test_median_ranks),
        cmocka_unit_test(test_median_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
