/* SPDX-License-Identifier: MIT */
/*
 * Memory with store buffers, read-modify-writes and the asymmetric fence.
 *
 * A plain store goes into the buffer of its thread; process Memory lets it land later. A thread
 * sees its own buffered stores (newest first), other threads see them when they have landed.
 *   TSO  stores land oldest first; a read-modify-write waits until the thread's buffer is empty (x86-64).
 *   PSO  (-DPSO) stores to different words land in any order; a RELEASE store or read-modify-write
 *        waits for everything older, but younger stores may overtake a RELEASE store, and RELAXED and
 *        ACQUIRE read-modify-writes drain nothing (AArch64, as far as stores are concerned).
 * Invariant: stores of one thread to one word land in program order, in both modes.
 * PSO allows whatever TSO allows, so a scenario verified under PSO needs no second run under TSO.
 *
 * Not modelled: loads that overtake older loads, speculation of stores, a buffer deeper than DEPTH
 * (a thread whose buffer is full waits until something lands), stores of one thread that reach
 * others at different times.
 */

#ifndef DEPTH
#define DEPTH 3
#endif

#define RELAXED 0
#define RELEASE 1
#define ACQUIRE 0 /* Loads execute in program order, so ACQUIRE asks nothing of this model. */

/* Words. 0 means "no word" in a buffer. DATA(s) is the memory that session s owns: stores to it are checked when they land. */
#define DATA(s)     (1 + (s))
#define STATE(s)    (1 + RECORDS + (s))
#define OWNER(s)    (1 + 2 * RECORDS + (s))
#define DETACHED(s) (1 + 3 * RECORDS + (s))
#define PENDING(s)  (1 + 4 * RECORDS + (s))
#define HEAD(s)     (1 + 5 * RECORDS + (s))
#define FREE(s)     (1 + 6 * RECORDS + (s)) /* 1: the record lies in the free list. */
#define HANDLE(s)   (1 + 7 * RECORDS + (s)) /* Newest generation whose handle has been passed on. */
#define REFERENCES(s) (1 + 8 * RECORDS + (s)) /* Counted: the owner's, beyond the first. */
#define STARTED     (1 + 9 * RECORDS)
#define COMPLETED   (2 + 9 * RECORDS)
#define LOCK        (3 + 9 * RECORDS)
#define NEXT(n)     (3 + 9 * RECORDS + (n)) /* Cleanup nodes are numbered from 1. */
#define TOP(k)      (4 + 9 * RECORDS + NODES)
#define EXPOSED     (5 + 9 * RECORDS + NODES) /* Thread 0's: 0, UNDER_WAY, DONE_EXPOSING. */
#define MARK        (6 + 9 * RECORDS + NODES) /* Thread 0's: 1 while it closes by plain stores. */
#define SLOT(k)     (7 + 9 * RECORDS + NODES + (k)) /* Last, so that a loop over all slots is SLOT(0) .. END_OF_SLOTS - 1. */
#define END_OF_SLOTS SLOT(SLOTS)

typedef Buffer {
  byte word[DEPTH]; /* 0: this and all later places are empty. */
  byte value[DEPTH];
#ifdef PSO
  bit rel[DEPTH];
#endif
};

Buffer buffer[THREADS];
byte mem[(7 + 9 * RECORDS + NODES + SLOTS)];
byte undrained[THREADS]; /* Per caller of the heavy fence: the threads that it has not interrupted yet. */
byte finished;           /* Threads that have run to their end. */

hidden byte k_; /* Scratch of d_steps, zero outside. */
hidden byte v_;
hidden byte x_;

/* What thread t reads from a word: its newest buffered store, else memory. */
#define own_or(t, v, k, older) (buffer[t].word[k] == (v) -> buffer[t].value[k] : (older))
#if DEPTH == 2
#define rd(t, v) own_or(t, v, 1, own_or(t, v, 0, mem[v]))
#define buffered(t, v) (buffer[t].word[0] == (v) || buffer[t].word[1] == (v))
#elif DEPTH == 3
#define rd(t, v) own_or(t, v, 2, own_or(t, v, 1, own_or(t, v, 0, mem[v])))
#define buffered(t, v) (buffer[t].word[0] == (v) || buffer[t].word[1] == (v) || buffer[t].word[2] == (v))
#elif DEPTH == 4
#define rd(t, v) own_or(t, v, 3, own_or(t, v, 2, own_or(t, v, 1, own_or(t, v, 0, mem[v]))))
#define buffered(t, v) (buffer[t].word[0] == (v) || buffer[t].word[1] == (v) || \
                        buffer[t].word[2] == (v) || buffer[t].word[3] == (v))
#else
#error "DEPTH must be 2, 3 or 4"
#endif

#define drained(t) (buffer[t].word[0] == 0)

/* Guard of a read-modify-write on word v; the update of mem[v] follows in the same atomic step. */
#ifdef PSO
#define may_rmw(t, v, order) (((order) == RELEASE && drained(t)) || ((order) != RELEASE && !buffered(t, v)))
#else
#define may_rmw(t, v, order) drained(t)
#endif

/* Plain store. Waits while the buffer is full. */
inline store(t, v, x, order)
{
  d_step {
    buffer[t].word[DEPTH - 1] == 0 ->
    k_ = 0;
    do
    :: buffer[t].word[k_] != 0 -> k_++
    :: else -> break
    od;
    buffer[t].word[k_] = v;
    buffer[t].value[k_] = x;
#ifdef PSO
    buffer[t].rel[k_] = order;
#endif
    k_ = 0
  }
}

/* A relaxed read-modify-write whose result nobody uses. Under PSO it may land late, like a store. */
inline add_one(t, v)
{
#ifdef PSO
  store(t, v, 1, RELAXED)
#else
  atomic { drained(t) -> mem[v]++ }
#endif
}

/*
 * Light half of the asymmetric fence: in membarrier mode it only keeps the compiler from
 * reordering, and steps of this model are in program order already. In fence mode (-DFENCE_MODE) it
 * is a full fence.
 */
inline light_fence(t)
{
#if defined(FENCE_MODE) && !defined(WRONG_NO_LIGHT_FENCE)
  drained(t)
#else
  skip
#endif
}

/*
 * Heavy half: membarrier puts a full barrier into every other thread's program at some moment
 * before it returns, the moments being independent of each other. "Some moment between call and
 * return at which the buffer is empty" says the same, because process Memory may empty a buffer at
 * any time: so threads with an empty buffer are ticked off at the call, the others when their last
 * store lands (in land()).
 */
inline heavy_fence(t)
{
#if defined(FENCE_MODE) || defined(WRONG_NO_MEMBARRIER)
  drained(t)
#else
  d_step {
    drained(t) ->
    k_ = 0;
    do
    :: k_ < THREADS ->
       undrained[t] = undrained[t] | (drained(k_) -> 0 : 1 << k_);
       k_++
    :: else -> break
    od;
    k_ = 0
  };
  undrained[t] == 0
#endif
}

/* May entry k of thread t's buffer land now? */
#define may_land_first(t) (buffer[t].word[0] != 0)
#ifdef PSO
#define may_land_second(t) (buffer[t].word[1] != 0 && !buffer[t].rel[1] && buffer[t].word[1] != buffer[t].word[0])
#define may_land_third(t)  (buffer[t].word[2] != 0 && !buffer[t].rel[2] && buffer[t].word[2] != buffer[t].word[0] && \
                            buffer[t].word[2] != buffer[t].word[1])
#endif

inline land(t, k)
{
  v_ = buffer[t].word[k];
  x_ = buffer[t].value[k];
  k_ = k;
  do
  :: k_ < DEPTH - 1 ->
     buffer[t].word[k_] = buffer[t].word[k_ + 1];
     buffer[t].value[k_] = buffer[t].value[k_ + 1];
#ifdef PSO
     buffer[t].rel[k_] = buffer[t].rel[k_ + 1];
#endif
     k_++
  :: else -> break
  od;
  buffer[t].word[DEPTH - 1] = 0;
  buffer[t].value[DEPTH - 1] = 0;
#ifdef PSO
  buffer[t].rel[DEPTH - 1] = 0;
#endif
  if
  :: v_ <= RECORDS -> CHECK(LATE, alive[v_ - 1] == x_ + 1)
  :: else ->
     if
     :: v_ >= SLOT(0) && is_hold(mem[v_]) && x_ != mem[v_] -> shown[session_of(mem[v_])]--
     :: else
     fi;
#ifdef PSO
     mem[v_] = (v_ >= DETACHED(0) && v_ < HEAD(0) -> mem[v_] + x_ : x_)
#else
     mem[v_] = x_
#endif
  fi;
  if
  :: drained(t) ->
     k_ = 0;
     do
     :: k_ < THREADS ->
        undrained[k_] = undrained[k_] & (255 - (1 << t));
        k_++
     :: else -> break
     od
  :: else
  fi;
  k_ = 0; v_ = 0; x_ = 0
}

#ifdef PSO
#if DEPTH > 3
#error "PSO is written out for DEPTH 2 and 3"
#elif DEPTH == 3
#define STORES_OF(t)                                  \
  :: d_step { may_land_first(t) -> land(t, 0) }       \
  :: d_step { may_land_second(t) -> land(t, 1) }      \
  :: d_step { may_land_third(t) -> land(t, 2) }
#else
#define STORES_OF(t)                                  \
  :: d_step { may_land_first(t) -> land(t, 0) }       \
  :: d_step { may_land_second(t) -> land(t, 1) }
#endif
#else
#define STORES_OF(t)                                  \
  :: d_step { may_land_first(t) -> land(t, 0) }
#endif
