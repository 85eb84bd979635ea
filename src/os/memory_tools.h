/* SPDX-License-Identifier: MIT */
#ifndef ISTI_OS_MEMORY_TOOLS_H
#define ISTI_OS_MEMORY_TOOLS_H
/*
 * AddressSanitizer and Valgrind, as far as the library cares: is one of them watching, and may a
 * range be touched. The library itself need not be built for either: a sanitized program brings its
 * runtime along, and Valgrind is asked by instructions that do nothing elsewhere.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool isti_tools_watch(void);
/* Any touch is reported from now on, until shown again. */
void isti_tools_hide(const void *start, size_t size);
/* The range may be touched; its bytes are as if just written. */
void isti_tools_show(const void *start, size_t size);

/*
 * ThreadSanitizer: is it watching, and an order that it cannot see because the library is not built
 * for it. What a thread did before a release of the address happens before what another does behind
 * an acquire of it.
 */
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static inline bool isti_tools_watch_races(void)
{
    return __tsan_acquire != NULL;
}

static inline void isti_tools_acquire(const void *address)
{
    if (__tsan_acquire != NULL)
        __tsan_acquire((void *)(uintptr_t)address);
}

static inline void isti_tools_release(const void *address)
{
    if (__tsan_release != NULL)
        __tsan_release((void *)(uintptr_t)address);
}

#endif
