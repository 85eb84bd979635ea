/* SPDX-License-Identifier: MIT */
/*
 * What the collector finds. Argument: at the end of marking, with the world stopped, a record is
 * marked if a handle of it was seen. One that is free gets its mark from here: no handle of it
 * exists, and it must not go. One that is open and unmarked is a candidate. Then the collector marks
 * what its finalisers will see; a candidate that is unmarked behind that is out of everybody's
 * reach, gets its mark from here, and is ENDED. No thread can open a free record in between and be
 * taken for a candidate, since the list of candidates was made while all were stopped.
 *
 * The hook is the collector's one for events, and a program may replace it. Then the records, whose
 * kind has a disclaim procedure, are kept all the same, and are found ended when they are swept.
 *
 * Both run under the collector's lock: they allocate nothing, wait for nothing, and touch only what
 * is here and the records.
 */
#define GC_THREADS
#include "gc/records.h"

#include <gc/gc.h>
#include <gc/gc_disclaim.h>
#include <gc/gc_mark.h>
#include <stdatomic.h>
#include <stdlib.h>

#define TABLE_ENTRIES 1022

/* All records, in places that the collector does not look at: it would take them for handles. */
typedef struct table {
    struct table *next;
    atomic_size_t count;
    uintptr_t hidden[TABLE_ENTRIES];
} table;

static _Atomic(table *) tables; /* Newest first; all but that are full. */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static int kind;
static GC_on_collection_event_proc next_hook;
static void (*tell_ended)(void);
static ist_host_record *candidates; /* The collector's lock. */
static _Atomic(ist_host_record *) ended;
static atomic_size_t ended_count;
static atomic_size_t collection_count;
static atomic_size_t record_count;
_Atomic size_t isti_gc_held;
_Atomic size_t isti_gc_since;

static ist_host_record *shown(uintptr_t hidden)
{
    return (ist_host_record *)~hidden;
}

static bool is_in_use(const ist_host_record *record)
{
    return record->host[1] != ISTI_GC_ENDED && ist_host_is_open(record);
}

static void push_ended(ist_host_record *record)
{
    record->host[1] = ISTI_GC_ENDED;
    atomic_fetch_sub_explicit(&isti_gc_held, IST_HOST_RECORD_SIZE + ist_host_bytes(record),
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&ended_count, 1, memory_order_relaxed);
    ist_host_record *first = atomic_load_explicit(&ended, memory_order_relaxed);
    do
        isti_gc_link(record, first);
    /* Release: pairs with isti_gc_take_ended(). */
    while (!atomic_compare_exchange_weak_explicit(&ended, &first, record, memory_order_release,
                                                  memory_order_relaxed));
}

ist_host_record *isti_gc_take_ended(void)
{
    if (atomic_load_explicit(&ended, memory_order_relaxed) == NULL)
        return NULL;
    return atomic_exchange_explicit(&ended, NULL, memory_order_acquire);
}

/* The world is stopped. */
static void find_candidates(void)
{
    candidates = NULL;
    /* Acquire, both: pair with isti_gc_record_create(). */
    for (table *part = atomic_load_explicit(&tables, memory_order_acquire); part != NULL;
         part = part->next) {
        size_t count = atomic_load_explicit(&part->count, memory_order_acquire);
        for (size_t i = 0; i < count; i++) {
            ist_host_record *record = shown(part->hidden[i]);
            if (!is_in_use(record)) {
                GC_set_mark_bit(record);
            } else if (!GC_is_marked(record)) {
                isti_gc_link(record, candidates);
                candidates = record;
            }
        }
    }
}

static void end_candidates(void)
{
    bool any = false;
    while (candidates != NULL) {
        ist_host_record *record = candidates;
        candidates = isti_gc_next(record);
        if (!GC_is_marked(record)) {
            GC_set_mark_bit(record);
            push_ended(record);
            any = true;
        }
    }
    if (any)
        tell_ended();
}

static void GC_CALLBACK on_event(GC_EventType event)
{
    if (next_hook != NULL)
        next_hook(event);
    switch (event) {
    case GC_EVENT_MARK_END:
        find_candidates();
        break;
    case GC_EVENT_RECLAIM_START:
        end_candidates();
        atomic_fetch_add_explicit(&collection_count, 1, memory_order_relaxed);
        atomic_store_explicit(&isti_gc_since, 0, memory_order_relaxed);
        break;
    default:
        break;
    }
}

/* Returns that the object is kept. */
static int GC_CALLBACK disclaim(void *object)
{
    ist_host_record *record = object;
    if (is_in_use(record))
        push_ended(record);
    return 1;
}

void isti_gc_records_begin(void (*on_ended)(void))
{
    tell_ended = on_ended;
    GC_INIT();
    for (size_t tag = 1; tag <= ISTI_TAG_MASK; tag++)
        GC_register_displacement(tag); /* A segment's word of its session has tags. */
    /* No pointers in it, cleared. */
    kind = (int)GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 0, 1);
    GC_register_disclaim_proc(kind, disclaim, 0);
    next_hook = GC_get_on_collection_event();
    GC_set_on_collection_event(on_event);
}

/* table_lock is held. */
static bool add_to_table(ist_host_record *record)
{
    table *part = atomic_load_explicit(&tables, memory_order_relaxed);
    size_t count = part != NULL ? atomic_load_explicit(&part->count, memory_order_relaxed) : 0;
    if (part == NULL || count == TABLE_ENTRIES) {
        table *next = calloc(1, sizeof *next);
        if (next == NULL)
            return false;
        next->next = part;
        atomic_store_explicit(&tables, next, memory_order_release);
        part = next;
        count = 0;
    }
    part->hidden[count] = ~(uintptr_t)record;
    atomic_store_explicit(&part->count, count + 1, memory_order_release);
    return true;
}

ist_host_record *isti_gc_record_create(ist_host_grew_fn *grew)
{
    /* The collector adds a byte, so that a pointer behind the object is still of it. */
    ist_host_record *record = GC_generic_malloc(IST_HOST_RECORD_SIZE - 1, kind);
    if (record == NULL || (uintptr_t)record % IST_HOST_RECORD_ALIGNMENT != 0)
        return NULL;
    ist_host_record_init(record, grew);
    pthread_mutex_lock(&table_lock);
    bool added = add_to_table(record);
    pthread_mutex_unlock(&table_lock);
    if (added)
        atomic_fetch_add_explicit(&record_count, 1, memory_order_relaxed);
    return added ? record : NULL;
}

isti_gc_counts isti_gc_count(void)
{
    return (isti_gc_counts){ .records = atomic_load_explicit(&record_count, memory_order_relaxed),
                             .ended = atomic_load_explicit(&ended_count, memory_order_relaxed),
                             .collections =
                                 atomic_load_explicit(&collection_count, memory_order_relaxed) };
}
