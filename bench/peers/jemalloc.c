/* SPDX-License-Identifier: MIT */
/*
 * Subject jemalloc: linked, so that its calloc and free take the place of the C library's; Debian's
 * library has no names of its own and cannot be loaded with dlopen().
 */
#include <stdlib.h>

#include "tables/calloc_rows.h"

const struct calloc_pair calloc_pair = { calloc, free };

static const struct bench_symbol symbols[] = {
    { "calloc", (void *)calloc, "libjemalloc.so." },
    { "free", (void *)free, "libjemalloc.so." },
};

const struct bench_subject bench_subject = { CALLOC_SUBJECT("jemalloc", symbols) };
