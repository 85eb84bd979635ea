/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_BULK_H
#define ISTI_MEMORY_BULK_H
/* A range of a segment that library code is about to touch. */
#include <isthmus/segment.h>

/*
 * Whether `size` bytes at `offset` may be touched by the calling thread, and until
 * isti_arena_leave(*ret_slot) a close of a shared arena waits. The failure is recorded as one of
 * `operation`, a constant string.
 * Returns: IST_OK; IST_E_READ_ONLY (writes); IST_E_BOUNDS; IST_E_CLOSED; IST_E_WRONG_THREAD, looked
 *          for in this order.
 */
ist_status isti_bulk_enter(const ist_segment *segment, size_t offset, size_t size, int writes,
                           const char *operation, uint64_t **ret_slot);

/* The same, for a moment. */
ist_status isti_bulk_require(const ist_segment *segment, size_t offset, size_t size, int writes,
                             const char *operation);

#endif
