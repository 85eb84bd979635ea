/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_BULK_H
#define ISTI_MEMORY_BULK_H
/*
 * A range of a segment that library code is about to touch, and the pieces that it is touched in.
 *
 *     uint64_t *slot;
 *     ist_status status = isti_bulk_enter(segment, offset, size, 0, "search", &slot);
 *     if (status != IST_OK)
 *         return status;
 *     while (done < size && isti_bulk_goes_on(segment, slot))
 *         done += search(place + done, isti_bulk_piece(size - done));
 *     isti_arena_leave(slot);
 *     return done == size ? IST_OK : isti_bulk_stopped(segment, "search", size, done);
 *
 * No user code runs between entering and leaving. Operations are constant strings.
 */
#include "memory/arena.h"

#include <isthmus/segment.h>

/* What is done between two looks at whether the arena was closed; a multiple of any element size. */
#define ISTI_BULK_PIECE ((size_t)128 * 1024)

static inline size_t isti_bulk_piece(size_t left)
{
    return left < ISTI_BULK_PIECE ? left : ISTI_BULK_PIECE;
}

/* Records a failure of `operation` on a range, with the arena's kind, and returns its status. */
ISTI_COLD ist_status isti_bulk_refuse(ist_status status, const ist_segment *segment, size_t offset,
                                      size_t size, const char *operation);

/*
 * What can be said of a range without looking at its arena. Returns: IST_OK; IST_E_READ_ONLY
 * (writes); IST_E_BOUNDS.
 */
ist_status isti_bulk_check(const ist_segment *segment, size_t offset, size_t size, int writes,
                           const char *operation);

/*
 * Whether `size` bytes at `offset` may be touched by the calling thread, and until
 * isti_arena_leave(*ret_slot) a close of a shared arena waits. The failure is recorded as one of
 * `operation`.
 * Returns: IST_OK; IST_E_READ_ONLY (writes); IST_E_BOUNDS; IST_E_CLOSED; IST_E_WRONG_THREAD, looked
 *          for in this order.
 */
ist_status isti_bulk_enter(const ist_segment *segment, size_t offset, size_t size, int writes,
                           const char *operation, uint64_t **ret_slot);

/* The same, for a moment. */
ist_status isti_bulk_require(const ist_segment *segment, size_t offset, size_t size, int writes,
                             const char *operation);

/* A9: whether an operation that was entered with this slot may go on to its next piece. */
static inline bool isti_bulk_goes_on(const ist_segment *segment, const uint64_t *slot)
{
    return slot == NULL ||
           isti_slots_may_go_on(ist_segment_arena(*segment).session, segment->expected);
}

/* Records that a close stopped the operation after `done` bytes of `size`: IST_E_CLOSED. */
ISTI_COLD ist_status isti_bulk_stopped(const ist_segment *segment, const char *operation,
                                       size_t size, size_t done);

/* Two ranges that are touched at once. */
typedef struct isti_pair {
    const ist_segment *first, *second;
    uint64_t *first_slot, *second_slot;
} isti_pair;

/*
 * Enters both, or neither; the ranges are checked already. The numbers are for the sentence, the
 * names those of the operation's two halves.
 */
ist_status isti_pair_enter(isti_pair *both, size_t first_offset, size_t second_offset,
                           size_t first_size, size_t second_size, const char *first_name,
                           const char *second_name);

static inline bool isti_pair_goes_on(const isti_pair *both)
{
    return isti_bulk_goes_on(both->first, both->first_slot) &&
           isti_bulk_goes_on(both->second, both->second_slot);
}

static inline void isti_pair_leave(const isti_pair *both)
{
    isti_arena_leave(both->second_slot);
    isti_arena_leave(both->first_slot);
}

/* isti_bulk_stopped(), of the one whose arena was closed. Behind isti_pair_leave(). */
ISTI_COLD ist_status isti_pair_stopped(const isti_pair *both, const char *operation, size_t size,
                                       size_t done);

/*
 * What memmove() is: gives `to` the bytes that `from` had, changed or not, also where they overlap,
 * and returns `to`.
 */
typedef void *isti_move_fn(void *to, const void *from, size_t size);

/*
 * ist_segment_copy() by a move of another kind, which is given pieces that are multiples of 16
 * bytes as seen from the end that it begins at.
 */
ist_status isti_bulk_copy(const ist_segment *source, size_t source_offset,
                          const ist_segment *target, size_t target_offset, size_t size,
                          isti_move_fn *move);

#endif
