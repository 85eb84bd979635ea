/* SPDX-License-Identifier: MIT */
#ifndef ISTI_GC_POOL_H
#define ISTI_GC_POOL_H
/*
 * From ENDED back to FREE.
 *
 *     found by the collector --> ended here, if nobody's actions run --------> free --> a thread's
 *                                  |                                            ^
 *                                  '--with cleanup actions--> due --cleaner-----'
 */
#include "gc/records.h"

/*
 * Takes up to `most` free records, linked, and ends some more than that of those that were found.
 * NULL: there are none.
 */
ist_host_record *isti_gc_pool_take(size_t most);

/* Gives free records back, linked from first to last. */
void isti_gc_pool_give(ist_host_record *first, ist_host_record *last);

/* Ends all that were found; those with actions are left to the cleaner. */
void isti_gc_pool_end_all(void);

/* The collector has found some. Under its lock. */
void isti_gc_pool_notice(void);

/* Ends those whose actions are due. Returns how many. */
size_t isti_gc_pool_clean(void);

/* Whether the calling thread runs actions of users. */
bool isti_gc_pool_is_cleaning(void);

#endif
