/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLES_MEMBARRIER_H
#define BENCH_TABLES_MEMBARRIER_H
/*
 * The bare system call behind a heavy fence, for floors: nothing of Isthmus is in it.
 */
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Before the worker has a second thread; returns NULL or what is wrong. */
static inline const char *membarrier_register(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0
               ? NULL
               : "this kernel has no membarrier(PRIVATE_EXPEDITED)";
}

/* Returns 0, or -1. */
static inline long membarrier_execute(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

#endif
