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
ist_status isti_arena_require(isti_session *session, uint64_t expected, isti_failure failure);

/*
 * The same, and the session may be touched until isti_arena_leave(): a close of a shared one waits. No user code runs in
 * between. `depth` is 1 for a second session inside a first.
 */
ist_status isti_arena_enter(isti_session *session, uint64_t expected, unsigned depth, isti_failure failure,
                            uint64_t **ret_slot);
void isti_arena_leave(uint64_t *slot);

/* A block of the arena's own chunks. NULL: out of memory, and nothing has changed. Owner (the global arena: its lock is held). */
void *isti_arena_take(isti_arena *record, size_t size, size_t alignment, bool zeroed);

/* A block in a chunk of its own, behind the first: that goes on serving small ones. NULL: out of memory. As above. */
void *isti_arena_take_alone(isti_arena *record, size_t size, size_t alignment, bool zeroed);

/*
 * Adds a copy of a cleanup of `size` bytes, which begins with an isti_cleanup. A failure is one of `operation`.
 * Any thread for a shared arena and the global one, in which it never runs.
 */
ist_status isti_arena_add_cleanup(ist_arena arena, const isti_cleanup *cleanup, size_t size, const char *operation);

/* Ends an open arena that nobody holds: cleanups, memory, next generation. Owner. */
void isti_arena_end_owner(isti_arena *record);

#endif
