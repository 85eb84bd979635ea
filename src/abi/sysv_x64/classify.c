/* SPDX-License-Identifier: MIT */
/*
 * Classification, psABI x86-64 3.2.3: each eightbyte of a value gets a class, which is merged from those
 * of the scalars that lie in it.
 *
 * Where the psABI says less than a compiler must decide, GCC decides, since it is what the libraries of
 * the platform are built with (the list is in docs/calls.md, with what Clang does):
 *   - the classes of an array are those of its first element, over and over;
 *   - a bit-field without a name counts as one with; a flexible array member does not count, an array
 *     of 0 elements does, as one element, if it begins within an eightbyte;
 *   - a bit-field as wide as an integer and where that could be is one, and so is each in a union, even
 *     of no bits; the others are never misaligned.
 *
 * `offset` is always from the beginning of the argument, as far as it goes: what lies beyond 64 bytes is
 * in memory. Classes are counted from the eightbyte in which the part at hand begins.
 */
#include "abi/sysv_x64/classify.h"

#define EIGHTBYTE ((size_t)8)
/* Larger groups are in memory whatever is in them. */
#define GROUP_SIZE_MAX (EIGHTBYTE * ISTI_X64_EIGHTBYTES_MAX)

static const isti_x64_classes in_memory = { .count = 0 };

/* How many eightbytes a part touches. */
static unsigned eightbytes(size_t offset, size_t size)
{
    return (unsigned)((offset % EIGHTBYTE + size + EIGHTBYTE - 1) / EIGHTBYTE);
}

/* A first class and those of the eightbytes behind it. */
static isti_x64_classes run_of(isti_x64_class first, isti_x64_class rest, unsigned count)
{
    isti_x64_classes classes = { .count = count, .of = { first } };
    for (unsigned i = 1; i < count; i++)
        classes.of[i] = rest;
    return classes;
}

/* ---- Scalars ---- */

static isti_x64_classes classify_scalar(ist_type type, size_t offset, size_t size)
{
    unsigned count = eightbytes(offset, size);
    switch (type) {
    case IST_TYPE_LONG_DOUBLE:
        return run_of(ISTI_X64_X87, ISTI_X64_X87UP, count);
    case IST_TYPE_COMPLEX_LONG_DOUBLE:
        return run_of(ISTI_X64_COMPLEX_X87, ISTI_X64_COMPLEX_X87, count);
    case IST_TYPE_COMPLEX_FLOAT128:
        return in_memory;
    case IST_TYPE_FLOAT128:
        return run_of(ISTI_X64_SSE, ISTI_X64_SSEUP, count);
    case IST_TYPE_FLOAT16:
    case IST_TYPE_BFLOAT16:
    case IST_TYPE_FLOAT:
    case IST_TYPE_DOUBLE:
    case IST_TYPE_COMPLEX_FLOAT:
    case IST_TYPE_COMPLEX_DOUBLE:
        return run_of(ISTI_X64_SSE, ISTI_X64_SSE, count);
    default:
        return run_of(ISTI_X64_INTEGER, ISTI_X64_INTEGER, count);
    }
}

static isti_x64_classes classify_value(const ist_layout *layout, size_t offset)
{
    /* An alignment that a typedef gives or takes does not change what the register holds. */
    if (offset % ist_layout_of(layout->type)->alignment != 0)
        return in_memory;
    return classify_scalar(layout->type, offset, layout->size);
}

/* The one double, and elements of 16 bytes but for the one __int128, have no place in the psABI. */
static bool is_vector_of_processor(const ist_layout *layout)
{
    const ist_layout *element = layout->of.element;
    if (element->type == IST_TYPE_DOUBLE)
        return layout->count > 1;
    return element->size < 16 || (element->type != IST_TYPE_FLOAT128 && layout->count == 1);
}

static isti_x64_classes classify_vector(const ist_layout *layout, size_t offset)
{
    if (!is_vector_of_processor(layout) || offset % layout->size != 0)
        return in_memory;
    return run_of(ISTI_X64_SSE, ISTI_X64_SSEUP, eightbytes(offset, layout->size));
}

/* ---- Groups and arrays ---- */

/* 3.2.3, "Classification" 4. MEMORY, its (c), has left already. */
static isti_x64_class merged(isti_x64_class a, isti_x64_class b, bool *ret_in_memory)
{
    if (a == b || b == ISTI_X64_NO_CLASS)
        return a;
    if (a == ISTI_X64_NO_CLASS)
        return b;
    if (a == ISTI_X64_INTEGER || b == ISTI_X64_INTEGER)
        return ISTI_X64_INTEGER;
    if (a >= ISTI_X64_X87 || b >= ISTI_X64_X87)
        *ret_in_memory = true;
    return ISTI_X64_SSE;
}

/* Merges the classes of a part into those from eightbyte `position` on; false: MEMORY. */
static bool merge(isti_x64_classes *classes, unsigned position, const isti_x64_classes *part)
{
    bool memory = part->count == 0;
    for (unsigned i = 0; i < part->count && position + i < classes->count; i++) {
        isti_x64_class *class = &classes->of[position + i];
        *class = merged(*class, part->of[i], &memory);
    }
    return !memory;
}

/* 3.2.3, "Classification" 5, the post merger cleanup; false: MEMORY. */
static bool clean_up(isti_x64_classes *classes)
{
    isti_x64_class *of = classes->of;
    if (classes->count > 2) {
        if (of[0] != ISTI_X64_SSE)
            return false;
        for (unsigned i = 1; i < classes->count; i++) {
            if (of[i] != ISTI_X64_SSEUP)
                return false;
        }
    }
    for (unsigned i = 0; i < classes->count; i++) {
        isti_x64_class before = i > 0 ? of[i - 1] : ISTI_X64_NO_CLASS;
        if (of[i] == ISTI_X64_X87UP && before != ISTI_X64_X87)
            return false;
        if (of[i] == ISTI_X64_SSEUP && before != ISTI_X64_SSE && before != ISTI_X64_SSEUP)
            of[i] = ISTI_X64_SSE;
    }
    return true;
}

static isti_x64_classes classify(const ist_layout *layout, size_t offset);

/* Whether a bit-field is an integer to the compiler: of such a width, and there by rights. */
static bool is_whole_integer(const ist_layout *group, const isti_member *member)
{
    size_t width = isti_member_width(member);
    bool packed = member->packed || group->attributes.packed;
    bool known = width == 8 || width == 16 || width == 32 || width == 64 || width == 128;
    return known && member->bit_offset % width == 0 && (width == 8 || !packed);
}

/* An integer large enough for a bit-field. */
static isti_x64_classes classify_integer(size_t offset, size_t width)
{
    size_t size = 1;
    while (size * 8 < width)
        size *= 2;
    return offset % size != 0 ? in_memory : classify_scalar(IST_TYPE_INT, offset, size);
}

/* A bit-field in a struct is INTEGER in each eightbyte of which it has bits. */
static isti_x64_classes
classify_bits(const ist_layout *group, const isti_member *member, size_t base)
{
    size_t width = isti_member_width(member), offset = base + member->bit_offset / 8;
    if (group->kind == IST_LAYOUT_UNION)
        return classify_integer(offset, width);
    if (is_whole_integer(group, member))
        return classify_integer(offset, width);
    size_t first = (base * 8 + member->bit_offset) % 64;
    unsigned count = width > 0 ? (unsigned)((first + width + 63) / 64) : 1;
    isti_x64_class class = width > 0 ? ISTI_X64_INTEGER : ISTI_X64_NO_CLASS;
    return run_of(class, class, count);
}

static bool merge_member(isti_x64_classes *classes, const ist_layout *group,
                         const isti_member *member, size_t base)
{
    const ist_layout *layout = member->layout;
    if (layout->kind == IST_LAYOUT_SEQUENCE && layout->count == IST_COUNT_OPEN)
        return true;
    size_t offset = member->bit_offset / 8;
    isti_x64_classes part = isti_member_is_bits(member) ? classify_bits(group, member, base)
                                                        : classify(layout, base + offset);
    return merge(classes, (unsigned)((base % EIGHTBYTE + offset) / EIGHTBYTE), &part);
}

static bool merge_parts(isti_x64_classes *classes, const ist_layout *layout, size_t offset)
{
    if (layout->kind == IST_LAYOUT_SEQUENCE) {
        isti_x64_classes element = classify(layout->of.element, offset);
        for (unsigned i = 0; i < classes->count && element.count > 0; i++)
            classes->of[i] = element.of[i % element.count];
        return element.count > 0;
    }
    for (size_t i = 0; i < layout->count; i++) {
        if (!merge_member(classes, layout, &layout->of.members[i], offset))
            return false;
    }
    return true;
}

static isti_x64_classes classify_aggregate(const ist_layout *layout, size_t offset)
{
    isti_x64_classes classes = { .count = 1 };
    if (layout->size > GROUP_SIZE_MAX)
        return in_memory;
    unsigned count = eightbytes(offset, layout->size);
    if (count == 0)
        return classes;
    if (count > ISTI_X64_EIGHTBYTES_MAX)
        return in_memory;
    classes.count = count;
    return merge_parts(&classes, layout, offset) && clean_up(&classes) ? classes : in_memory;
}

static isti_x64_classes classify(const ist_layout *layout, size_t offset)
{
    switch (layout->kind) {
    case IST_LAYOUT_VALUE:
        return classify_value(layout, offset);
    case IST_LAYOUT_VECTOR:
        return classify_vector(layout, offset);
    case IST_LAYOUT_PADDING:
        return run_of(ISTI_X64_NO_CLASS, ISTI_X64_NO_CLASS, 1);
    default:
        return classify_aggregate(layout, offset);
    }
}

isti_x64_classes isti_x64_classify(const ist_layout *layout)
{
    return classify(layout, 0);
}
