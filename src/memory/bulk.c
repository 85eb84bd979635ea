/* SPDX-License-Identifier: MIT */
/*
 * Fill, copy and mismatch. Every range is checked before a byte is touched, so that a failure
 * touches nothing. On shared arenas an operation is published once and done in pieces, between
 * which it looks for a close (A9): that waits for one piece, not for all of them, and the operation
 * says how far it came.
 */
#include "memory/bulk.h"

#include <string.h>

ist_status isti_bulk_refuse(ist_status status, const ist_segment *segment, size_t offset,
                            size_t size, const char *operation)
{
    return isti_arena_refuse(
        status, segment->expected,
        &(isti_failure){ .error = { .operation = operation,
                                    .offset = offset,
                                    .length = size,
                                    .limit = segment->size },
                         .parts = ISTI_PART_LENGTH | ISTI_PART_OFFSET | ISTI_PART_SEGMENT });
}

ist_status isti_bulk_check(const ist_segment *segment, size_t offset, size_t size, int writes,
                           const char *operation)
{
    if (writes && (segment->session & ISTI_READ_ONLY))
        return isti_bulk_refuse(IST_E_READ_ONLY, segment, offset, size, operation);
    if (offset > segment->size || size > segment->size - offset)
        return isti_bulk_refuse(IST_E_BOUNDS, segment, offset, size, operation);
    return IST_OK;
}

static ist_status enter(const ist_segment *segment, size_t offset, size_t size, unsigned depth,
                        const char *operation, uint64_t **ret_slot)
{
    isti_session *session = ist_segment_arena(*segment).session;
    ist_status status = isti_arena_enter(session, segment->expected, depth, ret_slot);
    return status == IST_OK ? IST_OK : isti_bulk_refuse(status, segment, offset, size, operation);
}

ist_status isti_bulk_enter(const ist_segment *segment, size_t offset, size_t size, int writes,
                           const char *operation, uint64_t **ret_slot)
{
    ist_status status = isti_bulk_check(segment, offset, size, writes, operation);
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

ist_status
isti_bulk_stopped(const ist_segment *segment, const char *operation, size_t size, size_t done)
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

ist_status isti_pair_enter(isti_pair *both, size_t first_offset, size_t second_offset,
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

ist_status isti_pair_stopped(const isti_pair *both, const char *operation, size_t size, size_t done)
{
    const ist_segment *closed = ist_segment_is_alive(both->first) ? both->second : both->first;
    return isti_bulk_stopped(closed, operation, size, done);
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
    while (done < size && isti_bulk_goes_on(segment, slot)) {
        size_t piece = isti_bulk_piece(size - done);
        memset((char *)segment->address + done, byte, piece);
        done += piece;
    }
    isti_arena_leave(slot);
    return done == size ? IST_OK : isti_bulk_stopped(segment, "fill", size, done);
}

/* ---- Copy ---- */

/*
 * As memmove(), in pieces, from the end that does not overwrite what is still to be read. Returns
 * the bytes done.
 */
static size_t
move_pieces(const isti_pair *both, char *to, const char *from, size_t size, isti_move_fn *move)
{
    int backwards = (uintptr_t)to - (uintptr_t)from < size;
    size_t done = 0;
    while (done < size && isti_pair_goes_on(both)) {
        size_t piece = isti_bulk_piece(size - done);
        size_t at = backwards ? size - done - piece : done;
        move(to + at, from + at, piece);
        done += piece;
    }
    return done;
}

ist_status isti_bulk_copy(const ist_segment *source, size_t source_offset,
                          const ist_segment *target, size_t target_offset, size_t size,
                          isti_move_fn *move)
{
    const char *from = "copy source", *to = "copy target";
    if (ist_segment_is_read_only(*target))
        return isti_bulk_refuse(IST_E_READ_ONLY, target, target_offset, size, to);
    ist_status status = isti_bulk_check(source, source_offset, size, 0, from);
    if (status == IST_OK)
        status = isti_bulk_check(target, target_offset, size, 1, to);
    isti_pair both = { .first = source, .second = target };
    if (status == IST_OK)
        status = isti_pair_enter(&both, source_offset, target_offset, size, size, from, to);
    if (status != IST_OK)
        return status;
    size_t done = size != 0 ? move_pieces(&both, (char *)target->address + target_offset,
                                          (const char *)source->address + source_offset, size, move)
                            : 0;
    isti_pair_leave(&both);
    return done == size ? IST_OK : isti_pair_stopped(&both, "copy", size, done);
}

ist_status ist_segment_copy(const ist_segment *source, size_t source_offset,
                            const ist_segment *target, size_t target_offset, size_t size)
{
    if (source == NULL || target == NULL)
        return isti_fail_argument("copy", "NULL where a segment is wanted");
    return isti_bulk_copy(source, source_offset, target, target_offset, size, memmove);
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
static size_t compare(const isti_pair *both, const unsigned char *a, const unsigned char *b,
                      size_t size, size_t *ret_done)
{
    size_t done = 0;
    while (done < size && isti_pair_goes_on(both)) {
        size_t piece = isti_bulk_piece(size - done);
        size_t at = first_difference(a + done, b + done, piece);
        if (at < piece) {
            *ret_done = size; /* Nothing is left to compare. */
            return done + at;
        }
        done += piece;
    }
    *ret_done = done;
    return done;
}

ist_status ist_segment_mismatch_range(const ist_segment *a, size_t a_offset, size_t a_size,
                                      const ist_segment *b, size_t b_offset, size_t b_size,
                                      size_t *ret_offset)
{
    const char *operation = "mismatch";
    if (a == NULL || b == NULL)
        return isti_fail_argument(operation, "NULL where a segment is wanted");
    if (ret_offset == NULL)
        return isti_fail_argument(operation, "NULL where the offset is wanted");
    ist_status status = isti_bulk_check(a, a_offset, a_size, 0, operation);
    if (status == IST_OK)
        status = isti_bulk_check(b, b_offset, b_size, 0, operation);
    isti_pair both = { .first = a, .second = b };
    if (status == IST_OK)
        status = isti_pair_enter(&both, a_offset, b_offset, a_size, b_size, operation, operation);
    if (status != IST_OK)
        return status;
    size_t common = a_size < b_size ? a_size : b_size, done;
    size_t at = compare(&both, isti_place(a->address, a_offset), isti_place(b->address, b_offset),
                        common, &done);
    isti_pair_leave(&both);
    if (done != common)
        return isti_pair_stopped(&both, operation, common, done);
    *ret_offset = at < common || a_size != b_size ? at : IST_NO_MISMATCH;
    return IST_OK;
}

ist_status ist_segment_mismatch(const ist_segment *a, const ist_segment *b, size_t *ret_offset)
{
    if (a == NULL || b == NULL)
        return isti_fail_argument("mismatch", "NULL where a segment is wanted");
    return ist_segment_mismatch_range(a, 0, a->size, b, 0, b->size, ret_offset);
}
