/* SPDX-License-Identifier: MIT */
/*
 * Declaration specifiers (C11 6.7.2) and type names. The words of a scalar type may come in any order, so
 * they are counted, two bits for each word, and the sum is looked up.
 */
#include "layout/parser.h"

#define WORD(keyword) (1u << 2 * (ISTI_KEYWORD_##keyword - ISTI_KEYWORD_VOID))

/* Multisets of words, as C11 6.7.2p2 lists them, and those of GCC. */
static const struct {
    unsigned words;
    ist_type type;
} scalars[] = {
    { WORD(CHAR), IST_TYPE_CHAR },
    { WORD(SIGNED) + WORD(CHAR), IST_TYPE_SCHAR },
    { WORD(UNSIGNED) + WORD(CHAR), IST_TYPE_UCHAR },
    { WORD(SHORT), IST_TYPE_SHORT },
    { WORD(SHORT) + WORD(INT), IST_TYPE_SHORT },
    { WORD(SIGNED) + WORD(SHORT), IST_TYPE_SHORT },
    { WORD(SIGNED) + WORD(SHORT) + WORD(INT), IST_TYPE_SHORT },
    { WORD(UNSIGNED) + WORD(SHORT), IST_TYPE_USHORT },
    { WORD(UNSIGNED) + WORD(SHORT) + WORD(INT), IST_TYPE_USHORT },
    { WORD(INT), IST_TYPE_INT },
    { WORD(SIGNED), IST_TYPE_INT },
    { WORD(SIGNED) + WORD(INT), IST_TYPE_INT },
    { WORD(UNSIGNED), IST_TYPE_UINT },
    { WORD(UNSIGNED) + WORD(INT), IST_TYPE_UINT },
    { WORD(LONG), IST_TYPE_LONG },
    { WORD(LONG) + WORD(INT), IST_TYPE_LONG },
    { WORD(SIGNED) + WORD(LONG), IST_TYPE_LONG },
    { WORD(SIGNED) + WORD(LONG) + WORD(INT), IST_TYPE_LONG },
    { WORD(UNSIGNED) + WORD(LONG), IST_TYPE_ULONG },
    { WORD(UNSIGNED) + WORD(LONG) + WORD(INT), IST_TYPE_ULONG },
    { 2 * WORD(LONG), IST_TYPE_LLONG },
    { 2 * WORD(LONG) + WORD(INT), IST_TYPE_LLONG },
    { WORD(SIGNED) + 2 * WORD(LONG), IST_TYPE_LLONG },
    { WORD(SIGNED) + 2 * WORD(LONG) + WORD(INT), IST_TYPE_LLONG },
    { WORD(UNSIGNED) + 2 * WORD(LONG), IST_TYPE_ULLONG },
    { WORD(UNSIGNED) + 2 * WORD(LONG) + WORD(INT), IST_TYPE_ULLONG },
    { WORD(INT128), IST_TYPE_INT128 },
    { WORD(SIGNED) + WORD(INT128), IST_TYPE_INT128 },
    { WORD(UNSIGNED) + WORD(INT128), IST_TYPE_UINT128 },
    { WORD(FLOAT), IST_TYPE_FLOAT },
    { WORD(DOUBLE), IST_TYPE_DOUBLE },
    { WORD(LONG) + WORD(DOUBLE), IST_TYPE_LONG_DOUBLE },
    { WORD(BOOL), IST_TYPE_BOOL },
    { WORD(COMPLEX), IST_TYPE_COMPLEX_DOUBLE },
    { WORD(FLOAT) + WORD(COMPLEX), IST_TYPE_COMPLEX_FLOAT },
    { WORD(DOUBLE) + WORD(COMPLEX), IST_TYPE_COMPLEX_DOUBLE },
    { WORD(LONG) + WORD(DOUBLE) + WORD(COMPLEX), IST_TYPE_COMPLEX_LONG_DOUBLE },
};

/* What is known while specifiers are read. */
typedef struct reading_state {
    isti_specifiers *specifiers;
    unsigned words;
    bool has_named_type; /* specifiers->type is set, by something that is no word. */
    bool has_any;
} reading_state;

static bool take_word(isti_parser *parser, reading_state *reading)
{
    unsigned shift = 2 * (unsigned)(parser->token.what - ISTI_KEYWORD_VOID);
    unsigned most = parser->token.what == ISTI_KEYWORD_LONG ? 2 : 1;
    bool is_complex = parser->token.what == ISTI_KEYWORD_COMPLEX;
    if ((reading->words >> shift & 3) == most || (reading->has_named_type && !is_complex))
        return isti_parser_expected(parser, "a name or ';'");
    reading->words += 1u << shift;
    isti_parser_advance(parser);
    return true;
}

static bool parse_typeof(isti_parser *parser, isti_specifiers *specifiers)
{
    isti_parser_advance(parser);
    return isti_parser_expect(parser, '(') &&
           (isti_parser_is_type(parser, &parser->token)
                ? isti_parse_type_name(parser, &specifiers->type)
                : isti_parse_type_of(parser, &specifiers->type)) &&
           isti_parser_expect(parser, ')');
}

/* GCC: what has the size of an integer is aligned to it; clang makes the size a power of two as well. */
static bool make_atomic(isti_parser *parser, const isti_position *at, const ist_layout **type)
{
    size_t size = (*type)->size;
    bool has_lock_free_size = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
    if (!isti_layout_is_complete(*type) || !has_lock_free_size || (*type)->alignment >= size)
        return true;
    return isti_align_type(parser, size, at, type);
}

/* `_Atomic(type)`; without parentheses it qualifies what the other specifiers say. */
static bool parse_atomic(isti_parser *parser, reading_state *reading, bool *is_atomic)
{
    isti_position at = parser->token.at;
    isti_parser_advance(parser);
    if (!isti_parser_is(parser, '(')) {
        *is_atomic = true;
        return true;
    }
    isti_parser_advance(parser);
    reading->has_named_type = true;
    return isti_parse_type_name(parser, &reading->specifiers->type) &&
           isti_parser_expect(parser, ')') && make_atomic(parser, &at, &reading->specifiers->type);
}

/* A name that stands for a type, unless the type has been said. */
static bool take_type_name(isti_parser *parser, reading_state *reading, bool *ret_taken)
{
    const isti_token *token = &parser->token;
    unsigned other_words = reading->words & ~WORD(COMPLEX);
    *ret_taken = false;
    if (reading->has_named_type || other_words != 0 || !isti_parser_is_type(parser, token))
        return true;
    const isti_symbol *symbol = isti_names_find(parser->names, false, token->text, token->length);
    reading->specifiers->type =
        symbol != NULL ? symbol->layout : isti_standard_type(token->text, token->length);
    reading->specifiers->attributes.transparent_union |= symbol != NULL && symbol->is_transparent;
    reading->has_named_type = *ret_taken = true;
    isti_parser_advance(parser);
    return true;
}

/* One specifier that is a keyword; *ret_taken: there was one. */
static bool
take_keyword(isti_parser *parser, reading_state *reading, bool *is_atomic, bool *ret_taken)
{
    isti_specifiers *specifiers = reading->specifiers;
    isti_keyword keyword = (isti_keyword)parser->token.what;
    *ret_taken = true;
    if (keyword >= ISTI_KEYWORD_VOID && keyword <= ISTI_KEYWORD_COMPLEX)
        return take_word(parser, reading);
    bool names_type = keyword == ISTI_KEYWORD_STRUCT || keyword == ISTI_KEYWORD_UNION ||
                      keyword == ISTI_KEYWORD_ENUM || keyword == ISTI_KEYWORD_TYPEOF;
    if (names_type && (reading->has_named_type || reading->words != 0))
        return isti_parser_expected(parser, "a name or ';'");
    reading->has_named_type |= names_type;
    switch (keyword) {
    case ISTI_KEYWORD_STRUCT:
    case ISTI_KEYWORD_UNION:
        return isti_parse_group(parser, specifiers);
    case ISTI_KEYWORD_ENUM:
        return isti_parse_enum(parser, specifiers);
    case ISTI_KEYWORD_TYPEOF:
        return parse_typeof(parser, specifiers);
    case ISTI_KEYWORD_ATOMIC:
        return parse_atomic(parser, reading, is_atomic);
    case ISTI_KEYWORD_ALIGNAS:
        return isti_parse_alignas(parser, &specifiers->attributes);
    case ISTI_KEYWORD_ATTRIBUTE:
        return isti_parse_attributes(parser, &specifiers->attributes);
    case ISTI_KEYWORD_TYPEDEF:
        specifiers->is_typedef = true;
        isti_parser_advance(parser);
        return true;
    case ISTI_KEYWORD_QUALIFIER:
    case ISTI_KEYWORD_STORAGE:
    case ISTI_KEYWORD_EXTENSION:
        isti_parser_advance(parser);
        return true;
    default:
        *ret_taken = false;
        return true;
    }
}

static ist_type complex_of(ist_type type)
{
    switch (type) {
    case IST_TYPE_FLOAT:
        return IST_TYPE_COMPLEX_FLOAT;
    case IST_TYPE_DOUBLE:
        return IST_TYPE_COMPLEX_DOUBLE;
    case IST_TYPE_LONG_DOUBLE:
        return IST_TYPE_COMPLEX_LONG_DOUBLE;
    case IST_TYPE_FLOAT128:
        return IST_TYPE_COMPLEX_FLOAT128;
    default:
        return IST_TYPE_NONE;
    }
}

/* The type that the words say. */
static bool resolve(isti_parser *parser, const reading_state *reading, const isti_position *at)
{
    isti_specifiers *specifiers = reading->specifiers;
    if (reading->has_named_type && reading->words == 0)
        return true;
    if (reading->words == WORD(VOID)) {
        specifiers->type = &isti_layout_void;
        return true;
    }
    if (reading->has_named_type) { /* With _Complex. */
        specifiers->type = ist_layout_of(complex_of(specifiers->type->type));
        return specifiers->type != NULL ||
               isti_parser_fail(parser, at, "there is no complex type of this kind");
    }
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
        if (scalars[i].words == reading->words) {
            specifiers->type = ist_layout_of(scalars[i].type);
            return true;
        }
    }
    return isti_parser_fail(parser, at, "these words together are no type");
}

static bool refuse_missing(isti_parser *parser, const reading_state *reading)
{
    const isti_token *token = &parser->token;
    if (token->kind != ISTI_TOKEN_NAME || reading->has_any)
        return isti_parser_expected(parser, reading->has_any ? "a type" : "a declaration");
    int shown = token->length < 40 ? (int)token->length : 40;
    if (parser->declares_nothing)
        isti_problem_at(parser->problem, &token->at, IST_E_NOT_FOUND, "no type is called '%.*s'",
                        shown, token->text);
    return isti_parser_fail(parser, &token->at, "expected a type before '%.*s'", shown,
                            token->text);
}

bool isti_parse_specifiers(isti_parser *parser, isti_specifiers *ret)
{
    isti_position at = parser->token.at;
    *ret = (isti_specifiers){ .type = NULL };
    reading_state reading = { .specifiers = ret };
    bool is_atomic = false, taken = true;
    while (taken) {
        bool done = true;
        taken = false;
        if (parser->token.kind == ISTI_TOKEN_KEYWORD)
            done = take_keyword(parser, &reading, &is_atomic, &taken);
        else if (parser->token.kind == ISTI_TOKEN_NAME)
            done = take_type_name(parser, &reading, &taken);
        if (!done)
            return false;
        reading.has_any |= taken;
    }
    if (parser->problem->status != IST_OK)
        return false;
    if (!reading.has_named_type && reading.words == 0)
        return refuse_missing(parser, &reading);
    return resolve(parser, &reading, &at) && (!is_atomic || make_atomic(parser, &at, &ret->type));
}

bool isti_parse_type_name(isti_parser *parser, const ist_layout **ret)
{
    isti_specifiers specifiers;
    isti_declarator declarator;
    if (!isti_parser_enter(parser))
        return false;
    isti_position at = parser->token.at;
    bool done = isti_parse_specifiers(parser, &specifiers) &&
                isti_parse_declarator(parser, ISTI_NAME_NONE, &declarator);
    isti_parser_leave(parser);
    if (!done)
        return false;
    isti_attributes_add(&specifiers.attributes, &declarator.attributes);
    return isti_attributes_apply(parser, &specifiers.attributes, &at, &specifiers.type) &&
           isti_declarator_apply(parser, &declarator, false, specifiers.type, ret);
}
