/* SPDX-License-Identifier: MIT */
#ifndef ISTI_LAYOUT_PARSER_H
#define ISTI_LAYOUT_PARSER_H
/*
 * C text, read by recursive descent (C11 6.7, A.2.2) straight into layouts. One token is looked at; where
 * C needs two, a copy of the lexer reads ahead.
 *
 * Each function of the parser returns false once the problem is set; the text has ended then, so that
 * no loop goes on. Nothing recurs deeper than ISTI_PARSER_DEPTH_MAX.
 */
#include "layout/constant.h"
#include "layout/layout.h"
#include "layout/lexer.h"
#include "layout/names.h"

/* Parentheses, braces, operands: each open one counts. C11 5.2.4.1 asks for 63. */
#define ISTI_PARSER_DEPTH_MAX 250
/* Of all declarators that are being read: some for each level. */
#define ISTI_PARSER_MODIFIERS_MAX 4000

/* Items that come and go last in, first out; they move when it grows. */
typedef struct isti_stack {
    void *items;
    size_t count, capacity;
} isti_stack;

typedef struct isti_parser {
    isti_lexer lexer;
    isti_token token; /* The one that is looked at. */
    isti_names *names;
    const isti_store *keep;    /* Of layouts and names. */
    const isti_store *scratch; /* Ends with the piece. */
    isti_problem *problem;
    isti_stack modifiers; /* isti_modifier */
    isti_stack members;   /* ist_member: of groups and of parameter lists. */
    isti_stack enumerators;
    unsigned depth;
    unsigned
        unevaluated; /* Operands around that do not count: division by zero is no error there. */
    bool declares_nothing; /* Reads a type name of what is known: other names are not found. */
} isti_parser;

typedef struct isti_attributes {
    bool packed, transparent_union;
    size_t alignment;    /* aligned; 0: none. */
    size_t alignment_as; /* _Alignas; 0: none. */
    size_t vector_size;  /* 0: none. */
    unsigned mode_size;  /* Bytes; 0: none. */
    isti_class mode_class;
} isti_attributes;

typedef struct isti_specifiers {
    const ist_layout *type;
    isti_attributes attributes;
    bool is_typedef;
    bool has_definition; /* Of a group or enumeration. */
    bool is_unnamed;     /* ... without a tag. */
} isti_specifiers;

typedef enum isti_modifier_kind {
    ISTI_MODIFIER_POINTER,
    ISTI_MODIFIER_ARRAY,
    ISTI_MODIFIER_FUNCTION
} isti_modifier_kind;

/* What a declarator makes of its type, in steps. */
typedef struct isti_modifier {
    isti_modifier_kind kind;
    isti_position at;
    size_t count;     /* Array. */
    bool is_variable; /* An array whose count is known at run time only: of a parameter. */
    size_t alignment; /* Pointer with the attribute; else 0. */
    size_t first, parameter_count, fixed_count; /* Function: its parameters on `members`. */
    unsigned flags;
    bool has_prototype;
} isti_modifier;

/* A declarator: its modifiers on the stack, the one next to the name first. */
typedef struct isti_declarator {
    isti_token name;            /* length 0: none. */
    isti_attributes attributes; /* That stand inside. */
    size_t first, count, members;
} isti_declarator;

/* ---- parser.c ---- */

/* Looks at the first token. */
void isti_parser_begin(isti_parser *parser, isti_names *names, const isti_store *scratch,
                       const char *text, isti_problem *problem);
void isti_parser_advance(isti_parser *parser);
isti_token isti_parser_ahead(const isti_parser *parser); /* The token behind this one. */

/* All set the problem and return false. */
__attribute__((format(printf, 3, 4))) bool
isti_parser_fail(isti_parser *parser, const isti_position *at, const char *format, ...);
/* "expected X before 'Y'", Y being the token. */
bool isti_parser_expected(isti_parser *parser, const char *what);
/* A problem of the layouts below, which know no position. */
bool isti_parser_blame(isti_parser *parser, const isti_position *at, const isti_problem *problem);

bool isti_parser_is(const isti_parser *parser, int mark);
bool isti_parser_is_keyword(const isti_parser *parser, isti_keyword keyword);
bool isti_parser_accept(isti_parser *parser, int mark); /* Advances if it is there. */
bool isti_parser_expect(isti_parser *parser, int mark);
/* Skips from an opening mark to behind its closing one. */
bool isti_parser_skip_balanced(isti_parser *parser);

/* One level deeper; false where that is too deep. */
bool isti_parser_enter(isti_parser *parser);
void isti_parser_leave(isti_parser *parser);

/* An item of a stack; NULL for one that was never used. */
static inline void *isti_stack_at(const isti_stack *stack, size_t index, size_t item_size)
{
    return stack->items != NULL ? (char *)stack->items + index * item_size : NULL;
}

/* A new item on top, zeroed; NULL with the problem set. */
void *isti_parser_push(isti_parser *parser, isti_stack *stack, size_t item_size);
/* A copy of a token's text that ends in a zero, in scratch memory. */
const char *isti_parser_text(isti_parser *parser, const isti_token *token);
/* Whether a type name begins with the token: a keyword, or a name that stands for a type. */
bool isti_parser_is_type(const isti_parser *parser, const isti_token *token);

/* ---- attributes.c ---- */

/* Any number of __attribute__((...)), none too. */
bool isti_parse_attributes(isti_parser *parser, isti_attributes *attributes);
bool isti_parse_alignas(isti_parser *parser, isti_attributes *attributes);
/* asm("..."), where there is one. */
bool isti_parse_asm(isti_parser *parser);
void isti_attributes_add(isti_attributes *to, const isti_attributes *more);
/* The type with those attributes that make another of it: mode, vector_size. */
bool isti_attributes_apply(isti_parser *parser, const isti_attributes *attributes,
                           const isti_position *at, const ist_layout **type);
/* The type aligned so, whatever its parts are. */
bool isti_align_type(isti_parser *parser, size_t alignment, const isti_position *at,
                     const ist_layout **type);

/* ---- specifiers.c ---- */

bool isti_parse_specifiers(isti_parser *parser, isti_specifiers *ret);
bool isti_parse_type_name(isti_parser *parser, const ist_layout **ret);

/* ---- groups.c, enums.c: the token is the keyword ---- */

bool isti_parse_group(isti_parser *parser, isti_specifiers *specifiers);
bool isti_parse_enum(isti_parser *parser, isti_specifiers *specifiers);
/* The tag of that name, declared now if need be; NULL with the problem set. `defines`: braces follow. */
isti_symbol *
isti_parser_tag(isti_parser *parser, ist_layout_kind kind, const isti_token *name, bool defines);

/* ---- declarators.c ---- */

typedef enum isti_naming { ISTI_NAME_NONE, ISTI_NAME_OPTIONAL, ISTI_NAME_REQUIRED } isti_naming;

bool isti_parse_declarator(isti_parser *parser, isti_naming naming, isti_declarator *ret);
/* The type that the declarator makes of `type`; takes the declarator off the stacks. */
bool isti_declarator_apply(isti_parser *parser, const isti_declarator *declarator,
                           bool is_parameter, const ist_layout *type, const ist_layout **ret);

/* ---- expressions.c ---- */

/* An integer constant expression; and one that counts something. */
bool isti_parse_constant(isti_parser *parser, isti_constant *ret);
bool isti_parse_count(isti_parser *parser, const char *what, size_t *ret);
/* The same where it may be known at run time only. */
bool isti_parse_variable_count(isti_parser *parser, size_t *ret, bool *ret_variable);
/* The type of an expression, which is not evaluated. */
bool isti_parse_type_of(isti_parser *parser, const ist_layout **ret);

/* ---- declarations.c ---- */

bool isti_parse_static_assert(isti_parser *parser);
/* All declarations of a text. */
bool isti_parse_declarations(isti_parser *parser);
/* The type that a text stands for, by its last declaration. */
bool isti_parse_type(isti_parser *parser, const ist_layout **ret);
/* The same for a function's type, and for a type name alone. */
bool isti_parse_function(isti_parser *parser, const ist_layout **ret);
bool isti_parse_type_alone(isti_parser *parser, const ist_layout **ret);

#endif
