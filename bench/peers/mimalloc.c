/* SPDX-License-Identifier: MIT */
/*
 * Subject mimalloc: mi_calloc and mi_free, which are also what the library puts in the place of the
 * C library's functions.
 */
#include <mimalloc.h>

#include "tables/calloc_rows.h"

const struct calloc_pair calloc_pair = { mi_calloc, mi_free };

static const struct bench_symbol symbols[] = {
    { "mi_calloc", (void *)mi_calloc, "libmimalloc.so." },
    { "mi_free", (void *)mi_free, "libmimalloc.so." },
};

const struct bench_subject bench_subject = { CALLOC_SUBJECT("mimalloc", symbols) };
