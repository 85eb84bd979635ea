/* SPDX-License-Identifier: MIT */
/*
 * What costs no system call, what costs no heavy fence, and a kernel that refuses the fence.
 *
 * quiet refused    is how the program runs itself where membarrier is refused from the beginning.
 */
#include "company.h"
#include "filter.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_FILTER = 70 };

#if TEST_ASAN || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* ---- System calls ---- */

static ist_status open_use_close(void)
{
    ist_arena arena;
    ist_segment block;
    ist_hold hold;
    ist_detached_hold detached;
    ist_status status = ist_arena_open_shared(&arena);
    if (status == IST_OK)
        status = ist_arena_allocate(arena, 100, 8, &block);
    if (status == IST_OK)
        status = ist_set_u64(block, 8, 1);
    if (status == IST_OK)
        status = ist_arena_hold(arena, &hold);
    if (status == IST_OK && ist_arena_close(arena) != IST_E_HELD)
        return IST_E_BUSY;
    if (status == IST_OK)
        status = ist_hold_detach(&hold, &detached);
    if (status == IST_OK && ist_arena_close(arena) != IST_E_HELD)
        return IST_E_BUSY;
    if (status == IST_OK)
        status = ist_detached_release(&detached);
    return status == IST_OK ? ist_arena_close(arena) : status;
}

static void use_quietly(void *data)
{
    (void)data;
    for (int i = 0; i < 2000; i++) /* Caches fill. */
        expect(open_use_close() == IST_OK);
    if (!filter_all())
        _exit(NO_FILTER);
    for (int i = 0; i < 5000; i++)
        if (open_use_close() != IST_OK)
            _exit(1);
    _exit(0);
}

static bool no_filter(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER;
}

static void no_system_call_without_company(void **state)
{
    (void)state;
    const char *debug = getenv("ISTHMUS_DEBUG");
    if (SANITIZED || (debug != NULL && strcmp(debug, "unmap") == 0))
        skip();
    int status = test_in_child(use_quietly, NULL);
    if (no_filter(status))
        skip();
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        test_failed(__FILE__, __LINE__, "an arena that only its owner has used makes a system call");
    expect_size(status, 0);
}

/* ---- Polling ---- */

/* However often a close of a held arena is tried, there is no further fence, and no further wait for others. */
static void expect_quiet_polls(use *of)
{
    expect_status(ist_arena_close(of->arena), IST_E_HELD); /* Finds out who holds it, by a fence if need be. */
    ist_stats before = test_stats();
    for (int i = 0; i < 1000; i++)
        expect(ist_arena_close(of->arena) == IST_E_HELD);
    ist_stats after = test_stats();
    expect_size(after.heavy_fences, before.heavy_fences);
    expect_size(after.shared_closes_escaped, before.shared_closes_escaped);
}

static void polling_is_quiet(void **state)
{
    (void)state;
    use of = use_open();
    mate *other = mate_start();
    mate_do(other, use_hold, &of);
    expect_quiet_polls(&of);
    mate_do(other, use_release, &of);
    use_hold(&of);
    expect_quiet_polls(&of);
    use_release(&of);
    expect_ok(ist_arena_hold_detached(of.arena, &of.detached));
    expect_quiet_polls(&of);
    expect_ok(ist_detached_release(&of.detached));
    expect_ok(ist_arena_close(of.arena));
    mate_end(other);
}

/* ---- Where membarrier is refused ---- */

static ist_status close_escaped(int *ret_alive)
{
    use of = use_open();
    use_escape(&of);
    ist_status status = ist_arena_close(of.arena);
    *ret_alive = ist_arena_is_alive(of.arena);
    return status;
}

/* The program under a filter that was there before it began. */
static int run_refused(void)
{
    ist_stats stats = { .size = sizeof stats };
    int alive;
    if (ist_stats_get(&stats) != IST_OK || stats.fence_is_light)
        return 2;
    return close_escaped(&alive) == IST_OK && !alive ? 0 : 3;
}

static void exec_refused(void *data)
{
    int failure = *(int *)data;
    if (!filter_refuse(SYS_membarrier, failure))
        _exit(NO_FILTER);
    execl("/proc/self/exe", "quiet", "refused", (char *)NULL);
    _exit(4);
}

static void refused_from_the_beginning(void **state)
{
    (void)state;
    int failures[] = { ENOSYS, EPERM, EINVAL };
    for (int i = 0; i < 3; i++) {
        test_context("membarrier fails with %d", failures[i]);
        int status = test_in_child(exec_refused, &failures[i]);
        if (no_filter(status))
            skip();
        expect_size(status, 0);
    }
}

/* The first use of a thread's arena by another one: refused, and the next one is, too. */
static void touch_refused(void *data)
{
    const ist_segment *segment = data;
    for (int i = 0; i < 2; i++) {
        uint64_t value = 17;
        expect_status(ist_get_u64(*segment, 0, &value), IST_E_SYSTEM);
        expect_size(value, 17);
        expect_size(test_last_error().os_errno, EPERM);
        expect_sentence("membarrier");
    }
}

static void refused_touch(void *data)
{
    const bool *light = data;
    use of = use_open();
    if (*light)
        test_on_thread(touch_refused, &of.segment);
    use_touch(&of);
    expect_ok(ist_arena_close(of.arena));
}

/* Refused when it is too late to do without: nothing is closed, and everything goes on. */
static void refuse_now(void *data)
{
    bool light = test_stats().fence_is_light;
    use of = use_open();
    use_escape(&of);
    (void)data;
    if (!filter_refuse(SYS_membarrier, EPERM))
        _exit(NO_FILTER);
    for (int i = 0; i < 3 && light; i++) {
        expect_status(ist_arena_close(of.arena), IST_E_SYSTEM);
        expect_size(test_last_error().os_errno, EPERM);
        expect_sentence("membarrier");
        expect(ist_arena_is_alive(of.arena));
        use_touch(&of);
        use_escape(&of);
    }
    if (!light)
        expect_ok(ist_arena_close(of.arena));
    of = use_open(); /* Without company there is nothing to refuse. */
    expect_ok(ist_arena_close(of.arena));
    test_on_thread(refused_touch, &light);
    of = use_open();
    expect_ok(ist_arena_close(of.arena));
}

static void refused_later(void **state)
{
    (void)state;
    int status = test_in_child(refuse_now, NULL);
    if (no_filter(status))
        skip();
    expect_size(status, 0);
}

static void mode_as_chosen(void **state)
{
    (void)state;
    const char *choice = getenv("ISTHMUS_FENCE");
    if (choice != NULL && strcmp(choice, "full") == 0)
        expect(!test_stats().fence_is_light);
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "refused") == 0)
        return run_refused();
    const struct CMUnitTest tests[] = {
        test_case(mode_as_chosen),
        test_case(no_system_call_without_company),
        test_case(polling_is_quiet),
        test_case(refused_from_the_beginning),
        test_case(refused_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
