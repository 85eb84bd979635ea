/* SPDX-License-Identifier: MIT */
/* Closing: once, for as long as one is willing to wait, many at once. */
#include "company.h"

#include <stdatomic.h>

static void within_a_time(void **state)
{
    (void)state;
    use of = use_open();
    mate *other = mate_start();
    use_hold(&of);
    uint64_t begin = test_now_ns();
    expect_status(ist_arena_close_within(of.arena, 0), IST_E_HELD);
    expect_status(ist_arena_close_within(of.arena, 20000000), IST_E_HELD);
    expect(test_now_ns() - begin >= 20000000);
    use_touch(&of);
    use_release(&of);
    expect_ok(ist_arena_close_within(of.arena, 0));
    expect_status(ist_arena_close_within(of.arena, UINT64_MAX), IST_E_CLOSED);
    mate_end(other);
}

static void close_patiently(void *data)
{
    use *of = data;
    of->status = ist_arena_close_within(of->arena, UINT64_C(60000000000));
}

/* Released while somebody waits for it. */
static void within_reach(void **state)
{
    (void)state;
    for (int detached = 0; detached < 2; detached++) {
        use of = use_open();
        mate *other = mate_start();
        if (detached)
            expect_ok(ist_arena_hold_detached(of.arena, &of.detached));
        else
            use_hold(&of);
        mate_begin(other, close_patiently, &of);
        struct timespec pace = { .tv_nsec = 3000000 };
        nanosleep(&pace, NULL);
        use_touch(&of);
        if (detached)
            expect_ok(ist_detached_release(&of.detached));
        else
            use_release(&of);
        mate_wait(other);
        expect(of.status == IST_OK);
        expect_status(ist_set_u64(of.segment, 0, 1), IST_E_CLOSED);
        mate_end(other);
    }
}

static void within_for_other_kinds(void **state)
{
    (void)state;
    ist_arena confined;
    ist_hold hold;
    expect_ok(ist_arena_open_confined(&confined));
    expect_ok(ist_arena_hold(confined, &hold));
    expect_status(ist_arena_close_within(confined, 1000000), IST_E_HELD);
    expect_ok(ist_arena_release(&hold));
    expect_ok(ist_arena_close_within(confined, 1000000));
    expect_status(ist_arena_close_within(ist_arena_global(), 1000000), IST_E_UNSUPPORTED);
}

/* ---- Many ---- */

enum { LOT = 200 };

static void statuses_of_a_mixture(void **state)
{
    (void)state;
    use plain = use_open(), escaped = use_open(), held = use_open(), far = use_open(), closed = use_open();
    mate *other = mate_start();
    ist_arena confined;
    expect_ok(ist_arena_open_confined(&confined));
    use_escape(&escaped);
    use_hold(&held);
    mate_do(other, use_hold, &far);
    expect_ok(ist_arena_close(closed.arena));
    const ist_arena arenas[] = { escaped.arena, confined, held.arena, escaped.arena, closed.arena, ist_arena_global(),
                                 { 0 }, plain.arena, plain.arena, far.arena, far.arena, confined };
    static const ist_status wanted[] = { IST_OK, IST_OK, IST_E_HELD, IST_E_CLOSED, IST_E_CLOSED, IST_E_UNSUPPORTED,
                                         IST_E_CLOSED, IST_OK, IST_E_CLOSED, IST_E_HELD, IST_E_HELD, IST_E_CLOSED };
    enum { COUNT = sizeof arenas / sizeof arenas[0] };
    ist_status statuses[COUNT];
    expect_answer(ist_arena_close_many(arenas, COUNT, statuses), IST_E_HELD); /* The first that is not IST_OK. */
    for (size_t i = 0; i < COUNT; i++)
        if (statuses[i] != wanted[i])
            test_failed(__FILE__, __LINE__, "arena %zu: %s, not %s", i, ist_status_name(statuses[i]),
                        ist_status_name(wanted[i]));
    expect(!ist_arena_is_alive(plain.arena) && !ist_arena_is_alive(escaped.arena) && !ist_arena_is_alive(confined));
    use_touch(&held);
    use_touch(&far);
    use_release(&held);
    mate_do(other, use_release, &far);
    const ist_arena rest[] = { held.arena, far.arena };
    expect_ok(ist_arena_close_many(rest, 2, statuses));
    mate_end(other);
}

static void arguments_of_many(void **state)
{
    (void)state;
    ist_status status = IST_E_BUSY;
    ist_arena arena = { 0 };
    expect_ok(ist_arena_close_many(NULL, 0, NULL));
    expect_status(ist_arena_close_many(NULL, 1, &status), IST_E_ARGUMENT);
    expect_status(ist_arena_close_many(&arena, 1, NULL), IST_E_ARGUMENT);
    expect(status == IST_E_BUSY);
    expect_status(ist_arena_close_many(&arena, 1, &status), IST_E_CLOSED);
    expect(status == IST_E_CLOSED);
}

static void close_a_lot(bool escaped)
{
    static use lot[LOT];
    static ist_arena arenas[LOT];
    static ist_status statuses[LOT];
    for (size_t i = 0; i < LOT; i++) {
        lot[i] = use_open();
        arenas[i] = lot[i].arena;
    }
    mate *other = mate_start();
    for (size_t i = 0; i < LOT && escaped; i++)
        mate_do(other, use_touch, &lot[i]);
    size_t fences = test_stats().heavy_fences, by_fence = test_stats().shared_closes_escaped;
    expect_ok(ist_arena_close_many(arenas, LOT, statuses));
    expect_size(test_stats().shared_closes_escaped, by_fence + (escaped ? LOT : 0));
    expect(test_stats().heavy_fences - fences <= (escaped ? LOT / 50 : 0));
    for (size_t i = 0; i < LOT; i++) {
        expect(statuses[i] == IST_OK);
        expect(!ist_arena_is_alive(arenas[i]));
        expect_status(ist_get_u64(lot[i].segment, 0, &(uint64_t){ 0 }), IST_E_CLOSED);
    }
    mate_end(other);
}

static void a_lot(void **state)
{
    (void)state;
    close_a_lot(false);
    close_a_lot(true);
}

static int order[8], ended;

static void note_order(void *data)
{
    order[ended++] = *(int *)data;
}

/* Actions of arenas that are closed together run, and may close others of them. */
static void cleanups_of_many(void **state)
{
    (void)state;
    ist_arena arenas[4];
    ist_status statuses[4];
    int numbers[4] = { 0, 1, 2, 3 };
    ended = 0;
    for (int i = 0; i < 4; i++) {
        use of = use_open();
        if (i % 2 != 0)
            use_escape(&of);
        arenas[i] = of.arena;
        expect_ok(ist_arena_on_close(of.arena, note_order, &numbers[i]));
    }
    expect_ok(ist_arena_close_many(arenas, 4, statuses));
    expect_size(ended, 4);
    expect_size(order[0] + order[1] + order[2] + order[3], 6);
}

/* ---- Counters ---- */

static void counters(void **state)
{
    (void)state;
    ist_stats before = test_stats();
    use of = use_open();
    expect_ok(ist_arena_close(of.arena));
    expect_size(test_stats().shared_closes_escaped, before.shared_closes_escaped);
    expect_size(test_stats().heavy_fences, before.heavy_fences);
    of = use_open();
    use_escape(&of);
    expect_ok(ist_arena_close(of.arena));
    ist_stats after = test_stats();
    expect_size(after.shared_closes_escaped, before.shared_closes_escaped + 1);
    /* The first use by another thread executes one, and the close of what was used another. */
    size_t each = after.fence_is_light != 0;
    expect(after.heavy_fences == before.heavy_fences + each || after.heavy_fences == before.heavy_fences + 2 * each);
    of = use_open();
    use_escape(&of);
    expect_ok(ist_arena_close(of.arena));
    expect_size(test_stats().heavy_fences, after.heavy_fences + each);
    expect(after.longest_undecided_ns >= before.longest_undecided_ns && after.longest_undecided_ns != 0);
    expect(after.longest_drain_ns != 0);
}

/* ---- Closers and others at once ---- */

static _Atomic unsigned winners;

static void close_and_count(void *data)
{
    use *of = data;
    ist_status status = ist_arena_close(of->arena);
    if (status == IST_OK)
        atomic_fetch_add(&winners, 1);
    else
        expect(status == IST_E_CLOSED);
}

static void one_winner(void **state)
{
    (void)state;
    mate *others[3] = { mate_start(), mate_start(), mate_start() };
    for (int round = 0; round < 300; round++) {
        use of = use_open();
        atomic_store(&winners, 0);
        for (int i = 0; i < 3; i++)
            mate_begin(others[i], close_and_count, &of);
        close_and_count(&of);
        for (int i = 0; i < 3; i++)
            mate_wait(others[i]);
        expect_size(atomic_load(&winners), 1);
    }
    for (int i = 0; i < 3; i++)
        mate_end(others[i]);
}

static _Atomic bool stop_reading;

static void read_until_told(void *data)
{
    use *of = data;
    uint64_t value;
    while (!atomic_load(&stop_reading) && ist_get_u64(of->segment, 0, &value) == IST_OK)
        ;
}

/* Readers that spin do not keep a closer from returning; nor do threads that hold and release other arenas. */
static void readers_that_spin(void **state)
{
    (void)state;
    mate *others[3] = { mate_start(), mate_start(), mate_start() };
    for (int round = 0; round < 100; round++) {
        use of = use_open();
        atomic_store(&stop_reading, false);
        for (int i = 0; i < 3; i++)
            mate_begin(others[i], read_until_told, &of);
        expect_ok(ist_arena_close(of.arena));
        for (int i = 0; i < 3; i++)
            mate_wait(others[i]); /* They end because the arena is closed. */
    }
    for (int i = 0; i < 3; i++)
        mate_end(others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_case(within_a_time),
        test_case(within_reach),
        test_case(within_for_other_kinds),
        test_case(statuses_of_a_mixture),
        test_case(arguments_of_many),
        test_case(a_lot),
        test_case(cleanups_of_many),
        test_case(counters),
        test_case(one_winner),
        test_case(readers_that_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
