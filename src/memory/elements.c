/* SPDX-License-Identifier: MIT */
/*
 * Elements of a segment: the way through them, copies with swapped bytes, allocated copies.
 * Invariant: what can be refused without looking at memory is refused before anything is allocated
 * or moved. Not here: how bytes are swapped (swap.c), pieces and closes (bulk.c).
 */
#include <isthmus/elements.h>

#include "base/size.h"
#include "memory/swap.h"
#include "os/processor.h"

#include <string.h>

/* ---- Going through ---- */

static ist_status
way_failure(ist_status status, const ist_segment *segment, size_t alignment, const char *reason)
{
    return isti_fail(&(isti_failure){
        .error = { .status = status,
                   .operation = "elements",
                   .limit = segment->size,
                   .alignment = alignment,
                   .address = status == IST_E_ALIGNMENT ? (uintptr_t)segment->address : 0 },
        .parts = ISTI_PART_SEGMENT,
        .reason = reason });
}

ist_status ist_elements_over(const ist_segment *segment, size_t element_size, size_t alignment,
                             ist_elements *ret_elements)
{
    if (segment == NULL || ret_elements == NULL)
        return isti_fail_argument("elements", segment == NULL ? "NULL where a segment is wanted"
                                                              : "NULL where they are wanted");
    if (!isti_is_power_of_two(alignment))
        return way_failure(IST_E_ARGUMENT, segment, alignment,
                           "the alignment is not a power of two");
    if (element_size == 0)
        return way_failure(IST_E_LAYOUT, segment, alignment, "an element of 0 bytes");
    if (element_size % alignment != 0)
        return way_failure(IST_E_LAYOUT, segment, alignment,
                           "the element size is no multiple of the alignment");
    if (segment->size % element_size != 0)
        return way_failure(IST_E_LAYOUT, segment, alignment,
                           "its size is no multiple of the element size");
    if (((uintptr_t)segment->address & (alignment - 1)) != 0)
        return way_failure(IST_E_ALIGNMENT, segment, alignment, NULL);
    *ret_elements = (ist_elements){ .rest = *segment, .element_size = element_size };
    return IST_OK;
}

int ist_elements_split(ist_elements *elements, ist_elements *ret_half)
{
    size_t size = ist_elements_count(elements) / 2 * elements->element_size;
    if (size == 0)
        return 0;
    ist_elements half = *elements;
    half.rest.size = size;
    elements->rest.address = isti_place(elements->rest.address, size);
    elements->rest.size -= size;
    *ret_half = half;
    return 1;
}

/* ---- Copying ---- */

/* How elements are moved; NULL, with the failure recorded: they cannot be. */
static isti_move_fn *move_of(size_t element_size, int swapped)
{
    isti_move_fn *move = swapped ? isti_swap_move(element_size, isti_processor_has_avx2())
                         : element_size != 0 ? memmove
                                             : NULL;
    if (move == NULL)
        isti_fail(&(isti_failure){
            .error = { .status = IST_E_LAYOUT, .operation = "copy", .length = element_size },
            .reason = element_size == 0 ? "elements of 0 bytes"
                                        : "elements of such a size have no order of bytes" });
    return move;
}

static ist_status too_many(ist_status status, const char *operation)
{
    return isti_fail(&(isti_failure){
        .error = { .status = status, .operation = operation },
        .reason = "the number of elements times their size is more than can be addressed" });
}

ist_status ist_segment_copy_elements(const ist_segment *source, size_t source_offset,
                                     const ist_segment *target, size_t target_offset, size_t count,
                                     size_t element_size, int swapped)
{
    if (source == NULL || target == NULL)
        return isti_fail_argument("copy", "NULL where a segment is wanted");
    isti_move_fn *move = move_of(element_size, swapped);
    if (move == NULL)
        return IST_E_LAYOUT;
    size_t size;
    if (isti_size_multiply(count, element_size, &size))
        return isti_bulk_copy(source, source_offset, target, target_offset, size, move);
    if (ist_segment_is_read_only(*target))
        return isti_bulk_refuse(IST_E_READ_ONLY, target, target_offset, SIZE_MAX, "copy target");
    return too_many(IST_E_BOUNDS, "copy");
}

/* An array of the caller's, whose size the caller answers for. */
static ist_segment array_of(void *array)
{
    return ist_segment_of(array, SIZE_MAX);
}

ist_status ist_segment_get_array(const ist_segment *segment, size_t offset, void *array,
                                 size_t count, size_t element_size, int swapped)
{
    if (array == NULL && count != 0)
        return isti_fail_argument("copy", "NULL where an array is wanted");
    ist_segment target = array_of(array);
    return ist_segment_copy_elements(segment, offset, &target, 0, count, element_size, swapped);
}

ist_status ist_segment_set_array(const ist_segment *segment, size_t offset, const void *array,
                                 size_t count, size_t element_size, int swapped)
{
    if (array == NULL && count != 0)
        return isti_fail_argument("copy", "NULL where an array is wanted");
    ist_segment source = array_of((void *)(uintptr_t)array);
    return ist_segment_copy_elements(&source, 0, segment, offset, count, element_size, swapped);
}

/* ---- Allocating ---- */

ist_status ist_allocate_from_array(ist_allocator allocator, const void *array, size_t count,
                                   size_t element_size, size_t alignment, int swapped,
                                   ist_segment *ret_segment)
{
    if (array == NULL && count != 0)
        return isti_fail_argument("allocation", "NULL where an array is wanted");
    if (move_of(element_size, swapped) == NULL)
        return IST_E_LAYOUT;
    size_t size;
    if (!isti_size_multiply(count, element_size, &size))
        return too_many(IST_E_OVERFLOW, "allocation");
    ist_segment segment;
    ist_status status = ist_allocate_uninitialized(allocator, size, alignment,
                                                   ret_segment != NULL ? &segment : NULL);
    if (status == IST_OK)
        status = ist_segment_set_array(&segment, 0, array, count, element_size, swapped);
    if (status == IST_OK)
        *ret_segment = segment;
    return status;
}

ist_status ist_allocate_from_segment(ist_allocator allocator, const ist_segment *source,
                                     size_t offset, size_t size, size_t alignment,
                                     ist_segment *ret_segment)
{
    if (source == NULL)
        return isti_fail_argument("allocation", "NULL where a segment is wanted");
    ist_status status = isti_bulk_require(source, offset, size, 0, "copy source");
    if (status != IST_OK)
        return status;
    ist_segment segment;
    status = ist_allocate_uninitialized(allocator, size, alignment,
                                        ret_segment != NULL ? &segment : NULL);
    if (status == IST_OK)
        status = ist_segment_copy(source, offset, &segment, 0, size);
    if (status == IST_OK)
        *ret_segment = segment;
    return status;
}

#define DEFINE_ALLOCATE(name, type, bits, alignment, swapped)                                     \
    ist_status ist_allocate_##name(ist_allocator allocator, type value, ist_segment *ret_segment) \
    {                                                                                             \
        unsigned char raw[sizeof(type)];                                                          \
        isti_store_##name(raw, value);                                                            \
        return ist_allocate_from(allocator, raw, sizeof raw, alignment, ret_segment);             \
    }
ISTI_ACCESSOR_LIST(DEFINE_ALLOCATE)
