/* SPDX-License-Identifier: MIT */
#ifndef USAGE_H
#define USAGE_H
/* What the two translation units of the usage test share. */
#include <isthmus/arena.h>

IST_BEGIN_DECLS
/* Allocates 8 bytes from the arena and stores 42 there. */
ist_status usage_allocate_elsewhere(ist_arena arena, ist_segment *ret_segment);
IST_END_DECLS
#endif
