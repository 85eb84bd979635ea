/* SPDX-License-Identifier: MIT */
/*
 * SegmentAccess, checked once: the sum of plain_read.c inside IST_WITH_READ, same options. The
 * scope checks range, alignment, owner and state, and holds the arena; the loop has no check.
 */
#include <isthmus/isthmus.h>

#include "tables/segment_access.h"

int64_t ACCESS_KERNEL_NAME(BENCH_COMPILER, with_read_f64)(const void *target, size_t count,
                                                          int64_t seed)
{
    ist_segment segment = *(const ist_segment *)target;
    ist_status status;
    double sum = 0;
    (void)seed;
    IST_WITH_READ(double, row, segment, 0, count, status)
    {
        for (size_t i = 0; i < count; i++)
            sum += row[i];
    }
    return status == IST_OK ? (int64_t)sum : ACCESS_REFUSED;
}
