/* SPDX-License-Identifier: MIT */
/*
 * Plans of the System V ABI for x86-64 as text, against the psABI: the worked example of 3.2.3 and what its rules say
 * of each class, by hand. tests/abi/places.c asks the compilers.
 */
#include "abi/plan.h"
#include "support/expect.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- Making: everything lives in the global arena ---- */

static ist_arena arena;

static const ist_layout *of(ist_type type)
{
    return ist_layout_of(type);
}

#define INT of(IST_TYPE_INT)
#define LONG of(IST_TYPE_LONG)
#define CHAR of(IST_TYPE_CHAR)
#define SHORT of(IST_TYPE_SHORT)
#define FLOAT of(IST_TYPE_FLOAT)
#define DOUBLE of(IST_TYPE_DOUBLE)
#define POINTER of(IST_TYPE_ADDRESS)
#define LONG_DOUBLE of(IST_TYPE_LONG_DOUBLE)

#define MEMBERS_MAX 20

/* A list of layouts; ends with NULL. */
typedef struct layout_list {
    const ist_layout *of[MEMBERS_MAX + 1];
} layout_list;

static size_t members_of(const layout_list *list, ist_member *members)
{
    size_t count = 0;
    for (; list->of[count] != NULL; count++)
        members[count] = (ist_member){ .layout = list->of[count] };
    return count;
}

static const ist_layout *group_of(ist_layout_kind kind, const ist_group_attributes *attributes, layout_list list)
{
    ist_member members[MEMBERS_MAX];
    size_t count = members_of(&list, members);
    const ist_layout *made = NULL;
    if (kind == IST_LAYOUT_STRUCT)
        expect_ok(ist_layout_struct_c(arena, NULL, members, count, attributes, &made));
    else
        expect_ok(ist_layout_union_c(arena, NULL, members, count, attributes, &made));
    return made;
}

#define STRUCT(...) group_of(IST_LAYOUT_STRUCT, NULL, (layout_list){ { __VA_ARGS__ } })
#define UNION(...) group_of(IST_LAYOUT_UNION, NULL, (layout_list){ { __VA_ARGS__ } })
#define PACKED(...)                                                                                                    \
    group_of(IST_LAYOUT_STRUCT, &(ist_group_attributes){ .packed = 1 }, (layout_list){ { __VA_ARGS__ } })
#define ALIGNED(bytes, ...)                                                                                            \
    group_of(IST_LAYOUT_STRUCT, &(ist_group_attributes){ .alignment = (bytes) }, (layout_list){ { __VA_ARGS__ } })

static const ist_layout *array(const ist_layout *element, size_t count)
{
    const ist_layout *made = NULL;
    expect_ok(ist_layout_sequence(arena, count, element, &made));
    return made;
}

static const ist_layout *vector(ist_type type, size_t count)
{
    const ist_layout *made = NULL;
    expect_ok(ist_layout_vector(arena, of(type), count, &made));
    return made;
}

static const ist_layout *padding(size_t size)
{
    const ist_layout *made = NULL;
    expect_ok(ist_layout_padding(arena, size, &made));
    return made;
}

static const ist_layout *with_alignment(const ist_layout *layout, size_t alignment)
{
    const ist_layout *made = NULL;
    expect_ok(ist_layout_with_alignment(arena, layout, alignment, &made));
    return made;
}

static const ist_layout *strict(ist_layout_kind kind, layout_list list)
{
    ist_member members[MEMBERS_MAX];
    size_t count = members_of(&list, members);
    const ist_layout *made = NULL;
    if (kind == IST_LAYOUT_STRUCT)
        expect_ok(ist_layout_struct(arena, "strict", members, count, &made));
    else
        expect_ok(ist_layout_union(arena, "strict", members, count, &made));
    return made;
}

#define STRICT(...) strict(IST_LAYOUT_STRUCT, (layout_list){ { __VA_ARGS__ } })
#define STRICT_UNION(...) strict(IST_LAYOUT_UNION, (layout_list){ { __VA_ARGS__ } })

/* SIZE_MAX: not variadic. */
static const ist_function *function_of(const ist_layout *result, size_t fixed_count, layout_list list)
{
    ist_member members[MEMBERS_MAX];
    size_t count = members_of(&list, members);
    const ist_function *made = NULL;
    expect_ok(ist_function_of(arena, result, members, count, fixed_count == SIZE_MAX ? count : fixed_count,
                              fixed_count == SIZE_MAX ? 0 : IST_FUNCTION_VARIADIC, &made));
    return made;
}

#define FUNCTION(result, ...) function_of(result, SIZE_MAX, (layout_list){ { __VA_ARGS__ } })
#define VARIADIC(result, fixed, ...) function_of(result, fixed, (layout_list){ { __VA_ARGS__ } })

/* ---- Memory for plans ---- */

typedef struct heap {
    void *blocks[256];
    size_t count;
    bool refuses;
} heap;

static void *take(void *context, size_t size, size_t alignment, isti_problem *problem)
{
    heap *from = context;
    expect(alignment <= _Alignof(max_align_t));
    if (from->refuses) {
        isti_problem_set(problem, IST_E_NO_MEMORY, "none");
        return NULL;
    }
    expect(from->count < COUNT(from->blocks));
    return from->blocks[from->count++] = calloc(1, size);
}

static heap blocks;
static isti_store store = { .allocate = take, .context = &blocks };

static int give_back(void **state)
{
    (void)state;
    while (blocks.count > 0)
        free(blocks.blocks[--blocks.count]);
    return 0;
}

static isti_signature *signature_with(const ist_function *function, const isti_classify_options *options)
{
    static _Alignas(isti_signature) char buffers[4][ISTI_SIGNATURE_SIZE(MEMBERS_MAX)];
    static size_t next;
    isti_signature *signature = (isti_signature *)buffers[next++ % COUNT(buffers)];
    memset(signature, 'Z', sizeof buffers[0]);
    isti_problem problem = { .status = IST_OK };
    if (isti_sysv_x64.classify(function, options, signature, &problem) != IST_OK)
        test_failed(__FILE__, __LINE__, "refused: %s", problem.text);
    expect(problem.status == IST_OK);
    return signature;
}

static const isti_plan *plan_with(const ist_function *function, const isti_classify_options *options)
{
    const isti_plan *plan = NULL;
    isti_problem problem = { .status = IST_OK };
    expect_answer(isti_sysv_x64.arrange(signature_with(function, options), &store, &plan, &problem), IST_OK);
    if (!isti_plan_verify(plan, &problem))
        test_failed(__FILE__, __LINE__, "%s", problem.text);
    return plan;
}

static const isti_classify_options all_raw = { .all_raw = true };

static void expect_plan_of(const isti_plan *plan, const char *wanted, int line)
{
    char buffer[4096];
    isti_text text = isti_text_in(buffer, sizeof buffer);
    isti_plan_print(plan, &text);
    if (strcmp(buffer, wanted) != 0)
        test_failed(__FILE__, line, "the plan is\n%sinstead of\n%s", buffer, wanted);
}

#define expect_plan(function, wanted) expect_plan_of(plan_with(function, &all_raw), wanted, __LINE__)

/* The one argument of a function without a result: its moves alone. */
#define expect_argument(layout, wanted)                                                                                \
    expect_plan(FUNCTION(NULL, layout), wanted "call, 0 bytes of stack aligned to 16\n")
/* The result of a function without parameters. */
#define expect_result(layout, wanted)                                                                                  \
    expect_plan(FUNCTION(layout, NULL), "al <- 0\ncall, 0 bytes of stack aligned to 16\n" wanted)
#define expect_result_in_memory(layout)                                                                                \
    expect_plan(FUNCTION(layout, NULL), "rdi <- address of the result\nal <- 0\ncall, 0 bytes of stack aligned to 16\n")
#define expect_in_memory(layout, size, stack, alignment)                                                               \
    expect_plan(FUNCTION(NULL, layout), "[rsp+0] <- argument 0, " size " bytes\nal <- 0\ncall, " stack                 \
                                        " bytes of stack aligned to " alignment "\n")

/* ---- The psABI ---- */

/* Figures 3.5 and 3.6: "Parameter Passing Example", "Register Allocation Example". */
static void worked_example(void **state)
{
    (void)state;
    const ist_layout *structparm = STRUCT(INT, INT, DOUBLE);
    const ist_layout *y = vector(IST_TYPE_FLOAT, 8), *z = vector(IST_TYPE_FLOAT, 16);
    const ist_function *function = FUNCTION(NULL, INT, INT, structparm, INT, INT, LONG_DOUBLE, DOUBLE, y, z, DOUBLE,
                                            INT, INT, INT);
    expect_plan(function, "rdi <- argument 0, 4 bytes\n"
                          "rsi <- argument 1, 4 bytes\n"
                          "rdx <- argument 2, 8 bytes\n"
                          "xmm0 <- argument 2 at 8, 8 bytes\n"
                          "rcx <- argument 3, 4 bytes\n"
                          "r8 <- argument 4, 4 bytes\n"
                          "[rsp+0] <- argument 5, 16 bytes\n"
                          "xmm1 <- argument 6, 8 bytes\n"
                          "ymm2 <- argument 7, 32 bytes\n"
                          "zmm3 <- argument 8, 64 bytes\n"
                          "xmm4 <- argument 9, 8 bytes\n"
                          "r9 <- argument 10, 4 bytes\n"
                          "[rsp+16] <- argument 11, 4 bytes\n"
                          "[rsp+24] <- argument 12, 4 bytes\n"
                          "al <- 5\n"
                          "call, 32 bytes of stack aligned to 16\n");
    const isti_plan *plan = plan_with(function, NULL);
    expect(plan->flags == (ISTI_PLAN_AVX | ISTI_PLAN_AVX512));
    expect(plan->general_count == 6 && plan->vector_count == 5);
    expect(plan->spill_alignment == 64);
}

static void nothing(void **state)
{
    (void)state;
    expect_plan(FUNCTION(NULL, NULL), "al <- 0\ncall, 0 bytes of stack aligned to 16\n");
    expect_plan(FUNCTION(NULL, STRUCT(NULL), INT), "argument 0 does not travel\n"
                                                   "rdi <- argument 1, 4 bytes\n"
                                                   "al <- 0\n"
                                                   "call, 0 bytes of stack aligned to 16\n");
    expect_result(STRUCT(NULL), "");
    expect_result(ALIGNED(64, NULL), "");
}

/* Callees that Clang builds rely on 32 bits, callers of the psABI need not extend; see docs/calls.md. */
static void narrow(void **state)
{
    (void)state;
    expect_plan(FUNCTION(of(IST_TYPE_BOOL), of(IST_TYPE_BOOL), CHAR, of(IST_TYPE_SCHAR), of(IST_TYPE_UCHAR), SHORT,
                         of(IST_TYPE_USHORT), CHAR, of(IST_TYPE_BOOL), of(IST_TYPE_UINT)),
                "rdi <- argument 0, 1 byte, zero-extended\n"
                "rsi <- argument 1, 1 byte, sign-extended\n"
                "rdx <- argument 2, 1 byte, sign-extended\n"
                "rcx <- argument 3, 1 byte, zero-extended\n"
                "r8 <- argument 4, 2 bytes, sign-extended\n"
                "r9 <- argument 5, 2 bytes, zero-extended\n"
                "[rsp+0] <- argument 6, 1 byte, sign-extended\n"
                "[rsp+8] <- argument 7, 1 byte, zero-extended\n"
                "[rsp+16] <- argument 8, 4 bytes\n"
                "al <- 0\n"
                "call, 32 bytes of stack aligned to 16\n"
                "result <- rax, 1 byte\n");
    expect_result(SHORT, "result <- rax, 2 bytes\n");
    expect_argument(of(IST_TYPE_FLOAT16), "xmm0 <- argument 0, 2 bytes\nal <- 1\n");
    expect_argument(of(IST_TYPE_BFLOAT16), "xmm0 <- argument 0, 2 bytes\nal <- 1\n");
}

static void scalars(void **state)
{
    (void)state;
    expect_argument(of(IST_TYPE_UINT128), "rdi <- argument 0, 8 bytes\nrsi <- argument 0 at 8, 8 bytes\nal <- 0\n");
    expect_argument(of(IST_TYPE_FLOAT128), "xmm0 <- argument 0, 16 bytes\nal <- 1\n");
    expect_argument(of(IST_TYPE_COMPLEX_FLOAT), "xmm0 <- argument 0, 8 bytes\nal <- 1\n");
    expect_argument(of(IST_TYPE_COMPLEX_DOUBLE),
                    "xmm0 <- argument 0, 8 bytes\nxmm1 <- argument 0 at 8, 8 bytes\nal <- 2\n");
    expect_in_memory(LONG_DOUBLE, "16", "16", "16");
    expect_in_memory(of(IST_TYPE_COMPLEX_LONG_DOUBLE), "32", "32", "16");
    expect_in_memory(of(IST_TYPE_COMPLEX_FLOAT128), "32", "32", "16");
    expect_result(of(IST_TYPE_INT128), "result <- rax, 8 bytes\nresult at 8 <- rdx, 8 bytes\n");
    expect_result(FLOAT, "result <- xmm0, 4 bytes\n");
    expect_result(of(IST_TYPE_COMPLEX_DOUBLE), "result <- xmm0, 8 bytes\nresult at 8 <- xmm1, 8 bytes\n");
    expect_result(LONG_DOUBLE, "result <- st(0), 10 bytes\n");
    expect_result(of(IST_TYPE_COMPLEX_LONG_DOUBLE), "result <- st(0), 10 bytes\nresult at 16 <- st(1), 10 bytes\n");
    expect_result_in_memory(of(IST_TYPE_COMPLEX_FLOAT128));
}

/* A value ends where its memory may end: no move reaches beyond, upwards nor downwards. */
static void tails(void **state)
{
    (void)state;
    expect_argument(STRUCT(array(CHAR, 3)), "rdi <- argument 0, 2 bytes\nrdi byte 2 <- argument 0 at 2, 1 byte\nal <- 0\n");
    expect_argument(STRUCT(array(CHAR, 5)), "rdi <- argument 0, 4 bytes\nrdi byte 4 <- argument 0 at 4, 1 byte\nal <- 0\n");
    expect_argument(STRUCT(array(SHORT, 3)), "rdi <- argument 0, 4 bytes\nrdi byte 4 <- argument 0 at 4, 2 bytes\nal <- 0\n");
    expect_argument(STRUCT(array(CHAR, 15)), "rdi <- argument 0, 8 bytes\nrsi <- argument 0 at 8, 4 bytes\n"
                                             "rsi byte 4 <- argument 0 at 12, 2 bytes\n"
                                             "rsi byte 6 <- argument 0 at 14, 1 byte\nal <- 0\n");
    expect_argument(STRUCT(FLOAT, FLOAT, FLOAT), "xmm0 <- argument 0, 8 bytes\nxmm1 <- argument 0 at 8, 4 bytes\nal <- 2\n");
    expect_argument(STRUCT(array(of(IST_TYPE_FLOAT16), 3)),
                    "xmm0 <- argument 0, 4 bytes\nxmm0 byte 4 <- argument 0 at 4, 2 bytes\nal <- 1\n");
    expect_result(STRUCT(array(CHAR, 3)), "result <- rax, 2 bytes\nresult at 2 <- rax byte 2, 1 byte\n");
    expect_result(STRUCT(LONG, INT), "result <- rax, 8 bytes\nresult at 8 <- rdx, 8 bytes\n");
    expect_result(STRUCT(array(INT, 3)), "result <- rax, 8 bytes\nresult at 8 <- rdx, 4 bytes\n");
}

static void structs(void **state)
{
    (void)state;
    expect_argument(STRUCT(INT, FLOAT), "rdi <- argument 0, 8 bytes\nal <- 0\n");
    expect_argument(STRUCT(CHAR, DOUBLE), "rdi <- argument 0, 8 bytes\nxmm0 <- argument 0 at 8, 8 bytes\nal <- 1\n");
    expect_argument(STRUCT(DOUBLE, CHAR), "xmm0 <- argument 0, 8 bytes\nrdi <- argument 0 at 8, 8 bytes\nal <- 1\n");
    expect_argument(STRUCT(STRUCT(STRUCT(FLOAT), STRUCT(NULL)), FLOAT), "xmm0 <- argument 0, 8 bytes\nal <- 1\n");
    expect_argument(STRUCT(FLOAT, of(IST_TYPE_COMPLEX_FLOAT), FLOAT),
                    "xmm0 <- argument 0, 8 bytes\nxmm1 <- argument 0 at 8, 8 bytes\nal <- 2\n");
    expect_argument(STRUCT(FLOAT, STRUCT(FLOAT, INT)), "xmm0 <- argument 0, 8 bytes\nrdi <- argument 0 at 8, 4 bytes\nal <- 1\n");
    expect_argument(STRUCT(of(IST_TYPE_INT128)), "rdi <- argument 0, 8 bytes\nrsi <- argument 0 at 8, 8 bytes\nal <- 0\n");
    expect_argument(STRUCT(of(IST_TYPE_FLOAT128)), "xmm0 <- argument 0, 16 bytes\nal <- 1\n");
    /* The second eightbyte has no class. */
    expect_argument(ALIGNED(16, LONG), "rdi <- argument 0, 8 bytes\nal <- 0\n");
    expect_argument(ALIGNED(16, FLOAT), "xmm0 <- argument 0, 8 bytes\nal <- 1\n");
    expect_in_memory(ALIGNED(32, LONG), "32", "32", "32");
    expect_in_memory(ALIGNED(256, LONG), "256", "256", "256");
    expect_in_memory(STRUCT(LONG, LONG, CHAR), "24", "32", "16");
    expect_in_memory(STRUCT(array(CHAR, 17)), "17", "32", "16");
    expect_in_memory(STRUCT(LONG_DOUBLE), "16", "16", "16");
    expect_result(STRUCT(LONG_DOUBLE), "result <- st(0), 10 bytes\n");
    expect_result_in_memory(STRUCT(of(IST_TYPE_COMPLEX_LONG_DOUBLE)));
    expect_result_in_memory(STRUCT(array(CHAR, 17)));
    expect_result(STRUCT(DOUBLE, LONG), "result <- xmm0, 8 bytes\nresult at 8 <- rax, 8 bytes\n");
    expect_result(STRUCT(LONG, DOUBLE), "result <- rax, 8 bytes\nresult at 8 <- xmm0, 8 bytes\n");
    expect_argument(STRUCT(INT, array(CHAR, IST_COUNT_OPEN)), "rdi <- argument 0, 4 bytes\nal <- 0\n");
}

static void packed(void **state)
{
    (void)state;
    expect_in_memory(PACKED(CHAR, INT), "5", "16", "16");
    expect_result_in_memory(PACKED(CHAR, INT));
    expect_in_memory(PACKED(CHAR, STRUCT(SHORT)), "3", "16", "16");
    expect_in_memory(PACKED(INT, array(DOUBLE, 1)), "12", "16", "16");
    /* Nothing in it is misaligned. */
    expect_argument(PACKED(INT, SHORT), "rdi <- argument 0, 4 bytes\nrdi byte 4 <- argument 0 at 4, 2 bytes\nal <- 0\n");
    expect_argument(PACKED(CHAR, CHAR, SHORT, FLOAT), "rdi <- argument 0, 8 bytes\nal <- 0\n");
}

static void unions(void **state)
{
    (void)state;
    const ist_layout *pair = STRUCT(FLOAT, FLOAT), *mixed = STRUCT(INT, FLOAT);
    expect_argument(UNION(FLOAT, INT), "rdi <- argument 0, 4 bytes\nal <- 0\n");
    expect_argument(UNION(DOUBLE, LONG), "rdi <- argument 0, 8 bytes\nal <- 0\n");
    expect_argument(UNION(DOUBLE, INT), "rdi <- argument 0, 8 bytes\nal <- 0\n");
    expect_argument(UNION(FLOAT, DOUBLE), "xmm0 <- argument 0, 8 bytes\nal <- 1\n");
    expect_argument(UNION(FLOAT, pair), "xmm0 <- argument 0, 8 bytes\nal <- 1\n");
    expect_argument(UNION(DOUBLE, mixed), "rdi <- argument 0, 8 bytes\nal <- 0\n");
    expect_argument(STRUCT(INT, UNION(DOUBLE, LONG)), "rdi <- argument 0, 8 bytes\nrsi <- argument 0 at 8, 8 bytes\nal <- 0\n");
    expect_argument(STRUCT(DOUBLE, UNION(FLOAT, INT)), "xmm0 <- argument 0, 8 bytes\nrdi <- argument 0 at 8, 8 bytes\nal <- 1\n");
    /* SSEUP merged with SSE is SSE. */
    expect_argument(UNION(vector(IST_TYPE_FLOAT, 4), DOUBLE), "xmm0 <- argument 0, 16 bytes\nal <- 1\n");
    expect_argument(UNION(vector(IST_TYPE_FLOAT, 4), array(DOUBLE, 2)),
                    "xmm0 <- argument 0, 8 bytes\nxmm1 <- argument 0 at 8, 8 bytes\nal <- 2\n");
    /* X87UP without X87 before it is MEMORY; INTEGER wins over both. */
    expect_result_in_memory(UNION(LONG_DOUBLE, INT));
    expect_result_in_memory(UNION(LONG_DOUBLE, FLOAT));
    expect_result(UNION(LONG_DOUBLE, array(LONG, 2)), "result <- rax, 8 bytes\nresult at 8 <- rdx, 8 bytes\n");
    expect_argument(UNION(LONG_DOUBLE, array(LONG, 2)),
                    "rdi <- argument 0, 8 bytes\nrsi <- argument 0 at 8, 8 bytes\nal <- 0\n");
}

static void vectors(void **state)
{
    (void)state;
    const ist_layout *y = vector(IST_TYPE_INT, 8), *z = vector(IST_TYPE_DOUBLE, 8);
    expect_argument(vector(IST_TYPE_SHORT, 4), "xmm0 <- argument 0, 8 bytes\nal <- 1\n");
    expect_argument(vector(IST_TYPE_CHAR, 16), "xmm0 <- argument 0, 16 bytes\nal <- 1\n");
    expect_argument(STRUCT(y), "ymm0 <- argument 0, 32 bytes\nal <- 1\n");
    expect_argument(STRUCT(STRUCT(z)), "zmm0 <- argument 0, 64 bytes\nal <- 1\n");
    expect_result(UNION(y, FLOAT), "result <- ymm0, 32 bytes\n");
    expect(plan_with(FUNCTION(y, NULL), NULL)->flags == ISTI_PLAN_AVX);
    expect_in_memory(STRUCT(y, y), "64", "64", "32");
    expect_in_memory(UNION(y, LONG), "32", "32", "32");
    expect_in_memory(ALIGNED(32, vector(IST_TYPE_FLOAT, 4)), "32", "32", "32");
    expect_in_memory(vector(IST_TYPE_DOUBLE, 1), "8", "16", "16");
    /* Named ones stay in registers, the others are in memory, and take none. */
    expect_plan(VARIADIC(NULL, 1, y, STRUCT(y), DOUBLE, z), "ymm0 <- argument 0, 32 bytes\n"
                                                            "[rsp+0] <- argument 1, 32 bytes\n"
                                                            "xmm1 <- argument 2, 8 bytes\n"
                                                            "[rsp+64] <- argument 3, 64 bytes\n"
                                                            "al <- 2\n"
                                                            "call, 128 bytes of stack aligned to 64\n");
}

static const ist_layout *bit_fields(ist_layout_kind kind, const ist_group_attributes *attributes,
                                    const ist_member *members, size_t count)
{
    const ist_layout *made = NULL;
    if (kind == IST_LAYOUT_STRUCT)
        expect_ok(ist_layout_struct_c(arena, NULL, members, count, attributes, &made));
    else
        expect_ok(ist_layout_union_c(arena, NULL, members, count, attributes, &made));
    return made;
}

#define BITS(...)                                                                                                      \
    bit_fields(IST_LAYOUT_STRUCT, NULL, (ist_member[]){ __VA_ARGS__ }, COUNT(((ist_member[]){ __VA_ARGS__ })))
#define PACKED_BITS(...)                                                                                               \
    bit_fields(IST_LAYOUT_STRUCT, &(ist_group_attributes){ .packed = 1 }, (ist_member[]){ __VA_ARGS__ },               \
               COUNT(((ist_member[]){ __VA_ARGS__ })))

static void bits(void **state)
{
    (void)state;
    expect_argument(BITS({ .name = "a", .layout = INT, .bits = 3 }, { .name = "b", .layout = FLOAT }), "rdi <- argument 0, 8 bytes\nal <- 0\n");
    expect_argument(BITS({ .name = "a", .layout = FLOAT }, { .name = "b", .layout = INT, .bits = 3 }, { .name = "c", .layout = DOUBLE }),
                    "rdi <- argument 0, 8 bytes\nxmm0 <- argument 0 at 8, 8 bytes\nal <- 1\n");
    expect_argument(BITS({ .name = "a", .layout = of(IST_TYPE_BOOL), .bits = 1 }), "rdi <- argument 0, 1 byte\nal <- 0\n");
    /* They are never misaligned, and may lie in two eightbytes. */
    expect_argument(PACKED_BITS({ .name = "a", .layout = LONG, .bits = 60 }, { .name = "b", .layout = LONG, .bits = 20 }),
                    "rdi <- argument 0, 8 bytes\nrsi <- argument 0 at 8, 2 bytes\nal <- 0\n");
    /* Those of no bits do not count. */
    expect_argument(BITS({ .name = "a", .layout = FLOAT }, { .layout = INT, .bits = IST_BITS_BREAK }, { .name = "b", .layout = FLOAT }),
                    "xmm0 <- argument 0, 8 bytes\nal <- 1\n");
}

/* Where the psABI is silent or compilers differ: as GCC 12 has it, from its assembly; docs/calls.md has the list. */
static void as_gcc(void **state)
{
    (void)state;
    const ist_layout *half = of(IST_TYPE_FLOAT16), *triple = STRUCT(SHORT, half, half);
    expect_argument(BITS({ .layout = INT, .bits = 32 }, { .name = "a", .layout = FLOAT }), "rdi <- argument 0, 8 bytes\nal <- 0\n");
    ist_member no_bits[] = { { .name = "a", .layout = DOUBLE }, { .layout = LONG, .bits = IST_BITS_BREAK } };
    expect_argument(bit_fields(IST_LAYOUT_UNION, NULL, no_bits, 2), "rdi <- argument 0, 8 bytes\nal <- 0\n");
    expect_argument(STRUCT(array(triple, 2)), "rdi <- argument 0, 8 bytes\nrsi <- argument 0 at 8, 4 bytes\nal <- 0\n");
    expect_argument(STRUCT(array(PACKED(SHORT, CHAR), 2)),
                    "rdi <- argument 0, 4 bytes\nrdi byte 4 <- argument 0 at 4, 2 bytes\nal <- 0\n");
    expect_argument(STRUCT(FLOAT, array(INT, 0)), "rdi <- argument 0, 4 bytes\nal <- 0\n");
    expect_argument(STRUCT(FLOAT, array(INT, IST_COUNT_OPEN)), "xmm0 <- argument 0, 4 bytes\nal <- 1\n");
    expect_argument(STRUCT(STRUCT(NULL), vector(IST_TYPE_FLOAT, 8)), "ymm0 <- argument 0, 32 bytes\nal <- 1\n");
    expect_argument(vector(IST_TYPE_INT128, 1), "xmm0 <- argument 0, 16 bytes\nal <- 1\n");
    expect_in_memory(vector(IST_TYPE_INT128, 2), "32", "32", "32");
    expect_in_memory(vector(IST_TYPE_FLOAT128, 1), "16", "16", "16");
}

/* A bit-field at an odd byte is one still; an integer that was written as one is misaligned there. */
static void misaligned_bits(void **state)
{
    (void)state;
#define ONE(type, width) BITS({ .name = "a", .layout = (type), .bits = (width) })
#define AT_ONE(...) PACKED(CHAR, __VA_ARGS__)
    expect_argument(AT_ONE(ONE(INT, 31)), "rdi <- argument 0, 4 bytes\nrdi byte 4 <- argument 0 at 4, 1 byte\nal <- 0\n");
    expect_in_memory(AT_ONE(ONE(INT, 32)), "5", "16", "16");
    expect_in_memory(AT_ONE(ONE(INT, 16)), "5", "16", "16");
    expect_argument(AT_ONE(ONE(INT, 8)), "rdi <- argument 0, 4 bytes\nrdi byte 4 <- argument 0 at 4, 1 byte\nal <- 0\n");
    expect_argument(AT_ONE(PACKED_BITS({ .name = "a", .layout = INT, .bits = 16 })),
                    "rdi <- argument 0, 2 bytes\nrdi byte 2 <- argument 0 at 2, 1 byte\nal <- 0\n");
    expect_in_memory(AT_ONE(BITS({ .name = "a", .layout = CHAR }, { .name = "b", .layout = SHORT, .bits = 16 })), "5", "16", "16");
}

/* ---- Registers run out ---- */

static void whole_or_not(void **state)
{
    (void)state;
    const ist_layout *two = STRUCT(LONG, LONG), *mixed = STRUCT(LONG, DOUBLE);
    expect_plan(FUNCTION(NULL, LONG, LONG, LONG, LONG, LONG, two, LONG, mixed, DOUBLE, INT),
                "rdi <- argument 0, 8 bytes\n"
                "rsi <- argument 1, 8 bytes\n"
                "rdx <- argument 2, 8 bytes\n"
                "rcx <- argument 3, 8 bytes\n"
                "r8 <- argument 4, 8 bytes\n"
                "[rsp+0] <- argument 5, 16 bytes\n"
                "r9 <- argument 6, 8 bytes\n"
                "[rsp+16] <- argument 7, 16 bytes\n"
                "xmm0 <- argument 8, 8 bytes\n"
                "[rsp+32] <- argument 9, 4 bytes\n"
                "al <- 1\n"
                "call, 48 bytes of stack aligned to 16\n");
}

static void alignment_on_stack(void **state)
{
    (void)state;
    const ist_layout *big = STRUCT(array(LONG, 3)), *i128 = of(IST_TYPE_INT128);
    expect_plan(FUNCTION(big, big, LONG, LONG, LONG, LONG, i128, LONG, LONG, i128, ALIGNED(64, CHAR), INT),
                "rdi <- address of the result\n"
                "[rsp+0] <- argument 0, 24 bytes\n"
                "rsi <- argument 1, 8 bytes\n"
                "rdx <- argument 2, 8 bytes\n"
                "rcx <- argument 3, 8 bytes\n"
                "r8 <- argument 4, 8 bytes\n"
                "[rsp+32] <- argument 5, 16 bytes\n"
                "r9 <- argument 6, 8 bytes\n"
                "[rsp+48] <- argument 7, 8 bytes\n"
                "[rsp+64] <- argument 8, 16 bytes\n"
                "[rsp+128] <- argument 9, 64 bytes\n"
                "[rsp+192] <- argument 10, 4 bytes\n"
                "al <- 0\n"
                "call, 256 bytes of stack aligned to 64\n");
}

/* A typedef's alignment ends where an argument is passed; that of the type itself does not. */
static void alignment_of_typedef(void **state)
{
    (void)state;
    const ist_layout *three = STRUCT(LONG, LONG, LONG, LONG);
    expect_in_memory(with_alignment(three, 32), "32", "32", "16");
    expect_in_memory(ALIGNED(32, LONG, LONG, LONG, LONG), "32", "32", "32");
    expect_in_memory(with_alignment(STRICT(LONG, LONG, LONG, LONG), 32), "32", "32", "32");
    expect_argument(with_alignment(INT, 1), "rdi <- argument 0, 4 bytes\nal <- 0\n");
    expect_in_memory(STRICT(CHAR, with_alignment(INT, 1)), "5", "16", "16");
}

static void vector_registers_run_out(void **state)
{
    (void)state;
    const ist_layout *pair = STRUCT(DOUBLE, DOUBLE);
    expect_plan(VARIADIC(pair, 1, POINTER, DOUBLE, pair, pair, pair, pair, DOUBLE, DOUBLE, INT),
                "rdi <- argument 0, 8 bytes\n"
                "xmm0 <- argument 1, 8 bytes\n"
                "xmm1 <- argument 2, 8 bytes\n"
                "xmm2 <- argument 2 at 8, 8 bytes\n"
                "xmm3 <- argument 3, 8 bytes\n"
                "xmm4 <- argument 3 at 8, 8 bytes\n"
                "xmm5 <- argument 4, 8 bytes\n"
                "xmm6 <- argument 4 at 8, 8 bytes\n"
                "[rsp+0] <- argument 5, 16 bytes\n"
                "xmm7 <- argument 6, 8 bytes\n"
                "[rsp+16] <- argument 7, 8 bytes\n"
                "rsi <- argument 8, 4 bytes\n"
                "al <- 8\n"
                "call, 32 bytes of stack aligned to 16\n"
                "result <- xmm0, 8 bytes\n"
                "result at 8 <- xmm1, 8 bytes\n");
}

/* ---- Segments ---- */

static void segments(void **state)
{
    (void)state;
    ist_member parameters[] = { { .name = "to", .layout = POINTER }, { .name = "raw", .layout = POINTER }, { .name = "from", .layout = POINTER }, { .name = "size", .layout = LONG } };
    const ist_function *function = NULL;
    expect_ok(ist_function_of(arena, POINTER, parameters, 4, 4, 0, &function));
    const isti_plan *plan = plan_with(function, NULL);
    expect_plan_of(plan, "rdi <- argument 0, 8 bytes, segment\n"
                         "rsi <- argument 1, 8 bytes\n"
                         "rdx <- argument 2, 8 bytes, segment\n"
                         "rcx <- argument 3, 8 bytes\n"
                         "al <- 0\n"
                         "call, 0 bytes of stack aligned to 16\n"
                         "result <- rax, 8 bytes\n", __LINE__);
    expect(plan->flags == ISTI_PLAN_SEGMENTS && plan->segment_count == 2);
    uint64_t third = 1 << 2;
    plan = plan_with(function, &(isti_classify_options){ .raw_bits = &third, .raw_count = 1 });
    expect(plan->segment_count == 1 && plan->arguments[0].flags == ISTI_VALUE_SEGMENT);
    expect(plan_with(function, &all_raw)->segment_count == 0);
}

/* ---- Keys ---- */

static bool alike(const ist_function *a, const ist_function *b)
{
    const isti_signature *x = signature_with(a, &all_raw), *y = signature_with(b, &all_raw);
    bool equal = isti_signature_equals(x, y);
    expect(!equal || isti_signature_hash(x) == isti_signature_hash(y));
    expect(equal || isti_signature_hash(x) != isti_signature_hash(y)); /* Of these few, none collide. */
    return equal;
}

#define LIKE(a, b) alike(FUNCTION(NULL, a), FUNCTION(NULL, b))

static void keys(void **state)
{
    (void)state;
    expect(LIKE(LONG, STRUCT(LONG)));
    expect(LIKE(LONG, POINTER));
    expect(LIKE(LONG, STRUCT(INT, FLOAT)));
    expect(LIKE(INT, of(IST_TYPE_UINT)));
    expect(LIKE(DOUBLE, STRUCT(FLOAT, FLOAT)));
    expect(LIKE(STRUCT(INT, DOUBLE), STRUCT(INT, INT, FLOAT, FLOAT)));
    expect(alike(FUNCTION(NULL, INT), VARIADIC(NULL, 0, INT)));
    expect(alike(FUNCTION(STRUCT(array(LONG, 3)), INT), FUNCTION(STRUCT(array(LONG, 9)), INT)));
    expect(!LIKE(LONG, DOUBLE));
    expect(!LIKE(CHAR, of(IST_TYPE_UCHAR)));
    expect(!LIKE(CHAR, STRUCT(CHAR)));
    expect(!LIKE(of(IST_TYPE_INT128), STRUCT(LONG, LONG))); /* Other alignments, once on the stack. */
    expect(!alike(FUNCTION(INT, INT), FUNCTION(NULL, INT)));
    expect(!alike(FUNCTION(NULL, INT), FUNCTION(NULL, INT, INT)));
    expect(!alike(FUNCTION(NULL, INT, LONG), FUNCTION(NULL, LONG, INT)));
    const ist_function *pointer = FUNCTION(NULL, POINTER);
    expect(!isti_signature_equals(signature_with(pointer, NULL), signature_with(pointer, &all_raw)));
}

/* ---- What cannot be called ---- */

static void expect_refused(const ist_function *function, const char *sentence, int line)
{
    isti_problem problem = { .status = IST_OK };
    isti_signature *signature = calloc(1, ISTI_SIGNATURE_SIZE(ist_function_count(function)));
    isti_signature untouched = *signature;
    ist_status status = isti_sysv_x64.classify(function, NULL, signature, &problem);
    if (status != IST_E_LAYOUT || strcmp(problem.text, sentence) != 0)
        test_failed(__FILE__, line, "%s: %s", ist_status_name(status), problem.text);
    expect(memcmp(signature, &untouched, sizeof untouched) == 0);
    free(signature);
}

#define refused(function, sentence) expect_refused(function, sentence, __LINE__)

static const ist_layout *swapped(ist_type type)
{
    const ist_layout *made = NULL;
    expect_ok(ist_layout_with_order(arena, of(type), IST_ORDER_BIG, &made));
    return made;
}

/* As the parser of C makes it of `struct later;`. */
static const ist_layout *undefined(void)
{
    ist_layout *made = NULL;
    expect_answer(isti_declare(&store, IST_LAYOUT_STRUCT, "later", &made, &(isti_problem){ .status = IST_OK }), IST_OK);
    return made;
}

static void refusals(void **state)
{
    (void)state;
    refused(FUNCTION(NULL, INT, undefined()), "parameter 1 has the type 'later', which is not defined");
    refused(FUNCTION(undefined(), INT), "the result has the type 'later', which is not defined");
    refused(FUNCTION(NULL, INT, swapped(IST_TYPE_INT)), "parameter 1 is not in the byte order of the machine");
    refused(FUNCTION(swapped(IST_TYPE_INT), INT), "the result is not in the byte order of the machine");
    ist_member inner = { .name = "size", .layout = swapped(IST_TYPE_SHORT) };
    const ist_layout *header = NULL, *message = NULL;
    expect_ok(ist_layout_struct_c(arena, "header", &inner, 1, NULL, &header));
    ist_member outer[] = { { .name = "kind", .layout = INT }, { .name = "headers", .layout = array(header, 2) } };
    expect_ok(ist_layout_struct_c(arena, "message", outer, 2, NULL, &message));
    ist_member parameter = { .name = "message", .layout = message };
    const ist_function *function = NULL;
    expect_ok(ist_function_of(arena, NULL, &parameter, 1, 1, 0, &function));
    refused(function, "parameter 0 'message': member 'headers.size' is not in the byte order of the machine");
    refused(FUNCTION(NULL, STRUCT(array(padding(1), 3), INT)), "parameter 0: member '(unnamed)' is an array of padding");
    refused(FUNCTION(NULL, STRICT(padding(8))), "parameter 0 consists of nothing but padding");
    refused(FUNCTION(NULL, BITS({ .layout = INT, .bits = 8 })), "parameter 0 consists of nothing but padding");
    refused(FUNCTION(NULL, STRUCT(INT, STRUCT(padding(8)))), "parameter 0: member '(unnamed)' consists of nothing but padding");
}

/* A struct whose bytes are not all accounted for would be another one to the compiler. */
static void refused_gaps(void **state)
{
    (void)state;
    refused(FUNCTION(NULL, STRICT(LONG, INT)), "parameter 0 is a struct of 12 bytes, where C has 16");
    refused(FUNCTION(NULL, STRICT(INT, padding(4), INT)),
            "parameter 0: member '(unnamed)' lies at 8, where C has it at 4: say what is between");
    refused(FUNCTION(NULL, STRICT(INT, padding(4))), "parameter 0 is a struct of 8 bytes, where C has 4");
    refused(FUNCTION(NULL, STRICT_UNION(INT, padding(8))), "parameter 0 is a union of 8 bytes, where C has 4");
    refused(FUNCTION(NULL, STRICT_UNION(LONG, array(INT, 3))), "parameter 0 is a union of 12 bytes, where C has 16");
    refused(FUNCTION(NULL, with_alignment(STRICT(INT, INT), 16)), "parameter 0 is of 8 bytes, which is no multiple of its alignment 16");
    expect_argument(STRICT(INT, padding(4), LONG), "rdi <- argument 0, 8 bytes\nrsi <- argument 0 at 8, 8 bytes\nal <- 0\n");
    expect_argument(STRICT(FLOAT, padding(4), DOUBLE), "xmm0 <- argument 0, 8 bytes\nxmm1 <- argument 0 at 8, 8 bytes\nal <- 2\n");
    expect_argument(STRICT_UNION(LONG, array(INT, 3), padding(16)),
                    "rdi <- argument 0, 8 bytes\nrsi <- argument 0 at 8, 8 bytes\nal <- 0\n");
}

static void refused_variadic(void **state)
{
    (void)state;
    static const struct {
        ist_type type;
        const char *sentence;
    } promoted[] = {
        { IST_TYPE_FLOAT, "parameter 1 is variadic and of type 'float', which C promotes: say 'double'" },
        { IST_TYPE_BOOL, "parameter 1 is variadic and of type '_Bool', which C promotes: say 'int'" },
        { IST_TYPE_CHAR, "parameter 1 is variadic and of type 'char', which C promotes: say 'int'" },
        { IST_TYPE_USHORT, "parameter 1 is variadic and of type 'unsigned short', which C promotes: say 'int'" },
    };
    for (size_t i = 0; i < COUNT(promoted); i++) {
        refused(VARIADIC(NULL, 1, INT, of(promoted[i].type)), promoted[i].sentence);
        plan_with(VARIADIC(NULL, 2, INT, of(promoted[i].type)), NULL);
    }
    plan_with(VARIADIC(NULL, 1, INT, of(IST_TYPE_FLOAT16), of(IST_TYPE_FLOAT128), STRUCT(FLOAT), STRUCT(CHAR)), NULL);
}

static void limits(void **state)
{
    (void)state;
    refused(FUNCTION(NULL, STRUCT(array(LONG, (ISTI_STACK_MAX / 8) + 1))),
            "parameter 0 has 1048584 bytes; a call takes at most 1048576");
    refused(FUNCTION(STRUCT(array(LONG, (size_t)1 << 28)), INT),
            "the result has 2147483648 bytes; a call takes at most 2147483647");
    static ist_member many[ISTI_ARGUMENTS_MAX + 1];
    for (size_t i = 0; i < COUNT(many); i++)
        many[i].layout = DOUBLE;
    const ist_function *function = NULL;
    expect_ok(ist_function_of(arena, NULL, many, COUNT(many), COUNT(many), 0, &function));
    refused(function, "32768 parameters; a call takes at most 32767");

    /* As many as may be, and then some bytes more. */
    isti_problem problem = { .status = IST_OK };
    const isti_plan *plan = NULL;
    isti_signature *signature = calloc(1, ISTI_SIGNATURE_SIZE(COUNT(many)));
    expect_ok(ist_function_of(arena, NULL, many, ISTI_ARGUMENTS_MAX, ISTI_ARGUMENTS_MAX, 0, &function));
    expect_answer(isti_sysv_x64.classify(function, NULL, signature, &problem), IST_OK);
    expect_answer(isti_sysv_x64.arrange(signature, &store, &plan, &problem), IST_OK);
    expect(isti_plan_verify(plan, &problem));
    expect_size(plan->stack_size, (ISTI_ARGUMENTS_MAX - 8 + 1) / 2 * 16);
    free(signature);
    const ist_layout *half = STRUCT(array(LONG, ISTI_STACK_MAX / 16));
    plan_with(FUNCTION(NULL, half, half), NULL);
    function = FUNCTION(NULL, half, half, STRUCT(LONG, LONG, LONG));
    plan = NULL;
    expect_answer(isti_sysv_x64.arrange(signature_with(function, NULL), &store, &plan, &problem), IST_E_LAYOUT);
    expect(plan == NULL && strstr(problem.text, "1048608 bytes of the stack") != NULL);
}

/* Few layouts that share parts make a type of 2^100 parts. */
static void endless(void **state)
{
    (void)state;
    const ist_layout *layout = STRUCT(NULL);
    for (int i = 0; i < 100; i++)
        layout = STRUCT(layout, layout);
    isti_problem problem = { .status = IST_OK };
    isti_signature *signature = calloc(1, ISTI_SIGNATURE_SIZE(1));
    expect_answer(isti_sysv_x64.classify(FUNCTION(NULL, layout), NULL, signature, &problem), IST_E_LAYOUT);
    expect(strstr(problem.text, "has a type of more than 1048576 parts") != NULL);
    free(signature);
}

static void no_memory(void **state)
{
    (void)state;
    isti_problem problem = { .status = IST_OK };
    const isti_plan *plan = NULL;
    isti_signature *signature = signature_with(FUNCTION(NULL, INT), NULL);
    blocks.refuses = true;
    expect_answer(isti_sysv_x64.arrange(signature, &store, &plan, &problem), IST_E_NO_MEMORY);
    blocks.refuses = false;
    expect(plan == NULL && problem.status == IST_E_NO_MEMORY);
}

/* ---- The check finds what is wrong ---- */

/* A plan with all that a plan may have, to be spoilt. */
typedef struct spoilt_plan {
    isti_plan plan;
    isti_value arguments[8];
    isti_move moves[16];
} spoilt_plan;

static void copy_plan(const isti_plan *plan, spoilt_plan *copy)
{
    copy->plan = *plan;
    expect(plan->signature->count <= COUNT(copy->arguments) && plan->move_count <= COUNT(copy->moves));
    memcpy(copy->moves, plan->moves, plan->move_count * sizeof(isti_move));
    for (uint32_t i = 0; i < plan->signature->count; i++) {
        copy->arguments[i] = plan->arguments[i];
        copy->arguments[i].moves = copy->moves + (plan->arguments[i].moves - plan->moves);
    }
    copy->plan.result.moves = copy->moves + (plan->result.moves - plan->moves);
    copy->plan.arguments = copy->arguments;
    copy->plan.moves = copy->moves;
}

static void verify_finds(const isti_plan *plan)
{
    spoilt_plan spoilt;
    isti_problem problem;
    /* What each number says is needed: any other is wrong. */
    static const struct {
        size_t offset, size;
    } fields[] = { { offsetof(isti_move, offset), 4 }, { offsetof(isti_move, size), 4 }, { offsetof(isti_move, at), 4 },
                   { offsetof(isti_move, location), 1 }, { offsetof(isti_move, part), 1 } };
    for (uint32_t i = 0; i < plan->move_count; i++) {
        for (size_t field = 0; field < COUNT(fields); field++) {
            for (unsigned bit = 0; bit < 8 * fields[field].size; bit++) {
                copy_plan(plan, &spoilt);
                ((unsigned char *)&spoilt.moves[i])[fields[field].offset + bit / 8] ^= (unsigned char)(1 << bit % 8);
                problem.status = IST_OK;
                test_context("move %u, field %zu, bit %u", i, field, bit);
                /* A higher place on the stack, or another free register, is a plan too, though not the ABI's. */
                bool other_place = fields[field].offset == offsetof(isti_move, at);
                expect(!isti_plan_verify(&spoilt.plan, &problem) ? problem.status == IST_E_LAYOUT : other_place);
            }
        }
    }
    for (uint32_t i = 0; i < plan->signature->count; i++) {
        for (unsigned bit = 0; bit < 3; bit++) {
            copy_plan(plan, &spoilt);
            spoilt.arguments[i].move_count ^= 1u << bit;
            if (spoilt.arguments[i].move_count > plan->move_count)
                continue;
            problem.status = IST_OK;
            test_context("argument %u, count %u", i, spoilt.arguments[i].move_count);
            expect(!isti_plan_verify(&spoilt.plan, &problem));
        }
    }
}

static void verify_finds_collisions(const isti_plan *plan)
{
    spoilt_plan spoilt;
    for (uint32_t i = 0; i < plan->move_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const isti_move *a = &plan->moves[i], *b = &plan->moves[j];
            bool results = i >= plan->result.moves - plan->moves || j >= plan->result.moves - plan->moves;
            if (a->location != b->location || a->at == b->at || a->part != 0 || results)
                continue;
            copy_plan(plan, &spoilt);
            spoilt.moves[i].at = b->at;
            test_context("move %u where move %u is", i, j);
            expect(!isti_plan_verify(&spoilt.plan, &(isti_problem){ .status = IST_OK }));
        }
    }
}

static void verifying(void **state)
{
    (void)state;
    const ist_layout *tail = STRUCT(array(CHAR, 15)), *y = vector(IST_TYPE_FLOAT, 8);
    const ist_layout *mixed = STRUCT(INT, DOUBLE), *big = STRUCT(array(LONG, 3));
    const isti_plan *plans[] = { plan_with(FUNCTION(mixed, tail, y, mixed, big, LONG_DOUBLE), NULL),
                                 plan_with(FUNCTION(big, tail, y, mixed, big, SHORT), NULL),
                                 plan_with(FUNCTION(of(IST_TYPE_COMPLEX_LONG_DOUBLE), DOUBLE, DOUBLE), NULL) };
    for (size_t i = 0; i < COUNT(plans); i++) {
        verify_finds(plans[i]);
        verify_finds_collisions(plans[i]);
        spoilt_plan spoilt;
        for (unsigned flaw = 0; flaw < 4; flaw++) {
            copy_plan(plans[i], &spoilt);
            spoilt.plan.vector_count ^= flaw == 0;
            spoilt.plan.flags ^= flaw == 1 ? ISTI_PLAN_RESULT_POINTER : 0;
            spoilt.plan.stack_size += flaw == 2 ? 8 : 0;
            spoilt.plan.result.move_count += flaw == 3;
            test_context("plan %zu, flaw %u", i, flaw);
            expect(!isti_plan_verify(&spoilt.plan, &(isti_problem){ .status = IST_OK }));
        }
    }
}

/* Upcalls put each argument that comes in registers together in a place of its own. */
static void spilling(void **state)
{
    (void)state;
    const ist_layout *y = vector(IST_TYPE_FLOAT, 8);
    const isti_plan *plan = plan_with(FUNCTION(NULL, CHAR, STRUCT(array(CHAR, 9)), y, of(IST_TYPE_INT128), LONG_DOUBLE), NULL);
    expect_size(plan->arguments[0].spill_offset, 0);
    expect_size(plan->arguments[1].spill_offset, 8);
    expect_size(plan->arguments[2].spill_offset, 32);
    expect_size(plan->arguments[3].spill_offset, 64);
    expect_size(plan->spill_size, 96);
    expect_size(plan->spill_alignment, 32);
}

int main(void)
{
    arena = ist_arena_global();
    const struct CMUnitTest tests[] = {
        test_case(worked_example),
        test_case(nothing),
        test_case(narrow),
        test_case(scalars),
        test_case(tails),
        test_case(structs),
        test_case(packed),
        test_case(unions),
        test_case(vectors),
        test_case(bits),
        test_case(as_gcc),
        test_case(misaligned_bits),
        test_case(whole_or_not),
        test_case(alignment_on_stack),
        test_case(alignment_of_typedef),
        test_case(vector_registers_run_out),
        test_case(segments),
        test_case(keys),
        test_case(refusals),
        test_case(refused_gaps),
        test_case(refused_variadic),
        test_case(limits),
        test_case(endless),
        test_case(no_memory),
        test_case(verifying),
        test_case(spilling),
    };
    int failed = cmocka_run_group_tests_name("abi.plan", tests, NULL, NULL);
    give_back(NULL);
    return failed;
}
