/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_SHARED_H
#define ISTI_MEMORY_SHARED_H
/* Arenas that every thread may use: their memory, and what comes behind their close. */
#include "memory/arena.h"

/*
 * A block of a shared arena, for several threads at once. The caller has the session entered. NULL:
 * out of memory.
 */
void *isti_shared_take(isti_arena *record, size_t size, size_t alignment, bool zeroed);

/*
 * Closes it if only its owner, the calling thread, has touched it and nothing but the life itself
 * has to end; an automatic one with its opener's reference. False: nothing has changed.
 */
bool isti_shared_close_quickly(isti_session *session, uint64_t expected);

/* C6, for isti_close_all(). */
void isti_shared_finish(isti_session *session);

/* Closes one shared arena. Returns: as ist_arena_close(). */
ist_status isti_shared_close(isti_session *session, uint64_t expected);

#endif
