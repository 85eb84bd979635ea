/* SPDX-License-Identifier: MIT */
#ifndef ISTI_LAYOUT_CONSTANT_H
#define ISTI_LAYOUT_CONSTANT_H
/*
 * Constants of C and their arithmetic, by the types, promotions and conversions of C11 6.3.1 and 6.5.
 */
#include "layout/lexer.h"
#include "layout/layout.h"

/* A number. An integer's value is bits as its type has it, extended to the full width by its sign. */
typedef struct isti_constant {
    ist_type type; /* Integers, _Bool, floating types; an address counts as ULONG. */
    unsigned __int128 bits;
    long double real; /* Of a floating type. */
} isti_constant;

isti_constant isti_constant_int(ist_type type, __int128 value);
bool isti_constant_is_zero(const isti_constant *constant);
bool isti_constant_is_negative(const isti_constant *constant);
bool isti_type_is_integer(ist_type type);
bool isti_type_is_floating(ist_type type);
/* The type of an operand behind the integer promotions, and of two behind the usual conversions. */
ist_type isti_type_promoted(ist_type type);
ist_type isti_type_common(ist_type a, ist_type b);

isti_constant isti_constant_convert(const isti_constant *constant, ist_type type);
/*
 * `mark` is the operator, as tokens have it. *ret is the result; on failure NULL is not returned but what
 * is wrong, and *ret has the type that the result would have.
 */
const char *isti_constant_unary(int mark, const isti_constant *a, isti_constant *ret);
const char *
isti_constant_binary(int mark, const isti_constant *a, const isti_constant *b, isti_constant *ret);

/* The value of a number or character token; what is wrong, or NULL. */
const char *isti_constant_number(const isti_token *token, isti_constant *ret);
const char *isti_constant_character(const isti_token *token, isti_constant *ret);
/* Elements of a string token, the zero at its end not counted; the type of one. */
size_t isti_string_length(const isti_token *token, ist_type *ret_type);

#endif
