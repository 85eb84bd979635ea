/* SPDX-License-Identifier: MIT */
/*
 * Orphans change hands by one CAS of `owner` from a dead serial, which never comes back, to the adopter's: of several
 * adopters one wins, and what the dead owner wrote happened before its end, which the registry's lock made known.
 */
#include "memory/orphan.h"

#include "memory/arena.h"
#include "memory/record.h"

#include <stdatomic.h>

static atomic_size_t orphans; /* Relaxed throughout: a count for statistics. */

void isti_orphans_add(size_t count)
{
    atomic_fetch_add_explicit(&orphans, count, memory_order_relaxed);
}

size_t isti_orphans_count(void)
{
    return atomic_load_explicit(&orphans, memory_order_relaxed);
}

/* True: the calling thread owns the record now, and did not before. */
static bool take_over(isti_arena *record, uint64_t owner)
{
    isti_local *local = isti_local_existing();
    if (isti_thread_is_alive(owner) ||
        /* acq_rel: the adopter's reads of the record stay behind; pairs with itself and with abandon(). */
        !__atomic_compare_exchange_n(&record->session.owner, &owner, isti_self.serial, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return false;
    isti_orphans_add(-(size_t)1);
    isti_local_add(&local->records, 1);
    if (record->session.burden & ISTI_BURDEN_FRAME) {
        /* The frame's memory stays where it is; the arena is an ordinary one from here on. */
        record->session.burden &= ~ISTI_BURDEN_FRAME;
        record->cursor = record->limit = record->base = record->dirty = 0;
    }
    return true;
}

/* Makes a record that was taken over an orphan again. */
static void abandon(isti_arena *record, uint64_t owner)
{
    isti_local_add(&isti_local_existing()->records, -(size_t)1);
    isti_orphans_add(1);
    /* release: pairs with the CAS of the next adopter. */
    __atomic_store_n(&record->session.owner, owner, __ATOMIC_RELEASE);
}

ist_status ist_arena_adopt(ist_arena arena)
{
    if (arena.session != NULL && !(arena.expected & ISTI_CONFINED))
        return isti_fail(&(isti_failure){ .error = { .status = IST_E_UNSUPPORTED, .operation = "adoption" },
                                          .reason = "the arena is not a confined one" });
    if (arena.expected == ISTI_GLOBAL)
        return isti_fail(&(isti_failure){ .error = { .status = IST_E_UNSUPPORTED, .operation = "adoption" },
                                          .reason = "the global arena has no owner" });
    if (isti_local_current() == NULL)
        return isti_fail_no_memory("adoption", 0);
    if (isti_session_check(arena.session, arena.expected) == IST_E_WRONG_THREAD)
        (void)take_over(isti_arena_record(arena.session), isti_load_relaxed_u64(&arena.session->owner));
    return isti_arena_require(arena.session, arena.expected, (isti_failure){ .error = { .operation = "adoption" } });
}

/* Closes the record's arena if it is an orphan that nobody holds. */
static void reclaim(isti_arena *record, void *data)
{
    size_t *count = data;
    uint64_t owner = isti_load_relaxed_u64(&record->session.owner);
    if (owner == 0 || owner == isti_self.serial || !take_over(record, owner))
        return;
    if (isti_session_holds_owner(&record->session) != 0) {
        abandon(record, owner);
        return;
    }
    isti_arena_end_owner(record);
    ++*count;
}

ist_status ist_arena_reclaim_orphans(size_t *ret_count)
{
    if (isti_local_current() == NULL)
        return isti_fail_no_memory("reclaiming orphans", 0);
    size_t count = 0;
    isti_record_visit(reclaim, &count);
    if (ret_count != NULL)
        *ret_count = count;
    return IST_OK;
}
