/* SPDX-License-Identifier: MIT */
/* Bulk operations that a close stops: they say how far they came, and that far they came. */
#include "company.h"

#include <sched.h>

#if TEST_ASAN || defined(__SANITIZE_THREAD__)
#define TEST_SLOW 1
#else
#define TEST_SLOW 0
#endif

enum { ROUNDS = 400 };
#define SIZE ((size_t)(TEST_SLOW ? 2 : 8) * 1024 * 1024)

typedef struct work {
    ist_arena arena;
    ist_segment segment;
    uint8_t *bytes; /* SIZE of the test's own. */
    ist_status (*once)(struct work *work);
    uint64_t took; /* ns: how long the first one took, once it is done. */
    ist_error error;
} work;

static void repeat(void *data)
{
    work *of = data;
    uint64_t begin = test_now_ns();
    expect_ok(of->once(of));
    __atomic_store_n(&of->took, test_now_ns() - begin, __ATOMIC_RELAXED);
    while (of->once(of) == IST_OK)
        ;
    of->error = test_last_error();
}

static ist_status fill(work *of)
{
    return ist_segment_fill(&of->segment, 5);
}

static ist_status copy_out(work *of)
{
    memset(of->bytes, 0, SIZE);
    ist_segment own = ist_segment_of(of->bytes, SIZE);
    return ist_segment_copy(&of->segment, 0, &own, 0, SIZE);
}

static ist_status copy_in(work *of)
{
    ist_segment own = ist_segment_of(of->bytes, SIZE);
    return ist_segment_copy_from(&of->segment, &own);
}

static ist_status compare(work *of)
{
    ist_segment own = ist_segment_of(of->bytes, SIZE);
    size_t at;
    ist_status status = ist_segment_mismatch(&of->segment, &own, &at);
    expect(status != IST_OK || at == IST_NO_MISMATCH);
    return status;
}

/* Closes while the operation runs, until one was stopped in the middle. */
static void stop_in_the_middle(ist_status (*once)(work *of), const char *operation)
{
    work of = { .bytes = malloc(SIZE), .once = once };
    mate *other = mate_start();
    size_t stopped = 0;
    expect(of.bytes != NULL);
    for (int round = 0; round < ROUNDS && stopped < 3; round++) {
        test_context("%s, round %d", operation, round);
        memset(of.bytes, 9, SIZE);
        expect_ok(ist_arena_open_shared(&of.arena));
        expect_ok(ist_arena_allocate_uninitialized(of.arena, SIZE, 64, &of.segment));
        memset(of.segment.address, 9, SIZE);
        __atomic_store_n(&of.took, 0, __ATOMIC_RELAXED);
        mate_begin(other, repeat, &of);
        uint64_t took;
        while ((took = __atomic_load_n(&of.took, __ATOMIC_RELAXED)) == 0)
            sched_yield();
        /* At another point of the second one in each round. */
        for (uint64_t begin = test_now_ns(); test_now_ns() - begin < took * (unsigned)(round % 16) / 16;)
            ;
        expect_ok(ist_arena_close(of.arena));
        mate_wait(other);
        expect(of.error.status == IST_E_CLOSED && strcmp(of.error.kind, "shared") == 0);
        expect(of.error.done < SIZE);
        stopped += of.error.done != 0;
        if (once == copy_out && of.error.done != 0) {
            expect(test_all_bytes(of.bytes, of.error.done, 9));
            expect(test_all_bytes(of.bytes + of.error.done, SIZE - of.error.done, 0));
        }
    }
    expect(stopped != 0);
    mate_end(other);
    free(of.bytes);
}

static void stopped(void **state)
{
    (void)state;
    stop_in_the_middle(fill, "fill");
    stop_in_the_middle(copy_out, "copy out");
    stop_in_the_middle(copy_in, "copy in");
    stop_in_the_middle(compare, "comparison");
}

/* Two shared arenas at once, closed or not. */
static void two_arenas(void **state)
{
    (void)state;
    use a = use_open(), b = use_open();
    size_t at;
    use_escape(&a);
    expect_ok(ist_segment_fill(&b.segment, 3));
    expect_ok(ist_segment_copy_from(&a.segment, &b.segment));
    expect_ok(ist_segment_mismatch(&a.segment, &b.segment, &at));
    expect(at == IST_NO_MISMATCH);
    expect_ok(ist_segment_copy(&a.segment, 0, &a.segment, 8, 56)); /* Within one. */
    expect_ok(ist_arena_close(b.arena));
    expect_status(ist_segment_copy_from(&a.segment, &b.segment), IST_E_CLOSED);
    expect_status(ist_segment_copy_from(&b.segment, &a.segment), IST_E_CLOSED);
    expect_status(ist_segment_mismatch(&a.segment, &b.segment, &at), IST_E_CLOSED);
    expect_status(ist_segment_mismatch(&b.segment, &a.segment, &at), IST_E_CLOSED);
    expect_status(ist_segment_copy(&a.segment, 0, &a.segment, 8, 57), IST_E_BOUNDS);
    expect_ok(ist_arena_close(a.arena)); /* Nothing of the refused ones is left in a slot. */
    expect_status(ist_segment_fill(&a.segment, 3), IST_E_CLOSED);
    expect_size(test_last_error().done, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { test_case(two_arenas), test_case(stopped) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
