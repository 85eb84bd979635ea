/* SPDX-License-Identifier: MIT */
/*
 * Automatic arenas. They are used as shared ones are; counting is in session/count.c. Here is what
 * a drop does that may be the last: close, and find out.
 */
#include "memory/automatic.h"

#include "memory/shared.h"
#include "session/close.h"
#include "session/count.h"

#include <isthmus/automatic.h>

static ist_status refuse(ist_status status, uint64_t expected, const char *operation)
{
    return isti_arena_refuse(status, expected,
                             &(isti_failure){ .error = { .operation = operation } });
}

/* IST_OK: the arena is there, and has no references that are counted. */
static ist_status require_uncounted(isti_session *session, uint64_t expected, const char *operation)
{
    ist_status status = isti_arena_require(session, expected, operation);
    if (status != IST_OK || expected == ISTI_GLOBAL || (expected & ISTI_COLLECTED))
        return status;
    return isti_fail(&(isti_failure){
        .error = { .status = IST_E_UNSUPPORTED,
                   .operation = operation,
                   .kind = isti_session_kind(expected) },
        .reason = "confined and shared arenas are closed; they have no references" });
}

ist_status isti_automatic_retain(isti_session *session, uint64_t expected, const char *operation)
{
    if (!(expected & ISTI_COUNTED))
        return require_uncounted(session, expected, operation);
    isti_thread *thread = isti_thread_current();
    ist_status status =
        thread != NULL ? isti_count_retain(thread, session, expected) : IST_E_NO_MEMORY;
    return status == IST_OK ? IST_OK : refuse(status, expected, operation);
}

/*
 * R8. The close finds whether it was the last reference. One that cannot be finished gives it back
 * to the caller, unless another thread has finished it.
 */
static ist_status
end_if_last(isti_thread *thread, isti_session *session, uint64_t expected, const char *operation)
{
    isti_closing item = { .session = session, .expected = expected };
    isti_close_all(&item, 1, isti_shared_finish);
    if (item.status != IST_E_SYSTEM || isti_count_retain(thread, session, expected) == IST_E_CLOSED)
        return IST_OK;
    thread->fence_errno = item.os_errno;
    return refuse(IST_E_SYSTEM, expected, operation);
}

ist_status isti_automatic_drop(isti_session *session, uint64_t expected, const char *operation)
{
    if (!(expected & ISTI_COUNTED))
        return require_uncounted(session, expected, operation);
    if (isti_shared_close_quickly(session, expected)) /* R4 */
        return IST_OK;
    isti_thread *thread = isti_thread_current();
    bool maybe_last = false;
    ist_status status =
        thread != NULL ? isti_count_drop(thread, session, expected, &maybe_last) : IST_E_NO_MEMORY;
    if (status != IST_OK)
        return refuse(status, expected, operation);
    return maybe_last ? end_if_last(thread, session, expected, operation) : IST_OK;
}

ist_status isti_arena_retain_slow(isti_session *session, uint64_t expected)
{
    return isti_automatic_retain(session, expected, "retaining an arena");
}

ist_status isti_arena_drop_slow(isti_session *session, uint64_t expected)
{
    return isti_automatic_drop(session, expected, "dropping a reference");
}

ist_status ist_arena_references(ist_arena arena, size_t *ret_count)
{
    const char *operation = "counting references";
    if (ret_count == NULL)
        return isti_fail_argument(operation, "NULL where the count is wanted");
    uint64_t *slot;
    ist_status status = isti_arena_enter(arena.session, arena.expected, 0, &slot);
    if (status != IST_OK)
        return refuse(status, arena.expected, operation);
    size_t count = arena.expected & ISTI_COUNTED ? (size_t)isti_count_read(arena.session) : 0;
    isti_arena_leave(slot);
    if (!(arena.expected & ISTI_COUNTED))
        return isti_fail(&(isti_failure){ .error = { .status = IST_E_UNSUPPORTED,
                                                     .operation = operation,
                                                     .kind = isti_session_kind(arena.expected) },
                                          .reason = "its references are not counted" });
    *ret_count = count;
    return IST_OK;
}
