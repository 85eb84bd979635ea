/* SPDX-License-Identifier: MIT */
/*
 * The readers' side of a shared session, out of line. Step numbers are those of docs/lifetimes.md
 * and of the model.
 * Invariants: a thread writes its own slots alone; no user code runs,
 *             and nothing is allocated, while a slot shows PEND or ACCESS for this file's sake; and
 *             no thread waits for a verdict while a slot of its own shows PEND.
 */
#include "session/slots.h"

#include "base/contract.h"
#include "base/heap.h"
#include "os/wait.h"
#include "session/exposure.h"
#include "session/fence.h"
#include "session/session.h"

uint64_t *isti_slots_free(isti_thread *thread)
{
    for (size_t i = 0; i < ISTI_SLOT_HOLDS; i++)
        if (thread->slots[i] == 0)
            return &thread->slots[i];
    return NULL;
}

/* A1 A2, H1 H2: the store, and that it comes before the reads of the session. */
static void publish(uint64_t *slot, const isti_session *session, uint64_t tag)
{
    if (isti_fence_is_light()) {
        isti_slot_set(slot, session, tag);
        isti_light_fence();
    } else {
        /*
         * seq_cst: pairs with the full fence of isti_fence_heavy(). An exchange, because
         * ThreadSanitizer does not know of fences.
         */
        __atomic_exchange_n(slot, (uint64_t)(uintptr_t)session | tag, ISTI_ORDER(A2_FULL, SEQ_CST));
    }
}

/* A8, D5, H6, H7, H9. */
static void clear(uint64_t *slot)
{
    isti_tools_release(slot);
    isti_slot_clear(slot);
}

void isti_slots_leave(uint64_t *slot)
{
    clear(slot);
}

enum answer { OPEN, GONE, UNDECIDED, UNKNOWN };

/*
 * A3-A5, H3 H4: is the session open? The first touch by another thread than the owner marks it
 * escaped. UNKNOWN: the owner cannot be told.
 */
static enum answer check(isti_session *session, uint64_t expected)
{
    for (;;) {
        /* A3 H3: the owner first. */
        uint64_t owner = isti_load_relaxed_u64(&session->owner);
        /* A4 H3: pairs with verdicts. */
        uint64_t state = __atomic_load_n(&session->state, ISTI_ORDER(H3, ACQUIRE));
        if (state == (expected | ISTI_ESCAPED) || (state == expected && owner == isti_self.serial))
            return OPEN;
        if (state == expected) {
            isti_self.record->fence_errno = isti_expose_owner(session); /* E1-E5 */
            if (isti_self.record->fence_errno != 0)
                return UNKNOWN;
            /*
             * A5 H4. Relaxed: the slot is published already; against the owner's one CAS this word
             * alone decides.
             */
            if (__atomic_compare_exchange_n(&session->state, &state, expected | ISTI_ESCAPED, 0,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                return OPEN;
            continue;
        }
        return state == (expected | ISTI_ESCAPED | ISTI_PHASE_CLOSING) ? UNDECIDED : GONE;
    }
}

static ist_status refusal(enum answer answer)
{
    return answer == GONE ? IST_E_CLOSED : IST_E_SYSTEM;
}

/* H6, S5: until the close that is under way is decided. */
static void await_verdict(const isti_session *session, uint64_t expected)
{
    uint64_t undecided = expected | ISTI_ESCAPED | ISTI_PHASE_CLOSING;
    for (isti_wait wait = { 0 };
         __atomic_load_n(&session->state, ISTI_ORDER(H6, ACQUIRE)) == undecided;)
        isti_wait_step(&wait);
}

ist_status isti_slots_enter(isti_thread *thread, isti_session *session, uint64_t expected,
                            unsigned depth, uint64_t **ret_slot)
{
    uint64_t *slot = &thread->slots[ISTI_SLOT_FOR_ACCESS + depth];
    ISTI_ASSERT(*slot == 0 && depth <= 1);
    publish(slot, session, ISTI_SLOT_ACCESS); /* A1 A2 */
    enum answer answer;
    while ((answer = check(session, expected)) == UNDECIDED)
        /* A6: the slot stays; the closer that decides does not wait for it. */
        await_verdict(session, expected);
    if (answer != OPEN) {
        clear(slot); /* A8 */
        return refusal(answer);
    }
    *ret_slot = slot;
    return IST_OK;
}

/* H1-H4, H6, H7: PEND is in the slot and the session open, or the slot is clear. */
static ist_status attempt(uint64_t *slot, isti_session *session, uint64_t expected)
{
    for (;;) {
        publish(slot, session, ISTI_SLOT_PEND); /* H1 H2 */
        enum answer answer = check(session, expected);
        if (answer == OPEN)
            return IST_OK;
        clear(slot); /* H6 H7 */
        if (answer != UNDECIDED)
            return refusal(answer);
        await_verdict(session, expected);
    }
}

/*
 * S1-S5: as attempt(), with a count in the session in the place of the slot; it stays for the
 * caller to take back.
 */
static ist_status attempt_without_slot(isti_session *session, uint64_t expected)
{
    for (;;) {
        /*
         * S1. seq_cst, a read-modify-write: before the reads of the session; pairs with the
         * closer's read of the count.
         */
        __atomic_fetch_add(&session->pending, 1, ISTI_ORDER(S1, SEQ_CST));
        enum answer answer = check(session, expected); /* S2 */
        if (answer == OPEN)
            return IST_OK;
        __atomic_fetch_sub(&session->pending, 1, ISTI_ORDER(S4_REFUSED, RELEASE)); /* S4 */
        if (answer != UNDECIDED)
            return refusal(answer);
        await_verdict(session, expected); /* S5 */
    }
}

/* Behind an attempt: its owner's close has to look for holds from here on. */
static void note_own_hold(isti_session *session)
{
    if (isti_is_mine(session))
        isti_session_burden(session, ISTI_BURDEN_HELD);
}

static ist_status
spill(isti_thread *thread, isti_session *session, uint64_t expected, ist_hold *ret_hold)
{
    isti_spill *entry = isti_heap_alloc(sizeof *entry);
    if (entry == NULL)
        return IST_E_NO_MEMORY;
    ist_status status = attempt_without_slot(session, expected);
    if (status != IST_OK) {
        isti_heap_free(entry);
        return status;
    }
    note_own_hold(session);
    isti_slots_add_detached(session); /* S3 */
    /* Behind S3; pairs with the closer's read. */
    __atomic_fetch_sub(&session->pending, 1, ISTI_ORDER(S4, RELEASE));
    *entry = (isti_spill){ .next = thread->spilled, .session = session };
    thread->spilled = entry;
    thread->spill_count++;
    *ret_hold = (ist_hold){ .session = session, .expected = expected, .slot = entry };
    return IST_OK;
}

ist_status
isti_slots_hold(isti_thread *thread, isti_session *session, uint64_t expected, ist_hold *ret_hold)
{
    uint64_t *slot = isti_slots_free(thread);
    if (slot == NULL)
        return spill(thread, session, expected, ret_hold);
    ist_status status = attempt(slot, session, expected);
    if (status != IST_OK)
        return status;
    note_own_hold(session);
    isti_slot_set(slot, session, ISTI_SLOT_HOLD); /* H5 */
    *ret_hold = (ist_hold){ .session = session, .expected = expected, .slot = slot };
    return IST_OK;
}

static void release_spill(isti_thread *thread, isti_spill **link)
{
    isti_spill *entry = *link;
    *link = entry->next;
    thread->spill_count--;
    isti_slots_release_detached(entry->session); /* D6 */
    isti_heap_free(entry);
}

static isti_spill **find_spill(isti_thread *thread, const ist_hold *hold)
{
    isti_spill **link = &thread->spilled;
    while (*link != NULL && ((void *)*link != hold->slot || (*link)->session != hold->session))
        link = &(*link)->next;
    return *link != NULL ? link : NULL;
}

static bool is_own_slot(const isti_thread *thread, const uint64_t *slot)
{
    return slot >= thread->slots && slot < thread->slots + ISTI_SLOT_HOLDS;
}

ist_status isti_slots_check(isti_thread *thread, const ist_hold *hold)
{
    const uint64_t *slot = hold->slot;
    if (is_own_slot(thread, slot))
        return *slot == ((uint64_t)(uintptr_t)hold->session | ISTI_SLOT_HOLD) ? IST_OK
                                                                              : IST_E_ARGUMENT;
    return find_spill(thread, hold) != NULL ? IST_OK : IST_E_WRONG_THREAD;
}

ist_status isti_slots_release(isti_thread *thread, const ist_hold *hold)
{
    ist_status status = isti_slots_check(thread, hold);
    if (status != IST_OK)
        return status;
    if (is_own_slot(thread, hold->slot))
        clear(hold->slot); /* H9 */
    else
        release_spill(thread, find_spill(thread, hold));
    return IST_OK;
}

ist_status isti_slots_announce(isti_thread *thread, isti_session *session, uint64_t expected,
                               uint64_t **ret_slot)
{
    *ret_slot = &thread->slots[ISTI_SLOT_FOR_ATTEMPT];
    return attempt(*ret_slot, session, expected);
}

ist_status isti_slots_hold_detached(isti_thread *thread, isti_session *session, uint64_t expected)
{
    uint64_t *slot;
    ist_status status = isti_slots_announce(thread, session, expected, &slot); /* D1-D3 */
    if (status != IST_OK)
        return status;
    note_own_hold(session);
    isti_slots_add_detached(session); /* D4 */
    clear(slot);                      /* D5: behind D4, so that a closer sees one or the other. */
    return IST_OK;
}

/* A mark: one bit for each slot that shows a hold, and above them the number of spilled ones. */
size_t isti_slots_mark(const isti_thread *thread)
{
    size_t mark = thread->spill_count << ISTI_SLOT_HOLDS;
    for (size_t i = 0; i < ISTI_SLOT_HOLDS; i++)
        mark |= (size_t)(thread->slots[i] != 0) << i;
    return mark;
}

void isti_slots_unwind(isti_thread *thread, size_t mark)
{
    while (thread->spill_count > mark >> ISTI_SLOT_HOLDS)
        release_spill(thread, &thread->spilled);
    for (size_t i = 0; i < ISTI_SLOT_HOLDS; i++)
        if (thread->slots[i] != 0 && !(mark >> i & 1))
            clear(&thread->slots[i]);
}

void isti_slots_forget(isti_thread *thread)
{
    for (size_t i = 0; i < ISTI_SLOT_COUNT; i++)
        clear(&thread->slots[i]);
    while (thread->spilled != NULL)
        release_spill(thread, &thread->spilled);
    thread->spill_count = 0; /* The thread may have been lost between the two. */
}

bool isti_slots_are_empty(const isti_thread *thread)
{
    for (size_t i = 0; i < ISTI_SLOT_COUNT; i++)
        if (isti_load_relaxed_u64(&thread->slots[i]) != 0)
            return false;
    return thread->spilled == NULL;
}
