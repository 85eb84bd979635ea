/* SPDX-License-Identifier: MIT */
/*
 * C text as tokens (C11 6.4), after preprocessing. Preprocessor lines that do not change what types look
 * like are skipped: line markers, #pragma, #ident. `#pragma pack` counts (GCC's manual,
 * "Structure-Layout Pragmas"). All others are refused: whoever wrote them expects that they are obeyed.
 */
#include "layout/lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"

ist_status isti_problem_at(isti_problem *problem, const isti_position *at, ist_status status,
                           const char *format, ...)
{
    char text[sizeof problem->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (at->file == NULL)
        return isti_problem_set(problem, status, "line %zu, column %zu: %s", at->line, at->column,
                                text);
    /* Of a long path the end says more. */
    size_t shown = at->file_length < 100 ? at->file_length : 100;
    return isti_problem_set(problem, status, "%.*s:%zu:%zu: %s", (int)shown,
                            at->file + (at->file_length - shown), at->line, at->column, text);
}

isti_lexer isti_lexer_of(const char *text, const isti_pack *pack, isti_problem *problem)
{
    return (isti_lexer){ .next = text,
                         .line_begin = text,
                         .line_is_empty = true,
                         .line = 1,
                         .pack = *pack,
                         .problem = problem };
}

static isti_position position_of(const isti_lexer *lexer, const char *where)
{
    return (isti_position){ .file = lexer->file,
                            .file_length = lexer->file_length,
                            .line = lexer->line,
                            .column = (size_t)(where - lexer->line_begin) + 1 };
}

static void fail(isti_lexer *lexer, const char *where, const char *what)
{
    isti_position at = position_of(lexer, where);
    isti_problem_at(lexer->problem, &at, IST_E_LAYOUT, "%s", what);
}

static bool is_name_begin(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_part(char c)
{
    return is_name_begin(c) || is_digit(c);
}

/* ---- Between tokens ---- */

/* `next` is at a line's end. */
static void take_line_end(isti_lexer *lexer)
{
    lexer->next++;
    lexer->line++;
    lexer->line_begin = lexer->next;
    lexer->line_is_empty = true;
}

static void skip_comment(isti_lexer *lexer)
{
    isti_position begin = position_of(lexer, lexer->next);
    bool was_empty = lexer->line_is_empty;
    lexer->next += 2;
    while (!(lexer->next[0] == '*' && lexer->next[1] == '/')) {
        if (*lexer->next == '\0') {
            isti_problem_at(lexer->problem, &begin, IST_E_LAYOUT, "the comment has no end");
            return;
        }
        if (*lexer->next == '\n')
            take_line_end(lexer);
        else
            lexer->next++;
    }
    lexer->next += 2;
    lexer->line_is_empty = was_empty;
}

static void skip_to_line_end(isti_lexer *lexer)
{
    while (*lexer->next != '\0' && *lexer->next != '\n')
        lexer->next++;
}

static void skip_spaces(isti_lexer *lexer)
{
    while (*lexer->next == ' ' || *lexer->next == '\t')
        lexer->next++;
}

/* ---- Preprocessor lines ---- */

/* A word of the line; length 0: none. */
static size_t take_word(isti_lexer *lexer, const char **ret_word)
{
    skip_spaces(lexer);
    *ret_word = lexer->next;
    while (is_name_part(*lexer->next))
        lexer->next++;
    return (size_t)(lexer->next - *ret_word);
}

static bool word_is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* A number of the line; SIZE_MAX where it is too large. */
static size_t take_number(isti_lexer *lexer)
{
    size_t value = 0;
    for (; is_digit(*lexer->next); lexer->next++) {
        if (!isti_size_multiply(value, 10, &value) ||
            !isti_size_add(value, (size_t)(*lexer->next - '0'), &value))
            value = SIZE_MAX;
    }
    return value;
}

static bool take_mark(isti_lexer *lexer, char mark)
{
    skip_spaces(lexer);
    if (*lexer->next != mark)
        return false;
    lexer->next++;
    return true;
}

/* `# 12 "file.h" 1 3`: the next line is line 12 of that file. */
static void take_marker(isti_lexer *lexer)
{
    size_t line = take_number(lexer);
    skip_spaces(lexer);
    if (*lexer->next == '"') {
        const char *file = ++lexer->next;
        while (*lexer->next != '"' && *lexer->next != '\n' && *lexer->next != '\0')
            lexer->next++;
        lexer->file = file;
        lexer->file_length = (size_t)(lexer->next - file);
    }
    skip_to_line_end(lexer);
    if (*lexer->next == '\n')
        take_line_end(lexer);
    lexer->line = line;
}

static bool set_pack(isti_pack *pack, size_t value)
{
    bool is_legal = value <= 16 && (value == 0 || isti_is_power_of_two(value));
    if (is_legal)
        pack->maximum = value;
    return is_legal;
}

/* What stands in the parentheses of `#pragma pack`; false: nothing that is known. */
static bool take_pack(isti_lexer *lexer)
{
    isti_pack *pack = &lexer->pack;
    const char *word;
    skip_spaces(lexer);
    if (is_digit(*lexer->next))
        return set_pack(pack, take_number(lexer));
    size_t length = take_word(lexer, &word);
    if (length == 0)
        return set_pack(pack, 0);
    if (word_is(word, length, "push")) {
        if (pack->depth == ISTI_PACK_DEPTH)
            return false;
        pack->pushed[pack->depth++] = pack->maximum;
    } else if (word_is(word, length, "pop")) {
        if (pack->depth == 0)
            return false;
        pack->maximum = pack->pushed[--pack->depth];
    } else {
        return false;
    }
    if (!take_mark(lexer, ','))
        return true;
    skip_spaces(lexer);
    return is_digit(*lexer->next) && set_pack(pack, take_number(lexer));
}

static void take_pragma(isti_lexer *lexer, const char *begin)
{
    const char *word;
    size_t length = take_word(lexer, &word);
    if (word_is(word, length, "pack")) {
        if (!take_mark(lexer, '(') || !take_pack(lexer) || !take_mark(lexer, ')'))
            fail(lexer, begin, "expected push, pop or 1, 2, 4, 8 or 16 in '#pragma pack(...)'");
    } else if (word_is(word, length, "scalar_storage_order") ||
               word_is(word, length, "ms_struct")) {
        fail(lexer, begin, "this #pragma changes layouts in a way that is not known here");
    }
    skip_to_line_end(lexer);
}

static void take_directive(isti_lexer *lexer)
{
    const char *begin = lexer->next++, *word;
    skip_spaces(lexer);
    if (is_digit(*lexer->next)) {
        take_marker(lexer);
        return;
    }
    size_t length = take_word(lexer, &word);
    if (word_is(word, length, "line")) {
        skip_spaces(lexer);
        take_marker(lexer);
    } else if (word_is(word, length, "pragma")) {
        take_pragma(lexer, begin);
    } else if (length == 0 || word_is(word, length, "ident")) {
        skip_to_line_end(lexer);
    } else {
        isti_position at = position_of(lexer, begin);
        isti_problem_at(lexer->problem, &at, IST_E_LAYOUT,
                        "expected preprocessed text before '#%.*s'",
                        (int)(length < 40 ? length : 40), word);
    }
}

/* Up to the next token, the end or a problem. */
static void skip_between(isti_lexer *lexer)
{
    while (lexer->problem->status == IST_OK) {
        const char *next = lexer->next;
        if (*next == '\n')
            take_line_end(lexer);
        else if (*next == ' ' || *next == '\t' || *next == '\r' || *next == '\v' || *next == '\f')
            lexer->next++;
        else if (next[0] == '/' && next[1] == '*')
            skip_comment(lexer);
        else if (next[0] == '/' && next[1] == '/')
            skip_to_line_end(lexer);
        else if (next[0] == '\\' && next[1] == '\n') {
            lexer->next++;
            take_line_end(lexer);
        } else if (*next == '#' && lexer->line_is_empty)
            take_directive(lexer);
        else
            return;
    }
}

/* ---- Tokens ---- */

/* `next` is at the opening quote. */
static void take_quoted(isti_lexer *lexer)
{
    const char *begin = lexer->next, quote = *lexer->next++;
    while (*lexer->next != quote) {
        if (*lexer->next == '\\' && lexer->next[1] != '\0')
            lexer->next++;
        if (*lexer->next == '\0' || *lexer->next == '\n') {
            fail(lexer, begin, quote == '"' ? "the string has no end" : "the character has no end");
            return;
        }
        lexer->next++;
    }
    lexer->next++;
}

/* C11 6.4.8: digits, letters, dots, and a sign behind e or p; behind the e of a hexadecimal there is none. */
static void take_preprocessing_number(isti_lexer *lexer)
{
    bool is_hex = lexer->next[0] == '0' && (lexer->next[1] | 0x20) == 'x';
    while (is_name_part(*lexer->next) || *lexer->next == '.') {
        char c = (char)(*lexer->next | 0x20);
        lexer->next++;
        if ((c == 'p' || (c == 'e' && !is_hex)) && (*lexer->next == '+' || *lexer->next == '-'))
            lexer->next++;
    }
}

static const struct {
    char text[4];
    isti_mark mark;
} marks[] = {
    { "...", ISTI_MARK_ELLIPSIS }, { "->", ISTI_MARK_ARROW },     { "<<", ISTI_MARK_LEFT },
    { ">>", ISTI_MARK_RIGHT },     { "<=", ISTI_MARK_NOT_ABOVE }, { ">=", ISTI_MARK_NOT_BELOW },
    { "==", ISTI_MARK_EQUAL },     { "!=", ISTI_MARK_NOT_EQUAL }, { "&&", ISTI_MARK_AND },
    { "||", ISTI_MARK_OR },
};

static int take_mark_token(isti_lexer *lexer)
{
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t length = strlen(marks[i].text);
        if (strncmp(lexer->next, marks[i].text, length) == 0) {
            lexer->next += length;
            return (int)marks[i].mark;
        }
    }
    return (unsigned char)*lexer->next++;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

/* The length of the prefix of a character or string that begins here: L, u, U, u8; 0: none. */
static size_t prefix_length(const char *text)
{
    if (text[0] == 'u' && text[1] == '8' && text[2] == '"')
        return 2;
    return (*text == 'L' || *text == 'u' || *text == 'U') && is_quote(text[1]) ? 1 : 0;
}

static void take_token(isti_lexer *lexer, isti_token *token)
{
    size_t prefix = prefix_length(lexer->next);
    if (is_quote(lexer->next[prefix])) {
        lexer->next += prefix;
        token->kind = *lexer->next == '"' ? ISTI_TOKEN_STRING : ISTI_TOKEN_CHARACTER;
        take_quoted(lexer);
    } else if (is_name_begin(*lexer->next)) {
        while (is_name_part(*lexer->next))
            lexer->next++;
        token->what = (int)isti_keyword_of(token->text, (size_t)(lexer->next - token->text));
        token->kind = token->what != ISTI_KEYWORD_NONE ? ISTI_TOKEN_KEYWORD : ISTI_TOKEN_NAME;
    } else if (is_digit(*lexer->next) || (*lexer->next == '.' && is_digit(lexer->next[1]))) {
        token->kind = ISTI_TOKEN_NUMBER;
        take_preprocessing_number(lexer);
    } else {
        token->kind = ISTI_TOKEN_MARK;
        token->what = take_mark_token(lexer);
    }
    token->length = (size_t)(lexer->next - token->text);
}

isti_token isti_lexer_next(isti_lexer *lexer)
{
    skip_between(lexer);
    isti_token token = { .kind = ISTI_TOKEN_END,
                         .text = lexer->next,
                         .at = position_of(lexer, lexer->next) };
    if (*lexer->next == '\0' || lexer->problem->status != IST_OK)
        return token;
    lexer->line_is_empty = false;
    take_token(lexer, &token);
    if (lexer->problem->status != IST_OK)
        token.kind = ISTI_TOKEN_END;
    return token;
}
