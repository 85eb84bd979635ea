/* SPDX-License-Identifier: MIT */
/*
 * Threads: owners and strangers, threads that end, threads that come and go, and many at once. What a foreign thread is
 * answered by each call is in calls.c; what becomes of the arenas of threads that ended, in orphans.c.
 */
#include "support/expect.h"

#include <pthread.h>

static ist_arena opened(void)
{
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    return arena;
}

/* ---- A new thread at a dead thread's place ---- */

static __thread char place;

typedef struct left {
    ist_arena arena;
    ist_segment segment;
    void *place;
    bool met; /* A later thread has had the same place. */
} left;

static void leave_arena(void *data)
{
    left *l = data;
    l->place = &place;
    l->arena = opened();
    expect_ok(ist_arena_allocate(l->arena, 8000, 8, &l->segment));
    expect_ok(ist_segment_fill(&l->segment, 0x5C));
}

static void come_after(void *data)
{
    left *l = data;
    ist_segment segment;
    ist_hold hold;
    uint8_t value = 1;
    if (&place != l->place || l->met)
        return;
    l->met = true;
    for (size_t i = 0; i < 2; i++) { /* Before this thread has an arena of its own, and after. */
        expect_status(ist_get_u8(l->segment, 0, &value), IST_E_WRONG_THREAD);
        expect_status(ist_set_u8(l->segment, 0, 1), IST_E_WRONG_THREAD);
        expect_status(ist_arena_allocate(l->arena, 8, 8, &segment), IST_E_WRONG_THREAD);
        expect_status(ist_arena_hold(l->arena, &hold), IST_E_WRONG_THREAD);
        expect_status(ist_arena_close(l->arena), IST_E_WRONG_THREAD);
        expect(!ist_segment_is_accessible(&l->segment));
        expect(ist_arena_is_alive(l->arena));
        expect_ok(ist_arena_close(opened()));
    }
    expect(value == 1);
    expect_ok(ist_arena_adopt(l->arena));
    expect(ist_segment_is_accessible(&l->segment));
    expect_ok(ist_get_u8(l->segment, 7999, &value));
    expect(value == 0x5C && test_all_bytes(l->segment.address, 8000, 0x5C));
    expect_ok(ist_arena_allocate(l->arena, 100, 8, &segment));
    expect(test_all_bytes(segment.address, 100, 0));
    expect_ok(ist_arena_close(l->arena));
}

static void a_dead_threads_place_makes_no_owner(void **state)
{
    (void)state;
    left l = { 0 };
    test_on_thread(leave_arena, &l);
    for (size_t i = 0; i < 1000 && !l.met; i++)
        test_on_thread(come_after, &l);
    expect(l.met); /* Else nothing has been tried here. */
    expect(!ist_arena_is_alive(l.arena));
}

/* ---- Keys whose destructors use the library ---- */

static pthread_key_t early_key, late_key; /* Made before and after the library's first use. */

typedef struct at_exit {
    ist_arena arena;
    ist_segment segment;
    pthread_key_t *key;
    size_t finished;
    bool open_in_destructor;
} at_exit;

static void finish(void *data)
{
    at_exit *a = data;
    if (!a->open_in_destructor) {
        uint8_t value = 0;
        expect_ok(ist_get_u8(a->segment, 99, &value));
        expect(value == 0x21);
        expect_ok(ist_arena_close(a->arena));
    }
    for (size_t i = 0; i < 40; i++) {
        ist_arena arena = opened();
        ist_segment segment;
        expect_ok(ist_arena_allocate(arena, 100 + 100 * i, 8, &segment));
        expect_ok(ist_arena_close(arena));
        expect_status(ist_set_u8(segment, 0, 1), IST_E_CLOSED);
    }
    a->finished++;
}

static void end_with_a_key(void *data)
{
    at_exit *a = data;
    if (!a->open_in_destructor) {
        a->arena = opened();
        expect_ok(ist_arena_allocate(a->arena, 100, 8, &a->segment));
        expect_ok(ist_segment_fill(&a->segment, 0x21));
    }
    expect(pthread_setspecific(*a->key, a) == 0);
}

static void key_destructors_may_close(void **state)
{
    (void)state;
    pthread_key_t *const keys[] = { &early_key, &late_key };
    for (size_t k = 0; k < 2; k++) {
        for (size_t inside = 0; inside < 2; inside++) {
            test_context("%s key%s", k == 0 ? "early" : "late", inside ? ", first use in the destructor" : "");
            ist_stats before = test_stats();
            at_exit a = { .key = keys[k], .open_in_destructor = inside != 0 };
            test_on_thread(end_with_a_key, &a);
            expect_size(a.finished, 1);
            ist_stats after = test_stats();
            expect_size(after.arenas_open, before.arenas_open);
            expect_size(after.arenas_orphaned, before.arenas_orphaned);
            expect_size(after.threads, before.threads);
        }
    }
}

/* ---- Threads that come and go ---- */

static void live_shortly(void *data)
{
    (void)data;
    ist_arena arenas[6];
    ist_frame frame;
    ist_segment segment;
    for (size_t i = 0; i < 6; i++) {
        arenas[i] = opened();
        expect_ok(ist_arena_allocate(arenas[i], (size_t)100 << i, 8, &segment));
    }
    expect_ok(ist_frame_push(100, 8, &frame));
    expect_ok(ist_frame_allocate(&frame, 100, 8, &segment));
    expect_ok(ist_frame_pop(&frame));
    expect_status(ist_set_u8(segment, 0, 1), IST_E_CLOSED);
    for (size_t i = 0; i < 6; i++)
        expect_ok(ist_arena_close(arenas[i]));
}

static void a_thousand_threads_leave_no_growth(void **state)
{
    (void)state;
    for (size_t i = 0; i < 20; i++)
        test_on_thread(live_shortly, NULL);
    ist_stats before = test_stats();
    for (size_t i = 0; i < 1000; i++)
        test_on_thread(live_shortly, NULL);
    ist_stats after = test_stats();
    expect_size(after.threads, before.threads);
    expect_size(after.arenas_open, before.arenas_open);
    expect_size(after.arenas_cached, before.arenas_cached);
    expect_size(after.records, before.records);
    expect_size(after.bytes_live, before.bytes_live);
}

/* ---- Many at once ---- */

enum { THREADS = 8 };

typedef struct crowd {
    pthread_barrier_t gate;
    pthread_t threads[THREADS];
    void (*body)(size_t number);
} crowd;

typedef struct member {
    crowd *crowd;
    size_t number;
} member;

static void *run_member(void *argument)
{
    member *m = argument;
    pthread_barrier_wait(&m->crowd->gate);
    m->crowd->body(m->number);
    return NULL;
}

static void all_at_once(void (*body)(size_t number))
{
    crowd c = { .body = body };
    member members[THREADS];
    expect(pthread_barrier_init(&c.gate, NULL, THREADS) == 0);
    for (size_t i = 0; i < THREADS; i++) {
        members[i] = (member){ &c, i };
        expect(pthread_create(&c.threads[i], NULL, run_member, &members[i]) == 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        expect(pthread_join(c.threads[i], NULL) == 0);
    pthread_barrier_destroy(&c.gate);
}

static void each_its_own(size_t number)
{
    for (size_t i = 0; i < 300; i++) {
        ist_arena arenas[30];
        ist_segment segments[30];
        for (size_t j = 0; j < 30; j++) {
            arenas[j] = opened();
            expect_ok(ist_arena_allocate(arenas[j], 8 + i * j, 8, &segments[j]));
            expect(test_all_bytes(segments[j].address, segments[j].size, 0));
            expect_ok(ist_segment_fill(&segments[j], (uint8_t)(number + 1)));
        }
        if (i % 50 == 0)
            (void)ist_trim();
        if (i % 20 == 0)
            expect(test_stats().records >= 30); /* What is open is exact only while nobody opens or closes. */
        for (size_t j = 0; j < 30; j++) {
            expect(test_all_bytes(segments[j].address, segments[j].size, (uint8_t)(number + 1)));
            expect_ok(ist_arena_close(arenas[j]));
        }
    }
}

static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    size_t before = test_stats().arenas_open;
    all_at_once(each_its_own);
    expect_size(test_stats().arenas_open, before);
}

/* First uses of the library at the same moment, by threads that never used it. */
static void use_first(size_t number)
{
    (void)number;
    ist_arena arena = opened();
    expect_status(ist_arena_close(ist_arena_global()), IST_E_UNSUPPORTED);
    expect_ok(ist_arena_close(arena));
}

static void first_uses_at_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < 50; i++)
        all_at_once(use_first);
}

enum { GLOBAL_BLOCKS = 500 };
static ist_segment global_blocks[THREADS][GLOBAL_BLOCKS];

static void allocate_globally(size_t number)
{
    for (size_t i = 0; i < GLOBAL_BLOCKS; i++) {
        expect_ok(ist_arena_allocate(ist_arena_global(), i % 100, 4, &global_blocks[number][i]));
        expect(test_all_bytes(global_blocks[number][i].address, i % 100, 0));
        expect_ok(ist_segment_fill(&global_blocks[number][i], (uint8_t)(number + 1)));
    }
}

static void the_global_arena_serves_all(void **state)
{
    (void)state;
    all_at_once(allocate_globally);
    for (size_t t = 0; t < THREADS; t++) {
        for (size_t i = 0; i < GLOBAL_BLOCKS; i++)
            expect(test_all_bytes(global_blocks[t][i].address, global_blocks[t][i].size, (uint8_t)(t + 1)));
    }
}

/*
 * Strangers knock at an arena's record while its owner opens and closes it: never let in, and never told that an arena
 * which was closed before they asked is alive.
 */
static ist_arena shown[2]; /* An arena that is open all the time, and one that is closed all the time. */
static ist_segment shown_segments[2];
static bool stop;

static void *knock(void *unused)
{
    (void)unused;
    size_t rounds = 0;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED) || rounds < 100) {
        uint8_t value = 7;
        ist_segment segment;
        expect(ist_get_u8(shown_segments[0], 0, &value) == IST_E_WRONG_THREAD);
        expect(ist_arena_allocate(shown[0], 8, 8, &segment) == IST_E_WRONG_THREAD);
        expect(ist_arena_close(shown[0]) == IST_E_WRONG_THREAD);
        expect(ist_arena_is_alive(shown[0]));
        expect(ist_get_u8(shown_segments[1], 0, &value) == IST_E_CLOSED);
        expect(ist_segment_fill(&shown_segments[1], 1) == IST_E_CLOSED);
        expect(ist_arena_close(shown[1]) == IST_E_CLOSED);
        expect(ist_arena_adopt(shown[1]) == IST_E_CLOSED);
        expect(!ist_arena_is_alive(shown[1]));
        expect(value == 7);
        rounds++;
    }
    return NULL;
}

static void strangers_knock_in_vain(void **state)
{
    (void)state;
    pthread_t strangers[3];
    stop = false;
    (void)ist_trim(); /* No wish of another thread's is left to be followed while records are counted on to come back. */
    for (size_t i = 0; i < 2; i++) {
        shown[i] = opened();
        expect_ok(ist_arena_allocate(shown[i], 64, 8, &shown_segments[i]));
    }
    expect_ok(ist_arena_close(shown[1]));
    for (size_t i = 0; i < 3; i++)
        expect(pthread_create(&strangers[i], NULL, knock, NULL) == 0);
    for (size_t i = 0; i < 100000; i++) {
        ist_arena arena;
        if (ist_arena_open_confined(&arena) != IST_OK || arena.session != shown[1].session ||
            ist_arena_close(arena) != IST_OK)
            expect(false);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (size_t i = 0; i < 3; i++)
        expect(pthread_join(strangers[i], NULL) == 0);
    expect(test_all_bytes(shown_segments[0].address, 64, 0));
    expect_ok(ist_arena_close(shown[0]));
}

/* The failure handler is the process's: replacing it while others report is safe. */
static void quiet(ist_status status, const char *where)
{
    (void)status;
    (void)where;
}
static void quiet_as_well(ist_status status, const char *where)
{
    (void)status;
    (void)where;
}

static void report_and_replace(size_t number)
{
    for (size_t i = 0; i < 2000; i++) {
        ist_failure_handler_set(number % 2 ? quiet : quiet_as_well);
        ist_failure_report(IST_E_BUSY, "here");
    }
}

static void handlers_are_replaced_meanwhile(void **state)
{
    (void)state;
    ist_failure_fn *previous = ist_failure_handler_set(quiet);
    all_at_once(report_and_replace);
    ist_failure_fn *last = ist_failure_handler_set(previous);
    expect(last == quiet || last == quiet_as_well);
}

int main(void)
{
    if (pthread_key_create(&early_key, finish) != 0)
        return 1;
    ist_arena arena;
    if (ist_arena_open_confined(&arena) != IST_OK || ist_arena_close(arena) != IST_OK)
        return 1;
    if (pthread_key_create(&late_key, finish) != 0)
        return 1;
    static const struct CMUnitTest tests[] = {
        test_case(a_dead_threads_place_makes_no_owner),
        test_case(key_destructors_may_close),
        test_case(a_thousand_threads_leave_no_growth),
        test_case(threads_do_not_disturb_each_other),
        test_case(first_uses_at_once),
        test_case(the_global_arena_serves_all),
        test_case(strangers_knock_in_vain),
        test_case(handlers_are_replaced_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
