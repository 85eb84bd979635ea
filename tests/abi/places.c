/* SPDX-License-Identifier: MIT */
/*
 * Where a compiler puts arguments and looks for results, against what the plans say: seeded random functions, with
 * random bytes for values.
 *
 *     abi_places text <seed> <count> <features>            writes C: case_<n>() calls a function of type n
 *     abi_places check <seed> <count> <features> <library> calls each case of the compiled text
 *
 * What the cases call is a probe in assembly. It writes down the registers and the stack as it finds them, and returns
 * with other random bytes in all registers that a result may come in. So the compiler does the call, and the plan is
 * held to it: each bit of each argument that means something lies where a move says, and the result is what its moves
 * make of the registers. Each function ends in a long and a double, which show whether what came before took
 * more or less than the plan has.
 */
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include "abi/plan.h"
#include "abi/types.h"

#define ARGUMENTS_MAX 20
#define STACK_BYTES 65536
#define SLOT_BYTES 65536
#define ALIGNMENT 4096

/* ---- The probe ---- */

/* What the probe found, and what it returns. The assembly knows the offsets. */
struct probe_image {
    uint64_t general[8];    /* rdi rsi rdx rcx r8 r9, rax, the stack pointer before the call instruction. */
    uint8_t vector[8][64];  /* 64 */
    uint64_t width;         /* 576: bytes of a vector register. */
    uint64_t stack_size;    /* 584: bytes of the stack to copy. */
    uint64_t in_memory;     /* 592: bytes of a result that goes where rdi says. */
    uint64_t result[2];     /* 600: rax, rdx. */
    uint64_t aligning[3];
    uint8_t x87[2][16];     /* 640 */
    uint8_t xmm[2][64];     /* 672 */
    uint8_t memory[SLOT_BYTES]; /* 800 */
    uint8_t stack[STACK_BYTES];
};
_Static_assert(offsetof(struct probe_image, vector) == 64, "as below");
_Static_assert(offsetof(struct probe_image, width) == 576, "as below");
_Static_assert(offsetof(struct probe_image, result) == 600, "as below");
_Static_assert(offsetof(struct probe_image, x87) == 640, "as below");
_Static_assert(offsetof(struct probe_image, xmm) == 672, "as below");
_Static_assert(offsetof(struct probe_image, memory) == 800, "as below");
_Static_assert(offsetof(struct probe_image, stack) == 800 + 65536, "as below");

extern struct probe_image probe_image;
struct probe_image probe_image;
void probe(void);

#define FOR_EIGHT(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define SAVE_XMM(n) "movups %xmm" #n ", 64+64*" #n "(%r11)\n"
#define SAVE_YMM(n) "vmovups %ymm" #n ", 64+64*" #n "(%r11)\n"
#define SAVE_ZMM(n) "vmovups %zmm" #n ", 64+64*" #n "(%r11)\n"

__asm__(".text\n.type probe, @function\nprobe:\n"
        "leaq probe_image(%rip), %r11\n"
        "movq %rdi, 0(%r11)\nmovq %rsi, 8(%r11)\nmovq %rdx, 16(%r11)\n"
        "movq %rcx, 24(%r11)\nmovq %r8, 32(%r11)\nmovq %r9, 40(%r11)\n"
        "movq %rax, 48(%r11)\n"
        "leaq 8(%rsp), %rsi\nmovq %rsi, 56(%r11)\n"
        "cmpq $32, 576(%r11)\nja 1f\nje 2f\n"
        FOR_EIGHT(SAVE_XMM) "jmp 3f\n"
        "2:\n" FOR_EIGHT(SAVE_YMM) "jmp 3f\n"
        "1:\n" FOR_EIGHT(SAVE_ZMM)
        "3:\n"
        "movq 584(%r11), %rcx\nleaq 800+65536(%r11), %rdi\nrep movsb\n"
        "fldt 656(%r11)\nfldt 640(%r11)\n"
        "cmpq $32, 576(%r11)\nja 4f\nje 5f\n"
        "movups 672(%r11), %xmm0\nmovups 736(%r11), %xmm1\njmp 6f\n"
        "5: vmovups 672(%r11), %ymm0\nvmovups 736(%r11), %ymm1\njmp 6f\n"
        "4: vmovups 672(%r11), %zmm0\nvmovups 736(%r11), %zmm1\n"
        "6:\n"
        "movq 600(%r11), %rax\nmovq 608(%r11), %rdx\n"
        "movq 592(%r11), %rcx\ntestq %rcx, %rcx\njz 7f\n"
        "movq 0(%r11), %rdi\nmovq %rdi, %rax\nleaq 800(%r11), %rsi\nrep movsb\n"
        "7: ret\n"
        ".size probe, .-probe\n");

/* ---- Functions ---- */

typedef struct test_function {
    test_type types[ARGUMENTS_MAX];
    size_t count, fixed_count;
    bool has_result;
    test_type result;
} test_function;

/*
 * GCC sends an unnamed vector of 32 or 64 bytes to memory by its machine mode, and so forgets about some that are in
 * groups; its va_arg() breaks on those.
 */
static bool is_forgotten(const ist_layout *layout)
{
    return isti_layout_is_group(layout) && (layout->size == 32 || layout->size == 64);
}

static bool is_promoted(const ist_layout *layout)
{
    return layout->kind == IST_LAYOUT_VALUE &&
           (layout->type == IST_TYPE_FLOAT || (layout->size < 4 && isti_type_class(layout->type) != ISTI_CLASS_FLOAT));
}

static void add_scalars(test_types *types, test_function *function, ist_type type, size_t count)
{
    for (size_t i = 0; i < count; i++)
        function->types[function->count++] = test_type_scalar(types, type);
}

/* Clang keeps the classes of two eightbytes and takes what begins with a vector of 16 bytes for a larger one. */
static bool is_ambiguous(const ist_layout *layout)
{
    return isti_layout_is_group(layout) && layout->alignment >= 16 && layout->size > 16 && layout->size <= 64;
}

/* Most of them small, since it is there that registers are mixed. */
static test_type random_type(test_types *types)
{
    test_type type;
    size_t most = test_random_below(&types->random, 3) > 0 ? 16 : SLOT_BYTES / 16;
    do
        type = test_type_random(types, 3);
    while (type.layout->size > most || (!types->gcc && is_ambiguous(type.layout)));
    return type;
}

static test_type random_argument(test_types *types, bool variadic)
{
    test_type type;
    do
        type = random_type(types);
    while (variadic && (is_promoted(type.layout) || is_forgotten(type.layout)));
    return type;
}

static void random_function(test_types *types, test_function *function)
{
    *function = (test_function){ .count = 0 };
    test_types_next(types);
    bool crowded = test_random_below(&types->random, 3) == 0, variadic = test_random_below(&types->random, 6) == 0;
    if (crowded) {
        add_scalars(types, function, IST_TYPE_LONG, test_random_below(&types->random, 8));
        add_scalars(types, function, IST_TYPE_DOUBLE, test_random_below(&types->random, 8));
    }
    if (variadic && function->count == 0)
        add_scalars(types, function, IST_TYPE_ADDRESS, 1);
    size_t wanted = function->count + 1 + test_random_below(&types->random, 3);
    size_t fixed = function->count + test_random_below(&types->random, 2);
    while (function->count < wanted) {
        bool unnamed = variadic && function->count >= fixed;
        test_type type = random_argument(types, unnamed);
        /* Clang has even named ones in memory then. */
        if (types->gcc || !variadic || type.layout->size < 32)
            function->types[function->count++] = type;
    }
    add_scalars(types, function, IST_TYPE_LONG, 1);
    add_scalars(types, function, IST_TYPE_DOUBLE, 1);
    function->fixed_count = variadic ? fixed : function->count;
    function->has_result = test_random_below(&types->random, 2) == 0;
    if (function->has_result)
        function->result = random_type(types);
}

static void write_type(FILE *text, const test_function *function)
{
    fprintf(text, "(%s (*)(", function->has_result ? function->result.name : "void");
    for (size_t i = 0; i < function->fixed_count; i++)
        fprintf(text, "%s%s", i > 0 ? ", " : "", function->types[i].name);
    fprintf(text, "%s))", function->fixed_count < function->count ? ", ..." : "");
}

/* The layouts are those of the compiler, or nothing else makes sense. */
static void write_assertion(FILE *text, const test_type *type)
{
    fprintf(text, "_Static_assert(sizeof(%s) == %zu && _Alignof(%s) == %zu, \"%s\");\n", type->name, type->layout->size,
            type->name, type->layout->alignment, type->name);
}

static void write_case(FILE *text, const test_function *function, size_t index)
{
    for (size_t i = 0; i < function->count; i++)
        write_assertion(text, &function->types[i]);
    if (function->has_result)
        write_assertion(text, &function->result);
    fprintf(text, "void case_%zu(const char *const *v, char *r) {\n  ", index);
    if (function->has_result)
        fprintf(text, "%s x = ", function->result.name);
    fprintf(text, "(");
    write_type(text, function);
    fprintf(text, "probe)(");
    for (size_t i = 0; i < function->count; i++)
        fprintf(text, "%s*(const %s *)v[%zu]", i > 0 ? ", " : "", function->types[i].name, i);
    fprintf(text, ");\n");
    if (function->has_result)
        fprintf(text, "  *(%s *)r = x;\n", function->result.name);
    fprintf(text, "}\n");
}

/* ---- Checking ---- */

static uint8_t values[ARGUMENTS_MAX][SLOT_BYTES] __attribute__((aligned(ALIGNMENT)));
static uint8_t received[SLOT_BYTES] __attribute__((aligned(ALIGNMENT)));
static size_t current_case;
static const char *current_seed;

static void crashed(int signal_number)
{
    (void)signal_number;
    char text[120];
    int length = snprintf(text, sizeof text, "case %zu of seed %s crashes\n", current_case, current_seed);
    if (write(2, text, (size_t)length) < 0)
        _exit(2);
    _exit(1);
}

static void fill(test_random *random, void *to, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)to)[i] = (uint8_t)test_random_next(random);
}

/* A _Bool that is neither 0 nor 1 is none. */
static void keep_bool(const ist_layout *layout, void *value)
{
    if (layout->kind == IST_LAYOUT_VALUE && layout->type == IST_TYPE_BOOL)
        *(uint8_t *)value &= 1;
}

__attribute__((format(printf, 2, 3))) static _Noreturn void differs(const isti_plan *plan, const char *format, ...)
{
    char text[8192], what[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    isti_text to = isti_text_in(text, sizeof text);
    isti_plan_print(plan, &to);
    fprintf(stderr, "case %zu of seed %s: %s; the plan is\n%s", current_case, current_seed, what, text);
    exit(1);
}

static const uint8_t *place_of(const isti_move *move)
{
    switch (move->location) {
    case ISTI_IN_GENERAL:
        return (const uint8_t *)&probe_image.general[move->at] + move->part;
    case ISTI_IN_VECTOR:
        return probe_image.vector[move->at] + move->part;
    default:
        return probe_image.stack + move->at;
    }
}

static bool same(const uint8_t *a, const uint8_t *b, const uint8_t *mask, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if ((a[i] ^ b[i]) & mask[i])
            return false;
    }
    return true;
}

/* The value as 32 bits. */
static uint32_t extended(const uint8_t *value, const isti_move *move)
{
    uint32_t bits = move->size == 1 ? value[0] : (uint32_t)(value[0] | value[1] << 8);
    if (move->extension == ISTI_EXTEND_SIGN)
        bits = move->size == 1 ? (uint32_t)(int8_t)bits : (uint32_t)(int16_t)bits;
    return bits;
}

static void check_argument(const isti_plan *plan, size_t index, const test_type *type)
{
    const isti_value *argument = &plan->arguments[index];
    const uint8_t *value = values[index];
    for (uint32_t i = 0; i < argument->move_count; i++) {
        const isti_move *move = &argument->moves[i];
        const uint8_t *place = place_of(move);
        if (!same(place, value + move->offset, type->mask + move->offset, move->size))
            differs(plan, "argument %zu (%s) is not where move %u has it", index, type->name, i);
        uint32_t found;
        memcpy(&found, place, sizeof found);
        if (move->extension != ISTI_EXTEND_NONE && found != extended(value, move))
            differs(plan, "argument %zu (%s) is extended to 0x%x", index, type->name, found);
        uint64_t address = probe_image.general[7] + move->at;
        if (move->location == ISTI_ON_STACK && address % (1u << plan->signature->arguments[index].alignment_shift) != 0)
            differs(plan, "argument %zu (%s) is misaligned", index, type->name);
    }
}

/* No bit that means something is left behind. */
static void check_coverage(const isti_plan *plan, const isti_value *value, const test_type *type, const char *what)
{
    uint8_t *left = malloc(type->layout->size + 1);
    memcpy(left, type->mask, type->layout->size);
    for (uint32_t i = 0; i < value->move_count; i++)
        memset(left + value->moves[i].offset, 0, value->moves[i].size);
    if (!test_all_bytes(left, type->layout->size, 0))
        differs(plan, "bytes of the %s (%s) are not moved", what, type->name);
    free(left);
}

static const uint8_t *result_place(const isti_move *move)
{
    switch (move->location) {
    case ISTI_IN_GENERAL:
        return (const uint8_t *)&probe_image.result[move->at] + move->part;
    case ISTI_IN_VECTOR:
        return probe_image.xmm[move->at] + move->part;
    default:
        return probe_image.x87[move->at];
    }
}

static void check_result(const isti_plan *plan, const test_type *type)
{
    static uint8_t expected[SLOT_BYTES];
    if (plan->flags & ISTI_PLAN_RESULT_POINTER)
        memcpy(expected, probe_image.memory, type->layout->size);
    else
        check_coverage(plan, &plan->result, type, "result");
    for (uint32_t i = 0; i < plan->result.move_count; i++) {
        const isti_move *move = &plan->result.moves[i];
        memcpy(expected + move->offset, result_place(move), move->size);
    }
    if (!same(received, expected, type->mask, type->layout->size))
        differs(plan, "the result (%s) is not where the moves have it", type->name);
}

static void prepare(test_random *random, const test_function *function, const isti_plan *plan)
{
    for (size_t i = 0; i < function->count; i++) {
        expect(function->types[i].layout->size <= SLOT_BYTES);
        fill(random, values[i], function->types[i].layout->size);
        keep_bool(function->types[i].layout, values[i]);
    }
    fill(random, probe_image.result, sizeof probe_image.result);
    fill(random, probe_image.x87, sizeof probe_image.x87);
    fill(random, probe_image.xmm, sizeof probe_image.xmm);
    probe_image.stack_size = plan->stack_size;
    expect(plan->stack_size <= STACK_BYTES);
    probe_image.in_memory = 0;
    if (!function->has_result)
        return;
    keep_bool(function->result.layout, probe_image.result);
    if (plan->flags & ISTI_PLAN_RESULT_POINTER) {
        probe_image.in_memory = function->result.layout->size;
        expect(probe_image.in_memory <= SLOT_BYTES);
        fill(random, probe_image.memory, probe_image.in_memory);
    }
}

typedef void case_fn(const char *const *arguments, char *result);

static void check_case(test_random *random, const test_function *function, const isti_plan *plan, case_fn *call)
{
    const char *arguments[ARGUMENTS_MAX];
    for (size_t i = 0; i < function->count; i++)
        arguments[i] = (const char *)values[i];
    prepare(random, function, plan);
    call(arguments, (char *)received);
    __asm__ volatile("fninit"); /* What nobody took from the registers of x87. */
    for (size_t i = 0; i < function->count; i++) {
        check_argument(plan, i, &function->types[i]);
        check_coverage(plan, &plan->arguments[i], &function->types[i], "argument");
    }
    bool variadic = function->fixed_count < function->count;
    if (variadic && (uint8_t)probe_image.general[6] != plan->vector_count)
        differs(plan, "AL is %u", (unsigned)(uint8_t)probe_image.general[6]);
    if (function->has_result)
        check_result(plan, &function->result);
}

/* ---- Plans ---- */

static void *take(void *context, size_t size, size_t alignment, isti_problem *problem)
{
    (void)context;
    (void)problem;
    ist_segment block;
    expect_ok(ist_arena_allocate(ist_arena_global(), size, alignment, &block));
    return block.address;
}

static const isti_plan *plan_of(const test_function *function)
{
    static const isti_store store = { .allocate = take };
    static const isti_classify_options raw = { .all_raw = true };
    static _Alignas(isti_signature) char buffer[ISTI_SIGNATURE_SIZE(ARGUMENTS_MAX)];
    isti_signature *signature = (isti_signature *)buffer;
    ist_member parameters[ARGUMENTS_MAX] = { 0 };
    for (size_t i = 0; i < function->count; i++)
        parameters[i].layout = function->types[i].layout;
    const ist_function *type = NULL;
    expect_ok(ist_function_of(ist_arena_global(), function->has_result ? function->result.layout : NULL, parameters,
                              function->count, function->fixed_count, 0, &type));
    const isti_plan *plan = NULL;
    isti_problem problem = { .status = IST_OK };
    if (isti_sysv_x64.classify(type, &raw, signature, &problem) != IST_OK ||
        isti_sysv_x64.arrange(signature, &store, &plan, &problem) != IST_OK || !isti_plan_verify(plan, &problem)) {
        fprintf(stderr, "case %zu of seed %s: %s\n", current_case, current_seed, problem.text);
        exit(1);
    }
    return plan;
}

static void write_all(test_types *types, size_t count)
{
    test_types_begin(types);
    fprintf(types->text, "void (*probe)(void);\n");
    for (size_t i = 0; i < count; i++) {
        test_function function;
        random_function(types, &function);
        write_case(types->text, &function, i);
    }
}

static void check_all(test_types *types, size_t count, const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    *(void (**)(void))dlsym(library, "probe") = probe;
    test_random bytes = { .state = types->random.state + 1 };
    for (current_case = 0; current_case < count; current_case++) {
        char name[32];
        test_function function;
        random_function(types, &function);
        snprintf(name, sizeof name, "case_%zu", current_case);
        case_fn *call = (case_fn *)dlsym(library, name);
        check_case(&bytes, &function, plan_of(&function), call);
    }
}

static bool has(const char *features, const char *feature)
{
    return strstr(features, feature) != NULL;
}

int main(int count, char **arguments)
{
    if (count < 5)
        return 2;
    test_types types = { .random = { .state = strtoull(arguments[2], NULL, 0) } };
    const char *features = arguments[4];
    types.half = has(features, "half");
    types.bfloat = has(features, "bfloat");
    types.gcc = has(features, "gcc");
    types.vector_max = has(features, "zmm") ? 64 : has(features, "ymm") ? 32 : 16;
    probe_image.width = types.vector_max;
    current_seed = arguments[2];
    size_t cases = strtoull(arguments[3], NULL, 0);
    if (strcmp(arguments[1], "text") == 0) {
        types.text = stdout;
        write_all(&types, cases);
        return 0;
    }
    signal(SIGSEGV, crashed);
    types.text = fopen("/dev/null", "w");
    check_all(&types, cases, arguments[5]);
    return 0;
}
