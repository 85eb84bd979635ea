/* SPDX-License-Identifier: MIT */
/*
 * The configurations: each names its threads and what they do. Exactly one is chosen by
 * -DSCENARIO_<name>. Sessions S and Z begin as life 0, open, owned by thread 0, not escaped, unless
 * BEGIN says otherwise. Slots are numbered through; each belongs to the thread that uses it.
 */
#define S 0
#define Z 1
#define Y 2
#define RECORD_ESCAPED(s) mem[STATE(s)] = word(0, ESCAPED)

/* ---- Accesses ---- */
#if defined(SCENARIO_access)
#define THREADS 2
#define SLOTS 1
#define T0 close(0, S, 0)
#define T1 access(1, 0, S, 0)

#elif defined(SCENARIO_access_twice) /* Two foreign readers. */
#define THREADS 3
#define SLOTS 2
#define T0 close(0, S, 0)
#define T1 access(1, 0, S, 0)
#define T2 access(2, 1, S, 0)

#elif defined(SCENARIO_access_owner) /* The owner touches, then closes; another thread closes. */
#define THREADS 2
#define SLOTS 1
#define T0 access(0, 0, S, 0); close(0, S, 0)
#define T1 close(1, S, 0)

#elif defined(SCENARIO_access_both) /* The owner touches, then closes; another thread touches twice. */
#define THREADS 2
#define SLOTS 2
#define T0 access(0, 0, S, 0); close(0, S, 0)
#define T1 access(1, 1, S, 0); access(1, 1, S, 0)

#elif defined(SCENARIO_access_two_closers)
#define THREADS 3
#define SLOTS 1
#define T0 close(0, S, 0)
#define T1 access(1, 0, S, 0)
#define T2 close(2, S, 0)

#elif defined(SCENARIO_bulk)
#define THREADS 3
#define SLOTS 1
#define T0 close(0, S, 0)
#define T1 bulk(1, 0, S, 0)
#define T2 close(2, S, 0)

#elif defined(SCENARIO_copy) /* One thread inside two sessions, each closed by another thread. */
#define THREADS 3
#define SLOTS 2
#define RECORDS 2
#define T0 close(0, S, 0)
#define T1 copy(1, 0, S, 0, 1, Z, 0)
#define T2 close(2, Z, 0)

/* ---- The owner closes by plain stores until somebody else has touched something that it opened ---- */
#elif defined(SCENARIO_plain_access)
#define THREADS 2
#define SLOTS 1
#define PLAIN_CLOSE
#define T0 close(0, S, 0)
#define T1 access(1, 0, S, 0); access(1, 0, S, 0)

#elif defined(SCENARIO_plain_hold)
#define THREADS 2
#define SLOTS 2
#define PLAIN_CLOSE
#define T0 access(0, 0, S, 0); close(0, S, 0)
#define T1 hold_use_release(1, 1, S, 0)

#elif defined(SCENARIO_plain_closer) /* Another thread closes. */
#define THREADS 2
#define SLOTS 1
#define PLAIN_CLOSE
#define T0 access(0, 0, S, 0); close(0, S, 0)
#define T1 close(1, S, 0)

#elif defined(SCENARIO_plain_twice) /* What one thread exposes because of Z, another relies on at S. */
#define THREADS 3
#define SLOTS 2
#define RECORDS 2
#define PLAIN_CLOSE
#define T0 close(0, S, 0)
#define T1 access(1, 0, Z, 0)
#define T2 access(2, 1, S, 0)

#elif defined(SCENARIO_plain_reuse) /* The record is closed, opened and closed again, with readers of both lives. */
#define THREADS 2
#define SLOTS 1
#define LIVES 2
#define PLAIN_CLOSE
#define WITHOUT_LOOK
#define T0 close(0, S, 0); reopen(0, S, 1); close(0, S, 1)
#define T1 access(1, 0, S, 0); rd(1, HANDLE(S)) == 1; access(1, 0, S, 1)

/* ---- Holds ---- */
#elif defined(SCENARIO_hold)
#define THREADS 2
#define SLOTS 1
#define T0 close(0, S, 0)
#define T1 hold_use_release(1, 0, S, 0); hold_use_release(1, 0, S, 0)

#elif defined(SCENARIO_hold_access)
#define THREADS 3
#define SLOTS 2
#define T0 close(0, S, 0)
#define T1 hold_use_release(1, 0, S, 0)
#define T2 access(2, 1, S, 0)

#elif defined(SCENARIO_hold_two_closers)
#define THREADS 3
#define SLOTS 1
#define T0 close(0, S, 0)
#define T1 hold_use_release(1, 0, S, 0)
#define T2 close(2, S, 0)

#elif defined(SCENARIO_hold_twice) /* Two holders. */
#define THREADS 3
#define SLOTS 2
#define T0 close(0, S, 0)
#define T1 hold_use_release(1, 0, S, 0)
#define T2 hold_use_release(2, 1, S, 0)

#elif defined(SCENARIO_hold_witness) /* A closer that comes back looks at the slot that refused it. */
#define THREADS 2
#define SLOTS 1
#define WITNESS 0
#define T0 close(0, S, 0); if :: r == REFUSED -> close(0, S, 0) :: else fi
#define T1 hold_use_release(1, 0, S, 0); hold_use_release(1, 0, S, 0)

#elif defined(SCENARIO_hold_own) /* Closing under one's own hold is refused, also by the one-CAS path. */
#define THREADS 2
#define SLOTS 2
#ifndef WRONG_OWN_HOLD_IGNORED
#define OWN_HOLD(t, s) (t == 0 && rd(t, SLOT(0)) == HOLD(s))
#endif
#define T0 hold(0, 0, S, 0); close(0, S, 0); CHECK(EXACT, r == REFUSED); \
  touch(0, S, 0); release(0, 0, S); close(0, S, 0)
#define T1 access(1, 1, S, 0)

#elif defined(SCENARIO_hold_nested) /* Two holds of one session by one thread, the outer one released first. */
#define THREADS 2
#define SLOTS 2
#ifdef WRONG_NESTED_SHORTCUT
#define INNER_HOLD atomic { push(1, 1, HOLD(S)); confirm(S, 0) }
#else
#define INNER_HOLD hold(1, 1, S, 0); CHECK(TRUTH, ok == YES)
#endif
#define T0 close(0, S, 0)
#define T1 hold(1, 0, S, 0); \
  if \
  :: ok == YES -> INNER_HOLD; release(1, 0, S); touch(1, S, 0); release(1, 1, S); ok = NO \
  :: else \
  fi

#elif defined(SCENARIO_hold_not_lifo) /* Released below the top: only cleared, top stays above the live slot. */
#define THREADS 2
#define SLOTS 3
#define RECORDS 2
#ifdef WRONG_TOP_LOWERED_BLINDLY
#define SLOT_ABOVE_TOP 1
#else
#define SLOT_ABOVE_TOP 2
#endif
#define T0 close(0, Z, 0)
#define T1 hold(1, 0, S, 0); hold(1, 1, Z, 0); \
  if \
  :: ok == YES -> release(1, 0, S); access(1, SLOT_ABOVE_TOP, S, 0); touch(1, Z, 0); release(1, 1, Z) \
  :: else -> release(1, 0, S) \
  fi

#elif defined(SCENARIO_hold_revert) /* A closer loses patience with a PEND once. */
#define THREADS 3
#define SLOTS 2
#define REVERTS 1
#define T0 close(0, S, 0)
#define T1 hold_use_release(1, 0, S, 0)
#define T2 access(2, 1, S, 0)

#elif defined(SCENARIO_hold_stalled) /* A thread stops for ever with PEND set: only closers of that session may be kept. */
#define THREADS 3
#define SLOTS 2
#define REVERTS 1
#define STALL
#define BEGIN RECORD_ESCAPED(S)
#define T0 close(0, S, 0)
#define T1 push(1, 0, PEND(S)); if :: true -> end_stopped: false :: true -> pop(1, 0) fi
#define T2 access(2, 1, S, 0); hold_use_release(2, 1, S, 0)

#elif defined(SCENARIO_hold_cross) /* Holders of two sessions wait for verdicts of both closers. */
#define THREADS 3
#define SLOTS 2
#define RECORDS 2
#define BEGIN RECORD_ESCAPED(S); RECORD_ESCAPED(Z)
#define T0 close(0, S, 0)
#define T1 hold(1, 0, S, 0); \
  if \
  :: ok == YES -> hold_use_release(1, 1, Z, 0); release(1, 0, S) \
  :: else \
  fi
#define T2 close(2, Z, 0)

/* ---- Detached and spilled holds ---- */
#elif defined(SCENARIO_detached)
#define THREADS 3
#define SLOTS 2
#define T0 close(0, S, 0)
#define T1 hold_use_release(1, 0, S, 0)
#define T2 detached_use_drop(2, 1, S, 0)

#elif defined(SCENARIO_detached_two_closers)
#define THREADS 3
#define SLOTS 1
#define T0 close(0, S, 0)
#define T1 detached_use_drop(1, 0, S, 0)
#define T2 close(2, S, 0)

#elif defined(SCENARIO_detached_twice)
#define THREADS 3
#define SLOTS 2
#define T0 close(0, S, 0)
#define T1 detached_use_drop(1, 0, S, 0)
#define T2 detached_use_drop(2, 1, S, 0)

#elif defined(SCENARIO_detached_handed) /* Taken by the owner, dropped by another thread, which never touches the state. */
#define THREADS 2
#define SLOTS 1
#define T0 detached_hold(0, 0, S, 0); store(0, HANDLE(S), 1, RELEASE); close(0, S, 0); \
  if \
  :: r == REFUSED -> close(0, S, 0) \
  :: else \
  fi
#define T1 rd(1, HANDLE(S)) == 1; touch(1, S, 0); detached_drop(1, S)

#elif defined(SCENARIO_detached_refuses) /* A refused close, an access, and the owner's quick close after it. */
#define THREADS 3
#define SLOTS 2
#define T0 detached_hold(0, 0, S, 0); \
  if \
  :: ok == YES -> detached_drop(0, S) \
  :: else \
  fi; \
  close(0, S, 0)
#define T1 access(1, 1, S, 0)
#define T2 close(2, S, 0)

#elif defined(SCENARIO_convert) /* Slot to detached. */
#define THREADS 3
#define SLOTS 1
#define T0 close(0, S, 0)
#define T1 convert(1, 0, S, 0)
#define T2 close(2, S, 0)

#elif defined(SCENARIO_adopt) /* Detached, handed over by the owner, to slot. */
#define THREADS 3
#define SLOTS 1
#define BEGIN mem[DETACHED(S)] = 1; holds[S] = 1; shown[S] = 1
#define T0 close(0, S, 0)
#define T1 adopt(1, 0, S, 0)
#define T2 close(2, S, 0)

#elif defined(SCENARIO_spill) /* No slot left. */
#define THREADS 3
#define SLOTS 0
#define SPILL
#define T0 close(0, S, 0)
#define T1 spilled_hold(1, S, 0)
#define T2 spilled_hold(2, S, 0)

#elif defined(SCENARIO_spill_two_closers)
#define THREADS 3
#define SLOTS 0
#define SPILL
#define T0 close(0, S, 0)
#define T1 spilled_hold(1, S, 0)
#define T2 close(2, S, 0)

#elif defined(SCENARIO_spill_mixed) /* One hold in a slot, one spilled; the closer loses patience once. */
#define THREADS 3
#define SLOTS 1
#define SPILL
#define REVERTS 1
#define T0 close(0, S, 0)
#define T1 spilled_hold(1, S, 0)
#define T2 hold_use_release(2, 0, S, 0)

/* ---- References: one to begin with, which is thread 0's ---- */
#elif defined(SCENARIO_count_owner) /* The owner's two, an access of another thread that has none. */
#define THREADS 2
#define SLOTS 2
#define COUNTED
#define QUICK_DROP
#define T0 retain(0, 0, S, 0); drop(0, 0, S, 0); drop(0, 0, S, 0)
#define T1 access(1, 1, S, 0)

#elif defined(SCENARIO_count_handed) /* The only reference is handed over and dropped there; the owner goes on with none. */
#define THREADS 2
#define SLOTS 2
#define COUNTED
#define T0 store(0, HANDLE(S), 1, RELEASE); access(0, 0, S, 0)
#define T1 rd(1, HANDLE(S)) == 1; touch(1, S, 0); drop(1, 1, S, 0)

#elif defined(SCENARIO_count_both) /* The owner hands one over and keeps one: either may be the last. */
#define THREADS 2
#define SLOTS 2
#define COUNTED
#define QUICK_DROP
#define T0 retain(0, 0, S, 0); store(0, HANDLE(S), 1, RELEASE); touch(0, S, 0); drop(0, 0, S, 0)
#define T1 rd(1, HANDLE(S)) == 1; touch(1, S, 0); drop(1, 1, S, 0)

#elif defined(SCENARIO_count_busy) /* The other one drops what the owner took, while the owner counts on. */
#define THREADS 2
#define SLOTS 2
#define COUNTED
#define T0 retain(0, 0, S, 0); store(0, HANDLE(S), 1, RELEASE); retain(0, 0, S, 0); drop(0, 0, S, 0); drop(0, 0, S, 0)
#define T1 rd(1, HANDLE(S)) == 1; drop(1, 1, S, 0)

#elif defined(SCENARIO_count_two_others) /* Both of the owner's are dropped by others at once. */
#define THREADS 3
#define SLOTS 3
#define COUNTED
#define T0 retain(0, 0, S, 0); store(0, HANDLE(S), 1, RELEASE)
#define T1 rd(1, HANDLE(S)) == 1; touch(1, S, 0); drop(1, 1, S, 0)
#define T2 rd(2, HANDLE(S)) == 1; touch(2, S, 0); drop(2, 2, S, 0)

#elif defined(SCENARIO_count_foreign) /* Another thread takes one of its own under one that it was handed. */
#define THREADS 2
#define SLOTS 2
#define COUNTED
#define T0 retain(0, 0, S, 0); store(0, HANDLE(S), 1, RELEASE); drop(0, 0, S, 0)
#define T1 rd(1, HANDLE(S)) == 1; retain(1, 1, S, 0); CHECK(TRUTH, ok == YES); drop(1, 1, S, 0); touch(1, S, 0); drop(1, 1, S, 0)

#elif defined(SCENARIO_count_late) /* Somebody who has none tries to take one while the last is dropped. */
#define THREADS 2
#define SLOTS 2
#define COUNTED
#define QUICK_DROP
#define T0 drop(0, 0, S, 0)
#define T1 retain(1, 1, S, 0); if :: ok == YES -> touch(1, S, 0); drop(1, 1, S, 0) :: else fi

/* ---- Fences ---- */
#elif defined(SCENARIO_fence_fails) /* The foreign close may fail; the owner must not take its quick path afterwards. */
#define THREADS 3
#define SLOTS 1
#define FENCE_MAY_FAIL
#define T0 close(0, S, 0)
#define T1 access(1, 0, S, 0)
#define T2 close(2, S, 0)

#elif defined(SCENARIO_fence_shared) /* Two closers of different sessions, one fence. */
#define THREADS 3
#define SLOTS 1
#define RECORDS 2
#define SHARED_FENCE
#define WITHOUT_LOOK
#define BEGIN RECORD_ESCAPED(S); RECORD_ESCAPED(Z)
#define T0 close(0, S, 0)
#define T1 close(1, Z, 0)
#define T2 access(2, 0, Z, 0)

#elif defined(SCENARIO_fence_shared_bare) /* Two closers reduced to their fences, one whole, one reader. */
#define THREADS 4
#define SLOTS 1
#define SHARED_FENCE
#define WITHOUT_LOOK
#define BEGIN RECORD_ESCAPED(S)
#define T0 access(0, 0, S, 0)
#define T1 close(1, S, 0)
#define T2 shared_fence(2)
#define T3 shared_fence(3)

#elif defined(SCENARIO_fence_shared_three)
#define THREADS 4
#define SLOTS 1
#define RECORDS 3
#define SHARED_FENCE
#define WITHOUT_LOOK
#define BEGIN RECORD_ESCAPED(S); RECORD_ESCAPED(Z); RECORD_ESCAPED(Y)
#define T0 close(0, S, 0)
#define T1 close(1, Z, 0)
#define T2 close(2, Y, 0)
#define T3 access(3, 0, Y, 0)

#elif defined(SCENARIO_fence_shared_fails)
#define THREADS 3
#define SLOTS 1
#define RECORDS 2
#define SHARED_FENCE
#define FENCE_MAY_FAIL
#define WITHOUT_LOOK
#define BEGIN RECORD_ESCAPED(S); RECORD_ESCAPED(Z)
#define T0 close(0, S, 0)
#define T1 close(1, Z, 0)
#define T2 access(2, 0, Z, 0)

/* ---- close_many ---- */
#elif defined(SCENARIO_many_cross) /* Two calls with the same sessions in opposite order. */
#define THREADS 2
#define SLOTS 0
#define RECORDS 2
#define MANY
#define BEGIN RECORD_ESCAPED(S); RECORD_ESCAPED(Z)
#define T0 close_many(0, S, Z)
#define T1 close_many(1, Z, S)

#elif defined(SCENARIO_many_twice_the_same)
#define THREADS 2
#define SLOTS 1
#define MANY
#define BEGIN RECORD_ESCAPED(S)
#define T0 close_many(0, S, S)
#define T1 hold_use_release(1, 0, S, 0)

#elif defined(SCENARIO_many_copy) /* A copy between the two sessions. */
#define THREADS 2
#define SLOTS 2
#define RECORDS 2
#define MANY
#define BEGIN RECORD_ESCAPED(S); RECORD_ESCAPED(Z)
#define T0 close_many(0, S, Z)
#define T1 copy(1, 0, S, 0, 1, Z, 0)

#elif defined(SCENARIO_many_closer) /* Against a close of one of them, and a reader of the other. */
#define THREADS 3
#define SLOTS 1
#define RECORDS 2
#define MANY
#define T0 close_many(0, S, Z)
#define T1 close(1, S, 0)
#define T2 access(2, 0, Z, 0)

/* ---- Reuse ---- */
#elif defined(SCENARIO_reuse) /* Readers with stale handles; the same thread opens the record again. */
#define THREADS 3
#define SLOTS 2
#define LIVES 2
#define WITHOUT_LOOK
#define T0 close(0, S, 0); reopen(0, S, 1); close(0, S, 1)
#define T1 access(1, 0, S, 0)
#define T2 rd(2, HANDLE(S)) == 1; access(2, 1, S, 1)

#elif defined(SCENARIO_reuse_hold) /* A holder with a stale handle, then with the new one. */
#define THREADS 2
#define SLOTS 1
#define LIVES 2
#define T0 close(0, S, 0); \
  if \
  :: r >= DONE -> reopen(0, S, 1); close(0, S, 1) \
  :: else -> store(0, HANDLE(S), 2, RELEASE) /* Refused: there is no new handle. */ \
  fi
#define T1 hold_use_release(1, 0, S, 0); rd(1, HANDLE(S)) > 0; \
  i = rd(1, HANDLE(S)) % 2; hold_use_release(1, 0, S, i); i = 0

#elif defined(SCENARIO_reuse_foreign) /* Another thread opens the record; a closer with a stale handle. */
#define THREADS 3
#define SLOTS 1
#define LIVES 2
#define T0 close(0, S, 0)
#define T1 reopen(1, S, 1); detached_use_drop(1, 0, S, 1); close(1, S, 1)
#define T2 close(2, S, 0)

/* ---- Cleanup list ---- */
#elif defined(SCENARIO_cleanup) /* Two adds, each an access. */
#define THREADS 3
#define SLOTS 2
#define NODES 2
#define WITHOUT_LOOK
#define T0 close(0, S, 0)
#define T1 add_cleanup(1, 0, S, 0, 1)
#define T2 add_cleanup(2, 1, S, 0, 2)

#elif defined(SCENARIO_cleanup_two_closers)
#define THREADS 3
#define SLOTS 1
#define NODES 1
#define T0 close(0, S, 0)
#define T1 add_cleanup(1, 0, S, 0, 1)
#define T2 close(2, S, 0)

#elif defined(SCENARIO_cleanup_reuse) /* An add that relies on the generation in the head alone; the record is reused. */
#define THREADS 2
#define SLOTS 0
#define NODES 2
#define LIVES 2
#define T0 link_cleanup(0, S, 0, 1); close(0, S, 0); reopen(0, S, 1); close(0, S, 1)
#define T1 link_cleanup(1, S, 0, 2)

/* ---- Larger, for the long run ---- */
#elif defined(SCENARIO_four_mixed)
#define THREADS 4
#define SLOTS 2
#define T0 close(0, S, 0)
#define T1 hold_use_release(1, 0, S, 0)
#define T2 access(2, 1, S, 0)
#define T3 close(3, S, 0)

#elif defined(SCENARIO_four_detached)
#define THREADS 4
#define SLOTS 2
#define T0 close(0, S, 0)
#define T1 convert(1, 0, S, 0)
#define T2 detached_use_drop(2, 1, S, 0)
#define T3 close(3, S, 0)

#elif defined(SCENARIO_four_copy)
#define THREADS 4
#define SLOTS 3
#define RECORDS 2
#define T0 close(0, S, 0)
#define T1 copy(1, 0, S, 0, 1, Z, 0)
#define T2 close(2, Z, 0)
#define T3 hold_use_release(3, 2, Z, 0)

#elif defined(SCENARIO_four_reuse)
#define THREADS 4
#define SLOTS 2
#define LIVES 2
#define T0 close(0, S, 0)
#define T1 access(1, 0, S, 0); rd(1, HANDLE(S)) == 1; hold_use_release(1, 0, S, 1)
#define T2 reopen(2, S, 1); access(2, 1, S, 1); close(2, S, 1)
#define T3 close(3, S, 0)

/* ---- Progress under a fair scheduler: loops without bound beside a closer ---- */
#elif defined(SCENARIO_eager_access)
#define THREADS 2
#define SLOTS 1
#define T0 close(0, S, 0)
#define T1 do :: decided[S] > 0 -> break :: else -> access(1, 0, S, 0) od

#elif defined(SCENARIO_eager_hold)
#define THREADS 2
#define SLOTS 1
#define T0 close(0, S, 0)
#define T1 do :: finished > 0 -> break :: else -> hold_use_release(1, 0, S, 0) od

#elif defined(SCENARIO_eager_closer) /* A poller that closes a held session again and again: an access must still end. */
#define THREADS 2
#define SLOTS 1
#define BEGIN mem[DETACHED(S)] = 1; holds[S] = 1; shown[S] = 1; RECORD_ESCAPED(S)
#define T0 do :: finished > 0 -> break :: else -> close(0, S, 0) od
#define T1 access(1, 0, S, 0); detached_drop(1, S)

#elif defined(SCENARIO_eager_witness) /* The same with a thread-bound hold, which the witness shows. */
#define THREADS 3
#define SLOTS 2
#define WITNESS 0
#define BEGIN RECORD_ESCAPED(S)
#define T0 do :: finished > 0 -> break :: else -> close(0, S, 0); if :: r >= DONE -> break :: else fi od
#define T1 hold(1, 0, S, 0); if :: ok == YES -> finished > 0; release(1, 0, S) :: else fi
#define T2 access(2, 1, S, 0)

#else
#error "choose a scenario with -DSCENARIO_<name>"
#endif

#ifndef RECORDS
#define RECORDS 1
#endif
#ifndef NODES
#define NODES 0
#endif
#ifndef LIVES
#define LIVES 1
#endif
#ifndef REVERTS
#define REVERTS 0
#endif
#ifdef COUNTED
#define WITHOUT_LOOK
#define BEGIN mem[DETACHED(S)] = 4; holds[S] = 1; shown[S] = 1
#endif
#ifndef BEGIN
#define BEGIN skip
#endif
