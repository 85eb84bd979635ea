/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_ALLOCATOR_H
#define ISTHMUS_ALLOCATOR_H
/*
 * Allocators: the interface through which whatever needs a segment asks for one.
 *
 *     ist_slicing slicing;
 *     ist_segment a, b;
 *     IST_CHECK(ist_slicing_over(buffer, &slicing));
 *     ist_allocator allocator = ist_slicing_allocator(&slicing);
 *     IST_CHECK(ist_allocate(allocator, 24, 8, &a));     // the first 24 bytes of buffer
 *     IST_CHECK(ist_allocate(allocator, 100, 1, &b));    // the next 100, or IST_E_BOUNDS
 *
 * An allocator is two functions and a context; it owns nothing, and is good for as long as its
 * context is.
 *
 *     arena      the arena's own memory
 *     slicing    one segment, cut from the front to the back
 *     prefix     one segment, its beginning again and again: each block overwrites the last
 *     frame      a piece of the thread's stack of scratch memory
 *     yours      any two functions
 *
 * Threads: as the memory behind it; a slicing and a frame serve one thread at a time. Follows
 *          java.lang.foreign.SegmentAllocator.
 */
#include <isthmus/arena.h>

IST_BEGIN_DECLS

/*
 * Gives a segment of `size` bytes at a multiple of `alignment`, a power of two; anything but IST_OK
 * leaves *ret_segment as it was.
 */
typedef ist_status
ist_allocate_fn(void *context, size_t size, size_t alignment, ist_segment *ret_segment);

/* At least one of the two functions is there. */
typedef struct ist_allocator {
    ist_allocate_fn *allocate; /* Zeroed blocks; NULL: clear those of the other. */
    /* Blocks of unspecified content; NULL: those of the first. */
    ist_allocate_fn *allocate_uninitialized;
    void *context;
} ist_allocator;

/*
 * Allocates `size` zeroed bytes from any allocator.
 * Returns: IST_OK; IST_E_ARGUMENT (alignment is no power of two, ret_segment is NULL, the allocator
 *          has no function); whatever the allocator answers.
 */
IST_NODISCARD IST_API ist_status ist_allocate(ist_allocator allocator, size_t size,
                                              size_t alignment, ist_segment *ret_segment);

/* As ist_allocate(), for callers that overwrite every byte. */
IST_NODISCARD IST_API ist_status ist_allocate_uninitialized(ist_allocator allocator, size_t size,
                                                            size_t alignment,
                                                            ist_segment *ret_segment);

/*
 * Allocates count x size bytes, zeroed. Returns: as ist_allocate(); IST_E_OVERFLOW if the product
 * is not representable.
 */
IST_NODISCARD IST_API ist_status ist_allocate_array(ist_allocator allocator, size_t count,
                                                    size_t size, size_t alignment,
                                                    ist_segment *ret_segment);

/*
 * Allocates a copy of `size` bytes of the caller's. Returns: as ist_allocate(); IST_E_ARGUMENT if
 * bytes is NULL and size is not 0.
 */
IST_NODISCARD IST_API ist_status ist_allocate_from(ist_allocator allocator, const void *bytes,
                                                   size_t size, size_t alignment,
                                                   ist_segment *ret_segment);

/*
 * Allocates a copy of a string with its terminator, at alignment 1. Returns: as
 * ist_allocate_from().
 */
IST_NODISCARD IST_API ist_status ist_allocate_string(ist_allocator allocator, const char *string,
                                                     ist_segment *ret_segment);

/* ---- An arena as allocator ---- */

/* Allocates from *arena, which the caller keeps in place for as long as the allocator is used. */
IST_API ist_allocator ist_arena_allocator(const ist_arena *arena);

/* ---- Slicing ---- */

/* Cuts a segment into blocks, front to back; the blocks are slices of it and live as long. */
typedef struct ist_slicing {
    ist_segment segment;
    size_t used; /* Bytes, alignment gaps included. */
} ist_slicing;

/*
 * Begins at the front of a segment. Returns: IST_OK; IST_E_READ_ONLY; IST_E_ARGUMENT (ret_slicing
 * is NULL).
 */
IST_NODISCARD IST_API ist_status ist_slicing_over(ist_segment segment, ist_slicing *ret_slicing);

/*
 * An allocation that does not fit is IST_E_BOUNDS and changes nothing; it is an access, and has its
 * statuses.
 */
IST_API ist_allocator ist_slicing_allocator(ist_slicing *slicing);

/* ---- Prefix ---- */

/*
 * Hands out the beginning of *segment each time, so that each block takes the place of the one
 * before. For results that are used up before the next is asked for. A segment that is too small is
 * IST_E_BOUNDS, one that begins at the wrong place IST_E_ALIGNMENT, a read-only one
 * IST_E_READ_ONLY. FFM: SegmentAllocator.prefixAllocator.
 */
IST_API ist_allocator ist_prefix_allocator(const ist_segment *segment);

/* ---- Frames ---- */

/*
 * A frame of the thread's stack of scratch memory: for a few bytes that are wanted until the end of
 * a block.
 *
 *     ist_frame frame;
 *     IST_CHECK(ist_frame_push(64, 8, &frame));
 *     IST_CHECK(ist_frame_allocate(&frame, 16, 8, &point));   // not zeroed
 *     IST_CHECK(ist_frame_pop(&frame));                       // and point answers IST_E_CLOSED
 *
 * Frames are popped in the reverse order of being pushed. The fields are the library's.
 */
typedef struct ist_frame {
    ist_arena arena;
    size_t size;  /* Bytes taken of the thread's block, 0 if the frame did not fit there. */
    size_t depth; /* 1 for the first frame of a thread. */
} ist_frame;

/*
 * Pushes a frame that has room for `size` bytes at a multiple of `alignment`. What does not fit the
 * thread's block, now or when allocating, comes from a confined arena's ordinary memory.
 * Ownership: the caller pops it on the same thread.
 * Returns:   IST_OK; IST_E_ARGUMENT (alignment is no power of two, ret_frame is NULL);
 *            IST_E_OVERFLOW; IST_E_NO_MEMORY.
 */
IST_NODISCARD IST_API ist_status ist_frame_push(size_t size, size_t alignment,
                                                ist_frame *ret_frame);

/*
 * Allocates from the top frame; what the bytes hold is unspecified. The block lives until the frame
 * is popped.
 * Returns: as ist_arena_allocate(); IST_E_BUSY if the frame is not the thread's top frame;
 *          IST_E_CLOSED once it is popped.
 */
IST_NODISCARD IST_API ist_status ist_frame_allocate(ist_frame *frame, size_t size, size_t alignment,
                                                    ist_segment *ret_segment);

/*
 * Ends the frame and all blocks of it.
 * Returns: IST_OK; IST_E_BUSY if it is not the thread's top frame (nothing changes); IST_E_HELD;
 *          IST_E_CLOSED (popped already); IST_E_WRONG_THREAD; IST_E_ARGUMENT (NULL).
 */
IST_NODISCARD IST_API ist_status ist_frame_pop(ist_frame *frame);

/* The frame as allocator; its blocks are not zeroed unless asked for by ist_allocate(). */
IST_API ist_allocator ist_frame_allocator(ist_frame *frame);

IST_END_DECLS
#endif
