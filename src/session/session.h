/* SPDX-License-Identifier: MIT */
#ifndef ISTI_SESSION_SESSION_H
#define ISTI_SESSION_SESSION_H
/*
 * Lifetimes. A session is embedded as first member in the record of whoever has one (an arena);
 * this module never allocates it.
 *
 * The life of a confined session, all by its owner:
 *
 *     OPEN --close, no burden--------------------------------> OPEN of the next generation, nobody
 *     has a handle
 *     OPEN --close--> CLOSED --cleanups, newest first--------> OPEN of the next generation
 *
 * OPEN may be trusted for as long as the owner does nothing else. In CLOSED every handle already
 * fails, and the memory is still there for the cleanups.
 */
#include <isthmus/arena.h>

#include <stdbool.h>

/*
 * An action that runs when a session ends. The node belongs to whoever adds it, and lives as long
 * as the session.
 */
typedef struct isti_cleanup {
    struct isti_cleanup *next;
    void (*run)(struct isti_cleanup *cleanup);
} isti_cleanup;

/* "confined", "global", ...; "null" for a handle that is `{0}`. */
const char *isti_session_kind(uint64_t expected);

/*
 * Whether the calling thread may use a session that is not shared: IST_OK, IST_E_CLOSED or
 * IST_E_WRONG_THREAD, in this order.
 */
ist_status isti_session_check(const isti_session *session, uint64_t expected);

/*
 * The number of holds on a confined session. Owner; of a shared one, 0 for whoever closes it, while
 * its owner may be unlisting it.
 */
static inline uint64_t isti_session_holds_owner(const isti_session *session)
{
    return isti_load_relaxed_u64(&session->burden) / ISTI_BURDEN_HOLD;
}

/*
 * Adds to what a close must look at. Owner; in a shared session inside an access or with a PEND, so
 * that nobody ends it meanwhile. Relaxed: who closes it instead may look.
 */
static inline void isti_session_burden(isti_session *session, uint64_t what)
{
    isti_store_relaxed_u64(&session->burden, isti_load_relaxed_u64(&session->burden) | what);
}

/* Whether the session is open in the handle's life; any thread may ask. */
bool isti_session_is_open(const isti_session *session, uint64_t expected);

/* Adds an action to a shared session inside an access of it. */
void isti_session_add_cleanup(isti_session *session, isti_cleanup *cleanup);

/* Adds an action to an open confined session. Owner. */
void isti_session_add_cleanup_owner(isti_session *session, isti_cleanup *cleanup);

/*
 * To CLOSED, if it is not there yet, and all actions run. Owner, or the closer of a shared session;
 * nothing holds the session. Afterwards nothing but isti_session_renew() may be called.
 */
void isti_session_end(isti_session *session);

/*
 * The next generation, open, of the same kind, without burden. False: there is none, the record is used
 * up and stays CLOSED.
 */
bool isti_session_renew(isti_session *session);

#endif
