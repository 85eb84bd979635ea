/* SPDX-License-Identifier: MIT */
/*
 * The closer's side. Step numbers are those of docs/lifetimes.md and of the model. Between C2 and
 * the verdict a closer runs no user code, allocates nothing, and waits for PEND alone: a bounded
 * time, since a thread with a PEND waits for nobody. Its own slots show no ACCESS. So waits form no
 * cycle. The order "all slots, then the pending count, then `detached`" is essential: holds move in
 * that direction.
 */
#include "session/close.h"

#include "os/memory_tools.h"
#include "os/wait.h"
#include "session/count.h"
#include "session/fence.h"
#include "session/slots.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

enum progress {
    NEW,     /* From C0. */
    MINE,    /* CLOSING by this closer, undecided. */
    ASIDE,   /* Found CLOSING by another; not waited for while something is MINE. */
    STALLED, /* A PEND stays: to be given back, and tried again later. */
    REFUSED, /* Held: to be given back. */
    DONE,    /* CLOSED, to be drained. */
    QUICK,   /* CLOSED by one CAS: nobody to drain. */
    DECIDED  /* `status` is final. */
};

#define PATIENCE_NS \
    UINT64_C(1000000) /* How long a closer waits for a PEND before it gives the session back. */
#define LONGEST_SLEEP_NS UINT64_C(16000000)

static atomic_size_t escaped_count; /* Relaxed, like the other two: statistics. */
static atomic_uint_fast64_t longest_undecided;
static atomic_uint_fast64_t longest_drain;

/*
 * The number of closers between C2 and the verdict, and FORKING: a fork waits for them, and new
 * ones wait for the fork. No rwlock: one that prefers readers lets busy closers keep a fork waiting
 * for ever, and its writer is a thread id that the child does not have.
 */
static atomic_uint undecided;
#define FORKING (1U << 31)

static void raise_to(atomic_uint_fast64_t *longest, uint64_t time)
{
    uint_fast64_t seen = atomic_load_explicit(longest, memory_order_relaxed);
    while (time > seen && !atomic_compare_exchange_weak_explicit(
                              longest, &seen, time, memory_order_relaxed, memory_order_relaxed))
        ;
}

/* Pairs with the release of whoever cleared it (A8, H9, D5). */
static uint64_t read_slot(const uint64_t *slot)
{
    uint64_t seen = __atomic_load_n(slot, ISTI_ORDER(C4_SLOT, ACQUIRE));
    isti_tools_acquire(slot);
    return seen;
}

/* Pairs with D4, S3 through S4 and D5, and with the release of D6. */
static uint64_t read_detached(const isti_session *session)
{
    uint64_t seen = __atomic_load_n(&session->detached, ISTI_ORDER(C4_DETACHED, ACQUIRE));
    isti_tools_acquire(&session->detached);
    return seen;
}

static uint64_t read_state(const isti_session *session)
{
    /* Pairs with verdicts and with C6. */
    return __atomic_load_n(&session->state, ISTI_ORDER(C0, ACQUIRE));
}

/* ---- Forks ---- */

/* Adds to `undecided`, once no fork is under way. Acquire: pairs with the end of the fork. */
static void raise_undecided(unsigned amount)
{
    isti_wait wait = { 0 };
    unsigned seen = atomic_load_explicit(&undecided, memory_order_relaxed);
    while ((seen & FORKING) ||
           !atomic_compare_exchange_weak_explicit(&undecided, &seen, seen + amount,
                                                  memory_order_acquire, memory_order_relaxed)) {
        if (seen & FORKING) {
            isti_wait_step(&wait);
            seen = atomic_load_explicit(&undecided, memory_order_relaxed);
        }
    }
}

static void begin_undecided(void)
{
    raise_undecided(1);
}

static void end_undecided(void)
{
    /* Release: pairs with the acquire of a fork that has waited for it. */
    atomic_fetch_sub_explicit(&undecided, 1, memory_order_release);
}

void isti_close_lock_for_fork(void)
{
    raise_undecided(FORKING);
    for (isti_wait wait = { 0 }; atomic_load_explicit(&undecided, memory_order_acquire) != FORKING;)
        isti_wait_step(&wait);
}

void isti_close_unlock_after_fork(void)
{
    /* Release: pairs with raise_undecided(). */
    atomic_store_explicit(&undecided, 0, memory_order_release);
}

/* ---- C0: look, changing nothing ---- */

static uint64_t own_holds(const isti_session *session)
{
    uint64_t found = 0;
    for (size_t i = 0; i < ISTI_SLOT_HOLDS; i++)
        found += isti_self.record->slots[i] == ((uint64_t)(uintptr_t)session | ISTI_SLOT_HOLD);
    return found;
}

/*
 * Does the slot that showed a hold to the last close show one still? A hint: any slot may be looked
 * at at any time.
 */
static uint64_t witnessed(const isti_session *session)
{
    const uint64_t *witness = __atomic_load_n(&session->witness, __ATOMIC_RELAXED);
    return witness != NULL &&
           isti_load_relaxed_u64(witness) == ((uint64_t)(uintptr_t)session | ISTI_SLOT_HOLD);
}

static uint64_t look(const isti_session *session, uint64_t expected)
{
    if (expected & ISTI_AUTOMATIC) /* R8: nothing holds it; the references are counted later. */
        return 0;
    uint64_t found = read_detached(session) + own_holds(session);
    return found != 0 ? found : witnessed(session);
}

static void decide(isti_closing *item, ist_status status)
{
    item->progress = DECIDED;
    item->status = status;
}

/* C0-C2. `wait`: for the verdict of another closer; else the session is put aside. */
static void take(isti_closing *item, int wait)
{
    isti_session *session = item->session;
    uint64_t open = item->expected, escaped = open | ISTI_ESCAPED;
    isti_wait pause = { 0 };
    for (;;) {
        uint64_t state = read_state(session); /* C0 */
        if (state == (escaped | ISTI_PHASE_CLOSING)) {
            if (!wait) {
                item->progress = ASIDE;
                return;
            }
            isti_wait_step(&pause);
            continue;
        }
        if (state != open && state != escaped) {
            decide(item, IST_E_CLOSED);
            return;
        }
        item->holders = look(session, open); /* C0 look */
        if (item->holders != 0) {
            /* C0 again: what was found may have been of the record's next life. */
            decide(item,
                   (read_state(session) ^ open) < ISTI_GENERATION_ONE ? IST_E_HELD : IST_E_CLOSED);
            return;
        }
        if (state == open && isti_is_mine(session)) {
            /*
             * C1. acq_rel: against A5 and H4 this word alone decides; nobody else has touched the
             * session.
             */
            if (__atomic_compare_exchange_n(&session->state, &state, open | ISTI_PHASE_CLOSED, 0,
                                            ISTI_ORDER(C1, ACQ_REL), __ATOMIC_RELAXED)) {
                item->progress = QUICK;
                return;
            }
            continue;
        }
        if (state == open && (item->os_errno = isti_expose_owner(session)) != 0) { /* E1-E5 */
            decide(item, IST_E_SYSTEM);
            return;
        }
        /* C2. acq_rel, and the heavy fence behind it: before the reads of the slots. */
        if (__atomic_compare_exchange_n(&session->state, &state, escaped | ISTI_PHASE_CLOSING, 0,
                                        ISTI_ORDER(C2, ACQ_REL), __ATOMIC_RELAXED)) {
            item->unreliable = __atomic_load_n(&session->witness, __ATOMIC_RELAXED);
            item->progress = MINE;
            return;
        }
    }
}

/* ---- C4 ---- */

static isti_closing *find(isti_closing *items, size_t count, uint64_t shown, enum progress progress)
{
    for (size_t i = 0; i < count; i++)
        if ((uint64_t)(uintptr_t)items[i].session == (shown & ~ISTI_SLOT_TAGS) &&
            items[i].progress == (int)progress)
            return &items[i];
    return NULL;
}

/* Until the word is not `shown` any more. False: patience is at an end. */
static int outlast(const uint64_t *word, uint64_t shown)
{
    uint64_t begin = isti_clock_ns();
    for (isti_wait wait = { 0 }; read_slot(word) == shown;) {
        if (isti_clock_ns() - begin > PATIENCE_NS)
            return 0;
        isti_wait_step(&wait);
    }
    return 1;
}

/*
 * The first that is found, but another than the one that did not show its hold any more when it was
 * looked at, if there is one: of a hold that stays and one that comes and goes, the former.
 */
static void bear_witness(const isti_closing *item, const uint64_t *slot)
{
    const uint64_t **witness = &item->session->witness;
    if (item->holders == 0 || __atomic_load_n(witness, __ATOMIC_RELAXED) == item->unreliable)
        __atomic_store_n(witness, slot, __ATOMIC_RELAXED);
}

static void judge_slot(isti_closing *items, size_t count, const uint64_t *slot)
{
    for (;;) {
        uint64_t shown = read_slot(slot), tag = shown & ISTI_SLOT_TAGS;
        if (tag != ISTI_SLOT_HOLD && tag != ISTI_SLOT_PEND)
            return;
        isti_closing *item = find(items, count, shown, MINE);
        if (item == NULL)
            return;
        if (tag == ISTI_SLOT_HOLD) {
            bear_witness(item, slot);
            item->holders++;
            return;
        }
        if (!outlast(slot, shown))
            item->progress = STALLED;
    }
}

/*
 * Every slot of every record; the list's head is read after the fence, so that no thread that
 * matters is missed.
 */
static void scan(isti_closing *items, size_t count)
{
    for (const isti_thread *thread = isti_thread_first(); thread != NULL; thread = thread->next)
        for (size_t i = 0; i < ISTI_SLOT_COUNT; i++)
            judge_slot(items, count, &thread->slots[i]);
}

/* Holds that stand in no slot, or, R9, references. */
static uint64_t count_detached(isti_session *session, uint64_t expected)
{
    return expected & ISTI_COUNTED ? isti_count_settle(session) : read_detached(session);
}

/* The pending count until it is 0, then `detached`. */
static void judge_counts(isti_closing *item)
{
    /* Acquire: pairs with S4; a spilled hold is in `detached` by then. */
    for (uint64_t pending; (pending = read_slot(&item->session->pending)) != 0;) {
        if (!outlast(&item->session->pending, pending)) {
            item->progress = STALLED;
            return;
        }
    }
    item->holders += count_detached(item->session, item->expected);
    if (item->holders != 0)
        item->progress = REFUSED;
}

static void give_back(const isti_closing *item)
{
    /*
     * Never OPEN alone: the owner's one CAS would free under a foreign access. Release: pairs with
     * A4, H3, C0.
     */
    __atomic_store_n(&item->session->state, item->expected | ISTI_ESCAPED,
                     ISTI_ORDER(C4_VERDICT, RELEASE));
}

static void conclude(isti_closing *item)
{
    if (item->progress == MINE) {
        __atomic_store_n(&item->session->state, item->expected | ISTI_ESCAPED | ISTI_PHASE_CLOSED,
                         ISTI_ORDER(C5, RELEASE)); /* C5 */
        item->progress = DONE;
        return;
    }
    give_back(item);
    if (item->progress == REFUSED)
        decide(item, IST_E_HELD);
}

/* C3, C4 and the verdicts for all that are MINE. */
static void judge(isti_closing *items, size_t count)
{
    uint64_t begin = isti_clock_ns();
    int failure = isti_fence_heavy(); /* C3 */
    if (failure == 0)
        scan(items, count);
    for (size_t i = 0; i < count; i++) {
        isti_closing *item = &items[i];
        if (item->progress != MINE && item->progress != STALLED)
            continue;
        if (failure != 0) {
            give_back(item);
            item->os_errno = failure;
            decide(item, IST_E_SYSTEM);
            continue;
        }
        if (item->progress == MINE)
            judge_counts(item);
        conclude(item);
    }
    raise_to(&longest_undecided, isti_clock_ns() - begin);
}

/* C5, M4: until no slot shows an access of a session that is DONE. */
static void drain(isti_closing *items, size_t count)
{
    uint64_t begin = isti_clock_ns();
    for (const isti_thread *thread = isti_thread_first(); thread != NULL; thread = thread->next) {
        for (size_t i = 0; i < ISTI_SLOT_COUNT; i++) {
            isti_wait wait = { 0 };
            uint64_t shown;
            while ((shown = read_slot(&thread->slots[i])) != 0 &&
                   (shown & ISTI_SLOT_TAGS) == ISTI_SLOT_ACCESS &&
                   find(items, count, shown, DONE) != NULL)
                isti_wait_step(&wait);
        }
    }
    raise_to(&longest_drain, isti_clock_ns() - begin);
}

/* From C0 to C5 for all that are NEW. Returns how many are ASIDE or STALLED. */
static size_t advance(isti_closing *items, size_t count, int wait)
{
    size_t mine = 0, again = 0;
    begin_undecided();
    for (size_t i = 0; i < count; i++) {
        if (items[i].progress == NEW)
            take(&items[i], wait); /* M1 */
        mine += items[i].progress == MINE;
    }
    if (mine != 0)
        judge(items, count); /* M2 M3 */
    end_undecided();
    if (mine != 0) {
        atomic_fetch_add_explicit(&escaped_count, mine, memory_order_relaxed);
        drain(items, count); /* M4 */
    }
    for (size_t i = 0; i < count; i++)
        again += items[i].progress == ASIDE || items[i].progress == STALLED;
    return again;
}

static void finish_all(isti_closing *items, size_t count, void (*finish)(isti_session *session))
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].progress == DONE || items[i].progress == QUICK) {
            decide(&items[i], IST_OK);
            finish(items[i].session);
        }
    }
}

/*
 * M5: one that was put aside, or given back, alone and from the beginning; a stalled one after a
 * sleep that doubles.
 */
static void retry(isti_closing *item, void (*finish)(isti_session *session))
{
    for (uint64_t sleep = PATIENCE_NS; item->progress == ASIDE || item->progress == STALLED;) {
        if (item->progress == STALLED) {
            isti_sleep_ns(sleep);
            sleep = sleep < LONGEST_SLEEP_NS ? sleep * 2 : sleep;
        }
        item->progress = NEW;
        advance(item, 1, 1);
        finish_all(item, 1, finish);
    }
}

void isti_close_all(isti_closing *items, size_t count, void (*finish)(isti_session *session))
{
    int cancellation;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    size_t again = advance(items, count, count == 1);
    finish_all(items, count, finish);
    for (size_t i = 0; again != 0 && i < count; i++)
        retry(&items[i], finish);
    pthread_setcancelstate(cancellation, NULL);
}

isti_close_counters isti_close_count(void)
{
    return (isti_close_counters){
        .escaped = atomic_load_explicit(&escaped_count, memory_order_relaxed),
        .longest_undecided = atomic_load_explicit(&longest_undecided, memory_order_relaxed),
        .longest_drain = atomic_load_explicit(&longest_drain, memory_order_relaxed)
    };
}
