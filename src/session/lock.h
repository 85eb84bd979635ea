/* SPDX-License-Identifier: MIT */
#ifndef ISTI_SESSION_LOCK_H
#define ISTI_SESSION_LOCK_H
/*
 * The library's locks and their order. A thread that holds one takes only ones of higher rank. No
 * lock is held while user code runs (cleanups, memory sources, failure handlers), nor on the fast
 * path of anything.
 *
 *     rank  lock       protects
 *     1     GLOBAL     the global arena's cursor and chunks
 *     2     REGISTRY   the list of thread records: who is alive
 *     3     POOL       slabs and the free arena records that no thread caches
 *     4     CHUNK      the chunk lists of shared arenas
 *     5     FENCE      the numbers of heavy fences, and the order in which they are executed
 *
 * A fork takes all of them, so that the child finds what they protect whole.
 */
typedef enum isti_lock_rank {
    ISTI_LOCK_GLOBAL,
    ISTI_LOCK_REGISTRY,
    ISTI_LOCK_POOL,
    ISTI_LOCK_CHUNK,
    ISTI_LOCK_FENCE,
    ISTI_LOCK_COUNT
} isti_lock_rank;

void isti_lock(isti_lock_rank rank);
void isti_unlock(isti_lock_rank rank);

#endif
