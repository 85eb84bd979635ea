/* SPDX-License-Identifier: MIT */
#ifndef ISTI_OS_PAGES_H
#define ISTI_OS_PAGES_H
/* Private, zeroed, writable memory from the kernel, in whole pages. errno is left alone. */
#include <stddef.h>

/* Rounds `size` up to whole pages. NULL if the kernel refuses, or a test has it refuse. */
void *isti_pages_map(size_t size);
void isti_pages_unmap(void *pages, size_t size);

#endif
