/* SPDX-License-Identifier: MIT */
#include "filter.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static bool install(int number, uint32_t then, uint32_t otherwise)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, then),
        BPF_STMT(BPF_RET | BPF_K, otherwise),
    };
    struct sock_fprog all = { .len = sizeof program / sizeof program[0], .filter = program };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all, 0, 0) == 0;
}

bool filter_all(void)
{
    return install(SYS_exit_group, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);
}

bool filter_refuse(int number, int failure)
{
    return install(number, SECCOMP_RET_ERRNO | ((uint32_t)failure & SECCOMP_RET_DATA), SECCOMP_RET_ALLOW);
}
