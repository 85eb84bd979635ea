/* SPDX-License-Identifier: MIT */
/*
 * Enumerations of C text (C11 6.7.2.2), with the types that GCC and clang choose: unsigned int, int where a
 * value is negative, the same in long where int is too small; with packed the smallest that will do. A type
 * may be said as C23 has it: `enum kind : short { ... }`.
 */
#include "layout/enums.h"

#include "layout/parser.h"

static __int128 value_of(const isti_constant *constant)
{
    return (__int128)constant->bits;
}

void isti_enum_range_add(isti_enum_range *range, __int128 value)
{
    range->lowest = value < range->lowest ? value : range->lowest;
    range->highest = value > range->highest ? value : range->highest;
}

bool isti_enum_range_fits(const isti_enum_range *range, ist_type type)
{
    isti_constant low = isti_constant_int(type, range->lowest);
    isti_constant high = isti_constant_int(type, range->highest);
    return value_of(&low) == range->lowest && value_of(&high) == range->highest;
}

ist_type isti_enum_type(const isti_enum_range *range, bool is_packed)
{
    static const ist_type types[][2] = { { IST_TYPE_UCHAR, IST_TYPE_SCHAR },
                                         { IST_TYPE_USHORT, IST_TYPE_SHORT },
                                         { IST_TYPE_UINT, IST_TYPE_INT },
                                         { IST_TYPE_ULONG, IST_TYPE_LONG } };
    for (size_t i = is_packed ? 0 : 2; i < sizeof types / sizeof types[0]; i++) {
        ist_type type = types[i][range->lowest < 0];
        if (isti_enum_range_fits(range, type))
            return type;
    }
    return IST_TYPE_NONE;
}

/* C11 6.7.2.2p3: an int, where it is one; otherwise what its own value asks for. */
static ist_type type_of_value(__int128 value)
{
    isti_enum_range range = { value, value };
    return value >= INT32_MIN && value <= INT32_MAX ? IST_TYPE_INT : isti_enum_type(&range, false);
}

/* The enumerator's value: said, or one more than the last. */
static bool parse_value(isti_parser *parser, __int128 *value)
{
    isti_constant constant;
    isti_position at = parser->token.at;
    if (isti_parser_accept(parser, '=')) {
        at = parser->token.at;
        if (!isti_parse_constant(parser, &constant))
            return false;
        *value = value_of(&constant);
    }
    return (*value >= INT64_MIN && *value <= (__int128)UINT64_MAX) ||
           isti_parser_fail(parser, &at, "no integer type has room for the enumerator's value");
}

static bool declare_enumerator(isti_parser *parser, const isti_token *name, __int128 value)
{
    isti_symbol *known = isti_names_find(parser->names, false, name->text, name->length);
    if (isti_names_here(parser->names, known) != NULL)
        return isti_parser_fail(parser, &name->at, "'%.*s' is declared already",
                                name->length < 40 ? (int)name->length : 40, name->text);
    isti_symbol *symbol = isti_names_add(parser->names, IST_DECLARED_CONSTANT, NULL, name->text,
                                         name->length, parser->problem);
    isti_symbol **pushed = isti_parser_push(parser, &parser->enumerators, sizeof(isti_symbol *));
    if (symbol == NULL || pushed == NULL)
        return isti_parser_blame(parser, &name->at, parser->problem);
    symbol->value = isti_constant_int(type_of_value(value), value);
    *pushed = symbol;
    return true;
}

/* One enumerator; `next` is what it is worth if it does not say. */
static bool parse_enumerator(isti_parser *parser, __int128 *next, isti_enum_range *range)
{
    isti_token name = parser->token;
    isti_attributes ignored = { .packed = false };
    if (name.kind != ISTI_TOKEN_NAME)
        return isti_parser_expected(parser, "an enumerator");
    isti_parser_advance(parser);
    if (!isti_parse_attributes(parser, &ignored) || !parse_value(parser, next) ||
        !declare_enumerator(parser, &name, *next))
        return false;
    isti_enum_range_add(range, *next);
    ++*next;
    return true;
}

static bool parse_enumerators(isti_parser *parser, isti_enum_range *range)
{
    __int128 next = 0;
    size_t first = parser->enumerators.count;
    do {
        if (isti_parser_is(parser, '}') && parser->enumerators.count != first)
            break;
        if (!parse_enumerator(parser, &next, range))
            return false;
    } while (isti_parser_accept(parser, ','));
    return isti_parser_is(parser, '}') ? isti_parser_accept(parser, '}')
                                       : isti_parser_expected(parser, "',' or '}'");
}

/* Completes the enumeration with the enumerators from `first` on. */
static bool complete(isti_parser *parser, ist_layout *enumeration, const ist_layout *type,
                     size_t first, const isti_position *at)
{
    isti_symbol **symbols = isti_stack_at(&parser->enumerators, first, sizeof *symbols);
    size_t count = parser->enumerators.count - first;
    isti_problem problem = { IST_OK, "" };
    ist_enumerator *enumerators =
        isti_store_take(parser->scratch, count, sizeof *enumerators, &problem);
    for (size_t i = 0; problem.status == IST_OK && i < count; i++) {
        isti_constant value = isti_constant_convert(&symbols[i]->value, type->type);
        if (symbols[i]->value.type != IST_TYPE_INT)
            symbols[i]->value = value;
        enumerators[i] = (ist_enumerator){ symbols[i]->name, (int64_t)value.bits };
    }
    parser->enumerators.count = first;
    if (problem.status == IST_OK)
        isti_enum_complete(parser->keep, enumeration, type, enumerators, count, &problem);
    return isti_parser_blame(parser, at, &problem);
}

/* Between the braces, and what follows the closing one. `said` is the type, if the text says it. */
static bool parse_definition(isti_parser *parser, ist_layout *enumeration, const ist_layout *said,
                             const isti_position *at, isti_attributes *attributes)
{
    isti_enum_range range = { 0, 0 };
    size_t first = parser->enumerators.count;
    isti_parser_advance(parser);
    if (!parse_enumerators(parser, &range) || !isti_parse_attributes(parser, attributes))
        return false;
    const ist_layout *type =
        said != NULL ? said : ist_layout_of(isti_enum_type(&range, attributes->packed));
    if (type == NULL)
        return isti_parser_fail(parser, at, "no integer type has room for all enumerators");
    if (!isti_attributes_apply(parser, attributes, at, &type))
        return false;
    if (!isti_type_is_integer(type->type) || !isti_enum_range_fits(&range, type->type))
        return isti_parser_fail(parser, at, "the type has no room for all enumerators");
    return complete(parser, enumeration, type, first, at);
}

/* `: short`, where there is one. In a struct `enum kind : 3` is a bit-field. */
static bool parse_said_type(isti_parser *parser, const ist_layout **ret)
{
    isti_token ahead = isti_parser_ahead(parser);
    *ret = NULL;
    if (!isti_parser_is(parser, ':') || !isti_parser_is_type(parser, &ahead))
        return true;
    isti_parser_advance(parser);
    return isti_parse_type_name(parser, ret);
}

bool isti_parse_enum(isti_parser *parser, isti_specifiers *specifiers)
{
    isti_position at = parser->token.at;
    isti_attributes attributes = { .packed = false };
    isti_symbol *tag = NULL;
    ist_layout *enumeration = NULL;
    const ist_layout *said;
    isti_parser_advance(parser);
    if (!isti_parse_attributes(parser, &attributes))
        return false;
    isti_token name = parser->token;
    bool is_named = name.kind == ISTI_TOKEN_NAME;
    if (is_named)
        isti_parser_advance(parser);
    if (!parse_said_type(parser, &said))
        return false;
    specifiers->has_definition = isti_parser_is(parser, '{');
    specifiers->is_unnamed = !is_named;
    isti_problem problem = { IST_OK, "" };
    if (is_named) {
        tag = isti_parser_tag(parser, IST_LAYOUT_VALUE, &name, specifiers->has_definition);
        if (tag == NULL)
            return false;
        enumeration = (ist_layout *)tag->layout;
    } else if (!specifiers->has_definition) {
        return isti_parser_expected(parser, "a tag or '{'");
    } else if (isti_declare(parser->keep, IST_LAYOUT_VALUE, NULL, &enumeration, &problem) !=
               IST_OK) {
        return isti_parser_blame(parser, &at, &problem);
    }
    specifiers->type = enumeration;
    if (!specifiers->has_definition)
        return true;
    if (tag != NULL &&
        isti_names_define(parser->names, tag, parser->scratch, parser->problem) != IST_OK)
        return isti_parser_blame(parser, &at, parser->problem);
    if (!parse_definition(parser, enumeration, said, &at, &attributes))
        return false;
    if (tag != NULL)
        tag->is_being_defined = false;
    return true;
}
