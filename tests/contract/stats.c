/* SPDX-License-Identifier: MIT */
/* ist_stats_get(), ist_trim() and what they say of a thread's doings. */
#include "support/expect.h"

static void stats_follow_the_size(void **state)
{
    (void)state;
    unsigned char room[sizeof(ist_stats) + 64];
    size_t least = 2 * sizeof(size_t); /* `size` and the first count. */
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    size_t open = test_stats().arenas_open;
    for (size_t size = 0; size <= sizeof room; size++) {
        test_context("size %zu", size);
        memset(room, 0xEE, sizeof room);
        memcpy(room, &size, sizeof size);
        ist_stats *stats = (ist_stats *)(void *)room;
        if (size < least) {
            expect_status(ist_stats_get(stats), IST_E_ARGUMENT);
            expect_size(stats->size, size);
            expect(test_all_bytes(room + sizeof size, sizeof room - sizeof size, 0xEE));
            continue;
        }
        expect_ok(ist_stats_get(stats));
        expect(stats->size >= least && stats->size <= size && stats->size <= sizeof(ist_stats));
        expect(size < sizeof(ist_stats) || stats->size == sizeof(ist_stats));
        expect_size(stats->arenas_open, open);
        size_t valid = stats->size;
        expect(test_all_bytes(room + valid, sizeof room - valid, 0xEE));
    }
    expect_ok(ist_arena_close(arena));
}

static void stats_to_nowhere(void **state)
{
    (void)state;
    expect_status(ist_stats_get(NULL), IST_E_ARGUMENT);
}

static void arenas_are_counted(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    ist_arena arenas[COUNT];
    ist_stats before = test_stats();
    for (size_t i = 0; i < COUNT; i++) {
        expect_ok(ist_arena_open_confined(&arenas[i]));
        expect_size(test_stats().arenas_open, before.arenas_open + i + 1);
        ist_stats now = test_stats();
        expect(now.arenas_open + now.arenas_cached <= now.records);
        expect(now.arenas_orphaned == 0 && now.records_retired == 0);
    }
    for (size_t i = 0; i < COUNT; i++) {
        expect_ok(ist_arena_close(arenas[i]));
        expect_size(test_stats().arenas_open, before.arenas_open + COUNT - i - 1);
    }
    expect(TEST_ASAN || getenv("ISTHMUS_DEBUG") != NULL || test_stats().arenas_cached > 0);
    (void)ist_trim();
    for (size_t i = 0; i < COUNT; i++) /* Records come back: there are no more of them. */
        expect_ok(ist_arena_open_confined(&arenas[i]));
    size_t records = test_stats().records;
    for (size_t round = 0; round < 20; round++) {
        for (size_t i = 0; i < COUNT; i++)
            expect_ok(ist_arena_close(arenas[i]));
        for (size_t i = 0; i < COUNT; i++)
            expect_ok(ist_arena_open_confined(&arenas[i]));
    }
    expect_size(test_stats().records, records);
    for (size_t i = 0; i < COUNT; i++)
        expect_ok(ist_arena_close(arenas[i]));
}

static void bytes_are_counted(void **state)
{
    (void)state;
    ist_arena arena;
    ist_segment segment;
    (void)ist_trim();
    size_t before = test_stats().bytes_live;
    expect_ok(ist_arena_open_confined(&arena));
    size_t total = 0;
    for (size_t i = 0; i < 20; i++) {
        expect_ok(ist_arena_allocate(arena, 10000, 8, &segment));
        total += 10000;
        expect(test_stats().bytes_live >= before + total);
    }
    expect_ok(ist_arena_close(arena));
    (void)ist_trim();
    expect_size(test_stats().bytes_live, before);
}

/* An arena that allocates nothing takes no memory. */
static void an_empty_arena_has_no_bytes(void **state)
{
    (void)state;
    ist_arena arena;
    (void)ist_trim();
    size_t before = test_stats().bytes_live;
    for (size_t i = 0; i < 100; i++) {
        expect_ok(ist_arena_open_confined(&arena));
        expect_size(test_stats().bytes_live, before);
        expect_ok(ist_arena_close(arena));
    }
}

/* A cache that is used again and again does not grow. */
static void memory_is_bounded(void **state)
{
    (void)state;
    size_t bytes = 0;
    for (size_t round = 0; round < 3000; round++) {
        ist_arena arena;
        ist_segment segment;
        expect_ok(ist_arena_open_confined(&arena));
        expect_ok(ist_arena_allocate(arena, 1 + round % 300 * 200, 8, &segment));
        expect_ok(ist_arena_close(arena));
        if (round == 1000)
            bytes = test_stats().bytes_live;
    }
    expect(test_stats().bytes_live <= bytes + 65536);
}

static void ask_and_leave(void *data)
{
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    *(size_t *)data = test_stats().threads;
    expect_ok(ist_arena_close(arena));
}

static void threads_are_counted(void **state)
{
    (void)state;
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_close(arena));
    size_t before = test_stats().threads, within = 0;
    expect(before >= 1);
    test_on_thread(ask_and_leave, &within);
    expect_size(within, before + 1);
    expect_size(test_stats().threads, before);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(stats_follow_the_size),
        test_case(stats_to_nowhere),
        test_case(arenas_are_counted),
        test_case(bytes_are_counted),
        test_case(an_empty_arena_has_no_bytes),
        test_case(memory_is_bounded),
        test_case(threads_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
