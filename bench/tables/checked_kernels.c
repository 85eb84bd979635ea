/* SPDX-License-Identifier: MIT */
/*
 * SegmentAccess, checked: every element through ist_get_* or ist_set_*, at -O2 without vectoriser
 * and unrolling, once per compiler (BENCH_COMPILER is its name).
 *
 * What the object code (gcc 12, clang 14, x86-64) keeps in the loop, and why:
 *   - the loads of the session's `owner` and `state`, each with its compare: they are relaxed
 *     atomics, which a compiler neither merges nor moves out, and must not, since a close between
 *     two iterations has to be seen;
 *   - the thread's serial, which `owner` is compared with: a plain thread-local, but the loop holds
 *     a call (of the failing path) that might change it;
 *   - the bounds test: the compiler does not know that count x size fits the segment;
 *   - the test of alignment and kind, the branch for shared sessions: one on a register that does
 *     not change. At -O2 neither compiler makes two loops of one (unswitching).
 * What it does hoist: the segment's fields, size - (bytes - 1), the session pointer, and the
 * alignment, since the stride is a multiple of it; clang also the thread-local's offset. A segment
 * of a shared arena (SharedAccess) takes the branch in each iteration: the slot pointer is loaded,
 * the slot set, owner and state loaded and compared, the value read, the slot cleared. Through a
 * path (path_*) the same is left, and each open index against a bound that is computed before the
 * loop out of all that does not change: the leaf's type, the root's bounds and alignment.
 */
#include <isthmus/isthmus.h>

#include "tables/access_target.h"
#include "tables/segment_access.h"

int64_t ACCESS_KERNEL_NAME(BENCH_COMPILER, get_i32)(const void *target, size_t count, int64_t seed)
{
    ist_segment segment = *(const ist_segment *)target;
    int64_t sum = 0;
    (void)seed;
    for (size_t i = 0; i < count; i++) {
        int32_t value = 0;
        if (ist_get_i32(segment, i * sizeof value, &value) != IST_OK)
            return ACCESS_REFUSED;
        sum += value;
    }
    return sum;
}

int64_t ACCESS_KERNEL_NAME(BENCH_COMPILER, get_i64)(const void *target, size_t count, int64_t seed)
{
    ist_segment segment = *(const ist_segment *)target;
    int64_t sum = 0;
    (void)seed;
    for (size_t i = 0; i < count; i++) {
        int64_t value = 0;
        if (ist_get_i64(segment, i * sizeof value, &value) != IST_OK)
            return ACCESS_REFUSED;
        sum += value;
    }
    return sum;
}

int64_t ACCESS_KERNEL_NAME(BENCH_COMPILER, set_i64)(const void *target, size_t count, int64_t seed)
{
    ist_segment segment = *(const ist_segment *)target;
    for (size_t i = 0; i < count; i++) {
        if (ist_set_i64(segment, i * sizeof(int64_t), seed + (int64_t)i) != IST_OK)
            return ACCESS_REFUSED;
    }
    return seed;
}

int64_t
ACCESS_KERNEL_NAME(BENCH_COMPILER, path_get_f64)(const void *target, size_t count, int64_t seed)
{
    const struct access_target *points = target;
    const ist_segment segment = points->segment;
    const ist_path y = points->y;
    double sum = 0;
    (void)seed;
    for (size_t i = 0; i < count; i++) {
        double value = 0;
        if (ist_path_get_f64(&y, segment, 0, &i, 1, &value) != IST_OK)
            return ACCESS_REFUSED;
        sum += value;
    }
    return (int64_t)sum;
}

int64_t
ACCESS_KERNEL_NAME(BENCH_COMPILER, path_set_i64)(const void *target, size_t count, int64_t seed)
{
    const struct access_target *pairs = target;
    const ist_segment segment = pairs->segment;
    const ist_path second = pairs->second;
    for (size_t i = 0; i < count; i++) {
        if (ist_path_set_i64(&second, segment, i * sizeof(struct access_pair), NULL, 0,
                             seed + (int64_t)i) != IST_OK)
            return ACCESS_REFUSED;
    }
    return seed;
}

/* One hold, then plain reads: nothing of the above is left in the loop. */
int64_t
ACCESS_KERNEL_NAME(BENCH_COMPILER, get_i32_held)(const void *target, size_t count, int64_t seed)
{
    ist_segment segment = *(const ist_segment *)target;
    ist_status status;
    int64_t sum = 0;
    (void)seed;
    IST_WITH_READ (int32_t, elements, segment, 0, count, status) {
        for (size_t i = 0; i < count; i++)
            sum += elements[i];
    }
    return status == IST_OK ? sum : ACCESS_REFUSED;
}
