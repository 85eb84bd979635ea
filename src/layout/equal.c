/* SPDX-License-Identifier: MIT */
/*
 * Whether two layouts are the same. Pointers may lead back to where one came from; every such way goes
 * through a group with a tag (only those can be declared before they are defined), and what a pointer
 * to one points to is told by kind and tag.
 */
#include <string.h>

#include "layout/layout.h"

static bool equals(const ist_layout *a, const ist_layout *b, bool unnamed);

static bool same_name(const char *a, const char *b, bool unnamed)
{
    if (unnamed || a == b)
        return true;
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static bool same_members(const ist_layout *a, const ist_layout *b, bool unnamed)
{
    for (size_t i = 0; i < a->count; i++) {
        const isti_member *x = &a->of.members[i], *y = &b->of.members[i];
        if (x->bit_offset != y->bit_offset || x->bits != y->bits ||
            !same_name(x->name, y->name, unnamed) || !equals(x->layout, y->layout, unnamed))
            return false;
    }
    return true;
}

static bool same_enumerators(const ist_layout *a, const ist_layout *b, bool unnamed)
{
    for (size_t i = 0; i < a->count; i++) {
        if (a->of.enumerators[i].value != b->of.enumerators[i].value ||
            !same_name(a->of.enumerators[i].name, b->of.enumerators[i].name, unnamed))
            return false;
    }
    return true;
}

static bool same_targets(const ist_layout *a, const ist_layout *b, bool unnamed)
{
    if (a == b)
        return true;
    if (a == NULL || b == NULL)
        return false;
    if (isti_layout_is_group(a) && isti_layout_is_group(b) && a->name != NULL && b->name != NULL)
        return a->kind == b->kind && same_name(a->name, b->name, false);
    return equals(a, b, unnamed);
}

static bool same_functions(const ist_function *a, const ist_function *b, bool unnamed)
{
    if (a->count != b->count || a->fixed_count != b->fixed_count || a->flags != b->flags ||
        !same_targets(a->result, b->result, unnamed))
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!equals(a->parameters[i].layout, b->parameters[i].layout, unnamed))
            return false;
    }
    return true;
}

/* What the kind adds, once size, alignment and count are the same. */
static bool same_parts(const ist_layout *a, const ist_layout *b, bool unnamed)
{
    switch (a->kind) {
    case IST_LAYOUT_STRUCT:
    case IST_LAYOUT_UNION:
        return same_members(a, b, unnamed);
    case IST_LAYOUT_SEQUENCE:
    case IST_LAYOUT_VECTOR:
        return equals(a->of.element, b->of.element, unnamed);
    case IST_LAYOUT_FUNCTION:
        return same_functions(a->of.function, b->of.function, unnamed);
    case IST_LAYOUT_VALUE:
        if ((a->flags ^ b->flags) & ISTI_LAYOUT_ENUM)
            return false;
        if (a->flags & ISTI_LAYOUT_ENUM)
            return same_enumerators(a, b, unnamed);
        return a->type != IST_TYPE_ADDRESS || same_targets(a->of.target, b->of.target, unnamed);
    default:
        return true;
    }
}

static bool equals(const ist_layout *a, const ist_layout *b, bool unnamed)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || isti_layout_is_complete(a) != isti_layout_is_complete(b) ||
        !same_name(a->name, b->name, unnamed))
        return false;
    if (!isti_layout_is_complete(a) && a->kind != IST_LAYOUT_FUNCTION)
        return a->kind == IST_LAYOUT_VOID || same_name(a->name, b->name, false);
    return a->type == b->type && a->order == b->order && a->size == b->size &&
           a->alignment == b->alignment && a->count == b->count && same_parts(a, b, unnamed);
}

int ist_layout_equals(const ist_layout *a, const ist_layout *b, int unnamed)
{
    if (a == NULL || b == NULL)
        return a == b;
    return equals(a, b, unnamed != 0);
}
