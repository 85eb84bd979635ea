/* SPDX-License-Identifier: MIT */
/* Declarations piece by piece: what names stand for, what is listed, and that a piece that fails leaves nothing. */
#include "text.h"

static ist_declarations *known;

static int open_known(void **state)
{
    int failed = open_arena(state);
    expect_ok(ist_declarations_open(arena, &known));
    return failed;
}

#define known_case(function) cmocka_unit_test_setup_teardown(function, open_known, close_arena)

static const ist_layout *layout_of(const char *type_name)
{
    const ist_layout *layout = NULL;
    test_context("%s", type_name);
    expect_ok(ist_declarations_layout(known, type_name, &layout));
    return layout;
}

/* ---- Names ---- */

struct node { struct node *next; int id; };
enum { N_ = 3 };
struct list { struct node head[N_]; };

static void names_of_earlier_pieces(void **state)
{
    (void)state;
    const ist_function *function;
    int64_t value;
    expect_ok(ist_declarations_add(known, "typedef struct node { struct node *next; int id; } node;"));
    expect_ok(ist_declarations_add(known, "enum { N = 3, ALL = -1 }; struct list { node head[N]; };"));
    expect_ok(ist_declarations_add(known, "extern long strtol(const char *restrict, char **restrict, int); node first;"));
    expect_size(ist_layout_size(layout_of("struct list")), sizeof(struct list));
    expect(layout_of("node") == layout_of("struct node"));
    expect(ist_layout_target(layout_of("node *")) == layout_of("struct node"));
    expect_size(ist_layout_size(layout_of("node[N * 2]")), sizeof(struct node[N_ * 2]));
    expect_size(ist_layout_size(layout_of("size_t[4]")), sizeof(size_t[4]));
    expect_size(ist_layout_size(layout_of("__typeof__(first.id)")), sizeof(int));
    expect_size(ist_layout_size(layout_of("struct { node a; char b; }")), sizeof(struct { struct node a; char b; }));
    expect_ok(ist_declarations_function(known, "strtol", &function));
    expect(strcmp(ist_function_name(function), "strtol") == 0 && ist_function_count(function) == 3);
    expect_ok(ist_declarations_constant(known, "ALL", &value));
    expect(value == -1);
    expect_ok(ist_declarations_constant(known, "true", &value));
    expect(value == 1);
    expect_ok(ist_declarations_function_type(known, "int (node *, ..., struct list)", &function));
    expect(ist_function_fixed_count(function) == 1 && ist_function_parameter(function, 1) == layout_of("struct list"));
}

static void names_that_are_not_there(void **state)
{
    (void)state;
    const ist_layout *layout = NULL;
    const ist_function *function = NULL;
    int64_t value = 77;
    expect_ok(ist_declarations_add(known, "enum { A }; int v; int f(void); typedef int t;"));
    expect_status(ist_declarations_layout(known, "struct missing", &layout), IST_E_NOT_FOUND);
    expect_sentence("line 1, column 8");
    expect_status(ist_declarations_layout(known, "missing *", &layout), IST_E_NOT_FOUND);
    expect_sentence("no type is called 'missing'");
    expect_status(ist_declarations_layout(known, "v", &layout), IST_E_NOT_FOUND);
    expect_status(ist_declarations_layout(known, "int[", &layout), IST_E_LAYOUT);
    expect_status(ist_declarations_layout(known, "int x", &layout), IST_E_LAYOUT);
    expect_sentence("expected the end before 'x'");
    expect_status(ist_declarations_function(known, "g", &function), IST_E_NOT_FOUND);
    expect_sentence("no function is called 'g'");
    expect_status(ist_declarations_function(known, "v", &function), IST_E_NOT_FOUND);
    expect_status(ist_declarations_constant(known, "t", &value), IST_E_NOT_FOUND);
    expect_status(ist_declarations_constant(known, "B", &value), IST_E_NOT_FOUND);
    expect(layout == NULL && function == NULL && value == 77);
}

/* What a question mentions is not declared by it. */
static void questions_declare_nothing(void **state)
{
    (void)state;
    const ist_layout *layout;
    size_t before = ist_declarations_count(known);
    expect(ist_layout_is_complete(layout_of("struct asked { enum { X } a; }")));
    expect_status(ist_declarations_layout(known, "struct asked", &layout), IST_E_NOT_FOUND);
    expect_size(ist_declarations_count(known), before);
    int64_t value;
    expect_status(ist_declarations_constant(known, "X", &value), IST_E_NOT_FOUND);
}

/* A program's own names go before the standard ones; parameters and their tags end with their list. */
static void scopes(void **state)
{
    (void)state;
    const ist_layout *layout;
    expect_ok(ist_declarations_add(known, "typedef short size_t; enum { bool = 5 };"));
    expect(layout_of("size_t") == ist_layout_of(IST_TYPE_SHORT));
    expect_status(ist_declarations_layout(known, "bool", &layout), IST_E_NOT_FOUND);
    expect_ok(ist_declarations_add(known, "typedef int t; int f(struct inner *t, int (*g)(struct inner { int a; } x)); t v;"));
    expect_status(ist_declarations_layout(known, "struct inner", &layout), IST_E_NOT_FOUND);
    expect(layout_of("t") == ist_layout_of(IST_TYPE_INT));
}

/* ---- The list ---- */

static void listed_in_order(void **state)
{
    (void)state;
    static const struct {
        ist_declared kind;
        const char *name;
    } wanted[] = {
        { IST_DECLARED_TAG, "struct s" },  { IST_DECLARED_TYPE, "t" },     { IST_DECLARED_TAG, "enum e" },
        { IST_DECLARED_CONSTANT, "A" },    { IST_DECLARED_CONSTANT, "B" }, { IST_DECLARED_TAG, "union u" },
        { IST_DECLARED_VARIABLE, "v" },    { IST_DECLARED_FUNCTION, "f" },
    };
    ist_declaration declaration = { .size = sizeof declaration };
    expect_ok(ist_declarations_add(known, "typedef struct s t; enum e { A = 5, B = 0x80000000 }; extern union u *v; int f(int x);"));
    expect_ok(ist_declarations_add(known, "struct s { int a; }; typedef struct s t; int f(int); extern union u *v; struct s;"));
    expect_size(ist_declarations_count(known), sizeof wanted / sizeof wanted[0]);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        expect_ok(ist_declarations_get(known, i, &declaration));
        expect(declaration.kind == wanted[i].kind && strcmp(declaration.name, wanted[i].name) == 0);
        expect((declaration.layout == NULL) == (declaration.kind == IST_DECLARED_CONSTANT));
    }
    expect_ok(ist_declarations_get(known, 4, &declaration));
    expect(declaration.value == 0x80000000);
    expect_ok(ist_declarations_get(known, 1, &declaration));
    expect_size(ist_layout_size(declaration.layout), sizeof(int));
    expect_ok(ist_declarations_get(known, 5, &declaration));
    expect(!ist_layout_is_complete(declaration.layout));
    expect_status(ist_declarations_get(known, 8, &declaration), IST_E_BOUNDS);
    declaration.size = 8;
    expect_status(ist_declarations_get(known, 0, &declaration), IST_E_ARGUMENT);
}

/* Declared again a name may come to mean more, not something else. */
static void declared_again(void **state)
{
    (void)state;
    const ist_function *function;
    ist_declaration declaration = { .size = sizeof declaration };
    expect_ok(ist_declarations_add(known, "extern int a[]; int f();"));
    expect_ok(ist_declarations_add(known, "int a[3]; int f(char c); extern int a[]; int f();"));
    expect_ok(ist_declarations_get(known, 0, &declaration));
    expect_size(ist_layout_size(declaration.layout), sizeof(int[3]));
    expect_ok(ist_declarations_function(known, "f", &function));
    expect_size(ist_function_count(function), 1);
    expect_status(ist_declarations_add(known, "int a[4];"), IST_E_LAYOUT);
    expect_status(ist_declarations_add(known, "int f(char c, ...);"), IST_E_LAYOUT);
    expect_status(ist_declarations_add(known, "typedef int f;"), IST_E_LAYOUT);
}

/* ---- Pieces that fail ---- */

static void failing_pieces_leave_nothing(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "struct declared { int a; }; enum { X }; typedef int t2; int g(int); oops oops;",
        "struct declared { int a; struct declared { int b; } c; };",
        "struct declared { int a; int",
        "enum late { X, Y", "enum late { X, Y }; struct declared { enum late x; } oops oops",
        "extern int open_array[5]; int old_style(long); = 3",
        "#pragma pack(push, 1)\nstruct tight { char c; int i; };\n)",
        "int f(struct declared { int a; } x, oops y);",
        "struct other { int a; } x = { 1, { 2 } }, y; /* no end",
        "struct other { int a; }; #",
    };
    const ist_layout *declared, *none = NULL;
    ist_declaration declaration = { .size = sizeof declaration };
    expect_ok(ist_declarations_add(known, "struct declared; enum late; extern int open_array[]; int old_style();"));
    declared = layout_of("struct declared");
    size_t before = ist_declarations_count(known);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        test_context("%s", pieces[i]);
        expect_status(ist_declarations_add(known, pieces[i]), IST_E_LAYOUT);
        expect_size(ist_declarations_count(known), before);
        expect(!ist_layout_is_complete(declared) && layout_of("struct declared") == declared);
        expect(!ist_layout_is_complete(layout_of("enum late")));
        expect_status(ist_declarations_layout(known, "struct other", &none), IST_E_NOT_FOUND);
        expect_ok(ist_declarations_get(known, 2, &declaration));
        expect(ist_layout_count(declaration.layout) == IST_COUNT_OPEN);
    }
    /* All of it can be declared now, and no pack is left over. */
    expect_ok(ist_declarations_add(known, "struct declared { char c; int a; }; enum late { X, Y }; int old_style(long); int g(int);"));
    expect_size(ist_layout_size(declared), sizeof(struct { char c; int a; }));
}

static void pack_lasts_over_pieces(void **state)
{
    (void)state;
    expect_ok(ist_declarations_add(known, "#pragma pack(push, 1)\n"));
    expect_ok(ist_declarations_add(known, "struct a { char c; int i; };"));
    expect_ok(ist_declarations_add(known, "#pragma pack(pop)\nstruct b { char c; int i; };"));
    expect_size(ist_layout_size(layout_of("struct a")), 5);
    expect_size(ist_layout_size(layout_of("struct b")), 8);
}

/* ---- Many ---- */

static void many_declarations(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    char text[200], name[40];
    int64_t value;
    for (int i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "struct s%d { struct s%d *next; char c[%d]; }; enum { E%d = %d };", i, i + 1, i + 1, i, i);
        expect_ok(ist_declarations_add(known, text));
        if (i % 100 == 0)
            expect_status(ist_declarations_add(known, "struct failing { int a; }; enum { FAILING }; int int;"), IST_E_LAYOUT);
    }
    expect_size(ist_declarations_count(known), 2 * COUNT + 1); /* The last one's next was declared too. */
    for (int i = 0; i < COUNT; i += 7) {
        snprintf(name, sizeof name, "struct s%d", i);
        expect_size(ist_layout_size(layout_of(name)), (8 + (size_t)i + 1 + 7) / 8 * 8);
        snprintf(name, sizeof name, "E%d", i);
        expect_ok(ist_declarations_constant(known, name, &value));
        expect(value == i);
    }
}

/* ---- Misuse ---- */

static void misuse(void **state)
{
    (void)state;
    const ist_layout *layout = NULL;
    const ist_function *function = NULL;
    int64_t value;
    ist_declaration declaration = { .size = sizeof declaration };
    expect_status(ist_declarations_open(arena, NULL), IST_E_ARGUMENT);
    expect_status(ist_declarations_add(known, NULL), IST_E_ARGUMENT);
    expect_status(ist_declarations_add(NULL, "int x;"), IST_E_ARGUMENT);
    expect_status(ist_declarations_layout(known, NULL, &layout), IST_E_ARGUMENT);
    expect_status(ist_declarations_layout(known, "int", NULL), IST_E_ARGUMENT);
    expect_status(ist_declarations_layout(NULL, "int", &layout), IST_E_ARGUMENT);
    expect_status(ist_declarations_function(NULL, "f", &function), IST_E_ARGUMENT);
    expect_status(ist_declarations_function(known, NULL, &function), IST_E_ARGUMENT);
    expect_status(ist_declarations_function(known, "f", NULL), IST_E_ARGUMENT);
    expect_status(ist_declarations_function_type(known, "int (void)", NULL), IST_E_ARGUMENT);
    expect_status(ist_declarations_constant(NULL, "A", &value), IST_E_ARGUMENT);
    expect_status(ist_declarations_constant(known, "A", NULL), IST_E_ARGUMENT);
    expect_status(ist_declarations_get(NULL, 0, &declaration), IST_E_ARGUMENT);
    expect_status(ist_declarations_get(known, 0, NULL), IST_E_ARGUMENT);
    expect_size(ist_declarations_count(NULL), 0);
    expect_size(ist_declarations_count(known), 0);
    ist_arena closed;
    expect_ok(ist_arena_open_confined(&closed));
    expect_ok(ist_arena_close(closed));
    expect_status(ist_declarations_open(closed, &(ist_declarations *){ NULL }), IST_E_CLOSED);
}

static void add_elsewhere(void *data)
{
    const ist_layout *layout;
    (void)data;
    expect_status(ist_declarations_add(known, "int x;"), IST_E_WRONG_THREAD);
    expect_status(ist_declarations_layout(known, "int", &layout), IST_E_WRONG_THREAD);
}

static void other_thread(void **state)
{
    (void)state;
    test_on_thread(add_elsewhere, NULL);
    expect_size(ist_declarations_count(known), 0);
}

static void add_shared(void *data)
{
    expect_ok(ist_declarations_add(data, "struct s { int a; };"));
}

/* In a shared arena any thread may, one after the other. */
static void shared_arena(void **state)
{
    (void)state;
    ist_arena shared;
    ist_declarations *together;
    const ist_layout *layout;
    expect_ok(ist_arena_open_shared(&shared));
    expect_ok(ist_declarations_open(shared, &together));
    expect_ok(ist_declarations_add(together, "struct s;"));
    test_on_thread(add_shared, together);
    expect_ok(ist_declarations_layout(together, "struct s", &layout));
    expect_size(ist_layout_size(layout), sizeof(int));
    expect_ok(ist_arena_close(shared));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        known_case(names_of_earlier_pieces), known_case(names_that_are_not_there),
        known_case(questions_declare_nothing), known_case(scopes),
        known_case(listed_in_order),         known_case(declared_again),
        known_case(failing_pieces_leave_nothing), known_case(pack_lasts_over_pieces),
        known_case(many_declarations),       known_case(misuse),
        known_case(other_thread),            known_case(shared_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
