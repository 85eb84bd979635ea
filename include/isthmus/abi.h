/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_ABI_H
#define ISTHMUS_ABI_H
/*
 * What inlines see of the library's records. Not for callers; nothing here is a promise to them.
 *
 * All of it is ABI: a program carries the offsets below in its code. They are fixed by the static
 * assertions at the end, and the one thread-local variable that every inline reads carries the
 * ABI's number in its name, so that a program built for another layout fails when it is loaded, not
 * later.
 *
 * The state word of a session, lowest bit first:
 *
 *     bits  0-1   phase: OPEN 0, CLOSING 1, CLOSED 2
 *     bit   2     ESCAPED: a thread other than the owner has touched the session
 *     bits  3-7   kind: CONFINED; SHARED; GLOBAL; and of an automatic one SHARED with COUNTED or
 *                 COLLECTED: it is used as a shared one is, and ends in another way
 *     bits  8-63  generation: one per life of the record
 *
 * A handle (ist_arena, ist_segment) holds a record and the state word that the record showed when
 * the arena was opened. Records are never unmapped and a generation never returns, so comparing the
 * two words decides for ever whether the handle is stale. The kind stands in the handle too, and is
 * read from there: a loop over one segment tests a register, not memory.
 */
#include <isthmus/base.h>

#if !defined(__GNUC__)
#error "Isthmus needs GCC or Clang: its inlines use their builtins."
#endif
#if !defined(__linux__) || !defined(__LP64__)
#error "Isthmus supports 64-bit Linux."
#endif

#define ISTI_PHASE_OPEN UINT64_C(0)
#define ISTI_PHASE_CLOSING UINT64_C(1)
#define ISTI_PHASE_CLOSED UINT64_C(2)
#define ISTI_PHASE_MASK UINT64_C(3)
#define ISTI_ESCAPED (UINT64_C(1) << 2)
#define ISTI_CONFINED (UINT64_C(1) << 3)
#define ISTI_SHARED (UINT64_C(1) << 4)
#define ISTI_COUNTED (UINT64_C(1) << 5)
#define ISTI_COLLECTED (UINT64_C(1) << 6)
#define ISTI_GLOBAL (UINT64_C(1) << 7)
#define ISTI_KIND_MASK (UINT64_C(31) << 3)
#define ISTI_AUTOMATIC (ISTI_COUNTED | ISTI_COLLECTED)
#define ISTI_GENERATION_ONE (UINT64_C(1) << 8)

/* Low bits of a segment's session word: what the segment is, besides where its session is. */
#define ISTI_READ_ONLY ((uintptr_t)1)
#define ISTI_MAPPED ((uintptr_t)2)
#define ISTI_TAG_MASK ((uintptr_t)7)

/*
 * The burden of a session: what a close must look at; its owner's word. 0 means that it may be closed
 * by moving its generation on and nothing else; of a shared one, if nobody else has touched it.
 */
#define ISTI_BURDEN_CLEANUPS UINT64_C(1) /* There are cleanup actions to run. */
#define ISTI_BURDEN_CHUNKS UINT64_C(2)   /* There is memory besides the recycled chunk. */
#define ISTI_BURDEN_FRAME UINT64_C(4)    /* The arena of a frame: only popping the frame ends it. */
#define ISTI_BURDEN_UNLISTED UINT64_C(8) /* The record is not in its owner's list. */
#define ISTI_BURDEN_HELD UINT64_C(16)    /* A shared one: its owner has held it in this life. */
#define ISTI_BURDEN_HOLD UINT64_C(256)   /* One hold; counted in bits 8 to 63. */

IST_BEGIN_DECLS

/* A lifetime. Line 0 is what an access reads; line 1 is for the slow paths. */
typedef struct isti_session {
    /* Shared: written by whoever closes, read by everybody, atomically. */
    uint64_t state;
    /* Shared, likewise: the serial of the owning thread; 0 for a free record. */
    uint64_t owner;
    uint64_t burden;                  /* Confined: plain, the owner's alone. */
    struct isti_thread *owner_thread; /* The record of the owner, constant in a life. Atomic. */
    /*
     * Counted: the references of the owner, which alone writes it, beyond the first; or MERGED. See
     * session/count.h.
     */
    uint64_t references;
    uint64_t line0[3];             /* Reserved. */
    struct isti_cleanup *cleanups; /* Newest first. Confined: the owner's alone; else atomic. */
    /* Atomic: attempts at a hold that found no slot and are not decided yet. */
    uint64_t pending;
    uint64_t detached; /* Atomic: confirmed holds that stand in no slot. */
    /* Atomic: the slot that showed a hold to this life's last close; NULL. */
    const uint64_t *witness;
    uint64_t line1[4]; /* Reserved. */
} __attribute__((aligned(128))) isti_session;

/*
 * The record of an arena: its session, and the chunk that it allocates from. While `cursor` is 0
 * the record is free: opening an arena sets it, closing clears it behind everything else.
 *
 * Invariants: in an open arena base <= cursor <= limit, all three ISTI_NO_CHUNK without a chunk.
 *             The chunk ends ISTI_OVERZERO bytes beyond limit: clearing a small block may clear
 *             that much free memory.
 */
typedef struct isti_arena {
    isti_session session;
    /*
     * The next free byte. Stored atomically, by the owner, and by whoever closes a shared arena:
     * others may look whether the record is free.
     */
    uintptr_t cursor;
    uintptr_t limit;            /* Where allocating ends. */
    uintptr_t base;             /* Where allocating begins. */
    struct isti_arena *next;    /* In a thread's list, or in the pool. */
    struct isti_chunk *chunks;  /* Newest first; base and limit are of the first, if any. */
    struct isti_chunk *foreign; /* Shared arenas, atomic: chunks for all threads but the owner. */
    const struct ist_memory_source *source; /* Whose functions give the memory; NULL: ours do. */
    void (*grew)(size_t bytes); /* A host's, told of chunks that are added; NULL: nobody is. */
    uintptr_t host[2];          /* A host's own. */
    uint64_t reserved[6];
} isti_arena;

#define ISTI_NO_CHUNK 1
#define ISTI_OVERZERO 128

/*
 * In `references`: it counts no more, and stays below 0 for whoever adds to it without looking. All
 * references are in `detached` then, above the other number.
 */
#define ISTI_MERGED (UINT64_C(3) << 62)
#define ISTI_MERGED_COUNT (UINT64_C(1) << 62)

/*
 * Slots: 16 words of the thread's record, at a multiple of 128, written by that thread alone. A
 * word is 0 or a session's address with one of the tags below.
 *     0 .. 11   holds, each in the first that is free; nested ones and any order of release
 *     12, 13    an access, and a second one inside it (a copy)
 *     14        the attempt at a hold that will be a detached one, or at counting a reference
 *     15        a close by plain stores: no mark, a close does not wait for it
 * No two accesses of a thread overlap otherwise, so that theirs is always free.
 */
#define ISTI_SLOT_COUNT 16
#ifndef ISTI_SLOT_HOLDS /* Test builds have fewer, so that holds spill. */
#define ISTI_SLOT_HOLDS 12
#endif
#define ISTI_SLOT_FOR_ACCESS 12
#define ISTI_SLOT_FOR_ATTEMPT 14
#define ISTI_SLOT_FOR_CLOSE 15
/* Behind the slots, no slots themselves: see session/exposure.h, and a count for ist_stats_get(). */
#define ISTI_WORD_EXPOSED 16
#define ISTI_WORD_CLOSES 17
#define ISTI_UNDER_WAY (UINT64_C(1) << 63)
/* An attempt at a hold; the closer waits for what becomes of it. */
#define ISTI_SLOT_PEND ((uint64_t)1)
/* A hold; the closer is refused. */
#define ISTI_SLOT_HOLD ((uint64_t)2)
/* An access of the library's; the closer waits for its end. */
#define ISTI_SLOT_ACCESS ((uint64_t)3)
/* What no closer looks at. */
#define ISTI_SLOT_CLOSE ((uint64_t)0)
#define ISTI_SLOT_TAGS ((uint64_t)3)

/*
 * What a thread knows of itself; one cache line of thread-local storage.
 * Invariant: `arenas` is a list of records with owner == serial. Opening an arena takes the first,
 * if it is free, and leaves it in the list, where closing finds it: neither writes here. One that
 * is found taken is unlisted on the slow path, and listed again when it is closed.
 */
typedef struct isti_thread_self {
    uint64_t serial; /* Never reused in the process; 0 until the thread's first use. */
    struct isti_arena *arenas;
    uint64_t *slots;            /* The thread's slots; NULL: publishing is for the slow paths. */
    struct isti_thread *record; /* NULL until the thread's first use. */
    int32_t bare_status;        /* The ist_status of the thread's last failure. */
    uint32_t ending;            /* The thread has begun to run its key destructors. */
    uint64_t wide_stores;       /* The processor has AVX: the same for every thread. */
    uint64_t reserved[2];
} isti_thread_self;

/*
 * The memory order at a step of the protocol, and whether a fence of it is there: always as
 * written, unless a build defines ISTI_WEAKEN_<step> as `~,` and what stands for it.
 * tests/stress/mutate.py does, for one step after another, to see who notices.
 */
#define ISTI_ORDER(step, order) ISTI_SECOND(ISTI_WEAKEN_##step, __ATOMIC_##order, 0)
#define ISTI_HAS(step) ISTI_SECOND(ISTI_WEAKEN_##step, 1, 0)
#define ISTI_SECOND(...) ISTI_SECOND_(__VA_ARGS__)
#define ISTI_SECOND_(first, second, ...) second

#define ISTI_ABI 1
#define isti_self ISTI_JOIN(isti_self_abi, ISTI_ABI)
__extension__ extern IST_API __thread isti_thread_self isti_self
    __attribute__((tls_model("initial-exec")));

/*
 * The public headers are C++ too, which has no _Atomic: the builtins, wrapped once. Relaxed: each
 * caller says why that is enough.
 */
IST_INLINE uint64_t isti_load_relaxed_u64(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

IST_INLINE void isti_store_relaxed_address(uintptr_t *word, uintptr_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

IST_INLINE void isti_store_relaxed_u32(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

IST_INLINE void isti_store_relaxed_u64(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

IST_INLINE int isti_is_mine(const isti_session *session)
{
    return isti_load_relaxed_u64(&session->owner) == isti_self.serial;
}

/* Whether it is the first of the thread's list; then it is the thread's, at the price of a load. */
IST_INLINE int isti_is_first(const isti_session *session)
{
    return (const void *)isti_self.arenas == (const void *)session;
}

/*
 * Whether the calling thread may use a confined session as its handle says: a load and a compare
 * for each word. Relaxed: a confined session's words are written by its owner alone, and what the
 * owner sees of its own stores is in program order; any other thread is refused whatever it sees,
 * since `owner` is then never its own serial while `state` is what its handle expects.
 */
IST_INLINE int isti_confined_admits(const isti_session *session, uint64_t expected)
{
    return isti_is_mine(session) && isti_load_relaxed_u64(&session->state) == expected;
}

/*
 * The light half of the asymmetric fence: nothing but the compiler's order. It pairs with
 * the heavy fence of a close (step C3), which makes every running thread execute a full barrier.
 * docs/lifetimes.md has the proof. Not an asm that clobbers memory: that would make a loop read the
 * segment itself anew each time.
 */
IST_INLINE void isti_light_fence(void)
{
    if (ISTI_HAS(A2_LIGHT))
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * Relaxed: the light fence orders it before the reads of the session; the heavy fence makes it
 * visible.
 */
IST_INLINE void isti_slot_set(uint64_t *slot, const isti_session *session, uint64_t tag)
{
    __atomic_store_n(slot, (uint64_t)(uintptr_t)session | tag, __ATOMIC_RELAXED);
}

/*
 * Release: pairs with the acquire of a closer's scan; what was done under the slot happened before
 * the closer goes on.
 */
IST_INLINE void isti_slot_clear(uint64_t *slot)
{
    __atomic_store_n(slot, 0, ISTI_ORDER(A8, RELEASE));
}

#define ISTI_ALONE 2

/*
 * A3 A4, H3, the quick half: whether a shared session is open to the calling thread with nothing to
 * be done first. The caller's slot is set, and a light fence behind it. The owner is read before
 * the state: were it the other way round, the record could be closed and opened by this thread's
 * next arena in between. State: acquire, pairs with the release of a verdict. Returns 0: no; 1;
 * ISTI_ALONE: yes, and nobody but the calling thread, its owner, has touched it.
 */
IST_INLINE int isti_shared_admits(const isti_session *session, uint64_t expected)
{
    uint64_t owner = isti_load_relaxed_u64(&session->owner);
    uint64_t state = __atomic_load_n(&session->state, ISTI_ORDER(A4, ACQUIRE));
    if (ISTI_LIKELY(state == (expected | ISTI_ESCAPED)))
        return 1;
    return state == expected && owner == isti_self.serial ? ISTI_ALONE : 0;
}

/* A8: ends what isti_shared_begin() began; NULL: nothing was published. */
IST_INLINE void isti_shared_end(uint64_t *slot)
{
    if (slot != NULL)
        isti_slot_clear(slot);
}

/*
 * Begins an access, if that takes no more than publishing it; *ret_slot is to be cleared behind it.
 */
IST_INLINE int
isti_shared_begin(const isti_session *session, uint64_t expected, uint64_t **ret_slot)
{
    uint64_t *slot = isti_self.slots;
    if (ISTI_UNLIKELY(slot == NULL))
        return 0;
    slot += ISTI_SLOT_FOR_ACCESS;
    isti_slot_set(slot, session, ISTI_SLOT_ACCESS); /* A1 */
    isti_light_fence();                             /* A2 */
    if (ISTI_LIKELY(isti_shared_admits(session, expected))) {
        *ret_slot = slot;
        return 1;
    }
    isti_slot_clear(slot); /* A8; the slow path begins again. */
    return 0;
}

#ifdef __cplusplus
#define ISTI_STATIC_ASSERT(condition) static_assert(condition, #condition)
#else
#define ISTI_STATIC_ASSERT(condition) _Static_assert(condition, #condition)
#endif
ISTI_STATIC_ASSERT(sizeof(isti_session) == 128);
ISTI_STATIC_ASSERT(offsetof(isti_session, state) == 0);
ISTI_STATIC_ASSERT(offsetof(isti_session, owner) == 8);
ISTI_STATIC_ASSERT(offsetof(isti_session, burden) == 16);
ISTI_STATIC_ASSERT(offsetof(isti_session, references) == 32);
ISTI_STATIC_ASSERT(sizeof(isti_arena) == 256);
ISTI_STATIC_ASSERT(offsetof(isti_arena, cursor) == 128);
ISTI_STATIC_ASSERT(offsetof(isti_arena, limit) == 136);
ISTI_STATIC_ASSERT(offsetof(isti_arena, base) == 144);
ISTI_STATIC_ASSERT(sizeof(isti_thread_self) == 64);
ISTI_STATIC_ASSERT(offsetof(isti_thread_self, serial) == 0);
ISTI_STATIC_ASSERT(offsetof(isti_thread_self, arenas) == 8);
ISTI_STATIC_ASSERT(offsetof(isti_thread_self, slots) == 16);
ISTI_STATIC_ASSERT(offsetof(isti_thread_self, wide_stores) == 40);

IST_END_DECLS
#endif
