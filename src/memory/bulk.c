/* SPDX-License-Identifier: MIT */
/*
 * Fill, copy and mismatch. Every range is checked before a byte is touched, so that a failure touches nothing.
 */
#include "memory/bulk.h"

#include "memory/arena.h"

#include <string.h>

static isti_session *session_of(const ist_segment *segment)
{
    return (isti_session *)(segment->session & ~ISTI_TAG_MASK);
}

static isti_failure describe(const ist_segment *segment, size_t offset, size_t size, const char *operation)
{
    return (isti_failure){
        .error = { .operation = operation, .offset = offset, .length = size, .limit = segment->size },
        .parts = ISTI_PART_LENGTH | ISTI_PART_OFFSET | ISTI_PART_SEGMENT
    };
}

/* What can be said of a range without looking at its arena: read-only, then bounds. */
static ist_status check_range(const ist_segment *segment, size_t offset, size_t size, int writes,
                              const char *operation)
{
    isti_failure failure = describe(segment, offset, size, operation);
    if (writes && (segment->session & ISTI_READ_ONLY))
        failure.error.status = IST_E_READ_ONLY;
    else if (offset > segment->size || size > segment->size - offset)
        failure.error.status = IST_E_BOUNDS;
    else
        return IST_OK;
    return isti_fail(&failure);
}

static ist_status require(const ist_segment *segment, size_t offset, size_t size, const char *operation)
{
    return isti_arena_require(session_of(segment), segment->expected, describe(segment, offset, size, operation));
}

ist_status isti_bulk_require(const ist_segment *segment, size_t offset, size_t size, int writes, const char *operation)
{
    ist_status status = check_range(segment, offset, size, writes, operation);
    return status == IST_OK ? require(segment, offset, size, operation) : status;
}

ist_status ist_segment_fill(const ist_segment *segment, uint8_t byte)
{
    if (segment == NULL)
        return isti_fail_argument("fill", "NULL where a segment is wanted");
    ist_status status = isti_bulk_require(segment, 0, segment->size, 1, "fill");
    if (status == IST_OK && segment->size != 0)
        memset(segment->address, byte, segment->size);
    return status;
}

ist_status ist_segment_copy(const ist_segment *source, size_t source_offset, const ist_segment *target,
                            size_t target_offset, size_t size)
{
    if (source == NULL || target == NULL)
        return isti_fail_argument("copy", "NULL where a segment is wanted");
    const char *from = "copy source", *to = "copy target";
    ist_status status = ist_segment_is_read_only(*target) ? check_range(target, target_offset, size, 1, to) : IST_OK;
    if (status == IST_OK)
        status = check_range(source, source_offset, size, 0, from);
    if (status == IST_OK)
        status = check_range(target, target_offset, size, 1, to);
    if (status == IST_OK)
        status = require(source, source_offset, size, from);
    if (status == IST_OK)
        status = require(target, target_offset, size, to);
    if (status == IST_OK && size != 0)
        memmove((char *)target->address + target_offset, (const char *)source->address + source_offset, size);
    return status;
}

ist_status ist_segment_copy_from(const ist_segment *target, const ist_segment *source)
{
    if (source == NULL || target == NULL)
        return isti_fail_argument("copy", "NULL where a segment is wanted");
    return ist_segment_copy(source, 0, target, 0, source->size);
}

/* The first index below `size` at which a and b differ; size if none. */
static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t size)
{
    /* Coarse to fine: the library's comparison skips what is equal, the last loop looks at one block. */
    size_t at = 0;
    for (size_t step = 4096; step >= 64; step /= 8)
        while (size - at >= step && memcmp(a + at, b + at, step) == 0)
            at += step;
    while (at < size && a[at] == b[at])
        at++;
    return at;
}

ist_status ist_segment_mismatch(const ist_segment *a, const ist_segment *b, size_t *ret_offset)
{
    if (a == NULL || b == NULL)
        return isti_fail_argument("mismatch", "NULL where a segment is wanted");
    if (ret_offset == NULL)
        return isti_fail_argument("mismatch", "NULL where the offset is wanted");
    ist_status status = isti_bulk_require(a, 0, a->size, 0, "mismatch");
    if (status == IST_OK)
        status = isti_bulk_require(b, 0, b->size, 0, "mismatch");
    if (status != IST_OK)
        return status;
    size_t common = a->size < b->size ? a->size : b->size;
    size_t at = common != 0 ? first_difference(a->address, b->address, common) : 0;
    *ret_offset = at < common || a->size != b->size ? at : IST_NO_MISMATCH;
    return IST_OK;
}
