/* SPDX-License-Identifier: MIT */
/*
 * SegmentAccess, the floor of with_read_f64: a plain sum, at -O3 with the additions reassociated,
 * which is what lets a compiler vectorise it. Its counterpart is checked_read.c.
 */
#include "tables/segment_access.h"

int64_t ACCESS_KERNEL_NAME(BENCH_COMPILER, with_read_f64)(const void *target, size_t count,
                                                          int64_t seed)
{
    const double *row = target;
    double sum = 0;
    (void)seed;
    for (size_t i = 0; i < count; i++)
        sum += row[i];
    return (int64_t)sum;
}
