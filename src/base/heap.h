/* SPDX-License-Identifier: MIT */
#ifndef ISTI_BASE_HEAP_H
#define ISTI_BASE_HEAP_H
/*
 * The system allocator. NULL where it refuses (or a test has it refuse); errno is left alone either
 * way.
 */
#include <stddef.h>

void *isti_heap_alloc(size_t size);
void *isti_heap_alloc_zeroed(size_t size);
/* At a multiple of `alignment`, a power of two. */
void *isti_heap_alloc_aligned(size_t size, size_t alignment);
/* `size` zeroed bytes at a multiple of `alignment`. */
void *isti_heap_alloc_aligned_zeroed(size_t size, size_t alignment);
void isti_heap_free(void *block);

#endif
