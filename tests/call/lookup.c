/* SPDX-License-Identifier: MIT */
/* What is found in libraries, in the process and in the C library: functions, versions, variables; lookups in order. */
#include "call/libraries.h"
#include "shared/company.h"

#include <pthread.h>

static ist_arena arena;
static ist_library *symbols;

static int open_symbols(void **state)
{
    forget_counts(state);
    if (ist_arena_open_shared(&arena) != IST_OK || ist_library_open(arena, SYMBOLS, &symbols) != IST_OK)
        return -1;
    return 0;
}

static int close_symbols(void **state)
{
    (void)state;
    return ist_arena_close(arena) == IST_OK && !is_loaded(SYMBOLS) ? 0 : -1;
}

#define symbols_test(function) cmocka_unit_test_setup_teardown(function, open_symbols, close_symbols)

/* What the loader says of the library that is under test. */
static void *address_of(const char *symbol)
{
    void *library = dlopen(SYMBOLS, RTLD_NOW | RTLD_NOLOAD);
    expect(library != NULL);
    void *address = dlsym(library, symbol);
    dlclose(library);
    return address;
}

static void functions(void **state)
{
    (void)state;
    static const char *const names[] = { "get_number", "get_per_thread", "chosen_this" };
    for (size_t i = 0; i < 3; i++) {
        test_context("%s", names[i]);
        ist_segment found;
        expect_ok(ist_library_find(symbols, names[i], &found));
        expect(found.address == address_of(names[i]) && found.address != NULL);
        expect_size(found.size, 0);
        expect(!ist_segment_is_read_only(found));
        expect(ist_segment_arena(found).session == arena.session);
        expect(ist_segment_arena(found).expected == arena.expected);
    }
}

static void versions(void **state)
{
    (void)state;
    ist_segment found;
    expect_ok(ist_library_find(symbols, "answer", &found));
    expect(call_int(found) == 2);
    expect_ok(ist_library_find_versioned(symbols, "answer", "V2", &found));
    expect(call_int(found) == 2);
    expect_ok(ist_library_find_versioned(symbols, "answer", "V1", &found));
    expect(call_int(found) == 1);
    expect_size(found.size, 0);
    ist_segment kept = found;
    expect_status(ist_library_find_versioned(symbols, "answer", "V3", &found), IST_E_NOT_FOUND);
    expect_sentence("answer");
    expect_sentence("V3");
    expect_status(ist_library_find_versioned(symbols, "answer", "", &found), IST_E_NOT_FOUND);
    expect_status(ist_library_find_versioned(symbols, "number", "V2", &found), IST_E_NOT_FOUND);
    expect_ok(ist_library_find_versioned(symbols, "number", "V1", &found));
    expect(memcmp(&kept, &found, sizeof found) != 0);
    expect(found.address == address_of("number"));
}

static void what_is_not_there(void **state)
{
    (void)state;
    static const char *const names[] = { "nothing", "", "answer_1", "answer@V1", "at_zero", "chosen_nothing" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        test_context("%s", names[i]);
        ist_segment found, before;
        memset(&found, 0xEE, sizeof found);
        before = found;
        expect_status(ist_library_find(symbols, names[i], &found), IST_E_NOT_FOUND);
        expect_status(ist_library_find_variable(symbols, names[i], 4, &found), IST_E_NOT_FOUND);
        expect_status(ist_library_find_variable(symbols, names[i], 0, &found), IST_E_NOT_FOUND);
        expect(memcmp(&found, &before, sizeof found) == 0);
        expect(dlerror() == NULL);
    }
    ist_segment found;
    expect_status(ist_library_find(symbols, "nothing", &found), IST_E_NOT_FOUND);
    expect_sentence("symbol lookup: ");
    expect_sentence("symbols_gnu.so: undefined symbol: nothing");
    expect(dlopen("libnothing.so.7", RTLD_NOW) == NULL); /* What the program has not asked for is not ours. */
    expect_status(ist_library_find(symbols, "at_zero", &found), IST_E_NOT_FOUND);
    expect_sentence("the address of the symbol is 0");
}

/* Where the test says "not there" of an address 0, the symbol is. */
static void the_absolute_symbol_is_in_the_table(void **state)
{
    (void)state;
    void *library = dlopen(SYMBOLS, RTLD_NOW | RTLD_NOLOAD);
    expect(library != NULL);
    static const char *const names[] = { "at_zero", "chosen_nothing" };
    for (size_t i = 0; i < 2; i++) {
        (void)dlerror();
        expect(dlsym(library, names[i]) == NULL);
        expect(dlerror() == NULL);
    }
    dlclose(library);
}

static void misuse(void **state)
{
    (void)state;
    ist_segment found = { 0 };
    expect_status(ist_library_find(NULL, "answer", &found), IST_E_ARGUMENT);
    expect_status(ist_library_find(symbols, NULL, &found), IST_E_ARGUMENT);
    expect_status(ist_library_find(symbols, "answer", NULL), IST_E_ARGUMENT);
    expect_status(ist_library_find_versioned(NULL, "answer", "V1", &found), IST_E_ARGUMENT);
    expect_status(ist_library_find_versioned(symbols, NULL, "V1", &found), IST_E_ARGUMENT);
    expect_status(ist_library_find_versioned(symbols, "answer", NULL, &found), IST_E_ARGUMENT);
    expect_status(ist_library_find_versioned(symbols, "answer", "V1", NULL), IST_E_ARGUMENT);
    expect_status(ist_library_find_variable(NULL, "number", 4, &found), IST_E_ARGUMENT);
    expect_status(ist_library_find_variable(symbols, NULL, 4, &found), IST_E_ARGUMENT);
    expect_status(ist_library_find_variable(symbols, "number", 4, NULL), IST_E_ARGUMENT);
    expect(found.address == NULL);
}

/* ---- Variables ---- */

static void variables(void **state)
{
    (void)state;
    ist_segment number, numbers, function;
    int32_t value = 0;
    expect_ok(ist_library_find_variable(symbols, "number", sizeof value, &number));
    expect_size(number.size, 4);
    expect_ok(ist_get_i32(number, 0, &value));
    expect(value == 1234567);
    expect_ok(ist_set_i32(number, 0, -9));
    expect_ok(ist_library_find(symbols, "get_number", &function));
    expect(call_int(function) == -9); /* It is the library's own. */
    expect_status(ist_get_i32(number, 4, &value), IST_E_BOUNDS);

    expect_ok(ist_library_find_variable(symbols, "numbers", 0, &numbers));
    expect_size(numbers.size, 5 * sizeof(int32_t)); /* As the compiler says. */
    expect_ok(ist_get_i32(numbers, 16, &value));
    expect(value == 50);
    expect_ok(ist_library_find_variable(symbols, "numbers", 8, &numbers)); /* The beginning of a larger one. */
    expect_size(numbers.size, 8);
    expect_ok(ist_library_find_variable(symbols, "greeting", 0, &numbers));
    expect_size(numbers.size, sizeof "hello");
    expect(strcmp(numbers.address, "hello") == 0);
}

/* In both kinds of symbol tables; each name has its own size, though the place is the same. */
static void each_name_has_its_size(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t size;
    } names[] = { { "shared_1", 1 }, { "shared_2", 2 }, { "shared_4", 4 }, { "shared_8", 8 },
                  { "number", 4 }, { "numbers", 20 }, { "greeting", 6 } };
    ist_library *libraries[2] = { symbols, NULL };
    expect_ok(ist_library_open(arena, TEST_LIBRARIES "/symbols_sysv.so", &libraries[1]));
    for (size_t i = 0; i < 2; i++) {
        ist_segment found, first;
        expect_ok(ist_library_find(libraries[i], "shared_1", &first));
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            test_context("%s in library %zu", names[k].name, i);
            expect_ok(ist_library_find_variable(libraries[i], names[k].name, 0, &found));
            expect_size(found.size, names[k].size);
            expect_ok(ist_library_find_variable(libraries[i], names[k].name, names[k].size, &found));
            expect(k >= 4 || ist_segment_equals(found, first));
            expect_status(ist_library_find_variable(libraries[i], names[k].name, names[k].size + 1, &found),
                          IST_E_BOUNDS);
        }
        expect_status(ist_library_find_variable(libraries[i], "shared_unknown", 0, &found), IST_E_UNSUPPORTED);
        expect_ok(ist_library_find_variable(libraries[i], "shared_unknown", 16, &found));
        expect_status(ist_library_find_variable(libraries[i], "per_thread", 0, &found), IST_E_UNSUPPORTED);
        expect_status(ist_library_find_variable(libraries[i], "chosen", 0, &found), IST_E_UNSUPPORTED);
    }
}

static void a_variable_that_is_smaller(void **state)
{
    (void)state;
    ist_segment found = { 0 };
    expect_status(ist_library_find_variable(symbols, "number", 5, &found), IST_E_BOUNDS);
    expect_size(test_last_error().length, 5);
    expect_size(test_last_error().limit, 4);
    expect_sentence("5 bytes");
    expect_status(ist_library_find_variable(symbols, "numbers", SIZE_MAX, &found), IST_E_BOUNDS);
    expect(found.address == NULL);
}

static void a_variable_of_unknown_size(void **state)
{
    (void)state;
    ist_segment found = { 0 };
    uint64_t value;
    expect_status(ist_library_find_variable(symbols, "sizeless", 0, &found), IST_E_UNSUPPORTED);
    expect_sentence("how large");
    expect(found.address == NULL);
    expect_ok(ist_library_find_variable(symbols, "sizeless", 8, &found));
    expect_size(found.size, 8);
    expect_ok(ist_get_u64(found, 0, &value));
    expect(value == 99);
    /* In the middle of a variable whose size is known. */
    expect_status(ist_library_find_variable(symbols, "chosen_middle", 0, &found), IST_E_UNSUPPORTED);
    int32_t number;
    expect_ok(ist_library_find_variable(symbols, "chosen_middle", 4, &found));
    expect_ok(ist_get_i32(found, 0, &number));
    expect(number == 20);
}

typedef struct mine {
    ist_segment found;
    int64_t *address;
} mine;

static void find_per_thread(void *data)
{
    mine *of = data;
    ist_segment function;
    int64_t value;
    expect_ok(ist_library_find_variable(symbols, "per_thread", sizeof value, &of->found));
    expect_size(of->found.size, 8);
    expect_ok(ist_get_i64(of->found, 0, &value));
    expect(value == 77);
    expect_ok(ist_set_i64(of->found, 0, 78));
    expect_ok(ist_library_find(symbols, "get_per_thread", &function));
    int64_t *(*entry)(void);
    memcpy(&entry, &function.address, sizeof entry);
    of->address = entry();
    expect(of->found.address == of->address && *of->address == 78);
}

static void a_thread_local_variable_is_the_callers(void **state)
{
    (void)state;
    mine here, there;
    mate *other = mate_start();
    find_per_thread(&here);
    mate_do(other, find_per_thread, &there);
    expect(here.address != there.address);
    mate_end(other);
    ist_segment found;
    expect_status(ist_library_find_variable(symbols, "per_thread", 0, &found), IST_E_UNSUPPORTED);
}

static void a_function_that_is_chosen(void **state)
{
    (void)state;
    ist_segment chosen, this;
    expect_ok(ist_library_find(symbols, "chosen", &chosen));
    expect_ok(ist_library_find(symbols, "chosen_this", &this));
    expect(ist_segment_equals(chosen, this));
    expect(call_int(chosen) == 5);
}

/* ---- The process, the C library ---- */

TEST_EXPORT int32_t test_variable = 31;
TEST_EXPORT int test_function(void);

int test_function(void)
{
    return 3;
}

static void the_process(void **state)
{
    (void)state;
    const ist_library *process = ist_library_process();
    ist_segment found;
    expect_ok(ist_library_find(process, "test_function", &found));
    expect(call_int(found) == 3);
    expect(ist_segment_arena(found).expected == ist_arena_global().expected && ist_segment_is_alive(&found));
    expect_ok(ist_library_find_variable(process, "test_variable", 0, &found));
    expect(found.address == &test_variable);
    expect_size(found.size, sizeof test_variable);
    expect_ok(ist_library_find(process, "malloc", &found));
    expect(found.address == dlsym(RTLD_DEFAULT, "malloc")); /* A sanitizer's, if there is one. */
    expect_ok(ist_library_find_variable(process, "environ", 0, &found));
    expect_size(found.size, sizeof(char **));
    expect_status(ist_library_find_variable(process, "environ", sizeof(char **) + 1, &found), IST_E_BOUNDS);
    expect(found.address == dlsym(RTLD_DEFAULT, "environ"));
    expect_status(ist_library_find(process, "counted_answer", &found), IST_E_NOT_FOUND);
    expect(process == ist_library_process());
}

static void the_c_library(void **state)
{
    (void)state;
    const ist_library *standard = ist_library_default();
    expect(standard == ist_library_default() && standard != ist_library_process());
    static const char *const names[] = { "strlen", "qsort", "hypot", "cosf", "dlopen" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        test_context("%s", names[i]);
        ist_segment found;
        expect_ok(ist_library_find(standard, names[i], &found));
        expect(found.address != NULL && ist_segment_is_alive(&found));
        expect(ist_segment_arena(found).expected == ist_arena_global().expected);
    }
    ist_segment found;
    expect_ok(ist_library_find(standard, "abs", &found));
    int (*entry)(int);
    memcpy(&entry, &found.address, sizeof entry);
    expect(entry(-4) == 4);
    expect_status(ist_library_find(standard, "test_function", &found), IST_E_NOT_FOUND); /* The program's. */
    expect_sentence("none of libc, libm and libdl has the symbol test_function");
    expect_status(ist_library_find_versioned(standard, "strlen", "NONE_1.0", &found), IST_E_NOT_FOUND);
    expect_sentence("NONE_1.0");
    expect_ok(ist_library_find_variable(standard, "timezone", 0, &found));
    expect_size(found.size, sizeof(long));
    /* Chosen too, and often the kernel's library's: its table is unlike the others, and may have it under this name. */
    for (size_t i = 0; i < 2; i++) {
        ist_status status = ist_library_find_variable(standard, i == 0 ? "time" : "gettimeofday", 0, &found);
        expect(status == IST_E_UNSUPPORTED || (status == IST_OK && found.size > 0));
    }
}

static void *find_standard(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < 1000; i++) {
        ist_segment found;
        expect_ok(ist_library_find(ist_library_default(), i % 2 == 0 ? "hypot" : "strlen", &found));
    }
    return NULL;
}

/* The first of all: the standard libraries are opened by several threads at once. */
static void the_c_library_by_many(void **state)
{
    (void)state;
    pthread_t threads[8];
    for (size_t i = 0; i < 8; i++)
        expect(pthread_create(&threads[i], NULL, find_standard, NULL) == 0);
    for (size_t i = 0; i < 8; i++)
        expect(pthread_join(threads[i], NULL) == 0);
}

/* ---- Lookups ---- */

typedef struct versioned {
    const ist_library *library;
    const char *version;
    size_t calls;
} versioned;

static ist_status find_versioned(void *context, const char *symbol, ist_segment *ret_segment)
{
    versioned *of = context;
    of->calls++;
    return ist_library_find_versioned(of->library, symbol, of->version, ret_segment);
}

static ist_status answer_silently(void *context, const char *symbol, ist_segment *ret_segment)
{
    (void)symbol;
    memset(ret_segment, 0x11, sizeof *ret_segment); /* Of no consequence: it is not IST_OK. */
    return *(const ist_status *)context;
}

static void the_first_that_has_it(void **state)
{
    (void)state;
    versioned old = { symbols, "V1", 0 }, never = { symbols, "V7", 0 };
    ist_lookup lookups[] = { { find_versioned, &never }, { find_versioned, &old }, ist_library_lookup(symbols) };
    ist_segment found;
    expect_status(ist_arena_on_close(arena, NULL, NULL), IST_E_ARGUMENT); /* Which the success leaves. */
    expect_ok(ist_lookup_find(lookups, 3, "answer", &found));
    expect_sentence("adding a cleanup");
    expect(call_int(found) == 1);
    expect_size(never.calls, 1);
    expect_ok(ist_lookup_find(lookups + 2, 1, "answer", &found));
    expect(call_int(found) == 2);
    lookups[0] = ist_library_lookup(symbols);
    expect_ok(ist_lookup_find(lookups, 3, "answer", &found));
    expect(call_int(found) == 2);
    expect_size(old.calls, 1); /* Not asked: the first had it. */
    expect(ist_segment_arena(found).session == arena.session);
    lookups[1] = ist_library_lookup(ist_library_default());
    expect_ok(ist_lookup_find(lookups, 2, "hypot", &found)); /* Not of libc, which every library depends on. */
    expect(ist_segment_arena(found).session == NULL);
}

static void nobody_has_it(void **state)
{
    (void)state;
    static const ist_status not_found = IST_E_NOT_FOUND;
    ist_lookup lookups[] = { ist_library_lookup(symbols),
                             { answer_silently, (void *)(uintptr_t)&not_found },
                             ist_library_lookup(ist_library_process()) };
    ist_segment found = { 0 };
    for (size_t count = 0; count <= 3; count++) {
        expect_status(ist_lookup_find(lookups, count, "nothing", &found), IST_E_NOT_FOUND);
        expect_sentence("nothing");
    }
    expect_status(ist_lookup_find(NULL, 0, "nothing", &found), IST_E_NOT_FOUND);
    expect(found.address == NULL);
}

/* Another failure than "not here" is not passed over, and has a sentence whoever made it. */
static void a_lookup_that_fails(void **state)
{
    (void)state;
    static const ist_status silent[] = { IST_E_SYSTEM, IST_E_NO_MEMORY, IST_E_CLOSED };
    ist_segment found = { 0 };
    for (size_t i = 0; i < 3; i++) {
        ist_lookup lookups[] = { ist_library_lookup(symbols),
                                 { answer_silently, (void *)(uintptr_t)&silent[i] },
                                 ist_library_lookup(ist_library_default()) };
        expect_status(ist_lookup_find(lookups, 3, "hypot", &found), silent[i]);
        expect_ok(ist_lookup_find(lookups, 3, "chosen_this", &found));
        found = (ist_segment){ 0 };
    }
    expect(found.address == NULL);
}

static void stranger(void *data)
{
    const ist_lookup *lookups = data;
    ist_segment found;
    expect_status(ist_lookup_find(lookups, 2, "strlen", &found), IST_E_WRONG_THREAD);
    expect_sentence("confined");
    expect_ok(ist_lookup_find(lookups + 1, 1, "strlen", &found));
}

static void a_confined_library_in_a_chain(void **state)
{
    (void)state;
    ist_arena confined;
    ist_library *library;
    expect_ok(ist_arena_open_confined(&confined));
    expect_ok(ist_library_open(confined, COUNTED, &library));
    ist_lookup lookups[] = { ist_library_lookup(library), ist_library_lookup(ist_library_default()) };
    test_on_thread(stranger, lookups);
    expect_ok(ist_arena_close(confined));
}

static void misuse_of_lookups(void **state)
{
    (void)state;
    ist_lookup lookups[] = { ist_library_lookup(symbols), { NULL, NULL } };
    ist_segment found;
    expect_status(ist_lookup_find(NULL, 1, "answer", &found), IST_E_ARGUMENT);
    expect_status(ist_lookup_find(lookups, 1, NULL, &found), IST_E_ARGUMENT);
    expect_status(ist_lookup_find(lookups, 1, "answer", NULL), IST_E_ARGUMENT);
    expect_ok(ist_lookup_find(lookups, 2, "answer", &found));
    expect_status(ist_lookup_find(lookups, 2, "nothing", &found), IST_E_ARGUMENT);
    lookups[0] = ist_library_lookup(NULL);
    expect_status(ist_lookup_find(lookups, 1, "answer", &found), IST_E_ARGUMENT);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(the_c_library_by_many),
        symbols_test(functions),
        symbols_test(versions),
        symbols_test(what_is_not_there),
        symbols_test(the_absolute_symbol_is_in_the_table),
        symbols_test(misuse),
        symbols_test(variables),
        symbols_test(each_name_has_its_size),
        symbols_test(a_variable_that_is_smaller),
        symbols_test(a_variable_of_unknown_size),
        symbols_test(a_thread_local_variable_is_the_callers),
        symbols_test(a_function_that_is_chosen),
        library_test(the_process),
        library_test(the_c_library),
        symbols_test(the_first_that_has_it),
        symbols_test(nobody_has_it),
        symbols_test(a_lookup_that_fails),
        symbols_test(a_confined_library_in_a_chain),
        symbols_test(misuse_of_lookups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
