/* SPDX-License-Identifier: MIT */
/*
 * A user's translation unit, compiled as C and as C++, with and without optimisation: every accessor, every scope, every inline.
 * Exit status 0 means that all of it did what it should; otherwise a line says what did not.
 */
#include <isthmus/isthmus.h>

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "usage.h"

#ifdef __cplusplus
#define NOTHING nullptr
#define ZERO {}
#else
#define NOTHING NULL
#define ZERO { 0 }
#endif

static int failures;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* ---- Values ---- */

/* Set, get, write and read of one type, and what the bytes are in between. */
#define DEFINE_ACCESSOR_TEST(name, type, bits, alignment, swapped)                                 \
    static void accessors_of_##name(ist_segment segment)                                           \
    {                                                                                              \
        type stored;                                                                               \
        type loaded = (type)0;                                                                     \
        unsigned char bytes[bits / 8], turned[bits / 8];                                           \
        for (size_t i = 0; i < sizeof bytes; i++) {                                                \
            bytes[i] = (unsigned char)(i + 1);                                                     \
            turned[(swapped) ? sizeof bytes - 1 - i : i] = bytes[i];                               \
        }                                                                                          \
        memcpy(&stored, bytes, sizeof stored);                                                     \
        size_t offset = (alignment) > 1 ? sizeof(type) : 1;                                        \
        EXPECT(ist_set_##name(segment, offset, stored) == IST_OK);                                 \
        EXPECT(memcmp((const char *)ist_segment_pointer_unchecked(segment) + offset, turned,       \
                      sizeof turned) == 0);                                                        \
        EXPECT(ist_get_##name(segment, offset, &loaded) == IST_OK);                                \
        EXPECT(memcmp(&loaded, bytes, sizeof loaded) == 0);                                        \
        EXPECT(ist_get_##name(segment, ist_segment_size(segment), &loaded) == IST_E_BOUNDS);       \
        EXPECT(ist_set_##name(ist_segment_as_read_only(segment), offset, stored) ==                \
               IST_E_READ_ONLY);                                                                   \
        EXPECT((ist_get_##name(segment, offset + 1, &loaded) == IST_E_ALIGNMENT) ==                \
               ((alignment) > 1));                                                                 \
        ist_write_##name(segment, offset, (type)0);                                                \
        loaded = ist_read_##name(segment, offset);                                                 \
        memset(bytes, 0, sizeof bytes);                                                            \
        EXPECT(memcmp(&loaded, bytes, sizeof loaded) == 0);                                        \
    }
ISTI_ACCESSOR_LIST(DEFINE_ACCESSOR_TEST)

static void accessors(ist_arena arena)
{
    ist_segment segment = ZERO;
    EXPECT(ist_arena_allocate(arena, 64, 8, &segment) == IST_OK);
#define CALL_ACCESSOR_TEST(name, type, bits, alignment, swapped) accessors_of_##name(segment);
    ISTI_ACCESSOR_LIST(CALL_ACCESSOR_TEST)
}

/* ---- Paths ---- */

/* Set and get of one type through a path; the bytes lie where it leads to. */
#define DEFINE_PATH_TEST(name, type, bits, sort)                                                   \
    static void path_of_##name(const ist_layout *layout, ist_segment segment)                      \
    {                                                                                              \
        ist_path path = ZERO;                                                                      \
        const ist_path_element steps[] = { IST_PATH_MEMBER("parts"), IST_PATH_OPEN,                \
                                           IST_PATH_MEMBER(#name) };                               \
        const size_t index = 1;                                                                    \
        type stored;                                                                               \
        type loaded = (type)0;                                                                     \
        unsigned char bytes[bits / 8];                                                             \
        for (size_t i = 0; i < sizeof bytes; i++)                                                  \
            bytes[i] = (unsigned char)(i + 1);                                                     \
        memcpy(&stored, bytes, sizeof stored);                                                     \
        EXPECT(ist_path_resolve_elements(layout, steps, 3, &path) == IST_OK);                      \
        EXPECT(ist_path_set_##name(&path, segment, 0, &index, 1, stored) == IST_OK);               \
        EXPECT(ist_path_get_##name(&path, segment, 0, &index, 1, &loaded) == IST_OK);              \
        EXPECT(memcmp(&loaded, bytes, sizeof loaded) == 0);                                        \
        EXPECT(ist_path_resolve(layout, "parts[1]." #name, &path) == IST_OK);                      \
        EXPECT(memcmp((const char *)ist_segment_pointer_unchecked(segment) + path.offset, bytes,   \
                      sizeof bytes) == 0);                                                         \
        EXPECT(ist_path_set_##name(&path, ist_segment_as_read_only(segment), 0, NOTHING, 0,        \
                                   stored) == IST_E_READ_ONLY);                                    \
        EXPECT(ist_path_get_##name(&path, segment, 0, &index, 1, &loaded) == IST_E_ARGUMENT);      \
        EXPECT(ist_path_atomic_store_##name(&path, &segment, 0, NOTHING, 0, (type)0,               \
                                            IST_MEMORY_SEQ_CST) == IST_OK);                        \
        EXPECT(ist_atomic_load_##name(&segment, path.offset, IST_MEMORY_ACQUIRE, &loaded) ==       \
               IST_OK);                                                                            \
        memset(bytes, 0, sizeof bytes);                                                            \
        EXPECT(memcmp(&loaded, bytes, sizeof loaded) == 0);                                        \
    }
ISTI_PATH_LIST(DEFINE_PATH_TEST)

static ist_type type_of(size_t size, const char *sort)
{
    if (strcmp(sort, "ADDRESS") == 0)
        return IST_TYPE_ADDRESS;
    if (strcmp(sort, "FLOAT") == 0)
        return size == 4 ? IST_TYPE_FLOAT : IST_TYPE_DOUBLE;
    return size == 1 ? IST_TYPE_I8 : size == 2 ? IST_TYPE_I16 : size == 4 ? IST_TYPE_I32 : IST_TYPE_I64;
}

static void paths(ist_arena arena)
{
    const ist_layout *part = NOTHING, *array = NOTHING, *whole = NOTHING;
    ist_member members[12];
    size_t count = 0;
    memset(members, 0, sizeof members);
#define ADD_MEMBER(name_, type, bits, sort)                                                        \
    members[count].name = #name_;                                                                  \
    members[count++].layout = ist_layout_of(type_of(bits / 8, #sort));
    ISTI_PATH_LIST(ADD_MEMBER)
    members[count].name = "flag";
    members[count++].layout = ist_layout_of(IST_TYPE_BOOL);
    EXPECT(ist_layout_struct_c(arena, "part", members, count, NOTHING, &part) == IST_OK);
    EXPECT(ist_layout_sequence(arena, 3, part, &array) == IST_OK);
    members[0].name = "parts";
    members[0].layout = array;
    EXPECT(ist_layout_struct_c(arena, "whole", members, 1, NOTHING, &whole) == IST_OK);
    ist_segment segment = ZERO;
    EXPECT(ist_arena_allocate(arena, ist_layout_size(whole), 8, &segment) == IST_OK);
#define CALL_PATH_TEST(name, type, bits, sort) path_of_##name(whole, segment);
    ISTI_PATH_LIST(CALL_PATH_TEST)
    ist_path flag = ZERO;
    int truth = 0;
    EXPECT(ist_path_resolve(whole, "parts[2].flag", &flag) == IST_OK);
    EXPECT(ist_path_set_bool(&flag, segment, 0, NOTHING, 0, 7) == IST_OK);
    EXPECT(ist_path_get_bool(&flag, segment, 0, NOTHING, 0, &truth) == IST_OK && truth == 1);
    const ist_path_element odd[] = { IST_PATH_MEMBER_AT(0), IST_PATH_RANGE(2, -1), IST_PATH_MEMBER_AT(11) };
    const ist_path_element refused[] = { IST_PATH_INDEX(1), IST_PATH_DEREFERENCE };
    EXPECT(ist_path_resolve_elements(whole, odd, 3, &flag) == IST_OK && flag.open[0].count == 3);
    EXPECT(ist_path_resolve_elements(array, refused, 2, &flag) == IST_E_LAYOUT);
}

/* ---- Shapes ---- */

static void shapes(ist_arena arena)
{
    static const char text[] = "isthmus";
    ist_segment fixed = ist_segment_of_const(text, sizeof text);
    ist_segment block = ZERO, part = ZERO, tail = ZERO, aligned = ZERO;
    EXPECT(ist_segment_is_read_only(fixed));
    EXPECT(ist_arena_allocate_uninitialized(arena, 32, 16, &block) == IST_OK);
    EXPECT(ist_segment_address(block) % 16 == 0);
    EXPECT(ist_segment_slice(block, 8, 8, &part) == IST_OK);
    EXPECT(ist_segment_slice_from(block, 12, &tail) == IST_OK && ist_segment_size(tail) == 20);
    EXPECT(ist_segment_slice_aligned(block, 16, 16, 16, &aligned) == IST_OK);
    EXPECT(ist_segment_slice_aligned(block, 8, 16, 16, &aligned) == IST_E_ALIGNMENT);
    EXPECT(ist_segment_slice(block, 8, 25, &part) == IST_E_BOUNDS);
    EXPECT(ist_segment_offset(block, tail) == 12);
    EXPECT(ist_segment_size(ist_segment_overlap(part, tail)) == 4);
    EXPECT(ist_segment_equals(block, ist_segment_reinterpret_unchecked(block, 1)));
    EXPECT(ist_arena_is_alive(ist_segment_arena(block)));
    EXPECT(ist_arena_is_alive(ist_arena_global()));
    EXPECT(ist_segment_copy(&fixed, 0, &block, 0, sizeof text) == IST_OK);
    EXPECT(memcmp(ist_segment_pointer_unchecked(block), text, sizeof text) == 0);
    char own[8] = { 0 };
    EXPECT(ist_segment_size(ist_segment_of(own, sizeof own)) == 8);
}

/* ---- Elements and strings ---- */

static void elements(ist_arena arena)
{
    ist_segment block = ZERO, element = ZERO, copy = ZERO;
    ist_elements all = ZERO, half = ZERO;
    int32_t sum = 0, number = 0;
    ist_allocator allocator = ist_arena_allocator(&arena);
    EXPECT(ist_allocate_array(allocator, 10, sizeof(int32_t), 4, &block) == IST_OK);
    EXPECT(ist_elements_over(&block, sizeof(int32_t), 4, &all) == IST_OK);
    EXPECT(ist_elements_count(&all) == 10);
    EXPECT(ist_elements_split(&all, &half) == 1);
    while (ist_elements_next(&half, &element))
        ist_write_i32(element, 0, ++number);
    while (ist_elements_next(&all, &element))
        ist_write_i32(element, 0, ++number);
    for (size_t i = 0; i < 10; i++)
        sum += ist_read_i32(block, 4 * i);
    EXPECT(sum == 55);
    EXPECT(ist_allocate_from_array(allocator, ist_segment_pointer_unchecked(block), 10, 4, 4, 1, &copy) == IST_OK);
    EXPECT(ist_read_i32_be(copy, 36) == 10);
    EXPECT(ist_allocate_f32(allocator, 0.5f, &copy) == IST_OK);
}

static void strings(ist_arena arena)
{
    ist_segment block = ZERO;
    ist_string string = ZERO;
    char text[16];
    size_t size = 0;
    EXPECT(ist_allocate_string_in(ist_arena_allocator(&arena), IST_UTF16_BE, "isthmus", &block) == IST_OK);
    EXPECT(ist_string_find(&block, 0, IST_UTF16_BE, IST_NO_LIMIT, &string) == IST_OK);
    EXPECT(ist_segment_size(string.bytes) == 14 && string.charset == IST_UTF16_BE);
    EXPECT(ist_string_decode(&string, IST_REFUSE, text, sizeof text, &size) == IST_OK);
    EXPECT(size == 8 && strcmp(text, "isthmus") == 0);
    string = ist_string_of(block, IST_UTF8);
    EXPECT(ist_string_decode(&string, IST_REPLACE, text, sizeof text, NOTHING) == IST_E_BOUNDS);
}

/* ---- Scopes ---- */

static double sum_of(ist_segment rows, size_t count, ist_status *ret_status)
{
    double sum = 0;
    ist_status status;
    IST_WITH_READ(const double, row, rows, 0, count, status) {
        for (size_t i = 0; i < count; i++)
            sum += row[i];
    }
    *ret_status = status;
    return sum;
}

static int leaves_early(ist_arena arena, ist_segment rows)
{
    ist_status status;
    IST_WITH_HOLD(arena, status) {
        IST_WITH_WRITE(double, row, rows, 0, 1, status) {
            row[0] = 1;
            return 1;
        }
    }
    return 0;
}

static void scopes(void)
{
    ist_status status, inner;
    int rounds = 0;
    ist_segment rows = ZERO;
    IST_WITH_CONFINED(arena, status) {
        EXPECT(ist_arena_allocate(arena, 8 * sizeof(double), 8, &rows) == IST_OK);
        /* Scopes nest, and the warnings about shadowing stay silent. */
        IST_WITH_WRITE(double, out, rows, 0, 8, inner) {
            IST_WITH_READ(double, in, rows, 0, 8, inner) {
                for (int i = 0; i < 8; i++)
                    out[i] = in[i] + i;
            }
        }
        EXPECT(inner == IST_OK);
        double sum = sum_of(rows, 8, &inner);
        EXPECT(inner == IST_OK && sum > 27.5 && sum < 28.5);
        sum_of(rows, 9, &inner);
        EXPECT(inner == IST_E_BOUNDS);
        for (int i = 0; i < 3; i++) {
            IST_WITH_READ(double, row, rows, 0, 1, inner) {
                rounds++;
                if (row[0] < 1e9)
                    continue; /* Ends the scope, not the loop. */
                rounds = 100;
            }
        }
        EXPECT(rounds == 3);
        EXPECT(leaves_early(arena, rows) == 1);
    }
    EXPECT(status == IST_OK); /* Nothing held the arena any more. */
    sum_of(rows, 8, &inner);
    EXPECT(inner == IST_E_CLOSED);
}

#ifdef __cplusplus
static void exceptions()
{
    ist_arena arena = {};
    ist_segment rows = {};
    ist_status status;
    EXPECT(ist_arena_open_confined(&arena) == IST_OK);
    EXPECT(ist_arena_allocate(arena, 64, 8, &rows) == IST_OK);
    try {
        IST_WITH_READ(double, row, rows, 0, 8, status) {
            throw row;
        }
    } catch (const double *) {
    }
    EXPECT(ist_arena_close(arena) == IST_OK);
    try {
        IST_WITH_CONFINED(scoped, status) {
            arena = scoped;
            throw 1;
        }
    } catch (int) {
    }
    EXPECT(!ist_arena_is_alive(arena));
}
#endif

/* ---- Failures ---- */

static jmp_buf failed;
static ist_status reported;

#ifdef __cplusplus
extern "C" {
#endif
static void jump_away(ist_status status, const char *where)
{
    reported = where != NOTHING ? status : IST_OK;
    longjmp(failed, 1);
}
#ifdef __cplusplus
}
#endif

static void handler(ist_segment closed)
{
    ist_failure_fn *old = ist_failure_handler_set(jump_away);
    if (setjmp(failed) == 0)
        ist_write_i8(closed, 0, 1);
    EXPECT(reported == IST_E_CLOSED);
    reported = IST_OK;
    if (setjmp(failed) == 0)
        IST_CHECK(ist_set_i64(closed, 0, 1));
    EXPECT(reported == IST_E_CLOSED);
    EXPECT(ist_failure_handler_set(old) == jump_away);
    EXPECT(strcmp(ist_status_name(reported), "IST_E_CLOSED") == 0);
}

/* ---- Holds, and a second translation unit on the same thread ---- */

static void count_call(void *data)
{
    ++*(int *)data;
}

static void holds(void)
{
    ist_arena arena = ZERO;
    ist_hold hold = ZERO;
    int calls = 0;
    EXPECT(ist_arena_open_confined(&arena) == IST_OK);
    EXPECT(ist_arena_on_close(arena, count_call, &calls) == IST_OK);
    EXPECT(ist_arena_hold(arena, &hold) == IST_OK);
    EXPECT(ist_arena_close(arena) == IST_E_HELD && calls == 0);
    EXPECT(ist_arena_release(&hold) == IST_OK);
    EXPECT(ist_arena_release(&hold) == IST_E_ARGUMENT);
    EXPECT(ist_arena_close(arena) == IST_OK && calls == 1);
    EXPECT(ist_arena_close(arena) == IST_E_CLOSED);
}

int main(void)
{
    ist_arena arena = ZERO;
    ist_segment other = ZERO;
    EXPECT(ist_arena_open_confined(&arena) == IST_OK);
    accessors(arena);
    paths(arena);
    shapes(arena);
    elements(arena);
    strings(arena);
    EXPECT(usage_allocate_elsewhere(arena, &other) == IST_OK);
    EXPECT(ist_read_i64(other, 0) == 42);
    EXPECT(ist_arena_close(arena) == IST_OK);
    handler(other);
    scopes();
    holds();
#ifdef __cplusplus
    exceptions();
#endif
    EXPECT(strcmp(ist_version(), IST_VERSION_STRING) == 0);
    return failures != 0;
}
