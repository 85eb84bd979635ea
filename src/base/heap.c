/* SPDX-License-Identifier: MIT */
/* The system allocator behind scripted failures, with errno kept as it was. */
#include "base/heap.h"

#include "base/contract.h"
#include "base/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *isti_heap_alloc(size_t size)
{
    int saved = errno;
    void *block = isti_fault_strikes() ? NULL : malloc(size);
    errno = saved;
    return block;
}

void *isti_heap_alloc_zeroed(size_t size)
{
    int saved = errno;
    void *block = isti_fault_strikes() ? NULL : calloc(1, size);
    errno = saved;
    return block;
}

void *isti_heap_alloc_aligned_zeroed(size_t size, size_t alignment)
{
    ISTI_ASSERT(size % alignment == 0);
    int saved = errno;
    void *block = isti_fault_strikes() ? NULL : aligned_alloc(alignment, size);
    errno = saved;
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

void isti_heap_free(void *block)
{
    int saved = errno;
    free(block);
    errno = saved;
}
