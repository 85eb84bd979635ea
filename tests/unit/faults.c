/* SPDX-License-Identifier: MIT */
/*
 * Every request for memory or for a mapping fails once: each scenario is played with its 1st, 2nd, 3rd ... request refused,
 * until it passes untouched. The call that meets the refusal answers IST_E_NO_MEMORY, leaves its output and the arena as
 * they were, and succeeds when it is repeated; at the end nothing is leaked.
 *
 * Each scenario is played in children that have never used the library, and then in this process, which has.
 */
#include "base/fault.h"
#include "support/expect.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* Leak checks of children, where the sanitizer is there: _exit() makes none. */
__attribute__((weak)) int __lsan_do_recoverable_leak_check(void);

static size_t failures; /* Calls that answered IST_E_NO_MEMORY since the scenario began. */

static ist_status last_status(void)
{
    ist_error error = { .size = sizeof error };
    expect(ist_last_error_info(&error) == IST_OK);
    return error.status;
}

/* What every failure leaves, also on a thread whose record could not be had. */
static void note_failure(ist_status status, const char *call, int line)
{
    failures++;
    if (status != IST_E_NO_MEMORY)
        test_failed(__FILE__, line, "%s is %s", call, ist_status_name(status));
    expect(last_status() == IST_E_NO_MEMORY);
    expect(ist_last_error() != NULL && ist_last_error()[0] != 0);
}

/* Makes a call that may fail for want of memory, and once more if it did. `out` is what it writes to. */
#define attempt(call, out)                                                                         \
    do {                                                                                           \
        unsigned char kept[sizeof *(out)];                                                         \
        memset((out), 0xEE, sizeof *(out));                                                        \
        memset(kept, 0xEE, sizeof kept);                                                           \
        ist_status answer = (call);                                                                \
        if (answer != IST_OK) {                                                                    \
            expect(memcmp(kept, (out), sizeof kept) == 0);                                         \
            note_failure(answer, #call, __LINE__);                                                 \
            answer = (call);                                                                       \
        }                                                                                          \
        if (answer != IST_OK)                                                                      \
            test_failed(__FILE__, __LINE__, "%s is %s when repeated", #call, ist_status_name(answer)); \
    } while (0)

/* A call that asks for no memory, and so must not fail. */
#define succeed(call)                                                                              \
    do {                                                                                           \
        ist_status answer = (call);                                                                \
        if (answer != IST_OK)                                                                      \
            test_failed(__FILE__, __LINE__, "%s is %s", #call, ist_status_name(answer));           \
    } while (0)

static char nothing; /* For calls without an output. */

/* ---- Scenarios ---- */

static void open_and_close(void)
{
    ist_arena arenas[70]; /* More than a slab has records. */
    for (size_t i = 0; i < 70; i++)
        attempt(ist_arena_open_confined(&arenas[i]), &arenas[i]);
    for (size_t i = 0; i < 70; i++)
        succeed(ist_arena_close(arenas[i]));
}

static const size_t sizes[] = { 0, 8, 100, 400, 600, 2000, 5000, 20000, 40000, 300000, 1200000 };
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Blocks that were there before a failure keep what they hold, and the one that is asked for again is as asked for. */
static void allocate_from(ist_arena arena)
{
    ist_segment blocks[3 * SIZES];
    for (size_t i = 0; i < 3 * SIZES; i++) {
        size_t size = sizes[i % SIZES];
        if (i / SIZES == 1) {
            attempt(ist_arena_allocate_uninitialized(arena, size, 8, &blocks[i]), &blocks[i]);
        } else {
            size_t alignment = i / SIZES == 0 ? 8 : 4096;
            attempt(ist_arena_allocate(arena, size, alignment, &blocks[i]), &blocks[i]);
            expect(test_all_bytes(blocks[i].address, size, 0));
        }
        succeed(ist_segment_fill(&blocks[i], (uint8_t)(i + 1)));
    }
    for (size_t i = 0; i < 3 * SIZES; i++)
        expect(test_all_bytes(blocks[i].address, blocks[i].size, (uint8_t)(i + 1)));
}

static void allocate_each_class(void)
{
    for (size_t life = 0; life < 2; life++) {
        ist_arena arena;
        attempt(ist_arena_open_confined(&arena), &arena);
        allocate_from(arena);
        succeed(ist_arena_close(arena));
    }
}

/* One class at a time, so that each is an arena's first. */
static void allocate_one_class(void)
{
    for (size_t i = 0; i < SIZES; i++) {
        ist_arena arena;
        ist_segment block, another;
        attempt(ist_arena_open_confined(&arena), &arena);
        attempt(ist_arena_allocate(arena, sizes[i], 64, &block), &block);
        attempt(ist_arena_allocate(arena, 16, 16, &another), &another);
        expect(test_all_bytes(block.address, sizes[i], 0));
        succeed(ist_segment_fill(&block, 0xA5));
        expect(test_all_bytes(another.address, 16, 0));
        succeed(ist_arena_close(arena));
        (void)ist_trim();
    }
}

static size_t cleaned;
static void clean(void *data)
{
    cleaned += *(size_t *)data;
}

/* An action that was refused is not run and stays the caller's; one that was taken runs once. */
static void add_cleanups(void)
{
    ist_arena arena;
    size_t one = 1;
    cleaned = 0;
    attempt(ist_arena_open_confined(&arena), &arena);
    for (size_t i = 0; i < 60; i++)
        attempt(ist_arena_on_close(arena, clean, &one), &nothing);
    expect_size(cleaned, 0);
    succeed(ist_arena_close(arena));
    expect_size(cleaned, 60);
}

static void clean_segment(void *data, const ist_segment *segment)
{
    expect_size(ist_segment_size(*segment), 8);
    cleaned += *(size_t *)data;
}

static void reinterpret(void)
{
    static uint8_t bytes[8];
    ist_arena arena;
    ist_segment source = ist_segment_of(bytes, sizeof bytes), moved;
    size_t one = 1;
    cleaned = 0;
    attempt(ist_arena_open_confined(&arena), &arena);
    for (size_t i = 0; i < 40; i++)
        attempt(ist_segment_reinterpret(&source, 8, arena, clean_segment, &one, &moved), &moved);
    attempt(ist_segment_reinterpret(&source, 8, ist_arena_global(), clean_segment, &one, &moved), &moved);
    succeed(ist_arena_close(arena));
    expect_size(cleaned, 40);
}

static size_t given;
static void *give(void *context, size_t size, size_t alignment)
{
    (void)context;
    size_t step = alignment < 16 ? 16 : alignment;
    void *block = aligned_alloc(step, (size + step - 1) / step * step);
    expect(block != NULL);
    given++;
    return block;
}
static void take_back(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    given--;
    free(block);
}
static const ist_memory_source source = { give, take_back, NULL, 0 };

/* A block that the source gave, and for which the library then had no memory, goes back at once. */
static void custom_arena(void)
{
    ist_arena arena;
    ist_segment blocks[40];
    size_t one = 1;
    cleaned = 0;
    attempt(ist_arena_open_confined_from(&source, &arena), &arena);
    for (size_t i = 0; i < 40; i++) {
        attempt(ist_arena_allocate(arena, 10 + i, 8, &blocks[i]), &blocks[i]);
        expect(test_all_bytes(blocks[i].address, 10 + i, 0));
        expect_size(given, i + 1);
        attempt(ist_arena_on_close(arena, clean, &one), &nothing);
    }
    succeed(ist_arena_close(arena));
    expect_size(given, 0);
    expect_size(cleaned, 40);
}

/* A frame that gets no piece of the thread's block gets by without: not every refusal is a failure here. */
static void frames(void)
{
    ist_frame outer, inner;
    ist_segment block, large;
    for (size_t round = 0; round < 2; round++) {
        attempt(ist_frame_push(64, 8, &outer), &outer);
        attempt(ist_frame_allocate(&outer, 64, 8, &block), &block);
        succeed(ist_segment_fill(&block, 0x3C));
        attempt(ist_frame_push(100000, 8, &inner), &inner);
        attempt(ist_frame_allocate(&inner, 100000, 8, &large), &large);
        attempt(ist_allocate(ist_frame_allocator(&inner), 5000, 8, &large), &large);
        expect(test_all_bytes(large.address, 5000, 0));
        expect(test_all_bytes(block.address, 64, 0x3C));
        succeed(ist_frame_pop(&inner));
        attempt(ist_frame_allocate(&outer, 3000, 8, &large), &large); /* More than it has room for. */
        expect(test_all_bytes(block.address, 64, 0x3C));
        succeed(ist_frame_pop(&outer));
    }
}

static void global_arena(void)
{
    size_t one = 1;
    allocate_from(ist_arena_global());
    for (size_t i = 0; i < 40; i++)
        attempt(ist_arena_on_close(ist_arena_global(), clean, &one), &nothing);
}

static void allocators(void)
{
    ist_arena arena;
    ist_segment block;
    attempt(ist_arena_open_confined(&arena), &arena);
    ist_allocator allocator = ist_arena_allocator(&arena);
    for (size_t i = 0; i < SIZES; i++) {
        attempt(ist_allocate(allocator, sizes[i], 8, &block), &block);
        expect(test_all_bytes(block.address, sizes[i], 0));
        attempt(ist_allocate_uninitialized(allocator, sizes[i], 8, &block), &block);
        attempt(ist_allocate_array(allocator, sizes[i], 2, 8, &block), &block);
        expect(test_all_bytes(block.address, 2 * sizes[i], 0));
    }
    static char bytes[100000];
    memset(bytes, 'x', sizeof bytes - 1);
    attempt(ist_allocate_from(allocator, bytes, sizeof bytes, 16, &block), &block);
    expect(memcmp(block.address, bytes, sizeof bytes) == 0);
    attempt(ist_allocate_string(allocator, bytes, &block), &block);
    expect(strcmp(block.address, bytes) == 0);
    succeed(ist_arena_close(arena));
}

static ist_status open_any(size_t kind, ist_arena *ret_arena)
{
    return kind == 0   ? ist_arena_open_confined(ret_arena)
           : kind == 1 ? ist_arena_open_shared(ret_arena)
                       : ist_arena_open_confined_from(&source, ret_arena);
}

/* A reference of the loader's that were left behind would keep the library. */
static void libraries(void)
{
    for (size_t kind = 0; kind < 3; kind++) {
        ist_arena arena;
        ist_library *library;
        ist_segment found;
        attempt(open_any(kind, &arena), &arena);
        for (size_t i = 0; i < 12; i++)
            attempt(ist_library_open(arena, TEST_LIBRARY, &library), &library);
        attempt(ist_library_find(library, "provided", &found), &found);
        attempt(ist_library_find(ist_library_default(), "hypot", &found), &found);
        succeed(ist_arena_close(arena));
        expect(dlopen(TEST_LIBRARY, RTLD_NOW | RTLD_NOLOAD) == NULL);
    }
}

static bool all_are(const ist_segment *block, uint32_t value)
{
    const uint32_t *units = block->address;
    size_t i = 0;
    while (i < block->size / 4 - 1 && units[i] == value)
        i++;
    return i == block->size / 4 - 1;
}

/* Copies of arrays, ranges and strings, each large enough for a chunk of its own. */
static void allocated_copies(void)
{
    enum { COUNT = 40000 };
    static uint32_t array[COUNT];
    static char text[COUNT];
    ist_arena arena;
    ist_segment block, range = ist_segment_of(array, sizeof array);
    for (size_t i = 0; i < COUNT; i++)
        array[i] = 0x01020304;
    memset(text, 'x', COUNT - 1);
    ist_string string = ist_string_of(range, IST_UTF32), words = ist_string_of(range, IST_LATIN1);
    attempt(ist_arena_open_confined(&arena), &arena);
    ist_allocator allocator = ist_arena_allocator(&arena);
    attempt(ist_allocate_from_array(allocator, array, COUNT, 4, 4, 1, &block), &block);
    expect(all_are(&block, 0x04030201));
    attempt(ist_allocate_from_segment(allocator, &range, 0, range.size, 4, &block), &block);
    expect(all_are(&block, 0x01020304));
    attempt(ist_allocate_i64(allocator, 5, &block), &block);
    attempt(ist_allocate_string_in(allocator, IST_UTF32, text, &block), &block);
    expect(block.size == sizeof array && all_are(&block, 'x'));
    attempt(ist_allocate_string_encoded(allocator, IST_UTF32, IST_REFUSE, text, COUNT - 1, &block), &block);
    expect(block.size == sizeof array && all_are(&block, 'x'));
    attempt(ist_string_copy_to(&string, allocator, &block), &block);
    expect(block.size == sizeof array + 4 && all_are(&block, 0x01020304));
    attempt(ist_string_decode_to(&words, IST_REFUSE, allocator, &block), &block);
    expect(block.size == sizeof array + 1 && memcmp(block.address, array, sizeof array) == 0);
    succeed(ist_arena_close(arena));
}

/* Another thread's first use, and its end. */
static void use_on_thread(void *unused)
{
    (void)unused;
    ist_arena arena;
    ist_segment block;
    attempt(ist_arena_open_confined(&arena), &arena);
    attempt(ist_arena_allocate(arena, 1000, 8, &block), &block);
    succeed(ist_arena_close(arena));
}

static void another_thread(void)
{
    ist_arena arena;
    attempt(ist_arena_open_confined(&arena), &arena);
    test_on_thread(use_on_thread, NULL);
    succeed(ist_arena_close(arena));
}

static void leave_on_thread(void *data)
{
    ist_arena *arenas = data;
    static size_t one = 1;
    for (size_t i = 0; i < 2; i++) {
        attempt(ist_arena_open_confined(&arenas[i]), &arenas[i]);
        attempt(ist_arena_on_close(arenas[i], clean, &one), &nothing);
    }
}

static void adopt_on_thread(void *data)
{
    ist_arena *arenas = data;
    size_t count;
    attempt(ist_arena_adopt(arenas[0]), &nothing);
    succeed(ist_arena_close(arenas[0]));
    expect_size(cleaned, 1);
    attempt(ist_arena_reclaim_orphans(&count), &count);
    expect_size(count, 1);
    expect_size(cleaned, 2);
}

static void reclaim_on_thread(void *unused)
{
    (void)unused;
    size_t count;
    attempt(ist_arena_reclaim_orphans(&count), &count);
    expect_size(count, 2);
    expect_size(cleaned, 2);
}

static void orphans(void)
{
    ist_arena arenas[2];
    cleaned = 0;
    test_on_thread(leave_on_thread, arenas);
    test_on_thread(adopt_on_thread, arenas);
    cleaned = 0;
    test_on_thread(leave_on_thread, arenas);
    test_on_thread(reclaim_on_thread, NULL);
}

/*
 * Failures of other kinds keep their status where the thread's record cannot be had, and the last error can be asked for;
 * so can numbers, and trimming works. None of these calls fails for want of memory.
 */
static void bare_failures(void)
{
    ist_arena none = { 0 };
    ist_stats stats = { .size = sizeof stats };
    uint8_t value = 5;
    expect(ist_arena_close(none) == IST_E_CLOSED);
    expect(last_status() == IST_E_CLOSED);
    expect(strlen(ist_last_error()) > 3);
    expect(ist_get_u8(ist_segment_of(&value, 1), 1, &value) == IST_E_BOUNDS);
    expect(last_status() == IST_E_BOUNDS);
    expect(strlen(ist_last_error()) > 3);
    expect(ist_last_error_info(NULL) == IST_E_ARGUMENT);
    expect(ist_stats_get(&stats) == IST_OK);
    (void)ist_trim();
    expect(value == 5);
}

static size_t reported;
static void count_report(ist_status status, const char *where)
{
    expect(status == IST_E_BOUNDS && where != NULL);
    expect(last_status() == IST_E_BOUNDS);
    reported++;
}

static void reports(void)
{
    uint8_t value = 5;
    ist_failure_fn *previous = ist_failure_handler_set(count_report);
    reported = 0;
    expect(ist_read_u16(ist_segment_of(&value, 1), 0) == 0);
    IST_CHECK(ist_set_u8(ist_segment_of(&value, 1), 1, 0));
    expect_size(reported, 2);
    ist_failure_handler_set(previous);
}

/* The same on a thread that has not used the library yet. */
static void bare_on_thread(void *unused)
{
    (void)unused;
    bare_failures();
    reports();
}

static void bare_thread(void)
{
    test_on_thread(bare_on_thread, NULL);
}

/* Members are written as in the header's examples: what is left out is 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* What is built piece by piece is whole, and equal to what was built without a failure before. */
static const ist_layout *build_layout(ist_arena arena, size_t members)
{
    static ist_member many[1200];
    static char names[1200][40];
    const ist_layout *vector, *shade, *pair, *renamed, *rows, *shaped, *pointer, *made;
    ist_enumerator shades[] = { { "DARK", 0 }, { "LIGHT", 1 } };
    for (size_t i = 0; i < members; i++) {
        snprintf(names[i], sizeof names[i], "a_member_with_a_long_name_%zu", i);
        many[i] = (ist_member){ names[i], ist_layout_of(IST_TYPE_INT) };
    }
    attempt(ist_layout_vector(arena, ist_layout_of(IST_TYPE_FLOAT), 4, &vector), &vector);
    attempt(ist_layout_enum(arena, "shade", ist_layout_of(IST_TYPE_INT), shades, 2, &shade), &shade);
    ist_member two[] = { { "vector", vector }, { "shade", shade, .bits = 3 } };
    attempt(ist_layout_struct_c(arena, "pair", two, 2, NULL, &pair), &pair);
    attempt(ist_layout_with_name(arena, pair, "renamed", &renamed), &renamed);
    attempt(ist_layout_sequence(arena, 6, renamed, &rows), &rows);
    attempt(ist_layout_reshape(arena, rows, (size_t[]){ 2, 3 }, 2, &shaped), &shaped);
    attempt(ist_layout_address_to(arena, shaped, &pointer), &pointer);
    many[0] = (ist_member){ "pointer", pointer };
    many[1] = (ist_member){ "rows", shaped };
    attempt(ist_layout_struct_c(arena, "wide", many, members, NULL, &made), &made);
    return made;
}

static const char declarations[] =
    "typedef struct node { struct node *next; enum { RED, BLACK } color : 2; union { int i; float f; }; } node;\n"
    "struct table { unsigned count; node (*buckets[64])[3]; char text[]; };\n"
    "int find(const struct table *, const char *name, ...);\n";

/* Parts of an arena that ends are copied, which may fail in the middle. */
static void layouts(void)
{
    ist_arena arena, shorter;
    const ist_layout *copy, *made;
    const ist_function *function;
    attempt(ist_arena_open_confined(&arena), &arena);
    for (size_t members = 8; members <= 1200; members += 596) {
        attempt(ist_arena_open_confined(&shorter), &shorter);
        const ist_layout *part = build_layout(shorter, members);
        attempt(ist_layout_struct(arena, "copy", &(ist_member){ "part", part }, 1, &copy), &copy);
        ist_member parameters[] = { { "first", part }, { "second", ist_layout_of(IST_TYPE_INT) } };
        attempt(ist_function_of(arena, part, parameters, 2, 2, 0, &function), &function);
        succeed(ist_arena_close(shorter));
        made = build_layout(arena, members);
        expect(ist_layout_equals(made, ist_function_result(function), 0));
        ist_member_info info = { .size = sizeof info };
        succeed(ist_layout_member(copy, 0, &info));
        expect(ist_layout_equals(made, info.layout, 0));
        (void)ist_trim();
    }
    succeed(ist_arena_close(arena));
}

/* A text that could not be read for want of memory left nothing, and can be read again. */
static void texts(void)
{
    ist_arena arena;
    ist_declarations *known;
    const ist_layout *table, *again;
    const ist_function *function;
    attempt(ist_arena_open_confined(&arena), &arena);
    attempt(ist_declarations_open(arena, &known), &known);
    attempt(ist_declarations_add(known, declarations), &nothing);
    attempt(ist_declarations_layout(known, "struct table", &table), &table);
    attempt(ist_declarations_function(known, "find", &function), &function);
    expect_size(ist_function_count(function), 2);
    attempt(ist_declarations_add(known, "struct more { struct table *tables[3]; };"), &nothing);
    attempt(ist_declarations_layout(known, "struct more[4]", &again), &again);
    expect_size(ist_layout_size(again), 4 * 3 * sizeof(void *));
    attempt(ist_layout_parse(arena, "struct point { double x, y; }", &again), &again);
    attempt(ist_function_parse(arena, "int (const char *, ..., int, double)", &function), &function);
    expect_size(ist_layout_size(table), 8 + 64 * sizeof(void *));
    succeed(ist_arena_close(arena));
}

/* ---- Playing them ---- */

typedef struct scenario {
    const char *name;
    void (*play)(void);
    bool copes;  /* Some refusals do not make a call fail. */
    bool leaves; /* Memory of the global arena remains. */
} scenario;

static const scenario scenarios[] = {
    { "open and close", open_and_close, false, false },
    { "allocate each class", allocate_each_class, false, false },
    { "allocate one class", allocate_one_class, false, false },
    { "add cleanups", add_cleanups, false, false },
    { "reinterpret", reinterpret, false, true },
    { "custom arena", custom_arena, false, false },
    { "frames", frames, true, false },
    { "global arena", global_arena, false, true },
    { "allocators", allocators, false, false },
    { "libraries", libraries, false, false },
    { "allocated copies", allocated_copies, false, false },
    { "another thread", another_thread, false, false },
    { "orphans", orphans, false, false },
    { "layouts", layouts, false, false },
    { "texts", texts, false, false },
    { "bare failures", bare_failures, true, false },
    { "reports", reports, true, false },
    { "bare thread", bare_thread, true, false },
};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

typedef struct take {
    const scenario *scenario;
    size_t refused;  /* Which request. */
    size_t requests; /* How many there were. */
} take;

static void play(take *t)
{
    failures = 0;
    isti_fault_arm(t->refused);
    t->scenario->play();
    t->requests = isti_fault_disarm();
    bool struck = t->requests >= t->refused;
    expect(failures <= 1 && (!failures || struck));
    expect(!struck || failures == 1 || t->scenario->copes);
}

static void expect_nothing_left(const scenario *s, size_t bytes_before)
{
    (void)ist_trim();
    ist_stats stats = test_stats();
    expect_size(stats.arenas_open, 0);
    expect_size(stats.arenas_orphaned, 0);
    expect(s->leaves || stats.bytes_live == bytes_before);
}

/* In a child: from the library's first use on; then once more, when nothing may be left of the first time. */
static void play_fresh(void *data)
{
    take *t = data;
    play(t);
    size_t requests = t->requests;
    expect_nothing_left(t->scenario, 0);
    t->refused = SIZE_MAX;
    play(t);
    expect_nothing_left(t->scenario, 0);
    if (__lsan_do_recoverable_leak_check != NULL)
        expect(__lsan_do_recoverable_leak_check() == 0);
    fprintf(stderr, "%zu\n", requests);
}

/* Children of a sanitized process are slow: of a scenario's later requests one in seven is refused there. */
static size_t next_request(size_t refused)
{
    return refused + ((TEST_ASAN || TEST_TSAN) && refused >= 10 ? 7 : 1);
}

/* Returns how many requests the scenario makes. */
static size_t play_in_children(const scenario *s)
{
    for (size_t refused = 1;; refused = next_request(refused)) {
        char text[4096];
        take t = { .scenario = s, .refused = refused };
        test_context("%s, fresh, request %zu refused", s->name, refused);
        int status = test_in_child_reading(play_fresh, &t, text, sizeof text);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fputs(text, stderr);
            expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        size_t requests = strtoull(text, NULL, 10);
        if (requests < refused)
            return requests;
    }
}

static void fresh(void **state)
{
    (void)state;
    size_t total = 0;
    for (size_t i = 0; i < SCENARIOS; i++) {
        size_t requests = play_in_children(&scenarios[i]);
        printf("%s: %zu requests\n", scenarios[i].name, requests);
        expect(requests > 0 || scenarios[i].copes);
        total += requests;
    }
    printf("%zu requests at the library's first use\n", total);
}

static void warm(void **state)
{
    (void)state;
    size_t total = 0;
    for (size_t i = 0; i < SCENARIOS; i++) {
        take t = { .scenario = &scenarios[i] };
        t.refused = SIZE_MAX;
        play(&t); /* So that the records are there. */
        (void)ist_trim();
        size_t bytes = test_stats().bytes_live;
        do {
            t.refused = t.refused == SIZE_MAX ? 1 : t.refused + 1;
            test_context("%s, request %zu refused", t.scenario->name, t.refused);
            play(&t);
            expect_nothing_left(t.scenario, bytes);
        } while (t.requests >= t.refused);
        total += t.refused - 1;
    }
    printf("%zu requests, each refused once, later\n", total);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(fresh), /* First: this process has not used the library yet. */
        test_case(warm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
