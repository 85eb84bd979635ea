/* SPDX-License-Identifier: MIT */
#ifndef ISTI_SESSION_COUNT_H
#define ISTI_SESSION_COUNT_H
/*
 * References to automatic sessions, steps R1-R9 of docs/lifetimes.md. They are counted in two words:
 *
 *     not merged   1 + references (the owner's word, plain under its PEND) + detached (everybody
 *                  else's, atomic; as a signed number, since others drop what the owner took)
 *     merged       references == ISTI_MERGED, and detached == ISTI_MERGED_COUNT + all of them
 *
 * A life begins not merged, with both words 0: the opener's one reference. Merging happens once,
 * when the owner gives up its last, or when another thread's drop could be the last and has to
 * know: then it closes, up to the verdict, which the count decides.
 */
#include "session/thread.h"

#include <stdbool.h>

/* R1-R3. Returns: IST_OK; IST_E_CLOSED; IST_E_SYSTEM. */
ist_status isti_count_retain(isti_thread *thread, isti_session *session, uint64_t expected);

/*
 * R5-R7. Returns as isti_count_retain(); on IST_OK *ret_maybe_last says whether the caller has to
 * close the session (R8).
 */
ist_status isti_count_drop(isti_thread *thread, isti_session *session, uint64_t expected,
                           bool *ret_maybe_last);

/*
 * R9: between the closer's scan of the slots and its verdict, when nobody counts. Returns how many
 * references there are, and has merged them if there are any.
 */
uint64_t isti_count_settle(isti_session *session);

/* How many references there are about now. */
uint64_t isti_count_read(const isti_session *session);

#endif
