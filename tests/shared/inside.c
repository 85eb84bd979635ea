/* SPDX-License-Identifier: MIT */
/* Threads that are stopped between two steps, and numbers that come to their end: what only a look inside can arrange. */
#include "company.h"

#include "session/slots.h"
#include "session/thread.h"

#include <stdatomic.h>

typedef struct stopped {
    use of;
    uint64_t tag; /* What its slot shows; 0: it is announced in the session's count. */
} stopped;

/* Step H1 and no further, A1 to A5 and no further, or S1 and no further. */
static void begin_and_stop(void *data)
{
    stopped *in = data;
    isti_thread *self = isti_thread_current();
    if (in->tag != 0)
        __atomic_exchange_n(&self->slots[0], (uint64_t)(uintptr_t)in->of.arena.session | in->tag, __ATOMIC_SEQ_CST);
    else
        __atomic_fetch_add(&in->of.arena.session->pending, 1, __ATOMIC_SEQ_CST);
}

static void go_on_and_end(void *data)
{
    stopped *in = data;
    if (in->tag != 0)
        isti_slot_clear(&isti_thread_current()->slots[0]);
    else
        __atomic_fetch_sub(&in->of.arena.session->pending, 1, __ATOMIC_RELEASE);
}

static size_t between(uint64_t ms, bool (*once)(use *of), use *of)
{
    size_t done = 0;
    for (uint64_t end = test_now_ns() / 1000000 + ms; test_now_ns() / 1000000 < end; done++)
        if (!once(of))
            return 0;
    return done;
}

static bool access_once(use *of)
{
    uint64_t value;
    return ist_set_u64(of->segment, 8, 3) == IST_OK && ist_get_u64(of->segment, 8, &value) == IST_OK && value == 3;
}

static bool hold_once(use *of)
{
    return ist_arena_hold(of->arena, &of->hold) == IST_OK && ist_arena_release(&of->hold) == IST_OK;
}

/*
 * A thread that is stopped in the middle of taking a hold: the closer waits for what becomes of it, and gives the arena back meanwhile,
 * so that the others go on.
 */
static void stopped_while_taking_a_hold(void **state)
{
    (void)state;
    static const uint64_t tags[] = { ISTI_SLOT_PEND, 0 };
    for (int i = 0; i < 2; i++) {
        stopped in = { .of = use_open(), .tag = tags[i] };
        mate *holder = mate_start(), *closer = mate_start();
        use_escape(&in.of);
        mate_do(holder, begin_and_stop, &in);
        use theirs = in.of;
        mate_begin(closer, use_close, &theirs);
        /* Thousands, were nobody in the way; one or two, if each had to wait for the holder or for long. */
        expect(between(100, access_once, &in.of) > 20);
        expect(between(100, hold_once, &in.of) > 20);
        expect(ist_arena_is_alive(in.of.arena));
        mate_do(holder, go_on_and_end, &in);
        mate_wait(closer);
        expect(theirs.status == IST_OK || theirs.status == IST_E_HELD); /* By one of the holds above. */
        expect_answer(ist_arena_close(in.of.arena), theirs.status == IST_OK ? IST_E_CLOSED : IST_OK);
        expect_status(ist_get_u64(in.of.segment, 0, &(uint64_t){ 0 }), IST_E_CLOSED);
        mate_end(holder);
        mate_end(closer);
    }
}

/* A thread that is stopped in an access: its arena is closed for all others at once, and its memory stays until it goes on. */
static void stopped_in_an_access(void **state)
{
    (void)state;
    stopped in = { .of = use_open(), .tag = ISTI_SLOT_ACCESS };
    mate *reader = mate_start(), *closer = mate_start();
    static _Atomic int ran;
    ist_segment block = in.of.segment;
    use_escape(&in.of);
    atomic_store(&ran, 0);
    mate_do(reader, begin_and_stop, &in);
    use theirs = in.of, other = use_open();
    mate_begin(closer, use_close, &theirs);
    while (ist_get_u64(in.of.segment, 0, &(uint64_t){ 0 }) == IST_OK)
        ;
    expect_status(ist_arena_close(in.of.arena), IST_E_CLOSED);
    expect_size(*(uint64_t *)block.address, 42); /* As the reader may still see. */
    use_escape(&other);
    expect_ok(ist_arena_close(other.arena)); /* Other arenas are closed as ever. */
    mate_do(reader, go_on_and_end, &in);
    mate_wait(closer);
    expect(theirs.status == IST_OK);
    mate_end(reader);
    mate_end(closer);
}

/* A hold that is decided only after the closer has seen it pending is honoured. */
static void turn_into_a_hold(void *data)
{
    stopped *in = data;
    uint64_t *slot = &isti_thread_current()->slots[0];
    isti_slot_set(slot, in->of.arena.session, ISTI_SLOT_HOLD);
}

static void pending_becomes_held(void **state)
{
    (void)state;
    stopped in = { .of = use_open(), .tag = ISTI_SLOT_PEND };
    mate *holder = mate_start(), *closer = mate_start();
    use_escape(&in.of);
    mate_do(holder, begin_and_stop, &in);
    use theirs = in.of;
    mate_begin(closer, use_close, &theirs);
    expect(between(20, access_once, &in.of) > 0);
    mate_do(holder, turn_into_a_hold, &in);
    mate_wait(closer);
    expect(theirs.status == IST_E_HELD);
    mate_do(holder, go_on_and_end, &in);
    expect_ok(ist_arena_close(in.of.arena));
    mate_end(holder);
    mate_end(closer);
}

/* Slots that show another session do not matter. */
static void slots_of_others(void **state)
{
    (void)state;
    static const uint64_t tags[] = { ISTI_SLOT_PEND, ISTI_SLOT_HOLD, ISTI_SLOT_ACCESS };
    for (int i = 0; i < 3; i++) {
        stopped in = { .of = use_open(), .tag = tags[i] };
        mate *other = mate_start();
        mate_do(other, begin_and_stop, &in);
        use of = use_open();
        use_escape(&of);
        expect_ok(ist_arena_close(of.arena));
        mate_do(other, go_on_and_end, &in);
        expect_ok(ist_arena_close(in.of.arena));
        mate_end(other);
    }
}

/* A record whose generations are used up is put aside: its handles stay stale. */
static void the_last_generation(void **state)
{
    (void)state;
    for (int escaped = 0; escaped < 2; escaped++) {
        use of = use_open();
        size_t retired = test_stats().records_retired;
        of.arena.session->state = of.arena.expected |= ~(ISTI_GENERATION_ONE - 1);
        of.segment.expected = of.arena.expected;
        if (escaped)
            use_escape(&of);
        use_touch(&of);
        expect_ok(ist_arena_close(of.arena));
        expect_size(test_stats().records_retired, retired + 1);
        for (int i = 0; i < 300; i++) {
            use next = use_open();
            expect(next.arena.session != of.arena.session);
            expect_ok(ist_arena_close(next.arena));
        }
        expect_status(ist_get_u64(of.segment, 0, &(uint64_t){ 0 }), IST_E_CLOSED);
        expect_status(ist_arena_close(of.arena), IST_E_CLOSED);
    }
}

static void leave_a_hold(void *data)
{
    use_hold(data);
}

static void read_record(void *data)
{
    *(isti_thread **)data = isti_thread_current();
}

/* The record of a thread that ended with a hold serves nobody else; without, it does. */
static void records_of_dead_threads(void **state)
{
    (void)state;
    use of = use_open();
    isti_thread *dead = NULL, *next = NULL;
    test_on_thread(read_record, &dead);
    test_on_thread(read_record, &next);
    expect(dead == next);
    test_on_thread(leave_a_hold, &of);
    const isti_thread *owner = (const isti_thread *)(const void *)((const char *)of.hold.slot - offsetof(isti_thread, slots));
    for (int i = 0; i < 20; i++) {
        test_on_thread(read_record, &next);
        expect(next != owner);
    }
    expect_status(ist_arena_close(of.arena), IST_E_HELD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_case(stopped_while_taking_a_hold), test_case(stopped_in_an_access), test_case(pending_becomes_held),
        test_case(slots_of_others),             test_case(the_last_generation),  test_case(records_of_dead_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
