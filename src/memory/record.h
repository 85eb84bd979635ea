/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_RECORD_H
#define ISTI_MEMORY_RECORD_H
/*
 * Where the records of arenas are.
 *
 *     slab --> pool --a page full at a time--> a thread's list --open, close--> (in the list)
 *                ^--------half of it-----------'   |   ^
 *                                     unlisted, taken --'  when it is closed
 *
 * A record in the pool has owner 0 and no chunk. One in a list has the thread's serial and the
 * chunk of its last life; it is free or taken, as its own words say. A taken one that is in the way
 * of the next open leaves the list, with the burden UNLISTED, and is listed again by whoever closes
 * it. Records are never unmapped: a stale handle may read `state` for ever.
 *
 * A shared arena may be closed by another thread while its owner unlists the record: the pool's
 * lock decides whether the owner finds it free, or the closer finds it unlisted.
 */
#include "memory/local.h"

#include <isthmus/arena.h>

#include <stdbool.h>

/*
 * Opens an arena of the kind in a record of the thread's list, with more from the pool if need be.
 * NULL: out of memory.
 */
isti_arena *isti_record_open(isti_local *local, uint64_t kind);

/*
 * C6, the last step: ends the life of a record that is CLOSED and has nothing of it left, and makes
 * it ready for the next one in its owner's list, or in the calling thread's if it is in none. One
 * whose generations are used up stays CLOSED, and nobody opens it again.
 */
void isti_record_renew(isti_local *local, isti_arena *record);

/* Gives the chunks of all free records back, and the records to the pool. Returns the bytes. */
size_t isti_record_trim(isti_local *local);

/* Has the other threads trim theirs at their next tick. */
void isti_record_trim_others(isti_local *local);

/*
 * Called on slow paths of open and close: follows ist_trim() of other threads, and lets a list
 * decay.
 */
void isti_record_tick(isti_local *local);

/*
 * Has the record's lives begin in its first chunk; in no memory if it has none. One that is open
 * goes there with isti_record_rewind().
 */
void isti_record_use_chunk(isti_arena *record);

/* Whether no arena is open in the record, and none half closed. */
static inline bool isti_record_is_free(const isti_arena *record)
{
    /* O1. Pairs with C6. */
    return __atomic_load_n(&record->cursor, ISTI_ORDER(O1, ACQUIRE)) == 0;
}

static inline void isti_record_rewind(isti_arena *record)
{
    isti_store_relaxed_address(&record->cursor, record->base);
}

/*
 * Opens an arena of the kind in a record that has none and is the caller's alone: the calling
 * thread becomes its owner.
 */
void isti_record_begin(isti_arena *record, uint64_t kind);

/* Destroys the chunks of a record without arena. Returns their bytes. */
size_t isti_record_drop_chunks(isti_arena *record);

/* The number of records in slabs, and of retired ones. */
void isti_record_count(size_t *ret_records, size_t *ret_retired);

/*
 * Calls visit() for each record that there is. Nothing is locked meanwhile: a record's owner and
 * state may change at any moment.
 */
void isti_record_visit(void (*visit)(isti_arena *record, void *data), void *data);

#endif
