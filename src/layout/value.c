/* SPDX-License-Identifier: MIT */
/*
 * The scalars of C as layouts that never end. Sizes and alignments: psABI x86-64 figure 3.1 and
 * AAPCS64 10.1, which agree.
 */
#include "layout/layout.h"

#define VALUE(name, value, bytes, text)                                           \
    [value] = { .kind = IST_LAYOUT_VALUE,                                         \
                .type = value,                                                    \
                .order = IST_ORDER_NATIVE,                                        \
                .complete = true,                                                 \
                .size = bytes,                                                    \
                .alignment = (bytes) > 16 || (value) == IST_TYPE_COMPLEX_FLOAT || \
                                     (value) == IST_TYPE_COMPLEX_DOUBLE           \
                                 ? (bytes) / 2                                    \
                                 : (bytes) },

static const ist_layout values[] = { IST_TYPE_LIST(VALUE) };

const ist_layout isti_layout_void = { .kind = IST_LAYOUT_VOID,
                                      .order = IST_ORDER_NATIVE,
                                      .alignment = 1 };

#define TEXT(name, value, bytes, text) [value] = text,
static const char *const texts[] = { IST_TYPE_LIST(TEXT) };

#define VALUE_COUNT (sizeof values / sizeof values[0])

/* What numbers a type has; by runs of the list. */
static const struct {
    ist_type first, last;
    isti_class class;
} classes[] = {
    { IST_TYPE_FLOAT16, IST_TYPE_FLOAT128, ISTI_CLASS_FLOAT },
    { IST_TYPE_COMPLEX_FLOAT, IST_TYPE_COMPLEX_FLOAT128, ISTI_CLASS_COMPLEX },
    { IST_TYPE_BOOL, IST_TYPE_BOOL, ISTI_CLASS_BOOL },
    { IST_TYPE_ADDRESS, IST_TYPE_ADDRESS, ISTI_CLASS_ADDRESS },
};

const ist_layout *ist_layout_of(ist_type type)
{
    return type > IST_TYPE_NONE && (size_t)type < VALUE_COUNT ? &values[type] : NULL;
}

const char *isti_type_text(ist_type type)
{
    return type > IST_TYPE_NONE && (size_t)type < VALUE_COUNT ? texts[type] : "?";
}

isti_class isti_type_class(ist_type type)
{
    if (type <= IST_TYPE_NONE || (size_t)type >= VALUE_COUNT)
        return ISTI_CLASS_NONE;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (type >= classes[i].first && type <= classes[i].last)
            return classes[i].class;
    }
    switch (type) {
    case IST_TYPE_CHAR:
        return (char)-1 < 0 ? ISTI_CLASS_SIGNED : ISTI_CLASS_UNSIGNED;
    case IST_TYPE_UCHAR:
    case IST_TYPE_USHORT:
    case IST_TYPE_UINT:
    case IST_TYPE_ULONG:
    case IST_TYPE_ULLONG:
    case IST_TYPE_UINT128:
        return ISTI_CLASS_UNSIGNED;
    default:
        return ISTI_CLASS_SIGNED;
    }
}
