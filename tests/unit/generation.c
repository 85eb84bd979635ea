/* SPDX-License-Identifier: MIT */
/*
 * The end of a record's generations: a record whose next generation would wrap around is put aside when its arena is
 * closed, so that no handle ever becomes good again. The state words are set by hand here; nobody lives to see them.
 */
#include "support/expect.h"

#include <isthmus/abi.h>

#define LAST_GENERATION (UINT64_MAX & ~(ISTI_GENERATION_ONE - 1))

/* Makes an open arena's life its record's last but `left`. Handles and segments from before are stale afterwards. */
static void age(ist_arena *arena, uint64_t left)
{
    uint64_t state = (arena->expected & (ISTI_GENERATION_ONE - 1)) | (LAST_GENERATION - left * ISTI_GENERATION_ONE);
    expect(arena->session->state == arena->expected);
    arena->session->state = state;
    arena->expected = state;
}

static ist_arena opened_old(uint64_t left)
{
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    age(&arena, left);
    expect(ist_arena_is_alive(arena));
    return arena;
}

typedef struct past {
    ist_arena arena;
    ist_segment segment;
} past;

static void expect_past(void *data)
{
    past *p = data;
    uint64_t value = 6;
    ist_segment segment;
    ist_hold hold;
    expect(!ist_arena_is_alive(p->arena));
    expect_status(ist_arena_close(p->arena), IST_E_CLOSED);
    expect_status(ist_arena_allocate(p->arena, 8, 8, &segment), IST_E_CLOSED);
    expect_status(ist_arena_hold(p->arena, &hold), IST_E_CLOSED);
    expect_status(ist_arena_adopt(p->arena), IST_E_CLOSED);
    expect_status(ist_get_u64(p->segment, 0, &value), IST_E_CLOSED);
    expect(value == 6);
}

/* No later arena has the record. */
static void expect_never_again(const isti_session *session)
{
    enum { MANY = 500 };
    ist_arena arenas[MANY];
    for (size_t i = 0; i < MANY; i++) {
        expect_ok(ist_arena_open_confined(&arenas[i]));
        expect(arenas[i].session != session);
    }
    for (size_t i = 0; i < MANY; i++)
        expect_ok(ist_arena_close(arenas[i]));
}

static void the_last_life(void **state)
{
    (void)state;
    ist_stats before = test_stats();
    past p = { .arena = opened_old(0) };
    expect_ok(ist_arena_allocate(p.arena, 64, 8, &p.segment));
    expect_ok(ist_set_u64(p.segment, 0, 1));
    expect_ok(ist_arena_close(p.arena));
    expect_size(test_stats().records_retired, before.records_retired + 1);
    expect_size(test_stats().arenas_open, before.arenas_open);
    expect_past(&p);
    test_on_thread(expect_past, &p);
    expect_never_again(p.arena.session);
    expect_past(&p);
    test_on_thread(expect_past, &p);
    (void)ist_trim();
    expect_never_again(p.arena.session);
    expect_past(&p);
}

/* One life before the last the record is used once more, and only then put aside. */
static void the_last_life_but_one(void **state)
{
    (void)state;
    ist_stats before = test_stats();
    past p = { .arena = opened_old(1) };
    expect_ok(ist_arena_allocate(p.arena, 64, 8, &p.segment));
    expect_ok(ist_arena_close(p.arena));
    expect_size(test_stats().records_retired, before.records_retired);
    expect_past(&p);
    past last;
    expect_ok(ist_arena_open_confined(&last.arena));
    expect(last.arena.session == p.arena.session);
    expect((last.arena.expected & LAST_GENERATION) == LAST_GENERATION);
    expect_ok(ist_arena_allocate(last.arena, 64, 8, &last.segment));
    expect_past(&p);
    expect_ok(ist_arena_close(last.arena));
    expect_size(test_stats().records_retired, before.records_retired + 1);
    expect_past(&p);
    expect_past(&last);
    expect_never_again(p.arena.session);
}

static size_t cleaned;
static void clean(void *data)
{
    expect(!ist_arena_is_alive(*(ist_arena *)data));
    cleaned++;
}

/* With something to do on close: actions run once, memory goes back. */
static void with_a_burden(void **state)
{
    (void)state;
    (void)ist_trim();
    ist_stats before = test_stats();
    past p = { .arena = opened_old(0) };
    cleaned = 0;
    expect_ok(ist_arena_on_close(p.arena, clean, &p.arena));
    expect_ok(ist_arena_on_close(p.arena, clean, &p.arena));
    expect_ok(ist_arena_allocate(p.arena, 1000000, 8, &p.segment));
    expect_ok(ist_arena_close(p.arena));
    expect_size(cleaned, 2);
    expect_size(test_stats().records_retired, before.records_retired + 1);
    expect_past(&p);
    (void)ist_trim();
    expect_size(test_stats().bytes_live, before.bytes_live);
    expect_never_again(p.arena.session);
}

static void held(void **state)
{
    (void)state;
    ist_hold hold;
    ist_stats before = test_stats();
    past p = { .arena = opened_old(0) };
    expect_ok(ist_arena_allocate(p.arena, 8, 8, &p.segment));
    expect_ok(ist_arena_hold(p.arena, &hold));
    expect_status(ist_arena_close(p.arena), IST_E_HELD);
    expect_ok(ist_set_u64(p.segment, 0, 1));
    expect_ok(ist_arena_release(&hold));
    expect_ok(ist_arena_close(p.arena));
    expect_size(test_stats().records_retired, before.records_retired + 1);
    expect_past(&p);
}

static void frame(void **state)
{
    (void)state;
    ist_frame f, next;
    ist_stats before = test_stats();
    expect_ok(ist_frame_push(64, 8, &f));
    age(&f.arena, 0);
    past p = { .arena = f.arena };
    expect_ok(ist_frame_allocate(&f, 64, 8, &p.segment));
    expect_ok(ist_frame_pop(&f));
    expect_size(test_stats().records_retired, before.records_retired + 1);
    expect_past(&p);
    expect_ok(ist_frame_push(64, 8, &next));
    expect(next.arena.session != p.arena.session && next.depth == 1);
    expect_ok(ist_frame_pop(&next));
}

static void leave_old(void *data)
{
    past *p = data;
    p->arena = opened_old(0);
    expect_ok(ist_arena_allocate(p->arena, 64, 8, &p->segment));
}

static void orphan(void **state)
{
    (void)state;
    past p;
    ist_stats before = test_stats();
    size_t count = 0;
    test_on_thread(leave_old, &p);
    expect_size(test_stats().arenas_orphaned, before.arenas_orphaned + 1);
    expect_ok(ist_arena_reclaim_orphans(&count));
    expect_size(count, 1);
    expect_size(test_stats().records_retired, before.records_retired + 1);
    expect_size(test_stats().arenas_orphaned, before.arenas_orphaned);
    expect_past(&p);
}

/* Records that are put aside do not come in the way of those that are made. */
static void many(void **state)
{
    (void)state;
    ist_stats before = test_stats();
    for (size_t i = 0; i < 300; i++)
        expect_ok(ist_arena_close(opened_old(0)));
    ist_stats after = test_stats();
    expect_size(after.records_retired, before.records_retired + 300);
    expect(after.records >= after.records_retired);
    expect_size(after.arenas_open, before.arenas_open);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(the_last_life),
        test_case(the_last_life_but_one),
        test_case(with_a_burden),
        test_case(held),
        test_case(frame),
        test_case(orphan),
        test_case(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
