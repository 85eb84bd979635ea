/* SPDX-License-Identifier: MIT */
#ifndef ISTI_BASE_FAULT_H
#define ISTI_BASE_FAULT_H
/*
 * Scripted failure: in test builds (ISTI_FAULTS) the n-th request for memory or for a mapping can
 * be made to fail.
 *
 *     isti_fault_arm(3);     // the third request from now on is refused
 *     ...
 *     isti_fault_disarm();   // how many requests were made since
 *
 * In other builds isti_fault_strikes() is the constant false.
 */
#include <stdbool.h>
#include <stddef.h>

#ifndef ISTI_FAULTS
#define ISTI_FAULTS 0
#endif

#if ISTI_FAULTS
/* Refuses the nth request from now, counted over all threads; 0 refuses none and only counts. */
void isti_fault_arm(size_t nth);
size_t isti_fault_disarm(void);
/* Asked once for each request; true: refuse it. */
bool isti_fault_strikes(void);
#else
static inline bool isti_fault_strikes(void)
{
    return false;
}
#endif

#endif
