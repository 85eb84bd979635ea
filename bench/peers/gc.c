/* SPDX-License-Identifier: MIT */
/*
 * Subject gc, libisthmus-gc through the public headers: the rows of ResourceScopeClose whose arenas
 * nobody closes.
 *   implicit_close            open, allocate 1024 bytes at alignment 4, forget; the collector runs
 *                             when native memory asks for it
 *   implicit_close_systemgc   the same, and every 256 operations the collector is called, as the
 *                             original does
 * Modes as for the others; the live blocks of MEMORY are of the collector's heap, and are found
 * through pointers in it. The busy threads of THREADS are known to the collector, which stops them.
 * Counters: gc.count, collections; gc.time, ms spent in them by the collector's own clock.
 * Check: every status was IST_OK, every block was zeroed, all but a few arenas have ended, and the
 * process never had more memory than 1.5x what is live at its end and 64 MiB, in mode NONE not more
 * than 32 MiB beyond what it began with.
 * What would make these numbers a lie: arenas that stay reachable through what a loop leaves in
 * registers and on the stack (they would not end); memory that is never given back; a process that
 * ends before its first collection (an iteration opens some 100,000 arenas). In a quick run of MEMORY
 * an iteration is shorter than a collection, and its error is as large as its score: use --full.
 */
#define GC_THREADS
#include <gc/gc.h>
#include <isthmus/gc.h>
#include <isthmus/isthmus.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/params.h"
#include "tables/scope_close.h"

#define MIB ((size_t)1024 * 1024)
#define SYSTEMGC_EVERY 256

/* ---- Live blocks, and threads that the collector knows ---- */

#define LIVE_IN_LIST 1022

static struct live_list {
    struct live_list *next;
    size_t count;
    void *blocks[LIVE_IN_LIST];
} * live;

void *scope_live_block(void)
{
    if (live == NULL || live->count == LIVE_IN_LIST) {
        struct live_list *first = GC_MALLOC(sizeof *first);
        if (first == NULL)
            return NULL;
        first->next = live;
        live = first;
    }
    return live->blocks[live->count++] = GC_MALLOC_ATOMIC(2);
}

void scope_thread_begins(void)
{
    struct GC_stack_base base;
    if (!GC_thread_is_registered() && GC_get_stack_base(&base) == GC_SUCCESS)
        (void)GC_register_my_thread(&base);
}

/* ---- The stage: the common one, and what memory was there at first ---- */

static size_t begin_kib;
static bool bare; /* Mode NONE. */

static size_t status_kib(const char *format)
{
    char line[256];
    size_t kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, format, &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kib;
}

static const char *open_stage(const char *params, unsigned threads, void **ret_stage)
{
    GC_INIT();
    GC_allow_register_threads();
    GC_start_performance_measurement();
    begin_kib = status_kib("VmRSS: %zu kB");
    bare = bench_span_is(bench_params_find(params, "mode"), "NONE");
    return scope_stage_open(params, threads, ret_stage);
}

static void count(void *stage, uint64_t *ret_values)
{
    (void)stage;
    ret_values[0] = GC_get_gc_no();
    ret_values[1] = GC_get_full_gc_total_time();
}

static const char *close_stage(void *stage)
{
    size_t heap, free, peak = status_kib("VmHWM: %zu kB"), most;
    ist_gc_stats stats = { .size = sizeof stats };
    ist_gc_collect();
    IST_CHECK(ist_gc_stats_get(&stats));
    GC_get_heap_usage_safe(&heap, &free, NULL, NULL, NULL);
    most = bare ? 32 * MIB : (heap - free + stats.bytes) * 3 / 2 + 64 * MIB;
    const char *error = scope_stage_close(stage);
    if (error == NULL && stats.opened - stats.ended > 1000)
        error = "arenas that nobody has did not end";
    if (error == NULL && (peak - begin_kib) * 1024 > most)
        error = "the process had more memory than its live one allows";
    return error;
}

static const struct bench_stage stage = { .open = open_stage,
                                          .begin = scope_stage_begin,
                                          .end = scope_stage_end,
                                          .count = count,
                                          .close = close_stage };

/* ---- Rows ---- */

/* Its result is the byte read; nothing of the arena is left when it returns. */
static __attribute__((noinline)) unsigned
open_and_forget(size_t size, uint64_t index, unsigned *failed)
{
    ist_arena arena = { 0 };
    ist_segment block = { 0 };
    bench_hide(size);
    *failed |= (unsigned)ist_gc_arena_open(&arena);
    *failed |= (unsigned)ist_arena_allocate(arena, size, SCOPE_ALIGNMENT, &block);
    unsigned seen = alloc_use(ist_segment_pointer_unchecked(block), size, index);
    IST_GC_KEEP(block);
    return seen;
}

static void run_implicit(void *argument, uint64_t rounds)
{
    struct alloc_state *state = argument;
    for (uint64_t i = 0; i < rounds; i++)
        state->seen |= open_and_forget(state->size, i, &state->failed);
}

static void run_systemgc(void *argument, uint64_t rounds)
{
    static uint64_t operations; /* Of all calls: a call may have fewer rounds than that. */
    struct alloc_state *state = argument;
    for (uint64_t i = 0; i < rounds; i++) {
        state->seen |= open_and_forget(state->size, i, &state->failed);
        if (++operations % SYSTEMGC_EVERY == 0)
            ist_gc_collect();
    }
}

#define GC_ROW SCOPE_ROW_OF(stage), .counters = "gc.count=#,gc.time=#", .check = alloc_check

static const struct bench_row rows[] = {
    { GC_ROW, .method = "implicit_close", .run = run_implicit },
    { GC_ROW, .method = "implicit_close_systemgc", .run = run_systemgc },
};

static const struct bench_table table = { rows, sizeof rows / sizeof rows[0] };

static const struct bench_symbol symbols[] = {
    { "ist_gc_arena_open", (void *)ist_gc_arena_open, "libisthmus-gc.so." },
    { "GC_gcollect", (void *)GC_gcollect, "libgc.so." },
};

const struct bench_subject bench_subject = {
    .name = "gc",
    .tables = (const struct bench_table *const[]){ &table },
    .table_count = 1,
    .symbols = symbols,
    .symbol_count = sizeof symbols / sizeof symbols[0],
};
