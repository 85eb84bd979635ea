/* SPDX-License-Identifier: MIT */
/*
 * Slabs, the pool, and the slow side of the threads' lists; the fast side is in
 * isti_arena_open_first() and ist_arena_close(). See the header for who is where. Slabs come from
 * the system allocator, not from mappings, so that leak checkers find what open arenas refer to.
 *
 * Records of a page are handed out from its end: chunks of a page and more begin at a page's
 * begin, so that a block's stores and the loads of the record that gave it differ in their low 12
 * bits. A load that agrees with a store that is under way waits for it (4 KiB aliasing).
 */
#include "memory/record.h"

#include "base/contract.h"
#include "base/heap.h"
#include "memory/chunk.h"
#include "session/lock.h"
#include "session/session.h"

#include <stdatomic.h>
#include <stdbool.h>

#define SLAB_RECORDS 64 /* The first stands for the slab itself. */
#define BATCH 16        /* Records that a thread takes from the pool at once: those of a page. */
/* Records in a thread's list; with chunks of ISTI_CHUNK_KEPT that is 2 MiB. */
#define LIST_LIMIT 64
#define DECAY_EVENTS 256
#define PAGE ((size_t)4096)

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

/* The calling thread becomes the owner, between two lives. Relaxed: who passes a handle on orders it. */
static void own(isti_arena *record)
{
    isti_store_relaxed_u64(&record->session.owner, isti_self.serial);
    __atomic_store_n(&record->session.owner_thread, isti_self.record, __ATOMIC_RELAXED);
}

static void disown(isti_arena *record)
{
    isti_store_relaxed_u64(&record->session.owner, 0);
}

/* ---- The pool ---- */

/* Pool lock held. Asks the system allocator under the lock: rare, and no user code. */
static bool add_slab_locked(void)
{
    slab *head = isti_heap_alloc_aligned_zeroed(SLAB_RECORDS * sizeof(isti_arena), PAGE);
    if (head == NULL)
        return false;
    isti_arena *records = slab_records(head);
    for (size_t i = 0; i < SLAB_RECORDS - 1; i++) {
        /* Generation 1: the state word of a record is never that of `{0}`. */
        records[i].session.state = ISTI_GENERATION_ONE | ISTI_CONFINED;
        isti_record_use_chunk(&records[i]);
        records[i].next = pool;
        pool = &records[i];
    }
    record_count += SLAB_RECORDS - 1;
    /* Changes under this lock only. */
    head->next = atomic_load_explicit(&slabs, memory_order_relaxed);
    /* release: pairs with the acquire in isti_record_visit(); the records are whole. */
    atomic_store_explicit(&slabs, head, memory_order_release);
    return true;
}

/* Fills the list, which is empty, from the pool, as far as that goes without a new slab. */
static void fill_list(isti_local *local)
{
    isti_arena **link = &isti_self.arenas;
    ISTI_ASSERT(*link == NULL && local->listed == 0);
    isti_lock(ISTI_LOCK_POOL);
    if (pool == NULL)
        add_slab_locked();
    for (; local->listed < BATCH && pool != NULL; local->listed++) {
        *link = pool;
        link = &pool->next;
        own(pool);
        pool = pool->next;
    }
    *link = NULL;
    isti_unlock(ISTI_LOCK_POOL);
    /* Relaxed: the epoch carries no data. What was trimmed before was not in this list. */
    local->trim_seen = atomic_load_explicit(&trim_epoch, memory_order_relaxed);
}

size_t isti_record_drop_chunks(isti_arena *record)
{
    size_t bytes = isti_chunk_destroy_list(record->chunks);
    record->chunks = NULL;
    isti_record_use_chunk(record);
    return bytes;
}

/* Free records, linked from first to last, that are in no list any more. */
static void push_pool(isti_arena *first, isti_arena *last)
{
    isti_lock(ISTI_LOCK_POOL);
    last->next = pool;
    pool = first;
    isti_unlock(ISTI_LOCK_POOL);
}

/* ---- The thread's list ---- */

/*
 * Marks a record that is on its way out of the list. False: it has become free meanwhile. Behind
 * this a closer may have listed it elsewhere.
 */
static bool unlist(isti_arena *record)
{
    bool shared = isti_load_relaxed_u64(&record->session.state) & ISTI_SHARED;
    if (shared)
        isti_lock(ISTI_LOCK_POOL);
    bool taken = !isti_record_is_free(record);
    if (taken)
        isti_store_relaxed_u64(&record->session.burden,
                               record->session.burden | ISTI_BURDEN_UNLISTED);
    if (shared)
        isti_unlock(ISTI_LOCK_POOL);
    return taken;
}

/* The list's first record, which is free; NULL: the list is empty. */
static isti_arena *first_free(isti_local *local)
{
    for (;;) {
        isti_arena *record = isti_self.arenas;
        if (record == NULL || isti_record_is_free(record))
            return record;
        isti_arena *next = record->next;
        if (unlist(record)) {
            isti_self.arenas = next;
            local->listed--;
        }
    }
}

/*
 * Leaves the newest `keep` free records in the list. Other free ones go to the pool, without their
 * chunks. Returns the bytes given back.
 */
static size_t shrink_list(isti_local *local, size_t keep)
{
    isti_arena **link = &isti_self.arenas, *first = NULL, *last = NULL;
    size_t bytes = 0;
    local->listed = 0;
    for (isti_arena *record = *link, *next; record != NULL; record = next) {
        next = record->next;
        if (!isti_record_is_free(record) && unlist(record))
            continue;
        if (local->listed < keep) {
            local->listed++;
            *link = record;
            link = &record->next;
            continue;
        }
        bytes += isti_record_drop_chunks(record);
        disown(record);
        record->next = first;
        first = record;
        last = last == NULL ? record : last;
    }
    *link = NULL;
    if (first != NULL)
        push_pool(first, last);
    return bytes;
}

static void list(isti_local *local, isti_arena *record)
{
    if (local->listed >= LIST_LIMIT)
        shrink_list(local, LIST_LIMIT / 2);
    record->next = isti_self.arenas;
    isti_self.arenas = record;
    local->listed++;
}

static void start(isti_arena *record, uint64_t kind)
{
    uint64_t state = isti_load_relaxed_u64(&record->session.state);
    state = (state & ~ISTI_KIND_MASK) | kind;
    /* Relaxed: nobody has a handle of this life yet. */
    isti_store_relaxed_u64(&record->session.state, state);
    isti_record_rewind(record);
}

void isti_record_begin(isti_arena *record, uint64_t kind)
{
    own(record);
    start(record, kind);
}

isti_arena *isti_record_open(isti_local *local, uint64_t kind)
{
    isti_arena *record = first_free(local);
    if (record == NULL) {
        fill_list(local);
        record = isti_self.arenas;
    }
    if (record == NULL)
        return NULL;
    start(record, kind);
    return record;
}

void isti_record_renew(isti_local *local, isti_arena *record)
{
    isti_session *session = &record->session;
    /* The owner is the one who unlists. */
    bool lock = !isti_is_mine(session);
    if (lock)
        isti_lock(ISTI_LOCK_POOL);
    bool unlisted = isti_load_relaxed_u64(&session->burden) & ISTI_BURDEN_UNLISTED;
    if (unlisted)
        own(record);
    bool renewed = isti_session_renew(session);
    if (renewed) /* C6: release, pairs with O1: all that the life before has left is seen. */
        __atomic_store_n(&record->cursor, 0, ISTI_ORDER(C6, RELEASE));
    if (lock)
        isti_unlock(ISTI_LOCK_POOL);
    if (renewed && unlisted)
        list(local, record);
    if (renewed)
        return;
    isti_record_drop_chunks(record);
    disown(record);
    isti_lock(ISTI_LOCK_POOL);
    retired_count++;
    isti_unlock(ISTI_LOCK_POOL);
}

size_t isti_record_trim(isti_local *local)
{
    return shrink_list(local, 0);
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
        shrink_list(local, 0);
    } else if (ISTI_UNLIKELY(++local->slow_events % DECAY_EVENTS == 0)) {
        shrink_list(local, (local->listed + 1) / 2); /* The older half has waited longest. */
    }
}

void isti_record_use_chunk(isti_arena *record)
{
    const isti_chunk *chunk = record->chunks;
    record->base = chunk != NULL ? chunk->begin : ISTI_NO_CHUNK;
    record->limit = chunk != NULL ? (uintptr_t)chunk + chunk->size - ISTI_OVERZERO : ISTI_NO_CHUNK;
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
