/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_SOURCE_H
#define ISTI_MEMORY_SOURCE_H
/*
 * Arenas whose blocks come from functions of the user's. Such an arena's cursor and limit stay 0,
 * so that every allocation takes the slow path; the nodes of its cleanups are cut from a chunk of
 * ours by that chunk's own `begin`.
 */
#include "memory/arena.h"

/* A block from the record's source. NULL: it has none, or none that is aligned. Owner. */
void *isti_source_take(isti_arena *record, size_t size, size_t alignment, bool zeroed);

/* Memory for a cleanup node. NULL: out of memory. Owner. */
void *isti_source_take_node(isti_arena *record, size_t size);

#endif
