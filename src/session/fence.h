/* SPDX-License-Identifier: MIT */
#ifndef ISTI_SESSION_FENCE_H
#define ISTI_SESSION_FENCE_H
/*
 * The asymmetric fence between a thread that publishes a slot and reads a state, and one that
 * writes a state and reads the slots.
 *
 * Mode, fixed for the life of the process before its first shared session:
 *     light  the publisher orders the compiler only, the closer has the kernel put a full barrier
 *            into every running thread
 *     full   both sides execute full barriers; where the kernel offers no membarrier, where the
 *            environment says ISTHMUS_FENCE=full,
 *            and under ThreadSanitizer, which does not know of membarrier
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called once, before the first thread record exists. */
void isti_fence_initialize(void);

extern bool isti_fence_light; /* Constant after isti_fence_initialize(). */

/* Whether publishers order the compiler only. */
static inline bool isti_fence_is_light(void)
{
    return isti_fence_light;
}

/*
 * F1-F8: returns when a full barrier has been executed by every thread of the process at some
 * moment since the call. Simultaneous callers share one. The caller has executed a full barrier
 * itself since its store. Returns 0, or the errno of the failure: then nothing may be concluded.
 */
int isti_fence_heavy(void);

/* What a failure because of that says. */
#define ISTI_NO_BARRIER "membarrier was refused"

/* How many heavy fences were executed, for statistics. */
size_t isti_fence_count(void);

#endif
