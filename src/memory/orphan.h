/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_ORPHAN_H
#define ISTI_MEMORY_ORPHAN_H
/*
 * Orphans: confined arenas that are open and whose owner has ended. Nobody may access them, until a
 * thread adopts one.
 */
#include <stddef.h>

/* What the records say now: orphans, and shared arenas that are open. */
void isti_orphans_count(size_t *ret_orphans, size_t *ret_shared_open);

#endif
