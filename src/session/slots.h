/* SPDX-License-Identifier: MIT */
#ifndef ISTI_SESSION_SLOTS_H
#define ISTI_SESSION_SLOTS_H
/*
 * Publishing from the slow paths: the steps A1-A8, H1-H7, D1-D10, S1-S5 of docs/lifetimes.md for a
 * session that is shared. The quick halves are inline in the public headers.
 */
#include "os/memory_tools.h"
#include "session/thread.h"

#include <isthmus/arena.h>

/*
 * A1-A6: publishes an access in the thread's slot for it and waits for a close to be decided, if
 * one is under way.
 * Returns: IST_OK, *ret_slot is set until isti_slots_leave(); IST_E_CLOSED, IST_E_SYSTEM,
 *          and nothing is published. `depth`: 1 for a second access inside a first.
 */
ist_status isti_slots_enter(isti_thread *thread, isti_session *session, uint64_t expected,
                            unsigned depth, uint64_t **ret_slot);

/* A8 */
void isti_slots_leave(uint64_t *slot);

/* A9: whether an access that is published may go on to its next chunk. */
static inline bool isti_slots_may_go_on(const isti_session *session, uint64_t expected)
{
    /* Acquire: pairs with the store of a verdict; CLOSING is not one. */
    uint64_t state = __atomic_load_n(&session->state, ISTI_ORDER(A9, ACQUIRE));
    return ((state ^ expected) & ~(ISTI_ESCAPED | ISTI_PHASE_CLOSING)) == 0;
}

/*
 * Holds the session; in a slot if one is left, else in its count. Returns: IST_OK; IST_E_CLOSED;
 * IST_E_NO_MEMORY; IST_E_SYSTEM.
 */
ist_status
isti_slots_hold(isti_thread *thread, isti_session *session, uint64_t expected, ist_hold *ret_hold);

/*
 * Whether this thread holds by the token. Returns: IST_OK; IST_E_WRONG_THREAD; IST_E_ARGUMENT: it
 * was released.
 */
ist_status isti_slots_check(isti_thread *thread, const ist_hold *hold);

/* Returns: as isti_slots_check(). */
ist_status isti_slots_release(isti_thread *thread, const ist_hold *hold);

/* D1-D5. Returns: IST_OK; IST_E_CLOSED; IST_E_SYSTEM. */
ist_status isti_slots_hold_detached(isti_thread *thread, isti_session *session, uint64_t expected);

/*
 * D1-D3, R1, R5: an attempt in its slot, which stays until isti_slots_leave(). Returns: IST_OK;
 * IST_E_CLOSED, IST_E_SYSTEM, and nothing is published.
 */
ist_status isti_slots_announce(isti_thread *thread, isti_session *session, uint64_t expected,
                               uint64_t **ret_slot);

/* D6: the last touch of the record. */
static inline void isti_slots_release_detached(isti_session *session)
{
    isti_tools_release(&session->detached);
    /* Release: pairs with the acquire of a closer's read of the count. */
    __atomic_fetch_sub(&session->detached, 1, ISTI_ORDER(D6, RELEASE));
}

/*
 * D7: one more detached hold of a session that is held. Relaxed: clearing the slot behind it is the
 * release.
 */
static inline void isti_slots_add_detached(isti_session *session)
{
    __atomic_fetch_add(&session->detached, 1, __ATOMIC_RELAXED);
}

/* The thread's first slot that is free for a hold; NULL: none is. */
uint64_t *isti_slots_free(isti_thread *thread);

/* Releases all holds from `mark` on; see ist_hold_unwind(). */
size_t isti_slots_mark(const isti_thread *thread);
void isti_slots_unwind(isti_thread *thread, size_t mark);

/* In the child of a fork: the thread is not there any more, and nothing of it is published. */
void isti_slots_forget(isti_thread *thread);

/* Whether the record still shows a hold, and may not serve another thread. */
bool isti_slots_are_empty(const isti_thread *thread);

#endif
