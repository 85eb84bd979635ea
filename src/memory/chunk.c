/* SPDX-License-Identifier: MIT */
/*
 * Chunks from the system allocator, or from mappings of their own in the unmapping mode. Every
 * chunk is counted in the bytes of the thread that makes it, and taken off those of the thread that
 * destroys it.
 */
#include "memory/chunk.h"

#include "base/contract.h"
#include "base/heap.h"
#include "base/size.h"
#include "memory/local.h"
#include "os/memory_tools.h"
#include "os/pages.h"

/*
 * Where the first block of a chunk begins: at a cache line, which makes clearing a block of some
 * hundred bytes up to a third faster than at 16. In exact mode blocks follow their header closely,
 * as malloc() aligns.
 */
#define LINE ((size_t)64)
#define NATURAL ((size_t)16)
#define PAGE ((size_t)4096)

isti_memory_mode isti_memory_mode_chosen;

static size_t first_alignment(void)
{
    return isti_memory_mode_chosen.exact ? NATURAL : LINE;
}

static uintptr_t first_block(const isti_chunk *chunk)
{
    return isti_align_up((uintptr_t)(chunk + 1), first_alignment());
}

static void *get_memory(size_t size, bool zeroed)
{
    if (isti_memory_mode_chosen.unmap)
        return isti_pages_map(size);
    if (zeroed)
        return isti_heap_alloc_zeroed(size);
    return isti_heap_alloc_aligned(size, size + ISTI_CHUNK_MARGIN >= PAGE ? PAGE : NATURAL);
}

isti_chunk *isti_chunk_create(size_t size, bool zeroed, isti_chunk *next)
{
    isti_local *local = isti_local_current();
    isti_chunk *chunk = local != NULL ? get_memory(size, zeroed) : NULL;
    if (chunk == NULL)
        return NULL;
    *chunk = (isti_chunk){ .next = next, .size = size, .begin = first_block(chunk) };
    isti_local_add(&local->bytes, size);
    return chunk;
}

isti_chunk *isti_chunk_create_next(isti_chunk *last, size_t need)
{
    size_t size = last == NULL ? ISTI_CHUNK_FIRST : (last->size + ISTI_CHUNK_MARGIN) * 2;
    if (size > ISTI_CHUNK_GROWN)
        size = ISTI_CHUNK_GROWN;
    while (size - ISTI_CHUNK_MARGIN < need)
        size *= 2;
    return isti_chunk_create(size - ISTI_CHUNK_MARGIN, false, last);
}

bool isti_chunk_size_for(size_t size, size_t alignment, size_t *ret_size)
{
    /* Chunks begin at a multiple of NATURAL, so that the header takes at most this. */
    size_t header = isti_align_up(sizeof(isti_chunk), NATURAL) + first_alignment() - NATURAL;
    size_t gap = alignment > first_alignment() ? alignment - 1 : 0;
    size_t slack = isti_memory_mode_chosen.exact ? 0 : ISTI_OVERZERO;
    size_t total;
    if (!isti_size_add(size, gap, &total) || !isti_size_add(total, header + slack, &total) ||
        total > PTRDIFF_MAX)
        return false;
    *ret_size = total;
    return true;
}

/*
 * What is before the block, except the link, which leak checkers have to see; and what is behind.
 */
static void hide_surroundings(const isti_chunk *chunk, size_t size)
{
    uintptr_t used = chunk->begin + size, end = (uintptr_t)chunk + chunk->size;
    isti_tools_hide((const void *)used, end - used); /* What is left of the gap. */
    isti_tools_hide(&chunk->size, chunk->begin - (uintptr_t)&chunk->size);
}

void *isti_chunk_take_alone(isti_chunk **list, size_t size, size_t alignment, bool zeroed)
{
    bool exact = isti_memory_mode_chosen.exact;
    isti_chunk **link = exact || *list == NULL ? list : &(*list)->next;
    size_t total, taken = exact ? size : size + (size == 0);
    isti_chunk *chunk = isti_chunk_size_for(taken, alignment, &total)
                            ? isti_chunk_create(total, zeroed, *link)
                            : NULL;
    if (chunk == NULL)
        return NULL;
    uintptr_t block = isti_align_up(chunk->begin, alignment);
    /* Nothing more is cut from it. */
    chunk->begin = exact ? block : (uintptr_t)chunk + chunk->size;
    /* Release: in a shared arena's list others may look at it at once. */
    __atomic_store_n(link, chunk, __ATOMIC_RELEASE);
    if (exact)
        hide_surroundings(chunk, size);
    return (void *)block;
}

void isti_chunk_recycle(isti_chunk *chunk)
{
    ISTI_ASSERT(chunk->size <= ISTI_CHUNK_KEPT);
    chunk->next = NULL;
    chunk->begin = first_block(chunk);
}

/*
 * Makes a header that is hidden readable. Its extent is known only from itself, so the fixed part
 * comes first.
 */
static void show_header(const isti_chunk *chunk)
{
    if (!isti_memory_mode_chosen.exact)
        return;
    isti_tools_show(&chunk->size, sizeof *chunk - offsetof(isti_chunk, size));
    isti_tools_show(&chunk->size, chunk->begin - (uintptr_t)&chunk->size);
}

static void release_memory(isti_chunk *chunk, size_t size)
{
    if (isti_memory_mode_chosen.unmap)
        isti_pages_unmap(chunk, size);
    else
        isti_heap_free(chunk);
}

size_t isti_chunk_bytes(const isti_chunk *first)
{
    size_t bytes = 0;
    for (const isti_chunk *chunk = first; chunk != NULL; chunk = chunk->next) {
        show_header(chunk);
        bytes += chunk->size;
    }
    return bytes;
}

size_t isti_chunk_destroy_list(isti_chunk *first)
{
    size_t bytes = 0;
    while (first != NULL) {
        isti_chunk *chunk = first;
        show_header(chunk);
        first = chunk->next;
        bytes += chunk->size;
        release_memory(chunk, chunk->size);
    }
    if (bytes != 0)
        isti_local_add(&isti_local_existing()->bytes, -bytes);
    return bytes;
}
