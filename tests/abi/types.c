/* SPDX-License-Identifier: MIT */
/* Random types; see the header. All memory is of the global arena, which has it to the end. */
#include "abi/types.h"

#define MEMBERS_MAX 6

static uint64_t below(test_types *types, uint64_t bound)
{
    return test_random_below(&types->random, bound);
}

static bool one_in(test_types *types, uint64_t bound)
{
    return below(types, bound) == 0;
}

static ist_arena arena(void)
{
    return ist_arena_global();
}

static uint8_t *new_mask(size_t size, uint8_t value)
{
    ist_segment mask;
    expect_ok(ist_arena_allocate(arena(), size + 1, 1, &mask));
    memset(mask.address, value, size);
    return mask.address;
}

void test_types_begin(test_types *types)
{
    fputs("#pragma GCC diagnostic ignored \"-Wpragmas\"\n"
          "typedef __float128 float128;\n"
          "#ifdef __clang__\ntypedef _Complex __float128 complex128;\n"
          "#else\ntypedef _Complex _Float128 complex128;\n#endif\n",
          types->text);
}

void test_types_next(test_types *types)
{
    types->bits = types->gcc || one_in(types, 2);
    types->loose = types->gcc || !types->bits;
}

/* ---- Scalars and vectors ---- */

static const char *scalar_name(ist_type type)
{
    switch (type) {
    case IST_TYPE_FLOAT128:
        return "float128";
    case IST_TYPE_COMPLEX_FLOAT128:
        return "complex128";
    case IST_TYPE_ADDRESS:
        return "void *";
    default:
        return isti_type_text(type);
    }
}

/* The bytes behind the 80 bits of x87 mean nothing. */
static void mask_long_double(uint8_t *mask, size_t size)
{
    for (size_t i = 0; i < size; i += 16)
        memset(mask + i + 10, 0, 6);
}

test_type test_type_scalar(test_types *types, ist_type type)
{
    (void)types;
    test_type made = { .layout = ist_layout_of(type) };
    snprintf(made.name, sizeof made.name, "%s", scalar_name(type));
    made.mask = new_mask(made.layout->size, type == IST_TYPE_BOOL ? 1 : 0xff);
    if (type == IST_TYPE_LONG_DOUBLE || type == IST_TYPE_COMPLEX_LONG_DOUBLE)
        mask_long_double(made.mask, made.layout->size);
    return made;
}

static bool has_type(const test_types *types, ist_type type)
{
    if (type == IST_TYPE_FLOAT16)
        return types->half;
    if (type == IST_TYPE_BFLOAT16)
        return types->bfloat;
    /* Clang before 18 aligns __int128 on the stack as a long; before 16 it has groups of a _Float128 in memory. */
    return types->gcc || (type != IST_TYPE_INT128 && type != IST_TYPE_UINT128 && type != IST_TYPE_FLOAT128);
}

static ist_type random_scalar(test_types *types)
{
    /* What there is most of, most often. */
    static const ist_type frequent[] = { IST_TYPE_INT,   IST_TYPE_FLOAT, IST_TYPE_DOUBLE, IST_TYPE_LONG,
                                         IST_TYPE_SHORT, IST_TYPE_CHAR,  IST_TYPE_FLOAT,  IST_TYPE_ADDRESS };
    if (one_in(types, 2))
        return frequent[below(types, sizeof frequent / sizeof frequent[0])];
    ist_type type;
    do
        type = (ist_type)(1 + below(types, IST_TYPE_ADDRESS));
    while (!has_type(types, type));
    return type;
}

static void name_next(test_types *types, test_type *made)
{
    snprintf(made->name, sizeof made->name, "t%u", types->made++);
}

static bool is_vector(const test_types *types, ist_type type, size_t size)
{
    isti_class class = isti_type_class(type);
    size_t element = ist_layout_of(type)->size;
    /* GCC 12 forgets half of the one __int128 in a struct. */
    if (element == 16 && size == 16 && type != IST_TYPE_FLOAT128)
        return false;
    if (class == ISTI_CLASS_BOOL || class == ISTI_CLASS_COMPLEX || class == ISTI_CLASS_ADDRESS ||
        type == IST_TYPE_LONG_DOUBLE || element > size || !has_type(types, type))
        return false;
    return types->gcc || (type != IST_TYPE_FLOAT128 && (type != IST_TYPE_DOUBLE || size > element));
}

static test_type random_vector(test_types *types)
{
    size_t size;
    ist_type type;
    do
        size = (size_t)8 << below(types, 4);
    while (size > types->vector_max);
    do
        type = (ist_type)(1 + below(types, IST_TYPE_ADDRESS));
    while (!is_vector(types, type, size));
    test_type made = { .mask = new_mask(size, 0xff) };
    name_next(types, &made);
    fprintf(types->text, "typedef %s %s __attribute__((vector_size(%zu)));\n", scalar_name(type), made.name, size);
    expect_ok(ist_layout_vector(arena(), ist_layout_of(type), size / ist_layout_of(type)->size, &made.layout));
    return made;
}

/* ---- Typedefs with an alignment, and arrays ---- */

/* GCC looks for scalars that are misaligned, Clang for anything that is misaligned by its attributes. */
static bool may_align(const test_types *types)
{
    return types->gcc || !types->loose;
}

static size_t random_alignment(test_types *types)
{
    return (size_t)1 << below(types, one_in(types, 4) ? 8 : 5);
}

/* GCC takes an alignment of a typedef as it is; of a group it must not be below that of a member to be told. */
static test_type realigned(test_types *types, test_type of)
{
    size_t alignment = random_alignment(types);
    if (alignment < of.layout->alignment && (isti_layout_is_group(of.layout) || !types->gcc))
        return of;
    test_type made = { .mask = of.mask };
    name_next(types, &made);
    fprintf(types->text, "typedef %s %s __attribute__((aligned(%zu)));\n", of.name, made.name, alignment);
    expect_ok(ist_layout_with_alignment(arena(), of.layout, alignment, &made.layout));
    return made;
}

/*
 * GCC takes the classes of an array from its first element, Clang from all; these are the same for both. Of elements
 * of no size Clang divides by 0.
 */
static bool is_element(const test_types *types, const ist_layout *layout)
{
    if (layout->size % layout->alignment != 0 || layout->flags & ISTI_LAYOUT_OPEN)
        return false;
    return types->gcc || (layout->size > 0 && (!isti_layout_is_group(layout) || layout->size % 8 == 0));
}

static test_type random_array(test_types *types, test_type element)
{
    static const size_t counts[] = { 1, 2, 2, 3, 3, 4, 5, 7, 8, 16, 17 };
    size_t count = counts[below(types, sizeof counts / sizeof counts[0])];
    if (types->gcc && one_in(types, 12))
        count = 0;
    test_type made = { .mask = new_mask(count * element.layout->size, 0) };
    for (size_t i = 0; i < count; i++)
        memcpy(made.mask + i * element.layout->size, element.mask, element.layout->size);
    name_next(types, &made);
    fprintf(types->text, "typedef %s %s[%zu];\n", element.name, made.name, count);
    expect_ok(ist_layout_sequence(arena(), count, element.layout, &made.layout));
    return made;
}

/* ---- Groups ---- */

/* A group in the making: members for the builder, their text, and their types. */
typedef struct group_draft {
    ist_layout_kind kind;
    ist_group_attributes attributes;
    ist_member members[MEMBERS_MAX];
    test_type member_types[MEMBERS_MAX];
    char names[MEMBERS_MAX][8];
    size_t count;
    char text[1024];
    size_t length;
} group_draft;

__attribute__((format(printf, 2, 3))) static void add_text(group_draft *draft, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    draft->length += (size_t)vsnprintf(draft->text + draft->length, sizeof draft->text - draft->length, format, arguments);
    va_end(arguments);
    expect(draft->length < sizeof draft->text);
}

static void draft_attributes(test_types *types, group_draft *draft)
{
    draft->attributes.packed = types->loose && one_in(types, 6);
    if (may_align(types) && one_in(types, 8))
        draft->attributes.alignment = random_alignment(types);
    if (types->loose && !draft->attributes.packed && one_in(types, 10))
        draft->attributes.pack_maximum = (size_t)1 << below(types, 4);
}

static ist_type random_bit_field_type(test_types *types)
{
    ist_type type = (ist_type)(IST_TYPE_BOOL + below(types, IST_TYPE_ULLONG));
    return types->gcc && one_in(types, 20) ? IST_TYPE_UINT128 : type;
}

static void draft_bit_field(test_types *types, group_draft *draft)
{
    ist_member *member = &draft->members[draft->count];
    ist_type type = random_bit_field_type(types);
    size_t most = type == IST_TYPE_BOOL ? 1 : ist_layout_of(type)->size * 8;
    bool unnamed = one_in(types, 6);
    member->bits = 1 + (int)below(types, most);
    if (one_in(types, 3) && type != IST_TYPE_BOOL)
        member->bits = 8 << below(types, (size_t)__builtin_ctzll(most) - 2);
    if (unnamed && draft->attributes.pack_maximum == 0 && (!types->gcc || one_in(types, 3)))
        member->bits = IST_BITS_BREAK;
    member->name = unnamed ? NULL : draft->names[draft->count];
    draft->member_types[draft->count] = test_type_scalar(types, type);
    add_text(draft, "%s %s : %d;", scalar_name(type), unnamed ? "" : member->name,
             member->bits == IST_BITS_BREAK ? 0 : member->bits);
}

static void draft_member(test_types *types, group_draft *draft, test_type type)
{
    ist_member *member = &draft->members[draft->count];
    member->name = draft->names[draft->count];
    draft->member_types[draft->count] = type;
    add_text(draft, "%s %s", type.name, member->name);
    if (types->loose && one_in(types, 12)) {
        member->packed = 1;
        add_text(draft, " __attribute__((packed))");
    }
    if (may_align(types) && one_in(types, 12)) {
        member->alignment = random_alignment(types);
        add_text(draft, " __attribute__((aligned(%zu)))", member->alignment);
    }
    add_text(draft, ";");
}

/* An array without end, behind something with a name. */
static void draft_open(test_types *types, group_draft *draft)
{
    test_type element = test_type_scalar(types, random_scalar(types));
    test_type open = { .mask = new_mask(0, 0) };
    draft->members[draft->count].name = draft->names[draft->count];
    expect_ok(ist_layout_sequence(arena(), IST_COUNT_OPEN, element.layout, &open.layout));
    draft->member_types[draft->count] = open;
    add_text(draft, "%s %s[];", element.name, draft->members[draft->count].name);
}

static test_type random_member_type(test_types *types, int depth)
{
    test_type type;
    do /* Clang has such vectors in memory if there is so much as an empty member beside them. */
        type = test_type_random(types, depth);
    while (!types->gcc && type.layout->kind == IST_LAYOUT_VECTOR && type.layout->size > 16);
    if (one_in(types, 4) && is_element(types, type.layout))
        type = random_array(types, type);
    return type;
}

static bool has_named_member(const group_draft *draft)
{
    for (size_t i = 0; i < draft->count; i++) {
        if (draft->members[i].name != NULL)
            return true;
    }
    return false;
}

static void draft_members(test_types *types, group_draft *draft, int depth)
{
    size_t wanted = below(types, one_in(types, 8) ? MEMBERS_MAX + 1 : 4);
    for (size_t i = 0; i < wanted; i++) {
        snprintf(draft->names[i], sizeof draft->names[i], "m%zu", i);
        bool bits = types->gcc || (types->bits && draft->kind == IST_LAYOUT_STRUCT);
        bool last = i + 1 == wanted && draft->kind == IST_LAYOUT_STRUCT;
        if (one_in(types, 5) && bits)
            draft_bit_field(types, draft);
        else if (last && types->gcc && one_in(types, 10) && has_named_member(draft))
            draft_open(types, draft);
        else
            draft_member(types, draft, random_member_type(types, depth));
        draft->members[i].layout = draft->member_types[i].layout;
        draft->count++;
        if (draft->member_types[i].layout->flags & ISTI_LAYOUT_OPEN)
            break;
    }
}

static void write_group(test_types *types, const group_draft *draft, const char *name)
{
    if (draft->attributes.pack_maximum != 0)
        fprintf(types->text, "#pragma pack(push, %zu)\n", draft->attributes.pack_maximum);
    fprintf(types->text, "typedef %s {%s}", draft->kind == IST_LAYOUT_STRUCT ? "struct" : "union", draft->text);
    if (draft->attributes.packed)
        fprintf(types->text, " __attribute__((packed))");
    if (draft->attributes.alignment != 0)
        fprintf(types->text, " __attribute__((aligned(%zu)))", draft->attributes.alignment);
    fprintf(types->text, " %s;\n", name);
    if (draft->attributes.pack_maximum != 0)
        fprintf(types->text, "#pragma pack(pop)\n");
}

static void mask_member(uint8_t *mask, const isti_member *member, const test_type *type)
{
    if (isti_member_is_bits(member)) {
        for (size_t bit = member->bit_offset; bit < member->bit_offset + isti_member_width(member); bit++)
            mask[bit / 8] |= (uint8_t)(member->name != NULL ? 1u << bit % 8 : 0);
        return;
    }
    for (size_t i = 0; i < type->layout->size; i++)
        mask[member->bit_offset / 8 + i] |= type->mask[i];
}

static test_type draft_group(test_types *types, int depth)
{
    group_draft draft = { .kind = one_in(types, 3) ? IST_LAYOUT_UNION : IST_LAYOUT_STRUCT };
    draft_attributes(types, &draft);
    draft_members(types, &draft, depth);
    test_type made = { .layout = NULL };
    name_next(types, &made);
    write_group(types, &draft, made.name);
    if (draft.kind == IST_LAYOUT_STRUCT)
        expect_ok(ist_layout_struct_c(arena(), NULL, draft.members, draft.count, &draft.attributes, &made.layout));
    else
        expect_ok(ist_layout_union_c(arena(), NULL, draft.members, draft.count, &draft.attributes, &made.layout));
    made.mask = new_mask(made.layout->size, 0);
    for (size_t i = 0; i < draft.count; i++)
        mask_member(made.mask, &made.layout->of.members[i], &draft.member_types[i]);
    return made;
}

/* C11 6.7.2.1: a struct without named members has no behaviour, unless GNU C has it as an empty one. */
static test_type random_group(test_types *types, int depth)
{
    test_type made;
    do
        made = draft_group(types, depth);
    while (made.layout->size > 0 && test_all_bytes(made.mask, made.layout->size, 0));
    return made;
}

test_type test_type_random(test_types *types, int depth)
{
    uint64_t choice = below(types, 12);
    test_type made;
    if (depth > 0 && choice < 7)
        made = random_group(types, depth - 1);
    else if (choice == 7)
        made = random_vector(types);
    else
        made = test_type_scalar(types, random_scalar(types));
    return may_align(types) && one_in(types, 20) ? realigned(types, made) : made;
}
