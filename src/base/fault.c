/* SPDX-License-Identifier: MIT */
/*
 * Counts requests for memory and refuses the chosen one; see the header. Compiled into test builds
 * only.
 */
#include "base/fault.h"

#include <stdatomic.h>

#if ISTI_FAULTS
static atomic_size_t requests;
static atomic_size_t chosen;

void isti_fault_arm(size_t nth)
{
    atomic_store(&requests, 0);
    atomic_store(&chosen, nth);
}

size_t isti_fault_disarm(void)
{
    atomic_store(&chosen, 0);
    return atomic_load(&requests);
}

bool isti_fault_strikes(void)
{
    size_t number = atomic_fetch_add(&requests, 1) + 1;
    return number == atomic_load(&chosen);
}
#else
typedef int isti_fault_is_for_test_builds;
#endif
