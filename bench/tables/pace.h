/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLES_PACE_H
#define BENCH_TABLES_PACE_H
/*
 * So many times a second: sleeps until the next time is due, and makes up for what was missed.
 *
 *     struct pace pace = pace_begin(10000);
 *     while (...) {
 *         pace_wait(&pace);
 *         ...
 *     }
 *
 * Rate 0 is flat out: there is no waiting.
 */
#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>

#include "harness/clock.h"

struct pace {
    uint64_t next_ns, step_ns;
};

static inline struct pace pace_begin(uint64_t rate)
{
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* The default, 50 us, is half a step. */
    return (struct pace){ bench_now_ns(), rate == 0 ? 0 : 1000000000u / rate };
}

static inline void pace_wait(struct pace *pace)
{
    if (pace->step_ns == 0)
        return;
    pace->next_ns += pace->step_ns;
    if (bench_now_ns() >= pace->next_ns)
        return;
    struct timespec due = { (time_t)(pace->next_ns / 1000000000u),
                            (long)(pace->next_ns % 1000000000u) };
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

#endif
