/* SPDX-License-Identifier: MIT */
/*
 * Names that need no declaration: those of <stdint.h>, <stddef.h> and <stdbool.h>, and the types that
 * compilers know by names which a program may also declare itself (as headers do for clang).
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "layout/names.h"

#define POINTER                                                                        \
    {                                                                                  \
        .kind = IST_LAYOUT_VALUE, .type = IST_TYPE_ADDRESS, .order = IST_ORDER_NATIVE, \
        .complete = true, .size = sizeof(void *), .alignment = sizeof(void *)          \
    }

#define MEMBER(text, type, offset)                                         \
    {                                                                      \
        .name = (text), .layout = (type), .bit_offset = (size_t)(offset)*8 \
    }

#define GROUP(tag, parts, bytes, aligned)                                                     \
    {                                                                                         \
        .kind = IST_LAYOUT_STRUCT, .order = IST_ORDER_NATIVE, .complete = true,               \
        .flags = ISTI_LAYOUT_C_RULES, .size = (bytes), .alignment = (aligned), .name = (tag), \
        .count = sizeof(parts) / sizeof((parts)[0]), .of.members = (parts), .depth = 1        \
    }

#define SCALAR(text_type, scalar)                                                 \
    {                                                                             \
        .kind = IST_LAYOUT_VALUE, .type = (text_type), .order = IST_ORDER_NATIVE, \
        .complete = true, .size = sizeof(scalar), .alignment = _Alignof(scalar)   \
    }

static const ist_layout pointer = POINTER, unsigned_int = SCALAR(IST_TYPE_UINT, unsigned),
                        plain_int = SCALAR(IST_TYPE_INT, int),
                        long_long = SCALAR(IST_TYPE_LLONG, long long),
                        long_double = SCALAR(IST_TYPE_LONG_DOUBLE, long double);

/* max_align_t: GCC's <stddef.h>. */
static const isti_member widest_members[] = {
    MEMBER("__max_align_ll", &long_long, 0),
    MEMBER("__max_align_ld", &long_double, sizeof(long double)),
};
static const ist_layout widest =
    GROUP(NULL, widest_members, sizeof(max_align_t), _Alignof(max_align_t));

/* psABI x86-64 3.5.7: an array of one of these. */
static const isti_member x64_list_members[] = {
    MEMBER("gp_offset", &unsigned_int, 0),
    MEMBER("fp_offset", &unsigned_int, 4),
    MEMBER("overflow_arg_area", &pointer, 8),
    MEMBER("reg_save_area", &pointer, 16),
};
static const ist_layout x64_list = GROUP("__va_list_tag", x64_list_members, 24, 8);
static const ist_layout x64_lists = { .kind = IST_LAYOUT_SEQUENCE,
                                      .order = IST_ORDER_NATIVE,
                                      .complete = true,
                                      .size = 24,
                                      .alignment = 8,
                                      .count = 1,
                                      .of.element = &x64_list,
                                      .depth = 2 };

/* AAPCS64 10.1.5. */
static const isti_member arm_list_members[] = {
    MEMBER("__stack", &pointer, 0),      MEMBER("__gr_top", &pointer, 8),
    MEMBER("__vr_top", &pointer, 16),    MEMBER("__gr_offs", &plain_int, 24),
    MEMBER("__vr_offs", &plain_int, 28),
};
static const ist_layout arm_list = GROUP("__va_list", arm_list_members, 32, 8);

#define INTEGER(c_type)                           \
    _Generic((c_type)0, signed char               \
             : IST_TYPE_SCHAR, unsigned char      \
             : IST_TYPE_UCHAR, short              \
             : IST_TYPE_SHORT, unsigned short     \
             : IST_TYPE_USHORT, int               \
             : IST_TYPE_INT, unsigned             \
             : IST_TYPE_UINT, long                \
             : IST_TYPE_LONG, unsigned long       \
             : IST_TYPE_ULONG, long long          \
             : IST_TYPE_LLONG, unsigned long long \
             : IST_TYPE_ULLONG)

/* Sorted, for a search by halves. */
static const struct {
    const char *name;
    ist_type type;
} types[] = {
    { "_Float128", IST_TYPE_FLOAT128 },
    { "_Float16", IST_TYPE_FLOAT16 },
    { "_Float32", IST_TYPE_FLOAT },
    { "_Float32x", IST_TYPE_DOUBLE },
    { "_Float64", IST_TYPE_DOUBLE },
    { "_Float64x", IST_TYPE_LONG_DOUBLE },
    { "__bf16", IST_TYPE_BFLOAT16 },
    { "__float128", IST_TYPE_FLOAT128 },
    { "__float80", IST_TYPE_LONG_DOUBLE },
    { "__int128_t", IST_TYPE_INT128 },
    { "__uint128_t", IST_TYPE_UINT128 },
    { "bool", IST_TYPE_BOOL },
    { "int16_t", INTEGER(int16_t) },
    { "int32_t", INTEGER(int32_t) },
    { "int64_t", INTEGER(int64_t) },
    { "int8_t", INTEGER(int8_t) },
    { "int_fast16_t", INTEGER(int_fast16_t) },
    { "int_fast32_t", INTEGER(int_fast32_t) },
    { "int_fast64_t", INTEGER(int_fast64_t) },
    { "int_fast8_t", INTEGER(int_fast8_t) },
    { "int_least16_t", INTEGER(int_least16_t) },
    { "int_least32_t", INTEGER(int_least32_t) },
    { "int_least64_t", INTEGER(int_least64_t) },
    { "int_least8_t", INTEGER(int_least8_t) },
    { "intmax_t", INTEGER(intmax_t) },
    { "intptr_t", INTEGER(intptr_t) },
    { "ptrdiff_t", INTEGER(ptrdiff_t) },
    { "size_t", INTEGER(size_t) },
    { "uint16_t", INTEGER(uint16_t) },
    { "uint32_t", INTEGER(uint32_t) },
    { "uint64_t", INTEGER(uint64_t) },
    { "uint8_t", INTEGER(uint8_t) },
    { "uint_fast16_t", INTEGER(uint_fast16_t) },
    { "uint_fast32_t", INTEGER(uint_fast32_t) },
    { "uint_fast64_t", INTEGER(uint_fast64_t) },
    { "uint_fast8_t", INTEGER(uint_fast8_t) },
    { "uint_least16_t", INTEGER(uint_least16_t) },
    { "uint_least32_t", INTEGER(uint_least32_t) },
    { "uint_least64_t", INTEGER(uint_least64_t) },
    { "uint_least8_t", INTEGER(uint_least8_t) },
    { "uintmax_t", INTEGER(uintmax_t) },
    { "uintptr_t", INTEGER(uintptr_t) },
    { "wchar_t", INTEGER(wchar_t) },
};

static bool is_name(const char *name, size_t length, const char *text)
{
    return strncmp(name, text, length) == 0 && text[length] == '\0';
}

const ist_layout *isti_standard_type(const char *name, size_t length)
{
    size_t low = 0, high = sizeof types / sizeof types[0];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(name, types[middle].name, length);
        if (order == 0 && types[middle].name[length] == '\0')
            return ist_layout_of(types[middle].type);
        if (order <= 0)
            high = middle;
        else
            low = middle + 1;
    }
    if (is_name(name, length, "max_align_t"))
        return &widest;
    if (is_name(name, length, "__builtin_va_list"))
        return sizeof(va_list) == 24 ? &x64_lists : &arm_list;
    return NULL;
}

const isti_constant *isti_standard_constant(const char *name, size_t length)
{
    static const isti_constant yes = { .type = IST_TYPE_INT, .bits = 1 };
    static const isti_constant no = { .type = IST_TYPE_INT };
    if (is_name(name, length, "true"))
        return &yes;
    return is_name(name, length, "false") ? &no : NULL;
}
