/* SPDX-License-Identifier: MIT */
/* Bulk operations and strings that a close stops: they say how far they came, and that far they came. */
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

static ist_status swap_out(work *of)
{
    memset(of->bytes, 0, SIZE);
    return ist_segment_get_array(&of->segment, 0, of->bytes, SIZE / 4, 4, 1);
}

static ist_status swap_in(work *of)
{
    return ist_segment_set_array(&of->segment, 0, of->bytes, SIZE / 8, 8, 1);
}

/* A string of all but the last unit, which is set to be its end. */
static ist_status find_of(work *of, ist_charset charset, ist_string *ret_string)
{
    size_t unit = ist_charset_unit(charset);
    ist_segment end;
    expect_ok(ist_segment_slice(of->segment, SIZE - unit, unit, &end));
    ist_status status = ist_segment_fill(&end, 0);
    if (status == IST_OK)
        status = ist_string_find(&of->segment, 0, charset, IST_NO_LIMIT, ret_string);
    expect(status != IST_OK || ret_string->bytes.size == SIZE - unit);
    return status;
}

static ist_status find_8(work *of)
{
    ist_string string;
    return find_of(of, IST_UTF8, &string);
}

static ist_status find_16(work *of)
{
    ist_string string;
    return find_of(of, IST_UTF16_BE, &string);
}

static ist_status copy_string(work *of)
{
    ist_string string = ist_string_of(of->segment, IST_UTF16);
    memset(of->bytes, 0, SIZE);
    return ist_string_copy(&string, of->bytes, SIZE + 8, NULL);
}

static ist_status decode(work *of)
{
    ist_string string = ist_string_of(of->segment, IST_LATIN1);
    return ist_string_decode(&string, IST_REPLACE, (char *)of->bytes, SIZE + 8, NULL);
}

static ist_status encode(work *of)
{
    return ist_string_encode(&of->segment, 0, IST_UTF16, IST_REPLACE, (char *)of->bytes, SIZE / 2 - 1, NULL);
}

/* Closes while the operation runs, until one was stopped in the middle. */
static void stop_in_the_middle(ist_status (*once)(work *of), const char *operation)
{
    work of = { .bytes = malloc(SIZE + 8), .once = once };
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
        if ((once == copy_out || once == swap_out || once == copy_string) && of.error.done != 0) {
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
    stop_in_the_middle(swap_out, "swapping out");
    stop_in_the_middle(swap_in, "swapping in");
    stop_in_the_middle(find_8, "search for a byte");
    stop_in_the_middle(find_16, "search for 2 bytes");
    stop_in_the_middle(copy_string, "copy of a string");
    stop_in_the_middle(decode, "decoding");
    stop_in_the_middle(encode, "encoding");
}

/* Short ones, found, converted and written again and again: the close decides, and nothing but IST_E_CLOSED follows. */
static ist_status use_short_string(work *of)
{
    static const char wanted[] = "a short string";
    ist_string string;
    char text[32];
    ist_status status = ist_string_find(&of->segment, 65536, IST_UTF16, 64, &string);
    if (status == IST_OK)
        status = ist_string_decode(&string, IST_REFUSE, text, sizeof text, NULL);
    expect(status != IST_OK || strcmp(text, wanted) == 0);
    if (status == IST_OK)
        status = ist_string_set(&of->segment, 65536, IST_UTF16, wanted);
    return status;
}

static void short_strings(void **state)
{
    (void)state;
    work of = { .once = use_short_string };
    mate *other = mate_start();
    for (int round = 0; round < ROUNDS; round++) {
        test_context("round %d", round);
        expect_ok(ist_arena_open_shared(&of.arena));
        expect_ok(ist_arena_allocate(of.arena, 1 << 17, 64, &of.segment)); /* Large: unmapped by the close. */
        expect_ok(ist_string_set(&of.segment, 65536, IST_UTF16, "a short string"));
        __atomic_store_n(&of.took, 0, __ATOMIC_RELAXED);
        mate_begin(other, repeat, &of);
        while (__atomic_load_n(&of.took, __ATOMIC_RELAXED) == 0)
            sched_yield();
        for (uint64_t begin = test_now_ns(); test_now_ns() - begin < (unsigned)(round % 50) * 200;)
            ;
        expect_ok(ist_arena_close(of.arena));
        mate_wait(other);
        expect(of.error.status == IST_E_CLOSED && of.error.done == 0);
    }
    mate_end(other);
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
    const struct CMUnitTest tests[] = { test_case(two_arenas), test_case(short_strings), test_case(stopped) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
