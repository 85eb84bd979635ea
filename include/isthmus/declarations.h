/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_DECLARATIONS_H
#define ISTHMUS_DECLARATIONS_H
/*
 * Declarations: C text read piece by piece, as one reads a header, and what it named.
 *
 *     ist_declarations *known;
 *     IST_CHECK(ist_declarations_open(arena, &known));
 *     IST_CHECK(ist_declarations_add(known, "typedef struct node { struct node *next; int id; } node;"));
 *     IST_CHECK(ist_declarations_add(known, "enum { N = 3 }; struct list { node head[N]; };"));
 *     IST_CHECK(ist_declarations_layout(known, "struct list", &list));       // any type name
 *     IST_CHECK(ist_declarations_function(known, "strtol", &function));      // one that was declared
 *
 * Text is C11 with the extensions that the system's headers use, after preprocessing: declarations and
 * definitions of struct, union, enum, typedef, functions (bodies are skipped) and variables; nested and
 * anonymous members, arrays, pointers, function pointers, bit-fields, flexible array members;
 * __attribute__((packed, aligned, vector_size, mode, may_alias ...)) (unknown ones are skipped),
 * _Alignas, typeof of a type, __extension__, asm labels, _Static_assert (checked), qualifiers; integer
 * constant expressions with sizeof, _Alignof, offsetof, casts, enumerators and character constants; the
 * names of <stdint.h>, <stddef.h> and <stdbool.h> unless declared otherwise; comments, line markers
 * (`# 12 "file.h"`, which messages then speak of) and `#pragma pack`. Other preprocessor lines are refused.
 * For a function's type variadic arguments may follow the boundary: "int (const char *, ..., int)".
 *
 * Returns: IST_OK; IST_E_ARGUMENT (a NULL); IST_E_LAYOUT, with "line 3, column 14: expected ..." in the
 *          sentence: what came before the piece still holds, nothing of the piece does; IST_E_OVERFLOW;
 *          IST_E_NOT_FOUND; IST_E_CLOSED, IST_E_WRONG_THREAD, IST_E_NO_MEMORY of the arena.
 * Threads: one at a time; layouts that came out of it may be read by any meanwhile.
 */
#include <isthmus/layout.h>

IST_BEGIN_DECLS

/* ---- C text ---- */

/*
 * Reads one type as C writes it: a definition ("struct point { double x, y; }"), a type name
 * ("int (*)[3]"), or one declaration ("typedef struct { int a; } pair;", "unsigned char mac[6]"),
 * whose type it gives. Returns: as above; IST_E_LAYOUT: the sentence has line, column and what was expected.
 */
IST_NODISCARD IST_API ist_status ist_layout_parse(ist_arena arena, const char *text,
                                                  const ist_layout **ret_layout);

/* Reads a function's type: "double hypot(double, double)" or "int (const char *, ..., int, double)". */
IST_NODISCARD IST_API ist_status ist_function_parse(ist_arena arena, const char *text,
                                                    const ist_function **ret_function);

typedef enum ist_format {
    IST_FORMAT_C = 1, /* C text that ist_layout_parse() reads back to an equal layout. */
    IST_FORMAT_TABLE /* Offset, size, type and name of every member, with the holes between them. */
} ist_format;

/*
 * Writes a layout as text. *ret_needed (may be NULL) is the length of the whole text without the zero
 * byte; what does not fit in `size` bytes is cut off, and with size 0 `buffer` may be NULL.
 * Returns: IST_OK, also if the text was cut off; IST_E_ARGUMENT; IST_E_LAYOUT (C has no way to say it:
 *          another byte order, say; the sentence says which part).
 */
IST_NODISCARD IST_API ist_status ist_layout_format(const ist_layout *layout, ist_format format,
                                                   char *buffer, size_t size, size_t *ret_needed);
IST_NODISCARD IST_API ist_status ist_function_format(const ist_function *function, char *buffer,
                                                     size_t size, size_t *ret_needed);

/* ---- Piece by piece ---- */

typedef struct ist_declarations ist_declarations;

/* Begins with nothing but the standard names. Ownership: the arena's, as all layouts out of it. */
IST_NODISCARD IST_API ist_status ist_declarations_open(ist_arena arena,
                                                       ist_declarations **ret_declarations);

/* Adds every declaration of a text. */
IST_NODISCARD IST_API ist_status ist_declarations_add(ist_declarations *declarations,
                                                      const char *text);

/* The type that a type name stands for: "struct point", "size_t[4]", "node *". */
IST_NODISCARD IST_API ist_status ist_declarations_layout(ist_declarations *declarations,
                                                         const char *type_name,
                                                         const ist_layout **ret_layout);

/* A function that was declared. */
IST_NODISCARD IST_API ist_status ist_declarations_function(ist_declarations *declarations,
                                                           const char *name,
                                                           const ist_function **ret_function);

/* A function's type as ist_function_parse() reads it, with the names known here. */
IST_NODISCARD IST_API ist_status ist_declarations_function_type(ist_declarations *declarations,
                                                                const char *text,
                                                                const ist_function **ret_function);

/* The value of an enumerator. */
IST_NODISCARD IST_API ist_status ist_declarations_constant(ist_declarations *declarations,
                                                           const char *name, int64_t *ret_value);

typedef enum ist_declared {
    IST_DECLARED_TAG =
        1, /* struct, union or enum with a tag; `name` has the keyword: "struct point". */
    IST_DECLARED_TYPE, /* typedef */
    IST_DECLARED_FUNCTION,
    IST_DECLARED_VARIABLE,
    IST_DECLARED_CONSTANT /* enumerator */
} ist_declared;

typedef struct ist_declaration {
    size_t size; /* In: the caller's sizeof; out: what is valid. */
    ist_declared kind;
    const char *name;
    const ist_layout *layout; /* NULL for a constant. */
    int64_t value;            /* Of a constant. */
} ist_declaration;

/* What was declared, in order; standard names are not among it. IST_E_BOUNDS behind the last. */
IST_API size_t ist_declarations_count(const ist_declarations *declarations);
IST_NODISCARD IST_API ist_status ist_declarations_get(const ist_declarations *declarations,
                                                      size_t index,
                                                      ist_declaration *ret_declaration);

IST_END_DECLS
#endif
