/* SPDX-License-Identifier: MIT */
/* What all parts of the parser stand on: tokens, failures, stacks. */
#include "layout/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FIRST_CAPACITY 16

void isti_parser_begin(isti_parser *parser, isti_names *names, const isti_store *scratch,
                       const char *text, isti_problem *problem)
{
    *parser = (isti_parser){ .lexer = isti_lexer_of(text, &names->pack, problem),
                             .names = names,
                             .keep = names->store,
                             .scratch = scratch,
                             .problem = problem };
    isti_parser_advance(parser);
}

void isti_parser_advance(isti_parser *parser)
{
    parser->token = isti_lexer_next(&parser->lexer);
}

isti_token isti_parser_ahead(const isti_parser *parser)
{
    isti_lexer ahead = parser->lexer;
    return isti_lexer_next(&ahead);
}

/* ---- Failures ---- */

static bool stop(isti_parser *parser)
{
    parser->token.kind = ISTI_TOKEN_END;
    parser->token.length = 0;
    return false;
}

bool isti_parser_fail(isti_parser *parser, const isti_position *at, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    isti_problem_at(parser->problem, at, IST_E_LAYOUT, "%s", text);
    return stop(parser);
}

bool isti_parser_expected(isti_parser *parser, const char *what)
{
    const isti_token *token = &parser->token;
    if (token->kind == ISTI_TOKEN_END)
        return isti_parser_fail(parser, &token->at, "expected %s before the end", what);
    int shown = token->length < 40 ? (int)token->length : 40;
    return isti_parser_fail(parser, &token->at, "expected %s before '%.*s'", what, shown,
                            token->text);
}

bool isti_parser_blame(isti_parser *parser, const isti_position *at, const isti_problem *problem)
{
    if (problem->status == IST_OK)
        return true;
    isti_problem_at(parser->problem, at, problem->status, "%s", problem->text);
    return stop(parser);
}

/* ---- Tokens ---- */

bool isti_parser_is(const isti_parser *parser, int mark)
{
    return parser->token.kind == ISTI_TOKEN_MARK && parser->token.what == mark;
}

bool isti_parser_is_keyword(const isti_parser *parser, isti_keyword keyword)
{
    return parser->token.kind == ISTI_TOKEN_KEYWORD && parser->token.what == (int)keyword;
}

bool isti_parser_accept(isti_parser *parser, int mark)
{
    if (!isti_parser_is(parser, mark))
        return false;
    isti_parser_advance(parser);
    return true;
}

bool isti_parser_expect(isti_parser *parser, int mark)
{
    char what[] = { '\'', (char)mark, '\'', '\0' };
    return isti_parser_accept(parser, mark) || isti_parser_expected(parser, what);
}

static bool opens(const isti_token *token)
{
    return token->what == '(' || token->what == '[' || token->what == '{';
}

static bool closes(const isti_token *token)
{
    return token->what == ')' || token->what == ']' || token->what == '}';
}

bool isti_parser_skip_balanced(isti_parser *parser)
{
    isti_token begin = parser->token;
    size_t open = 0;
    do {
        if (parser->token.kind == ISTI_TOKEN_END)
            return isti_parser_fail(parser, &begin.at, "'%c' has no end", begin.what);
        if (parser->token.kind == ISTI_TOKEN_MARK) {
            open += opens(&parser->token);
            open -= closes(&parser->token);
        }
        isti_parser_advance(parser);
    } while (open != 0);
    return parser->problem->status == IST_OK;
}

bool isti_parser_enter(isti_parser *parser)
{
    if (parser->problem->status != IST_OK)
        return false;
    if (parser->depth == ISTI_PARSER_DEPTH_MAX)
        return isti_parser_fail(parser, &parser->token.at, "the text is nested deeper than %d",
                                ISTI_PARSER_DEPTH_MAX);
    parser->depth++;
    return true;
}

void isti_parser_leave(isti_parser *parser)
{
    parser->depth--;
}

/* ---- Memory ---- */

void *isti_parser_push(isti_parser *parser, isti_stack *stack, size_t item_size)
{
    if (stack->count == stack->capacity) {
        size_t capacity = stack->capacity != 0 ? stack->capacity * 2 : FIRST_CAPACITY;
        void *items = isti_store_take(parser->scratch, capacity, item_size, parser->problem);
        if (items == NULL) {
            stop(parser);
            return NULL;
        }
        if (stack->count != 0)
            memcpy(items, stack->items, stack->count * item_size);
        stack->items = items;
        stack->capacity = capacity;
    }
    void *item = (char *)stack->items + stack->count++ * item_size;
    memset(item, 0, item_size);
    return item;
}

const char *isti_parser_text(isti_parser *parser, const isti_token *token)
{
    const char *text =
        isti_store_text(parser->scratch, token->text, token->length, parser->problem);
    if (text == NULL)
        stop(parser);
    return text;
}

bool isti_parser_is_type(const isti_parser *parser, const isti_token *token)
{
    if (token->kind == ISTI_TOKEN_KEYWORD)
        return token->what >= ISTI_KEYWORD_VOID && token->what <= ISTI_KEYWORD_ATTRIBUTE;
    if (token->kind != ISTI_TOKEN_NAME)
        return false;
    const isti_symbol *symbol = isti_names_find(parser->names, false, token->text, token->length);
    if (symbol != NULL)
        return symbol->kind == IST_DECLARED_TYPE;
    return isti_standard_type(token->text, token->length) != NULL;
}
