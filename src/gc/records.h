/* SPDX-License-Identifier: MIT */
#ifndef ISTI_GC_RECORDS_H
#define ISTI_GC_RECORDS_H
/*
 * The records of collected arenas: objects of the collector's without pointers in them, 256 bytes at
 * a multiple of 256. None is ever reclaimed.
 *
 *     FREE --open--> open --found unreachable--> ENDED --ended--> FREE
 *
 * Two words of each are ours: host[0] links it in whatever list it is in, host[1] is ENDED or 0.
 */
#include <isthmus/host.h>

#include <stdbool.h>
#include <stddef.h>

#define ISTI_GC_ENDED ((uintptr_t)1)

static inline ist_host_record *isti_gc_next(const ist_host_record *record)
{
    return (ist_host_record *)record->host[0];
}

static inline void isti_gc_link(ist_host_record *record, ist_host_record *next)
{
    record->host[0] = (uintptr_t)next;
}

/* Hooks into the collector. Once, before anything else. */
void isti_gc_records_begin(void (*on_ended)(void));

/* A new record, FREE. NULL: out of memory. */
ist_host_record *isti_gc_record_create(ist_host_grew_fn *grew);

/* Takes all records that are ENDED and that nobody has taken, linked. NULL: none. */
ist_host_record *isti_gc_take_ended(void);

typedef struct isti_gc_counts {
    size_t records;
    size_t ended;
    size_t collections;
} isti_gc_counts;
isti_gc_counts isti_gc_count(void);

/* Native bytes of open arenas; what ends is taken off by the collector's hook. */
extern _Atomic size_t isti_gc_held;
/* Native bytes allocated since the last collection. */
extern _Atomic size_t isti_gc_since;

#endif
