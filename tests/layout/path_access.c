/* SPDX-License-Identifier: MIT */
/*
 * Accesses through paths: values against the members of C structs, each status once and in its order, byte orders,
 * bit-fields, pointers on the way, parts without an end, and the lifetimes of segments.
 */
#include "shapes.h"
#include "support/random.h"

#include <complex.h>
#include <limits.h>

/* ---- One path of each type ---- */

typedef struct scalars {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    void *address;
    bool flag;
} scalars;

/* X(accessor, type, member's layout, a value) */
#define SCALARS(X)                                     \
    X(i8, int8_t, I8, -5)                              \
    X(u8, uint8_t, U8, 0xF1)                           \
    X(i16, int16_t, I16, -30000)                       \
    X(u16, uint16_t, U16, 0xFACE)                      \
    X(i32, int32_t, I32, -2000000000)                  \
    X(u32, uint32_t, U32, 0xDEADBEEF)                  \
    X(i64, int64_t, I64, INT64_MIN + 7)                \
    X(u64, uint64_t, U64, 0xFEDCBA9876543210)          \
    X(f32, float, FLOAT, 1.5f)                         \
    X(f64, double, DOUBLE, -2.25)                      \
    X(address, void *, ADDRESS, (void *)(uintptr_t)0x123456789a)

static const ist_layout *make_scalars(ist_arena arena, bool swapped, bool packed)
{
    const ist_layout *layout;
    ist_member members[12];
    size_t count = 0;
#define MEMBER(name_, type, layout_, value)                                                                     \
    members[count++] = (ist_member){ .name = #name_,                                                            \
                                     .layout = swapped ? shape_swapped(arena, IST_TYPE_##layout_)               \
                                                       : ist_layout_of(IST_TYPE_##layout_),                     \
                                     .packed = packed };
    SCALARS(MEMBER)
    members[count++] = (ist_member){ .name = "flag", .layout = ist_layout_of(IST_TYPE_BOOL) };
    expect_ok(ist_layout_struct_c(arena, "scalars", members, count, NULL, &layout));
    return layout;
}

static void turn(void *bytes, size_t size)
{
    uint8_t *at = bytes;
    for (size_t i = 0; i < size / 2; i++) {
        uint8_t kept = at[i];
        at[i] = at[size - 1 - i];
        at[size - 1 - i] = kept;
    }
}

static void values_in(bool swapped, bool packed)
{
    shapes of = shapes_open();
    const ist_layout *layout = make_scalars(of.arena, swapped, packed);
    static _Alignas(64) uint8_t room[512];
    const size_t base = packed ? 3 : 2 * sizeof(scalars);
    ist_segment segment = ist_segment_of(room, sizeof room);
    if (!packed)
        expect_size(ist_layout_size(layout), sizeof(scalars));
#define TRY(name, type, layout_, constant)                                                                      \
    {                                                                                                           \
        ist_path path = shape_path(layout, #name);                                                              \
        __typeof__(type) value = constant, got, raw;                                                            \
        memset(&got, 0x77, sizeof got);                                                                         \
        memset(room, 0, sizeof room);                                                                           \
        expect_ok(ist_path_set_##name(&path, segment, base, NULL, 0, value));                                   \
        size_t at = base + (packed ? path.offset : offsetof(scalars, name));                                    \
        memcpy(&raw, room + at, sizeof raw);                                                                    \
        if (swapped)                                                                                            \
            turn(&raw, sizeof raw);                                                                             \
        expect(memcmp(&raw, &value, sizeof raw) == 0);                                                          \
        expect(test_all_bytes(room, at, 0));                                                                    \
        expect(test_all_bytes(room + at + sizeof raw, sizeof room - at - sizeof raw, 0));                       \
        expect_ok(ist_path_get_##name(&path, ist_segment_as_read_only(segment), base, NULL, 0, &got));          \
        expect(memcmp(&got, &value, sizeof got) == 0);                                                          \
    }
    SCALARS(TRY)
    expect_ok(ist_arena_close(of.arena));
}

static void values_of_each_type(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        values_in(i & 1, i & 2);
}

/* i32 and u32 read any integer of 4 bytes, an enumeration too; _Bool is a type of its own. */
static void types_that_fit(void **state)
{
    (void)state;
    shapes of = shapes_open();
    const ist_layout *layout = make_scalars(of.arena, false, false), *choice;
    scalars memory = { .i32 = -1, .u8 = 200 };
    ist_segment segment = ist_segment_of(&memory, sizeof memory);
    uint32_t wide;
    int8_t narrow;
    ist_path i32 = shape_path(layout, "i32"), u8 = shape_path(layout, "u8"), f32 = shape_path(layout, "f32"),
             flag = shape_path(layout, "flag"), address = shape_path(layout, "address"),
             u64 = shape_path(layout, "u64"), whole = shape_path(layout, "");
    expect_ok(ist_path_get_u32(&i32, segment, 0, NULL, 0, &wide));
    expect(wide == UINT32_MAX);
    expect_ok(ist_path_get_i8(&u8, segment, 0, NULL, 0, &narrow));
    expect(narrow == (int8_t)200);
    static const ist_enumerator names[] = { { "ONE", 1 } };
    expect_ok(ist_layout_enum(of.arena, "choice", ist_layout_of(IST_TYPE_UINT), names, 1, &choice));
    ist_path of_enum = shape_path(choice, "");
    expect_ok(ist_path_get_u32(&of_enum, segment, offsetof(scalars, i32), NULL, 0, &wide));
    wide = 17;
    expect_status(ist_path_get_u32(&f32, segment, 0, NULL, 0, &wide), IST_E_LAYOUT);
    expect_sentence("the path leads to a floating-point number of 4 bytes, not to an integer of 4 bytes");
    expect_status(ist_path_get_u32(&u64, segment, 0, NULL, 0, &wide), IST_E_LAYOUT);
    expect_status(ist_path_get_u32(&whole, segment, 0, NULL, 0, &wide), IST_E_LAYOUT);
    expect_sentence("the path leads to no value of 64 bytes, not to an integer of 4 bytes");
    expect_status(ist_path_set_u64(&address, segment, 0, NULL, 0, 1), IST_E_LAYOUT);
    expect_status(ist_path_set_address(&u64, segment, 0, NULL, 0, NULL), IST_E_LAYOUT);
    expect_status(ist_path_set_u8(&flag, segment, 0, NULL, 0, 1), IST_E_LAYOUT);
    int truth = 5;
    expect_status(ist_path_get_bool(&u8, segment, 0, NULL, 0, &truth), IST_E_LAYOUT);
    expect(wide == 17 && truth == 5);
    expect_ok(ist_arena_close(of.arena));
}

static void booleans(void **state)
{
    (void)state;
    uint8_t byte;
    ist_segment segment = ist_segment_of(&byte, 1);
    ist_path path = shape_path(ist_layout_of(IST_TYPE_BOOL), "");
    for (int i = 0; i < 256; i++) {
        int value = -1;
        byte = (uint8_t)i;
        expect_ok(ist_path_get_bool(&path, segment, 0, NULL, 0, &value));
        expect(value == (i != 0));
        expect_ok(ist_path_set_bool(&path, segment, 0, NULL, 0, i * 256));
        expect(byte == (i != 0));
    }
    expect_status(ist_path_get_bool(&path, segment, 0, NULL, 0, NULL), IST_E_ARGUMENT);
    expect_status(ist_path_get_bool(&path, segment, 1, NULL, 0, &(int){ 0 }), IST_E_BOUNDS);
}

/* ---- Statuses ---- */

static double untouched = -77;

static void expect_refused(const ist_path *path, ist_segment segment, size_t base, const size_t *indexes, size_t count,
                           ist_status wanted)
{
    double value = untouched;
    expect_status(ist_path_get_f64(path, segment, base, indexes, count, &value), wanted);
    expect(memcmp(&value, &untouched, sizeof value) == 0);
    expect_status(ist_path_set_f64(path, segment, base, indexes, count, 1), wanted);
}

static void touch_elsewhere(void *data)
{
    void **both = data;
    const size_t indexes[] = { 1, 2 };
    expect_refused(both[0], *(ist_segment *)both[1], 0, indexes, 2, IST_E_WRONG_THREAD);
    /* What does not fit is told before. */
    expect_refused(both[0], *(ist_segment *)both[1], 0, (size_t[]){ 1, 3 }, 2, IST_E_BOUNDS);
    expect_refused(both[0], *(ist_segment *)both[1], 1, indexes, 2, IST_E_ALIGNMENT);
}

static void every_status(void **state)
{
    (void)state;
    shapes of = shapes_open();
    ist_arena arena;
    ist_segment segment;
    const ist_path none = { 0 };
    ist_path path = shape_path(of.items, "[].at[].y");
    size_t size = ist_layout_size(of.items), indexes[] = { 1, 2, 0 };
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_allocate(arena, size + 16, 16, &segment));
    ist_segment fixed = ist_segment_as_read_only(segment);

    expect_refused(NULL, segment, 0, indexes, 2, IST_E_ARGUMENT);
    expect_refused(&none, segment, 0, NULL, 0, IST_E_ARGUMENT);
    expect_sentence("NULL or {0} where a path is wanted");
    expect_refused(&path, segment, 0, indexes, 1, IST_E_ARGUMENT);
    expect_refused(&path, segment, 0, indexes, 3, IST_E_ARGUMENT);
    expect_refused(&path, segment, 0, indexes, SIZE_MAX, IST_E_ARGUMENT);
    expect_sentence("another number of open indexes");
    expect_refused(&path, segment, 0, NULL, 2, IST_E_ARGUMENT);
    expect_status(ist_path_get_f64(&path, segment, 0, indexes, 2, NULL), IST_E_ARGUMENT);
    expect_sentence("path read: NULL where the value is wanted");
    /* Read-only before bounds, for writes alone. */
    expect_status(ist_path_set_f64(&path, fixed, 9999999, (size_t[]){ 10, 0 }, 2, 1), IST_E_READ_ONLY);
    expect_ok(ist_path_get_f64(&path, fixed, 0, indexes, 2, &(double){ 0 }));
    expect_refused(&path, segment, 0, (size_t[]){ 10, 2 }, 2, IST_E_BOUNDS);
    expect_sentence("open index 0 is 10, which is not below 10");
    expect_refused(&path, segment, 0, (size_t[]){ 9, 3 }, 2, IST_E_BOUNDS);
    expect_refused(&path, segment, 0, (size_t[]){ SIZE_MAX, 0 }, 2, IST_E_BOUNDS);
    /* The whole root is inside, whatever part of it is asked for; bounds before alignment. */
    expect_refused(&path, segment, 17, (size_t[]){ 0, 0 }, 2, IST_E_BOUNDS);
    expect_refused(&path, segment, 24, (size_t[]){ 0, 0 }, 2, IST_E_BOUNDS);
    expect_refused(&path, segment, SIZE_MAX - 7, (size_t[]){ 0, 0 }, 2, IST_E_BOUNDS);
    expect_refused(&path, segment, 4, indexes, 2, IST_E_ALIGNMENT);
    expect_size(test_last_error().alignment, 8);
    expect_ok(ist_path_set_f64(&path, segment, 16, (size_t[]){ 9, 2 }, 2, 8.5));
    const item *last = (const item *)((const char *)segment.address + 16) + 9;
    expect(last->at[2].y > 8.4 && last->at[2].y < 8.6);
    test_on_thread(touch_elsewhere, (void *[]){ &path, &segment });
    expect_ok(ist_arena_close(arena));
    expect_refused(&path, segment, 0, indexes, 2, IST_E_CLOSED);
    expect_refused(&path, segment, 4, indexes, 2, IST_E_ALIGNMENT);
    expect_refused(&path, (ist_segment){ 0 }, 0, indexes, 2, IST_E_BOUNDS);
    expect_ok(ist_arena_close(of.arena));
}

/* The path needs its layouts no more. */
static void layouts_end_first(void **state)
{
    (void)state;
    shapes of = shapes_open();
    ist_path path = shape_path(of.items, "[].at[].y");
    expect_ok(ist_arena_close(of.arena));
    item items[10];
    ist_segment segment = ist_segment_of(items, sizeof items);
    expect_ok(ist_path_set_f64(&path, segment, 0, (size_t[]){ 3, 1 }, 2, 6));
    expect(items[3].at[1].y > 5.9);
    expect_status(ist_path_set_f32(&path, segment, 0, (size_t[]){ 3, 1 }, 2, 6), IST_E_LAYOUT);
    expect_status(ist_path_set_integer(&path, &segment, 0, (size_t[]){ 3, 1 }, 2, 6), IST_E_LAYOUT);
}

/* ---- Other kinds of arena ---- */

static void use_shared(void *data)
{
    void **both = data;
    const ist_path *path = both[0];
    ist_segment segment = *(ist_segment *)both[1];
    double value = 0;
    const size_t indexes[] = { 1, 2 };
    expect_ok(ist_path_set_f64(path, segment, 0, indexes, 2, 4.5));
    expect_ok(ist_path_get_f64(path, segment, 0, indexes, 2, &value));
    expect(value > 4.4 && value < 4.6);
}

static void shared_arenas(void **state)
{
    (void)state;
    shapes of = shapes_open();
    ist_arena arena;
    ist_segment segment;
    expect_ok(ist_arena_open_shared(&arena));
    expect_ok(ist_arena_allocate(arena, ist_layout_size(of.items), 8, &segment));
    ist_path path = shape_path(of.items, "[].at[].y");
    use_shared((void *[]){ &path, &segment });
    test_on_thread(use_shared, (void *[]){ &path, &segment });
    use_shared((void *[]){ &path, &segment });
    expect_ok(ist_arena_close(arena));
    expect_refused(&path, segment, 0, (size_t[]){ 1, 2 }, 2, IST_E_CLOSED);
    expect_ok(ist_arena_close(of.arena));
}

/* ---- Parts without an end ---- */

static void flexible_members(void **state)
{
    (void)state;
    shapes of = shapes_open();
    enum { POINTS = 5 };
    static _Alignas(8) uint8_t room[8 + sizeof(list) + POINTS * sizeof(point)];
    ist_path y = shape_path(of.list, "points[].y"), fixed = shape_path(of.list, "points[4].x"),
             all = shape_path(of.list, "points"), one = shape_path(of.list, "points[]");
    ist_segment segment = ist_segment_of(room, sizeof room), slice;
    for (size_t i = 0; i < POINTS; i++)
        expect_ok(ist_path_set_f64(&y, segment, 8, &i, 1, (double)i));
    const list *seen = (const list *)(room + 8);
    for (size_t i = 0; i < POINTS; i++)
        expect(seen->points[i].y >= (double)i && seen->points[i].y <= (double)i);
    expect_refused(&y, segment, 8, (size_t[]){ POINTS }, 1, IST_E_BOUNDS);
    expect_refused(&y, segment, 8, (size_t[]){ SIZE_MAX / sizeof(point) }, 1, IST_E_BOUNDS);
    expect_refused(&y, segment, 8, (size_t[]){ SIZE_MAX }, 1, IST_E_BOUNDS);
    expect_refused(&y, segment, sizeof room, (size_t[]){ 0 }, 1, IST_E_BOUNDS);
    expect_refused(&y, ist_segment_of(room, 4), 0, (size_t[]){ 0 }, 1, IST_E_BOUNDS);
    expect_ok(ist_path_set_f64(&fixed, segment, 8, NULL, 0, 1));
    expect_refused(&fixed, ist_segment_of(room, sizeof room - 16), 8, NULL, 0, IST_E_BOUNDS);
    expect_ok(ist_path_slice(&all, &segment, 8, NULL, 0, &slice));
    expect(slice.address == (void *)seen->points && slice.size == POINTS * sizeof(point));
    ist_segment shorter = ist_segment_of(room, sizeof room - 1);
    expect_ok(ist_path_slice(&all, &shorter, 8, NULL, 0, &slice));
    expect_size(slice.size, (POINTS - 1) * sizeof(point));
    shorter.size = 8 + sizeof(list);
    expect_ok(ist_path_slice(&all, &shorter, 8, NULL, 0, &slice));
    expect_size(slice.size, 0);
    expect_ok(ist_path_slice(&one, &segment, 8, (size_t[]){ POINTS - 1 }, 1, &slice));
    expect_status(ist_path_slice(&one, &segment, 8, (size_t[]){ POINTS }, 1, &slice), IST_E_BOUNDS);
    expect_ok(ist_arena_close(of.arena));
}

/* ---- Pointers on the way ---- */

typedef struct node {
    struct node *next;
    item *items; /* 10 of them. */
    int32_t *numbers;
} node;

/* The same: node -> node -> node with nothing behind; items of 10; numbers without an end. */
static const ist_layout *make_node(const shapes *of)
{
    const ist_layout *layout = NULL;
    for (int i = 0; i < 3; i++) {
        const ist_layout *numbers = shape_array(of->arena, IST_COUNT_OPEN, ist_layout_of(IST_TYPE_INT));
        const ist_member members[] = {
            { .name = "next",
              .layout = layout != NULL ? shape_pointer(of->arena, layout) : ist_layout_of(IST_TYPE_ADDRESS) },
            { .name = "items", .layout = shape_pointer(of->arena, of->items) },
            { .name = "numbers", .layout = shape_pointer(of->arena, numbers) },
        };
        layout = shape_struct(of->arena, NULL, members, 3);
    }
    return layout;
}

static void dereferences(void **state)
{
    (void)state;
    shapes of = shapes_open();
    const ist_layout *layout = make_node(&of);
    item items[10];
    int32_t numbers[4] = { 0, 10, 20, 30 }, number;
    node third = { NULL, items, numbers }, second = { &third, items, numbers }, first[2] = { { 0 }, { &second, NULL, NULL } };
    ist_segment segment = ist_segment_of_const(first, sizeof first), slice;
    memset(items, 0, sizeof items);

    ist_path y = shape_path(layout, "next->next->items->[].at[].y"), far = shape_path(layout, "next->numbers->[]"),
             items_of = shape_path(layout, "items->[1].id"), next = shape_path(layout, "next->");
    expect_size(y.dereference_count, 3);
    /* The root is read-only, and written is what the pointers lead to. */
    expect_ok(ist_path_set_f64(&y, segment, sizeof(node), (size_t[]){ 9, 1 }, 2, 7));
    expect(items[9].at[1].y > 6.9);
    expect_refused(&y, segment, sizeof(node), (size_t[]){ 10, 1 }, 2, IST_E_BOUNDS);
    expect_refused(&y, segment, sizeof(node), (size_t[]){ 9, 3 }, 2, IST_E_BOUNDS);
    expect_refused(&y, segment, sizeof(node) + 8, (size_t[]){ 9, 1 }, 2, IST_E_BOUNDS);
    expect_refused(&y, segment, 4, (size_t[]){ 9, 1 }, 2, IST_E_ALIGNMENT);
    for (size_t i = 0; i < 4; i++) {
        expect_ok(ist_path_get_i32(&far, segment, sizeof(node), &i, 1, &number));
        expect(number == numbers[i]);
    }
    /* A null pointer is the NULL segment. */
    expect_status(ist_path_set_i16(&items_of, segment, sizeof(node), NULL, 0, 1), IST_E_BOUNDS);
    expect_sentence("of a segment of 0 bytes");
    expect_refused(&y, segment, 0, (size_t[]){ 9, 1 }, 2, IST_E_BOUNDS);
    expect_ok(ist_path_slice(&next, &segment, sizeof(node), NULL, 0, &slice));
    expect(slice.address == (void *)&second && slice.size == sizeof(node) && !ist_segment_is_read_only(slice));
    /* Misaligned for its target. */
    second.numbers = (int32_t *)((uintptr_t)numbers + 2);
    expect_status(ist_path_get_i32(&far, segment, sizeof(node), (size_t[]){ 0 }, 1, &number), IST_E_ALIGNMENT);
    expect_size(test_last_error().alignment, 4);
    expect_ok(ist_arena_close(of.arena));
}

/* The memory of the pointer is checked like any, that of what it points to is trusted. */
static void pointers_in_arenas(void **state)
{
    (void)state;
    shapes of = shapes_open();
    ist_arena arena;
    ist_segment segment, slice;
    item items[10] = { 0 };
    ist_path path = shape_path(make_node(&of), "items->[].number"), whole = shape_path(make_node(&of), "items->[2]");
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_allocate(arena, sizeof(node), 8, &segment));
    ((node *)segment.address)->items = items;
    expect_ok(ist_path_set_i32(&path, segment, 0, (size_t[]){ 2 }, 1, 5));
    expect(items[2].number == 5);
    expect_ok(ist_path_slice(&whole, &segment, 0, NULL, 0, &slice));
    expect_ok(ist_arena_close(arena));
    expect_status(ist_path_set_i32(&path, segment, 0, (size_t[]){ 2 }, 1, 6), IST_E_CLOSED);
    expect_status(ist_path_slice(&whole, &segment, 0, NULL, 0, &slice), IST_E_CLOSED);
    expect(items[2].number == 5 && slice.address == (void *)&items[2]);
    expect_ok(ist_arena_close(of.arena));
}

static void targets(void **state)
{
    (void)state;
    shapes of = shapes_open();
    point at = { 1, 2 };
    void *bare = (char *)&at + 4;
    struct {
        void *none;
        point *of_point;
        uint64_t swapped;
    } memory = { bare, &at, __builtin_bswap64((uintptr_t)&at) };
    ist_segment segment = ist_segment_of(&memory, sizeof memory), target = { 0 };
    const ist_layout *pointer = shape_pointer(of.arena, of.point), *turned;
    expect_ok(ist_layout_with_order(of.arena, pointer,
                                    IST_ORDER_NATIVE == IST_ORDER_LITTLE ? IST_ORDER_BIG : IST_ORDER_LITTLE, &turned));
    ist_path none = shape_path(ist_layout_of(IST_TYPE_ADDRESS), ""), to_point = shape_path(pointer, ""),
             through = shape_path(turned, "->y");
    expect_ok(ist_path_get_segment(&none, &segment, 0, NULL, 0, &target));
    expect(target.address == bare && target.size == 0);
    expect_ok(ist_path_get_segment(&to_point, &segment, 8, NULL, 0, &target));
    expect(target.address == (void *)&at && target.size == sizeof(point));
    double y;
    expect_ok(ist_path_get_f64(&through, segment, 16, NULL, 0, &y));
    expect(y > 1.9 && y < 2.1);
    expect_status(ist_path_get_segment(&to_point, &segment, 0, NULL, 0, &target), IST_E_ALIGNMENT);
    expect(target.size == sizeof(point));
    memory.of_point = NULL;
    expect_ok(ist_path_get_segment(&to_point, &segment, 8, NULL, 0, &target));
    expect(target.address == NULL && target.size == 0);
    expect_status(ist_path_get_segment(&to_point, &segment, 8, NULL, 0, NULL), IST_E_ARGUMENT);
    expect_status(ist_path_get_segment(&to_point, NULL, 8, NULL, 0, &target), IST_E_ARGUMENT);
    ist_path whole = shape_path(of.item, "id");
    expect_status(ist_path_get_segment(&whole, &segment, 0, NULL, 0, &target), IST_E_LAYOUT);
    expect_ok(ist_arena_close(of.arena));
}

/* ---- Integers of any width ---- */

typedef struct bits {
    unsigned a : 3;
    int b : 7;
    uint64_t c : 51;
    bool d : 1;
    int64_t e : 64;
    unsigned f : 32;
    signed char g : 5;
    uint16_t h;
} bits;

typedef struct __attribute__((packed)) tight {
    unsigned a : 5;
    __extension__ unsigned __int128 wide : 128;
    int64_t b : 61;
    unsigned c : 1;
} tight;

#define BITS(X) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h)

static const ist_layout *make_bits(ist_arena arena)
{
    const ist_member members[] = {
        { .name = "a", .layout = ist_layout_of(IST_TYPE_UINT), .bits = 3 },
        { .name = "b", .layout = ist_layout_of(IST_TYPE_INT), .bits = 7 },
        { .name = "c", .layout = ist_layout_of(IST_TYPE_U64), .bits = 51 },
        { .name = "d", .layout = ist_layout_of(IST_TYPE_BOOL), .bits = 1 },
        { .name = "e", .layout = ist_layout_of(IST_TYPE_I64), .bits = 64 },
        { .name = "f", .layout = ist_layout_of(IST_TYPE_UINT), .bits = 32 },
        { .name = "g", .layout = ist_layout_of(IST_TYPE_SCHAR), .bits = 5 },
        { .name = "h", .layout = ist_layout_of(IST_TYPE_U16) },
    };
    const ist_layout *layout = shape_struct(arena, "bits", members, 8);
    expect_size(ist_layout_size(layout), sizeof(bits));
    return layout;
}

static void bit_fields(void **state)
{
    (void)state;
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    const ist_layout *layout = make_bits(arena);
    test_random numbers = { 1 };
    for (int round = 0; round < 2000; round++) {
        bits mine, theirs, next;
        ist_segment segment = ist_segment_of(&theirs, sizeof theirs);
        for (size_t i = 0; i < sizeof mine; i++) {
            ((uint8_t *)&mine)[i] = (uint8_t)test_random_next(&numbers);
            ((uint8_t *)&next)[i] = (uint8_t)test_random_next(&numbers);
        }
        memcpy(&theirs, &mine, sizeof mine);
#define CHECK(member)                                                                                           \
        {                                                                                                       \
            ist_path path = shape_path(layout, #member);                                                        \
            int64_t got = 1;                                                                                    \
            uint64_t positive = 1;                                                                              \
            expect_ok(ist_path_get_integer(&path, &segment, 0, NULL, 0, &got));                                 \
            expect(got == (int64_t)mine.member);                                                                \
            expect_status(ist_path_get_unsigned(&path, &segment, 0, NULL, 0, &positive),                        \
                          got >= 0 ? IST_OK : IST_E_OVERFLOW);                                                  \
            expect(got < 0 ? positive == 1 : positive == (uint64_t)mine.member);                                \
            mine.member = next.member;                                                                          \
            expect_ok(ist_path_set_integer(&path, &segment, 0, NULL, 0, (int64_t)mine.member));                 \
            expect(memcmp(&mine, &theirs, sizeof mine) == 0);                                                   \
        }
        BITS(CHECK)
    }
    expect_ok(ist_arena_close(arena));
}

/* Over 17 bytes, from bit 5 on. */
static void wide_bit_field(void **state)
{
    (void)state;
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    const ist_member members[] = {
        { .name = "a", .layout = ist_layout_of(IST_TYPE_UINT), .bits = 5 },
        { .name = "wide", .layout = ist_layout_of(IST_TYPE_UINT128), .bits = 128 },
        { .name = "b", .layout = ist_layout_of(IST_TYPE_I64), .bits = 61 },
        { .name = "c", .layout = ist_layout_of(IST_TYPE_UINT), .bits = 1 },
    };
    const ist_layout *layout;
    const ist_group_attributes packed = { .packed = 1 };
    expect_ok(ist_layout_struct_c(arena, "tight", members, 4, &packed, &layout));
    expect_size(ist_layout_size(layout), sizeof(tight));
    tight mine = { .a = 21, .wide = 1234567890123456789u, .b = -5, .c = 1 }, theirs = mine;
    ist_segment segment = ist_segment_of(&theirs, sizeof theirs);
    ist_path wide = shape_path(layout, "wide"), b = shape_path(layout, "b");
    uint64_t value;
    int64_t number;
    expect_size(wide.leaf_size, 17);
    expect_ok(ist_path_get_unsigned(&wide, &segment, 0, NULL, 0, &value));
    expect(value == 1234567890123456789u);
    mine.wide = UINT64_MAX;
    expect_ok(ist_path_set_unsigned(&wide, &segment, 0, NULL, 0, UINT64_MAX));
    expect(memcmp(&mine, &theirs, sizeof mine) == 0);
    theirs.wide = (__typeof__(theirs.wide + 0))1 << 127;
    expect_status(ist_path_get_unsigned(&wide, &segment, 0, NULL, 0, &value), IST_E_OVERFLOW);
    expect_status(ist_path_get_integer(&wide, &segment, 0, NULL, 0, &number), IST_E_OVERFLOW);
    expect_sentence("an unsigned integer of 128 bits");
    expect_ok(ist_path_get_integer(&b, &segment, 0, NULL, 0, &number));
    expect(number == -5);
    expect_ok(ist_arena_close(arena));
}

static void set_limits(const ist_layout *layout, const char *text, int64_t min, uint64_t max)
{
    _Alignas(16) uint8_t room[64] = { 0 };
    ist_segment segment = ist_segment_of(room, sizeof room);
    ist_path path = shape_path(layout, text);
    int64_t low;
    uint64_t high;
    expect_ok(ist_path_set_integer(&path, &segment, 0, NULL, 0, min));
    expect_ok(ist_path_get_integer(&path, &segment, 0, NULL, 0, &low));
    expect(low == min);
    expect_ok(ist_path_set_unsigned(&path, &segment, 0, NULL, 0, max));
    expect_ok(ist_path_get_unsigned(&path, &segment, 0, NULL, 0, &high));
    expect(high == max);
    if (min > INT64_MIN)
        expect_status(ist_path_set_integer(&path, &segment, 0, NULL, 0, min - 1), IST_E_OVERFLOW);
    if (max < UINT64_MAX)
        expect_status(ist_path_set_unsigned(&path, &segment, 0, NULL, 0, max + 1), IST_E_OVERFLOW);
    expect_ok(ist_path_get_unsigned(&path, &segment, 0, NULL, 0, &high));
    expect(high == max);
    expect_status(ist_path_set_integer(&path, NULL, 0, NULL, 0, 0), IST_E_ARGUMENT);
    expect_status(ist_path_get_integer(&path, &segment, 0, NULL, 0, NULL), IST_E_ARGUMENT);
    expect_status(ist_path_get_unsigned(&path, &segment, 0, NULL, 0, NULL), IST_E_ARGUMENT);
    expect_status(ist_path_get_unsigned(&path, &segment, sizeof room, NULL, 0, &high), IST_E_BOUNDS);
    ist_segment fixed = ist_segment_as_read_only(segment);
    expect_status(ist_path_set_integer(&path, &fixed, 0, NULL, 0, 0), IST_E_READ_ONLY);
}

static void integers_that_fit(void **state)
{
    (void)state;
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    const ist_layout *layout = make_bits(arena);
    set_limits(layout, "a", 0, 7);
    set_limits(layout, "b", -64, 63);
    set_limits(layout, "c", 0, (UINT64_C(1) << 51) - 1);
    set_limits(layout, "d", 0, 1);
    set_limits(layout, "e", INT64_MIN, INT64_MAX);
    set_limits(layout, "h", 0, UINT16_MAX);
    set_limits(ist_layout_of(IST_TYPE_BOOL), "", 0, 1);
    set_limits(ist_layout_of(IST_TYPE_CHAR), "", CHAR_MIN, CHAR_MAX);
    set_limits(ist_layout_of(IST_TYPE_I16), "", INT16_MIN, INT16_MAX);
    set_limits(ist_layout_of(IST_TYPE_U64), "", 0, UINT64_MAX);
    set_limits(ist_layout_of(IST_TYPE_INT128), "", INT64_MIN, UINT64_MAX);
    set_limits(ist_layout_of(IST_TYPE_UINT128), "", 0, UINT64_MAX);
    set_limits(shape_swapped(arena, IST_TYPE_INT), "", INT32_MIN, INT32_MAX);
    set_limits(shape_swapped(arena, IST_TYPE_INT128), "", INT64_MIN, UINT64_MAX);
    uint8_t byte = 0xC0;
    int64_t value;
    ist_segment segment = ist_segment_of(&byte, 1);
    ist_path flag = shape_path(ist_layout_of(IST_TYPE_BOOL), "");
    expect_ok(ist_path_get_integer(&flag, &segment, 0, NULL, 0, &value));
    expect(value == 1);
    expect_ok(ist_arena_close(arena));
}

/* A bit-field has no bytes, no address and no other byte order. */
static void bit_fields_refused(void **state)
{
    (void)state;
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    bits memory = { 0 };
    ist_segment segment = ist_segment_of(&memory, sizeof memory), slice;
    const ist_layout *layout = make_bits(arena);
    ist_path f = shape_path(layout, "f"), none;
    uint32_t value;
    expect_status(ist_path_get_u32(&f, segment, 0, NULL, 0, &value), IST_E_LAYOUT);
    expect_sentence("a bit-field of 32 bits, not to an integer of 4 bytes");
    expect_status(ist_path_slice(&f, &segment, 0, NULL, 0, &slice), IST_E_UNSUPPORTED);
    expect_status(ist_path_get_value(&f, &segment, 0, NULL, 0, &value, 4), IST_E_UNSUPPORTED);
    expect_status(ist_path_set_value(&f, &segment, 0, NULL, 0, &value, 4), IST_E_UNSUPPORTED);
    const ist_member turned[] = { { .name = "t", .layout = shape_swapped(arena, IST_TYPE_UINT), .bits = 3 } };
    const ist_layout *odd;
    if (ist_layout_struct_c(arena, "odd", turned, 1, NULL, &odd) == IST_OK)
        expect_status(ist_path_resolve(odd, "t", &none), IST_E_UNSUPPORTED);
    expect_ok(ist_arena_close(arena));
}

/* ---- Values of any type ---- */

static void whole_values(void **state)
{
    (void)state;
    shapes of = shapes_open();
    item items[10], got, set = { .id = 7, .tag = "seven", .at = { { 1, 2 } } };
    memset(items, 0, sizeof items);
    ist_segment segment = ist_segment_of(items, sizeof items);
    ist_path one = shape_path(of.items, "[]");
    expect_ok(ist_path_set_value(&one, &segment, 0, (size_t[]){ 6 }, 1, &set, sizeof set));
    expect(memcmp(&items[6], &set, sizeof set) == 0);
    expect_ok(ist_path_get_value(&one, &segment, 0, (size_t[]){ 6 }, 1, &got, sizeof got));
    expect(memcmp(&got, &set, sizeof set) == 0);
    expect_status(ist_path_get_value(&one, &segment, 0, (size_t[]){ 6 }, 1, &got, sizeof got - 1), IST_E_LAYOUT);
    expect_status(ist_path_get_value(&one, &segment, 0, (size_t[]){ 10 }, 1, &got, sizeof got), IST_E_BOUNDS);
    expect_status(ist_path_get_value(&one, &segment, 8, (size_t[]){ 0 }, 1, &got, sizeof got), IST_E_BOUNDS);
    expect_status(ist_path_get_value(&one, &segment, 0, (size_t[]){ 6 }, 1, NULL, sizeof got), IST_E_ARGUMENT);
    expect_status(ist_path_set_value(&one, &segment, 0, NULL, 0, &got, sizeof got), IST_E_ARGUMENT);
    ist_segment fixed = ist_segment_as_read_only(segment), slice;
    expect_status(ist_path_set_value(&one, &fixed, 0, (size_t[]){ 6 }, 1, &set, sizeof set), IST_E_READ_ONLY);
    expect_ok(ist_path_slice(&one, &fixed, 0, (size_t[]){ 6 }, 1, &slice));
    expect(ist_segment_is_read_only(slice) && slice.address == (void *)&items[6]);
    expect_status(ist_path_slice(&one, &segment, 0, (size_t[]){ 6 }, 1, NULL), IST_E_ARGUMENT);
    expect_status(ist_path_slice(&one, &segment, 4, (size_t[]){ 6 }, 1, &slice), IST_E_BOUNDS);
    ist_segment odd = ist_segment_of((char *)items + 4, sizeof items - 4);
    ist_path single = shape_path(of.item, "at[1]");
    expect_status(ist_path_slice(&single, &odd, 0, NULL, 0, &slice), IST_E_ALIGNMENT);
    expect_ok(ist_path_slice(&single, &odd, 4, NULL, 0, &slice));
    expect(slice.address == (void *)((char *)items + 8 + offsetof(item, at[1])));
    expect_ok(ist_arena_close(of.arena));
}

/* Units of the other byte order are turned one by one: a complex number's halves, a vector's elements. */
static void turned_values(void **state)
{
    (void)state;
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    double complex number = 1.5 - 3 * I, got;
    double halves[2];
    ist_segment segment = ist_segment_of(halves, sizeof halves);
    ist_path path = shape_path(shape_swapped(arena, IST_TYPE_COMPLEX_DOUBLE), "");
    expect_ok(ist_path_set_value(&path, &segment, 0, NULL, 0, &number, sizeof number));
    turn(&halves[0], 8);
    turn(&halves[1], 8);
    expect(memcmp(halves, &number, sizeof number) == 0);
    turn(&halves[0], 8);
    turn(&halves[1], 8);
    expect_ok(ist_path_get_value(&path, &segment, 0, NULL, 0, &got, sizeof got));
    expect(memcmp(&got, &number, sizeof got) == 0);

    const ist_layout *vector;
    uint16_t four[4] = { 0x0102, 0x0304, 0x0506, 0x0708 }, lanes[4];
    _Alignas(8) static const uint8_t bytes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    expect_ok(ist_layout_vector(arena, shape_swapped(arena, IST_TYPE_U16), 4, &vector));
    path = shape_path(vector, "");
    ist_segment fixed = ist_segment_of_const(bytes, 8);
    expect_ok(ist_path_get_value(&path, &fixed, 0, NULL, 0, lanes, 8));
    expect(memcmp(lanes, four, 8) == 0);
    path = shape_path(vector, "[2]");
    expect_ok(ist_path_get_u16(&path, fixed, 0, NULL, 0, &lanes[0]));
    expect(lanes[0] == 0x0506);
    expect_ok(ist_arena_close(arena));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(values_of_each_type),
        test_case(types_that_fit),
        test_case(booleans),
        test_case(every_status),
        test_case(layouts_end_first),
        test_case(shared_arenas),
        test_case(flexible_members),
        test_case(dereferences),
        test_case(pointers_in_arenas),
        test_case(targets),
        test_case(bit_fields),
        test_case(wide_bit_field),
        test_case(integers_that_fit),
        test_case(bit_fields_refused),
        test_case(whole_values),
        test_case(turned_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
