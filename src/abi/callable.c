/* SPDX-License-Identifier: MIT */
/*
 * Whether a function can be called, before any ABI looks at it. One walk over all types, in which a
 * chain of steps on the stack knows the way to the part at hand, for the sentence if something is wrong.
 *
 * Not done here: what becomes of the values. Whether bytes that nobody names hurt is for the ABI to
 * say, but what they are is not: a struct that skips a member which C has would be passed as another one.
 * So padding may only stand where C itself would leave a gap (as in FFM, whose linker refuses the same).
 */
#include "abi/callable.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "abi/plan.h"
#include "base/size.h"
#include "base/text.h"
#include "layout/place.h"

/*
 * Parts are counted each time they occur. Layouts may share parts, so that few of them make a type of
 * which nobody sees the end; a type that somebody wrote does not come near.
 */
#define PARTS_MAX (1 << 20)

/* The way to a part: the group and which member of it. The first step has neither. */
typedef struct walk_step {
    const struct walk_step *outer;
    const isti_member *member; /* NULL: an element, or the value itself. */
} walk_step;

typedef struct walk_state {
    const ist_function *function;
    size_t index; /* Of the parameter; count: the result. */
    ist_order order;
    int parts;
    isti_problem *problem;
} walk_state;

void isti_callable_name(const ist_function *function, size_t index,
                        char text[ISTI_CALLABLE_NAME_SIZE])
{
    if (index == function->count) {
        snprintf(text, ISTI_CALLABLE_NAME_SIZE, "the result");
        return;
    }
    const char *name = function->parameters[index].name;
    snprintf(text, ISTI_CALLABLE_NAME_SIZE,
             name != NULL ? "parameter %zu '%.40s'" : "parameter %zu", index, name);
}

static void add_way(isti_text *text, const walk_step *step)
{
    if (step->outer != NULL)
        add_way(text, step->outer);
    if (step->member == NULL)
        return;
    const char *name = step->member->name;
    isti_text_add(text, "%s%.40s", text->length > 0 ? "." : "", name != NULL ? name : "(unnamed)");
}

/* Ends the walk: "<parameter>: member '<way>' <reason>". */
__attribute__((format(printf, 3, 4))) static ist_status
refuse(walk_state *walk, const walk_step *step, const char *format, ...)
{
    char subject[ISTI_CALLABLE_NAME_SIZE], way[120], reason[160];
    isti_callable_name(walk->function, walk->index, subject);
    isti_text text = isti_text_in(way, sizeof way);
    add_way(&text, step);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (text.length == 0)
        return isti_problem_set(walk->problem, IST_E_LAYOUT, "%s %s", subject, reason);
    return isti_problem_set(walk->problem, IST_E_LAYOUT, "%s: member '%s' %s", subject, way,
                            reason);
}

static ist_status
check(walk_state *walk, const walk_step *step, const ist_layout *layout, bool *ret_has_data);

/* ---- Padding only where C has a gap ---- */

/* Where the members of a group end, and where C would put the next one. */
typedef struct gap_state {
    size_t end; /* Bytes. */
    size_t alignment;
} gap_state;

static ist_status
check_gap(walk_state *walk, const walk_step *step, const ist_layout *group, gap_state *gaps)
{
    const isti_member *member = step->member;
    const ist_layout *layout = member->layout;
    if (layout->kind == IST_LAYOUT_PADDING)
        return IST_OK;
    size_t offset = member->bit_offset / 8, size = layout->size;
    if (isti_member_is_bits(member))
        size = (member->bit_offset % 8 + isti_member_width(member) + 7) / 8;
    else if (group->kind == IST_LAYOUT_STRUCT) {
        size_t expected = isti_align_up(gaps->end, layout->alignment);
        if (offset != expected)
            return refuse(walk, step, "lies at %zu, where C has it at %zu: say what is between",
                          offset, expected);
    }
    if (layout->alignment > gaps->alignment)
        gaps->alignment = layout->alignment;
    if (offset + size > gaps->end)
        gaps->end = offset + size;
    return IST_OK;
}

/* The attributes of C explain gaps; explicit padding explains itself. */
static bool must_have_no_gaps(const ist_layout *group)
{
    if (!(group->flags & ISTI_LAYOUT_C_RULES))
        return true;
    for (size_t i = 0; i < group->count; i++) {
        if (group->of.members[i].layout->kind == IST_LAYOUT_PADDING)
            return true;
    }
    return false;
}

/* A group is as long as C has it, by its own alignment or, if it was given a larger one, by its members'. */
static ist_status
check_size(walk_state *walk, const walk_step *step, const ist_layout *group, const gap_state *gaps)
{
    size_t size = group->size;
    if (size == isti_align_up(gaps->end, group->alignment) ||
        size == isti_align_up(gaps->end, gaps->alignment))
        return IST_OK;
    return refuse(walk, step, "is a %s of %zu bytes, where C has %zu",
                  group->kind == IST_LAYOUT_STRUCT ? "struct" : "union", size,
                  (size_t)isti_align_up(gaps->end, group->alignment));
}

/* ---- One part ---- */

/* C11 6.7.2.1: no member at all, though ABIs may look at it. */
static bool is_unnamed_bits(const isti_member *member)
{
    return isti_member_is_bits(member) && member->name == NULL;
}

static ist_status
check_group(walk_state *walk, const walk_step *outer, const ist_layout *group, bool *ret_has_data)
{
    gap_state gaps = { .alignment = 1 };
    bool no_gaps = must_have_no_gaps(group), has_data = false;
    for (size_t i = 0; i < group->count; i++) {
        walk_step step = { .outer = outer, .member = &group->of.members[i] };
        bool member_has_data = false;
        if (check(walk, &step, step.member->layout, &member_has_data) != IST_OK ||
            (no_gaps && check_gap(walk, &step, group, &gaps) != IST_OK))
            return walk->problem->status;
        has_data |= member_has_data && !is_unnamed_bits(step.member);
    }
    if (group->size > 0 && !has_data)
        return refuse(walk, outer, "consists of nothing but padding");
    *ret_has_data |= has_data;
    return no_gaps ? check_size(walk, outer, group, &gaps) : IST_OK;
}

static ist_status check_sequence(walk_state *walk, const walk_step *outer, const ist_layout *layout,
                                 bool *ret_has_data)
{
    walk_step step = { .outer = outer };
    if (layout->of.element->kind == IST_LAYOUT_PADDING)
        return refuse(walk, &step, "is an array of padding");
    bool has_data = false;
    ist_status status = check(walk, &step, layout->of.element, &has_data);
    *ret_has_data |= has_data && layout->size > 0;
    return status;
}

static ist_status
check(walk_state *walk, const walk_step *step, const ist_layout *layout, bool *ret_has_data)
{
    if (++walk->parts > PARTS_MAX)
        return refuse(walk, step, "has a type of more than %d parts", PARTS_MAX);
    if (!isti_layout_is_complete(layout))
        return refuse(walk, step, "has the type '%.40s', which is not defined",
                      layout->name != NULL ? layout->name : "?");
    switch (layout->kind) {
    case IST_LAYOUT_STRUCT:
    case IST_LAYOUT_UNION:
        return check_group(walk, step, layout, ret_has_data);
    case IST_LAYOUT_SEQUENCE:
        return check_sequence(walk, step, layout, ret_has_data);
    case IST_LAYOUT_PADDING:
        return IST_OK;
    default:
        *ret_has_data = true;
        return layout->order == walk->order
                   ? IST_OK
                   : refuse(walk, step, "is not in the byte order of the machine");
    }
}

/* ---- One value ---- */

/* C11 6.5.2.2: what a variadic argument of this type becomes; NULL: stays what it is. */
static const char *promotion_of(const ist_layout *layout)
{
    if (layout->kind != IST_LAYOUT_VALUE)
        return NULL;
    switch (isti_type_class(layout->type)) {
    case ISTI_CLASS_BOOL:
    case ISTI_CLASS_SIGNED:
    case ISTI_CLASS_UNSIGNED:
        return layout->size < ist_layout_of(IST_TYPE_INT)->size ? "int" : NULL;
    default:
        return layout->type == IST_TYPE_FLOAT ? "double" : NULL;
    }
}

static ist_status check_value(walk_state *walk, const ist_layout *layout)
{
    walk_step step = { .outer = NULL };
    bool is_result = walk->index == walk->function->count, has_data = false;
    size_t most = is_result ? ISTI_RESULT_MAX : ISTI_STACK_MAX;
    if (isti_layout_is_complete(layout) && layout->size > most)
        return refuse(walk, &step, "has %zu bytes; a call takes at most %zu", layout->size, most);
    if (check(walk, &step, layout, &has_data) != IST_OK)
        return walk->problem->status;
    if (isti_layout_is_group(layout) && layout->size % isti_group_alignment(layout) != 0)
        return refuse(walk, &step, "is of %zu bytes, which is no multiple of its alignment %zu",
                      layout->size, isti_group_alignment(layout));
    if (is_result || walk->index < walk->function->fixed_count || promotion_of(layout) == NULL)
        return IST_OK;
    return refuse(walk, &step, "is variadic and of type '%s', which C promotes: say '%s'",
                  isti_type_text(layout->type), promotion_of(layout));
}

ist_status
isti_callable_require(const ist_function *function, ist_order order, isti_problem *problem)
{
    walk_state walk = { .function = function, .order = order, .problem = problem };
    if (function->count > ISTI_ARGUMENTS_MAX)
        return isti_problem_set(problem, IST_E_LAYOUT, "%zu parameters; a call takes at most %d",
                                function->count, ISTI_ARGUMENTS_MAX);
    for (; walk.index < function->count; walk.index++) {
        if (check_value(&walk, function->parameters[walk.index].layout) != IST_OK)
            return problem->status;
    }
    return function->result != NULL ? check_value(&walk, function->result) : IST_OK;
}
