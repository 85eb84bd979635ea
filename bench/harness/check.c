/* SPDX-License-Identifier: MIT */
/*
 * Measuring targets: up to three runs, each with fresh processes, of just the legs they need.
 * Invariant: a target that is not measured (its peer is missing) is printed as undecided with the
 * reason, never left out.
 * The third run measures only the groups in which the first two disagree about some target.
 */
#include "harness/check.h"

#include <math.h>
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
    struct bench_cell row, other;
    struct bench_cell base, other_base; /* Of loss-at-most. */
    const char *missing;                /* What is not there; NULL: it can be measured. */
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

static bool find_other(const struct bench_catalog *catalog, const struct bench_target *target,
                       struct trial *trial)
{
    if (strchr(target->against, '=') != NULL)
        return bench_cell_change(catalog, &trial->row, target->against, &trial->other);
    return bench_cell_answer(catalog, &trial->row, target->against, &trial->other);
}

static bool find_bases(const struct bench_catalog *catalog, const struct bench_target *target,
                       struct trial *trial)
{
    return target->kind != BENCH_LOSS_AT_MOST ||
           (bench_cell_change(catalog, &trial->row, target->base, &trial->base) &&
            bench_cell_change(catalog, &trial->other, target->against_base, &trial->other_base));
}

static struct trial trial_for(const struct bench_catalog *catalog,
                              const struct bench_target *target)
{
    struct trial trial = { .target = target };
    const struct bench_offer *offer = find_offer(catalog, target->row);
    if (offer == NULL || !bench_cell_find(offer, target->params, &trial.row))
        trial.missing = target->row;
    else if (!find_other(catalog, target, &trial))
        trial.missing = target->against;
    else if (!find_bases(catalog, target, &trial))
        trial.missing = target->base;
    return trial;
}

static bool is_settled(const struct trial *trial)
{
    return trial->missing != NULL || trial->runs == RUNS ||
           (trial->runs == 2 && trial->decisions[0] == trial->decisions[1]);
}

/* Adds what a trial compares, each with its floor, for the A/A spread. */
static void add_trial(struct bench_plan *plan, const struct trial *trial)
{
    struct bench_group *group = bench_plan_group(plan, &trial->row);
    struct bench_cell floor;
    bench_group_add(plan, group, &trial->row, false);
    bench_group_add(plan, group, &trial->other, false);
    if (bench_cell_answer(plan->catalog, &trial->row, BENCH_LIMIT, &floor))
        bench_group_add(plan, group, &floor, false);
    if (trial->target->kind == BENCH_LOSS_AT_MOST) {
        bench_group_add(plan, group, &trial->base, true);
        bench_group_add(plan, group, &trial->other_base, true);
    }
}

/* The groups of the trials that are not settled yet. */
static struct bench_plan plan_run(const struct trials *trials, const struct bench_catalog *catalog,
                                  const struct bench_settings *settings)
{
    struct bench_plan plan = { .catalog = catalog, .settings = *settings };
    for (size_t i = 0; i < trials->count; i++) {
        if (!is_settled(&trials->trials[i]))
            add_trial(&plan, &trials->trials[i]);
    }
    bench_plan_finish(&plan);
    return plan;
}

/* ---- From samples to decisions ---- */

static enum bench_clock clock_of(const struct trial *trial)
{
    if (trial->target->clock == BENCH_ROWS_CLOCK)
        return trial->row.offer->clock;
    return trial->target->clock == BENCH_BY_CPU ? BENCH_CPU : BENCH_WALL;
}

/* The twin of a leg of the floor; NULL if it has none. */
static const struct bench_leg *twin_of(const struct bench_group *group,
                                       const struct bench_cell *cell)
{
    for (size_t i = 0; i < group->leg_count; i++) {
        if (group->legs[i].twin && bench_cell_equals(&group->legs[i].cell, cell))
            return &group->legs[i];
    }
    return NULL;
}

/* Two legs, each beside one without the events that it suffers from. */
struct losses {
    const struct bench_leg *row, *base, *other, *other_base;
};

static bool has_all(const struct losses *legs)
{
    return legs->row != NULL && legs->base != NULL && legs->other != NULL &&
           legs->other_base != NULL;
}

static struct bench_evidence loss_evidence(enum bench_clock clock, const struct losses *legs,
                                           const struct losses *twins,
                                           const struct bench_settings *settings)
{
    double *row = bench_losses_of(clock, legs->row, legs->base, settings);
    double *other = bench_losses_of(clock, legs->other, legs->other_base, settings);
    struct bench_evidence evidence = {
        .contrast = bench_contrast_of(BENCH_RATIO, row, other, settings->forks, settings->count),
        .spread = NAN,
    };
    if (has_all(twins)) {
        double *a = bench_losses_of(clock, twins->row, twins->base, settings);
        double *b = bench_losses_of(clock, twins->other, twins->other_base, settings);
        evidence.spread = bench_spread_of(BENCH_RATIO, a, b, settings->forks, settings->count);
        free(a);
        free(b);
    }
    free(row);
    free(other);
    return evidence;
}

/* Losses are compared with the floor's, whose twins give the spread. */
static struct bench_evidence measure_loss(const struct trial *trial,
                                          const struct bench_group *group,
                                          const struct bench_settings *settings)
{
    struct losses legs = {
        bench_group_leg(group, &trial->row),
        bench_group_leg(group, &trial->base),
        bench_group_leg(group, &trial->other),
        bench_group_leg(group, &trial->other_base),
    };
    struct losses twins = { legs.other, legs.other_base, twin_of(group, &trial->other),
                            twin_of(group, &trial->other_base) };
    return loss_evidence(clock_of(trial), &legs, &twins, settings);
}

static struct bench_evidence measure_contrast(const struct trial *trial,
                                              const struct bench_group *group,
                                              const struct bench_settings *settings)
{
    enum bench_contrast_kind kind = bench_target_contrast(trial->target->kind);
    const struct bench_leg *row = bench_group_leg(group, &trial->row);
    const struct bench_leg *other = bench_group_leg(group, &trial->other);
    return (struct bench_evidence){
        .contrast = bench_contrast_legs(kind, clock_of(trial), row, other, settings),
        .spread = bench_spread_for(kind, clock_of(trial), group, row, settings),
    };
}

/* Adds what a run has measured, if the trial was part of it. */
static void record(struct trial *trial, struct bench_plan *plan)
{
    if (is_settled(trial))
        return;
    const struct bench_group *group = bench_plan_group(plan, &trial->row);
    struct bench_evidence evidence = trial->target->kind == BENCH_LOSS_AT_MOST
                                         ? measure_loss(trial, group, &plan->settings)
                                         : measure_contrast(trial, group, &plan->settings);
    trial->evidence[trial->runs] = evidence;
    trial->decisions[trial->runs++] = bench_target_decide(trial->target, &evidence);
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
    printf("    %s to %s%s at most %.4g%s; measured", is_ratio ? "ratio" : "difference",
           trial->target->against, clock_of(trial) == BENCH_CPU ? ", processor time," : "",
           bench_target_limit(trial->target), unit);
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
