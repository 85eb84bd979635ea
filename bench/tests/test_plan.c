/* SPDX-License-Identifier: MIT */
/*
 * Cells, and plans made of them: which legs stand together, and with which baseline.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/plan.h"

/* Rows as the catalog keeps them: with threads at the end of each space. */
#define TEXTS(method_text, space_text, quick_text, answers_text, baseline_text)                    \
    .class_name = (char[]){ "A" }, .method = (char[]){ method_text }, .unit = (char[]){ "ns/op" }, \
    .space = (char[]){ space_text }, .quick_space = (char[]){ quick_text },                        \
    .answers = (char[]){ answers_text }, .baseline = (char[]){ baseline_text },                    \
    .counters = (char[])                                                                           \
    {                                                                                              \
        ""                                                                                         \
    }

static struct bench_offer own[] = {
    { .subject = "isthmus",
      TEXTS("fast", "rate=none,1,flat;threads=1,2", "rate=flat;threads=1", "fast",
            "method=slow;rate=none") },
    { .subject = "isthmus",
      TEXTS("slow", "rate=none,1,flat;threads=1,2", "", "slow", "threads=1") },
    { .subject = "isthmus",
      TEXTS("fixed", "mode=X;threads=1", "", "fixed", ""),
      .one_thread = true },
};
static struct bench_offer floors[] = {
    { .subject = "limit", TEXTS("raw", "rate=none,1,flat;threads=1,2", "", "fast,slow", "") },
};
static struct bench_offer peers[] = {
    { .subject = "glibc", TEXTS("other", "rate=flat;threads=1,2", "", "fast", "") },
};

static struct bench_catalog catalog = {
    .subjects = {
        { .name = "isthmus", .offers = own, .offer_count = 3 },
        { .name = "limit", .offers = floors, .offer_count = 1 },
        { .name = "glibc", .offers = peers, .offer_count = 1 },
        { .name = "mimalloc" }, { .name = "jemalloc" }, { .name = "apr" }, { .name = "talloc" },
        { .name = "liburcu" }, { .name = "gc" },
    },
};

static struct bench_cell cell_of(const struct bench_offer *offer, const char *values)
{
    struct bench_cell cell;
    assert_true(bench_cell_find(offer, values, &cell));
    return cell;
}

static void test_cells(void **state)
{
    (void)state;
    struct bench_cell cell = cell_of(&own[0], "rate=1;threads=2");
    assert_string_equal(cell.params, "rate=1");
    assert_int_equal(cell.threads, 2);
    cell = cell_of(&own[0], ""); /* The first value of each key. */
    assert_string_equal(cell.params, "rate=none");
    assert_int_equal(cell.threads, 1);
    assert_false(bench_cell_find(&own[0], "rate=2", &cell));
    assert_false(bench_cell_find(&own[0], "size=1", &cell));
    assert_true(bench_cell_of(&own[0], "threads=7", &cell)); /* Any number that is asked for. */
    assert_string_equal(cell.params, "");
    assert_int_equal(cell.threads, 7);
    assert_false(bench_cell_of(&own[0], "rate=1", &cell));
    assert_false(bench_cell_of(&own[0], "rate=1;threads=many", &cell));
}

static void test_changes(void **state)
{
    (void)state;
    struct bench_cell cell = cell_of(&own[0], "rate=flat;threads=2"), changed;
    assert_true(bench_cell_change(&catalog, &cell, "threads=1", &changed));
    assert_ptr_equal(changed.offer, &own[0]);
    assert_string_equal(changed.params, "rate=flat");
    assert_int_equal(changed.threads, 1);
    assert_true(bench_cell_change(&catalog, &cell, "method=slow;rate=none", &changed));
    assert_ptr_equal(changed.offer, &own[1]);
    assert_string_equal(changed.params, "rate=none");
    assert_int_equal(changed.threads, 2);
    assert_false(bench_cell_change(&catalog, &cell, "method=none", &changed));
    assert_false(bench_cell_change(&catalog, &cell, "rate=flat", &changed)); /* Itself. */
    /* Keys that the other row does not have go; those that only it has take its first value. */
    assert_true(bench_cell_change(&catalog, &cell, "method=fixed", &changed));
    assert_string_equal(changed.params, "mode=X");
}

static void test_answers(void **state)
{
    (void)state;
    struct bench_cell cell = cell_of(&own[0], "rate=flat"), answer;
    assert_true(bench_cell_answer(&catalog, &cell, "limit", &answer));
    assert_ptr_equal(answer.offer, &floors[0]);
    assert_true(bench_cell_answer(&catalog, &cell, "glibc", &answer));
    cell = cell_of(&own[0], "rate=1");
    assert_false(bench_cell_answer(&catalog, &cell, "glibc", &answer)); /* Not at that rate. */
}

static struct bench_plan choose(bool quick, const char *regex, const char *params)
{
    struct bench_plan plan = { .catalog = &catalog,
                               .settings = { .quick = quick, .forks = 1, .count = 1 } };
    struct bench_choice choice = { .regex = regex, .params = params };
    assert_int_equal(bench_plan_choose(&plan, &choice), 0);
    return plan;
}

static const struct bench_leg *
leg_of(const struct bench_group *group, const char *method, bool twin)
{
    for (size_t i = 0; i < group->leg_count; i++) {
        if (group->legs[i].twin == twin && strcmp(group->legs[i].cell.offer->method, method) == 0)
            return &group->legs[i];
    }
    return NULL;
}

static void test_group_with_baseline(void **state)
{
    (void)state;
    struct bench_plan plan = choose(true, "fast", NULL);
    assert_int_equal(plan.group_count, 1);
    const struct bench_group *group = &plan.groups[0];
    assert_string_equal(group->params, "rate=flat");
    assert_int_equal(group->leg_count, 5); /* fast, slow as its baseline, raw with twin, other. */
    const struct bench_leg *fast = leg_of(group, "fast", false);
    const struct bench_leg *slow = leg_of(group, "slow", false);
    assert_true(slow->baseline && !fast->baseline);
    assert_string_equal(slow->cell.params, "rate=none");
    assert_ptr_equal(bench_group_baseline(&plan, group, fast), slow);
    /* What stands opposite has the same combination. */
    assert_ptr_equal(bench_group_compared(group, fast, "limit"), leg_of(group, "raw", false));
    assert_null(bench_group_compared(group, slow, "limit"));
    assert_ptr_equal(bench_group_opposite(group, fast, "limit", true), leg_of(group, "raw", true));
    bench_plan_free(&plan);
}

static void test_threads(void **state)
{
    (void)state;
    struct bench_plan plan = choose(false, "slow", "rate=none");
    assert_int_equal(plan.group_count, 2);
    assert_int_equal(plan.groups[0].threads, 1);
    assert_null(
        bench_group_baseline(&plan, &plan.groups[0], leg_of(&plan.groups[0], "slow", false)));
    const struct bench_group *group = &plan.groups[1];
    assert_int_equal(group->threads, 2);
    const struct bench_leg *leg = leg_of(group, "slow", false);
    if (leg->baseline) /* Both are rows of that name; the order among them does not matter. */
        leg++;
    const struct bench_leg *baseline = bench_group_baseline(&plan, group, leg);
    assert_non_null(baseline);
    assert_int_equal(baseline->cell.threads, 1);
    bench_plan_free(&plan);
    plan = choose(false, "slow", "rate=none;threads=3");
    assert_int_equal(plan.group_count, 1);
    assert_int_equal(plan.groups[0].threads, 3);
    bench_plan_free(&plan);
}

static void test_fixed_rows(void **state)
{
    (void)state;
    struct bench_plan plan = choose(false, "fixed|slow", "mode=Y;threads=2;rate=none");
    assert_int_equal(plan.group_count, 1); /* No row of mode Y, and slow. */
    assert_null(leg_of(&plan.groups[0], "fixed", false));
    bench_plan_free(&plan);
    plan = choose(false, "fixed", "mode=Y,X;threads=2");
    assert_int_equal(plan.group_count, 1);
    assert_string_equal(plan.groups[0].params, "mode=X");
    assert_int_equal(plan.groups[0].threads, 1);
    bench_plan_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),   cmocka_unit_test(test_changes),
        cmocka_unit_test(test_answers), cmocka_unit_test(test_group_with_baseline),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_fixed_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
