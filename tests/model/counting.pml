/* SPDX-License-Identifier: MIT */
/*
 * Steps R: references to an automatic session, counted by its owner (thread 0) in a word of its own and by everybody else
 * in `detached`. Part of protocol.pml.
 * Invariant: references there are = 1 + REFERENCES + detached while not merged, detached - MERGED afterwards.
 */

/* ---- What the word means ---- */

#define MERGED 16             /* In `detached`: all references are counted there. Before, it may be below 0, so it begins at ZERO. */
#define ZERO   4
#define is_merged(x) ((x) >= MERGED)

/* R1: PEND is in the slot and the session open; ok NO: it has ended. The same attempt as a hold's. */
inline count_begin(t, k, s, g)
{
#ifdef WRONG_COUNT_UNANNOUNCED
  ok = WAIT;
  do
  :: ok == WAIT -> check(t, s, g, true)
  :: else -> break
  od
#else
  attempt(t, k, s, g)
#endif
}
#define count_end(t, k)         store(t, SLOT(k), 0, ORDER_UNPEND)             /* R3 R7 */

inline retain(t, k, s, g)
{
  count_begin(t, k, s, g);                                         /* R1 */
  if
  :: ok == YES ->
     if
     :: is_mine(t, s) && !is_merged(rd(t, REFERENCES(s))) ->       /* R2 */
        old = rd(t, REFERENCES(s));
        atomic {
          store(t, REFERENCES(s), old + 1, RELAXED);
          old = 0;
          confirm(s, g)
        }
     :: else ->
        atomic {
          may_rmw(t, DETACHED(s), RELAXED) ->                      /* R2 */
          mem[DETACHED(s)]++;
          confirm(s, g)
        }
     fi;
     count_end(t, k);                                              /* R3 */
     COVER(RETAINED)
  :: else -> COVER(RETAIN_REFUSED)
  fi
}

/* The caller has a reference; it is gone behind this. */
inline drop(t, k, s, g)
{
  found = 0;
  d_step { holds[s]--; shown[s]-- };
#ifdef QUICK_DROP
  if /* R4: nobody else has touched it: C1 decides. */
  :: is_mine(t, s) && rd(t, REFERENCES(s)) == 0 && rd(t, DETACHED(s)) == ZERO ->
     atomic {
       may_rmw(t, STATE(s), RELEASE) ->
       if
       :: mem[STATE(s)] == word(g, OPEN) ->
          mem[STATE(s)] = word(g, CLOSED);
          decide(s, g);
          r = QUICK; COVER(CLOSED_QUICKLY)
       :: else
       fi
     }
  :: else
  fi;
#endif
  if
  :: r == QUICK -> finish(t, s, g); r = NONE
  :: else ->
     count_begin(t, k, s, g);                                      /* R5 */
     CHECK(TRUTH, ok == YES);
     if
     :: is_mine(t, s) && rd(t, REFERENCES(s)) > 0 && !is_merged(rd(t, REFERENCES(s))) ->
        old = rd(t, REFERENCES(s));
        store(t, REFERENCES(s), old - 1, RELAXED)                  /* R6 */
     :: is_mine(t, s) && rd(t, REFERENCES(s)) == 0 ->
        store(t, REFERENCES(s), MERGED, RELAXED);                  /* R6 */
#ifdef WRONG_MERGED_BY_STORE
        found = rd(t, DETACHED(s)) == ZERO;
        old = rd(t, DETACHED(s)) - ZERO + MERGED;
        atomic { drained(t) -> mem[DETACHED(s)] = old; COVER(MERGED_BY_OWNER) };
#else
        atomic {
          may_rmw(t, DETACHED(s), ACQUIRE) ->
          mem[DETACHED(s)] = mem[DETACHED(s)] - ZERO + MERGED;
          found = mem[DETACHED(s)] == MERGED;
          COVER(MERGED_BY_OWNER)
        }
#endif
     :: else ->
        atomic {
          may_rmw(t, DETACHED(s), RELEASE) ->
          mem[DETACHED(s)]--;                                      /* R6 */
#ifdef WRONG_NEVER_REVOKED
          found = mem[DETACHED(s)] == MERGED
#else
          found = mem[DETACHED(s)] == MERGED || (!is_merged(mem[DETACHED(s)]) && mem[DETACHED(s)] < ZERO)
#endif
        }
     fi;
     old = 0;
     count_end(t, k);                                              /* R7 */
     if
     :: found -> end_counted(t, s, g)                              /* R8 */
     :: else
     fi
  fi;
  found = 0;
  ok = NO
}

/* R9: in the place of C4 pending and detached: nobody counts now. r becomes REFUSED, and all is merged, or stays MINE. */
inline judge_references(t, s, r)
{
  old = (is_merged(rd(t, DETACHED(s))) -> rd(t, DETACHED(s)) - MERGED :
                                          1 + rd(t, REFERENCES(s)) + rd(t, DETACHED(s)) - ZERO);
  if
  :: old > 0 && r == MINE ->
     r = REFUSED;
#ifndef WRONG_REVOKED_UNMERGED
     if
     :: !is_merged(rd(t, DETACHED(s))) ->
        store(t, REFERENCES(s), MERGED, RELAXED);
        atomic { may_rmw(t, DETACHED(s), RELAXED) -> mem[DETACHED(s)] = MERGED + old };
        COVER(MERGED_BY_OTHER)
     :: else
     fi
#endif
  :: else
  fi;
  old = 0
}

/* A close by whoever dropped what may be the last reference. */
inline end_counted(t, s, g)
{
  do
  :: take(t, s, g, r, WAIT);
     if
     :: r == MINE -> fence(t, s, g, r); verdict(t, s, g, r)
     :: else
     fi;
     if
     :: r != ASIDE -> break
     :: else
     fi
  od;
  if
  :: r == DONE -> drain(t, s)
  :: else
  fi;
  if
  :: r >= DONE -> finish(t, s, g)
  :: else
  fi;
  r = NONE
}
