/* SPDX-License-Identifier: MIT */
/*
 * From a choice of rows to groups of legs.
 * Invariant: within a group no two legs have the same offer, except a floor leg and its twin.
 * Not done here: running anything.
 */
#include "harness/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/memory.h"

/* ---- Parameters ---- */

static bool is_thinned(const struct bench_offer *offer)
{
    return offer->quick_space[0] != '\0';
}

/* The space of an offer after thinning and replacing, in memory of the caller's. */
static char *effective_space(const struct bench_offer *offer, bool quick, const char *replacements)
{
    const char *rest = quick && is_thinned(offer) ? offer->quick_space : offer->space;
    char *space = bench_text("%s", "");
    struct bench_span piece;
    while (bench_params_cut(&rest, ';', &piece)) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(piece.text, "="), piece.text);
        struct bench_span values = bench_params_find(replacements, key);
        if (values.text == NULL)
            values =
                (struct bench_span){ piece.text + strlen(key) + 1, piece.length - strlen(key) - 1 };
        char *longer = bench_text("%s%s%s=%.*s", space, space[0] == '\0' ? "" : ";", key,
                                  (int)values.length, values.text);
        free(space);
        space = longer;
    }
    return space;
}

/* ---- Groups and legs ---- */

static struct bench_group *group_for(struct bench_plan *plan, const char *class_name,
                                     const char *params, unsigned threads)
{
    for (size_t i = 0; i < plan->group_count; i++) {
        struct bench_group *group = &plan->groups[i];
        if (strcmp(group->class_name, class_name) == 0 && strcmp(group->params, params) == 0 &&
            group->threads == threads)
            return group;
    }
    plan->groups = bench_grow(plan->groups, plan->group_count, sizeof *plan->groups);
    struct bench_group *group = &plan->groups[plan->group_count++];
    *group = (struct bench_group){ .class_name = class_name, .threads = threads };
    snprintf(group->params, sizeof group->params, "%s", params);
    return group;
}

static void add_leg(struct bench_group *group, struct bench_leg leg)
{
    group->legs = bench_grow(group->legs, group->leg_count, sizeof *group->legs);
    group->legs[group->leg_count++] = leg;
}

void bench_plan_add(struct bench_plan *plan, const struct bench_catalog *catalog,
                    const struct bench_offer *offer, const char *params, unsigned threads)
{
    struct bench_group *group = group_for(plan, offer->class_name, params, threads);
    for (size_t i = 0; i < group->leg_count; i++) {
        if (group->legs[i].offer == offer)
            return;
    }
    size_t before = 0;
    for (size_t i = 0; i < BENCH_SUBJECT_COUNT; i++) {
        const struct bench_catalog_subject *subject = &catalog->subjects[i];
        if (offer >= subject->offers && offer < subject->offers + subject->offer_count) {
            size_t order = before + (size_t)(offer - subject->offers);
            add_leg(group,
                    (struct bench_leg){ .offer = offer, .file = subject->file, .order = order });
            return;
        }
        before += subject->offer_count;
    }
}

static int by_order(const void *left, const void *right)
{
    const struct bench_leg *a = left, *b = right;
    return (a->order > b->order) - (a->order < b->order);
}

void bench_plan_finish(struct bench_plan *plan)
{
    size_t sample_count = (size_t)plan->settings.forks * plan->settings.count;
    for (size_t g = 0; g < plan->group_count; g++) {
        struct bench_group *group = &plan->groups[g];
        size_t count = group->leg_count;
        qsort(group->legs, count, sizeof *group->legs, by_order);
        for (size_t i = 0; i < count; i++) {
            struct bench_leg twin = group->legs[i];
            twin.twin = true;
            if (strcmp(twin.offer->subject, BENCH_LIMIT) == 0)
                add_leg(group, twin);
        }
        for (size_t i = 0; i < group->leg_count; i++)
            group->legs[i].samples = bench_need(calloc(sample_count, sizeof(struct bench_sample)));
    }
}

void bench_plan_free(struct bench_plan *plan)
{
    for (size_t g = 0; g < plan->group_count; g++) {
        for (size_t i = 0; i < plan->groups[g].leg_count; i++)
            free(plan->groups[g].legs[i].samples);
        free(plan->groups[g].legs);
    }
    free(plan->groups);
    *plan = (struct bench_plan){ 0 };
}

const struct bench_leg *bench_group_opposite(const struct bench_group *group,
                                             const struct bench_leg *leg, const char *subject,
                                             bool twin)
{
    for (size_t i = 0; i < group->leg_count; i++) {
        const struct bench_leg *other = &group->legs[i];
        if (other->twin == twin && strcmp(other->offer->subject, subject) == 0 &&
            (other->offer == leg->offer || bench_offer_answers(other->offer, leg->offer->method)))
            return other;
    }
    return NULL;
}

const struct bench_leg *bench_group_compared(const struct bench_group *group,
                                             const struct bench_leg *leg, const char *subject)
{
    const char *own = leg->offer->subject;
    bool meets_all = strcmp(own, BENCH_ISTHMUS) == 0;
    if (strcmp(own, subject) == 0 || (!meets_all && strcmp(subject, BENCH_LIMIT) != 0))
        return NULL;
    return bench_group_opposite(group, leg, subject, false);
}

/* ---- Choosing ---- */

int bench_regex_compile(regex_t *ret_regex, const char *text)
{
    int code = regcomp(ret_regex, text == NULL ? "" : text, REG_EXTENDED | REG_NOSUB);
    if (code == 0)
        return 0;
    char reason[128];
    regerror(code, ret_regex, reason, sizeof reason);
    bench_complain("bad regular expression '%s': %s", text, reason);
    return 2;
}

bool bench_offer_matches(const struct bench_offer *offer, const regex_t *regex)
{
    char *name = bench_text("%s.%s.%s", offer->subject, offer->class_name, offer->method);
    bool matches = regexec(regex, name, 0, NULL, 0) == 0;
    free(name);
    return matches;
}

/* What the steps of choosing share. */
struct chooser {
    struct bench_plan *plan;
    const struct bench_catalog *catalog;
    const struct bench_choice *choice;
    regex_t regex;
};

/* One combination of a row, with a number of threads. */
struct cell {
    const struct bench_offer *offer;
    char params[BENCH_PARAMS_SIZE];
    unsigned threads;
};

static void add_cell(const struct chooser *chooser, const struct bench_offer *offer,
                     const struct cell *cell)
{
    char *space = effective_space(offer, chooser->plan->settings.quick, chooser->choice->params);
    if (bench_params_contains(space, cell->params))
        bench_plan_add(chooser->plan, chooser->catalog, offer, cell->params, cell->threads);
    free(space);
}

/* Adds the rows that stand opposite to a chosen one: the floor's; an isthmus row meets them all. */
static void add_opposites(const struct chooser *chooser, const struct cell *cell)
{
    bool meets_all = strcmp(cell->offer->subject, BENCH_ISTHMUS) == 0;
    for (size_t s = 0; s < BENCH_SUBJECT_COUNT; s++) {
        const struct bench_catalog_subject *subject = &chooser->catalog->subjects[s];
        if (!meets_all && strcmp(subject->name, BENCH_LIMIT) != 0)
            continue;
        for (size_t i = 0; i < subject->offer_count; i++) {
            const struct bench_offer *offer = &subject->offers[i];
            if (strcmp(offer->class_name, cell->offer->class_name) == 0 &&
                bench_offer_answers(offer, cell->offer->method))
                add_cell(chooser, offer, cell);
        }
    }
}

static int choose_offer(const struct chooser *chooser, const struct bench_offer *offer)
{
    const struct bench_settings *settings = &chooser->plan->settings;
    char *space = effective_space(offer, settings->quick, chooser->choice->params);
    struct cell cell = { .offer = offer };
    int status = 0;
    for (size_t i = 0; i < bench_params_count(space) * settings->thread_count; i++) {
        cell.threads = settings->threads[i % settings->thread_count];
        if (!bench_params_combination(space, i / settings->thread_count, cell.params)) {
            bench_complain("parameters '%s' are too long", space);
            status = 2;
            break;
        }
        add_cell(chooser, offer, &cell);
        add_opposites(chooser, &cell);
    }
    free(space);
    return status;
}

/* Every key of --param must be a parameter of some row, or it would be silently without effect. */
static int check_keys(const struct bench_catalog *catalog, const char *params)
{
    struct bench_span piece;
    while (bench_params_cut(&params, ';', &piece)) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(piece.text, "="), piece.text);
        bool known = false;
        for (size_t s = 0; s < BENCH_SUBJECT_COUNT; s++) {
            for (size_t i = 0; i < catalog->subjects[s].offer_count; i++)
                known |= bench_params_find(catalog->subjects[s].offers[i].space, key).text != NULL;
        }
        if (!known) {
            bench_complain("no benchmark has a parameter '%s'; --list shows those there are", key);
            return 2;
        }
    }
    return 0;
}

static int choose_all(const struct chooser *chooser)
{
    for (size_t s = 0; s < BENCH_SUBJECT_COUNT; s++) {
        const struct bench_catalog_subject *subject = &chooser->catalog->subjects[s];
        for (size_t i = 0; i < subject->offer_count; i++) {
            const struct bench_offer *offer = &subject->offers[i];
            if (!bench_offer_matches(offer, &chooser->regex))
                continue;
            int status = choose_offer(chooser, offer);
            if (status != 0)
                return status;
        }
    }
    if (chooser->plan->group_count > 0)
        return 0;
    bench_complain("no benchmark matches '%s'; --list shows those there are",
                   chooser->choice->regex == NULL ? "" : chooser->choice->regex);
    return 2;
}

int bench_plan_choose(struct bench_plan *plan, const struct bench_catalog *catalog,
                      const struct bench_choice *choice)
{
    struct chooser chooser = { .plan = plan, .catalog = catalog, .choice = choice };
    int status = check_keys(catalog, choice->params);
    if (status == 0)
        status = bench_regex_compile(&chooser.regex, choice->regex);
    if (status != 0)
        return status;
    status = choose_all(&chooser);
    regfree(&chooser.regex);
    bench_plan_finish(plan);
    return status;
}

void bench_plan_print_thinned(const struct bench_plan *plan, const struct bench_choice *choice)
{
    const char *said = "";
    for (size_t g = 0; g < plan->group_count && plan->settings.quick; g++) {
        const struct bench_offer *offer = plan->groups[g].legs[0].offer;
        if (!is_thinned(offer) || strcmp(said, offer->class_name) == 0)
            continue;
        char *space = effective_space(offer, true, choice->params);
        if (strcmp(space, offer->quick_space) == 0)
            printf("%s: quick run, %s of %s\n", offer->class_name, space, offer->space);
        said = offer->class_name;
        free(space);
    }
}
