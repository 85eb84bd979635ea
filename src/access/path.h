/* SPDX-License-Identifier: MIT */
#ifndef ISTI_ACCESS_PATH_H
#define ISTI_ACCESS_PATH_H
/* A use of a path, from its checks to the bytes of its leaf; for values and for atomics. */
#include <isthmus/path_access.h>

#include "memory/access.h"

/* Where a leaf is: `offset` behind where its root, or the last target, begins. */
typedef struct isti_path_place {
    isti_attempt root;
    size_t offset;
} isti_path_place;

/*
 * Whether the use is one at all: a path and as many indexes as it has open. The operation is a
 * constant string. Returns: IST_OK; IST_E_ARGUMENT.
 */
ist_status isti_path_require(const isti_path_use *use, const char *operation);

/* Whether the leaf is a scalar of this sort and size. Returns: IST_OK; IST_E_LAYOUT. */
ist_status isti_path_require_scalar(const ist_path *path, unsigned access, const char *operation);

/*
 * Adds up the indexes and follows the pointers. Returns: IST_OK; IST_E_READ_ONLY; IST_E_BOUNDS; of
 * the reading of a pointer also IST_E_ALIGNMENT, IST_E_CLOSED, IST_E_WRONG_THREAD.
 */
ist_status isti_path_locate(const isti_path_use *use, int writes, const char *operation,
                            isti_path_place *ret_place);

/*
 * Begins an access to `size` bytes of the leaf at *ret_bytes, until isti_arena_leave(*ret_slot).
 * Returns: as isti_attempt_enter().
 */
ist_status
isti_path_enter(const isti_path_place *place, size_t size, void **ret_bytes, uint64_t **ret_slot);

/* Turns the order of the bytes in each of `size` / `unit` units. */
void isti_swap(void *bytes, size_t size, size_t unit);

#endif
