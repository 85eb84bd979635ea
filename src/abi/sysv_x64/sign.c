/* SPDX-License-Identifier: MIT */
/*
 * From a function to its signature: what psABI x86-64 3.2.3, "Passing" and "Returning of Values", make
 * of the classes of each value, before anybody knows which registers are left.
 *
 * Values that travel alike get the same bytes: this is where names, members and most types end.
 */
#include <string.h>

#include "abi/callable.h"
#include "abi/sysv_x64/classify.h"
#include "abi/sysv_x64/sysv_x64.h"
#include "base/contract.h"
#include "layout/place.h"

#define EIGHTBYTE ((size_t)8)
#define X87_SIZE 10

/* 3.2.3: arguments begin at eightbytes of the stack, those of a larger alignment at a multiple of it. */
static uint8_t alignment_shift(const ist_layout *layout)
{
    size_t alignment = layout->kind == IST_LAYOUT_VALUE ? ist_layout_of(layout->type)->alignment
                       : isti_layout_is_group(layout)   ? isti_group_alignment(layout)
                                                        : layout->size;
    return (uint8_t)__builtin_ctzll(alignment > EIGHTBYTE ? alignment : EIGHTBYTE);
}

/* Plain char is signed to this ABI, whatever the host says. */
static uint8_t extension(const ist_layout *layout)
{
    if (layout->kind != IST_LAYOUT_VALUE || layout->size >= 4)
        return ISTI_EXTEND_NONE;
    if (layout->type == IST_TYPE_CHAR)
        return ISTI_EXTEND_SIGN;
    switch (isti_type_class(layout->type)) {
    case ISTI_CLASS_BOOL:
    case ISTI_CLASS_UNSIGNED:
        return ISTI_EXTEND_ZERO;
    case ISTI_CLASS_SIGNED:
        return ISTI_EXTEND_SIGN;
    default:
        return ISTI_EXTEND_NONE;
    }
}

/* What one register takes of the value: `count` eightbytes from `first` on. */
static isti_piece piece_of(isti_location location, unsigned first, unsigned count, size_t size)
{
    size_t offset = first * EIGHTBYTE, most = size - offset;
    size_t wanted = location == ISTI_IN_X87 ? X87_SIZE : count * EIGHTBYTE;
    return (isti_piece){ .location = (uint8_t)location,
                         .offset = (uint8_t)offset,
                         .size = (uint8_t)(wanted < most ? wanted : most) };
}

/* The registers that take the eightbytes; an eightbyte of NO_CLASS takes none. */
static void add_pieces(const isti_x64_classes *classes, size_t size, isti_piece pieces[2])
{
    static const isti_location locations[] = { [ISTI_X64_INTEGER] = ISTI_IN_GENERAL,
                                               [ISTI_X64_SSE] = ISTI_IN_VECTOR,
                                               [ISTI_X64_X87] = ISTI_IN_X87,
                                               [ISTI_X64_COMPLEX_X87] = ISTI_IN_X87 };
    unsigned made = 0;
    for (unsigned i = 0, next; i < classes->count; i = next) {
        isti_x64_class class = classes->of[i];
        for (next = i + 1; next < classes->count; next++) {
            isti_x64_class up = classes->of[next];
            bool continues = up == ISTI_X64_SSEUP || up == ISTI_X64_X87UP ||
                             (class == ISTI_X64_COMPLEX_X87 && next == i + 1);
            if (!continues)
                break;
        }
        if (class == ISTI_X64_NO_CLASS)
            continue;
        ISTI_ASSERT(made < 2);
        pieces[made++] = piece_of(locations[class], i, next - i, size);
    }
}

static bool is_of_x87(const isti_x64_classes *classes)
{
    return classes->count > 0 && classes->of[0] >= ISTI_X64_X87;
}

static isti_passing pass_result(const ist_layout *layout)
{
    isti_passing passing = { .size = 0 };
    if (layout == NULL || layout->size == 0)
        return passing;
    isti_x64_classes classes = isti_x64_classify(layout);
    if (classes.count == 0) {
        passing.flags = ISTI_VALUE_MEMORY;
        return passing;
    }
    passing.size = (uint32_t)layout->size;
    add_pieces(&classes, layout->size, passing.pieces);
    return passing;
}

/* 3.2.3: in a variadic call vectors of more than 16 bytes stay in registers only if they are named. */
static bool is_wide(const isti_passing *passing)
{
    return passing->pieces[0].location == ISTI_IN_VECTOR && passing->pieces[0].size > 16;
}

static isti_passing pass_argument(const ist_layout *layout, bool is_named)
{
    isti_passing passing = { .size = (uint32_t)layout->size };
    if (layout->size == 0)
        return passing;
    isti_x64_classes classes = isti_x64_classify(layout);
    passing.alignment_shift = alignment_shift(layout);
    passing.extension = extension(layout);
    if (classes.count > 0 && !is_of_x87(&classes))
        add_pieces(&classes, layout->size, passing.pieces);
    if (passing.pieces[0].location == 0 || (!is_named && is_wide(&passing))) {
        memset(passing.pieces, 0, sizeof passing.pieces);
        passing.flags = ISTI_VALUE_MEMORY;
    }
    return passing;
}

static bool
is_segment(const ist_function *function, size_t index, const isti_classify_options *options)
{
    const isti_parameter *parameter = &function->parameters[index];
    if (parameter->layout->kind != IST_LAYOUT_VALUE || parameter->layout->type != IST_TYPE_ADDRESS)
        return false;
    if (parameter->name != NULL && strcmp(parameter->name, "raw") == 0)
        return false;
    if (options == NULL)
        return true;
    size_t word = index / 64;
    bool marked = word < options->raw_count && options->raw_bits[word] >> index % 64 & 1;
    return !options->all_raw && !marked;
}

ist_status isti_x64_sign(const ist_function *function, const isti_classify_options *options,
                         isti_signature *signature, isti_problem *problem)
{
    if (isti_callable_require(function, IST_ORDER_LITTLE, problem) != IST_OK)
        return problem->status;
    *signature = (isti_signature){ .abi = ISTI_ABI_SYSV_X64, .count = (uint32_t)function->count };
    signature->result = pass_result(function->result);
    for (size_t i = 0; i < function->count; i++) {
        isti_passing *argument = &signature->arguments[i];
        *argument = pass_argument(function->parameters[i].layout, i < function->fixed_count);
        if (is_segment(function, i, options))
            argument->flags |= ISTI_VALUE_SEGMENT;
    }
    return IST_OK;
}
