/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_CHUNK_H
#define ISTI_MEMORY_CHUNK_H
/*
 * Chunks: the pieces of memory that an arena cuts its blocks from.
 *
 *     | isti_chunk | gap | blocks, each behind the last ...        | ISTI_OVERZERO |
 *     chunk              chunk->begin                              limit           end
 *
 * In exact mode a chunk holds one block and ends where the block ends; header and gap are hidden
 * from memory tools.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Sizes in bytes, header and margin included. An arena's first chunk is the smallest, each further
 * one twice the last. The margin is what the system allocator has room for between two chunks that
 * begin at a page each: there is no hole between them.
 */
#define ISTI_CHUNK_FIRST ((size_t)512)
#define ISTI_CHUNK_KEPT \
    ((size_t)32 * 1024) /* The largest that a closed arena keeps for its next life. */
#define ISTI_CHUNK_GROWN ((size_t)1024 * 1024) /* The largest that doubling leads to. */
#define ISTI_CHUNK_MARGIN ((size_t)16)

typedef struct isti_chunk {
    struct isti_chunk *next;
    size_t size;     /* Bytes in all. */
    uintptr_t begin; /* Where blocks may begin. */
} isti_chunk;

/* What the environment chose, once, when the library was loaded. */
typedef struct isti_memory_mode {
    bool exact; /* One chunk per block. */
    bool unmap; /* Chunks are mapped, and unmapped when they go. */
} isti_memory_mode;
extern isti_memory_mode isti_memory_mode_chosen;

/* Whether closed arenas may keep their chunks. */
static inline bool isti_memory_recycles(void)
{
    return !isti_memory_mode_chosen.exact && !isti_memory_mode_chosen.unmap;
}

/* A chunk of `size` bytes in all, before `next` in a list. NULL: out of memory. */
isti_chunk *isti_chunk_create(size_t size, bool zeroed, isti_chunk *next);

/*
 * The chunk to cut blocks from after `last`, before it in a list, with room for `need` bytes in
 * all. NULL: out of memory.
 */
isti_chunk *isti_chunk_create_next(isti_chunk *last, size_t need);

/* The bytes that a chunk for one block takes. False: not representable. */
bool isti_chunk_size_for(size_t size, size_t alignment, size_t *ret_size);

/*
 * A block in a chunk of its own, which is put into the list behind the first: that goes on serving
 * small ones. In exact mode there is nothing behind the block, and what is before it is hidden.
 * NULL: out of memory or not representable, and *list is as it was.
 */
void *isti_chunk_take_alone(isti_chunk **list, size_t size, size_t alignment, bool zeroed);

/*
 * Makes a chunk that served one life ready for the next: blocks begin at its front again, and may
 * hold anything.
 */
void isti_chunk_recycle(isti_chunk *chunk);

/* The bytes of a chunk and all behind it in the list. */
size_t isti_chunk_bytes(const isti_chunk *first);

/* Destroys a chunk and all behind it in the list; headers may be hidden. Returns their bytes. */
size_t isti_chunk_destroy_list(isti_chunk *first);

#endif
