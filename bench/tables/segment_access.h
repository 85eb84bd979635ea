/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLES_SEGMENT_ACCESS_H
#define BENCH_TABLES_SEGMENT_ACCESS_H
/*
 * SegmentAccess: what does a checked access cost beside a plain one, element by element?
 *
 * The same loops, checked (subject isthmus) and plain (subject limit), by each compiler there is:
 * `get_*` and `set_*` at -O2 without vectoriser and unrolling, where the check cannot hide behind
 * a loop transformation; `with_read_f64` at -O3, vectorised, where the check happened once.
 * `path_*` touch one member of each struct in an array, through a resolved path: get by an open
 * index, set by the base offset.
 * 1024 elements: all of it stays in the first-level cache, where the loads themselves are cheap.
 *
 * What would make these numbers a lie:
 *   - a vectorised plain loop beside a scalar checked one in the get and set rows: see the options;
 *   - a check that the compiler drops: the object code is the proof, see checked_kernels.c;
 *   - code placement: both are compiled with loops aligned to 32 bytes.
 */
#include <stddef.h>
#include <stdint.h>

#include "harness/row.h"

#define ACCESS_COUNT 1024
#define ACCESS_MAX_BYTES (ACCESS_COUNT * sizeof(struct access_point))

/* The elements of path_get_f64 and path_set_i64, which touch the second member. */
struct access_point {
    double x, y;
};
struct access_pair {
    int64_t first, second;
};

/*
 * One pass over ACCESS_COUNT elements. The target is a plain array for limit, an access_target for
 * isthmus, in SharedAccess an ist_segment. Reading loops return the sum; writing ones store seed +
 * index and return the seed; an access that is refused returns ACCESS_REFUSED.
 */
typedef int64_t access_kernel(const void *target, size_t count, int64_t seed);
#define ACCESS_REFUSED INT64_MIN

/* The kernels of one compiler: access_gcc_get_i32 and so on. */
#define ACCESS_KERNEL_NAME_(compiler, name) access_##compiler##_##name
#define ACCESS_KERNEL_NAME(compiler, name) ACCESS_KERNEL_NAME_(compiler, name)
#define ACCESS_DECLARE(compiler)                                                                   \
    access_kernel ACCESS_KERNEL_NAME(compiler, get_i32), ACCESS_KERNEL_NAME(compiler, get_i64),    \
        ACCESS_KERNEL_NAME(compiler, set_i64), ACCESS_KERNEL_NAME(compiler, with_read_f64),        \
        ACCESS_KERNEL_NAME(compiler, path_get_f64), ACCESS_KERNEL_NAME(compiler, path_set_i64)
ACCESS_DECLARE(gcc);
ACCESS_DECLARE(clang);

/* In isthmus only, for SharedAccess: get_i32 through the pointer of one hold. */
access_kernel ACCESS_KERNEL_NAME(gcc, get_i32_held), ACCESS_KERNEL_NAME(clang, get_i32_held);

/* A subject's memory of ACCESS_MAX_BYTES, as its kernels want it and as plain bytes. */
struct access_memory {
    const void *target;
    void *bytes;
};
/* Returns NULL, or what is wrong. */
const char *access_memory_open(struct access_memory *ret_memory);
void access_memory_close(struct access_memory *memory);

extern const struct bench_table access_table;

/* The compilers there are, and the one that thinned tables take. */
#if defined(BENCH_WITH_GCC) && defined(BENCH_WITH_CLANG)
#define ACCESS_COMPILERS "compiler=gcc,clang"
#define ACCESS_COMPILER "compiler=gcc"
#define ACCESS_SKIPPED NULL
#elif defined(BENCH_WITH_GCC)
#define ACCESS_COMPILERS "compiler=gcc"
#define ACCESS_COMPILER "compiler=gcc"
#define ACCESS_SKIPPED                                                                             \
    "SegmentAccess, SharedAccess compiler=clang (clang was not found at configure time)"
#else
#define ACCESS_COMPILERS "compiler=clang"
#define ACCESS_COMPILER "compiler=clang"
#define ACCESS_SKIPPED                                                                             \
    "SegmentAccess, SharedAccess compiler=gcc (gcc was not found at configure time)"
#endif

#endif
