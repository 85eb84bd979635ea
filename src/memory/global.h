/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_GLOBAL_H
#define ISTI_MEMORY_GLOBAL_H
/* The global arena's memory: any thread, behind a lock, never given back. */
#include <stdbool.h>
#include <stddef.h>

/* A block. NULL: out of memory. */
void *isti_global_take(size_t size, size_t alignment, bool zeroed);

#endif
