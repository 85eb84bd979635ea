/* SPDX-License-Identifier: MIT */
/*
 * Whether two layouts are the same. Pointers may lead back to where one came from; every such way goes
 * through a group with a tag (only those can be declared before they are defined), and one that a pointer
 * leads to, as its target or as a parameter or result of a function, is told by kind and tag.
 *
 * What two layouts refer to by several ways is not compared again each time, which could take time
 * exponential in their depth: pairs that were found equal are remembered, as long as no other takes their
 * place.
 */
#include <string.h>

#include "layout/layout.h"

#define PAIRS 256 /* Of depth there is less. */

typedef struct comparing_state {
    bool unnamed;
    struct {
        const ist_layout *a, *b;
    } equal[PAIRS];
} comparing_state;

static bool equals(comparing_state *comparing, const ist_layout *a, const ist_layout *b);

static bool same_name(const char *a, const char *b, bool unnamed)
{
    if (unnamed || a == b)
        return true;
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static bool same_members(comparing_state *comparing, const ist_layout *a, const ist_layout *b)
{
    for (size_t i = 0; i < a->count; i++) {
        const isti_member *x = &a->of.members[i], *y = &b->of.members[i];
        if (x->bit_offset != y->bit_offset || x->bits != y->bits ||
            !same_name(x->name, y->name, comparing->unnamed) ||
            !equals(comparing, x->layout, y->layout))
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

/* No result and void are the same, and no target and void. */
static bool
same_or_void(comparing_state *comparing, const ist_layout *a, const ist_layout *b, bool by_tag)
{
    bool a_is_void = a == NULL || a->kind == IST_LAYOUT_VOID;
    bool b_is_void = b == NULL || b->kind == IST_LAYOUT_VOID;
    if (a_is_void || b_is_void)
        return a_is_void && b_is_void;
    if (by_tag && isti_layout_is_group(a) && isti_layout_is_group(b) && a->name != NULL &&
        b->name != NULL)
        return a->kind == b->kind && same_name(a->name, b->name, false);
    return equals(comparing, a, b);
}

static bool same_functions(comparing_state *comparing, const ist_function *a, const ist_function *b,
                           bool by_tag)
{
    if (a->count != b->count || a->fixed_count != b->fixed_count || a->flags != b->flags ||
        !same_or_void(comparing, a->result, b->result, by_tag))
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!same_or_void(comparing, a->parameters[i].layout, b->parameters[i].layout, by_tag))
            return false;
    }
    return true;
}

/* What pointers lead to. */
static bool same_targets(comparing_state *comparing, const ist_layout *a, const ist_layout *b)
{
    if (a != NULL && b != NULL && a->kind == IST_LAYOUT_FUNCTION && b->kind == IST_LAYOUT_FUNCTION)
        return a == b || same_functions(comparing, a->of.function, b->of.function, true);
    return same_or_void(comparing, a, b, true);
}

/* What the kind adds, once size, alignment and count are the same. */
static bool same_parts(comparing_state *comparing, const ist_layout *a, const ist_layout *b)
{
    switch (a->kind) {
    case IST_LAYOUT_STRUCT:
    case IST_LAYOUT_UNION:
        return same_members(comparing, a, b);
    case IST_LAYOUT_SEQUENCE:
    case IST_LAYOUT_VECTOR:
        return equals(comparing, a->of.element, b->of.element);
    case IST_LAYOUT_FUNCTION:
        return same_functions(comparing, a->of.function, b->of.function, false);
    case IST_LAYOUT_VALUE:
        if ((a->flags ^ b->flags) & ISTI_LAYOUT_ENUM)
            return false;
        if (a->flags & ISTI_LAYOUT_ENUM)
            return same_enumerators(a, b, comparing->unnamed);
        return a->type != IST_TYPE_ADDRESS || same_targets(comparing, a->of.target, b->of.target);
    default:
        return true;
    }
}

static bool same_all(comparing_state *comparing, const ist_layout *a, const ist_layout *b)
{
    if (a->kind != b->kind || isti_layout_is_complete(a) != isti_layout_is_complete(b) ||
        !same_name(a->name, b->name, comparing->unnamed))
        return false;
    if (!isti_layout_is_complete(a) && a->kind != IST_LAYOUT_FUNCTION)
        return a->kind == IST_LAYOUT_VOID || same_name(a->name, b->name, false);
    return a->type == b->type && a->order == b->order && a->size == b->size &&
           a->alignment == b->alignment && a->count == b->count && same_parts(comparing, a, b);
}

static bool equals(comparing_state *comparing, const ist_layout *a, const ist_layout *b)
{
    if (a == b)
        return true;
    size_t slot =
        (((uintptr_t)a >> 4) * 31 + ((uintptr_t)b >> 4)) * 0x9E3779B1u >> 12 & (PAIRS - 1);
    if (comparing->equal[slot].a == a && comparing->equal[slot].b == b)
        return true;
    if (!same_all(comparing, a, b))
        return false;
    comparing->equal[slot].a = a;
    comparing->equal[slot].b = b;
    return true;
}

int ist_layout_equals(const ist_layout *a, const ist_layout *b, int unnamed)
{
    comparing_state comparing = { .unnamed = unnamed != 0 };
    if (a == NULL || b == NULL)
        return a == b;
    return equals(&comparing, a, b);
}
