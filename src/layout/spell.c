/* SPDX-License-Identifier: MIT */
/*
 * Types as C declares them: what stands before the name goes down to the base type and comes back up, what
 * stands behind it goes down once more. Recurs as deep as layouts are nested.
 */
#include "layout/print.h"

const char *isti_tag_keyword(const ist_layout *type)
{
    return type->kind == IST_LAYOUT_STRUCT  ? "struct"
           : type->kind == IST_LAYOUT_UNION ? "union"
                                            : "enum";
}

/* What a pointer points to; NULL: that is not said. */
static const ist_layout *target_of(const ist_layout *type)
{
    bool is_pointer = type->kind == IST_LAYOUT_VALUE && type->type == IST_TYPE_ADDRESS;
    return is_pointer && !(type->flags & ISTI_LAYOUT_ENUM) ? type->of.target : NULL;
}

static const ist_layout *result_of(const ist_function *function)
{
    return function->result != NULL ? function->result : &isti_layout_void;
}

/* The type that stands in front of this one; NULL: it is a base type. */
static const ist_layout *inner_of(const isti_speller *speller, const ist_layout *type)
{
    if (speller->has_word(speller->context, type))
        return NULL;
    if (type->kind == IST_LAYOUT_SEQUENCE)
        return type->of.element;
    if (type->kind == IST_LAYOUT_FUNCTION)
        return result_of(type->of.function);
    return target_of(type);
}

const ist_layout *isti_spell_base(const isti_speller *speller, const ist_layout *type)
{
    for (const ist_layout *inner; (inner = inner_of(speller, type)) != NULL;)
        type = inner;
    return type;
}

/* Whether a pointer to this type needs parentheses around its star. */
static bool binds_tighter(const isti_speller *speller, const ist_layout *type)
{
    return inner_of(speller, type) != NULL && target_of(type) == NULL;
}

static void write_base(const isti_speller *speller, isti_writer *writer, const ist_layout *type)
{
    if (speller->has_word(speller->context, type)) {
        speller->write_word(speller->context, writer, type);
    } else if (isti_layout_is_group(type) || type->flags & ISTI_LAYOUT_ENUM) {
        isti_write_word(writer, isti_tag_keyword(type));
        if (type->name != NULL)
            isti_write_word(writer, type->name);
    } else if (type->kind == IST_LAYOUT_VECTOR) {
        isti_write_word(writer, isti_type_text(type->of.element->type));
        isti_write(writer, " __attribute__((vector_size(%zu)))", type->size);
    } else {
        isti_write_word(writer, type->kind == IST_LAYOUT_VOID      ? "void"
                                : type->kind == IST_LAYOUT_PADDING ? "char"
                                                                   : isti_type_text(type->type));
    }
}

/* Up to the name. */
static void write_before(const isti_speller *speller, isti_writer *writer, const ist_layout *type)
{
    const ist_layout *inner = inner_of(speller, type);
    if (inner == NULL) {
        write_base(speller, writer, type);
        return;
    }
    write_before(speller, writer, inner);
    if (target_of(type) != NULL)
        isti_write_word(writer, binds_tighter(speller, inner) ? "(*" : "*");
}

static void
write_parameters(const isti_speller *speller, isti_writer *writer, const ist_function *function)
{
    bool is_variadic = function->flags & IST_FUNCTION_VARIADIC;
    isti_speller inside = *speller;
    inside.is_inside = true;
    if (speller->is_brief && speller->is_inside) {
        isti_write(writer, "(..)");
        return;
    }
    isti_write(writer, "(");
    if (function->count == 0 && !is_variadic)
        isti_write(writer, "void");
    for (size_t i = 0; i < function->count; i++) {
        if (i == function->fixed_count && is_variadic)
            isti_write(writer, i == 0 ? "..., " : ", ...");
        isti_write(writer, i != 0 ? ", " : "");
        isti_spell(&inside, writer, function->parameters[i].layout, function->parameters[i].name);
    }
    if (is_variadic && function->fixed_count == function->count)
        isti_write(writer, function->count != 0 ? ", ..." : "...");
    isti_write(writer, ")");
}

static bool is_word_end(char c)
{
    return c != 0 && c != '*' && c != '(' && c != ')' && c != ']' && c != ' ';
}

static void write_count(isti_writer *writer, size_t count)
{
    if (count == IST_COUNT_OPEN)
        isti_write(writer, "[]");
    else
        isti_write(writer, "[%zu]", count);
}

/* Behind the name. */
static void write_after(const isti_speller *speller, isti_writer *writer, const ist_layout *type)
{
    for (const ist_layout *inner; (inner = inner_of(speller, type)) != NULL; type = inner) {
        if (type->kind == IST_LAYOUT_SEQUENCE)
            write_count(writer, type->count);
        else if (type->kind == IST_LAYOUT_FUNCTION)
            write_parameters(speller, writer, type->of.function);
        else if (binds_tighter(speller, inner))
            isti_write(writer, ")");
    }
    if (type->kind == IST_LAYOUT_PADDING)
        write_count(writer, type->size);
}

void isti_spell(const isti_speller *speller, isti_writer *writer, const ist_layout *type,
                const char *name)
{
    write_before(speller, writer, type);
    if (name != NULL)
        isti_write_word(writer, name);
    else if (is_word_end(writer->last) && inner_of(speller, type) != NULL &&
             target_of(type) == NULL)
        isti_write(writer, " ");
    write_after(speller, writer, type);
}

void isti_spell_function(const isti_speller *speller, isti_writer *writer,
                         const ist_function *function)
{
    const ist_layout type = { .kind = IST_LAYOUT_FUNCTION, .of.function = function };
    isti_spell(speller, writer, &type, function->name);
}
