/* SPDX-License-Identifier: MIT */
#ifndef ISTI_ACCESS_MAKER_H
#define ISTI_ACCESS_MAKER_H
/*
 * Making something of layouts in an arena, or nothing.
 *
 *     isti_maker maker;
 *     if (isti_maker_begin(&maker, arena, "layout of a sequence") != IST_OK)
 *         return maker.problem.status;
 *     isti_sequence(&maker.scratch, count, element, &maker.layout, &maker.problem);
 *     return isti_maker_end(&maker, ret_layout);
 *
 * What is made lies in scratch memory first and moves into the arena when it is whole: a failure leaves
 * the arena as it was, unless it is the arena's memory that ends in the middle.
 */
#include "layout/layout.h"

typedef struct isti_maker {
    isti_store scratch; /* Borrows: ends with isti_maker_end(). */
    isti_store store;   /* The arena's. */
    ist_arena arena;
    const char *operation;
    void *blocks; /* Of scratch memory, newest first. */
    isti_problem problem;
    const ist_layout *layout;
} isti_maker;

/* The arena is open to this thread, or the failure is recorded. Neither owns anything then. */
ist_status isti_maker_begin(isti_maker *maker, ist_arena arena, const char *operation);
/* The same for work that leaves nothing in an arena; cannot fail. Ends with isti_maker_drop(). */
void isti_maker_begin_scratch(isti_maker *maker, const char *operation);
/* Gives back the scratch memory, or records the problem as well. */
ist_status isti_maker_drop(isti_maker *maker);
/* Moves maker->layout into the arena, or records the problem; gives back the scratch memory. */
ist_status isti_maker_end(isti_maker *maker, const ist_layout **ret_layout);

/* The memory of an arena as a store; the arena stays where it is. */
isti_store isti_arena_store(ist_arena *arena);

/* Makes a problem the thread's last failure. */
ist_status isti_problem_fail(const isti_problem *problem, const char *operation);

#endif
