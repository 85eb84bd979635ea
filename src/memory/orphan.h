/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_ORPHAN_H
#define ISTI_MEMORY_ORPHAN_H
/*
 * Orphans: confined arenas that are open and whose owner has ended. Nobody may access them, until a
 * thread adopts one.
 */
#include <stddef.h>
#include <stdint.h>

/*
 * The owner of what a thread had that a fork left behind: no serial. The thread may have been
 * anywhere, also half-way through a close, and records that it only cached look like open arenas.
 * So they are not reclaimed in bulk; who has a handle may still adopt its arena.
 */
#define ISTI_LOST UINT64_MAX

/* In the child of a fork, for each thread that is not there any more; its serial is `owner`. */
void isti_orphans_lose(uint64_t owner);

/* What the records say now: orphans, and shared arenas that are open. */
void isti_orphans_count(size_t *ret_orphans, size_t *ret_shared_open);

#endif
