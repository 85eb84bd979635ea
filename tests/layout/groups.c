/* SPDX-License-Identifier: MIT */
/*
 * Structs and unions: member by member, and by the rules of C. The expected offsets, sizes and places of bit-fields are those that
 * this file's compiler gives to the same types.
 */
#include "layout/support.h"

typedef ist_status group_fn(ist_arena arena, const char *tag, const ist_member *members, size_t count,
                            const ist_group_attributes *attributes, const ist_layout **ret_layout);

static const ist_layout *struct_of(const ist_member *members, size_t count, const ist_group_attributes *attributes)
{
    const ist_layout *made;
    expect_ok(ist_layout_struct_c(arena, NULL, members, count, attributes, &made));
    return made;
}

static const ist_layout *union_of(const ist_member *members, size_t count, const ist_group_attributes *attributes)
{
    const ist_layout *made;
    expect_ok(ist_layout_union_c(arena, NULL, members, count, attributes, &made));
    return made;
}

/* ---- What the compiler says ---- */

/* Where the ones of a range of bytes are; all of them stand together. */
typedef struct bits {
    size_t first, count;
} bits;

static bits ones(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    bits found = { 0, 0 };
    for (size_t i = 0; i < 8 * size; i++) {
        if (!(b[i / 8] >> i % 8 & 1))
            continue;
        if (found.count++ == 0)
            found.first = i;
    }
    return found;
}

/* The bits that belong to a member: those that turn to ones when 0 is made less by one (of a _Bool, too). */
#pragma GCC diagnostic ignored "-Wbool-operation"
#define BITS_OF(type, member)                                                                      \
    __extension__({                                                                                \
        type object_;                                                                              \
        memset(&object_, 0, sizeof object_);                                                       \
        object_.member--;                                                                          \
        ones(&object_, sizeof object_);                                                            \
    })

static void check_bits(const ist_layout *layout, size_t index, const char *name, bits wanted, int line)
{
    ist_member_info info = member(layout, index);
    test_context("line %d, member %zu (%s)", line, index, name);
    expect(strcmp(info.name, name) == 0);
    expect_size(info.bits, wanted.count);
    expect_size(info.bit_offset, wanted.first);
    expect_size(info.offset, wanted.first / 8);
}
#define expect_bits(layout, index, type, member)                                                   \
    check_bits(layout, index, #member, BITS_OF(type, member), __LINE__)

static void check_member(const ist_layout *layout, size_t index, const char *name, size_t offset, size_t size, int line)
{
    ist_member_info info = member(layout, index);
    test_context("line %d, member %zu (%s)", line, index, name);
    expect(strcmp(info.name, name) == 0);
    expect_size(info.offset, offset);
    expect_size(info.bit_offset, 8 * offset);
    expect_size(info.bits, 0);
    expect_size(ist_layout_size(info.layout), size);
}
#define expect_member(layout, index, type, member)                                                 \
    check_member(layout, index, #member, offsetof(type, member), sizeof(((type *)0)->member), __LINE__)

static void check_whole(const ist_layout *layout, size_t size, size_t alignment, int line)
{
    test_context("line %d", line);
    expect_size(ist_layout_size(layout), size);
    expect_size(ist_layout_alignment(layout), alignment);
}
#define expect_whole(layout, type) check_whole(layout, sizeof(type), _Alignof(type), __LINE__)

/* ---- Member by member ---- */

static void strict_structs(void **state)
{
    (void)state;
    const ist_layout *made, *gap, *inner;
    expect_ok(ist_layout_padding(arena, 4, &gap));
    char name[] = "id", tag[] = "entry";
    ist_member members[] = { { name, of(IST_TYPE_INT) }, { NULL, gap }, { "value", of(IST_TYPE_DOUBLE) },
                             { "flag", of(IST_TYPE_CHAR) } };
    expect_ok(ist_layout_struct(arena, tag, members, 4, &made));
    memset(members, 0, sizeof members);
    name[0] = tag[0] = 'X';
    expect(ist_layout_kind_of(made) == IST_LAYOUT_STRUCT);
    expect_size(ist_layout_size(made), 17); /* No padding at the end. */
    expect_size(ist_layout_alignment(made), 8);
    expect_size(ist_layout_count(made), 4);
    expect(strcmp(ist_layout_name(made), "entry") == 0);
    expect(ist_layout_is_complete(made) && ist_layout_type(made) == IST_TYPE_NONE);
    static const size_t offsets[] = { 0, 4, 8, 16 };
    static const char *const names[] = { "id", NULL, "value", "flag" };
    for (size_t i = 0; i < 4; i++) {
        ist_member_info info = member(made, i);
        expect_size(info.offset, offsets[i]);
        expect_size(info.bit_offset, 8 * offsets[i]);
        expect_size(info.bits, 0);
        expect(names[i] == NULL ? info.name == NULL : strcmp(info.name, names[i]) == 0);
    }
    expect(ist_layout_kind_of(member(made, 1).layout) == IST_LAYOUT_PADDING);
    inner = made;
    ist_member outer[] = { { "inner", inner }, { "more", of(IST_TYPE_SHORT) } };
    expect_refused(ist_layout_struct(arena, NULL, outer, 2, &made), IST_E_LAYOUT); /* 17 is odd. */
    expect_sentence("more");
    outer[1] = (ist_member){ "more", of(IST_TYPE_CHAR) };
    expect_ok(ist_layout_struct(arena, NULL, outer, 2, &made));
    expect_size(member(made, 1).offset, 17);
}

static void strict_unions(void **state)
{
    (void)state;
    const ist_layout *made;
    ist_member members[] = { { "c", sequence(9, of(IST_TYPE_CHAR)) }, { "d", of(IST_TYPE_DOUBLE) }, { "i", of(IST_TYPE_INT) } };
    expect_ok(ist_layout_union(arena, "u", members, 3, &made));
    expect(ist_layout_kind_of(made) == IST_LAYOUT_UNION);
    expect_size(ist_layout_size(made), 9); /* Of the largest member. */
    expect_size(ist_layout_alignment(made), 8);
    expect_size(ist_layout_count(made), 3);
    for (size_t i = 0; i < 3; i++)
        expect_size(member(made, i).offset, 0);
}

static void strict_groups_of_nothing(void **state)
{
    (void)state;
    const ist_layout *made, *unions;
    expect_ok(ist_layout_struct(arena, NULL, NULL, 0, &made));
    expect_ok(ist_layout_union(arena, NULL, NULL, 0, &unions));
    expect_size(ist_layout_size(made), 0);
    expect_size(ist_layout_alignment(made), 1);
    expect_size(ist_layout_count(made), 0);
    expect_size(ist_layout_size(unions), 0);
    expect(ist_layout_is_complete(made));
    expect(!ist_layout_equals(made, unions, 1));
    ist_member_info info = { .size = sizeof info };
    expect_status(ist_layout_member(made, 0, &info), IST_E_BOUNDS);
}

static void strict_groups_that_are_none(void **state)
{
    (void)state;
    const ist_layout *made, *open = sequence(IST_COUNT_OPEN, of(IST_TYPE_INT));
    ist_member misaligned[] = { { "c", of(IST_TYPE_CHAR) }, { "wide", of(IST_TYPE_INT) } };
    ist_member packed[] = { { "wide", of(IST_TYPE_INT), .packed = 1 } };
    ist_member aligned[] = { { "wide", of(IST_TYPE_INT), .alignment = 8 } };
    ist_member bit[] = { { "wide", of(IST_TYPE_INT), .bits = 3 } };
    ist_member missing[] = { { "wide", NULL } };
    ist_member flexible[] = { { "wide", open }, { "n", of(IST_TYPE_INT) } };
    expect_refused(ist_layout_struct(arena, NULL, misaligned, 2, &made), IST_E_LAYOUT);
    expect_sentence("wide");
    expect_refused(ist_layout_struct(arena, NULL, packed, 1, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_struct(arena, NULL, aligned, 1, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_struct(arena, NULL, bit, 1, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_struct(arena, NULL, flexible, 2, &made), IST_E_LAYOUT);
    expect_sentence("wide");
    expect_refused(ist_layout_struct(arena, NULL, missing, 1, &made), IST_E_ARGUMENT);
    expect_refused(ist_layout_struct(arena, NULL, NULL, 1, &made), IST_E_ARGUMENT);
    expect_refused(ist_layout_union(arena, NULL, packed, 1, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_union(arena, NULL, aligned, 1, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_union(arena, NULL, bit, 1, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_union(arena, NULL, missing, 1, &made), IST_E_ARGUMENT);
    expect_refused(ist_layout_union(arena, NULL, NULL, 1, &made), IST_E_ARGUMENT);
}

/* C11 6.7.2.1 wants different names, of unnamed structs' members as well; the first of a name would hide the second. */
static void members_of_one_name(void **state)
{
    (void)state;
    static group_fn *const builders[] = { ist_layout_struct_c, ist_layout_union_c };
    const ist_layout *made, *inner;
    ist_member twice[] = { { "x", of(IST_TYPE_INT) }, { "x", of(IST_TYPE_FLOAT) } }, one = { "x", of(IST_TYPE_INT) };
    expect_ok(ist_layout_struct(arena, NULL, &one, 1, &inner));
    ist_member hidden[] = { { "x", of(IST_TYPE_INT) }, { NULL, inner } }, visible[] = { { "x", of(IST_TYPE_INT) }, { "y", inner } };
    ist_member nameless[] = { { NULL, of(IST_TYPE_INT) }, { NULL, of(IST_TYPE_INT) } };
    expect_refused(ist_layout_struct(arena, NULL, twice, 2, &made), IST_E_LAYOUT);
    expect_sentence("'x'");
    expect_refused(ist_layout_union(arena, NULL, twice, 2, &made), IST_E_LAYOUT);
    for (size_t i = 0; i < 2; i++) {
        expect_refused(builders[i](arena, NULL, twice, 2, NULL, &made), IST_E_LAYOUT);
        expect_refused(builders[i](arena, NULL, hidden, 2, NULL, &made), IST_E_LAYOUT);
        expect_ok(builders[i](arena, NULL, visible, 2, NULL, &made));
        expect_ok(builders[i](arena, NULL, nameless, 2, NULL, &made));
    }
}

/* ---- By the rules of C ---- */

struct mixed {
    char a;
    int b;
    char c;
    double d;
    short e;
    long double f;
    char g;
};

static void c_structs(void **state)
{
    (void)state;
    ist_member members[] = {
        { "a", of(IST_TYPE_CHAR) },  { "b", of(IST_TYPE_INT) },         { "c", of(IST_TYPE_CHAR) }, { "d", of(IST_TYPE_DOUBLE) },
        { "e", of(IST_TYPE_SHORT) }, { "f", of(IST_TYPE_LONG_DOUBLE) }, { "g", of(IST_TYPE_CHAR) },
    };
    const ist_layout *made = struct_of(members, COUNT(members), NULL);
    expect_whole(made, struct mixed);
    expect_size(ist_layout_count(made), COUNT(members));
    expect_member(made, 0, struct mixed, a);
    expect_member(made, 1, struct mixed, b);
    expect_member(made, 2, struct mixed, c);
    expect_member(made, 3, struct mixed, d);
    expect_member(made, 4, struct mixed, e);
    expect_member(made, 5, struct mixed, f);
    expect_member(made, 6, struct mixed, g);
}

union alternatives {
    char text[13];
    int number;
    struct mixed mixed;
};

static void c_unions(void **state)
{
    (void)state;
    ist_member inner[] = {
        { "a", of(IST_TYPE_CHAR) },  { "b", of(IST_TYPE_INT) },         { "c", of(IST_TYPE_CHAR) }, { "d", of(IST_TYPE_DOUBLE) },
        { "e", of(IST_TYPE_SHORT) }, { "f", of(IST_TYPE_LONG_DOUBLE) }, { "g", of(IST_TYPE_CHAR) },
    };
    ist_member members[] = { { "text", sequence(13, of(IST_TYPE_CHAR)) },
                             { "number", of(IST_TYPE_INT) },
                             { "mixed", struct_of(inner, COUNT(inner), NULL) } };
    const ist_layout *made = union_of(members, 3, NULL);
    expect_whole(made, union alternatives);
    expect_member(made, 0, union alternatives, text);
    expect_member(made, 1, union alternatives, number);
    expect_member(made, 2, union alternatives, mixed);
    union small {
        char text[5];
        short number;
    };
    ist_member two[] = { { "text", sequence(5, of(IST_TYPE_CHAR)) }, { "number", of(IST_TYPE_SHORT) } };
    expect_whole(union_of(two, 2, NULL), union small);
}

struct __attribute__((packed)) all_packed {
    char a;
    int b;
    double c;
    short d;
};
struct one_packed {
    char a;
    int b __attribute__((packed));
    short c;
    double d __attribute__((packed, aligned(2)));
};
struct __attribute__((aligned(32))) raised {
    char a;
    int b __attribute__((aligned(16)));
    short c __attribute__((aligned(1)));
};
#pragma pack(push, 2)
struct pragma_two {
    char a;
    int b;
    double c;
    char d;
    int e __attribute__((aligned(8)));
};
#pragma pack(pop)
#pragma pack(push, 4)
struct __attribute__((packed, aligned(8))) both {
    char a;
    long b;
    short c;
};
#pragma pack(pop)

static void c_attributes(void **state)
{
    (void)state;
    ist_member four[] = { { "a", of(IST_TYPE_CHAR) }, { "b", of(IST_TYPE_INT) }, { "c", of(IST_TYPE_DOUBLE) },
                          { "d", of(IST_TYPE_SHORT) } };
    const ist_layout *made = struct_of(four, 4, &(ist_group_attributes){ .packed = 1 });
    expect_whole(made, struct all_packed);
    expect_member(made, 1, struct all_packed, b);
    expect_member(made, 2, struct all_packed, c);
    expect_member(made, 3, struct all_packed, d);

    ist_member one[] = { { "a", of(IST_TYPE_CHAR) },
                         { "b", of(IST_TYPE_INT), .packed = 1 },
                         { "c", of(IST_TYPE_SHORT) },
                         { "d", of(IST_TYPE_DOUBLE), .packed = 1, .alignment = 2 } };
    made = struct_of(one, 4, NULL);
    expect_whole(made, struct one_packed);
    expect_member(made, 1, struct one_packed, b);
    expect_member(made, 2, struct one_packed, c);
    expect_member(made, 3, struct one_packed, d);

    ist_member three[] = { { "a", of(IST_TYPE_CHAR) },
                           { "b", of(IST_TYPE_INT), .alignment = 16 },
                           { "c", of(IST_TYPE_SHORT), .alignment = 1 } };
    made = struct_of(three, 3, &(ist_group_attributes){ .alignment = 32 });
    expect_whole(made, struct raised);
    expect_member(made, 1, struct raised, b);
    expect_member(made, 2, struct raised, c);

    ist_member five[] = { { "a", of(IST_TYPE_CHAR) },
                          { "b", of(IST_TYPE_INT) },
                          { "c", of(IST_TYPE_DOUBLE) },
                          { "d", of(IST_TYPE_CHAR) },
                          { "e", of(IST_TYPE_INT), .alignment = 8 } };
    made = struct_of(five, 5, &(ist_group_attributes){ .pack_maximum = 2 });
    expect_whole(made, struct pragma_two);
    expect_member(made, 1, struct pragma_two, b);
    expect_member(made, 2, struct pragma_two, c);
    expect_member(made, 4, struct pragma_two, e);

    ist_member last[] = { { "a", of(IST_TYPE_CHAR) }, { "b", of(IST_TYPE_LONG) }, { "c", of(IST_TYPE_SHORT) } };
    made = struct_of(last, 3, &(ist_group_attributes){ .packed = 1, .alignment = 8, .pack_maximum = 4 });
    expect_whole(made, struct both);
    expect_member(made, 1, struct both, b);
    expect_member(made, 2, struct both, c);
}

/* ---- Bit-fields ---- */

struct fields {
    unsigned a : 3;
    int b : 30;
    unsigned char c : 5;
    _Bool d : 1;
    short e : 9;
    long long f : 40;
    unsigned long g : 33;
    char h : 8;
};
struct broken {
    unsigned a : 3;
    unsigned : 0;
    unsigned b : 4;
    unsigned : 7;
    unsigned char c : 2;
    long long : 0;
    unsigned char d : 2;
};
struct __attribute__((packed)) fields_packed {
    unsigned a : 3;
    int b : 30;
    unsigned c : 31;
    long long d : 62;
    char e;
    short f : 5;
};
#pragma pack(push, 1)
struct fields_pragma {
    char a;
    unsigned b : 20;
    unsigned c : 20;
};
#pragma pack(pop)
union fields_union {
    unsigned a : 5;
    long b : 37;
    char c;
};

static void bit_fields(void **state)
{
    (void)state;
    ist_member members[] = {
        { "a", of(IST_TYPE_UINT), .bits = 3 },   { "b", of(IST_TYPE_INT), .bits = 30 },
        { "c", of(IST_TYPE_UCHAR), .bits = 5 },  { "d", of(IST_TYPE_BOOL), .bits = 1 },
        { "e", of(IST_TYPE_SHORT), .bits = 9 },  { "f", of(IST_TYPE_LLONG), .bits = 40 },
        { "g", of(IST_TYPE_ULONG), .bits = 33 }, { "h", of(IST_TYPE_CHAR), .bits = 8 },
    };
    const ist_layout *made = struct_of(members, COUNT(members), NULL);
    expect_whole(made, struct fields);
    expect_bits(made, 0, struct fields, a);
    expect_bits(made, 1, struct fields, b);
    expect_bits(made, 2, struct fields, c);
    expect_bits(made, 3, struct fields, d);
    expect_bits(made, 4, struct fields, e);
    expect_bits(made, 5, struct fields, f);
    expect_bits(made, 6, struct fields, g);
    expect_bits(made, 7, struct fields, h);
    expect(ist_layout_type(member(made, 5).layout) == IST_TYPE_LLONG);
    made = union_of((ist_member[]){ { "a", of(IST_TYPE_UINT), .bits = 5 },
                                    { "b", of(IST_TYPE_LONG), .bits = 37 },
                                    { "c", of(IST_TYPE_CHAR) } },
                    3, NULL);
    expect_whole(made, union fields_union);
    expect_bits(made, 1, union fields_union, b);
}

/* Finds a member by its name: unnamed ones may be listed or not. */
static size_t index_of(const ist_layout *layout, const char *name)
{
    for (size_t i = 0; i < ist_layout_count(layout); i++) {
        ist_member_info info = member(layout, i);
        if (info.name != NULL && strcmp(info.name, name) == 0)
            return i;
    }
    test_failed(__FILE__, __LINE__, "no member %s", name);
}

static void bit_fields_without_a_name(void **state)
{
    (void)state;
    ist_member members[] = {
        { "a", of(IST_TYPE_UINT), .bits = 3 },
        { NULL, of(IST_TYPE_UINT), .bits = IST_BITS_BREAK },
        { "b", of(IST_TYPE_UINT), .bits = 4 },
        { NULL, of(IST_TYPE_UINT), .bits = 7 },
        { "c", of(IST_TYPE_UCHAR), .bits = 2 },
        { NULL, of(IST_TYPE_LLONG), .bits = IST_BITS_BREAK },
        { "d", of(IST_TYPE_UCHAR), .bits = 2 },
    };
    const ist_layout *made = struct_of(members, COUNT(members), NULL);
    expect_whole(made, struct broken);
    expect_bits(made, index_of(made, "b"), struct broken, b);
    expect_bits(made, index_of(made, "c"), struct broken, c);
    expect_bits(made, index_of(made, "d"), struct broken, d);
}

static void bit_fields_packed(void **state)
{
    (void)state;
    ist_member members[] = {
        { "a", of(IST_TYPE_UINT), .bits = 3 },   { "b", of(IST_TYPE_INT), .bits = 30 }, { "c", of(IST_TYPE_UINT), .bits = 31 },
        { "d", of(IST_TYPE_LLONG), .bits = 62 }, { "e", of(IST_TYPE_CHAR) },            { "f", of(IST_TYPE_SHORT), .bits = 5 },
    };
    const ist_layout *made = struct_of(members, COUNT(members), &(ist_group_attributes){ .packed = 1 });
    expect_whole(made, struct fields_packed);
    expect_bits(made, 1, struct fields_packed, b);
    expect_bits(made, 2, struct fields_packed, c);
    expect_bits(made, 3, struct fields_packed, d);
    expect_member(made, 4, struct fields_packed, e);
    expect_bits(made, 5, struct fields_packed, f);
    ist_member three[] = { { "a", of(IST_TYPE_CHAR) },
                           { "b", of(IST_TYPE_UINT), .bits = 20 },
                           { "c", of(IST_TYPE_UINT), .bits = 20 } };
    made = struct_of(three, 3, &(ist_group_attributes){ .pack_maximum = 1 });
    expect_whole(made, struct fields_pragma);
    expect_bits(made, 1, struct fields_pragma, b);
    expect_bits(made, 2, struct fields_pragma, c);
}

/* Each width of each integer type behind one bit: where it comes to lie is arithmetic (psABI 3.1.2, bit-fields). */
static void bit_fields_of_every_width(void **state)
{
    (void)state;
    for (ist_type type = IST_TYPE_CHAR; type <= IST_TYPE_ULLONG; type++) {
        int width = 8 * (int)ist_layout_size(of(type));
        for (int wide = 1; wide <= width; wide++) {
            test_context("type %d, %d bits", (int)type, wide);
            ist_member members[] = { { "bit", of(type), .bits = 1 }, { "wide", of(type), .bits = wide } };
            const ist_layout *made = struct_of(members, 2, NULL);
            ist_member_info info = member(made, 1);
            expect_size(info.bit_offset, wide < width ? 1 : width);
            expect_size(info.bits, wide);
            expect_size(ist_layout_size(made), ist_layout_size(of(type)) * (wide < width ? 1 : 2));
        }
        const ist_layout *made;
        ist_member member = { "wider", of(type), .bits = width + 1 };
        expect_refused(ist_layout_struct_c(arena, NULL, &member, 1, NULL, &made), IST_E_LAYOUT);
        expect_sentence("wider");
        member.bits = INT32_MAX;
        expect_refused(ist_layout_struct_c(arena, NULL, &member, 1, NULL, &made), IST_E_LAYOUT);
    }
}

static void no_bit_fields(void **state)
{
    (void)state;
    static group_fn *const builders[] = { ist_layout_struct_c, ist_layout_union_c };
    const ist_layout *made, *vector, *pointer;
    expect_ok(ist_layout_vector(arena, of(IST_TYPE_INT), 4, &vector));
    expect_ok(ist_layout_address_to(arena, of(IST_TYPE_INT), &pointer));
    const ist_layout *others[] = { of(IST_TYPE_FLOAT), of(IST_TYPE_LONG_DOUBLE), of(IST_TYPE_COMPLEX_DOUBLE), of(IST_TYPE_ADDRESS),
                                   vector, pointer, sequence(2, of(IST_TYPE_INT)), struct_of(NULL, 0, NULL) };
    for (size_t b = 0; b < 2; b++) {
        for (size_t i = 0; i < COUNT(others); i++) {
            test_context("builder %zu, layout %zu", b, i);
            ist_member member = { "wrong", others[i], .bits = 1 };
            expect_refused(builders[b](arena, NULL, &member, 1, NULL, &made), IST_E_LAYOUT);
            expect_sentence("wrong");
        }
        ist_member two_bits_of_bool = { "b", of(IST_TYPE_BOOL), .bits = 2 };
        expect_refused(builders[b](arena, NULL, &two_bits_of_bool, 1, NULL, &made), IST_E_LAYOUT);
        ist_member named_break = { "b", of(IST_TYPE_INT), .bits = IST_BITS_BREAK };
        expect_refused(builders[b](arena, NULL, &named_break, 1, NULL, &made), IST_E_LAYOUT);
        ist_member negative = { "b", of(IST_TYPE_INT), .bits = -2 };
        made = untouched;
        ist_status status = builders[b](arena, NULL, &negative, 1, NULL, &made);
        expect((status == IST_E_LAYOUT || status == IST_E_ARGUMENT) && made == untouched);
    }
}

/* ---- Flexible members, anonymous members ---- */

struct flexible {
    char count;
    long numbers[];
};
struct flexible_tail {
    long count;
    char kind;
    char text[];
};

static void flexible_members(void **state)
{
    (void)state;
    const ist_layout *longs = sequence(IST_COUNT_OPEN, of(IST_TYPE_LONG)), *chars = sequence(IST_COUNT_OPEN, of(IST_TYPE_CHAR)), *made;
    ist_member two[] = { { "count", of(IST_TYPE_CHAR) }, { "numbers", longs } };
    made = struct_of(two, 2, NULL);
    expect_whole(made, struct flexible);
    expect_size(member(made, 1).offset, offsetof(struct flexible, numbers));
    expect_size(ist_layout_count(member(made, 1).layout), IST_COUNT_OPEN);
    ist_member three[] = { { "count", of(IST_TYPE_LONG) }, { "kind", of(IST_TYPE_CHAR) }, { "text", chars } };
    made = struct_of(three, 3, NULL);
    expect_whole(made, struct flexible_tail);
    expect_size(member(made, 2).offset, offsetof(struct flexible_tail, text)); /* In what would be padding. */
    ist_member early[] = { { "text", chars }, { "count", of(IST_TYPE_LONG) } };
    expect_refused(ist_layout_struct_c(arena, NULL, early, 2, NULL, &made), IST_E_LAYOUT);
    expect_sentence("text");
    expect_ok(ist_layout_struct(arena, NULL, three, 3, &made));
    expect_size(ist_layout_size(made), 9);
    expect_size(member(made, 2).offset, 9);
}

struct anonymous {
    char tag;
    union {
        long whole;
        struct {
            short low, high;
        };
    };
};

/* What an unnamed member holds can be reached from outside, wherever the members are listed. */
static bool find(const ist_layout *layout, const char *name, size_t base, size_t *ret_offset)
{
    for (size_t i = 0; i < ist_layout_count(layout); i++) {
        ist_member_info info = member(layout, i);
        ist_layout_kind kind = ist_layout_kind_of(info.layout);
        if (info.name != NULL && strcmp(info.name, name) == 0) {
            *ret_offset = base + info.offset;
            return true;
        }
        if (info.name == NULL && (kind == IST_LAYOUT_STRUCT || kind == IST_LAYOUT_UNION) &&
            find(info.layout, name, base + info.offset, ret_offset))
            return true;
    }
    return false;
}

static void anonymous_members(void **state)
{
    (void)state;
    ist_member halves[] = { { "low", of(IST_TYPE_SHORT) }, { "high", of(IST_TYPE_SHORT) } };
    ist_member either[] = { { "whole", of(IST_TYPE_LONG) }, { NULL, struct_of(halves, 2, NULL) } };
    ist_member members[] = { { "tag", of(IST_TYPE_CHAR) }, { NULL, union_of(either, 2, NULL) } };
    const ist_layout *made = struct_of(members, 2, NULL);
    expect_whole(made, struct anonymous);
    size_t offset;
    expect(find(made, "whole", 0, &offset));
    expect_size(offset, offsetof(struct anonymous, whole));
    expect(find(made, "low", 0, &offset));
    expect_size(offset, offsetof(struct anonymous, low));
    expect(find(made, "high", 0, &offset));
    expect_size(offset, offsetof(struct anonymous, high));
}

/* ---- Vectors, pointers, enumerations as members ---- */

typedef float quad __attribute__((vector_size(16)));
enum shade { DARK, LIGHT };
struct members_of_all_kinds {
    char a;
    quad vector;
    enum shade shade;
    char *text;
    enum shade narrow : 2;
    __int128 wide;
    _Bool flag;
    double _Complex complex_;
};

static void members_of_other_kinds(void **state)
{
    (void)state;
    const ist_layout *vector, *shade, *text;
    static const ist_enumerator shades[] = { { "DARK", DARK }, { "LIGHT", LIGHT } };
    expect_ok(ist_layout_vector(arena, of(IST_TYPE_FLOAT), 4, &vector));
    expect_ok(ist_layout_enum(arena, "shade", of(IST_TYPE_UINT), shades, 2, &shade));
    expect_ok(ist_layout_address_to(arena, of(IST_TYPE_CHAR), &text));
    ist_member members[] = {
        { "a", of(IST_TYPE_CHAR) },     { "vector", vector },
        { "shade", shade },             { "text", text },
        { "narrow", shade, .bits = 2 }, { "wide", of(IST_TYPE_INT128) },
        { "flag", of(IST_TYPE_BOOL) },  { "complex_", of(IST_TYPE_COMPLEX_DOUBLE) },
    };
    const ist_layout *made = struct_of(members, COUNT(members), NULL);
    expect_whole(made, struct members_of_all_kinds);
    expect_member(made, 1, struct members_of_all_kinds, vector);
    expect_member(made, 2, struct members_of_all_kinds, shade);
    expect_member(made, 3, struct members_of_all_kinds, text);
    expect_bits(made, 4, struct members_of_all_kinds, narrow);
    expect_member(made, 5, struct members_of_all_kinds, wide);
    expect_member(made, 6, struct members_of_all_kinds, flag);
    expect_member(made, 7, struct members_of_all_kinds, complex_);
    expect(ist_layout_target(member(made, 3).layout) != NULL);
    expect(strcmp(ist_layout_name(member(made, 4).layout), "shade") == 0);
}

/* ---- Misuse ---- */

static void c_groups_that_are_none(void **state)
{
    (void)state;
    static group_fn *const builders[] = { ist_layout_struct_c, ist_layout_union_c };
    static const size_t bad[] = { 3, 5, 6, 7, 9, 48, SIZE_MAX, ((size_t)1 << 63) | 1 };
    const ist_layout *made;
    for (size_t b = 0; b < 2; b++) {
        ist_member member = { "m", of(IST_TYPE_INT) }, missing = { "m", NULL };
        expect_refused(builders[b](arena, NULL, &missing, 1, NULL, &made), IST_E_ARGUMENT);
        expect_refused(builders[b](arena, NULL, NULL, 1, NULL, &made), IST_E_ARGUMENT);
        expect_ok(builders[b](arena, NULL, NULL, 0, NULL, &made));
        expect_size(ist_layout_size(made), 0);
        for (size_t i = 0; i < COUNT(bad); i++) {
            test_context("builder %zu, alignment %zu", b, bad[i]);
            ist_group_attributes aligned = { .alignment = bad[i] }, pack = { .pack_maximum = bad[i] };
            expect_refused(builders[b](arena, NULL, &member, 1, &aligned, &made), IST_E_ARGUMENT);
            expect_refused(builders[b](arena, NULL, &member, 1, &pack, &made), IST_E_ARGUMENT);
            ist_member skewed = { "m", of(IST_TYPE_INT), .alignment = bad[i] };
            expect_refused(builders[b](arena, NULL, &skewed, 1, NULL, &made), IST_E_ARGUMENT);
        }
    }
}

/* A group has at most an eighth of PTRDIFF_MAX bytes, so that its bits can be counted. */
static void groups_at_the_edge(void **state)
{
    (void)state;
    const size_t most = (size_t)PTRDIFF_MAX / 8;
    const ist_layout *made, *chars = sequence(most, of(IST_TYPE_CHAR)), *half = sequence(most / 2, of(IST_TYPE_CHAR));
    const ist_layout *more = sequence(most + 1, of(IST_TYPE_CHAR));
    ist_member all = { "m", chars }, one = { "m", more }, two[] = { { "a", half }, { "b", half } };
    ist_member three[] = { { "a", half }, { "b", half }, { "c", sequence(2, of(IST_TYPE_CHAR)) } };
    ist_member rounded[] = { { "a", chars }, { NULL, sequence(0, of(IST_TYPE_INT)) } };
    ist_member far = { "m", of(IST_TYPE_CHAR), .alignment = (size_t)1 << 61 };
    expect_ok(ist_layout_struct(arena, NULL, &all, 1, &made));
    expect_size(ist_layout_size(made), most);
    expect_ok(ist_layout_union(arena, NULL, &all, 1, &made));
    expect_ok(ist_layout_struct_c(arena, NULL, &all, 1, NULL, &made));
    expect_ok(ist_layout_struct_c(arena, NULL, two, 2, NULL, &made));
    expect_refused(ist_layout_struct(arena, NULL, &one, 1, &made), IST_E_OVERFLOW);
    expect_refused(ist_layout_union(arena, NULL, &one, 1, &made), IST_E_OVERFLOW);
    expect_refused(ist_layout_struct_c(arena, NULL, &one, 1, NULL, &made), IST_E_OVERFLOW);
    expect_refused(ist_layout_union_c(arena, NULL, &one, 1, NULL, &made), IST_E_OVERFLOW);
    expect_refused(ist_layout_struct(arena, NULL, three, 3, &made), IST_E_OVERFLOW);
    expect_refused(ist_layout_struct_c(arena, NULL, three, 3, NULL, &made), IST_E_OVERFLOW);
    /* Rounding up is what brings these over the edge. */
    expect_refused(ist_layout_struct_c(arena, NULL, rounded, 2, NULL, &made), IST_E_OVERFLOW);
    expect_refused(ist_layout_union_c(arena, NULL, rounded, 2, NULL, &made), IST_E_OVERFLOW);
    expect_refused(ist_layout_struct_c(arena, NULL, &far, 1, NULL, &made), IST_E_OVERFLOW);
    ist_member padded[] = { { "i", of(IST_TYPE_INT) }, { "a", sequence(most - 4, of(IST_TYPE_CHAR)) } };
    expect_refused(ist_layout_struct_c(arena, NULL, padded, 2, NULL, &made), IST_E_OVERFLOW);
    ist_member small = { "i", of(IST_TYPE_INT) };
    for (unsigned shift = 58; shift < 64; shift++) {
        ist_group_attributes aligned = { .alignment = (size_t)1 << shift };
        test_context("alignment 2^%u", shift);
        if (shift < 60) {
            expect_ok(ist_layout_struct_c(arena, NULL, &small, 1, &aligned, &made));
            expect_size(ist_layout_size(made), aligned.alignment);
        } else {
            expect_refused(ist_layout_struct_c(arena, NULL, &small, 1, &aligned, &made), IST_E_OVERFLOW);
        }
    }
    /* A thousand of the largest: no sum wraps. */
    static ist_member many[1000];
    for (size_t i = 0; i < COUNT(many); i++)
        many[i] = (ist_member){ "m", sequence(PTRDIFF_MAX, of(IST_TYPE_CHAR)) };
    expect_refused(ist_layout_struct(arena, NULL, many, COUNT(many), &made), IST_E_OVERFLOW);
    expect_refused(ist_layout_struct_c(arena, NULL, many, COUNT(many), NULL, &made), IST_E_OVERFLOW);
}

static void asking_for_members(void **state)
{
    (void)state;
    ist_member members[] = { { "a", of(IST_TYPE_INT) }, { "b", of(IST_TYPE_INT) } };
    const ist_layout *made = struct_of(members, 2, NULL);
    ist_member_info info, kept;
    static const size_t beyond[] = { 2, 3, SIZE_MAX };
    memset(&info, 0xEE, sizeof info);
    info.size = sizeof info;
    kept = info;
    for (size_t i = 0; i < COUNT(beyond); i++)
        expect_status(ist_layout_member(made, beyond[i], &info), IST_E_BOUNDS);
    expect_status(ist_layout_member(of(IST_TYPE_INT), 0, &info), IST_E_BOUNDS);
    expect_status(ist_layout_member(made, 0, NULL), IST_E_ARGUMENT);
    expect(memcmp(&info, &kept, sizeof info) == 0);
    for (size_t size = 0; size <= sizeof(size_t); size++) {
        info.size = size;
        expect_status(ist_layout_member(made, 0, &info), IST_E_ARGUMENT);
    }
    /* A caller of a newer library's header: what is valid is said. */
    struct {
        ist_member_info info;
        uint8_t more[64];
    } larger;
    memset(&larger, 0xEE, sizeof larger);
    larger.info.size = sizeof larger;
    expect_ok(ist_layout_member(made, 1, &larger.info));
    expect_size(larger.info.size, sizeof larger.info);
    expect(test_all_bytes(larger.more, sizeof larger.more, 0xEE));
    expect_size(larger.info.offset, 4);
}

/* ---- The same with one thing changed; equality ---- */

static void changed_groups(void **state)
{
    (void)state;
    ist_member members[] = { { "a", of(IST_TYPE_CHAR) }, { "b", of(IST_TYPE_INT) } };
    const ist_layout *made, *group;
    expect_ok(ist_layout_struct_c(arena, "pair", members, 2, NULL, &group));
    expect_ok(ist_layout_with_name(arena, group, "twin", &made));
    expect(strcmp(ist_layout_name(made), "twin") == 0 && strcmp(ist_layout_name(group), "pair") == 0);
    expect_size(ist_layout_count(made), 2);
    expect_size(member(made, 1).offset, 4);
    expect(!ist_layout_equals(made, group, 0) && ist_layout_equals(made, group, 1));
    expect_ok(ist_layout_with_alignment(arena, group, 16, &made));
    expect_size(ist_layout_alignment(made), 16);
    expect_size(ist_layout_alignment(group), 4);
    expect_size(member(made, 1).offset, 4);
    expect(!ist_layout_equals(made, group, 1));
    expect_ok(ist_layout_with_alignment(arena, made, 4, &made));
    expect(ist_layout_equals(made, group, 0));
    expect_refused(ist_layout_with_alignment(arena, group, 2, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_with_alignment(arena, group, 1, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_with_alignment(arena, group, 12, &made), IST_E_ARGUMENT);
}

static void equality_of_groups(void **state)
{
    (void)state;
    const ist_layout *int_ = of(IST_TYPE_INT), *made, *again, *tagged, *target, *other_target;
    ist_member plain[] = { { "a", int_ }, { "b", int_ } }, renamed[] = { { "a", int_ }, { "c", int_ } };
    ist_member unnamed[] = { { "a", int_ }, { NULL, int_ } }, typed[] = { { "a", int_ }, { "b", of(IST_TYPE_UINT) } };
    ist_member spread[] = { { "a", int_ }, { "b", int_, .alignment = 8 } };
    ist_member narrow[] = { { "a", int_ }, { "b", int_, .bits = 31 } }, full[] = { { "a", int_ }, { "b", int_, .bits = 32 } };
    made = struct_of(plain, 2, NULL);
    again = struct_of(plain, 2, NULL);
    expect(ist_layout_equals(made, again, 0) && ist_layout_equals(again, made, 0));
    expect_ok(ist_layout_struct(arena, NULL, plain, 2, &again)); /* However it was built. */
    expect(ist_layout_equals(made, again, 0));
    expect_ok(ist_layout_struct_c(arena, "t", plain, 2, NULL, &tagged));
    expect(!ist_layout_equals(made, tagged, 0) && ist_layout_equals(made, tagged, 1));
    again = struct_of(renamed, 2, NULL);
    expect(!ist_layout_equals(made, again, 0) && ist_layout_equals(made, again, 1));
    again = struct_of(unnamed, 2, NULL);
    expect(!ist_layout_equals(made, again, 0) && ist_layout_equals(made, again, 1));
    const ist_layout *others[] = { made, struct_of(typed, 2, NULL), struct_of(spread, 2, NULL), struct_of(narrow, 2, NULL),
                                   struct_of(full, 2, NULL), struct_of(plain, 1, NULL), union_of(plain, 2, NULL),
                                   struct_of(NULL, 0, NULL), sequence(2, int_) };
    for (size_t i = 0; i < COUNT(others); i++) {
        for (size_t j = 0; j < COUNT(others); j++) {
            test_context("%zu and %zu", i, j);
            expect(!ist_layout_equals(others[i], others[j], 0) == (i != j));
            expect(!ist_layout_equals(others[i], others[j], 1) == (i != j));
        }
    }
    /* What a pointer points to counts, by its tag if it has one. */
    test_context("targets");
    expect_ok(ist_layout_address_to(arena, made, &target));
    expect_ok(ist_layout_address_to(arena, others[1], &other_target));
    expect(!ist_layout_equals(target, other_target, 0) && !ist_layout_equals(target, other_target, 1));
    expect_ok(ist_layout_struct_c(arena, "t", typed, 2, NULL, &again));
    expect_ok(ist_layout_address_to(arena, tagged, &target));
    expect_ok(ist_layout_address_to(arena, again, &other_target));
    expect(ist_layout_equals(target, other_target, 0));
    expect_ok(ist_layout_struct_c(arena, "u", plain, 2, NULL, &again));
    expect_ok(ist_layout_address_to(arena, again, &other_target));
    expect(!ist_layout_equals(target, other_target, 0));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        layout_test(strict_structs),
        layout_test(strict_unions),
        layout_test(strict_groups_of_nothing),
        layout_test(strict_groups_that_are_none),
        layout_test(members_of_one_name),
        layout_test(c_structs),
        layout_test(c_unions),
        layout_test(c_attributes),
        layout_test(bit_fields),
        layout_test(bit_fields_without_a_name),
        layout_test(bit_fields_packed),
        layout_test(bit_fields_of_every_width),
        layout_test(no_bit_fields),
        layout_test(flexible_members),
        layout_test(anonymous_members),
        layout_test(members_of_other_kinds),
        layout_test(c_groups_that_are_none),
        layout_test(groups_at_the_edge),
        layout_test(asking_for_members),
        layout_test(changed_groups),
        layout_test(equality_of_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
