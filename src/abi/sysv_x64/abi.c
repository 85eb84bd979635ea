/* SPDX-License-Identifier: MIT */
/* The System V ABI for x86-64, as data. */
#include "abi/sysv_x64/sysv_x64.h"

static const char *const general_names[] = { "rdi", "rsi", "rdx", "rcx", "r8", "r9" };
static const char *const general_result_names[] = { "rax", "rdx" };

const isti_abi isti_sysv_x64 = { .name = "sysv-x64",
                                 .general_names = general_names,
                                 .general_result_names = general_result_names,
                                 .general_count = ISTI_X64_GENERAL_COUNT,
                                 .vector_count = ISTI_X64_VECTOR_COUNT,
                                 .general_result_count = 2,
                                 .vector_result_count = 2,
                                 .classify = isti_x64_sign,
                                 .arrange = isti_x64_arrange };
