/* SPDX-License-Identifier: MIT */
/* The inlines of <isthmus/path_access.h> as exported symbols; see the header. */
#include "base/export.h"

#include <isthmus/path_access.h>

#define EXPORT_PATH_ACCESSORS(name, type, bits, sort)                                              \
    ISTI_EXPORT(ist_status, ist_path_get_##name,                                                   \
                (const ist_path *path, const ist_segment *segment, size_t base_offset,             \
                 const size_t *indexes, size_t index_count, type *ret_value),                      \
                ist_path_get_##name(path, *segment, base_offset, indexes, index_count, ret_value)) \
    ISTI_EXPORT(ist_status, ist_path_set_##name,                                                   \
                (const ist_path *path, const ist_segment *segment, size_t base_offset,             \
                 const size_t *indexes, size_t index_count, type value),                           \
                ist_path_set_##name(path, *segment, base_offset, indexes, index_count, value))
ISTI_PATH_LIST(EXPORT_PATH_ACCESSORS)
EXPORT_PATH_ACCESSORS(bool, int, 8, BOOL)
