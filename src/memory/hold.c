/* SPDX-License-Identifier: MIT */
/*
 * Holds on arenas of every kind: the slow halves of ist_arena_hold() and ist_arena_release(),
 * detached holds, and unwinding. What a hold on a shared arena is made of is in session/slots.c.
 */
#include "memory/arena.h"
#include "memory/automatic.h"
#include "session/slots.h"

static ist_status refuse(ist_status status, uint64_t expected, const char *operation)
{
    return isti_arena_refuse(status, expected,
                             &(isti_failure){ .error = { .operation = operation } });
}

static ist_status hold_shared(isti_session *session, uint64_t expected, ist_hold *ret_hold)
{
    isti_thread *thread = isti_thread_current();
    ist_hold hold;
    ist_status status =
        thread != NULL ? isti_slots_hold(thread, session, expected, &hold) : IST_E_NO_MEMORY;
    if (status != IST_OK)
        return status == IST_E_NO_MEMORY ? isti_fail_no_memory("hold", 0)
                                         : refuse(status, expected, "hold");
    *ret_hold = hold;
    return IST_OK;
}

ist_status isti_arena_hold_slow(isti_session *session, uint64_t expected, ist_hold *ret_hold)
{
    if (ret_hold == NULL)
        return isti_fail_argument("hold", "NULL where the hold is wanted");
    if (isti_arena_is_shared(session, expected))
        return hold_shared(session, expected, ret_hold);
    ist_status status = isti_automatic_retain(session, expected, "hold");
    if (status == IST_OK)
        /* An automatic arena, or the global one: one that is confined took the quick half. */
        *ret_hold = (ist_hold){ .session = session, .expected = expected };
    return status;
}

ist_status isti_arena_release_slow(ist_hold *hold)
{
    if (hold == NULL || hold->expected == 0)
        return isti_fail_argument("release", "nothing is held");
    ist_status status = IST_OK;
    if (isti_arena_is_shared(hold->session, hold->expected)) {
        isti_thread *thread = isti_thread_current();
        status = thread != NULL ? isti_slots_release(thread, hold) : IST_E_WRONG_THREAD;
    } else if (hold->expected & ISTI_AUTOMATIC) {
        status = isti_automatic_drop(hold->session, hold->expected, "release");
        if (status != IST_OK)
            return status;
    } else if (hold->expected != ISTI_GLOBAL) {
        /*
         * A hold keeps its arena open: a token of a closed or unheld one was released before,
         * through a copy.
         */
        status = isti_session_check(hold->session, hold->expected) == IST_E_WRONG_THREAD
                     ? IST_E_WRONG_THREAD
                     : IST_E_ARGUMENT;
    }
    if (status == IST_E_ARGUMENT)
        return isti_fail_argument("release", "the hold was released before");
    if (status != IST_OK)
        return refuse(status, hold->expected, "release");
    *hold = (ist_hold){ .expected = 0 };
    return IST_OK;
}

/* ---- Detached ---- */

static ist_status unsupported(const char *operation)
{
    return isti_fail(
        &(isti_failure){ .error = { .status = IST_E_UNSUPPORTED, .operation = operation },
                         .reason = "a hold of a confined arena cannot leave its thread" });
}

ist_status ist_arena_hold_detached(ist_arena arena, ist_detached_hold *ret_hold)
{
    const char *operation = "detached hold";
    if (ret_hold == NULL)
        return isti_fail_argument(operation, "NULL where the hold is wanted");
    if (isti_arena_is_shared(arena.session, arena.expected)) {
        isti_thread *thread = isti_thread_current();
        if (thread == NULL)
            return isti_fail_no_memory(operation, 0);
        ist_status status = isti_slots_hold_detached(thread, arena.session, arena.expected);
        if (status != IST_OK)
            return refuse(status, arena.expected, operation);
    } else {
        if (arena.expected & ISTI_CONFINED) {
            ist_status status = isti_arena_require(arena.session, arena.expected, operation);
            return status != IST_OK ? status : unsupported(operation);
        }
        ist_status status = isti_automatic_retain(arena.session, arena.expected, operation);
        if (status != IST_OK)
            return status;
    }
    *ret_hold = (ist_detached_hold){ .session = arena.session, .expected = arena.expected };
    return IST_OK;
}

ist_status ist_detached_release(ist_detached_hold *hold)
{
    if (hold == NULL || hold->expected == 0)
        return isti_fail_argument("release of a detached hold", "nothing is held");
    if (isti_arena_is_shared(hold->session, hold->expected)) {
        isti_slots_release_detached(hold->session); /* D6: the last touch of the record. */
    } else {
        ist_status status =
            isti_automatic_drop(hold->session, hold->expected, "release of a detached hold");
        if (status != IST_OK)
            return status;
    }
    *hold = (ist_detached_hold){ .expected = 0 };
    return IST_OK;
}

ist_status ist_hold_detach(ist_hold *hold, ist_detached_hold *ret_hold)
{
    if (hold == NULL || ret_hold == NULL || hold->expected == 0)
        return isti_fail_argument("detaching a hold",
                                  "nothing is held, or NULL where the hold is wanted");
    if (hold->expected & ISTI_CONFINED)
        return unsupported("detaching a hold");
    if (!isti_arena_is_shared(hold->session, hold->expected)) {
        /* A reference is nobody's in particular; what holds the global arena is nothing. */
        *ret_hold = (ist_detached_hold){ .session = hold->session, .expected = hold->expected };
        *hold = (ist_hold){ .expected = 0 };
        return IST_OK;
    }
    isti_thread *thread = isti_thread_current();
    ist_status status = thread != NULL ? isti_slots_check(thread, hold) : IST_E_WRONG_THREAD;
    if (status != IST_OK)
        return refuse(status, hold->expected, "detaching a hold");
    isti_slots_add_detached(hold->session); /* D7 */
    ist_detached_hold detached = { .session = hold->session, .expected = hold->expected };
    status = ist_arena_release(hold); /* D8 */
    if (status == IST_OK)
        *ret_hold = detached;
    return status;
}

ist_status ist_detached_attach(ist_detached_hold *hold, ist_hold *ret_hold)
{
    if (hold == NULL || ret_hold == NULL || hold->expected == 0)
        return isti_fail_argument("attaching a hold",
                                  "nothing is held, or NULL where the hold is wanted");
    if (!isti_arena_is_shared(hold->session, hold->expected)) {
        *ret_hold = (ist_hold){ .session = hold->session, .expected = hold->expected };
        *hold = (ist_detached_hold){ .expected = 0 };
        return IST_OK;
    }
    ist_hold attached;
    ist_arena arena = { .session = hold->session, .expected = hold->expected };
    ist_status status = ist_arena_hold(arena, &attached); /* D9: a full hold. */
    if (status != IST_OK)
        return status;
    status = ist_detached_release(hold); /* D10 */
    *ret_hold = attached;
    return status;
}

/* ---- longjmp ---- */

size_t ist_hold_mark(void)
{
    return isti_self.record != NULL ? isti_slots_mark(isti_self.record) : 0;
}

void ist_hold_unwind(size_t mark)
{
    if (isti_self.record != NULL)
        isti_slots_unwind(isti_self.record, mark);
}
