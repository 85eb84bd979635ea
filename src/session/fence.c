/* SPDX-License-Identifier: MIT */
/*
 * The heavy fence, shared by those who need one at the same time.
 * Argument: `started` is read (F1) after the caller's own full barrier. A fence whose number is
 *           greater began after that, so that it lies after the caller's store; if it has ended,
 *           `completed` says so, and the caller need not execute its own. A fence that failed ends
 *           nothing.
 */
#include "session/fence.h"

#include "os/barrier.h"
#include "os/memory_tools.h"
#include "session/lock.h"

#include <isthmus/abi.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

bool isti_fence_light;
static atomic_uint_fast64_t started;   /* Written under the lock FENCE. */
static atomic_uint_fast64_t completed; /* Likewise. */

void isti_fence_initialize(void)
{
    const char *choice = secure_getenv("ISTHMUS_FENCE");
    bool full = (choice != NULL && strcmp(choice, "full") == 0) || isti_tools_watch_races();
    isti_fence_light = !full && isti_barrier_register();
}

/* Registering before a second thread exists is quick; later it waits for all of them. */
__attribute__((constructor)) static void register_early(void)
{
    (void)isti_barrier_register();
}

/* The lock FENCE is held. */
static int execute_locked(void)
{
    int failure = isti_barrier_all();
    if (failure == EPERM && isti_barrier_register())
        failure = isti_barrier_all();
    return failure;
}

int isti_fence_heavy(void)
{
    if (!isti_fence_light) {
        if (ISTI_HAS(C3_FULL))
            /* Pairs with the exchange of publish() in slots.c. */
            atomic_thread_fence(memory_order_seq_cst);
        return 0;
    }
    if (ISTI_HAS(F1))
        atomic_thread_fence(memory_order_seq_cst);
    /* F1: behind the fence above. */
    uint64_t before = atomic_load_explicit(&started, memory_order_relaxed);
    /* F2: acquire, pairs with F7: the barriers of that fence happened before. */
    if (atomic_load_explicit(&completed, ISTI_ORDER(F2, ACQUIRE)) > before)
        return 0;
    int failure = 0;
    isti_lock(ISTI_LOCK_FENCE);                                                /* F3 */
    if (atomic_load_explicit(&completed, ISTI_ORDER(F4, ACQUIRE)) <= before) { /* F4 */
        uint64_t number = atomic_load_explicit(&started, memory_order_relaxed) + 1;
        /* F5: the system call orders it. */
        atomic_store_explicit(&started, number, memory_order_relaxed);
        failure = ISTI_HAS(F6) ? execute_locked() : 0; /* F6 */
        if (failure == 0)
            /* F7: pairs with F2. */
            atomic_store_explicit(&completed, number, ISTI_ORDER(F7, RELEASE));
    }
    isti_unlock(ISTI_LOCK_FENCE); /* F8 */
    return failure;
}

size_t isti_fence_count(void)
{
    return (size_t)atomic_load_explicit(&completed, memory_order_relaxed);
}
