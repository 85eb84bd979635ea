/* SPDX-License-Identifier: MIT */
/* The system allocator behind scripted failures, with errno kept as it was. */
#include "base/heap.h"

#include "base/contract.h"
#include "base/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Volatile: compilers know malloc() and its kin, and take errno to be as it was behind them (clang
 * 14), so that a plain store of the same value would be dropped.
 */
static void restore_errno(int saved)
{
    *(volatile int *)&errno = saved;
}

void *isti_heap_alloc(size_t size)
{
    int saved = errno;
    void *block = isti_fault_strikes() ? NULL : malloc(size);
    restore_errno(saved);
    return block;
}

void *isti_heap_alloc_zeroed(size_t size)
{
    int saved = errno;
    void *block = isti_fault_strikes() ? NULL : calloc(1, size);
    restore_errno(saved);
    return block;
}

void *isti_heap_alloc_aligned(size_t size, size_t alignment)
{
    if (alignment <= _Alignof(max_align_t))
        return isti_heap_alloc(size);
    int saved = errno;
    void *block = NULL;
    if (isti_fault_strikes() || posix_memalign(&block, alignment, size) != 0)
        block = NULL;
    restore_errno(saved);
    return block;
}

void *isti_heap_alloc_aligned_zeroed(size_t size, size_t alignment)
{
    void *block = isti_heap_alloc_aligned(size, alignment);
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

void isti_heap_free(void *block)
{
    int saved = errno;
    free(block);
    restore_errno(saved);
}
