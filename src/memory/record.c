/* SPDX-License-Identifier: MIT */
/*
 * Slabs, the pool, and the slow side of the threads' caches; the fast side is in
 * ist_arena_open_confined() and ist_arena_close(). See the header for who is where. Slabs come from
 * the system allocator, not from mappings, so that leak checkers find what open arenas refer to.
 */
#include "memory/record.h"

#include "base/contract.h"
#include "base/heap.h"
#include "memory/chunk.h"
#include "session/lock.h"

#include <stdatomic.h>
#include <stdbool.h>

#define SLAB_RECORDS 64 /* The first stands for the slab itself. */
#define BATCH 16        /* Records that a thread takes from the pool at once. */
#define CACHE_LIMIT \
    64 /* Records in a thread's cache; with chunks of ISTI_CHUNK_KEPT that is 2 MiB. */
#define DECAY_EVENTS 256

typedef struct slab {
    _Alignas(256) struct slab *next;
} slab;
_Static_assert(sizeof(slab) == sizeof(isti_arena), "a slab's head takes the place of one record");

static _Atomic(slab *) slabs; /* Grows under the pool lock; read without. */
static isti_arena *pool;      /* Pool lock, as the counts. */
static size_t record_count;
static size_t retired_count;
static atomic_uint_fast64_t trim_epoch;

static isti_arena *slab_records(slab *head)
{
    return (isti_arena *)(head + 1);
}

/* Pool lock held. Asks the system allocator under the lock: rare, and no user code. */
static bool add_slab_locked(void)
{
    slab *head =
        isti_heap_alloc_aligned_zeroed(SLAB_RECORDS * sizeof(isti_arena), sizeof(isti_arena));
    if (head == NULL)
        return false;
    isti_arena *records = slab_records(head);
    for (size_t i = 0; i < SLAB_RECORDS - 1; i++) {
        /* Generation 1: the state word of a record is never that of `{0}`. */
        records[i].session.state = ISTI_GENERATION_ONE | ISTI_CONFINED;
        records[i].next_free = (uint64_t)(uintptr_t)pool;
        pool = &records[i];
    }
    record_count += SLAB_RECORDS - 1;
    /* Changes under this lock only. */
    head->next = atomic_load_explicit(&slabs, memory_order_relaxed);
    /* release: pairs with the acquire in isti_record_visit(); the records are whole. */
    atomic_store_explicit(&slabs, head, memory_order_release);
    return true;
}

static uint64_t cached(void)
{
    return isti_self.free_arenas & ISTI_CACHE_COUNT;
}

static isti_arena *next_in_pool(const isti_arena *record)
{
    return (isti_arena *)(uintptr_t)record->next_free;
}

/* Pool lock held. NULL: out of memory. */
static isti_arena *pop_pool_locked(isti_local *local)
{
    if (pool == NULL && !add_slab_locked())
        return NULL;
    isti_arena *record = pool;
    pool = next_in_pool(record);
    isti_store_relaxed_u64(&record->session.owner, isti_self.serial);
    isti_local_add(&local->records, 1);
    return record;
}

/* The records from first to last, linked as in the pool, have no owner any more. */
static void push_pool(isti_local *local, isti_arena *first, isti_arena *last, size_t count)
{
    isti_local_add(&local->records, -count);
    isti_lock(ISTI_LOCK_POOL);
    last->next_free = (uint64_t)(uintptr_t)pool;
    pool = first;
    isti_unlock(ISTI_LOCK_POOL);
}

isti_arena *isti_record_take(isti_local *local)
{
    isti_arena *record = isti_record_first(isti_self.free_arenas);
    if (record != NULL) {
        isti_record_pop(record);
        return record;
    }
    isti_lock(ISTI_LOCK_POOL);
    record = pop_pool_locked(local);
    /* A few more, as far as they are there: the next opens are quick. */
    for (int i = 1; record != NULL && i < BATCH && pool != NULL; i++) {
        isti_arena *more = pop_pool_locked(local);
        isti_record_push(more, isti_load_relaxed_u64(&more->session.state));
    }
    isti_unlock(ISTI_LOCK_POOL);
    return record;
}

/* Returns the bytes given back. */
static size_t drop_chunks(isti_arena *record)
{
    size_t bytes = isti_chunk_destroy_list(record->chunks);
    record->chunks = NULL;
    isti_record_use_chunk(record);
    return bytes;
}

static void disown(isti_arena *record)
{
    isti_store_relaxed_u64(&record->session.owner, 0);
}

/* Cuts the list behind its newest `keep` records, whose numbers fall. Returns what was behind. */
static uint64_t cut_cache(uint64_t keep)
{
    uint64_t count = cached(), *link = &isti_self.free_arenas;
    uint64_t cut = count > keep ? count - keep : 0;
    if (cut == 0)
        return 0;
    for (uint64_t i = 0; i < keep; i++) {
        isti_arena *record = isti_record_first(*link);
        isti_store_relaxed_u64(link, *link - cut);
        link = &record->next_free;
    }
    uint64_t rest = *link;
    isti_store_relaxed_u64(link, 0);
    return rest;
}

/*
 * All but the newest `keep` records go to the pool, without their chunks. Returns the bytes given
 * back.
 */
static size_t shrink_cache(isti_local *local, uint64_t keep)
{
    uint64_t list = cut_cache(keep);
    isti_arena *first = isti_record_first(list), *last = NULL;
    size_t bytes = 0;
    for (isti_arena *record = first; record != NULL; record = next_in_pool(record)) {
        record->next_free &= ~ISTI_CACHE_COUNT; /* A plain link from here on. */
        bytes += drop_chunks(record);
        disown(record);
        last = record;
    }
    if (last != NULL)
        push_pool(local, first, last, list & ISTI_CACHE_COUNT);
    return bytes;
}

void isti_record_give(isti_local *local, isti_arena *record)
{
    if (cached() == ISTI_CACHE_LIMIT)
        shrink_cache(local, ISTI_CACHE_LIMIT / 2);
    isti_record_push(record, isti_load_relaxed_u64(&record->session.state));
}

void isti_record_retire(isti_local *local, isti_arena *record)
{
    drop_chunks(record);
    disown(record);
    isti_local_add(&local->records, -(size_t)1);
    isti_lock(ISTI_LOCK_POOL);
    retired_count++;
    isti_unlock(ISTI_LOCK_POOL);
}

size_t isti_record_trim(isti_local *local)
{
    return shrink_cache(local, 0);
}

void isti_record_trim_others(isti_local *local)
{
    /* relaxed: the epoch carries no data, and a thread that sees it late trims later. */
    local->trim_seen = atomic_fetch_add_explicit(&trim_epoch, 1, memory_order_relaxed) + 1;
}

void isti_record_tick(isti_local *local)
{
    uint64_t epoch = atomic_load_explicit(&trim_epoch, memory_order_relaxed); /* As above. */
    if (ISTI_UNLIKELY(local->trim_seen != epoch)) {
        local->trim_seen = epoch;
        shrink_cache(local, 0);
    } else if (ISTI_UNLIKELY(++local->slow_events % DECAY_EVENTS == 0)) {
        shrink_cache(local, (cached() + 1) / 2); /* The older half has waited longest. */
    }
}

void isti_record_use_chunk(isti_arena *record)
{
    isti_chunk *chunk = record->chunks;
    if (chunk == NULL) {
        record->cursor = record->base = record->limit = record->dirty = 0;
        return;
    }
    uintptr_t end = (uintptr_t)chunk + chunk->size;
    record->cursor = record->base = chunk->begin;
    record->limit = end - ISTI_OVERZERO;
    record->dirty = chunk->zeroed ? chunk->begin : end;
}

void isti_record_count(size_t *ret_records, size_t *ret_retired)
{
    isti_lock(ISTI_LOCK_POOL);
    *ret_records = record_count;
    *ret_retired = retired_count;
    isti_unlock(ISTI_LOCK_POOL);
}

void isti_record_visit(void (*visit)(isti_arena *record, void *data), void *data)
{
    /* acquire: pairs with the release in add_slab_locked(). */
    slab *head = atomic_load_explicit(&slabs, memory_order_acquire);
    for (; head != NULL; head = head->next)
        for (size_t i = 0; i < SLAB_RECORDS - 1; i++)
            visit(&slab_records(head)[i], data);
}
