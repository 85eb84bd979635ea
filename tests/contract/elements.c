/* SPDX-License-Identifier: MIT */
/*
 * Elements: going through them and splitting the way, copies with swapped bytes against a naive model, into and out of
 * arrays, and allocated copies of values, arrays and ranges.
 */
#include "contract/accessors.h"
#include "support/expect.h"

enum { ROOM = 4096 };
static _Alignas(64) uint8_t room[ROOM], model[ROOM], other[ROOM];

static void number_bytes(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251);
}

static bool as_modelled(void)
{
    return memcmp(room, model, ROOM) == 0;
}

/* ---- Going through ---- */

static void over(void **state)
{
    (void)state;
    const struct {
        size_t start, size, element_size, alignment;
        ist_status wanted;
    } cases[] = {
        { 0, 64, 8, 8, IST_OK },
        { 0, 0, 8, 8, IST_OK },
        { 4, 12, 12, 4, IST_OK },
        { 1, 9, 3, 1, IST_OK },
        { 8, 64, 16, 8, IST_OK },
        { 0, 64, 64, 64, IST_OK },
        { 0, 64, 8, 0, IST_E_ARGUMENT },
        { 0, 64, 12, 3, IST_E_ARGUMENT },
        { 0, 64, 0, SIZE_MAX, IST_E_ARGUMENT },
        { 0, 64, 0, 1, IST_E_LAYOUT },
        { 0, 0, 0, 8, IST_E_LAYOUT },
        { 0, 64, 4, 8, IST_E_LAYOUT },
        { 0, 60, 12, 8, IST_E_LAYOUT },
        { 1, 60, 12, 8, IST_E_LAYOUT }, /* Misaligned as well. */
        { 0, 63, 8, 8, IST_E_LAYOUT },
        { 0, 4, 8, 8, IST_E_LAYOUT },
        { 4, 4, 8, 8, IST_E_LAYOUT },
        { 0, 64, SIZE_MAX, 1, IST_E_LAYOUT },
        { 4, 64, 8, 8, IST_E_ALIGNMENT },
        { 1, 64, 2, 2, IST_E_ALIGNMENT },
        { 32, 64, 64, 64, IST_E_ALIGNMENT },
        { 4, 0, 8, 8, IST_E_ALIGNMENT },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ist_segment segment = ist_segment_of(room + cases[i].start, cases[i].size);
        ist_elements elements;
        memset(&elements, 0xEE, sizeof elements);
        test_context("case %zu", i);
        expect_status(ist_elements_over(&segment, cases[i].element_size, cases[i].alignment, &elements),
                      cases[i].wanted);
        if (cases[i].wanted == IST_OK) {
            expect_size(ist_elements_count(&elements), cases[i].size / cases[i].element_size);
        } else {
            expect(test_all_bytes(&elements, sizeof elements, 0xEE));
            expect_size(test_last_error().limit, cases[i].size);
        }
    }
    ist_segment segment = ist_segment_of(room + 4, 64);
    ist_elements elements;
    expect_status(ist_elements_over(NULL, 8, 8, &elements), IST_E_ARGUMENT);
    expect_status(ist_elements_over(&segment, 8, 8, NULL), IST_E_ARGUMENT);
    expect_status(ist_elements_over(&segment, 8, 8, &elements), IST_E_ALIGNMENT);
    expect_sentence("not a multiple of 8");
    expect_size(test_last_error().address, (uintptr_t)(room + 4));
}

static void each_element(void **state)
{
    (void)state;
    for (size_t count = 0; count < 20; count++) {
        for (size_t size = 1; size <= 16; size++) {
            test_context("%zu elements of %zu bytes", count, size);
            ist_segment segment = ist_segment_of(room, count * size), element;
            ist_elements elements;
            memset(room, 0, ROOM);
            expect_ok(ist_elements_over(&segment, size, 1, &elements));
            for (size_t i = 0; i < count; i++) {
                expect_size(ist_elements_count(&elements), count - i);
                expect(ist_elements_next(&elements, &element));
                expect(element.address == room + i * size && element.size == size);
                expect_ok(ist_segment_fill(&element, (uint8_t)(i + 1)));
                expect_status(ist_set_u8(element, size, 0), IST_E_BOUNDS);
            }
            memset(&element, 0xEE, sizeof element);
            expect_size(ist_elements_count(&elements), 0);
            for (int i = 0; i < 3; i++)
                expect(!ist_elements_next(&elements, &element));
            expect(test_all_bytes(&element, sizeof element, 0xEE));
            for (size_t i = 0; i < ROOM; i++)
                expect(room[i] == (i < count * size ? i / size + 1 : 0));
        }
    }
    ist_elements none = { 0 };
    ist_segment element;
    expect(!ist_elements_next(&none, &element) && ist_elements_count(&none) == 0);
}

/* Splits down to single elements and gives each its number; returns how many there were. */
static size_t number_in_halves(ist_elements elements, size_t first, size_t depth)
{
    ist_elements half, kept = elements;
    size_t count = ist_elements_count(&elements);
    memset(&half, 0xEE, sizeof half);
    expect(depth < 12); /* Each time about half of it. */
    if (!ist_elements_split(&elements, &half)) {
        ist_segment element;
        expect(count < 2 && test_all_bytes(&half, sizeof half, 0xEE));
        expect(memcmp(&elements, &kept, sizeof kept) == 0);
        if (ist_elements_next(&elements, &element))
            expect_ok(ist_set_u16(element, 0, (uint16_t)(ist_read_u16(element, 0) + first)));
        return count;
    }
    expect_size(ist_elements_count(&half), count / 2);
    expect_size(ist_elements_count(&elements), count - count / 2);
    size_t done = number_in_halves(half, first, depth + 1);
    return done + number_in_halves(elements, first + done, depth + 1);
}

static void halves(void **state)
{
    (void)state;
    for (size_t count = 0; count <= ROOM / 6; count += count < 40 ? 1 : 37) {
        test_context("%zu elements", count);
        ist_segment segment = ist_segment_of(room, count * 6);
        ist_elements elements;
        memset(room, 0, ROOM);
        memset(model, 0, ROOM);
        for (size_t i = 0; i < count; i++) {
            uint16_t number = (uint16_t)(100 + i);
            memcpy(model + i * 6, &number, 2);
        }
        expect_ok(ist_elements_over(&segment, 6, 2, &elements));
        expect_size(number_in_halves(elements, 100, 0), count);
        expect(as_modelled());
    }
    ist_elements none = { 0 }, half;
    expect(!ist_elements_split(&none, &half));
}

/* A half is gone through where another stops, and what was taken before the split is not split. */
static void halves_of_the_rest(void **state)
{
    (void)state;
    ist_segment segment = ist_segment_of(room, 80), element;
    ist_elements elements, half;
    expect_ok(ist_elements_over(&segment, 8, 8, &elements));
    for (int i = 0; i < 3; i++)
        expect(ist_elements_next(&elements, &element));
    expect(ist_elements_split(&elements, &half));
    for (size_t i = 3; i < 6; i++)
        expect(ist_elements_next(&half, &element) && element.address == room + 8 * i);
    expect(!ist_elements_next(&half, &element));
    for (size_t i = 6; i < 10; i++)
        expect(ist_elements_next(&elements, &element) && element.address == room + 8 * i);
    expect(!ist_elements_next(&elements, &element));
}

/* Elements are slices: their arena, and read-only, are the segment's. */
static void elements_are_slices(void **state)
{
    (void)state;
    ist_arena arena;
    ist_segment segment, element;
    ist_elements elements, frozen;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_allocate(arena, 64, 8, &segment));
    expect_ok(ist_elements_over(&segment, 8, 8, &elements));
    ist_segment read_only = ist_segment_as_read_only(segment);
    expect_ok(ist_elements_over(&read_only, 8, 8, &frozen));
    expect(ist_elements_next(&frozen, &element));
    expect_status(ist_set_u64(element, 0, 1), IST_E_READ_ONLY);
    expect(ist_elements_next(&elements, &element));
    expect_ok(ist_set_u64(element, 0, 1));
    expect(ist_segment_arena(element).session == arena.session);
    expect_ok(ist_arena_close(arena));
    expect_status(ist_set_u64(element, 0, 1), IST_E_CLOSED);
    expect(ist_elements_next(&elements, &element)); /* Shaping asks for nothing. */
    expect_status(ist_set_u64(element, 0, 1), IST_E_CLOSED);
}

/* ---- Copies ---- */

/* The model: all elements are read, then written, each with its bytes in the other order or not. */
static void copy_naively(uint8_t *to, const uint8_t *from, size_t count, size_t size, bool swapped)
{
    uint8_t *read = malloc(count * size + 1);
    expect(read != NULL);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < size; j++)
            read[i * size + j] = from[i * size + (swapped ? size - 1 - j : j)];
    for (size_t i = 0; i < count * size; i++)
        to[i] = read[i];
    free(read);
}

static const size_t element_sizes[] = { 1, 2, 4, 8, 16 };
enum { ELEMENT_SIZES = sizeof element_sizes / sizeof element_sizes[0] };

static void copies_apart(void **state)
{
    (void)state;
    number_bytes(other, ROOM);
    for (size_t i = 0; i < ELEMENT_SIZES; i++) {
        size_t size = element_sizes[i];
        for (size_t count = 0; count <= 140; count++) {
            for (size_t skew = 0; skew < 3; skew++) {
                for (int swapped = 0; swapped < 2; swapped++) {
                    test_context("%zu elements of %zu bytes, skew %zu, %d", count, size, skew, swapped);
                    memset(room, 0xC3, ROOM);
                    memset(model, 0xC3, ROOM);
                    copy_naively(model + 8 + skew, other + 5 + 2 * skew, count, size, swapped);
                    ist_segment source = ist_segment_of_const(other + 4, ROOM - 4), target = ist_segment_of(room, ROOM);
                    expect_ok(ist_segment_copy_elements(&source, 1 + 2 * skew, &target, 8 + skew, count, size,
                                                        swapped ? -5 : 0));
                    expect(as_modelled());
                }
            }
        }
    }
}

/* Both directions, by less than an element, by elements, by parts of blocks, and in place. */
static void copies_that_overlap(void **state)
{
    (void)state;
    for (size_t i = 0; i < ELEMENT_SIZES; i++) {
        size_t size = element_sizes[i];
        for (size_t count = 0; count * size <= 400; count += count < 20 ? 1 : 7) {
            for (size_t distance = 0; distance <= 140; distance++) {
                for (int forwards = 0; forwards < 2; forwards++) {
                    test_context("%zu elements of %zu bytes by %zu, %d", count, size, distance, forwards);
                    size_t from = 3 + (forwards ? 0 : distance), to = 3 + (forwards ? distance : 0);
                    number_bytes(room, ROOM);
                    number_bytes(model, ROOM);
                    copy_naively(model + to, model + from, count, size, true);
                    ist_segment segment = ist_segment_of(room, ROOM);
                    expect_ok(ist_segment_copy_elements(&segment, from, &segment, to, count, size, 1));
                    expect(as_modelled());
                }
            }
        }
    }
}

/* Megabytes, which go in pieces, apart and overlapping. */
static void large_copies(void **state)
{
    (void)state;
    enum { SIZE = 700000 };
    static const size_t distances[] = { 0, 1, 3, 64, 1000, 131071, 131072, 131073, 400000 };
    uint8_t *before = malloc(SIZE), *wanted = malloc(SIZE), *bytes = malloc(SIZE);
    expect(before != NULL && wanted != NULL && bytes != NULL);
    number_bytes(before, SIZE);
    ist_segment segment = ist_segment_of(bytes, SIZE), source = ist_segment_of_const(before, SIZE);
    for (size_t i = 0; i < ELEMENT_SIZES; i++) {
        size_t size = element_sizes[i];
        for (size_t j = 0; j < sizeof distances / sizeof distances[0]; j++) {
            size_t distance = distances[j], count = (SIZE - distance) / size;
            for (int forwards = 0; forwards < 2; forwards++) {
                test_context("elements of %zu bytes by %zu, %d", size, distance, forwards);
                size_t from = forwards ? 0 : distance, to = forwards ? distance : 0;
                memcpy(bytes, before, SIZE);
                memcpy(wanted, before, SIZE);
                copy_naively(wanted + to, before + from, count, size, true);
                expect_ok(ist_segment_copy_elements(&segment, from, &segment, to, count, size, 1));
                expect(memcmp(bytes, wanted, SIZE) == 0);
                memcpy(bytes, before, SIZE);
                expect_ok(ist_segment_copy_elements(&source, from, &segment, to, count, size, 1));
                expect(memcmp(bytes, wanted, SIZE) == 0);
            }
        }
    }
    free(before);
    free(wanted);
    free(bytes);
}

/* Structures of any size, as long as nothing is swapped. */
static void copies_of_structures(void **state)
{
    (void)state;
    number_bytes(other, ROOM);
    ist_segment source = ist_segment_of_const(other, ROOM), target = ist_segment_of(room, ROOM);
    for (size_t size = 1; size < 50; size++) {
        bool swaps = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
        test_context("elements of %zu bytes", size);
        memset(room, 0xC3, ROOM);
        memset(model, 0xC3, ROOM);
        copy_naively(model + 5, other + 3, 20, size, false);
        expect_ok(ist_segment_copy_elements(&source, 3, &target, 5, 20, size, 0));
        expect(as_modelled());
        if (!swaps)
            expect_status(ist_segment_copy_elements(&source, 3, &target, 5, 20, size, 1), IST_E_LAYOUT);
        expect(as_modelled());
    }
    expect_status(ist_segment_copy_elements(&source, 0, &target, 0, 1, 0, 0), IST_E_LAYOUT);
    expect_status(ist_segment_copy_elements(&source, 0, &target, 0, 0, 0, 1), IST_E_LAYOUT);
    expect_status(ist_segment_copy_elements(&source, 0, &target, 0, 0, 32, 1), IST_E_LAYOUT);
}

static void copies_at_the_edges(void **state)
{
    (void)state;
    const size_t huge = SIZE_MAX;
    const struct {
        size_t source_offset, target_offset, count, size;
        int swapped;
        ist_status wanted;
    } cases[] = {
        { 0, 0, 16, 4, 1, IST_OK },
        { 64, 128, 0, 8, 1, IST_OK },
        { 0, 0, 17, 4, 0, IST_E_BOUNDS },
        { 1, 0, 16, 4, 1, IST_E_BOUNDS },
        { 0, 65, 16, 4, 1, IST_E_BOUNDS },
        { 65, 0, 0, 4, 1, IST_E_BOUNDS },
        { 0, 129, 0, 4, 1, IST_E_BOUNDS },
        { huge, 0, 1, 1, 1, IST_E_BOUNDS },
        { 0, huge, 1, 1, 1, IST_E_BOUNDS },
        { 0, 0, huge, 1, 1, IST_E_BOUNDS },
        { 0, 0, huge, 4, 1, IST_E_BOUNDS },
        { 0, 0, huge / 4 + 1, 4, 1, IST_E_BOUNDS }, /* The product is 0 in 64 bits. */
        { 0, 0, huge / 4 + 2, 4, 0, IST_E_BOUNDS }, /* And 4. */
        { 0, 0, huge, huge, 0, IST_E_BOUNDS },
        { huge, huge, huge, 3, 1, IST_E_LAYOUT }, /* The layout is looked at first. */
    };
    number_bytes(other, ROOM);
    ist_segment source = ist_segment_of_const(other, 64), target = ist_segment_of(room, 128);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_context("case %zu", i);
        memset(room, 0xC3, ROOM);
        memset(model, 0xC3, ROOM);
        if (cases[i].wanted == IST_OK)
            copy_naively(model + cases[i].target_offset, other + cases[i].source_offset, cases[i].count, cases[i].size,
                         cases[i].swapped);
        expect_status(ist_segment_copy_elements(&source, cases[i].source_offset, &target, cases[i].target_offset,
                                                cases[i].count, cases[i].size, cases[i].swapped),
                      cases[i].wanted);
        expect(as_modelled());
    }
    ist_segment frozen = ist_segment_as_read_only(target);
    ist_segment without_end = ist_segment_reinterpret_unchecked(target, SIZE_MAX);
    ist_segment source_without_end = ist_segment_reinterpret_unchecked(source, SIZE_MAX);
    expect_status(ist_segment_copy_elements(&source, 99, &frozen, 0, 1, 1, 1), IST_E_READ_ONLY);
    expect_status(ist_segment_copy_elements(&source, 0, &frozen, 0, huge, 2, 1), IST_E_READ_ONLY);
    expect_status(ist_segment_copy_elements(&source, 0, &frozen, 0, 1, 3, 1), IST_E_LAYOUT);
    expect_status(ist_segment_copy_elements(&source_without_end, 0, &without_end, 0, huge / 2 + 1, 2, 1), IST_E_BOUNDS);
    expect_status(ist_segment_copy_elements(NULL, 0, &target, 0, 1, 1, 1), IST_E_ARGUMENT);
    expect_status(ist_segment_copy_elements(&source, 0, NULL, 0, 1, 1, 1), IST_E_ARGUMENT);
    expect(test_all_bytes(room, ROOM, 0xC3));
}

/* ---- Arrays ---- */

static void arrays(void **state)
{
    (void)state;
    uint32_t values[9], wanted[8] = { 0 };
    number_bytes(room, ROOM);
    memset(values, 0xC3, sizeof values);
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < 4; j++) /* Whatever the machine's order is, these bytes are little-endian. */
            wanted[i] |= (uint32_t)room[5 + i * 4 + j] << 8 * j;
    int swapped = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    ist_segment segment = ist_segment_of(room + 2, 35);
    expect_ok(ist_segment_get_array(&segment, 3, values, 8, 4, swapped));
    expect(memcmp(values, wanted, sizeof wanted) == 0 && test_all_bytes(&values[8], 4, 0xC3));
    memset(room, 0xC3, ROOM);
    expect_ok(ist_segment_set_array(&segment, 3, wanted, 8, 4, !swapped));
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < 4; j++)
            expect(room[5 + i * 4 + j] == (uint8_t)(wanted[i] >> 8 * (3 - j)));
    expect(test_all_bytes(room, 5, 0xC3) && test_all_bytes(room + 37, ROOM - 37, 0xC3));
}

static void arrays_refused(void **state)
{
    (void)state;
    uint32_t values[8];
    memset(values, 0xEE, sizeof values);
    memset(room, 0xC3, ROOM);
    ist_segment segment = ist_segment_of(room, 31), frozen = ist_segment_as_read_only(segment);
    expect_status(ist_segment_get_array(&segment, 0, values, 8, 4, 1), IST_E_BOUNDS);
    expect_status(ist_segment_set_array(&segment, 0, values, 8, 4, 1), IST_E_BOUNDS);
    expect_size(test_last_error().limit, 31);
    expect_status(ist_segment_get_array(&segment, 0, values, SIZE_MAX / 4 + 2, 4, 1), IST_E_BOUNDS);
    expect_status(ist_segment_set_array(&segment, 0, values, SIZE_MAX / 4 + 2, 4, 1), IST_E_BOUNDS);
    expect_status(ist_segment_get_array(&segment, 0, values, 2, 3, 1), IST_E_LAYOUT);
    expect_status(ist_segment_set_array(&segment, 0, values, 2, 0, 0), IST_E_LAYOUT);
    expect_status(ist_segment_set_array(&frozen, 32, values, 2, 4, 0), IST_E_READ_ONLY);
    expect_ok(ist_segment_get_array(&frozen, 31, values, 0, 4, 0));
    expect_status(ist_segment_get_array(NULL, 0, values, 1, 4, 0), IST_E_ARGUMENT);
    expect_status(ist_segment_set_array(NULL, 0, values, 1, 4, 0), IST_E_ARGUMENT);
    expect_status(ist_segment_get_array(&segment, 0, NULL, 1, 4, 0), IST_E_ARGUMENT);
    expect_status(ist_segment_set_array(&segment, 0, NULL, 1, 4, 0), IST_E_ARGUMENT);
    expect_ok(ist_segment_get_array(&segment, 0, NULL, 0, 4, 1));
    expect_ok(ist_segment_set_array(&segment, 31, NULL, 0, 4, 1));
    expect(test_all_bytes(room, ROOM, 0xC3) && test_all_bytes(values, sizeof values, 0xEE));
}

/* ---- Allocating ---- */

/* Cuts from room + 1, dirty, and says what was asked for. */
typedef struct own {
    size_t zeroed, uninitialized, size, alignment;
    ist_status answer;
} own;

static ist_status give(void *context, size_t size, size_t alignment, ist_segment *ret_segment)
{
    own *o = context;
    o->uninitialized++;
    o->size = size;
    o->alignment = alignment;
    if (o->answer == IST_OK)
        *ret_segment = ist_segment_of(room + 1, size);
    return o->answer;
}

static ist_status give_zeroed(void *context, size_t size, size_t alignment, ist_segment *ret_segment)
{
    own *o = context;
    o->zeroed++;
    (void)size;
    (void)alignment;
    (void)ret_segment;
    return IST_E_UNSUPPORTED;
}

static ist_allocator allocator_of(own *o)
{
    memset(room, 0xA5, ROOM);
    return (ist_allocator){ .allocate = give_zeroed, .allocate_uninitialized = give, .context = o };
}

static void from_arrays(void **state)
{
    (void)state;
    ist_segment segment;
    number_bytes(other, ROOM);
    for (size_t i = 0; i < ELEMENT_SIZES; i++) {
        size_t size = element_sizes[i];
        for (int swapped = 0; swapped < 2; swapped++) {
            for (size_t count = 0; count < 40; count++) {
                own o = { 0 };
                test_context("%zu elements of %zu bytes", count, size);
                memset(model, 0xA5, ROOM);
                copy_naively(model + 1, other + 3, count, size, swapped);
                expect_ok(ist_allocate_from_array(allocator_of(&o), other + 3, count, size, 32, swapped, &segment));
                expect(as_modelled() && segment.address == room + 1 && segment.size == count * size);
                expect(o.zeroed == 0 && o.uninitialized == 1 && o.size == count * size && o.alignment == 32);
            }
        }
    }
    own o = { 0 };
    ist_allocator allocator = allocator_of(&o);
    expect_ok(ist_allocate_from_array(allocator, NULL, 0, 8, 8, 1, &segment));
    expect(o.uninitialized == 1 && segment.size == 0);
    memset(&segment, 0xEE, sizeof segment);
    expect_status(ist_allocate_from_array(allocator, NULL, 1, 8, 8, 1, &segment), IST_E_ARGUMENT);
    expect_status(ist_allocate_from_array(allocator, other, 1, 8, 8, 1, NULL), IST_E_ARGUMENT);
    expect_status(ist_allocate_from_array(allocator, other, 1, 8, 7, 1, &segment), IST_E_ARGUMENT);
    expect_status(ist_allocate_from_array(allocator, other, 1, 3, 1, 1, &segment), IST_E_LAYOUT);
    expect_status(ist_allocate_from_array(allocator, other, 1, 0, 1, 0, &segment), IST_E_LAYOUT);
    expect_status(ist_allocate_from_array(allocator, other, SIZE_MAX / 8 + 2, 8, 8, 1, &segment), IST_E_OVERFLOW);
    expect_size(o.uninitialized, 1); /* None of these has asked. */
    o.answer = IST_E_UNSUPPORTED;
    expect_answer(ist_allocate_from_array(allocator, other, 1, 8, 8, 1, &segment), IST_E_UNSUPPORTED);
    expect(test_all_bytes(&segment, sizeof segment, 0xEE) && test_all_bytes(room, ROOM, 0xA5));
}

static void from_segments(void **state)
{
    (void)state;
    ist_segment segment;
    number_bytes(other, ROOM);
    ist_segment source = ist_segment_of_const(other, 100);
    for (size_t offset = 0; offset <= 100; offset += 9) {
        for (size_t size = 0; size <= 110; size += 5) {
            own o = { 0 };
            test_context("%zu bytes at %zu", size, offset);
            ist_status wanted = offset + size <= 100 ? IST_OK : IST_E_BOUNDS;
            memset(model, 0xA5, ROOM);
            memset(&segment, 0xEE, sizeof segment);
            if (wanted == IST_OK)
                memcpy(model + 1, other + offset, size);
            expect_status(ist_allocate_from_segment(allocator_of(&o), &source, offset, size, 16, &segment), wanted);
            expect(as_modelled() && o.zeroed == 0 && o.uninitialized == (wanted == IST_OK));
            if (wanted == IST_OK)
                expect(segment.size == size && o.size == size && o.alignment == 16);
            else
                expect(test_all_bytes(&segment, sizeof segment, 0xEE));
        }
    }
    own o = { .answer = IST_E_NO_MEMORY };
    ist_allocator allocator = allocator_of(&o);
    memset(&segment, 0xEE, sizeof segment);
    expect_answer(ist_allocate_from_segment(allocator, &source, 0, 8, 8, &segment), IST_E_NO_MEMORY);
    expect_status(ist_allocate_from_segment(allocator, NULL, 0, 8, 8, &segment), IST_E_ARGUMENT);
    expect_status(ist_allocate_from_segment(allocator, &source, 0, 8, 8, NULL), IST_E_ARGUMENT);
    expect_status(ist_allocate_from_segment(allocator, &source, 0, 8, 3, &segment), IST_E_ARGUMENT);
    expect_status(ist_allocate_from_segment(allocator, &source, SIZE_MAX, 8, 8, &segment), IST_E_BOUNDS);
    expect(test_all_bytes(&segment, sizeof segment, 0xEE));
    /* A block that lies over its source. */
    ist_segment whole = ist_segment_of(other, 100);
    memcpy(model, other + 10, 50);
    expect_ok(ist_allocate_from_segment(ist_prefix_allocator(&whole), &whole, 10, 50, 1, &segment));
    expect(segment.address == other && memcmp(other, model, 50) == 0);
}

/* Each type, against the bytes written by hand. */
#define TRY(name, type, align, constant, ...)                                                      \
    static void try_##name(void)                                                                   \
    {                                                                                              \
        static const uint8_t bytes[] = { __VA_ARGS__ };                                            \
        own o = { 0 };                                                                             \
        ist_segment segment;                                                                       \
        test_context("%s", #name);                                                                 \
        expect_ok(ist_allocate_##name(allocator_of(&o), (type)(constant), &segment));              \
        expect(segment.address == room + 1 && segment.size == sizeof bytes);                       \
        expect(memcmp(room + 1, bytes, sizeof bytes) == 0);                                        \
        expect(room[0] == 0xA5 && test_all_bytes(room + 1 + sizeof bytes, 64, 0xA5));              \
        expect(o.zeroed == 0 && o.uninitialized == 1);                                             \
        expect(o.size == sizeof bytes && o.alignment == (align));                                  \
        expect_status(ist_allocate_##name(allocator_of(&o), (type)(constant), NULL), IST_E_ARGUMENT); \
        o.answer = IST_E_BOUNDS;                                                                   \
        expect_answer(ist_allocate_##name(allocator_of(&o), (type)(constant), &segment), IST_E_BOUNDS); \
    }
ACCESSORS(TRY)

static void from_values(void **state)
{
    (void)state;
#define CALL(name, ...) try_##name();
    ACCESSORS(CALL)
    ist_arena arena;
    ist_segment block;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_allocate_i32(ist_arena_allocator(&arena), -5, &block));
    expect(ist_read_i32(block, 0) == -5 && ist_segment_size(block) == 4);
    expect_ok(ist_allocate_f64(ist_arena_allocator(&arena), 0.5, &block));
    expect(ist_read_f64(block, 0) == 0.5);
    expect_ok(ist_arena_close(arena));
    expect_status(ist_allocate_u8(ist_arena_allocator(&arena), 1, &block), IST_E_CLOSED);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(over),
        test_case(each_element),
        test_case(halves),
        test_case(halves_of_the_rest),
        test_case(elements_are_slices),
        test_case(copies_apart),
        test_case(copies_that_overlap),
        test_case(large_copies),
        test_case(copies_of_structures),
        test_case(copies_at_the_edges),
        test_case(arrays),
        test_case(arrays_refused),
        test_case(from_arrays),
        test_case(from_segments),
        test_case(from_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
