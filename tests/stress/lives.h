/* SPDX-License-Identifier: MIT */
#ifndef TEST_STRESS_LIVES_H
#define TEST_STRESS_LIVES_H
/* What users of lives need from their churners. */
#include "stress.h"

/* A copy of the life that is published there. False: none is, at the moment. */
bool read_life(uint64_t index, life *ret_life);

/* Whether a close of it has returned IST_OK. */
bool is_over(const life *seen);

/* Closes it and checks the answer. */
ist_status close_life(worker *self, const life *target);
void close_lives(worker *self);

/* Passes some time, up to about that many cycles. */
void pause_for(worker *self, uint64_t most);

#endif
