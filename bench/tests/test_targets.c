/* SPDX-License-Identifier: MIT */
/*
 * Targets: reading the file, and the decision for stated evidence.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/targets.h"

static struct bench_evidence evidence(double low, double median, double high, double spread)
{
    return (struct bench_evidence){
        .contrast = { .median = median, .interval = { low, high }, .pairs = BENCH_TARGET_PAIRS },
        .spread = spread,
    };
}

static enum bench_decision decide(enum bench_target_kind kind, double bound,
                                  struct bench_evidence measured)
{
    struct bench_target target = { .kind = kind, .bound = bound, .reference_floor = 0.3 };
    return bench_target_decide(&target, &measured);
}

static void test_difference(void **state)
{
    (void)state;
    enum bench_target_kind kind = BENCH_DIFFERENCE_AT_MOST;
    assert_int_equal(decide(kind, 2, evidence(0.8, 0.9, 1.0, 0.1)), BENCH_HOLDS);
    assert_int_equal(decide(kind, 2, evidence(1.9, 2.1, 2.3, 0.1)), BENCH_HOLDS);
    assert_int_equal(decide(kind, 2, evidence(2.05, 2.1, 2.3, 0.1)), BENCH_FAILS);
    /* 2 ns on a machine that cannot tell 3: undecided near the bound, decided far from it. */
    assert_int_equal(decide(kind, 2, evidence(0.8, 0.9, 1.0, 3)), BENCH_UNDECIDED);
    assert_int_equal(decide(kind, 2, evidence(8, 9, 10, 3)), BENCH_FAILS);
    assert_int_equal(decide(kind, 2, evidence(-9, -8, -7, 3)), BENCH_HOLDS);
}

static void test_time_is_a_difference(void **state)
{
    (void)state;
    /* 2.5 ns where the floor takes 0.3: 2.2 over the floor. */
    assert_int_equal(decide(BENCH_TIME_AT_MOST, 2.5, evidence(2.1, 2.15, 2.3, 0.1)), BENCH_HOLDS);
    assert_int_equal(decide(BENCH_TIME_AT_MOST, 2.5, evidence(2.25, 2.3, 2.4, 0.1)), BENCH_FAILS);
}

static void test_ratios(void **state)
{
    (void)state;
    assert_int_equal(decide(BENCH_RATIO_AT_MOST, 1.1, evidence(1.05, 1.12, 1.2, 0.02)),
                     BENCH_HOLDS);
    assert_int_equal(decide(BENCH_RATIO_AT_MOST, 1.1, evidence(1.11, 1.12, 1.2, 0.02)),
                     BENCH_FAILS);
    assert_int_equal(decide(BENCH_RATIO_AT_MOST, 1.1, evidence(1.0, 1.05, 1.1, 0.2)),
                     BENCH_UNDECIDED);
    /* "Not slower" allows nothing: only a clear lead holds, only a clear lag fails. */
    assert_int_equal(decide(BENCH_RATIO_AT_MOST, 1, evidence(0.99, 1, 1.01, 0.02)),
                     BENCH_UNDECIDED);
    assert_int_equal(decide(BENCH_RATIO_AT_MOST, 1, evidence(0.9, 0.91, 0.92, 0.02)), BENCH_HOLDS);
    assert_int_equal(decide(BENCH_RATIO_AT_MOST, 1, evidence(1.1, 1.11, 1.12, 0.02)), BENCH_FAILS);
}

static void test_speedup(void **state)
{
    (void)state;
    /* 4 times as fast is a ratio of 0.25. */
    assert_int_equal(decide(BENCH_SPEEDUP_AT_LEAST, 4, evidence(0.2, 0.22, 0.3, 0.02)),
                     BENCH_HOLDS);
    assert_int_equal(decide(BENCH_SPEEDUP_AT_LEAST, 4, evidence(0.26, 0.27, 0.3, 0.02)),
                     BENCH_FAILS);
}

static void test_losses(void **state)
{
    (void)state;
    /* A ratio of losses is decided as any ratio; one that is missing is not decided. */
    enum bench_target_kind kind = BENCH_LOSS_AT_MOST;
    assert_int_equal(bench_target_contrast(kind), BENCH_RATIO);
    assert_int_equal(decide(kind, 1.1, evidence(1.0, 1.05, 1.2, 0.04)), BENCH_HOLDS);
    assert_int_equal(decide(kind, 1.1, evidence(1.2, 1.3, 1.4, 0.04)), BENCH_FAILS);
    assert_int_equal(decide(kind, 1.1, evidence(1.0, 1.05, 1.2, 0.3)), BENCH_UNDECIDED);
    assert_int_equal(decide(kind, 1.1, evidence(NAN, NAN, NAN, 0.04)), BENCH_UNDECIDED);
}

static void test_missing_evidence(void **state)
{
    (void)state;
    struct bench_evidence few = evidence(0.1, 0.1, 0.1, 0.01);
    few.contrast.pairs = BENCH_TARGET_PAIRS - 1;
    assert_int_equal(decide(BENCH_RATIO_AT_MOST, 1.1, few), BENCH_UNDECIDED);
    assert_int_equal(decide(BENCH_RATIO_AT_MOST, 1.1, evidence(0.1, 0.1, 0.1, NAN)),
                     BENCH_UNDECIDED);
}

static void test_overall(void **state)
{
    (void)state;
    const enum bench_decision two[] = { BENCH_HOLDS, BENCH_FAILS, BENCH_HOLDS };
    const enum bench_decision split[] = { BENCH_HOLDS, BENCH_FAILS, BENCH_UNDECIDED };
    const enum bench_decision failed[] = { BENCH_FAILS, BENCH_FAILS };
    assert_int_equal(bench_target_overall(two, 3), BENCH_HOLDS);
    assert_int_equal(bench_target_overall(two, 2), BENCH_UNDECIDED);
    assert_int_equal(bench_target_overall(split, 3), BENCH_UNDECIDED);
    assert_int_equal(bench_target_overall(failed, 2), BENCH_FAILS);
    assert_int_equal(bench_target_overall(NULL, 0), BENCH_UNDECIDED);
}

/* Loads a text through a file of its own; returns what bench_targets_load() says. */
static char *load(const char *text, struct bench_targets *ret_targets)
{
    char file[] = "/tmp/isthmus-targets-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    char *wrong = bench_targets_load(file, ret_targets);
    unlink(file);
    return wrong;
}

static void test_load(void **state)
{
    (void)state;
    struct bench_targets targets;
    char *wrong =
        load("[{\"row\": \"isthmus.A.b\", \"params\": \"size=1,2\", \"against\": [\"x\", \"y\"],"
             " \"kind\": \"speedup-at-least\", \"bound\": 2, \"source\": \"why\"}]",
             &targets);
    assert_null(wrong);
    assert_int_equal(targets.count, 4);
    assert_string_equal(targets.targets[1].params, "size=2");
    assert_string_equal(targets.targets[1].against, "x");
    assert_string_equal(targets.targets[3].against, "y");
    assert_int_equal(targets.targets[3].kind, BENCH_SPEEDUP_AT_LEAST);
}

static void test_load_changes_and_losses(void **state)
{
    (void)state;
    struct bench_targets targets;
    char *wrong = load(
        "[{\"row\": \"isthmus.A.b\", \"params\": \"threads=2,4\", \"against\": [\"threads=1\"],"
        " \"kind\": \"ratio-at-most\", \"clock\": \"cpu\", \"bound\": 1.1, \"source\": \"why\"},"
        " {\"row\": \"isthmus.A.c\", \"against\": [\"limit\"], \"kind\": \"loss-at-most\","
        " \"base\": \"rate=none\", \"against_base\": \"rate=no\", \"bound\": 1.1, \"source\": "
        "\"s\"}]",
        &targets);
    assert_null(wrong);
    assert_int_equal(targets.count, 3);
    assert_string_equal(targets.targets[1].params, "threads=4");
    assert_string_equal(targets.targets[1].against, "threads=1");
    assert_int_equal(targets.targets[1].clock, BENCH_BY_CPU);
    assert_null(targets.targets[1].base);
    assert_int_equal(targets.targets[2].clock, BENCH_ROWS_CLOCK);
    assert_string_equal(targets.targets[2].base, "rate=none");
    assert_string_equal(targets.targets[2].against_base, "rate=no");
}

static void test_load_refuses(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "{}",
        "[{}]",
        "[1]",
        "[{\"row\": \"r\", \"against\": [\"x\"], \"kind\": \"best\", \"bound\": 2, \"source\": "
        "\"s\"}]",
        "[{\"row\": \"r\", \"against\": [1], \"kind\": \"time-at-most\", \"bound\": 2, \"source\": "
        "\"s\"}]",
        "[{\"row\": \"r\", \"against\": [\"x\"], \"kind\": \"time-at-most\", \"bound\": 2, "
        "\"source\": \"s\","
        " \"misspelt\": 1}]",
        "[{\"row\": \"r\", \"against\": [\"x\"], \"kind\": \"loss-at-most\", \"bound\": 2, "
        "\"source\": "
        "\"s\"}]",
        "[{\"row\": \"r\", \"against\": [\"x\"], \"kind\": \"ratio-at-most\", \"clock\": \"sun\","
        " \"bound\": 2, \"source\": \"s\"}]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct bench_targets targets;
        char *wrong = load(bad[i], &targets);
        if (wrong == NULL)
            fail_msg("accepted: %s", bad[i]);
        free(wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_difference),
        cmocka_unit_test(test_time_is_a_difference),
        cmocka_unit_test(test_ratios),
        cmocka_unit_test(test_speedup),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_missing_evidence),
        cmocka_unit_test(test_overall),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_load_changes_and_losses),
        cmocka_unit_test(test_load_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
