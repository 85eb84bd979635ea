/* SPDX-License-Identifier: MIT */
/*
 * Measuring targets: up to three runs, each with fresh processes, of just the legs they need.
 * Invariant: a target that is not measured (its peer is missing) is printed as undecided with the
 * reason, never left out.
 * The third run measures only the groups in which the first two disagree about some target.
 */
#include "harness/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/measure.h"
#include "harness/memory.h"
#include "harness/report.h"
#include "harness/targets.h"

#define RUNS 3

/* A target on its way through the runs. */
struct trial {
    const struct bench_target *target;
    const struct bench_offer *row, *other;
    const char *missing; /* The subject that is not there; NULL: it can be measured. */
    struct bench_evidence evidence[RUNS];
    enum bench_decision decisions[RUNS];
    size_t runs;
};

struct trials {
    struct trial *trials;
    size_t count;
};

/* ---- From targets to legs ---- */

static const struct bench_offer *find_offer(const struct bench_catalog *catalog, const char *name)
{
    for (size_t s = 0; s < BENCH_SUBJECT_COUNT; s++) {
        for (size_t i = 0; i < catalog->subjects[s].offer_count; i++) {
            const struct bench_offer *offer = &catalog->subjects[s].offers[i];
            char *full = bench_text("%s.%s.%s", offer->subject, offer->class_name, offer->method);
            bool same = strcmp(full, name) == 0;
            free(full);
            if (same)
                return offer;
        }
    }
    return NULL;
}

/* The row of a subject that answers another at a combination; NULL if there is none. */
static const struct bench_offer *find_answer(const struct bench_catalog *catalog,
                                             const struct bench_offer *row, const char *name,
                                             const char *params)
{
    for (size_t s = 0; s < BENCH_SUBJECT_COUNT; s++) {
        const struct bench_catalog_subject *subject = &catalog->subjects[s];
        for (size_t i = 0; i < subject->offer_count && strcmp(subject->name, name) == 0; i++) {
            const struct bench_offer *offer = &subject->offers[i];
            if (strcmp(offer->class_name, row->class_name) == 0 &&
                bench_offer_answers(offer, row->method) &&
                bench_params_contains(offer->space, params))
                return offer;
        }
    }
    return NULL;
}

static struct trial trial_for(const struct bench_catalog *catalog,
                              const struct bench_target *target)
{
    struct trial trial = { .target = target, .row = find_offer(catalog, target->row) };
    if (trial.row == NULL || !bench_params_contains(trial.row->space, target->params)) {
        trial.missing = target->row;
        return trial;
    }
    trial.other = find_answer(catalog, trial.row, target->against, target->params);
    trial.missing = trial.other == NULL ? target->against : NULL;
    return trial;
}

static bool is_settled(const struct trial *trial)
{
    return trial->missing != NULL || trial->runs == RUNS ||
           (trial->runs == 2 && trial->decisions[0] == trial->decisions[1]);
}

/* The groups of the trials that are not settled yet; each with its floor, for the A/A spread. */
static struct bench_plan plan_run(const struct trials *trials, const struct bench_catalog *catalog,
                                  const struct bench_settings *settings)
{
    struct bench_plan plan = { .settings = *settings };
    for (size_t i = 0; i < trials->count; i++) {
        const struct trial *trial = &trials->trials[i];
        const char *params = trial->target->params;
        if (is_settled(trial))
            continue;
        const struct bench_offer *floor = find_answer(catalog, trial->row, BENCH_LIMIT, params);
        bench_plan_add(&plan, catalog, trial->row, params, 1);
        bench_plan_add(&plan, catalog, trial->other, params, 1);
        if (floor != NULL)
            bench_plan_add(&plan, catalog, floor, params, 1);
    }
    bench_plan_finish(&plan);
    return plan;
}

/* ---- From samples to decisions ---- */

static const struct bench_leg *find_leg(const struct bench_group *group,
                                        const struct bench_offer *offer)
{
    for (size_t i = 0; i < group->leg_count; i++) {
        if (group->legs[i].offer == offer && !group->legs[i].twin)
            return &group->legs[i];
    }
    return NULL;
}

/* Adds what a run has measured, if the trial was part of it. */
static void record(struct trial *trial, const struct bench_plan *plan)
{
    enum bench_contrast_kind kind = bench_target_contrast(trial->target->kind);
    for (size_t g = 0; g < plan->group_count && !is_settled(trial); g++) {
        const struct bench_group *group = &plan->groups[g];
        const struct bench_leg *row = find_leg(group, trial->row);
        const struct bench_leg *other = find_leg(group, trial->other);
        if (row == NULL || other == NULL || strcmp(group->params, trial->target->params) != 0)
            continue;
        struct bench_evidence evidence = {
            .contrast = bench_contrast_legs(kind, row, other, &plan->settings),
            .spread = bench_spread_for(kind, group, row, &plan->settings),
        };
        trial->evidence[trial->runs] = evidence;
        trial->decisions[trial->runs++] = bench_target_decide(trial->target, &evidence);
        return;
    }
}

static int run_all(struct trials *trials, const struct bench_catalog *catalog,
                   const struct bench_settings *settings)
{
    for (unsigned run = 1; run <= RUNS; run++) {
        char label[32];
        snprintf(label, sizeof label, "run %u of %d, ", run, RUNS);
        struct bench_plan plan = plan_run(trials, catalog, settings);
        if (bench_measure(&plan, label) != 0)
            return 1;
        for (size_t i = 0; i < trials->count; i++)
            record(&trials->trials[i], &plan);
        bench_report_disturbance(stdout, &plan);
        bench_plan_free(&plan);
    }
    return 0;
}

/* ---- Printing ---- */

static void print_evidence(const struct trial *trial)
{
    bool is_ratio = bench_target_contrast(trial->target->kind) == BENCH_RATIO;
    const char *unit = is_ratio ? "" : " ns";
    printf("    %s to %s at most %.4g%s; measured", is_ratio ? "ratio" : "difference",
           trial->target->against, bench_target_limit(trial->target), unit);
    for (size_t run = 0; run < trial->runs; run++) {
        const struct bench_contrast *contrast = &trial->evidence[run].contrast;
        printf("%s %.4g%s [%.4g, %.4g], A/A %.2g", run == 0 ? "" : ";", contrast->median, unit,
               contrast->interval.low, contrast->interval.high, trial->evidence[run].spread);
    }
    printf("\n");
}

static enum bench_decision print_trial(const struct trial *trial)
{
    const struct bench_target *target = trial->target;
    enum bench_decision decision = bench_target_overall(trial->decisions, trial->runs);
    printf("%-14s  %s%s%s: %s\n", bench_decision_text(decision), target->row,
           target->params[0] == '\0' ? "" : " ", target->params, target->source);
    if (trial->missing != NULL)
        printf("    not measured: %s is not there in this build\n", trial->missing);
    else
        print_evidence(trial);
    return decision;
}

static int print_all(const struct trials *trials)
{
    size_t counts[3] = { 0, 0, 0 };
    for (size_t i = 0; i < trials->count; i++)
        counts[print_trial(&trials->trials[i])]++;
    printf("%zu hold, %zu fail, %zu undecided here\n", counts[BENCH_HOLDS], counts[BENCH_FAILS],
           counts[BENCH_UNDECIDED]);
    return counts[BENCH_FAILS] == 0 ? 0 : 1;
}

/* ---- All of it ---- */

static int load_targets(struct bench_targets *targets)
{
    char *file = bench_catalog_file("targets.json");
    char *wrong = file == NULL ? bench_text("there is no targets.json beside the workers")
                               : bench_targets_load(file, targets);
    free(file);
    if (wrong == NULL)
        return 0;
    bench_complain("%s", wrong);
    free(wrong);
    return 2;
}

static int choose_trials(struct trials *trials, const struct bench_targets *targets,
                         const struct bench_catalog *catalog, const char *text)
{
    regex_t regex;
    int status = bench_regex_compile(&regex, text);
    if (status != 0)
        return status;
    for (size_t i = 0; i < targets->count; i++) {
        if (regexec(&regex, targets->targets[i].row, 0, NULL, 0) != 0)
            continue;
        trials->trials = bench_grow(trials->trials, trials->count, sizeof *trials->trials);
        trials->trials[trials->count++] = trial_for(catalog, &targets->targets[i]);
    }
    regfree(&regex);
    if (trials->count > 0)
        return 0;
    bench_complain("no target's row matches '%s'", text == NULL ? "" : text);
    return 2;
}

int bench_check(const struct bench_catalog *catalog, const struct bench_settings *settings,
                const char *regex)
{
    struct bench_targets targets;
    struct trials trials = { NULL, 0 };
    int status = load_targets(&targets);
    if (status == 0)
        status = choose_trials(&trials, &targets, catalog, regex);
    if (status == 0)
        status = run_all(&trials, catalog, settings);
    if (status == 0)
        status = print_all(&trials);
    free(trials.trials);
    return status;
}
