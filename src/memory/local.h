/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_LOCAL_H
#define ISTI_MEMORY_LOCAL_H
/*
 * What this module keeps for each thread, beside the thread-local words that inlines see.
 *
 * Invariants:
 *     `listed` == records in self->arenas
 *     the sum of `bytes`, over all threads, living or not, modulo 2^64, since what one thread takes
 *         another may give back == bytes in chunks and blocks
 */
#include "session/thread.h"

#include <stddef.h>

typedef struct isti_local {
    isti_thread thread;   /* First. */
    size_t listed;        /* The thread's own. */
    size_t bytes;         /* Read by ist_stats_get() while it changes: atomic, relaxed. */
    uint64_t trim_seen;   /* The last ist_trim() that this thread has followed. */
    unsigned slow_events; /* Opens and closes on the slow path, for decay. */
    /* Frames: bytes [0, stack_used) of stack_block belong to the frames that are pushed. */
    char *stack_block;
    size_t stack_used;
    size_t stack_depth;
} isti_local;

/* The calling thread's; made on first use. NULL: out of memory. */
static inline isti_local *isti_local_current(void)
{
    return (isti_local *)isti_thread_current();
}

/* Of a thread that is known to have used the library before. */
static inline isti_local *isti_local_existing(void)
{
    return (isti_local *)isti_self.record;
}

/*
 * For fields that ist_stats_get() reads from elsewhere: only the owner writes, so a plain sum in
 * relaxed halves will do.
 */
static inline void isti_local_add(size_t *field, size_t amount)
{
    __atomic_store_n(field, *field + amount, __ATOMIC_RELAXED);
}

#endif
