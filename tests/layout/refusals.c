/* SPDX-License-Identifier: MIT */
/* C text that is refused: with which status, where, and why; and how deep a text may be nested. */
#include "text.h"

#include <pthread.h>

/* ---- Errors ---- */

static const struct {
    const char *text;
    ist_status status;
    const char *sentence;
} errors[] = {
    { "", IST_E_LAYOUT, "line 1, column 1: expected a type before the end" },
    { "struct {\n  int a\n}", IST_E_LAYOUT, "line 3, column 1: expected ',' or ';' before '}'" },
    { "struct s { foo_t a; }", IST_E_LAYOUT, "line 1, column 12: expected a type before 'foo_t'" },
    { "struct s { int a; } x, y;", IST_E_LAYOUT, "line 1, column 22: expected ';' or the end before ','" },
    { "# 40 \"dir/a.h\" 3\nstruct s {\n\tint 5; }", IST_E_LAYOUT, "dir/a.h:41:6: expected a name before '5'" },
    { "# 7 \"a\"\n\n# 3 \"b.h\"\nint x y;", IST_E_LAYOUT, "b.h:3:7: expected ';' or the end before 'y'" },
    { "int a[-1]", IST_E_LAYOUT, "line 1, column 7: a count is negative" },
    { "int a[1 / 0]", IST_E_LAYOUT, "line 1, column 9: division by zero" },
    { "int a[1 % 0u]", IST_E_LAYOUT, "column 9: division by zero" },
    { "int a[2147483647 + 1]", IST_E_LAYOUT, "column 18: the result is too large for its type" },
    { "int a[1 << 32]", IST_E_LAYOUT, "column 9: the shift is negative" },
    { "int a[n]", IST_E_LAYOUT, "column 7: 'n' is not declared" },
    { "extern int v; int a[v];", IST_E_LAYOUT, "column 21: expected an integer constant" },
    { "int a[1.5]", IST_E_LAYOUT, "column 7: expected an integer constant" },
    { "int a[09]", IST_E_LAYOUT, "column 7: the number is not one of C" },
    { "int a[99999999999999999999999]", IST_E_LAYOUT, "column 7: the number is too large" },
    { "int a[sizeof(struct x)]", IST_E_LAYOUT, "column 13: the type is not complete" },
    { "struct s { struct s a; };", IST_E_LAYOUT, "column 21: a member has the type 'struct s', which is not defined" },
    { "struct s { void v; };", IST_E_LAYOUT, "column 17: a member is void" },
    { "struct s { int f(void); };", IST_E_LAYOUT, "column 16: a member is a function" },
    { "struct s { int a; }; struct s { int b; };", IST_E_LAYOUT, "column 29: 'struct s' is defined already" },
    { "struct s { struct s { int a; } b; };", IST_E_LAYOUT, "column 19: 'struct s' is defined already" },
    { "struct s { int a; }; union s *p", IST_E_LAYOUT, "column 28: 's' is declared as another kind of tag" },
    { "struct s { int a, b, a; }", IST_E_LAYOUT, "column 1: two members have the name 'a'" },
    { "struct s { int a; struct { int a; }; }", IST_E_LAYOUT, "two members have the name 'a'" },
    { "struct s { int a : 33; }", IST_E_LAYOUT, "bit-field 'a' has 33 bits" },
    { "struct s { int a : 0; }", IST_E_LAYOUT, "bit-field 'a' has a name and no bits" },
    { "struct s { float a : 3; }", IST_E_LAYOUT, "bit-field 'a' is not of an integer type" },
    { "struct s { char a[]; int b; }", IST_E_LAYOUT, "no end and is not the last" },
    { "enum e { A, A }", IST_E_LAYOUT, "column 13: 'A' is declared already" },
    { "enum e { A = 0xffffffffffffffff, B }", IST_E_LAYOUT, "column 34: no integer type has room" },
    { "enum e { A = 0xffffffffffffffff, B = -1 }", IST_E_LAYOUT, "column 1: no integer type has room" },
    { "enum e { }", IST_E_LAYOUT, "column 10: expected an enumerator before '}'" },
    { "typedef int t; typedef long t;", IST_E_LAYOUT, "column 29: 't' is declared already, as something else" },
    { "int f(int); int f(double);", IST_E_LAYOUT, "column 17: 'f' is declared already, as something else" },
    { "int x; typedef int x;", IST_E_LAYOUT, "column 20: 'x' is declared already, as something else" },
    { "unsigned float x", IST_E_LAYOUT, "column 1: these words together are no type" },
    { "long long long x", IST_E_LAYOUT, "column 11: expected a name or ';' before 'long'" },
    { "int int x", IST_E_LAYOUT, "column 5: expected a name or ';' before 'int'" },
    { "struct s { int a; } int x", IST_E_LAYOUT, "column 21: expected a name or ';' before 'int'" },
    { "#include <stdio.h>\nint x;", IST_E_LAYOUT, "column 1: expected preprocessed text before '#include'" },
    { "int x;\n  #pragma pack(3)\nint y;", IST_E_LAYOUT, "line 2, column 3: expected push, pop or" },
    { "#pragma pack(pop)\nint y;", IST_E_LAYOUT, "line 1, column 1: expected push, pop or" },
    { "int x; /* no end", IST_E_LAYOUT, "column 8: the comment has no end" },
    { "char c[sizeof \"no end]", IST_E_LAYOUT, "column 15: the string has no end" },
    { "int f(void) { return '{'; ", IST_E_LAYOUT, "column 13: '{' has no end" },
    { "_Static_assert(sizeof(int) == 5, \"five bytes\");", IST_E_LAYOUT, "column 1: the assertion does not hold: \"five bytes\"" },
    { "int x __attribute__((aligned(3)))", IST_E_LAYOUT, "the alignment 3 is not a power of two" },
    { "struct s { _Alignas(1) int x; }", IST_E_LAYOUT, "column 28: _Alignas lowers the alignment 4" },
    { "struct s { int x; } __attribute__((scalar_storage_order(\"big-endian\")))", IST_E_LAYOUT, "is not supported" },
    { "void x", IST_E_LAYOUT, "column 6: 'x' is void" },
    { "int f(int a, int a)", IST_E_LAYOUT, "column 18: two parameters have the name 'a'" },
    { "int f(int a, void b)", IST_E_LAYOUT, "column 14: a parameter is void" },
    { "int a[0x7fffffffffffffff]", IST_E_OVERFLOW, "column 7: 9223372036854775807 elements of 4 bytes" },
    { "char a[0x7fffffffffffffff][0x7fffffffffffffff]", IST_E_OVERFLOW, "column 8" },
    { "struct s { char a[0x1fffffffffffffff]; }", IST_E_OVERFLOW, "column 1: member 'a' ends beyond" },
    { "int @", IST_E_LAYOUT, "column 5: expected ';' or the end before '@'" },
};

static void errors_say_where(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        const ist_layout *layout = NULL;
        test_context("%s", errors[i].text);
        expect_status(ist_layout_parse(arena, errors[i].text, &layout), errors[i].status);
        expect_sentence(errors[i].sentence);
        expect(layout == NULL);
    }
}

/* A text of `count` times `open`, then `middle`, then `count` times `close`. */
static char *repeated(const char *begin, size_t count, const char *open, const char *middle, const char *close)
{
    size_t size = strlen(begin) + count * (strlen(open) + strlen(close)) + strlen(middle) + 2;
    char *text = calloc(1, size), *end = text + sprintf(text, "%s", begin);
    for (size_t i = 0; i < count; i++)
        end += sprintf(end, "%s", open);
    end += sprintf(end, "%s", middle);
    for (size_t i = 0; i < count; i++)
        end += sprintf(end, "%s", close);
    return text;
}

static const struct {
    const char *begin, *open, *middle, *close;
} deep[] = {
    { "int ", "(", "x", ")" },
    { "int ", "*", "x", "" },
    { "int x", "[1]", "", "" },
    { "", "struct { ", "int x;", "} y;" },
    { "int a[", "(", "1", ")" },
    { "int a[", "-", "1", "" },
    { "int a[", "(int)", "1", "" },
    { "int a[", "1 ? ", "1", " : 1" },
    { "int a[1", " ? 1 : 1", "", "" },
    { "int a[", "sizeof ", "1", "" },
    { "int a[", "1 + (", "1", ")" },
    { "int f", "(int (*)", "(int)", ")" },
    { "int a[sizeof(int", "[sizeof(int", "[1]", ")]" },
    { "", "_Atomic(", "int", ")" },
    { "", "__typeof__(", "int", ")" },
    { "int x __attribute__((aligned(sizeof(int", " __attribute__((aligned(sizeof(int", "))))", "))))" },
};

/* Sanitizers take several times the stack. */
#define STACK_SIZE ((size_t)(TEST_ASAN || TEST_TSAN ? 2048 : 256) * 1024)

/* Nothing overflows the stack, however deep a text is nested; and what C asks for is read (C11 5.2.4.1). */
static void *nested_deeply_on_a_small_stack(void *data)
{
    ist_arena own;
    (void)data;
    expect_answer(ist_arena_open_confined(&own), IST_OK);
    for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++) {
        const ist_layout *layout = NULL;
        char *text = repeated(deep[i].begin, 100000, deep[i].open, deep[i].middle, deep[i].close);
        test_context("%.60s", text);
        expect_answer(ist_layout_parse(own, text, &layout), IST_E_LAYOUT);
        free(text);
    }
    expect_answer(ist_arena_close(own), IST_OK);
    return NULL;
}

static void nested_deeply(void **state)
{
    (void)state;
    const ist_layout *layout;
    pthread_attr_t attributes;
    pthread_t thread;
    expect(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, STACK_SIZE) == 0);
    expect(pthread_create(&thread, &attributes, nested_deeply_on_a_small_stack, NULL) == 0);
    expect(pthread_join(thread, NULL) == 0 && pthread_attr_destroy(&attributes) == 0);
    char *text = repeated("int ", 63, "(", "x", ")");
    layout = parsed(text);
    expect(layout == ist_layout_of(IST_TYPE_INT));
    free(text);
    text = repeated("enum e { A = ", 63, "(", "1", ")");
    text[strlen(text)] = '}'; /* repeated() leaves room for one more. */
    layout = parsed(text);
    expect(ist_layout_size(layout) == sizeof(int));
    free(text);
    text = repeated("struct { ", 62, "struct { ", "int x;", "} y;");
    text[strlen(text)] = '}';
    layout = parsed(text);
    expect(ist_layout_size(layout) == sizeof(int));
    free(text);
}

static void misuse(void **state)
{
    (void)state;
    const ist_layout *layout = NULL;
    const ist_function *function = NULL;
    ist_arena closed;
    expect_status(ist_layout_parse(arena, NULL, &layout), IST_E_ARGUMENT);
    expect_status(ist_layout_parse(arena, "int", NULL), IST_E_ARGUMENT);
    expect_status(ist_function_parse(arena, NULL, &function), IST_E_ARGUMENT);
    expect_status(ist_function_parse(arena, "int (void)", NULL), IST_E_ARGUMENT);
    expect_ok(ist_arena_open_confined(&closed));
    expect_ok(ist_arena_close(closed));
    expect_status(ist_layout_parse(closed, "int", &layout), IST_E_CLOSED);
    expect_status(ist_function_parse(closed, "int (void)", &function), IST_E_CLOSED);
    expect(layout == NULL && function == NULL);
}

static void parse_elsewhere(void *data)
{
    const ist_layout **layout = data;
    expect_status(ist_layout_parse(arena, "int", layout), IST_E_WRONG_THREAD);
}

static void other_thread(void **state)
{
    (void)state;
    const ist_layout *layout = NULL;
    test_on_thread(parse_elsewhere, &layout);
    expect(layout == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        text_case(errors_say_where),
        text_case(nested_deeply),
        text_case(misuse),
        text_case(other_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
