/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_AUTOMATIC_H
#define ISTHMUS_AUTOMATIC_H
/*
 * Automatic arenas: memory that ends with the last reference to it.
 *
 *     IST_REFERENCE ist_arena arena = { 0 };             // Dropped on every way out.
 *     IST_CHECK(ist_arena_open_automatic(&arena));       // One reference.
 *     IST_CHECK(ist_arena_allocate(arena, 100, 8, &words));
 *     ...
 *     IST_CHECK(ist_arena_retain(arena));                // One more, for whoever gets the words:
 *     send(words);                                       // ist_arena_drop(ist_segment_arena(words))
 *
 * Any thread allocates, accesses, retains and drops, all at once. Nobody closes: ist_arena_close()
 * is IST_E_UNSUPPORTED. A hold is a reference, so that the last drop finds none; it may be released
 * on any thread, and ist_hold_unwind() does not cover it. What has no reference may use the arena
 * all the same: after the last drop it gets IST_E_CLOSED, as with any arena that is closed.
 *
 * The thread that opened the arena counts in a word of its own, others by atomic operations. The
 * thread that drops the last reference runs the cleanup actions.
 *
 * A reference belongs to a program, not to a thread or a variable: who has one may hand it to
 * anybody. One dropped twice is found if it was the last, and else ends the arena too early, for
 * which others get IST_E_CLOSED.
 *
 * Retaining and dropping the global arena does nothing, successfully; likewise an arena of the
 * garbage collector (<isthmus/gc.h>), whose references are the handles and segments themselves.
 *
 * FFM: Arena.ofAuto(), whose arenas end when the collector finds them unreachable.
 */
#include <isthmus/arena.h>

IST_BEGIN_DECLS
ISTI_BEGIN_INLINES

IST_API ISTI_COLD ist_status isti_arena_retain_slow(isti_session *session, uint64_t expected);
IST_API ist_status isti_arena_drop_slow(isti_session *session, uint64_t expected);

/*
 * Opens an automatic arena.
 * Ownership: the caller has a reference, which is to be dropped.
 * Returns:   IST_OK; IST_E_ARGUMENT (ret_arena is NULL); IST_E_NO_MEMORY.
 */
IST_NODISCARD IST_INLINE ist_status ist_arena_open_automatic(ist_arena *ret_arena)
{
    return isti_arena_open(ISTI_SHARED | ISTI_COUNTED, ret_arena);
}

/*
 * R1-R3 and R5-R7 by the owner, while it counts in its own word and `change` does not lead out of
 * that. 0: nothing has changed. The mark PEND keeps whoever may be closing the arena from reading
 * the word in between.
 */
IST_INLINE int isti_count_quickly(isti_session *session, uint64_t expected, int64_t change)
{
    uint64_t *slot = isti_self.slots;
    if (ISTI_UNLIKELY(!(expected & ISTI_COUNTED) || slot == NULL))
        return 0;
    slot += ISTI_SLOT_FOR_ATTEMPT;
    isti_slot_set(slot, session, ISTI_SLOT_PEND); /* R1 R5 */
    isti_light_fence();
    int counts = 0;
    if (ISTI_LIKELY(isti_is_first(session) || isti_is_mine(session))) {
        /* H3: acquire, pairs with the verdict of a close that merged. */
        uint64_t state = __atomic_load_n(&session->state, ISTI_ORDER(A4, ACQUIRE));
        if (ISTI_LIKELY(state == expected || state == (expected | ISTI_ESCAPED))) {
            int64_t next = (int64_t)isti_load_relaxed_u64(&session->references) + change;
            counts = next >= 0;
            if (ISTI_LIKELY(counts))
                isti_store_relaxed_u64(&session->references, (uint64_t)next); /* R2 R6 */
        }
    }
    isti_slot_clear(slot); /* R3 R7: release, pairs with the closer's scan. */
    return counts;
}

/*
 * Takes one more reference to an automatic arena.
 * Returns: IST_OK; IST_E_CLOSED; IST_E_UNSUPPORTED (a confined or shared arena); IST_E_NO_MEMORY
 *          (the thread's first use of the library); IST_E_SYSTEM, as for every use by another
 *          thread.
 * Threads: any.
 */
IST_NODISCARD IST_INLINE ist_status ist_arena_retain(ist_arena arena)
{
    if (ISTI_LIKELY(isti_count_quickly(arena.session, arena.expected, 1)))
        return IST_OK;
    return isti_arena_retain_slow(arena.session, arena.expected);
}

/*
 * Gives a reference back; with the last one the arena ends, before this returns: its cleanup
 * actions run on this thread, newest first, then its memory goes back.
 * Returns: IST_OK; IST_E_CLOSED; IST_E_UNSUPPORTED (a confined or shared arena); IST_E_NO_MEMORY
 *          (the thread's first use of the library); IST_E_SYSTEM (the kernel refuses membarrier:
 *          the caller still has the reference).
 * Threads: any.
 */
IST_INLINE ist_status ist_arena_drop(ist_arena arena)
{
    if (ISTI_LIKELY(arena.expected & ISTI_COUNTED)) {
        /* What the owner's word says beforehand is a hint. */
        int counts = isti_load_relaxed_u64(&arena.session->references) != 0;
        if (counts ? isti_count_quickly(arena.session, arena.expected, -1)
                   : isti_close_alone(arena.session, arena.expected)) /* R4 */
            return IST_OK;
    }
    return isti_arena_drop_slow(arena.session, arena.expected);
}

/*
 * How many references there are, or were a moment ago: for diagnosis.
 * Returns: IST_OK; IST_E_ARGUMENT (ret_count is NULL); IST_E_CLOSED; IST_E_UNSUPPORTED (an arena
 *          that nobody counts).
 * Threads: any.
 */
IST_NODISCARD IST_API ist_status ist_arena_references(ist_arena arena, size_t *ret_count);

/* ---- References that end with a variable ---- */

/* Moves a reference out of a variable: *arena is {0} afterwards. */
IST_INLINE ist_arena ist_arena_take(ist_arena *arena)
{
    ist_arena taken = *arena;
    arena->session = NULL;
    arena->expected = 0;
    return taken;
}

IST_INLINE void isti_reference_end(ist_arena *arena)
{
    if (arena->expected != 0)
        (void)ist_arena_drop(*arena);
}

/* A variable whose reference is dropped when it goes out of scope, unless it is {0} by then. */
#define IST_REFERENCE __attribute__((cleanup(isti_reference_end)))

ISTI_END_INLINES
IST_END_DECLS
#endif
