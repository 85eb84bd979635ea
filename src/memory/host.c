/* SPDX-License-Identifier: MIT */
/*
 * Arenas in records of a host's. They are in no thread's list: neither is their burden ever
 * UNLISTED, nor does anybody look for them but the host.
 */
#include "base/contract.h"
#include "memory/chunk.h"
#include "memory/record.h"
#include "memory/shared.h"
#include "session/close.h"

#include <isthmus/host.h>

_Static_assert(sizeof(isti_arena) == IST_HOST_RECORD_SIZE, "a host's record is one of ours");
_Static_assert(_Alignof(isti_arena) == IST_HOST_RECORD_ALIGNMENT, "a host's record is one of ours");

void ist_host_record_init(ist_host_record *record, ist_host_grew_fn *grew)
{
    record->session.state = ISTI_GENERATION_ONE | ISTI_CONFINED;
    record->grew = grew;
    isti_record_use_chunk(record);
}

ist_status ist_host_open(ist_host_record *record, ist_arena *ret_arena)
{
    ISTI_ASSERT(!ist_host_is_open(record));
    if (isti_local_current() == NULL)
        return isti_fail_no_memory("opening an automatic arena", 0);
    uint64_t state = isti_load_relaxed_u64(&record->session.state);
    if (state & ISTI_PHASE_MASK)
        return isti_fail(&(isti_failure){ .error = { .status = IST_E_CLOSED,
                                                     .operation = "opening an automatic arena",
                                                     .kind = "automatic" },
                                          .reason = "the record is used up" });
    isti_record_begin(record, ISTI_SHARED | ISTI_COLLECTED);
    *ret_arena = (ist_arena){ .session = &record->session,
                              .expected = isti_load_relaxed_u64(&record->session.state) };
    return IST_OK;
}

#define TOGETHER 128 /* Ended by one fence. */

/* False: some are open still. */
static bool end_some(ist_host_record *const *records, size_t count)
{
    isti_closing items[TOGETHER];
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        isti_session *session = &records[i]->session;
        uint64_t expected = isti_load_relaxed_u64(&session->state) & ~ISTI_ESCAPED;
        if (!isti_shared_close_quickly(session, expected))
            items[left++] = (isti_closing){ .session = session, .expected = expected };
    }
    if (left != 0)
        isti_close_all(items, left, isti_shared_finish);
    for (size_t i = 0; i < left; i++)
        if (items[i].status == IST_E_SYSTEM)
            return false;
    return true;
}

ist_status ist_host_end(ist_host_record *const *records, size_t count)
{
    if (isti_local_current() == NULL)
        return isti_fail_no_memory("ending arenas", 0);
    bool all = true;
    for (size_t done = 0; done < count; done += TOGETHER)
        all &= end_some(records + done, count - done < TOGETHER ? count - done : TOGETHER);
    if (all)
        return IST_OK;
    return isti_fail(
        &(isti_failure){ .error = { .status = IST_E_SYSTEM, .operation = "ending arenas" },
                         .reason = ISTI_NO_BARRIER });
}

int ist_host_has_cleanups(const ist_host_record *record)
{
    /* Relaxed: who adds one has the arena, and then it is not ended. */
    return __atomic_load_n(&record->session.cleanups, __ATOMIC_RELAXED) != NULL;
}

size_t ist_host_bytes(const ist_host_record *record)
{
    return isti_chunk_bytes(record->chunks) + isti_chunk_bytes(record->foreign);
}

size_t ist_host_trim(ist_host_record *record)
{
    ISTI_ASSERT(!ist_host_is_open(record));
    return isti_record_drop_chunks(record);
}

ist_status ist_host_fail(ist_status status, const char *operation, const char *reason)
{
    return isti_fail(
        &(isti_failure){ .error = { .status = status, .operation = operation }, .reason = reason });
}
