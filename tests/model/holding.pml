/* SPDX-License-Identifier: MIT */
/*
 * Steps A, H, D and S: accesses, holds, detached holds, conversion, spilled holds. Part of protocol.pml.
 * Invariant: a slot or a count announces the attempt before the state is looked at, and from then on until the last touch
 * something that a closer reads later (slots, pending count, detached, in this order) shows it.
 */

/* ---- Access ---- */

/* Leaves ok YES (the slot is set, touch, then access_end) or NO (the slot is clear again). */
inline access_begin(t, k, s, g)
{
#ifdef WRONG_ACCESS_CHECKS_FIRST
  check(t, s, g, false);
  push(t, k, ACCESS(s));
#else
  push(t, k, ACCESS(s));                                           /* A1 */
  light_fence(t);                                                  /* A2 */
  ok = WAIT;
#endif
  do
  :: ok == WAIT -> check(t, s, g, true)  /* A3-A6 */
  :: ok == YES -> break
  :: ok == NO -> pop(t, k); break                                  /* A8 */
  od
}

inline access_end(t, k)
{
  pop(t, k)                                                        /* A8 */
}

inline access(t, k, s, g)
{
  access_begin(t, k, s, g);
  if
  :: ok == YES ->
#ifdef WRONG_POP_BEFORE_TOUCH
     access_end(t, k);
     touch(t, s, g);
#else
     touch(t, s, g);                                               /* A7 */
     access_end(t, k);
#endif
     COVER(ACCESS_DONE)
  :: else -> COVER(ACCESS_REFUSED)
  fi;
  ok = NO
}

/* A bulk operation of two chunks, published once. */
inline bulk(t, k, s, g)
{
  access_begin(t, k, s, g);
  if
  :: ok == YES ->
     touch(t, s, g);                                               /* A7 */
     atomic {
       if
       :: rd(t, STATE(s)) == word(g, CLOSED) -> ok = NO; COVER(BULK_STOPPED) /* A9 */
       :: else
       fi
     };
     if
     :: ok == YES -> touch(t, s, g)
     :: else
     fi;
     access_end(t, k)
  :: else
  fi;
  ok = NO
}

/* Two sessions at once: two slots. */
inline copy(t, k, s, g, l, z, y)
{
  access_begin(t, k, s, g);
  if
  :: ok == YES ->
     access_begin(t, l, z, y);
     if
     :: ok == YES ->
        touch(t, s, g);
        touch(t, z, y);
        access_end(t, l);
        COVER(COPIED)
     :: else
     fi;
     access_end(t, k)
  :: else
  fi;
  ok = NO
}

/* ---- Holds ---- */

/* H1-H4, H6, H7: leaves ok YES with PEND in the slot, or NO with the slot clear. */
inline attempt(t, k, s, g)
{
  do
  ::
#ifdef WRONG_HOLD_CHECKS_FIRST
     check(t, s, g, false);
     push(t, k, PEND(s));
#else
     push(t, k, PEND(s));                                          /* H1 D1 */
     light_fence(t);                                               /* H2 D2 */
     check(t, s, g, false);                                         /* H3 H4 D3 */
#endif
#ifdef WRONG_WAIT_WITH_PEND
     do
     :: ok == WAIT -> check(t, s, g, true)
     :: else -> break
     od;
#endif
     if
     :: ok == YES -> break
     :: ok == NO -> pop(t, k); break                               /* H7 */
     :: ok == WAIT ->
        pop(t, k);                                                 /* H6 */
        COVER(HOLD_WAITED);
        do
        :: atomic { patiently(!undecided(t, s, g)) ->
             if
             :: undecided(t, s, g)
             :: else -> break
             fi }
        od
     fi
  od
}

/* A thread-bound hold: leaves ok YES with HOLD in the slot, or NO. */
inline hold(t, k, s, g)
{
  attempt(t, k, s, g);
  if
  :: ok == YES ->
     atomic {
       push(t, k, HOLD(s));                                        /* H5 */
       confirm(s, g)
     };
     COVER(HELD_BY_SLOT)
  :: else -> COVER(HOLD_REFUSED)
  fi
}

inline release(t, k, s)
{
  atomic {
    pop(t, k);                                                     /* H9 */
    holds[s]--
  }
}

inline hold_use_release(t, k, s, g)
{
  hold(t, k, s, g);
  if
  :: ok == YES ->
     touch(t, s, g);                                               /* H8 */
     release(t, k, s)
  :: else
  fi;
  ok = NO
}

/* detached + 1, confirming a new hold or moving one that exists (fresh: 1 or 0). */
inline detached_add(t, s, g, fresh)
{
#ifdef WRONG_ADD_BY_STORE
  old = rd(t, DETACHED(s));
  atomic {
    store(t, DETACHED(s), old + 1, RELAXED);
    old = 0;
    confirm(s, g)
  }
#else
  atomic {
    add_one(t, DETACHED(s));                                       /* D4 D7 S3 */
    if
    :: fresh -> confirm(s, g)
    :: else -> shown[s]++
    fi
  }
#endif
}

inline detached_drop(t, s)
{
  atomic {
    may_rmw(t, DETACHED(s), ORDER_DROP) ->                         /* D6 */
    CHECK(COUNT, mem[DETACHED(s)] > 0);
    mem[DETACHED(s)]--;
    holds[s]--;
    shown[s]--
  }
}

inline detached_hold(t, k, s, g)
{
#ifdef WRONG_ADD_THEN_UNDO
  add_one(t, DETACHED(s));
  ok = WAIT;
  do
  :: ok == WAIT -> check(t, s, g, true)
  :: ok == YES -> atomic { confirm(s, g); break }
  :: ok == NO -> atomic { may_rmw(t, DETACHED(s), RELAXED) -> mem[DETACHED(s)]--; break }
  od
#else
  attempt(t, k, s, g);                                             /* D1-D3 */
  if
  :: ok == YES ->
#ifdef WRONG_CLEAR_BEFORE_ADD
     store(t, SLOT(k), 0, RELEASE);
     detached_add(t, s, g, 1);
#else
     detached_add(t, s, g, 1);                                     /* D4 */
     store(t, SLOT(k), 0, ORDER_UNPEND);                           /* D5 */
#endif
     COVER(HELD_DETACHED)
  :: else
  fi
#endif
}

inline detached_use_drop(t, k, s, g)
{
  detached_hold(t, k, s, g);
  if
  :: ok == YES ->
     touch(t, s, g);
     detached_drop(t, s)
  :: else
  fi;
  ok = NO
}

/* Slot to detached, then use and drop. */
inline convert(t, k, s, g)
{
  hold(t, k, s, g);
  if
  :: ok == YES ->
#ifdef WRONG_CONVERT_CLEARS_FIRST
     store(t, SLOT(k), 0, RELEASE);
     detached_add(t, s, g, 0);
#else
     detached_add(t, s, g, 0);                                     /* D7 */
     store(t, SLOT(k), 0, ORDER_UNPEND);                           /* D8 */
#endif
     touch(t, s, g);
     detached_drop(t, s)
  :: else
  fi;
  ok = NO
}

/* Detached to slot: the thread has been handed a detached hold. */
inline adopt(t, k, s, g)
{
#ifdef WRONG_ADOPT_BARE
  atomic { push(t, k, HOLD(s)); confirm(s, g) };
#else
  hold(t, k, s, g);                                                /* D9 = H1-H5 */
  CHECK(TRUTH, ok == YES); /* Under a hold no attempt fails. */
#endif
  detached_drop(t, s);                                             /* D10 */
  touch(t, s, g);
  release(t, k, s);
  ok = NO
}

/* A hold that finds no slot. */
inline spill_attempt(t, s, g)
{
  do
  ::
#ifdef WRONG_SPILL_UNANNOUNCED
     check(t, s, g, false);
#elif defined(WRONG_SPILL_CHECKS_FIRST)
     check(t, s, g, false);
     add_one(t, PENDING(s));
#else
     add_one(t, PENDING(s));                                       /* S1 */
     light_fence(t);
     check(t, s, g, false);                                         /* S2 */
#endif
     if
     :: ok == YES -> break
     :: else ->
#ifndef WRONG_SPILL_UNANNOUNCED
        atomic { may_rmw(t, PENDING(s), ORDER_UNANNOUNCE) -> mem[PENDING(s)]-- }; /* S4 */
#endif
        if
        :: ok == NO -> break
        :: else
        fi;
        do
        :: atomic { patiently(!undecided(t, s, g)) ->              /* S5 */
             if
             :: undecided(t, s, g)
             :: else -> break
             fi }
        od
     fi
  od
}

inline spilled_hold(t, s, g)
{
  spill_attempt(t, s, g);
  if
  :: ok == YES ->
#if defined(WRONG_SPILL_UNANNOUNCED)
     detached_add(t, s, g, 1);
#elif defined(WRONG_SPILL_ORDER)
     atomic { may_rmw(t, PENDING(s), ORDER_UNANNOUNCE) -> mem[PENDING(s)]-- };
     detached_add(t, s, g, 1);
#else
     detached_add(t, s, g, 1);                                     /* S3 */
     atomic { may_rmw(t, PENDING(s), ORDER_UNANNOUNCE) -> mem[PENDING(s)]-- }; /* S4 */
#endif
     COVER(SPILLED);
     touch(t, s, g);
     detached_drop(t, s)                                           /* D6 */
  :: else
  fi;
  ok = NO
}
