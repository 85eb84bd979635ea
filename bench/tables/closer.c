/* SPDX-License-Identifier: MIT */
/*
 * The closing thread and the one that touches its arenas.
 * Invariant: arenas[] belongs to the closer, but for the time between the two semaphores.
 * Not done here: measuring; that is the bystanders', or the row whose subject closing is.
 */
#include "tables/closer.h"

#include <string.h>

#include "harness/sink.h"
#include "tables/pace.h"

#define UNPACED_BATCH 64 /* Closes between two looks at whether to go on. */

void closer_open(struct closer *closer, enum closer_kind kind, uint64_t rate)
{
    memset(closer, 0, sizeof *closer);
    closer->kind = kind;
    closer->rate = rate;
    sem_init(&closer->touch, 0, 0);
    sem_init(&closer->touched_all, 0, 0);
}

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        ; /* Interrupted. */
}

/* Relaxed: a count that others read on the way; nothing hangs on it. */
static void add_closes(struct closer *closer, uint64_t count)
{
    uint64_t closes = __atomic_load_n(&closer->closes, __ATOMIC_RELAXED);
    __atomic_store_n(&closer->closes, closes + count, __ATOMIC_RELAXED);
}

/* ---- Arenas that nobody else has touched ---- */

static void open_and_close(struct closer *closer)
{
    ist_arena arena = { 0 };
    closer->failed |= (unsigned)ist_arena_open_shared(&arena);
    closer->failed |= (unsigned)ist_arena_close(arena);
}

static void close_open(void *argument, const struct bench_company *company)
{
    struct closer *closer = argument;
    struct pace pace = pace_begin(closer->rate);
    unsigned batch = closer->rate == 0 ? UNPACED_BATCH : 1;
    do { /* At least once, however late this thread is. */
        pace_wait(&pace);
        for (unsigned i = 0; i < batch; i++)
            open_and_close(closer);
        add_closes(closer, batch);
    } while (bench_company_goes_on(company));
}

/* ---- Arenas that another thread has held ---- */

static void hand_over(struct closer *closer, size_t count)
{
    closer->batch_size = count;
    sem_post(&closer->touch);
    wait_for(&closer->touched_all);
}

void closer_fill(struct closer *closer)
{
    for (size_t i = 0; i < CLOSER_BATCH; i++)
        closer->failed |= (unsigned)ist_arena_open_shared(&closer->arenas[i]);
    hand_over(closer, CLOSER_BATCH);
}

void closer_finish(struct closer *closer)
{
    hand_over(closer, 0);
}

static void close_escaped(void *argument, const struct bench_company *company)
{
    struct closer *closer = argument;
    struct pace pace = pace_begin(closer->rate);
    do {
        closer_fill(closer);
        for (size_t i = 0; i < CLOSER_BATCH; i++) {
            if (bench_company_goes_on(company)) /* Else what is left is closed at once. */
                pace_wait(&pace);
            closer->failed |= (unsigned)ist_arena_close(closer->arenas[i]);
            add_closes(closer, 1);
        }
    } while (bench_company_goes_on(company));
    closer_finish(closer);
}

static void touch(void *argument, const struct bench_company *company)
{
    struct closer *closer = argument;
    (void)company; /* The closer says when it is over. */
    for (;;) {
        wait_for(&closer->touch);
        for (size_t i = 0; i < closer->batch_size; i++) {
            ist_hold hold = { 0 };
            closer->failed |= (unsigned)ist_arena_hold(closer->arenas[i], &hold);
            closer->failed |= (unsigned)ist_arena_release(&hold);
        }
        bool is_last = closer->batch_size == 0;
        closer->touched += closer->batch_size;
        sem_post(&closer->touched_all);
        if (is_last)
            return;
    }
}

/* ---- An arena that is held ---- */

static void poll(void *argument, const struct bench_company *company)
{
    struct closer *closer = argument;
    do {
        for (unsigned i = 0; i < UNPACED_BATCH; i++)
            closer->failed |= ist_arena_close(closer->polled) != IST_E_HELD;
        add_closes(closer, UNPACED_BATCH);
    } while (bench_company_goes_on(company));
}

/* ---- Nothing ---- */

/* Arithmetic and stores of its own, as many as a poller's, and nothing of anybody else's. */
static void spin(void *argument, const struct bench_company *company)
{
    uint64_t own[8] = { 0 };
    uint64_t a = 1, b = 2, c = 3, d = 4;
    (void)argument;
    do {
        for (unsigned i = 0; i < 16 * UNPACED_BATCH; i++) {
            a += a << 3 ^ i;
            b ^= b >> 5 | i;
            c += c << 7 ^ i;
            d ^= d >> 9 | i;
            own[i % 8] = a ^ b ^ c ^ d;
            bench_sink(own);
        }
    } while (bench_company_goes_on(company));
}

/* ---- For the rows ---- */

struct bench_companion closer_toucher(struct closer *closer)
{
    return (struct bench_companion){ touch, closer };
}

size_t
closer_companions(struct closer *closer, struct bench_companion ret_companions[CLOSER_COMPANIONS])
{
    if (closer->kind == CLOSER_NONE)
        return 0;
    bool escaped = closer->kind == CLOSER_ESCAPED;
    if (closer->kind == CLOSER_POLL || closer->kind == CLOSER_SPIN) {
        ret_companions[0] =
            (struct bench_companion){ closer->kind == CLOSER_POLL ? poll : spin, closer };
        return 1;
    }
    ret_companions[0] = (struct bench_companion){ escaped ? close_escaped : close_open, closer };
    if (escaped)
        ret_companions[1] = closer_toucher(closer);
    return escaped ? 2 : 1;
}

const char *closer_check(const struct closer *closer)
{
    if (closer->kind == CLOSER_NONE || closer->kind == CLOSER_SPIN)
        return NULL;
    ist_stats stats = { .size = sizeof stats };
    if (closer->failed != 0 || ist_stats_get(&stats) != IST_OK)
        return "an arena was not opened, held or closed";
    if (closer->closes == 0)
        return "nothing was closed";
    if (closer->kind == CLOSER_POLL)
        return NULL;
    uint64_t escaped = closer->kind == CLOSER_ESCAPED ? closer->closes : 0;
    if (closer->touched != escaped || stats.shared_closes_escaped != escaped)
        return "arenas escaped that should not have, or the other way round";
    return NULL;
}

void closer_close(struct closer *closer)
{
    sem_destroy(&closer->touch);
    sem_destroy(&closer->touched_all);
}

void closer_count(const struct closer *closer, uint64_t *ret_values)
{
    ist_stats stats = { .size = sizeof stats };
    IST_CHECK(ist_stats_get(&stats));
    ret_values[0] = __atomic_load_n(&closer->closes, __ATOMIC_RELAXED);
    ret_values[1] = stats.heavy_fences;
    ret_values[2] = stats.longest_undecided_ns;
    ret_values[3] = stats.longest_drain_ns;
}
