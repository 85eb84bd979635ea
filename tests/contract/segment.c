/* SPDX-License-Identifier: MIT */
/* Segments as values: making, asking, slicing, read-only, reinterpret, overlap, offset, equality. */
#include "support/expect.h"

static _Alignas(64) uint8_t bytes[256];

static ist_segment whole(void)
{
    return ist_segment_of(bytes, sizeof bytes);
}

static bool same(ist_segment a, ist_segment b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void making(void **state)
{
    (void)state;
    ist_segment segment = ist_segment_of(bytes, 100);
    expect(ist_segment_address(segment) == (uintptr_t)bytes);
    expect(ist_segment_pointer_unchecked(segment) == bytes);
    expect_size(ist_segment_size(segment), 100);
    expect(!ist_segment_is_read_only(segment));
    expect(ist_segment_is_alive(&segment));
    expect(ist_segment_is_accessible(&segment));
    expect(ist_arena_is_alive(ist_segment_arena(segment)));
    expect_status(ist_arena_close(ist_segment_arena(segment)), IST_E_UNSUPPORTED);

    segment = ist_segment_of_const(bytes, 100);
    expect(ist_segment_address(segment) == (uintptr_t)bytes);
    expect_size(ist_segment_size(segment), 100);
    expect(ist_segment_is_read_only(segment));
}

/* Any 64-bit address: nothing is dereferenced, and no sum of address and size is taken for granted. */
static void making_of_any_address(void **state)
{
    (void)state;
    static const uintptr_t addresses[] = { 0, 1, 0x8000, (uintptr_t)1 << 47, (uintptr_t)1 << 63, UINTPTR_MAX };
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        ist_segment segment = ist_segment_of((void *)addresses[i], 0), slice;
        expect(ist_segment_address(segment) == addresses[i]);
        expect_size(ist_segment_size(segment), 0);
        expect(ist_segment_is_alive(&segment));
        uint8_t value = 9;
        expect_status(ist_get_u8(segment, 0, &value), IST_E_BOUNDS);
        expect(value == 9);
        expect_ok(ist_segment_slice(segment, 0, 0, &slice));
        expect(same(slice, segment));
        expect_ok(ist_segment_fill(&segment, 1));
        expect_ok(ist_segment_copy(&segment, 0, &segment, 0, 0));
    }
}

static void the_null_segment(void **state)
{
    (void)state;
    ist_segment null = { 0 }, slice;
    expect(ist_segment_address(null) == 0);
    expect_size(ist_segment_size(null), 0);
    expect(!ist_segment_is_read_only(null));
    expect_ok(ist_segment_slice(null, 0, 0, &slice));
    expect(same(slice, null));
    expect_status(ist_segment_slice(null, 0, 1, &slice), IST_E_BOUNDS);
    expect_status(ist_segment_slice(null, 1, 0, &slice), IST_E_BOUNDS);
    expect(same(ist_segment_overlap(null, whole()), null));
    expect(same(ist_segment_overlap(whole(), null), null));
    expect(ist_segment_equals(null, ist_segment_of(NULL, 10)));
    expect(ist_segment_is_read_only(ist_segment_as_read_only(null)));
}

/* Offsets and sizes at all edges: OK exactly if offset <= size and length <= size - offset. */
static void slicing(void **state)
{
    (void)state;
    const size_t edges[] = { 0, 1, 63, 64, 255, 256, 257, 1000, SIZE_MAX / 2, SIZE_MAX - 256, SIZE_MAX - 1, SIZE_MAX };
    enum { EDGES = sizeof edges / sizeof edges[0] };
    for (size_t i = 0; i < EDGES; i++) {
        for (size_t j = 0; j < EDGES; j++) {
            size_t offset = edges[i], length = edges[j];
            test_context("slice(%zu, %zu)", offset, length);
            ist_segment slice, before;
            memset(&slice, 0xEE, sizeof slice);
            before = slice;
            bool fits = offset <= 256 && length <= 256 - offset;
            expect_status(ist_segment_slice(whole(), offset, length, &slice), fits ? IST_OK : IST_E_BOUNDS);
            if (fits) {
                expect(same(slice, ist_segment_of(bytes + offset, length)));
            } else {
                expect(same(slice, before));
                ist_error last = test_last_error();
                expect_size(last.offset, offset);
                expect_size(last.length, length);
                expect_size(last.limit, 256);
            }
        }
    }
    for (size_t i = 0; i < EDGES; i++) {
        test_context("slice_from(%zu)", edges[i]);
        ist_segment slice, before;
        memset(&slice, 0xEE, sizeof slice);
        before = slice;
        bool fits = edges[i] <= 256;
        expect_status(ist_segment_slice_from(whole(), edges[i], &slice), fits ? IST_OK : IST_E_BOUNDS);
        expect(same(slice, fits ? ist_segment_of(bytes + edges[i], 256 - edges[i]) : before));
    }
}

static void slicing_with_an_alignment(void **state)
{
    (void)state;
    const struct {
        size_t offset, size, alignment;
        ist_status wanted;
    } cases[] = {
        { 0, 256, 64, IST_OK },
        { 64, 0, 64, IST_OK },
        { 256, 0, 64, IST_OK },
        { 8, 8, 8, IST_OK },
        { 13, 5, 1, IST_OK },
        { 8, 8, 16, IST_E_ALIGNMENT },
        { 1, 1, 2, IST_E_ALIGNMENT },
        { 32, 1, 64, IST_E_ALIGNMENT },
        { 0, 8, 0, IST_E_ARGUMENT },
        { 0, 8, 3, IST_E_ARGUMENT },
        { 0, 8, SIZE_MAX, IST_E_ARGUMENT },
        { 0, 8, ((size_t)1 << 63) + 1, IST_E_ARGUMENT },
        { 0, 8, (size_t)1 << 63, IST_E_ALIGNMENT },
        { 0, 257, 64, IST_E_BOUNDS },
        { 257, 0, 1, IST_E_BOUNDS },
        { SIZE_MAX, 1, 1, IST_E_BOUNDS },
        { SIZE_MAX, SIZE_MAX, 1, IST_E_BOUNDS },
        /* Several faults: argument, bounds, alignment. */
        { 257, 0, 3, IST_E_ARGUMENT },
        { 257, 0, 64, IST_E_BOUNDS },
        { 8, 249, 16, IST_E_BOUNDS },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_context("slice_aligned(%zu, %zu, %zu)", cases[i].offset, cases[i].size, cases[i].alignment);
        ist_segment slice, before;
        memset(&slice, 0xEE, sizeof slice);
        before = slice;
        expect_status(
            ist_segment_slice_aligned(whole(), cases[i].offset, cases[i].size, cases[i].alignment, &slice), cases[i].wanted);
        expect(same(slice, cases[i].wanted == IST_OK ? ist_segment_of(bytes + cases[i].offset, cases[i].size) : before));
    }
    /* The address counts, not the offset. */
    ist_segment odd = ist_segment_of(bytes + 4, 100), slice;
    expect_ok(ist_segment_slice_aligned(odd, 4, 8, 8, &slice));
    expect_status(ist_segment_slice_aligned(odd, 8, 8, 8, &slice), IST_E_ALIGNMENT);
    ist_error last = test_last_error();
    expect_size(last.alignment, 8);
    expect_size(last.address, (uintptr_t)bytes + 12);
}

static void slicing_to_nowhere(void **state)
{
    (void)state;
    expect_status(ist_segment_slice(whole(), 0, 1, NULL), IST_E_ARGUMENT);
    expect_status(ist_segment_slice_from(whole(), 0, NULL), IST_E_ARGUMENT);
    expect_status(ist_segment_slice_aligned(whole(), 0, 1, 1, NULL), IST_E_ARGUMENT);
}

static void slicing_in_place(void **state)
{
    (void)state;
    ist_segment segment = whole();
    expect_ok(ist_segment_slice(segment, 16, 100, &segment));
    expect_ok(ist_segment_slice_from(segment, 16, &segment));
    expect_ok(ist_segment_slice_aligned(segment, 32, 40, 64, &segment));
    expect(same(segment, ist_segment_of(bytes + 64, 40)));
}

/* Read-only sticks through every way of shaping, and shaping keeps the arena. */
static void read_only_sticks(void **state)
{
    (void)state;
    ist_arena arena;
    ist_segment writable, frozen, shaped;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_allocate(arena, 64, 8, &writable));
    frozen = ist_segment_as_read_only(writable);
    expect(ist_segment_is_read_only(frozen) && !ist_segment_is_read_only(writable));
    expect(ist_segment_is_read_only(ist_segment_as_read_only(frozen)));
    expect_ok(ist_segment_slice(frozen, 8, 8, &shaped));
    expect(ist_segment_is_read_only(shaped));
    expect_status(ist_set_u8(shaped, 0, 1), IST_E_READ_ONLY);
    expect_ok(ist_segment_slice_from(frozen, 8, &shaped));
    expect(ist_segment_is_read_only(shaped));
    expect_ok(ist_segment_slice_aligned(frozen, 8, 8, 8, &shaped));
    expect(ist_segment_is_read_only(shaped));
    shaped = ist_segment_reinterpret_unchecked(frozen, 1000);
    expect(ist_segment_is_read_only(shaped));
    expect_size(ist_segment_size(shaped), 1000);
    shaped = ist_segment_overlap(frozen, writable);
    expect(ist_segment_is_read_only(shaped));
    shaped = ist_segment_overlap(writable, frozen);
    expect(!ist_segment_is_read_only(shaped)); /* A slice of the first. */
    expect_ok(ist_segment_reinterpret(&frozen, 64, arena, NULL, NULL, &shaped));
    expect(ist_segment_is_read_only(shaped));
    expect_ok(ist_segment_reinterpret(&frozen, 64, ist_arena_global(), NULL, NULL, &shaped));
    expect(ist_segment_is_read_only(shaped));
    expect_status(ist_segment_fill(&shaped, 1), IST_E_READ_ONLY);
    expect_ok(ist_segment_slice(frozen, 8, 8, &shaped));
    expect(ist_segment_arena(shaped).session == arena.session && ist_segment_arena(shaped).expected == arena.expected);
    uint8_t value = 1;
    expect_ok(ist_get_u8(shaped, 0, &value));
    expect(value == 0);
    expect_ok(ist_arena_close(arena));
    expect_status(ist_get_u8(shaped, 0, &value), IST_E_CLOSED);
}

static void reinterpret_unchecked(void **state)
{
    (void)state;
    ist_segment part = ist_segment_of(bytes + 8, 8);
    ist_segment larger = ist_segment_reinterpret_unchecked(part, 32);
    expect(same(larger, ist_segment_of(bytes + 8, 32)));
    expect(same(ist_segment_reinterpret_unchecked(larger, 8), part));
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_allocate(arena, 64, 8, &part));
    ist_segment shorter = ist_segment_reinterpret_unchecked(part, 3);
    expect(ist_segment_address(shorter) == ist_segment_address(part));
    expect_ok(ist_arena_close(arena));
    expect(!ist_segment_is_alive(&shorter));
}

typedef struct seen {
    size_t count;
    ist_segment segment;
    bool writable;
} seen;

static void note(void *data, const ist_segment *segment)
{
    seen *s = data;
    s->count++;
    s->segment = *segment;
    s->writable = ist_set_u8(*segment, 0, 0x42) == IST_OK; /* Still usable, in the global arena. */
}

static void reinterpret_with_a_cleanup(void **state)
{
    (void)state;
    ist_arena arena;
    ist_segment moved, source = ist_segment_of(bytes + 16, 4);
    seen s = { 0 };
    bytes[16] = 0;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_segment_reinterpret(&source, 48, arena, note, &s, &moved));
    expect(ist_segment_address(moved) == (uintptr_t)bytes + 16);
    expect_size(ist_segment_size(moved), 48);
    expect(!ist_segment_is_read_only(moved));
    expect(ist_segment_arena(moved).session == arena.session);
    expect_ok(ist_set_u64(moved, 40, 1));
    expect_size(s.count, 0);
    expect_ok(ist_arena_close(arena));
    expect_size(s.count, 1);
    expect(s.writable && bytes[16] == 0x42);
    expect(ist_segment_address(s.segment) == (uintptr_t)bytes + 16);
    expect_size(ist_segment_size(s.segment), 48);
    expect(ist_segment_arena(s.segment).expected == ist_arena_global().expected);
    expect_status(ist_set_u64(moved, 40, 1), IST_E_CLOSED);
}

/* A segment that is moved need not be alive or the thread's: the new arena is what is asked. */
static void reinterpret_of_closed_memory(void **state)
{
    (void)state;
    ist_arena first, second;
    ist_segment segment, moved;
    expect_ok(ist_arena_open_confined(&first));
    expect_ok(ist_arena_open_confined(&second));
    expect_ok(ist_segment_reinterpret(&(ist_segment){ bytes, 8, 0, 0 }, 8, first, NULL, NULL, &segment));
    expect_ok(ist_arena_close(first));
    expect_ok(ist_segment_reinterpret(&segment, 8, second, NULL, NULL, &moved));
    expect_ok(ist_set_u8(moved, 7, 1));
    expect_ok(ist_arena_close(second));
}

static void reinterpret_in_the_global_arena(void **state)
{
    (void)state;
    ist_segment moved, source = whole();
    seen s = { 0 };
    expect_ok(ist_segment_reinterpret(&source, 8, ist_arena_global(), note, &s, &moved));
    expect(same(moved, ist_segment_of(bytes, 8)));
    expect_size(s.count, 0);
}

/* In place: the output may be the input. */
static void reinterpret_in_place(void **state)
{
    (void)state;
    ist_arena arena;
    ist_segment segment = whole();
    seen s = { 0 };
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_segment_reinterpret(&segment, 24, arena, note, &s, &segment));
    expect_size(ist_segment_size(segment), 24);
    expect_ok(ist_arena_close(arena));
    expect_size(s.count, 1);
    expect_size(ist_segment_size(s.segment), 24);
}

/* Against the overlap of two sets of bytes, for all pairs of small ranges. */
static void overlap(void **state)
{
    (void)state;
    enum { REACH = 7 };
    for (size_t a = 0; a < REACH; a++)
        for (size_t b = 0; b < REACH; b++)
            for (size_t a_size = 0; a_size < REACH; a_size++)
                for (size_t b_size = 0; b_size < REACH; b_size++) {
                    test_context("overlap of %zu+%zu and %zu+%zu", a, a_size, b, b_size);
                    size_t first = SIZE_MAX, count = 0;
                    for (size_t i = 0; i < 2 * REACH; i++) {
                        if (i >= a && i < a + a_size && i >= b && i < b + b_size) {
                            first = count == 0 ? i : first;
                            count++;
                        }
                    }
                    ist_segment wanted = { 0 };
                    if (count != 0)
                        wanted = ist_segment_of(bytes + first, count);
                    ist_segment got =
                        ist_segment_overlap(ist_segment_of(bytes + a, a_size), ist_segment_of(bytes + b, b_size));
                    expect(same(got, wanted));
                }
    ist_segment end = ist_segment_overlap(ist_segment_of((void *)(uintptr_t)16, SIZE_MAX - 15), ist_segment_of(bytes, 8));
    expect(same(end, ist_segment_of(bytes, 8)));
}

static void overlap_belongs_to_the_first(void **state)
{
    (void)state;
    ist_arena arena;
    ist_segment a;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_segment_reinterpret(&(ist_segment){ bytes, 32, 0, 0 }, 32, arena, NULL, NULL, &a));
    ist_segment b = ist_segment_of(bytes + 16, 100);
    ist_segment of_a = ist_segment_overlap(a, b), of_b = ist_segment_overlap(b, a);
    expect(of_a.address == bytes + 16 && of_b.address == bytes + 16);
    expect(of_a.size == 16 && of_b.size == 16);
    expect_ok(ist_arena_close(arena));
    expect(!ist_segment_is_alive(&of_a));
    expect(ist_segment_is_alive(&of_b));
    expect_size(ist_segment_overlap(a, b).size, 16); /* Liveness is not asked for. */
}

static void offsets(void **state)
{
    (void)state;
    ist_segment a = ist_segment_of(bytes + 10, 5), b = ist_segment_of(bytes + 100, 5);
    expect(ist_segment_offset(a, b) == 90);
    expect(ist_segment_offset(b, a) == -90);
    expect(ist_segment_offset(a, a) == 0);
    ist_segment high = ist_segment_of((void *)UINTPTR_MAX, 0), low = ist_segment_of(NULL, 0);
    expect(ist_segment_offset(low, high) == -1);
    expect(ist_segment_offset(high, low) == 1);
}

static void equality(void **state)
{
    (void)state;
    ist_segment a = ist_segment_of(bytes, 10);
    expect(ist_segment_equals(a, a));
    expect(ist_segment_equals(a, ist_segment_of(bytes, 99)));
    expect(ist_segment_equals(a, ist_segment_as_read_only(a)));
    expect(!ist_segment_equals(a, ist_segment_of(bytes + 1, 10)));
    ist_arena arena;
    ist_segment b;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_segment_reinterpret(&a, 10, arena, NULL, NULL, &b));
    expect(ist_segment_equals(a, b));
    expect_ok(ist_arena_close(arena));
    expect(ist_segment_equals(a, b));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(making),
        test_case(making_of_any_address),
        test_case(the_null_segment),
        test_case(slicing),
        test_case(slicing_with_an_alignment),
        test_case(slicing_to_nowhere),
        test_case(slicing_in_place),
        test_case(read_only_sticks),
        test_case(reinterpret_unchecked),
        test_case(reinterpret_with_a_cleanup),
        test_case(reinterpret_of_closed_memory),
        test_case(reinterpret_in_the_global_arena),
        test_case(reinterpret_in_place),
        test_case(overlap),
        test_case(overlap_belongs_to_the_first),
        test_case(offsets),
        test_case(equality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
