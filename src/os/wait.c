/* SPDX-License-Identifier: MIT */
/* Back-off and clock; see the header. */
#include "os/wait.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPINS 64
#define YIELDS 32
#define SLEEP_FIRST_NS UINT64_C(10000)
#define SLEEP_LONGEST_SHIFT 6 /* 640 us */

static void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb" ::: "memory");
#endif
}

static void quietly(long number, const void *argument)
{
    int saved = errno;
    (void)syscall(number, argument, NULL);
    errno = saved;
}

void isti_sleep_ns(uint64_t nanoseconds)
{
    struct timespec time = { .tv_sec = (time_t)(nanoseconds / UINT64_C(1000000000)),
                             .tv_nsec = (long)(nanoseconds % UINT64_C(1000000000)) };
    quietly(SYS_nanosleep, &time);
}

void isti_wait_step(isti_wait *wait)
{
    unsigned step = wait->steps++;
    if (step < SPINS) {
        pause_cpu();
    } else if (step < SPINS + YIELDS) {
        quietly(SYS_sched_yield, NULL);
    } else {
        unsigned shift = step - SPINS - YIELDS;
        isti_sleep_ns(SLEEP_FIRST_NS
                      << (shift < SLEEP_LONGEST_SHIFT ? shift : SLEEP_LONGEST_SHIFT));
    }
}

uint64_t isti_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t isti_thread_id(void)
{
    return (uint64_t)syscall(SYS_gettid);
}
