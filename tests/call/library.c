/* SPDX-License-Identifier: MIT */
/* Libraries live as long as their arena: opening, closing, and who may. What is found in them is in lookup.c. */
#include "call/libraries.h"
#include "shared/company.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static ist_status open_confined(ist_arena *ret_arena)
{
    return ist_arena_open_confined(ret_arena);
}

static ist_status open_shared(ist_arena *ret_arena)
{
    return ist_arena_open_shared(ret_arena);
}

static ist_status open_automatic(ist_arena *ret_arena)
{
    return ist_arena_open_automatic(ret_arena);
}

static ist_status close_arena(ist_arena arena)
{
    return ist_arena_close(arena);
}

static ist_status drop_arena(ist_arena arena)
{
    return ist_arena_drop(arena);
}

/* The kinds of arenas that end. */
static const struct {
    const char *name;
    ist_status (*open)(ist_arena *ret_arena);
    ist_status (*close)(ist_arena arena);
} kinds[] = {
    { "confined", open_confined, close_arena },
    { "shared", open_shared, close_arena },
    { "automatic", open_automatic, drop_arena },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void it_is_loaded_while_its_arena_is_open(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        test_context("%s", kinds[i].name);
        ist_arena arena;
        ist_library *library;
        ist_segment answer;
        loads = unloads = 0;
        expect_ok(kinds[i].open(&arena));
        expect(!is_loaded(COUNTED));
        expect_ok(ist_library_open(arena, COUNTED, &library));
        expect_size(loads, 1);
        expect_ok(ist_library_find(library, "counted_answer", &answer));
        expect_size(ist_segment_size(answer), 0);
        expect(ist_segment_arena(answer).session == arena.session && ist_segment_is_alive(&answer));
        expect(call_int(answer) == 42);
        expect(is_loaded(COUNTED));
        expect_size(unloads, 0);
        expect_ok(kinds[i].close(arena));
        expect_size(loads, 1);
        expect_size(unloads, 1);
        expect(!is_loaded(COUNTED));

        ist_segment bytes = ist_segment_reinterpret_unchecked(answer, 1);
        uint8_t byte = 5;
        expect(!ist_segment_is_alive(&answer));
        expect_status(ist_get_u8(bytes, 0, &byte), IST_E_CLOSED);
        expect_status(ist_segment_fill(&answer, 1), IST_E_CLOSED);
        expect(byte == 5);
    }
}

static void a_closed_arena_loads_nothing(void **state)
{
    (void)state;
    ist_library *library = NULL;
    for (size_t i = 0; i < KINDS; i++) {
        test_context("%s", kinds[i].name);
        ist_arena arena;
        expect_ok(kinds[i].open(&arena));
        expect_ok(kinds[i].close(arena));
        expect_status(ist_library_open(arena, COUNTED, &library), IST_E_CLOSED);
        expect_sentence("opening a library");
    }
    expect_status(ist_library_open((ist_arena){ 0 }, COUNTED, &library), IST_E_CLOSED);
    expect(library == NULL);
    expect_size(loads, 0);
}

typedef struct visit {
    ist_arena arena;
    ist_library *library;
    ist_segment found;
} visit;

static void open_and_find_as_a_stranger(void *data)
{
    visit *of = data;
    ist_library *library = NULL;
    ist_segment found = { 0 };
    expect_status(ist_library_open(of->arena, COUNTED, &library), IST_E_WRONG_THREAD);
    expect_sentence("confined");
    expect_status(ist_library_find(of->library, "provided", &found), IST_E_WRONG_THREAD);
    expect_sentence("symbol lookup");
    expect_status(ist_library_find_versioned(of->library, "provided", "V1", &found), IST_E_WRONG_THREAD);
    expect_status(ist_library_find_variable(of->library, "provided", 4, &found), IST_E_WRONG_THREAD);
    expect(library == NULL && found.address == NULL);
}

static void a_confined_arena_is_its_owners(void **state)
{
    (void)state;
    visit of;
    expect_ok(ist_arena_open_confined(&of.arena));
    expect_ok(ist_library_open(of.arena, TEST_LIBRARIES "/provider.so", &of.library));
    test_on_thread(open_and_find_as_a_stranger, &of);
    expect_size(loads, 0);
    expect_ok(ist_arena_close(of.arena));
    expect(!is_loaded(TEST_LIBRARIES "/provider.so"));
}

static void open_and_find(void *data)
{
    visit *of = data;
    expect_ok(ist_library_open(of->arena, COUNTED, &of->library));
    expect_ok(ist_library_find(of->library, "counted_answer", &of->found));
}

static void another_thread_may_open_in_a_shared_arena(void **state)
{
    (void)state;
    for (size_t i = 1; i < KINDS; i++) {
        test_context("%s", kinds[i].name);
        visit of;
        loads = unloads = 0;
        expect_ok(kinds[i].open(&of.arena));
        test_on_thread(open_and_find, &of);
        expect_size(loads, 1);
        expect(call_int(of.found) == 42);
        expect_ok(kinds[i].close(of.arena));
        expect_size(unloads, 1);
    }
}

/* For the rest of the process: a child. */
static void stay_in_the_global_arena(void *unused)
{
    (void)unused;
    ist_library *library;
    ist_segment answer;
    expect_ok(ist_library_open(ist_arena_global(), COUNTED, &library));
    expect_ok(ist_library_find(library, "counted_answer", &answer));
    expect(ist_segment_arena(answer).expected == ist_arena_global().expected);
    expect(call_int(answer) == 42);
    expect(is_loaded(COUNTED));
    expect_size(unloads, 0);
}

static void the_global_arena_keeps_it(void **state)
{
    (void)state;
    expect_size(test_in_child(stay_in_the_global_arena, NULL), 0);
}

/* The loader counts: each arena has a reference of its own. */
static void two_arenas_may_have_one_library(void **state)
{
    (void)state;
    ist_arena one, other;
    ist_library *ours, *theirs, *once_more;
    ist_segment ours_found, theirs_found;
    expect_ok(ist_arena_open_confined(&one));
    expect_ok(ist_arena_open_shared(&other));
    expect_ok(ist_library_open(one, COUNTED, &ours));
    expect_ok(ist_library_open(one, COUNTED, &once_more));
    expect_ok(ist_library_open(other, COUNTED, &theirs));
    expect_size(loads, 1);
    expect_ok(ist_library_find(ours, "counted_answer", &ours_found));
    expect_ok(ist_library_find(theirs, "counted_answer", &theirs_found));
    expect(ist_segment_equals(ours_found, theirs_found));
    expect_ok(ist_arena_close(one));
    expect_size(unloads, 0);
    expect(!ist_segment_is_alive(&ours_found) && ist_segment_is_alive(&theirs_found));
    expect(call_int(theirs_found) == 42);
    expect_ok(ist_library_find(theirs, "counted_answer", &theirs_found));
    expect_ok(ist_arena_close(other));
    expect_size(unloads, 1);
    expect_size(loads, 1);
}

static void a_hold_keeps_it_loaded(void **state)
{
    (void)state;
    use shared = use_open();
    ist_library *library;
    ist_segment answer;
    mate *other = mate_start();
    expect_ok(ist_library_open(shared.arena, COUNTED, &library));
    expect_ok(ist_library_find(library, "counted_answer", &answer));
    mate_do(other, use_hold, &shared);
    expect_status(ist_arena_close(shared.arena), IST_E_HELD);
    expect_size(unloads, 0);
    expect(call_int(answer) == 42);
    mate_do(other, use_release, &shared);
    expect_ok(ist_arena_close(shared.arena));
    expect_size(unloads, 1);
    mate_end(other);
}

static void each_open_once(ist_arena arena, unsigned flags, ist_status wanted)
{
    static const char *const names[] = { TEST_LIBRARIES, "/", ".", "./", TEST_LIBRARIES "/nothing.so",
                                         "libnothing.so.7", __FILE__, TEST_LIBRARIES "/unresolved.so",
                                         TEST_LIBRARIES "/dependent.so" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        test_context("%s", names[i]);
        ist_library *library = NULL;
        expect_status(ist_library_open_with(arena, names[i], flags, &library), wanted);
        expect(library == NULL);
        expect_sentence("opening a library: ");
        expect(dlerror() == NULL); /* It was taken. */
    }
}

static void what_cannot_be_loaded_is_not_found(void **state)
{
    (void)state;
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    size_t bytes = test_stats().bytes_live;
    each_open_once(arena, 0, IST_E_NOT_FOUND);
    each_open_once(arena, IST_LIBRARY_GLOBAL | IST_LIBRARY_STAYS, IST_E_NOT_FOUND);
    expect_size(test_stats().bytes_live, bytes);
    expect_ok(ist_arena_close(arena));
    each_open_once(ist_arena_global(), 0, IST_E_NOT_FOUND);
}

/* The loader's own words. */
static void the_sentence_says_why(void **state)
{
    (void)state;
    ist_arena arena;
    ist_library *library;
    expect_ok(ist_arena_open_confined(&arena));
    expect_status(ist_library_open(arena, "libnothing.so.7", &library), IST_E_NOT_FOUND);
    expect_sentence("libnothing.so.7");
    expect(dlopen("libnothing.so.7", RTLD_NOW) == NULL);
    expect_sentence(dlerror());
    expect_status(ist_library_open(arena, TEST_LIBRARIES "/unresolved.so", &library), IST_E_NOT_FOUND);
    expect_sentence("provided");
    expect_status(ist_library_open(arena, TEST_LIBRARIES "/dependent.so", &library), IST_E_NOT_FOUND);
    expect_sentence("libcall_library_missing.so");
    expect_ok(ist_arena_close(arena));
}

static void misuse(void **state)
{
    (void)state;
    ist_arena arena;
    ist_library *library = NULL;
    expect_ok(ist_arena_open_confined(&arena));
    expect_status(ist_library_open(arena, NULL, &library), IST_E_ARGUMENT);
    expect_status(ist_library_open(arena, COUNTED, NULL), IST_E_ARGUMENT);
    expect_status(ist_library_open(arena, "", &library), IST_E_ARGUMENT); /* Else the loader gives the program. */
    expect_sentence("empty");
    expect_status(ist_library_open_with(arena, COUNTED, 8, &library), IST_E_ARGUMENT);
    expect_status(ist_library_open_with(arena, COUNTED, 1u << 31, &library), IST_E_ARGUMENT);
    expect_size(loads, 0);
    expect(library == NULL);
    expect_ok(ist_arena_close(arena));
}

/* No limit of ours: PATH_MAX is the system's. */
static void long_names_are_cut_in_the_sentence(void **state)
{
    (void)state;
    static char name[100000];
    ist_arena arena;
    ist_library *library;
    memset(name, 'n', sizeof name - 1);
    expect_ok(ist_arena_open_confined(&arena));
    expect_status(ist_library_open(arena, name, &library), IST_E_NOT_FOUND);
    expect_sentence("opening a library: nnnnnnn");
    expect(strlen(ist_last_error()) < 400);
    name[0] = '/';
    expect_status(ist_library_open(arena, name, &library), IST_E_NOT_FOUND);
    expect_ok(ist_arena_close(arena));
}

static void relative_paths_begin_at_the_working_directory(void **state)
{
    (void)state;
    char *before = getcwd(NULL, 0);
    ist_arena arena;
    ist_library *library;
    expect(before != NULL && chdir(TEST_LIBRARIES) == 0);
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_library_open(arena, "./counted.so", &library));
    expect_ok(ist_library_open(arena, "../libraries/counted.so", &library));
    expect_size(loads, 1);
    expect_ok(ist_arena_close(arena));
    expect_size(unloads, 1);
    expect_ok(ist_arena_open_confined(&arena));
    expect_status(ist_library_open(arena, "counted.so", &library), IST_E_NOT_FOUND); /* A name: searched for. */
    expect_ok(ist_arena_close(arena));
    expect(chdir(before) == 0);
    free(before);
}

static void names_are_searched_for(void **state)
{
    (void)state;
    ist_arena arena;
    ist_library *libm;
    ist_segment cosine;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_library_open(arena, "libm.so.6", &libm));
    expect_ok(ist_library_find(libm, "cos", &cosine));
    double (*entry)(double);
    memcpy(&entry, &cosine.address, sizeof entry);
    expect(entry(0.0) == 1.0);
    expect_ok(ist_arena_close(arena));
}

/* ---- Flags ---- */

static void loaded_only(void **state)
{
    (void)state;
    ist_arena arena, other;
    ist_library *library, *again;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_open_confined(&other));
    expect(dlopen("libnothing.so.7", RTLD_NOW) == NULL); /* What the program has not asked for is not ours. */
    expect_status(ist_library_open_with(arena, COUNTED, IST_LIBRARY_LOADED, &library), IST_E_NOT_FOUND);
    expect_sentence("it is not loaded");
    expect_size(loads, 0);
    expect_ok(ist_library_open(arena, COUNTED, &library));
    expect_ok(ist_library_open_with(other, COUNTED, IST_LIBRARY_LOADED, &again));
    expect_ok(ist_arena_close(arena));
    expect_size(unloads, 0); /* The second is a reference as well. */
    expect_ok(ist_arena_close(other));
    expect_size(unloads, 1);
}

static void serve_others(void *unused)
{
    (void)unused;
    ist_arena arena;
    ist_library *provider, *consumer;
    ist_segment found;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_library_open(arena, TEST_LIBRARIES "/provider.so", &provider));
    expect_status(ist_library_open(arena, TEST_LIBRARIES "/unresolved.so", &consumer), IST_E_NOT_FOUND);
    expect_status(ist_library_find(ist_library_process(), "provided", &found), IST_E_NOT_FOUND);
    expect_ok(ist_library_open_with(arena, TEST_LIBRARIES "/provider.so", IST_LIBRARY_GLOBAL, &provider));
    expect_ok(ist_library_open(arena, TEST_LIBRARIES "/unresolved.so", &consumer));
    expect_ok(ist_library_find(consumer, "consumed", &found));
    expect(call_int(found) == 10);
    expect_ok(ist_arena_close(arena));
    expect(!is_loaded(TEST_LIBRARIES "/provider.so"));
}

/* What is found through the process is in the global arena, and does not go away. */
static void serve_the_process(void *unused)
{
    (void)unused;
    ist_arena arena;
    ist_library *provider;
    ist_segment found;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_library_open_with(arena, TEST_LIBRARIES "/provider.so", IST_LIBRARY_GLOBAL, &provider));
    expect_ok(ist_library_find(ist_library_process(), "provided", &found));
    expect(call_int(found) == 9);
    expect_ok(ist_arena_close(arena));
    expect(ist_segment_is_alive(&found));
    expect(is_loaded(TEST_LIBRARIES "/provider.so"));
    expect(call_int(found) == 9);
}

static void global_symbols_serve_others(void **state)
{
    (void)state;
    expect_size(test_in_child(serve_others, NULL), 0);
    expect_size(test_in_child(serve_the_process, NULL), 0);
}

static void stay_loaded(void *unused)
{
    (void)unused;
    ist_arena arena;
    ist_library *library;
    ist_segment answer;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_library_open_with(arena, COUNTED, IST_LIBRARY_STAYS, &library));
    expect_ok(ist_library_find(library, "counted_answer", &answer));
    expect_ok(ist_arena_close(arena));
    expect_size(unloads, 0);
    expect(is_loaded(COUNTED));
    expect(!ist_segment_is_alive(&answer));
    expect(call_int(answer) == 42);
}

static void a_library_may_stay(void **state)
{
    (void)state;
    expect_size(test_in_child(stay_loaded, NULL), 0);
}

/* ---- Order, and code of the library ---- */

static char order[16];
static size_t steps;

static void note(char step)
{
    order[steps++] = step;
    order[steps] = 0;
}

static void note_action(void *data)
{
    note(*(const char *)data);
}

static void note_unload(void)
{
    note('u');
}

static void it_ends_in_order_with_the_cleanups(void **state)
{
    (void)state;
    static char a = 'a', b = 'b';
    for (size_t i = 0; i < KINDS; i++) {
        test_context("%s", kinds[i].name);
        ist_arena arena;
        ist_library *library;
        steps = 0;
        on_unload = note_unload;
        expect_ok(kinds[i].open(&arena));
        expect_ok(ist_arena_on_close(arena, note_action, &a));
        expect_ok(ist_library_open(arena, COUNTED, &library));
        expect_ok(ist_arena_on_close(arena, note_action, &b));
        expect_ok(kinds[i].close(arena));
        expect(strcmp(order, "bua") == 0);
    }
}

static ist_arena entered; /* By code of the library. */
static size_t entries;

static void close_entered(void)
{
    entries++;
    if (ist_arena_close(entered) != IST_OK)
        abort();
}

/* Its failure must not pass for the open's. */
static void fail_at_something(void)
{
    entries++;
    if (ist_arena_on_close(entered, NULL, NULL) != IST_E_ARGUMENT)
        abort();
}

/* Its own arena; the destructor then fails at something. */
static void a_constructor_may_close_the_arena(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        test_context("%s", kinds[i].name);
        ist_library *library = NULL;
        loads = unloads = entries = 0;
        on_load = close_entered;
        on_unload = fail_at_something;
        expect_ok(kinds[i].open(&entered));
        expect_status(ist_library_open(entered, COUNTED, &library), IST_E_CLOSED);
        expect_sentence("opening a library");
        expect(library == NULL);
        expect_size(entries, 2);
        expect_size(loads, 1);
        expect_size(unloads, 1);
        expect(!is_loaded(COUNTED));
        expect(!ist_arena_is_alive(entered));
    }
}

static void open_another(void)
{
    ist_library *inner;
    ist_segment found;
    on_load = NULL;
    entries++;
    expect_ok(ist_library_open(entered, SYMBOLS, &inner));
    expect_ok(ist_library_find(inner, "get_number", &found));
    expect_status(ist_library_open(entered, "libnothing.so.7", &inner), IST_E_NOT_FOUND);
}

static void a_constructor_may_open_another(void **state)
{
    (void)state;
    ist_library *outer;
    ist_segment found;
    entries = 0;
    expect_ok(ist_arena_open_confined(&entered));
    on_load = open_another;
    expect_answer(ist_library_open(entered, COUNTED, &outer), IST_OK);
    expect_size(entries, 1);
    expect(is_loaded(SYMBOLS));
    expect_ok(ist_library_find(outer, "counted_answer", &found));
    expect_ok(ist_arena_close(entered));
    expect_size(unloads, 1);
    expect(!is_loaded(SYMBOLS));
}

static void open_in_entered(void)
{
    ist_library *library;
    entries++;
    if (ist_library_open(entered, SYMBOLS, &library) != IST_E_CLOSED)
        abort();
}

static void a_destructor_finds_its_arena_closed(void **state)
{
    (void)state;
    ist_library *library;
    entries = 0;
    expect_ok(ist_arena_open_shared(&entered));
    expect_ok(ist_library_open(entered, COUNTED, &library));
    on_unload = open_in_entered;
    expect_answer(ist_arena_close(entered), IST_OK);
    expect_size(entries, 1);
    expect_size(unloads, 1);
    expect(!is_loaded(SYMBOLS));
}

static void close_while_held(void)
{
    entries++;
    if (ist_arena_close(entered) != IST_E_HELD)
        abort();
}

/* The one that chooses a function runs inside of the find, which holds the arena. */
static void a_find_holds_the_arena(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        test_context("%s", kinds[i].name);
        ist_library *library;
        ist_segment chosen;
        entries = 0;
        expect_ok(kinds[i].open(&entered));
        expect_ok(ist_library_open(entered, SYMBOLS, &library));
        on_resolve = close_while_held;
        expect_answer(ist_library_find(library, "chosen", &chosen), IST_OK);
        on_resolve = NULL;
        expect_size(entries, 1);
        expect(call_int(chosen) == 5);
        expect_ok(ist_arena_close(entered));
    }
}

/* ---- Children ---- */

static void close_in_the_child(void *data)
{
    const ist_arena *arenas = data;
    alarm(60);
    expect_ok(ist_arena_close(arenas[0]));
    expect_size(unloads, 0);
    expect_ok(ist_arena_close(arenas[1]));
    expect_size(unloads, 1);
    expect(!is_loaded(COUNTED));
}

static void a_child_closes_for_itself(void **state)
{
    (void)state;
    ist_arena arenas[2];
    ist_library *libraries[2];
    ist_segment answer;
    expect_ok(ist_arena_open_confined(&arenas[0]));
    expect_ok(ist_arena_open_shared(&arenas[1]));
    for (size_t i = 0; i < 2; i++)
        expect_ok(ist_library_open(arenas[i], COUNTED, &libraries[i]));
    expect_size(test_in_child(close_in_the_child, arenas), 0);
    expect_size(unloads, 0);
    expect_ok(ist_library_find(libraries[1], "counted_answer", &answer));
    expect(call_int(answer) == 42);
    for (size_t i = 0; i < 2; i++)
        expect_ok(ist_arena_close(arenas[i]));
    expect_size(unloads, 1);
}

static void say_unloaded(void)
{
    fputc(is_loaded(COUNTED) ? 'l' : 'u', stderr);
}

static void exit_without_closing(void *unused)
{
    (void)unused;
    ist_arena arenas[3];
    ist_library *library;
    alarm(60);
    expect_ok(ist_arena_open_confined(&arenas[0]));
    expect_ok(ist_arena_open_shared(&arenas[1]));
    expect_ok(ist_arena_open_automatic(&arenas[2]));
    for (size_t i = 0; i < 3; i++)
        expect_ok(ist_library_open(arenas[i], COUNTED, &library));
    on_unload = say_unloaded;
    exit(0);
}

/* Its destructor runs once, as that of a linked library: the library is still there. */
static void exiting_unloads_nothing(void **state)
{
    (void)state;
    if (TEST_ASAN)
        skip(); /* Leaks are looked for at exit, when the test's own are still around. */
    char text[4096];
    expect_size(test_in_child_reading(exit_without_closing, NULL, text, sizeof text), 0);
    expect(strcmp(text, "l") == 0);
}

/* ---- Many threads ---- */

enum { THREADS = 8 };
static atomic_size_t opened, refused;

static void *open_find_close(void *data)
{
    size_t rounds = *(const size_t *)data;
    for (size_t i = 0; i < rounds; i++) {
        ist_arena arena;
        ist_library *library, *libm;
        ist_segment answer;
        expect_ok(i % 2 == 0 ? ist_arena_open_confined(&arena) : ist_arena_open_shared(&arena));
        expect_ok(ist_library_open(arena, COUNTED, &library));
        expect_ok(ist_library_open(arena, "libm.so.6", &libm));
        expect_status(ist_library_find(libm, "counted_answer", &answer), IST_E_NOT_FOUND);
        expect_ok(ist_library_find(library, "counted_answer", &answer));
        expect(call_int(answer) == 42);
        expect_ok(ist_library_find(ist_library_default(), "sin", &answer));
        expect_ok(ist_arena_close(arena));
        expect(!ist_segment_is_alive(&answer) == (ist_segment_arena(answer).session != NULL));
    }
    return NULL;
}

static void run_threads(void *(*body)(void *data), void *data)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        expect(pthread_create(&threads[i], NULL, body, data) == 0);
    for (size_t i = 0; i < THREADS; i++)
        expect(pthread_join(threads[i], NULL) == 0);
}

static void threads_with_arenas_of_their_own(void **state)
{
    (void)state;
    size_t rounds = TEST_ASAN || TEST_TSAN ? 50 : 300;
    run_threads(open_find_close, &rounds);
    expect(loads >= 1 && loads <= THREADS * rounds);
    expect_size(unloads, loads);
    expect(!is_loaded(COUNTED));
}

/* One arena, which somebody closes meanwhile: each open is in time, and unloaded by the close, or is refused. */
static void *open_until_closed(void *data)
{
    const ist_arena *arena = data;
    for (;;) {
        ist_library *library;
        ist_status status = ist_library_open(*arena, COUNTED, &library);
        if (status != IST_OK) {
            expect(status == IST_E_CLOSED);
            atomic_fetch_add(&refused, 1);
            return NULL;
        }
        if (atomic_fetch_add(&opened, 1) == 20)
            expect_answer(ist_arena_close(*arena), IST_OK);
    }
}

static void threads_against_a_close(void **state)
{
    (void)state;
    for (size_t round = 0; round < 30; round++) {
        ist_arena arena;
        loads = unloads = opened = refused = 0;
        expect_ok(ist_arena_open_shared(&arena));
        run_threads(open_until_closed, &arena);
        expect_size(refused, THREADS);
        expect(opened > 20);
        expect_size(unloads, loads);
        expect(!is_loaded(COUNTED));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        library_test(it_is_loaded_while_its_arena_is_open),
        library_test(a_closed_arena_loads_nothing),
        library_test(a_confined_arena_is_its_owners),
        library_test(another_thread_may_open_in_a_shared_arena),
        library_test(the_global_arena_keeps_it),
        library_test(two_arenas_may_have_one_library),
        library_test(a_hold_keeps_it_loaded),
        library_test(what_cannot_be_loaded_is_not_found),
        library_test(the_sentence_says_why),
        library_test(misuse),
        library_test(long_names_are_cut_in_the_sentence),
        library_test(relative_paths_begin_at_the_working_directory),
        library_test(names_are_searched_for),
        library_test(loaded_only),
        library_test(global_symbols_serve_others),
        library_test(a_library_may_stay),
        library_test(it_ends_in_order_with_the_cleanups),
        library_test(a_constructor_may_close_the_arena),
        library_test(a_constructor_may_open_another),
        library_test(a_destructor_finds_its_arena_closed),
        library_test(a_find_holds_the_arena),
        library_test(a_child_closes_for_itself),
        library_test(exiting_unloads_nothing),
        library_test(threads_with_arenas_of_their_own),
        library_test(threads_against_a_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
