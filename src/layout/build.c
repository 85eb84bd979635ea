/* SPDX-License-Identifier: MIT */
/*
 * Making layouts out of layouts. Each maker adopts what it is given into its store, so that a layout
 * refers to nothing that could end before it.
 *
 * Not done here: where C puts members (place.c).
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "layout/distinct.h"
#include "layout/place.h"

ist_status isti_layout_nest(unsigned *depth, const ist_layout *part, isti_problem *problem)
{
    if (part == NULL || part->depth + 1 <= *depth)
        return IST_OK;
    if (part->depth >= ISTI_DEPTH_MAX)
        return isti_problem_set(problem, IST_E_LAYOUT, "types are nested deeper than %d",
                                ISTI_DEPTH_MAX);
    *depth = part->depth + 1;
    return IST_OK;
}

/* Adopts a part of a new layout. */
static ist_status take_part(const isti_store *store, ist_layout *layout, const ist_layout *part,
                            const ist_layout **ret, isti_problem *problem)
{
    if (isti_layout_nest(&layout->depth, part, problem) != IST_OK)
        return problem->status;
    return isti_layout_adopt(store, part, ret, problem);
}

/* A new layout of the store: the machine's order, complete, named unless that is NULL. */
static ist_layout *
new_layout(const isti_store *store, ist_layout_kind kind, const char *name, isti_problem *problem)
{
    ist_layout *layout = ISTI_STORE_NEW(store, ist_layout, problem);
    if (layout == NULL)
        return NULL;
    layout->kind = kind;
    layout->order = IST_ORDER_NATIVE;
    layout->alignment = 1;
    layout->owner = store->owner;
    layout->name = isti_store_text(store, name, name != NULL ? strlen(name) : 0, problem);
    atomic_init(&layout->complete, true);
    return name != NULL && layout->name == NULL ? NULL : layout;
}

static ist_status finish(const ist_layout *layout, const ist_layout **ret, isti_problem *problem)
{
    if (problem->status == IST_OK)
        *ret = layout;
    return problem->status;
}

ist_status isti_address_to(const isti_store *store, const ist_layout *target,
                           const ist_layout **ret, isti_problem *problem)
{
    ist_layout *layout = new_layout(store, IST_LAYOUT_VALUE, NULL, problem);
    if (layout == NULL)
        return problem->status;
    bool has_tag = target != NULL && isti_layout_is_group(target) && target->name != NULL;
    ist_status status = has_tag ? isti_layout_adopt(store, target, &layout->of.target, problem)
                                : take_part(store, layout, target, &layout->of.target, problem);
    if (status != IST_OK)
        return status;
    layout->type = IST_TYPE_ADDRESS;
    layout->size = layout->alignment = sizeof(void *);
    return finish(layout, ret, problem);
}

static bool is_vector_element(const ist_layout *element)
{
    if (element->kind != IST_LAYOUT_VALUE || element->flags & ISTI_LAYOUT_ENUM)
        return false;
    switch (isti_type_class(element->type)) {
    case ISTI_CLASS_SIGNED:
    case ISTI_CLASS_UNSIGNED:
        return true;
    case ISTI_CLASS_FLOAT:
        return element->type != IST_TYPE_LONG_DOUBLE;
    default:
        return false;
    }
}

ist_status isti_vector(const isti_store *store, const ist_layout *element, size_t count,
                       const ist_layout **ret, isti_problem *problem)
{
    size_t size;
    if (!is_vector_element(element))
        return isti_problem_set(problem, IST_E_LAYOUT,
                                "a vector has integers, float or double as elements");
    if (!isti_size_multiply(count, element->size, &size) || size < 8 || size > 64 ||
        !isti_is_power_of_two(size))
        return isti_problem_set(
            problem, IST_E_LAYOUT,
            "a vector of %zu elements of %zu bytes: it has 8, 16, 32 or 64 bytes", count,
            element->size);
    ist_layout *layout = new_layout(store, IST_LAYOUT_VECTOR, NULL, problem);
    if (layout == NULL || take_part(store, layout, element, &layout->of.element, problem) != IST_OK)
        return problem->status;
    layout->order = element->order;
    layout->count = count;
    layout->size = layout->alignment = size;
    return finish(layout, ret, problem);
}

ist_status
isti_padding(const isti_store *store, size_t size, const ist_layout **ret, isti_problem *problem)
{
    if (size == 0)
        return isti_problem_set(problem, IST_E_LAYOUT, "padding of 0 bytes");
    if (size > PTRDIFF_MAX)
        return isti_problem_set(problem, IST_E_OVERFLOW, "padding of %zu bytes", size);
    ist_layout *layout = new_layout(store, IST_LAYOUT_PADDING, NULL, problem);
    if (layout != NULL)
        layout->size = size;
    return finish(layout, ret, problem);
}

/* Whether something can be of this type; `what` begins the sentence. */
static ist_status
require_complete(const ist_layout *layout, const char *what, isti_problem *problem)
{
    if (isti_layout_is_complete(layout))
        return IST_OK;
    if (layout->kind == IST_LAYOUT_VOID || layout->kind == IST_LAYOUT_FUNCTION)
        return isti_problem_set(problem, IST_E_LAYOUT, "%s is %s", what,
                                layout->kind == IST_LAYOUT_VOID ? "void" : "a function");
    return isti_problem_set(problem, IST_E_LAYOUT, "%s has the type '%s', which is not defined",
                            what, layout->name != NULL ? layout->name : "?");
}

ist_status isti_sequence(const isti_store *store, size_t count, const ist_layout *element,
                         const ist_layout **ret, isti_problem *problem)
{
    size_t size = 0;
    if (require_complete(element, "the element of a sequence", problem) != IST_OK)
        return problem->status;
    if (element->size % element->alignment != 0)
        return isti_problem_set(problem, IST_E_LAYOUT,
                                "the element's size %zu is not a multiple of its alignment %zu",
                                element->size, element->alignment);
    if (element->flags & ISTI_LAYOUT_OPEN ||
        (element->kind == IST_LAYOUT_SEQUENCE && element->count == IST_COUNT_OPEN))
        return isti_problem_set(problem, IST_E_LAYOUT,
                                "the element of a sequence ends in an array without end");
    if (count != IST_COUNT_OPEN &&
        (!isti_size_multiply(count, element->size, &size) || size > PTRDIFF_MAX))
        return isti_problem_set(problem, IST_E_OVERFLOW, "%zu elements of %zu bytes", count,
                                element->size);
    ist_layout *layout = new_layout(store, IST_LAYOUT_SEQUENCE, NULL, problem);
    if (layout == NULL || take_part(store, layout, element, &layout->of.element, problem) != IST_OK)
        return problem->status;
    layout->count = count;
    layout->size = size;
    layout->alignment = element->alignment;
    layout->flags = element->flags & ISTI_LAYOUT_BITS;
    return finish(layout, ret, problem);
}

/* ---- Enumerations ---- */

ist_status isti_enum_complete(const isti_store *store, ist_layout *enumeration,
                              const ist_layout *type, const ist_enumerator *enumerators,
                              size_t count, isti_problem *problem)
{
    isti_class class =
        type->kind == IST_LAYOUT_VALUE ? isti_type_class(type->type) : ISTI_CLASS_NONE;
    if (class != ISTI_CLASS_SIGNED && class != ISTI_CLASS_UNSIGNED)
        return isti_problem_set(problem, IST_E_LAYOUT,
                                "an enumeration has values of an integer type");
    ist_enumerator *copies = isti_store_take(store, count, sizeof *copies, problem);
    for (size_t i = 0; problem->status == IST_OK && i < count; i++) {
        const char *name = enumerators[i].name;
        if (name == NULL)
            return isti_problem_set(problem, IST_E_ARGUMENT, "enumerator %zu has no name", i);
        copies[i].value = enumerators[i].value;
        copies[i].name = isti_store_text(store, name, strlen(name), problem);
    }
    if (problem->status != IST_OK)
        return problem->status;
    enumeration->type = type->type;
    enumeration->order = type->order;
    enumeration->size = type->size;
    enumeration->alignment = type->alignment;
    enumeration->count = count;
    enumeration->of.enumerators = copies;
    /* release: pairs with the acquire in isti_layout_is_complete(). */
    atomic_store_explicit(&enumeration->complete, true, memory_order_release);
    return IST_OK;
}

ist_status isti_enum(const isti_store *store, const char *tag, const ist_layout *type,
                     const ist_enumerator *enumerators, size_t count, const ist_layout **ret,
                     isti_problem *problem)
{
    ist_layout *layout = NULL;
    if (isti_declare(store, IST_LAYOUT_VALUE, tag, &layout, problem) != IST_OK ||
        isti_enum_complete(store, layout, type, enumerators, count, problem) != IST_OK)
        return problem->status;
    return finish(layout, ret, problem);
}

/* ---- Groups ---- */

ist_status isti_declare(const isti_store *store, ist_layout_kind kind, const char *tag,
                        ist_layout **ret, isti_problem *problem)
{
    ist_layout *layout = new_layout(store, kind, tag, problem);
    if (layout == NULL)
        return problem->status;
    atomic_init(&layout->complete, false);
    if (kind == IST_LAYOUT_VALUE)
        layout->flags = ISTI_LAYOUT_ENUM;
    *ret = layout;
    return IST_OK;
}

/* What a member passes on to its group. */
static unsigned flags_through(const isti_member *member)
{
    unsigned flags = member->layout->flags & (ISTI_LAYOUT_BITS | ISTI_LAYOUT_OPEN);
    if (member->name != NULL || isti_member_lends_names(member))
        flags |= ISTI_LAYOUT_NAMES;
    if (isti_member_is_bits(member))
        flags |= ISTI_LAYOUT_BITS;
    if (member->layout->kind == IST_LAYOUT_SEQUENCE && member->layout->count == IST_COUNT_OPEN)
        flags |= ISTI_LAYOUT_OPEN;
    return flags;
}

static const char *called(const isti_member *member)
{
    return member->name != NULL ? member->name : "(unnamed)";
}

/* Copies what the caller gave: names and layouts are the store's then. */
static isti_member *copy_members(const isti_store *store, const ist_member *members, size_t count,
                                 isti_problem *problem)
{
    isti_member *copies = isti_store_take(store, count, sizeof *copies, problem);
    for (size_t i = 0; problem->status == IST_OK && i < count; i++) {
        const char *name = members[i].name;
        if (members[i].layout == NULL) {
            isti_problem_set(problem, IST_E_ARGUMENT, "member %zu '%s' has no layout", i,
                             name != NULL ? name : "");
            return NULL;
        }
        copies[i] = (isti_member){ .bits = members[i].bits,
                                   .packed = members[i].packed != 0,
                                   .alignment = members[i].alignment };
        copies[i].name = isti_store_text(store, name, name != NULL ? strlen(name) : 0, problem);
        isti_layout_adopt(store, members[i].layout, &copies[i].layout, problem);
    }
    return problem->status == IST_OK ? copies : NULL;
}

static ist_status require_member(const ist_layout *group, const isti_member *member, size_t index,
                                 isti_problem *problem)
{
    char what[80];
    snprintf(what, sizeof what, "member %zu '%.40s'", index, called(member));
    if (require_complete(member->layout, what, problem) != IST_OK)
        return problem->status;
    bool is_open = flags_through(member) & ISTI_LAYOUT_OPEN;
    if (is_open && group->kind == IST_LAYOUT_UNION && !isti_layout_is_group(member->layout))
        return isti_problem_set(problem, IST_E_LAYOUT, "%s has no end and is in a union", what);
    if (is_open && group->kind == IST_LAYOUT_STRUCT && index + 1 != group->count)
        return isti_problem_set(problem, IST_E_LAYOUT,
                                "%s has no end and is not the last of its struct", what);
    return IST_OK;
}

ist_status isti_group_complete(const isti_store *store, ist_layout *group,
                               const ist_member *members, size_t count,
                               const ist_group_attributes *attributes, isti_problem *problem)
{
    ist_layout made = { .kind = group->kind, .flags = group->flags, .count = count };
    isti_member *copies = copy_members(store, members, count, problem);
    if (problem->status != IST_OK)
        return problem->status;
    made.of.members = copies;
    if (attributes != NULL)
        made.attributes = *attributes;
    for (size_t i = 0; i < count; i++) {
        if (require_member(&made, &copies[i], i, problem) != IST_OK ||
            isti_layout_nest(&made.depth, copies[i].layout, problem) != IST_OK)
            return problem->status;
        made.flags |= flags_through(&copies[i]);
    }
    if (isti_place_members(&made, copies, problem) != IST_OK ||
        isti_require_names_differ(store, &made, problem) != IST_OK)
        return problem->status;
    group->flags = made.flags;
    group->depth = made.depth;
    group->attributes = made.attributes;
    group->size = made.size;
    group->alignment = made.alignment;
    group->part_alignment = made.part_alignment;
    group->count = count;
    group->of.members = copies;
    /* release: pairs with the acquire in isti_layout_is_complete(). */
    atomic_store_explicit(&group->complete, true, memory_order_release);
    return IST_OK;
}

static ist_status make_group(const isti_store *store, ist_layout_kind kind, unsigned flags,
                             const char *tag, const ist_member *members, size_t count,
                             const ist_group_attributes *attributes, const ist_layout **ret,
                             isti_problem *problem)
{
    ist_layout *layout = NULL;
    if (isti_declare(store, kind, tag, &layout, problem) != IST_OK)
        return problem->status;
    layout->flags = flags;
    if (isti_group_complete(store, layout, members, count, attributes, problem) != IST_OK)
        return problem->status;
    return finish(layout, ret, problem);
}

ist_status isti_group(const isti_store *store, ist_layout_kind kind, const char *tag,
                      const ist_member *members, size_t count, const ist_layout **ret,
                      isti_problem *problem)
{
    return make_group(store, kind, 0, tag, members, count, NULL, ret, problem);
}

ist_status isti_group_c(const isti_store *store, ist_layout_kind kind, const char *tag,
                        const ist_member *members, size_t count,
                        const ist_group_attributes *attributes, const ist_layout **ret,
                        isti_problem *problem)
{
    return make_group(store, kind, ISTI_LAYOUT_C_RULES, tag, members, count, attributes, ret,
                      problem);
}

/* ---- Functions ---- */

ist_status isti_function_type(const isti_store *store, const ist_function *function,
                              const ist_layout **ret, isti_problem *problem)
{
    ist_layout *layout = new_layout(store, IST_LAYOUT_FUNCTION, NULL, problem);
    if (layout == NULL)
        return problem->status;
    atomic_init(&layout->complete, false);
    layout->of.function = function;
    layout->depth = function->depth;
    return finish(layout, ret, problem);
}

/* C11 6.7.6.3: a parameter that is an array or a function is a pointer to its element or to it. */
static ist_status adjust_parameter(const isti_store *store, const ist_layout *layout,
                                   const ist_layout **ret, isti_problem *problem)
{
    if (layout->kind == IST_LAYOUT_SEQUENCE)
        return isti_address_to(store, layout->of.element, ret, problem);
    if (layout->kind == IST_LAYOUT_FUNCTION)
        return isti_address_to(store, layout, ret, problem);
    return isti_layout_adopt(store, layout, ret, problem);
}

/* NULL: a parameter can be like that. */
static const char *wrong_with(const ist_member *parameter)
{
    if (parameter->layout->kind == IST_LAYOUT_VOID)
        return "is void";
    if (parameter->layout->kind == IST_LAYOUT_PADDING)
        return "is padding";
    bool has_attributes = parameter->bits != 0 || parameter->packed || parameter->alignment != 0;
    return has_attributes ? "is a bit-field or has attributes" : NULL;
}

static isti_parameter *copy_parameters(const isti_store *store, const ist_member *parameters,
                                       size_t count, isti_problem *problem)
{
    isti_parameter *copies = isti_store_take(store, count, sizeof *copies, problem);
    for (size_t i = 0; problem->status == IST_OK && i < count; i++) {
        const char *name = parameters[i].name, *called_it = name != NULL ? name : "";
        if (parameters[i].layout == NULL)
            isti_problem_set(problem, IST_E_ARGUMENT, "parameter %zu '%s' has no layout", i,
                             called_it);
        else if (wrong_with(&parameters[i]) != NULL)
            isti_problem_set(problem, IST_E_LAYOUT, "parameter %zu '%s' %s", i, called_it,
                             wrong_with(&parameters[i]));
        if (problem->status != IST_OK)
            return NULL;
        copies[i].name = isti_store_text(store, name, name != NULL ? strlen(name) : 0, problem);
        adjust_parameter(store, parameters[i].layout, &copies[i].layout, problem);
    }
    return problem->status == IST_OK ? copies : NULL;
}

static ist_status require_result(const ist_layout *result, isti_problem *problem)
{
    if (result == NULL)
        return IST_OK;
    const char *wrong = result->kind == IST_LAYOUT_SEQUENCE   ? "an array"
                        : result->kind == IST_LAYOUT_FUNCTION ? "a function"
                        : result->kind == IST_LAYOUT_PADDING  ? "padding"
                                                              : NULL;
    return wrong == NULL ? IST_OK
                         : isti_problem_set(problem, IST_E_LAYOUT, "the result is %s", wrong);
}

ist_status isti_function_make(const isti_store *store, const char *name, const ist_layout *result,
                              const ist_member *parameters, size_t count, size_t fixed_count,
                              unsigned flags, const ist_function **ret, isti_problem *problem)
{
    if (result != NULL && result->kind == IST_LAYOUT_VOID)
        result = NULL;
    if (fixed_count > count || flags & ~IST_FUNCTION_VARIADIC)
        return isti_problem_set(problem, IST_E_ARGUMENT, "%zu fixed parameters of %zu, flags 0x%x",
                                fixed_count, count, flags);
    if (require_result(result, problem) != IST_OK)
        return problem->status;
    ist_function *function = ISTI_STORE_NEW(store, ist_function, problem);
    isti_parameter *copies = copy_parameters(store, parameters, count, problem);
    if (problem->status != IST_OK)
        return problem->status;
    function->name = isti_store_text(store, name, name != NULL ? strlen(name) : 0, problem);
    function->parameters = copies;
    function->count = count;
    function->fixed_count = fixed_count;
    function->flags = flags | (fixed_count < count ? IST_FUNCTION_VARIADIC : 0);
    function->owner = store->owner;
    for (size_t i = 0; i < count; i++)
        isti_layout_nest(&function->depth, copies[i].layout, problem);
    isti_layout_nest(&function->depth, result, problem);
    if (result != NULL)
        isti_layout_adopt(store, result, &function->result, problem);
    if (problem->status == IST_OK)
        *ret = function;
    return problem->status;
}
