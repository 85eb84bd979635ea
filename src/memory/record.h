/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_RECORD_H
#define ISTI_MEMORY_RECORD_H
/*
 * Where the records of arenas are while no arena is open in them.
 *
 *     slab --> pool --16 at a time--> a thread's cache --open--> an arena
 *                ^------half of it------'    ^-------close----------'
 *
 * A record in the pool has owner 0 and no chunk; one in a cache has the thread's serial, and the
 * chunk of its last life. Records are never unmapped: a stale handle may read `state` for ever.
 */
#include "memory/local.h"

#include <isthmus/arena.h>

/* A record that is ready to be opened, its chunk with it. NULL: out of memory. */
isti_arena *isti_record_take(isti_local *local);

/*
 * Puts a renewed record into the calling thread's cache; what the cache has no room for goes to the
 * pool.
 */
void isti_record_give(isti_local *local, isti_arena *record);

/* Puts a record whose generations are used up aside; nobody opens it again. */
void isti_record_retire(isti_local *local, isti_arena *record);

/* Gives the chunks of all cached records back, and the records to the pool. Returns the bytes. */
size_t isti_record_trim(isti_local *local);

/* Has the other threads trim theirs at their next tick. */
void isti_record_trim_others(isti_local *local);

/*
 * Called for each open or close on the slow path: follows ist_trim() of other threads, and lets a
 * cache decay.
 */
void isti_record_tick(isti_local *local);

/* Makes the record allocate from its first chunk, from the beginning; from none if it has none. */
void isti_record_use_chunk(isti_arena *record);

/* The number of records in slabs, and of retired ones. */
void isti_record_count(size_t *ret_records, size_t *ret_retired);

/*
 * Calls visit() for each record that there is. Nothing is locked meanwhile: a record's owner and
 * state may change at any moment.
 */
void isti_record_visit(void (*visit)(isti_arena *record, void *data), void *data);

#endif
