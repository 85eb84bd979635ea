/* SPDX-License-Identifier: MIT */
/* The lanes of AcquireReleaseClose, the same for all subjects. */
#include "tables/acquire_release.h"

#include <stdlib.h>

const char *acquire_enter(void *stage, unsigned lane, void **ret_state)
{
    struct acquire_lane *state = calloc(1, sizeof *state);
    if (state == NULL)
        return "out of memory";
    state->stage = stage;
    state->lane = lane;
    *ret_state = state;
    return NULL;
}

const char *acquire_check(void *state, uint64_t rounds)
{
    const struct acquire_lane *lane = state;
    if (rounds == 0 || lane->count != rounds)
        return "not every operation was counted";
    return lane->failed != 0 ? "an acquire or a release was refused" : NULL;
}

void acquire_teardown(void *state)
{
    free(state);
}
