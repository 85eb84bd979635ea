/* SPDX-License-Identifier: MIT */
/* Resolving paths: where they lead to, against offsetof and a naive walk, and what is refused with which sentence. */
#include "shapes.h"
#include "support/random.h"

/* ---- Against the compiler ---- */

typedef struct expectation {
    const char *text;
    size_t size; /* Of the leaf. */
    size_t open_count;
    size_t indexes[3];
    size_t offset;
} expectation;

static void check_offsets(const ist_layout *root, const expectation *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ist_path path = shape_path(root, wanted[i].text);
        size_t offset = 77;
        expect_ok(ist_path_offset(&path, wanted[i].indexes, wanted[i].open_count, &offset));
        expect_size(offset, wanted[i].offset);
        expect_size(ist_layout_size(ist_path_layout(&path)), wanted[i].size);
        expect_size(path.open_count, wanted[i].open_count);
        expect_size(path.size, ist_layout_size(root));
        expect_size(path.alignment, ist_layout_alignment(root));
    }
}

static void offsets_of_c(void **state)
{
    (void)state;
    shapes of = shapes_open();
    static const expectation in_item[] = {
        { "", sizeof(item), 0, { 0 }, 0 },
        { "id", 2, 0, { 0 }, offsetof(item, id) },
        { "tag[5]", 1, 0, { 0 }, offsetof(item, tag[5]) },
        { "tag[]", 1, 1, { 4 }, offsetof(item, tag[4]) },
        { "number", 4, 0, { 0 }, offsetof(item, number) },
        { "fraction", 4, 0, { 0 }, offsetof(item, fraction) },
        { "at[2]", sizeof(point), 0, { 0 }, offsetof(item, at[2]) },
        { "at[2].y", 8, 0, { 0 }, offsetof(item, at[2].y) },
        { "at[].y", 8, 1, { 1 }, offsetof(item, at[1].y) },
        { "at[2:-1].x", 8, 1, { 2 }, offsetof(item, at[0].x) },
        { "grid", 40, 0, { 0 }, offsetof(item, grid) },
        { "grid[3]", 10, 0, { 0 }, offsetof(item, grid[3]) },
        { "grid[3][4]", 2, 0, { 0 }, offsetof(item, grid[3][4]) },
        { "grid[][]", 2, 2, { 2, 3 }, offsetof(item, grid[2][3]) },
        { "grid[1][]", 2, 1, { 3 }, offsetof(item, grid[1][3]) },
        { "grid[][1:2]", 2, 2, { 3, 1 }, offsetof(item, grid[3][3]) },
        { "grid[3:-2][4:-3]", 2, 2, { 1, 1 }, offsetof(item, grid[1][1]) },
    };
    check_offsets(of.item, in_item, sizeof in_item / sizeof in_item[0]);
    static const expectation in_items[] = {
        { "[7].id", 2, 0, { 0 }, 7 * sizeof(item) + offsetof(item, id) },
        { "[].at[].x", 8, 2, { 9, 2 }, 9 * sizeof(item) + offsetof(item, at[2].x) },
        { "[].grid[][]", 2, 3, { 8, 1, 2 }, 8 * sizeof(item) + offsetof(item, grid[1][2]) },
        { "[9:-3].number", 4, 1, { 3 }, offsetof(item, number) },
    };
    check_offsets(of.items, in_items, sizeof in_items / sizeof in_items[0]);
    static const expectation in_list[] = {
        { "count", 4, 0, { 0 }, offsetof(list, count) },
        { "points", 0, 0, { 0 }, offsetof(list, points) },
        { "points[12].y", 8, 0, { 0 }, offsetof(list, points) + 12 * sizeof(point) + offsetof(point, y) },
        { "points[].x", 8, 1, { 1000000 }, offsetof(list, points) + 1000000 * sizeof(point) },
        { "points[4:3].y", 8, 1, { 5 }, offsetof(list, points) + 19 * sizeof(point) + offsetof(point, y) },
        { "points[4:-2].y", 8, 1, { 2 }, offsetof(list, points) + offsetof(point, y) },
    };
    check_offsets(of.list, in_list, sizeof in_list / sizeof in_list[0]);
    static const expectation in_frame[] = {
        { "length", 8, 0, { 0 }, offsetof(frame, length) },
        { "ratio", 4, 0, { 0 }, offsetof(frame, ratio) },
    };
    check_offsets(of.frame, in_frame, sizeof in_frame / sizeof in_frame[0]);
    expect_ok(ist_arena_close(of.arena));
}

/* How many elements a range has is how many a loop finds. */
static void counts_of_ranges(void **state)
{
    (void)state;
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    for (size_t count = 1; count <= 7; count++) {
        const ist_layout *array = shape_array(arena, count, ist_layout_of(IST_TYPE_U32));
        for (size_t first = 0; first < count; first++) {
            for (ptrdiff_t step = -8; step <= 8; step++) {
                ist_path path;
                const ist_path_element range[] = { IST_PATH_RANGE(first, step) };
                if (step == 0) {
                    expect_status(ist_path_resolve_elements(array, range, 1, &path), IST_E_LAYOUT);
                    continue;
                }
                expect_ok(ist_path_resolve_elements(array, range, 1, &path));
                size_t index = 0, offset = 0;
                for (ptrdiff_t at = (ptrdiff_t)first; at >= 0 && at < (ptrdiff_t)count; at += step, index++) {
                    expect_ok(ist_path_offset(&path, &index, 1, &offset));
                    expect_size(offset, (size_t)at * 4);
                }
                expect_size(path.open[0].count, index);
                expect_status(ist_path_offset(&path, &index, 1, &offset), IST_E_BOUNDS);
                index = SIZE_MAX;
                expect_status(ist_path_offset(&path, &index, 1, &offset), IST_E_BOUNDS);
            }
        }
    }
    const ist_path_element vast[] = { IST_PATH_RANGE(0, PTRDIFF_MIN) };
    ist_path path;
    expect_ok(ist_path_resolve_elements(shape_array(arena, 3, ist_layout_of(IST_TYPE_U32)), vast, 1, &path));
    expect_size(path.open[0].count, 1);
    /* An array of nothing has an open index that no value fits. */
    expect_ok(ist_path_resolve(shape_array(arena, 0, ist_layout_of(IST_TYPE_U32)), "[]", &path));
    expect_status(ist_path_offset(&path, &(size_t){ 0 }, 1, &(size_t){ 0 }), IST_E_BOUNDS);
    expect_ok(ist_arena_close(arena));
}

/* No index of a part without an end leads beyond what can be addressed. */
static void far_ends(void **state)
{
    (void)state;
    shapes of = shapes_open();
    static const char *const texts[] = { "points[].y", "points[1:3].y", "points[5:1000000000000000000].x" };
    for (size_t i = 0; i < 3; i++) {
        ist_path path = shape_path(of.list, texts[i]);
        size_t offset, last = path.open[0].count - 1;
        expect_ok(ist_path_offset(&path, &last, 1, &offset));
        expect(offset <= PTRDIFF_MAX - 8);
        last++;
        expect_status(ist_path_offset(&path, &last, 1, &offset), IST_E_BOUNDS);
    }
    expect(shape_path(of.list, "points[].y").open[0].count > PTRDIFF_MAX / sizeof(point) - 3);
    expect_ok(ist_arena_close(of.arena));
}

/* ---- Elements ---- */

static bool same(const ist_path *a, const ist_path *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void elements_are_text(void **state)
{
    (void)state;
    shapes of = shapes_open();
    ist_path path, same_path;
    const ist_path_element steps[] = { IST_PATH_INDEX(3), IST_PATH_MEMBER("grid"), IST_PATH_RANGE(3, -1),
                                       IST_PATH_OPEN };
    memset(&path, 0, sizeof path); /* What lies between members compares as well. */
    memset(&same_path, 0, sizeof same_path);
    expect_ok(ist_path_resolve(of.items, "[3].grid[3:-1][]", &path));
    expect_ok(ist_path_resolve_elements(of.items, steps, 4, &same_path));
    expect(same(&path, &same_path));
    const ist_path_element numbered[] = { IST_PATH_INDEX(3), IST_PATH_MEMBER_AT(4), IST_PATH_RANGE(3, -1),
                                          IST_PATH_OPEN };
    expect_ok(ist_path_resolve_elements(of.items, numbered, 4, &same_path));
    expect(same(&path, &same_path));
    const ist_path_element inner[] = { IST_PATH_MEMBER_AT(2), IST_PATH_MEMBER_AT(1) };
    expect_ok(ist_path_resolve(of.item, "fraction", &path));
    expect_ok(ist_path_resolve_elements(of.item, inner, 2, &same_path));
    expect(same(&path, &same_path));
    expect_ok(ist_path_resolve(of.item, "", &path));
    expect_ok(ist_path_resolve_elements(of.item, NULL, 0, &same_path));
    expect(same(&path, &same_path) && ist_path_layout(&path) == of.item);
    expect_ok(ist_arena_close(of.arena));
}

/* A name that is no identifier is reached by an element. */
static void names_of_any_kind(void **state)
{
    (void)state;
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    const ist_member members[] = { { .name = "a.b", .layout = ist_layout_of(IST_TYPE_INT) },
                                   { .name = "a", .layout = ist_layout_of(IST_TYPE_INT) },
                                   { .name = "\xc3\xa4_$9", .layout = ist_layout_of(IST_TYPE_INT) } };
    const ist_layout *odd = shape_struct(arena, "odd", members, 3);
    const ist_path_element dotted[] = { IST_PATH_MEMBER("a.b") };
    ist_path path;
    expect_ok(ist_path_resolve_elements(odd, dotted, 1, &path));
    expect_size(path.offset, 0);
    expect_size(shape_path(odd, "a").offset, 4);
    expect_size(shape_path(odd, "\xc3\xa4_$9").offset, 8);
    expect_ok(ist_arena_close(arena));
}

/* ---- Refusals ---- */

static void refused_texts(void **state)
{
    (void)state;
    shapes of = shapes_open();
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        { "z", "no member 'z' in struct item; it has id, tag, number, fraction, at, grid (at 0 of \"z\")" },
        { "at[1].z", "no member 'z' in struct point; it has x, y (at 6 of \"at[1].z\")" },
        { "at[].xx", "no member 'xx' in struct point" },
        { "tag[6]", "no element 6 in array of 6 (at 3 of" },
        { "tag[6:1]", "no element 6 in array of 6" },
        { "tag[18446744073709551616]", "more than 63 bits" },
        { "tag[0:0]", "step 0" },
        { "tag[", "a number is wanted (at 4 of" },
        { "tag[]x", "'.', '->' or '[' is wanted (at 5 of" },
        { "tag[1", "']' or ':' is wanted" },
        { "tag[1:2", "']' is wanted" },
        { "tag[1:]", "a number is wanted" },
        { "tag[-1]", "a number is wanted" },
        { "tag[ 1]", "a number is wanted" },
        { "id.x", "short has no members (at 3 of" },
        { "id[0]", "short has no elements" },
        { "id->", "short has no target" },
        { ".id", "a name is wanted (at 0 of" },
        { "id.", "a name is wanted (at 3 of" },
        { " id", "a name is wanted" },
        { "id ", "'.', '->' or '[' is wanted" },
        { "9", "a name is wanted" },
        { "[0]", "struct item has no elements" },
        { "at.x", "array of 3 has no members" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ist_path path, kept;
        memset(&path, 0x5A, sizeof path);
        kept = path;
        test_context("path \"%s\"", cases[i].text);
        expect_status(ist_path_resolve(of.item, cases[i].text, &path), IST_E_LAYOUT);
        expect_sentence(cases[i].sentence);
        expect(same(&path, &kept));
    }
    expect_ok(ist_arena_close(of.arena));
}

static void refused_elements(void **state)
{
    (void)state;
    shapes of = shapes_open();
    ist_path path;
    static const ist_path_element unknown[] = { { (ist_path_kind)0, NULL, 0, 0 } };
    static const ist_path_element nameless[] = { IST_PATH_MEMBER(NULL) };
    static const ist_path_element far[] = { IST_PATH_MEMBER_AT(5) };
    static const ist_path_element second[] = { IST_PATH_MEMBER("at"), IST_PATH_INDEX(3) };
    static const ist_path_element endless[] = { IST_PATH_MEMBER("points"), IST_PATH_INDEX(SIZE_MAX) };
    expect_status(ist_path_resolve_elements(of.item, unknown, 1, &path), IST_E_ARGUMENT);
    expect_status(ist_path_resolve_elements(of.item, nameless, 1, &path), IST_E_ARGUMENT);
    expect_status(ist_path_resolve_elements(of.item, far, 1, &path), IST_E_LAYOUT);
    expect_sentence("no member 5 in struct item; it has 5");
    expect_status(ist_path_resolve_elements(of.item, second, 2, &path), IST_E_LAYOUT);
    expect_sentence("no element 3 in array of 3 (element 1)");
    expect_status(ist_path_resolve_elements(of.list, endless, 2, &path), IST_E_LAYOUT);
    expect_sentence("beyond what can be addressed");
    expect_status(ist_path_resolve(NULL, "x", &path), IST_E_ARGUMENT);
    expect_status(ist_path_resolve(of.item, NULL, &path), IST_E_ARGUMENT);
    expect_status(ist_path_resolve(of.item, "id", NULL), IST_E_ARGUMENT);
    expect_status(ist_path_resolve_elements(of.item, NULL, 1, &path), IST_E_ARGUMENT);
    expect_status(ist_path_resolve_elements(NULL, second, 2, &path), IST_E_ARGUMENT);
    expect_status(ist_path_resolve_elements(of.item, second, 2, NULL), IST_E_ARGUMENT);
    expect(ist_path_layout(NULL) == NULL && ist_path_layout(&(ist_path){ 0 }) == NULL);
    expect_ok(ist_arena_close(of.arena));
}

/* 8 open indexes and 4 dereferences there are, one more there is not. */
static void limits(void **state)
{
    (void)state;
    ist_arena arena;
    ist_path path;
    expect_ok(ist_arena_open_confined(&arena));
    const ist_layout *deep = ist_layout_of(IST_TYPE_U8), *far = ist_layout_of(IST_TYPE_U8);
    for (int i = 0; i < 9; i++)
        deep = shape_array(arena, 2, deep);
    expect_ok(ist_path_resolve(deep, "[][][][][][][][][1]", &path));
    size_t offset;
    expect_ok(ist_path_offset(&path, (size_t[]){ 1, 0, 1, 0, 1, 0, 1, 0 }, 8, &offset));
    expect_size(offset, 256 + 64 + 16 + 4 + 1);
    expect_status(ist_path_resolve(deep, "[][][][][][][][][]", &path), IST_E_UNSUPPORTED);
    expect_sentence("more than 8 open indexes (at 16 of");
    for (int i = 0; i < 5; i++)
        far = shape_pointer(arena, far);
    expect_ok(ist_path_resolve(far, "->->->->", &path));
    expect_status(ist_path_resolve(far, "->->->->->", &path), IST_E_UNSUPPORTED);
    expect_sentence("more than 4 dereferences");
    expect_status(ist_path_offset(&path, NULL, 0, &offset), IST_E_LAYOUT);
    expect_status(ist_path_offset(&path, NULL, 1, &offset), IST_E_ARGUMENT);
    expect_status(ist_path_offset(&path, NULL, 0, NULL), IST_E_ARGUMENT);
    expect_status(ist_path_offset(NULL, NULL, 0, &offset), IST_E_ARGUMENT);
    expect_status(ist_path_offset(&(ist_path){ 0 }, NULL, 0, &offset), IST_E_ARGUMENT);
    expect_ok(ist_path_resolve(deep, "[0][]", &path));
    expect_status(ist_path_offset(&path, NULL, 1, &offset), IST_E_ARGUMENT);
    expect_ok(ist_arena_close(arena));
}

/* ---- Against a naive walk ---- */

static test_random numbers;

static size_t random_below(size_t bound)
{
    return (size_t)test_random_below(&numbers, bound);
}

enum { PARTS = 4 };

/* What the test knows of a layout that it made. */
typedef struct tree {
    char kind; /* 'v' value, 's' struct, 'u' union, 'a' array */
    size_t size, alignment, count;
    struct tree *parts[PARTS]; /* Of an array: the first. */
    size_t offsets[PARTS];
    const ist_layout *layout;
} tree;

static tree nodes[4096];
static size_t node_count;

static size_t up(size_t value, size_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

static tree *grow(ist_arena arena, int depth)
{
    static const ist_type types[] = { IST_TYPE_U8, IST_TYPE_I16, IST_TYPE_U32, IST_TYPE_I64, IST_TYPE_FLOAT,
                                      IST_TYPE_DOUBLE };
    static const size_t sizes[] = { 1, 2, 4, 8, 4, 8 };
    tree *node = &nodes[node_count++];
    size_t choice = depth == 0 ? 0 : random_below(4);
    *node = (tree){ .kind = "vsua"[choice], .alignment = 1 };
    if (node->kind == 'v') {
        size_t which = random_below(6);
        node->layout = ist_layout_of(types[which]);
        node->size = node->alignment = sizes[which];
        return node;
    }
    node->count = 1 + random_below(PARTS);
    if (node->kind == 'a') {
        tree *element = node->parts[0] = grow(arena, depth - 1);
        node->size = node->count * element->size;
        node->alignment = element->alignment;
        node->layout = shape_array(arena, node->count, element->layout);
        return node;
    }
    static const char *const names[] = { "a", "b", "c", "d" };
    ist_member members[PARTS];
    size_t end = 0;
    for (size_t i = 0; i < node->count; i++) {
        tree *part = node->parts[i] = grow(arena, depth - 1);
        node->offsets[i] = node->kind == 's' ? up(end, part->alignment) : 0;
        end = node->kind == 's' || part->size > end ? node->offsets[i] + part->size : end;
        node->alignment = part->alignment > node->alignment ? part->alignment : node->alignment;
        members[i] = (ist_member){ .name = names[i], .layout = part->layout };
    }
    node->size = up(end, node->alignment);
    if (node->kind == 's')
        expect_ok(ist_layout_struct_c(arena, "s", members, node->count, NULL, &node->layout));
    else
        expect_ok(ist_layout_union_c(arena, "u", members, node->count, NULL, &node->layout));
    return node;
}

/* A walk down a tree: its text, its elements, and the offset that they should have with these indexes. */
typedef struct walk {
    char text[200];
    ist_path_element elements[16];
    size_t element_count;
    size_t indexes[8], counts[8], index_count;
    size_t offset;
    const tree *end;
} walk;

static void step_into_array(walk *down, const tree *at)
{
    size_t first = random_below(at->count), index, magnitude = 1 + random_below(3);
    bool backwards = random_below(2);
    char step[40];
    ist_path_element *element = &down->elements[down->element_count++];
    switch (random_below(3)) {
    case 0:
        snprintf(step, sizeof step, "[%zu]", first);
        *element = (ist_path_element)IST_PATH_INDEX(first);
        down->offset += first * at->parts[0]->size;
        break;
    case 1:
        index = random_below(at->count);
        snprintf(step, sizeof step, "[]");
        *element = (ist_path_element)IST_PATH_OPEN;
        down->counts[down->index_count] = at->count;
        down->indexes[down->index_count++] = index;
        down->offset += index * at->parts[0]->size;
        break;
    default: {
        size_t there = 0;
        for (ptrdiff_t i = (ptrdiff_t)first; i >= 0 && i < (ptrdiff_t)at->count;
             i += backwards ? -(ptrdiff_t)magnitude : (ptrdiff_t)magnitude)
            there++;
        index = random_below(there);
        snprintf(step, sizeof step, "[%zu:%s%zu]", first, backwards ? "-" : "", magnitude);
        *element = (ist_path_element)IST_PATH_RANGE(first,
                                                    backwards ? -(ptrdiff_t)magnitude : (ptrdiff_t)magnitude);
        down->counts[down->index_count] = there;
        down->indexes[down->index_count++] = index;
        down->offset += (backwards ? first - index * magnitude : first + index * magnitude) * at->parts[0]->size;
    }
    }
    strcat(down->text, step);
    down->end = at->parts[0];
}

static void step_into_group(walk *down, const tree *at)
{
    static const char *const names[] = { "a", "b", "c", "d" };
    size_t which = random_below(at->count);
    if (down->text[0] != '\0')
        strcat(down->text, ".");
    strcat(down->text, names[which]);
    down->elements[down->element_count++] = (ist_path_element)IST_PATH_MEMBER(names[which]);
    down->offset += at->offsets[which];
    down->end = at->parts[which];
}

static void check_walk(const tree *root, const walk *down)
{
    static _Alignas(64) uint8_t room[1 << 16];
    ist_path path, by_elements;
    size_t offset;
    test_context("path \"%s\"", down->text);
    memset(&path, 0, sizeof path);
    memset(&by_elements, 0, sizeof by_elements);
    expect_ok(ist_path_resolve(root->layout, down->text, &path));
    expect_ok(ist_path_resolve_elements(root->layout, down->elements, down->element_count, &by_elements));
    expect(same(&path, &by_elements));
    expect_ok(ist_path_offset(&path, down->indexes, down->index_count, &offset));
    expect_size(offset, down->offset);
    expect(ist_path_layout(&path) == down->end->layout);
    for (size_t i = 0; i < down->index_count; i++)
        expect_size(path.open[i].count, down->counts[i]);
    if (root->size > sizeof room / 2)
        return;
    ist_segment slice, segment = ist_segment_of(room, 2 * root->size);
    expect_ok(ist_path_slice(&path, &segment, root->size, down->indexes, down->index_count, &slice));
    expect(slice.address == room + root->size + down->offset && slice.size == down->end->size);
    memset(room, 0, 2 * root->size);
    uint8_t value[8];
    memset(value, 0xA5, sizeof value);
    if (down->end->kind == 'v') {
        expect_ok(ist_path_set_value(&path, &segment, root->size, down->indexes, down->index_count, value,
                                     down->end->size));
        expect(test_all_bytes(room, root->size + down->offset, 0));
        expect(test_all_bytes(room + root->size + down->offset, down->end->size, 0xA5));
        size_t end = root->size + down->offset + down->end->size;
        expect(test_all_bytes(room + end, 2 * root->size - end, 0));
    }
}

static void random_paths(void **state)
{
    (void)state;
    for (int trees = 0; trees < 300; trees++) {
        ist_arena arena;
        node_count = 0;
        expect_ok(ist_arena_open_confined(&arena));
        const tree *root = grow(arena, 4);
        for (int round = 0; round < 20; round++) {
            walk down = { .end = root };
            while (down.end->kind != 'v' && random_below(12) != 0) {
                if (down.end->kind == 'a')
                    step_into_array(&down, down.end);
                else
                    step_into_group(&down, down.end);
            }
            check_walk(root, &down);
        }
        expect_ok(ist_arena_close(arena));
    }
}

int main(int count, char **arguments)
{
    numbers = test_random_seeded(count, arguments, 1);
    static const struct CMUnitTest tests[] = {
        test_case(offsets_of_c),
        test_case(counts_of_ranges),
        test_case(far_ends),
        test_case(elements_are_text),
        test_case(names_of_any_kind),
        test_case(refused_texts),
        test_case(refused_elements),
        test_case(limits),
        test_case(random_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
