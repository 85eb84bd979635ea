/* SPDX-License-Identifier: MIT */
#ifndef ISTI_OS_BARRIER_H
#define ISTI_OS_BARRIER_H
/*
 * membarrier(PRIVATE_EXPEDITED): a full barrier on every running thread of the process. errno is
 * left alone. pre of isti_barrier_all(): isti_barrier_register() returned true in this process or
 * the one it was forked from.
 */
#include <stdbool.h>

/* False: the kernel does not offer it, or refuses. */
bool isti_barrier_register(void);
/* Returns 0 or the errno of the failure. */
int isti_barrier_all(void);

#endif
