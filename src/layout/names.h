/* SPDX-License-Identifier: MIT */
#ifndef ISTI_LAYOUT_NAMES_H
#define ISTI_LAYOUT_NAMES_H
/*
 * What C text has declared: tags, typedefs, functions, variables and enumerators, by scope.
 *
 * Every change is on a log, newest first, until it is kept: a piece of text that fails is taken back whole,
 * the definitions of groups that it completed too.
 */
#include <isthmus/declarations.h>

#include "layout/constant.h"
#include "layout/layout.h"
#include "layout/lexer.h"

typedef struct isti_symbol {
    const char *name; /* In the store; of a tag without its keyword. */
    size_t length;
    uint32_t hash;
    ist_declared kind;
    unsigned
        scope; /* 0: the file's; above: a parameter list's, or that of a type name by itself. */
    bool is_being_defined;     /* A tag whose braces are open. */
    bool has_prototype;        /* A function that says what it takes. */
    bool is_transparent;       /* A union that is passed as its first member is. */
    const ist_layout *layout;  /* NULL for a constant. */
    isti_constant value;       /* Of a constant. */
    const char *shown;         /* `name`; of a tag with its keyword. */
    struct isti_symbol *next;  /* In its bucket; the inner scope, so the newer one, comes first. */
    struct isti_symbol *older; /* All, newest first. */
} isti_symbol;

/* A change that can be taken back: a definition, or the layout that a symbol had before. */
typedef struct isti_change {
    struct isti_change *older;
    isti_symbol *symbol;
    ist_layout *defined; /* NULL: not a definition. */
    const ist_layout *layout_before;
    bool prototype_before;
} isti_change;

typedef struct isti_names {
    const isti_store *store;
    isti_symbol **buckets;
    size_t bucket_count; /* A power of two, or 0. */
    size_t symbol_count;
    isti_symbol *newest;
    unsigned scope;
    isti_symbol **listed; /* Those of scope 0, in order. */
    size_t listed_count, listed_capacity;
    isti_pack pack; /* As the last piece left it. */
    isti_change *changes;
} isti_names;

/* What to go back to. */
typedef struct isti_names_mark {
    isti_symbol *newest;
    size_t listed_count;
} isti_names_mark;

isti_names_mark isti_names_begin(isti_names *names);
/* Forgets what could have been taken back. */
void isti_names_keep(isti_names *names);
/* Takes back all since the mark. */
void isti_names_undo(isti_names *names, const isti_names_mark *mark);

void isti_names_open_scope(isti_names *names);
void isti_names_close_scope(isti_names *names);

/* Of all scopes, the innermost first. Tags are apart from other names. NULL: not declared. */
isti_symbol *isti_names_find(const isti_names *names, bool is_tag, const char *name, size_t length);
/* The symbol if it is of the scope that is open now; else NULL. */
isti_symbol *isti_names_here(const isti_names *names, isti_symbol *symbol);

/* Adds a symbol in the scope that is open; NULL with the problem set. `keyword` is a tag's, or NULL. */
isti_symbol *isti_names_add(isti_names *names, ist_declared kind, const char *keyword,
                            const char *name, size_t length, isti_problem *problem);
/* Another layout for a symbol. `scratch` lasts until the change is kept or undone. */
ist_status isti_names_change(isti_names *names, isti_symbol *symbol, const ist_layout *layout,
                             bool has_prototype, const isti_store *scratch, isti_problem *problem);
/* Begins the definition of a tag. */
ist_status isti_names_define(isti_names *names, isti_symbol *tag, const isti_store *scratch,
                             isti_problem *problem);

/* The names of <stdint.h>, <stddef.h>, <stdbool.h> and those that compilers know; NULL: none of them. */
const ist_layout *isti_standard_type(const char *name, size_t length);
const isti_constant *isti_standard_constant(const char *name, size_t length);

#endif
