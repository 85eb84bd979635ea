/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_ARENA_H
#define ISTI_MEMORY_ARENA_H
/* Arenas, for the other files of this module. */
#include "memory/local.h"
#include "session/session.h"

#include <isthmus/arena.h>

static inline isti_arena *isti_arena_record(isti_session *session)
{
    return (isti_arena *)session;
}

/*
 * IST_OK if the calling thread may use the session; else a failure "<operation> [of <length> bytes] ..." is recorded and
 * its status returned. `failure` carries operation and numbers, and is completed.
 */
ist_status isti_arena_require(const isti_session *session, uint64_t expected, isti_failure failure);

/* A block of the arena's own chunks. NULL: out of memory, and nothing has changed. Owner (the global arena: its lock is held). */
void *isti_arena_take(isti_arena *record, size_t size, size_t alignment, bool zeroed);

/*
 * Adds a cleanup of `size` bytes, which begin with an isti_cleanup; the caller fills in what is behind that and
 * isti_cleanup.run. NULL: the failure is recorded in *ret_status. Owner, or any thread for the global arena.
 */
isti_cleanup *isti_arena_add_cleanup(ist_arena arena, size_t size, const char *operation, ist_status *ret_status);

/* Ends an open arena that nobody holds: cleanups, memory, next generation. Owner. */
void isti_arena_end_owner(isti_arena *record);

#endif
