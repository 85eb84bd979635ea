/* SPDX-License-Identifier: MIT */
/*
 * Measuring: lanes (threads) that run batches of one row between two readings of the clock.
 * Invariant: lanes touch the meter's request (duration, quit) only between the barriers `start`
 * and `end`, and the opener writes it only outside.
 * A batch lasts about 50 us, so that a clock reading (some 25 ns) is below 0.1 % of it. The first
 * 5 ms of an iteration are run and discarded: a subject that slept in read() meets cold caches
 * and a sleepy core, and which subject ran before it must not matter.
 * Not done here: means, errors, ratios; the worker hands out raw sums.
 */
#include "harness/meter.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "harness/clock.h"

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
    uint64_t batch;
    uint64_t duration_ns; /* The request: how long to measure ... */
    bool quit;            /* ... or to stop. */
    pthread_barrier_t start, end;
    unsigned lane_count;
    struct lane lanes[];
};

static void run_batch(struct lane *lane, uint64_t rounds)
{
    lane->meter->row->run(lane->state, rounds);
    lane->rounds += rounds;
}

/* Doubles the batch until it lasts 2 ms, then cuts it down to its length. */
static void calibrate(struct lane *lane)
{
    uint64_t rounds = 1, elapsed;
    for (;; rounds *= 2) {
        uint64_t begin = bench_now_ns();
        run_batch(lane, rounds);
        elapsed = bench_now_ns() - begin;
        if (elapsed >= CALIBRATION_NS)
            break;
    }
    double batch = (double)rounds * BATCH_NS / (double)elapsed;
    lane->meter->batch = batch < 1 ? 1 : (uint64_t)batch;
}

static void measure(struct lane *lane)
{
    uint64_t batch = lane->meter->batch, batches = 0;
    uint64_t begin = bench_now_ns(), now = begin;
    while (now - begin < DISCARD_NS) {
        run_batch(lane, batch);
        now = bench_now_ns();
    }
    uint64_t cpu_begin = bench_thread_cpu_ns();
    begin = bench_now_ns();
    do {
        run_batch(lane, batch);
        batches++;
        now = bench_now_ns();
    } while (now - begin < lane->meter->duration_ns);
    uint64_t operations = lane->meter->row->operations;
    lane->reading.ops = batches * batch * (operations == 0 ? 1 : operations);
    lane->reading.ns = now - begin;
    lane->reading.cpu_ns = bench_thread_cpu_ns() - cpu_begin;
}

/* With as many processors as lanes, each lane keeps to one of its own. */
static void pin_lane(const struct lane *lane)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 ||
        CPU_COUNT(&allowed) < (int)lane->meter->lane_count)
        return;
    unsigned skip = lane->index;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed) && skip-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
    }
}

static void lane_begin(struct lane *lane)
{
    pin_lane(lane);
    lane->error = lane->meter->row->setup(lane->meter->params, &lane->state);
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
        /* A lane that is missing would leave the others in a barrier: no way on from here. */
        if (i > 0 && pthread_create(&lane->thread, NULL, lane_main, lane) != 0)
            return "cannot start that many threads";
    }
    lane_begin(&meter->lanes[0]);
    pthread_barrier_wait(&meter->end);
    return NULL;
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
    const char *error = start_lanes(meter);
    if (error != NULL)
        return error;
    for (unsigned i = 0; i < threads; i++) {
        if (meter->lanes[i].error != NULL)
            return bench_meter_close(meter);
    }
    calibrate(&meter->lanes[0]);
    *ret_meter = meter;
    return NULL;
}

void bench_meter_iterate(struct bench_meter *meter, uint64_t duration_ns,
                         struct bench_reading *ret_reading)
{
    meter->duration_ns = duration_ns;
    pthread_barrier_wait(&meter->start);
    measure(&meter->lanes[0]);
    pthread_barrier_wait(&meter->end);
    struct bench_reading sum = { 0, 0, 0 };
    for (unsigned i = 0; i < meter->lane_count; i++) {
        sum.ops += meter->lanes[i].reading.ops;
        sum.ns += meter->lanes[i].reading.ns;
        sum.cpu_ns += meter->lanes[i].reading.cpu_ns;
    }
    *ret_reading = sum;
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
    pthread_barrier_destroy(&meter->start);
    pthread_barrier_destroy(&meter->end);
    free(meter);
    return error;
}
