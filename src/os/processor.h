/* SPDX-License-Identifier: MIT */
#ifndef ISTI_OS_PROCESSOR_H
#define ISTI_OS_PROCESSOR_H
/* What the processor can do beyond what every one of its kind can. */
#include <stdbool.h>

/* Stores of 32 bytes; the kernel saves their registers. */
static inline bool isti_processor_has_avx(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init(); /* We may be called before the constructor that does it. */
    return __builtin_cpu_supports("avx");
#else
    return false;
#endif
}

/* Integers of 32 bytes, in a function that is compiled with ISTI_TARGET_AVX2. */
static inline bool isti_processor_has_avx2(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

#if defined(__x86_64__)
#define ISTI_TARGET_AVX2 __attribute__((target("avx2")))
#else
#define ISTI_TARGET_AVX2
#endif

#endif
