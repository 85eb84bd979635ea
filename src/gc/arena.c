/* SPDX-License-Identifier: MIT */
/*
 * Opening collected arenas, and when the collector runs because of them.
 *
 * Pressure: each thread counts the native bytes that its opens and allocations took, and adds them
 * to the common count in steps of STEP. When what was taken since the last collection exceeds the
 * limit, whoever notices collects, unless somebody does already; others go on meanwhile. The limit
 * is a constant and half of what was live after the last collection, so that the work of collecting
 * stays in proportion to what is allocated.
 */
#define GC_THREADS
#include "gc/pool.h"
#include "gc/records.h"

#include <isthmus/gc.h>

#include <gc/gc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define STEP ((size_t)64 * 1024)
#define BATCH 16

/* What a thread has. */
static __thread struct {
    ist_host_record *free;
    size_t bytes;  /* Taken, not counted yet. */
    size_t opened; /* Likewise. */
    bool known;    /* The key is set. */
} self __attribute__((tls_model("initial-exec")));

static pthread_key_t exit_key;
static bool exit_key_works;
static _Atomic size_t base_limit = (size_t)16 * 1024 * 1024;
static _Atomic size_t limit = (size_t)16 * 1024 * 1024;
static _Atomic bool collecting;
static atomic_size_t opened_count;
static atomic_size_t requested_count;

static void flush(void)
{
    atomic_fetch_add_explicit(&isti_gc_held, self.bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&isti_gc_since, self.bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&opened_count, self.opened, memory_order_relaxed);
    self.bytes = 0;
    self.opened = 0;
}

/* The host's hook, inside an allocation: it counts and nothing else. */
static void grew(size_t bytes)
{
    self.bytes += bytes;
    if (self.bytes >= STEP)
        flush();
}

static void on_thread_exit(void *data)
{
    ist_host_record *first = self.free, *last = first;
    (void)data;
    flush();
    self.free = NULL;
    self.known = false;
    while (last != NULL && isti_gc_next(last) != NULL)
        last = isti_gc_next(last);
    if (first != NULL)
        isti_gc_pool_give(first, last);
}

static void initialize(void)
{
    isti_gc_records_begin(isti_gc_pool_notice);
    exit_key_works = pthread_key_create(&exit_key, on_thread_exit) == 0;
}

static bool begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialize);
    self.known = exit_key_works && pthread_setspecific(exit_key, &self) == 0;
    return self.known;
}

/* ---- Pressure ---- */

static void set_limit(void)
{
    size_t heap, free, unmapped;
    GC_get_heap_usage_safe(&heap, &free, &unmapped, NULL, NULL);
    size_t live = heap - free + atomic_load_explicit(&isti_gc_held, memory_order_relaxed);
    size_t next = atomic_load_explicit(&base_limit, memory_order_relaxed) + live / 2;
    atomic_store_explicit(&limit, next > STEP ? next : STEP, memory_order_relaxed);
}

static void collect(void)
{
    if (atomic_exchange_explicit(&collecting, true, memory_order_acquire))
        return;
    GC_gcollect();
    set_limit();
    atomic_store_explicit(&collecting, false, memory_order_release);
}

static void account(void)
{
    flush();
    if (atomic_load_explicit(&isti_gc_since, memory_order_relaxed) <=
            atomic_load_explicit(&limit, memory_order_relaxed) ||
        isti_gc_pool_is_cleaning())
        return;
    atomic_fetch_add_explicit(&requested_count, 1, memory_order_relaxed);
    collect();
}

/* ---- Opening ---- */

static ist_host_record *create_some(void)
{
    ist_host_record *first = NULL;
    for (size_t i = 0; i < BATCH; i++) {
        ist_host_record *record = isti_gc_record_create(grew);
        if (record == NULL)
            break;
        isti_gc_link(record, first);
        first = record;
    }
    return first;
}

static ist_host_record *take_record(void)
{
    if (self.free == NULL)
        self.free = isti_gc_pool_take(BATCH);
    if (self.free == NULL)
        self.free = create_some();
    ist_host_record *record = self.free;
    if (record != NULL)
        self.free = isti_gc_next(record);
    return record;
}

ist_status ist_gc_arena_open(ist_arena *ret_arena)
{
    const char *operation = "opening a collected arena";
    if (ret_arena == NULL)
        return ist_host_fail(IST_E_ARGUMENT, operation, "NULL where the arena is wanted");
    if (!self.known && !begin())
        return ist_host_fail(IST_E_NO_MEMORY, operation, "out of memory");
    if (self.free == NULL || self.bytes >= STEP)
        account();
    ist_host_record *record = take_record();
    if (record == NULL)
        return ist_host_fail(IST_E_NO_MEMORY, operation, "out of memory");
    self.bytes += IST_HOST_RECORD_SIZE + ist_host_bytes(record);
    self.opened++;
    ist_status status = ist_host_open(record, ret_arena);
    if (status == IST_E_CLOSED) /* Used up: forgotten, as host.h says. */
        return ist_gc_arena_open(ret_arena);
    return status;
}

/* ---- The rest ---- */

void ist_gc_collect(void)
{
    if (!self.known && !begin())
        return;
    flush();
    GC_gcollect();
    set_limit();
    isti_gc_pool_end_all();
}

size_t ist_gc_cleanups_run(void)
{
    if (!self.known && !begin())
        return 0;
    isti_gc_pool_end_all();
    return isti_gc_pool_clean();
}

void ist_gc_limit_set(size_t bytes)
{
    if (!self.known && !begin())
        return;
    atomic_store_explicit(&base_limit, bytes, memory_order_relaxed);
    set_limit();
}

ist_status ist_gc_stats_get(ist_gc_stats *ret_stats)
{
    if (ret_stats == NULL || ret_stats->size < 2 * sizeof(size_t))
        return ist_host_fail(IST_E_ARGUMENT, "statistics", "no room for a count");
    if (self.known)
        flush();
    isti_gc_counts counts = isti_gc_count();
    size_t held = atomic_load_explicit(&isti_gc_held, memory_order_relaxed);
    ist_gc_stats stats = {
        .opened = atomic_load_explicit(&opened_count, memory_order_relaxed),
        .ended = counts.ended,
        .records = counts.records,
        /* What a thread has not counted yet may have been taken off already. */
        .bytes = held <= PTRDIFF_MAX ? held : 0,
        .collections = counts.collections,
        .requested = atomic_load_explicit(&requested_count, memory_order_relaxed),
    };
    stats.size = ret_stats->size < sizeof stats ? ret_stats->size : sizeof stats;
    memcpy(ret_stats, &stats, stats.size);
    return IST_OK;
}
