/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_SEGMENT_H
#define ISTHMUS_SEGMENT_H
/*
 * Segments: a range of memory together with the lifetime that it belongs to.
 *
 *     ist_segment header, body;
 *     IST_CHECK(ist_segment_slice(message, 0, 16, &header));
 *     IST_CHECK(ist_segment_slice_from(message, 16, &body));
 *     IST_CHECK(ist_segment_copy(&body, 0, &log, used, ist_segment_size(body)));
 *     body = ist_segment_as_read_only(body);          // and every slice of it stays so
 *
 * A segment is a value of 32 bytes, copied freely; it owns nothing. `{0}` is the NULL segment: no
 * bytes, at address 0. Shaping a segment (slice, read-only, reinterpret) touches no memory and asks
 * neither for liveness nor for the thread; whatever touches memory asks for both.
 *
 * An access is checked in this order, and the first that fails gives the status: IST_E_READ_ONLY
 * (writes), IST_E_BOUNDS, IST_E_ALIGNMENT, IST_E_CLOSED, IST_E_WRONG_THREAD. A stale handle is
 * IST_E_CLOSED on every thread: its record may serve somebody else by now.
 *
 * Threads: values may be copied anywhere. A segment of a confined arena is usable on the owner's
 *          thread only; one of the global arena or of caller memory on any. Isthmus does not order
 *          the accesses of several threads to the same bytes.
 *
 * Follows java.lang.foreign.MemorySegment.
 */
#include <isthmus/abi.h>
#include <isthmus/status.h>

IST_BEGIN_DECLS
ISTI_BEGIN_INLINES

/*
 * An arena: a lifetime and the memory that ends with it. A value of 16 bytes; the fields are
 * read-only to callers. `{0}` is a closed arena.
 */
typedef struct ist_arena {
    isti_session *session;
    uint64_t expected; /* The state word of the session in this life. */
} ist_arena;

/* A range of memory. The fields are read-only to callers. */
typedef struct ist_segment {
    void *address;
    size_t size;       /* Bytes. */
    uintptr_t session; /* The session, with ISTI_READ_ONLY and ISTI_MAPPED in its low bits. */
    uint64_t expected;
} ist_segment;

ISTI_STATIC_ASSERT(sizeof(ist_arena) == 16);
ISTI_STATIC_ASSERT(sizeof(ist_segment) == 32);
ISTI_STATIC_ASSERT(offsetof(ist_segment, session) == 16);

/* What ist_segment_mismatch() finds between equal ranges. */
#define IST_NO_MISMATCH SIZE_MAX

/* Slow halves: they find out what is wrong, record it and return its status. */
IST_API ISTI_COLD ist_status isti_slice_fail(size_t size, size_t offset, size_t length,
                                             int has_ret);
IST_API ISTI_COLD ist_status isti_slice_aligned_fail(const void *address, size_t size,
                                                     size_t offset, size_t length, size_t alignment,
                                                     int has_ret);

/*
 * The address `offset` bytes on, by integers: adding 0 to NULL, as for the NULL segment, is no sum
 * of C's.
 */
IST_INLINE void *isti_place(void *address, size_t offset)
{
    return (void *)((uintptr_t)address + offset);
}

/* ---- Making ---- */

/*
 * Wraps memory of the caller's: pointer to pointer + size, in the global arena, so that it is never
 * closed. The caller answers for the range being valid for as long as the segment is used. FFM:
 * MemorySegment.ofAddress + reinterpret.
 */
IST_INLINE ist_segment ist_segment_of(void *pointer, size_t size)
{
    ist_segment segment = { pointer, size, 0, ISTI_GLOBAL };
    return segment;
}

/* Wraps memory that is not to be written through the segment. */
IST_INLINE ist_segment ist_segment_of_const(const void *pointer, size_t size)
{
    ist_segment segment = { (void *)(uintptr_t)pointer, size, ISTI_READ_ONLY, ISTI_GLOBAL };
    return segment;
}

/* ---- Asking ---- */

/* The address as a number, whether or not anything may be read there. */
IST_INLINE uintptr_t ist_segment_address(ist_segment segment)
{
    return (uintptr_t)segment.address;
}

/*
 * The address as a pointer, for code that answers for bounds, liveness, thread and access mode
 * itself. IST_WITH_READ() and IST_WITH_WRITE() hand out a checked one.
 */
IST_INLINE void *ist_segment_pointer_unchecked(ist_segment segment)
{
    return segment.address;
}

IST_INLINE size_t ist_segment_size(ist_segment segment)
{
    return segment.size;
}

IST_INLINE int ist_segment_is_read_only(ist_segment segment)
{
    return (segment.session & ISTI_READ_ONLY) != 0;
}

/*
 * The arena that the segment belongs to: the global one for caller memory, a closed one for `{0}`.
 */
IST_INLINE ist_arena ist_segment_arena(ist_segment segment)
{
    ist_arena arena = { (isti_session *)(segment.session & ~ISTI_TAG_MASK), segment.expected };
    return arena;
}

/*
 * Whether two segments begin at the same address: size, arena and access mode do not count (FFM:
 * MemorySegment.equals in JDK 22 and newer).
 */
IST_INLINE int ist_segment_equals(ist_segment a, ist_segment b)
{
    return a.address == b.address;
}

/* How far b begins after a, in bytes; negative if before. */
IST_INLINE ptrdiff_t ist_segment_offset(ist_segment a, ist_segment b)
{
    return (ptrdiff_t)((uintptr_t)b.address - (uintptr_t)a.address);
}

/* ---- Shaping ---- */

/* The same bytes, read-only; there is no way back. */
IST_INLINE ist_segment ist_segment_as_read_only(ist_segment segment)
{
    segment.session |= ISTI_READ_ONLY;
    return segment;
}

/*
 * The `size` bytes at `offset`.
 * Returns: IST_OK; IST_E_BOUNDS unless offset + size <= the segment's size; IST_E_ARGUMENT if
 *          ret_slice is NULL.
 */
IST_NODISCARD IST_INLINE ist_status ist_segment_slice(ist_segment segment, size_t offset,
                                                      size_t size, ist_segment *ret_slice)
{
    if (ISTI_UNLIKELY(ret_slice == NULL || offset > segment.size || size > segment.size - offset))
        return isti_slice_fail(segment.size, offset, size, ret_slice != NULL);
    segment.address = isti_place(segment.address, offset);
    segment.size = size;
    *ret_slice = segment;
    return IST_OK;
}

/* All bytes from `offset` on. Returns: as ist_segment_slice(). */
IST_NODISCARD IST_INLINE ist_status ist_segment_slice_from(ist_segment segment, size_t offset,
                                                           ist_segment *ret_slice)
{
    if (ISTI_UNLIKELY(ret_slice == NULL || offset > segment.size))
        return isti_slice_fail(segment.size, offset, 0, ret_slice != NULL);
    segment.address = isti_place(segment.address, offset);
    segment.size -= offset;
    *ret_slice = segment;
    return IST_OK;
}

/*
 * As ist_segment_slice(), and the slice begins at a multiple of `alignment`.
 * Returns: IST_OK; IST_E_ARGUMENT if ret_slice is NULL or alignment is not a power of two;
 *          IST_E_BOUNDS; IST_E_ALIGNMENT.
 */
IST_NODISCARD IST_INLINE ist_status ist_segment_slice_aligned(ist_segment segment, size_t offset,
                                                              size_t size, size_t alignment,
                                                              ist_segment *ret_slice)
{
    if (ISTI_UNLIKELY(alignment == 0 || (alignment & (alignment - 1)) != 0 ||
                      (((uintptr_t)segment.address + offset) & (alignment - 1)) != 0 ||
                      ret_slice == NULL || offset > segment.size || size > segment.size - offset))
        return isti_slice_aligned_fail(segment.address, segment.size, offset, size, alignment,
                                       ret_slice != NULL);
    segment.address = isti_place(segment.address, offset);
    segment.size = size;
    *ret_slice = segment;
    return IST_OK;
}

/*
 * The same address, arena and access mode with another size, also a larger one: the caller answers
 * for the bytes beyond the old bounds. FFM: reinterpret(newSize), a restricted method.
 */
IST_INLINE ist_segment ist_segment_reinterpret_unchecked(ist_segment segment, size_t size)
{
    segment.size = size;
    return segment;
}

/*
 * The part of a that b covers too, as a slice of a; `{0}` if they have no byte in common.
 * FFM: asOverlappingSlice.
 */
IST_INLINE ist_segment ist_segment_overlap(ist_segment a, ist_segment b)
{
    uintptr_t first = (uintptr_t)a.address, other = (uintptr_t)b.address;
    size_t skip = other > first ? other - first : 0;  /* Of a. */
    size_t ahead = first > other ? first - other : 0; /* Of b. */
    if (skip >= a.size || ahead >= b.size) {
        ist_segment none = { NULL, 0, 0, 0 };
        return none;
    }
    a.address = isti_place(a.address, skip);
    a.size -= skip;
    if (a.size > b.size - ahead)
        a.size = b.size - ahead;
    return a;
}

/*
 * Called when the arena that a segment was moved into ends: `segment` has the address and size it
 * was given, in the global arena, so that the action may still use it. Runs on the closing thread.
 */
typedef void ist_segment_cleanup_fn(void *data, const ist_segment *segment);

/*
 * The same address with `size` bytes in the lifetime of `arena`; keeps read-only. If `cleanup` is
 * not NULL it is called once when that arena ends. The caller answers for the memory living that
 * long: typically the result of a foreign function and its matching free. FFM: reinterpret(newSize,
 * arena, cleanup).
 * Ownership: on IST_OK the arena answers for the cleanup; on any other status the caller still
 *            does.
 * Returns:   IST_OK; IST_E_ARGUMENT (ret_segment is NULL); IST_E_CLOSED; IST_E_WRONG_THREAD;
 *            IST_E_NO_MEMORY.
 * Threads:   the owner of a confined arena.
 */
IST_NODISCARD IST_API ist_status ist_segment_reinterpret(const ist_segment *segment, size_t size,
                                                         ist_arena arena,
                                                         ist_segment_cleanup_fn *cleanup,
                                                         void *data, ist_segment *ret_segment);

/* ---- Liveness ---- */

/* Whether the arena of the segment is open; from any thread. */
IST_API int ist_segment_is_alive(const ist_segment *segment);

/*
 * Whether the calling thread may use the segment as far as threads go, open or not: no owner, or it
 * is the owner. FFM: isAccessibleBy.
 */
IST_API int ist_segment_is_accessible(const ist_segment *segment);

/* ---- Bulk ---- */

/*
 * Sets every byte.
 * Returns: IST_OK; IST_E_ARGUMENT (segment is NULL); IST_E_READ_ONLY; IST_E_CLOSED;
 *          IST_E_WRONG_THREAD.
 */
IST_NODISCARD IST_API ist_status ist_segment_fill(const ist_segment *segment, uint8_t byte);

/*
 * Copies `size` bytes; overlapping ranges as memmove() does. Both ranges are checked before a byte
 * moves.
 * Returns: IST_OK; IST_E_ARGUMENT (a NULL); IST_E_READ_ONLY (target); IST_E_BOUNDS (the source,
 *          then the target); IST_E_CLOSED; IST_E_WRONG_THREAD.
 */
IST_NODISCARD IST_API ist_status ist_segment_copy(const ist_segment *source, size_t source_offset,
                                                  const ist_segment *target, size_t target_offset,
                                                  size_t size);

/* Copies all of source to the beginning of target. Returns: as ist_segment_copy(). */
IST_NODISCARD IST_API ist_status ist_segment_copy_from(const ist_segment *target,
                                                       const ist_segment *source);

/*
 * Finds the first offset at which two segments differ. Where one is a proper prefix of the other,
 * that is the smaller size.
 * Returns: IST_OK, *ret_offset = the offset or IST_NO_MISMATCH; IST_E_ARGUMENT (a NULL);
 *          IST_E_CLOSED; IST_E_WRONG_THREAD.
 */
IST_NODISCARD IST_API ist_status ist_segment_mismatch(const ist_segment *a, const ist_segment *b,
                                                      size_t *ret_offset);

/*
 * The same for `a_size` bytes at `a_offset` and `b_size` at `b_offset`; *ret_offset counts from
 * there. Both ranges are checked before a byte is compared. FFM: the static mismatch.
 * Returns: as ist_segment_mismatch(); IST_E_BOUNDS (a, then b).
 */
IST_NODISCARD IST_API ist_status ist_segment_mismatch_range(const ist_segment *a, size_t a_offset,
                                                            size_t a_size, const ist_segment *b,
                                                            size_t b_offset, size_t b_size,
                                                            size_t *ret_offset);

ISTI_END_INLINES
IST_END_DECLS
#endif
