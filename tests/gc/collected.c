/* SPDX-License-Identifier: MIT */
/* Arenas that the collector ends: what keeps them, what happens when nothing does, and that a handle which it did not see is refused. */
#define GC_THREADS
#include "support/expect.h"

#include <isthmus/gc.h>

#include <gc/gc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WORDS 16

static ist_gc_stats gc_stats(void)
{
    ist_gc_stats stats = { .size = sizeof stats };
    expect_ok(ist_gc_stats_get(&stats));
    return stats;
}

/* An arena whose block is full of `value`. */
static __attribute__((noinline)) ist_segment open_full(uint64_t value)
{
    ist_arena arena;
    ist_segment words;
    expect_answer(ist_gc_arena_open(&arena), IST_OK);
    expect_answer(ist_arena_allocate(arena, WORDS * sizeof(uint64_t), 8, &words), IST_OK);
    for (size_t i = 0; i < WORDS; i++)
        expect_answer(ist_set_u64(words, i * 8, value), IST_OK);
    return words;
}

static void expect_full(ist_segment words, uint64_t value)
{
    for (size_t i = 0; i < WORDS; i++) {
        uint64_t seen = 0;
        expect_answer(ist_get_u64(words, i * 8, &seen), IST_OK);
        expect_size(seen, value);
    }
}

/* Overwrites what calls left on the stack. */
static __attribute__((noinline)) void scrub(void)
{
    volatile char waste[16384];
    for (size_t i = 0; i < sizeof waste; i++)
        waste[i] = 0;
}

/* Opens many that nobody keeps, and has them collected. */
static __attribute__((noinline)) void churn(void)
{
    for (uint64_t i = 0; i < 20000; i++)
        (void)open_full(~i);
    scrub();
    ist_gc_collect();
    ist_gc_cleanups_run();
}

/* ---- Statuses ---- */

static void statuses(void **state)
{
    (void)state;
    ist_arena arena;
    ist_hold hold;
    ist_detached_hold detached;
    expect_status(ist_gc_arena_open(NULL), IST_E_ARGUMENT);
    expect_sentence("collected arena");
    expect_status(ist_gc_stats_get(NULL), IST_E_ARGUMENT);
    expect_ok(ist_gc_arena_open(&arena));
    expect(ist_arena_is_alive(arena));
    expect_status(ist_arena_close(arena), IST_E_UNSUPPORTED);
    expect_sentence("automatic");
    expect_ok(ist_arena_retain(arena));
    for (int i = 0; i < 3; i++)
        expect_ok(ist_arena_drop(arena));
    expect_status(ist_arena_references(arena, &(size_t){ 0 }), IST_E_UNSUPPORTED);
    expect_ok(ist_arena_hold(arena, &hold));
    expect_ok(ist_hold_detach(&hold, &detached));
    expect_ok(ist_detached_release(&detached));
    expect_ok(ist_arena_hold(arena, &hold));
    expect_ok(ist_arena_release(&hold));
    expect(ist_arena_is_alive(arena));
    expect_size(test_stats().automatic_open, 0); /* Those are counted; these are counted by ist_gc_stats_get(). */
    IST_GC_KEEP(arena);
}

/* ---- What keeps an arena ---- */

static ist_segment in_static;
static void *in_root;

static void kept(void **state)
{
    (void)state;
    ist_segment on_stack = open_full(1);
    ist_segment slice;
    expect_ok(ist_segment_slice(open_full(2), 8, 64, &slice));
    ist_segment view = ist_segment_as_read_only(open_full(3));
    in_static = open_full(4);
    ist_segment *object = GC_MALLOC(sizeof *object); /* Found through a static pointer. */
    *object = open_full(5);
    in_root = object;
    object = NULL;
    ist_arena arena;
    expect_ok(ist_gc_arena_open(&arena));
    for (int i = 0; i < 5; i++) {
        churn();
        expect_full(on_stack, 1);
        uint64_t value = 0;
        expect_ok(ist_get_u64(slice, 56, &value));
        expect_size(value, 2);
        expect_full(view, 3);
        expect_full(in_static, 4);
        expect_full(*(ist_segment *)in_root, 5);
        ist_segment more;
        expect_ok(ist_arena_allocate(arena, 100000, 64, &more));
        expect(test_all_bytes(more.address, 100000, 0));
    }
    in_static = (ist_segment){ 0 };
    in_root = NULL;
}

/* ---- The end ---- */

#define MANY 20000
static _Atomic unsigned runs[MANY];
static pthread_t main_thread;
static _Atomic unsigned on_main;

static void count_run(void *data)
{
    atomic_fetch_add((_Atomic unsigned *)data, 1);
    if (pthread_equal(pthread_self(), main_thread))
        atomic_fetch_add(&on_main, 1);
    /* Actions may allocate, from the collector too, and open arenas. */
    ist_arena arena;
    ist_segment words;
    expect_answer(ist_gc_arena_open(&arena), IST_OK);
    expect_answer(ist_arena_allocate(arena, 100, 8, &words), IST_OK);
    expect(GC_MALLOC(100) != NULL);
}

static __attribute__((noinline)) void open_with_actions(void)
{
    for (size_t i = 0; i < MANY; i++) {
        ist_segment words = open_full(i);
        expect_answer(ist_arena_on_close(ist_segment_arena(words), count_run, &runs[i]), IST_OK);
    }
}

static size_t total(void)
{
    size_t sum = 0;
    for (size_t i = 0; i < MANY; i++)
        sum += atomic_load(&runs[i]);
    return sum;
}

/* The library's thread runs the actions; what a register or a stack holds by chance may stay. */
static void ended_once(void **state)
{
    (void)state;
    main_thread = pthread_self();
    open_with_actions();
    for (int i = 0; i < 200 && total() < MANY; i++) {
        scrub();
        ist_gc_collect();
        nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    }
    size_t sum = total();
    expect(sum >= MANY - 10);
    for (size_t i = 0; i < MANY; i++)
        expect(atomic_load(&runs[i]) <= 1);
    expect_size(atomic_load(&on_main), 0);
}

/* By the caller, when it asks. */
static void cleanups_run(void **state)
{
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        atomic_store(&runs[i], 0);
    open_with_actions();
    size_t ended = 0;
    for (int i = 0; i < 100 && total() < MANY - 10; i++) {
        scrub();
        ist_gc_collect();
        ended += ist_gc_cleanups_run();
    }
    expect(total() >= MANY - 10);
    for (size_t i = 0; i < MANY; i++)
        expect(atomic_load(&runs[i]) <= 1);
    expect(ended <= MANY);
}

/* ---- Handles that the collector did not see ---- */

#define HIDDEN 1000
typedef struct hidden {
    uintptr_t session;
    uint64_t expected;
    void *address;
} hidden;
static hidden *hideout;

static __attribute__((noinline)) void hide(void)
{
    for (size_t i = 0; i < HIDDEN; i++) {
        ist_segment words = open_full(i);
        hideout[i] = (hidden){ ~words.session, words.expected, words.address };
    }
}

static size_t refused(void)
{
    size_t count = 0;
    for (size_t i = 0; i < HIDDEN; i++) {
        ist_segment words = { hideout[i].address, WORDS * 8, ~hideout[i].session, hideout[i].expected };
        uint64_t value = 0;
        ist_status status = ist_get_u64(words, 8, &value);
        expect(status == IST_E_CLOSED || (status == IST_OK && value == i));
        expect_answer(ist_segment_fill(&words, 0), status == IST_OK ? IST_OK : IST_E_CLOSED);
        if (status == IST_OK)
            for (size_t k = 0; k < WORDS; k++)
                expect_answer(ist_set_u64(words, k * 8, i), IST_OK);
        count += status == IST_E_CLOSED;
    }
    return count;
}

static void stale(void **state)
{
    (void)state;
    hideout = malloc(HIDDEN * sizeof *hideout);
    expect(hideout != NULL);
    hide();
    expect_size(refused(), 0);
    for (int i = 0; i < 5; i++)
        churn();
    expect(refused() >= HIDDEN - 10);
    size_t before = refused();
    churn(); /* The records serve others. */
    expect(refused() >= before);
    free(hideout);
}

/* ---- Finalisers of the program see what they refer to ---- */

static _Atomic size_t finalised, refused_there;

static void finalise(void *object, void *data)
{
    const ist_segment *words = object;
    uint64_t value = 0;
    if (ist_get_u64(*words, 8, &value) != IST_OK || value != (uint64_t)(uintptr_t)data)
        atomic_fetch_add(&refused_there, 1);
    atomic_fetch_add(&finalised, 1);
}

static __attribute__((noinline)) void make_finalisable(void)
{
    for (uintptr_t i = 1; i <= 1000; i++) {
        ist_segment *object = GC_MALLOC(sizeof *object);
        *object = open_full(i);
        GC_REGISTER_FINALIZER(object, finalise, (void *)i, NULL, NULL);
    }
}

static void finalisers(void **state)
{
    (void)state;
    make_finalisable();
    for (int i = 0; i < 10; i++)
        churn();
    expect(atomic_load(&finalised) >= 990);
    expect_size(atomic_load(&refused_there), 0);
}

/* ---- Pressure ---- */

static size_t resident_peak(void)
{
    char line[256];
    size_t peak = 0;
    FILE *status = fopen("/proc/self/status", "r");
    expect(status != NULL);
    while (fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmHWM: %zu kB", &peak) == 1)
            break;
    fclose(status);
    return peak * 1024;
}

/* A program that only opens. */
static void bounded(void **state)
{
    (void)state;
    size_t opened = gc_stats().opened, requested = gc_stats().requested, before = resident_peak();
    for (uint64_t i = 0; i < 200000; i++) {
        ist_segment block;
        expect_answer(ist_arena_allocate(ist_segment_arena(open_full(i)), 3000, 8, &block), IST_OK);
    }
    expect(gc_stats().opened - opened >= 200000 - 16);
    expect(gc_stats().requested > requested);
    expect(gc_stats().bytes <= (size_t)40 << 20);
    expect(resident_peak() <= before + ((size_t)64 << 20));
    /* Few large ones count as much as many small ones. */
    requested = gc_stats().requested;
    for (int i = 0; i < 200; i++) {
        ist_segment block;
        expect_answer(ist_arena_allocate(ist_segment_arena(open_full(1)), 4000000, 8, &block), IST_OK);
        ((volatile char *)block.address)[3999999] = 1;
    }
    expect(gc_stats().requested - requested >= 5);
    expect(resident_peak() <= before + ((size_t)96 << 20));
    requested = gc_stats().requested;
    ist_gc_limit_set(0);
    for (uint64_t i = 0; i < 200000; i++)
        (void)open_full(i);
    expect(gc_stats().requested - requested >= 3);
    ist_gc_limit_set((size_t)16 << 20);
}

/* ---- Threads ---- */

#define THREADS 8
static _Atomic(ist_segment *) boxes[16]; /* Static: the collector sees them. */

static void *use(void *data)
{
    uint64_t random = (uint64_t)(uintptr_t)data;
    for (int i = 0; i < 20000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        ist_segment *object = GC_MALLOC(sizeof *object);
        uint64_t value = random >> 20;
        *object = open_full(value);
        object = atomic_exchange(&boxes[random >> 60], object);
        if (object != NULL) {
            uint64_t first = 0;
            expect_answer(ist_get_u64(*object, 0, &first), IST_OK);
            expect_full(*object, first);
        }
    }
    return NULL;
}

static void threads(void **state)
{
    (void)state;
    pthread_t ids[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        expect(GC_pthread_create(&ids[i], NULL, use, (void *)(i + 1)) == 0);
    for (size_t i = 0; i < THREADS; i++)
        expect(GC_pthread_join(ids[i], NULL) == 0);
    for (size_t i = 0; i < 16; i++)
        atomic_store(&boxes[i], NULL);
    churn();
    expect(gc_stats().records < 400000);
}

/* ---- Processes, and programs that have hooks of their own ---- */

static void in_child(void *data)
{
    const ist_segment *words = data;
    expect_full(*words, 7);
    size_t before = total();
    open_with_actions();
    for (int i = 0; i < 200 && total() < before + MANY / 2; i++) {
        scrub();
        ist_gc_collect();
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    expect(total() >= before + MANY / 2); /* By a thread that this process has started. */
    expect_full(*words, 7);
}

static void fork_with_live_ones(void **state)
{
    (void)state;
    ist_segment words = open_full(7);
    for (size_t i = 0; i < MANY; i++)
        atomic_store(&runs[i], 0);
    expect_size(test_in_child(in_child, &words), 0);
    expect_full(words, 7);
}

/* The program takes the collector's hook for itself: nothing is reclaimed under a handle, and arenas end all the same. */
static void without_hook(void **state)
{
    (void)state;
    GC_on_collection_event_proc hook = GC_get_on_collection_event();
    GC_set_on_collection_event(0);
    ist_segment words = open_full(8);
    size_t ended = gc_stats().ended;
    for (int i = 0; i < 5; i++) {
        churn();
        expect_full(words, 8);
    }
    expect(gc_stats().ended > ended);
    GC_set_on_collection_event(hook);
}

int main(void)
{
    GC_set_handle_fork(1);
    const struct CMUnitTest tests[] = {
        test_case(statuses), test_case(kept),    test_case(stale),   test_case(finalisers),          test_case(bounded),
        test_case(threads),  test_case(ended_once), test_case(cleanups_run), test_case(fork_with_live_ones), test_case(without_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
