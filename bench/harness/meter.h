/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_METER_H
#define BENCH_HARNESS_METER_H
/*
 * Measures one combination of one row on a number of threads, inside the worker.
 *
 *     open (setup, calibration)  ->  iterate, iterate, ...  ->  close (check, teardown)
 *
 * The thread that opens is the first measuring thread; it makes all calls. The others sleep in a
 * barrier between iterations.
 */
#include <stdint.h>

#include "harness/row.h"

struct bench_meter;

/* Sums over the threads: the time per operation is ns / ops for any number of threads. */
struct bench_reading {
    uint64_t ops, ns, cpu_ns;
    uint64_t counters[BENCH_MAX_COUNTERS]; /* Growth or last value, see row.h. */
};

/* Returns NULL and the meter, or what went wrong. */
const char *bench_meter_open(const struct bench_row *row, const char *params, unsigned threads,
                             struct bench_meter **ret_meter);

void bench_meter_iterate(struct bench_meter *meter, uint64_t duration_ns,
                         struct bench_reading *ret_reading);

/* How many counters a text of row.h names; NULL: none. */
size_t bench_meter_counters(const char *counters);

/* Rounds in a batch, as calibrated. */
uint64_t bench_meter_batch(const struct bench_meter *meter);

/* Returns NULL, or the sentence of the first check that failed. Frees the meter either way. */
const char *bench_meter_close(struct bench_meter *meter);

#endif
