/* SPDX-License-Identifier: MIT */
/*
 * Declarators (C11 6.7.6, 6.7.7). What one says is read from the name outwards and applied from the
 * outside inwards: `*(*f)(int)` is read as pointer, function, pointer, and makes of `char` a pointer, then a
 * function that returns it, then a pointer to that.
 */
#include "base/size.h"
#include "layout/parser.h"

static bool refuse_modifiers(isti_parser *parser)
{
    return isti_parser_fail(parser, &parser->token.at, "the declarator has too many parts");
}

static isti_modifier *push_modifier(isti_parser *parser, isti_modifier_kind kind)
{
    if (parser->modifiers.count >= ISTI_PARSER_MODIFIERS_MAX) {
        refuse_modifiers(parser);
        return NULL;
    }
    isti_modifier *modifier = isti_parser_push(parser, &parser->modifiers, sizeof(isti_modifier));
    if (modifier != NULL) {
        modifier->kind = kind;
        modifier->at = parser->token.at;
    }
    return modifier;
}

static isti_modifier *modifier_at(const isti_parser *parser, size_t index)
{
    return isti_stack_at(&parser->modifiers, index, sizeof(isti_modifier));
}

static ist_member *member_at(const isti_parser *parser, size_t index)
{
    return isti_stack_at(&parser->members, index, sizeof(ist_member));
}

/* ---- Parameters ---- */

/* `void` alone: there are none. */
static bool is_void_alone(const isti_parser *parser)
{
    if (!isti_parser_is_keyword(parser, ISTI_KEYWORD_VOID))
        return false;
    isti_token ahead = isti_parser_ahead(parser);
    return ahead.kind == ISTI_TOKEN_MARK && ahead.what == ')';
}

/* The parameter's name is known to those behind it: `int n, int a[n]`. */
static bool declare_parameter(isti_parser *parser, const isti_token *name, const ist_layout *type)
{
    isti_symbol *known = isti_names_find(parser->names, false, name->text, name->length);
    if (isti_names_here(parser->names, known) != NULL)
        return isti_parser_fail(parser, &name->at, "two parameters have the name '%.*s'",
                                name->length < 40 ? (int)name->length : 40, name->text);
    isti_symbol *symbol = isti_names_add(parser->names, IST_DECLARED_VARIABLE, NULL, name->text,
                                         name->length, parser->problem);
    if (symbol == NULL)
        return isti_parser_blame(parser, &name->at, parser->problem);
    symbol->layout = type;
    return true;
}

static bool parse_parameter(isti_parser *parser)
{
    isti_specifiers specifiers;
    isti_declarator declarator;
    const ist_layout *type;
    isti_position at = parser->token.at;
    if (!isti_parse_specifiers(parser, &specifiers) ||
        !isti_parse_declarator(parser, ISTI_NAME_OPTIONAL, &declarator))
        return false;
    isti_attributes_add(&specifiers.attributes, &declarator.attributes);
    if (!isti_parse_attributes(parser, &specifiers.attributes) ||
        !isti_attributes_apply(parser, &specifiers.attributes, &at, &specifiers.type))
        return false;
    bool is_whole = declarator.count == 0;
    isti_token name = declarator.name;
    if (!isti_declarator_apply(parser, &declarator, true, specifiers.type, &type))
        return false;
    /* GCC's manual, transparent_union: it is passed as its first member is. */
    if (is_whole && specifiers.attributes.transparent_union && type->kind == IST_LAYOUT_UNION &&
        isti_layout_is_complete(type) && type->count != 0)
        type = type->of.members[0].layout;
    if (type->kind == IST_LAYOUT_VOID)
        return isti_parser_fail(parser, &at, "a parameter is void");
    if (name.length != 0 && !declare_parameter(parser, &name, type))
        return false;
    const char *text = name.length != 0 ? isti_parser_text(parser, &name) : NULL;
    ist_member *member = isti_parser_push(parser, &parser->members, sizeof(ist_member));
    if (member == NULL || parser->problem->status != IST_OK)
        return false;
    member->name = text;
    member->layout = type;
    return true;
}

/* Up to the closing parenthesis. */
static bool parse_parameter_list(isti_parser *parser, size_t *ret_fixed, unsigned *ret_flags)
{
    size_t first = parser->members.count;
    bool is_variadic = false;
    do {
        if (!is_variadic && isti_parser_is(parser, ISTI_MARK_ELLIPSIS)) {
            isti_parser_advance(parser);
            is_variadic = true;
            *ret_flags = IST_FUNCTION_VARIADIC;
            *ret_fixed = parser->members.count - first;
        } else if (!parse_parameter(parser)) {
            return false;
        }
    } while (isti_parser_accept(parser, ','));
    if (!is_variadic)
        *ret_fixed = parser->members.count - first;
    return isti_parser_is(parser, ')') || isti_parser_expected(parser, "',' or ')'");
}

/* Behind the opening parenthesis; takes the closing one. */
static bool parse_function(isti_parser *parser)
{
    isti_modifier *pushed = push_modifier(parser, ISTI_MODIFIER_FUNCTION);
    if (pushed == NULL)
        return false;
    size_t index = parser->modifiers.count - 1, first = parser->members.count, fixed = 0;
    unsigned flags = 0;
    bool is_empty = isti_parser_is(parser, ')');
    if (!isti_parser_enter(parser))
        return false;
    isti_names_open_scope(parser->names);
    bool done = true;
    if (is_void_alone(parser))
        isti_parser_advance(parser);
    else if (!is_empty)
        done = parse_parameter_list(parser, &fixed, &flags);
    isti_names_close_scope(parser->names);
    isti_parser_leave(parser);
    if (!done || !isti_parser_expect(parser, ')'))
        return false;
    isti_modifier *modifier = modifier_at(parser, index);
    modifier->first = first;
    modifier->parameter_count = parser->members.count - first;
    modifier->fixed_count = fixed;
    modifier->flags = flags;
    modifier->has_prototype = !is_empty;
    return true;
}

/* ---- Arrays ---- */

static bool is_array_word(const isti_parser *parser)
{
    return isti_parser_is_keyword(parser, ISTI_KEYWORD_STORAGE) ||
           isti_parser_is_keyword(parser, ISTI_KEYWORD_QUALIFIER) ||
           isti_parser_is_keyword(parser, ISTI_KEYWORD_ATOMIC);
}

/* `[*]`: some number. */
static bool is_star_alone(const isti_parser *parser)
{
    if (!isti_parser_is(parser, '*'))
        return false;
    isti_token ahead = isti_parser_ahead(parser);
    return ahead.kind == ISTI_TOKEN_MARK && ahead.what == ']';
}

/* Between the brackets. In parameter lists a count may be one that is known when the call is made. */
static bool parse_array_count(isti_parser *parser, size_t *ret_count, bool *ret_variable)
{
    while (is_array_word(parser))
        isti_parser_advance(parser);
    if (is_star_alone(parser)) {
        isti_parser_advance(parser);
        *ret_variable = true;
        return true;
    }
    if (isti_parser_is(parser, ']'))
        return true;
    if (parser->names->scope == 0 || parser->declares_nothing)
        return isti_parse_count(parser, "a count", ret_count);
    return isti_parse_variable_count(parser, ret_count, ret_variable);
}

/* Behind the opening bracket; takes the closing one. */
static bool parse_array(isti_parser *parser)
{
    isti_modifier *pushed = push_modifier(parser, ISTI_MODIFIER_ARRAY);
    if (pushed == NULL)
        return false;
    size_t index = parser->modifiers.count - 1, count = IST_COUNT_OPEN;
    bool is_variable = false;
    if (!parse_array_count(parser, &count, &is_variable) || !isti_parser_expect(parser, ']'))
        return false;
    modifier_at(parser, index)->count = count;
    modifier_at(parser, index)->is_variable = is_variable;
    return true;
}

/* ---- Reading ---- */

static bool parse_suffixes(isti_parser *parser)
{
    for (;;) {
        bool done;
        if (isti_parser_accept(parser, '('))
            done = parse_function(parser);
        else if (isti_parser_accept(parser, '['))
            done = parse_array(parser);
        else
            return parser->problem->status == IST_OK;
        if (!done)
            return false;
    }
}

/*
 * Pointers stand in front of what they are applied after: they are read first, kept, and pushed behind the
 * suffixes. Only their number is kept, and the alignment that an attribute gives the last.
 */
typedef struct pointers_read {
    size_t count;
    size_t alignment;
    isti_position at;
} pointers_read;

static bool parse_pointers(isti_parser *parser, isti_attributes *attributes, pointers_read *ret)
{
    *ret = (pointers_read){ .at = parser->token.at };
    isti_attributes own = { .packed = false };
    for (;;) {
        if (isti_parser_accept(parser, '*')) {
            ret->count++;
            own = (isti_attributes){ .packed = false };
        } else if (isti_parser_is_keyword(parser, ISTI_KEYWORD_ATTRIBUTE)) {
            if (!isti_parse_attributes(parser, ret->count != 0 ? &own : attributes))
                return false;
        } else if (isti_parser_is_keyword(parser, ISTI_KEYWORD_QUALIFIER) ||
                   isti_parser_is_keyword(parser, ISTI_KEYWORD_ATOMIC) ||
                   isti_parser_is_keyword(parser, ISTI_KEYWORD_EXTENSION)) {
            isti_parser_advance(parser);
        } else {
            break;
        }
    }
    ret->alignment = own.alignment;
    return parser->problem->status == IST_OK;
}

static bool push_pointers(isti_parser *parser, const pointers_read *pointers)
{
    if (pointers->count > ISTI_PARSER_MODIFIERS_MAX)
        return refuse_modifiers(parser);
    for (size_t i = pointers->count; i > 0; i--) {
        isti_modifier *modifier = push_modifier(parser, ISTI_MODIFIER_POINTER);
        if (modifier == NULL)
            return false;
        modifier->at = pointers->at;
        modifier->alignment = i == pointers->count ? pointers->alignment : 0;
    }
    return true;
}

/*
 * Whether a parenthesis opens a nested declarator rather than parameters: a name that stands for a type is
 * a parameter's (C11 6.7.6.3p11).
 */
static bool opens_declarator(const isti_parser *parser, isti_naming naming)
{
    isti_token ahead = isti_parser_ahead(parser);
    if (naming == ISTI_NAME_REQUIRED)
        return true;
    if (ahead.kind == ISTI_TOKEN_KEYWORD)
        return ahead.what == ISTI_KEYWORD_ATTRIBUTE;
    if (ahead.kind == ISTI_TOKEN_NAME)
        return !isti_parser_is_type(parser, &ahead);
    return ahead.kind == ISTI_TOKEN_MARK && ahead.what != ')' && ahead.what != ISTI_MARK_ELLIPSIS;
}

static bool parse_nested(isti_parser *parser, isti_naming naming, isti_declarator *ret);

static bool parse_direct(isti_parser *parser, isti_naming naming, isti_declarator *ret)
{
    if (isti_parser_is(parser, '(') && opens_declarator(parser, naming)) {
        isti_parser_advance(parser);
        if (!parse_nested(parser, naming, ret) || !isti_parser_expect(parser, ')'))
            return false;
    } else if (parser->token.kind == ISTI_TOKEN_NAME && naming != ISTI_NAME_NONE) {
        ret->name = parser->token;
        isti_parser_advance(parser);
    } else if (naming == ISTI_NAME_REQUIRED) {
        return isti_parser_expected(parser, "a name");
    }
    return parse_suffixes(parser);
}

static bool parse_nested(isti_parser *parser, isti_naming naming, isti_declarator *ret)
{
    pointers_read pointers;
    if (!isti_parser_enter(parser))
        return false;
    bool done = parse_pointers(parser, &ret->attributes, &pointers) &&
                parse_direct(parser, naming, ret) && push_pointers(parser, &pointers);
    isti_parser_leave(parser);
    return done;
}

bool isti_parse_declarator(isti_parser *parser, isti_naming naming, isti_declarator *ret)
{
    *ret = (isti_declarator){ .first = parser->modifiers.count, .members = parser->members.count };
    if (!parse_nested(parser, naming, ret))
        return false;
    ret->count = parser->modifiers.count - ret->first;
    return true;
}

/* ---- Applying ---- */

static void make_pointer(isti_parser *parser, const isti_modifier *modifier,
                         const ist_layout **type, isti_problem *problem)
{
    if ((*type)->kind == IST_LAYOUT_VOID)
        *type = ist_layout_of(IST_TYPE_ADDRESS);
    else
        isti_address_to(parser->keep, *type, type, problem);
    if (modifier->alignment != 0 && problem->status == IST_OK)
        isti_align_type(parser, modifier->alignment, &modifier->at, type);
}

static void make_array(isti_parser *parser, const isti_modifier *modifier, bool decays,
                       const ist_layout **type, isti_problem *problem)
{
    const ist_layout *element = *type;
    if (decays) {
        make_pointer(parser, modifier, type, problem);
        return;
    }
    /* Of an array of arrays whose counts are not known all that is known is what is in it. */
    if (modifier->is_variable && element->kind == IST_LAYOUT_SEQUENCE &&
        element->count == IST_COUNT_OPEN)
        return;
    isti_sequence(parser->keep, modifier->count, element, type, problem);
}

static void make_function(isti_parser *parser, const isti_declarator *declarator,
                          const isti_modifier *modifier, bool is_outermost, const ist_layout **type,
                          isti_problem *problem)
{
    const ist_function *function;
    const char *name = is_outermost && declarator->name.length != 0
                           ? isti_parser_text(parser, &declarator->name)
                           : NULL;
    if (isti_function_make(parser->keep, name, *type, member_at(parser, modifier->first),
                           modifier->parameter_count, modifier->fixed_count, modifier->flags,
                           &function, problem) == IST_OK)
        isti_function_type(parser->keep, function, type, problem);
}

bool isti_declarator_apply(isti_parser *parser, const isti_declarator *declarator,
                           bool is_parameter, const ist_layout *type, const ist_layout **ret)
{
    for (size_t i = declarator->count; i-- > 0 && parser->problem->status == IST_OK;) {
        const isti_modifier *modifier = modifier_at(parser, declarator->first + i);
        isti_problem problem = { IST_OK, "" };
        if (modifier->kind == ISTI_MODIFIER_POINTER)
            make_pointer(parser, modifier, &type, &problem);
        else if (modifier->kind == ISTI_MODIFIER_ARRAY)
            make_array(parser, modifier, is_parameter && i == 0, &type, &problem);
        else
            make_function(parser, declarator, modifier, i == 0, &type, &problem);
        isti_parser_blame(parser, &modifier->at, &problem);
    }
    parser->modifiers.count = declarator->first;
    parser->members.count = declarator->members;
    if (parser->problem->status != IST_OK)
        return false;
    *ret = type;
    return true;
}
