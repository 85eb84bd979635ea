/* SPDX-License-Identifier: MIT */
/*
 * Every inline is an exported symbol too, for callers that cannot inline. There, each segment parameter is a pointer.
 * Names are looked up at run time, as such a caller does, and used to play a short life of an arena.
 */
#include "contract/accessors.h"
#include "support/expect.h"

#include <dlfcn.h>

static const char *const inlines[] = {
    "ist_arena_global", "ist_arena_open_confined", "ist_arena_allocate", "ist_arena_allocate_uninitialized",
    "ist_arena_close", "ist_arena_hold", "ist_arena_release",
    "ist_arena_open_automatic", "ist_arena_retain", "ist_arena_drop", "ist_arena_take",
    "ist_segment_of", "ist_segment_of_const", "ist_segment_address", "ist_segment_pointer_unchecked",
    "ist_segment_size", "ist_segment_is_read_only", "ist_segment_arena", "ist_segment_equals", "ist_segment_offset",
    "ist_segment_as_read_only", "ist_segment_slice", "ist_segment_slice_from", "ist_segment_slice_aligned",
    "ist_segment_reinterpret_unchecked", "ist_segment_overlap", "ist_elements_next", "ist_elements_count",
    "ist_string_of",
};

static void every_inline_is_exported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof inlines / sizeof inlines[0]; i++) {
        test_context("%s", inlines[i]);
        expect(dlsym(RTLD_DEFAULT, inlines[i]) != NULL);
    }
    static const char *const accessors[] = {
#define NAME(name, ...) #name,
        ACCESSORS(NAME)
    };
    static const char *const verbs[] = { "get", "set", "read", "write" };
    for (size_t i = 0; i < sizeof accessors / sizeof accessors[0]; i++) {
        for (size_t j = 0; j < 4; j++) {
            char name[64];
            snprintf(name, sizeof name, "ist_%s_%s", verbs[j], accessors[i]);
            test_context("%s", name);
            expect(dlsym(RTLD_DEFAULT, name) != NULL);
        }
    }
}

/* ISO C has no conversion from void * to a function pointer; POSIX has. */
#define LOOK_UP(pointer, name)                                                                     \
    do {                                                                                           \
        void *symbol = dlsym(RTLD_DEFAULT, name);                                                  \
        expect(symbol != NULL);                                                                    \
        memcpy(&(pointer), &symbol, sizeof symbol);                                                \
    } while (0)

static void a_life_through_symbols(void **state)
{
    (void)state;
    ist_status (*open_confined)(ist_arena *);
    ist_status (*allocate)(ist_arena, size_t, size_t, ist_segment *);
    ist_status (*close_arena)(ist_arena);
    ist_status (*hold)(ist_arena, ist_hold *);
    ist_status (*release)(ist_hold *);
    ist_status (*slice)(const ist_segment *, size_t, size_t, ist_segment *);
    size_t (*size_of)(const ist_segment *);
    ist_segment (*overlap)(const ist_segment *, const ist_segment *);
    LOOK_UP(open_confined, "ist_arena_open_confined");
    LOOK_UP(allocate, "ist_arena_allocate");
    LOOK_UP(close_arena, "ist_arena_close");
    LOOK_UP(hold, "ist_arena_hold");
    LOOK_UP(release, "ist_arena_release");
    LOOK_UP(slice, "ist_segment_slice");
    LOOK_UP(size_of, "ist_segment_size");
    LOOK_UP(overlap, "ist_segment_overlap");
    ist_arena arena;
    ist_segment whole, part;
    ist_hold held;
    expect_ok(open_confined(&arena));
    expect_ok(allocate(arena, 100, 8, &whole));
    expect(test_all_bytes(whole.address, 100, 0));
    expect_status(allocate(arena, 100, 7, &part), IST_E_ARGUMENT);
    expect_ok(slice(&whole, 16, 8, &part));
    expect_size(size_of(&part), 8);
    expect_status(slice(&whole, 99, 2, &part), IST_E_BOUNDS);
    part = overlap(&whole, &part);
    expect_size(part.size, 8);
    expect_ok(hold(arena, &held));
    expect_status(close_arena(arena), IST_E_HELD);
    expect_ok(release(&held));
    expect_ok(close_arena(arena));
    expect_status(close_arena(arena), IST_E_CLOSED);
}

/* Each accessor's four symbols, against the bytes written by hand. */
#define TRY(name, type, alignment, constant, ...)                                                  \
    static void try_##name(void)                                                                   \
    {                                                                                              \
        static const uint8_t bytes[] = { __VA_ARGS__ };                                            \
        _Alignas(16) uint8_t room[32];                                                             \
        type value = constant;                                                                     \
        type got;                                                                                  \
        ist_status (*get)(const ist_segment *, size_t, type *);                                    \
        ist_status (*set)(const ist_segment *, size_t, type);                                      \
        type (*read)(const ist_segment *, size_t);                                                 \
        void (*write)(const ist_segment *, size_t, type);                                          \
        test_context("%s", #name);                                                                 \
        LOOK_UP(get, "ist_get_" #name);                                                            \
        LOOK_UP(set, "ist_set_" #name);                                                            \
        LOOK_UP(read, "ist_read_" #name);                                                          \
        LOOK_UP(write, "ist_write_" #name);                                                        \
        ist_segment segment = ist_segment_of(room, 16), frozen = ist_segment_of_const(room, 16);   \
        memset(room, 0xC3, sizeof room);                                                           \
        expect_ok(set(&segment, 8, value));                                                        \
        expect(memcmp(room + 8, bytes, sizeof bytes) == 0 && room[7] == 0xC3);                     \
        expect(room[8 + sizeof bytes] == 0xC3);                                                    \
        memset(&got, 0, sizeof got);                                                               \
        expect_ok(get(&frozen, 8, &got));                                                          \
        expect(memcmp(&got, &value, sizeof got) == 0);                                             \
        got = read(&segment, 8);                                                                   \
        expect(memcmp(&got, &value, sizeof got) == 0);                                             \
        memset(room, 0xC3, sizeof room);                                                           \
        write(&segment, 8, value);                                                                 \
        expect(memcmp(room + 8, bytes, sizeof bytes) == 0);                                        \
        expect_status(set(&segment, 16, value), IST_E_BOUNDS);                                     \
        expect_status(set(&frozen, 8, value), IST_E_READ_ONLY);                                    \
        expect_status(get(&segment, SIZE_MAX, &got), IST_E_BOUNDS);                                \
    }
ACCESSORS(TRY)

/* Likewise through a path. */
static void path_accessors_through_symbols(void **state)
{
    (void)state;
    double memory[4] = { 0 }, got = 0;
    ist_segment segment = ist_segment_of(memory, sizeof memory), frozen = ist_segment_of_const(memory, sizeof memory);
    ist_path path;
    const ist_layout *array;
    ist_arena arena;
    ist_status (*get)(const ist_path *, const ist_segment *, size_t, const size_t *, size_t, double *);
    ist_status (*set)(const ist_path *, const ist_segment *, size_t, const size_t *, size_t, double);
    static const char *const names[] = { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "address",
                                         "bool" };
    for (size_t i = 0; i < 2 * sizeof names / sizeof names[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "ist_path_%s_%s", i % 2 ? "get" : "set", names[i / 2]);
        test_context("%s", name);
        expect(dlsym(RTLD_DEFAULT, name) != NULL);
    }
    LOOK_UP(get, "ist_path_get_f64");
    LOOK_UP(set, "ist_path_set_f64");
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_layout_sequence(arena, 4, ist_layout_of(IST_TYPE_DOUBLE), &array));
    expect_ok(ist_path_resolve(array, "[]", &path));
    expect_ok(set(&path, &segment, 0, (size_t[]){ 3 }, 1, 2.5));
    expect(memory[3] > 2.4 && memory[3] < 2.6);
    expect_ok(get(&path, &frozen, 0, (size_t[]){ 3 }, 1, &got));
    expect(got > 2.4 && got < 2.6);
    expect_status(get(&path, &segment, 0, (size_t[]){ 4 }, 1, &got), IST_E_BOUNDS);
    expect_status(set(&path, &frozen, 0, (size_t[]){ 3 }, 1, 0), IST_E_READ_ONLY);
    expect_ok(ist_arena_close(arena));
}

static void accessors_through_symbols(void **state)
{
    (void)state;
#define CALL(name, ...) try_##name();
    ACCESSORS(CALL)
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(every_inline_is_exported),
        test_case(a_life_through_symbols),
        test_case(accessors_through_symbols),
        test_case(path_accessors_through_symbols),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
