/* SPDX-License-Identifier: MIT */
/*
 * Subject liburcu: a read-side critical section of the flavour memb, whose light fence is the same
 * as that of Isthmus, as its headers inline it (_LGPL_SOURCE) for a registered thread. Check:
 * inside it the library says that the thread is reading, and after it a grace period ends.
 */
#define RCU_MEMB
#define _LGPL_SOURCE
#include <urcu.h>

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

static const char *enter(void *stage, unsigned lane, void **ret_state)
{
    rcu_register_thread();
    rcu_read_lock();
    int reading = rcu_read_ongoing();
    rcu_read_unlock();
    return reading && !rcu_read_ongoing() ? acquire_enter(stage, lane, ret_state)
                                          : "a read-side critical section is none";
}

static void run_read(void *argument, uint64_t rounds)
{
    struct acquire_lane *lane = argument;
    uint64_t count = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        rcu_read_lock();
        count++;
        bench_hide(count);
        rcu_read_unlock();
    }
    lane->count += count;
}

static const char *check(void *state, uint64_t rounds)
{
    if (rcu_read_ongoing())
        return "a read-side critical section did not end";
    synchronize_rcu();
    return acquire_check(state, rounds);
}

static void teardown(void *state)
{
    rcu_unregister_thread();
    acquire_teardown(state);
}

static const struct bench_stage stage = { .open = open_nothing, .close = close_nothing };

static const struct bench_row rows[] = {
    { ACQUIRE_ROW, .method = "rcu_read", .answers = "hold,detached", .stage = &stage,
      .enter = enter, .run = run_read, .check = check, .teardown = teardown },
};

static const struct bench_table table = { rows, sizeof rows / sizeof rows[0] };

static const struct bench_symbol symbols[] = {
    { "rcu_register_thread", (void *)rcu_register_thread, "liburcu" },
    { "synchronize_rcu", (void *)synchronize_rcu, "liburcu" },
};

const struct bench_subject bench_subject = {
    .name = "liburcu",
    .tables = (const struct bench_table *const[]){ &table },
    .table_count = 1,
    .symbols = symbols,
    .symbol_count = sizeof symbols / sizeof symbols[0],
};
