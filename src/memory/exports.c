/* SPDX-License-Identifier: MIT */
/*
 * The inlines of arenas, segments and their accessors as exported symbols; see the header. Those of
 * paths are in access/exports.c.
 */
#include "base/export.h"

#include <isthmus/host.h>
#include <isthmus/isthmus.h>

/* ---- segment.h ---- */
ISTI_EXPORT(ist_segment, ist_segment_of, (void *pointer, size_t size),
            ist_segment_of(pointer, size))
ISTI_EXPORT(ist_segment, ist_segment_of_const, (const void *pointer, size_t size),
            ist_segment_of_const(pointer, size))
ISTI_EXPORT(uintptr_t, ist_segment_address, (const ist_segment *segment),
            ist_segment_address(*segment))
ISTI_EXPORT(void *, ist_segment_pointer_unchecked, (const ist_segment *segment),
            ist_segment_pointer_unchecked(*segment))
ISTI_EXPORT(size_t, ist_segment_size, (const ist_segment *segment), ist_segment_size(*segment))
ISTI_EXPORT(int, ist_segment_is_read_only, (const ist_segment *segment),
            ist_segment_is_read_only(*segment))
ISTI_EXPORT(ist_arena, ist_segment_arena, (const ist_segment *segment), ist_segment_arena(*segment))
ISTI_EXPORT(int, ist_segment_equals, (const ist_segment *a, const ist_segment *b),
            ist_segment_equals(*a, *b))
ISTI_EXPORT(ptrdiff_t, ist_segment_offset, (const ist_segment *a, const ist_segment *b),
            ist_segment_offset(*a, *b))
ISTI_EXPORT(ist_segment, ist_segment_as_read_only, (const ist_segment *segment),
            ist_segment_as_read_only(*segment))
ISTI_EXPORT(ist_status, ist_segment_slice,
            (const ist_segment *segment, size_t offset, size_t size, ist_segment *ret_slice),
            ist_segment_slice(*segment, offset, size, ret_slice))
ISTI_EXPORT(ist_status, ist_segment_slice_from,
            (const ist_segment *segment, size_t offset, ist_segment *ret_slice),
            ist_segment_slice_from(*segment, offset, ret_slice))
ISTI_EXPORT(ist_status, ist_segment_slice_aligned,
            (const ist_segment *segment, size_t offset, size_t size, size_t alignment,
             ist_segment *ret_slice),
            ist_segment_slice_aligned(*segment, offset, size, alignment, ret_slice))
ISTI_EXPORT(ist_segment, ist_segment_reinterpret_unchecked,
            (const ist_segment *segment, size_t size),
            ist_segment_reinterpret_unchecked(*segment, size))
ISTI_EXPORT(ist_segment, ist_segment_overlap, (const ist_segment *a, const ist_segment *b),
            ist_segment_overlap(*a, *b))

/* ---- arena.h ---- */
ISTI_EXPORT(ist_arena, ist_arena_global, (void), ist_arena_global())
ISTI_EXPORT(ist_status, ist_arena_open_shared, (ist_arena * ret_arena),
            ist_arena_open_shared(ret_arena))
ISTI_EXPORT(ist_status, ist_arena_open_confined, (ist_arena * ret_arena),
            ist_arena_open_confined(ret_arena))
ISTI_EXPORT(ist_status, ist_arena_allocate,
            (ist_arena arena, size_t size, size_t alignment, ist_segment *ret_segment),
            ist_arena_allocate(arena, size, alignment, ret_segment))
ISTI_EXPORT(ist_status, ist_arena_allocate_uninitialized,
            (ist_arena arena, size_t size, size_t alignment, ist_segment *ret_segment),
            ist_arena_allocate_uninitialized(arena, size, alignment, ret_segment))
ISTI_EXPORT(ist_status, ist_arena_close, (ist_arena arena), ist_arena_close(arena))
ISTI_EXPORT(ist_status, ist_arena_hold, (ist_arena arena, ist_hold *ret_hold),
            ist_arena_hold(arena, ret_hold))
ISTI_EXPORT(ist_status, ist_arena_release, (ist_hold * hold), ist_arena_release(hold))

/* ---- automatic.h ---- */
ISTI_EXPORT(ist_status, ist_arena_open_automatic, (ist_arena * ret_arena),
            ist_arena_open_automatic(ret_arena))
ISTI_EXPORT(ist_status, ist_arena_retain, (ist_arena arena), ist_arena_retain(arena))
ISTI_EXPORT(ist_status, ist_arena_drop, (ist_arena arena), ist_arena_drop(arena))
ISTI_EXPORT(ist_arena, ist_arena_take, (ist_arena * arena), ist_arena_take(arena))

/* ---- access.h ---- */
#define EXPORT_ACCESSORS(name, type, bits, alignment, swapped)                                   \
    ISTI_EXPORT(ist_status, ist_get_##name,                                                      \
                (const ist_segment *segment, size_t offset, type *ret_value),                    \
                ist_get_##name(*segment, offset, ret_value))                                     \
    ISTI_EXPORT(ist_status, ist_set_##name,                                                      \
                (const ist_segment *segment, size_t offset, type value),                         \
                ist_set_##name(*segment, offset, value))                                         \
    ISTI_EXPORT(type, ist_read_##name, (const ist_segment *segment, size_t offset),              \
                ist_read_##name(*segment, offset))                                               \
    ISTI_EXPORT(void, ist_write_##name, (const ist_segment *segment, size_t offset, type value), \
                ist_write_##name(*segment, offset, value))
ISTI_ACCESSOR_LIST(EXPORT_ACCESSORS)

/* ---- elements.h ---- */
ISTI_EXPORT(int, ist_elements_next, (ist_elements * elements, ist_segment *ret_element),
            ist_elements_next(elements, ret_element))
ISTI_EXPORT(size_t, ist_elements_count, (const ist_elements *elements),
            ist_elements_count(elements))

/* ---- string.h ---- */
ISTI_EXPORT(ist_string, ist_string_of, (const ist_segment *bytes, ist_charset charset),
            ist_string_of(*bytes, charset))

/* ---- host.h ---- */
ISTI_EXPORT(int, ist_host_is_open, (const ist_host_record *record), ist_host_is_open(record))
