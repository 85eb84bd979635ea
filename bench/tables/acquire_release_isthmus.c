/* SPDX-License-Identifier: MIT */
/*
 * AcquireReleaseClose in the worker of isthmus: its own holds, and the two counted sessions.
 * Invariant: a stage is one session, which all lanes use and which nobody closes before the end.
 * The loop of `hold` (gcc 12, x86-64): loads of the thread's slot pointer, of the session's owner
 * and state, and of the slot; stores of PEND, HOLD, 0 and twice the slot pointer; no call, no lock
 * prefix. `simple` is two lock cmpxchg, `striped` two lock add and a full fence, `detached` two
 * calls.
 */
#include <isthmus/isthmus.h>
#include <pthread.h>
#include <stdlib.h>

#include "tables/acquire_release.h"
#include "tables/counted_session.h"

/* ---- Isthmus ---- */

struct arena_stage {
    _Alignas(128) ist_arena arena;
};

/* Another thread's hold, so that nobody meets the short cut of a session that only its owner used.
 */
static void *hold_once(void *argument)
{
    const struct arena_stage *stage = argument;
    ist_hold hold;
    if (ist_arena_hold(stage->arena, &hold) == IST_OK && ist_arena_release(&hold) == IST_OK)
        return NULL;
    return argument;
}

static const char *open_arena(const char *params, unsigned threads, void **ret_stage)
{
    (void)params;
    (void)threads;
    struct arena_stage *stage = aligned_alloc(_Alignof(struct arena_stage), sizeof *stage);
    pthread_t other;
    void *failed = NULL;
    if (stage == NULL || ist_arena_open_shared(&stage->arena) != IST_OK)
        return "out of memory";
    if (pthread_create(&other, NULL, hold_once, stage) != 0)
        return "cannot start a thread";
    pthread_join(other, &failed);
    *ret_stage = stage;
    return failed == NULL ? NULL : "another thread could not hold the arena";
}

static const char *close_arena(void *argument)
{
    struct arena_stage *stage = argument;
    ist_status status = ist_arena_close(stage->arena);
    free(stage);
    return status == IST_OK ? NULL : "the arena is still held";
}

static const struct bench_stage arena_stage = { .open = open_arena, .close = close_arena };

/* A lane begins by proving that its hold holds. */
static const char *enter_hold(void *argument, unsigned lane, void **ret_state)
{
    const struct arena_stage *stage = argument;
    ist_hold hold;
    if (ist_arena_hold(stage->arena, &hold) != IST_OK)
        return "a hold was refused";
    ist_status status = ist_arena_close(stage->arena);
    if (ist_arena_release(&hold) != IST_OK || status != IST_E_HELD)
        return "an arena could be closed while it was held";
    return acquire_enter(argument, lane, ret_state);
}

static const char *enter_detached(void *argument, unsigned lane, void **ret_state)
{
    const struct arena_stage *stage = argument;
    ist_detached_hold hold;
    if (ist_arena_hold_detached(stage->arena, &hold) != IST_OK)
        return "a hold was refused";
    ist_status status = ist_arena_close(stage->arena);
    if (ist_detached_release(&hold) != IST_OK || status != IST_E_HELD)
        return "an arena could be closed while it was held";
    return acquire_enter(argument, lane, ret_state);
}

static void run_hold(void *argument, uint64_t rounds)
{
    struct acquire_lane *lane = argument;
    const ist_arena arena = ((const struct arena_stage *)lane->stage)->arena;
    uint64_t count = 0;
    unsigned failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        ist_hold hold = { 0 };
        failed |= (unsigned)ist_arena_hold(arena, &hold);
        count++;
        bench_hide(count);
        failed |= (unsigned)ist_arena_release(&hold);
    }
    lane->count += count;
    lane->failed |= failed;
}

static void run_detached(void *argument, uint64_t rounds)
{
    struct acquire_lane *lane = argument;
    const ist_arena arena = ((const struct arena_stage *)lane->stage)->arena;
    uint64_t count = 0;
    unsigned failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        ist_detached_hold hold = { 0 };
        failed |= (unsigned)ist_arena_hold_detached(arena, &hold);
        count++;
        bench_hide(count);
        failed |= (unsigned)ist_detached_release(&hold);
    }
    lane->count += count;
    lane->failed |= failed;
}

/* ---- References ---- */

struct automatic_lane {
    struct acquire_lane lane;
    ist_arena arena;
};

/* Of the lane's own, which it has opened. It begins by proving that a reference keeps it open. */
static const char *set_up_reference(const char *params, void **ret_state)
{
    (void)params;
    struct automatic_lane *lane = calloc(1, sizeof *lane);
    if (lane == NULL || ist_arena_open_automatic(&lane->arena) != IST_OK)
        return "out of memory";
    *ret_state = lane;
    if (ist_arena_retain(lane->arena) != IST_OK || ist_arena_drop(lane->arena) != IST_OK ||
        !ist_arena_is_alive(lane->arena))
        return "an arena ended with a reference";
    return NULL;
}

static void run_reference(void *argument, uint64_t rounds)
{
    struct automatic_lane *lane = argument;
    const ist_arena arena = lane->arena;
    uint64_t count = 0;
    unsigned failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        failed |= (unsigned)ist_arena_retain(arena);
        count++;
        bench_hide(count);
        failed |= (unsigned)ist_arena_drop(arena);
    }
    lane->lane.count += count;
    lane->lane.failed |= failed;
}

static const char *check_reference(void *state, uint64_t rounds)
{
    const struct automatic_lane *lane = state;
    size_t references = 0;
    if (ist_arena_references(lane->arena, &references) != IST_OK || references != 1)
        return "references were lost or left";
    return acquire_check(state, rounds);
}

static void leave_reference(void *state)
{
    struct automatic_lane *lane = state;
    (void)ist_arena_drop(lane->arena);
    free(lane);
}

/* ---- One counter ---- */

static const char *open_simple(const char *params, unsigned threads, void **ret_stage)
{
    (void)params;
    (void)threads;
    struct simple_session *session =
        aligned_alloc(_Alignof(struct simple_session), sizeof *session);
    if (session == NULL)
        return "out of memory";
    atomic_init(&session->state, 0);
    *ret_stage = session;
    return NULL;
}

static const char *close_simple(void *argument)
{
    int failed = simple_close(argument);
    free(argument);
    return failed == 0 ? NULL : "the session is still held";
}

static const char *enter_simple(void *stage, unsigned lane, void **ret_state)
{
    if (simple_acquire(stage) != 0 || simple_close(stage) == 0 || simple_release(stage) != 0)
        return "a session could be closed while it was held";
    return acquire_enter(stage, lane, ret_state);
}

static void run_simple(void *argument, uint64_t rounds)
{
    struct acquire_lane *lane = argument;
    struct simple_session *session = lane->stage;
    uint64_t count = 0;
    int failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        failed |= simple_acquire(session);
        count++;
        bench_hide(count);
        failed |= simple_release(session);
    }
    lane->count += count;
    lane->failed |= (unsigned)failed;
}

/* ---- Striped ---- */

static const char *open_striped(const char *params, unsigned threads, void **ret_stage)
{
    (void)params;
    (void)threads;
    struct striped_session *session =
        aligned_alloc(_Alignof(struct striped_session), sizeof *session);
    if (session == NULL)
        return "out of memory";
    *session = (struct striped_session){ .phase = STRIPED_OPEN };
    *ret_stage = session;
    return NULL;
}

static const char *close_striped(void *argument)
{
    int failed = striped_close(argument);
    free(argument);
    return failed == 0 ? NULL : "the session is still held";
}

static const char *enter_striped(void *stage, unsigned lane, void **ret_state)
{
    if (striped_acquire(stage, lane) != 0 || striped_close(stage) == 0 ||
        striped_release(stage, lane) != 0)
        return "a session could be closed while it was held";
    return acquire_enter(stage, lane, ret_state);
}

static void run_striped(void *argument, uint64_t rounds)
{
    struct acquire_lane *lane = argument;
    struct striped_session *session = lane->stage;
    const unsigned cell = lane->lane;
    uint64_t count = 0;
    int failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        failed |= striped_acquire(session, cell);
        count++;
        bench_hide(count);
        failed |= striped_release(session, cell);
    }
    lane->count += count;
    lane->failed |= (unsigned)failed;
}

/* ---- The rows ---- */

static const struct bench_stage simple_stage = { .open = open_simple, .close = close_simple };
static const struct bench_stage striped_stage = { .open = open_striped, .close = close_striped };

static const struct bench_row rows[] = {
    { ACQUIRE_ROW, .method = "hold", .stage = &arena_stage, .enter = enter_hold, .run = run_hold,
      .check = acquire_check, .teardown = acquire_teardown },
    { ACQUIRE_ROW, .method = "detached", .stage = &arena_stage, .enter = enter_detached,
      .run = run_detached, .check = acquire_check, .teardown = acquire_teardown },
    { ACQUIRE_ROW, .method = "reference", .setup = set_up_reference, .run = run_reference,
      .check = check_reference, .teardown = leave_reference },
    { ACQUIRE_ROW, .method = "simple", .stage = &simple_stage, .enter = enter_simple,
      .run = run_simple, .check = acquire_check, .teardown = acquire_teardown },
    { ACQUIRE_ROW, .method = "striped", .stage = &striped_stage, .enter = enter_striped,
      .run = run_striped, .check = acquire_check, .teardown = acquire_teardown },
};

const struct bench_table acquire_table = { rows, sizeof rows / sizeof rows[0] };
