/* SPDX-License-Identifier: MIT */
#ifndef ISTI_MEMORY_SWAP_H
#define ISTI_MEMORY_SWAP_H
/* Moving elements while the bytes of each are reversed. */
#include "memory/bulk.h"

/*
 * The move for elements of this size, at any address; what it moves is a multiple of the size.
 * `wide`: the processor has AVX2. NULL: elements of this size have no byte order (they are not of
 * 1, 2, 4, 8 or 16 bytes).
 */
isti_move_fn *isti_swap_move(size_t element_size, bool wide);

#endif
