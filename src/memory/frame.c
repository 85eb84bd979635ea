/* SPDX-License-Identifier: MIT */
/*
 * Frames: confined arenas whose first memory is a piece of the thread's stack block.
 *
 *     | frame 1 | OVERZERO | frame 2      | OVERZERO |  free            |
 *     stack_block                                    stack_used         FRAME_BLOCK
 *
 * A frame's arena has a burden that no plain close lifts, so that popping is the only end. Whatever
 * does not fit goes the ordinary way of the arena: chunks of its own. Nothing else is special about
 * a frame.
 */
#include "base/heap.h"
#include "base/size.h"
#include "memory/arena.h"
#include "memory/chunk.h"
#include "memory/record.h"

#include <isthmus/allocator.h>

#define FRAME_BLOCK ((size_t)16 * 1024)

/*
 * Has the record allocate from the block, if `size` bytes are left there. Returns the bytes taken
 * of it.
 */
static size_t cut_from_block(isti_local *local, isti_arena *record, size_t size, size_t alignment)
{
    if (isti_memory_mode_chosen.exact || size > FRAME_BLOCK || alignment > FRAME_BLOCK)
        return 0;
    if (local->stack_block == NULL)
        local->stack_block = isti_heap_alloc(FRAME_BLOCK);
    if (local->stack_block == NULL)
        return 0;
    uintptr_t free = (uintptr_t)local->stack_block + local->stack_used;
    uintptr_t start = isti_align_up(free, alignment);
    uintptr_t end = start + size + ISTI_OVERZERO;
    if (end > (uintptr_t)local->stack_block + FRAME_BLOCK)
        return 0;
    record->base = start;
    record->limit = start + size;
    isti_record_rewind(record);
    local->stack_used += end - free;
    return end - free;
}

ist_status ist_frame_push(size_t size, size_t alignment, ist_frame *ret_frame)
{
    if (ret_frame == NULL)
        return isti_fail_argument("pushing a frame", "NULL where the frame is wanted");
    if (!isti_is_power_of_two(alignment))
        return isti_fail(&(isti_failure){ .error = { .status = IST_E_ARGUMENT,
                                                     .operation = "pushing a frame",
                                                     .length = size,
                                                     .alignment = alignment },
                                          .parts = ISTI_PART_LENGTH | ISTI_PART_ALIGNMENT,
                                          .reason = "the alignment is not a power of two" });
    size_t need;
    if (!isti_chunk_size_for(size, alignment, &need))
        return isti_fail(&(isti_failure){ .error = { .status = IST_E_OVERFLOW,
                                                     .operation = "pushing a frame",
                                                     .length = size,
                                                     .alignment = alignment },
                                          .parts = ISTI_PART_LENGTH | ISTI_PART_ALIGNMENT,
                                          .reason = "more than can be addressed" });
    ist_frame frame = { .size = 0 };
    ist_status status = ist_arena_open_confined(&frame.arena);
    if (status != IST_OK)
        return status;
    isti_local *local = isti_local_existing();
    isti_arena *record = isti_arena_record(frame.arena.session);
    record->session.burden |= ISTI_BURDEN_FRAME | ISTI_BURDEN_CHUNKS;
    frame.size = cut_from_block(local, record, size, alignment);
    frame.depth = ++local->stack_depth;
    *ret_frame = frame;
    return IST_OK;
}

static ist_status busy(const char *operation)
{
    return isti_fail(&(isti_failure){ .error = { .status = IST_E_BUSY, .operation = operation },
                                      .reason = "the frame is not the thread's top frame" });
}

ist_status
ist_frame_allocate(ist_frame *frame, size_t size, size_t alignment, ist_segment *ret_segment)
{
    if (frame == NULL)
        return isti_fail_argument("allocation", "NULL where the frame is wanted");
    if (isti_session_check(frame->arena.session, frame->arena.expected) == IST_OK &&
        frame->depth != isti_local_existing()->stack_depth)
        return busy("allocation");
    return ist_arena_allocate_uninitialized(frame->arena, size, alignment, ret_segment);
}

ist_status ist_frame_pop(ist_frame *frame)
{
    if (frame == NULL)
        return isti_fail_argument("popping a frame", "NULL where the frame is wanted");
    isti_session *session = frame->arena.session;
    ist_status status = isti_arena_require(session, frame->arena.expected, "popping a frame");
    if (status != IST_OK)
        return status;
    isti_local *local = isti_local_existing();
    if (!(session->burden & ISTI_BURDEN_FRAME))
        return isti_fail_argument("popping a frame", "it is not a frame");
    if (frame->depth != local->stack_depth)
        return busy("popping a frame");
    uint64_t holders = isti_session_holds_owner(session);
    if (holders != 0)
        return isti_fail(
            &(isti_failure){ .error = { .status = IST_E_HELD,
                                        .operation = "popping a frame",
                                        .kind = isti_session_kind(frame->arena.expected),
                                        .holders = holders } });
    isti_arena_end(isti_arena_record(session));
    local->stack_depth--;
    local->stack_used -= frame->size;
    return IST_OK;
}

static ist_status
allocate_from_frame(void *context, size_t size, size_t alignment, ist_segment *ret_segment)
{
    return ist_frame_allocate(context, size, alignment, ret_segment);
}

ist_allocator ist_frame_allocator(ist_frame *frame)
{
    return (ist_allocator){ .allocate_uninitialized = allocate_from_frame, .context = frame };
}
