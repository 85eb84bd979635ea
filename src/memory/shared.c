/* SPDX-License-Identifier: MIT */
/*
 * Shared arenas. The owner allocates from the record's own chunk, as in a confined arena. All other
 * threads cut their blocks from the first of `foreign` by a compare-and-swap of its `begin`; one
 * that is full is followed by another under a lock. All of it happens inside an access of the
 * session (the caller's), so that a close waits for it.
 */
#include "memory/shared.h"

#include "base/size.h"
#include "memory/chunk.h"
#include "memory/record.h"
#include "os/wait.h"
#include "session/close.h"
#include "session/lock.h"

#include <string.h>

/* ---- Memory ---- */

/* From the chunk, with other threads doing the same. NULL: no room. */
static void *cut(isti_chunk *chunk, size_t size, size_t alignment)
{
    uintptr_t end = (uintptr_t)chunk + chunk->size - ISTI_OVERZERO;
    /*
     * Relaxed: the word alone says whose bytes are whose; what they hold is cleared by whoever gets
     * them.
     */
    uintptr_t begin = __atomic_load_n(&chunk->begin, __ATOMIC_RELAXED), start;
    do {
        start = isti_align_up(begin, alignment);
        if (start >= end || size > end - start)
            return NULL;
    } while (!__atomic_compare_exchange_n(&chunk->begin, &begin, start + size, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return (void *)start;
}

static isti_chunk *first_chunk(isti_arena *record)
{
    /* Acquire: pairs with the release in follow(); the chunk is whole. */
    return __atomic_load_n(&record->foreign, ISTI_ORDER(CHUNK_FIRST, ACQUIRE));
}

/*
 * Puts a chunk in front that has room for `need` bytes, unless somebody else has replaced `full`.
 * False: out of memory.
 */
static bool follow(isti_arena *record, const isti_chunk *full, size_t need)
{
    bool done = true;
    isti_lock(ISTI_LOCK_CHUNK);
    if (record->foreign == full) {
        isti_chunk *chunk = isti_chunk_create_next(record->foreign, need);
        done = chunk != NULL;
        if (done) {
            __atomic_store_n(&record->foreign, chunk, ISTI_ORDER(CHUNK_FOLLOW, RELEASE));
            isti_arena_grew(record, chunk->size);
        }
    }
    isti_unlock(ISTI_LOCK_CHUNK);
    return done;
}

static void *take_alone(isti_arena *record, size_t need, size_t size, size_t alignment, bool zeroed)
{
    isti_lock(ISTI_LOCK_CHUNK);
    void *block = isti_chunk_take_alone(&record->foreign, size, alignment, zeroed);
    if (block != NULL)
        isti_arena_grew(record, need);
    isti_unlock(ISTI_LOCK_CHUNK);
    return block;
}

void *isti_shared_take(isti_arena *record, size_t size, size_t alignment, bool zeroed)
{
    size_t need, taken = size + (size == 0);
    if (!isti_chunk_size_for(taken, alignment, &need))
        return NULL;
    if (need > ISTI_CHUNK_KEPT || isti_memory_mode_chosen.exact)
        return take_alone(record, need, size, alignment, zeroed);
    for (;;) {
        isti_chunk *chunk = first_chunk(record);
        void *block = chunk != NULL ? cut(chunk, taken, alignment) : NULL;
        if (block != NULL) {
            if (zeroed)
                memset(block, 0, size);
            return block;
        }
        if (!follow(record, chunk, need))
            return NULL;
    }
}

/* ---- Close ---- */

/* Relaxed: ist_stats_get() reads it elsewhere, and the thread alone writes. */
static void count_close(void)
{
    isti_store_relaxed_u64(&isti_self.record->closes, isti_self.record->closes + 1);
}

/* C6: nothing can touch the session any more. */
void isti_shared_finish(isti_session *session)
{
    /* Relaxed: a hint, which closers with stale handles may still look at. */
    __atomic_store_n(&session->witness, NULL, __ATOMIC_RELAXED);
    count_close();
    isti_arena_end(isti_arena_record(session));
}

static ist_status report(const isti_closing *item)
{
    if (item->status == IST_OK)
        return IST_OK;
    return isti_fail(
        &(isti_failure){ .error = { .status = item->status,
                                    .operation = "close",
                                    .kind = isti_session_kind(item->expected),
                                    .holders = item->holders,
                                    .os_errno = item->os_errno },
                         .reason = item->status == IST_E_SYSTEM ? ISTI_NO_BARRIER : NULL });
}

static ISTI_COLD ist_status close_fully(isti_session *session, uint64_t expected)
{
    if (isti_local_current() == NULL)
        return isti_fail_no_memory("close", 0);
    isti_closing item = { .session = session, .expected = expected };
    isti_close_all(&item, 1, isti_shared_finish);
    return report(&item);
}

bool isti_shared_close_quickly(isti_session *session, uint64_t expected)
{
    uint64_t next;
    if (isti_close_alone(session, expected))
        return true;
    /* ThreadSanitizer has to be told of what came before, elsewhere. */
    if (isti_tools_watch_races() || !isti_is_mine(session) ||
        !isti_is_plain(session, expected, &next) ||
        !isti_close_by_exchange(session, expected, next))
        return false;
    count_close();
    isti_store_relaxed_address(&isti_arena_record(session)->cursor, 0);
    return true;
}

ist_status isti_shared_close(isti_session *session, uint64_t expected)
{
    return ISTI_LIKELY(isti_shared_close_quickly(session, expected))
               ? IST_OK
               : close_fully(session, expected);
}

#define MANY 128 /* Closed by one fence. */

/* The arenas [0, count): shared ones together, the others one by one. */
static void close_some(const ist_arena *arenas, size_t count, ist_status *ret_statuses)
{
    isti_closing items[MANY];
    size_t places[MANY], taken = 0;
    for (size_t i = 0; i < count; i++) {
        if (isti_arena_is_shared(arenas[i].session, arenas[i].expected)) {
            places[taken] = i;
            items[taken++] =
                (isti_closing){ .session = arenas[i].session, .expected = arenas[i].expected };
        } else {
            ret_statuses[i] = ist_arena_close(arenas[i]);
        }
    }
    if (taken != 0)
        isti_close_all(items, taken, isti_shared_finish);
    for (size_t i = 0; i < taken; i++)
        ret_statuses[places[i]] = report(&items[i]);
}

ist_status ist_arena_close_many(const ist_arena *arenas, size_t count, ist_status *ret_statuses)
{
    if (count != 0 && (arenas == NULL || ret_statuses == NULL))
        return isti_fail_argument("closing many arenas", "NULL where an array is wanted");
    if (isti_local_current() == NULL)
        return isti_fail_no_memory("closing many arenas", 0);
    for (size_t done = 0; done < count; done += MANY)
        close_some(arenas + done, count - done < MANY ? count - done : MANY, ret_statuses + done);
    for (size_t i = 0; i < count; i++)
        if (ret_statuses[i] != IST_OK)
            return ret_statuses[i];
    return IST_OK;
}

#define POLL_FIRST_NS UINT64_C(2000)
#define POLL_LONGEST_NS UINT64_C(1000000)

ist_status ist_arena_close_within(ist_arena arena, uint64_t timeout_ns)
{
    uint64_t begin = isti_clock_ns(), sleep = POLL_FIRST_NS;
    for (;;) {
        ist_status status = ist_arena_close(arena);
        uint64_t passed = isti_clock_ns() - begin;
        if (status != IST_E_HELD || passed >= timeout_ns)
            return status;
        isti_sleep_ns(sleep < timeout_ns - passed ? sleep : timeout_ns - passed);
        sleep = sleep < POLL_LONGEST_NS ? sleep * 2 : sleep;
    }
}

/* ---- Holders ---- */

typedef struct listing {
    const isti_session *session;
    ist_holder *holders;
    size_t capacity;
    size_t count;
} listing;

static void add_holder(listing *list, ist_holder holder)
{
    if (holder.holds != 0 && list->count++ < list->capacity)
        list->holders[list->count - 1] = holder;
}

static void list_thread(const isti_thread *thread, void *data)
{
    listing *list = data;
    ist_holder holder = { .thread_id = thread->thread_id, .thread_ended = thread->self == NULL };
    for (size_t i = 0; i < ISTI_SLOT_COUNT; i++)
        holder.holds += isti_load_relaxed_u64(&thread->slots[i]) ==
                        ((uint64_t)(uintptr_t)list->session | ISTI_SLOT_HOLD);
    add_holder(list, holder);
}

ist_status
ist_arena_holders(ist_arena arena, ist_holder *holders, size_t capacity, size_t *ret_count)
{
    if (ret_count == NULL || (holders == NULL && capacity != 0))
        return isti_fail_argument("listing holders", "NULL where a result is wanted");
    if (arena.session != NULL && !isti_arena_is_shared(arena.session, arena.expected))
        return isti_fail(&(isti_failure){
            .error = { .status = IST_E_UNSUPPORTED, .operation = "listing holders" },
            .reason = "the arena is not a shared one" });
    listing list = { .session = arena.session, .holders = holders, .capacity = capacity };
    if (ist_arena_is_alive(arena)) {
        isti_thread_visit(list_thread, &list);
        add_holder(&list, (ist_holder){ .holds = __atomic_load_n(&arena.session->detached,
                                                                 __ATOMIC_RELAXED) });
    }
    if (!ist_arena_is_alive(arena)) /* What was counted may be the next life's. */
        return isti_fail(&(isti_failure){ .error = { .status = IST_E_CLOSED,
                                                     .operation = "listing holders",
                                                     .kind = isti_session_kind(arena.expected) } });
    *ret_count = list.count;
    return IST_OK;
}
