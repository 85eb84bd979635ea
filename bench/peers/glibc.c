/* SPDX-License-Identifier: MIT */
/*
 * Subject glibc: calloc and free of the C library, which takes a short cut without atomic
 * operations for as long as the process has never had a second thread.
 *   calloc_free           with the short cut: the best that it can do, and what others meet
 *   calloc_free_threaded  after a second thread was started, as in every program with threads; the
 *                         thread sleeps. About three times as long (glibc 2.36)
 * The time of the other subjects does not depend on it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "tables/alloc_test.h"
#include "tables/calloc_rows.h"

const struct calloc_pair calloc_pair = { calloc, free };

static void *sleep_for_ever(void *argument)
{
    for (;;)
        pause();
    return argument;
}

static const char *setup_threaded(const char *params, void **ret_state)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, sleep_for_ever, NULL) != 0)
        return "cannot start a thread";
    return alloc_setup(params, ret_state);
}

static const struct bench_row rows[] = {
    { ALLOC_ROW, .method = "calloc_free_threaded", .setup = setup_threaded, .check = alloc_check,
      .run = calloc_run_alloc },
};

static const struct bench_table table = { rows, sizeof rows / sizeof rows[0] };

static const struct bench_symbol symbols[] = {
    { "calloc", (void *)calloc, "libc.so." },
    { "free", (void *)free, "libc.so." },
};

const struct bench_subject bench_subject = {
    .name = "glibc",
    .tables = (const struct bench_table *const[]){ &calloc_table, &table, &scope_close_table },
    .table_count = 3,
    .symbols = symbols,
    .symbol_count = sizeof symbols / sizeof symbols[0],
};
