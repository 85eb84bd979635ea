/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLES_CLOSER_H
#define BENCH_TABLES_CLOSER_H
/*
 * A thread that opens and closes empty shared arenas beside others, for SharedAccess and
 * ConcurrentClose.
 *
 *     struct closer closer;
 *     error = closer_open(&closer, CLOSER_ESCAPED, 10000);
 *     count = closer_companions(&closer, companions);     // Then bench_company_open() and so on.
 *
 * With CLOSER_ESCAPED each arena has been held by another thread, the toucher, before: in batches,
 * so that the toucher, which sleeps in between, wakes up once for many.
 *
 * With CLOSER_SPIN it computes and stores something of its own: processors may be two
 * halves of one core, where a busy neighbour shows whatever it does.
 *
 * With CLOSER_POLL it tries to close one arena, `polled`, which somebody holds, over and over: every
 * close is refused, and counted.
 */
#include <isthmus/isthmus.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/company.h"

#define CLOSER_BATCH 256
#define CLOSER_COMPANIONS 2

enum closer_kind { CLOSER_NONE, CLOSER_OPEN, CLOSER_ESCAPED, CLOSER_POLL, CLOSER_SPIN };

struct closer {
    enum closer_kind kind;
    uint64_t rate;     /* Closes a second; 0: as many as there are. */
    uint64_t closes;   /* Atomic, written by the closer. */
    unsigned failed;   /* All statuses, or-ed, of both threads; read when they sleep. */
    uint64_t touched;  /* Arenas that the toucher has held; likewise. */
    size_t batch_size; /* Arenas of the batch that is handed over; 0: there are no more. */
    ist_arena polled;  /* CLOSER_POLL: set by the row. */
    sem_t touch, touched_all;
    ist_arena arenas[CLOSER_BATCH];
};

void closer_open(struct closer *closer, enum closer_kind kind, uint64_t rate);

/* Appends what is to run; returns how many. */
size_t closer_companions(struct closer *closer,
                         struct bench_companion ret_companions[CLOSER_COMPANIONS]);

/* Opens a batch and has the toucher hold each; for rows that close themselves. */
void closer_fill(struct closer *closer);

/* Tells the toucher that there are no more. For those rows too, before the company's end. */
void closer_finish(struct closer *closer);

/* The toucher alone, for those rows. */
struct bench_companion closer_toucher(struct closer *closer);

/* NULL, or what did not happen. Everybody sleeps. */
const char *closer_check(const struct closer *closer);

void closer_close(struct closer *closer);

/* What a row counts beside a closer: closer_count() in this order. */
#define CLOSER_COUNTERS "closes=#,heavy.fences=#,longest.undecided=ns,longest.drain=ns"
void closer_count(const struct closer *closer, uint64_t *ret_values);

#endif
