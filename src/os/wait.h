/* SPDX-License-Identifier: MIT */
#ifndef ISTI_OS_WAIT_H
#define ISTI_OS_WAIT_H
/*
 * Waiting for another thread to take a step that is about to come: spin, then yield, then sleep for
 * longer and longer, up to a millisecond. Raw system calls: none is a cancellation point, and errno
 * is left alone.
 *
 *     for (isti_wait wait = { 0 }; !happened();)
 *         isti_wait_step(&wait);
 */
#include <stdint.h>

typedef struct isti_wait {
    unsigned steps;
} isti_wait;

void isti_wait_step(isti_wait *wait);

/* Sleeps for that long, or less. */
void isti_sleep_ns(uint64_t nanoseconds);

/* The monotonic clock. */
uint64_t isti_clock_ns(void);

/* The kernel's id of the calling thread. */
uint64_t isti_thread_id(void);

#endif
