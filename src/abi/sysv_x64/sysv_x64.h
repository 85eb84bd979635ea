/* SPDX-License-Identifier: MIT */
#ifndef ISTI_ABI_SYSV_X64_SYSV_X64_H
#define ISTI_ABI_SYSV_X64_SYSV_X64_H
/*
 * The two steps of the System V ABI for x86-64; see isti_abi for what they promise.
 */
#include "abi/plan.h"

#define ISTI_X64_GENERAL_COUNT 6
#define ISTI_X64_VECTOR_COUNT 8

ist_status isti_x64_sign(const ist_function *function, const isti_classify_options *options,
                         isti_signature *signature, isti_problem *problem);
ist_status isti_x64_arrange(const isti_signature *signature, const isti_store *store,
                            const isti_plan **ret_plan, isti_problem *problem);

#endif
