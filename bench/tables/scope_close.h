/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLES_SCOPE_CLOSE_H
#define BENCH_TABLES_SCOPE_CLOSE_H
/*
 * ResourceScopeClose: what does an arena cost from open to close, by kind, and does the rest of the
 * process matter?
 *
 *   confined_close, shared_close   open, allocate 1024 bytes at alignment 4, close;
 *   counted_close                  the same with an automatic arena, whose only reference is
 *                                  dropped;
 *   implicit_close                 the same with a collected arena, which is forgotten;
 *   implicit_close_systemgc        and a collection every 256 of them. The peers: calloc and free
 *                                  of 1024 bytes; the floor: memset of them
 *   shared_close_escaped           the close alone, of arenas that another thread has read and that
 *                                  goes on spinning on another core. In batches: A opens 64 and
 *                                  allocates in each, B reads them all, A closes them one by one
 *   close_many_100                 the same with 100 arenas and one ist_arena_close_many(); per
 *                                  arena. The floor of both: the bare membarrier call, made by A in
 *                                  the same state, 64 at a time
 *
 * Modes: NONE; MEMORY, 100,000,000 live blocks of 2 bytes from the system allocator (the peer's own
 * for the peers) first, MEMORY_10M a tenth of it; THREADS, 4 threads in a busy loop while an
 * iteration lasts. The score is wall time. With more busy threads than cores it shares them, and
 * `cpu.time` is what the measuring thread itself used: that hides a close that waits for others,
 * the wall hides nothing.
 *
 * What would make these numbers a lie:
 *   - a close that was refused, or a block that is not zeroed: statuses and bytes are looked at;
 *   - shared arenas that quietly went through a fence, or escaped ones that did not: the library's
 *     counters must have grown by exactly one escaped close per arena, or by none;
 *   - a spinning B that sleeps, or shares A's core: the kernel would then have nobody to interrupt,
 *     and both the close and the bare call would be a twentieth of what they are. B never sleeps
 *     and is on another core where there is one; on a machine with one core the two rows mean
 *     nothing. `rows /limit` says what Isthmus adds either way;
 *   - companions of THREADS that run while another subject is measured: they sleep then;
 *   - a size that the compiler knows: gcc then clears the block by `rep stos`, several times the
 *     time of memset(); no subject's compiler knows it;
 *   - live blocks that the floor does not have: it has no heap, and its one buffer is always warm.
 */
#include "harness/company.h"
#include "harness/row.h"
#include "tables/alloc_test.h"

#define SCOPE_SIZE 1024
#define SCOPE_ALIGNMENT 4
#define SCOPE_ESCAPED_BATCH 64
#define SCOPE_MANY_BATCH 100

/* What the modes need; the subject says where its live blocks come from. */
extern const struct bench_stage scope_stage;
const char *scope_stage_open(const char *params, unsigned threads, void **ret_stage);
void scope_stage_begin(void *stage);
void scope_stage_end(void *stage);
const char *scope_stage_close(void *stage);

/* The subject's: one block of 2 bytes that stays; NULL if there is no more memory. */
void *scope_live_block(void);

/* The subject's: what a busy thread of THREADS has to do before it spins. */
void scope_thread_begins(void);

/* A lane's state is an alloc_state of SCOPE_SIZE; teardown and check are alloc_test.h's. */
const char *scope_enter(void *stage, unsigned lane, void **ret_state);

#define SCOPE_ROW SCOPE_ROW_OF(scope_stage)
#define SCOPE_ROW_OF(its_stage)                                                                  \
    .class_name = "ResourceScopeClose", .unit = "us/op", .params = "mode=NONE,MEMORY,THREADS",   \
    .quick_params = "mode=NONE,MEMORY_10M,THREADS", .stage = &(its_stage), .enter = scope_enter, \
    .teardown = alloc_teardown

/* What the rows of peers and floor that make and end one block stand opposite to. */
#define SCOPE_SINGLE_METHODS \
    "confined_close,shared_close,counted_close,implicit_close,implicit_close_systemgc"

/* ---- Batches that another thread looks at ---- */

/*
 * B: looks at each batch that A hands over, and spins otherwise.
 * Invariant: handed - 1 <= seen <= handed; while they are equal the batch is A's.
 */
struct scope_relay {
    _Alignas(128) unsigned handed; /* Atomic; A's. */
    _Alignas(128) unsigned seen;   /* Atomic; B's. */
    void (*look)(void *argument);
    void *argument;
    struct bench_company *company;
};

const char *
scope_relay_open(struct scope_relay *relay, void (*look)(void *argument), void *argument);
/* Returns when B has looked; B runs between the company's begin and end only. */
void scope_relay_hand_over(struct scope_relay *relay);
void scope_relay_close(struct scope_relay *relay);

#define SCOPE_BATCH_ROW \
    .class_name = "ResourceScopeClose", .unit = "us/op", .params = "mode=NONE;threads=1"

extern const struct bench_table scope_close_table;

#endif
