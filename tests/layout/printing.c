/* SPDX-License-Identifier: MIT */
/*
 * Layouts as text. As C: what was read says the same when it is written and read again, and what was built without C
 * says the same to the reader. As a table: line by line.
 */
#include "text.h"

static char *formatted(const ist_layout *layout, ist_format format)
{
    static char text[16384];
    size_t needed = 0;
    expect_ok(ist_layout_format(layout, format, text, sizeof text, &needed));
    expect_size(needed, strlen(text));
    return text;
}

/* ---- There and back ---- */

static const char *const texts[] = {
    "int", "unsigned char [6]", "int (*)[3]", "void", "void *", "void (*(*)(int, ...))(void)", "struct undefined",
    "struct undefined *", "char *(*[3])(const char *, ..., int)", "int f(int a, char *b)", "int g()", "int h(...)",
    "struct point { double x, y; struct { short id; char tag[6]; } label; }",
    "struct a { struct b { int c; } d; struct b e[2]; struct b *f; }",
    "struct { enum colour { RED, GREEN = 5 } c; enum { X = -1 } d; enum colour e; }",
    "typedef enum { A, B } e; struct { e a; e b; int (*f)(e); } *p",
    "typedef struct { int a; } pair; struct { pair a; pair b[2]; }",
    "struct s { unsigned a : 3, : 0, b : 7; _Bool c : 1; int : 4; long d : 40 __attribute__((packed)); }",
    "struct __attribute__((packed, aligned(4))) s { char c; long l; short t __attribute__((aligned(8))); }",
    "typedef int low __attribute__((aligned(1))); struct { char c; low x; low y[3]; }",
    "typedef struct { int a; } high __attribute__((aligned(32))); typedef high *p; struct { high h; p q; }",
    "typedef float v4 __attribute__((vector_size(16))); struct { v4 a[2]; v4 (*f)(v4); }",
    "typedef char row[3] __attribute__((aligned(4))); struct { char c; row r; }",
    "#pragma pack(push, 2)\nstruct { char c; long l; struct { char q; double d; }; }\n#pragma pack(pop)\n",
    "#pragma pack(2)\ntypedef struct { char c; long l; } in;\n#pragma pack()\nstruct out { in i; char d; in j; }",
    "struct node { struct node *next; union { int i; float f; } value; void (*visit)(struct node *, struct node); }",
    "enum e { LOW = -9223372036854775807 - 1, HIGH = 9223372036854775807 }",
    "enum e { BIG = 0xffffffffffffffff }", "enum __attribute__((packed)) e { SMALL = 255 }",
    "enum e : short { SHORT = -5 }", "struct { char n; double open[]; }", "struct empty { }", "struct { int a[0]; }",
    "struct { _Atomic struct { char c[4]; } a; _Atomic(long) b; _Complex float c; __int128 d; _Float128 e; }",
    "struct { __builtin_va_list l; max_align_t m; }", "typedef int fn(struct q { int a; } *); struct { fn *a; fn *b; }",
    ("typedef int (*f0)(void); typedef f0 (*f1)(f0, f0); typedef f1 (*f2)(f1, f1); typedef f2 (*f3)(f2, f2);"
     "typedef f3 (*f4)(f3, f3); typedef f4 (*f5)(f4, f4); typedef f5 (*f6)(f5, f5)"),
};

static void there_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const ist_layout *layout = parsed(texts[i]), *again = NULL;
        char *text = formatted(layout, IST_FORMAT_C);
        test_context("%s\n%s", texts[i], text);
        expect_ok(ist_layout_parse(arena, text, &again));
        expect(ist_layout_equals(layout, again, 0));
        /* And from there on it stays. */
        char *before = strdup(text);
        expect(strcmp(formatted(again, IST_FORMAT_C), before) == 0);
        free(before);
    }
}

/* What is used twice is declared once: the text is not exponentially longer than the type. */
static void types_that_are_used_twice(void **state)
{
    (void)state;
    char text[8000], *end = text + sprintf(text, "typedef struct { char c; } t0;");
    const ist_layout *layout, *again;
    for (int i = 1; i < 50; i++)
        end += sprintf(end, "typedef struct { t%d a; int x%d; t%d b; } t%d;", i - 1, i, i - 1, i);
    layout = parsed(text);
    char *printed = formatted(layout, IST_FORMAT_C);
    expect(strlen(printed) < 8000);
    expect_ok(ist_layout_parse(arena, printed, &again));
    expect(ist_layout_equals(layout, again, 0));
}

static void functions_there_and_back(void **state)
{
    (void)state;
    static const char *const functions[] = {
        "double hypot(double x, double y)", "int printf(const char *format, ..., int, double)", "void f(void)",
        "int (...)", "void (*signal(int sig, void (*handler)(int)))(int)",
        "struct point { int x, y; }; struct point middle(struct point a, struct point b)",
        "typedef enum { A } e; e f(e a, struct { int b; } *c)",
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const ist_function *function, *again;
        char text[1000], second[1000];
        size_t needed;
        test_context("%s", functions[i]);
        expect_ok(ist_function_parse(arena, functions[i], &function));
        expect_ok(ist_function_format(function, text, sizeof text, &needed));
        expect_size(needed, strlen(text));
        expect_ok(ist_function_parse(arena, text, &again));
        expect_ok(ist_function_format(again, second, sizeof second, NULL));
        expect(strcmp(text, second) == 0);
        expect_size(ist_function_count(again), ist_function_count(function));
        for (size_t j = 0; j < ist_function_count(again); j++)
            expect(ist_layout_equals(ist_function_parameter(again, j), ist_function_parameter(function, j), 0));
    }
}

/* ---- Built without C ---- */

static const ist_layout *built(const ist_member *members, size_t count)
{
    const ist_layout *layout = NULL;
    expect_ok(ist_layout_struct(arena, "built", members, count, &layout));
    return layout;
}

#define M(text, of) { .name = (text), .layout = (of) }
#define BUILT(...) built((const ist_member[]){ __VA_ARGS__ }, sizeof((const ist_member[]){ __VA_ARGS__ }) / sizeof(ist_member))

/* Size, alignment and offsets are the same; padding is an array of char then. */
static void expect_alike(const ist_layout *layout)
{
    char *text = formatted(layout, IST_FORMAT_C);
    const ist_layout *again = parsed(text);
    expect_size(ist_layout_size(again), ist_layout_size(layout));
    expect_size(ist_layout_alignment(again), ist_layout_alignment(layout));
    expect_size(ist_layout_count(again), ist_layout_count(layout));
    for (size_t i = 0; i < ist_layout_count(layout); i++) {
        ist_member_info a = { .size = sizeof a }, b = { .size = sizeof b };
        expect_ok(ist_layout_member(layout, i, &a));
        expect_ok(ist_layout_member(again, i, &b));
        expect_size(b.offset, a.offset);
        expect_size(ist_layout_size(b.layout), ist_layout_size(a.layout));
        expect(a.name == NULL || strcmp(a.name, b.name) == 0);
    }
}

static void strict_structs(void **state)
{
    (void)state;
    const ist_layout *gap, *low, *high, *both, *layout;
    const ist_layout *character = ist_layout_of(IST_TYPE_CHAR), *number = ist_layout_of(IST_TYPE_LONG);
    expect_ok(ist_layout_padding(arena, 7, &gap));
    expect_ok(ist_layout_with_alignment(arena, number, 1, &low));
    expect_ok(ist_layout_with_alignment(arena, number, 16, &high));
    expect_alike(BUILT(M("a", number), M("b", character)));                             /* 9 bytes, aligned to 8. */
    expect_alike(BUILT(M("c", character), M(NULL, gap), M("l", number)));              /* As C has it. */
    expect_alike(BUILT(M("c", character), M("l", low)));                                /* Packed. */
    expect_alike(BUILT(M("h", high), M("padding_2", character), M(NULL, gap)));        /* The name is taken. */
    expect_alike(built(NULL, 0));
    expect_ok(ist_layout_with_alignment(arena, BUILT(M("a", character), M("b", character)), 64, &both));
    expect_alike(both);
    expect_ok(ist_layout_with_name(arena, both, "both", &both));
    expect_alike(BUILT(M("both", both), M("c", character)));
    expect_ok(ist_layout_union(arena, "u", (ist_member[]){ M("c", character), M("g", gap), M("l", number) }, 3, &layout));
    expect_alike(layout);
    expect_ok(ist_layout_union(arena, NULL, (ist_member[]){ M("nine", BUILT(M("l", number), M("c", character))) }, 1, &layout));
    expect_alike(layout);
}

static void expect_unsayable(const ist_layout *layout, const char *part)
{
    char text[100] = "untouched";
    size_t needed = 77;
    expect_status(ist_layout_format(layout, IST_FORMAT_C, text, sizeof text, &needed), IST_E_LAYOUT);
    expect_sentence(part);
    expect(strcmp(text, "untouched") == 0 && needed == 77);
    expect_ok(ist_layout_format(layout, IST_FORMAT_TABLE, text, sizeof text, &needed)); /* A table says all. */
}

static void what_c_cannot_say(void **state)
{
    (void)state;
    const ist_layout *foreign, *inner, *layout, *number = ist_layout_of(IST_TYPE_INT);
    expect_ok(ist_layout_with_order(arena, number, IST_ORDER_NATIVE == IST_ORDER_LITTLE ? IST_ORDER_BIG : IST_ORDER_LITTLE,
                                    &foreign));
    expect_unsayable(foreign, "the layout is in the byte order of other machines");
    expect_unsayable(BUILT(M("a", number), M("swapped", foreign)), "'swapped' is in the byte order");
    expect_unsayable(BUILT(M(NULL, number)), "has a member without a name");
    expect_unsayable(BUILT(M("a b", number)), "'a b' is no name of C");
    expect_unsayable(BUILT(M("int", number)), "'int' is no name of C");
    expect_unsayable(BUILT(M("", number)), "'' is no name of C");
    inner = BUILT(M("a", number));
    expect_unsayable(BUILT(M("inside", inner)), "two types have the tag 'built'");
    ist_enumerator one[] = { { "ONE", 1 } };
    expect_ok(ist_layout_enum(arena, "first", number, one, 1, &foreign));
    expect_ok(ist_layout_enum(arena, "second", number, one, 1, &layout));
    expect_unsayable(BUILT(M("a", foreign), M("b", layout)), "two enumerators have the name 'ONE'");
    expect_ok(ist_layout_enum(arena, "none", number, NULL, 0, &layout));
    expect_unsayable(layout, "without enumerators");
}

/* ---- Tables ---- */

static void tables(void **state)
{
    (void)state;
    char *table = formatted(parsed("struct sample { char kind; int value; unsigned mode : 3; struct { short a; char b; } in[2]; }"),
                            IST_FORMAT_TABLE);
    expect(strcmp(table, "      offset        size  struct sample\n"
                         "           0           1      char kind\n"
                         "           1           3      (hole)\n"
                         "           4           4      int value\n"
                         "           8       3 bit      unsigned int mode : 3\n"
                         "         8:3      13 bit      (hole)\n"
                         "          10           8      struct in[2]\n"
                         "          10           2          short a\n"
                         "          12           1          char b\n"
                         "          13           1          (padding)\n"
                         "          18           2      (padding)\n"
                         "struct sample: 20 bytes, alignment 4, 4 members, 2 holes of 4 bytes 5 bits, 2 bytes of padding\n") == 0);
    table = formatted(parsed("enum e { A = -1, B }"), IST_FORMAT_TABLE);
    expect(strstr(table, "A = -1\n") != NULL && strstr(table, "enum e: 4 bytes, alignment 4\n") != NULL);
    table = formatted(parsed("union u { int i; char c[5]; }"), IST_FORMAT_TABLE);
    expect(strstr(table, "hole") == NULL && strstr(table, "           5           3      (padding)\n") != NULL);
    table = formatted(parsed("struct undefined"), IST_FORMAT_TABLE);
    expect(strstr(table, "struct undefined: has no size\n") != NULL);
}

/* ---- Buffers ---- */

static void buffers(void **state)
{
    (void)state;
    const ist_layout *layout = parsed("struct s { int a; }");
    char whole[200], text[200];
    size_t needed = 0, again;
    for (int format = IST_FORMAT_C; format <= IST_FORMAT_TABLE; format++) {
        expect_ok(ist_layout_format(layout, (ist_format)format, NULL, 0, &needed));
        expect_ok(ist_layout_format(layout, (ist_format)format, whole, sizeof whole, NULL));
        expect_size(needed, strlen(whole));
        for (size_t size = 1; size < needed + 3; size++) {
            memset(text, 'x', sizeof text);
            expect_ok(ist_layout_format(layout, (ist_format)format, text, size, &again));
            size_t fits = size - 1 < needed ? size - 1 : needed;
            expect(again == needed && memcmp(text, whole, fits) == 0 && text[fits] == '\0' && text[size] == 'x');
        }
    }
    expect_status(ist_layout_format(NULL, IST_FORMAT_C, text, sizeof text, &needed), IST_E_ARGUMENT);
    expect_status(ist_layout_format(layout, IST_FORMAT_C, NULL, 1, &needed), IST_E_ARGUMENT);
    expect_status(ist_layout_format(layout, (ist_format)3, text, sizeof text, &needed), IST_E_ARGUMENT);
    expect_status(ist_function_format(NULL, text, sizeof text, &needed), IST_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        text_case(there_and_back), text_case(types_that_are_used_twice), text_case(functions_there_and_back),
        text_case(strict_structs), text_case(what_c_cannot_say),         text_case(tables),
        text_case(buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
