/* SPDX-License-Identifier: MIT */
/*
 * The public makers of layouts: each checks its pointers, makes the layout in scratch memory and moves
 * it into the arena.
 */
#include "access/maker.h"
#include "base/size.h"
#include "session/error.h"

#define LAYOUT "layout"

static ist_status refuse_null(void)
{
    return isti_fail_argument(LAYOUT,
                              "NULL where a layout, a name or a place for the result is wanted");
}

/* MAKE(arena, ret_layout, call): the body of a maker whose pointers are there. */
#define MAKE(arena, ret_layout, call)                                \
    do {                                                             \
        isti_maker maker;                                            \
        ist_status status = isti_maker_begin(&maker, arena, LAYOUT); \
        if (status != IST_OK)                                        \
            return status;                                           \
        call;                                                        \
        return isti_maker_end(&maker, ret_layout);                   \
    } while (0)

ist_status
ist_layout_address_to(ist_arena arena, const ist_layout *target, const ist_layout **ret_layout)
{
    if (ret_layout == NULL || target == NULL)
        return refuse_null();
    MAKE(arena, ret_layout, isti_address_to(&maker.scratch, target, &maker.layout, &maker.problem));
}

ist_status ist_layout_vector(ist_arena arena, const ist_layout *element, size_t count,
                             const ist_layout **ret_layout)
{
    if (ret_layout == NULL || element == NULL)
        return refuse_null();
    MAKE(arena, ret_layout,
         isti_vector(&maker.scratch, element, count, &maker.layout, &maker.problem));
}

ist_status ist_layout_enum(ist_arena arena, const char *tag, const ist_layout *type,
                           const ist_enumerator *enumerators, size_t count,
                           const ist_layout **ret_layout)
{
    if (ret_layout == NULL || type == NULL || (enumerators == NULL && count != 0))
        return refuse_null();
    MAKE(arena, ret_layout,
         isti_enum(&maker.scratch, tag, type, enumerators, count, &maker.layout, &maker.problem));
}

ist_status ist_layout_padding(ist_arena arena, size_t size, const ist_layout **ret_layout)
{
    if (ret_layout == NULL)
        return refuse_null();
    MAKE(arena, ret_layout, isti_padding(&maker.scratch, size, &maker.layout, &maker.problem));
}

ist_status ist_layout_sequence(ist_arena arena, size_t count, const ist_layout *element,
                               const ist_layout **ret_layout)
{
    if (ret_layout == NULL || element == NULL)
        return refuse_null();
    MAKE(arena, ret_layout,
         isti_sequence(&maker.scratch, count, element, &maker.layout, &maker.problem));
}

static ist_status make_group(ist_arena arena, ist_layout_kind kind, const char *tag,
                             const ist_member *members, size_t count, const ist_layout **ret_layout)
{
    if (ret_layout == NULL || (members == NULL && count != 0))
        return refuse_null();
    MAKE(arena, ret_layout,
         isti_group(&maker.scratch, kind, tag, members, count, &maker.layout, &maker.problem));
}

ist_status ist_layout_struct(ist_arena arena, const char *tag, const ist_member *members,
                             size_t count, const ist_layout **ret_layout)
{
    return make_group(arena, IST_LAYOUT_STRUCT, tag, members, count, ret_layout);
}

ist_status ist_layout_union(ist_arena arena, const char *tag, const ist_member *members,
                            size_t count, const ist_layout **ret_layout)
{
    return make_group(arena, IST_LAYOUT_UNION, tag, members, count, ret_layout);
}

static ist_status
make_group_c(ist_arena arena, ist_layout_kind kind, const char *tag, const ist_member *members,
             size_t count, const ist_group_attributes *attributes, const ist_layout **ret_layout)
{
    if (ret_layout == NULL || (members == NULL && count != 0))
        return refuse_null();
    MAKE(arena, ret_layout,
         isti_group_c(&maker.scratch, kind, tag, members, count, attributes, &maker.layout,
                      &maker.problem));
}

ist_status ist_layout_struct_c(ist_arena arena, const char *tag, const ist_member *members,
                               size_t count, const ist_group_attributes *attributes,
                               const ist_layout **ret_layout)
{
    return make_group_c(arena, IST_LAYOUT_STRUCT, tag, members, count, attributes, ret_layout);
}

ist_status ist_layout_union_c(ist_arena arena, const char *tag, const ist_member *members,
                              size_t count, const ist_group_attributes *attributes,
                              const ist_layout **ret_layout)
{
    return make_group_c(arena, IST_LAYOUT_UNION, tag, members, count, attributes, ret_layout);
}

ist_status ist_layout_with_name(ist_arena arena, const ist_layout *layout, const char *name,
                                const ist_layout **ret_layout)
{
    if (ret_layout == NULL || layout == NULL)
        return refuse_null();
    MAKE(arena, ret_layout,
         isti_with_name(&maker.scratch, layout, name, &maker.layout, &maker.problem));
}

ist_status ist_layout_with_alignment(ist_arena arena, const ist_layout *layout, size_t alignment,
                                     const ist_layout **ret_layout)
{
    if (ret_layout == NULL || layout == NULL)
        return refuse_null();
    MAKE(arena, ret_layout,
         isti_with_alignment(&maker.scratch, layout, alignment, &maker.layout, &maker.problem));
}

ist_status ist_layout_with_order(ist_arena arena, const ist_layout *layout, ist_order order,
                                 const ist_layout **ret_layout)
{
    if (ret_layout == NULL || layout == NULL)
        return refuse_null();
    MAKE(arena, ret_layout,
         isti_with_order(&maker.scratch, layout, order, &maker.layout, &maker.problem));
}

ist_status ist_layout_reshape(ist_arena arena, const ist_layout *sequence, const size_t *dimensions,
                              size_t count, const ist_layout **ret_layout)
{
    if (ret_layout == NULL || sequence == NULL || dimensions == NULL)
        return refuse_null();
    MAKE(arena, ret_layout,
         isti_reshape(&maker.scratch, sequence, dimensions, count, &maker.layout, &maker.problem));
}

ist_status
ist_layout_flatten(ist_arena arena, const ist_layout *sequence, const ist_layout **ret_layout)
{
    if (ret_layout == NULL || sequence == NULL)
        return refuse_null();
    MAKE(arena, ret_layout, isti_flatten(&maker.scratch, sequence, &maker.layout, &maker.problem));
}

/* ---- What was made ---- */

static ist_status refuse_index(size_t index, size_t count, const char *operation)
{
    return isti_fail(&(isti_failure){ .error = { .status = IST_E_BOUNDS,
                                                 .operation = operation,
                                                 .offset = index,
                                                 .limit = count },
                                      .reason = "the index is not below the count" });
}

ist_status ist_layout_member(const ist_layout *layout, size_t index, ist_member_info *ret_member)
{
    if (layout == NULL || ret_member == NULL ||
        ret_member->size < offsetof(ist_member_info, bits) + sizeof ret_member->bits)
        return isti_fail_argument("member",
                                  "NULL, or a result whose size says that it is too small");
    if (!isti_layout_is_group(layout) || index >= ist_layout_count(layout))
        return refuse_index(index, isti_layout_is_group(layout) ? ist_layout_count(layout) : 0,
                            "member");
    const isti_member *member = &layout->of.members[index];
    *ret_member = (ist_member_info){ .size = sizeof *ret_member,
                                     .name = member->name,
                                     .layout = member->layout,
                                     .offset = member->bit_offset / 8,
                                     .bit_offset = member->bit_offset,
                                     .bits = (unsigned)isti_member_width(member) };
    return IST_OK;
}

ist_status
ist_layout_enumerator(const ist_layout *layout, size_t index, ist_enumerator *ret_enumerator)
{
    if (layout == NULL || ret_enumerator == NULL)
        return isti_fail_argument("enumerator", "NULL where a layout or the result is wanted");
    bool has_any = layout->flags & ISTI_LAYOUT_ENUM;
    if (!has_any || index >= ist_layout_count(layout))
        return refuse_index(index, has_any ? ist_layout_count(layout) : 0, "enumerator");
    *ret_enumerator = layout->of.enumerators[index];
    return IST_OK;
}

/* ---- Functions ---- */

ist_status ist_function_of(ist_arena arena, const ist_layout *result, const ist_member *parameters,
                           size_t count, size_t fixed_count, unsigned flags,
                           const ist_function **ret_function)
{
    if (ret_function == NULL || (parameters == NULL && count != 0))
        return refuse_null();
    isti_maker maker;
    const ist_function *function = NULL;
    const ist_layout *layout;
    ist_status status = isti_maker_begin(&maker, arena, "function type");
    if (status != IST_OK)
        return status;
    if (isti_function_make(&maker.scratch, NULL, result, parameters, count, fixed_count, flags,
                           &function, &maker.problem) == IST_OK)
        isti_function_type(&maker.scratch, function, &maker.layout, &maker.problem);
    status = isti_maker_end(&maker, &layout);
    if (status == IST_OK)
        *ret_function = layout->of.function;
    return status;
}
