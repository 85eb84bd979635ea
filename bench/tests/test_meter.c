/* SPDX-License-Identifier: MIT */
/*
 * The meter: stages, lanes that overlap, companions that run during iterations only, counters, and
 * rows that time themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "harness/company.h"
#include "harness/cores.h"
#include "harness/meter.h"

#define ITERATION_NS 3000000u

/* The worker's; its main() is not linked, and nobody asks for the subject. */
const struct bench_subject bench_subject = { .name = "none" };

static struct {
    struct bench_company *company;
    atomic_uint running, entered, left; /* Companions inside run(); lanes. */
    atomic_ullong rounds;               /* Of all lanes. */
    unsigned begun, ended, closed, threads;
    atomic_uint starts; /* Of companions. */
    uint64_t level;
} stage;

static void turn(void *argument, const struct bench_company *company)
{
    (void)argument;
    atomic_fetch_add(&stage.running, 1);
    atomic_fetch_add(&stage.starts, 1);
    while (bench_company_goes_on(company))
        ;
    atomic_fetch_sub(&stage.running, 1);
}

static const char *open_stage(const char *params, unsigned threads, void **ret_stage)
{
    const struct bench_companion companions[] = { { turn, NULL }, { turn, NULL } };
    assert_string_equal(params, "k=v");
    stage.threads = threads;
    *ret_stage = &stage;
    return bench_company_open(companions, 2, bench_cores_count(), &stage.company);
}

static void begin(void *argument)
{
    assert_ptr_equal(argument, &stage);
    stage.begun++;
    bench_company_begin(stage.company);
}

static void end(void *argument)
{
    (void)argument;
    stage.ended++;
    bench_company_end(stage.company);
    assert_int_equal(atomic_load(&stage.running), 0);
    assert_int_equal(atomic_load(&stage.starts), 2 * stage.ended);
}

static void count(void *argument, uint64_t *ret_values)
{
    (void)argument;
    ret_values[0] = atomic_load(&stage.rounds);
    ret_values[1] = ++stage.level;
}

static const char *close_stage(void *argument)
{
    (void)argument;
    stage.closed++;
    assert_int_equal(atomic_load(&stage.left), stage.threads);
    bench_company_close(stage.company);
    return NULL;
}

static const char *enter(void *argument, unsigned lane, void **ret_state)
{
    (void)argument;
    assert_true(lane < stage.threads);
    atomic_fetch_add(&stage.entered, 1);
    *ret_state = calloc(1, sizeof(uint64_t));
    return NULL;
}

static void run(void *state, uint64_t rounds)
{
    *(uint64_t *)state += rounds;
    atomic_fetch_add(&stage.rounds, rounds);
    struct timespec moment = { 0, 20000 };
    nanosleep(&moment, NULL);
}

static void run_timed(void *state, uint64_t rounds, struct bench_time *time)
{
    run(state, rounds);
    time->ns += 10 * rounds;
    time->cpu_ns += 7 * rounds;
}

static const char *check(void *state, uint64_t rounds)
{
    return *(uint64_t *)state == rounds ? NULL : "rounds are missing";
}

static void leave(void *state)
{
    free(state);
    atomic_fetch_add(&stage.left, 1);
}

static const struct bench_stage test_stage = {
    .open = open_stage, .begin = begin, .end = end, .count = count, .close = close_stage
};

static const struct bench_row row = {
    .stage = &test_stage,
    .enter = enter,
    .run = run,
    .check = check,
    .teardown = leave,
    .counters = "rounds=#,level=ns",
};

static int reset(void **state)
{
    (void)state;
    stage.begun = stage.ended = stage.closed = 0;
    stage.level = 0;
    atomic_store(&stage.starts, 0);
    atomic_store(&stage.entered, 0);
    atomic_store(&stage.left, 0);
    return 0;
}

static void test_stage_and_lanes(void **state)
{
    (void)state;
    struct bench_meter *meter = NULL;
    struct bench_reading reading;
    assert_null(bench_meter_open(&row, "k=v", 3, &meter));
    assert_int_equal(stage.threads, 3);
    assert_int_equal(atomic_load(&stage.entered), 3);
    assert_int_equal(stage.begun, 1); /* The calibration. */
    assert_int_equal(bench_company_size(), 2);
    for (unsigned i = 0; i < 2; i++)
        bench_meter_iterate(meter, ITERATION_NS, &reading);
    assert_int_equal(stage.begun, 3);
    assert_int_equal(stage.ended, 3);
    assert_true(reading.ops > 0 && reading.ns >= 3 * (uint64_t)ITERATION_NS);
    assert_true(reading.counters[0] > 0);
    assert_true(reading.counters[0] < atomic_load(&stage.rounds)); /* Its own growth. */
    assert_int_equal(reading.counters[1], 4);                      /* The last value. */
    assert_null(bench_meter_close(meter));
    assert_int_equal(stage.closed, 1);
    assert_int_equal(bench_company_size(), 0);
}

static void test_own_time(void **state)
{
    (void)state;
    struct bench_row timed = row;
    struct bench_meter *meter = NULL;
    struct bench_reading reading;
    timed.run = NULL;
    timed.run_timed = run_timed;
    timed.operations = 5;
    assert_null(bench_meter_open(&timed, "k=v", 1, &meter));
    bench_meter_iterate(meter, ITERATION_NS, &reading);
    assert_int_equal(reading.ns, 2 * reading.ops); /* 10 ns a round of 5. */
    assert_int_equal(10 * reading.cpu_ns, 7 * reading.ns);
    assert_null(bench_meter_close(meter));
}

static const char *refuse(const char *params, unsigned threads, void **ret_stage)
{
    (void)params;
    (void)threads;
    *ret_stage = NULL;
    return "no stage";
}

static void test_failing_stage(void **state)
{
    (void)state;
    struct bench_stage failing = test_stage;
    struct bench_row failing_row = row;
    struct bench_meter *meter = NULL;
    failing.open = refuse;
    failing_row.stage = &failing;
    assert_string_equal(bench_meter_open(&failing_row, "k=v", 2, &meter), "no stage");
    assert_int_equal(stage.closed, 0);
    assert_int_equal(atomic_load(&stage.entered), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_stage_and_lanes, reset),
        cmocka_unit_test_setup(test_own_time, reset),
        cmocka_unit_test_setup(test_failing_stage, reset),
    };
    bench_cores_learn();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
