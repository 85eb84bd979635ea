/* SPDX-License-Identifier: MIT */
/*
 * Steps F, C, M, O and L: the shared heavy fence, close, close_many, opening a record again, the cleanup list. Part of
 * protocol.pml.
 * Invariant: only the closer that made the CAS to CLOSING (or CLOSED) changes the state until its verdict, and it waits for
 * nothing but PEND and the pending count before that.
 */

/* ---- Heavy fence, shared by closers that arrive together ---- */

inline heavy_fence_or_failure(t)
{
#ifdef FENCE_MAY_FAIL
  if
  :: heavy_fence(t)
  :: failed = 1; COVER(FENCE_FAILED)
  fi
#else
  heavy_fence(t)
#endif
}

inline shared_fence(t)
{
#ifdef SHARED_FENCE
#ifndef WRONG_STARTED_READ_EARLY
  before = rd(t, STARTED);                                         /* F1 */
#endif
#ifdef WRONG_SKIP_WHEN_BEGUN
#define fence_seen(t) (rd(t, STARTED) > before)
#elif defined(WRONG_SKIP_WHEN_EQUAL)
#define fence_seen(t) (rd(t, COMPLETED) >= before)
#else
#define fence_seen(t) (rd(t, COMPLETED) > before)
#endif
  if
  :: atomic { fence_seen(t) -> COVER(FENCE_SHARED) }               /* F2 */
  :: atomic { !fence_seen(t) };
#ifndef WRONG_NO_FENCE_LOCK
     do
     :: atomic { may_rmw(t, LOCK, ACQUIRE) && patiently(mem[LOCK] == 0) -> /* F3 */
          if
          :: mem[LOCK] == 0 -> mem[LOCK] = 1; break
          :: else
          fi }
     od;
#endif
     if
     :: atomic { fence_seen(t) -> COVER(FENCE_SHARED_LATE) }       /* F4 */
     :: atomic { !fence_seen(t) };
        number = rd(t, STARTED) + 1;
        store(t, STARTED, number, RELAXED);                        /* F5 */
#ifdef WRONG_COMPLETED_EARLY
        store(t, COMPLETED, number, RELEASE);
#endif
        heavy_fence_or_failure(t);                                 /* F6 */
#ifdef WRONG_FAILED_FENCE_COUNTS
        store(t, COMPLETED, number, RELEASE);
#else
        if
        :: failed
        :: else -> number = rd(t, STARTED); store(t, COMPLETED, number, RELEASE) /* F7 */
        fi;
#endif
        number = 0
     fi;
     store(t, LOCK, 0, RELEASE)                                    /* F8 */
  fi;
  before = 0
#else
  heavy_fence_or_failure(t)
#endif
}

/* ---- Close ---- */

/* Progress and results of a close, in a local variable of the closer. */
#define NONE     0
#define MINE     1 /* CLOSING by this closer, undecided */
#define ASIDE    2 /* found CLOSING by another, or given back because of a stalled PEND */
#define FAILED   3 /* the heavy fence failed: IST_E_SYSTEM */
#define GONE     4 /* IST_E_CLOSED */
#define REFUSED  5 /* IST_E_HELD */
#define DONE     6 /* decided: CLOSED after CLOSING, to be drained */
#define QUICK    7 /* decided by one CAS, nobody to drain */

#ifdef WRONG_ANYBODY_QUICK
#define may_close_quickly(t, s) (true)
#else
#define may_close_quickly(t, s) (rd(t, OWNER(s)) == (t))
#endif

/* A thread's own hold of s, and the slot that showed a hold at the last refusal: a hint, any slot will do. */
#ifndef OWN_HOLD
#define OWN_HOLD(t, s) false
#endif

/*
 * Q1-Q6: the owner closes a session that nobody else has touched, by plain stores. Leaves r QUICK, or NONE: then the CAS
 * of C1 is next.
 */
inline close_plainly(t, s, g, r)
{
#ifdef PLAIN_CLOSE
#ifdef WRONG_MARK_AFTER_LOOK
  if
  :: rd(t, EXPOSED) == 0 ->
     store(t, MARK, 1, RELAXED);
#else
  store(t, MARK, 1, RELAXED);                                      /* Q1 */
  light_fence(t);                                                  /* Q2 */
  if
  :: rd(t, EXPOSED) == 0 ->                                        /* Q3 */
#endif
     if
     :: rd(t, STATE(s)) == word(g, OPEN) ->                        /* Q4 */
        atomic {
          store(t, STATE(s), word(g, CLOSED), RELAXED);            /* Q5 */
          decide(s, g);
          r = QUICK; COVER(CLOSED_PLAINLY)
        }
     :: else
     fi
  :: else
  fi;
  store(t, MARK, 0, ORDER_UNMARK)                                  /* Q6 */
#else
  skip
#endif
}

/* C0-C2. on_closing: WAIT for the verdict of another closer, or put the session ASIDE. */
inline take(t, s, g, r, on_closing)
{
  r = NONE;
  do
  :: atomic {
       on_closing == ASIDE || patiently(!undecided(t, s, g));      /* C0 */
#ifdef WRONG_STARTED_READ_EARLY
       before = rd(t, STARTED);
#endif
       seen = rd(t, STATE(s));
       if
       :: seen == word(g, OPEN) || seen == word(g, ESCAPED)
       :: seen == word(g, CLOSING) ->
          if
          :: on_closing == ASIDE -> r = ASIDE; seen = 0; COVER(PUT_ASIDE); break
          :: else
          fi
       :: else ->
#ifdef WRONG_LOOK_BEFORE_GENERATION
          r = (mem[DETACHED(s)] > 0 -> REFUSED : GONE);
#else
          r = GONE;
#endif
          seen = 0; break
       fi
     };
     if
     :: seen == word(g, CLOSING)
     :: else ->
#ifndef WITHOUT_LOOK
        found = mem[DETACHED(s)] > 0 || buffered(t, DETACHED(s)) || OWN_HOLD(t, s); /* C0 look */
#if defined(WITNESS) && !defined(WRONG_NO_WITNESS)
        found = found || rd(t, SLOT(WITNESS)) == HOLD(s);          /* C0 look */
#endif
        if
        :: found ->
#ifdef WRONG_LOOK_NOT_REPEATED
           r = REFUSED; seen = 0; found = 0; break
#else
           atomic {                                                /* C0 again */
             if
             :: generation(rd(t, STATE(s))) == g -> r = REFUSED; COVER(REFUSED_BY_LOOK)
             :: else -> r = GONE
             fi;
             seen = 0; found = 0; break
           }
#endif
        :: else
        fi;
#endif
        if
        :: seen == word(g, OPEN) && may_close_quickly(t, s) ->
#ifdef PLAIN_CLOSE
           close_plainly(t, s, g, r);
           if
           :: r == QUICK -> seen = 0; break
           :: else
           fi;
#endif
#ifdef WRONG_QUICK_BY_STORE
           atomic { store(t, STATE(s), word(g, CLOSED), RELEASE); decide(s, g); r = QUICK; seen = 0; break }
#else
           atomic {
             may_rmw(t, STATE(s), RELEASE) ->                      /* C1 */
             if
             :: mem[STATE(s)] == seen ->
                mem[STATE(s)] = word(g, CLOSED);
                decide(s, g);
                r = QUICK; seen = 0; COVER(CLOSED_QUICKLY); break
             :: else -> seen = 0
             fi
           }
#endif
        :: else ->
#ifdef PLAIN_CLOSE
           if
           :: seen == word(g, OPEN) -> expose(t)
           :: else
           fi;
#endif
#ifdef WRONG_CLOSING_BY_STORE
           atomic { store(t, STATE(s), word(g, CLOSING), RELEASE); r = MINE; seen = 0; break }
#else
           atomic {
             may_rmw(t, STATE(s), RELEASE) ->                      /* C2 */
             if
             :: mem[STATE(s)] == seen -> mem[STATE(s)] = word(g, CLOSING); r = MINE; seen = 0; break
             :: else -> seen = 0; COVER(CLOSER_LOST)
             fi
           }
#endif
        fi
     fi
  od
}

/* C3: r stays MINE or becomes FAILED. */
inline fence(t, s, g, r)
{
  shared_fence(t);                                                 /* C3 */
  if
  :: failed -> atomic { store(t, STATE(s), word(g, PHASE_REVERTED), RELEASE); r = FAILED; failed = 0 }
  :: else
  fi
}

#define read_detached(t, s, r)                                                            \
  atomic {                                                                                \
    if                                                                                    \
    :: mem[DETACHED(s)] > 0 -> r = REFUSED                                                \
    :: else                                                                               \
    fi                                                                                    \
  }

#define read_pending(t, s, r)                                                             \
  do                                                                                      \
  :: atomic { r == MINE && patiently(mem[PENDING(s)] == 0) ->                             \
       if                                                                                 \
       :: mem[PENDING(s)] == 0 -> break                                                   \
       :: else                                                                            \
       fi }                                                                               \
  :: atomic { r == MINE && mem[PENDING(s)] > 0 && budget > 0 -> budget--; r = ASIDE; break } \
  :: atomic { r != MINE -> break }                                                        \
  od

/*
 * C4, C5: r becomes REFUSED, DONE, or ASIDE when a PEND stays too long: budget is how often a
 * closer loses patience, after which it waits for ever (a doubling interval that has outgrown the
 * run). In scenarios with -DSTALL slot 0 belongs to a thread that may have stopped for ever; with
 * that one the closer always loses patience.
 */
#ifdef STALL
#define loses_patience (budget > 0 || i == SLOT(0))
#else
#define loses_patience (budget > 0)
#endif
#ifdef WRONG_NO_REVERT
#define gives_back false
#else
#define gives_back loses_patience
#endif

#if defined(WRONG_PEND_IGNORED)
#define blocks_verdict(x, s) false
#elif defined(WRONG_ACCESS_BLOCKS_VERDICT)
#define blocks_verdict(x, s) ((x) == PEND(s) || (x) == ACCESS(s))
#elif defined(WRONG_PEND_IS_HELD)
#define blocks_verdict(x, s) false
#else
#define blocks_verdict(x, s) ((x) == PEND(s))
#endif
#ifdef WRONG_PEND_IS_HELD
#define refuses(x, s) ((x) == HOLD(s) || (x) == PEND(s))
#else
#define refuses(x, s) ((x) == HOLD(s))
#endif

#ifdef SCAN_DOWNWARDS
#define FIRST_SLOT SLOT(SLOTS - 1)
#define is_last(i) ((i) == SLOT(0))
#define advance(i) i--
#else
#define FIRST_SLOT SLOT(0)
#define is_last(i) ((i) == END_OF_SLOTS - 1)
#define advance(i) i++
#endif

inline verdict(t, s, g, r)
{
#ifdef WRONG_DETACHED_BEFORE_SLOTS
  read_detached(t, s, r);
#endif
#ifdef WRONG_DETACHED_BEFORE_PENDING
  read_detached(t, s, r);
#endif
#if SLOTS > 0
  if
  :: r == MINE ->
     i = FIRST_SLOT;
     do
     :: atomic { patiently(!blocks_verdict(rd(t, i), s)) ->        /* C4 slots */
          if
          :: refuses(rd(t, i), s) -> r = REFUSED; break
          :: blocks_verdict(rd(t, i), s)
          :: else ->
             if
             :: is_last(i) -> break
             :: else -> advance(i)
             fi
          fi }
     :: atomic { gives_back && blocks_verdict(rd(t, i), s) -> r = ASIDE; COVER(GAVE_BACK); break } /* C4 */
     od
  :: else
  fi;
#endif
#if defined(SPILL) && !defined(WRONG_PENDING_NOT_READ)
  read_pending(t, s, r);                                           /* C4 pending */
#endif
#ifdef COUNTED
  judge_references(t, s, r);                                       /* R9 */
#elif !defined(WRONG_DETACHED_BEFORE_SLOTS) && !defined(WRONG_DETACHED_BEFORE_PENDING)
  if
  :: r == MINE -> read_detached(t, s, r)                           /* C4 detached */
  :: else
  fi;
#endif
#ifdef WRONG_DRAIN_BEFORE_VERDICT
  if
  :: r == MINE -> drain(t, s)
  :: else
  fi;
#endif
  if
  :: r == MINE ->
     atomic {
       store(t, STATE(s), word(g, CLOSED), RELAXED);               /* C5 */
       decide(s, g);
       r = DONE
     }
  :: else ->
     store(t, STATE(s), word(g, PHASE_REVERTED), RELEASE)          /* C4 verdict */
  fi
#ifndef STALL
  ; i = 0
#endif
}

inline drain(t, s)
{
#if SLOTS > 0
  i = FIRST_SLOT;
  do
  :: atomic { patiently(scan_ends(t) || rd(t, i) != ACCESS(s)) -> /* C5 drain */
       if
       :: scan_ends(t) -> break
       :: !scan_ends(t) && rd(t, i) == ACCESS(s)
       :: else ->
          if
          :: is_last(i) -> break
          :: else -> advance(i)
          fi
       fi }
  od;
  i = 0
#else
  skip
#endif
}

/* C6 */
inline finish(t, s, g)
{
  run_cleanups(t, s, g);
#ifdef PLAIN_CLOSE
  drained(t); /* After Q5 the memory is still the owner's; others get it by a release. */
#endif
  atomic {
    CHECK(ONCE, alive[s] == g + 1);
    alive[s] = 0
  };
#if LIVES > 1
#ifdef WRONG_GENERATION_KEPT
  store(t, STATE(s), word(g, CLOSED), RELEASE);
#else
  store(t, STATE(s), word(g + 1, CLOSED), RELEASE);                /* C6 */
#endif
  store(t, FREE(s), 1, ORDER_FREE)                                 /* C6 */
#endif
}

inline begin_call(t, s, g)
{
  d_step {
    calling[t] = life(s, g);
    justified[t] = decided[s] == g && (shown[s] > 0 || holds[s] > 0)
  }
}

inline end_call(t, s, g, r)
{
  d_step {
    CHECK(TRUTH, r != REFUSED || justified[t]);
    CHECK(TRUTH, r != GONE || decided[s] > g);
    calling[t] = 0;
    justified[t] = 0;
    if
    :: r == REFUSED -> COVER(CLOSE_REFUSED)
    :: r == GONE -> COVER(CLOSE_GONE)
    :: r == DONE -> COVER(CLOSE_DONE)
    :: else
    fi
  }
}

/* Leaves its result in r. */
inline close(t, s, g)
{
  begin_call(t, s, g);
  do
  :: take(t, s, g, r, WAIT);
     if
#ifdef WRONG_FENCE_ONCE
     :: r == MINE && fenced
     :: r == MINE && !fenced -> fence(t, s, g, r); fenced = 1
#else
     :: r == MINE -> fence(t, s, g, r)
#endif
     :: else
     fi;
     if
     :: r == MINE -> verdict(t, s, g, r)
     :: else
     fi;
     if
     :: r != ASIDE -> break
     :: else ->                                                    /* C4 asleep */
#ifdef STALL
        if
        :: budget > 0
        :: budget == 0 ->
end_asleep:
           !blocks_verdict(mem[i], s)
        fi;
        i = 0;
#endif
        budget = (budget > 0 -> budget - 1 : 0)
     fi
  od;
  if
#ifndef WRONG_NO_DRAIN
  :: r == DONE -> drain(t, s); finish(t, s, g)
#else
  :: r == DONE -> finish(t, s, g)
#endif
  :: r == QUICK -> finish(t, s, g)
  :: else
  fi;
  end_call(t, s, g, r)
}

/* close_many of two sessions (or twice the same one), first lives. */
inline close_many(t, s, z)
{
#ifdef WRONG_MANY_WAITS
  take(t, s, 0, many[0], WAIT);
  take(t, z, 0, many[1], WAIT);
#else
  take(t, s, 0, many[0], ASIDE);                                   /* M1 */
  take(t, z, 0, many[1], ASIDE);
#endif
  if
  :: many[0] == MINE || many[1] == MINE -> shared_fence(t)         /* M2 */
  :: else
  fi;
  if
  :: failed && many[0] == MINE -> store(t, STATE(s), word(0, PHASE_REVERTED), RELEASE); many[0] = FAILED
  :: else
  fi;
  if
  :: failed && many[1] == MINE -> store(t, STATE(z), word(0, PHASE_REVERTED), RELEASE); many[1] = FAILED
  :: else
  fi;
  failed = 0;
#ifdef WRONG_MANY_DRAINS_EARLY
  if
  :: many[0] == MINE -> verdict(t, s, 0, many[0])
  :: else
  fi;
  if
  :: many[0] == DONE -> drain(t, s)
  :: else
  fi;
  if
  :: many[1] == MINE -> verdict(t, z, 0, many[1])
  :: else
  fi;
#else
  if
  :: many[0] == MINE -> verdict(t, s, 0, many[0])                  /* M3 */
  :: else
  fi;
  if
  :: many[1] == MINE -> verdict(t, z, 0, many[1])
  :: else
  fi;
  if
  :: many[0] == DONE -> drain(t, s)                                /* M4 */
  :: else
  fi;
#endif
  if
  :: many[0] == DONE && many[1] == DONE -> COVER(MANY_CLOSED)
  :: else
  fi;
  if
  :: many[1] == DONE -> drain(t, z)
  :: else
  fi;
  if
  :: many[0] >= DONE -> finish(t, s, 0)
  :: else
  fi;
  if
  :: many[1] >= DONE -> finish(t, z, 0)
  :: else
  fi;
#ifndef WRONG_MANY_WAITS
  if
  :: many[0] == ASIDE -> close(t, s, 0)                            /* M5 */
  :: else
  fi;
  if
  :: many[1] == ASIDE -> close(t, z, 0)
  :: else
  fi;
#endif
  many[0] = 0;
  many[1] = 0;
  r = NONE
}

/* ---- Reuse ---- */

/* Opens the next life of record s, as generation g, and passes the handle on. */
inline reopen(t, s, g)
{
  atomic {
    may_rmw(t, FREE(s), ACQUIRE) && mem[FREE(s)] == 1 ->           /* O1 */
    mem[FREE(s)] = 0;
    alive[s] = g + 1
  };
  store(t, OWNER(s), t, RELAXED);                                  /* O2 */
#ifdef WRONG_GENERATION_KEPT
  store(t, STATE(s), word(g - 1, OPEN), RELEASE);
#else
  store(t, STATE(s), word(g, OPEN), RELEASE);                      /* O3 */
#endif
  store(t, HANDLE(s), g, RELEASE)
}

/* ---- Cleanup list ---- */

/* Adds node n; the caller is inside an access or a hold, or relies on the generation in the head alone. */
inline link_cleanup(t, s, g, n)
{
  do
  :: old = rd(t, HEAD(s));                                         /* L1 */
#ifndef WRONG_HEAD_WITHOUT_GENERATION
     if
     :: generation(old) != g -> COVER(ADD_REFUSED); break
     :: else
     fi;
#endif
#ifdef WRONG_NEXT_AFTER_PUBLISH
     atomic {
       may_rmw(t, HEAD(s), ORDER_PUBLISH) ->
       if
       :: mem[HEAD(s)] == old -> mem[HEAD(s)] = head(g, n); added[n] = g + 1
       :: else
       fi
     };
     if
     :: added[n] -> store(t, NEXT(n), node_of(old), RELAXED); break
     :: else
     fi
#else
     store(t, NEXT(n), node_of(old), RELAXED);                     /* L2 */
#ifdef WRONG_PUBLISH_BY_STORE
     atomic { store(t, HEAD(s), head(g, n), RELEASE); added[n] = g + 1; break }
#else
     atomic {
       may_rmw(t, HEAD(s), ORDER_PUBLISH) ->                       /* L3 */
       if
       :: mem[HEAD(s)] == old ->
#ifdef WRONG_HEAD_WITHOUT_GENERATION
          mem[HEAD(s)] = head(0, n);
#else
          mem[HEAD(s)] = head(g, n);
#endif
          added[n] = g + 1; COVER(ADDED); break
       :: else
       fi
     }
#endif
#endif
  od;
  old = 0
}

inline add_cleanup(t, k, s, g, n)
{
  access_begin(t, k, s, g);
  if
  :: ok == YES -> link_cleanup(t, s, g, n); access_end(t, k)
  :: else
  fi;
  ok = NO
}

/* L4, L5 */
inline run_cleanups(t, s, g)
{
#if NODES > 0
#ifdef WRONG_LIST_NOT_TAKEN
  old = node_of(rd(t, HEAD(s)));
#else
  atomic {
    may_rmw(t, HEAD(s), ACQUIRE) ->                                /* L4 */
    old = node_of(mem[HEAD(s)]);
#ifdef WRONG_HEAD_WITHOUT_GENERATION
    mem[HEAD(s)] = head(0, 0)
#else
    mem[HEAD(s)] = head(g + 1, 0)
#endif
  };
#endif
  do
  :: atomic {
       old != 0 ->                                                 /* L5 */
       CHECK(ADDS, ran[old] == 0 && added[old] == g + 1);
       ran[old] = g + 1;
       old = rd(t, NEXT(old))
     }
  :: old == 0 -> break
  od
#else
  skip
#endif
}
