/* SPDX-License-Identifier: MIT */
#ifndef TEST_SHARED_FILTER_H
#define TEST_SHARED_FILTER_H
/*
 * Filters for system calls (seccomp): the kernel itself sees each one, whoever makes it, and nothing has to be parsed or counted. A filter stays for
 * the rest of the process, and over an exec: install it in a child. False: the kernel has none.
 */
#include <stdbool.h>

/* Any system call but exit_group ends the process by SIGSYS. */
bool filter_all(void);

/* This one fails with `failure`; all others are as ever. */
bool filter_refuse(int number, int failure);

#endif
