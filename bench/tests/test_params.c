/* SPDX-License-Identifier: MIT */
/*
 * Spaces and combinations of parameters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/params.h"

static void test_combinations(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "size=5;compiler=gcc",    "size=5;compiler=clang", "size=20;compiler=gcc",
        "size=20;compiler=clang", "size=100;compiler=gcc", "size=100;compiler=clang",
    };
    const char *space = "size=5,20,100;compiler=gcc,clang";
    char params[BENCH_PARAMS_SIZE];
    assert_int_equal(bench_params_count(space), 6);
    for (size_t i = 0; i < 6; i++) {
        assert_true(bench_params_combination(space, i, params));
        assert_string_equal(params, expected[i]);
        assert_true(bench_params_contains(space, params));
    }
    assert_false(bench_params_contains(space, "size=6;compiler=gcc"));
    assert_false(bench_params_contains(space, "size=5"));
}

static void test_empty_space(void **state)
{
    (void)state;
    char params[BENCH_PARAMS_SIZE] = "x";
    assert_int_equal(bench_params_count(""), 1);
    assert_true(bench_params_combination("", 0, params));
    assert_string_equal(params, "");
    assert_true(bench_params_contains("", ""));
}

static void test_find(void **state)
{
    (void)state;
    assert_true(bench_span_is(bench_params_find("size=5;compiler=gcc", "compiler"), "gcc"));
    assert_null(bench_params_find("size=5", "siz").text);
    assert_null(bench_params_find("oversize=5", "size").text);
    assert_null(bench_params_find(NULL, "size").text);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_int_equal(bench_params_number("size=8000", "size", 10000), 8000);
    assert_int_equal(bench_params_number("size=8000", "size", 7999), 0);
    assert_int_equal(bench_params_number("size=-1", "size", 10000), 0);
    assert_int_equal(bench_params_number("size=18446744073709551617", "size", SIZE_MAX / 20), 0);
    assert_int_equal(bench_params_number("size=", "size", 10000), 0);
}

static void test_too_long(void **state)
{
    (void)state;
    char space[2 * BENCH_PARAMS_SIZE], params[BENCH_PARAMS_SIZE];
    memset(space, 'k', sizeof space - 1);
    space[sizeof space - 1] = '\0';
    space[1] = '=';
    assert_false(bench_params_combination(space, 0, params));
    assert_false(bench_params_combination("keyonly", 0, params));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_combinations), cmocka_unit_test(test_empty_space),
        cmocka_unit_test(test_find),         cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
