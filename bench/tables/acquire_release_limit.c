/* SPDX-License-Identifier: MIT */
/* AcquireReleaseClose, the floor: counting. */
#include "tables/acquire_release.h"

static const char *open_nothing(const char *params, unsigned threads, void **ret_stage)
{
    (void)params;
    (void)threads;
    *ret_stage = NULL;
    return NULL;
}

static const char *close_nothing(void *stage)
{
    (void)stage;
    return NULL;
}

static void run_count(void *argument, uint64_t rounds)
{
    struct acquire_lane *lane = argument;
    uint64_t count = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        count++;
        bench_hide(count);
    }
    lane->count += count;
}

static const struct bench_stage stage = { .open = open_nothing, .close = close_nothing };

static const struct bench_row rows[] = {
    { ACQUIRE_ROW, .method = "count", .answers = "*", .stage = &stage, .enter = acquire_enter,
      .run = run_count, .check = acquire_check, .teardown = acquire_teardown },
};

const struct bench_table acquire_table = { rows, sizeof rows / sizeof rows[0] };
