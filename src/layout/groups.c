/* SPDX-License-Identifier: MIT */
/*
 * Structs and unions of C text (C11 6.7.2.1), and tags in general (6.7.2.3). A group is declared by its tag
 * first and completed where its closing brace stands, so that pointers to it lead to the same layout.
 */
#include "layout/parser.h"

static const char *keyword_of(ist_layout_kind kind)
{
    return kind == IST_LAYOUT_STRUCT ? "struct" : kind == IST_LAYOUT_UNION ? "union" : "enum";
}

static int shown(const isti_token *name)
{
    return name->length < 40 ? (int)name->length : 40;
}

/* A new tag in the scope that is open. */
static isti_symbol *declare_tag(isti_parser *parser, ist_layout_kind kind, const isti_token *name)
{
    ist_layout *layout = NULL;
    isti_problem problem = { IST_OK, "" };
    const char *text = isti_parser_text(parser, name);
    if (text == NULL)
        return NULL;
    isti_symbol *symbol = isti_names_add(parser->names, IST_DECLARED_TAG, keyword_of(kind),
                                         name->text, name->length, &problem);
    if (symbol != NULL && isti_declare(parser->keep, kind, text, &layout, &problem) == IST_OK) {
        if (kind != IST_LAYOUT_VALUE)
            layout->flags |= ISTI_LAYOUT_C_RULES;
        symbol->layout = layout;
    }
    return isti_parser_blame(parser, &name->at, &problem) ? symbol : NULL;
}

isti_symbol *
isti_parser_tag(isti_parser *parser, ist_layout_kind kind, const isti_token *name, bool defines)
{
    isti_symbol *symbol = isti_names_find(parser->names, true, name->text, name->length);
    if (defines)
        symbol = isti_names_here(parser->names, symbol);
    if (symbol == NULL && !defines && parser->declares_nothing) {
        isti_problem problem = { IST_E_NOT_FOUND, "there is no such tag" };
        isti_parser_blame(parser, &name->at, &problem);
        return NULL;
    }
    if (symbol == NULL)
        return declare_tag(parser, kind, name);
    if (symbol->layout->kind != kind) {
        isti_parser_fail(parser, &name->at, "'%.*s' is declared as another kind of tag",
                         shown(name), name->text);
        return NULL;
    }
    if (defines && (symbol->is_being_defined || isti_layout_is_complete(symbol->layout))) {
        isti_parser_fail(parser, &name->at, "'%s %.*s' is defined already", keyword_of(kind),
                         shown(name), name->text);
        return NULL;
    }
    return symbol;
}

/* ---- Members ---- */

static bool require_complete(isti_parser *parser, const isti_position *at, const ist_layout *type)
{
    if (isti_layout_is_complete(type))
        return true;
    if (type->kind == IST_LAYOUT_VOID || type->kind == IST_LAYOUT_FUNCTION)
        return isti_parser_fail(parser, at, "a member is %s",
                                type->kind == IST_LAYOUT_VOID ? "void" : "a function");
    return isti_parser_fail(parser, at, "a member has the type '%s %.40s', which is not defined",
                            keyword_of(type->kind), type->name != NULL ? type->name : "");
}

static bool push_member(isti_parser *parser, const isti_token *name, const ist_layout *type,
                        int bits, const isti_attributes *attributes, const isti_position *at)
{
    if (!require_complete(parser, at, type))
        return false;
    if (attributes->alignment_as != 0 && attributes->alignment_as < type->alignment)
        return isti_parser_fail(parser, at, "_Alignas lowers the alignment %zu of the type",
                                type->alignment);
    const char *text = name != NULL && name->length != 0 ? isti_parser_text(parser, name) : NULL;
    ist_member *member = isti_parser_push(parser, &parser->members, sizeof(ist_member));
    if (member == NULL || parser->problem->status != IST_OK)
        return false;
    member->name = text;
    member->layout = type;
    member->bits = bits;
    member->packed = attributes->packed;
    member->alignment = attributes->alignment > attributes->alignment_as ? attributes->alignment
                                                                         : attributes->alignment_as;
    return true;
}

/* `: 3`, where there is one. */
static bool parse_width(isti_parser *parser, int *ret_bits)
{
    size_t width;
    *ret_bits = 0;
    if (!isti_parser_accept(parser, ':'))
        return true;
    isti_position at = parser->token.at;
    if (!isti_parse_count(parser, "a width", &width))
        return false;
    if (width > 1024)
        return isti_parser_fail(parser, &at, "a bit-field of %zu bits", width);
    *ret_bits = width == 0 ? IST_BITS_BREAK : (int)width;
    return true;
}

static bool parse_member(isti_parser *parser, const isti_specifiers *specifiers)
{
    isti_declarator declarator = { .first = parser->modifiers.count,
                                   .members = parser->members.count };
    isti_attributes attributes = specifiers->attributes;
    isti_position at = parser->token.at;
    const ist_layout *type = specifiers->type;
    int bits;
    if (!isti_parser_is(parser, ':') &&
        !isti_parse_declarator(parser, ISTI_NAME_REQUIRED, &declarator))
        return false;
    if (!parse_width(parser, &bits))
        return false;
    isti_attributes_add(&attributes, &declarator.attributes);
    if (!isti_parse_attributes(parser, &attributes) ||
        !isti_attributes_apply(parser, &attributes, &at, &type) ||
        !isti_declarator_apply(parser, &declarator, false, type, &type))
        return false;
    return push_member(parser, &declarator.name, type, bits, &attributes,
                       declarator.name.length != 0 ? &declarator.name.at : &at);
}

/* One declaration of members, its semicolon included. */
static bool parse_members(isti_parser *parser)
{
    isti_specifiers specifiers;
    isti_position at = parser->token.at;
    if (!isti_parse_specifiers(parser, &specifiers))
        return false;
    if (specifiers.is_typedef)
        return isti_parser_fail(parser, &at, "a typedef is no member");
    if (isti_parser_accept(parser, ';')) { /* C11 6.7.2.1p13: an unnamed group is a member. */
        bool is_member = specifiers.has_definition && specifiers.is_unnamed &&
                         isti_layout_is_group(specifiers.type);
        return !is_member ||
               push_member(parser, NULL, specifiers.type, 0, &specifiers.attributes, &at);
    }
    do {
        if (!parse_member(parser, &specifiers))
            return false;
    } while (isti_parser_accept(parser, ','));
    return isti_parser_is(parser, ';') ? isti_parser_accept(parser, ';')
                                       : isti_parser_expected(parser, "',' or ';'");
}

static bool parse_body(isti_parser *parser)
{
    while (!isti_parser_is(parser, '}')) {
        if (isti_parser_accept(parser, ';'))
            continue;
        bool done = isti_parser_is_keyword(parser, ISTI_KEYWORD_STATIC_ASSERT)
                        ? isti_parse_static_assert(parser)
                        : parse_members(parser);
        if (!done)
            return false;
    }
    return true;
}

/* ---- Groups ---- */

/* Between the braces, and what follows the closing one. */
static bool parse_definition(isti_parser *parser, ist_layout *group, const isti_position *at,
                             isti_attributes *attributes)
{
    size_t first = parser->members.count;
    if (!isti_parser_enter(parser))
        return false;
    isti_parser_advance(parser);
    bool done = parse_body(parser);
    isti_parser_leave(parser);
    if (!done)
        return false;
    ist_group_attributes own = { .pack_maximum = parser->lexer.pack.maximum };
    isti_parser_advance(parser);
    if (!isti_parse_attributes(parser, attributes))
        return false;
    own.packed = attributes->packed;
    own.alignment = attributes->alignment > attributes->alignment_as ? attributes->alignment
                                                                     : attributes->alignment_as;
    isti_problem problem = { IST_OK, "" };
    const ist_member *members = isti_stack_at(&parser->members, first, sizeof *members);
    isti_group_complete(parser->keep, group, members, parser->members.count - first, &own,
                        &problem);
    parser->members.count = first;
    return isti_parser_blame(parser, at, &problem);
}

static bool parse_unnamed(isti_parser *parser, ist_layout_kind kind, isti_specifiers *specifiers,
                          const isti_position *at, isti_attributes *attributes)
{
    ist_layout *group = NULL;
    isti_problem problem = { IST_OK, "" };
    if (!isti_parser_is(parser, '{'))
        return isti_parser_expected(parser, "a tag or '{'");
    if (isti_declare(parser->keep, kind, NULL, &group, &problem) != IST_OK)
        return isti_parser_blame(parser, at, &problem);
    group->flags |= ISTI_LAYOUT_C_RULES;
    specifiers->is_unnamed = true;
    specifiers->type = group;
    return parse_definition(parser, group, at, attributes);
}

bool isti_parse_group(isti_parser *parser, isti_specifiers *specifiers)
{
    isti_position at = parser->token.at;
    isti_attributes attributes = { .packed = false };
    ist_layout_kind kind =
        isti_parser_is_keyword(parser, ISTI_KEYWORD_STRUCT) ? IST_LAYOUT_STRUCT : IST_LAYOUT_UNION;
    isti_parser_advance(parser);
    if (!isti_parse_attributes(parser, &attributes))
        return false;
    isti_token name = parser->token;
    isti_symbol *tag = NULL;
    bool is_named = name.kind == ISTI_TOKEN_NAME;
    if (is_named)
        isti_parser_advance(parser);
    specifiers->has_definition = isti_parser_is(parser, '{');
    if (!is_named) {
        if (!parse_unnamed(parser, kind, specifiers, &at, &attributes))
            return false;
    } else {
        tag = isti_parser_tag(parser, kind, &name, specifiers->has_definition);
        if (tag == NULL)
            return false;
        specifiers->type = tag->layout;
        if (specifiers->has_definition) {
            if (isti_names_define(parser->names, tag, parser->scratch, parser->problem) != IST_OK ||
                !parse_definition(parser, (ist_layout *)tag->layout, &at, &attributes))
                return false;
            tag->is_being_defined = false;
            tag->is_transparent = attributes.transparent_union;
        }
        attributes.transparent_union = tag->is_transparent;
    }
    specifiers->attributes.transparent_union |= attributes.transparent_union;
    return true;
}
