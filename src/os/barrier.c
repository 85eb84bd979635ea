/* SPDX-License-Identifier: MIT */
/* The system call, which glibc does not wrap. */
#include "os/barrier.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static int membarrier(int command)
{
    int saved = errno;
    int failure = syscall(SYS_membarrier, command, 0, 0) < 0 ? errno : 0;
    errno = saved;
    return failure;
}

bool isti_barrier_register(void)
{
    /* The first call shows what a filter may forbid that the registration did not. */
    return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 &&
           membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0;
}

int isti_barrier_all(void)
{
    return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}
