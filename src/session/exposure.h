/* SPDX-License-Identifier: MIT */
#ifndef ISTI_SESSION_EXPOSURE_H
#define ISTI_SESSION_EXPOSURE_H
/*
 * Steps E1-E5 and Q1-Q6 of docs/lifetimes.md. A thread is *exposed* from the first time that another
 * one touches a shared session of its. Until then it closes its sessions by plain stores, and from
 * then on by a compare-and-swap each, which decides against a first touch.
 *
 * `exposed` of a thread's record is the serial of the last of its threads that is exposed, with
 * UNDER_WAY while that is not done; serials of a record only grow, and so does this.
 *
 *     below the serial   nobody but the owner has changed the state of an open session of its
 *     with UNDER_WAY     somebody is about to, and may not yet
 *     the serial         no plain close of the owner's is under way, and there is none again
 *
 * Q1-Q6 are isti_close_alone() in <isthmus/arena.h>. In full fence mode nobody closes by plain
 * stores, and nobody is asked.
 */
#include "session/fence.h"
#include "session/thread.h"

/* E1-E5 for a thread of that record. Returns as isti_expose_owner(). */
int isti_exposure_begin(isti_thread *record, uint64_t serial);

/*
 * Before the first change of the session's state by another thread than its owner, in a life that
 * the CAS which follows shows to be the handle's. Returns 0, or the errno of a failed fence: then
 * nothing may be changed.
 */
static inline int isti_expose_owner(const isti_session *session)
{
    if (!isti_fence_is_light())
        return 0;
    /* Relaxed, both: constant in a life, and the handle came to this thread behind the stores. */
    uint64_t serial = isti_load_relaxed_u64(&session->owner);
    isti_thread *record = __atomic_load_n(&session->owner_thread, __ATOMIC_RELAXED);
    /* E1. Acquire: pairs with E5; the plain closes of before are over. */
    if (__atomic_load_n(&record->exposed, ISTI_ORDER(E1, ACQUIRE)) == serial)
        return 0;
    return isti_exposure_begin(record, serial);
}

#endif
