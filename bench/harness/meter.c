/* SPDX-License-Identifier: MIT */
/*
 * Measuring: lanes (threads) that run batches of one row between two readings of the clock.
 * Invariant: lanes touch the meter's request (duration, quit) only between the barriers `start`
 * and `end`, and the opener writes it only outside.
 * A batch lasts about 50 us, so that a clock reading (some 25 ns) is below 0.1 % of it. The first
 * 5 ms of an iteration are run and discarded: a subject that slept in read() meets cold caches
 * and a sleepy core, and which subject ran before it must not matter.
 * No lane measures before all have begun, and none stops before all have measured: each meets the
 * others at work throughout.
 * Not done here: means, errors, ratios; the worker hands out raw sums.
 */
#include "harness/meter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "harness/clock.h"
#include "harness/cores.h"
#include "harness/params.h"

#define BATCH_NS 50000u
#define DISCARD_NS 5000000u
#define CALIBRATION_NS 2000000u

struct lane {
    struct bench_meter *meter;
    pthread_t thread;
    unsigned index;
    void *state;
    uint64_t rounds;
    struct bench_reading reading;
    const char *error;
};

struct bench_meter {
    const struct bench_row *row;
    const char *params;
    void *stage;
    const char *stage_error;
    size_t counter_count;
    uint64_t batch;
    uint64_t duration_ns; /* The request: how long to measure ... */
    bool quit;            /* ... or to stop. */
    pthread_barrier_t start, end;
    atomic_uint arrived, measured; /* Lanes of this iteration. Relaxed: they hand nothing over. */
    unsigned lane_count;
    struct lane lanes[];
};

/* Runs a batch and adds what it took; with a plain run() that is the caller's to find out. */
static void run_batch(struct lane *lane, uint64_t rounds, struct bench_time *time)
{
    const struct bench_row *row = lane->meter->row;
    if (row->run_timed != NULL)
        row->run_timed(lane->state, rounds, time);
    else
        row->run(lane->state, rounds);
    lane->rounds += rounds;
}

/* Doubles the batch until it lasts 2 ms, then cuts it down to its length. */
static void calibrate(struct lane *lane)
{
    uint64_t rounds = 1, elapsed;
    struct bench_time ignored = { 0, 0 };
    for (;; rounds *= 2) {
        uint64_t begin = bench_now_ns();
        run_batch(lane, rounds, &ignored);
        elapsed = bench_now_ns() - begin;
        if (elapsed >= CALIBRATION_NS)
            break;
    }
    double batch = (double)rounds * BATCH_NS / (double)elapsed;
    lane->meter->batch = batch < 1 ? 1 : (uint64_t)batch;
}

static bool all_lanes(const struct bench_meter *meter, const atomic_uint *passed)
{
    return atomic_load_explicit(passed, memory_order_relaxed) >= meter->lane_count;
}

static void run_unmeasured(struct lane *lane)
{
    struct bench_meter *meter = lane->meter;
    struct bench_time ignored = { 0, 0 };
    uint64_t begin = bench_now_ns();
    atomic_fetch_add_explicit(&meter->arrived, 1, memory_order_relaxed);
    while (bench_now_ns() - begin < DISCARD_NS || !all_lanes(meter, &meter->arrived))
        run_batch(lane, meter->batch, &ignored);
}

static void keep_company(struct lane *lane)
{
    struct bench_meter *meter = lane->meter;
    struct bench_time ignored = { 0, 0 };
    atomic_fetch_add_explicit(&meter->measured, 1, memory_order_relaxed);
    while (!all_lanes(meter, &meter->measured))
        run_batch(lane, meter->batch, &ignored);
}

static void read_counters(const struct lane *lane, uint64_t *ret_values)
{
    if (lane->index == 0 && lane->meter->counter_count > 0)
        lane->meter->row->stage->count(lane->meter->stage, ret_values);
}

/* From two readings to what is reported: the growth of a count, the last value of all else. */
static void settle_counters(const struct bench_meter *meter, const uint64_t *before,
                            struct bench_reading *reading)
{
    const char *rest = meter->row->counters;
    struct bench_span piece;
    for (size_t i = 0; i < meter->counter_count && bench_params_cut(&rest, ',', &piece); i++) {
        if (piece.text[piece.length - 1] == '#')
            reading->counters[i] -= before[i];
    }
}

static void measure(struct lane *lane)
{
    uint64_t batch = lane->meter->batch, batches = 0, now;
    uint64_t before[BENCH_MAX_COUNTERS] = { 0 };
    struct bench_time time = { 0, 0 };
    run_unmeasured(lane);
    lane->reading = (struct bench_reading){ 0 };
    read_counters(lane, before);
    uint64_t cpu_begin = bench_thread_cpu_ns(), begin = bench_now_ns();
    do {
        run_batch(lane, batch, &time);
        batches++;
        now = bench_now_ns();
    } while (now - begin < lane->meter->duration_ns);
    if (lane->meter->row->run_timed == NULL)
        time = (struct bench_time){ now - begin, bench_thread_cpu_ns() - cpu_begin };
    read_counters(lane, lane->reading.counters);
    settle_counters(lane->meter, before, &lane->reading);
    uint64_t operations = lane->meter->row->operations;
    lane->reading.ops = batches * batch * (operations == 0 ? 1 : operations);
    lane->reading.ns = time.ns;
    lane->reading.cpu_ns = time.cpu_ns;
    keep_company(lane);
}

/* With as many processors as lanes, each lane keeps to one of its own, the last one first. */
static void pin_lane(const struct lane *lane)
{
    unsigned cores = bench_cores_count();
    if (lane->meter->lane_count <= cores)
        bench_cores_pin(cores - 1 - lane->index);
}

static void lane_begin(struct lane *lane)
{
    const struct bench_meter *meter = lane->meter;
    pin_lane(lane);
    lane->error = meter->stage_error;
    if (lane->error != NULL)
        return;
    lane->error = meter->row->stage != NULL
                      ? meter->row->enter(meter->stage, lane->index, &lane->state)
                      : meter->row->setup(meter->params, &lane->state);
}

static void lane_end(struct lane *lane)
{
    const struct bench_row *row = lane->meter->row;
    if (lane->error != NULL)
        return;
    lane->error = row->check(lane->state, lane->rounds);
    row->teardown(lane->state);
}

static void *lane_main(void *argument)
{
    struct lane *lane = argument;
    lane_begin(lane);
    pthread_barrier_wait(&lane->meter->end);
    for (;;) {
        pthread_barrier_wait(&lane->meter->start);
        if (lane->meter->quit)
            break;
        measure(lane);
        pthread_barrier_wait(&lane->meter->end);
    }
    lane_end(lane);
    return NULL;
}

static const char *start_lanes(struct bench_meter *meter)
{
    pthread_barrier_init(&meter->start, NULL, meter->lane_count);
    pthread_barrier_init(&meter->end, NULL, meter->lane_count);
    for (unsigned i = 0; i < meter->lane_count; i++) {
        struct lane *lane = &meter->lanes[i];
        lane->meter = meter;
        lane->index = i;
    }
    /* The first lane's core is its own before the stage allocates anything. */
    pin_lane(&meter->lanes[0]);
    if (meter->row->stage != NULL)
        meter->stage_error =
            meter->row->stage->open(meter->params, meter->lane_count, &meter->stage);
    for (unsigned i = 1; i < meter->lane_count; i++) {
        /* A lane that is missing would leave the others in a barrier: no way on from here. */
        if (pthread_create(&meter->lanes[i].thread, NULL, lane_main, &meter->lanes[i]) != 0)
            return "cannot start that many threads";
    }
    lane_begin(&meter->lanes[0]);
    pthread_barrier_wait(&meter->end);
    return NULL;
}

static void begin_stage(const struct bench_meter *meter)
{
    if (meter->row->stage != NULL && meter->row->stage->begin != NULL)
        meter->row->stage->begin(meter->stage);
}

static void end_stage(const struct bench_meter *meter)
{
    if (meter->row->stage != NULL && meter->row->stage->end != NULL)
        meter->row->stage->end(meter->stage);
}

const char *bench_meter_open(const struct bench_row *row, const char *params, unsigned threads,
                             struct bench_meter **ret_meter)
{
    struct bench_meter *meter = calloc(1, sizeof *meter + threads * sizeof(struct lane));
    if (meter == NULL)
        return "out of memory";
    meter->row = row;
    meter->params = params;
    meter->lane_count = threads;
    meter->counter_count = row->stage == NULL ? 0 : bench_meter_counters(row->counters);
    const char *error = start_lanes(meter);
    if (error != NULL)
        return error;
    for (unsigned i = 0; i < threads; i++) {
        if (meter->lanes[i].error != NULL)
            return bench_meter_close(meter);
    }
    begin_stage(meter);
    calibrate(&meter->lanes[0]);
    end_stage(meter);
    *ret_meter = meter;
    return NULL;
}

void bench_meter_iterate(struct bench_meter *meter, uint64_t duration_ns,
                         struct bench_reading *ret_reading)
{
    meter->duration_ns = duration_ns;
    atomic_store_explicit(&meter->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&meter->measured, 0, memory_order_relaxed);
    begin_stage(meter);
    pthread_barrier_wait(&meter->start);
    measure(&meter->lanes[0]);
    pthread_barrier_wait(&meter->end);
    end_stage(meter);
    *ret_reading = meter->lanes[0].reading;
    for (unsigned i = 1; i < meter->lane_count; i++) {
        ret_reading->ops += meter->lanes[i].reading.ops;
        ret_reading->ns += meter->lanes[i].reading.ns;
        ret_reading->cpu_ns += meter->lanes[i].reading.cpu_ns;
    }
}

size_t bench_meter_counters(const char *counters)
{
    size_t count = 0;
    struct bench_span piece;
    while (count < BENCH_MAX_COUNTERS && bench_params_cut(&counters, ',', &piece))
        count++;
    return count;
}

uint64_t bench_meter_batch(const struct bench_meter *meter)
{
    return meter->batch;
}

const char *bench_meter_close(struct bench_meter *meter)
{
    const char *error = NULL;
    meter->quit = true;
    pthread_barrier_wait(&meter->start);
    for (unsigned i = 0; i < meter->lane_count; i++) {
        if (i == 0)
            lane_end(&meter->lanes[0]);
        else
            pthread_join(meter->lanes[i].thread, NULL);
        if (error == NULL)
            error = meter->lanes[i].error;
    }
    if (meter->row->stage != NULL && meter->stage_error == NULL) {
        const char *stage_error = meter->row->stage->close(meter->stage);
        error = error != NULL ? error : stage_error;
    }
    pthread_barrier_destroy(&meter->start);
    pthread_barrier_destroy(&meter->end);
    free(meter);
    return error;
}
