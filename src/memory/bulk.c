/* SPDX-License-Identifier: MIT */
/*
 * Fill, copy and mismatch. Every range is checked before a byte is touched, so that a failure
 * touches nothing. On shared arenas an operation is published once and done in pieces, between
 * which it looks for a close (A9): that waits for one piece, not for all of them, and the operation
 * says how far it came.
 */
#include "memory/bulk.h"

#include "memory/arena.h"

#include <string.h>

#define PIECE ((size_t)128 * 1024)

static isti_session *session_of(const ist_segment *segment)
{
    return (isti_session *)(segment->session & ~ISTI_TAG_MASK);
}

static ist_status refuse(ist_status status, const ist_segment *segment, size_t offset, size_t size,
                         const char *operation)
{
    return isti_arena_refuse(
        status, segment->expected,
        &(isti_failure){ .error = { .operation = operation,
                                    .offset = offset,
                                    .length = size,
                                    .limit = segment->size },
                         .parts = ISTI_PART_LENGTH | ISTI_PART_OFFSET | ISTI_PART_SEGMENT });
}

/* What can be said of a range without looking at its arena: read-only, then bounds. */
static ist_status check_range(const ist_segment *segment, size_t offset, size_t size, int writes,
                              const char *operation)
{
    if (writes && (segment->session & ISTI_READ_ONLY))
        return refuse(IST_E_READ_ONLY, segment, offset, size, operation);
    if (offset > segment->size || size > segment->size - offset)
        return refuse(IST_E_BOUNDS, segment, offset, size, operation);
    return IST_OK;
}

static ist_status enter(const ist_segment *segment, size_t offset, size_t size, unsigned depth,
                        const char *operation, uint64_t **ret_slot)
{
    ist_status status = isti_arena_enter(session_of(segment), segment->expected, depth, ret_slot);
    return status == IST_OK ? IST_OK : refuse(status, segment, offset, size, operation);
}

ist_status isti_bulk_enter(const ist_segment *segment, size_t offset, size_t size, int writes,
                           const char *operation, uint64_t **ret_slot)
{
    ist_status status = check_range(segment, offset, size, writes, operation);
    return status == IST_OK ? enter(segment, offset, size, 0, operation, ret_slot) : status;
}

ist_status isti_bulk_require(const ist_segment *segment, size_t offset, size_t size, int writes,
                             const char *operation)
{
    uint64_t *slot;
    ist_status status = isti_bulk_enter(segment, offset, size, writes, operation, &slot);
    if (status == IST_OK)
        isti_arena_leave(slot);
    return status;
}

/* Whether an operation that was entered with this slot may go on to its next piece. */
static int goes_on(const ist_segment *segment, const uint64_t *slot)
{
    return slot == NULL || isti_slots_may_go_on(session_of(segment), segment->expected);
}

static ist_status
stopped(const ist_segment *segment, const char *operation, size_t size, size_t done)
{
    return isti_fail(
        &(isti_failure){ .error = { .status = IST_E_CLOSED,
                                    .operation = operation,
                                    .kind = isti_session_kind(segment->expected),
                                    .length = size,
                                    .limit = segment->size,
                                    .done = done },
                         .parts = ISTI_PART_LENGTH | ISTI_PART_SEGMENT | ISTI_PART_DONE });
}

static size_t piece_of(size_t left)
{
    return left < PIECE ? left : PIECE;
}

/* ---- Fill ---- */

ist_status ist_segment_fill(const ist_segment *segment, uint8_t byte)
{
    if (segment == NULL)
        return isti_fail_argument("fill", "NULL where a segment is wanted");
    uint64_t *slot;
    ist_status status = isti_bulk_enter(segment, 0, segment->size, 1, "fill", &slot);
    if (status != IST_OK)
        return status;
    size_t done = 0, size = segment->size;
    while (done < size && goes_on(segment, slot)) {
        size_t piece = piece_of(size - done);
        memset((char *)segment->address + done, byte, piece);
        done += piece;
    }
    isti_arena_leave(slot);
    return done == size ? IST_OK : stopped(segment, "fill", size, done);
}

/* ---- Copy ---- */

/* Two ranges that were entered. */
typedef struct pair {
    const ist_segment *first, *second;
    uint64_t *first_slot, *second_slot;
} pair;

static int pair_goes_on(const pair *both)
{
    return goes_on(both->first, both->first_slot) && goes_on(both->second, both->second_slot);
}

static void leave_pair(const pair *both)
{
    isti_arena_leave(both->second_slot);
    isti_arena_leave(both->first_slot);
}

/*
 * As memmove(), in pieces, from the end that does not overwrite what is still to be read. Returns
 * the bytes done.
 */
static size_t move(const pair *both, char *to, const char *from, size_t size)
{
    int backwards = (uintptr_t)to - (uintptr_t)from < size;
    size_t done = 0;
    while (done < size && pair_goes_on(both)) {
        size_t piece = piece_of(size - done);
        size_t at = backwards ? size - done - piece : done;
        memmove(to + at, from + at, piece);
        done += piece;
    }
    return done;
}

/* Enters both, or neither. The names are those of the operation's two halves. */
static ist_status enter_pair(pair *both, size_t first_offset, size_t second_offset,
                             size_t first_size, size_t second_size, const char *first_name,
                             const char *second_name)
{
    ist_status status =
        enter(both->first, first_offset, first_size, 0, first_name, &both->first_slot);
    if (status != IST_OK)
        return status;
    status = enter(both->second, second_offset, second_size, both->first_slot != NULL, second_name,
                   &both->second_slot);
    if (status != IST_OK)
        isti_arena_leave(both->first_slot);
    return status;
}

/* Of a pair that was stopped by a close: the one whose arena it is. */
static const ist_segment *closed_one(const pair *both)
{
    return ist_segment_is_alive(both->first) ? both->second : both->first;
}

ist_status ist_segment_copy(const ist_segment *source, size_t source_offset,
                            const ist_segment *target, size_t target_offset, size_t size)
{
    const char *from = "copy source", *to = "copy target";
    if (source == NULL || target == NULL)
        return isti_fail_argument("copy", "NULL where a segment is wanted");
    if (ist_segment_is_read_only(*target))
        return refuse(IST_E_READ_ONLY, target, target_offset, size, to);
    ist_status status = check_range(source, source_offset, size, 0, from);
    if (status == IST_OK)
        status = check_range(target, target_offset, size, 1, to);
    pair both = { .first = source, .second = target };
    if (status == IST_OK)
        status = enter_pair(&both, source_offset, target_offset, size, size, from, to);
    if (status != IST_OK)
        return status;
    size_t done = size != 0 ? move(&both, (char *)target->address + target_offset,
                                   (const char *)source->address + source_offset, size)
                            : 0;
    leave_pair(&both);
    return done == size ? IST_OK : stopped(closed_one(&both), "copy", size, done);
}

ist_status ist_segment_copy_from(const ist_segment *target, const ist_segment *source)
{
    if (source == NULL || target == NULL)
        return isti_fail_argument("copy", "NULL where a segment is wanted");
    return ist_segment_copy(source, 0, target, 0, source->size);
}

/* ---- Mismatch ---- */

/* The first index below `size` at which a and b differ; size if none. */
static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t size)
{
    /*
     * Coarse to fine: the library's comparison skips what is equal, the last loop looks at one
     * block.
     */
    size_t at = 0;
    for (size_t step = 4096; step >= 64; step /= 8)
        while (size - at >= step && memcmp(a + at, b + at, step) == 0)
            at += step;
    while (at < size && a[at] == b[at])
        at++;
    return at;
}

/*
 * The index as above, or the first byte not compared when a close stopped it: *ret_done says how
 * far it came.
 */
static size_t compare(const pair *both, size_t size, size_t *ret_done)
{
    const unsigned char *a = both->first->address, *b = both->second->address;
    size_t done = 0;
    while (done < size && pair_goes_on(both)) {
        size_t piece = piece_of(size - done), at = first_difference(a + done, b + done, piece);
        if (at < piece) {
            *ret_done = size; /* Nothing is left to compare. */
            return done + at;
        }
        done += piece;
    }
    *ret_done = done;
    return done;
}

ist_status ist_segment_mismatch(const ist_segment *a, const ist_segment *b, size_t *ret_offset)
{
    if (a == NULL || b == NULL)
        return isti_fail_argument("mismatch", "NULL where a segment is wanted");
    if (ret_offset == NULL)
        return isti_fail_argument("mismatch", "NULL where the offset is wanted");
    pair both = { .first = a, .second = b };
    ist_status status = enter_pair(&both, 0, 0, a->size, b->size, "mismatch", "mismatch");
    if (status != IST_OK)
        return status;
    size_t common = a->size < b->size ? a->size : b->size, done;
    size_t at = compare(&both, common, &done);
    leave_pair(&both);
    if (done != common)
        return stopped(closed_one(&both), "mismatch", common, done);
    *ret_offset = at < common || a->size != b->size ? at : IST_NO_MISMATCH;
    return IST_OK;
}
