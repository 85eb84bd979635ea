/* SPDX-License-Identifier: MIT */
/*
 * Free records, those that are to be ended, and the thread that runs actions. One lock for the
 * lists; nothing is ended and no action runs while it is held. The collector's hook takes no lock:
 * it posts a semaphore.
 */
#define GC_THREADS
#include "gc/pool.h"

#include <gc/gc.h>
#include <semaphore.h>
#include <stdatomic.h>

#define TOGETHER 128
/* Free records keep a chunk each for their next life, up to so many bytes in all. */
#define KEPT_MOST ((size_t)8 * 1024 * 1024)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ist_host_record *free_records; /* The lock's, as the next three. */
static ist_host_record *found;        /* ENDED, not looked at yet. */
static ist_host_record *due;          /* ENDED, with actions. */
static size_t kept;                   /* Bytes of free_records. */
static bool cleaner_runs;             /* The lock's; false in the child of a fork. */
static sem_t cleaner_work;
static _Atomic bool cleaner_listens;
static __thread bool cleaning;

bool isti_gc_pool_is_cleaning(void)
{
    return cleaning;
}

void isti_gc_pool_notice(void)
{
    /* Acquire: pairs with start_cleaner_locked(); the semaphore is there. */
    if (atomic_load_explicit(&cleaner_listens, memory_order_acquire))
        sem_post(&cleaner_work);
}

static ist_host_record *pop(ist_host_record **list)
{
    ist_host_record *record = *list;
    if (record != NULL)
        *list = isti_gc_next(record);
    return record;
}

static void push(ist_host_record **list, ist_host_record *record)
{
    isti_gc_link(record, *list);
    *list = record;
}

/* ---- The cleaner ---- */

static void *clean(void *data)
{
    for (;;) {
        while (sem_wait(&cleaner_work) != 0)
            ; /* A signal. */
        isti_gc_pool_end_all();
        isti_gc_pool_clean();
    }
    return data;
}

static void forget_cleaner(void)
{
    pthread_mutex_init(&lock, NULL);
    cleaner_runs = false;
    atomic_store_explicit(&cleaner_listens, false, memory_order_relaxed);
}

static void start_cleaner(void)
{
    pthread_mutex_lock(&lock);
    bool starts = !cleaner_runs;
    cleaner_runs = true;
    pthread_mutex_unlock(&lock);
    if (starts) {
        static _Atomic bool forks;
        pthread_t thread;
        pthread_attr_t attributes;
        sem_init(&cleaner_work, 0, 0);
        if (!atomic_exchange(&forks, true))
            pthread_atfork(NULL, NULL, forget_cleaner);
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        bool started = GC_pthread_create(&thread, &attributes, clean, NULL) == 0;
        pthread_attr_destroy(&attributes);
        if (!started) { /* Tried again with the next; ist_gc_cleanups_run() does without. */
            pthread_mutex_lock(&lock);
            cleaner_runs = false;
            pthread_mutex_unlock(&lock);
            return;
        }
        atomic_store_explicit(&cleaner_listens, true, memory_order_release);
    }
    isti_gc_pool_notice();
}

/* ---- Ending ---- */

/* Ends the records and frees them; what could not be ended is found again. Returns how many were. */
static size_t end_and_free(ist_host_record **records, size_t count)
{
    size_t ended = 0;
    if (count == 0)
        return 0;
    ist_status status = ist_host_end(records, count);
    (void)status; /* Each record says itself whether it is open still. */
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        bool open = ist_host_is_open(records[i]);
        records[i]->host[1] = open ? ISTI_GC_ENDED : 0;
        if (!open && kept > KEPT_MOST)
            ist_host_trim(records[i]);
        kept += open ? 0 : ist_host_bytes(records[i]);
        push(open ? &found : &free_records, records[i]);
        ended += !open;
    }
    pthread_mutex_unlock(&lock);
    return ended;
}

/* Takes up to TOGETHER records that were found; those with actions go to `due`. */
static size_t take_found(ist_host_record **records, bool *ret_more, bool *ret_due)
{
    size_t count = 0;
    ist_host_record *record;
    pthread_mutex_lock(&lock);
    if (found == NULL)
        found = isti_gc_take_ended();
    while (count < TOGETHER && (record = pop(&found)) != NULL) {
        if (ist_host_has_cleanups(record))
            push(&due, record);
        else
            records[count++] = record;
    }
    *ret_more = found != NULL;
    *ret_due = due != NULL;
    pthread_mutex_unlock(&lock);
    return count;
}

/* Ends one batch. False: nothing more is to be ended, or nothing could be. */
static bool end_some(void)
{
    ist_host_record *records[TOGETHER];
    bool more, has_due;
    size_t count = take_found(records, &more, &has_due);
    size_t ended = end_and_free(records, count);
    if (has_due && !cleaning)
        start_cleaner();
    return more && (ended != 0 || count == 0);
}

void isti_gc_pool_end_all(void)
{
    while (end_some())
        ;
}

size_t isti_gc_pool_clean(void)
{
    size_t ended = 0;
    bool outer = cleaning;
    cleaning = true;
    for (;;) {
        pthread_mutex_lock(&lock);
        ist_host_record *record = pop(&due);
        pthread_mutex_unlock(&lock);
        if (record == NULL || end_and_free(&record, 1) == 0)
            break;
        ended++;
    }
    cleaning = outer;
    return ended;
}

/* ---- Free records ---- */

static ist_host_record *take_free(size_t most)
{
    ist_host_record *taken = NULL, *record;
    pthread_mutex_lock(&lock);
    while (most-- != 0 && (record = pop(&free_records)) != NULL) {
        kept -= ist_host_bytes(record);
        push(&taken, record);
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

ist_host_record *isti_gc_pool_take(size_t most)
{
    (void)end_some(); /* Memory that waits to be given back comes before memory that is new. */
    return take_free(most);
}

void isti_gc_pool_give(ist_host_record *first, ist_host_record *last)
{
    size_t bytes = 0;
    for (const ist_host_record *record = first; record != NULL; record = isti_gc_next(record))
        bytes += ist_host_bytes(record);
    pthread_mutex_lock(&lock);
    isti_gc_link(last, free_records);
    free_records = first;
    kept += bytes;
    pthread_mutex_unlock(&lock);
}
