/* SPDX-License-Identifier: MIT */
/* Holds of shared arenas: who may release them, more than there are slots for, detached ones, threads that end, longjmp. */
#include "company.h"

enum { MANY = 100, SLOTS = 12 };

/* The close of the arena is refused for so many holds, however often it is asked for. */
static void expect_held(use *of, uint64_t holds)
{
    for (int i = 0; i < 3; i++) {
        expect_status(ist_arena_close(of->arena), IST_E_HELD);
        expect(test_last_error().holders >= 1 && test_last_error().holders <= holds);
        expect(ist_arena_is_alive(of->arena));
    }
}

static void hold_and_release(void **state)
{
    (void)state;
    use of = use_open();
    use_hold(&of);
    expect_held(&of, 1);
    use_touch(&of);
    use_release(&of);
    expect(of.hold.expected == 0 && of.hold.session == NULL);
    expect_status(ist_arena_release(&of.hold), IST_E_ARGUMENT);
    expect_status(ist_arena_release(NULL), IST_E_ARGUMENT);
    expect_status(ist_arena_hold(of.arena, NULL), IST_E_ARGUMENT);
    expect_ok(ist_arena_close(of.arena));
    expect_status(ist_arena_hold(of.arena, &of.hold), IST_E_CLOSED);
}

static void released_through_a_copy(void **state)
{
    (void)state;
    for (int spilled = 0; spilled < 2; spilled++) {
        use of = use_open();
        ist_hold before[SLOTS], copy;
        for (int i = 0; i < SLOTS * spilled; i++)
            expect_ok(ist_arena_hold(of.arena, &before[i]));
        use_hold(&of);
        copy = of.hold;
        use_release(&of);
        /* Of a spilled one nothing is left that could be recognised. */
        expect_status(ist_arena_release(&copy), spilled ? IST_E_WRONG_THREAD : IST_E_ARGUMENT);
        for (int i = 0; i < SLOTS * spilled; i++)
            expect_ok(ist_arena_release(&before[i]));
        expect_ok(ist_arena_close(of.arena));
    }
}

static void held_by_another(void **state)
{
    (void)state;
    use of = use_open();
    mate *other = mate_start();
    mate_do(other, use_hold, &of);
    expect_held(&of, 1);
    use_touch(&of);
    expect_status(ist_arena_release(&of.hold), IST_E_WRONG_THREAD);
    expect_status(ist_hold_detach(&of.hold, &of.detached), IST_E_WRONG_THREAD);
    expect_held(&of, 1);
    mate_do(other, use_release, &of);
    expect_ok(ist_arena_close(of.arena));
    mate_end(other);
}

/* ---- Many ---- */

typedef struct holds {
    ist_arena arena;
    ist_hold hold[MANY];
    size_t count;
    size_t step; /* Released in steps of this: 1 is the order in which they were taken. */
} holds;

static void take_holds(void *data)
{
    holds *of = data;
    for (size_t i = 0; i < of->count; i++)
        expect_ok(ist_arena_hold(of->arena, &of->hold[i]));
}

static void release_holds(void *data)
{
    holds *of = data;
    for (size_t i = 0, at = 0; i < of->count; i++, at = (at + of->step) % of->count)
        expect_ok(ist_arena_release(&of->hold[at]));
}

static void many_in_any_order(void **state)
{
    (void)state;
    static const size_t counts[] = { 1, 2, 11, 12, 13, 14, 16, 17, 29, 97 }; /* Each prime to the steps below. */
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        static const size_t steps[] = { 1, 19, 23, 0 };
        for (const size_t *step = steps; *step != 0; step++) {
            test_context("%zu holds, steps of %zu", counts[c], *step);
            use of = use_open();
            holds taken = { .arena = of.arena, .count = counts[c], .step = *step };
            take_holds(&taken);
            expect_held(&of, counts[c]);
            use_touch(&of);
            /* All but one: it is still held. */
            taken.count--;
            ist_hold last = taken.hold[taken.count];
            if (taken.count != 0) {
                taken.step = 1;
                release_holds(&taken);
            }
            expect_held(&of, 1);
            expect_ok(ist_arena_release(&last));
            /* And in the given order. */
            taken.count++;
            taken.step = *step;
            take_holds(&taken);
            release_holds(&taken);
            expect_ok(ist_arena_close(of.arena));
        }
    }
}

static void many_on_another_thread(void **state)
{
    (void)state;
    use of = use_open();
    holds taken = { .arena = of.arena, .count = 13, .step = 1 };
    mate *other = mate_start();
    mate_do(other, take_holds, &taken);
    expect_held(&of, 13);
    /* In a slot, and without one. */
    expect_status(ist_arena_release(&taken.hold[0]), IST_E_WRONG_THREAD);
    expect_status(ist_arena_release(&taken.hold[12]), IST_E_WRONG_THREAD);
    mate_do(other, release_holds, &taken);
    expect_ok(ist_arena_close(of.arena));
    mate_end(other);
}

/* Slots full of holds of one arena; accesses, copies and holds of another go on. */
static void slots_full(void **state)
{
    (void)state;
    use of = use_open(), other = use_open();
    holds taken = { .arena = of.arena, .count = 40, .step = 1 };
    take_holds(&taken);
    use_touch(&other);
    use_touch(&of);
    expect_ok(ist_segment_copy(&of.segment, 0, &other.segment, 0, 64));
    use_hold(&other);
    expect_held(&other, 1);
    use_release(&other);
    expect_ok(ist_arena_close(other.arena));
    release_holds(&taken);
    expect_ok(ist_arena_close(of.arena));
}

/* ---- Detached ---- */

static void release_detached(void *data)
{
    expect_ok(ist_detached_release(data));
}

static void detached_holds(void **state)
{
    (void)state;
    use of = use_open();
    ist_detached_hold second;
    expect_ok(ist_arena_hold_detached(of.arena, &of.detached));
    expect_ok(ist_arena_hold_detached(of.arena, &second));
    expect_held(&of, 2);
    test_on_thread(release_detached, &second);
    expect(second.expected == 0);
    expect_held(&of, 1);
    expect_ok(ist_detached_release(&of.detached));
    expect_status(ist_detached_release(&of.detached), IST_E_ARGUMENT);
    expect_status(ist_detached_release(NULL), IST_E_ARGUMENT);
    expect_status(ist_arena_hold_detached(of.arena, NULL), IST_E_ARGUMENT);
    expect_ok(ist_arena_close(of.arena));
    expect_status(ist_arena_hold_detached(of.arena, &of.detached), IST_E_CLOSED);
}

static void attach_there(void *data)
{
    use *of = data;
    expect_ok(ist_detached_attach(&of->detached, &of->hold));
}

static void conversions(void **state)
{
    (void)state;
    use of = use_open();
    mate *other = mate_start();
    use_hold(&of);
    expect_ok(ist_hold_detach(&of.hold, &of.detached));
    expect(of.hold.expected == 0);
    expect_status(ist_arena_release(&of.hold), IST_E_ARGUMENT);
    expect_held(&of, 1);
    mate_do(other, attach_there, &of);
    expect(of.detached.expected == 0);
    expect_held(&of, 1);
    expect_status(ist_arena_release(&of.hold), IST_E_WRONG_THREAD);
    mate_do(other, use_release, &of);
    expect_status(ist_hold_detach(&of.hold, &of.detached), IST_E_ARGUMENT);
    expect_status(ist_detached_attach(&of.detached, &of.hold), IST_E_ARGUMENT);
    expect_ok(ist_arena_close(of.arena));
    mate_end(other);
}

/* A hold without a slot, made detached; and a detached one attached when there is no slot. */
static void conversions_without_slot(void **state)
{
    (void)state;
    use of = use_open();
    holds taken = { .arena = of.arena, .count = 13, .step = 1 };
    take_holds(&taken);
    expect_ok(ist_hold_detach(&taken.hold[12], &of.detached));
    expect_held(&of, 13);
    expect_ok(ist_detached_attach(&of.detached, &taken.hold[12]));
    expect_held(&of, 13);
    release_holds(&taken);
    expect_ok(ist_arena_close(of.arena));
}

static void other_kinds(void **state)
{
    (void)state;
    ist_arena confined;
    ist_hold hold;
    ist_detached_hold detached;
    expect_ok(ist_arena_open_confined(&confined));
    expect_status(ist_arena_hold_detached(confined, &detached), IST_E_UNSUPPORTED);
    expect_ok(ist_arena_hold(confined, &hold));
    expect_status(ist_hold_detach(&hold, &detached), IST_E_UNSUPPORTED);
    expect_ok(ist_arena_release(&hold));
    expect_ok(ist_arena_close(confined));
    expect_ok(ist_arena_hold_detached(ist_arena_global(), &detached));
    expect_ok(ist_detached_attach(&detached, &hold));
    expect_ok(ist_hold_detach(&hold, &detached));
    expect_ok(ist_detached_release(&detached));
    expect_status(ist_arena_hold((ist_arena){ 0 }, &hold), IST_E_CLOSED);
    expect_status(ist_arena_hold_detached((ist_arena){ 0 }, &detached), IST_E_CLOSED);
}

/* ---- Who holds it ---- */

static const ist_holder *holder_of(const ist_holder *holders, size_t count, uint64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (holders[i].thread_id == id)
            return &holders[i];
    return NULL;
}

static void holders(void **state)
{
    (void)state;
    use of = use_open(), elsewhere = use_open();
    holds taken = { .arena = of.arena, .count = 3, .step = 1 };
    ist_holder list[8];
    size_t count = 99;
    mate *other = mate_start(), *dies = mate_start();
    use leaves = { .arena = of.arena };
    uint64_t id = mate_id(other), dead = mate_id(dies);
    expect_ok(ist_arena_holders(of.arena, list, 8, &count));
    expect_size(count, 0);
    use_hold(&elsewhere); /* Not of this one. */
    mate_do(other, take_holds, &taken);
    mate_do(dies, use_hold, &leaves);
    mate_end(dies);
    use_hold(&of);
    expect_ok(ist_arena_hold_detached(of.arena, &of.detached));
    expect_ok(ist_arena_holders(of.arena, list, 8, &count));
    expect_size(count, 4);
    const ist_holder *found = holder_of(list, count, id);
    expect(found != NULL && found->holds == 3 && !found->thread_ended);
    found = holder_of(list, count, dead);
    expect(found != NULL && found->holds == 1 && found->thread_ended);
    found = holder_of(list, count, 0);
    expect(found != NULL && found->holds == 1 && !found->thread_ended);
    expect_ok(ist_arena_holders(of.arena, list, 1, &count)); /* No room: the count is whole. */
    expect_size(count, 4);
    expect_ok(ist_arena_holders(of.arena, NULL, 0, &count));
    expect_status(ist_arena_holders(of.arena, list, 8, NULL), IST_E_ARGUMENT);
    expect_status(ist_arena_holders(of.arena, NULL, 8, &count), IST_E_ARGUMENT);
    expect_status(ist_arena_close(of.arena), IST_E_HELD);
    expect_ok(ist_detached_release(&of.detached));
    use_release(&of);
    mate_do(other, release_holds, &taken);
    expect_held(&of, 1); /* The dead thread's. */
    use_release(&elsewhere);
    expect_ok(ist_arena_close(elsewhere.arena));
    expect_status(ist_arena_holders(elsewhere.arena, list, 8, &count), IST_E_CLOSED);
    ist_arena confined;
    expect_ok(ist_arena_open_confined(&confined));
    expect_status(ist_arena_holders(confined, list, 8, &count), IST_E_UNSUPPORTED);
    expect_ok(ist_arena_close(confined));
    mate_end(other);
}

/* A thread that ends with holds leaves them: the arena stays held, whoever comes after. */
static void threads_that_end(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 13; count += 12) {
        use of = use_open(), next = use_open();
        holds taken = { .arena = of.arena, .count = count, .step = 1 };
        test_on_thread(take_holds, &taken);
        for (int i = 0; i < 5; i++) {
            expect_held(&of, count);
            holds more = { .arena = next.arena, .count = 20, .step = 1 };
            mate *other = mate_start();
            mate_do(other, take_holds, &more);
            mate_do(other, release_holds, &more);
            expect_status(ist_arena_release(&taken.hold[0]), IST_E_WRONG_THREAD);
            mate_end(other);
        }
        use_touch(&of);
        expect_ok(ist_arena_close(next.arena));
        expect_held(&of, count);
    }
}

/* A thread that ends without any serves the next one. */
static void records_are_reused(void **state)
{
    (void)state;
    use of = use_open();
    for (int i = 0; i < 300; i++) {
        holds taken = { .arena = of.arena, .count = (size_t)(i % 20), .step = 1 };
        mate *other = mate_start();
        mate_do(other, take_holds, &taken);
        mate_do(other, release_holds, &taken);
        mate_end(other);
    }
    ist_holder list[4];
    size_t count;
    expect_ok(ist_arena_holders(of.arena, list, 4, &count));
    expect_size(count, 0);
    expect_ok(ist_arena_close(of.arena));
}

/* ---- longjmp ---- */

static jmp_buf handler;

static void leave_with(ist_arena arena, size_t count)
{
    ist_hold hold;
    for (size_t i = 0; i < count; i++)
        expect_ok(ist_arena_hold(arena, &hold));
    longjmp(handler, 1);
}

static void unwinding(void **state)
{
    (void)state;
    static const size_t before[] = { 0, 1, 11, 12, 13, 20 }, after[] = { 0, 1, 2, 12, 30 };
    for (volatile size_t b = 0; b < sizeof before / sizeof before[0]; b++) {
        for (volatile size_t a = 0; a < sizeof after / sizeof after[0]; a++) {
            test_context("%zu holds before, %zu behind", before[b], after[a]);
            static use kept, left;
            static holds taken;
            kept = use_open();
            left = use_open();
            taken = (holds){ .arena = kept.arena, .count = before[b], .step = 1 };
            take_holds(&taken);
            volatile size_t mark = ist_hold_mark();
            if (setjmp(handler) == 0)
                leave_with(left.arena, after[a]);
            ist_hold_unwind(mark);
            expect_ok(ist_arena_close(left.arena));
            if (before[b] != 0)
                expect_held(&kept, before[b]);
            release_holds(&taken);
            expect_ok(ist_arena_close(kept.arena));
        }
    }
}

static void unwinding_nothing(void *data)
{
    (void)data;
    ist_hold_unwind(ist_hold_mark()); /* The thread's first use of the library. */
}

static void unwinding_on_a_new_thread(void **state)
{
    (void)state;
    test_on_thread(unwinding_nothing, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_case(hold_and_release),
        test_case(released_through_a_copy),
        test_case(held_by_another),
        test_case(many_in_any_order),
        test_case(many_on_another_thread),
        test_case(slots_full),
        test_case(detached_holds),
        test_case(conversions),
        test_case(conversions_without_slot),
        test_case(other_kinds),
        test_case(holders),
        test_case(threads_that_end),
        test_case(records_are_reused),
        test_case(unwinding),
        test_case(unwinding_on_a_new_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
