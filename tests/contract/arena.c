/* SPDX-License-Identifier: MIT */
/* The life of an arena: opening, closing, holds, cleanup actions, and handles that have had their day. */
#include "support/expect.h"

static ist_arena opened(void)
{
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    expect(ist_arena_is_alive(arena));
    return arena;
}

static ist_segment allocated(ist_arena arena, size_t size)
{
    ist_segment segment;
    expect_ok(ist_arena_allocate(arena, size, 8, &segment));
    return segment;
}

/* ---- Opening and closing ---- */

static void opening_to_nowhere(void **state)
{
    (void)state;
    expect_status(ist_arena_open_confined(NULL), IST_E_ARGUMENT);
    expect_ok(ist_arena_close(opened())); /* With a record that waits in the cache, too. */
    expect_status(ist_arena_open_confined(NULL), IST_E_ARGUMENT);
    size_t open_before = test_stats().arenas_open;
    expect_status(ist_arena_open_confined(NULL), IST_E_ARGUMENT);
    expect_size(test_stats().arenas_open, open_before);
}

static void closing_twice(void **state)
{
    (void)state;
    ist_arena arena = opened();
    expect_ok(ist_arena_close(arena));
    expect(!ist_arena_is_alive(arena));
    expect_status(ist_arena_close(arena), IST_E_CLOSED);
    expect_sentence("confined");
    ist_arena next = opened(); /* Most likely of the same record. */
    expect_status(ist_arena_close(arena), IST_E_CLOSED);
    expect(ist_arena_is_alive(next) && !ist_arena_is_alive(arena));
    expect_ok(ist_arena_close(next));
}

static void closing_what_never_closes(void **state)
{
    (void)state;
    expect_status(ist_arena_close(ist_arena_global()), IST_E_UNSUPPORTED);
    expect(strcmp(test_last_error().kind, "global") == 0);
    expect(ist_arena_is_alive(ist_arena_global()));
}

static void out_of_order(void **state)
{
    (void)state;
    ist_arena arenas[5];
    ist_segment segments[5];
    for (size_t i = 0; i < 5; i++) {
        arenas[i] = opened();
        segments[i] = allocated(arenas[i], 100);
        expect_ok(ist_segment_fill(&segments[i], (uint8_t)(i + 1)));
    }
    static const size_t order[] = { 2, 0, 4, 1, 3 };
    for (size_t i = 0; i < 5; i++) {
        expect_ok(ist_arena_close(arenas[order[i]]));
        for (size_t j = 0; j < 5; j++) {
            bool closed = false;
            for (size_t k = 0; k <= i; k++)
                closed = closed || order[k] == j;
            expect(ist_arena_is_alive(arenas[j]) == !closed);
            expect(closed || test_all_bytes(segments[j].address, 100, (uint8_t)(j + 1)));
        }
    }
}

static void many_at_once(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    static ist_arena arenas[MANY];
    static ist_segment segments[MANY];
    size_t open_before = test_stats().arenas_open;
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < MANY; i++) {
            arenas[i] = opened();
            segments[i] = allocated(arenas[i], 8);
            expect_ok(ist_set_u64(segments[i], 0, i));
        }
        expect_size(test_stats().arenas_open, open_before + MANY);
        for (size_t i = 0; i < MANY; i++) {
            expect(ist_read_u64(segments[i], 0) == i);
            expect_ok(ist_arena_close(arenas[i]));
        }
        expect_size(test_stats().arenas_open, open_before);
        for (size_t i = 0; i < MANY; i++)
            expect(!ist_arena_is_alive(arenas[i]));
    }
}

/* ---- Stale handles ---- */

typedef struct stale {
    ist_arena arena;
    ist_segment segment;
} stale;

static void expect_stale(void *data)
{
    stale *old = data;
    uint64_t value = 9;
    ist_segment out;
    ist_hold hold;
    expect(!ist_arena_is_alive(old->arena));
    expect(!ist_segment_is_alive(&old->segment));
    expect_status(ist_get_u64(old->segment, 0, &value), IST_E_CLOSED);
    expect_status(ist_set_u64(old->segment, 0, 1), IST_E_CLOSED);
    expect_status(ist_segment_fill(&old->segment, 1), IST_E_CLOSED);
    expect_status(ist_arena_allocate(old->arena, 8, 8, &out), IST_E_CLOSED);
    expect_status(ist_arena_hold(old->arena, &hold), IST_E_CLOSED);
    expect_status(ist_arena_close(old->arena), IST_E_CLOSED);
    expect_status(ist_arena_adopt(old->arena), IST_E_CLOSED);
    expect(value == 9);
}

/*
 * A stale handle fails for ever: through a million lives of its record, with the record closed and with it open
 * again, on its thread and on another.
 */
static void stale_after_a_million_lives(void **state)
{
    (void)state;
    stale old = { .arena = opened() };
    old.segment = allocated(old.arena, 8);
    expect_ok(ist_arena_close(old.arena));
    size_t same_record = 0;
    for (size_t life = 0; life < 1000000; life++) {
        ist_arena arena;
        ist_segment segment;
        if (ist_arena_open_confined(&arena) != IST_OK)
            expect(false);
        if (life % 16 == 0 && ist_arena_allocate(arena, 8, 8, &segment) != IST_OK)
            expect(false);
        same_record += arena.session == old.arena.session;
        uint64_t value;
        if (ist_get_u64(old.segment, 0, &value) != IST_E_CLOSED || ist_arena_is_alive(old.arena))
            expect(false);
        if (ist_arena_close(arena) != IST_OK)
            expect(false);
    }
    expect(same_record > 900000); /* It is the record's reuse that is tried here. */
    expect_stale(&old);
    test_on_thread(expect_stale, &old);
    ist_arena arena = opened();
    expect_stale(&old);
    test_on_thread(expect_stale, &old);
    expect_ok(ist_arena_close(arena));
}

/* Another thread's arena that has taken the record over stays its own: neither thread gets at the other's. */
static void reuse_record(void *data)
{
    (void)data;
    for (size_t i = 0; i < 1000; i++)
        expect_ok(ist_arena_close(opened()));
}

static void stale_while_another_thread_has_the_record(void **state)
{
    (void)state;
    enum { MANY = 200 };
    static stale old[MANY];
    for (size_t i = 0; i < MANY; i++) {
        old[i].arena = opened();
        old[i].segment = allocated(old[i].arena, 8);
    }
    for (size_t i = 0; i < MANY; i++)
        expect_ok(ist_arena_close(old[i].arena));
    (void)ist_trim();
    test_on_thread(reuse_record, NULL);
    for (size_t i = 0; i < MANY; i++)
        expect_stale(&old[i]);
}

/* ---- Holds ---- */

static void holds_are_counted(void **state)
{
    (void)state;
    enum { HOLDS = 100 };
    ist_hold holds[HOLDS];
    ist_arena arena = opened();
    for (size_t i = 0; i < HOLDS; i++)
        expect_ok(ist_arena_hold(arena, &holds[i]));
    for (size_t left = HOLDS; left > 0; left--) {
        expect_status(ist_arena_close(arena), IST_E_HELD);
        expect_size(test_last_error().holders, left);
        size_t victim = (left * 61) % HOLDS; /* In no particular order. */
        while (holds[victim].session == NULL)
            victim = (victim + 1) % HOLDS;
        expect_ok(ist_arena_release(&holds[victim]));
    }
    expect_ok(ist_arena_close(arena));
}

static void a_refused_close_changes_nothing(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_hold hold;
    ist_segment before = allocated(arena, 64);
    expect_ok(ist_segment_fill(&before, 0x3D));
    expect_ok(ist_arena_hold(arena, &hold));
    for (size_t i = 0; i < 3; i++)
        expect_status(ist_arena_close(arena), IST_E_HELD);
    expect(ist_arena_is_alive(arena));
    expect(test_all_bytes(before.address, 64, 0x3D));
    expect_ok(ist_set_u8(before, 0, 1));
    ist_segment after = allocated(arena, 100000);
    expect_ok(ist_segment_fill(&after, 2));
    ist_hold another;
    expect_ok(ist_arena_hold(arena, &another));
    expect_ok(ist_arena_release(&hold));
    expect_status(ist_arena_close(arena), IST_E_HELD);
    expect_ok(ist_arena_release(&another));
    expect_ok(ist_arena_close(arena));
    expect(!ist_segment_is_alive(&before) && !ist_segment_is_alive(&after));
}

static void releasing_twice(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_hold hold, other;
    expect_ok(ist_arena_hold(arena, &hold));
    expect_ok(ist_arena_hold(arena, &other));
    expect_ok(ist_arena_release(&hold));
    expect_status(ist_arena_release(&hold), IST_E_ARGUMENT);
    expect_status(ist_arena_close(arena), IST_E_HELD);
    expect_size(test_last_error().holders, 1);
    expect_ok(ist_arena_release(&other));
    expect_ok(ist_arena_close(arena));
    expect_status(ist_arena_release(&other), IST_E_ARGUMENT);
}

static void releasing_what_is_no_hold(void **state)
{
    (void)state;
    ist_hold none = { 0 };
    expect_status(ist_arena_release(NULL), IST_E_ARGUMENT);
    expect_status(ist_arena_release(&none), IST_E_ARGUMENT);
}

/* A copy of a token cannot be told from the token; but no release ever takes the count below zero. */
static void releasing_a_copy(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_hold hold, copy;
    expect_ok(ist_arena_hold(arena, &hold));
    copy = hold;
    expect_ok(ist_arena_release(&hold));
    expect_status(ist_arena_release(&copy), IST_E_ARGUMENT);
    expect_ok(ist_arena_hold(arena, &hold));
    expect_status(ist_arena_close(arena), IST_E_HELD);
    expect_size(test_last_error().holders, 1);
    expect_ok(ist_arena_release(&hold));
    expect_ok(ist_arena_close(arena));
    ist_arena next = opened();
    expect_status(ist_arena_release(&copy), IST_E_ARGUMENT); /* Not the new arena's hold, by any means. */
    expect_ok(ist_arena_close(next));
}

static void holding_the_global_arena(void **state)
{
    (void)state;
    ist_hold hold;
    expect_ok(ist_arena_hold(ist_arena_global(), &hold));
    expect_status(ist_arena_close(ist_arena_global()), IST_E_UNSUPPORTED);
    expect_ok(ist_arena_release(&hold));
    expect_status(ist_arena_release(&hold), IST_E_ARGUMENT);
}

static void release_elsewhere(void *data)
{
    expect_status(ist_arena_release(data), IST_E_WRONG_THREAD);
}

static void releasing_on_another_thread(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_hold hold;
    expect_ok(ist_arena_hold(arena, &hold));
    test_on_thread(release_elsewhere, &hold);
    expect_status(ist_arena_close(arena), IST_E_HELD); /* The hold stays. */
    expect_ok(ist_arena_release(&hold));
    expect_ok(ist_arena_close(arena));
}

/* ---- Cleanup actions ---- */

enum { LOG = 5000 };
static size_t log_entries[LOG], logged;

typedef struct entry {
    size_t number;
} entry;

static void note(void *data)
{
    log_entries[logged++] = ((entry *)data)->number;
}

static void newest_first_each_once(void **state)
{
    (void)state;
    static entry entries[LOG];
    static const size_t counts[] = { 1, 2, 3, 10, 100, LOG };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        ist_arena arena = opened();
        logged = 0;
        for (size_t j = 0; j < counts[i]; j++) {
            entries[j].number = j;
            expect_ok(ist_arena_on_close(arena, note, &entries[j]));
        }
        expect_size(logged, 0);
        expect_ok(ist_arena_close(arena));
        expect_size(logged, counts[i]);
        for (size_t j = 0; j < counts[i]; j++)
            expect_size(log_entries[j], counts[i] - 1 - j);
        expect_status(ist_arena_close(arena), IST_E_CLOSED);
        expect_size(logged, counts[i]);
        expect_ok(ist_arena_close(opened())); /* The next life of the record has none of them. */
        expect_size(logged, counts[i]);
    }
}

static void the_same_action_twice(void **state)
{
    (void)state;
    entry e = { 5 };
    ist_arena arena = opened();
    logged = 0;
    expect_ok(ist_arena_on_close(arena, note, &e));
    expect_ok(ist_arena_on_close(arena, note, &e));
    expect_ok(ist_arena_close(arena));
    expect_size(logged, 2);
}

/* An action with memory of the arena: it is still there, and the thread's plain pointer reaches it. */
static uint8_t seen_byte;
static void look(void *data)
{
    seen_byte = *(uint8_t *)data;
}

static void the_memory_outlives_the_actions(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_segment segment = allocated(arena, 100000);
    expect_ok(ist_arena_on_close(arena, look, (uint8_t *)segment.address + 99999));
    expect_ok(ist_set_u8(segment, 99999, 0x9A));
    expect_ok(ist_arena_close(arena));
    expect(seen_byte == 0x9A);
}

static void actions_do_not_run_on_a_refused_close(void **state)
{
    (void)state;
    entry e = { 1 };
    ist_hold hold;
    ist_arena arena = opened();
    logged = 0;
    expect_ok(ist_arena_on_close(arena, note, &e));
    expect_ok(ist_arena_hold(arena, &hold));
    expect_status(ist_arena_close(arena), IST_E_HELD);
    expect_size(logged, 0);
    expect_ok(ist_arena_release(&hold));
    expect_ok(ist_arena_close(arena));
    expect_size(logged, 1);
}

typedef struct own {
    ist_arena arena;
    ist_segment segment;
    size_t runs;
} own;

static void use_own_arena(void *data)
{
    own *o = data;
    ist_segment segment;
    ist_hold hold;
    uint8_t value = 7;
    expect(!ist_arena_is_alive(o->arena));
    expect_status(ist_arena_allocate(o->arena, 8, 8, &segment), IST_E_CLOSED);
    expect_status(ist_arena_hold(o->arena, &hold), IST_E_CLOSED);
    expect_status(ist_arena_on_close(o->arena, use_own_arena, o), IST_E_CLOSED);
    expect_status(ist_arena_close(o->arena), IST_E_CLOSED);
    expect_status(ist_arena_adopt(o->arena), IST_E_CLOSED);
    expect_status(ist_get_u8(o->segment, 0, &value), IST_E_CLOSED);
    expect_status(ist_segment_fill(&o->segment, 1), IST_E_CLOSED);
    expect(value == 7);
    o->runs++;
}

static void own_arena_answers_closed(void **state)
{
    (void)state;
    own o = { .arena = opened() };
    o.segment = allocated(o.arena, 16);
    expect_ok(ist_arena_on_close(o.arena, use_own_arena, &o));
    expect_ok(ist_arena_on_close(o.arena, use_own_arena, &o));
    expect_answer(ist_arena_close(o.arena), IST_OK);
    expect_size(o.runs, 2);
}

static void use_other_arenas(void *data)
{
    own *o = data;
    for (size_t i = 0; i < 40; i++) {
        ist_arena arena = opened();
        ist_segment segment = allocated(arena, 1000 * i);
        expect(test_all_bytes(segment.address, 1000 * i, 0));
        expect_ok(ist_segment_fill(&segment, 0xFF));
        expect_ok(ist_arena_close(arena));
    }
    expect_ok(ist_set_u8(allocated(o->arena, 8), 0, 1));
    o->runs++;
}

static void other_arenas_may_be_used(void **state)
{
    (void)state;
    own o = { .arena = opened() };
    ist_arena arena = opened();
    expect_ok(ist_arena_on_close(arena, use_other_arenas, &o));
    expect_ok(ist_arena_on_close(arena, use_other_arenas, &o));
    expect_ok(ist_arena_close(arena));
    expect_size(o.runs, 2);
    expect_ok(ist_arena_close(o.arena));
}

static void close_another(void *data)
{
    own *o = data;
    expect_ok(ist_arena_close(o->arena));
    o->runs++;
}

/* A chain: each arena's action closes the next. */
static void actions_may_close_arenas(void **state)
{
    (void)state;
    enum { CHAIN = 300 };
    static own chain[CHAIN];
    ist_arena first = opened(), previous = first;
    for (size_t i = 0; i < CHAIN; i++) {
        chain[i] = (own){ .arena = opened() };
        (void)allocated(chain[i].arena, 64);
        expect_ok(ist_arena_on_close(previous, close_another, &chain[i]));
        previous = chain[i].arena;
    }
    expect_ok(ist_arena_close(first));
    for (size_t i = 0; i < CHAIN; i++) {
        expect_size(chain[i].runs, 1);
        expect(!ist_arena_is_alive(chain[i].arena));
    }
}

static void leave_an_error(void *data)
{
    (void)data;
    expect_status(ist_arena_close((ist_arena){ 0 }), IST_E_CLOSED);
}

static void an_error_in_an_action_is_not_the_closes(void **state)
{
    (void)state;
    ist_arena arena = opened();
    expect_ok(ist_arena_on_close(arena, leave_an_error, NULL));
    expect_answer(ist_arena_close(arena), IST_OK);
}

static void the_global_arena_keeps_actions(void **state)
{
    (void)state;
    static entry e = { 1 };
    logged = 0;
    expect_ok(ist_arena_on_close(ist_arena_global(), note, &e));
    expect_status(ist_arena_close(ist_arena_global()), IST_E_UNSUPPORTED);
    expect_size(logged, 0);
}

/* Cleanups of both kinds in one order. */
static void note_segment(void *data, const ist_segment *segment)
{
    expect_size(ist_segment_size(*segment), ((entry *)data)->number);
    note(data);
}

static void both_kinds_in_one_order(void **state)
{
    (void)state;
    static uint8_t bytes[16];
    entry entries[6];
    ist_arena arena = opened();
    ist_segment source = ist_segment_of(bytes, sizeof bytes), moved;
    logged = 0;
    for (size_t i = 0; i < 6; i++) {
        entries[i].number = i;
        if (i % 2 == 0)
            expect_ok(ist_arena_on_close(arena, note, &entries[i]));
        else
            expect_ok(ist_segment_reinterpret(&source, i, arena, note_segment, &entries[i], &moved));
    }
    expect_ok(ist_arena_close(arena));
    expect_size(logged, 6);
    for (size_t i = 0; i < 6; i++)
        expect_size(log_entries[i], 5 - i);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(opening_to_nowhere),
        test_case(closing_twice),
        test_case(closing_what_never_closes),
        test_case(out_of_order),
        test_case(many_at_once),
        test_case(stale_after_a_million_lives),
        test_case(stale_while_another_thread_has_the_record),
        test_case(holds_are_counted),
        test_case(a_refused_close_changes_nothing),
        test_case(releasing_twice),
        test_case(releasing_what_is_no_hold),
        test_case(releasing_a_copy),
        test_case(holding_the_global_arena),
        test_case(releasing_on_another_thread),
        test_case(newest_first_each_once),
        test_case(the_same_action_twice),
        test_case(the_memory_outlives_the_actions),
        test_case(actions_do_not_run_on_a_refused_close),
        test_case(own_arena_answers_closed),
        test_case(other_arenas_may_be_used),
        test_case(actions_may_close_arenas),
        test_case(an_error_in_an_action_is_not_the_closes),
        test_case(the_global_arena_keeps_actions),
        test_case(both_kinds_in_one_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
