/* SPDX-License-Identifier: MIT */
/*
 * Orphans change hands by one CAS of `owner` from a dead serial, which never comes back, to the
 * adopter's: of several adopters one wins, and what the dead owner wrote happened before its end,
 * which the registry's lock made known.
 */
#include "memory/orphan.h"

#include "memory/arena.h"
#include "memory/record.h"

static bool is_open(const isti_arena *record, uint64_t kind)
{
    uint64_t state = isti_load_relaxed_u64(&record->session.state);
    return (state & kind) && (state & ISTI_PHASE_MASK) != ISTI_PHASE_CLOSED &&
           !isti_record_is_free(record);
}

static void take_census(isti_arena *record, void *data)
{
    isti_census *census = data;
    uint64_t owner = isti_load_relaxed_u64(&record->session.owner);
    if (owner == 0)
        return;
    bool confined = is_open(record, ISTI_CONFINED);
    census->confined += confined;
    census->orphans += confined && owner != isti_self.serial && !isti_thread_is_alive(owner);
    bool automatic = is_open(record, ISTI_AUTOMATIC);
    census->automatic += automatic;
    census->shared += !automatic && is_open(record, ISTI_SHARED);
    census->listed += owner != ISTI_LOST && isti_record_is_free(record);
}

isti_census isti_orphans_count(void)
{
    isti_census census = { .confined = 0 };
    isti_record_visit(take_census, &census);
    return census;
}

/* True: the calling thread owns the record now, and did not before. */
static bool take_over(isti_arena *record, uint64_t owner)
{
    /*
     * The kind is read when the owner is known to have ended: it does not open the record again, as
     * a shared one, behind that.
     */
    if (isti_thread_is_alive(owner) || !is_open(record, ISTI_CONFINED) ||
        /*
         * acq_rel: the adopter's reads of the record stay behind; pairs with itself and with
         * abandon().
         */
        !__atomic_compare_exchange_n(&record->session.owner, &owner, isti_self.serial, 0,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&record->session.owner_thread, isti_self.record, __ATOMIC_RELAXED);
    if (record->session.burden & ISTI_BURDEN_FRAME) {
        /* The frame's memory stays where it is; the arena is an ordinary one from here on. */
        record->session.burden &= ~ISTI_BURDEN_FRAME;
        record->base = record->limit = ISTI_NO_CHUNK;
        isti_record_rewind(record);
    }
    return true;
}

/* Makes a record that was taken over an orphan again. */
static void abandon(isti_arena *record, uint64_t owner)
{
    /* release: pairs with the CAS of the next adopter. */
    __atomic_store_n(&record->session.owner, owner, __ATOMIC_RELEASE);
}

ist_status ist_arena_adopt(ist_arena arena)
{
    if (arena.session != NULL && !(arena.expected & ISTI_CONFINED))
        return isti_fail(
            &(isti_failure){ .error = { .status = IST_E_UNSUPPORTED, .operation = "adoption" },
                             .reason = "the arena is not a confined one" });
    if (arena.expected == ISTI_GLOBAL)
        return isti_fail(
            &(isti_failure){ .error = { .status = IST_E_UNSUPPORTED, .operation = "adoption" },
                             .reason = "the global arena has no owner" });
    if (isti_local_current() == NULL)
        return isti_fail_no_memory("adoption", 0);
    if (isti_session_check(arena.session, arena.expected) == IST_E_WRONG_THREAD)
        (void)take_over(isti_arena_record(arena.session),
                        isti_load_relaxed_u64(&arena.session->owner));
    return isti_arena_require(arena.session, arena.expected, "adoption");
}

static void lose(isti_arena *record, void *data)
{
    const uint64_t *owner = data;
    if (isti_load_relaxed_u64(&record->session.owner) != *owner)
        return;
    isti_store_relaxed_u64(&record->session.owner, ISTI_LOST);
    record->session.burden |= ISTI_BURDEN_UNLISTED; /* Its list is lost with it. */
}

void isti_orphans_lose(uint64_t owner)
{
    isti_record_visit(lose, &owner);
}

/* Closes the record's arena if it is an orphan that nobody holds. */
static void reclaim(isti_arena *record, void *data)
{
    size_t *count = data;
    uint64_t owner = isti_load_relaxed_u64(&record->session.owner);
    if (owner == 0 || owner == ISTI_LOST || owner == isti_self.serial || !take_over(record, owner))
        return;
    if (isti_session_holds_owner(&record->session) != 0) {
        abandon(record, owner);
        return;
    }
    isti_arena_end(record);
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
