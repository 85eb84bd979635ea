/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLES_ACCESS_TARGET_H
#define BENCH_TABLES_ACCESS_TARGET_H
/* What the kernels of SegmentAccess get in isthmus: a segment, and the paths of the path_* rows. */
#include <isthmus/isthmus.h>

struct access_target {
    ist_segment segment; /* First: a kernel without a path takes no more. */
    ist_path y;          /* Of struct access_point in an array of them: one open index. */
    ist_path second;     /* Of struct access_pair: walked by the base offset. */
};

#endif
