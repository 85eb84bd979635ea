/* SPDX-License-Identifier: MIT */
/*
 * __attribute__((...)), _Alignas and asm labels. What changes a layout is obeyed, or refused where that
 * is not possible; all other attributes are skipped with what stands in their parentheses.
 */
#include <string.h>

#include "base/size.h"
#include "layout/parser.h"

/* What __attribute__((aligned)) stands for: __BIGGEST_ALIGNMENT__ on x86-64 and AArch64. */
#define BIGGEST_ALIGNMENT 16

typedef enum attribute {
    ATTRIBUTE_OTHER,
    ATTRIBUTE_ALIGNED,
    ATTRIBUTE_MODE,
    ATTRIBUTE_PACKED,
    ATTRIBUTE_REFUSED,
    ATTRIBUTE_TRANSPARENT,
    ATTRIBUTE_VECTOR
} attribute;

static const struct {
    const char *name;
    attribute attribute;
} attribute_names[] = {
    { "aligned", ATTRIBUTE_ALIGNED },
    { "mode", ATTRIBUTE_MODE },
    { "packed", ATTRIBUTE_PACKED },
    { "transparent_union", ATTRIBUTE_TRANSPARENT },
    { "vector_size", ATTRIBUTE_VECTOR },
    /* These change layouts or calls. */
    { "ext_vector_type", ATTRIBUTE_REFUSED },
    { "ms_abi", ATTRIBUTE_REFUSED },
    { "ms_struct", ATTRIBUTE_REFUSED },
    { "neon_vector_type", ATTRIBUTE_REFUSED },
    { "scalar_storage_order", ATTRIBUTE_REFUSED },
};

/* Takes the underscores off `__packed__`. */
static isti_token bare(isti_token name)
{
    if (name.length > 4 && memcmp(name.text, "__", 2) == 0 &&
        memcmp(name.text + name.length - 2, "__", 2) == 0) {
        name.text += 2;
        name.length -= 4;
    }
    return name;
}

static bool is_text(const isti_token *token, const char *text)
{
    return strlen(text) == token->length && memcmp(token->text, text, token->length) == 0;
}

static attribute attribute_of(const isti_token *name)
{
    for (size_t i = 0; i < sizeof attribute_names / sizeof attribute_names[0]; i++) {
        if (is_text(name, attribute_names[i].name))
            return attribute_names[i].attribute;
    }
    return ATTRIBUTE_OTHER;
}

static bool require_alignment(isti_parser *parser, const isti_position *at, size_t alignment)
{
    if (isti_is_power_of_two(alignment) && alignment <= (size_t)1 << 28)
        return true;
    return isti_parser_fail(parser, at, "the alignment %zu is not a power of two, or too large",
                            alignment);
}

static bool parse_aligned(isti_parser *parser, isti_attributes *attributes)
{
    isti_position at = parser->token.at;
    size_t alignment = BIGGEST_ALIGNMENT;
    if (isti_parser_accept(parser, '(') &&
        !(isti_parse_count(parser, "an alignment", &alignment) && isti_parser_expect(parser, ')')))
        return false;
    if (!require_alignment(parser, &at, alignment))
        return false;
    if (attributes->alignment < alignment)
        attributes->alignment = alignment;
    return true;
}

static bool parse_vector_size(isti_parser *parser, isti_attributes *attributes)
{
    return isti_parser_expect(parser, '(') &&
           isti_parse_count(parser, "a size", &attributes->vector_size) &&
           isti_parser_expect(parser, ')');
}

/* GCC's machine modes; psABI x86-64 and AAPCS64 agree on them. */
static const struct {
    const char *name;
    unsigned size;
    isti_class class;
} modes[] = {
    { "QI", 1, ISTI_CLASS_SIGNED },      { "byte", 1, ISTI_CLASS_SIGNED },
    { "HI", 2, ISTI_CLASS_SIGNED },      { "SI", 4, ISTI_CLASS_SIGNED },
    { "DI", 8, ISTI_CLASS_SIGNED },      { "word", 8, ISTI_CLASS_SIGNED },
    { "pointer", 8, ISTI_CLASS_SIGNED }, { "unwind_word", 8, ISTI_CLASS_SIGNED },
    { "TI", 16, ISTI_CLASS_SIGNED },     { "HF", 2, ISTI_CLASS_FLOAT },
    { "SF", 4, ISTI_CLASS_FLOAT },       { "DF", 8, ISTI_CLASS_FLOAT },
    { "XF", 10, ISTI_CLASS_FLOAT },      { "TF", 16, ISTI_CLASS_FLOAT },
    { "SC", 8, ISTI_CLASS_COMPLEX },     { "DC", 16, ISTI_CLASS_COMPLEX },
    { "XC", 20, ISTI_CLASS_COMPLEX },    { "TC", 32, ISTI_CLASS_COMPLEX },
};

static bool parse_mode(isti_parser *parser, isti_attributes *attributes)
{
    if (!isti_parser_expect(parser, '('))
        return false;
    isti_token name = bare(parser->token);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (!is_text(&name, modes[i].name))
            continue;
        attributes->mode_size = modes[i].size;
        attributes->mode_class = modes[i].class;
        isti_parser_advance(parser);
        return isti_parser_expect(parser, ')');
    }
    return isti_parser_expected(parser, "a mode");
}

static bool parse_attribute(isti_parser *parser, isti_attributes *attributes)
{
    if (parser->token.kind != ISTI_TOKEN_NAME && parser->token.kind != ISTI_TOKEN_KEYWORD)
        return isti_parser_expected(parser, "an attribute");
    isti_token name = bare(parser->token);
    isti_position at = parser->token.at;
    isti_parser_advance(parser);
    switch (attribute_of(&name)) {
    case ATTRIBUTE_ALIGNED:
        return parse_aligned(parser, attributes);
    case ATTRIBUTE_VECTOR:
        return parse_vector_size(parser, attributes);
    case ATTRIBUTE_MODE:
        return parse_mode(parser, attributes);
    case ATTRIBUTE_PACKED:
        attributes->packed = true;
        return true;
    case ATTRIBUTE_TRANSPARENT:
        attributes->transparent_union = true;
        return true;
    case ATTRIBUTE_REFUSED:
        return isti_parser_fail(parser, &at, "the attribute '%.*s' is not supported",
                                (int)name.length, name.text);
    default:
        return !isti_parser_is(parser, '(') || isti_parser_skip_balanced(parser);
    }
}

/* Between the double parentheses; entries may be empty. */
static bool parse_list(isti_parser *parser, isti_attributes *attributes)
{
    while (!isti_parser_is(parser, ')')) {
        if (isti_parser_accept(parser, ','))
            continue;
        if (!parse_attribute(parser, attributes))
            return false;
        if (!isti_parser_is(parser, ')') && !isti_parser_expect(parser, ','))
            return false;
    }
    return true;
}

bool isti_parse_attributes(isti_parser *parser, isti_attributes *attributes)
{
    while (isti_parser_is_keyword(parser, ISTI_KEYWORD_ATTRIBUTE)) {
        isti_parser_advance(parser);
        if (!isti_parser_enter(parser))
            return false;
        bool done = isti_parser_expect(parser, '(') && isti_parser_expect(parser, '(') &&
                    parse_list(parser, attributes) && isti_parser_expect(parser, ')') &&
                    isti_parser_expect(parser, ')');
        isti_parser_leave(parser);
        if (!done)
            return false;
    }
    return parser->problem->status == IST_OK;
}

bool isti_parse_alignas(isti_parser *parser, isti_attributes *attributes)
{
    const ist_layout *type;
    size_t alignment = 0;
    isti_parser_advance(parser);
    if (!isti_parser_expect(parser, '('))
        return false;
    isti_position at = parser->token.at;
    if (isti_parser_is_type(parser, &parser->token)) {
        if (!isti_parse_type_name(parser, &type))
            return false;
        alignment = type->alignment;
    } else if (!isti_parse_count(parser, "an alignment", &alignment)) {
        return false;
    }
    if (alignment != 0 && !require_alignment(parser, &at, alignment))
        return false;
    if (attributes->alignment_as < alignment)
        attributes->alignment_as = alignment;
    return isti_parser_expect(parser, ')');
}

bool isti_parse_asm(isti_parser *parser)
{
    if (!isti_parser_is_keyword(parser, ISTI_KEYWORD_ASM))
        return parser->problem->status == IST_OK;
    isti_parser_advance(parser);
    while (isti_parser_is_keyword(parser, ISTI_KEYWORD_QUALIFIER))
        isti_parser_advance(parser);
    return isti_parser_is(parser, '(') ? isti_parser_skip_balanced(parser)
                                       : isti_parser_expected(parser, "'('");
}

void isti_attributes_add(isti_attributes *to, const isti_attributes *more)
{
    to->packed |= more->packed;
    to->transparent_union |= more->transparent_union;
    if (to->alignment < more->alignment)
        to->alignment = more->alignment;
    if (to->alignment_as < more->alignment_as)
        to->alignment_as = more->alignment_as;
    if (more->vector_size != 0)
        to->vector_size = more->vector_size;
    if (more->mode_size != 0) {
        to->mode_size = more->mode_size;
        to->mode_class = more->mode_class;
    }
}

/* ---- Types with attributes ---- */

/* The type of a mode; of integers the sign stays. */
static ist_type type_of_mode(const isti_attributes *attributes, bool is_unsigned)
{
    static const ist_type integers[][2] = { { IST_TYPE_SCHAR, IST_TYPE_UCHAR },
                                            { IST_TYPE_SHORT, IST_TYPE_USHORT },
                                            { IST_TYPE_INT, IST_TYPE_UINT },
                                            { IST_TYPE_LONG, IST_TYPE_ULONG },
                                            { IST_TYPE_INT128, IST_TYPE_UINT128 } };
    if (attributes->mode_class == ISTI_CLASS_SIGNED)
        return integers[__builtin_ctz(attributes->mode_size)][is_unsigned];
    switch (attributes->mode_size) {
    case 2:
        return IST_TYPE_FLOAT16;
    case 4:
        return IST_TYPE_FLOAT;
    case 8:
        return attributes->mode_class == ISTI_CLASS_FLOAT ? IST_TYPE_DOUBLE
                                                          : IST_TYPE_COMPLEX_FLOAT;
    case 10:
        return IST_TYPE_LONG_DOUBLE;
    case 16:
        return attributes->mode_class == ISTI_CLASS_FLOAT ? IST_TYPE_FLOAT128
                                                          : IST_TYPE_COMPLEX_DOUBLE;
    case 20:
        return IST_TYPE_COMPLEX_LONG_DOUBLE;
    default:
        return IST_TYPE_COMPLEX_FLOAT128;
    }
}

static bool apply_mode(isti_parser *parser, const isti_attributes *attributes,
                       const isti_position *at, const ist_layout **type)
{
    isti_class had = isti_layout_is_complete(*type) && (*type)->kind == IST_LAYOUT_VALUE
                         ? isti_type_class((*type)->type)
                         : ISTI_CLASS_NONE;
    bool is_integer = had == ISTI_CLASS_SIGNED || had == ISTI_CLASS_UNSIGNED;
    if (is_integer != (attributes->mode_class == ISTI_CLASS_SIGNED) ||
        (!is_integer && had != attributes->mode_class))
        return isti_parser_fail(parser, at, "the mode does not go with the type");
    ist_type mode = type_of_mode(attributes, had == ISTI_CLASS_UNSIGNED);
    if (!((*type)->flags & ISTI_LAYOUT_ENUM)) {
        *type = ist_layout_of(mode);
        return true;
    }
    isti_problem problem = { IST_OK, "" };
    isti_enum(parser->keep, (*type)->name, ist_layout_of(mode), (*type)->of.enumerators,
              (*type)->count, type, &problem);
    return isti_parser_blame(parser, at, &problem);
}

static bool apply_vector_size(isti_parser *parser, const isti_attributes *attributes,
                              const isti_position *at, const ist_layout **type)
{
    isti_problem problem = { IST_OK, "" };
    size_t element = (*type)->size;
    if (element == 0 || attributes->vector_size % element != 0)
        return isti_parser_fail(parser, at, "a vector of %zu bytes has no whole number of elements",
                                attributes->vector_size);
    isti_vector(parser->keep, *type, attributes->vector_size / element, type, &problem);
    return isti_parser_blame(parser, at, &problem);
}

bool isti_attributes_apply(isti_parser *parser, const isti_attributes *attributes,
                           const isti_position *at, const ist_layout **type)
{
    if (attributes->mode_size != 0 && !apply_mode(parser, attributes, at, type))
        return false;
    return attributes->vector_size == 0 || apply_vector_size(parser, attributes, at, type);
}

bool isti_align_type(isti_parser *parser, size_t alignment, const isti_position *at,
                     const ist_layout **type)
{
    if (alignment == 0 || (isti_layout_is_complete(*type) && (*type)->alignment == alignment))
        return true;
    isti_problem problem = { IST_OK, "" };
    isti_realign(parser->keep, *type, alignment, type, &problem);
    return isti_parser_blame(parser, at, &problem);
}
