/* SPDX-License-Identifier: MIT */
/* Segments, out of line: why shaping one failed, liveness, and moving one into an arena. */
#include <isthmus/segment.h>

#include "base/size.h"
#include "memory/arena.h"

ist_status isti_slice_fail(size_t size, size_t offset, size_t length, int has_ret)
{
    if (!has_ret)
        return isti_fail_argument("slice", "NULL where the slice is wanted");
    return isti_fail(
        &(isti_failure){ .error = { .status = IST_E_BOUNDS,
                                    .operation = "slice",
                                    .offset = offset,
                                    .length = length,
                                    .limit = size },
                         .parts = ISTI_PART_LENGTH | ISTI_PART_OFFSET | ISTI_PART_SEGMENT });
}

ist_status isti_slice_aligned_fail(const void *address, size_t size, size_t offset, size_t length,
                                   size_t alignment, int has_ret)
{
    isti_failure failure = { .error = { .status = IST_E_ALIGNMENT,
                                        .operation = "slice",
                                        .offset = offset,
                                        .length = length,
                                        .limit = size,
                                        .alignment = alignment,
                                        .address = (uintptr_t)address + offset },
                             .parts = ISTI_PART_LENGTH | ISTI_PART_OFFSET | ISTI_PART_SEGMENT };
    if (!isti_is_power_of_two(alignment)) {
        failure.error.status = IST_E_ARGUMENT;
        failure.parts |= ISTI_PART_ALIGNMENT;
        failure.reason = "the alignment is not a power of two";
        return isti_fail(&failure);
    }
    if (!has_ret || offset > size || length > size - offset)
        return isti_slice_fail(size, offset, length, has_ret);
    return isti_fail(&failure);
}

int ist_segment_is_alive(const ist_segment *segment)
{
    return ist_arena_is_alive(ist_segment_arena(*segment));
}

int ist_segment_is_accessible(const ist_segment *segment)
{
    ist_arena arena = ist_segment_arena(*segment);
    if (!(arena.expected & ISTI_CONFINED))
        return 1;
    /* A record that serves another life by now says nothing about the owner of this one. */
    return isti_is_mine(arena.session);
}

typedef struct segment_cleanup {
    isti_cleanup cleanup;
    ist_segment segment; /* In the global arena. */
    ist_segment_cleanup_fn *function;
    void *data;
} segment_cleanup;

static void run_segment_cleanup(isti_cleanup *cleanup)
{
    segment_cleanup *node = (segment_cleanup *)cleanup;
    ist_segment segment = node->segment;
    node->function(node->data, &segment);
}

ist_status ist_segment_reinterpret(const ist_segment *segment, size_t size, ist_arena arena,
                                   ist_segment_cleanup_fn *cleanup, void *data,
                                   ist_segment *ret_segment)
{
    if (segment == NULL || ret_segment == NULL)
        return isti_fail_argument("reinterpretation", "NULL where a segment is wanted");
    ist_status status = isti_arena_require(arena.session, arena.expected, "reinterpretation");
    if (status != IST_OK)
        return status;
    uintptr_t read_only = segment->session & ISTI_READ_ONLY;
    if (cleanup != NULL) {
        segment_cleanup node = { .cleanup.run = run_segment_cleanup,
                                 .segment = { segment->address, size, read_only, ISTI_GLOBAL },
                                 .function = cleanup,
                                 .data = data };
        status = isti_arena_add_cleanup(arena, &node.cleanup, sizeof node, "reinterpretation");
        if (status != IST_OK)
            return status;
    }
    *ret_segment = (ist_segment){ .address = segment->address,
                                  .size = size,
                                  .session = (uintptr_t)arena.session | read_only,
                                  .expected = arena.expected };
    return IST_OK;
}
