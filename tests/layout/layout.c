/* SPDX-License-Identifier: MIT */
/* Layouts without members: what each builder promises and refuses, the same with one thing changed, and equality. */
#include "layout/support.h"

static const ist_layout *aligned(const ist_layout *layout, size_t alignment)
{
    const ist_layout *made;
    expect_ok(ist_layout_with_alignment(arena, layout, alignment, &made));
    return made;
}

static const ist_layout *named(const ist_layout *layout, const char *name)
{
    const ist_layout *made;
    expect_ok(ist_layout_with_name(arena, layout, name, &made));
    return made;
}

static const ist_layout *of_int(void)
{
    return ist_layout_of(IST_TYPE_INT);
}

static bool has_name(const ist_layout *layout, const char *name)
{
    const char *got = ist_layout_name(layout);
    return name == NULL ? got == NULL : got != NULL && strcmp(got, name) == 0;
}

/* ---- Scalars ---- */

/* What the compiler says about its types. The one that it may lack has the numbers of the psABI's figure 3.1. */
static const struct {
    ist_type type;
    size_t size, alignment;
} scalars[] = {
#define SCALAR(name, c) { IST_TYPE_##name, sizeof(c), _Alignof(c) }
    SCALAR(BOOL, _Bool),
    SCALAR(CHAR, char),
    SCALAR(SCHAR, signed char),
    SCALAR(UCHAR, unsigned char),
    SCALAR(SHORT, short),
    SCALAR(USHORT, unsigned short),
    SCALAR(INT, int),
    SCALAR(UINT, unsigned int),
    SCALAR(LONG, long),
    SCALAR(ULONG, unsigned long),
    SCALAR(LLONG, long long),
    SCALAR(ULLONG, unsigned long long),
    SCALAR(INT128, __int128),
    SCALAR(UINT128, unsigned __int128),
    { IST_TYPE_FLOAT16, 2, 2 },
    { IST_TYPE_BFLOAT16, 2, 2 },
    SCALAR(FLOAT, float),
    SCALAR(DOUBLE, double),
    SCALAR(LONG_DOUBLE, long double),
    SCALAR(FLOAT128, __float128),
    SCALAR(COMPLEX_FLOAT, float _Complex),
    SCALAR(COMPLEX_DOUBLE, double _Complex),
    SCALAR(COMPLEX_LONG_DOUBLE, long double _Complex),
    { IST_TYPE_COMPLEX_FLOAT128, 32, 16 },
    SCALAR(ADDRESS, void *),
    SCALAR(I8, int8_t),
    SCALAR(U8, uint8_t),
    SCALAR(I16, int16_t),
    SCALAR(U16, uint16_t),
    SCALAR(I32, int32_t),
    SCALAR(U32, uint32_t),
    SCALAR(I64, int64_t),
    SCALAR(U64, uint64_t),
};
enum { SCALARS = sizeof scalars / sizeof scalars[0] };

static void scalars_are_those_of_the_compiler(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCALARS; i++) {
        test_context("type %d", (int)scalars[i].type);
        const ist_layout *layout = ist_layout_of(scalars[i].type);
        expect(layout != NULL && layout == ist_layout_of(scalars[i].type));
        expect(ist_layout_kind_of(layout) == IST_LAYOUT_VALUE);
        expect(ist_layout_type(layout) == scalars[i].type);
        expect_size(ist_layout_size(layout), scalars[i].size);
        expect_size(ist_layout_alignment(layout), scalars[i].alignment);
        expect(ist_layout_order(layout) == IST_ORDER_NATIVE);
        expect(ist_layout_name(layout) == NULL);
        expect(ist_layout_is_complete(layout));
        expect_size(ist_layout_count(layout), 0);
        expect(ist_layout_element(layout) == NULL);
        expect(ist_layout_target(layout) == NULL);
        expect(ist_layout_function(layout) == NULL);
        for (size_t j = 0; j < SCALARS; j++) {
            bool same = scalars[i].type == scalars[j].type;
            expect(!ist_layout_equals(layout, ist_layout_of(scalars[j].type), 0) == !same);
        }
    }
}

static void other_values_are_no_types(void **state)
{
    (void)state;
    static const int others[] = { IST_TYPE_NONE, -1, 26, 27, 255, 256, INT32_MAX, INT32_MIN };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        expect(ist_layout_of((ist_type)others[i]) == NULL);
}

/* ---- Pointers ---- */

static void pointers(void **state)
{
    (void)state;
    const ist_layout *pointer, *again, *made;
    expect_ok(ist_layout_address_to(arena, of_int(), &pointer));
    expect(ist_layout_kind_of(pointer) == IST_LAYOUT_VALUE);
    expect(ist_layout_type(pointer) == IST_TYPE_ADDRESS);
    expect_size(ist_layout_size(pointer), sizeof(int *));
    expect_size(ist_layout_alignment(pointer), _Alignof(int *));
    expect(ist_layout_equals(ist_layout_target(pointer), of_int(), 0));
    expect_ok(ist_layout_address_to(arena, pointer, &again));
    expect(ist_layout_target(ist_layout_target(again)) != NULL);
    expect(!ist_layout_equals(again, pointer, 0));
    expect(!ist_layout_equals(pointer, ist_layout_of(IST_TYPE_ADDRESS), 1));
    /* The target stays with every change of the pointer. */
    expect(ist_layout_target(named(pointer, "p")) != NULL);
    expect(ist_layout_target(aligned(pointer, 1)) != NULL);
    expect_ok(ist_layout_address_to(arena, sequence(IST_COUNT_OPEN, of_int()), &made));
    expect_size(ist_layout_count(ist_layout_target(made)), IST_COUNT_OPEN);
    expect_refused(ist_layout_address_to(arena, NULL, &made), IST_E_ARGUMENT);
}

/* ---- Vectors ---- */

typedef int32_t vector_of_int __attribute__((vector_size(16)));
typedef double vector_of_double __attribute__((vector_size(64)));

static void vectors(void **state)
{
    (void)state;
    const ist_layout *vector;
    expect_ok(ist_layout_vector(arena, of_int(), 4, &vector));
    expect(ist_layout_kind_of(vector) == IST_LAYOUT_VECTOR);
    expect_size(ist_layout_size(vector), sizeof(vector_of_int));
    expect_size(ist_layout_alignment(vector), _Alignof(vector_of_int));
    expect_size(ist_layout_count(vector), 4);
    expect(ist_layout_equals(ist_layout_element(vector), of_int(), 0));
    expect(ist_layout_type(vector) == IST_TYPE_NONE);
    expect(ist_layout_is_complete(vector));
    expect_ok(ist_layout_vector(arena, ist_layout_of(IST_TYPE_DOUBLE), 8, &vector));
    expect_size(ist_layout_size(vector), sizeof(vector_of_double));
    /* GCC's _Alignof stops at the widest register that the code may use; where the members of structs lie, it does not. */
    struct probe {
        char before;
        vector_of_double vector;
    };
    expect_size(ist_layout_alignment(vector), offsetof(struct probe, vector));
}

/* Every element type and count: of 8, 16, 32 or 64 bytes altogether, or refused. */
static void vectors_of_every_size(void **state)
{
    (void)state;
    static const ist_type elements[] = { IST_TYPE_CHAR,  IST_TYPE_SCHAR, IST_TYPE_UCHAR, IST_TYPE_SHORT,
                                         IST_TYPE_USHORT, IST_TYPE_INT,  IST_TYPE_UINT,  IST_TYPE_LONG,
                                         IST_TYPE_ULONG, IST_TYPE_LLONG, IST_TYPE_ULLONG, IST_TYPE_FLOAT,
                                         IST_TYPE_DOUBLE };
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        const ist_layout *element = ist_layout_of(elements[i]), *made;
        for (size_t count = 0; count < 130; count++) {
            size_t size = count * ist_layout_size(element);
            bool legal = size == 8 || size == 16 || size == 32 || size == 64;
            test_context("%zu of type %d", count, (int)elements[i]);
            if (!legal) {
                expect_refused(ist_layout_vector(arena, element, count, &made), IST_E_LAYOUT);
                continue;
            }
            expect_ok(ist_layout_vector(arena, element, count, &made));
            expect_size(ist_layout_size(made), size);
            expect_size(ist_layout_alignment(made), size);
            expect_size(ist_layout_count(made), count);
        }
    }
}

static void no_vectors(void **state)
{
    (void)state;
    static const ist_type others[] = { IST_TYPE_BOOL, IST_TYPE_LONG_DOUBLE, IST_TYPE_COMPLEX_FLOAT,
                                       IST_TYPE_COMPLEX_DOUBLE, IST_TYPE_ADDRESS };
    const ist_layout *made;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const ist_layout *element = ist_layout_of(others[i]);
        test_context("type %d", (int)others[i]);
        expect_refused(ist_layout_vector(arena, element, 32 / ist_layout_size(element), &made), IST_E_LAYOUT);
    }
    expect_refused(ist_layout_vector(arena, sequence(2, of_int()), 2, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_vector(arena, NULL, 2, &made), IST_E_ARGUMENT);
    /* Neither a product that wraps to 16 nor one that does not. */
    made = untouched;
    ist_status status = ist_layout_vector(arena, of_int(), (SIZE_MAX >> 2) + 5, &made);
    expect(status == IST_E_LAYOUT || status == IST_E_OVERFLOW);
    status = ist_layout_vector(arena, of_int(), IST_COUNT_OPEN, &made);
    expect(status == IST_E_LAYOUT || status == IST_E_OVERFLOW);
    expect(made == untouched);
}

/* ---- Enumerations ---- */

static void enumerations(void **state)
{
    (void)state;
    char red[] = "red", tag[] = "color";
    ist_enumerator names[] = { { red, 1 }, { "green", -2 }, { "blue", INT64_MAX }, { "min", INT64_MIN } };
    const ist_layout *color;
    expect_ok(ist_layout_enum(arena, tag, ist_layout_of(IST_TYPE_LONG), names, 4, &color));
    red[0] = tag[0] = 'X'; /* Both were copied. */
    names[0].value = 7;
    expect(ist_layout_kind_of(color) == IST_LAYOUT_VALUE);
    expect(ist_layout_type(color) == IST_TYPE_LONG);
    expect_size(ist_layout_size(color), sizeof(long));
    expect_size(ist_layout_alignment(color), _Alignof(long));
    expect(has_name(color, "color"));
    expect_size(ist_layout_count(color), 4);
    static const ist_enumerator wanted[] = { { "red", 1 }, { "green", -2 }, { "blue", INT64_MAX }, { "min", INT64_MIN } };
    for (size_t i = 0; i < 4; i++) {
        ist_enumerator got;
        expect_ok(ist_layout_enumerator(color, i, &got));
        expect(strcmp(got.name, wanted[i].name) == 0 && got.value == wanted[i].value);
    }
    ist_enumerator kept = { "kept", 5 };
    expect_status(ist_layout_enumerator(color, 4, &kept), IST_E_BOUNDS);
    expect_status(ist_layout_enumerator(color, SIZE_MAX, &kept), IST_E_BOUNDS);
    expect_status(ist_layout_enumerator(of_int(), 0, &kept), IST_E_BOUNDS);
    expect_status(ist_layout_enumerator(NULL, 0, &kept), IST_E_ARGUMENT);
    expect(strcmp(kept.name, "kept") == 0 && kept.value == 5);
    expect_status(ist_layout_enumerator(color, 0, NULL), IST_E_ARGUMENT);
}

static void enumerations_of_other_sorts(void **state)
{
    (void)state;
    const ist_layout *made;
    ist_enumerator one = { "one", 1 }, nameless = { NULL, 1 };
    for (size_t i = 0; i < SCALARS; i++) {
        const ist_layout *type = ist_layout_of(scalars[i].type);
        test_context("type %d", (int)scalars[i].type);
        bool integer = scalars[i].type >= IST_TYPE_CHAR && scalars[i].type <= IST_TYPE_ULLONG;
        if (integer) {
            expect_ok(ist_layout_enum(arena, NULL, type, &one, 1, &made));
            expect(ist_layout_type(made) == scalars[i].type && ist_layout_name(made) == NULL);
        } else if (scalars[i].type >= IST_TYPE_FLOAT16) {
            expect_refused(ist_layout_enum(arena, NULL, type, &one, 1, &made), IST_E_LAYOUT);
        }
    }
    expect_ok(ist_layout_enum(arena, "none", of_int(), NULL, 0, &made));
    expect_size(ist_layout_count(made), 0);
    expect_refused(ist_layout_enum(arena, "e", sequence(1, of_int()), &one, 1, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_enum(arena, "e", NULL, &one, 1, &made), IST_E_ARGUMENT);
    expect_refused(ist_layout_enum(arena, "e", of_int(), NULL, 1, &made), IST_E_ARGUMENT);
    expect_refused(ist_layout_enum(arena, "e", of_int(), &nameless, 1, &made), IST_E_ARGUMENT);
}

/* ---- Padding ---- */

static void padding(void **state)
{
    (void)state;
    const ist_layout *made;
    static const size_t sizes[] = { 1, 2, 3, 16, 1000001, PTRDIFF_MAX };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        expect_ok(ist_layout_padding(arena, sizes[i], &made));
        expect(ist_layout_kind_of(made) == IST_LAYOUT_PADDING);
        expect_size(ist_layout_size(made), sizes[i]);
        expect_size(ist_layout_alignment(made), 1);
        expect(ist_layout_type(made) == IST_TYPE_NONE && ist_layout_element(made) == NULL);
        expect(ist_layout_is_complete(made));
    }
    expect_refused(ist_layout_padding(arena, 0, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_padding(arena, (size_t)PTRDIFF_MAX + 1, &made), IST_E_OVERFLOW);
    expect_refused(ist_layout_padding(arena, SIZE_MAX, &made), IST_E_OVERFLOW);
}

/* ---- Sequences ---- */

static void sequences(void **state)
{
    (void)state;
    const ist_layout *made = sequence(3, of_int()), *nested = sequence(5, made);
    expect(ist_layout_kind_of(made) == IST_LAYOUT_SEQUENCE);
    expect_size(ist_layout_size(made), sizeof(int[3]));
    expect_size(ist_layout_alignment(made), _Alignof(int[3]));
    expect_size(ist_layout_count(made), 3);
    expect(ist_layout_equals(ist_layout_element(made), of_int(), 0));
    expect(ist_layout_type(made) == IST_TYPE_NONE && ist_layout_target(made) == NULL);
    expect(ist_layout_is_complete(made));
    expect_size(ist_layout_size(nested), sizeof(int[5][3]));
    expect_size(ist_layout_count(nested), 5);
    expect_size(ist_layout_count(ist_layout_element(nested)), 3);
    made = sequence(0, of_int());
    expect_size(ist_layout_size(made), 0);
    expect_size(ist_layout_alignment(made), _Alignof(int));
    expect_size(ist_layout_count(made), 0);
    made = sequence(IST_COUNT_OPEN, of_int());
    expect_size(ist_layout_size(made), 0);
    expect_size(ist_layout_count(made), IST_COUNT_OPEN);
    ist_member_info info = { .size = sizeof info };
    expect_status(ist_layout_member(nested, 0, &info), IST_E_BOUNDS); /* Elements are no members. */
}

static void sequences_that_are_none(void **state)
{
    (void)state;
    const ist_layout *made;
    expect_refused(ist_layout_sequence(arena, 3, NULL, &made), IST_E_ARGUMENT);
    /* A size that is no multiple of the alignment: the second element would be misaligned. */
    expect_refused(ist_layout_sequence(arena, 3, aligned(of_int(), 8), &made), IST_E_LAYOUT);
    expect_refused(ist_layout_sequence(arena, 1, aligned(of_int(), 8), &made), IST_E_LAYOUT);
    /* An array of arrays without end: C11 6.7.6.2 wants complete elements. */
    expect_refused(ist_layout_sequence(arena, 3, sequence(IST_COUNT_OPEN, of_int()), &made), IST_E_LAYOUT);
    expect_refused(ist_layout_sequence(arena, IST_COUNT_OPEN, sequence(IST_COUNT_OPEN, of_int()), &made), IST_E_LAYOUT);
}

static void sizes_at_the_edge(void **state)
{
    (void)state;
    const ist_layout *made, *byte = ist_layout_of(IST_TYPE_CHAR);
    expect_size(ist_layout_size(sequence(PTRDIFF_MAX, byte)), PTRDIFF_MAX);
    expect_refused(ist_layout_sequence(arena, (size_t)PTRDIFF_MAX + 1, byte, &made), IST_E_OVERFLOW);
    expect_refused(ist_layout_sequence(arena, SIZE_MAX - 1, byte, &made), IST_E_OVERFLOW);
    size_t most = (size_t)PTRDIFF_MAX / sizeof(int);
    expect_size(ist_layout_size(sequence(most, of_int())), most * sizeof(int));
    expect_refused(ist_layout_sequence(arena, most + 1, of_int(), &made), IST_E_OVERFLOW);
    expect_refused(ist_layout_sequence(arena, ((size_t)1 << 62) + 1, of_int(), &made), IST_E_OVERFLOW); /* Wraps to 4. */
    const ist_layout *row = sequence((size_t)1 << 32, of_int());
    expect_refused(ist_layout_sequence(arena, (size_t)1 << 32, row, &made), IST_E_OVERFLOW);
    /* Nothing is too much of nothing. */
    expect_size(ist_layout_size(sequence(SIZE_MAX - 1, sequence(0, of_int()))), 0);
}

/* ---- Changed in one thing ---- */

static void names(void **state)
{
    (void)state;
    char name[] = "count";
    const ist_layout *count = named(of_int(), name), *made;
    name[0] = 'X';
    expect(has_name(count, "count"));
    expect(ist_layout_name(of_int()) == NULL);
    expect(ist_layout_type(count) == IST_TYPE_INT);
    expect_size(ist_layout_size(count), sizeof(int));
    expect(has_name(named(count, NULL), NULL));
    expect(has_name(named(count, ""), ""));
    expect(has_name(count, "count"));
    expect(has_name(named(sequence(3, of_int()), "three"), "three"));
    expect_size(ist_layout_count(named(sequence(3, of_int()), "three")), 3);
    expect_refused(ist_layout_with_name(arena, NULL, "x", &made), IST_E_ARGUMENT);
    static char longest[100001];
    memset(longest, 'n', sizeof longest - 1);
    expect(has_name(named(of_int(), longest), longest));
    ist_enumerator one = { "one", 1 };
    expect_ok(ist_layout_enum(arena, "e", of_int(), &one, 1, &made));
    expect_size(ist_layout_count(named(made, "f")), 1);
}

static void alignments(void **state)
{
    (void)state;
    const ist_layout *made;
    for (unsigned shift = 0; shift < 40; shift++) {
        made = aligned(of_int(), (size_t)1 << shift);
        expect_size(ist_layout_alignment(made), (size_t)1 << shift);
        expect_size(ist_layout_size(made), sizeof(int));
    }
    static const size_t bad[] = { 0, 3, 6, 24, SIZE_MAX, ((size_t)1 << 63) + 1 };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_refused(ist_layout_with_alignment(arena, of_int(), bad[i], &made), IST_E_ARGUMENT);
    expect_refused(ist_layout_with_alignment(arena, NULL, 8, &made), IST_E_ARGUMENT);
    const ist_layout *ints = sequence(3, of_int());
    expect_size(ist_layout_alignment(aligned(ints, 64)), 64);
    expect_size(ist_layout_size(aligned(ints, 64)), sizeof(int[3]));
    expect_size(ist_layout_alignment(aligned(aligned(ints, 64), 4)), 4);
    expect_refused(ist_layout_with_alignment(arena, ints, 2, &made), IST_E_LAYOUT);
    expect_size(ist_layout_alignment(sequence(3, aligned(of_int(), 1))), 1);
    /* An element of a larger size than alignment may stand at any of its multiples. */
    expect_size(ist_layout_size(sequence(3, aligned(of_int(), 2))), sizeof(int[3]));
}

static void orders(void **state)
{
    (void)state;
    const ist_layout *made, *vector;
    for (size_t i = 0; i < SCALARS; i++) {
        const ist_layout *value = ist_layout_of(scalars[i].type);
        expect_ok(ist_layout_with_order(arena, value, IST_ORDER_BIG, &made));
        expect(ist_layout_order(made) == IST_ORDER_BIG && ist_layout_order(value) == IST_ORDER_NATIVE);
        expect(ist_layout_type(made) == scalars[i].type);
        expect(!ist_layout_equals(made, value, 1));
        expect_ok(ist_layout_with_order(arena, made, IST_ORDER_LITTLE, &made));
        expect(ist_layout_equals(made, value, 0));
    }
    expect_ok(ist_layout_vector(arena, of_int(), 4, &vector));
    expect_ok(ist_layout_with_order(arena, vector, IST_ORDER_BIG, &made));
    expect(ist_layout_order(made) == IST_ORDER_BIG);
    expect_size(ist_layout_count(made), 4);
    expect(!ist_layout_equals(made, vector, 1));
    expect_refused(ist_layout_with_order(arena, sequence(3, of_int()), IST_ORDER_BIG, &made), IST_E_LAYOUT);
    const ist_layout *gap, *empty;
    expect_ok(ist_layout_padding(arena, 3, &gap));
    expect_refused(ist_layout_with_order(arena, gap, IST_ORDER_BIG, &made), IST_E_LAYOUT);
    expect_ok(ist_layout_struct(arena, NULL, NULL, 0, &empty));
    expect_refused(ist_layout_with_order(arena, empty, IST_ORDER_BIG, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_with_order(arena, NULL, IST_ORDER_BIG, &made), IST_E_ARGUMENT);
    expect_refused(ist_layout_with_order(arena, of_int(), (ist_order)0, &made), IST_E_ARGUMENT);
    expect_refused(ist_layout_with_order(arena, of_int(), (ist_order)3, &made), IST_E_ARGUMENT);
}

/* ---- Dimensions ---- */

enum { MOST_DIMENSIONS = 4 };

static const ist_layout *of_dimensions(const size_t *dimensions, size_t count)
{
    const ist_layout *made = of_int();
    for (size_t i = count; i > 0; i--)
        made = sequence(dimensions[i - 1], made);
    return made;
}

#define REST IST_COUNT_OPEN

/* 4 x 3 elements in other dimensions; the numbers are those of FFM's reshape() and of multiplication. */
static void reshaping(void **state)
{
    (void)state;
    static const struct {
        size_t count, dimensions[MOST_DIMENSIONS], wanted[MOST_DIMENSIONS];
    } cases[] = {
        { 2, { 2, 6 }, { 2, 6 } },
        { 2, { REST, 6 }, { 2, 6 } },
        { 2, { 2, REST }, { 2, 6 } },
        { 2, { 3, 4 }, { 3, 4 } },
        { 1, { 12 }, { 12 } },
        { 1, { REST }, { 12 } },
        { 3, { 2, REST, 2 }, { 2, 3, 2 } },
        { 4, { 1, 12, 1, REST }, { 1, 12, 1, 1 } },
        { 2, { 12, REST }, { 12, 1 } },
    };
    const ist_layout *source = sequence(4, sequence(3, of_int())), *made;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_context("case %zu", i);
        expect_ok(ist_layout_reshape(arena, source, cases[i].dimensions, cases[i].count, &made));
        expect(ist_layout_equals(made, of_dimensions(cases[i].wanted, cases[i].count), 0));
        expect_size(ist_layout_size(made), sizeof(int[4][3]));
    }
    expect_size(ist_layout_count(source), 4);
}

static void reshaping_to_what_does_not_fit(void **state)
{
    (void)state;
    static const struct {
        size_t count, dimensions[MOST_DIMENSIONS];
    } cases[] = {
        { 2, { 2, 5 } },     { 1, { 11 } },           { 2, { REST, REST } }, { 2, { REST, 5 } },
        { 2, { REST, 13 } }, { 2, { 0, REST } },      { 2, { REST, 0 } },    { 1, { 0 } },
        { 2, { 0, 12 } },    { 3, { 3, REST, REST } },
        /* Products that come to 12 modulo 2^64. */
        { 3, { (size_t)1 << 32, (size_t)1 << 32, 12 } },
        { 2, { 4, (((size_t)1 << 62) + 3) } },
    };
    const ist_layout *source = sequence(4, sequence(3, of_int())), *made;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_context("case %zu", i);
        made = untouched;
        ist_status status = ist_layout_reshape(arena, source, cases[i].dimensions, cases[i].count, &made);
        ist_status other = i == 2 || i == 9 ? IST_E_ARGUMENT : i >= 10 ? IST_E_OVERFLOW : IST_E_LAYOUT;
        expect(status == IST_E_LAYOUT || status == other);
        expect(made == untouched);
    }
    static const size_t twelve = 12;
    expect_refused(ist_layout_reshape(arena, of_int(), &twelve, 1, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_reshape(arena, sequence(IST_COUNT_OPEN, of_int()), &twelve, 1, &made), IST_E_LAYOUT);
    expect_refused(ist_layout_reshape(arena, source, NULL, 1, &made), IST_E_ARGUMENT);
    expect_refused(ist_layout_reshape(arena, NULL, &twelve, 1, &made), IST_E_ARGUMENT);
    made = untouched;
    ist_status status = ist_layout_reshape(arena, source, &twelve, 0, &made);
    expect((status == IST_E_LAYOUT || status == IST_E_ARGUMENT) && made == untouched);
}

static void flattening(void **state)
{
    (void)state;
    const ist_layout *made;
    expect_ok(ist_layout_flatten(arena, sequence(4, sequence(3, of_int())), &made));
    expect(ist_layout_equals(made, sequence(12, of_int()), 0));
    expect_ok(ist_layout_flatten(arena, sequence(2, sequence(3, sequence(5, sequence(7, of_int())))), &made));
    expect(ist_layout_equals(made, sequence(210, of_int()), 0));
    expect_ok(ist_layout_flatten(arena, sequence(9, of_int()), &made));
    expect(ist_layout_equals(made, sequence(9, of_int()), 0));
    expect_ok(ist_layout_flatten(arena, sequence(4, sequence(0, of_int())), &made));
    expect_size(ist_layout_count(made), 0);
    expect_refused(ist_layout_flatten(arena, of_int(), &made), IST_E_LAYOUT);
    expect_refused(ist_layout_flatten(arena, NULL, &made), IST_E_ARGUMENT);
}

/* ---- Asking ---- */

static void asking_nothing(void **state)
{
    (void)state;
    expect(ist_layout_kind_of(NULL) == 0);
    expect(ist_layout_type(NULL) == IST_TYPE_NONE);
    expect_size(ist_layout_size(NULL), 0);
    expect_size(ist_layout_count(NULL), 0);
    expect(ist_layout_name(NULL) == NULL);
    expect(!ist_layout_is_complete(NULL));
    expect(ist_layout_element(NULL) == NULL);
    expect(ist_layout_target(NULL) == NULL);
    expect(ist_layout_function(NULL) == NULL);
    (void)ist_layout_alignment(NULL); /* Whatever they say, they say something. */
    (void)ist_layout_order(NULL);
    expect(!ist_layout_equals(NULL, of_int(), 0) && !ist_layout_equals(of_int(), NULL, 0));
    ist_member_info info = { .size = sizeof info };
    expect_status(ist_layout_member(NULL, 0, &info), IST_E_ARGUMENT);
}

/* Equality in one thing at a time: each of these differs from each other in exactly what its line says. */
static void equality(void **state)
{
    (void)state;
    const ist_layout *gap, *more, *vector, *longer, *pointer, *wider, *enumeration, *other, *swapped, *value;
    ist_enumerator one = { "one", 1 }, two = { "one", 2 };
    expect_ok(ist_layout_padding(arena, 4, &gap));
    expect_ok(ist_layout_padding(arena, 8, &more));
    expect_ok(ist_layout_vector(arena, of_int(), 4, &vector));
    expect_ok(ist_layout_vector(arena, of_int(), 8, &longer));
    expect_ok(ist_layout_address_to(arena, of_int(), &pointer));
    expect_ok(ist_layout_address_to(arena, ist_layout_of(IST_TYPE_LONG), &wider));
    expect_ok(ist_layout_enum(arena, NULL, of_int(), &one, 1, &enumeration));
    expect_ok(ist_layout_enum(arena, NULL, of_int(), &two, 1, &other));
    expect_ok(ist_layout_with_order(arena, of_int(), IST_ORDER_BIG, &swapped));
    value = aligned(of_int(), 2);
    const ist_layout *all[] = {
        of_int(), ist_layout_of(IST_TYPE_UINT), ist_layout_of(IST_TYPE_LONG), ist_layout_of(IST_TYPE_LLONG),
        ist_layout_of(IST_TYPE_CHAR), ist_layout_of(IST_TYPE_SCHAR), swapped, value, gap, more, vector, longer,
        sequence(4, of_int()), sequence(5, of_int()), sequence(IST_COUNT_OPEN, of_int()), sequence(0, of_int()),
        sequence(4, ist_layout_of(IST_TYPE_UINT)), aligned(sequence(4, of_int()), 8), sequence(4, swapped),
        pointer, wider, ist_layout_of(IST_TYPE_ADDRESS), enumeration,
    };
    enum { ALL = sizeof all / sizeof all[0] };
    for (size_t i = 0; i < ALL; i++) {
        for (size_t j = 0; j < ALL; j++) {
            test_context("%zu and %zu", i, j);
            if (all[i] == enumeration && all[j] == of_int())
                continue; /* The same but for its names. */
            if (all[j] == enumeration && all[i] == of_int())
                continue;
            expect(!ist_layout_equals(all[i], all[j], 0) == (i != j));
            expect(!ist_layout_equals(all[i], all[j], 1) == (i != j));
        }
    }
    expect(ist_layout_equals(other, other, 0));
    const ist_layout *x = named(of_int(), "x"), *y = named(of_int(), "y");
    expect(!ist_layout_equals(x, y, 0) && ist_layout_equals(x, y, 1));
    expect(!ist_layout_equals(x, of_int(), 0) && ist_layout_equals(x, of_int(), 1));
    expect(ist_layout_equals(x, named(y, "x"), 0));
    expect(!ist_layout_equals(sequence(2, x), sequence(2, y), 0) && ist_layout_equals(sequence(2, x), sequence(2, y), 1));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        layout_test(scalars_are_those_of_the_compiler),
        layout_test(other_values_are_no_types),
        layout_test(pointers),
        layout_test(vectors),
        layout_test(vectors_of_every_size),
        layout_test(no_vectors),
        layout_test(enumerations),
        layout_test(enumerations_of_other_sorts),
        layout_test(padding),
        layout_test(sequences),
        layout_test(sequences_that_are_none),
        layout_test(sizes_at_the_edge),
        layout_test(names),
        layout_test(alignments),
        layout_test(orders),
        layout_test(reshaping),
        layout_test(reshaping_to_what_does_not_fit),
        layout_test(flattening),
        layout_test(asking_nothing),
        layout_test(equality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
