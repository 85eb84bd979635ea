/* SPDX-License-Identifier: MIT */
/*
 * The state behind the rows of AllocTest and AllocCompoundTest, the same for all subjects.
 * Invariant: order holds 51 times 8, 48 times 0 and once 16, in one fixed shuffled order, so that
 * all subjects and runs meet the same sequence of branches.
 * Not done here: allocating; each subject does that its own way.
 */
#include <stdlib.h>

#include "harness/params.h"
#include "tables/alloc_test.h"

#define COMPOUND_EIGHTS 51
#define COMPOUND_SIXTEENS 1

/* A linear congruential step (Knuth's MMIX constants); the high bits are the good ones. */
static unsigned next_random(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*random >> 33);
}

static void shuffle_order(uint8_t order[COMPOUND_ARENAS])
{
    for (unsigned i = 0; i < COMPOUND_ARENAS; i++) {
        if (i < COMPOUND_EIGHTS)
            order[i] = 8;
        else
            order[i] = i < COMPOUND_EIGHTS + COMPOUND_SIXTEENS ? 16 : 0;
    }
    uint64_t random = 1;
    for (unsigned i = COMPOUND_ARENAS - 1; i > 0; i--) {
        unsigned other = next_random(&random) % (i + 1);
        uint8_t swapped = order[i];
        order[i] = order[other];
        order[other] = swapped;
    }
}

const char *alloc_setup_unsized(const char *params, void **ret_state)
{
    (void)params;
    struct alloc_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return "out of memory";
    shuffle_order(state->order);
    *ret_state = state;
    return NULL;
}

const char *alloc_setup(const char *params, void **ret_state)
{
    size_t size = bench_params_number(params, "size", ALLOC_MAX_SIZE);
    if (size == 0)
        return "size is not a number from 1 to 1000000";
    const char *error = alloc_setup_unsized(params, ret_state);
    if (error == NULL)
        ((struct alloc_state *)*ret_state)->size = size;
    return error;
}

const char *alloc_check(void *state, uint64_t rounds)
{
    const struct alloc_state *alloc = state;
    if (rounds == 0)
        return "nothing was run";
    if (alloc->failed != 0)
        return "an operation was refused";
    return alloc->seen != 0 ? "a block was not zeroed" : NULL;
}

void alloc_teardown(void *state)
{
    free(state);
}
