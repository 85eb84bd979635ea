/* SPDX-License-Identifier: MIT */
/*
 * Pinning threads to the processors of the worker.
 * Invariant: `allowed` is what the process was started with, whatever its threads are pinned to.
 */
#include "harness/cores.h"

#include <sched.h>

static cpu_set_t allowed;

void bench_cores_learn(void)
{
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        CPU_ZERO(&allowed);
}

unsigned bench_cores_count(void)
{
    int count = CPU_COUNT(&allowed);
    return count < 1 ? 1 : (unsigned)count;
}

void bench_cores_pin(unsigned index)
{
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || index-- > 0)
            continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}
