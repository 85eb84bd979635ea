/* SPDX-License-Identifier: MIT */
/*
 * Declarations from the file's scope (C11 6.7, 6.9): what a text declares, and what it stands for. Bodies of
 * functions and initialisers are skipped.
 */
#include "layout/parser.h"

static int shown(const isti_token *name)
{
    return name->length < 40 ? (int)name->length : 40;
}

bool isti_parse_static_assert(isti_parser *parser)
{
    isti_constant value;
    isti_position at = parser->token.at;
    isti_parser_advance(parser);
    if (!isti_parser_expect(parser, '(') || !isti_parse_constant(parser, &value))
        return false;
    isti_token text = { .text = "it has no text", .length = 14 };
    if (isti_parser_accept(parser, ',')) {
        text = parser->token;
        if (text.kind != ISTI_TOKEN_STRING)
            return isti_parser_expected(parser, "a string");
        while (parser->token.kind == ISTI_TOKEN_STRING)
            isti_parser_advance(parser);
    }
    if (!isti_parser_expect(parser, ')') || !isti_parser_expect(parser, ';'))
        return false;
    return !isti_constant_is_zero(&value) ||
           isti_parser_fail(parser, &at, "the assertion does not hold: %.*s",
                            text.length < 120 ? (int)text.length : 120, text.text);
}

/* ---- Declaring ---- */

/* Whether calls and accesses take two layouts alike; names and targets may differ. */
static bool is_alike(const ist_layout *a, const ist_layout *b)
{
    if (a == b)
        return true;
    if (a == NULL || b == NULL)
        return false;
    return a->kind == b->kind && a->size == b->size && a->alignment == b->alignment &&
           isti_type_is_floating(a->type) == isti_type_is_floating(b->type);
}

static bool functions_are_alike(const ist_function *a, const ist_function *b)
{
    if (a->count != b->count || a->fixed_count != b->fixed_count || a->flags != b->flags ||
        !is_alike(a->result, b->result))
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!is_alike(a->parameters[i].layout, b->parameters[i].layout))
            return false;
    }
    return true;
}

static bool is_open(const ist_layout *type)
{
    return type->kind == IST_LAYOUT_SEQUENCE && type->count == IST_COUNT_OPEN;
}

/* Declared once more: the same, or more than was known. */
static bool declare_again(isti_parser *parser, isti_symbol *known, const isti_symbol *now,
                          const isti_position *at)
{
    bool is_more = false, is_same = known->kind == now->kind;
    if (is_same && known->kind == IST_DECLARED_FUNCTION) {
        is_more = !known->has_prototype && now->has_prototype;
        is_same = !known->has_prototype || !now->has_prototype ||
                  functions_are_alike(known->layout->of.function, now->layout->of.function);
    } else if (is_same && known->kind == IST_DECLARED_VARIABLE) {
        bool both_arrays =
            known->layout->kind == now->layout->kind && known->layout->kind == IST_LAYOUT_SEQUENCE;
        is_more = both_arrays && is_open(known->layout);
        is_same = is_more || (both_arrays && is_open(now->layout)) ||
                  is_alike(known->layout, now->layout);
    } else if (is_same) {
        is_same = ist_layout_equals(known->layout, now->layout, 0);
    }
    if (!is_same)
        return isti_parser_fail(parser, at, "'%.40s' is declared already, as something else",
                                known->name);
    return !is_more || isti_names_change(parser->names, known, now->layout, now->has_prototype,
                                         parser->scratch, parser->problem) == IST_OK;
}

static bool declare(isti_parser *parser, const isti_token *name, const isti_symbol *now)
{
    isti_symbol *known = isti_names_here(
        parser->names, isti_names_find(parser->names, false, name->text, name->length));
    if (known != NULL)
        return declare_again(parser, known, now, &name->at);
    isti_symbol *symbol =
        isti_names_add(parser->names, now->kind, NULL, name->text, name->length, parser->problem);
    if (symbol == NULL)
        return isti_parser_blame(parser, &name->at, parser->problem);
    symbol->layout = now->layout;
    symbol->has_prototype = now->has_prototype;
    symbol->is_transparent = now->is_transparent;
    return true;
}

/* A function whose type came from a typedef: the same with its own name. */
static bool name_function(isti_parser *parser, const isti_token *name, const ist_layout **type)
{
    isti_problem problem = { IST_OK, "" };
    const ist_function *of = (*type)->of.function, *function;
    const char *text = isti_parser_text(parser, name);
    ist_member *parameters =
        isti_store_take(parser->scratch, of->count, sizeof *parameters, &problem);
    for (size_t i = 0; problem.status == IST_OK && i < of->count; i++) {
        parameters[i].name = of->parameters[i].name;
        parameters[i].layout = of->parameters[i].layout;
    }
    if (text != NULL && problem.status == IST_OK &&
        isti_function_make(parser->keep, text, of->result, parameters, of->count, of->fixed_count,
                           of->flags, &function, &problem) == IST_OK)
        isti_function_type(parser->keep, function, type, &problem);
    return isti_parser_blame(parser, &name->at, &problem);
}

/* ---- Declarators of the file's scope ---- */

typedef struct declared_state {
    isti_symbol symbol; /* kind, layout and marks; what declare() takes. */
    isti_token name;
} declared_state;

/* The alignment of a typedef is what its attribute says; that of a variable is not below its type's. */
static bool align(isti_parser *parser, const isti_attributes *attributes, const isti_position *at,
                  declared_state *declared)
{
    const ist_layout *type = declared->symbol.layout;
    size_t alignment = attributes->alignment;
    if (declared->symbol.kind == IST_DECLARED_VARIABLE) {
        if (alignment < attributes->alignment_as)
            alignment = attributes->alignment_as;
        if (!isti_layout_is_complete(type) || alignment < type->alignment)
            return true;
    }
    return isti_align_type(parser, alignment, at, &declared->symbol.layout);
}

/* A declarator, what follows it up to an initialiser, and the type that comes of all. */
static bool parse_declared(isti_parser *parser, const isti_specifiers *specifiers,
                           isti_naming naming, declared_state *ret)
{
    isti_declarator declarator;
    isti_attributes attributes = specifiers->attributes;
    const ist_layout *type = specifiers->type;
    isti_position at = parser->token.at;
    if (!isti_parse_declarator(parser, naming, &declarator) ||
        !isti_parse_attributes(parser, &attributes) || !isti_parse_asm(parser) ||
        !isti_parse_attributes(parser, &attributes))
        return false;
    isti_attributes_add(&attributes, &declarator.attributes);
    bool is_whole = declarator.count == 0;
    const isti_modifier *outermost =
        isti_stack_at(&parser->modifiers, declarator.first, sizeof *outermost);
    bool has_prototype = !is_whole && outermost->has_prototype;
    if (!isti_attributes_apply(parser, &attributes, &at, &type) ||
        !isti_declarator_apply(parser, &declarator, false, type, &type))
        return false;
    *ret = (declared_state){ .name = declarator.name };
    ret->symbol.layout = type;
    ret->symbol.kind = specifiers->is_typedef              ? IST_DECLARED_TYPE
                       : type->kind == IST_LAYOUT_FUNCTION ? IST_DECLARED_FUNCTION
                                                           : IST_DECLARED_VARIABLE;
    ret->symbol.is_transparent = is_whole && attributes.transparent_union;
    if (ret->symbol.kind == IST_DECLARED_FUNCTION) {
        ret->symbol.has_prototype = is_whole || has_prototype;
        return !is_whole || ret->name.length == 0 ||
               name_function(parser, &ret->name, &ret->symbol.layout);
    }
    return align(parser, &attributes, &at, ret);
}

static bool skip_initialiser(isti_parser *parser)
{
    if (!isti_parser_accept(parser, '='))
        return true;
    while (!isti_parser_is(parser, ',') && !isti_parser_is(parser, ';') &&
           parser->token.kind != ISTI_TOKEN_END) {
        bool opens = isti_parser_is(parser, '{') || isti_parser_is(parser, '(') ||
                     isti_parser_is(parser, '[');
        if (!opens)
            isti_parser_advance(parser);
        else if (!isti_parser_skip_balanced(parser))
            return false;
    }
    return parser->problem->status == IST_OK;
}

static bool parse_and_declare(isti_parser *parser, const isti_specifiers *specifiers,
                              isti_naming naming, declared_state *ret)
{
    if (!parse_declared(parser, specifiers, naming, ret))
        return false;
    if (ret->name.length == 0)
        return true;
    if (ret->symbol.kind == IST_DECLARED_VARIABLE && ret->symbol.layout->kind == IST_LAYOUT_VOID)
        return isti_parser_fail(parser, &ret->name.at, "'%.*s' is void", shown(&ret->name),
                                ret->name.text);
    return declare(parser, &ret->name, &ret->symbol) && skip_initialiser(parser);
}

static bool has_body(const isti_parser *parser, const declared_state *declared)
{
    return declared->symbol.kind == IST_DECLARED_FUNCTION && isti_parser_is(parser, '{');
}

/* What is no declaration of names: `;`, an assertion, an asm. *ret_taken: there was one. */
static bool take_other(isti_parser *parser, bool *ret_taken)
{
    *ret_taken = true;
    if (isti_parser_accept(parser, ';'))
        return true;
    if (isti_parser_is_keyword(parser, ISTI_KEYWORD_STATIC_ASSERT))
        return isti_parse_static_assert(parser);
    if (isti_parser_is_keyword(parser, ISTI_KEYWORD_ASM))
        return isti_parse_asm(parser) && isti_parser_expect(parser, ';');
    *ret_taken = false;
    return true;
}

/* One declaration, its semicolon included. */
static bool parse_declaration(isti_parser *parser)
{
    isti_specifiers specifiers;
    declared_state declared;
    if (!isti_parse_specifiers(parser, &specifiers))
        return false;
    if (isti_parser_accept(parser, ';'))
        return true;
    do {
        if (!parse_and_declare(parser, &specifiers, ISTI_NAME_REQUIRED, &declared))
            return false;
        if (has_body(parser, &declared))
            return isti_parser_skip_balanced(parser);
    } while (isti_parser_accept(parser, ','));
    return isti_parser_accept(parser, ';') || isti_parser_expected(parser, "',' or ';'");
}

bool isti_parse_declarations(isti_parser *parser)
{
    while (parser->token.kind != ISTI_TOKEN_END) {
        bool taken;
        if (!take_other(parser, &taken) || (!taken && !parse_declaration(parser)))
            return false;
    }
    return parser->problem->status == IST_OK;
}

/* ---- The type that a text stands for ---- */

/* One declaration, of one name at most, of which the semicolon may be missing at the end of the text. */
static bool parse_last(isti_parser *parser, const ist_layout **ret)
{
    isti_specifiers specifiers;
    declared_state declared;
    isti_position at = parser->token.at;
    if (!isti_parse_specifiers(parser, &specifiers))
        return false;
    *ret = specifiers.type;
    if (isti_parser_is(parser, ';') || parser->token.kind == ISTI_TOKEN_END)
        return isti_attributes_apply(parser, &specifiers.attributes, &at, ret);
    if (!parse_and_declare(parser, &specifiers, ISTI_NAME_OPTIONAL, &declared))
        return false;
    *ret = declared.symbol.layout;
    if (has_body(parser, &declared))
        return isti_parser_skip_balanced(parser);
    return isti_parser_is(parser, ';') || parser->token.kind == ISTI_TOKEN_END ||
           isti_parser_expected(parser, "';' or the end");
}

bool isti_parse_type(isti_parser *parser, const ist_layout **ret)
{
    const ist_layout *type = NULL;
    while (parser->token.kind != ISTI_TOKEN_END) {
        bool taken;
        if (!take_other(parser, &taken) || (!taken && !parse_last(parser, &type)))
            return false;
    }
    if (type == NULL)
        return isti_parser_expected(parser, "a type");
    *ret = type;
    return parser->problem->status == IST_OK;
}

bool isti_parse_function(isti_parser *parser, const ist_layout **ret)
{
    const ist_layout *type;
    isti_position at = parser->token.at;
    if (!isti_parse_type(parser, &type))
        return false;
    if (type->kind != IST_LAYOUT_FUNCTION)
        return isti_parser_fail(parser, &at, "expected the type of a function");
    *ret = type;
    return true;
}

bool isti_parse_type_alone(isti_parser *parser, const ist_layout **ret)
{
    const ist_layout *type;
    if (!isti_parse_type_name(parser, &type))
        return false;
    if (parser->token.kind != ISTI_TOKEN_END)
        return isti_parser_expected(parser, "the end");
    *ret = type;
    return true;
}
