/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLES_CONCURRENT_CLOSE_H
#define BENCH_TABLES_CONCURRENT_CLOSE_H
/*
 * ConcurrentClose: what does closing shared arenas cost the threads that have nothing to do with
 * them?
 *
 * Three threads: one opens and closes empty shared arenas, one sums 10,000 bytes of a segment of
 * the global arena with checked accesses (segment_reader), one sums 10,000 bytes of a plain array
 * (unrelated). Each row measures one of the three while the other two run. `_escaped`: a fourth
 * thread has held each arena, which makes its close interrupt every running thread of the process
 * once; it sleeps otherwise.
 *
 * Rate: closes a second; none, there is no closer: the same threads without it, and the baseline of
 * all bystanders; flat, as many as the closer manages. What the closer made is counted (`closes`),
 * and
 * `/baseline` says too what each close took from the bystander. The floor: plain sums by both
 * bystanders, with a bare membarrier at the same rate in the place of the closer; and the bare
 * call, or one compare-and-swap, for the closer's own rows.
 *
 * Threads outnumber cores on a small machine: the measured thread has the last core to itself, the
 * others share what is left, and the score is processor time per operation, the wall time being in
 * the JSON.
 *
 * What would make these numbers a lie:
 *   - a closer that the scheduler starves, so that nothing is closed: `closes` says how many there
 *     were, and the library's counters must agree with the closer on how many had escaped;
 *   - a bystander that sleeps, or is interrupted on another core than the one it runs on: it has a
 * core of its own, and never waits;
 *   - a kernel that does not charge interrupts to the thread that they interrupt
 *     (CONFIG_IRQ_TIME_ACCOUNTING): processor time then hides the cost of `_escaped`, and the wall
 * time is the one to look at;
 *   - a low rate: 1000 closes a second at a microsecond each are 0.1 %, less than the A/A spread of
 * most machines. What one close takes is to be read off the flat row;
 *   - sums that a compiler vectorises or skips: each byte's sum passes through an opaque register.
 */
#include <stddef.h>
#include <stdint.h>

#include "harness/company.h"
#include "harness/row.h"
#include "harness/sink.h"

#define CONCURRENT_BYTES 10000
#define CONCURRENT_SUM ((int64_t)CONCURRENT_BYTES * 3) /* Every byte is 3. */

#define CONCURRENT_ROW .class_name = "ConcurrentClose", .unit = "us/op", .clock = BENCH_CPU
#define BYSTANDER_ROW                                                                              \
    CONCURRENT_ROW, .params = "rate=none,1000,10000,flat;threads=1",                               \
                    .quick_params = "rate=flat;threads=1"
#define BYSTANDER_ESCAPED_ROW                                                                      \
    CONCURRENT_ROW, .params = "rate=1000,10000,flat;threads=1",                                    \
                    .quick_params = "rate=10000,flat;threads=1"
#define FLOOR_ROW                                                                                  \
    CONCURRENT_ROW, .params = "rate=none,1000,10000,flat;threads=1",                               \
                    .quick_params = "rate=10000,flat;threads=1"
#define CLOSER_ROW CONCURRENT_ROW, .params = "rate=flat;threads=1"

/* The rate of a combination: 0 for flat. False if it is none of the above. `none` has no closer. */
int concurrent_rate(const char *params, uint64_t *ret_rate, int *ret_none);

/* One sum over a plain array; both subjects' `unrelated`. */
static inline int64_t concurrent_sum(const unsigned char *bytes)
{
    int64_t sum = 0;
    for (size_t i = 0; i < CONCURRENT_BYTES; i++) {
        sum += bytes[i];
        bench_hide(sum);
    }
    return sum;
}

/* An array that has the sum. */
extern unsigned char concurrent_bytes[CONCURRENT_BYTES];
void concurrent_fill(void);

/* The bystander of that name as a companion. Its argument: an int64_t that becomes 1 if a sum was
 * wrong. */
void concurrent_unrelated(void *argument, const struct bench_company *company);

extern const struct bench_table concurrent_table;

#endif
