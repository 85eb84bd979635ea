/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_AUTOMATIC_H
#define ISTI_MEMORY_AUTOMATIC_H
/* References to arenas that end with the last one. */
#include "memory/arena.h"

/*
 * As ist_arena_retain() and ist_arena_drop(), for `operation`. In an arena that nobody counts, of
 * the collector's or the global one, both do no more than see that it is there.
 */
ist_status isti_automatic_retain(isti_session *session, uint64_t expected, const char *operation);
ist_status isti_automatic_drop(isti_session *session, uint64_t expected, const char *operation);

#endif
