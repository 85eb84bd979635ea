/* SPDX-License-Identifier: MIT */
/* Arenas whose thread has ended, or is not there in the child of a fork: counted, adopted, reclaimed. */
#include "support/expect.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static ist_arena opened(void)
{
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    return arena;
}

/* ---- Orphans and those who make them ---- */

enum { MOST = 40 };
typedef struct estate {
    size_t count;
    ist_arena arenas[MOST];
    ist_segment segments[MOST];
    ist_hold hold; /* On the first. */
    bool held;
    size_t cleaned[MOST];
} estate;

static __thread bool cleaned_here;

static void clean(void *data)
{
    (*(size_t *)data)++;
    cleaned_here = true;
}

static void leave(void *data)
{
    estate *e = data;
    for (size_t i = 0; i < e->count; i++) {
        e->arenas[i] = opened();
        expect_ok(ist_arena_allocate(e->arenas[i], 100 * (i + 1), 8, &e->segments[i]));
        expect_ok(ist_segment_fill(&e->segments[i], (uint8_t)(i + 1)));
        expect_ok(ist_arena_on_close(e->arenas[i], clean, &e->cleaned[i]));
    }
    if (e->held)
        expect_ok(ist_arena_hold(e->arenas[0], &e->hold));
}

static void expect_intact(const estate *e)
{
    for (size_t i = 0; i < e->count; i++) {
        expect(ist_arena_is_alive(e->arenas[i]));
        expect(test_all_bytes(e->segments[i].address, e->segments[i].size, (uint8_t)(i + 1)));
        expect_size(e->cleaned[i], 0);
    }
}

static void orphans_are_counted_and_valid(void **state)
{
    (void)state;
    estate e = { .count = 5 };
    ist_stats before = test_stats();
    test_on_thread(leave, &e);
    ist_stats after = test_stats();
    expect_size(after.arenas_open, before.arenas_open + 5);
    expect_size(after.arenas_orphaned, before.arenas_orphaned + 5);
    expect_size(after.threads, before.threads);
    expect_intact(&e);
    uint8_t value = 0;
    expect_status(ist_get_u8(e.segments[0], 0, &value), IST_E_WRONG_THREAD);
    expect_status(ist_arena_close(e.arenas[0]), IST_E_WRONG_THREAD);
    expect(!ist_segment_is_accessible(&e.segments[0]));
    size_t count = 99;
    cleaned_here = false;
    expect_ok(ist_arena_reclaim_orphans(&count));
    expect_size(count, 5);
    for (size_t i = 0; i < 5; i++) {
        expect_size(e.cleaned[i], 1);
        expect(!ist_arena_is_alive(e.arenas[i]));
        expect_status(ist_get_u8(e.segments[i], 0, &value), IST_E_CLOSED);
    }
    expect(cleaned_here); /* On the thread that reclaims. */
    after = test_stats();
    expect_size(after.arenas_open, before.arenas_open);
    expect_size(after.arenas_orphaned, before.arenas_orphaned);
    expect_ok(ist_arena_reclaim_orphans(&count));
    expect_size(count, 0);
}

static void reclaiming_without_a_count(void **state)
{
    (void)state;
    estate e = { .count = 3 };
    test_on_thread(leave, &e);
    expect_ok(ist_arena_reclaim_orphans(NULL));
    expect_size(test_stats().arenas_orphaned, 0);
    expect_size(e.cleaned[2], 1);
    expect_ok(ist_arena_reclaim_orphans(NULL));
}

static void many_orphans_of_many_threads(void **state)
{
    (void)state;
    enum { THREADS = 10 };
    static estate estates[THREADS];
    ist_stats before = test_stats();
    for (size_t i = 0; i < THREADS; i++) {
        estates[i] = (estate){ .count = MOST };
        test_on_thread(leave, &estates[i]);
    }
    expect_size(test_stats().arenas_orphaned, before.arenas_orphaned + THREADS * MOST);
    for (size_t i = 0; i < THREADS; i++)
        expect_intact(&estates[i]);
    size_t count = 0;
    expect_ok(ist_arena_reclaim_orphans(&count));
    expect_size(count, THREADS * MOST);
    for (size_t i = 0; i < THREADS; i++) {
        for (size_t j = 0; j < MOST; j++)
            expect_size(estates[i].cleaned[j], 1);
    }
    (void)ist_trim();
    expect_size(test_stats().arenas_open, before.arenas_open);
}

/* ---- Adopting ---- */

static void adopting(void **state)
{
    (void)state;
    estate e = { .count = 3 };
    ist_segment segment;
    test_on_thread(leave, &e);
    expect_ok(ist_arena_adopt(e.arenas[1]));
    expect_ok(ist_arena_adopt(e.arenas[1])); /* The caller's already. */
    expect_size(test_stats().arenas_orphaned, 2);
    expect_intact(&e);
    expect_ok(ist_set_u8(e.segments[1], 0, 2));
    expect(ist_segment_is_accessible(&e.segments[1]));
    expect_ok(ist_arena_allocate(e.arenas[1], 5000, 8, &segment));
    expect(test_all_bytes(segment.address, 5000, 0));
    expect_ok(ist_arena_on_close(e.arenas[1], clean, &e.cleaned[0]));
    size_t count = 0;
    e.count = 0;
    expect_ok(ist_arena_reclaim_orphans(&count)); /* The others; not the adopted one. */
    expect_size(count, 2);
    expect_size(e.cleaned[0], 1);
    expect_size(e.cleaned[1], 0);
    expect_ok(ist_arena_close(e.arenas[1]));
    expect_size(e.cleaned[1], 1);
    expect_size(e.cleaned[0], 2);
    expect_status(ist_arena_adopt(e.arenas[1]), IST_E_CLOSED);
    expect_status(ist_arena_adopt(e.arenas[0]), IST_E_CLOSED);
}

static void adopt_of_the_living(void *data)
{
    ist_arena *arena = data;
    expect_status(ist_arena_adopt(*arena), IST_E_WRONG_THREAD);
    size_t count = 99;
    expect_ok(ist_arena_reclaim_orphans(&count));
    expect_size(count, 0);
}

static void the_living_keep_theirs(void **state)
{
    (void)state;
    ist_arena arena = opened();
    test_on_thread(adopt_of_the_living, &arena);
    expect_ok(ist_arena_adopt(arena));
    expect_status(ist_arena_adopt(ist_arena_global()), IST_E_UNSUPPORTED);
    expect_ok(ist_arena_close(arena));
}

static void a_held_orphan_stays(void **state)
{
    (void)state;
    estate e = { .count = 3, .held = true };
    test_on_thread(leave, &e);
    size_t count = 0;
    expect_ok(ist_arena_reclaim_orphans(&count));
    expect_size(count, 2);
    expect_size(test_stats().arenas_orphaned, 1);
    expect(ist_arena_is_alive(e.arenas[0]));
    expect_size(e.cleaned[0], 0);
    expect_status(ist_arena_release(&e.hold), IST_E_WRONG_THREAD);
    expect_ok(ist_arena_adopt(e.arenas[0]));
    expect_status(ist_arena_close(e.arenas[0]), IST_E_HELD);
    expect_size(test_last_error().holders, 1);
    expect_ok(ist_arena_release(&e.hold)); /* With the old owner's token. */
    expect_ok(ist_arena_close(e.arenas[0]));
    expect_size(e.cleaned[0], 1);
}

/* ---- Races ---- */

enum { RACERS = 8 };
static pthread_barrier_t gate;

typedef struct racer {
    ist_arena arena;
    ist_segment segment;
    ist_status status;
} racer;

static void *race(void *argument)
{
    racer *r = argument;
    pthread_barrier_wait(&gate);
    r->status = ist_arena_adopt(r->arena);
    if (r->status == IST_OK) {
        expect_ok(ist_set_u8(r->segment, 0, 0x11));
        pthread_barrier_wait(&gate); /* It keeps the arena until all have tried. */
        expect_ok(ist_arena_close(r->arena));
    } else {
        expect(r->status == IST_E_WRONG_THREAD);
        pthread_barrier_wait(&gate);
    }
    return NULL;
}

static void one_adopter_wins(void **state)
{
    (void)state;
    expect(pthread_barrier_init(&gate, NULL, RACERS) == 0);
    for (size_t round = 0; round < 100; round++) {
        estate e = { .count = 1 };
        pthread_t threads[RACERS];
        racer racers[RACERS];
        size_t winners = 0;
        test_on_thread(leave, &e);
        for (size_t i = 0; i < RACERS; i++) {
            racers[i] = (racer){ e.arenas[0], e.segments[0], IST_E_BUSY };
            expect(pthread_create(&threads[i], NULL, race, &racers[i]) == 0);
        }
        for (size_t i = 0; i < RACERS; i++) {
            expect(pthread_join(threads[i], NULL) == 0);
            winners += racers[i].status == IST_OK;
        }
        expect_size(winners, 1);
        expect_size(e.cleaned[0], 1);
        expect(!ist_arena_is_alive(e.arenas[0]));
    }
    pthread_barrier_destroy(&gate);
    expect_size(test_stats().arenas_orphaned, 0);
}

static void *reclaim(void *argument)
{
    pthread_barrier_wait(&gate);
    expect_ok(ist_arena_reclaim_orphans(argument));
    return NULL;
}

/* Several threads reclaim at once: each orphan is closed by one of them, and its action runs once. */
static void reclaimers_share(void **state)
{
    (void)state;
    expect(pthread_barrier_init(&gate, NULL, RACERS) == 0);
    for (size_t round = 0; round < 30; round++) {
        static estate e;
        e = (estate){ .count = MOST };
        pthread_t threads[RACERS];
        size_t counts[RACERS] = { 0 }, total = 0;
        test_on_thread(leave, &e);
        for (size_t i = 0; i < RACERS; i++)
            expect(pthread_create(&threads[i], NULL, reclaim, &counts[i]) == 0);
        for (size_t i = 0; i < RACERS; i++) {
            expect(pthread_join(threads[i], NULL) == 0);
            total += counts[i];
        }
        expect_size(total, MOST);
        for (size_t i = 0; i < MOST; i++)
            expect_size(e.cleaned[i], 1);
    }
    pthread_barrier_destroy(&gate);
    expect_size(test_stats().arenas_orphaned, 0);
}

/* ---- Other memory ---- */

static size_t given, taken_back;
static void *give(void *context, size_t size, size_t alignment)
{
    (void)context;
    given++;
    return aligned_alloc(alignment < 16 ? 16 : alignment, (size + 63) / 64 * 64);
}
static void take_back(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    taken_back++;
    free(block);
}
static const ist_memory_source source = { give, take_back, NULL, 0 };

static void leave_custom(void *data)
{
    ist_arena *arena = data;
    ist_segment segment;
    expect_ok(ist_arena_open_confined_from(&source, arena));
    expect_ok(ist_arena_allocate(*arena, 64, 16, &segment));
    expect_ok(ist_arena_allocate(*arena, 64, 16, &segment));
}

static void orphans_with_a_source(void **state)
{
    (void)state;
    ist_arena arena;
    size_t count = 0;
    test_on_thread(leave_custom, &arena);
    expect_size(taken_back, 0);
    expect_ok(ist_arena_reclaim_orphans(&count));
    expect_size(count, 1);
    expect(given == 2 && taken_back == 2);
    expect(!ist_arena_is_alive(arena));
}

/* ---- Fork ---- */

typedef struct resident {
    estate estate;
    pthread_barrier_t ready, done;
} resident;

static void *reside(void *argument)
{
    resident *r = argument;
    leave(&r->estate);
    pthread_barrier_wait(&r->ready);
    pthread_barrier_wait(&r->done);
    expect_intact(&r->estate);
    for (size_t i = 0; i < r->estate.count; i++) {
        expect_ok(ist_set_u8(r->estate.segments[i], 0, 0));
        expect_ok(ist_arena_close(r->estate.arenas[i]));
    }
    return NULL;
}

typedef struct family {
    resident *other;
    ist_arena own;
    ist_segment segment;
    ist_stats before;
    size_t open_elsewhere; /* Arenas of the forking thread that stay open. */
} family;

static void live_as_a_child(void *data)
{
    family *f = data;
    estate *e = &f->other->estate;
    uint8_t value = 0;
    /* What was the forking thread's still is. */
    expect_ok(ist_get_u8(f->segment, 0, &value));
    expect(value == 0x99);
    expect_ok(ist_segment_fill(&f->segment, 0x98));
    ist_arena arena = opened();
    ist_segment segment;
    expect_ok(ist_arena_allocate(arena, 100000, 8, &segment));
    expect_ok(ist_arena_close(arena));
    expect_ok(ist_arena_allocate(ist_arena_global(), 100, 8, &segment));
    expect_ok(ist_arena_close(f->own));
    /* What was another thread's is an orphan; what that thread had only cached may be counted with it. */
    ist_stats now = test_stats();
    expect(now.arenas_open >= f->before.arenas_open - 1);
    expect(now.arenas_orphaned >= e->count);
    expect_size(now.threads, 1);
    expect_intact(e);
    expect_status(ist_get_u8(e->segments[0], 0, &value), IST_E_WRONG_THREAD);
    expect_ok(ist_arena_adopt(e->arenas[0]));
    expect_ok(ist_get_u8(e->segments[0], 0, &value));
    expect(value == 1);
    expect_ok(ist_arena_close(e->arenas[0]));
    expect_size(e->cleaned[0], 1);
    /* In bulk they are left alone, since their thread may have been anywhere; by its handle each can be had. */
    size_t count = 1;
    expect_ok(ist_arena_reclaim_orphans(&count));
    expect_size(count, 0);
    for (size_t i = 1; i < e->count; i++) {
        expect(ist_arena_is_alive(e->arenas[i]));
        expect_size(e->cleaned[i], 0);
        expect_ok(ist_arena_adopt(e->arenas[i]));
        expect_ok(ist_arena_close(e->arenas[i]));
        expect_size(e->cleaned[i], 1);
    }
    expect(test_stats().arenas_open >= f->open_elsewhere);
}

static void fork_with_family(void)
{
    static resident r;
    r = (resident){ .estate = { .count = 4 } };
    pthread_t thread;
    expect(pthread_barrier_init(&r.ready, NULL, 2) == 0 && pthread_barrier_init(&r.done, NULL, 2) == 0);
    expect(pthread_create(&thread, NULL, reside, &r) == 0);
    pthread_barrier_wait(&r.ready);
    family f = { .other = &r, .own = opened() };
    expect_ok(ist_arena_allocate(f.own, 64, 8, &f.segment));
    expect_ok(ist_segment_fill(&f.segment, 0x99));
    f.before = test_stats();
    f.open_elsewhere = f.before.arenas_open - 1 - r.estate.count;
    int status = test_in_child(live_as_a_child, &f);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    expect_size(test_stats().arenas_orphaned, 0);
    expect(test_all_bytes(f.segment.address, 64, 0x99));
    expect_ok(ist_arena_close(f.own));
    pthread_barrier_wait(&r.done);
    expect(pthread_join(thread, NULL) == 0);
}

static void children_are_complete(void **state)
{
    (void)state;
    fork_with_family();
}

static void fork_here(void *data)
{
    (void)data;
    fork_with_family();
}

static void children_of_other_threads_too(void **state)
{
    (void)state;
    test_on_thread(fork_here, NULL);
}

/*
 * Forks in the middle of other threads' doings: whatever locks those hold, the child finds them free. It leaves their
 * arenas alone, which may be in the middle of a change.
 */
static bool stop;
static void *hustle(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        ist_arena arenas[40];
        ist_segment segment;
        for (size_t i = 0; i < 40; i++) {
            arenas[i] = opened();
            expect_ok(ist_arena_allocate(arenas[i], 2000, 8, &segment));
        }
        expect_ok(ist_arena_allocate(ist_arena_global(), 8, 8, &segment));
        (void)test_stats();
        for (size_t i = 0; i < 40; i++)
            expect_ok(ist_arena_close(arenas[i]));
        (void)ist_trim();
    }
    return NULL;
}

static void hustle_as_a_child(void *data)
{
    (void)data;
    alarm(20); /* A lock that nobody will ever give back. */
    ist_arena arenas[100];
    ist_segment segment;
    for (size_t i = 0; i < 100; i++)
        arenas[i] = opened();
    expect_ok(ist_arena_allocate(ist_arena_global(), 8, 8, &segment));
    expect_ok(ist_arena_reclaim_orphans(NULL)); /* Leaves alone what is in the middle of a change. */
    (void)ist_trim();
    expect_size(test_stats().threads, 1);
    for (size_t i = 0; i < 100; i++)
        expect_ok(ist_arena_close(arenas[i]));
}

static void children_of_busy_parents(void **state)
{
    (void)state;
    pthread_t threads[4];
    stop = false;
    for (size_t i = 0; i < 4; i++)
        expect(pthread_create(&threads[i], NULL, hustle, NULL) == 0);
    for (size_t i = 0; i < 40; i++) {
        int status = test_in_child(hustle_as_a_child, NULL);
        expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (size_t i = 0; i < 4; i++)
        expect(pthread_join(threads[i], NULL) == 0);
    expect_size(test_stats().arenas_orphaned, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(orphans_are_counted_and_valid),
        test_case(reclaiming_without_a_count),
        test_case(many_orphans_of_many_threads),
        test_case(adopting),
        test_case(the_living_keep_theirs),
        test_case(a_held_orphan_stays),
        test_case(one_adopter_wins),
        test_case(reclaimers_share),
        test_case(orphans_with_a_source),
        test_case(children_are_complete),
        test_case(children_of_other_threads_too),
        test_case(children_of_busy_parents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
