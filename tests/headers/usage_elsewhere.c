/* SPDX-License-Identifier: MIT */
/* The same inlines once more: two translation units of a program share the thread's words, and nothing is defined twice. */
#include <isthmus/access.h>

#include "usage.h"

ist_status usage_allocate_elsewhere(ist_arena arena, ist_segment *ret_segment)
{
    ist_status status = ist_arena_allocate(arena, sizeof(int64_t), sizeof(int64_t), ret_segment);
    return status != IST_OK ? status : ist_set_i64(*ret_segment, 0, 42);
}
