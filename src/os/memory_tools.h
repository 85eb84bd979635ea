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

#endif
