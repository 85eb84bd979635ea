/* SPDX-License-Identifier: MIT */
#ifndef ISTI_OS_MEMORY_TOOLS_H
#define ISTI_OS_MEMORY_TOOLS_H
/*
 * AddressSanitizer and Valgrind, as far as the library cares: is one of them watching, and may a range be touched.
 * The library itself need not be built for either: a sanitized program brings its runtime along, and Valgrind is
 * asked by instructions that do nothing elsewhere.
 */
#include <stdbool.h>
#include <stddef.h>

bool isti_tools_watch(void);
/* Any touch is reported from now on, until shown again. */
void isti_tools_hide(const void *start, size_t size);
/* The range may be touched; its bytes are as if just written. */
void isti_tools_show(const void *start, size_t size);

/*
 * ThreadSanitizer: is it watching, and an order that it cannot see because the library is not built for it. What a thread did before a
 * release of the address happens before what another does behind an acquire of it.
 */
bool isti_tools_watch_races(void);
void isti_tools_acquire(const void *address);
void isti_tools_release(const void *address);

#endif
