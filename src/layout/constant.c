/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic on constants. All integers are computed in 128 bits and then fitted into their type:
 * unsigned ones wrap (C11 6.2.5p9), signed ones that do not fit are an error, but for `<<`, which GCC and
 * clang let run into the sign.
 */
#include "layout/constant.h"

#include <stddef.h>

#define BYTE_BITS 8

static unsigned width_of(ist_type type)
{
    return type == IST_TYPE_BOOL ? 1 : (unsigned)ist_layout_of(type)->size * BYTE_BITS;
}

static bool is_signed(ist_type type)
{
    return isti_type_class(type) == ISTI_CLASS_SIGNED;
}

bool isti_type_is_integer(ist_type type)
{
    isti_class class = isti_type_class(type);
    return class == ISTI_CLASS_BOOL || class == ISTI_CLASS_SIGNED || class == ISTI_CLASS_UNSIGNED;
}

bool isti_type_is_floating(ist_type type)
{
    return isti_type_class(type) == ISTI_CLASS_FLOAT;
}

/* The bits that the type has, extended by its sign. */
static unsigned __int128 fitted(unsigned __int128 bits, ist_type type)
{
    unsigned width = width_of(type), spare = 128 - width;
    if (spare == 0)
        return bits;
    bits <<= spare;
    return is_signed(type) ? (unsigned __int128)((__int128)bits >> spare) : bits >> spare;
}

isti_constant isti_constant_int(ist_type type, __int128 value)
{
    return (isti_constant){ .type = type, .bits = fitted((unsigned __int128)value, type) };
}

static isti_constant real_of(ist_type type, long double value)
{
    return (isti_constant){ .type = type, .real = value };
}

bool isti_constant_is_negative(const isti_constant *constant)
{
    if (isti_type_is_floating(constant->type))
        return constant->real < 0;
    return is_signed(constant->type) && (__int128)constant->bits < 0;
}

bool isti_constant_is_zero(const isti_constant *constant)
{
    return isti_type_is_floating(constant->type) ? constant->real == 0 : constant->bits == 0;
}

/* ---- Types ---- */

ist_type isti_type_promoted(ist_type type)
{
    if (!isti_type_is_integer(type) || width_of(type) >= width_of(IST_TYPE_INT))
        return type;
    return IST_TYPE_INT;
}

/* C11 6.3.1.1: `long long` ranks above `long` of the same width. */
static int rank_of(ist_type type)
{
    switch (type) {
    case IST_TYPE_INT128:
    case IST_TYPE_UINT128:
        return 4;
    case IST_TYPE_LLONG:
    case IST_TYPE_ULLONG:
        return 3;
    case IST_TYPE_LONG:
    case IST_TYPE_ULONG:
        return 2;
    default:
        return 1;
    }
}

static ist_type unsigned_of(ist_type type)
{
    switch (type) {
    case IST_TYPE_INT:
        return IST_TYPE_UINT;
    case IST_TYPE_LONG:
        return IST_TYPE_ULONG;
    case IST_TYPE_LLONG:
        return IST_TYPE_ULLONG;
    case IST_TYPE_INT128:
        return IST_TYPE_UINT128;
    default:
        return type;
    }
}

static ist_type common_of_floating(ist_type a, ist_type b)
{
    if (!isti_type_is_floating(a))
        return b;
    if (!isti_type_is_floating(b))
        return a;
    return ist_layout_of(a)->size > ist_layout_of(b)->size || a > b ? a : b;
}

ist_type isti_type_common(ist_type a, ist_type b)
{
    if (isti_type_is_floating(a) || isti_type_is_floating(b))
        return common_of_floating(a, b);
    a = isti_type_promoted(a);
    b = isti_type_promoted(b);
    if (is_signed(a) == is_signed(b))
        return rank_of(a) >= rank_of(b) ? a : b;
    ist_type with_sign = is_signed(a) ? a : b, without = is_signed(a) ? b : a;
    if (rank_of(without) >= rank_of(with_sign))
        return without;
    return width_of(with_sign) > width_of(without) ? with_sign : unsigned_of(with_sign);
}

/* Towards zero; what does not fit is undefined in C and 0 here. */
static unsigned __int128 bits_of_real(long double value)
{
    const long double limit = 170141183460469231731687303715884105728.0L; /* 2 to the 127th. */
    return value > -limit && value < limit ? (unsigned __int128)(__int128)value : 0;
}

isti_constant isti_constant_convert(const isti_constant *constant, ist_type type)
{
    bool from_real = isti_type_is_floating(constant->type);
    if (isti_type_is_floating(type)) {
        long double value = from_real                   ? constant->real
                            : is_signed(constant->type) ? (long double)(__int128)constant->bits
                                                        : (long double)constant->bits;
        return real_of(type, type == IST_TYPE_FLOAT    ? (long double)(float)value
                             : type == IST_TYPE_DOUBLE ? (long double)(double)value
                                                       : value);
    }
    if (type == IST_TYPE_BOOL)
        return isti_constant_int(type, !isti_constant_is_zero(constant));
    if (from_real)
        return isti_constant_int(type, (__int128)bits_of_real(constant->real));
    return (isti_constant){ .type = type, .bits = fitted(constant->bits, type) };
}

/* ---- Operators ---- */

/* Fits a result into its type. `exact` is false if even 128 bits were too few. */
static const char *finish(isti_constant *ret, unsigned __int128 bits, bool exact)
{
    ret->bits = fitted(bits, ret->type);
    if (is_signed(ret->type) && (!exact || ret->bits != bits))
        return "the result is too large for its type";
    return NULL;
}

const char *isti_constant_unary(int mark, const isti_constant *a, isti_constant *ret)
{
    if (mark == '!') {
        *ret = isti_constant_int(IST_TYPE_INT, isti_constant_is_zero(a));
        return NULL;
    }
    isti_constant operand = isti_constant_convert(a, isti_type_promoted(a->type));
    *ret = operand;
    if (isti_type_is_floating(operand.type)) {
        ret->real = mark == '-' ? -operand.real : operand.real;
        return mark == '~' ? "'~' is for integers" : NULL;
    }
    if (mark == '-')
        return finish(ret, -operand.bits, operand.bits != (unsigned __int128)1 << 127);
    if (mark == '~')
        return finish(ret, ~operand.bits, true);
    return NULL;
}

static const char *
shift(int mark, const isti_constant *a, const isti_constant *b, isti_constant *ret)
{
    isti_constant operand = isti_constant_convert(a, isti_type_promoted(a->type));
    *ret = operand;
    if (isti_constant_is_negative(b) || b->bits >= width_of(operand.type))
        return "the shift is negative, or not below the width of the type";
    unsigned count = (unsigned)b->bits;
    if (mark == ISTI_MARK_LEFT)
        ret->bits = fitted(operand.bits << count, operand.type);
    else if (is_signed(operand.type))
        ret->bits = (unsigned __int128)((__int128)operand.bits >> count);
    else
        ret->bits = operand.bits >> count;
    return NULL;
}

static bool is_comparison(int mark)
{
    return mark == '<' || mark == '>' || mark == ISTI_MARK_NOT_ABOVE ||
           mark == ISTI_MARK_NOT_BELOW || mark == ISTI_MARK_EQUAL || mark == ISTI_MARK_NOT_EQUAL;
}

/* -1, 0, 1: how two of one type compare. */
static int order_of(const isti_constant *a, const isti_constant *b)
{
    if (isti_type_is_floating(a->type))
        return (a->real > b->real) - (a->real < b->real);
    if (is_signed(a->type))
        return ((__int128)a->bits > (__int128)b->bits) - ((__int128)a->bits < (__int128)b->bits);
    return (a->bits > b->bits) - (a->bits < b->bits);
}

static bool compares(int mark, int order)
{
    switch (mark) {
    case '<':
        return order < 0;
    case '>':
        return order > 0;
    case ISTI_MARK_NOT_ABOVE:
        return order <= 0;
    case ISTI_MARK_NOT_BELOW:
        return order >= 0;
    case ISTI_MARK_EQUAL:
        return order == 0;
    default:
        return order != 0;
    }
}

static const char *
compute_real(int mark, const isti_constant *a, const isti_constant *b, isti_constant *ret)
{
    switch (mark) {
    case '+':
        ret->real = a->real + b->real;
        return NULL;
    case '-':
        ret->real = a->real - b->real;
        return NULL;
    case '*':
        ret->real = a->real * b->real;
        return NULL;
    case '/':
        if (b->real == 0)
            return "division by zero";
        ret->real = a->real / b->real;
        return NULL;
    default:
        return "the operator is for integers";
    }
}

static const char *
divide(int mark, const isti_constant *a, const isti_constant *b, isti_constant *ret)
{
    if (b->bits == 0)
        return "division by zero";
    if (!is_signed(a->type))
        return finish(ret, mark == '/' ? a->bits / b->bits : a->bits % b->bits, true);
    __int128 dividend = (__int128)a->bits, divisor = (__int128)b->bits;
    if (divisor == -1) /* Alone overflows, in 128 bits too. */
        return mark == '/' ? isti_constant_unary('-', a, ret) : finish(ret, 0, true);
    return finish(ret, (unsigned __int128)(mark == '/' ? dividend / divisor : dividend % divisor),
                  true);
}

static const char *
compute(int mark, const isti_constant *a, const isti_constant *b, isti_constant *ret)
{
    bool with_sign = is_signed(a->type);
    __int128 x = (__int128)a->bits, y = (__int128)b->bits, result = 0;
    switch (mark) {
    case '+':
        return finish(ret, a->bits + b->bits, !with_sign || !__builtin_add_overflow(x, y, &result));
    case '-':
        return finish(ret, a->bits - b->bits, !with_sign || !__builtin_sub_overflow(x, y, &result));
    case '*':
        return finish(ret, a->bits * b->bits, !with_sign || !__builtin_mul_overflow(x, y, &result));
    case '/':
    case '%':
        return divide(mark, a, b, ret);
    case '&':
        return finish(ret, a->bits & b->bits, true);
    case '|':
        return finish(ret, a->bits | b->bits, true);
    case '^':
        return finish(ret, a->bits ^ b->bits, true);
    default:
        return "the operator is not known";
    }
}

const char *
isti_constant_binary(int mark, const isti_constant *a, const isti_constant *b, isti_constant *ret)
{
    bool is_shift = mark == ISTI_MARK_LEFT || mark == ISTI_MARK_RIGHT;
    if (mark == ISTI_MARK_AND || mark == ISTI_MARK_OR) {
        bool x = !isti_constant_is_zero(a), y = !isti_constant_is_zero(b);
        *ret = isti_constant_int(IST_TYPE_INT, mark == ISTI_MARK_AND ? x && y : x || y);
        return NULL;
    }
    if (is_shift && isti_type_is_integer(a->type) && isti_type_is_integer(b->type))
        return shift(mark, a, b, ret);
    ist_type type = isti_type_common(a->type, b->type);
    isti_constant x = isti_constant_convert(a, type), y = isti_constant_convert(b, type);
    if (is_comparison(mark)) {
        *ret = isti_constant_int(IST_TYPE_INT, compares(mark, order_of(&x, &y)));
        return NULL;
    }
    *ret = (isti_constant){ .type = type };
    return isti_type_is_floating(type) ? compute_real(mark, &x, &y, ret)
                                       : compute(mark, &x, &y, ret);
}
