/* SPDX-License-Identifier: MIT */
/*
 * Arenas: the slow halves of open, allocate, close and hold, and cleanup actions. The fast halves
 * are inline in <isthmus/arena.h> and do the same where there is nothing to decide: a cached
 * record, room in the chunk, no burden. Not here: where records come from (record.c), chunks
 * (chunk.c), the global arena (global.c), memory of the user's (source.c), threads that ended
 * (orphan.c).
 */
#include "memory/arena.h"

#include "base/contract.h"
#include "base/size.h"
#include "memory/chunk.h"
#include "memory/global.h"
#include "memory/record.h"
#include "memory/shared.h"
#include "memory/source.h"
#include "session/slots.h"

#include <string.h>

ist_status
isti_arena_enter(isti_session *session, uint64_t expected, unsigned depth, uint64_t **ret_slot)
{
    *ret_slot = NULL;
    if (session == NULL || !(expected & ISTI_SHARED))
        return isti_session_check(session, expected);
    isti_thread *thread = isti_thread_current();
    return thread != NULL ? isti_slots_enter(thread, session, expected, depth, ret_slot)
                          : IST_E_NO_MEMORY;
}

ist_status isti_arena_refuse(ist_status status, uint64_t expected, const isti_failure *failure)
{
    isti_failure complete = *failure;
    complete.error.status = status;
    complete.error.kind = isti_session_kind(expected);
    if (status == IST_E_NO_MEMORY)
        complete.reason = "out of memory";
    if (status == IST_E_SYSTEM) {
        complete.reason = ISTI_NO_BARRIER;
        complete.error.os_errno = isti_self.record->fence_errno;
    }
    return isti_fail(&complete);
}

ist_status isti_arena_require(isti_session *session, uint64_t expected, const char *operation)
{
    uint64_t *slot;
    ist_status status = isti_arena_enter(session, expected, 0, &slot);
    if (status != IST_OK)
        return isti_arena_refuse(status, expected,
                                 &(isti_failure){ .error = { .operation = operation } });
    isti_arena_leave(slot);
    return IST_OK;
}

/* ---- Open ---- */

ist_status isti_arena_open_slow(uint64_t kind, ist_arena *ret_arena)
{
    const char *operation = kind & ISTI_COUNTED  ? "opening an automatic arena"
                            : kind & ISTI_SHARED ? "opening a shared arena"
                                                 : "opening a confined arena";
    if (ret_arena == NULL)
        return isti_fail_argument(operation, "NULL where the arena is wanted");
    isti_local *local = isti_local_current();
    isti_arena *record = local != NULL ? isti_record_open(local, kind) : NULL;
    if (record == NULL)
        return isti_fail_no_memory(operation, 0);
    *ret_arena = (ist_arena){ .session = &record->session,
                              .expected = isti_load_relaxed_u64(&record->session.state) };
    return IST_OK;
}

/* ---- Allocate ---- */

/* From the chunk that the record allocates from. NULL: no room. */
static void *take_from_chunk(isti_arena *record, size_t size, size_t alignment, bool zeroed)
{
    uintptr_t start = isti_align_up(record->cursor, alignment);
    size_t taken = size + (size == 0);
    if (start >= record->limit || taken > record->limit - start)
        return NULL;
    isti_store_relaxed_address(&record->cursor, start + taken);
    if (zeroed)
        isti_clear((void *)start, size);
    return (void *)start;
}

void *isti_arena_take(isti_arena *record, size_t size, size_t alignment, bool zeroed)
{
    void *block = take_from_chunk(record, size, alignment, zeroed);
    size_t need;
    if (block != NULL)
        return block;
    if (!isti_chunk_size_for(size + (size == 0), alignment, &need))
        return NULL;
    if (need > ISTI_CHUNK_KEPT || isti_memory_mode_chosen.exact) {
        block = isti_chunk_take_alone(&record->chunks, size, alignment, zeroed);
        if (block != NULL) {
            record->session.burden |= ISTI_BURDEN_CHUNKS;
            isti_arena_grew(record, need);
        }
        return block;
    }
    bool first = record->chunks == NULL;
    isti_chunk *chunk = isti_chunk_create_next(record->chunks, need);
    if (chunk == NULL)
        return NULL;
    record->chunks = chunk;
    isti_arena_grew(record, chunk->size);
    if (!first || !isti_memory_recycles())
        record->session.burden |= ISTI_BURDEN_CHUNKS;
    isti_record_use_chunk(record);
    isti_record_rewind(record);
    return take_from_chunk(record, size, alignment, zeroed);
}

static void *
take_of_kind(isti_session *session, uint64_t expected, size_t size, size_t alignment, bool zeroed)
{
    isti_arena *record = isti_arena_record(session);
    if (expected == ISTI_GLOBAL)
        return isti_global_take(size, alignment, zeroed);
    /* The owner has the record's own chunk to itself, in an arena of any kind. */
    if ((expected & ISTI_SHARED) && !isti_is_mine(session))
        return isti_shared_take(record, size, alignment, zeroed);
    if (record->source != NULL)
        return isti_source_take(record, size, alignment, zeroed);
    return isti_arena_take(record, size, alignment, zeroed);
}

static ist_status
allocation_failure(size_t size, size_t alignment, ist_status status, const char *reason)
{
    return isti_fail(&(isti_failure){ .error = { .status = status,
                                                 .operation = "allocation",
                                                 .length = size,
                                                 .alignment = alignment },
                                      .parts = ISTI_PART_LENGTH | ISTI_PART_ALIGNMENT,
                                      .reason = reason });
}

void *isti_arena_cut_shared(isti_session *session, uint64_t expected, size_t size, size_t alignment,
                            int zeroed)
{
    uint64_t *slot;
    if (!(isti_is_first(session) || isti_is_mine(session)) ||
        !isti_shared_begin(session, expected, &slot))
        return NULL;
    void *block = isti_arena_cut(isti_arena_record(session), size, alignment, zeroed);
    isti_shared_end(slot);
    return block;
}

ist_status isti_arena_allocate_slow(isti_session *session, uint64_t expected, size_t size,
                                    size_t alignment, int zeroed, ist_segment *ret_segment)
{
    if (!isti_is_power_of_two(alignment))
        return allocation_failure(size, alignment, IST_E_ARGUMENT,
                                  "the alignment is not a power of two");
    if (ret_segment == NULL)
        return isti_fail_argument("allocation", "NULL where the segment is wanted");
    uint64_t *slot;
    ist_status status = isti_arena_enter(session, expected, 0, &slot);
    if (status != IST_OK)
        return isti_arena_refuse(
            status, expected,
            &(isti_failure){
                .error = { .operation = "allocation", .length = size, .alignment = alignment },
                .parts = ISTI_PART_LENGTH | ISTI_PART_ALIGNMENT });
    size_t need;
    bool representable = isti_chunk_size_for(size, alignment, &need);
    void *block = representable ? take_of_kind(session, expected, size, alignment, zeroed) : NULL;
    isti_arena_leave(slot);
    if (!representable)
        return allocation_failure(size, alignment, IST_E_OVERFLOW, "more than can be addressed");
    if (block == NULL)
        return allocation_failure(size, alignment, IST_E_NO_MEMORY, "out of memory");
    *ret_segment = (ist_segment){
        .address = block, .size = size, .session = (uintptr_t)session, .expected = expected
    };
    return IST_OK;
}

/* ---- Close ---- */

/* Of several chunks the largest that may be kept serves the next life. */
static void release_chunks(isti_arena *record)
{
    isti_chunk *kept = NULL, *chunk = record->chunks;
    if (isti_memory_recycles()) {
        for (; chunk != NULL; chunk = chunk->next)
            if (chunk->size <= ISTI_CHUNK_KEPT && (kept == NULL || chunk->size > kept->size))
                kept = chunk;
    }
    for (isti_chunk **link = &record->chunks; kept != NULL && *link != NULL;) {
        if (*link == kept)
            *link = kept->next;
        else
            link = &(*link)->next;
    }
    isti_chunk_destroy_list(record->chunks);
    isti_chunk_destroy_list(record->foreign);
    /* Relaxed: nobody is inside any more. */
    __atomic_store_n(&record->foreign, NULL, __ATOMIC_RELAXED);
    record->chunks = kept;
    if (kept != NULL)
        isti_chunk_recycle(kept);
}

void isti_arena_end(isti_arena *record)
{
    isti_local *local = isti_local_existing();
    isti_session_end(&record->session);
    bool chunks = (isti_load_relaxed_u64(&record->session.burden) & ISTI_BURDEN_CHUNKS) ||
                  record->foreign != NULL;
    if (chunks) {
        release_chunks(record);
        isti_record_use_chunk(record);
    }
    record->source = NULL;
    isti_record_renew(local, record);
    if (chunks)
        isti_record_tick(local);
}

static ist_status
close_failure(uint64_t expected, ist_status status, uint64_t holders, const char *reason)
{
    return isti_fail(&(isti_failure){ .error = { .status = status,
                                                 .operation = "close",
                                                 .kind = isti_session_kind(expected),
                                                 .holders = holders },
                                      .reason = reason });
}

ist_status isti_arena_close_slow(isti_session *session, uint64_t expected)
{
    if (ISTI_LIKELY(isti_arena_is_shared(session, expected)))
        return isti_shared_close(session, expected);
    if (expected == ISTI_GLOBAL)
        return close_failure(expected, IST_E_UNSUPPORTED, 0, "the global arena never ends");
    ist_status status = isti_arena_require(session, expected, "close");
    if (status != IST_OK)
        return status;
    if (expected & ISTI_AUTOMATIC)
        return close_failure(expected, IST_E_UNSUPPORTED, 0,
                             "an automatic arena ends with its last reference");
    if (session->burden & ISTI_BURDEN_FRAME)
        return close_failure(expected, IST_E_UNSUPPORTED, 0,
                             "the arena of a frame ends when the frame is popped");
    if (isti_session_holds_owner(session) != 0)
        return close_failure(expected, IST_E_HELD, isti_session_holds_owner(session), NULL);
    isti_arena_end(isti_arena_record(session));
    return IST_OK;
}

int ist_arena_is_alive(ist_arena arena)
{
    return isti_session_is_open(arena.session, arena.expected);
}

/* ---- Cleanups ---- */

/* Memory for a cleanup: it lives as long as the arena. */
static isti_cleanup *take_node(ist_arena arena, size_t size)
{
    isti_arena *record = isti_arena_record(arena.session);
    if (arena.expected != ISTI_GLOBAL && !(arena.expected & ISTI_SHARED) && record->source != NULL)
        return isti_source_take_node(record, size);
    return take_of_kind(arena.session, arena.expected, size, _Alignof(isti_cleanup), false);
}

ist_status isti_arena_add_object(ist_arena arena, const isti_cleanup *cleanup, size_t size,
                                 const char *operation, isti_cleanup **ret_object)
{
    uint64_t *slot;
    ist_status status = isti_arena_enter(arena.session, arena.expected, 0, &slot);
    if (status != IST_OK)
        return isti_arena_refuse(status, arena.expected,
                                 &(isti_failure){ .error = { .operation = operation } });
    isti_cleanup *node = take_node(arena, size);
    if (node != NULL) {
        memcpy(node, cleanup, size);
        if (arena.expected & ISTI_SHARED)
            isti_session_add_cleanup(arena.session, node);
        else if (arena.expected != ISTI_GLOBAL)
            isti_session_add_cleanup_owner(arena.session, node);
    }
    isti_arena_leave(slot);
    if (node == NULL)
        return isti_fail_no_memory(operation, 0);
    *ret_object = node;
    return IST_OK;
}

ist_status isti_arena_add_cleanup(ist_arena arena, const isti_cleanup *cleanup, size_t size,
                                  const char *operation)
{
    isti_cleanup *node;
    return isti_arena_add_object(arena, cleanup, size, operation, &node);
}

typedef struct plain_cleanup {
    isti_cleanup cleanup;
    ist_cleanup_fn *function;
    void *data;
} plain_cleanup;

static void run_plain(isti_cleanup *cleanup)
{
    plain_cleanup *plain = (plain_cleanup *)cleanup;
    plain->function(plain->data);
}

ist_status ist_arena_on_close(ist_arena arena, ist_cleanup_fn *function, void *data)
{
    if (function == NULL)
        return isti_fail_argument("adding a cleanup", "NULL where the action is wanted");
    plain_cleanup plain = { .cleanup.run = run_plain, .function = function, .data = data };
    return isti_arena_add_cleanup(arena, &plain.cleanup, sizeof plain, "adding a cleanup");
}
