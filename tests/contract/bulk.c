/* SPDX-License-Identifier: MIT */
/* Bulk operations: fill, copies, both forms of mismatch, against plain byte loops; nothing is written on failure. */
#include "support/expect.h"

enum { ROOM = 3 * 4096 + 64 };
static _Alignas(64) uint8_t room[ROOM], model[ROOM];
static uint8_t other[ROOM];

/* Sizes around which an implementation may change its way. */
static const size_t sizes[] = { 0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257,
                                1023, 1024, 1025, 4095, 4096, 4097, 8191, 8192, 8193 };
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Every byte differs from its neighbours, and the pattern does not repeat at powers of two. */
static void number_bytes(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251);
}

static void both_numbered(void)
{
    number_bytes(room, ROOM);
    number_bytes(model, ROOM);
}

static bool as_modelled(void)
{
    return memcmp(room, model, ROOM) == 0;
}

static void fill(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        for (size_t start = 0; start < 3; start++) {
            test_context("fill of %zu bytes from %zu on", sizes[i], start);
            both_numbered();
            for (size_t j = 0; j < sizes[i]; j++)
                model[start + j] = 0xFE;
            ist_segment segment = ist_segment_of(room + start, sizes[i]);
            expect_ok(ist_segment_fill(&segment, 0xFE));
            expect(as_modelled());
        }
    }
}

static void copy_apart(void **state)
{
    (void)state;
    number_bytes(other, ROOM);
    for (size_t i = 0; i < SIZES; i++) {
        test_context("copy of %zu bytes", sizes[i]);
        both_numbered();
        for (size_t j = 0; j < sizes[i]; j++)
            model[11 + j] = other[6 + j];
        ist_segment source = ist_segment_of(other + 1, ROOM - 1), target = ist_segment_of(room + 4, ROOM - 4);
        expect_ok(ist_segment_copy(&source, 5, &target, 7, sizes[i]));
        expect(as_modelled());
    }
}

/* Overlapping ranges, in both directions, by every small distance and by some large ones. */
static void copy_overlapping(void **state)
{
    (void)state;
    static const size_t distances[] = { 0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 500, 4096 };
    static uint8_t before[ROOM];
    ist_segment segment = ist_segment_of(room, ROOM);
    number_bytes(before, ROOM);
    for (size_t i = 0; i < SIZES; i++) {
        for (size_t j = 0; j < sizeof distances / sizeof distances[0]; j++) {
            size_t size = sizes[i], distance = distances[j];
            if (size + distance > ROOM)
                continue;
            test_context("copy of %zu bytes by %zu", size, distance);
            both_numbered();
            for (size_t k = 0; k < size; k++)
                model[distance + k] = before[k];
            expect_ok(ist_segment_copy(&segment, 0, &segment, distance, size)); /* Forwards. */
            expect(as_modelled());
            both_numbered();
            for (size_t k = 0; k < size; k++)
                model[k] = before[distance + k];
            expect_ok(ist_segment_copy(&segment, distance, &segment, 0, size)); /* Backwards. */
            expect(as_modelled());
        }
    }
}

static void copy_at_the_edges(void **state)
{
    (void)state;
    const size_t huge = SIZE_MAX;
    const struct {
        size_t source_offset, target_offset, size;
        ist_status wanted;
        size_t limit; /* Of the segment that is to blame. */
    } cases[] = {
        { 0, 0, 64, IST_OK, 0 },
        { 64, 32, 0, IST_OK, 0 },
        { 64, 128, 0, IST_OK, 0 },
        { 63, 127, 1, IST_OK, 0 },
        { 64, 0, 1, IST_E_BOUNDS, 64 },
        { 65, 0, 0, IST_E_BOUNDS, 64 },
        { 0, 129, 0, IST_E_BOUNDS, 128 },
        { 0, 128, 1, IST_E_BOUNDS, 128 },
        { 0, 65, 64, IST_E_BOUNDS, 128 },
        { 0, 0, 65, IST_E_BOUNDS, 64 },
        { 0, 0, huge, IST_E_BOUNDS, 64 },
        { huge, 0, 1, IST_E_BOUNDS, 64 },
        { 0, huge, 1, IST_E_BOUNDS, 128 },
        { 1, 0, huge, IST_E_BOUNDS, 64 },
        { huge, 0, huge, IST_E_BOUNDS, 64 },
        { 0, huge - 63, 64, IST_E_BOUNDS, 128 },
        { 60, 125, 5, IST_E_BOUNDS, 64 }, /* Both: the source is looked at first. */
    };
    ist_segment source = ist_segment_of(other, 64), target = ist_segment_of(room, 128);
    number_bytes(other, ROOM);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_context("copy(%zu, %zu, %zu)", cases[i].source_offset, cases[i].target_offset, cases[i].size);
        memset(room, 0xC3, ROOM);
        memset(model, 0xC3, ROOM);
        if (cases[i].wanted == IST_OK)
            memcpy(model + cases[i].target_offset, other + cases[i].source_offset, cases[i].size);
        expect_status(
            ist_segment_copy(&source, cases[i].source_offset, &target, cases[i].target_offset, cases[i].size),
            cases[i].wanted);
        expect(as_modelled());
        if (cases[i].wanted != IST_OK) {
            ist_error last = test_last_error();
            expect_size(last.limit, cases[i].limit);
            expect_size(last.length, cases[i].size);
        }
    }
}

static void copy_from(void **state)
{
    (void)state;
    number_bytes(other, ROOM);
    for (size_t i = 0; i < SIZES; i++) {
        for (size_t j = 0; j < SIZES; j++) {
            test_context("copy of %zu bytes to %zu", sizes[i], sizes[j]);
            both_numbered();
            ist_segment source = ist_segment_of(other + 1, sizes[i]), target = ist_segment_of(room + 3, sizes[j]);
            bool fits = sizes[i] <= sizes[j];
            if (fits)
                memcpy(model + 3, other + 1, sizes[i]);
            expect_status(ist_segment_copy_from(&target, &source), fits ? IST_OK : IST_E_BOUNDS);
            expect(as_modelled());
        }
    }
    ist_segment source = ist_segment_of(other, 8), frozen = ist_segment_of_const(room, 4);
    expect_status(ist_segment_copy_from(&frozen, &source), IST_E_READ_ONLY); /* Too small as well. */
    ist_segment from_frozen = ist_segment_of_const(other, 8), target = ist_segment_of(room, 8);
    expect_ok(ist_segment_copy_from(&target, &from_frozen));
}

/* The first differing byte, wherever it is. */
static void mismatch(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        size_t size = sizes[i], found = 12345;
        number_bytes(room, ROOM);
        memcpy(other, room, ROOM);
        ist_segment a = ist_segment_of(room + 5, size), b = ist_segment_of(other + 5, size);
        test_context("mismatch of equal %zu bytes", size);
        expect_ok(ist_segment_mismatch(&a, &b, &found));
        expect_size(found, IST_NO_MISMATCH);
        const size_t places[] = { 0, 1, 7, 8, 9, size / 2, size - 9, size - 8, size - 2, size - 1 };
        for (size_t j = 0; j < sizeof places / sizeof places[0]; j++) {
            if (places[j] >= size)
                continue;
            test_context("mismatch of %zu bytes at %zu", size, places[j]);
            other[5 + places[j]] ^= 0x80;
            other[5 + size - 1] ^= 0x01; /* A later difference does not count. */
            expect_ok(ist_segment_mismatch(&a, &b, &found));
            expect_size(found, places[j]);
            expect_ok(ist_segment_mismatch(&b, &a, &found));
            expect_size(found, places[j]);
            other[5 + size - 1] ^= 0x01;
            other[5 + places[j]] ^= 0x80;
        }
        other[4] ^= 1; /* Neither do bytes outside. */
        other[5 + size] ^= 1;
        expect_ok(ist_segment_mismatch(&a, &b, &found));
        expect_size(found, IST_NO_MISMATCH);
    }
}

static void mismatch_of_prefixes(void **state)
{
    (void)state;
    number_bytes(room, ROOM);
    memcpy(other, room, ROOM);
    for (size_t i = 0; i < SIZES; i++) {
        for (size_t j = 0; j < SIZES; j++) {
            test_context("mismatch of %zu and %zu bytes", sizes[i], sizes[j]);
            size_t found = 12345, smaller = sizes[i] < sizes[j] ? sizes[i] : sizes[j];
            ist_segment a = ist_segment_of(room, sizes[i]), b = ist_segment_of(other, sizes[j]);
            expect_ok(ist_segment_mismatch(&a, &b, &found));
            expect_size(found, sizes[i] == sizes[j] ? IST_NO_MISMATCH : smaller);
        }
    }
}

static void mismatch_of_itself(void **state)
{
    (void)state;
    size_t found = 12345;
    memset(room, 0, ROOM);
    ist_segment a = ist_segment_of(room, 100), shifted = ist_segment_of(room + 1, 100);
    expect_ok(ist_segment_mismatch(&a, &a, &found));
    expect_size(found, IST_NO_MISMATCH);
    expect_ok(ist_segment_mismatch(&a, &shifted, &found));
    expect_size(found, IST_NO_MISMATCH);
    room[100] = 1;
    expect_ok(ist_segment_mismatch(&a, &shifted, &found));
    expect_size(found, 99);
}

/* Bytes are compared as bytes: 0x80 differs from 0, and no sign plays a part. */
static void mismatch_of_each_bit(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 8; bit++) {
        size_t found = 12345;
        memset(room, 0, 64);
        memset(other, 0, 64);
        other[33] = (uint8_t)(1u << bit);
        ist_segment a = ist_segment_of(room, 64), b = ist_segment_of(other, 64);
        expect_ok(ist_segment_mismatch(&a, &b, &found));
        expect_size(found, 33);
    }
}

/* Every pair of small ranges of two segments against a byte loop. */
static void mismatch_of_ranges(void **state)
{
    (void)state;
    enum { LENGTH = 9 };
    static const uint8_t left[LENGTH] = { 1, 2, 1, 2, 3, 1, 2, 1, 1 }, right[LENGTH] = { 2, 1, 2, 3, 1, 1, 2, 1, 2 };
    ist_segment a = ist_segment_of_const(left, LENGTH), b = ist_segment_of_const(right, LENGTH);
    for (size_t at = 0; at <= LENGTH; at++) {
        for (size_t size = 0; size <= LENGTH - at; size++) {
            for (size_t other_at = 0; other_at <= LENGTH; other_at++) {
                for (size_t other_size = 0; other_size <= LENGTH - other_at; other_size++) {
                    size_t found = 12345, wanted = 0;
                    while (wanted < size && wanted < other_size && left[at + wanted] == right[other_at + wanted])
                        wanted++;
                    if (wanted == size && wanted == other_size)
                        wanted = IST_NO_MISMATCH;
                    test_context("%zu at %zu and %zu at %zu", size, at, other_size, other_at);
                    expect_ok(ist_segment_mismatch_range(&a, at, size, &b, other_at, other_size, &found));
                    expect_size(found, wanted);
                }
            }
        }
    }
}

static void mismatch_at_the_edges(void **state)
{
    (void)state;
    const size_t huge = SIZE_MAX;
    const struct {
        size_t a_offset, a_size, b_offset, b_size, limit;
    } cases[] = {
        { 0, 65, 0, 1, 64 },    { 64, 1, 0, 1, 64 },      { 65, 0, 0, 0, 64 },      { huge, 1, 0, 1, 64 },
        { 1, huge, 0, 1, 64 },  { 0, 1, 0, 129, 128 },    { 0, 1, 128, 1, 128 },    { 0, 0, 129, 0, 128 },
        { 0, 1, huge, 1, 128 }, { 0, 64, 1, huge, 128 },  { huge, huge, 0, 0, 64 }, { 0, 1, huge - 63, 64, 128 },
        { 0, 65, 0, 129, 64 }, /* Both: the first is looked at first. */
    };
    ist_segment a = ist_segment_of(room, 64), b = ist_segment_of(other, 128), gone;
    size_t found = 12345;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_context("case %zu", i);
        expect_status(ist_segment_mismatch_range(&a, cases[i].a_offset, cases[i].a_size, &b, cases[i].b_offset,
                                                 cases[i].b_size, &found),
                      IST_E_BOUNDS);
        expect_size(test_last_error().limit, cases[i].limit);
    }
    ist_arena closed;
    expect_ok(ist_arena_open_confined(&closed));
    expect_ok(ist_arena_allocate(closed, 64, 8, &gone));
    expect_ok(ist_arena_close(closed));
    expect_status(ist_segment_mismatch_range(&gone, 60, 5, &b, 0, 5, &found), IST_E_BOUNDS);
    expect_status(ist_segment_mismatch_range(&gone, 60, 4, &b, 0, 4, &found), IST_E_CLOSED);
    expect_status(ist_segment_mismatch_range(&b, 0, 0, &gone, 64, 0, &found), IST_E_CLOSED);
    expect_status(ist_segment_mismatch_range(NULL, 0, 0, &b, 0, 0, &found), IST_E_ARGUMENT);
    expect_status(ist_segment_mismatch_range(&a, 0, 0, NULL, 0, 0, &found), IST_E_ARGUMENT);
    expect_status(ist_segment_mismatch_range(&a, 0, 0, &b, 0, 0, NULL), IST_E_ARGUMENT);
    expect(found == 12345);
    ist_segment null = ist_segment_of(NULL, 0);
    expect_ok(ist_segment_mismatch_range(&null, 0, 0, &b, 5, 0, &found));
    expect_size(found, IST_NO_MISMATCH);
}

/* Megabytes in an arena, so that no small case hides a limit. */
static void large(void **state)
{
    (void)state;
    enum { LARGE = 5 << 20 };
    ist_arena arena;
    ist_segment a, b;
    size_t found = 1;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_allocate(arena, LARGE, 1, &a));
    expect_ok(ist_arena_allocate(arena, LARGE, 1, &b));
    expect_ok(ist_segment_fill(&a, 0x11));
    expect(test_all_bytes(a.address, LARGE, 0x11));
    expect_ok(ist_segment_mismatch(&a, &b, &found));
    expect_size(found, 0);
    expect_ok(ist_segment_copy_from(&b, &a));
    expect_ok(ist_segment_mismatch(&a, &b, &found));
    expect_size(found, IST_NO_MISMATCH);
    expect_ok(ist_set_u8(b, LARGE - 1, 0x12));
    expect_ok(ist_segment_mismatch(&a, &b, &found));
    expect_size(found, LARGE - 1);
    expect_ok(ist_segment_copy(&b, 1, &b, 0, LARGE - 1));
    expect_ok(ist_segment_mismatch(&a, &b, &found));
    expect_size(found, LARGE - 2);
    expect_ok(ist_arena_close(arena));
}

/* Sizes at which an operation may go to work in pieces, with ranges that overlap by less and by more than one. */
static void large_pieces(void **state)
{
    (void)state;
    enum { SIZE = 700000 };
    static const size_t distances[] = { 1, 64, 1000, 65536, 131071, 131072, 131073, 262144, 400000 };
    uint8_t *before = malloc(SIZE), *wanted = malloc(SIZE), *bytes = malloc(SIZE);
    expect(before != NULL && wanted != NULL && bytes != NULL);
    number_bytes(before, SIZE);
    ist_segment segment = ist_segment_of(bytes, SIZE), other_segment = ist_segment_of(before, SIZE);
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        size_t distance = distances[i], size = SIZE - distance, found = 1;
        test_context("by %zu", distance);
        memcpy(bytes, before, SIZE);
        memcpy(wanted, before, SIZE);
        memcpy(wanted + distance, before, size);
        expect_ok(ist_segment_copy(&segment, 0, &segment, distance, size));
        expect(memcmp(bytes, wanted, SIZE) == 0);
        memcpy(bytes, before, SIZE);
        memcpy(wanted, before, SIZE);
        memcpy(wanted, before + distance, size);
        expect_ok(ist_segment_copy(&segment, distance, &segment, 0, size));
        expect(memcmp(bytes, wanted, SIZE) == 0);
        memcpy(bytes, before, SIZE);
        expect_ok(ist_segment_mismatch(&segment, &other_segment, &found));
        expect_size(found, IST_NO_MISMATCH);
        bytes[distance] ^= 1;
        bytes[SIZE - 1] ^= 1;
        expect_ok(ist_segment_mismatch(&segment, &other_segment, &found));
        expect_size(found, distance);
        bytes[distance] ^= 1;
        expect_ok(ist_segment_mismatch(&segment, &other_segment, &found));
        expect_size(found, SIZE - 1);
    }
    expect_ok(ist_segment_fill(&segment, 0x33));
    expect(test_all_bytes(bytes, SIZE, 0x33));
    free(before);
    free(wanted);
    free(bytes);
}

/* Two faults at once, over two segments. */
static void order_of_checks(void **state)
{
    (void)state;
    ist_arena closed;
    ist_segment gone, here = ist_segment_of(room, 64), frozen = ist_segment_of_const(room, 64);
    size_t found = 1;
    expect_ok(ist_arena_open_confined(&closed));
    expect_ok(ist_arena_allocate(closed, 64, 8, &gone));
    expect_ok(ist_arena_close(closed));
    expect_status(ist_segment_copy(&gone, 0, &frozen, 0, 8), IST_E_READ_ONLY);
    expect_status(ist_segment_copy(&here, 99, &frozen, 0, 8), IST_E_READ_ONLY);
    expect_status(ist_segment_copy(&gone, 0, &here, 60, 8), IST_E_BOUNDS);
    expect_status(ist_segment_copy(&here, 60, &gone, 0, 8), IST_E_BOUNDS);
    expect_status(ist_segment_copy(&gone, 0, &here, 0, 8), IST_E_CLOSED);
    expect_status(ist_segment_copy(&here, 0, &gone, 0, 8), IST_E_CLOSED);
    expect_status(ist_segment_mismatch(&gone, &here, &found), IST_E_CLOSED);
    expect(found == 1);
    ist_segment frozen_gone = ist_segment_as_read_only(gone);
    expect_status(ist_segment_fill(&frozen_gone, 1), IST_E_READ_ONLY);
    expect_status(ist_segment_copy_from(&frozen_gone, &here), IST_E_READ_ONLY);
}

static void segments_that_are_null(void **state)
{
    (void)state;
    size_t found = 5;
    ist_segment here = ist_segment_of(room, 64);
    memset(room, 0xC3, ROOM);
    expect_status(ist_segment_fill(NULL, 1), IST_E_ARGUMENT);
    expect_status(ist_segment_copy(NULL, 0, &here, 0, 8), IST_E_ARGUMENT);
    expect_status(ist_segment_copy(&here, 0, NULL, 0, 8), IST_E_ARGUMENT);
    expect_status(ist_segment_copy_from(NULL, &here), IST_E_ARGUMENT);
    expect_status(ist_segment_copy_from(&here, NULL), IST_E_ARGUMENT);
    expect_status(ist_segment_mismatch(NULL, &here, &found), IST_E_ARGUMENT);
    expect_status(ist_segment_mismatch(&here, NULL, &found), IST_E_ARGUMENT);
    expect(found == 5 && test_all_bytes(room, ROOM, 0xC3));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(fill),
        test_case(copy_apart),
        test_case(copy_overlapping),
        test_case(copy_at_the_edges),
        test_case(copy_from),
        test_case(mismatch),
        test_case(mismatch_of_prefixes),
        test_case(mismatch_of_itself),
        test_case(mismatch_of_each_bit),
        test_case(mismatch_of_ranges),
        test_case(mismatch_at_the_edges),
        test_case(large),
        test_case(large_pieces),
        test_case(order_of_checks),
        test_case(segments_that_are_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
