/* SPDX-License-Identifier: MIT */
/*
 * Subject isthmus, through the public headers: the rows of AllocTest and AllocCompoundTest.
 *   alloc_none            open and close; nothing is allocated
 *   alloc_confined        open, allocate zeroed, close, all inlined
 *   alloc_confined_called the same through the exported functions, found by name as other
 *                         languages find them
 *   alloc_calloc_arena    an arena whose memory is calloc and free
 *   alloc_unsafe_arena    malloc and memset, made a segment of the arena with free as cleanup
 *   compound              the mix of AllocCompoundTest, inlined
 * Check: every status was IST_OK, every block was zeroed, and at the end no arena is open.
 * Not done here: SegmentAccess, whose memory is at the end and whose loops are in tables/; the
 * tables of shared arenas, which are in tables/..._isthmus.c.
 */
#include <dlfcn.h>
#include <isthmus/isthmus.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tables/access_target.h"
#include "tables/acquire_release.h"
#include "tables/alloc_test.h"
#include "tables/concurrent_close.h"
#include "tables/scope_close.h"
#include "tables/segment_access.h"
#include "tables/shared_access.h"

static const char *check_closed(void *state, uint64_t rounds)
{
    ist_stats stats = { .size = sizeof stats };
    if (ist_stats_get(&stats) != IST_OK || stats.arenas_open != 0)
        return "an arena was not closed";
    return alloc_check(state, rounds);
}

/* ---- Inlined ---- */

static void run_none(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    unsigned failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        ist_arena arena = { 0 };
        failed |= (unsigned)ist_arena_open_confined(&arena);
        bench_sink(arena.session);
        failed |= (unsigned)ist_arena_close(arena);
    }
    state->failed |= failed;
}

IST_INLINE unsigned use_block_of(ist_arena arena, size_t size, uint64_t index, unsigned *failed)
{
    ist_segment block = { 0 };
    *failed |= (unsigned)ist_arena_allocate(arena, size, ALLOC_ALIGNMENT, &block);
    return alloc_use(ist_segment_pointer_unchecked(block), size, index);
}

static void run_confined(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    size_t size = state->size;
    unsigned seen = 0, failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        ist_arena arena = { 0 };
        bench_hide(size);
        failed |= (unsigned)ist_arena_open_confined(&arena);
        seen |= use_block_of(arena, size, i, &failed);
        failed |= (unsigned)ist_arena_close(arena);
    }
    state->seen |= seen;
    state->failed |= failed;
}

static unsigned compound_once(const uint8_t *order, uint64_t round, unsigned *failed)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < COMPOUND_ARENAS; i++) {
        ist_arena arena = { 0 };
        size_t size = order[i];
        *failed |= (unsigned)ist_arena_open_confined(&arena);
        if (size != 0)
            seen |= use_block_of(arena, size, round, failed);
        *failed |= (unsigned)ist_arena_close(arena);
    }
    return seen;
}

static void run_compound(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    unsigned seen = 0, failed = 0;
    for (uint64_t i = 0; i < rounds; i++)
        seen |= compound_once(state->order, i, &failed);
    state->seen |= seen;
    state->failed |= failed;
}

/* ---- Called ---- */

/* The exported twins of the three inlines. */
struct called {
    ist_status (*open_confined)(ist_arena *ret_arena);
    ist_status (*allocate)(ist_arena arena, size_t size, size_t alignment,
                           ist_segment *ret_segment);
    ist_status (*close)(ist_arena arena);
};

static struct called called;
static pthread_once_t called_once = PTHREAD_ONCE_INIT;

static void find_called(void)
{
    *(void **)&called.open_confined = dlsym(RTLD_DEFAULT, "ist_arena_open_confined");
    *(void **)&called.allocate = dlsym(RTLD_DEFAULT, "ist_arena_allocate");
    *(void **)&called.close = dlsym(RTLD_DEFAULT, "ist_arena_close");
}

static const char *setup_called(const char *params, void **ret_state)
{
    pthread_once(&called_once, find_called);
    if (called.open_confined == NULL || called.allocate == NULL || called.close == NULL)
        return "the library does not export the inlines";
    return alloc_setup(params, ret_state);
}

static void run_called(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    const struct called calls = called;
    size_t size = state->size;
    unsigned seen = 0, failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        ist_arena arena = { 0 };
        ist_segment block = { 0 };
        bench_hide(size);
        failed |= (unsigned)calls.open_confined(&arena);
        failed |= (unsigned)calls.allocate(arena, size, ALLOC_ALIGNMENT, &block);
        seen |= alloc_use(ist_segment_pointer_unchecked(block), size, i);
        failed |= (unsigned)calls.close(arena);
    }
    state->seen |= seen;
    state->failed |= failed;
}

/* ---- On the system allocator ---- */

static void *source_allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    (void)alignment; /* calloc aligns to ALLOC_ALIGNMENT. */
    return calloc(1, size);
}

static void source_release(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    free(block);
}

static const ist_memory_source calloc_source = { source_allocate, source_release, NULL, 1 };

static void run_calloc_arena(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    size_t size = state->size;
    unsigned seen = 0, failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        ist_arena arena = { 0 };
        bench_hide(size);
        failed |= (unsigned)ist_arena_open_confined_from(&calloc_source, &arena);
        seen |= use_block_of(arena, size, i, &failed);
        failed |= (unsigned)ist_arena_close(arena);
    }
    state->seen |= seen;
    state->failed |= failed;
}

static void free_segment(void *data, const ist_segment *segment)
{
    (void)data;
    free(ist_segment_pointer_unchecked(*segment));
}

static void run_unsafe_arena(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    size_t size = state->size;
    unsigned seen = 0, failed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        ist_arena arena = { 0 };
        bench_hide(size);
        failed |= (unsigned)ist_arena_open_confined(&arena);
        void *memory = malloc(size);
        bench_hide(memory); /* Else malloc and memset become one calloc. */
        ist_segment block = ist_segment_of(memset(memory, 0, size), size);
        failed |=
            (unsigned)ist_segment_reinterpret(&block, size, arena, free_segment, NULL, &block);
        seen |= alloc_use(ist_segment_pointer_unchecked(block), size, i);
        failed |= (unsigned)ist_arena_close(arena);
    }
    state->seen |= seen;
    state->failed |= failed;
}

/* ---- SegmentAccess ---- */

/* A path to the second of two members of this type; in an array of `count` pairs unless 0. */
static ist_status
path_to_second(ist_arena arena, ist_type type, size_t count, const char *text, ist_path *ret_path)
{
    const ist_layout *pair;
    const ist_member members[] = { { .name = "first", .layout = ist_layout_of(type) },
                                   { .name = "second", .layout = ist_layout_of(type) } };
    ist_status status = ist_layout_struct(arena, NULL, members, 2, &pair);
    if (status == IST_OK && count != 0)
        status = ist_layout_sequence(arena, count, pair, &pair);
    return status == IST_OK ? ist_path_resolve(pair, text, ret_path) : status;
}

const char *access_memory_open(struct access_memory *ret_memory)
{
    ist_arena arena;
    struct access_target *target = malloc(sizeof *target);
    if (target == NULL || ist_arena_open_confined(&arena) != IST_OK ||
        ist_arena_allocate(arena, ACCESS_MAX_BYTES, 64, &target->segment) != IST_OK)
        return "out of memory";
    if (path_to_second(arena, IST_TYPE_DOUBLE, ACCESS_COUNT, "[].second", &target->y) != IST_OK ||
        path_to_second(arena, IST_TYPE_I64, 0, "second", &target->second) != IST_OK)
        return ist_last_error();
    *ret_memory = (struct access_memory){
        .target = target,
        .bytes = ist_segment_pointer_unchecked(target->segment),
    };
    return NULL;
}

void access_memory_close(struct access_memory *memory)
{
    const struct access_target *target = memory->target;
    IST_CHECK(ist_arena_close(ist_segment_arena(target->segment)));
    free((void *)(uintptr_t)memory->target);
}

/* ---- The subject ---- */

static const struct bench_row rows[] = {
    { ALLOC_NONE_ROW, .method = "alloc_none", .setup = alloc_setup_unsized, .check = check_closed,
      .run = run_none },
    { ALLOC_ROW, .method = "alloc_confined", .setup = alloc_setup, .check = check_closed,
      .run = run_confined },
    { ALLOC_ROW, .method = "alloc_confined_called", .setup = setup_called, .check = check_closed,
      .run = run_called },
    { ALLOC_ROW, .method = "alloc_calloc_arena", .setup = alloc_setup, .check = check_closed,
      .run = run_calloc_arena },
    { ALLOC_ROW, .method = "alloc_unsafe_arena", .setup = alloc_setup, .check = check_closed,
      .run = run_unsafe_arena },
    { COMPOUND_ROW, .setup = alloc_setup_unsized, .check = check_closed, .run = run_compound },
};

static const struct bench_table table = { rows, sizeof rows / sizeof rows[0] };

static const struct bench_symbol symbols[] = {
    { "ist_arena_on_close", (void *)ist_arena_on_close, "libisthmus.so" },
    { "ist_stats_get", (void *)ist_stats_get, "libisthmus.so" },
    { "calloc", (void *)calloc, "libc.so." },
};

static const struct bench_table *const tables[] = {
    &table,        &scope_close_table,   &acquire_table,
    &access_table, &shared_access_table, &concurrent_table,
};

const struct bench_subject bench_subject = {
    .name = "isthmus",
    .tables = tables,
    .table_count = sizeof tables / sizeof tables[0],
    .symbols = symbols,
    .symbol_count = sizeof symbols / sizeof symbols[0],
    .skipped = ACCESS_SKIPPED,
};
