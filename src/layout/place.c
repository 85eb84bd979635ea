/* SPDX-License-Identifier: MIT */
/*
 * Where the members of a group lie, strictly and by the rules of C.
 *
 * C (psABI x86-64 3.1.2; GCC's manual on packed, aligned and #pragma pack; both compilers agree but
 * where said): all is counted in bits, `position` being the first free one.
 *   - A member begins at the next multiple of its alignment. Its alignment is its type's; 1 if it or its
 *     group is packed, and then at least what its own attribute says; at most what #pragma pack says.
 *   - A bit-field of type T may begin at any bit, unless it would then lie across a multiple of T's
 *     alignment in such a way that it touches more units than one T has: then at the next multiple.
 *     Packed, or under #pragma pack: at any bit.
 *   - A bit-field of no bits ends the unit: what follows begins at a multiple of T's alignment, whatever
 *     #pragma pack says.
 *   - The group's alignment is the largest of its members'; unnamed bit-fields do not count. Its size is
 *     a multiple of it.
 */
#include "layout/place.h"

#include <stdint.h>

#include "base/size.h"

#define BYTE_BITS 8
/* So that no count of bits overflows: sizes beyond it are refused first. */
#define SIZE_LIMIT ((size_t)PTRDIFF_MAX / BYTE_BITS)

/* What is known of a group while its members are placed. */
typedef struct placing_state {
    const ist_layout *group;
    size_t position;  /* Bits: struct: the first free one; union: 0. */
    size_t size;      /* Bits that are taken. */
    size_t alignment; /* Bytes. */
} placing_state;

static size_t max(size_t a, size_t b)
{
    return a > b ? a : b;
}

static const char *name_of(const isti_member *member)
{
    return member->name != NULL ? member->name : "(unnamed)";
}

static ist_status too_large(const isti_member *member, isti_problem *problem)
{
    return isti_problem_set(problem, IST_E_OVERFLOW, "member '%s' ends beyond %zu bytes",
                            name_of(member), SIZE_LIMIT);
}

/* Takes `width` bits at `position` for a member. */
static ist_status take(placing_state *placing, isti_member *member, size_t position, size_t width,
                       isti_problem *problem)
{
    size_t end;
    if (!isti_size_add(position, width, &end) || end > SIZE_LIMIT * BYTE_BITS)
        return too_large(member, problem);
    member->bit_offset = position;
    placing->size = max(placing->size, end);
    if (placing->group->kind == IST_LAYOUT_STRUCT)
        placing->position = end;
    return IST_OK;
}

/* ---- Strictly ---- */

static ist_status place_strictly(placing_state *placing, isti_member *member, isti_problem *problem)
{
    const ist_layout *layout = member->layout;
    if (isti_member_is_bits(member) || member->packed || member->alignment != 0)
        return isti_problem_set(
            problem, IST_E_LAYOUT,
            "member '%s' is a bit-field or has attributes: those are laid out by "
            "the rules of C",
            name_of(member));
    size_t offset = placing->position / BYTE_BITS;
    if (offset % layout->alignment != 0)
        return isti_problem_set(
            problem, IST_E_LAYOUT,
            "member '%s' would lie at offset %zu, which is not a multiple of its "
            "alignment %zu",
            name_of(member), offset, layout->alignment);
    placing->alignment = max(placing->alignment, layout->alignment);
    if (layout->size > SIZE_LIMIT)
        return too_large(member, problem);
    return take(placing, member, placing->position, layout->size * BYTE_BITS, problem);
}

/* ---- By the rules of C ---- */

static bool is_packed(const placing_state *placing, const isti_member *member)
{
    return member->packed || placing->group->attributes.packed;
}

/* What #pragma pack leaves of an alignment. */
static size_t limited(const placing_state *placing, size_t alignment)
{
    size_t most = placing->group->attributes.pack_maximum;
    return most != 0 && most < alignment ? most : alignment;
}

static size_t alignment_of(const placing_state *placing, const isti_member *member)
{
    size_t natural = is_packed(placing, member) ? 1 : member->layout->alignment;
    return limited(placing, max(natural, member->alignment));
}

static size_t up(size_t bits, size_t bytes)
{
    return isti_align_up(bits, bytes * BYTE_BITS);
}

static ist_status place_whole(placing_state *placing, isti_member *member, isti_problem *problem)
{
    size_t alignment = alignment_of(placing, member);
    placing->alignment = max(placing->alignment, alignment);
    if (member->layout->size > SIZE_LIMIT || alignment > SIZE_LIMIT)
        return too_large(member, problem);
    return take(placing, member, up(placing->position, alignment), member->layout->size * BYTE_BITS,
                problem);
}

static ist_status require_bits(const isti_member *member, isti_problem *problem)
{
    const ist_layout *layout = member->layout;
    isti_class class =
        layout->kind == IST_LAYOUT_VALUE ? isti_type_class(layout->type) : ISTI_CLASS_NONE;
    if (class != ISTI_CLASS_BOOL && class != ISTI_CLASS_SIGNED && class != ISTI_CLASS_UNSIGNED)
        return isti_problem_set(problem, IST_E_LAYOUT, "bit-field '%s' is not of an integer type",
                                name_of(member));
    size_t most = class == ISTI_CLASS_BOOL ? 1 : layout->size * BYTE_BITS;
    if (member->bits < IST_BITS_BREAK || isti_member_width(member) > most)
        return isti_problem_set(problem, IST_E_LAYOUT,
                                "bit-field '%s' has %d bits; its type has %zu", name_of(member),
                                member->bits, most);
    if (member->bits == IST_BITS_BREAK && member->name != NULL)
        return isti_problem_set(problem, IST_E_LAYOUT, "bit-field '%s' has a name and no bits",
                                member->name);
    return IST_OK;
}

/* Whether `width` bits at `position` touch more units of a type's alignment than a value of it has. */
static bool spans_too_much(size_t position, size_t width, const ist_layout *type)
{
    size_t unit = type->alignment * BYTE_BITS;
    return (position % unit + width + unit - 1) / unit > type->size * BYTE_BITS / unit;
}

/*
 * A bit-field as wide as an integer, where that would be aligned, is a member like others to GCC: it has
 * the integer's alignment, which is told apart from its type's only where a typedef changed that. 0: it
 * is none. Packed, only one of 8 bits is.
 */
static size_t whole_alignment(const placing_state *placing, const isti_member *member)
{
    size_t width = isti_member_width(member);
    bool is_integer = width >= BYTE_BITS && width <= 128 && isti_is_power_of_two(width);
    if (!is_integer || placing->position % width != 0 ||
        (is_packed(placing, member) && width > BYTE_BITS))
        return 0;
    return width / BYTE_BITS;
}

/* What the type of a bit-field asks of its group: `packed` gives way to #pragma pack. */
static size_t type_alignment(const placing_state *placing, const isti_member *member)
{
    bool counts = placing->group->attributes.pack_maximum != 0 || !is_packed(placing, member);
    return counts ? limited(placing, member->layout->alignment) : 1;
}

static ist_status place_bits(placing_state *placing, isti_member *member, isti_problem *problem)
{
    if (require_bits(member, problem) != IST_OK)
        return problem->status;
    const ist_layout *type = member->layout;
    size_t width = isti_member_width(member), whole = whole_alignment(placing, member);
    size_t own = limited(placing, max(max(member->alignment, whole), 1));
    bool loose = is_packed(placing, member) || placing->group->attributes.pack_maximum != 0;
    if (own > SIZE_LIMIT)
        return too_large(member, problem);
    size_t position = placing->position;
    if (member->bits == IST_BITS_BREAK) /* In full, whatever #pragma pack says. */
        position = up(position, max(type->alignment, member->alignment));
    else if (member->alignment != 0 || whole != 0)
        position = up(position, own);
    if (width != 0 && !loose && whole == 0 && spans_too_much(position, width, type))
        position = up(position, type->alignment);
    if (member->name != NULL)
        placing->alignment = max(placing->alignment, max(own, type_alignment(placing, member)));
    return take(placing, member, position, width, problem);
}

static ist_status place_in_c(placing_state *placing, isti_member *member, isti_problem *problem)
{
    if (member->alignment != 0 && !isti_is_power_of_two(member->alignment))
        return isti_problem_set(problem, IST_E_ARGUMENT,
                                "member '%s' is aligned to %zu, which is not a power of two",
                                name_of(member), member->alignment);
    return isti_member_is_bits(member) ? place_bits(placing, member, problem)
                                       : place_whole(placing, member, problem);
}

static ist_status require_attributes(const ist_group_attributes *attributes, isti_problem *problem)
{
    size_t alignment = attributes->alignment, most = attributes->pack_maximum;
    if (alignment != 0 && !isti_is_power_of_two(alignment))
        return isti_problem_set(problem, IST_E_ARGUMENT, "the alignment %zu is not a power of two",
                                alignment);
    if (alignment > SIZE_LIMIT)
        return isti_problem_set(problem, IST_E_OVERFLOW, "the alignment %zu is beyond %zu",
                                alignment, SIZE_LIMIT);
    if (most != 0 && !isti_is_power_of_two(most))
        return isti_problem_set(problem, IST_E_ARGUMENT, "pack(%zu) is not a power of two", most);
    return IST_OK;
}

ist_status isti_place_members(ist_layout *group, isti_member *members, isti_problem *problem)
{
    bool in_c = group->flags & ISTI_LAYOUT_C_RULES;
    placing_state placing = { .group = group, .alignment = 1 };
    if (require_attributes(&group->attributes, problem) != IST_OK)
        return problem->status;
    for (size_t i = 0; i < group->count; i++) {
        ist_status status = in_c ? place_in_c(&placing, &members[i], problem)
                                 : place_strictly(&placing, &members[i], problem);
        if (status != IST_OK)
            return status;
    }
    group->part_alignment = placing.alignment;
    group->alignment = max(placing.alignment, group->attributes.alignment);
    size_t size = (placing.size + BYTE_BITS - 1) / BYTE_BITS;
    group->size = in_c ? isti_align_up(size, group->alignment) : size;
    if (group->size > SIZE_LIMIT)
        return isti_problem_set(problem, IST_E_OVERFLOW, "the group ends beyond %zu bytes",
                                SIZE_LIMIT);
    return IST_OK;
}

size_t isti_group_alignment(const ist_layout *group)
{
    bool in_c = group->flags & ISTI_LAYOUT_C_RULES;
    return in_c ? max(group->part_alignment, group->attributes.alignment) : group->alignment;
}
