/* SPDX-License-Identifier: MIT */
/*
 * Talks to AddressSanitizer through weak symbols, which a sanitized program defines and any other
 * leaves NULL, and to Valgrind through its client requests where its header was there at build
 * time.
 */
#include "os/memory_tools.h"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define RUNNING_ON_VALGRIND 0
#define VALGRIND_MAKE_MEM_NOACCESS(start, size) ((void)(start), (void)(size))
#define VALGRIND_MAKE_MEM_DEFINED(start, size) ((void)(start), (void)(size))
#endif

extern void __asan_poison_memory_region(const void *start, size_t size) __attribute__((weak));
extern void __asan_unpoison_memory_region(const void *start, size_t size) __attribute__((weak));

bool isti_tools_watch(void)
{
    return __asan_poison_memory_region != NULL || RUNNING_ON_VALGRIND;
}

void isti_tools_hide(const void *start, size_t size)
{
    if (__asan_poison_memory_region != NULL)
        __asan_poison_memory_region(start, size);
    (void)VALGRIND_MAKE_MEM_NOACCESS(start, size);
}

void isti_tools_show(const void *start, size_t size)
{
    if (__asan_unpoison_memory_region != NULL)
        __asan_unpoison_memory_region(start, size);
    (void)VALGRIND_MAKE_MEM_DEFINED(start, size);
}
