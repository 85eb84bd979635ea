/* SPDX-License-Identifier: MIT */
/*
 * Resolving a path: each element moves a walk from one layout to a part of it and adds to the
 * offset, to the open indexes, or to the dereferences.
 *
 * Invariant: offset + the strides of all indexes at their last value + the size of where the walk
 * is stays below PTRDIFF_MAX, so that an access adds without a check: inside the root that is so
 * because the root's size is; a part without an end limits the count of its index accordingly.
 */
#include "layout/path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "layout/layout.h"

typedef struct path_walk {
    const ist_layout *at;
    ist_path path;    /* So far. */
    size_t spacing;   /* The alignment of what is walked in, or-ed with the strides. */
    const char *text; /* NULL: a list of elements. */
    size_t position;  /* In the text: of what is read next. */
    size_t blamed;    /* Where what does not fit begins; the element's number. */
    isti_problem *problem;
} path_walk;

/* ---- What does not fit ---- */

__attribute__((format(printf, 3, 4))) static ist_status
refuse(path_walk *walk, ist_status status, const char *format, ...)
{
    char reason[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (walk->text != NULL)
        return isti_problem_set(walk->problem, status, "%s (at %zu of \"%.60s\")", reason,
                                walk->blamed, walk->text);
    return isti_problem_set(walk->problem, status, "%s (element %zu)", reason, walk->blamed);
}

/* A layout in words: "struct point", "array of 3", "double". */
typedef struct layout_words {
    char text[80];
} layout_words;

static layout_words words_of(const ist_layout *layout)
{
    layout_words words;
    isti_text text = isti_text_in(words.text, sizeof words.text);
    const char *name = layout->name != NULL ? layout->name : "(unnamed)";
    switch (layout->kind) {
    case IST_LAYOUT_STRUCT:
        isti_text_add(&text, "struct %s", name);
        break;
    case IST_LAYOUT_UNION:
        isti_text_add(&text, "union %s", name);
        break;
    case IST_LAYOUT_SEQUENCE:
    case IST_LAYOUT_VECTOR:
        isti_text_add(&text, layout->kind == IST_LAYOUT_VECTOR ? "vector" : "array");
        if (layout->count != IST_COUNT_OPEN)
            isti_text_add(&text, " of %zu", layout->count);
        break;
    case IST_LAYOUT_PADDING:
        isti_text_add(&text, "padding");
        break;
    case IST_LAYOUT_FUNCTION:
        isti_text_add(&text, "function");
        break;
    case IST_LAYOUT_VOID:
        isti_text_add(&text, "void");
        break;
    default:
        isti_text_add(&text, "%s",
                      isti_layout_is_complete(layout) ? isti_type_text(layout->type) : "enum");
    }
    return words;
}

static void list_names(isti_text *text, const ist_layout *group, const char **separator)
{
    for (size_t i = 0; i < group->count; i++) {
        const isti_member *member = &group->of.members[i];
        if (member->name != NULL) {
            isti_text_add(text, "%s%s", *separator, member->name);
            *separator = ", ";
        } else if (isti_member_lends_names(member)) {
            list_names(text, member->layout, separator);
        }
    }
}

static ist_status refuse_name(path_walk *walk, const char *name, size_t length)
{
    char names[80];
    const char *separator = "it has ";
    isti_text text = isti_text_in(names, sizeof names);
    list_names(&text, walk->at, &separator);
    return refuse(walk, IST_E_LAYOUT, "no member '%.*s' in %s; %s",
                  (int)(length < 40 ? length : 40), name, words_of(walk->at).text,
                  text.length != 0 ? names : "it has none");
}

static ist_status refuse_kind(path_walk *walk, const char *what)
{
    return refuse(walk, IST_E_LAYOUT, "%s has no %s", words_of(walk->at).text, what);
}

/* ---- Steps ---- */

/* Moves the walk into another layout, which has a size. */
static ist_status arrive(path_walk *walk, const ist_layout *layout)
{
    if (!isti_layout_is_complete(layout))
        return refuse(walk, IST_E_LAYOUT, "%s is declared and not defined", words_of(layout).text);
    if (layout->kind == IST_LAYOUT_VOID || layout->kind == IST_LAYOUT_FUNCTION)
        return refuse(walk, IST_E_LAYOUT, "%s has no bytes", words_of(layout).text);
    walk->at = layout;
    return IST_OK;
}

static ist_status step_into(path_walk *walk, const isti_member *member, size_t bit_offset)
{
    walk->path.offset += bit_offset / 8;
    if (isti_member_is_bits(member)) {
        walk->path.bit_offset = (uint8_t)(bit_offset % 8);
        walk->path.bits = (uint8_t)isti_member_width(member);
        walk->path.access |= ISTI_PATH_BITS;
    }
    return arrive(walk, member->layout);
}

static ist_status step_name(path_walk *walk, const char *name, size_t length)
{
    size_t bit_offset;
    if (!isti_layout_is_group(walk->at))
        return refuse_kind(walk, "members");
    const isti_member *member = isti_member_find(walk->at, name, length, &bit_offset);
    return member != NULL ? step_into(walk, member, bit_offset) : refuse_name(walk, name, length);
}

static ist_status step_number(path_walk *walk, size_t number)
{
    if (!isti_layout_is_group(walk->at))
        return refuse_kind(walk, "members");
    if (number >= walk->at->count)
        return refuse(walk, IST_E_LAYOUT, "no member %zu in %s; it has %zu", number,
                      words_of(walk->at).text, walk->at->count);
    const isti_member *member = &walk->at->of.members[number];
    if (member->bits == IST_BITS_BREAK)
        return refuse(walk, IST_E_LAYOUT, "member %zu of %s has no bits", number,
                      words_of(walk->at).text);
    return step_into(walk, member, member->bit_offset);
}

/* Whether there is an element `index`; the walk moves to it. */
static ist_status step_index(path_walk *walk, size_t index)
{
    const ist_layout *at = walk->at, *element = ist_layout_element(at);
    size_t distance, end;
    if (element == NULL)
        return refuse_kind(walk, "elements");
    if (at->count != IST_COUNT_OPEN && index >= at->count)
        return refuse(walk, IST_E_LAYOUT, "no element %zu in %s", index, words_of(at).text);
    if (!isti_size_multiply(index, element->size, &distance) ||
        !isti_size_add(distance, walk->path.offset, &end) || end > PTRDIFF_MAX - element->size)
        return refuse(walk, IST_E_LAYOUT, "element %zu lies beyond what can be addressed", index);
    if (at->count == IST_COUNT_OPEN)
        walk->path.access |= ISTI_PATH_ENDLESS;
    walk->path.offset = end;
    return arrive(walk, element);
}

/* How many elements there are from `first` on by steps of this magnitude; the first is there. */
static size_t count_of_range(const path_walk *walk, const ist_layout *sequence, size_t first,
                             size_t magnitude, bool backwards)
{
    if (backwards)
        return first / magnitude + 1;
    if (sequence->count != IST_COUNT_OPEN)
        return (sequence->count - first - 1) / magnitude + 1;
    size_t stride, size = sequence->of.element->size;
    if (!isti_size_multiply(magnitude, size, &stride) || stride > PTRDIFF_MAX)
        return 1;
    return stride == 0 ? PTRDIFF_MAX : (PTRDIFF_MAX - size - walk->path.offset) / stride + 1;
}

/* An open index over the elements from `first` on; of a sequence without elements there is none. */
static ist_status step_range(path_walk *walk, size_t first, ptrdiff_t step)
{
    const ist_layout *at = walk->at;
    size_t magnitude = step < 0 ? 0 - (size_t)step : (size_t)step;
    ist_path *path = &walk->path;
    bool is_empty = ist_layout_element(at) != NULL && at->count == 0 && first == 0 && step == 1;
    if (path->open_count == IST_PATH_INDEXES_MAX)
        return refuse(walk, IST_E_UNSUPPORTED, "more than %d open indexes", IST_PATH_INDEXES_MAX);
    if (step == 0)
        return refuse(walk, IST_E_LAYOUT, "a range with step 0");
    ist_status status = is_empty ? arrive(walk, at->of.element) : step_index(walk, first);
    if (status != IST_OK)
        return status;
    size_t count = is_empty ? 0 : count_of_range(walk, at, first, magnitude, step < 0);
    /* Of one element the stride is never used, and might not be representable. */
    size_t stride = count > 1 ? magnitude * walk->at->size : 0;
    stride = step < 0 ? 0 - stride : stride;
    path->open[path->open_count++] =
        (ist_path_dimension){ .stride = (ptrdiff_t)stride, .count = count };
    walk->spacing |= stride;
    return IST_OK;
}

static bool is_endless(const ist_layout *layout)
{
    return (layout->flags & ISTI_LAYOUT_OPEN) != 0 ||
           (layout->kind == IST_LAYOUT_SEQUENCE && layout->count == IST_COUNT_OPEN);
}

static ist_status step_dereference(path_walk *walk)
{
    const ist_layout *at = walk->at, *target = ist_layout_target(at);
    ist_path *path = &walk->path;
    if (target == NULL)
        return refuse_kind(walk, "target");
    if (path->dereference_count == IST_PATH_DEREFERENCES_MAX)
        return refuse(walk, IST_E_UNSUPPORTED, "more than %d dereferences",
                      IST_PATH_DEREFERENCES_MAX);
    ist_status status = arrive(walk, target);
    if (status != IST_OK)
        return status;
    path->dereferences[path->dereference_count++] =
        (ist_path_dereference){ .offset = path->offset,
                                .size = is_endless(target) ? SIZE_MAX : target->size,
                                .alignment = target->alignment,
                                .open_count = path->open_count,
                                .swapped = at->order != IST_ORDER_NATIVE };
    path->offset = 0;
    path->access = (path->access | ISTI_PATH_POINTERS) & ~ISTI_PATH_ENDLESS;
    walk->spacing = target->alignment;
    return IST_OK;
}

/* ---- Beginning and end ---- */

static ist_status begin(path_walk *walk, const ist_layout *root)
{
    walk->path = (ist_path){ .access = ISTI_PATH_RESOLVED, .target_alignment = 1 };
    walk->spacing = root->alignment;
    ist_status status = arrive(walk, root);
    walk->path.size = root->size;
    walk->path.alignment = root->alignment;
    return status;
}

static unsigned sort_of(const ist_layout *layout)
{
    switch (layout->kind == IST_LAYOUT_VALUE ? isti_type_class(layout->type) : ISTI_CLASS_NONE) {
    case ISTI_CLASS_BOOL:
        return ISTI_PATH_BOOL;
    case ISTI_CLASS_SIGNED:
    case ISTI_CLASS_UNSIGNED:
        return ISTI_PATH_INTEGER;
    case ISTI_CLASS_FLOAT:
        return ISTI_PATH_FLOAT;
    case ISTI_CLASS_COMPLEX:
        return ISTI_PATH_COMPLEX;
    case ISTI_CLASS_ADDRESS:
        return ISTI_PATH_ADDRESS;
    default:
        return layout->kind == IST_LAYOUT_VECTOR ? ISTI_PATH_VECTOR : 0;
    }
}

/* What an access wants to know of a leaf that has a byte order. */
static void describe_value(path_walk *walk, unsigned sort)
{
    const ist_layout *leaf = walk->at;
    ist_path *path = &walk->path;
    size_t size = leaf->kind == IST_LAYOUT_VECTOR ? leaf->of.element->size : leaf->size;
    path->access |= sort | (unsigned)size;
    path->type = leaf->type;
    if (leaf->order != IST_ORDER_NATIVE)
        path->access |= ISTI_PATH_SWAPPED;
    if (((walk->spacing | path->offset) & (size - 1)) != 0)
        path->access |= ISTI_PATH_UNALIGNED;
    if (sort == ISTI_PATH_ADDRESS && leaf->of.target != NULL) {
        const ist_layout *target = leaf->of.target;
        bool is_known = isti_layout_is_complete(target);
        path->target_size = is_known ? target->size : 0;
        path->target_alignment = is_known ? target->alignment : 1;
    }
}

static ist_status finish(path_walk *walk, ist_path *ret)
{
    const ist_layout *leaf = walk->at;
    ist_path *path = &walk->path;
    unsigned sort = sort_of(leaf);
    path->access |= ISTI_PATH_OPEN(path->open_count);
    path->leaf = leaf;
    path->leaf_size = leaf->size;
    if (sort != 0)
        describe_value(walk, sort);
    if (leaf->kind == IST_LAYOUT_SEQUENCE && leaf->count == IST_COUNT_OPEN) {
        path->access |= ISTI_PATH_OPEN_LEAF;
        path->target_size = leaf->of.element->size;
    }
    if (path->access & ISTI_PATH_BITS) {
        path->leaf_size = ((size_t)path->bit_offset + path->bits + 7) / 8;
        if (path->access & ISTI_PATH_SWAPPED)
            return refuse(walk, IST_E_UNSUPPORTED, "a bit-field in the other byte order");
    }
    *ret = *path;
    return IST_OK;
}

/* ---- From elements ---- */

static ist_status step(path_walk *walk, const ist_path_element *element)
{
    switch (element->kind) {
    case IST_PATH_KIND_MEMBER:
        if (element->name == NULL)
            return refuse(walk, IST_E_ARGUMENT, "a member without a name");
        return step_name(walk, element->name, strlen(element->name));
    case IST_PATH_KIND_MEMBER_AT:
        return step_number(walk, element->index);
    case IST_PATH_KIND_INDEX:
        return step_index(walk, element->index);
    case IST_PATH_KIND_OPEN:
        return step_range(walk, 0, 1);
    case IST_PATH_KIND_RANGE:
        return step_range(walk, element->index, element->step);
    case IST_PATH_KIND_DEREFERENCE:
        return step_dereference(walk);
    default:
        return refuse(walk, IST_E_ARGUMENT, "%d is no kind of element", (int)element->kind);
    }
}

ist_status isti_path_from_elements(const ist_layout *root, const ist_path_element *elements,
                                   size_t count, ist_path *ret, isti_problem *problem)
{
    path_walk walk = { .problem = problem };
    ist_status status = begin(&walk, root);
    for (size_t i = 0; i < count && status == IST_OK; i++) {
        walk.blamed = i;
        status = step(&walk, &elements[i]);
    }
    return status == IST_OK ? finish(&walk, ret) : status;
}

/* ---- From text ---- */

static char next_of(const path_walk *walk)
{
    return walk->text[walk->position];
}

static bool take(path_walk *walk, const char *token)
{
    size_t length = strlen(token);
    if (strncmp(walk->text + walk->position, token, length) != 0)
        return false;
    walk->position += length;
    return true;
}

/* The syntax is not kept to, here. */
static ist_status miss(path_walk *walk, const char *what)
{
    walk->blamed = walk->position;
    return refuse(walk, IST_E_LAYOUT, "%s is wanted", what);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Of an identifier; whatever is not ASCII may be part of one. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static ist_status read_name(path_walk *walk)
{
    const char *name = walk->text + walk->position;
    size_t length = 0;
    if (!is_letter(name[0]))
        return miss(walk, "a name");
    walk->blamed = walk->position;
    while (is_letter(name[length]) || is_digit(name[length]))
        length++;
    ist_status status = step_name(walk, name, length);
    if (status == IST_OK)
        walk->position += length;
    return status;
}

static ist_status read_number(path_walk *walk, size_t *ret)
{
    size_t value = 0;
    if (!is_digit(next_of(walk)))
        return miss(walk, "a number");
    for (; is_digit(next_of(walk)); walk->position++) {
        size_t digit = (size_t)(next_of(walk) - '0');
        if (value > (PTRDIFF_MAX - digit) / 10)
            return refuse(walk, IST_E_LAYOUT, "a number of more than 63 bits");
        value = value * 10 + digit;
    }
    *ret = value;
    return IST_OK;
}

/* Behind the opening bracket, up to and with the closing one. */
static ist_status read_brackets(path_walk *walk)
{
    size_t first, magnitude = 0;
    if (take(walk, "]"))
        return step_range(walk, 0, 1);
    ist_status status = read_number(walk, &first);
    bool is_range = status == IST_OK && take(walk, ":");
    bool backwards = is_range && take(walk, "-");
    if (is_range)
        status = read_number(walk, &magnitude);
    if (status != IST_OK)
        return status;
    if (!take(walk, "]"))
        return miss(walk, is_range ? "']'" : "']' or ':'");
    if (!is_range)
        return step_index(walk, first);
    return step_range(walk, first, backwards ? -(ptrdiff_t)magnitude : (ptrdiff_t)magnitude);
}

static ist_status read_step(path_walk *walk)
{
    walk->blamed = walk->position;
    if (take(walk, "["))
        return read_brackets(walk);
    if (take(walk, "->")) {
        ist_status status = step_dereference(walk);
        return status == IST_OK && is_letter(next_of(walk)) ? read_name(walk) : status;
    }
    if (walk->position == 0 || take(walk, "."))
        return read_name(walk);
    return miss(walk, "'.', '->' or '['");
}

ist_status
isti_path_from_text(const ist_layout *root, const char *text, ist_path *ret, isti_problem *problem)
{
    path_walk walk = { .text = text, .problem = problem };
    ist_status status = begin(&walk, root);
    while (status == IST_OK && next_of(&walk) != '\0')
        status = read_step(&walk);
    return status == IST_OK ? finish(&walk, ret) : status;
}
