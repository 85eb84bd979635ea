/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_ARENA_H
#define ISTI_MEMORY_ARENA_H
/* Arenas, for the other files of this module. */
#include "memory/local.h"
#include "session/fence.h"
#include "session/session.h"
#include "session/slots.h"

#include <isthmus/arena.h>

static inline isti_arena *isti_arena_record(isti_session *session)
{
    return (isti_arena *)session;
}

/* Whether it is closed by whoever wants to, on any thread. */
static inline bool isti_arena_is_shared(const isti_session *session, uint64_t expected)
{
    return session != NULL && (expected & (ISTI_SHARED | ISTI_AUTOMATIC)) == ISTI_SHARED;
}

/*
 * Begins a touch of the session's memory: until isti_arena_leave() a close of a shared one waits.
 * No user code runs in between. `depth` is 1 for a second session inside a first. Records nothing:
 * see isti_arena_refuse().
 * Returns: IST_OK; IST_E_CLOSED; IST_E_WRONG_THREAD; IST_E_NO_MEMORY (the thread's first use of the
 *          library); IST_E_SYSTEM (the owner cannot be told).
 */
ist_status
isti_arena_enter(isti_session *session, uint64_t expected, unsigned depth, uint64_t **ret_slot);

static inline void isti_arena_leave(uint64_t *slot)
{
    if (slot != NULL)
        isti_slots_leave(slot);
}

/*
 * Records that the session was not entered, with the numbers in *failure, and returns the status.
 */
ISTI_COLD ist_status isti_arena_refuse(ist_status status, uint64_t expected,
                                       const isti_failure *failure);

/* Whether the session can be entered now; a failure of `operation` is recorded. */
ist_status isti_arena_require(isti_session *session, uint64_t expected, const char *operation);

/* A chunk was added to the record. */
static inline void isti_arena_grew(const isti_arena *record, size_t bytes)
{
    if (record->grew != NULL)
        record->grew(bytes);
}

/*
 * A block of the arena's own chunks. NULL: out of memory, and nothing has changed. Owner (the
 * global arena: its lock is held).
 */
void *isti_arena_take(isti_arena *record, size_t size, size_t alignment, bool zeroed);

/*
 * Adds a copy of a cleanup of `size` bytes, which begins with an isti_cleanup. A failure is one of
 * `operation`. Any thread for a shared arena and the global one, in which it never runs.
 */
ist_status isti_arena_add_cleanup(ist_arena arena, const isti_cleanup *cleanup, size_t size,
                                  const char *operation);

/*
 * The same of an object that ends by its cleanup: *ret_object is the copy, which lives as long as
 * the arena.
 */
ist_status isti_arena_add_object(ist_arena arena, const isti_cleanup *cleanup, size_t size,
                                 const char *operation, isti_cleanup **ret_object);

/*
 * Ends an open arena that nobody holds, or a shared one that its closer has CLOSED and drained:
 * cleanups, memory, next generation. Owner, or that closer.
 */
void isti_arena_end(isti_arena *record);

#endif
