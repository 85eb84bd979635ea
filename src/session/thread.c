/* SPDX-License-Identifier: MIT */
/*
 * The registry of threads.
 * Invariant: a serial belongs to at most one record, and to one thread for ever. A record with
 *            serial 0 is free.
 *
 * A thread ends, for the library, in the second round of its key destructors: those of others that
 * still use Isthmus, and close their arenas there, run before. One that uses it later still becomes
 * a new thread with a new serial.
 *
 * A thread that ends with holds leaves them in its record, which then serves nobody else: closes go
 * on being refused.
 *
 * Not done here: what a thread caches (src/memory).
 */
#include "session/thread.h"

#include "base/contract.h"
#include "base/heap.h"
#include "os/processor.h"
#include "os/wait.h"
#include "session/close.h"
#include "session/fence.h"
#include "session/lock.h"
#include "session/slots.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

__thread isti_thread_self isti_self;

static const isti_thread_user *const user = &isti_thread_user_memory;
/* Newest first; grows under the registry lock, read by scans without. */
static _Atomic(isti_thread *) records;
static uint64_t last_serial; /* Registry lock. */
static pthread_key_t exit_key;
static bool exit_key_works;

isti_thread *isti_thread_first(void)
{
    /* acquire: pairs with the release in claim_record_locked(). */
    return atomic_load_explicit(&records, ISTI_ORDER(RECORD_FIRST, ACQUIRE));
}

/* Registry lock held. NULL: out of memory. */
static isti_thread *claim_record_locked(void)
{
    isti_thread *first = isti_thread_first();
    for (isti_thread *record = first; record != NULL; record = record->next)
        if (record->serial == 0 && isti_slots_are_empty(record))
            return record;
    size_t alignment = _Alignof(isti_thread);
    size_t size = (user->record_size + alignment - 1) & ~(alignment - 1);
    isti_thread *record = isti_heap_alloc_aligned_zeroed(size, alignment);
    if (record == NULL)
        return NULL;
    record->next = first;
    /* release: pairs with isti_thread_first(); a scan finds a whole record, with empty slots. */
    atomic_store_explicit(&records, record, ISTI_ORDER(RECORD_ADD, RELEASE));
    return record;
}

static void end(isti_thread *record)
{
    user->on_exit(record);
    isti_lock(ISTI_LOCK_REGISTRY);
    record->self = NULL;
    record->serial = 0;
    isti_unlock(ISTI_LOCK_REGISTRY);
    isti_self = (isti_thread_self){ .ending = 1 };
}

/* The key's destructor. */
static void on_thread_exit(void *data)
{
    isti_thread *record = data;
    if (!isti_self.ending && pthread_setspecific(exit_key, record) == 0)
        isti_self.ending = 1; /* Once more, after everybody else's. */
    else
        end(record);
}

static void before_fork(void)
{
    isti_close_lock_for_fork();
    for (isti_lock_rank rank = 0; rank < ISTI_LOCK_COUNT; rank++)
        isti_lock(rank);
}

static void after_fork_in_parent(void)
{
    for (isti_lock_rank rank = ISTI_LOCK_COUNT; rank-- > 0;)
        isti_unlock(rank);
    isti_close_unlock_after_fork();
}

/* The child has one thread: the others have ended, as far as it goes. */
static void after_fork_in_child(void)
{
    for (isti_thread *record = isti_thread_first(); record != NULL; record = record->next) {
        if (record->serial == 0 || record == isti_self.record)
            continue;
        user->on_lost(record);
        isti_slots_forget(record);
        record->self = NULL;
        record->serial = 0;
    }
    user->on_fork();
    if (isti_self.record != NULL)
        isti_self.record->thread_id = isti_thread_id();
    after_fork_in_parent();
}

static void initialize(void)
{
    user->initialize();
    isti_fence_initialize();
    exit_key_works = pthread_key_create(&exit_key, on_thread_exit) == 0 &&
                     pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

static isti_thread *begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int saved = errno;
    pthread_once(&once, initialize);
    isti_lock(ISTI_LOCK_REGISTRY);
    isti_thread *record = exit_key_works ? claim_record_locked() : NULL;
    /* The key comes last of what may fail: a record without a thread is just free. */
    if (record != NULL && pthread_setspecific(exit_key, record) != 0)
        record = NULL;
    if (record != NULL) {
        record->serial = ++last_serial;
        record->self = &isti_self;
        record->thread_id = isti_thread_id();
        if (isti_fence_is_light())
            isti_self.slots = record->slots;
        record->last_failure = (isti_failure){ .error = { .status = IST_OK } };
        isti_self.serial = record->serial;
        isti_self.record = record;
        isti_self.wide_stores = isti_processor_has_avx();
    }
    isti_unlock(ISTI_LOCK_REGISTRY);
    errno = saved;
    return record;
}

isti_thread *isti_thread_current(void)
{
    return isti_self.record != NULL ? isti_self.record : begin();
}

bool isti_thread_is_alive(uint64_t serial)
{
    isti_lock(ISTI_LOCK_REGISTRY);
    const isti_thread *record = isti_thread_first();
    while (record != NULL && record->serial != serial)
        record = record->next;
    isti_unlock(ISTI_LOCK_REGISTRY);
    return record != NULL;
}

void isti_thread_visit(void (*visit)(const isti_thread *thread, void *data), void *data)
{
    isti_lock(ISTI_LOCK_REGISTRY);
    for (const isti_thread *record = isti_thread_first(); record != NULL; record = record->next)
        visit(record, data);
    isti_unlock(ISTI_LOCK_REGISTRY);
}
