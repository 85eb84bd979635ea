/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_ORPHAN_H
#define ISTI_MEMORY_ORPHAN_H
/*
 * What the records say when all are looked at: what is open, and by whom. Orphans are confined
 * arenas that are open and whose owner has ended. Nobody may access them, until a thread adopts
 * one.
 */
#include <stddef.h>
#include <stdint.h>

/*
 * The owner of what a thread had that a fork left behind: no serial. The thread may have been
 * anywhere, also half-way through a close. So its arenas are not reclaimed in bulk; who has a
 * handle may still adopt one.
 */
#define ISTI_LOST UINT64_MAX

/* In the child of a fork, for each thread that is not there any more; its serial is `owner`. */
void isti_orphans_lose(uint64_t owner);

typedef struct isti_census {
    size_t confined; /* Open, orphans included. */
    size_t orphans;
    size_t shared;    /* Open. */
    size_t automatic; /* Open. */
    size_t listed;    /* Free, in the list of a thread. */
} isti_census;
isti_census isti_orphans_count(void);

#endif
