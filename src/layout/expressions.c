/* SPDX-License-Identifier: MIT */
/*
 * Expressions (C11 6.5), as far as declarations use them: for the value of a constant, or for the type of
 * anything that `sizeof` and `typeof` ask about. Nothing is evaluated but constants; the address of a
 * member of an object at a constant address is one, since headers write offsetof() so.
 */
#include "base/size.h"
#include "layout/parser.h"

typedef struct operand {
    const ist_layout *type;
    bool is_known;       /* `value` is what it is worth; of a place: its address. */
    bool is_place;       /* An object, rather than a value. */
    bool is_bits;        /* A bit-field: it has no address and no size. */
    isti_constant value; /* An address counts as an unsigned long. */
} operand;

static bool parse_conditional(isti_parser *parser, operand *ret);
static bool parse_comma(isti_parser *parser, operand *ret);
static bool parse_cast(isti_parser *parser, operand *ret);

static operand known(isti_constant value)
{
    return (operand){ .type = ist_layout_of(value.type), .is_known = true, .value = value };
}

static operand unknown(const ist_layout *type)
{
    return (operand){ .type = type };
}

static bool is_arithmetic(const ist_layout *type)
{
    return type->kind == IST_LAYOUT_VALUE && isti_layout_is_complete(type) &&
           (isti_type_is_integer(type->type) || isti_type_is_floating(type->type));
}

static bool is_pointer(const ist_layout *type)
{
    return type->kind == IST_LAYOUT_VALUE && type->type == IST_TYPE_ADDRESS;
}

static bool refuse(isti_parser *parser, const isti_position *at)
{
    return isti_parser_fail(parser, at, "the operator does not go with its operand");
}

/* A computation that failed: an error, unless it would not be made. */
static bool settle(isti_parser *parser, const isti_position *at, const char *wrong, operand *result)
{
    if (wrong == NULL)
        return true;
    if (parser->unevaluated == 0)
        return isti_parser_fail(parser, at, "%s", wrong);
    result->value = isti_constant_int(result->value.type, 0);
    return true;
}

/* C11 6.3.2.1: an array is a pointer to its first element, a function one to it, a place what it holds. */
static bool decay(isti_parser *parser, const isti_position *at, operand *of)
{
    isti_problem problem = { IST_OK, "" };
    if (of->type->kind == IST_LAYOUT_SEQUENCE)
        isti_address_to(parser->keep, of->type->of.element, &of->type, &problem);
    else if (of->type->kind == IST_LAYOUT_FUNCTION)
        isti_address_to(parser->keep, of->type, &of->type, &problem);
    else if (of->is_place)
        of->is_known = false;
    of->is_place = of->is_bits = false;
    return isti_parser_blame(parser, at, &problem);
}

/* ---- Primary expressions ---- */

static bool parse_number(isti_parser *parser, operand *ret)
{
    isti_constant value;
    const char *wrong = parser->token.kind == ISTI_TOKEN_NUMBER
                            ? isti_constant_number(&parser->token, &value)
                            : isti_constant_character(&parser->token, &value);
    if (wrong != NULL)
        return isti_parser_fail(parser, &parser->token.at, "%s", wrong);
    isti_parser_advance(parser);
    *ret = known(value);
    return true;
}

/* Strings that follow each other are one (C11 5.1.1.2). */
static bool parse_string(isti_parser *parser, operand *ret)
{
    isti_position at = parser->token.at;
    isti_problem problem = { IST_OK, "" };
    ist_type type = IST_TYPE_CHAR;
    size_t length = 1;
    for (; parser->token.kind == ISTI_TOKEN_STRING; isti_parser_advance(parser)) {
        ist_type own;
        length += isti_string_length(&parser->token, &own);
        type = own != IST_TYPE_CHAR ? own : type;
    }
    *ret = (operand){ .is_place = true };
    isti_sequence(parser->keep, length, ist_layout_of(type), &ret->type, &problem);
    return isti_parser_blame(parser, &at, &problem);
}

static bool parse_name(isti_parser *parser, operand *ret)
{
    const isti_token *name = &parser->token;
    const isti_symbol *symbol = isti_names_find(parser->names, false, name->text, name->length);
    const isti_constant *standard =
        symbol == NULL ? isti_standard_constant(name->text, name->length) : NULL;
    if (standard != NULL)
        *ret = known(*standard);
    else if (symbol != NULL && symbol->kind == IST_DECLARED_CONSTANT)
        *ret = known(symbol->value);
    else if (symbol != NULL && symbol->kind != IST_DECLARED_TYPE)
        *ret = (operand){ .type = symbol->layout, .is_place = true };
    else
        return isti_parser_fail(parser, &name->at, "'%.*s' is not declared",
                                name->length < 40 ? (int)name->length : 40, name->text);
    isti_parser_advance(parser);
    return true;
}

/* ---- Members and elements ---- */

static bool select_member(isti_parser *parser, operand *object)
{
    isti_token name = parser->token;
    size_t bit_offset;
    if (!isti_layout_is_group(object->type) || !isti_layout_is_complete(object->type))
        return isti_parser_fail(parser, &name.at, "this is no struct or union that is defined");
    if (name.kind != ISTI_TOKEN_NAME)
        return isti_parser_expected(parser, "a member");
    const isti_member *member = isti_member_find(object->type, name.text, name.length, &bit_offset);
    if (member == NULL)
        return isti_parser_fail(parser, &name.at, "there is no member '%.*s'",
                                name.length < 40 ? (int)name.length : 40, name.text);
    object->type = member->layout;
    object->is_bits = isti_member_is_bits(member);
    object->is_known &= object->is_place;
    object->value.bits += bit_offset / 8;
    isti_parser_advance(parser);
    return true;
}

/* `object` is what the pointer, an operand, points to. */
static bool follow_pointer(isti_parser *parser, const isti_position *at, operand *object)
{
    if (!decay(parser, at, object))
        return false;
    if (!is_pointer(object->type))
        return isti_parser_fail(parser, at, "this is no pointer");
    object->type = object->type->of.target != NULL ? object->type->of.target : &isti_layout_void;
    object->is_place = true;
    object->is_bits = false;
    return true;
}

/* Adds `count` elements to a constant address of something of this type. */
static void move_address(operand *place, const isti_constant *count, int sign)
{
    size_t size = place->type->size;
    uint64_t distance = (uint64_t)count->bits * size;
    uint64_t address = (uint64_t)place->value.bits;
    place->value = isti_constant_int(
        IST_TYPE_ULONG, (__int128)(sign > 0 ? address + distance : address - distance));
}

static bool select_element(isti_parser *parser, const isti_position *at, operand *object)
{
    operand index;
    if (!follow_pointer(parser, at, object))
        return false;
    isti_position where = parser->token.at;
    if (!parse_comma(parser, &index) || !decay(parser, &where, &index) ||
        !isti_parser_expect(parser, ']'))
        return false;
    if (!is_arithmetic(index.type) || !isti_type_is_integer(index.type->type))
        return isti_parser_fail(parser, &where, "the index is no integer");
    object->is_known &= index.is_known;
    if (object->is_known)
        move_address(object, &index.value, 1);
    return true;
}

/* The result of a call, whose arguments are not looked at. */
static bool parse_call(isti_parser *parser, const isti_position *at, operand *object)
{
    const ist_layout *type = object->type;
    if (is_pointer(type) && type->of.target != NULL)
        type = type->of.target;
    if (type->kind != IST_LAYOUT_FUNCTION)
        return isti_parser_fail(parser, at, "this is no function");
    const ist_layout *result = type->of.function->result;
    *object = unknown(result != NULL ? result : &isti_layout_void);
    return isti_parser_skip_balanced(parser);
}

static bool parse_suffixes(isti_parser *parser, operand *object)
{
    for (;;) {
        isti_position at = parser->token.at;
        bool done;
        if (isti_parser_is(parser, '('))
            done = parse_call(parser, &at, object);
        else if (isti_parser_accept(parser, '['))
            done = select_element(parser, &at, object);
        else if (isti_parser_accept(parser, '.'))
            done = select_member(parser, object);
        else if (isti_parser_accept(parser, ISTI_MARK_ARROW))
            done = follow_pointer(parser, &at, object) && select_member(parser, object);
        else
            return parser->problem->status == IST_OK;
        if (!done)
            return false;
    }
}

/* `offsetof(type, member.element[2])`, behind the name. */
static bool parse_offset(isti_parser *parser, operand *ret)
{
    operand place = { .is_known = true,
                      .is_place = true,
                      .value = isti_constant_int(IST_TYPE_ULONG, 0) };
    isti_position at = parser->token.at;
    if (!isti_parser_expect(parser, '(') || !isti_parse_type_name(parser, &place.type) ||
        !isti_parser_expect(parser, ',') || !select_member(parser, &place) ||
        !parse_suffixes(parser, &place) || !isti_parser_expect(parser, ')'))
        return false;
    if (place.is_bits || !place.is_place)
        return isti_parser_fail(parser, &at, "a bit-field has no offset in bytes");
    *ret = known(isti_constant_int(IST_TYPE_ULONG, (__int128)place.value.bits));
    ret->is_known = place.is_known;
    return true;
}

static bool is_offset(const isti_parser *parser)
{
    const isti_token *name = &parser->token;
    if (isti_parser_is_keyword(parser, ISTI_KEYWORD_OFFSETOF))
        return true;
    return name->kind == ISTI_TOKEN_NAME && name->length == 8 &&
           __builtin_memcmp(name->text, "offsetof", 8) == 0 &&
           isti_names_find(parser->names, false, name->text, name->length) == NULL;
}

static bool parse_primary(isti_parser *parser, operand *ret)
{
    if (is_offset(parser)) {
        isti_parser_advance(parser);
        return parse_offset(parser, ret);
    }
    switch (parser->token.kind) {
    case ISTI_TOKEN_NUMBER:
    case ISTI_TOKEN_CHARACTER:
        return parse_number(parser, ret);
    case ISTI_TOKEN_STRING:
        return parse_string(parser, ret);
    case ISTI_TOKEN_NAME:
        return parse_name(parser, ret);
    default:
        break;
    }
    if (!isti_parser_accept(parser, '('))
        return isti_parser_expected(parser, "an expression");
    return parse_comma(parser, ret) && isti_parser_expect(parser, ')');
}

/* ---- Unary expressions ---- */

/* `(type) { ... }`, behind the parenthesis: an object. */
static bool parse_compound(isti_parser *parser, const ist_layout *type, operand *ret)
{
    *ret = (operand){ .type = type, .is_place = true };
    return isti_parser_skip_balanced(parser) && parse_suffixes(parser, ret);
}

/* The operand of sizeof and _Alignof: a type in parentheses, or an expression. */
static bool parse_asked(isti_parser *parser, operand *ret)
{
    isti_token ahead = isti_parser_ahead(parser);
    if (!isti_parser_is(parser, '(') || !isti_parser_is_type(parser, &ahead)) {
        parser->unevaluated++;
        bool done = parse_cast(parser, ret);
        parser->unevaluated--;
        return done;
    }
    isti_parser_advance(parser);
    *ret = (operand){ .is_place = true };
    if (!isti_parse_type_name(parser, &ret->type) || !isti_parser_expect(parser, ')'))
        return false;
    return !isti_parser_is(parser, '{') || parse_compound(parser, ret->type, ret);
}

static bool parse_size(isti_parser *parser, bool of_alignment, operand *ret)
{
    operand asked;
    isti_parser_advance(parser);
    isti_position at = parser->token.at;
    if (!parse_asked(parser, &asked))
        return false;
    /* GCC: void and functions have the size 1. */
    bool has_none = asked.type->kind == IST_LAYOUT_VOID || asked.type->kind == IST_LAYOUT_FUNCTION;
    bool is_open = asked.type->kind == IST_LAYOUT_SEQUENCE && asked.type->count == IST_COUNT_OPEN;
    if (!has_none && (!isti_layout_is_complete(asked.type) || (is_open && !of_alignment)))
        return isti_parser_fail(parser, &at, "the type is not complete: it has no size");
    if (asked.is_bits)
        return isti_parser_fail(parser, &at, "a bit-field has no size in bytes");
    size_t value = has_none ? 1 : of_alignment ? asked.type->alignment : asked.type->size;
    *ret = known(isti_constant_int(IST_TYPE_ULONG, (__int128)value));
    return true;
}

static bool parse_address(isti_parser *parser, const isti_position *at, operand *ret)
{
    isti_problem problem = { IST_OK, "" };
    if (!parse_cast(parser, ret))
        return false;
    if (!ret->is_place || ret->is_bits)
        return refuse(parser, at);
    isti_address_to(parser->keep, ret->type, &ret->type, &problem);
    ret->is_place = false;
    return isti_parser_blame(parser, at, &problem);
}

static bool
parse_arithmetic_unary(isti_parser *parser, int mark, const isti_position *at, operand *ret)
{
    operand of;
    if (!parse_cast(parser, &of) || !decay(parser, at, &of))
        return false;
    if (mark == '!' && is_pointer(of.type)) {
        *ret = known(isti_constant_int(IST_TYPE_INT, of.value.bits == 0));
        ret->is_known = of.is_known;
        return true;
    }
    if (!is_arithmetic(of.type) || (mark == '~' && isti_type_is_floating(of.type->type)))
        return refuse(parser, at);
    *ret = unknown(ist_layout_of(mark == '!' ? IST_TYPE_INT : isti_type_promoted(of.type->type)));
    if (!of.is_known)
        return true;
    const char *wrong = isti_constant_unary(mark, &of.value, &ret->value);
    ret->is_known = true;
    return settle(parser, at, wrong, ret);
}

static bool parse_unary(isti_parser *parser, operand *ret)
{
    isti_position at = parser->token.at;
    int mark = parser->token.kind == ISTI_TOKEN_MARK ? parser->token.what : 0;
    switch (mark) {
    case '+':
    case '-':
    case '~':
    case '!':
        isti_parser_advance(parser);
        return parse_arithmetic_unary(parser, mark, &at, ret);
    case '&':
        isti_parser_advance(parser);
        return parse_address(parser, &at, ret);
    case '*':
        isti_parser_advance(parser);
        return parse_cast(parser, ret) && follow_pointer(parser, &at, ret);
    default:
        break;
    }
    if (isti_parser_is_keyword(parser, ISTI_KEYWORD_SIZEOF))
        return parse_size(parser, false, ret);
    if (isti_parser_is_keyword(parser, ISTI_KEYWORD_ALIGNOF))
        return parse_size(parser, true, ret);
    if (isti_parser_is_keyword(parser, ISTI_KEYWORD_EXTENSION)) {
        isti_parser_advance(parser);
        return parse_cast(parser, ret);
    }
    return parse_primary(parser, ret) && parse_suffixes(parser, ret);
}

/* ---- Casts ---- */

static bool
convert(isti_parser *parser, const isti_position *at, const ist_layout *type, operand *of)
{
    if (!decay(parser, at, of))
        return false;
    bool from_scalar = is_arithmetic(of->type) || is_pointer(of->type);
    if (type->kind == IST_LAYOUT_VOID || !isti_layout_is_complete(type) || !from_scalar ||
        !(is_arithmetic(type) || is_pointer(type))) {
        *of = unknown(type);
        return true;
    }
    of->type = type;
    if (of->is_known)
        of->value =
            isti_constant_convert(&of->value, is_pointer(type) ? IST_TYPE_ULONG : type->type);
    return true;
}

static bool parse_cast_of_type(isti_parser *parser, operand *ret)
{
    const ist_layout *type;
    isti_position at = parser->token.at;
    isti_parser_advance(parser);
    if (!isti_parse_type_name(parser, &type) || !isti_parser_expect(parser, ')'))
        return false;
    if (isti_parser_is(parser, '{'))
        return parse_compound(parser, type, ret);
    return parse_cast(parser, ret) && convert(parser, &at, type, ret);
}

static bool parse_cast(isti_parser *parser, operand *ret)
{
    if (!isti_parser_enter(parser))
        return false;
    bool is_cast = false;
    if (isti_parser_is(parser, '(')) {
        isti_token ahead = isti_parser_ahead(parser);
        is_cast = isti_parser_is_type(parser, &ahead) && ahead.what != ISTI_KEYWORD_EXTENSION;
    }
    bool done = is_cast ? parse_cast_of_type(parser, ret) : parse_unary(parser, ret);
    isti_parser_leave(parser);
    return done;
}

/* ---- Binary expressions ---- */

/* How strongly an operator binds; 0: it is none. */
static int strength_of(const isti_token *token)
{
    if (token->kind != ISTI_TOKEN_MARK)
        return 0;
    switch (token->what) {
    case ISTI_MARK_OR:
        return 1;
    case ISTI_MARK_AND:
        return 2;
    case '|':
        return 3;
    case '^':
        return 4;
    case '&':
        return 5;
    case ISTI_MARK_EQUAL:
    case ISTI_MARK_NOT_EQUAL:
        return 6;
    case '<':
    case '>':
    case ISTI_MARK_NOT_ABOVE:
    case ISTI_MARK_NOT_BELOW:
        return 7;
    case ISTI_MARK_LEFT:
    case ISTI_MARK_RIGHT:
        return 8;
    case '+':
    case '-':
        return 9;
    case '*':
    case '/':
    case '%':
        return 10;
    default:
        return 0;
    }
}

static bool gives_truth(int mark)
{
    return mark == ISTI_MARK_OR || mark == ISTI_MARK_AND || mark == ISTI_MARK_EQUAL ||
           mark == ISTI_MARK_NOT_EQUAL || mark == '<' || mark == '>' ||
           mark == ISTI_MARK_NOT_ABOVE || mark == ISTI_MARK_NOT_BELOW;
}

/* A pointer and an integer, or two pointers. */
static bool combine_pointers(isti_parser *parser, int mark, const isti_position *at, operand *a,
                             operand *b, operand *ret)
{
    bool is_known = a->is_known && b->is_known;
    if (gives_truth(mark)) {
        const char *wrong = isti_constant_binary(mark, &a->value, &b->value, &ret->value);
        *ret = known(is_known && wrong == NULL ? ret->value : isti_constant_int(IST_TYPE_INT, 0));
        ret->is_known = is_known;
        return true;
    }
    if (mark == '-' && is_pointer(a->type) && is_pointer(b->type)) {
        size_t size = a->type->of.target != NULL && a->type->of.target->size != 0
                          ? a->type->of.target->size
                          : 1;
        int64_t distance = (int64_t)((uint64_t)a->value.bits - (uint64_t)b->value.bits);
        *ret = known(isti_constant_int(IST_TYPE_LONG, distance / (int64_t)size));
        ret->is_known = is_known;
        return true;
    }
    operand *pointer = is_pointer(a->type) ? a : b, *count = pointer == a ? b : a;
    if ((mark != '+' && !(mark == '-' && pointer == a)) || !is_arithmetic(count->type) ||
        !isti_type_is_integer(count->type->type))
        return refuse(parser, at);
    *ret = *pointer;
    ret->is_known = is_known;
    if (is_known) {
        operand place = *pointer;
        place.type = pointer->type->of.target != NULL && pointer->type->of.target->size != 0
                         ? pointer->type->of.target
                         : ist_layout_of(IST_TYPE_CHAR);
        move_address(&place, &count->value, mark == '+' ? 1 : -1);
        ret->value = place.value;
    }
    return true;
}

/* C11 6.5.13p4: what the first operand decides does not wait for the second. */
static bool is_decided(int mark, const operand *a)
{
    if (!a->is_known || a->is_place)
        return false;
    return (mark == ISTI_MARK_AND && isti_constant_is_zero(&a->value)) ||
           (mark == ISTI_MARK_OR && !isti_constant_is_zero(&a->value));
}

static bool combine(isti_parser *parser, int mark, const isti_position *at, operand *a, operand *b,
                    operand *ret)
{
    if (!decay(parser, at, a) || !decay(parser, at, b))
        return false;
    bool of_pointers = is_pointer(a->type) || is_pointer(b->type);
    if (!(is_arithmetic(a->type) || is_pointer(a->type)) ||
        !(is_arithmetic(b->type) || is_pointer(b->type)))
        return refuse(parser, at);
    if (of_pointers)
        return combine_pointers(parser, mark, at, a, b, ret);
    bool is_shift = mark == ISTI_MARK_LEFT || mark == ISTI_MARK_RIGHT;
    ist_type type = gives_truth(mark) ? IST_TYPE_INT
                    : is_shift        ? isti_type_promoted(a->type->type)
                                      : isti_type_common(a->type->type, b->type->type);
    *ret = unknown(ist_layout_of(type));
    if (is_decided(mark, a)) {
        *ret = known(isti_constant_int(IST_TYPE_INT, mark == ISTI_MARK_OR));
        return true;
    }
    if (!a->is_known || !b->is_known)
        return true;
    ret->is_known = true;
    return settle(parser, at, isti_constant_binary(mark, &a->value, &b->value, &ret->value), ret);
}

/* Operators that bind more strongly than `weakest`. */
static bool parse_binary(isti_parser *parser, int weakest, operand *ret)
{
    if (!parse_cast(parser, ret))
        return false;
    for (;;) {
        int mark = parser->token.what, strength = strength_of(&parser->token);
        isti_position at = parser->token.at;
        operand a = *ret, b;
        if (strength == 0 || strength <= weakest)
            return parser->problem->status == IST_OK;
        isti_parser_advance(parser);
        bool decided = is_decided(mark, &a);
        if (!isti_parser_enter(parser))
            return false;
        parser->unevaluated += decided;
        bool done = parse_binary(parser, strength, &b);
        parser->unevaluated -= decided;
        isti_parser_leave(parser);
        if (!done || !combine(parser, mark, &at, &a, &b, ret))
            return false;
    }
}

/* ---- Conditional expressions ---- */

/* The type of both branches, and the value of the one that is chosen. */
static bool choose(isti_parser *parser, const isti_position *at, const operand *condition,
                   operand *yes, operand *no, operand *ret)
{
    if (!decay(parser, at, yes) || !decay(parser, at, no))
        return false;
    bool is_true = condition->is_known && !isti_constant_is_zero(&condition->value);
    operand chosen = is_true ? *yes : *no;
    chosen.is_known &= condition->is_known;
    if (is_arithmetic(yes->type) && is_arithmetic(no->type)) {
        *ret = chosen;
        return convert(parser, at, ist_layout_of(isti_type_common(yes->type->type, no->type->type)),
                       ret);
    }
    *ret = chosen;
    ret->type = is_pointer(yes->type) || !is_pointer(no->type) ? yes->type : no->type;
    return true;
}

/* Behind the question mark. */
static bool
parse_branches(isti_parser *parser, const isti_position *at, operand *condition, operand *ret)
{
    operand yes = *condition, no;
    if (!decay(parser, at, condition))
        return false;
    bool is_true = condition->is_known && !isti_constant_is_zero(&condition->value);
    bool is_false = condition->is_known && !is_true;
    bool done = true;
    if (!isti_parser_is(parser, ':')) { /* GCC: without it the condition is the value. */
        parser->unevaluated += is_false;
        done = parse_comma(parser, &yes);
        parser->unevaluated -= is_false;
    }
    if (!done || !isti_parser_expect(parser, ':'))
        return false;
    parser->unevaluated += is_true;
    done = parse_conditional(parser, &no);
    parser->unevaluated -= is_true;
    return done && choose(parser, at, condition, &yes, &no, ret);
}

static bool parse_conditional(isti_parser *parser, operand *ret)
{
    if (!isti_parser_enter(parser))
        return false;
    bool done = parse_binary(parser, 0, ret);
    isti_position at = parser->token.at;
    if (done && isti_parser_accept(parser, '?')) {
        operand condition = *ret;
        done = parse_branches(parser, &at, &condition, ret);
    }
    isti_parser_leave(parser);
    return done;
}

static bool parse_comma(isti_parser *parser, operand *ret)
{
    if (!parse_conditional(parser, ret))
        return false;
    while (isti_parser_accept(parser, ',')) {
        if (!parse_conditional(parser, ret))
            return false;
        ret->is_known = false;
    }
    return true;
}

/* ---- What declarations ask for ---- */

bool isti_parse_constant(isti_parser *parser, isti_constant *ret)
{
    operand result;
    isti_position at = parser->token.at;
    if (!parse_conditional(parser, &result) || !decay(parser, &at, &result))
        return false;
    if (!result.is_known || !is_arithmetic(result.type) || !isti_type_is_integer(result.type->type))
        return isti_parser_fail(parser, &at, "expected an integer constant");
    *ret = result.value;
    return true;
}

static bool check_count(isti_parser *parser, const isti_position *at, const char *what,
                        const isti_constant *value, size_t *ret)
{
    if (isti_constant_is_negative(value))
        return isti_parser_fail(parser, at, "%s is negative", what);
    *ret = value->bits <= SIZE_MAX - 1 ? (size_t)value->bits : SIZE_MAX - 1;
    return true;
}

bool isti_parse_count(isti_parser *parser, const char *what, size_t *ret)
{
    isti_constant value;
    isti_position at = parser->token.at;
    return isti_parse_constant(parser, &value) && check_count(parser, &at, what, &value, ret);
}

bool isti_parse_variable_count(isti_parser *parser, size_t *ret, bool *ret_variable)
{
    operand result;
    isti_position at = parser->token.at;
    if (!parse_conditional(parser, &result) || !decay(parser, &at, &result))
        return false;
    if (!is_arithmetic(result.type) || !isti_type_is_integer(result.type->type))
        return isti_parser_fail(parser, &at, "the count is no integer");
    *ret_variable = !result.is_known;
    return *ret_variable || check_count(parser, &at, "a count", &result.value, ret);
}

bool isti_parse_type_of(isti_parser *parser, const ist_layout **ret)
{
    operand result;
    parser->unevaluated++;
    bool done = parse_comma(parser, &result);
    parser->unevaluated--;
    if (done)
        *ret = result.type;
    return done;
}
