/* SPDX-License-Identifier: MIT */
/*
 * C text and arenas. A text by itself is read in scratch memory, and what it stands for moves into the
 * arena. What is read piece by piece is made in the arena at once, where definitions complete what earlier
 * pieces have handed out; what a piece that failed had made stays unused until the arena ends.
 */
#include <isthmus/declarations.h>

#include <isthmus/arena.h>

#include "access/maker.h"
#include "layout/names.h"
#include "layout/parser.h"
#include "layout/print.h"
#include "session/error.h"

#include <stdio.h>
#include <string.h>

#define OPERATION "C text"
#define FORMAT_OPERATION "text of a layout"

struct ist_declarations {
    ist_arena arena;
    isti_store store;
    isti_names names;
};

static ist_status refuse_null(void)
{
    return isti_fail_argument(OPERATION,
                              "NULL where a text, what knows its names or a place for the "
                              "result is wanted");
}

/* ---- A text by itself ---- */

typedef bool parse_fn(isti_parser *parser, const ist_layout **ret);

static ist_status
parse_alone(ist_arena arena, const char *text, parse_fn *parse, const ist_layout **ret)
{
    isti_maker maker;
    ist_status status = isti_maker_begin(&maker, arena, OPERATION);
    if (status != IST_OK)
        return status;
    isti_names names = { .store = &maker.scratch };
    isti_parser parser;
    isti_parser_begin(&parser, &names, &maker.scratch, text, &maker.problem);
    parse(&parser, &maker.layout);
    return isti_maker_end(&maker, ret);
}

ist_status ist_layout_parse(ist_arena arena, const char *text, const ist_layout **ret_layout)
{
    if (text == NULL || ret_layout == NULL)
        return refuse_null();
    return parse_alone(arena, text, isti_parse_type, ret_layout);
}

ist_status ist_function_parse(ist_arena arena, const char *text, const ist_function **ret_function)
{
    const ist_layout *layout;
    if (text == NULL || ret_function == NULL)
        return refuse_null();
    ist_status status = parse_alone(arena, text, isti_parse_function, &layout);
    if (status == IST_OK)
        *ret_function = layout->of.function;
    return status;
}

/* ---- Text of layouts ---- */

static ist_status format_c(const ist_layout *layout, const ist_function *function, char *buffer,
                           size_t size, size_t *ret_needed)
{
    isti_maker maker;
    isti_writer writer = isti_writer_of(buffer, size);
    isti_maker_begin_scratch(&maker, FORMAT_OPERATION);
    isti_print_c(&maker.scratch, layout, function, &writer, &maker.problem);
    ist_status status = isti_maker_drop(&maker);
    if (status == IST_OK && ret_needed != NULL)
        *ret_needed = writer.length;
    return status;
}

static ist_status refuse_format(void)
{
    return isti_fail_argument(FORMAT_OPERATION,
                              "NULL where a layout or a buffer is wanted, or an unknown format");
}

ist_status ist_layout_format(const ist_layout *layout, ist_format format, char *buffer, size_t size,
                             size_t *ret_needed)
{
    if (layout == NULL || (buffer == NULL && size != 0) ||
        (format != IST_FORMAT_C && format != IST_FORMAT_TABLE))
        return refuse_format();
    if (format == IST_FORMAT_C)
        return format_c(layout, NULL, buffer, size, ret_needed);
    isti_writer writer = isti_writer_of(buffer, size);
    isti_print_table(layout, &writer);
    if (ret_needed != NULL)
        *ret_needed = writer.length;
    return IST_OK;
}

ist_status
ist_function_format(const ist_function *function, char *buffer, size_t size, size_t *ret_needed)
{
    if (function == NULL || (buffer == NULL && size != 0))
        return refuse_format();
    return format_c(NULL, function, buffer, size, ret_needed);
}

/* ---- Piece by piece ---- */

ist_status ist_declarations_open(ist_arena arena, ist_declarations **ret_declarations)
{
    ist_segment memory;
    if (ret_declarations == NULL)
        return refuse_null();
    ist_status status =
        ist_arena_allocate(arena, sizeof(ist_declarations), _Alignof(ist_declarations), &memory);
    if (status != IST_OK)
        return status;
    ist_declarations *declarations = memory.address;
    memset(declarations, 0, sizeof *declarations);
    declarations->arena = arena;
    declarations->store = isti_arena_store(&declarations->arena);
    declarations->names.store = &declarations->store;
    *ret_declarations = declarations;
    return IST_OK;
}

/*
 * Reads a text with the names that are known. `adds`: what it declares stays; otherwise it is in a scope of
 * its own, which ends with it.
 */
static ist_status parse_piece(ist_declarations *declarations, const char *text, bool adds,
                              parse_fn *parse, const ist_layout **ret)
{
    isti_maker maker;
    isti_parser parser;
    isti_names *names = &declarations->names;
    ist_status status = isti_maker_begin(&maker, declarations->arena, OPERATION);
    if (status != IST_OK)
        return status;
    isti_names_mark mark = isti_names_begin(names);
    isti_parser_begin(&parser, names, &maker.scratch, text, &maker.problem);
    parser.declares_nothing = !adds;
    if (!adds)
        isti_names_open_scope(names);
    bool done = parse(&parser, &maker.layout);
    if (!done) {
        isti_names_undo(names, &mark);
    } else if (adds) {
        names->pack = parser.lexer.pack;
    } else {
        isti_names_close_scope(names);
    }
    isti_names_keep(names);
    return isti_maker_end(&maker, ret);
}

static bool add_all(isti_parser *parser, const ist_layout **ret)
{
    *ret = &isti_layout_void;
    return isti_parse_declarations(parser);
}

ist_status ist_declarations_add(ist_declarations *declarations, const char *text)
{
    const ist_layout *ignored;
    if (declarations == NULL || text == NULL)
        return refuse_null();
    return parse_piece(declarations, text, true, add_all, &ignored);
}

ist_status ist_declarations_layout(ist_declarations *declarations, const char *type_name,
                                   const ist_layout **ret_layout)
{
    if (declarations == NULL || type_name == NULL || ret_layout == NULL)
        return refuse_null();
    return parse_piece(declarations, type_name, false, isti_parse_type_alone, ret_layout);
}

ist_status ist_declarations_function_type(ist_declarations *declarations, const char *text,
                                          const ist_function **ret_function)
{
    const ist_layout *layout;
    if (declarations == NULL || text == NULL || ret_function == NULL)
        return refuse_null();
    ist_status status = parse_piece(declarations, text, false, isti_parse_function, &layout);
    if (status == IST_OK)
        *ret_function = layout->of.function;
    return status;
}

/* ---- What was declared ---- */

/* The symbol of a name; NULL with the failure recorded. */
static const isti_symbol *
find(const ist_declarations *declarations, const char *name, ist_declared kind, const char *what)
{
    char text[ISTI_REASON_SIZE];
    const isti_symbol *symbol = isti_names_find(&declarations->names, false, name, strlen(name));
    if (symbol != NULL && symbol->kind == kind)
        return symbol;
    snprintf(text, sizeof text, "no %s is called '%.100s'", what, name);
    (void)isti_fail_text(IST_E_NOT_FOUND, OPERATION, text);
    return NULL;
}

ist_status ist_declarations_function(ist_declarations *declarations, const char *name,
                                     const ist_function **ret_function)
{
    if (declarations == NULL || name == NULL || ret_function == NULL)
        return refuse_null();
    const isti_symbol *symbol = find(declarations, name, IST_DECLARED_FUNCTION, "function");
    if (symbol == NULL)
        return IST_E_NOT_FOUND;
    *ret_function = symbol->layout->of.function;
    return IST_OK;
}

ist_status
ist_declarations_constant(ist_declarations *declarations, const char *name, int64_t *ret_value)
{
    if (declarations == NULL || name == NULL || ret_value == NULL)
        return refuse_null();
    const isti_constant *value = isti_standard_constant(name, strlen(name));
    if (value == NULL || isti_names_find(&declarations->names, false, name, strlen(name)) != NULL) {
        const isti_symbol *symbol = find(declarations, name, IST_DECLARED_CONSTANT, "enumerator");
        if (symbol == NULL)
            return IST_E_NOT_FOUND;
        value = &symbol->value;
    }
    *ret_value = (int64_t)value->bits;
    return IST_OK;
}

size_t ist_declarations_count(const ist_declarations *declarations)
{
    return declarations != NULL ? declarations->names.listed_count : 0;
}

ist_status ist_declarations_get(const ist_declarations *declarations, size_t index,
                                ist_declaration *ret_declaration)
{
    if (declarations == NULL || ret_declaration == NULL ||
        ret_declaration->size < sizeof *ret_declaration)
        return isti_fail_argument(OPERATION,
                                  "NULL, or a result whose size says that it is too small");
    if (index >= declarations->names.listed_count)
        return isti_fail(
            &(isti_failure){ .error = { .status = IST_E_BOUNDS,
                                        .operation = OPERATION,
                                        .offset = index,
                                        .limit = declarations->names.listed_count },
                             .reason = "the index is not below the count of declarations" });
    const isti_symbol *symbol = declarations->names.listed[index];
    *ret_declaration = (ist_declaration){ .size = sizeof *ret_declaration,
                                          .kind = symbol->kind,
                                          .name = symbol->shown,
                                          .layout = symbol->layout,
                                          .value = (int64_t)symbol->value.bits };
    return IST_OK;
}
