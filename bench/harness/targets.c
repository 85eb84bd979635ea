/* SPDX-License-Identifier: MIT */
/*
 * Reading targets and deciding them.
 * Invariant: the decision is a pure function of target and evidence, so that tests can state both.
 * Not done here: measuring the evidence; that is check.c.
 */
#include "harness/targets.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "harness/memory.h"

static const char *const kind_names[] = {
    [BENCH_RATIO_AT_MOST] = "ratio-at-most",
    [BENCH_SPEEDUP_AT_LEAST] = "speedup-at-least",
    [BENCH_DIFFERENCE_AT_MOST] = "difference-at-most",
    [BENCH_TIME_AT_MOST] = "time-at-most",
    [BENCH_LOSS_AT_MOST] = "loss-at-most",
};

static const char *const clock_names[] = { "", "wall", "cpu" };

#define KIND_COUNT (sizeof kind_names / sizeof kind_names[0])
#define CLOCK_COUNT (sizeof clock_names / sizeof clock_names[0])

/* ---- Reading ---- */

/* One object of the file, before it is expanded. */
struct entry {
    const char *row, *params, *kind, *source, *clock, *base, *against_base;
    json_t *against;
    double bound, reference_floor;
};

static size_t index_of(const char *name, const char *const *names, size_t count)
{
    size_t index = 0;
    while (index < count && strcmp(names[index], name) != 0)
        index++;
    return index;
}

/* Returns NULL, or what is wrong with the entry. */
static char *expand(const struct entry *entry, struct bench_targets *targets)
{
    size_t kind = index_of(entry->kind, kind_names, KIND_COUNT);
    size_t clock = index_of(entry->clock, clock_names, CLOCK_COUNT);
    size_t combinations = bench_params_count(entry->params);
    if (kind == KIND_COUNT || clock == CLOCK_COUNT)
        return bench_text("unknown kind '%s' or clock '%s'", entry->kind, entry->clock);
    if ((kind == BENCH_LOSS_AT_MOST) != (entry->base != NULL && entry->against_base != NULL))
        return bench_text("'base' and 'against_base' belong to loss-at-most");
    for (size_t i = 0; i < combinations * json_array_size(entry->against); i++) {
        const char *against = json_string_value(json_array_get(entry->against, i / combinations));
        char params[BENCH_PARAMS_SIZE];
        if (against == NULL || !bench_params_combination(entry->params, i % combinations, params))
            return bench_text("bad 'against' or 'params'");
        targets->targets = bench_grow(targets->targets, targets->count, sizeof *targets->targets);
        targets->targets[targets->count++] = (struct bench_target){
            .row = bench_text("%s", entry->row),
            .params = bench_text("%s", params),
            .against = bench_text("%s", against),
            .base = entry->base == NULL ? NULL : bench_text("%s", entry->base),
            .against_base =
                entry->against_base == NULL ? NULL : bench_text("%s", entry->against_base),
            .kind = (enum bench_target_kind)kind,
            .clock = (enum bench_target_clock)clock,
            .bound = entry->bound,
            .reference_floor = entry->reference_floor,
            .source = bench_text("%s", entry->source),
        };
    }
    return NULL;
}

static char *read_entry(json_t *object, struct bench_targets *targets)
{
    struct entry entry = { .params = "", .clock = "" };
    json_error_t error;
    if (json_unpack_ex(object, &error, JSON_STRICT,
                       "{s:s, s?s, s:o, s:s, s:F, s?F, s?s, s?s, s?s, s:s}", "row", &entry.row,
                       "params", &entry.params, "against", &entry.against, "kind", &entry.kind,
                       "bound", &entry.bound, "reference_floor", &entry.reference_floor, "clock",
                       &entry.clock, "base", &entry.base, "against_base", &entry.against_base,
                       "source", &entry.source) != 0)
        return bench_text("%s", error.text);
    return expand(&entry, targets);
}

char *bench_targets_load(const char *file, struct bench_targets *ret_targets)
{
    json_error_t error;
    json_t *list = json_load_file(file, 0, &error);
    *ret_targets = (struct bench_targets){ 0 };
    if (list == NULL)
        return bench_text("%s: line %d: %s", file, error.line, error.text);
    char *wrong = json_is_array(list) ? NULL : bench_text("no array");
    for (size_t i = 0; i < json_array_size(list) && wrong == NULL; i++) {
        char *reason = read_entry(json_array_get(list, i), ret_targets);
        if (reason != NULL)
            wrong = bench_text("%s: target %zu: %s", file, i + 1, reason);
    }
    json_decref(list);
    return wrong;
}

/* ---- Deciding ---- */

enum bench_contrast_kind bench_target_contrast(enum bench_target_kind kind)
{
    return kind == BENCH_DIFFERENCE_AT_MOST || kind == BENCH_TIME_AT_MOST ? BENCH_DIFFERENCE
                                                                          : BENCH_RATIO;
}

double bench_target_limit(const struct bench_target *target)
{
    switch (target->kind) {
    case BENCH_SPEEDUP_AT_LEAST:
        return 1 / target->bound;
    case BENCH_TIME_AT_MOST:
        return target->bound - target->reference_floor;
    default:
        return target->bound;
    }
}

enum bench_decision bench_target_decide(const struct bench_target *target,
                                        const struct bench_evidence *evidence)
{
    bool is_ratio = bench_target_contrast(target->kind) == BENCH_RATIO;
    double limit = bench_target_limit(target), median = evidence->contrast.median;
    if (evidence->contrast.pairs < BENCH_TARGET_PAIRS || isnan(median) || isnan(evidence->spread))
        return BENCH_UNDECIDED;
    double allowance = fabs(is_ratio ? limit - 1 : limit);
    double distance = fabs(is_ratio ? median / limit - 1 : median - limit);
    if (allowance < evidence->spread && distance < evidence->spread)
        return BENCH_UNDECIDED;
    return evidence->contrast.interval.low <= limit ? BENCH_HOLDS : BENCH_FAILS;
}

enum bench_decision bench_target_overall(const enum bench_decision *runs, size_t count)
{
    size_t votes[3] = { 0, 0, 0 };
    for (size_t i = 0; i < count; i++)
        votes[runs[i]]++;
    if (votes[BENCH_HOLDS] >= 2)
        return BENCH_HOLDS;
    return votes[BENCH_FAILS] >= 2 ? BENCH_FAILS : BENCH_UNDECIDED;
}

const char *bench_decision_text(enum bench_decision decision)
{
    static const char *const texts[] = { "holds", "FAILS", "undecided here" };
    return texts[decision];
}
