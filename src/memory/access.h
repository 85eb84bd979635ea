/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_ACCESS_H
#define ISTI_MEMORY_ACCESS_H
/* One access to a range of a segment, from the slow paths. */
#include <isthmus/segment.h>

typedef struct isti_attempt {
    ist_segment segment;
    size_t offset;
    size_t length;
    size_t alignment;
    int writes;
    const char *operation; /* A constant string. */
} isti_attempt;

/*
 * Begins the attempt: until isti_arena_leave(*ret_slot) a close of a shared arena waits. Or refuses
 * it and records why.
 * Returns: IST_OK; IST_E_READ_ONLY; IST_E_BOUNDS; IST_E_ALIGNMENT; IST_E_CLOSED;
 *          IST_E_WRONG_THREAD, looked for in this order.
 */
ist_status isti_attempt_enter(const isti_attempt *tried, uint64_t **ret_slot);

#endif
