/* SPDX-License-Identifier: MIT */
/*
 * The modes of ResourceScopeClose, and the thread that looks at batches; the same for all subjects.
 * Invariant: live blocks stay until the worker exits, which is when its row is done.
 * Not done here: opening and closing; each subject does that its own way.
 */
#include "tables/scope_close.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/cores.h"
#include "harness/params.h"

#define SPINNERS 4
#define LIVE_BLOCK_FOOTPRINT 32 /* What glibc takes for 2 bytes; others take less. */
#define LIVE_BLOCKS 100000000u
#define LIVE_BLOCKS_QUICK 10000000u

/* ---- Modes ---- */

struct stage {
    struct bench_company *company; /* NULL: nobody else runs. */
};

static void spin(void *argument, const struct bench_company *company)
{
    (void)argument;
    scope_thread_begins();
    while (bench_company_goes_on(company))
        ;
}

static const char *start_spinners(struct stage *stage)
{
    struct bench_companion companions[SPINNERS];
    for (size_t i = 0; i < SPINNERS; i++)
        companions[i] = (struct bench_companion){ spin, NULL };
    return bench_company_open(companions, SPINNERS, bench_cores_count(), &stage->company);
}

/* What the kernel thinks can be had without swapping; all there may be if it does not say. */
static uint64_t available_bytes(void)
{
    unsigned long long kib = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && kib == 0 && fgets(line, sizeof line, file) != NULL)
        (void)sscanf(line, "MemAvailable: %llu kB", &kib);
    if (file != NULL)
        fclose(file);
    return kib == 0 ? UINT64_MAX : (uint64_t)kib * 1024;
}

static const char *fill_memory(unsigned count)
{
    if (available_bytes() / LIVE_BLOCK_FOOTPRINT < count)
        return "too little memory for that many live blocks; see --param mode=";
    for (unsigned i = 0; i < count; i++) {
        unsigned char *block = scope_live_block();
        if (block == NULL)
            return "no memory for that many live blocks";
        *block = 1;
    }
    return NULL;
}

static const char *enter_mode(struct stage *stage, struct bench_span mode)
{
    if (bench_span_is(mode, "THREADS"))
        return start_spinners(stage);
    if (bench_span_is(mode, "MEMORY"))
        return fill_memory(LIVE_BLOCKS);
    if (bench_span_is(mode, "MEMORY_10M"))
        return fill_memory(LIVE_BLOCKS_QUICK);
    return bench_span_is(mode, "NONE") ? NULL : "no such mode: NONE, MEMORY, MEMORY_10M or THREADS";
}

const char *scope_stage_open(const char *params, unsigned threads, void **ret_stage)
{
    (void)threads;
    struct stage *stage = calloc(1, sizeof *stage);
    if (stage == NULL)
        return "out of memory";
    const char *error = enter_mode(stage, bench_params_find(params, "mode"));
    if (error != NULL) {
        free(stage);
        return error;
    }
    *ret_stage = stage;
    return NULL;
}

void scope_stage_begin(void *argument)
{
    const struct stage *stage = argument;
    if (stage->company != NULL)
        bench_company_begin(stage->company);
}

void scope_stage_end(void *argument)
{
    const struct stage *stage = argument;
    if (stage->company != NULL)
        bench_company_end(stage->company);
}

const char *scope_stage_close(void *argument)
{
    struct stage *stage = argument;
    bench_company_close(stage->company);
    free(stage);
    return NULL;
}

const struct bench_stage scope_stage = {
    .open = scope_stage_open,
    .begin = scope_stage_begin,
    .end = scope_stage_end,
    .close = scope_stage_close,
};

const char *scope_enter(void *stage, unsigned lane, void **ret_state)
{
    (void)stage;
    (void)lane;
    const char *error = alloc_setup_unsized("", ret_state);
    if (error == NULL)
        ((struct alloc_state *)*ret_state)->size = SCOPE_SIZE;
    return error;
}

/* ---- The relay ---- */

/* Acquire and release: the batch is handed over and back by these two words. */
static unsigned read_word(const unsigned *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void write_word(unsigned *word, unsigned value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static void look_at_batches(void *argument, const struct bench_company *company)
{
    struct scope_relay *relay = argument;
    while (bench_company_goes_on(company)) {
        unsigned handed = read_word(&relay->handed);
        if (handed == relay->seen)
            continue;
        relay->look(relay->argument);
        write_word(&relay->seen, handed);
    }
}

const char *
scope_relay_open(struct scope_relay *relay, void (*look)(void *argument), void *argument)
{
    *relay = (struct scope_relay){ .look = look, .argument = argument };
    const struct bench_companion companion = { look_at_batches, relay };
    return bench_company_open(&companion, 1, bench_company_cores(1), &relay->company);
}

void scope_relay_hand_over(struct scope_relay *relay)
{
    unsigned handed = relay->handed + 1;
    write_word(&relay->handed, handed);
    while (read_word(&relay->seen) != handed)
        sched_yield();
}

void scope_relay_close(struct scope_relay *relay)
{
    bench_company_close(relay->company);
}
