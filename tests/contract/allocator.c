/* SPDX-License-Identifier: MIT */
/* The allocator interface and the allocators over arenas, slicings, prefixes and functions of the user's. */
#include "support/expect.h"

static _Alignas(1024) uint8_t room[1024];

static ist_segment dirty_room(size_t offset, size_t size)
{
    memset(room, 0xA5, sizeof room);
    return ist_segment_of(room + offset, size);
}

/* ---- Allocators of the user's ---- */

typedef struct own {
    size_t calls, size, alignment;
    ist_status answer;
    ist_segment segment;
} own;

static ist_status give(void *context, size_t size, size_t alignment, ist_segment *ret_segment)
{
    own *o = context;
    o->calls++;
    o->size = size;
    o->alignment = alignment;
    if (o->answer != IST_OK)
        return o->answer;
    *ret_segment = ist_segment_reinterpret_unchecked(o->segment, size);
    return IST_OK;
}

static void only_uninitialized_is_cleared(void **state)
{
    (void)state;
    own o = { .segment = dirty_room(64, 512) };
    ist_allocator allocator = { .allocate_uninitialized = give, .context = &o };
    ist_segment segment;
    expect_ok(ist_allocate(allocator, 100, 16, &segment));
    expect_size(o.calls, 1);
    expect_size(o.size, 100);
    expect_size(o.alignment, 16);
    expect(segment.address == room + 64 && segment.size == 100);
    expect(test_all_bytes(room + 64, 100, 0));
    expect(room[63] == 0xA5 && room[164] == 0xA5);
    o.segment = dirty_room(64, 512);
    expect_ok(ist_allocate_uninitialized(allocator, 100, 16, &segment));
    expect_size(o.calls, 2);
    expect(test_all_bytes(room, sizeof room, 0xA5));
}

static void only_zeroed_serves_both(void **state)
{
    (void)state;
    own o = { .segment = dirty_room(0, 512) };
    ist_allocator allocator = { .allocate = give, .context = &o };
    ist_segment segment;
    expect_ok(ist_allocate(allocator, 100, 1, &segment));
    expect_size(o.calls, 1);
    expect(test_all_bytes(room, sizeof room, 0xA5)); /* Declared as zeroed: not cleared twice. */
    expect_ok(ist_allocate_uninitialized(allocator, 100, 1, &segment));
    expect_size(o.calls, 2);
}

static void each_function_has_its_use(void **state)
{
    (void)state;
    own o = { .segment = dirty_room(0, 512) }, raw = o;
    ist_segment segment;
    ist_allocator allocator = { .allocate = give, .context = &o };
    expect_ok(ist_allocate(allocator, 1, 1, &segment));
    /* One context for both functions: tell them apart by another allocator over the same. */
    ist_allocator both = { .allocate = NULL, .allocate_uninitialized = give, .context = &raw };
    expect_ok(ist_allocate_from(both, "abc", 3, 1, &segment));
    expect_size(raw.calls, 1);
    expect_size(raw.size, 3);
    expect(memcmp(room, "abc", 3) == 0 && room[3] == 0xA5);
}

static void answers_pass_through(void **state)
{
    (void)state;
    static const ist_status answers[] = { IST_E_NO_MEMORY, IST_E_BOUNDS, IST_E_UNSUPPORTED, IST_E_SYSTEM, IST_E_CLOSED };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        own o = { .answer = answers[i] };
        ist_allocator allocator = { .allocate_uninitialized = give, .context = &o };
        ist_segment segment;
        memset(&segment, 0xEE, sizeof segment);
        expect_answer(ist_allocate(allocator, 8, 8, &segment), answers[i]);
        expect_answer(ist_allocate_uninitialized(allocator, 8, 8, &segment), answers[i]);
        expect_answer(ist_allocate_array(allocator, 2, 8, 8, &segment), answers[i]);
        expect_answer(ist_allocate_from(allocator, "12345678", 8, 8, &segment), answers[i]);
        expect_answer(ist_allocate_string(allocator, "string", &segment), answers[i]);
        expect_size(o.calls, 5);
        expect(test_all_bytes(&segment, sizeof segment, 0xEE));
    }
}

static void bad_requests_reach_nobody(void **state)
{
    (void)state;
    own o = { .segment = dirty_room(0, 512) };
    ist_allocator allocator = { .allocate = give, .allocate_uninitialized = give, .context = &o };
    ist_allocator empty = { .context = &o };
    ist_segment segment;
    memset(&segment, 0xEE, sizeof segment);
    static const size_t alignments[] = { 0, 3, 24, SIZE_MAX, ((size_t)1 << 63) + 1 };
    for (size_t i = 0; i < sizeof alignments / sizeof alignments[0]; i++) {
        test_context("alignment %zu", alignments[i]);
        expect_status(ist_allocate(allocator, 8, alignments[i], &segment), IST_E_ARGUMENT);
        expect_status(ist_allocate_uninitialized(allocator, 8, alignments[i], &segment), IST_E_ARGUMENT);
        expect_status(ist_allocate_array(allocator, 1, 8, alignments[i], &segment), IST_E_ARGUMENT);
        expect_status(ist_allocate_from(allocator, "abcdefgh", 8, alignments[i], &segment), IST_E_ARGUMENT);
    }
    expect_status(ist_allocate(allocator, 8, 8, NULL), IST_E_ARGUMENT);
    expect_status(ist_allocate_uninitialized(allocator, 8, 8, NULL), IST_E_ARGUMENT);
    expect_status(ist_allocate_array(allocator, 1, 8, 8, NULL), IST_E_ARGUMENT);
    expect_status(ist_allocate_from(allocator, "abcdefgh", 8, 8, NULL), IST_E_ARGUMENT);
    expect_status(ist_allocate_string(allocator, "abc", NULL), IST_E_ARGUMENT);
    expect_status(ist_allocate_from(allocator, NULL, 1, 1, &segment), IST_E_ARGUMENT);
    expect_status(ist_allocate_string(allocator, NULL, &segment), IST_E_ARGUMENT);
    expect_status(ist_allocate(empty, 8, 8, &segment), IST_E_ARGUMENT);
    expect_status(ist_allocate_uninitialized(empty, 8, 8, &segment), IST_E_ARGUMENT);
    expect_status(ist_allocate_array(empty, 1, 8, 8, &segment), IST_E_ARGUMENT);
    expect_status(ist_allocate_from(empty, "a", 1, 1, &segment), IST_E_ARGUMENT);
    expect_status(ist_allocate_string(empty, "abc", &segment), IST_E_ARGUMENT);
    expect_size(o.calls, 0);
    expect(test_all_bytes(&segment, sizeof segment, 0xEE));
    expect(test_all_bytes(room, sizeof room, 0xA5));
}

static void arrays(void **state)
{
    (void)state;
    const struct {
        size_t count, size;
        ist_status wanted;
    } cases[] = {
        { 0, 0, IST_OK },
        { 0, 8, IST_OK },
        { 8, 0, IST_OK },
        { 3, 8, IST_OK },
        { 0, SIZE_MAX, IST_OK },
        { SIZE_MAX, 0, IST_OK },
        { 2, SIZE_MAX / 2 + 1, IST_E_OVERFLOW },
        { SIZE_MAX, 2, IST_E_OVERFLOW },
        { SIZE_MAX, SIZE_MAX, IST_E_OVERFLOW },
        { (size_t)1 << 32, (size_t)1 << 32, IST_E_OVERFLOW }, /* The product is 2^64: 0 in 64 bits. */
        { ((size_t)1 << 32) + 1, (size_t)1 << 32, IST_E_OVERFLOW },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_context("%zu times %zu bytes", cases[i].count, cases[i].size);
        own o = { .segment = dirty_room(0, 512) };
        ist_allocator allocator = { .allocate_uninitialized = give, .context = &o };
        ist_segment segment;
        memset(&segment, 0xEE, sizeof segment);
        expect_status(ist_allocate_array(allocator, cases[i].count, cases[i].size, 1, &segment), cases[i].wanted);
        expect_size(o.calls, cases[i].wanted == IST_OK);
        if (cases[i].wanted == IST_OK) {
            expect_size(segment.size, cases[i].count * cases[i].size);
            expect(test_all_bytes(room, segment.size, 0));
        } else {
            expect(test_all_bytes(&segment, sizeof segment, 0xEE));
        }
    }
}

/* ---- An arena as allocator ---- */

static void of_an_arena(void **state)
{
    (void)state;
    ist_arena arena;
    ist_segment segment;
    expect_ok(ist_arena_open_confined(&arena));
    ist_allocator allocator = ist_arena_allocator(&arena);
    expect_ok(ist_allocate_uninitialized(allocator, 200, 32, &segment));
    expect(ist_segment_address(segment) % 32 == 0 && segment.size == 200);
    expect(ist_segment_arena(segment).session == arena.session);
    expect_ok(ist_segment_fill(&segment, 0xA5));
    expect_ok(ist_allocate(allocator, 500, 8, &segment));
    expect(test_all_bytes(segment.address, 500, 0));
    expect_ok(ist_allocate_array(allocator, 10, 12, 4, &segment));
    expect(segment.size == 120 && test_all_bytes(segment.address, 120, 0));
    expect_ok(ist_allocate_from(allocator, "bytes\0more", 10, 16, &segment));
    expect(segment.size == 10 && memcmp(segment.address, "bytes\0more", 10) == 0);
    expect(ist_segment_address(segment) % 16 == 0);
    expect_ok(ist_allocate_from(allocator, NULL, 0, 1, &segment));
    expect(segment.size == 0 && ist_segment_address(segment) != 0);
    expect_ok(ist_allocate_string(allocator, "string", &segment));
    expect(segment.size == 7 && memcmp(segment.address, "string", 7) == 0);
    expect_ok(ist_allocate_string(allocator, "", &segment));
    expect(segment.size == 1 && *(char *)segment.address == 0);
    expect_ok(ist_arena_close(arena));
    expect_status(ist_allocate(allocator, 8, 8, &segment), IST_E_CLOSED);
    expect(segment.size == 1);
    ist_arena global = ist_arena_global();
    expect_ok(ist_allocate_string(ist_arena_allocator(&global), "for ever", &segment));
    expect(strcmp(segment.address, "for ever") == 0);
    expect_status(ist_allocate(ist_arena_allocator(&global), (size_t)1 << 60, 8, &segment), IST_E_NO_MEMORY);
}

/* ---- Slicing ---- */

static void slicing_cuts_front_to_back(void **state)
{
    (void)state;
    ist_slicing slicing;
    ist_segment a, b, c, d;
    ist_segment buffer = dirty_room(0, 100);
    expect_ok(ist_slicing_over(buffer, &slicing));
    expect_size(slicing.used, 0);
    ist_allocator allocator = ist_slicing_allocator(&slicing);
    expect_ok(ist_allocate(allocator, 24, 8, &a));
    expect(a.address == room && a.size == 24);
    expect(test_all_bytes(room, 24, 0) && room[24] == 0xA5);
    expect_ok(ist_allocate_uninitialized(allocator, 5, 1, &b));
    expect(b.address == room + 24 && b.size == 5 && room[24] == 0xA5);
    expect_ok(ist_allocate(allocator, 16, 16, &c));
    expect(c.address == room + 32 && c.size == 16);
    expect(test_all_bytes(room + 24, 8, 0xA5) && test_all_bytes(room + 32, 16, 0));
    expect_size(slicing.used, 48);
    expect_status(ist_allocate(allocator, 53, 1, &d), IST_E_BOUNDS);
    expect_status(ist_allocate(allocator, 8, 256, &d), IST_E_BOUNDS);
    expect_status(ist_allocate(allocator, test_opaque(SIZE_MAX), 1, &d), IST_E_BOUNDS);
    expect_size(slicing.used, 48);
    expect_ok(ist_allocate(allocator, 52, 1, &d)); /* The failures have changed nothing. */
    expect(d.address == room + 48 && d.size == 52);
    expect_size(slicing.used, 100);
    expect(test_all_bytes(room + 100, sizeof room - 100, 0xA5));
    expect_status(ist_allocate(allocator, 1, 1, &d), IST_E_BOUNDS);
    expect_ok(ist_allocate(allocator, 0, 1, &d));
    expect(d.address == room + 100 && d.size == 0);
}

/* Alignment is of the address, wherever the segment begins. */
static void slicing_aligns_addresses(void **state)
{
    (void)state;
    for (size_t start = 0; start < 16; start++) {
        test_context("from %zu on", start);
        ist_slicing slicing;
        ist_segment segment;
        expect_ok(ist_slicing_over(dirty_room(start, 64), &slicing));
        expect_ok(ist_allocate(ist_slicing_allocator(&slicing), 8, 8, &segment));
        expect(segment.address == room + (start + 7) / 8 * 8);
        expect_ok(ist_allocate(ist_slicing_allocator(&slicing), 1, 1, &segment));
        expect_ok(ist_allocate(ist_slicing_allocator(&slicing), 4, 4, &segment));
        expect(segment.address == room + (start + 7) / 8 * 8 + 12);
        expect_size(slicing.used, (start + 7) / 8 * 8 + 16 - start);
    }
}

static void slicing_of_an_arena(void **state)
{
    (void)state;
    ist_arena arena;
    ist_segment buffer, block, untouched_block;
    ist_slicing slicing, untouched_slicing;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_allocate(arena, 64, 8, &buffer));
    expect_ok(ist_slicing_over(buffer, &slicing));
    expect_ok(ist_allocate(ist_slicing_allocator(&slicing), 8, 8, &block));
    expect(ist_segment_arena(block).session == arena.session);
    expect_ok(ist_set_u64(block, 0, 1));
    expect_ok(ist_arena_close(arena));
    untouched_block = block;
    untouched_slicing = slicing;
    expect_status(ist_set_u64(block, 0, 1), IST_E_CLOSED);
    expect_status(ist_allocate(ist_slicing_allocator(&slicing), 8, 8, &block), IST_E_CLOSED);
    expect_status(ist_allocate_uninitialized(ist_slicing_allocator(&slicing), 8, 8, &block), IST_E_CLOSED);
    expect_status(ist_allocate(ist_slicing_allocator(&slicing), 57, 1, &block), IST_E_BOUNDS); /* Bounds come first. */
    expect(memcmp(&block, &untouched_block, sizeof block) == 0);
    expect(memcmp(&slicing, &untouched_slicing, sizeof slicing) == 0);
}

static void slicing_refuses_read_only(void **state)
{
    (void)state;
    ist_slicing slicing;
    memset(&slicing, 0xEE, sizeof slicing);
    expect_status(ist_slicing_over(ist_segment_of_const(room, 64), &slicing), IST_E_READ_ONLY);
    expect_status(ist_slicing_over(ist_segment_of(room, 64), NULL), IST_E_ARGUMENT);
    expect(test_all_bytes(&slicing, sizeof slicing, 0xEE));
}

/* ---- Prefix ---- */

static void prefix_is_always_the_beginning(void **state)
{
    (void)state;
    ist_segment buffer = dirty_room(8, 64), a, b;
    ist_allocator allocator = ist_prefix_allocator(&buffer);
    expect_ok(ist_allocate(allocator, 16, 8, &a));
    expect(a.address == room + 8 && a.size == 16);
    expect(test_all_bytes(room + 8, 16, 0) && room[24] == 0xA5 && room[7] == 0xA5);
    expect_ok(ist_segment_fill(&a, 0xA5));
    expect_ok(ist_allocate_uninitialized(allocator, 64, 1, &b));
    expect(b.address == room + 8 && b.size == 64);
    expect(test_all_bytes(room, sizeof room, 0xA5));
    expect_ok(ist_allocate(allocator, 0, 1, &b));
    expect(b.address == room + 8 && b.size == 0);
    expect_ok(ist_allocate_string(allocator, "text", &b));
    expect(memcmp(room + 8, "text", 5) == 0 && room[13] == 0xA5);
}

static void prefix_refuses(void **state)
{
    (void)state;
    ist_segment buffer = dirty_room(8, 64), out, frozen = ist_segment_as_read_only(buffer);
    memset(&out, 0xEE, sizeof out);
    ist_allocator allocator = ist_prefix_allocator(&buffer);
    expect_status(ist_allocate(allocator, 65, 1, &out), IST_E_BOUNDS);
    expect_status(ist_allocate_uninitialized(allocator, test_opaque(SIZE_MAX), 1, &out), IST_E_BOUNDS);
    expect_status(ist_allocate(allocator, 8, 16, &out), IST_E_ALIGNMENT);
    expect_status(ist_allocate_uninitialized(allocator, 8, 4096, &out), IST_E_ALIGNMENT);
    expect_status(ist_allocate(allocator, 65, 16, &out), IST_E_BOUNDS);
    expect_status(ist_allocate(allocator, 8, 5, &out), IST_E_ARGUMENT);
    expect_status(ist_allocate(ist_prefix_allocator(&frozen), 8, 8, &out), IST_E_READ_ONLY);
    expect_status(ist_allocate_uninitialized(ist_prefix_allocator(&frozen), 8, 8, &out), IST_E_READ_ONLY);
    expect(test_all_bytes(&out, sizeof out, 0xEE));
    expect(test_all_bytes(room, sizeof room, 0xA5));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(only_uninitialized_is_cleared),
        test_case(only_zeroed_serves_both),
        test_case(each_function_has_its_use),
        test_case(answers_pass_through),
        test_case(bad_requests_reach_nobody),
        test_case(arrays),
        test_case(of_an_arena),
        test_case(slicing_cuts_front_to_back),
        test_case(slicing_aligns_addresses),
        test_case(slicing_of_an_arena),
        test_case(slicing_refuses_read_only),
        test_case(prefix_is_always_the_beginning),
        test_case(prefix_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
