/* SPDX-License-Identifier: MIT */
#ifndef ISTI_LAYOUT_PRINT_H
#define ISTI_LAYOUT_PRINT_H
/*
 * Layouts as text.
 */
#include "layout/layout.h"
#include "layout/writer.h"

/*
 * How types are written that have a word of their own: a typedef's name, a definition in braces. Such a type
 * stands in front of the declarator, and nothing of it behind.
 */
typedef struct isti_speller {
    bool (*has_word)(void *context, const ist_layout *type);
    void (*write_word)(void *context, isti_writer *writer, const ist_layout *type);
    void *context;
    bool is_brief;  /* Parameters of parameters are left out: "(..)". */
    bool is_inside; /* A parameter is being written. */
} isti_speller;

/* Writes a type as C declares something of it; `name` may be NULL. */
void isti_spell(const isti_speller *speller, isti_writer *writer, const ist_layout *type,
                const char *name);
/* The same for a function's type: with its own name. */
void isti_spell_function(const isti_speller *speller, isti_writer *writer,
                         const ist_function *function);
/* What a declarator begins with: through pointers, arrays and results down to a type with a word. */
const ist_layout *isti_spell_base(const isti_speller *speller, const ist_layout *type);
const char *isti_tag_keyword(const ist_layout *type); /* struct, union, enum */

/*
 * As C text; `store` is for scratch memory. Either of layout and function is not NULL. On failure nothing
 * has been written.
 */
ist_status isti_print_c(const isti_store *store, const ist_layout *layout,
                        const ist_function *function, isti_writer *writer, isti_problem *problem);
/* As a table of members. */
void isti_print_table(const ist_layout *layout, isti_writer *writer);

#endif
