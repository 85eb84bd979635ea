/* SPDX-License-Identifier: MIT */
/*
 * Argument: who counts shows PEND until it has counted, and finds the session open after that: so
 * the closer, which has set CLOSING and waits for PEND, has both words to itself. Outside of that
 * the owner alone writes `references`; and a thread that is not the owner may be dropping the last
 * reference only if `detached` has fallen to the number that nothing is left beyond.
 */
#include "session/count.h"

#include "os/memory_tools.h"
#include "session/slots.h"

static bool counts_alone(const isti_session *session)
{
    return isti_is_mine(session) && (int64_t)isti_load_relaxed_u64(&session->references) >= 0;
}

static void add_own(isti_session *session, uint64_t change)
{
    isti_store_relaxed_u64(&session->references,
                           isti_load_relaxed_u64(&session->references) + change);
}

ist_status isti_count_retain(isti_thread *thread, isti_session *session, uint64_t expected)
{
    uint64_t *slot;
    ist_status status = isti_slots_announce(thread, session, expected, &slot); /* R1 */
    if (status != IST_OK)
        return status;
    if (counts_alone(session))
        add_own(session, 1); /* R2 */
    else
        isti_slots_add_detached(session); /* R2 */
    isti_slots_leave(slot);               /* R3 */
    return IST_OK;
}

/*
 * R6 by the owner with its last: what others have is all there is. Acquire: pairs with their R6.
 * True: they have none.
 */
static bool merge(isti_session *session)
{
    isti_store_relaxed_u64(&session->references, ISTI_MERGED);
    uint64_t others =
        __atomic_fetch_add(&session->detached, ISTI_MERGED_COUNT, ISTI_ORDER(R6_MERGE, ACQUIRE));
    isti_tools_acquire(&session->detached);
    return (int64_t)others <= 0;
}

/* R6 by any other thread, or when all are merged. Release: pairs with R9 and merge(). */
static bool drop_detached(isti_session *session)
{
    isti_tools_release(&session->detached);
    uint64_t left = __atomic_sub_fetch(&session->detached, 1, ISTI_ORDER(R6, RELEASE));
    return left == ISTI_MERGED_COUNT || (int64_t)left < 0;
}

ist_status
isti_count_drop(isti_thread *thread, isti_session *session, uint64_t expected, bool *ret_maybe_last)
{
    uint64_t *slot;
    ist_status status = isti_slots_announce(thread, session, expected, &slot); /* R5 */
    if (status != IST_OK)
        return status;
    *ret_maybe_last = false;
    if (!counts_alone(session))
        *ret_maybe_last = drop_detached(session);
    else if (isti_load_relaxed_u64(&session->references) == 0)
        *ret_maybe_last = merge(session);
    else
        add_own(session, (uint64_t)-1);
    isti_slots_leave(slot); /* R7 */
    return IST_OK;
}

uint64_t isti_count_read(const isti_session *session)
{
    uint64_t references = isti_load_relaxed_u64(&session->references);
    /* Acquire: pairs with R6. */
    uint64_t detached = __atomic_load_n(&session->detached, ISTI_ORDER(R9, ACQUIRE));
    isti_tools_acquire(&session->detached);
    uint64_t all =
        references == ISTI_MERGED ? detached - ISTI_MERGED_COUNT : 1 + references + detached;
    return (int64_t)all > 0 ? all : 0;
}

uint64_t isti_count_settle(isti_session *session)
{
    uint64_t all = isti_count_read(session);
    if (all != 0) { /* Relaxed: the verdict is the release. */
        isti_store_relaxed_u64(&session->references, ISTI_MERGED);
        isti_store_relaxed_u64(&session->detached, ISTI_MERGED_COUNT + all);
    }
    return all;
}
