/* SPDX-License-Identifier: MIT */
/* The child of a fork: other threads, and what they held, are not there any more. */
#include "company.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif

typedef struct scene {
    use of;
    ist_hold holds[20];
    int step;
} scene;

static void hold_twenty(void *data)
{
    scene *in = data;
    for (int i = 0; i < 20; i++)
        expect_ok(ist_arena_hold(in->of.arena, &in->holds[i]));
}

static void release_twenty(void *data)
{
    scene *in = data;
    for (int i = 0; i < 20; i++)
        expect_ok(ist_arena_release(&in->holds[i]));
}

/* A new arena, used by another thread, and closed: by a fence. */
static void work_as_ever(void)
{
    for (int i = 0; i < 20; i++) {
        use next = use_open();
        if (i % 2 == 0)
            use_escape(&next);
        use_hold(&next);
        expect_status(ist_arena_close(next.arena), IST_E_HELD);
        use_release(&next);
        expect_ok(ist_arena_close(next.arena));
    }
}

static void close_what_others_held(void *data)
{
    scene *in = data;
    ist_holder list[4];
    size_t count;
    alarm(20);
    expect_ok(ist_arena_holders(in->of.arena, list, 4, &count));
    expect_size(count, 0);
    use_touch(&in->of);
    expect_ok(ist_arena_close(in->of.arena));
    work_as_ever();
}

static void others_holds_are_gone(void **state)
{
    (void)state;
    scene in = { .of = use_open() };
    mate *other = mate_start();
    mate_do(other, hold_twenty, &in); /* In slots, and without. */
    expect_size(test_in_child(close_what_others_held, &in), 0);
    expect_status(ist_arena_close(in.of.arena), IST_E_HELD); /* Here they are as they were. */
    mate_do(other, release_twenty, &in);
    expect_ok(ist_arena_close(in.of.arena));
    mate_end(other);
}

static void close_under_own(void *data)
{
    scene *in = data;
    ist_holder list[4];
    size_t count;
    alarm(20);
    expect_status(ist_arena_close(in->of.arena), IST_E_HELD);
    expect_ok(ist_arena_holders(in->of.arena, list, 4, &count));
    expect_size(list[0].thread_id, syscall(SYS_gettid));
    release_twenty(in);
    expect_ok(ist_arena_close(in->of.arena));
    work_as_ever();
}

static void own_holds_stay(void **state)
{
    (void)state;
    scene in = { .of = use_open() };
    use_escape(&in.of);
    hold_twenty(&in);
    expect_size(test_in_child(close_under_own, &in), 0);
    release_twenty(&in);
    expect_ok(ist_arena_close(in.of.arena));
}

static void close_under_detached(void *data)
{
    scene *in = data;
    alarm(20);
    expect_status(ist_arena_close(in->of.arena), IST_E_HELD);
    expect_ok(ist_detached_release(&in->of.detached));
    expect_ok(ist_arena_close(in->of.arena));
}

static void hold_detached(void *data)
{
    use *of = data;
    expect_ok(ist_arena_hold_detached(of->arena, &of->detached));
}

static void detached_holds_stay(void **state)
{
    (void)state;
    scene in = { .of = use_open() };
    test_on_thread(hold_detached, &in.of);
    expect_size(test_in_child(close_under_detached, &in), 0);
    expect_ok(ist_detached_release(&in.of.detached));
    expect_ok(ist_arena_close(in.of.arena));
}

/* ---- In the middle of a close ---- */

static pthread_barrier_t in_action;

static void wait_in_action(void *data)
{
    (void)data;
    pthread_barrier_wait(&in_action);
    pthread_barrier_wait(&in_action);
}

static void find_it_closed(void *data)
{
    scene *in = data;
    alarm(20);
    expect(!ist_arena_is_alive(in->of.arena));
    expect_status(ist_arena_close(in->of.arena), IST_E_CLOSED);
    expect_status(ist_set_u64(in->of.segment, 0, 1), IST_E_CLOSED);
    work_as_ever();
}

static void in_the_middle_of_a_close(void **state)
{
    (void)state;
    for (int escaped = 0; escaped < 2; escaped++) {
        scene in = { .of = use_open() };
        mate *other = mate_start();
        pthread_barrier_init(&in_action, NULL, 2);
        if (escaped)
            use_escape(&in.of);
        expect_ok(ist_arena_on_close(in.of.arena, wait_in_action, NULL));
        mate_begin(other, use_close, &in.of);
        pthread_barrier_wait(&in_action); /* The close is decided, and its actions run. */
        expect_size(test_in_child(find_it_closed, &in), 0);
        pthread_barrier_wait(&in_action);
        mate_wait(other);
        expect(in.of.status == IST_OK);
        mate_end(other);
        pthread_barrier_destroy(&in_action);
    }
}

/* ---- Beside busy closers ---- */

static _Atomic bool stop_closing;

static void poll(void *data)
{
    use *of = data;
    while (!atomic_load(&stop_closing))
        expect(ist_arena_close(of->arena) == IST_E_HELD);
}

static void close_it(void *data)
{
    use *of = data;
    alarm(20);
    use_release(of);
    expect_ok(ist_arena_close(of->arena));
}

/* A fork waits for closes that are not decided, but not until there happens to be none: it would wait for ever. */
static void beside_busy_closers(void **state)
{
    (void)state;
    mate *others[4];
    use of = use_open();
    use_hold(&of);
    atomic_store(&stop_closing, false);
    for (int i = 0; i < 4; i++) {
        others[i] = mate_start();
        mate_begin(others[i], poll, &of);
    }
    alarm(100);
    for (int forks = 0; forks < 10; forks++)
        expect_size(test_in_child(close_it, &of), 0);
    alarm(0);
    atomic_store(&stop_closing, true);
    for (int i = 0; i < 4; i++) {
        mate_wait(others[i]);
        mate_end(others[i]);
    }
    use_release(&of);
    expect_ok(ist_arena_close(of.arena));
}

/* ---- Generations ---- */

static void fork_on(void *data)
{
    int *left = data;
    alarm(20);
    work_as_ever();
    if (--*left > 0)
        expect_size(test_in_child(fork_on, left), 0);
}

static void children_of_children(void **state)
{
    (void)state;
    int left = 4;
    fork_on(&left);
    alarm(0);
}

static void fork_there(void *data)
{
    scene *in = data;
    expect_size(test_in_child(close_what_others_held, in), 0);
}

/* Forked by a thread that has never used the library: nobody's holds are left. */
static void forked_by_a_stranger(void **state)
{
    (void)state;
    scene in = { .of = use_open() };
    hold_twenty(&in);
    test_on_thread(fork_there, &in);
    release_twenty(&in);
    expect_ok(ist_arena_close(in.of.arena));
}

static void open_and_close_one(void *data)
{
    ist_arena arena;
    (void)data;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_close(arena));
}

static void work_on_a_new_thread(void *data)
{
    (void)data;
    alarm(20);
    test_on_thread(open_and_close_one, NULL); /* Under the record of the thread that is lost. */
    work_as_ever();
}

/* A thread that had records ready is not there any more: whoever takes its place has none of them. */
static void what_others_had_ready_is_gone(void **state)
{
    (void)state;
    mate *other = mate_start();
    mate_do(other, open_and_close_one, NULL);
    expect_size(test_in_child(work_on_a_new_thread, NULL), 0);
    mate_end(other);
}

int main(void)
{
#ifdef TSAN
    return 77; /* Which does not follow threads into a child. */
#endif
    const struct CMUnitTest tests[] = {
        test_case(others_holds_are_gone),    test_case(own_holds_stay),       test_case(detached_holds_stay),
        test_case(in_the_middle_of_a_close), test_case(children_of_children), test_case(forked_by_a_stranger),
        test_case(beside_busy_closers),      test_case(what_others_had_ready_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
