/* SPDX-License-Identifier: MIT */
/*
 * Arenas: the slow halves of open, allocate, close and hold, and cleanup actions. The fast halves are inline in
 * <isthmus/arena.h> and do the same where there is nothing to decide: a cached record, room in the chunk, no burden.
 * Not here: where records come from (record.c), chunks (chunk.c), the global arena (global.c), memory of
 * the user's (source.c), threads that ended (orphan.c).
 */
#include "memory/arena.h"

#include "base/contract.h"
#include "base/size.h"
#include "memory/chunk.h"
#include "memory/global.h"
#include "memory/record.h"
#include "memory/source.h"

ist_status isti_arena_require(const isti_session *session, uint64_t expected, isti_failure failure)
{
    ist_status status = isti_session_check(session, expected);
    if (status == IST_OK)
        return IST_OK;
    failure.error.status = status;
    failure.error.kind = isti_session_kind(expected);
    return isti_fail(&failure);
}

/* ---- Open ---- */

ist_status isti_arena_open_confined_slow(ist_arena *ret_arena)
{
    if (ret_arena == NULL)
        return isti_fail_argument("opening a confined arena", "NULL where the arena is wanted");
    isti_local *local = isti_local_current();
    if (local == NULL)
        return isti_fail_no_memory("opening a confined arena", 0);
    isti_record_tick(local);
    isti_arena *record = isti_record_take(local);
    if (record == NULL)
        return isti_fail_no_memory("opening a confined arena", 0);
    *ret_arena = (ist_arena){ .session = &record->session, .expected = record->session.state };
    return IST_OK;
}

/* ---- Allocate ---- */

/* The chunk to allocate from next, with room for `need` bytes in all. */
static isti_chunk *create_chunk(const isti_arena *record, size_t need)
{
    size_t size = record->chunks == NULL ? ISTI_CHUNK_FIRST : record->chunks->size * 2;
    if (size > ISTI_CHUNK_GROWN)
        size = ISTI_CHUNK_GROWN;
    while (size < need)
        size *= 2;
    return isti_chunk_create(size, false, record->chunks);
}

/* A chunk behind the first, for one block alone: the first goes on serving small ones. */
static void *take_alone(isti_arena *record, size_t need, size_t alignment, bool zeroed)
{
    isti_chunk **link = record->chunks == NULL ? &record->chunks : &record->chunks->next;
    isti_chunk *chunk = isti_chunk_create(need, zeroed, *link);
    if (chunk == NULL)
        return NULL;
    *link = chunk;
    record->session.burden |= ISTI_BURDEN_CHUNKS;
    return (void *)isti_align_up(chunk->begin, alignment);
}

static void *take_exact(isti_arena *record, size_t size, size_t alignment, bool zeroed)
{
    void *block = isti_chunk_create_exact(size, alignment, zeroed, &record->chunks);
    if (block != NULL)
        record->session.burden |= ISTI_BURDEN_CHUNKS;
    return block;
}

/* From the chunk that the record allocates from. NULL: no room. */
static void *take_from_chunk(isti_arena *record, size_t size, size_t alignment, bool zeroed)
{
    uintptr_t start = isti_align_up(record->cursor, alignment);
    size_t taken = size + (size == 0);
    if (start >= record->limit || taken > record->limit - start)
        return NULL;
    record->cursor = start + taken;
    if (zeroed && start < record->dirty)
        isti_clear((void *)start, size);
    return (void *)start;
}

void *isti_arena_take(isti_arena *record, size_t size, size_t alignment, bool zeroed)
{
    if (isti_memory_mode_chosen.exact)
        return take_exact(record, size, alignment, zeroed);
    void *block = take_from_chunk(record, size, alignment, zeroed);
    size_t need;
    if (block != NULL)
        return block;
    if (!isti_chunk_size_for(size + (size == 0), alignment, &need))
        return NULL;
    if (need > ISTI_CHUNK_KEPT)
        return take_alone(record, need, alignment, zeroed);
    bool first = record->chunks == NULL;
    isti_chunk *chunk = create_chunk(record, need);
    if (chunk == NULL)
        return NULL;
    record->chunks = chunk;
    if (!first || !isti_memory_recycles())
        record->session.burden |= ISTI_BURDEN_CHUNKS;
    isti_record_use_chunk(record);
    return take_from_chunk(record, size, alignment, zeroed);
}

static ist_status allocation_failure(size_t size, size_t alignment, ist_status status, const char *reason)
{
    return isti_fail(&(isti_failure){
        .error = { .status = status, .operation = "allocation", .length = size, .alignment = alignment },
        .parts = ISTI_PART_LENGTH | ISTI_PART_ALIGNMENT,
        .reason = reason });
}

ist_status isti_arena_allocate_slow(isti_session *session, uint64_t expected, size_t size, size_t alignment, int zeroed,
                                    ist_segment *ret_segment)
{
    if (!isti_is_power_of_two(alignment))
        return allocation_failure(size, alignment, IST_E_ARGUMENT, "the alignment is not a power of two");
    if (ret_segment == NULL)
        return isti_fail_argument("allocation", "NULL where the segment is wanted");
    ist_status status = isti_arena_require(
        session, expected,
        (isti_failure){ .error = { .operation = "allocation", .length = size, .alignment = alignment },
                        .parts = ISTI_PART_LENGTH | ISTI_PART_ALIGNMENT });
    if (status != IST_OK)
        return status;
    size_t need;
    if (!isti_chunk_size_for(size, alignment, &need))
        return allocation_failure(size, alignment, IST_E_OVERFLOW, "more than can be addressed");
    isti_arena *record = isti_arena_record(session);
    void *block;
    if (expected == ISTI_GLOBAL)
        block = isti_global_take(size, alignment, zeroed);
    else if (record->source != NULL)
        block = isti_source_take(record, size, alignment, zeroed);
    else
        block = isti_arena_take(record, size, alignment, zeroed);
    if (block == NULL)
        return allocation_failure(size, alignment, IST_E_NO_MEMORY, "out of memory");
    *ret_segment = (ist_segment){
        .address = block, .size = size, .session = (uintptr_t)session, .expected = expected };
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
    record->chunks = kept;
    if (kept != NULL)
        isti_chunk_recycle(kept);
}

void isti_arena_end_owner(isti_arena *record)
{
    isti_local *local = isti_local_existing();
    isti_session_end_owner(&record->session);
    if (record->session.burden & ISTI_BURDEN_CHUNKS) {
        release_chunks(record);
        isti_record_use_chunk(record);
    } else {
        if (record->cursor > record->dirty)
            record->dirty = record->cursor;
        record->cursor = record->base;
    }
    record->source = NULL;
    if (isti_session_renew_owner(&record->session))
        isti_record_give(local, record);
    else
        isti_record_retire(local, record);
    isti_record_tick(local);
}

static ist_status close_failure(uint64_t expected, ist_status status, uint64_t holders, const char *reason)
{
    return isti_fail(&(isti_failure){ .error = { .status = status,
                                                 .operation = "close",
                                                 .kind = isti_session_kind(expected),
                                                 .holders = holders },
                                      .reason = reason });
}

ist_status isti_arena_close_slow(isti_session *session, uint64_t expected)
{
    if (expected == ISTI_GLOBAL)
        return close_failure(expected, IST_E_UNSUPPORTED, 0, "the global arena never ends");
    ist_status status =
        isti_arena_require(session, expected, (isti_failure){ .error = { .operation = "close" } });
    if (status != IST_OK)
        return status;
    if (session->burden & ISTI_BURDEN_FRAME)
        return close_failure(expected, IST_E_UNSUPPORTED, 0, "the arena of a frame ends when the frame is popped");
    if (isti_session_holds_owner(session) != 0)
        return close_failure(expected, IST_E_HELD, isti_session_holds_owner(session), NULL);
    isti_arena_end_owner(isti_arena_record(session));
    return IST_OK;
}

int ist_arena_is_alive(ist_arena arena)
{
    /* Relaxed: the answer may be old as soon as it is given, to every thread but the owner. */
    return arena.expected == ISTI_GLOBAL ||
           (arena.session != NULL && isti_load_relaxed_u64(&arena.session->state) == arena.expected);
}

/* ---- Cleanups ---- */

isti_cleanup *isti_arena_add_cleanup(ist_arena arena, size_t size, const char *operation, ist_status *ret_status)
{
    ist_status status =
        isti_arena_require(arena.session, arena.expected, (isti_failure){ .error = { .operation = operation } });
    if (status != IST_OK) {
        *ret_status = status;
        return NULL;
    }
    if (arena.expected == ISTI_GLOBAL) {
        isti_cleanup *cleanup = isti_global_take(size, _Alignof(isti_cleanup), false);
        if (cleanup == NULL)
            *ret_status = isti_fail_no_memory(operation, 0);
        return cleanup;
    }
    isti_arena *record = isti_arena_record(arena.session);
    isti_cleanup *cleanup = record->source != NULL ? isti_source_take_node(record, size)
                                                   : isti_arena_take(record, size, _Alignof(isti_cleanup), false);
    if (cleanup == NULL)
        *ret_status = isti_fail_no_memory(operation, 0);
    else
        isti_session_add_cleanup_owner(arena.session, cleanup);
    return cleanup;
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
    ist_status status = IST_OK;
    plain_cleanup *plain =
        (plain_cleanup *)isti_arena_add_cleanup(arena, sizeof *plain, "adding a cleanup", &status);
    if (plain == NULL)
        return status;
    plain->cleanup.run = run_plain;
    plain->function = function;
    plain->data = data;
    return IST_OK;
}

/* ---- Holds ---- */

ist_status isti_arena_hold_slow(isti_session *session, uint64_t expected, ist_hold *ret_hold)
{
    if (ret_hold == NULL)
        return isti_fail_argument("hold", "NULL where the hold is wanted");
    ist_status status = isti_arena_require(session, expected, (isti_failure){ .error = { .operation = "hold" } });
    if (status != IST_OK)
        return status;
    ISTI_ASSERT(expected == ISTI_GLOBAL); /* A confined one that may be held took the fast path. */
    *ret_hold = (ist_hold){ .expected = expected };
    return IST_OK;
}

ist_status isti_arena_release_slow(ist_hold *hold)
{
    if (hold == NULL || hold->expected == 0)
        return isti_fail_argument("release", "nothing is held");
    if (hold->expected != ISTI_GLOBAL) {
        ist_status status = isti_arena_require(hold->session, hold->expected,
                                               (isti_failure){ .error = { .operation = "release" } });
        if (status != IST_OK && status != IST_E_CLOSED)
            return status;
        /* A hold keeps its arena open, so a token for a closed or unheld one was released before, through a copy. */
        return isti_fail_argument("release", "the hold was released before");
    }
    *hold = (ist_hold){ .expected = 0 };
    return IST_OK;
}
