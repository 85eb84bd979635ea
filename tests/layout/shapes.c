/* SPDX-License-Identifier: MIT */
#include "shapes.h"

const ist_layout *shape_struct(ist_arena arena, const char *tag, const ist_member *members, size_t count)
{
    const ist_layout *layout;
    expect_ok(ist_layout_struct_c(arena, tag, members, count, NULL, &layout));
    return layout;
}

const ist_layout *shape_array(ist_arena arena, size_t count, const ist_layout *element)
{
    const ist_layout *layout;
    expect_ok(ist_layout_sequence(arena, count, element, &layout));
    return layout;
}

const ist_layout *shape_swapped(ist_arena arena, ist_type type)
{
    const ist_layout *layout;
    ist_order other = IST_ORDER_NATIVE == IST_ORDER_LITTLE ? IST_ORDER_BIG : IST_ORDER_LITTLE;
    expect_ok(ist_layout_with_order(arena, ist_layout_of(type), other, &layout));
    return layout;
}

const ist_layout *shape_pointer(ist_arena arena, const ist_layout *target)
{
    const ist_layout *layout;
    expect_ok(ist_layout_address_to(arena, target, &layout));
    return layout;
}

ist_path shape_path(const ist_layout *root, const char *text)
{
    ist_path path;
    test_context("path \"%s\"", text);
    expect_ok(ist_path_resolve(root, text, &path));
    return path;
}

static const ist_layout *make_item(ist_arena arena, const ist_layout *of_point)
{
    const ist_layout *choice;
    const ist_member choices[] = { { .name = "number", .layout = ist_layout_of(IST_TYPE_I32) },
                                   { .name = "fraction", .layout = ist_layout_of(IST_TYPE_FLOAT) } };
    expect_ok(ist_layout_union_c(arena, NULL, choices, 2, NULL, &choice));
    const ist_layout *row = shape_array(arena, 5, ist_layout_of(IST_TYPE_U16));
    const ist_member members[] = {
        { .name = "id", .layout = ist_layout_of(IST_TYPE_SHORT) },
        { .name = "tag", .layout = shape_array(arena, 6, ist_layout_of(IST_TYPE_CHAR)) },
        { .layout = choice },
        { .name = "at", .layout = shape_array(arena, 3, of_point) },
        { .name = "grid", .layout = shape_array(arena, 4, row) },
    };
    return shape_struct(arena, "item", members, 5);
}

shapes shapes_open(void)
{
    shapes of;
    expect_ok(ist_arena_open_confined(&of.arena));
    const ist_layout *real = ist_layout_of(IST_TYPE_DOUBLE);
    const ist_member xy[] = { { .name = "x", .layout = real }, { .name = "y", .layout = real } };
    of.point = shape_struct(of.arena, "point", xy, 2);
    of.item = make_item(of.arena, of.point);
    of.items = shape_array(of.arena, 10, of.item);
    const ist_member parts[] = { { .name = "count", .layout = ist_layout_of(IST_TYPE_U32) },
                                 { .name = "points", .layout = shape_array(of.arena, IST_COUNT_OPEN, of.point) } };
    of.list = shape_struct(of.arena, "list", parts, 2);
    const ist_member fields[] = { { .name = "kind", .layout = ist_layout_of(IST_TYPE_U8) },
                                  { .name = "length", .layout = ist_layout_of(IST_TYPE_U64) },
                                  { .name = "ratio", .layout = ist_layout_of(IST_TYPE_FLOAT) } };
    ist_group_attributes packed = { .packed = 1 };
    expect_ok(ist_layout_struct_c(of.arena, "frame", fields, 3, &packed, &of.frame));
    expect_size(ist_layout_size(of.item), sizeof(item));
    expect_size(ist_layout_size(of.list), sizeof(list));
    expect_size(ist_layout_size(of.frame), sizeof(frame));
    return of;
}
