/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_GC_H
#define ISTHMUS_GC_H
/*
 * Collected arenas, for programs on the garbage collector of Boehm, Demers and Weiser (libgc); they
 * link libisthmus-gc. Nobody closes such an arena: it ends when the collector finds that nobody can
 * use it any more.
 *
 *     ist_arena arena;
 *     ist_segment words;
 *     IST_CHECK(ist_gc_arena_open(&arena));
 *     IST_CHECK(ist_arena_allocate(arena, 1024, 8, &words));
 *     object->words = words;                  // The arena lives as long as the object.
 *
 * What keeps an arena open is any ist_arena or ist_segment of it, slices and views included, and any
 * hold, where the collector looks: registers and stacks of threads that it knows, static variables
 * of the program and its libraries, objects of the collector. What does not:
 *     - pointers into the arena's memory, which the collector does not know;
 *     - handles in memory of malloc(), or encoded in any way. Such a handle is not dangerous: after
 *       the end it answers IST_E_CLOSED;
 *     - a segment that a function will not use any more, although it is still using a pointer that
 *       it took out of it: IST_GC_KEEP(segment) behind the last use, or a hold around it.
 *
 * Any thread that the collector knows (GC_pthread_create(), GC_register_my_thread()) opens,
 * allocates, accesses. ist_arena_close() is IST_E_UNSUPPORTED; ist_arena_retain() and
 * ist_arena_drop() do nothing; a hold costs a look.
 *
 * Memory: native memory of collected arenas counts towards the time of the next collection, as if
 * the collector had allocated it; see ist_gc_limit_set().
 *
 * Cleanup actions run on a thread of the library's, so never below a caller's locks, and never
 * under the collector's; they may allocate and open arenas. That thread is started when the first
 * action is due. Memory of arenas without actions is given back by whoever opens the next ones. At
 * the exit of the process arenas that are open do not end. In the child of a fork the parent must
 * have called GC_set_handle_fork(1) before GC_INIT(), as the collector demands.
 *
 * FFM: Arena.ofAuto().
 */
#include <isthmus/arena.h>

IST_BEGIN_DECLS

/*
 * Opens a collected arena. Initialises the collector, if nobody has. May run a collection, and with
 * it finalisers of the program, as every allocation from the collector.
 * Ownership: nobody's.
 * Returns:   IST_OK; IST_E_ARGUMENT (ret_arena is NULL); IST_E_NO_MEMORY.
 */
IST_NODISCARD IST_API ist_status ist_gc_arena_open(ist_arena *ret_arena);

/* Keeps what `handle`, an ist_arena or ist_segment, belongs to open up to here. */
#define IST_GC_KEEP(handle) __asm__ __volatile__("" : : "g"((handle).session) : "memory")

/*
 * Collects now. Every arena that is found to be unreachable ends before this returns, but for those
 * with cleanup actions, which end soon, on the library's thread.
 */
IST_API void ist_gc_collect(void);

/*
 * Runs the cleanup actions that are due, on the calling thread, until none is left that another
 * thread has not begun. Returns how many arenas it has ended.
 */
IST_API size_t ist_gc_cleanups_run(void);

/*
 * The bytes of native memory that may be allocated in any case between two collections; in
 * addition, half of what was live after the last one, the collector's own objects included. At first
 * 16 MiB. 0: that half alone, and at least 64 KiB.
 */
IST_API void ist_gc_limit_set(size_t bytes);

/* Counts since the process began, as far as nothing else is said. */
typedef struct ist_gc_stats {
    size_t size;    /* In: sizeof(ist_gc_stats). Out: the bytes that are valid. */
    size_t opened;  /* Arenas; within a few of each thread. */
    size_t ended;   /* Found unreachable, whether their memory was given back yet or not. */
    size_t records; /* Records there are; their memory, 256 bytes each, is never given back. */
    size_t
        bytes; /* Now: native memory of arenas not found unreachable; within 64 KiB of each thread. */
    size_t collections; /* Collections seen, whoever asked for them. */
    size_t requested;   /* Those that native memory asked for. */
} ist_gc_stats;

/* Returns: IST_OK; IST_E_ARGUMENT. */
IST_API ist_status ist_gc_stats_get(ist_gc_stats *ret_stats);

IST_END_DECLS
#endif
