/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_ABI_H
#define ISTHMUS_ABI_H
/*
 * What inlines see of the library's records. Not for callers; nothing here is a promise to them.
 *
 * All of it is ABI: a program carries the offsets below in its code. They are fixed by the static
 * assertions at the end, and the one thread-local variable that every inline reads carries the ABI's
 * number in its name, so that a program built for another layout fails when it is loaded, not later.
 *
 * The state word of a session, lowest bit first:
 *
 *     bits  0-1   phase: OPEN 0, CLOSING 1, CLOSED 2
 *     bit   2     ESCAPED: a thread other than the owner has touched the session
 *     bits  3-7   kind, one bit each: CONFINED, SHARED, COUNTED, COLLECTED, GLOBAL
 *     bits  8-63  generation: one per life of the record
 *
 * A handle (ist_arena, ist_segment) holds a record and the state word that the record showed when the
 * arena was opened. Records are never unmapped and a generation never returns, so comparing the two
 * words decides for ever whether the handle is stale. The kind stands in the handle too, and is read
 * from there: a loop over one segment tests a register, not memory.
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
#define ISTI_GENERATION_ONE (UINT64_C(1) << 8)

/* Low bits of a segment's session word: what the segment is, besides where its session is. */
#define ISTI_READ_ONLY ((uintptr_t)1)
#define ISTI_MAPPED ((uintptr_t)2)
#define ISTI_TAG_MASK ((uintptr_t)7)

/*
 * The burden of a confined session: what a close must look at. 0 means that it may be closed by moving
 * its generation on and nothing else.
 */
#define ISTI_BURDEN_CLEANUPS UINT64_C(1) /* There are cleanup actions to run. */
#define ISTI_BURDEN_CHUNKS UINT64_C(2)   /* There is memory besides the recycled chunk. */
#define ISTI_BURDEN_FRAME UINT64_C(4)    /* The arena of a frame: only popping the frame ends it. */
#define ISTI_BURDEN_HOLD UINT64_C(256)   /* One hold; counted in bits 8 to 63. */

IST_BEGIN_DECLS

/* A lifetime. Line 0 is what an access reads; line 1 is for the slow paths. */
typedef struct isti_session {
    uint64_t state;           /* Shared: written by whoever closes, read by everybody, atomically. */
    uint64_t owner;           /* Shared, likewise: the serial of the owning thread; 0 for a free record. */
    uint64_t burden;          /* Confined: plain, the owner's alone. */
    uint64_t line0[5];        /* Reserved. */
    struct isti_cleanup *cleanups; /* Newest first. Confined: the owner's alone. */
    uint64_t line1[7];        /* Reserved. */
} __attribute__((aligned(128))) isti_session;

/*
 * The record of an arena: its session, and the chunk that it allocates from.
 * Invariant, where there is a chunk: base <= cursor <= limit + 1, and all bytes from `dirty` to the chunk's end are 0.
 * The chunk goes on for ISTI_OVERZERO bytes beyond limit: clearing a small block may clear that much free memory.
 */
typedef struct isti_arena {
    isti_session session;
    uintptr_t cursor;             /* The next free byte. */
    uintptr_t limit;              /* Where allocating ends. Equal to cursor: the slow path allocates. */
    uintptr_t dirty;              /* The first byte that is still zero. */
    uintptr_t base;               /* Where allocating begins. */
    struct isti_arena *next_free; /* In a thread's cache or in the pool. */
    struct isti_chunk *chunks;    /* Newest first; cursor and limit point into the first, if any. */
    const struct ist_memory_source *source; /* Whose functions give the memory; NULL: ours do. */
    uint64_t reserved;
} isti_arena;

#define ISTI_OVERZERO 128

/*
 * What a thread knows of itself; one cache line of thread-local storage.
 * Invariant: free_arenas is a list of records, each with owner == serial, its next generation in
 * `state` with phase OPEN, no burden, and cursor == base: opening one is taking it off the list.
 */
typedef struct isti_thread_self {
    uint64_t serial;           /* Never reused in the process; 0 until the thread's first use. */
    isti_arena *free_arenas;   /* Confined arenas ready to be opened. */
    uint32_t room;             /* How many more there may be; atomic: ist_stats_get() reads it. */
    uint32_t ending;           /* The thread has begun to run its key destructors. */
    struct isti_thread *record; /* NULL until the thread's first use. */
    int32_t bare_status;       /* The ist_status of the thread's last failure. */
    uint32_t reserved0;
    uint64_t reserved[3];
} isti_thread_self;

#define ISTI_ABI 1
#define isti_self ISTI_JOIN(isti_self_abi, ISTI_ABI)
__extension__ extern IST_API __thread isti_thread_self isti_self __attribute__((tls_model("initial-exec")));

/* The public headers are C++ too, which has no _Atomic: the builtins, wrapped once. Relaxed: each caller says why that is enough. */
IST_INLINE uint64_t isti_load_relaxed_u64(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

IST_INLINE void isti_store_relaxed_u32(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

IST_INLINE void isti_store_relaxed_u64(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/*
 * Whether the calling thread may use a confined session as its handle says: a load and a compare for each word.
 * Relaxed: a confined session's words are written by its owner alone, and what the owner sees of its own
 * stores is in program order; any other thread is refused whatever it sees, since `owner` is then never its own
 * serial while `state` is what its handle expects.
 */
IST_INLINE int isti_confined_admits(const isti_session *session, uint64_t expected)
{
    if (ISTI_UNLIKELY(isti_load_relaxed_u64(&session->owner) != isti_self.serial))
        return 0;
    return isti_load_relaxed_u64(&session->state) == expected;
}

/* The same for a session of any kind. The kind comes from the handle: nothing is followed that is not there. */
IST_INLINE int isti_session_admits(const isti_session *session, uint64_t expected)
{
    if (ISTI_LIKELY(expected & ISTI_CONFINED))
        return isti_confined_admits(session, expected);
    return expected == ISTI_GLOBAL;
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
ISTI_STATIC_ASSERT(sizeof(isti_arena) == 256);
ISTI_STATIC_ASSERT(offsetof(isti_arena, cursor) == 128);
ISTI_STATIC_ASSERT(offsetof(isti_arena, limit) == 136);
ISTI_STATIC_ASSERT(offsetof(isti_arena, dirty) == 144);
ISTI_STATIC_ASSERT(offsetof(isti_arena, base) == 152);
ISTI_STATIC_ASSERT(offsetof(isti_arena, next_free) == 160);
ISTI_STATIC_ASSERT(sizeof(isti_thread_self) == 64);
ISTI_STATIC_ASSERT(offsetof(isti_thread_self, serial) == 0);
ISTI_STATIC_ASSERT(offsetof(isti_thread_self, free_arenas) == 8);
ISTI_STATIC_ASSERT(offsetof(isti_thread_self, room) == 16);

IST_END_DECLS
#endif
