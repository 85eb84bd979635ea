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

static bool lists(struct bench_span values, struct bench_span value)
{
    const char *rest = values.text, *end = values.text + values.length;
    struct bench_span piece;
    while (rest != NULL && rest < end && bench_params_cut(&rest, ',', &piece)) {
        size_t length = piece.text + piece.length > end ? (size_t)(end - piece.text) : piece.length;
        if (length == value.length && memcmp(piece.text, value.text, length) == 0)
            return true;
    }
    return false;
}

/*
 * Replaces a row's values of a key. A row with one value keeps it: it is not measured when others
 * are asked for, except that threads are asked of all rows. Returns whether there is anything left.
 */
static bool replace_values(const struct bench_offer *offer, const char *key,
                           const char *replacements, struct bench_span *values)
{
    struct bench_span asked = bench_params_find(replacements, key);
    bool is_threads = strcmp(key, "threads") == 0;
    if (asked.text == NULL || (is_threads && offer->one_thread))
        return true;
    bool is_fixed = !is_threads && memchr(values->text, ',', values->length) == NULL &&
                    bench_params_count(offer->space) == 1;
    if (is_fixed)
        return lists(asked, *values);
    *values = asked;
    return true;
}

/* The space of an offer after thinning and replacing, in memory of the caller's; NULL if it is
 * empty. */
static char *effective_space(const struct bench_offer *offer, bool quick, const char *replacements)
{
    const char *rest = quick && is_thinned(offer) ? offer->quick_space : offer->space;
    char *space = bench_text("%s", "");
    struct bench_span piece;
    while (bench_params_cut(&rest, ';', &piece)) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(piece.text, "="), piece.text);
        struct bench_span values = { piece.text + strlen(key) + 1, piece.length - strlen(key) - 1 };
        if (!replace_values(offer, key, replacements, &values)) {
            free(space);
            return NULL;
        }
        char *longer = bench_text("%s%s%s=%.*s", space, space[0] == '\0' ? "" : ";", key,
                                  (int)values.length, values.text);
        free(space);
        space = longer;
    }
    return space;
}

/* ---- Groups and legs ---- */

struct bench_group *bench_plan_group(struct bench_plan *plan, const struct bench_cell *cell)
{
    for (size_t i = 0; i < plan->group_count; i++) {
        struct bench_group *group = &plan->groups[i];
        if (strcmp(group->class_name, cell->offer->class_name) == 0 &&
            strcmp(group->params, cell->params) == 0 && group->threads == cell->threads)
            return group;
    }
    plan->groups = bench_grow(plan->groups, plan->group_count, sizeof *plan->groups);
    struct bench_group *group = &plan->groups[plan->group_count++];
    *group =
        (struct bench_group){ .class_name = cell->offer->class_name, .threads = cell->threads };
    snprintf(group->params, sizeof group->params, "%s", cell->params);
    return group;
}

static void add_leg(struct bench_group *group, struct bench_leg leg)
{
    group->legs = bench_grow(group->legs, group->leg_count, sizeof *group->legs);
    group->legs[group->leg_count++] = leg;
}

void bench_group_add(const struct bench_plan *plan, struct bench_group *group,
                     const struct bench_cell *cell, bool baseline)
{
    for (size_t i = 0; i < group->leg_count; i++) {
        if (bench_cell_equals(&group->legs[i].cell, cell)) {
            group->legs[i].baseline &= baseline;
            return;
        }
    }
    size_t before = 0;
    for (size_t i = 0; i < BENCH_SUBJECT_COUNT; i++) {
        const struct bench_catalog_subject *subject = &plan->catalog->subjects[i];
        if (cell->offer >= subject->offers &&
            cell->offer < subject->offers + subject->offer_count) {
            add_leg(group, (struct bench_leg){
                               .cell = *cell,
                               .file = subject->file,
                               .order = before + (size_t)(cell->offer - subject->offers),
                               .baseline = baseline,
                           });
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
            if (strcmp(twin.cell.offer->subject, BENCH_LIMIT) == 0)
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

/* Whether two legs differ in their rows only. */
static bool is_same_combination(const struct bench_leg *a, const struct bench_leg *b)
{
    return a->cell.threads == b->cell.threads && strcmp(a->cell.params, b->cell.params) == 0;
}

const struct bench_leg *bench_group_opposite(const struct bench_group *group,
                                             const struct bench_leg *leg, const char *subject,
                                             bool twin)
{
    const struct bench_offer *own = leg->cell.offer;
    for (size_t i = 0; i < group->leg_count; i++) {
        const struct bench_leg *other = &group->legs[i];
        const struct bench_offer *offer = other->cell.offer;
        if (other->twin == twin && strcmp(offer->subject, subject) == 0 &&
            is_same_combination(leg, other) &&
            (offer == own || bench_offer_answers(offer, own->method)))
            return other;
    }
    return NULL;
}

const struct bench_leg *bench_group_leg(const struct bench_group *group,
                                        const struct bench_cell *cell)
{
    for (size_t i = 0; i < group->leg_count; i++) {
        if (!group->legs[i].twin && bench_cell_equals(&group->legs[i].cell, cell))
            return &group->legs[i];
    }
    return NULL;
}

const struct bench_leg *bench_group_baseline(const struct bench_plan *plan,
                                             const struct bench_group *group,
                                             const struct bench_leg *leg)
{
    struct bench_cell cell;
    const char *changes = leg->cell.offer->baseline;
    if (changes[0] == '\0' || !bench_cell_change(plan->catalog, &leg->cell, changes, &cell))
        return NULL;
    return bench_group_leg(group, &cell);
}

const struct bench_leg *bench_group_compared(const struct bench_group *group,
                                             const struct bench_leg *leg, const char *subject)
{
    const char *own = leg->cell.offer->subject;
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
    const struct bench_choice *choice;
    regex_t regex;
};

/* Adds a cell, with its baseline, if its row is to be measured at that combination. */
static void add_cell(const struct chooser *chooser, const struct bench_cell *cell)
{
    struct bench_plan *plan = chooser->plan;
    char *space = effective_space(cell->offer, plan->settings.quick, chooser->choice->params);
    if (space != NULL && bench_cell_is_in(cell, space)) {
        struct bench_group *group = bench_plan_group(plan, cell);
        struct bench_cell baseline;
        bench_group_add(plan, group, cell, false);
        if (cell->offer->baseline[0] != '\0' &&
            bench_cell_change(plan->catalog, cell, cell->offer->baseline, &baseline))
            bench_group_add(plan, group, &baseline, true);
    }
    free(space);
}

/* Adds the rows that stand opposite to a chosen one: the floor's; an isthmus row meets them all. */
static void add_opposites(const struct chooser *chooser, const struct bench_cell *cell)
{
    bool meets_all = strcmp(cell->offer->subject, BENCH_ISTHMUS) == 0;
    for (size_t s = 0; s < BENCH_SUBJECT_COUNT; s++) {
        const struct bench_catalog_subject *subject = &chooser->plan->catalog->subjects[s];
        if (!meets_all && strcmp(subject->name, BENCH_LIMIT) != 0)
            continue;
        for (size_t i = 0; i < subject->offer_count; i++) {
            struct bench_cell other = *cell;
            other.offer = &subject->offers[i];
            if (strcmp(other.offer->class_name, cell->offer->class_name) == 0 &&
                bench_offer_answers(other.offer, cell->offer->method))
                add_cell(chooser, &other);
        }
    }
}

static int choose_offer(const struct chooser *chooser, const struct bench_offer *offer)
{
    const struct bench_settings *settings = &chooser->plan->settings;
    char *space = effective_space(offer, settings->quick, chooser->choice->params);
    char combination[BENCH_PARAMS_SIZE];
    struct bench_cell cell;
    int status = 0;
    for (size_t i = 0; space != NULL && i < bench_params_count(space) && status == 0; i++) {
        if (!bench_params_combination(space, i, combination) ||
            !bench_cell_of(offer, combination, &cell)) {
            bench_complain("'%s' is too long, or no number of threads from 1 to 1024", space);
            status = 2;
            break;
        }
        add_cell(chooser, &cell);
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
        const struct bench_catalog_subject *subject = &chooser->plan->catalog->subjects[s];
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

int bench_plan_choose(struct bench_plan *plan, const struct bench_choice *choice)
{
    struct chooser chooser = { .plan = plan, .choice = choice };
    int status = check_keys(plan->catalog, choice->params);
    if (status == 0)
        status = bench_regex_compile(&chooser.regex, choice->regex);
    if (status != 0)
        return status;
    status = choose_all(&chooser);
    regfree(&chooser.regex);
    bench_plan_finish(plan);
    return status;
}

/* What a quick run measures of a row, as a sentence; NULL if that is all of it. */
static char *thinned_text(const struct bench_offer *offer, const char *replacements)
{
    if (!is_thinned(offer))
        return NULL;
    char *space = effective_space(offer, true, replacements), *text = NULL;
    if (space != NULL && strcmp(space, offer->quick_space) == 0) {
        char *quick = bench_space_text(space), *full = bench_space_text(offer->space);
        text = bench_text("%s: quick run, %s of %s", offer->class_name, quick, full);
        free(quick);
        free(full);
    }
    free(space);
    return text;
}

void bench_plan_print_thinned(const struct bench_plan *plan, const struct bench_choice *choice)
{
    char **said = NULL;
    size_t said_count = 0;
    for (size_t g = 0; g < plan->group_count && plan->settings.quick; g++) {
        for (size_t i = 0; i < plan->groups[g].leg_count; i++) {
            char *text = thinned_text(plan->groups[g].legs[i].cell.offer, choice->params);
            bool is_new = text != NULL;
            for (size_t k = 0; k < said_count && is_new; k++)
                is_new = strcmp(said[k], text) != 0;
            if (!is_new) {
                free(text);
                continue;
            }
            printf("%s\n", text);
            said = bench_grow(said, said_count, sizeof *said);
            said[said_count++] = text;
        }
    }
    while (said_count > 0)
        free(said[--said_count]);
    free(said);
}
