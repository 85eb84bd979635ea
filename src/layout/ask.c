/* SPDX-License-Identifier: MIT */
/* Questions about layouts: nothing here fails but for an index, and nothing changes. */
#include <string.h>

#include "layout/layout.h"

ist_layout_kind ist_layout_kind_of(const ist_layout *layout)
{
    return layout != NULL ? layout->kind : (ist_layout_kind)0;
}

ist_type ist_layout_type(const ist_layout *layout)
{
    return layout != NULL && isti_layout_is_complete(layout) ? layout->type : IST_TYPE_NONE;
}

size_t ist_layout_size(const ist_layout *layout)
{
    return layout != NULL && isti_layout_is_complete(layout) ? layout->size : 0;
}

size_t ist_layout_alignment(const ist_layout *layout)
{
    return layout != NULL && isti_layout_is_complete(layout) ? layout->alignment : 0;
}

ist_order ist_layout_order(const ist_layout *layout)
{
    return layout != NULL ? layout->order : IST_ORDER_NATIVE;
}

const char *ist_layout_name(const ist_layout *layout)
{
    return layout != NULL ? layout->name : NULL;
}

int ist_layout_is_complete(const ist_layout *layout)
{
    return layout != NULL && isti_layout_is_complete(layout);
}

size_t ist_layout_count(const ist_layout *layout)
{
    return layout != NULL && isti_layout_is_complete(layout) ? layout->count : 0;
}

const ist_layout *ist_layout_element(const ist_layout *layout)
{
    if (layout == NULL ||
        (layout->kind != IST_LAYOUT_SEQUENCE && layout->kind != IST_LAYOUT_VECTOR))
        return NULL;
    return layout->of.element;
}

const ist_layout *ist_layout_target(const ist_layout *layout)
{
    return layout != NULL && layout->type == IST_TYPE_ADDRESS ? layout->of.target : NULL;
}

const ist_function *ist_layout_function(const ist_layout *layout)
{
    return layout != NULL && layout->kind == IST_LAYOUT_FUNCTION ? layout->of.function : NULL;
}

const isti_member *
isti_member_find(const ist_layout *group, const char *name, size_t length, size_t *ret_bit_offset)
{
    for (size_t i = 0; i < group->count; i++) {
        const isti_member *member = &group->of.members[i];
        if (member->name != NULL) {
            if (strncmp(member->name, name, length) != 0 || member->name[length] != '\0')
                continue;
            *ret_bit_offset = member->bit_offset;
            return member;
        }
        if (!isti_member_lends_names(member))
            continue;
        const isti_member *inner = isti_member_find(member->layout, name, length, ret_bit_offset);
        if (inner != NULL) {
            *ret_bit_offset += member->bit_offset;
            return inner;
        }
    }
    return NULL;
}

const ist_layout *ist_function_result(const ist_function *function)
{
    return function != NULL ? function->result : NULL;
}

size_t ist_function_count(const ist_function *function)
{
    return function != NULL ? function->count : 0;
}

size_t ist_function_fixed_count(const ist_function *function)
{
    return function != NULL ? function->fixed_count : 0;
}

int ist_function_is_variadic(const ist_function *function)
{
    return function != NULL && (function->flags & IST_FUNCTION_VARIADIC) != 0;
}

const ist_layout *ist_function_parameter(const ist_function *function, size_t index)
{
    return function != NULL && index < function->count ? function->parameters[index].layout : NULL;
}

const char *ist_function_parameter_name(const ist_function *function, size_t index)
{
    return function != NULL && index < function->count ? function->parameters[index].name : NULL;
}

const char *ist_function_name(const ist_function *function)
{
    return function != NULL ? function->name : NULL;
}
