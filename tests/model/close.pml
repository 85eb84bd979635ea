/* SPDX-License-Identifier: MIT */
/*
 * Model of the lifetime protocol: sessions, accesses, holds, and closing while others look on.
 *
 * Main invariant: once close has decided on OK, no hold is confirmed, no thread starts to touch the
 * memory without having published the access before, and nothing that was published can still be
 * under way when the memory is given back. Until it has decided, close changes nothing that a
 * thread could notice for longer than it waits.
 *
 * memory.pml     store buffers (TSO, PSO), read-modify-writes, light and heavy fence
 * protocol.pml   state word, slots, what the checks keep book of; and with it, in
 * holding.pml    and closing.pml, the numbered steps; docs/lifetimes.md lists them
 * scenarios.pml  who does what: small configurations, one per verification
 * run_model.py   every scenario must hold, every mutant must be reported
 *
 * Checks of safety, by the name that a failure prints:
 *   TOUCH  nothing touches memory after it was given back
 *   LATE   no store made before lands after it was given back
 *   ONCE   one closer decides per life, memory is given back once
 *   EXACT  no hold is confirmed after close has decided on OK, none exists when it does
 *   TRUTH  "held" only if a confirmed hold existed at some moment of the call; "closed" only once that is decided
 *   COUNT  no count goes below zero or keeps something at the end
 *   ADDS   a cleanup whose add succeeded runs once, in the life it was added to; none other runs
 *
 * Checks of progress. "From every state every closer can return" is a statement about branching
 * time, for which spin has no search; a search for stuck states would find nothing either, because
 * a spin loop always has a next step. So every wait of the protocol is a guard that blocks until
 * the wait is over, and two searches together show more than is asked, namely that every execution
 * ends with every call returned:
 *   safe    no invalid end state: whatever cannot go on has returned. A wait that nobody ends stops here.
 *   finite  no cycle in the whole graph, under any scheduler, so that nothing goes on for ever.
 * Retries are real loops here, yet each needs a step of another thread that cannot be repeated for
 * ever. Only a closer that loses patience with a PEND repeats for its own reason: how often is
 * bounded by REVERTS, after which it waits. That the unbounded form, against a scheduler that
 * always interrupts the same hold, need not end, is why its interval doubles. In scenario
 * hold_stalled a thread stops for ever with its PEND set: there it, and the closers asleep because
 * of it, may be left over, and nobody else.
 *
 * Third, with -DSPINNING, waits are the loops that the C
 * code has, and the search is for a cycle that a weakly fair scheduler can follow for ever
 * ("fair"): stores land in the end, every thread runs again and again, and yet nobody arrives.
 * There a few threads may repeat their calls without bound (eager_...): eager readers and holders
 * must not keep a closer from returning, pollers of close must not keep a reader. That both forms
 * can fail, the mutants show: a verdict that waits for accesses, a wait with PEND set, close_many
 * waiting for another call's verdict are reported by both.
 *
 * Not modelled: loads that overtake older loads or stores that are kept back longer than DEPTH
 * others (memory.pml says more); the compiler; generations that wrap; thread records that come and
 * go, fork, signals, cancellation; time, so that "after about 1 ms" is "at any moment"; the free
 * list itself (one record, free or not); close_within (close in a loop). A load of the owner word
 * is one step with the load of the state where the word cannot change (one life).
 */

/* Outcomes that a scenario must be able to reach; run_model.py asks for them by name. They are no part of the state. */
#define OUTCOMES(X)                                                                            \
  X(ACCESS_DONE) X(ACCESS_REFUSED) X(BULK_STOPPED) X(COPIED) X(HOLD_WAITED) X(HOLD_REFUSED)    \
  X(HELD_BY_SLOT) X(HELD_DETACHED) X(SPILLED) X(CLOSED_QUICKLY) X(CLOSE_DONE) X(CLOSE_REFUSED) \
  X(CLOSE_GONE) X(CLOSER_LOST) X(REFUSED_BY_LOOK) X(GAVE_BACK) X(PUT_ASIDE) X(FENCE_FAILED)    \
  X(FENCE_SHARED) X(FENCE_SHARED_LATE) X(MANY_CLOSED) X(ADDED) X(ADD_REFUSED)                \
  X(CLOSED_PLAINLY) X(OWNER_EXPOSED) X(RETAINED) X(RETAIN_REFUSED) X(MERGED_BY_OWNER)          \
  X(MERGED_BY_OTHER)
#define OUTCOME_NUMBER(name) outcome_##name,
#define OUTCOME_TEXT(name) #name,

c_decl {
enum { OUTCOMES(OUTCOME_NUMBER) outcome_count };
static const char *const outcome_names[] = { OUTCOMES(OUTCOME_TEXT) };
static unsigned char covered[outcome_count];
static const char *violated;
static void __attribute__((destructor)) report(void)
{
    if (violated)
        printf("violated: %s\n", violated);
    for (int n = 0; n < outcome_count; n++)
        if (covered[n])
            printf("covered: %s\n", outcome_names[n]);
}
}

#define COVER(name) c_code { covered[outcome_##name] = 1; }

/* An assertion with a name, which pan prints when it fails. */
#define CHECK(name, condition)                            \
  if                                                      \
  :: condition                                            \
  :: else -> c_code { violated = #name; }; assert(false)  \
  fi

#include "scenarios.pml"
#include "protocol.pml"

#ifdef MANY
#define MANY_STATUS byte many[2]
#else
#define MANY_STATUS skip
#endif

#define THREAD(name, body)                                                                    \
  proctype name()                                                                             \
  {                                                                                           \
    byte seen; /* C0: the state word that the close goes on from */                           \
    byte i;    /* C4, C5: slot that the scan has reached */                                   \
    byte r;    /* result of close */                                                          \
    byte ok;   /* result of an access or hold */                                              \
    byte old;  /* L1: head that the add expects */                                            \
    byte before, number; /* F1, F5 */                                                             \
    byte budget = REVERTS;                                                                    \
    bit mine, found, failed, fenced;                                                          \
    MANY_STATUS;                                                                              \
    body;                                                                                     \
    finished++                                                                                \
  }

THREAD(Thread0, T0)
THREAD(Thread1, T1)
#if THREADS > 2
THREAD(Thread2, T2)
#endif
#if THREADS > 3
THREAD(Thread3, T3)
#endif

inline look_at_end()
{
  d_step {
    k_ = 0;
    do
    :: k_ < RECORDS ->
       CHECK(COUNT, holds[k_] == 0 && shown[k_] == 0 && mem[PENDING(k_)] == 0);
       k_++
    :: else -> break
    od;
#ifdef COUNTED
    CHECK(COUNT, decided[0] == 1);
#endif
    k_ = 1;
    do
    :: k_ <= NODES -> /* What was added to a life that ended has run, and nothing else has. */
       CHECK(ADDS, (ran[k_] != 0) == (added[k_] != 0 && added[k_] <= decided[0]));
       k_++
    :: else -> break
    od;
    k_ = 0
  }
}

#define all_drained (drained(0) && drained(1) && drained(2 % THREADS) && drained(3 % THREADS))

/* Lets stores land; when all threads have ended, looks at what is left. */
proctype Memory()
{
end_waiting:
  do
  STORES_OF(0)
  STORES_OF(1)
#if THREADS > 2
  STORES_OF(2)
#endif
#if THREADS > 3
  STORES_OF(3)
#endif
  :: atomic { finished == THREADS && all_drained -> look_at_end(); break }
  od
}

init
{
  atomic {
    alive[0] = 1;
#if RECORDS > 1
    alive[1] = 1;
#endif
#if RECORDS > 2
    alive[2] = 1;
#endif
    BEGIN;
    run Thread0();
    run Thread1();
#if THREADS > 2
    run Thread2();
#endif
#if THREADS > 3
    run Thread3();
#endif
    run Memory()
  }
}
