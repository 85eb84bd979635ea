/* SPDX-License-Identifier: MIT */
/* Anonymous mappings. */
#include "os/pages.h"

#include "base/contract.h"
#include "base/fault.h"

#include <errno.h>
#include <sys/mman.h>

void *isti_pages_map(size_t size)
{
    int saved = errno;
    void *pages = isti_fault_strikes() ? MAP_FAILED
                                       : mmap(NULL, size, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved;
    return pages == MAP_FAILED ? NULL : pages;
}

void isti_pages_unmap(void *pages, size_t size)
{
    int saved = errno;
    int failed = munmap(pages, size);
    ISTI_ASSERT(failed == 0);
    (void)failed;
    errno = saved;
}
