/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_ELEMENTS_H
#define ISTHMUS_ELEMENTS_H
/*
 * Elements: a segment as values of one size in a row. Going through them, splitting the way between
 * threads, copying them into and out of arrays with their bytes swapped or not, and allocating
 * copies of them.
 *
 *     ist_elements points;
 *     ist_segment point;
 *     IST_CHECK(ist_elements_over(&rows, sizeof(struct point), _Alignof(struct point), &points));
 *     while (ist_elements_next(&points, &point))
 *         sum += ist_read_f64(point, offsetof(struct point, x));
 *
 *     int32_t values[100];
 *     IST_CHECK(ist_segment_get_array(&packet, 8, values, 100, sizeof(int32_t), is_swapped));
 *
 * Whether bytes are swapped is a number that is not 0. What is swapped has 1, 2, 4, 8 or 16 bytes;
 * what is not has any number but 0.
 *
 * Threads: an ist_elements is a value and serves one thread at a time; the segments behind it as
 *          everywhere.
 */
#include <isthmus/access.h>
#include <isthmus/allocator.h>

IST_BEGIN_DECLS
ISTI_BEGIN_INLINES

/* ---- Going through ---- */

/*
 * What is left to go through. A value; the fields are read-only to callers. `{0}` has no elements.
 * Invariant: rest.size is a multiple of element_size.
 */
typedef struct ist_elements {
    ist_segment rest;
    size_t element_size; /* Bytes. */
} ist_elements;

ISTI_STATIC_ASSERT(sizeof(ist_elements) == 40);

/*
 * Begins at the front of a segment. Like all shaping it asks neither for liveness nor for the
 * thread: every access to an element does. FFM: MemorySegment.elements.
 * Returns: IST_OK; IST_E_ARGUMENT (a NULL, alignment is no power of two); IST_E_LAYOUT (the element
 *          size is 0 or no multiple of the alignment, the segment's size is no multiple of the
 *          element size); IST_E_ALIGNMENT (the segment begins at another address than a multiple
 *          of the alignment), looked for in this order.
 */
IST_NODISCARD IST_API ist_status ist_elements_over(const ist_segment *segment, size_t element_size,
                                                   size_t alignment, ist_elements *ret_elements);

/*
 * Takes the next element, as a slice of the segment. Returns: 1; 0, and *ret_element stays as it
 * was, if none is left.
 */
IST_INLINE int ist_elements_next(ist_elements *elements, ist_segment *ret_element)
{
    ist_segment element = elements->rest;
    if (element.size == 0)
        return 0;
    elements->rest.address = isti_place(element.address, elements->element_size);
    elements->rest.size = element.size - elements->element_size;
    element.size = elements->element_size;
    *ret_element = element;
    return 1;
}

/* How many elements are left. */
IST_INLINE size_t ist_elements_count(const ist_elements *elements)
{
    return elements->element_size != 0 ? elements->rest.size / elements->element_size : 0;
}

/*
 * Splits the way in halves for two threads: the first half of what is left (the smaller one, if the
 * number is odd) goes into *ret_half, the second stays. Halves can be split again.
 * FFM: Spliterator.trySplit.
 * Returns: 1; 0, and nothing changes, if fewer than two elements are left.
 */
IST_API int ist_elements_split(ist_elements *elements, ist_elements *ret_half);

/* ---- Copying ---- */

/*
 * Copies `count` elements and reverses the bytes of each if `swapped`; at any address, and
 * overlapping ranges as memmove() does, by parts of an element too. Both ranges are checked before
 * a byte moves. FFM: MemorySegment.copy with two layouts, of unaligned values.
 * Returns: IST_OK; IST_E_ARGUMENT (a NULL); IST_E_LAYOUT (the element size is 0, or one that cannot
 *          be swapped); IST_E_READ_ONLY (target); IST_E_BOUNDS (the source, then the target);
 *          IST_E_CLOSED; IST_E_WRONG_THREAD.
 */
IST_NODISCARD IST_API ist_status ist_segment_copy_elements(const ist_segment *source,
                                                           size_t source_offset,
                                                           const ist_segment *target,
                                                           size_t target_offset, size_t count,
                                                           size_t element_size, int swapped);

/*
 * The same from a segment into an array of the caller's, which has room for them.
 * Returns: as ist_segment_copy_elements(); `array` may be NULL if count is 0.
 */
IST_NODISCARD IST_API ist_status ist_segment_get_array(const ist_segment *segment, size_t offset,
                                                       void *array, size_t count,
                                                       size_t element_size, int swapped);

/* The same from an array into a segment. Returns: as ist_segment_get_array(). */
IST_NODISCARD IST_API ist_status ist_segment_set_array(const ist_segment *segment, size_t offset,
                                                       const void *array, size_t count,
                                                       size_t element_size, int swapped);

/* ---- Allocating ---- */

/*
 * Allocates a copy of an array, swapped or not.
 * Returns: as ist_allocate(), whose alignment it takes; IST_E_ARGUMENT if array is NULL and count
 *          is not 0; IST_E_LAYOUT as ist_segment_copy_elements(); IST_E_OVERFLOW if count x
 *          element_size is not representable.
 */
IST_NODISCARD IST_API ist_status ist_allocate_from_array(ist_allocator allocator, const void *array,
                                                         size_t count, size_t element_size,
                                                         size_t alignment, int swapped,
                                                         ist_segment *ret_segment);

/*
 * Allocates a copy of `size` bytes at `offset` of a segment, which are checked first.
 * Returns: as ist_allocate(); IST_E_ARGUMENT if source is NULL; IST_E_BOUNDS, IST_E_CLOSED and
 *          IST_E_WRONG_THREAD as ist_segment_copy().
 */
IST_NODISCARD IST_API ist_status ist_allocate_from_segment(ist_allocator allocator,
                                                           const ist_segment *source, size_t offset,
                                                           size_t size, size_t alignment,
                                                           ist_segment *ret_segment);

/*
 * For each type T of <isthmus/access.h>, `_unaligned`, `_le` and `_be` included,
 *
 *     ist_status ist_allocate_T(ist_allocator allocator, T value, ist_segment *ret_segment);
 *
 * allocates the size of one value, at the alignment that ist_set_T() asks for, and stores it as
 * ist_set_T() does. Returns: as ist_allocate(). FFM: SegmentAllocator.allocateFrom of a value.
 */
#define ISTI_DECLARE_ALLOCATE(name, type, bits, alignment, swapped)                           \
    IST_NODISCARD IST_API ist_status ist_allocate_##name(ist_allocator allocator, type value, \
                                                         ist_segment *ret_segment);
ISTI_ACCESSOR_LIST(ISTI_DECLARE_ALLOCATE)

ISTI_END_INLINES
IST_END_DECLS
#endif
