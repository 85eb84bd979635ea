/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLES_ACQUIRE_RELEASE_H
#define BENCH_TABLES_ACQUIRE_RELEASE_H
/*
 * AcquireReleaseClose: what does it cost to keep one shared session open for a moment, when several
 * threads do so at once?
 *
 * One operation: acquire, count, release. All threads use one session:
 *   hold       a thread-bound hold of Isthmus, inlined
 *   detached   a hold that any thread may release
 *   reference  retain and drop of an automatic arena by the thread that opened it, inlined: each
 *              thread has one of its own
 *   simple     one counter, moved by compare-and-swap: how the shared sessions of OpenJDK count
 *   striped    two counters spread over cache lines, full fences and a phase word: OpenJDK's
 * proposed successor of that. Both live here, written for C from their description rcu_read
 * rcu_read_lock and rcu_read_unlock of liburcu, flavour memb, inlined (subject liburcu): it
 *              protects all data at once, and nothing can be closed while any reader is inside
 * The floor counts and does nothing else.
 *
 * The score is processor time per operation, since 16 threads on fewer cores share them; the wall
 * time is in the JSON. `/baseline` is the factor over one thread. The published comparison has each
 * thread do 5,000,000 loops; here an iteration lasts as long as any other, so that the last thread
 * never runs alone: at --full, more loops than that at anything below 100 ns.
 *
 * What would make these numbers a lie:
 *   - a hold that holds nothing: before it is measured, each thread must be refused a close while
 * it holds; at the end the session must close, so that every acquire was released;
 *   - an owner's short cut: a session that only its owner uses is checked in another way. Another
 *     thread has held the session before, with one thread too;
 *   - threads that do not overlap: none is measured before all run, or beside one that has
 * finished;
 *   - counters of `striped` that share a line: each thread has one of its own, which is the best
 * case of what the original gets by hashing;
 *   - more threads than cores: a counter's line moves only when the core changes, so `simple` is
 *     then better than on a machine with a core for each thread.
 */
#include <stdint.h>

#include "harness/row.h"
#include "harness/sink.h"

#define ACQUIRE_ROW                                                                       \
    .class_name = "AcquireReleaseClose", .unit = "ns/op", .params = "threads=1,2,4,8,16", \
    .quick_params = "threads=1,2,16", .baseline = "threads=1", .clock = BENCH_CPU

/* What a lane has; the subject's follows it. */
struct acquire_lane {
    void *stage;
    unsigned lane;
    uint64_t count;  /* Operations inside a hold. */
    unsigned failed; /* All statuses, or-ed. */
};

const char *acquire_enter(void *stage, unsigned lane, void **ret_state);
const char *acquire_check(void *state, uint64_t rounds);
void acquire_teardown(void *state);

extern const struct bench_table acquire_table;

#endif
