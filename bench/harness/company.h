/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_COMPANY_H
#define BENCH_HARNESS_COMPANY_H
/*
 * Threads that run beside the measuring ones while an iteration lasts, and sleep otherwise.
 *
 *     static void spin(void *argument, const struct bench_company *company)
 *     {
 *         while (bench_company_goes_on(company))
 *             ;
 *     }
 *     const struct bench_companion companions[] = { { spin, NULL }, { spin, NULL } };
 *     error = bench_company_open(companions, 2, cores, &company);
 *     bench_company_begin(company);       // Returns when all of them are awake.
 *     ...
 *     bench_company_end(company);         // Returns when all of them have returned.
 *     bench_company_close(company);
 */
#include <stdbool.h>
#include <stddef.h>

struct bench_company;

struct bench_companion {
    /* Runs until it is not to go on; called anew for each iteration. */
    void (*run)(void *argument, const struct bench_company *company);
    void *argument;
};

/*
 * Starts them, asleep. They share the first `cores` processors of the worker, in turn.
 * Returns NULL, or what is wrong.
 */
const char *bench_company_open(const struct bench_companion *companions, size_t count,
                               unsigned cores, struct bench_company **ret_company);
void bench_company_begin(struct bench_company *company);
void bench_company_end(struct bench_company *company);
/* Takes NULL. */
void bench_company_close(struct bench_company *company);

bool bench_company_goes_on(const struct bench_company *company);

/* The processors that `lanes` measuring threads leave to their company, or all if there are none.
 */
unsigned bench_company_cores(unsigned lanes);

/* Threads in all companies of the process. */
unsigned bench_company_size(void);

#endif
