/* SPDX-License-Identifier: MIT */
/*
 * Confined sessions, the slow side; the fast side is inline in the public headers. See the header for the states.
 * All stores to `state` and `owner` are by the owner. They are relaxed atomics because other threads may look, and are refused
 * whatever they see.
 */
#include "session/session.h"

#include "base/contract.h"

const char *isti_session_kind(uint64_t expected)
{
    switch (expected & ISTI_KIND_MASK) {
    case ISTI_CONFINED:
        return "confined";
    case ISTI_GLOBAL:
        return "global";
    default:
        return "null";
    }
}

ist_status isti_session_check(const isti_session *session, uint64_t expected)
{
    if (expected == ISTI_GLOBAL)
        return IST_OK;
    if (session == NULL || isti_load_relaxed_u64(&session->state) != expected)
        return IST_E_CLOSED;
    return isti_load_relaxed_u64(&session->owner) == isti_self.serial ? IST_OK : IST_E_WRONG_THREAD;
}

void isti_session_add_cleanup_owner(isti_session *session, isti_cleanup *cleanup)
{
    cleanup->next = session->cleanups;
    session->cleanups = cleanup;
    session->burden |= ISTI_BURDEN_CLEANUPS;
}

void isti_session_end_owner(isti_session *session)
{
    ISTI_ASSERT(isti_session_holds_owner(session) == 0);
    isti_store_relaxed_u64(&session->state, session->state | ISTI_PHASE_CLOSED);
    while (session->cleanups != NULL) {
        isti_cleanup *cleanup = session->cleanups;
        session->cleanups = cleanup->next;
        cleanup->run(cleanup);
    }
}

bool isti_session_renew_owner(isti_session *session)
{
    uint64_t next;
    if (__builtin_add_overflow(session->state & ~ISTI_PHASE_MASK, ISTI_GENERATION_ONE, &next))
        return false;
    session->burden = 0;
    isti_store_relaxed_u64(&session->state, next);
    return true;
}
