/* SPDX-License-Identifier: MIT */
/*
 * SegmentAccess, the floor: plain loops, at -O2 without vectoriser and unrolling, once per compiler
 * (BENCH_COMPILER is its name). Each has the shape of its counterpart in checked_kernels.c.
 */
#include "tables/segment_access.h"

int64_t ACCESS_KERNEL_NAME(BENCH_COMPILER, get_i32)(const void *target, size_t count, int64_t seed)
{
    const int32_t *elements = target;
    int64_t sum = 0;
    (void)seed;
    for (size_t i = 0; i < count; i++)
        sum += elements[i];
    return sum;
}

int64_t ACCESS_KERNEL_NAME(BENCH_COMPILER, get_i64)(const void *target, size_t count, int64_t seed)
{
    const int64_t *elements = target;
    int64_t sum = 0;
    (void)seed;
    for (size_t i = 0; i < count; i++)
        sum += elements[i];
    return sum;
}

int64_t ACCESS_KERNEL_NAME(BENCH_COMPILER, set_i64)(const void *target, size_t count, int64_t seed)
{
    int64_t *elements = (int64_t *)(uintptr_t)target;
    for (size_t i = 0; i < count; i++)
        elements[i] = seed + (int64_t)i;
    return seed;
}

int64_t
ACCESS_KERNEL_NAME(BENCH_COMPILER, path_get_f64)(const void *target, size_t count, int64_t seed)
{
    const struct access_point *points = target;
    double sum = 0;
    (void)seed;
    for (size_t i = 0; i < count; i++)
        sum += points[i].y;
    return (int64_t)sum;
}

int64_t
ACCESS_KERNEL_NAME(BENCH_COMPILER, path_set_i64)(const void *target, size_t count, int64_t seed)
{
    struct access_pair *pairs = (struct access_pair *)(uintptr_t)target;
    for (size_t i = 0; i < count; i++)
        pairs[i].second = seed + (int64_t)i;
    return seed;
}
