/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_ORPHAN_H
#define ISTI_MEMORY_ORPHAN_H
/*
 * Orphans: confined arenas that are open and whose owner has ended. Nobody may access them, until a thread adopts one.
 */
#include <stddef.h>

void isti_orphans_add(size_t count);
size_t isti_orphans_count(void);

#endif
