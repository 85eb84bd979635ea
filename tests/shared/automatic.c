/* SPDX-License-Identifier: MIT */
/* Automatic arenas that are counted: references taken and given back by any thread, the end with the last, holds, fork. */
#include "company.h"

#include "support/random.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static unsigned ended;

static void count_end(void *data)
{
    *(unsigned *)data += 1;
}

/* An automatic arena with a block of 64 bytes, whose end is counted in `ended`. */
static use open_automatic(void)
{
    use of = { .status = IST_OK };
    ended = 0;
    expect_ok(ist_arena_open_automatic(&of.arena));
    expect_ok(ist_arena_allocate(of.arena, 64, 8, &of.segment));
    expect_ok(ist_arena_on_close(of.arena, count_end, &ended));
    return of;
}

static size_t references(ist_arena arena)
{
    size_t count = 0;
    expect_ok(ist_arena_references(arena, &count));
    return count;
}

static void expect_ended(const use *of)
{
    expect_size(ended, 1);
    expect(!ist_arena_is_alive(of->arena));
    expect_status(ist_get_u64(of->segment, 0, &(uint64_t){ 0 }), IST_E_CLOSED);
    expect_status(ist_arena_retain(of->arena), IST_E_CLOSED);
    expect_status(ist_arena_drop(of->arena), IST_E_CLOSED);
    expect_status(ist_arena_references(of->arena, &(size_t){ 0 }), IST_E_CLOSED);
    expect_status(ist_arena_close(of->arena), IST_E_CLOSED);
    expect_sentence("automatic");
    expect_size(ended, 1);
}

static void drop(void *data)
{
    use *of = data;
    of->status = ist_arena_drop(of->arena);
    expect(of->status == IST_OK);
}

static void retain(void *data)
{
    use *of = data;
    expect_ok(ist_arena_retain(of->arena));
}

/* ---- One thread ---- */

static void last_reference(void **state)
{
    (void)state;
    size_t open = test_stats().automatic_open, shared = test_stats().shared_open;
    expect_status(ist_arena_open_automatic(NULL), IST_E_ARGUMENT);
    expect_sentence("automatic");
    use of = open_automatic();
    expect_size(test_stats().automatic_open, open + 1);
    expect_size(test_stats().shared_open, shared);
    expect_size(references(of.arena), 1);
    for (int i = 0; i < 100; i++)
        expect_ok(ist_arena_retain(ist_segment_arena(of.segment)));
    expect_size(references(of.arena), 101);
    for (int i = 0; i < 100; i++)
        expect_ok(ist_arena_drop(of.arena));
    use_touch(&of);
    expect_size(ended, 0);
    expect_ok(ist_arena_drop(of.arena));
    expect_ended(&of);
    expect_size(test_stats().automatic_open, open);
    expect_size(test_stats().shared_open, shared);
}

/* Nothing to clean up: the quick end, whose record serves other kinds afterwards. */
static void no_cleanups(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        ist_arena arena, other;
        expect_ok(ist_arena_open_automatic(&arena));
        if (i % 3 == 1)
            expect_ok(ist_arena_retain(arena));
        if (i % 3 == 1)
            expect_ok(ist_arena_drop(arena));
        expect_ok(ist_arena_drop(arena));
        expect_status(ist_arena_drop(arena), IST_E_CLOSED);
        expect_ok(i % 2 ? ist_arena_open_confined(&other) : ist_arena_open_shared(&other));
        expect_status(ist_arena_retain(arena), IST_E_CLOSED);
        expect_ok(ist_arena_close(other));
    }
}

static void not_to_be_closed(void **state)
{
    (void)state;
    use of = open_automatic();
    ist_status status = IST_OK;
    expect_status(ist_arena_close(of.arena), IST_E_UNSUPPORTED);
    expect_sentence("last reference");
    expect_status(ist_arena_close_within(of.arena, UINT64_C(10000000000)), IST_E_UNSUPPORTED);
    expect_status(ist_arena_close_many(&of.arena, 1, &status), IST_E_UNSUPPORTED);
    expect(status == IST_E_UNSUPPORTED);
    expect_status(ist_arena_holders(of.arena, NULL, 0, &(size_t){ 0 }), IST_E_UNSUPPORTED);
    expect_status(ist_arena_adopt(of.arena), IST_E_UNSUPPORTED);
    use_touch(&of);
    expect_size(references(of.arena), 1);
    expect_ok(ist_arena_drop(of.arena));
    expect_ended(&of);
}

/* Arenas that are closed have no references; the global one is there anyway. */
static void other_kinds(void **state)
{
    (void)state;
    ist_arena confined, shared, none = { 0 };
    expect_ok(ist_arena_open_confined(&confined));
    expect_ok(ist_arena_open_shared(&shared));
    for (int i = 0; i < 2; i++) {
        ist_arena arena = i ? shared : confined;
        expect_status(ist_arena_retain(arena), IST_E_UNSUPPORTED);
        expect_sentence("closed");
        expect_status(ist_arena_drop(arena), IST_E_UNSUPPORTED);
        expect_status(ist_arena_references(arena, &(size_t){ 0 }), IST_E_UNSUPPORTED);
        expect_status(ist_arena_references(arena, NULL), IST_E_ARGUMENT);
        expect_ok(ist_arena_close(arena));
        expect_status(ist_arena_retain(arena), IST_E_CLOSED);
        expect_status(ist_arena_drop(arena), IST_E_CLOSED);
    }
    expect_status(ist_arena_retain(none), IST_E_CLOSED);
    expect_status(ist_arena_drop(none), IST_E_CLOSED);
    expect_ok(ist_arena_retain(ist_arena_global()));
    expect_ok(ist_arena_drop(ist_arena_global()));
    expect_ok(ist_arena_drop(ist_arena_global()));
    expect_status(ist_arena_references(ist_arena_global(), &(size_t){ 0 }), IST_E_UNSUPPORTED);
}

static void order_of_cleanups(void *data)
{
    unsigned *order = data;
    order[order[0]] = order[0];
    order[0]++;
}

/* A cleanup finds its own arena ended, and may use others, automatic ones too. */
static ist_arena ending, used_meanwhile;
static void look_around(void *data)
{
    (void)data;
    expect_status(ist_arena_retain(ending), IST_E_CLOSED);
    expect_status(ist_arena_drop(ending), IST_E_CLOSED);
    expect_ok(ist_arena_open_automatic(&used_meanwhile));
    expect_ok(ist_arena_drop(used_meanwhile));
}

static void cleanups(void **state)
{
    (void)state;
    unsigned order[8] = { 1 };
    expect_ok(ist_arena_open_automatic(&ending));
    expect_ok(ist_arena_on_close(ending, order_of_cleanups, order));
    expect_ok(ist_arena_on_close(ending, look_around, NULL));
    expect_ok(ist_arena_on_close(ending, order_of_cleanups, order));
    expect_answer(ist_arena_drop(ending), IST_OK);
    expect_size(order[0], 3);
}

/* ---- Holds are references ---- */

static void holds(void **state)
{
    (void)state;
    use of = open_automatic();
    expect_ok(ist_arena_hold(of.arena, &of.hold));
    expect_size(references(of.arena), 2);
    expect_ok(ist_arena_drop(of.arena)); /* Not the last. */
    expect_size(ended, 0);
    use_touch(&of);
    expect_ok(ist_hold_detach(&of.hold, &of.detached));
    expect_status(ist_arena_release(&of.hold), IST_E_ARGUMENT);
    expect_size(references(of.arena), 1);
    expect_ok(ist_detached_attach(&of.detached, &of.hold));
    expect_status(ist_detached_release(&of.detached), IST_E_ARGUMENT);
    expect_ok(ist_arena_hold_detached(of.arena, &of.detached));
    expect_ok(ist_arena_release(&of.hold));
    expect_status(ist_arena_release(&of.hold), IST_E_ARGUMENT);
    expect_size(ended, 0);
    test_on_thread(use_touch, &of);
    expect_ok(ist_detached_release(&of.detached));
    expect_ended(&of);
    expect_status(ist_arena_hold(of.arena, &of.hold), IST_E_CLOSED);
    expect_status(ist_arena_hold_detached(of.arena, &of.detached), IST_E_CLOSED);
}

static void scopes(void **state)
{
    (void)state;
    use of = open_automatic();
    ist_status status = IST_OK;
    IST_WITH_WRITE(uint64_t, words, of.segment, 0, 8, status)
    {
        expect_size(references(of.arena), 2);
        words[7] = 42;
    }
    expect(status == IST_OK);
    IST_WITH_HOLD(of.arena, status)
    {
        expect_ok(ist_arena_drop(of.arena));
        expect_size(ended, 0);
    }
    expect(status == IST_OK);
    expect_ended(&of);
}

static ist_arena pass_on(bool moves)
{
    IST_REFERENCE ist_arena arena = open_automatic().arena;
    return moves ? ist_arena_take(&arena) : arena;
}

static void reference_in_a_variable(void **state)
{
    (void)state;
    ist_arena kept = pass_on(false);
    expect(!ist_arena_is_alive(kept));
    expect_size(ended, 1);
    kept = pass_on(true);
    expect(ist_arena_is_alive(kept));
    {
        IST_REFERENCE ist_arena here = ist_arena_take(&kept);
        expect(kept.session == NULL && kept.expected == 0);
        expect(ist_arena_is_alive(here));
        IST_REFERENCE ist_arena nothing = { 0 };
        (void)nothing;
    }
    expect_size(ended, 1);
}

/* ---- Other threads ---- */

static void open_there(void *data)
{
    *(use *)data = open_automatic();
}

/* Every way in which two threads can take and give back three references. */
static void two_threads(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 64; way++) {
        test_context("way %u", way);
        mate *mates[2] = { mate_start(), mate_start() };
        use of;
        mate_do(mates[0], open_there, &of);
        mate_do(mates[way & 1], retain, &of);
        mate_do(mates[way >> 1 & 1], retain, &of);
        expect_size(references(of.arena), 3);
        mate_do(mates[way >> 2 & 1], drop, &of);
        expect_size(references(of.arena), 2);
        mate_do(mates[way >> 3 & 1], use_touch, &of);
        mate_do(mates[way >> 4 & 1], drop, &of);
        expect_size(references(of.arena), 1);
        expect_size(ended, 0);
        use_touch(&of);
        mate_do(mates[way >> 5 & 1], drop, &of);
        expect_ended(&of);
        mate_end(mates[0]);
        mate_end(mates[1]);
    }
}

/* The opener's thread has ended, and its last reference is here. */
static void outlives_its_opener(void **state)
{
    (void)state;
    use of;
    test_on_thread(open_there, &of);
    use_touch(&of);
    expect_size(references(of.arena), 1);
    test_on_thread(retain, &of);
    expect_ok(ist_arena_drop(of.arena));
    expect_size(ended, 0);
    test_on_thread(drop, &of);
    expect_ended(&of);
}

/* One that has no reference uses the arena while the last is dropped: it is refused or it works. */
static void reader_without_reference(void *data)
{
    const use *of = data;
    for (uint64_t value;;) {
        ist_status status = ist_get_u64(of->segment, 0, &value);
        if (status == IST_E_CLOSED)
            return;
        expect(status == IST_OK && value == 17);
    }
}

static void used_without_reference(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        mate *reader = mate_start();
        use of = open_automatic();
        expect_ok(ist_set_u64(of.segment, 0, 17));
        mate_begin(reader, reader_without_reference, &of);
        for (int k = 0; k < i; k++) {
            expect_ok(ist_arena_retain(of.arena));
            expect_ok(ist_arena_drop(of.arena));
        }
        expect_ok(ist_arena_drop(of.arena));
        mate_wait(reader);
        mate_end(reader);
        expect_ended(&of);
    }
}

/* ---- Many ---- */

#define THREADS 8
#define BOXES 64
#define ARENAS (TEST_TSAN || TEST_ASAN ? 20000 : 1000000)

typedef struct counted {
    ist_arena arena;
    ist_segment words;
    _Atomic unsigned ended;
    _Atomic unsigned references; /* By the test's own book. */
} counted;

static counted *all;
static _Atomic size_t opened;
static _Atomic(counted *) boxes[BOXES];

static void end_counted(void *data)
{
    counted *of = data;
    expect(atomic_load(&of->references) == 0);
    atomic_fetch_add(&of->ended, 1);
}

static void drop_counted(counted *of)
{
    uint64_t number = 0;
    expect_answer(ist_get_u64(of->words, 8, &number), IST_OK);
    expect(number == (uint64_t)(of - all));
    atomic_fetch_sub(&of->references, 1);
    expect_answer(ist_arena_drop(of->arena), IST_OK);
}

static void retain_counted(counted *of)
{
    atomic_fetch_add(&of->references, 1);
    expect_answer(ist_arena_retain(of->arena), IST_OK);
}

static counted *open_counted(size_t number)
{
    counted *of = &all[number];
    expect_answer(ist_arena_open_automatic(&of->arena), IST_OK);
    expect_answer(ist_arena_allocate(of->arena, 16, 8, &of->words), IST_OK);
    expect_answer(ist_set_u64(of->words, 8, number), IST_OK);
    expect_answer(ist_arena_on_close(of->arena, end_counted, of), IST_OK);
    atomic_store(&of->references, 1);
    return of;
}

/* Opens one, takes some more references, and leaves some of them to whoever finds them in a box. */
static void *give_and_take(void *data)
{
    test_random random = { .state = (uint64_t)(uintptr_t)data };
    for (size_t number; (number = atomic_fetch_add(&opened, 1)) < ARENAS;) {
        counted *of = open_counted(number);
        unsigned more = (unsigned)test_random_below(&random, 4), mine = 1 + more;
        for (; more != 0; more--)
            retain_counted(of);
        bool gives = test_random_below(&random, 8) == 0;
        while (mine-- != 0) {
            counted *found = of;
            if (gives && test_random_below(&random, 2) == 0) {
                found = atomic_exchange(&boxes[test_random_below(&random, BOXES)], of);
                if (found != NULL && test_random_below(&random, 4) == 0) {
                    retain_counted(found);
                    drop_counted(found);
                }
            }
            if (found != NULL)
                drop_counted(found);
        }
    }
    return NULL;
}

static void a_million(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    all = calloc(ARENAS, sizeof *all);
    expect(all != NULL);
    size_t open = test_stats().automatic_open;
    for (uintptr_t i = 0; i < THREADS; i++)
        expect(pthread_create(&threads[i], NULL, give_and_take, (void *)(i + 1)) == 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < BOXES; i++)
        if (atomic_load(&boxes[i]) != NULL)
            drop_counted(atomic_load(&boxes[i]));
    for (size_t i = 0; i < ARENAS; i++)
        expect_size(all[i].ended, 1);
    expect_size(test_stats().automatic_open, open);
    free(all);
}

/* ---- Processes ---- */

static void drop_in_child(void *data)
{
    use *of = data;
    use_touch(of);
    expect_ok(ist_arena_retain(of->arena));
    expect_ok(ist_arena_drop(of->arena));
    expect_ok(ist_arena_drop(of->arena));
    expect_ended(of);
}

/* What the opener, who is not there any more, has counted is there. */
static void fork_with_live_ones(void **state)
{
    (void)state;
    mate *opener = mate_start();
    use of, own = open_automatic();
    expect_size(test_in_child(drop_in_child, &own), 0);
    expect_ok(ist_arena_drop(own.arena));
    mate_do(opener, open_there, &of);
    mate_do(opener, retain, &of);
    mate_do(opener, drop, &of);
    expect_size(test_in_child(drop_in_child, &of), 0);
    mate_do(opener, drop, &of);
    mate_end(opener);
    expect_ended(&of);
}

static void leave_open(void *data)
{
    use of = open_automatic();
    (void)data;
    test_on_thread(retain, &of);
}

static void exit_with_live_ones(void **state)
{
    (void)state;
    expect_size(test_in_child(leave_open, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_case(last_reference),
        test_case(no_cleanups),
        test_case(not_to_be_closed),
        test_case(other_kinds),
        test_case(cleanups),
        test_case(holds),
        test_case(scopes),
        test_case(reference_in_a_variable),
        test_case(two_threads),
        test_case(outlives_its_opener),
        test_case(used_without_reference),
        test_case(fork_with_live_ones),
        test_case(exit_with_live_ones),
        test_case(a_million),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
