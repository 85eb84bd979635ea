/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLES_COUNTED_SESSION_H
#define BENCH_TABLES_COUNTED_SESSION_H
/*
 * Two sessions that count who uses them, for comparison: one counter, and striped counters.
 *
 *     if (simple_acquire(&session) == 0) {
 *         ...                              // simple_close() answers -1 meanwhile.
 *         simple_release(&session);
 *     }
 *
 * Simple: `state` is the number of holders, or CLOSED. Both ways are a compare-and-swap loop that
 * looks at the state first, closing is the step from 0 to CLOSED.
 *
 * Striped: acquires and releases are counted apart, only ever up, each in a cell per thread. The
 * acquirer counts, fences, reads the phase; the closer sets the phase, fences, and adds up the
 * releases before the acquires: a difference is somebody inside (or somebody about to give up),
 * none is nobody.
 *
 * All functions return 0, or -1 when refused.
 */
#include <stdatomic.h>
#include <stdint.h>

/* ---- One counter ---- */

#define SIMPLE_CLOSED (-1)

struct simple_session {
    _Alignas(128) atomic_int state;
};

static inline int simple_acquire(struct simple_session *session)
{
    int state;
    do {
        state = atomic_load(&session->state);
        if (__builtin_expect(state < 0 || state == INT32_MAX, 0))
            return -1;
    } while (!atomic_compare_exchange_strong(&session->state, &state, state + 1));
    return 0;
}

static inline int simple_release(struct simple_session *session)
{
    int state;
    do {
        state = atomic_load(&session->state);
        if (__builtin_expect(state <= 0, 0))
            return -1;
    } while (!atomic_compare_exchange_strong(&session->state, &state, state - 1));
    return 0;
}

static inline int simple_close(struct simple_session *session)
{
    int open = 0;
    return atomic_compare_exchange_strong(&session->state, &open, SIMPLE_CLOSED) ? 0 : -1;
}

/* ---- Striped ---- */

#define STRIPED_CELLS 64 /* Lanes beyond share them. */

enum striped_phase { STRIPED_OPEN, STRIPED_CLOSING, STRIPED_CLOSED };

struct striped_cell {
    _Alignas(128) atomic_ullong count;
};

struct striped_session {
    _Alignas(128) atomic_int phase;
    struct striped_cell acquires[STRIPED_CELLS], releases[STRIPED_CELLS];
};

static inline void striped_count(struct striped_cell *cells, unsigned lane)
{
    atomic_fetch_add_explicit(&cells[lane % STRIPED_CELLS].count, 1, memory_order_acq_rel);
}

static inline int striped_acquire(struct striped_session *session, unsigned lane)
{
    striped_count(session->acquires, lane);
    atomic_thread_fence(memory_order_seq_cst);
    int phase;
    while ((phase = atomic_load_explicit(&session->phase, memory_order_acquire)) == STRIPED_CLOSING)
        ;
    if (__builtin_expect(phase == STRIPED_OPEN, 1))
        return 0;
    striped_count(session->releases, lane);
    return -1;
}

static inline int striped_release(struct striped_session *session, unsigned lane)
{
    striped_count(session->releases, lane);
    return 0;
}

static inline unsigned long long striped_sum(struct striped_cell *cells)
{
    unsigned long long sum = 0;
    for (unsigned i = 0; i < STRIPED_CELLS; i++)
        sum += atomic_load_explicit(&cells[i].count, memory_order_acquire);
    return sum;
}

static inline int striped_close(struct striped_session *session)
{
    int open = STRIPED_OPEN;
    if (!atomic_compare_exchange_strong(&session->phase, &open, STRIPED_CLOSING))
        return -1;
    atomic_thread_fence(memory_order_seq_cst);
    unsigned long long releases = striped_sum(session->releases);
    int held = striped_sum(session->acquires) != releases;
    atomic_store(&session->phase, held ? STRIPED_OPEN : STRIPED_CLOSED);
    return held ? -1 : 0;
}

#endif
