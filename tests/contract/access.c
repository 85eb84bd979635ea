/* SPDX-License-Identifier: MIT */
/*
 * Checked access to single values: each accessor of accessors.h at each offset that matters, in each condition.
 * What is in memory is compared with bytes written by hand, and what lies around it is watched.
 */
#include "contract/accessors.h"
#include "support/expect.h"

/* One accessor, without its type: values pass as bytes. */
typedef struct accessor {
    const char *name;
    size_t size, alignment;
    ist_status (*get)(ist_segment segment, size_t offset, void *value);
    ist_status (*set)(ist_segment segment, size_t offset);
    void (*read)(ist_segment segment, size_t offset, void *value);
    void (*write)(ist_segment segment, size_t offset);
    void (*value)(void *value); /* What set() and write() store. */
    uint8_t bytes[8];           /* How it lies in memory. */
} accessor;

#define DEFINE(name, type, alignment, constant, ...)                                               \
    static ist_status get_##name(ist_segment segment, size_t offset, void *value)                  \
    {                                                                                              \
        type typed;                                                                                \
        memcpy(&typed, value, sizeof typed);                                                       \
        ist_status status = ist_get_##name(segment, offset, &typed);                               \
        memcpy(value, &typed, sizeof typed);                                                       \
        return status;                                                                             \
    }                                                                                              \
    static ist_status set_##name(ist_segment segment, size_t offset)                               \
    {                                                                                              \
        return ist_set_##name(segment, offset, constant);                                          \
    }                                                                                              \
    static void read_##name(ist_segment segment, size_t offset, void *value)                       \
    {                                                                                              \
        type typed = ist_read_##name(segment, offset);                                             \
        memcpy(value, &typed, sizeof typed);                                                       \
    }                                                                                              \
    static void write_##name(ist_segment segment, size_t offset)                                   \
    {                                                                                              \
        ist_write_##name(segment, offset, constant);                                               \
    }                                                                                              \
    static void value_##name(void *value)                                                          \
    {                                                                                              \
        type typed = constant;                                                                     \
        memcpy(value, &typed, sizeof typed);                                                       \
    }
ACCESSORS(DEFINE)

#define ROW(name, type, alignment, constant, ...)                                                  \
    { #name, sizeof(type), alignment, get_##name, set_##name, read_##name, write_##name, value_##name, { __VA_ARGS__ } },
static const accessor accessors[] = { ACCESSORS(ROW) };
enum { COUNT = sizeof accessors / sizeof accessors[0], GUARD = 16, ROOM = 64 };

/* Bytes that nothing may touch on both sides of `size` bytes at an address that is 0 modulo 16. */
static _Alignas(16) uint8_t room[GUARD + ROOM + GUARD];

static ist_segment clean_segment(size_t size)
{
    memset(room, 0xC3, sizeof room);
    return ist_segment_of(room + GUARD, size);
}

static bool untouched(void)
{
    return test_all_bytes(room, sizeof room, 0xC3);
}

/* The bytes lie at `place` of the room and nowhere else. */
static bool only_at(const accessor *a, size_t place)
{
    return test_all_bytes(room, place, 0xC3) && memcmp(room + place, a->bytes, a->size) == 0 &&
           test_all_bytes(room + place + a->size, sizeof room - place - a->size, 0xC3);
}

static ist_status wanted_at(const accessor *a, uintptr_t address, size_t size, size_t offset)
{
    if (offset > size || size - offset < a->size)
        return IST_E_BOUNDS;
    return (address + offset) % a->alignment != 0 ? IST_E_ALIGNMENT : IST_OK;
}

static void set_at(const accessor *a, ist_segment segment, size_t offset, size_t place, ist_status wanted)
{
    memset(room, 0xC3, sizeof room);
    expect_status(a->set(segment, offset), wanted);
    expect(wanted == IST_OK ? only_at(a, place) : untouched());

    memset(room, 0xC3, sizeof room);
    test_reported.count = 0;
    a->write(segment, offset);
    expect(wanted == IST_OK ? only_at(a, place) : untouched());
    expect(test_reported.count == (wanted != IST_OK) && (wanted == IST_OK || test_reported.status == wanted));
}

static void get_at(const accessor *a, ist_segment segment, size_t offset, size_t place, ist_status wanted)
{
    uint8_t value[8], got[8];
    memset(room, 0xC3, sizeof room);
    if (wanted == IST_OK)
        memcpy(room + place, a->bytes, a->size);
    a->value(value);
    memset(got, 0x5A, sizeof got);
    expect_status(a->get(segment, offset, got), wanted);
    expect(wanted == IST_OK ? memcmp(got, value, a->size) == 0 : test_all_bytes(got, sizeof got, 0x5A));

    test_reported.count = 0;
    memset(got, 0x5A, sizeof got);
    a->read(segment, offset, got);
    expect(wanted == IST_OK ? memcmp(got, value, a->size) == 0 : test_all_bytes(got, a->size, 0));
    expect(test_reported.count == (wanted != IST_OK) && (wanted == IST_OK || test_reported.status == wanted));
    char function[64];
    snprintf(function, sizeof function, "ist_read_%s", a->name);
    expect(wanted == IST_OK || strstr(test_reported.where, function) != NULL);
}

/* Each size of segment up to 20 bytes, at each start modulo 16, at each offset up to and beyond its end. */
static void every_offset(void **state)
{
    (void)state;
    ist_failure_fn *previous = test_count_failures();
    for (const accessor *a = accessors; a < accessors + COUNT; a++) {
        for (size_t start = 0; start < 16; start++) {
            for (size_t size = 0; size <= 20; size++) {
                ist_segment segment = ist_segment_of(room + GUARD + start, size);
                for (size_t offset = 0; offset <= size + 2; offset++) {
                    test_context("%s at %zu of %zu bytes from %zu on", a->name, offset, size, start);
                    ist_status wanted = wanted_at(a, start, size, offset);
                    set_at(a, segment, offset, GUARD + start + offset, wanted);
                    get_at(a, segment, offset, GUARD + start + offset, wanted);
                }
            }
        }
    }
    ist_failure_handler_set(previous);
}

/* Offsets whose sum with a size or an address wraps around. */
static void offsets_that_wrap(void **state)
{
    (void)state;
    ist_failure_fn *previous = test_count_failures();
    for (const accessor *a = accessors; a < accessors + COUNT; a++) {
        ist_segment segment = clean_segment(ROOM);
        const size_t offsets[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 7, SIZE_MAX - 8, SIZE_MAX - a->size + 1,
                                   SIZE_MAX / 2, SIZE_MAX / 2 + 1, (size_t)0 - (uintptr_t)room, ROOM + 8 };
        for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
            test_context("%s at %zu", a->name, offsets[i]);
            set_at(a, segment, offsets[i], 0, IST_E_BOUNDS);
            get_at(a, segment, offsets[i], 0, IST_E_BOUNDS);
        }
        ist_error last = test_last_error();
        expect_size(last.offset, ROOM + 8);
        expect_size(last.length, a->size);
        expect_size(last.limit, ROOM);
    }
    ist_failure_handler_set(previous);
}

/* An accessor with an alignment that asks for it tells where the misaligned address is. */
static void misaligned_numbers(void **state)
{
    (void)state;
    for (const accessor *a = accessors; a < accessors + COUNT; a++) {
        if (a->alignment == 1)
            continue;
        test_context("%s", a->name);
        ist_segment segment = clean_segment(ROOM);
        expect_status(a->set(segment, 17), IST_E_ALIGNMENT);
        ist_error last = test_last_error();
        expect_size(last.address, (uintptr_t)room + GUARD + 17);
        expect_size(last.alignment, a->alignment);
        expect_size(last.offset, 17);
        expect_size(last.length, a->size);
        expect(strcmp(last.operation, "write") == 0);
    }
}

/* Faults in the order of checks, and the status of each. */
enum { FAULT_READ_ONLY = 1, FAULT_BOUNDS = 2, FAULT_ALIGNMENT = 4, FAULT_CLOSED = 8, FAULT_THREAD = 16, FAULTS_ALL = 31 };

static ist_status first_of(unsigned faults, bool writes)
{
    if (writes && (faults & FAULT_READ_ONLY))
        return IST_E_READ_ONLY;
    if (faults & FAULT_BOUNDS)
        return IST_E_BOUNDS;
    if (faults & FAULT_ALIGNMENT)
        return IST_E_ALIGNMENT;
    if (faults & FAULT_CLOSED)
        return IST_E_CLOSED;
    return (faults & FAULT_THREAD) ? IST_E_WRONG_THREAD : IST_OK;
}

typedef struct faulty {
    const accessor *accessor;
    ist_segment segment;
    size_t offset;
    ist_status wanted_get, wanted_set;
} faulty;

static void try_faulty(void *data)
{
    faulty *tried = data;
    const accessor *a = tried->accessor;
    uint8_t value[8];
    expect_status(a->get(tried->segment, tried->offset, value), tried->wanted_get);
    expect_status(a->set(tried->segment, tried->offset), tried->wanted_set);
}

/*
 * All sets of simultaneous faults: the first in the order of checks decides. Beyond and misaligned is one offset;
 * accessors that take any address cannot be misaligned.
 */
static void order_of_checks(void **state)
{
    (void)state;
    for (const accessor *a = accessors; a < accessors + COUNT; a++) {
        for (unsigned faults = 0; faults <= FAULTS_ALL; faults++) {
            if (a->alignment == 1 && (faults & FAULT_ALIGNMENT))
                continue;
            test_context("%s, faults %u", a->name, faults);
            ist_arena arena;
            faulty tried = { .accessor = a, .offset = 8 };
            expect_ok(ist_arena_open_confined(&arena));
            expect_ok(ist_arena_allocate(arena, 32, 16, &tried.segment));
            if (faults & FAULT_READ_ONLY)
                tried.segment = ist_segment_as_read_only(tried.segment);
            if (faults & FAULT_BOUNDS)
                tried.offset = 32;
            if (faults & FAULT_ALIGNMENT)
                tried.offset += 1;
            if (faults & FAULT_CLOSED)
                expect_ok(ist_arena_close(arena));
            tried.wanted_get = first_of(faults, false);
            tried.wanted_set = first_of(faults, true);
            if (faults & FAULT_THREAD)
                test_on_thread(try_faulty, &tried);
            else
                try_faulty(&tried);
            if (!(faults & FAULT_CLOSED))
                expect_ok(ist_arena_close(arena));
        }
    }
}

/* The value forms on a closed arena and on another thread: nothing is written, the value is 0, the handler hears it. */
static void value_forms_when_closed(void **state)
{
    (void)state;
    ist_failure_fn *previous = test_count_failures();
    for (const accessor *a = accessors; a < accessors + COUNT; a++) {
        test_context("%s", a->name);
        ist_arena arena;
        ist_segment segment;
        uint8_t value[8] = { 1 };
        expect_ok(ist_arena_open_confined(&arena));
        expect_ok(ist_segment_reinterpret(&(ist_segment){ room + GUARD, ROOM, 0, 0 }, ROOM, arena, NULL, NULL, &segment));
        expect_ok(ist_arena_close(arena));
        (void)clean_segment(ROOM);
        test_reported.count = 0;
        a->read(segment, 0, value);
        expect(test_all_bytes(value, a->size, 0));
        expect(test_reported.count == 1 && test_reported.status == IST_E_CLOSED);
        a->write(segment, 0);
        expect(untouched());
        expect(test_reported.count == 2 && test_reported.status == IST_E_CLOSED);
    }
    ist_failure_handler_set(previous);
}

static void write_forms_to_read_only(void **state)
{
    (void)state;
    ist_failure_fn *previous = test_count_failures();
    for (const accessor *a = accessors; a < accessors + COUNT; a++) {
        test_context("%s", a->name);
        ist_segment segment = ist_segment_as_read_only(clean_segment(ROOM));
        test_reported.count = 0;
        a->write(segment, 0);
        expect(untouched());
        expect(test_reported.count == 1 && test_reported.status == IST_E_READ_ONLY);
        uint8_t value[8];
        memcpy(room + GUARD, a->bytes, a->size);
        expect_ok(a->get(segment, 0, value));
        segment = ist_segment_of_const(room + GUARD, ROOM);
        expect_status(a->set(segment, 0), IST_E_READ_ONLY);
        expect_ok(a->get(segment, 0, value));
    }
    ist_failure_handler_set(previous);
}

#define NULL_OUTPUT(name, type, ...)                                                               \
    test_context("%s", #name);                                                                     \
    expect_status(ist_get_##name(segment, 0, NULL), IST_E_ARGUMENT);

static void outputs_that_are_null(void **state)
{
    (void)state;
    ist_segment segment = clean_segment(ROOM);
    ACCESSORS(NULL_OUTPUT)
    expect(untouched());
}

/* A segment of size SIZE_MAX has no end that an offset could miss, and offsets still do not wrap. */
static void a_segment_without_end(void **state)
{
    (void)state;
    uint32_t value = 3;
    ist_segment all = ist_segment_of(NULL, SIZE_MAX);
    expect_status(ist_get_u32_unaligned(all, SIZE_MAX - 3, &value), IST_E_BOUNDS);
    expect_status(ist_get_u32_unaligned(all, SIZE_MAX, &value), IST_E_BOUNDS);
    expect(value == 3);
    uint32_t here = 77;
    expect_ok(ist_get_u32(all, (uintptr_t)&here, &value));
    expect(value == 77);
}

static void numbers_that_are_not(void **state)
{
    (void)state;
    uint64_t quiet = UINT64_C(0x7ff8000000abcdef), minus_zero = UINT64_C(1) << 63, got = 0;
    double value;
    ist_segment segment = clean_segment(ROOM);
    memcpy(&value, &quiet, sizeof value);
    expect_ok(ist_set_f64(segment, 0, value));
    expect_ok(ist_get_u64(segment, 0, &got));
    expect(got == quiet);
    expect_ok(ist_get_f64(segment, 0, &value));
    memcpy(&got, &value, sizeof got);
    expect(got == quiet);
    expect_ok(ist_set_f64_be(segment, 8, -0.0));
    expect_ok(ist_get_u64_be(segment, 8, &got));
    expect(got == minus_zero);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(every_offset),
        test_case(offsets_that_wrap),
        test_case(misaligned_numbers),
        test_case(order_of_checks),
        test_case(value_forms_when_closed),
        test_case(write_forms_to_read_only),
        test_case(outputs_that_are_null),
        test_case(a_segment_without_end),
        test_case(numbers_that_are_not),
    };
    printf("%d accessors\n", COUNT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
