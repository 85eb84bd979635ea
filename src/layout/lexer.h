/* SPDX-License-Identifier: MIT */
#ifndef ISTI_LAYOUT_LEXER_H
#define ISTI_LAYOUT_LEXER_H
/*
 * C text as tokens. Comments, line markers and #pragma lines do not become tokens: markers change what
 * positions say, `#pragma pack` changes `pack`. A lexer is a value: a copy of it reads ahead.
 */
#include <stdbool.h>
#include <stddef.h>

#include "layout/store.h"

typedef enum isti_token_kind {
    ISTI_TOKEN_END,
    ISTI_TOKEN_NAME,
    ISTI_TOKEN_KEYWORD,   /* `what` is an isti_keyword. */
    ISTI_TOKEN_NUMBER,    /* C's preprocessing number: a constant is not checked yet. */
    ISTI_TOKEN_CHARACTER, /* With its prefix and quotes; strings alike. */
    ISTI_TOKEN_STRING,
    ISTI_TOKEN_MARK /* `what` is the character, or an isti_mark. */
} isti_token_kind;

/* Marks of more than one character. */
typedef enum isti_mark {
    ISTI_MARK_ARROW = 256,
    ISTI_MARK_LEFT,
    ISTI_MARK_RIGHT,
    ISTI_MARK_NOT_ABOVE,
    ISTI_MARK_NOT_BELOW,
    ISTI_MARK_EQUAL,
    ISTI_MARK_NOT_EQUAL,
    ISTI_MARK_AND,
    ISTI_MARK_OR,
    ISTI_MARK_ELLIPSIS
} isti_mark;

typedef enum isti_keyword {
    ISTI_KEYWORD_NONE,
    /* The words that make up a scalar type, in the order of their counts; see specifiers.c. */
    ISTI_KEYWORD_VOID,
    ISTI_KEYWORD_CHAR,
    ISTI_KEYWORD_SHORT,
    ISTI_KEYWORD_INT,
    ISTI_KEYWORD_LONG,
    ISTI_KEYWORD_FLOAT,
    ISTI_KEYWORD_DOUBLE,
    ISTI_KEYWORD_SIGNED,
    ISTI_KEYWORD_UNSIGNED,
    ISTI_KEYWORD_BOOL,
    ISTI_KEYWORD_INT128,
    ISTI_KEYWORD_COMPLEX,
    /* Other type specifiers. */
    ISTI_KEYWORD_STRUCT,
    ISTI_KEYWORD_UNION,
    ISTI_KEYWORD_ENUM,
    ISTI_KEYWORD_TYPEOF,
    ISTI_KEYWORD_ATOMIC,
    /* What stands among specifiers and says nothing of the layout. */
    ISTI_KEYWORD_QUALIFIER,
    ISTI_KEYWORD_STORAGE,
    ISTI_KEYWORD_EXTENSION,
    ISTI_KEYWORD_TYPEDEF,
    ISTI_KEYWORD_ALIGNAS,
    ISTI_KEYWORD_ATTRIBUTE,
    /* The rest. */
    ISTI_KEYWORD_ASM,
    ISTI_KEYWORD_SIZEOF,
    ISTI_KEYWORD_ALIGNOF,
    ISTI_KEYWORD_OFFSETOF,
    ISTI_KEYWORD_STATIC_ASSERT
} isti_keyword;

/* Where a token begins. Lines and columns count from 1, columns in bytes. */
typedef struct isti_position {
    const char *file; /* As a line marker named it; NULL: none did. */
    size_t file_length;
    size_t line, column;
} isti_position;

typedef struct isti_token {
    isti_token_kind kind;
    int what;
    const char *text; /* In the text that is read. */
    size_t length;
    isti_position at;
} isti_token;

#define ISTI_PACK_DEPTH 32

/* `#pragma pack`: what holds now, and what was pushed. */
typedef struct isti_pack {
    size_t maximum; /* 0: none. */
    unsigned depth;
    size_t pushed[ISTI_PACK_DEPTH];
} isti_pack;

typedef struct isti_lexer {
    const char *next;       /* The first byte that was not read yet. */
    const char *line_begin; /* Of the line that it is in. */
    bool line_is_empty;     /* So far: a '#' begins a directive. */
    size_t line;
    const char *file;
    size_t file_length;
    isti_pack pack; /* As it is in front of the next byte. */
    isti_problem *problem;
} isti_lexer;

isti_lexer isti_lexer_of(const char *text, const isti_pack *pack, isti_problem *problem);
/* The next token; ISTI_TOKEN_END at the end, and for good once the problem is set. */
isti_token isti_lexer_next(isti_lexer *lexer);

/* Sets the problem, the sentence beginning with the position. */
__attribute__((format(printf, 4, 5))) ist_status
isti_problem_at(isti_problem *problem, const isti_position *at, ist_status status,
                const char *format, ...);

/* Which keyword a name is; ISTI_KEYWORD_NONE: none. */
isti_keyword isti_keyword_of(const char *text, size_t length);

#endif
