/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_STATS_H
#define ISTHMUS_STATS_H
/*
 * What the library holds, and giving back what it holds without need.
 *
 *     ist_stats stats = { .size = sizeof stats };
 *     IST_CHECK(ist_stats_get(&stats));
 *     printf("%zu arenas open, %zu bytes\n", stats.arenas_open, stats.bytes_live);
 *
 * Environment, read once when the library is loaded:
 *     ISTHMUS_DEBUG=unmap    memory is mapped for each arena and unmapped on close instead of being
 *                            recycled: a late touch through a plain pointer is a SIGSEGV, until
 *                            something else is mapped at the address
 *     ISTHMUS_DEBUG=exact    each block comes from malloc() and goes back to free() on close:
 *                            memory tools see each block's bounds and end. On by itself under
 *                            AddressSanitizer and Valgrind
 */
#include <isthmus/status.h>

IST_BEGIN_DECLS

/*
 * The struct may grow at its end. Counts are exact when no other thread opens or closes meanwhile.
 */
typedef struct ist_stats {
    size_t size;        /* In: sizeof(ist_stats) of the caller. Out: the bytes that are valid. */
    size_t arenas_open; /* Confined arenas that are open, orphans included. */
    size_t arenas_orphaned; /* Open confined arenas whose thread has ended. */
    size_t arenas_cached;   /* Records that wait in threads' lists to be opened again. */
    /* Records there are; their memory, 256 bytes each, is never given back. */
    size_t records;
    size_t records_retired; /* Records whose generations are used up. */
    size_t bytes_live;      /* Bytes of chunks and blocks, in use or cached, without records. */
    size_t threads;         /* Threads that use the library now. */
    size_t shared_open;     /* Shared arenas that are open. */
    size_t shared_closes;   /* Shared and automatic arenas that ended since the process began. */
    /* Closes of those that other threads had used: they went through a heavy fence. */
    size_t shared_closes_escaped;
    size_t heavy_fences; /* Of the kernel's: simultaneous closes share one. */
    /* The longest time for which a close made others wait for its verdict. */
    uint64_t longest_undecided_ns;
    /* The longest time for which a close waited for accesses to end. */
    uint64_t longest_drain_ns;
    /* Accesses and holds order the compiler only; else they execute full fences. */
    int fence_is_light;
    size_t automatic_open; /* Automatic arenas that are open. */
} ist_stats;

/*
 * Returns: IST_OK; IST_E_ARGUMENT if ret_stats is NULL or its size has no room for a first count.
 * Threads: any.
 */
IST_API ist_status ist_stats_get(ist_stats *ret_stats);

/*
 * Gives the memory that the calling thread keeps for its next arenas back to the system
 * allocator, and has other threads do the same the next time that they take the slow path of an
 * open or a close.
 * Returns: the bytes given back by this thread.
 * Threads: any.
 */
IST_API size_t ist_trim(void);

IST_END_DECLS
#endif
