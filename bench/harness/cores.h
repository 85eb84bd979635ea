/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_CORES_H
#define BENCH_HARNESS_CORES_H
/*
 * The processors that a worker was started with, in order. Measuring threads take them from the
 * end, the threads beside them from the beginning, where the orchestrator sleeps too.
 */

/* Looks which there are; before any thread is pinned. */
void bench_cores_learn(void);

/* How many there are; at least 1. */
unsigned bench_cores_count(void);

/* Keeps the calling thread to one of them, counted from 0. Best effort: a refusal costs precision
 * only. */
void bench_cores_pin(unsigned index);

#endif
