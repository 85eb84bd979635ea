/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_ARENA_H
#define ISTHMUS_ARENA_H
/*
 * Arenas: memory that ends together, at a moment that the program chooses.
 *
 *     ist_arena arena;
 *     ist_segment numbers;
 *     IST_CHECK(ist_arena_open_confined(&arena));
 *     IST_CHECK(ist_arena_allocate(arena, 10 * sizeof(int64_t), _Alignof(int64_t), &numbers));
 *     IST_CHECK(ist_set_i64(numbers, 8, 42));
 *     IST_CHECK(ist_arena_close(arena));
 *     // ist_get_i64(numbers, ...) is IST_E_CLOSED from here on, for ever.
 *
 * Kinds:
 *     confined  one thread, its owner, allocates, accesses and closes. The cheapest.
 *     shared    any thread does, all at once; close waits for accesses and is refused by holds.
 *     automatic as a shared one, but it ends with its last reference: <isthmus/automatic.h>.
 *     global    any thread; it never ends.
 *
 * What may happen at once, for one confined arena (X: refused with IST_E_WRONG_THREAD unless on the
 * owner's thread):
 *
 *                    owner    another thread
 *     allocate         -            X
 *     access           -            X
 *     hold, release    -            X
 *     close            -            X
 *     is_alive         -            -
 *
 * For a shared one there is nothing that has to be kept apart. Any use of it by another thread than
 * its owner may be IST_E_SYSTEM, which has changed nothing: the kernel refuses membarrier(2), which
 * it granted when the library was loaded.
 *
 * A closed arena's handle, and every segment of it, answers IST_E_CLOSED for ever and on every
 * thread. A thread that ends with confined arenas open leaves them as orphans: their memory stays
 * valid and unreachable through Isthmus; ist_stats counts them, ist_arena_adopt() and
 * ist_arena_reclaim_orphans() take them back.
 *
 * Follows java.lang.foreign.Arena.
 */
#include <isthmus/segment.h>

IST_BEGIN_DECLS
ISTI_BEGIN_INLINES

/*
 * Runs when an arena ends, on the closing thread. It may use other arenas; its own answers
 * IST_E_CLOSED. It must return.
 */
typedef void ist_cleanup_fn(void *data);

/*
 * A promise that an arena stays open, from ist_arena_hold() to ist_arena_release(). The fields are
 * the library's.
 */
typedef struct ist_hold {
    isti_session *session;
    uint64_t expected;
    void *slot;
} ist_hold;

/*
 * Slow halves of the inlines below. Where these write a result, the inline passes a variable of its
 * own and copies it: a caller's variable whose address went to a function would live in memory on
 * the fast path too.
 */
IST_API ISTI_COLD ist_status isti_arena_open_slow(uint64_t kind, ist_arena *ret_arena);
IST_API ist_status isti_arena_allocate_slow(isti_session *session, uint64_t expected, size_t size,
                                            size_t alignment, int zeroed, ist_segment *ret_segment);
/*
 * What the inline does in a confined arena, in a shared one for its owner: there it is an access,
 * as for everybody, so that a close waits for it. NULL: the slow path decides.
 */
IST_API void *isti_arena_cut_shared(isti_session *session, uint64_t expected, size_t size,
                                    size_t alignment, int zeroed);
IST_API ist_status isti_arena_close_slow(isti_session *session, uint64_t expected);
IST_API ist_status isti_arena_hold_slow(isti_session *session, uint64_t expected,
                                        ist_hold *ret_hold);
IST_API ist_status isti_arena_release_slow(ist_hold *hold);

/* The arena that never ends. Its allocations are never given back. */
IST_INLINE ist_arena ist_arena_global(void)
{
    ist_arena arena = { NULL, ISTI_GLOBAL };
    return arena;
}

/*
 * Opens an arena in the first record of the thread's list. 0: there is none, it is taken, or its
 * last life was of another kind.
 */
IST_INLINE int isti_arena_open_first(uint64_t kind, ist_arena *ret_arena)
{
    isti_arena *record = isti_self.arenas;
    if (ISTI_UNLIKELY(record == NULL || ret_arena == NULL))
        return 0;
    /* O1. Acquire: pairs with C6, where another thread closed the last arena here. */
    if (ISTI_UNLIKELY(__atomic_load_n(&record->cursor, ISTI_ORDER(O1, ACQUIRE)) != 0))
        return 0;
    uint64_t state = isti_load_relaxed_u64(&record->session.state);
    /* Of a confined one the one bit says all. */
    if (ISTI_UNLIKELY(kind == ISTI_CONFINED ? !(state & kind) : (state & ISTI_KIND_MASK) != kind))
        return 0;
    isti_store_relaxed_address(&record->cursor, record->base); /* O2 */
    ret_arena->session = &record->session;
    ret_arena->expected = state;
    return 1;
}

IST_INLINE ist_status isti_arena_open(uint64_t kind, ist_arena *ret_arena)
{
    if (ISTI_LIKELY(isti_arena_open_first(kind, ret_arena)))
        return IST_OK;
    ist_arena opened;
    ist_status status = isti_arena_open_slow(kind, ret_arena != NULL ? &opened : NULL);
    if (status == IST_OK)
        *ret_arena = opened;
    return status;
}

/*
 * Opens an arena that the calling thread owns.
 * Ownership: the caller closes it.
 * Returns:   IST_OK; IST_E_ARGUMENT (ret_arena is NULL); IST_E_NO_MEMORY.
 */
IST_NODISCARD IST_INLINE ist_status ist_arena_open_confined(ist_arena *ret_arena)
{
    return isti_arena_open(ISTI_CONFINED, ret_arena);
}

/*
 * Opens an arena that every thread may use and close. Its owner, the calling thread, allocates at
 * the price of a confined arena.
 * Ownership: whoever closes it.
 * Returns:   IST_OK; IST_E_ARGUMENT (ret_arena is NULL); IST_E_NO_MEMORY.
 */
IST_NODISCARD IST_INLINE ist_status ist_arena_open_shared(ist_arena *ret_arena)
{
    return isti_arena_open(ISTI_SHARED, ret_arena);
}

/* 16 bytes at any address, stored at once. */
typedef uint64_t isti_sixteen __attribute__((vector_size(16), aligned(1), may_alias));

IST_INLINE void isti_clear_64(void *block)
{
    isti_sixteen zero = { 0, 0 }, *to = (isti_sixteen *)block;
    to[0] = zero;
    to[1] = zero;
    to[2] = zero;
    to[3] = zero;
}

typedef struct isti_line {
    char bytes[64];
} __attribute__((may_alias)) isti_line;

/*
 * As isti_clear_64() by two stores, in a program that is compiled for processors without AVX and
 * runs on one that has it. Only the lower half of a register is written, and the instruction clears
 * the upper: there is nothing to clean up behind it.
 */
#if defined(__x86_64__) && !ISTI_IS_WATCHED
IST_INLINE void isti_clear_64_wide(void *block)
{
    __asm__("vpxor %%xmm0, %%xmm0, %%xmm0\n\t"
            "vmovdqu %%ymm0, (%1)\n\t"
            "vmovdqu %%ymm0, 32(%1)"
            : "=m"(*(isti_line *)block)
            : "r"(block)
            : "xmm0");
}
#else
#define isti_clear_64_wide isti_clear_64
#endif

/*
 * Clears a fresh block. A small one whose size is known only at run time takes a few wide stores,
 * which clear free memory behind it as well: a third of the time of a call. The size of a large one
 * is hidden from the compiler: GCC makes a `rep stos` of a memset whose size it knows, which takes
 * longer to start than the library's needs for a kilobyte.
 */
IST_INLINE void isti_clear(void *block, size_t size)
{
    if (__builtin_constant_p(size) && size <= 64) {
        __builtin_memset(block, 0, size);
    } else if (size <= 64) {
        isti_clear_64(block);
    } else if (size <= ISTI_OVERZERO && ISTI_LIKELY(isti_self.wide_stores)) {
        isti_clear_64_wide(block);
        isti_clear_64_wide((char *)block + 64);
    } else if (size <= ISTI_OVERZERO) {
        isti_clear_64(block);
        isti_clear_64((char *)block + 64);
    } else {
        __asm__("" : "+r"(size));
        __builtin_memset(block, 0, size);
    }
}

/*
 * Cuts a block from the record's chunk, which is its owner's alone. NULL: the slow path decides. A
 * block of 0 bytes goes there too: it takes one, so that no two blocks share an address.
 */
IST_INLINE void *isti_arena_cut(isti_arena *record, size_t size, size_t alignment, int zeroed)
{
    /* Neither sum can wrap: addresses are below 2^56, a power of two is at most 2^63. */
    uintptr_t start = (record->cursor + (alignment - 1)) & ~(uintptr_t)(alignment - 1);
    if (ISTI_UNLIKELY(start >= record->limit || size - 1 >= record->limit - start ||
                      (alignment & (alignment - 1)) != 0 || alignment == 0))
        return NULL;
    isti_store_relaxed_address(&record->cursor, start + size);
    if (zeroed)
        isti_clear((void *)start, size);
    return (void *)start;
}

IST_INLINE ist_status isti_arena_allocate(ist_arena arena, size_t size, size_t alignment,
                                          int zeroed, ist_segment *ret_segment)
{
    void *block = NULL;
    if (ISTI_UNLIKELY(ret_segment == NULL))
        return isti_arena_allocate_slow(arena.session, arena.expected, size, alignment, zeroed,
                                        NULL);
    if (ISTI_LIKELY(arena.expected & ISTI_CONFINED)) {
        if (ISTI_LIKELY((isti_is_first(arena.session) || isti_is_mine(arena.session)) &&
                        isti_load_relaxed_u64(&arena.session->state) == arena.expected))
            block = isti_arena_cut((isti_arena *)(void *)arena.session, size, alignment, zeroed);
    } else if (arena.expected & ISTI_SHARED) {
        block = isti_arena_cut_shared(arena.session, arena.expected, size, alignment, zeroed);
    }
    if (ISTI_LIKELY(block != NULL)) {
        ret_segment->address = block;
        ret_segment->size = size;
        ret_segment->session = (uintptr_t)arena.session;
        ret_segment->expected = arena.expected;
        return IST_OK;
    }
    ist_segment allocated;
    ist_status status = isti_arena_allocate_slow(arena.session, arena.expected, size, alignment,
                                                 zeroed, &allocated);
    if (status == IST_OK)
        *ret_segment = allocated;
    return status;
}

/*
 * Allocates `size` zeroed bytes at a multiple of `alignment`, a power of two. A block of 0 bytes is
 * legal and has an address of its own.
 * Ownership: the block ends with the arena.
 * Returns:   IST_OK; IST_E_ARGUMENT (alignment is no power of two, ret_segment is NULL);
 *            IST_E_CLOSED; IST_E_WRONG_THREAD; IST_E_OVERFLOW (size and alignment together are not
 *            representable); IST_E_NO_MEMORY (the arena is as it was).
 */
IST_NODISCARD IST_INLINE ist_status ist_arena_allocate(ist_arena arena, size_t size,
                                                       size_t alignment, ist_segment *ret_segment)
{
    return isti_arena_allocate(arena, size, alignment, 1, ret_segment);
}

/*
 * As ist_arena_allocate(), but what the bytes hold is unspecified: for callers that overwrite all
 * of them.
 */
IST_NODISCARD IST_INLINE ist_status ist_arena_allocate_uninitialized(ist_arena arena, size_t size,
                                                                     size_t alignment,
                                                                     ist_segment *ret_segment)
{
    return isti_arena_allocate(arena, size, alignment, 0, ret_segment);
}

/*
 * Whether nothing but the life itself has to end with the life of a shared or counted arena, so that
 * storing its next state closes it. What others have left behind need not be looked at: they have
 * escaped it, and its state is another. Owner.
 */
IST_INLINE int isti_is_plain(const isti_session *session, uint64_t expected, uint64_t *ret_next)
{
    return (isti_load_relaxed_u64(&session->burden) |
            isti_load_relaxed_u64(&session->references)) == 0 &&
           !__builtin_add_overflow(expected, ISTI_GENERATION_ONE, ret_next);
}

/*
 * Q1-Q6: closes a shared or counted arena whose owner is the calling thread, by plain stores, if it
 * is plain, and nobody else has touched anything of that thread's. 0: nothing has changed.
 */
IST_INLINE int isti_close_alone(isti_session *session, uint64_t expected)
{
    uint64_t *slots = isti_self.slots, next;
    if (ISTI_UNLIKELY(slots == NULL || !(isti_is_first(session) || isti_is_mine(session)) ||
                      !isti_is_plain(session, expected, &next)))
        return 0;
    isti_slot_set(slots + ISTI_SLOT_FOR_CLOSE, session, ISTI_SLOT_CLOSE); /* Q1 */
    isti_light_fence();                                                   /* Q2: pairs with E3. */
    /* Q3 Q4. Relaxed: below the serial, nobody else has changed anything. */
    int closes =
        (isti_load_relaxed_u64(slots + ISTI_WORD_EXPOSED) & ~ISTI_UNDER_WAY) != isti_self.serial &&
        isti_load_relaxed_u64(&session->state) == expected;
    if (ISTI_LIKELY(closes)) {
        isti_store_relaxed_u64(&session->state, next); /* Q5 */
        isti_store_relaxed_u64(slots + ISTI_WORD_CLOSES, slots[ISTI_WORD_CLOSES] + 1);
    }
    /* Q6: pairs with E4. */
    __atomic_store_n(slots + ISTI_SLOT_FOR_CLOSE, 0, ISTI_ORDER(Q6, RELEASE));
    if (ISTI_LIKELY(closes))
        isti_store_relaxed_address(&((isti_arena *)(void *)session)->cursor, 0);
    return closes;
}

/*
 * Ends the arena: its cleanup actions run, newest first, then its memory goes back.
 * Returns:   IST_OK; IST_E_HELD (somebody holds it; nothing has changed, close it later);
 *            IST_E_CLOSED (a second close is an error, on purpose); IST_E_WRONG_THREAD;
 *            IST_E_UNSUPPORTED (the global arena, an automatic one, the arena of a frame).
 * Threads:   the owner of a confined arena.
 */
IST_NODISCARD IST_INLINE ist_status ist_arena_close(ist_arena arena)
{
    uint64_t next;
    /* So that the kind is tested anew: what an earlier test found would be kept across calls. */
    if (!__builtin_constant_p(arena.expected))
        __asm__("" : "+r"(arena.expected));
    if (ISTI_LIKELY((arena.expected & ISTI_CONFINED) && isti_is_first(arena.session) &&
                    isti_load_relaxed_u64(&arena.session->state) == arena.expected &&
                    arena.session->burden == 0 &&
                    !__builtin_add_overflow(arena.expected, ISTI_GENERATION_ONE, &next))) {
        isti_store_relaxed_u64(&arena.session->state, next);
        isti_store_relaxed_address(&((isti_arena *)(void *)arena.session)->cursor, 0);
        return IST_OK;
    }
    if ((arena.expected & (ISTI_SHARED | ISTI_AUTOMATIC)) == ISTI_SHARED &&
        ISTI_LIKELY(isti_close_alone(arena.session, arena.expected)))
        return IST_OK;
    return isti_arena_close_slow(arena.session, arena.expected);
}

/*
 * Closes `count` arenas for about the price of one; ret_statuses[i] is what
 * ist_arena_close(arenas[i]) would have answered.
 * Returns: IST_OK if every one was closed; else the first status that is not. IST_E_ARGUMENT if an
 *          array is NULL and count is not 0.
 */
IST_NODISCARD IST_API ist_status ist_arena_close_many(const ist_arena *arenas, size_t count,
                                                      ist_status *ret_statuses);

/*
 * Closes the arena, trying again for up to timeout_ns while it is held; the time between tries
 * doubles up to a millisecond. Returns: as ist_arena_close(); IST_E_HELD when the time is up.
 */
IST_NODISCARD IST_API ist_status ist_arena_close_within(ist_arena arena, uint64_t timeout_ns);

/* A thread that holds a shared arena. */
typedef struct ist_holder {
    uint64_t thread_id; /* Of the kernel's; 0: detached holds, whoever has them. */
    uint64_t holds;
    int thread_ended; /* The thread has ended and left them behind. */
} ist_holder;

/*
 * Lists who holds a shared arena, as far as it stays the same while it is looked at.
 * Returns: IST_OK, *ret_count = holders there are; the first `capacity` of them are in `holders`.
 *          IST_E_ARGUMENT; IST_E_CLOSED; IST_E_UNSUPPORTED (not a shared arena; one
 *          that is automatic has references).
 * Threads: any.
 */
IST_NODISCARD IST_API ist_status ist_arena_holders(ist_arena arena, ist_holder *holders,
                                                   size_t capacity, size_t *ret_count);

/*
 * Whether the arena is open: false from the moment that a close succeeds.
 * Threads: any.
 */
IST_API int ist_arena_is_alive(ist_arena arena);

/*
 * Has cleanup(data) called when the arena ends. Actions run newest first, each once, on the closing
 * thread.
 * Ownership: on IST_OK the arena answers for data; on any other status the caller still does, and
 *            nothing is called.
 * Returns:   IST_OK; IST_E_ARGUMENT (cleanup is NULL); IST_E_CLOSED; IST_E_WRONG_THREAD;
 *            IST_E_NO_MEMORY. In the global arena the action is kept and never runs.
 */
IST_NODISCARD IST_API ist_status ist_arena_on_close(ist_arena arena, ist_cleanup_fn *cleanup,
                                                    void *data);

/* The quick half of ist_arena_hold(); 0: not decided. */
IST_INLINE int isti_hold_begin(isti_session *session, uint64_t expected, ist_hold *ret_hold)
{
    uint64_t *slot = NULL;
    if (expected & ISTI_CONFINED) {
        if (ISTI_UNLIKELY(!isti_confined_admits(session, expected)))
            return 0;
        session->burden += ISTI_BURDEN_HOLD;
    } else {
        slot = isti_self.slots;
        if (ISTI_UNLIKELY((expected & (ISTI_SHARED | ISTI_AUTOMATIC)) != ISTI_SHARED ||
                          slot == NULL))
            return 0;
        for (const uint64_t *end = slot + ISTI_SLOT_HOLDS; ISTI_UNLIKELY(*slot != 0);)
            if (++slot == end)
                return 0;
        isti_slot_set(slot, session, ISTI_SLOT_PEND);       /* H1 */
        isti_light_fence();                                 /* H2 */
        int admits = isti_shared_admits(session, expected); /* H3 */
        if (ISTI_UNLIKELY(admits == 0)) {
            isti_slot_clear(slot); /* H6, H7 */
            return 0;
        }
        if (admits == ISTI_ALONE)
            isti_store_relaxed_u64(&session->burden, session->burden | ISTI_BURDEN_HELD);
        /* H5; relaxed: a closer that still sees PEND looks again. */
        isti_slot_set(slot, session, ISTI_SLOT_HOLD);
    }
    ret_hold->session = session;
    ret_hold->expected = expected;
    ret_hold->slot = slot;
    return 1;
}

/* The quick half of ist_arena_release(); 0: not decided. */
IST_INLINE int isti_hold_end(const ist_hold *hold)
{
    if (hold->expected & ISTI_CONFINED) {
        if (ISTI_UNLIKELY(!isti_confined_admits(hold->session, hold->expected) ||
                          hold->session->burden < ISTI_BURDEN_HOLD))
            return 0;
        hold->session->burden -= ISTI_BURDEN_HOLD;
        return 1;
    }
    uint64_t *slot = (uint64_t *)hold->slot;
    /* A slot of this thread's that still shows the hold. In fence mode the thread has none here. */
    if (ISTI_UNLIKELY(
            slot == NULL || (uintptr_t)slot - (uintptr_t)isti_self.slots >= 8 * ISTI_SLOT_HOLDS ||
            isti_load_relaxed_u64(slot) != ((uint64_t)(uintptr_t)hold->session | ISTI_SLOT_HOLD)))
        return 0;
    isti_slot_clear(slot); /* H9 */
    return 1;
}

/*
 * Keeps the arena open until the hold is released: closing it is IST_E_HELD meanwhile. Holds nest
 * and may be released in any order. A hold on the global arena costs nothing; one on an automatic
 * arena is a reference.
 * Returns: IST_OK; IST_E_ARGUMENT (ret_hold is NULL); IST_E_CLOSED; IST_E_WRONG_THREAD;
 *          IST_E_NO_MEMORY (a shared arena, and the thread's first use of the library or more than
 *          12 holds of it at once).
 * Threads: the owner of a confined arena, any thread for a shared one; released on the thread that
 *          took it.
 */
IST_NODISCARD IST_INLINE ist_status ist_arena_hold(ist_arena arena, ist_hold *ret_hold)
{
    if (ISTI_LIKELY(ret_hold != NULL && isti_hold_begin(arena.session, arena.expected, ret_hold)))
        return IST_OK;
    ist_hold held;
    ist_status status =
        isti_arena_hold_slow(arena.session, arena.expected, ret_hold != NULL ? &held : NULL);
    if (status == IST_OK)
        *ret_hold = held;
    return status;
}

/*
 * Ends a hold and clears *hold, so that releasing it twice is found.
 * Returns: IST_OK; IST_E_ARGUMENT (hold is NULL or holds nothing); IST_E_WRONG_THREAD (the hold
 *          stays).
 */
IST_INLINE ist_status ist_arena_release(ist_hold *hold)
{
    if (ISTI_LIKELY(hold != NULL && isti_hold_end(hold))) {
        hold->session = NULL;
        hold->expected = 0;
        hold->slot = NULL;
        return IST_OK;
    }
    ist_hold token = { NULL, 0, NULL };
    if (hold != NULL)
        token = *hold;
    ist_status status = isti_arena_release_slow(hold != NULL ? &token : NULL);
    if (status == IST_OK)
        *hold = token;
    return status;
}

/* ---- Holds that change threads ---- */

/*
 * A hold that any thread may release: for callbacks, completions, tasks that migrate. It costs an
 * atomic count where a thread-bound hold costs two stores. The fields are the library's.
 */
typedef struct ist_detached_hold {
    isti_session *session;
    uint64_t expected;
} ist_detached_hold;

/*
 * Takes a detached hold.
 * Returns: IST_OK; IST_E_ARGUMENT (ret_hold is NULL); IST_E_CLOSED; IST_E_NO_MEMORY (the thread's
 *          first use of the library); IST_E_WRONG_THREAD, IST_E_UNSUPPORTED (a confined arena: a
 *          hold of it cannot leave its thread).
 * Threads: any.
 */
IST_NODISCARD IST_API ist_status ist_arena_hold_detached(ist_arena arena,
                                                         ist_detached_hold *ret_hold);

/*
 * Ends a detached hold and clears it. Returns: IST_OK; IST_E_ARGUMENT (NULL, or it holds nothing).
 * Threads: any.
 */
IST_API ist_status ist_detached_release(ist_detached_hold *hold);

/*
 * Makes a hold of this thread a detached one: the arena is held throughout. *hold is cleared.
 * Returns: IST_OK; IST_E_ARGUMENT; IST_E_WRONG_THREAD; IST_E_UNSUPPORTED (a confined arena). On
 *          failure *hold stays.
 */
IST_NODISCARD IST_API ist_status ist_hold_detach(ist_hold *hold, ist_detached_hold *ret_hold);

/*
 * Makes a detached hold one of this thread's: the arena is held throughout. *hold is cleared.
 * Returns: as ist_arena_hold().
 */
IST_NODISCARD IST_API ist_status ist_detached_attach(ist_detached_hold *hold, ist_hold *ret_hold);

/* ---- longjmp ---- */

/*
 * Where a thread's holds on shared arenas stand, to be put back by ist_hold_unwind() behind a
 * longjmp() over them:
 *
 *     size_t mark = ist_hold_mark();
 *     if (setjmp(handler) != 0)
 *         ist_hold_unwind(mark);         // Releases what was held since.
 *
 * Holds on confined arenas are not covered. Threads: a mark is good on its thread, while holds
 * taken before it are still held.
 */
IST_API size_t ist_hold_mark(void);
IST_API void ist_hold_unwind(size_t mark);

/* ---- Memory from elsewhere ---- */

/*
 * Functions that give an arena its memory. allocate() returns `size` bytes at a multiple of
 * `alignment`, or NULL if it has none; what they hold is unspecified unless `zeroed` is set.
 * release() takes a block back with the size and alignment that it was asked for; NULL: blocks are
 * not given back one by one. Both run on the thread that uses the arena and may not use that arena.
 */
typedef struct ist_memory_source {
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *block, size_t size, size_t alignment);
    void *context;
    int zeroed; /* allocate() returns zeroed blocks. */
} ist_memory_source;

/*
 * Opens a confined arena each of whose blocks comes from `source`; they are released, newest first
 * and in order with the cleanup actions, when it is closed.
 * Ownership: *source is the caller's and outlives the arena.
 * Returns:   IST_OK; IST_E_ARGUMENT (a NULL, or no allocate()); IST_E_NO_MEMORY.
 */
IST_NODISCARD IST_API ist_status ist_arena_open_confined_from(const ist_memory_source *source,
                                                              ist_arena *ret_arena);

/* ---- Arenas of threads that have ended ---- */

/*
 * Makes the calling thread the owner of a confined arena whose owner has ended. Holds of the old
 * owner stay and can be released with their tokens.
 * Returns: IST_OK (also if the caller owns it already); IST_E_CLOSED; IST_E_WRONG_THREAD (its owner
 *          is alive); IST_E_UNSUPPORTED (not a confined arena); IST_E_NO_MEMORY (the thread's own
 *          record).
 * Threads: any; of several callers one gets it.
 */
IST_NODISCARD IST_API ist_status ist_arena_adopt(ist_arena arena);

/*
 * Adopts and closes every orphaned arena that is not held (in the child of a fork: not those of
 * threads that the fork left behind, which may have been anywhere); cleanup actions run on the
 * calling thread.
 * Returns: IST_OK, *ret_count = arenas closed (ret_count may be NULL); IST_E_NO_MEMORY.
 */
IST_NODISCARD IST_API ist_status ist_arena_reclaim_orphans(size_t *ret_count);

ISTI_END_INLINES
IST_END_DECLS
#endif
