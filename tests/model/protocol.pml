/* SPDX-License-Identifier: MIT */
/*
 * The steps of the lifetime protocol. Every step is one atomic statement with at most one operation
 * on shared memory; its number stands behind it (docs/lifetimes.md lists them, the C code carries the same
 * numbers).
 *
 * Arguments: t thread, k slot, s session record, g generation in the handle (the expected state
 * word). What is wrong on purpose stands under #ifdef WRONG_...; run_model.py lists those and sees
 * that each is reported.
 */

/* State word: generation, phase. ESCAPED is OPEN|ESCAPED; CLOSING always goes back to that. */
#define OPEN    0
#define ESCAPED 1
#define CLOSING 2
#define CLOSED  3
#define word(g, phase) ((g) * 4 + (phase))
#define generation(w)  ((w) / 4)

/* Slot contents: session and tag, 0 when empty. */
#define PEND(s)   (1 + 3 * (s))
#define HOLD(s)   (2 + 3 * (s))
#define ACCESS(s) (3 + 3 * (s))
#define is_hold(x) ((x) % 3 == 2)
#define session_of(x) (((x) - 2) / 3)

/* Cleanup list head: generation, first node. */
#define head(g, node) ((g) * 4 + (node))
#define node_of(h)    ((h) % 4)

/* Memory orders that a wrong variant may weaken. */
#ifndef ORDER_POP
#define ORDER_POP RELEASE      /* A8, H9: accesses before the cleared slot. */
#endif
#ifndef ORDER_DROP
#define ORDER_DROP RELEASE     /* D6: accesses before detached - 1. */
#endif
#ifndef ORDER_UNPEND
#define ORDER_UNPEND RELEASE   /* D5, D8: detached + 1 before the cleared slot. */
#endif
#ifndef ORDER_UNANNOUNCE
#define ORDER_UNANNOUNCE RELEASE /* S4: detached + 1 before pending - 1. */
#endif
#ifndef ORDER_FREE
#define ORDER_FREE RELEASE     /* C6: the new generation before the free list. */
#endif
#ifndef ORDER_PUBLISH
#define ORDER_PUBLISH RELEASE  /* L3: next before the node. */
#endif
#ifndef ORDER_UNMARK
#define ORDER_UNMARK RELEASE   /* Q6: the state before the cleared mark. */
#endif
#ifndef PHASE_REVERTED
#define PHASE_REVERTED ESCAPED /* C4: what a refused or broken off close leaves behind. */
#endif

/*
 * Waits. Normally a wait is a guard that blocks, so that a wait which nobody ends is a state
 * without successor, an invalid end state. With -DSPINNING it is the loop that the C code has: then
 * it is a cycle that a fair scheduler cannot leave.
 */
#ifdef SPINNING
#define patiently(condition) (true)
#else
#define patiently(condition) (condition)
#endif

/*
 * Bookkeeping of the checks, none of it visible to the protocol.
 * alive    life + 1 whose memory may be touched, 0: none (given back, not yet opened again)
 * decided  lives for which close has decided on OK
 * holds    confirmed holds: from the step that confirms to the step that begins the release
 * shown    confirmed holds that another thread may still see: until the release has landed; shown >= holds
 * calling  per thread: the life it is closing, 0: none;  justified: a hold was shown during that call
 */
byte alive[RECORDS];
byte decided[RECORDS];
byte holds[RECORDS];
byte shown[RECORDS];
byte calling[THREADS];
bit justified[THREADS];
byte added[(NODES + 1)]; /* Per cleanup node: life + 1 that it was added to, 0: none; */
byte ran[(NODES + 1)];   /* life + 1 that ran it. */

#include "memory.pml"

#define life(s, g) (1 + 4 * (s) + (g))

inline confirm(s, g)
{
  d_step {
    CHECK(EXACT, decided[s] == g);
    holds[s]++;
    shown[s]++;
    k_ = 0;
    do
    :: k_ < THREADS ->
       justified[k_] = justified[k_] | (calling[k_] == life(s, g));
       k_++
    :: else -> break
    od;
    k_ = 0
  }
}

inline decide(s, g)
{
  d_step {
    CHECK(ONCE, decided[s] == g);
    CHECK(EXACT, holds[s] == 0);
    decided[s]++
  }
}

/* A load and a store through the pointer. The store may land later, which land() checks. */
inline touch(t, s, g)
{
  atomic {
    store(t, DATA(s), g, RELAXED);
    CHECK(TOUCH, alive[s] == g + 1)
  }
}

/* Results, in the local variable ok of a thread. */
#define NO     0
#define YES    1
#define ESCAPE 2
#define WAIT   3

#ifdef WRONG_SCAN_TO_TOP /* Pop lowers top by a plain store and closers believe it. */
#define push(t, k, x) store(t, TOP(0), 1, RELAXED); store(t, SLOT(k), x, RELAXED)
#define pop(t, k)     store(t, SLOT(k), 0, RELEASE); store(t, TOP(0), 0, RELAXED)
#define scan_ends(t)  (rd(t, TOP(0)) == 0)
#else
#define push(t, k, x) store(t, SLOT(k), x, RELAXED)
#define pop(t, k)     store(t, SLOT(k), 0, ORDER_POP)
#define scan_ends(t)  false
#endif

/*
 * E1-E5: from here on the owner of the session, thread 0, knows that others may have touched what it
 * opened, and closes by a CAS. Whoever finds that done need not do it again; whoever finds it under
 * way does all of it. Scenarios without PLAIN_CLOSE begin exposed.
 */
#define UNDER_WAY      1
#define DONE_EXPOSING  2

inline expose(t)
{
#if defined(PLAIN_CLOSE) && !defined(WRONG_NOT_EXPOSED)
  if
  :: rd(t, EXPOSED) == DONE_EXPOSING                               /* E1 */
  :: else ->
     COVER(OWNER_EXPOSED);
#ifdef WRONG_EXPOSED_EARLY
     store(t, EXPOSED, DONE_EXPOSING, RELAXED);
#else
     store(t, EXPOSED, UNDER_WAY, RELAXED);                        /* E2 */
#endif
#ifndef WRONG_EXPOSED_WITHOUT_FENCE
     heavy_fence(t);                                               /* E3 */
#endif
#ifndef WRONG_MARK_IGNORED
     do
     :: atomic { patiently(rd(t, MARK) == 0) ->                    /* E4 */
          if
          :: rd(t, MARK) == 0 -> break
          :: else
          fi }
     od;
#endif
     store(t, EXPOSED, DONE_EXPOSING, RELEASE)                     /* E5 */
  fi
#else
  skip
#endif
}

/*
 * A3-A5, H3-H4, S2: is the session open? The first foreign touch sets ESCAPED. waits: whether the
 * look is one of a loop that ends with the verdict. The owner word only changes between lives, so a
 * model of one life reads it with state.
 */
#define is_mine(t, s) (rd(t, OWNER(s)) == (t))

#define undecided(t, s, g) (rd(t, STATE(s)) == word(g, CLOSING))

inline check(t, s, g, waits)
{
#if LIVES > 1
  mine = is_mine(t, s);                                            /* A3 H3 */
#endif
  atomic {
    !waits || patiently(!undecided(t, s, g));                      /* A4 H3 */
#if LIVES == 1
    mine = is_mine(t, s);
#endif
    if
    :: rd(t, STATE(s)) == word(g, ESCAPED) -> ok = YES
    :: rd(t, STATE(s)) == word(g, OPEN) -> ok = (mine -> YES : ESCAPE)
    :: rd(t, STATE(s)) == word(g, CLOSING) -> ok = WAIT
    :: else ->
       ok = NO;
       CHECK(TRUTH, decided[s] > g)
    fi;
    mine = 0
  };
  if
  :: ok == ESCAPE ->
#if defined(WRONG_ESCAPE_BY_STORE)
     store(t, STATE(s), word(g, ESCAPED), RELAXED);
     ok = YES
#elif defined(WRONG_NO_ESCAPE)
     ok = YES
#else
     expose(t);
     atomic {
       may_rmw(t, STATE(s), RELAXED) ->                            /* A5 H4 */
       if
       :: mem[STATE(s)] == word(g, OPEN) -> mem[STATE(s)] = word(g, ESCAPED); ok = YES
       :: mem[STATE(s)] == word(g, ESCAPED) -> ok = YES
       :: mem[STATE(s)] == word(g, CLOSING) -> ok = WAIT
       :: else -> ok = NO
       fi
     }
#endif
  :: else
  fi
}

#include "holding.pml"
#include "closing.pml"
#ifdef COUNTED
#include "counting.pml"
#endif
