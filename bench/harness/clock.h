/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_CLOCK_H
#define BENCH_HARNESS_CLOCK_H
/*
 * The two clocks of a measurement: wall time and the calling thread's processor time.
 */
#include <stdint.h>
#include <time.h>

static inline uint64_t bench_clock_read(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t bench_now_ns(void)
{
    return bench_clock_read(CLOCK_MONOTONIC);
}

static inline uint64_t bench_thread_cpu_ns(void)
{
    return bench_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

#endif
