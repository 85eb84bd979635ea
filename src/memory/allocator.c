/* SPDX-License-Identifier: MIT */
/*
 * The allocator interface, and the allocators that need no state of the library's: arena, slicing,
 * prefix. Not here: frames (frame.c).
 */
#include <isthmus/allocator.h>

#include "base/size.h"
#include "memory/bulk.h"
#include "session/error.h"

#include <string.h>

static ist_status check_request(size_t size, size_t alignment, const ist_segment *ret_segment)
{
    if (!isti_is_power_of_two(alignment))
        return isti_fail(&(isti_failure){ .error = { .status = IST_E_ARGUMENT,
                                                     .operation = "allocation",
                                                     .length = size,
                                                     .alignment = alignment },
                                          .parts = ISTI_PART_LENGTH | ISTI_PART_ALIGNMENT,
                                          .reason = "the alignment is not a power of two" });
    if (ret_segment == NULL)
        return isti_fail_argument("allocation", "NULL where the segment is wanted");
    return IST_OK;
}

ist_status ist_allocate_uninitialized(ist_allocator allocator, size_t size, size_t alignment,
                                      ist_segment *ret_segment)
{
    ist_status status = check_request(size, alignment, ret_segment);
    if (status != IST_OK)
        return status;
    ist_allocate_fn *allocate = allocator.allocate_uninitialized != NULL
                                    ? allocator.allocate_uninitialized
                                    : allocator.allocate;
    if (allocate == NULL)
        return isti_fail_argument("allocation", "the allocator has no function");
    return allocate(allocator.context, size, alignment, ret_segment);
}

ist_status
ist_allocate(ist_allocator allocator, size_t size, size_t alignment, ist_segment *ret_segment)
{
    ist_status status = check_request(size, alignment, ret_segment);
    if (status != IST_OK)
        return status;
    if (allocator.allocate != NULL)
        return allocator.allocate(allocator.context, size, alignment, ret_segment);
    ist_segment segment;
    status = ist_allocate_uninitialized(allocator, size, alignment, &segment);
    if (status == IST_OK)
        status = ist_segment_fill(&segment, 0);
    if (status == IST_OK)
        *ret_segment = segment;
    return status;
}

ist_status ist_allocate_array(ist_allocator allocator, size_t count, size_t size, size_t alignment,
                              ist_segment *ret_segment)
{
    size_t total;
    if (!isti_size_multiply(count, size, &total))
        return isti_fail(&(isti_failure){
            .error = { .status = IST_E_OVERFLOW,
                       .operation = "allocation of an array",
                       .length = size,
                       .limit = count },
            .reason = "the number of elements times their size is more than can be addressed" });
    return ist_allocate(allocator, total, alignment, ret_segment);
}

ist_status ist_allocate_from(ist_allocator allocator, const void *bytes, size_t size,
                             size_t alignment, ist_segment *ret_segment)
{
    if (bytes == NULL && size != 0)
        return isti_fail_argument("allocation", "NULL where bytes are wanted");
    ist_segment segment;
    ist_status status = ist_allocate_uninitialized(allocator, size, alignment,
                                                   ret_segment != NULL ? &segment : NULL);
    if (status != IST_OK)
        return status;
    ist_segment source = ist_segment_of_const(bytes, size);
    status = ist_segment_copy_from(&segment, &source);
    if (status == IST_OK)
        *ret_segment = segment;
    return status;
}

ist_status
ist_allocate_string(ist_allocator allocator, const char *string, ist_segment *ret_segment)
{
    if (string == NULL)
        return isti_fail_argument("allocation", "NULL where a string is wanted");
    return ist_allocate_from(allocator, string, strlen(string) + 1, 1, ret_segment);
}

/* ---- Arena ---- */

static ist_status
allocate_from_arena(void *context, size_t size, size_t alignment, ist_segment *ret_segment)
{
    const ist_arena *arena = context;
    return ist_arena_allocate(*arena, size, alignment, ret_segment);
}

static ist_status allocate_uninitialized_from_arena(void *context, size_t size, size_t alignment,
                                                    ist_segment *ret_segment)
{
    const ist_arena *arena = context;
    return ist_arena_allocate_uninitialized(*arena, size, alignment, ret_segment);
}

ist_allocator ist_arena_allocator(const ist_arena *arena)
{
    return (ist_allocator){ .allocate = allocate_from_arena,
                            .allocate_uninitialized = allocate_uninitialized_from_arena,
                            .context = (void *)(uintptr_t)arena };
}

/* ---- Slicing ---- */

static ist_status no_room(size_t size, size_t alignment, size_t room)
{
    return isti_fail(&(isti_failure){ .error = { .status = IST_E_BOUNDS,
                                                 .operation = "allocation",
                                                 .length = size,
                                                 .alignment = alignment,
                                                 .limit = room },
                                      .parts = ISTI_PART_LENGTH | ISTI_PART_ALIGNMENT,
                                      .reason = "the segment that is cut has no room for it" });
}

ist_status ist_slicing_over(ist_segment segment, ist_slicing *ret_slicing)
{
    if (ret_slicing == NULL)
        return isti_fail_argument("slicing", "NULL where the slicing is wanted");
    if (ist_segment_is_read_only(segment))
        return isti_fail(&(isti_failure){
            .error = { .status = IST_E_READ_ONLY, .operation = "slicing", .limit = segment.size },
            .parts = ISTI_PART_SEGMENT });
    *ret_slicing = (ist_slicing){ .segment = segment };
    return IST_OK;
}

static ist_status
allocate_slice(void *context, size_t size, size_t alignment, ist_segment *ret_segment)
{
    ist_slicing *slicing = context;
    const ist_segment *whole = &slicing->segment;
    uintptr_t front = (uintptr_t)whole->address;
    size_t room = whole->size - slicing->used;
    /* The gap before the next multiple of alignment; below alignment, so that it cannot wrap. */
    size_t gap = (0 - (front + slicing->used)) & (alignment - 1);
    if (gap > room || size > room - gap)
        return no_room(size, alignment, room);
    ist_status status = isti_bulk_require(whole, slicing->used + gap, size, 1, "allocation");
    if (status != IST_OK)
        return status;
    *ret_segment = (ist_segment){ .address = (char *)whole->address + slicing->used + gap,
                                  .size = size,
                                  .session = whole->session,
                                  .expected = whole->expected };
    slicing->used += gap + size;
    return IST_OK;
}

ist_allocator ist_slicing_allocator(ist_slicing *slicing)
{
    return (ist_allocator){ .allocate_uninitialized = allocate_slice, .context = slicing };
}

/* ---- Prefix ---- */

static ist_status
allocate_prefix(void *context, size_t size, size_t alignment, ist_segment *ret_segment)
{
    const ist_segment *whole = context;
    ist_segment prefix;
    if (ist_segment_is_read_only(*whole))
        return isti_bulk_require(whole, 0, size, 1, "allocation");
    ist_status status = ist_segment_slice_aligned(*whole, 0, size, alignment, &prefix);
    if (status == IST_OK)
        status = isti_bulk_require(whole, 0, size, 1, "allocation");
    if (status == IST_OK)
        *ret_segment = prefix;
    return status;
}

ist_allocator ist_prefix_allocator(const ist_segment *segment)
{
    return (ist_allocator){ .allocate_uninitialized = allocate_prefix,
                            .context = (void *)(uintptr_t)segment };
}
