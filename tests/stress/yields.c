/* SPDX-License-Identifier: MIT */
/*
 * Where a program and the library in it are built with -finstrument-functions: at the beginning and end of each function, inlines as
 * well, and so between nearly all steps of the protocol, the thread now and then passes some time or lets another one run.
 */
#include <sched.h>
#include <stdint.h>

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static __thread uint64_t numbers;

__attribute__((no_instrument_function)) static void point(void)
{
    numbers = numbers * UINT64_C(6364136223846793005) + ((uint64_t)(uintptr_t)&numbers | 1);
    uint64_t number = numbers >> 40;
    if (number % 4096 == 0)
        sched_yield();
    for (uint64_t left = number % 64 == 1 ? number / 64 % 256 : 0; left != 0; left--)
        __asm__ __volatile__("" ::: "memory");
}

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)function;
    (void)caller;
    point();
}

__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
    point();
}
