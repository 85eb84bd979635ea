/* SPDX-License-Identifier: MIT */
/*
 * Memory from the user's functions. Each block has a cleanup that gives it back, so that blocks and
 * the user's own cleanups end in one order, newest first. The functions are user code: the arena is
 * held while allocate() runs, so that closing it from there is refused.
 */
#include "memory/source.h"

#include "memory/chunk.h"
#include "memory/record.h"

#include <string.h>

ist_status ist_arena_open_confined_from(const ist_memory_source *source, ist_arena *ret_arena)
{
    if (source == NULL || source->allocate == NULL)
        return isti_fail_argument("opening a confined arena",
                                  "NULL where the source of memory is wanted");
    ist_arena arena;
    ist_status status = ist_arena_open_confined(ret_arena != NULL ? &arena : NULL);
    if (status != IST_OK)
        return status;
    isti_arena *record = isti_arena_record(arena.session);
    record->source = source;
    record->session.burden |= ISTI_BURDEN_CHUNKS;
    record->base = record->limit = ISTI_NO_CHUNK;
    isti_record_rewind(record);
    *ret_arena = arena;
    return IST_OK;
}

typedef struct block_cleanup {
    isti_cleanup cleanup;
    const ist_memory_source *source;
    void *block;
    size_t size;
    size_t alignment;
} block_cleanup;

static void run_release(isti_cleanup *cleanup)
{
    block_cleanup *node = (block_cleanup *)cleanup;
    node->source->release(node->source->context, node->block, node->size, node->alignment);
}

void *isti_source_take_node(isti_arena *record, size_t size)
{
    isti_chunk *chunk = record->chunks;
    if (chunk == NULL || chunk->begin + size > (uintptr_t)chunk + chunk->size) {
        chunk = isti_chunk_create(ISTI_CHUNK_FIRST, false, record->chunks);
        if (chunk == NULL)
            return NULL;
        record->chunks = chunk;
    }
    void *node = (void *)chunk->begin;
    chunk->begin += size;
    return node;
}

/* False: out of memory. */
static bool have_released(isti_arena *record, void *block, size_t size, size_t alignment)
{
    if (record->source->release == NULL)
        return true;
    block_cleanup *node = isti_source_take_node(record, sizeof *node);
    if (node == NULL)
        return false;
    *node = (block_cleanup){ .cleanup.run = run_release,
                             .source = record->source,
                             .block = block,
                             .size = size,
                             .alignment = alignment };
    isti_session_add_cleanup_owner(&record->session, &node->cleanup);
    return true;
}

void *isti_source_take(isti_arena *record, size_t size, size_t alignment, bool zeroed)
{
    const ist_memory_source *source = record->source;
    size_t taken = size + (size == 0);
    record->session.burden += ISTI_BURDEN_HOLD;
    void *block = source->allocate(source->context, taken, alignment);
    record->session.burden -= ISTI_BURDEN_HOLD;
    if (block == NULL)
        return NULL;
    if (((uintptr_t)block & (alignment - 1)) != 0 ||
        !have_released(record, block, taken, alignment)) {
        if (source->release != NULL)
            source->release(source->context, block, taken, alignment);
        return NULL;
    }
    if (zeroed && !source->zeroed)
        memset(block, 0, size);
    return block;
}
