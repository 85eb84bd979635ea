/* SPDX-License-Identifier: MIT */
/*
 * C text: what the compiler makes of a declaration and what the library makes of it. Each is written once, compiled here
 * and given to the library as text; sizes, alignments, offsets and values that are expected are the compiler's.
 */
#include "text.h"

/* What is odd about these texts is what they are for. */
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wmultichar"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Woverflow"
#pragma GCC diagnostic ignored "-Wdiv-by-zero"

/* Declares as C what is the text `name_text` as well. */
#define DECLARED(name, ...)                                                                        \
    __VA_ARGS__;                                                                                   \
    static const char name##_text[] = #__VA_ARGS__

/* ---- Scalars ---- */

#define SCALAR(...) { #__VA_ARGS__, sizeof(__VA_ARGS__), _Alignof(__VA_ARGS__) }

enum scalar_enum { SCALAR_A };

static void every_scalar(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size, alignment;
    } cases[] = {
        SCALAR(char), SCALAR(signed char), SCALAR(char unsigned), SCALAR(short), SCALAR(int short signed),
        SCALAR(unsigned short int), SCALAR(int), SCALAR(signed), SCALAR(unsigned), SCALAR(const unsigned volatile int),
        SCALAR(long), SCALAR(long int), SCALAR(int unsigned long), SCALAR(long long), SCALAR(long unsigned int long),
        SCALAR(__int128), SCALAR(unsigned __int128), SCALAR(float), SCALAR(double), SCALAR(long double),
        SCALAR(double long), SCALAR(_Bool), SCALAR(float _Complex), SCALAR(_Complex double), 
        SCALAR(long _Complex double), SCALAR(__signed__ char), SCALAR(_Atomic int), SCALAR(_Atomic(long)),
        SCALAR(void *), SCALAR(int *const *volatile), SCALAR(int (*)(void)), SCALAR(char[7]), SCALAR(int[3][5]),
        SCALAR(double (*[4])(int, int (*)[3])), SCALAR(size_t), SCALAR(int_fast16_t), SCALAR(uint_least8_t),
        SCALAR(ptrdiff_t), SCALAR(max_align_t), SCALAR(bool), SCALAR(wchar_t), SCALAR(__builtin_va_list),
        { "enum scalar_enum { SCALAR_A }", sizeof(enum scalar_enum), _Alignof(enum scalar_enum) }, SCALAR(__typeof__(int[3])), SCALAR(__typeof__(1 ? 2L : 3)), SCALAR(__typeof__("abc")),
#if defined(__x86_64__) && !defined(__clang__)
        SCALAR(__float128), SCALAR(_Float16),
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const ist_layout *layout = parsed(cases[i].text);
        expect_size(ist_layout_size(layout), cases[i].size);
        expect_size(ist_layout_alignment(layout), cases[i].alignment);
    }
}

static void scalars_by_type(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        ist_type type;
    } cases[] = {
        { "int", IST_TYPE_INT },
        { "long unsigned", IST_TYPE_ULONG },
        { "long long unsigned", IST_TYPE_ULLONG },
        { "signed char", IST_TYPE_SCHAR },
        { "char", IST_TYPE_CHAR },
        { "_Float32", IST_TYPE_FLOAT },
        { "_Float64", IST_TYPE_DOUBLE },
        { "_Float32x", IST_TYPE_DOUBLE },
        { "_Float64x", IST_TYPE_LONG_DOUBLE },
        { "_Float128", IST_TYPE_FLOAT128 },
        { "__float128 _Complex", IST_TYPE_COMPLEX_FLOAT128 },
        { "_Complex _Float32", IST_TYPE_COMPLEX_FLOAT },
        { "_Complex", IST_TYPE_COMPLEX_DOUBLE },
        { "__int128_t", IST_TYPE_INT128 },
        { "typedef unsigned t __attribute__((mode(DI)))", IST_TYPE_ULONG },
        { "typedef int t __attribute__((__mode__(__QI__)))", IST_TYPE_SCHAR },
        { "typedef _Complex float t __attribute__((mode(TC)))", IST_TYPE_COMPLEX_FLOAT128 },
        { "void *", IST_TYPE_ADDRESS },
        { "int8_t", IST_TYPE_I8 },
        { "uint64_t", IST_TYPE_U64 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect(ist_layout_type(parsed(cases[i].text)) == cases[i].type);
    expect(ist_layout_equals(parsed("void *"), ist_layout_of(IST_TYPE_ADDRESS), 0));
}

/* ---- Structs and unions ---- */

DECLARED(plain, struct plain { char c; long l; short s; double d[3]; char end; });
DECLARED(nested, struct nested {
    int count;
    struct { short id; char tag[6]; } label;
    union { long whole; struct { int low, high; }; };
    struct nested *next, *(*make)(struct nested *);
    enum { RED_, GREEN_ } colour;
});
DECLARED(packed, struct __attribute__((packed)) packed { char c; long l; short s; struct { char q; int r; } in; });
DECLARED(mixed, struct mixed {
    char c;
    int odd __attribute__((packed));
    char far __attribute__((aligned(32)));
    _Alignas(16) char as;
    _Alignas(double) char as_double;
    short last __attribute__((aligned));
});
DECLARED(raised, struct raised { int i; char c; } __attribute__((aligned(64), packed)));
DECLARED(open, struct open { long n; char tail[]; });
DECLARED(one_of, union one_of { char c[5]; int i; long double l; });
DECLARED(vectors, struct vectors { char c; float v __attribute__((vector_size(16))); char d; });
DECLARED(counted, enum { COUNT_ = 3 }; struct counted { char a[COUNT_ * 2 - 1]; short b[sizeof(long) / 2][COUNT_]; });
DECLARED(lowered, typedef int low_int __attribute__((aligned(1))); typedef long high_long __attribute__((aligned(32)));
         struct lowered { char c; low_int i; char d; high_long l; char e; });
DECLARED(atomics, struct three { char c[4]; }; struct atomics { char c; _Atomic struct three t; _Atomic(short) s; });
#pragma pack(push, 2)
struct tight { char c; long l; struct { char q; double d; } in; };
#pragma pack(pop)
static const char tight_text[] = "#pragma pack(push, 2)\n"
                                 "struct tight { char c; long l; struct { char q; double d; } in; };\n"
                                 "#pragma pack(pop)\n";

typedef struct member_case {
    const char *name;
    size_t offset, size;
} member_case;
#define MEMBER(type, member) { #member, offsetof(type, member), sizeof(((type *)0)->member) }
#define OPEN_MEMBER(type, member) { #member, offsetof(type, member), 0 }

typedef struct group_case {
    const char *text;
    size_t size, alignment, count;
    member_case members[8];
} group_case;
#define GROUP(of, type, members_of_it, ...) { of##_text, sizeof(type), _Alignof(type), members_of_it, { __VA_ARGS__ } }

static const group_case groups[] = {
    GROUP(plain, struct plain, 5, MEMBER(struct plain, c), MEMBER(struct plain, l), MEMBER(struct plain, s),
          MEMBER(struct plain, d), MEMBER(struct plain, end)),
    GROUP(nested, struct nested, 6, MEMBER(struct nested, count), MEMBER(struct nested, label),
          { NULL, offsetof(struct nested, whole), 8 }, MEMBER(struct nested, next), MEMBER(struct nested, make),
          MEMBER(struct nested, colour)),
    GROUP(packed, struct packed, 4, MEMBER(struct packed, c), MEMBER(struct packed, l), MEMBER(struct packed, s),
          MEMBER(struct packed, in)),
    GROUP(mixed, struct mixed, 6, MEMBER(struct mixed, c), MEMBER(struct mixed, odd), MEMBER(struct mixed, far),
          MEMBER(struct mixed, as), MEMBER(struct mixed, as_double), MEMBER(struct mixed, last)),
    GROUP(raised, struct raised, 2, MEMBER(struct raised, i), MEMBER(struct raised, c)),
    GROUP(open, struct open, 2, MEMBER(struct open, n), OPEN_MEMBER(struct open, tail)),
    GROUP(one_of, union one_of, 3, MEMBER(union one_of, c), MEMBER(union one_of, i), MEMBER(union one_of, l)),
    GROUP(vectors, struct vectors, 3, MEMBER(struct vectors, c), MEMBER(struct vectors, v), MEMBER(struct vectors, d)),
    GROUP(counted, struct counted, 2, MEMBER(struct counted, a), MEMBER(struct counted, b)),
    GROUP(lowered, struct lowered, 5, MEMBER(struct lowered, c), MEMBER(struct lowered, i), MEMBER(struct lowered, d),
          MEMBER(struct lowered, l), MEMBER(struct lowered, e)),
    GROUP(atomics, struct atomics, 3, MEMBER(struct atomics, c), MEMBER(struct atomics, t), MEMBER(struct atomics, s)),
    GROUP(tight, struct tight, 3, MEMBER(struct tight, c), MEMBER(struct tight, l), MEMBER(struct tight, in)),
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

static void expect_group(const ist_layout *layout, const group_case *wanted)
{
    expect_size(ist_layout_size(layout), wanted->size);
    expect_size(ist_layout_alignment(layout), wanted->alignment);
    expect_size(ist_layout_count(layout), wanted->count);
    for (size_t i = 0; i < wanted->count; i++) {
        ist_member_info member = { .size = sizeof member };
        expect_ok(ist_layout_member(layout, i, &member));
        expect_size(member.offset, wanted->members[i].offset);
        expect_size(ist_layout_size(member.layout), wanted->members[i].size);
        expect((member.name == NULL) == (wanted->members[i].name == NULL));
        expect(member.name == NULL || strcmp(member.name, wanted->members[i].name) == 0);
    }
}

static void groups_as_compiled(void **state)
{
    (void)state;
    for (size_t i = 0; i < GROUPS; i++)
        expect_group(parsed(groups[i].text), &groups[i]);
}

/* ---- Bit-fields: the compiler shows them by the bits that a value sets ---- */

DECLARED(bits, struct bits {
    unsigned a : 3;
    unsigned : 0;
    long b : 40;
    _Bool c : 1;
    signed char d : 7;
    unsigned e : 31 __attribute__((packed));
    int : 5;
    enum { LOW_, TOP_ = 6 } f : 3;
    short g;
    unsigned long long h : 64;
});

#define SHOWN(object, member)                                                                      \
    do {                                                                                           \
        memset(&object, 0, sizeof object);                                                         \
        object.member = -1;                                                                        \
        expect_bits(layout, #member, (const unsigned char *)&object, sizeof object);               \
    } while (0)

/* The first bit that is set, and how many are. */
static void expect_bits(const ist_layout *layout, const char *name, const unsigned char *bytes, size_t size)
{
    ist_member_info member = { .size = sizeof member };
    size_t first = SIZE_MAX, count = 0, index = 0;
    for (size_t bit = 0; bit < size * 8; bit++) {
        if (!(bytes[bit / 8] >> bit % 8 & 1))
            continue;
        first = first == SIZE_MAX ? bit : first;
        count++;
    }
    do
        expect_ok(ist_layout_member(layout, index++, &member));
    while (member.name == NULL || strcmp(member.name, name) != 0);
    test_context("bit-field %s", name);
    expect_size(member.bit_offset, first);
    expect_size(member.offset, first / 8);
    expect_size(member.bits, count);
}

static void bit_fields_as_compiled(void **state)
{
    (void)state;
    const ist_layout *layout = parsed(bits_text);
    struct bits object;
    SHOWN(object, a);
    SHOWN(object, b);
    SHOWN(object, d);
    SHOWN(object, e);
    SHOWN(object, h);
    memset(&object, 0, sizeof object);
    object.c = 1;
    expect_bits(layout, "c", (const unsigned char *)&object, sizeof object);
    memset(&object, 0, sizeof object);
    object.f = TOP_ | 1;
    expect_bits(layout, "f", (const unsigned char *)&object, sizeof object);
    expect_size(ist_layout_size(layout), sizeof(struct bits));
    expect_size(ist_layout_alignment(layout), _Alignof(struct bits));
}

/* ---- Enumerations ---- */

DECLARED(small, enum small { SMALL_A, SMALL_B = 200 });
DECLARED(negative, enum negative { NEGATIVE_A = -1, NEGATIVE_B });
DECLARED(large, enum large { LARGE_A = 1L << 40, LARGE_B = -2 });
DECLARED(unsigned_large, enum unsigned_large { UNSIGNED_A = 0xffffffffffffffff });
DECLARED(unsigned_int, enum unsigned_int { UNSIGNED_INT_A = 0xffffffffu });
DECLARED(packed_enum, enum __attribute__((packed)) packed_enum { PACKED_A = 255 });
DECLARED(packed_short, enum packed_short { PACKED_B = -129, PACKED_C } __attribute__((packed)));

static void enums_as_compiled(void **state)
{
    (void)state;
#define ENUM(of) { of##_text, sizeof(enum of), (enum of)-1 < (enum of)1 }
    static const struct {
        const char *text;
        size_t size;
        bool is_signed;
    } cases[] = { ENUM(small),        ENUM(negative),    ENUM(large),       ENUM(unsigned_large),
                  ENUM(unsigned_int), ENUM(packed_enum), ENUM(packed_short) };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const ist_layout *layout = parsed(cases[i].text);
        ist_type type = ist_layout_type(layout);
        bool is_signed = type == IST_TYPE_INT || type == IST_TYPE_LONG || type == IST_TYPE_SHORT || type == IST_TYPE_SCHAR;
        expect_size(ist_layout_size(layout), cases[i].size);
        expect(is_signed == cases[i].is_signed);
    }
    ist_enumerator enumerator;
    expect_ok(ist_layout_enumerator(parsed(negative_text), 1, &enumerator));
    expect(strcmp(enumerator.name, "NEGATIVE_B") == 0 && enumerator.value == NEGATIVE_B);
}

/* ---- Constants ---- */

struct asked { char c; int a[4]; struct { short s[2][3]; } in; };
#define ASKED "struct asked { char c; int a[4]; struct { short s[2][3]; } in; };"

#define CONSTANT(...) { #__VA_ARGS__, (int64_t)(__VA_ARGS__) }

static void constants_as_compiled(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        CONSTANT(1 + 2 * 3 - 4 / 2 % 3), CONSTANT(-7 / 2), CONSTANT(-7 % 2), CONSTANT(-7 >> 1), CONSTANT(1u - 2 > 0),
        CONSTANT(-1 < 0u), CONSTANT(-1L < 0u), CONSTANT((unsigned char)300), CONSTANT((signed char)200),
        CONSTANT(~0u), CONSTANT(~0), CONSTANT(!5 + !0), CONSTANT(0x7fffffff + 1u), CONSTANT(010 + 0x10 + 0b11),
        CONSTANT(2147483648), CONSTANT(0xffffffff), CONSTANT(sizeof 2147483648), CONSTANT(sizeof 0xffffffff),
        CONSTANT(sizeof 1u), CONSTANT(sizeof 1ull), CONSTANT(sizeof 1.0f), CONSTANT(sizeof 1.0), CONSTANT(sizeof 1e3L),
        CONSTANT('a'), CONSTANT('\n'), CONSTANT('\x41'), CONSTANT('\377'), CONSTANT('ab'), CONSTANT(L'\x1234'),
        CONSTANT(u'a' + U'b'), CONSTANT(sizeof "abc" "de"), CONSTANT(sizeof L"ab"), CONSTANT(sizeof u8"\u00e9"),
        CONSTANT(1 ? 2 : 1 / 0), CONSTANT(0 ? 1 / 0 : 3), CONSTANT(0 && 1 / 0), CONSTANT(1 || 1 % 0), CONSTANT(4 ?: 5),
        CONSTANT(sizeof(1 ? 1 : 2L)), CONSTANT(sizeof((char)1 + (char)1)),
        CONSTANT(1 << 4 | 3 ^ 1 & 7), CONSTANT(3 == 3 != 0 < 1 <= 1), CONSTANT((int)1.9 + (int)-1.9 + (int)1e2),
        CONSTANT((_Bool)0.5), CONSTANT((int)(1.5 + 2.5 * 2)), CONSTANT(_Alignof(double)), CONSTANT(__alignof__(short)),
        CONSTANT(sizeof(struct asked)), CONSTANT(__builtin_offsetof(struct asked, a[3])),
        CONSTANT(offsetof(struct asked, in.s[1][2])), CONSTANT(sizeof(((struct asked *)0)->in.s[0])),
        CONSTANT(sizeof(*((struct asked *)0)->a)), CONSTANT(sizeof(int[3]) / sizeof(int)),
        CONSTANT(sizeof(struct { char c; long l; })), CONSTANT(sizeof(int *)), CONSTANT(sizeof(int (*)[10])),
        CONSTANT((unsigned long)&((struct asked *)0)->a[2]), CONSTANT(sizeof(char (*(*)(void))[3])),
        CONSTANT(__extension__ 5), CONSTANT(-2147483647 - 1), CONSTANT(9223372036854775807), CONSTANT((char)-1 < 0),
        CONSTANT(sizeof(sizeof 1)), CONSTANT(1 << 31), CONSTANT(18446744073709551615u > 0), CONSTANT(sizeof(void)),
    };
    ist_declarations *known;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        int64_t value = 0;
        snprintf(text, sizeof text, ASKED "enum { VALUE = (%s), NEXT };", cases[i].text);
        test_context("%s", text);
        expect_ok(ist_declarations_open(arena, &known));
        expect_ok(ist_declarations_add(known, text));
        expect_ok(ist_declarations_constant(known, "VALUE", &value));
        expect_size(value, cases[i].value);
    }
}

/* ---- Functions ---- */

static const ist_function *function_of(const char *text)
{
    const ist_function *function = NULL;
    test_context("%s", text);
    expect_ok(ist_function_parse(arena, text, &function));
    return function;
}

static void functions(void **state)
{
    (void)state;
    const ist_function *function = function_of("double hypot(double x, double y)");
    expect(strcmp(ist_function_name(function), "hypot") == 0 && ist_function_count(function) == 2);
    expect(ist_function_result(function) == ist_layout_of(IST_TYPE_DOUBLE) && !ist_function_is_variadic(function));
    expect(strcmp(ist_function_parameter_name(function, 1), "y") == 0);

    function = function_of("int (const char *, ..., int, double)");
    expect(ist_function_name(function) == NULL && ist_function_is_variadic(function));
    expect(ist_function_count(function) == 3 && ist_function_fixed_count(function) == 1);
    expect(ist_function_parameter(function, 2) == ist_layout_of(IST_TYPE_DOUBLE));

    function = function_of("extern void f(void) __attribute__((nothrow, nonnull(1))) __asm__(\"g\");");
    expect(ist_function_result(function) == NULL && ist_function_count(function) == 0);
    expect(function_of("int f(...)") != NULL && ist_function_is_variadic(function_of("int f(...)")));
    expect(!ist_function_is_variadic(function_of("int f()")));

    function = function_of("void f(int n, int a[n], char b[static 4], int c[restrict const], int d[*][n], int g(int))");
    expect(ist_function_count(function) == 6);
    for (size_t i = 1; i < 6; i++)
        expect(ist_layout_type(ist_function_parameter(function, i)) == IST_TYPE_ADDRESS);
    expect(ist_layout_target(ist_function_parameter(function, 2)) == ist_layout_of(IST_TYPE_CHAR));
    expect(ist_layout_count(ist_layout_target(ist_function_parameter(function, 4))) == IST_COUNT_OPEN);
    expect(ist_layout_kind_of(ist_layout_target(ist_function_parameter(function, 5))) == IST_LAYOUT_FUNCTION);

    /* C11 6.7.6.3p11: a typedef's name in parentheses is a parameter's type. */
    function = function_of("typedef int t; int f(int (t), t)");
    expect(ist_layout_type(ist_function_parameter(function, 0)) == IST_TYPE_ADDRESS);
    expect(ist_function_parameter_name(function, 0) == NULL);
    function = function_of("typedef int t; int f(int t, unsigned (u))");
    expect(ist_layout_type(ist_function_parameter(function, 1)) == IST_TYPE_UINT);

    /* A transparent union is passed as its first member. */
    function = function_of("typedef union { double d; long l; } u __attribute__((transparent_union)); int f(u x)");
    expect(ist_layout_type(ist_function_parameter(function, 0)) == IST_TYPE_DOUBLE);

    function = function_of("void (*signal(int sig, void (*handler)(int)))(int)");
    expect(ist_layout_type(ist_function_result(function)) == IST_TYPE_ADDRESS);
    function = function_of("typedef int fn(char); fn f;");
    expect(strcmp(ist_function_name(function), "f") == 0 && ist_function_count(function) == 1);

    const ist_function *none = NULL;
    expect_status(ist_function_parse(arena, "int (*f)(int)", &none), IST_E_LAYOUT);
    expect_sentence("line 1, column 1: expected the type of a function");
    expect_status(ist_function_parse(arena, "int f(void, int)", &none), IST_E_LAYOUT);
    expect_status(ist_function_parse(arena, "int f(int)[3]", &none), IST_E_LAYOUT);
    expect(none == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        text_case(every_scalar),           text_case(scalars_by_type), text_case(groups_as_compiled),
        text_case(bit_fields_as_compiled), text_case(enums_as_compiled), text_case(constants_as_compiled),
        text_case(functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
