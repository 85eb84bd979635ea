/* SPDX-License-Identifier: MIT */
#ifndef ISTI_SESSION_CLOSE_H
#define ISTI_SESSION_CLOSE_H
/*
 * Closing shared sessions: the closer's side of the protocol in docs/lifetimes.md, steps C0-C6 and
 * M1-M5.
 *
 *              foreign first touch (A5 H4)
 *     OPEN -----------------------------> OPEN|ESCAPED
 *      |                                     |   ^
 *      | C1: owner, nothing held             |   | C4: held; the fence failed; a PEND that stays
 *      |                                 C2  v   |
 *      |                                    CLOSING|ESCAPED
 *      |                                     |
 *      v                                 C5  v
 *    CLOSED <--------------------------------+
 *      |  C5: accesses are drained (escaped only)   C6: cleanups, memory, the next generation
 */
#include "os/memory_tools.h"
#include "session/exposure.h"
#include "session/thread.h"

#include <isthmus/arena.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct isti_closing {
    isti_session *session;
    uint64_t expected;
    int progress;               /* close.c's own. */
    const uint64_t *unreliable; /* Likewise: the witness that did not show a hold any more. */
    ist_status status;          /* Out: IST_OK, IST_E_CLOSED, IST_E_HELD, IST_E_SYSTEM. */
    uint64_t holders;           /* Out, IST_E_HELD: how many holds were found. */
    int os_errno;               /* Out, IST_E_SYSTEM. */
} isti_closing;

/*
 * Closes all of `count` shared sessions, by one heavy fence if any is needed. Calls finish() for
 * each that is closed, when nothing can touch it any more: C6 is the caller's. Duplicates are in
 * order: the second is IST_E_CLOSED.
 */
void isti_close_all(isti_closing *items, size_t count, void (*finish)(isti_session *session));

/*
 * C1 for one that only the calling thread, its owner, has touched, which it has never held: no lock,
 * no system call. True: `state` is `next`, the next life's, and nothing is left to do but to set the
 * record free. False: nothing has changed, and isti_close_all() decides.
 */
static inline bool isti_close_by_exchange(isti_session *session, uint64_t expected, uint64_t next)
{
    /* acq_rel: against A5 and H4 this word alone decides. */
    return __atomic_compare_exchange_n(&session->state, &expected, next, 0, ISTI_ORDER(C1, ACQ_REL),
                                       __ATOMIC_RELAXED);
}

/* Counters since the process began. Times in ns. */
typedef struct isti_close_counters {
    size_t escaped;             /* Closes that went through CLOSING. */
    uint64_t longest_undecided; /* From C2 to the verdict. */
    uint64_t longest_drain;
} isti_close_counters;
isti_close_counters isti_close_count(void);

/* No close is between C2 and its verdict while a fork holds this; parent and child give it back. */
void isti_close_lock_for_fork(void);
void isti_close_unlock_after_fork(void);

#endif
