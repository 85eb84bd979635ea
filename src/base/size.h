/* SPDX-License-Identifier: MIT */
#ifndef ISTI_BASE_SIZE_H
#define ISTI_BASE_SIZE_H
/*
 * Checked arithmetic on sizes. Each function returns false, and leaves *ret alone, where the result
 * is not representable.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool isti_is_power_of_two(size_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static inline bool isti_size_add(size_t a, size_t b, size_t *ret)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *ret = sum;
    return true;
}

static inline bool isti_size_multiply(size_t a, size_t b, size_t *ret)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *ret = product;
    return true;
}

/* The next multiple of a power of two; the caller knows that it does not wrap. */
static inline uintptr_t isti_align_up(uintptr_t value, size_t alignment)
{
    return (value + (alignment - 1)) & ~(uintptr_t)(alignment - 1);
}

#endif
