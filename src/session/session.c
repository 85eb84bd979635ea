/* SPDX-License-Identifier: MIT */
/*
 * Sessions of any kind, the slow side; the fast side is inline in the public headers. See the
 * header for the states. All stores to `state` and `owner` of a confined session are by the owner.
 * They are relaxed atomics because other threads may look, and are refused whatever they see. For
 * shared ones see slots.c and close.c.
 */
#include "session/session.h"

#include "base/contract.h"

#include <pthread.h>

const char *isti_session_kind(uint64_t expected)
{
    if (expected & ISTI_AUTOMATIC)
        return "automatic";
    switch (expected & ISTI_KIND_MASK) {
    case ISTI_CONFINED:
        return "confined";
    case ISTI_SHARED:
        return "shared";
    case ISTI_GLOBAL:
        return "global";
    default:
        return "null";
    }
}

bool isti_session_is_open(const isti_session *session, uint64_t expected)
{
    if (expected == ISTI_GLOBAL)
        return true;
    /*
     * Relaxed: the answer may be old as soon as it is given, to every thread but a confined
     * session's owner.
     */
    uint64_t now =
        session != NULL ? isti_load_relaxed_u64(&session->state) ^ expected : ISTI_PHASE_CLOSED;
    /* A shared one may be escaped, and is open until a close is decided. */
    return (now & ~(ISTI_ESCAPED | ISTI_PHASE_CLOSING)) == 0;
}

void isti_session_add_cleanup(isti_session *session, isti_cleanup *cleanup)
{
    /*
     * Relaxed, release: pairs with the acquire in isti_session_run_cleanups(); L1 to L3. The access
     * that this is part of keeps the session from its end, so that a head of one life cannot meet a
     * node of another.
     */
    if (isti_is_mine(session))
        isti_session_burden(session, ISTI_BURDEN_CLEANUPS);
    isti_cleanup *head = __atomic_load_n(&session->cleanups, __ATOMIC_RELAXED);
    do
        cleanup->next = head;
    while (!__atomic_compare_exchange_n(&session->cleanups, &head, cleanup, 1,
                                        ISTI_ORDER(L3, RELEASE), __ATOMIC_RELAXED));
}

ist_status isti_session_check(const isti_session *session, uint64_t expected)
{
    if (expected == ISTI_GLOBAL)
        return IST_OK;
    if (session == NULL || isti_load_relaxed_u64(&session->state) != expected)
        return IST_E_CLOSED;
    return isti_is_mine(session) ? IST_OK : IST_E_WRONG_THREAD;
}

void isti_session_add_cleanup_owner(isti_session *session, isti_cleanup *cleanup)
{
    cleanup->next = session->cleanups;
    session->cleanups = cleanup;
    isti_session_burden(session, ISTI_BURDEN_CLEANUPS);
}

void isti_session_end(isti_session *session)
{
    ISTI_ASSERT(isti_session_holds_owner(session) == 0);
    isti_store_relaxed_u64(&session->state,
                           isti_load_relaxed_u64(&session->state) | ISTI_PHASE_CLOSED);
    /* Acquire: pairs with isti_session_add_cleanup(). Nobody adds any more. */
    isti_cleanup *next = __atomic_load_n(&session->cleanups, ISTI_ORDER(L4, ACQUIRE));
    if (next == NULL)
        return;
    /* Relaxed: nobody adds any more. */
    __atomic_store_n(&session->cleanups, NULL, __ATOMIC_RELAXED);
    int cancellation;
    /* An arena is not left half closed. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    while (next != NULL) {
        isti_cleanup *cleanup = next;
        next = cleanup->next;
        cleanup->run(cleanup);
    }
    pthread_setcancelstate(cancellation, NULL);
}

bool isti_session_renew(isti_session *session)
{
    uint64_t next;
    /*
     * The kind stays: the owner of a record that another thread closes must see that it is not its
     * own alone to unlist (U1), until the record is free.
     */
    uint64_t kept = isti_load_relaxed_u64(&session->state) & ~(ISTI_PHASE_MASK | ISTI_ESCAPED);
    if (__builtin_add_overflow(kept, ISTI_GENERATION_ONE, &next))
        return false;
    isti_store_relaxed_u64(&session->burden, 0);
    isti_store_relaxed_u64(&session->references, 0);
    isti_store_relaxed_u64(&session->detached, 0); /* Of a counted one; else it is 0. */
    isti_store_relaxed_u64(&session->state, next);
    return true;
}
