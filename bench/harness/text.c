/* SPDX-License-Identifier: MIT */
/*
 * Results as text: JMH's columns, parameters among them, then one column per subject compared with,
 * then the row's baseline.
 * Invariant: one row a line, columns aligned within a table; secondary results, as JMH has them, on
 * lines of their own below their row, "Benchmark:name".
 * A cell of a comparison is the row's cost over the other's: below 1 the row is faster. Rows of
 * other subjects are compared with the floor only.
 */
#include <math.h>
#include <string.h>

#include "harness/lines.h"
#include "harness/outcome.h"
#include "harness/report.h"

#define PARAM_WIDTH 11
#define FLOOR_WIDTH 9
#define PEER_WIDTH 15
#define BASELINE_WIDTH 12
#define UNDISTURBED 0.97 /* A quiet machine shows 0.99 and more. */

/* What the lines of a table have in common. */
struct table {
    const struct bench_plan *plan;
    const struct bench_lines *lines;
    bool threads, baselines; /* Which columns there are. */
    int name_width;
};

/* Room for the longest name, that of a secondary result included. */
static int name_width(const struct bench_lines *lines)
{
    size_t width = strlen("Benchmark");
    for (size_t i = 0; i < lines->count; i++) {
        const struct bench_leg *leg = lines->lines[i].leg;
        const struct bench_offer *offer = leg->cell.offer;
        size_t own = strlen(offer->subject) + strlen(offer->class_name) + strlen(offer->method) + 2;
        size_t longest = leg->company > 0 && offer->clock == BENCH_WALL ? strlen(":cpu.time") : 0;
        for (size_t k = 0; k < bench_counter_count(offer); k++) {
            struct bench_span name, unit;
            bench_counter_name(offer, k, &name, &unit);
            longest = longest > name.length + 1 ? longest : name.length + 1;
        }
        width = width > own + longest ? width : own + longest;
    }
    return (int)width + 1;
}

static bool have_baselines(const struct bench_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->lines[i].leg->cell.offer->baseline[0] != '\0')
            return true;
    }
    return false;
}

static void print_head(FILE *out, const struct table *table)
{
    struct bench_span keys[BENCH_MAX_KEYS];
    const char *subjects[BENCH_SUBJECT_COUNT];
    size_t key_count = bench_lines_keys(table->lines, keys);
    size_t subject_count = bench_lines_subjects(table->lines, subjects);
    fprintf(out, "%-*s", table->name_width, "Benchmark");
    for (size_t i = 0; i < key_count; i++) {
        char title[32];
        snprintf(title, sizeof title, "(%.*s)", (int)keys[i].length, keys[i].text);
        fprintf(out, "%*s", PARAM_WIDTH, title);
    }
    if (table->threads)
        fprintf(out, "%*s", PARAM_WIDTH, "(threads)");
    fprintf(out, "  Mode  Cnt      Score      Error  Units ");
    for (size_t i = 0; i < subject_count; i++) {
        if (strcmp(subjects[i], BENCH_LIMIT) == 0)
            fprintf(out, "%*s%*s", FLOOR_WIDTH, "/limit", FLOOR_WIDTH, "A/A");
        else if (strcmp(subjects[i], BENCH_ISTHMUS) != 0)
            fprintf(out, "   /%-*s", PEER_WIDTH - 4, subjects[i]);
    }
    if (table->baselines)
        fprintf(out, "%*s", BASELINE_WIDTH, "/baseline");
    fputc('\n', out);
}

static void print_params(FILE *out, const struct bench_line *line, const struct table *table)
{
    struct bench_span keys[BENCH_MAX_KEYS];
    size_t key_count = bench_lines_keys(table->lines, keys);
    for (size_t i = 0; i < key_count; i++) {
        char key[32];
        snprintf(key, sizeof key, "%.*s", (int)keys[i].length, keys[i].text);
        struct bench_span value = bench_params_find(line->leg->cell.params, key);
        if (value.text == NULL)
            fprintf(out, "%*s", PARAM_WIDTH, "N/A");
        else
            fprintf(out, "%*.*s", PARAM_WIDTH, (int)value.length, value.text);
    }
    if (table->threads)
        fprintf(out, "%*u", PARAM_WIDTH, line->leg->cell.threads);
}

/* Decimals for four digits or so; three where that is enough, as JMH has them. */
static int decimals_for(double value)
{
    if (!(fabs(value) < 1))
        return 3;
    return fabs(value) < 0.1 ? 5 : 4;
}

static void print_metric(FILE *out, const struct bench_leg *leg, unsigned quantity,
                         const struct bench_settings *settings)
{
    struct bench_metric metric = bench_metric_of(leg, quantity, settings);
    int decimals = decimals_for(metric.score);
    fprintf(out, "  %-5s%4zu %10.*f", bench_offer_mode(leg->cell.offer), metric.count, decimals,
            metric.score);
    if (isnan(metric.error))
        fprintf(out, " %10s", "");
    else
        fprintf(out, " \302\261%9.*f", decimals, metric.error);
    bench_metric_free(&metric);
}

static void print_floor(FILE *out, const struct bench_line *line,
                        const struct bench_settings *settings)
{
    const struct bench_leg *floor = bench_group_compared(line->group, line->leg, BENCH_LIMIT);
    enum bench_clock clock = line->leg->cell.offer->clock;
    double spread = bench_spread_for(BENCH_RATIO, clock, line->group, line->leg, settings);
    if (floor == NULL) {
        fprintf(out, "%*s", FLOOR_WIDTH, "");
    } else {
        struct bench_contrast ratio =
            bench_contrast_legs(BENCH_RATIO, clock, line->leg, floor, settings);
        fprintf(out, "%*.3f", FLOOR_WIDTH, ratio.median);
    }
    if (isnan(spread))
        fprintf(out, "%*s", FLOOR_WIDTH, "");
    else
        fprintf(out, "%*.1f%%", FLOOR_WIDTH - 1, 100 * spread);
}

static void print_peer(FILE *out, const struct bench_line *line, const char *subject,
                       const struct bench_settings *settings)
{
    const struct bench_leg *other = bench_group_compared(line->group, line->leg, subject);
    if (other == NULL) {
        fprintf(out, "%*s", PEER_WIDTH, "");
        return;
    }
    enum bench_clock clock = line->leg->cell.offer->clock;
    struct bench_contrast ratio =
        bench_contrast_legs(BENCH_RATIO, clock, line->leg, other, settings);
    double spread = bench_spread_for(BENCH_RATIO, clock, line->group, line->leg, settings);
    enum bench_verdict verdict = bench_verdict_of(&ratio, spread);
    fprintf(out, "   %5.3f %-*s", ratio.median, PEER_WIDTH - 9, bench_verdict_text(verdict));
}

/* By the row's clock, and by the processor's too where the wall's depends on who shares it. */
static void print_baseline(FILE *out, const struct bench_line *line, const struct table *table)
{
    const struct bench_leg *other = bench_group_baseline(table->plan, line->group, line->leg);
    const struct bench_settings *settings = &table->plan->settings;
    const struct bench_offer *offer = line->leg->cell.offer;
    if (other == NULL)
        return;
    struct bench_contrast ratio =
        bench_contrast_legs(BENCH_RATIO, offer->clock, line->leg, other, settings);
    fprintf(out, "%*.3f", BASELINE_WIDTH, ratio.median);
    if (offer->clock == BENCH_WALL && line->leg->company > 0) {
        ratio = bench_contrast_legs(BENCH_RATIO, BENCH_CPU, line->leg, other, settings);
        fprintf(out, " (cpu %.3f)", ratio.median);
    }
    fprintf(out, " of %s", offer->baseline);
    if (bench_counter_count(offer) == 0)
        return;
    struct bench_metric loss = bench_loss_of(line->leg, other, settings);
    struct bench_span name, unit;
    bench_counter_name(offer, 0, &name, &unit);
    if (!isnan(loss.score))
        fprintf(out, ", %.*s took %.0f ns each", (int)name.length, name.text, loss.score);
    bench_metric_free(&loss);
}

static void print_name(FILE *out, const struct table *table, const struct bench_offer *offer,
                       struct bench_span secondary)
{
    int length = fprintf(out, "%s.%s.%s%s%.*s", offer->subject, offer->class_name, offer->method,
                         secondary.length == 0 ? "" : ":", (int)secondary.length, secondary.text);
    fprintf(out, "%*s", table->name_width - length, "");
}

static bool is_zero(const struct bench_leg *leg, unsigned quantity,
                    const struct bench_settings *settings)
{
    struct bench_metric metric = bench_metric_of(leg, quantity, settings);
    bool zero = metric.score == 0;
    bench_metric_free(&metric);
    return zero;
}

static void print_secondary(FILE *out, const struct bench_line *line, const struct table *table,
                            unsigned quantity, struct bench_span name, struct bench_span unit)
{
    print_name(out, table, line->leg->cell.offer, name);
    print_params(out, line, table);
    print_metric(out, line->leg, quantity, &table->plan->settings);
    fprintf(out, "  %.*s\n", (int)unit.length, unit.text);
}

/* The other clock, where threads share processors, and what the row counts: always the first. */
static void print_secondaries(FILE *out, const struct bench_line *line, const struct table *table)
{
    const struct bench_offer *offer = line->leg->cell.offer;
    struct bench_span unit = { offer->unit, strlen(offer->unit) };
    if (offer->clock == BENCH_WALL && line->leg->company > 0)
        print_secondary(out, line, table, BENCH_CPU_TIME, (struct bench_span){ "cpu.time", 8 },
                        unit);
    for (size_t i = 0; i < bench_counter_count(offer); i++) {
        struct bench_span name;
        bench_counter_name(offer, i, &name, &unit);
        unsigned quantity = BENCH_COUNTER + (unsigned)i;
        if (i == 0 || !is_zero(line->leg, quantity, &table->plan->settings))
            print_secondary(out, line, table, quantity, name, unit);
    }
}

static void print_line(FILE *out, const struct bench_line *line, const struct table *table)
{
    const char *subjects[BENCH_SUBJECT_COUNT];
    size_t subject_count = bench_lines_subjects(table->lines, subjects);
    const struct bench_settings *settings = &table->plan->settings;
    print_name(out, table, line->leg->cell.offer, (struct bench_span){ "", 0 });
    print_params(out, line, table);
    print_metric(out, line->leg, BENCH_SCORE, settings);
    fprintf(out, "  %-6s", line->leg->cell.offer->unit);
    for (size_t i = 0; i < subject_count; i++) {
        if (strcmp(subjects[i], BENCH_LIMIT) == 0)
            print_floor(out, line, settings);
        else if (strcmp(subjects[i], BENCH_ISTHMUS) != 0)
            print_peer(out, line, subjects[i], settings);
    }
    if (table->baselines)
        print_baseline(out, line, table);
    fputc('\n', out);
    print_secondaries(out, line, table);
}

void bench_report_disturbance(FILE *out, const struct bench_plan *plan)
{
    size_t disturbed = 0, total = 0;
    for (size_t g = 0; g < plan->group_count; g++) {
        const struct bench_group *group = &plan->groups[g];
        size_t sample_count = (size_t)plan->settings.forks * plan->settings.count;
        for (size_t i = 0; i < group->leg_count * sample_count; i++) {
            const struct bench_leg *leg = &group->legs[i / sample_count];
            const struct bench_sample *sample = &leg->samples[i % sample_count];
            if (leg->cell.offer->clock == BENCH_CPU || !bench_leg_has_room(plan, leg))
                continue;
            disturbed += (double)sample->cpu_ns < UNDISTURBED * (double)sample->ns;
            total++;
        }
    }
    if (disturbed > 0)
        fprintf(out,
                "Disturbed: in %zu of %zu iterations the worker had less than %.0f %% of a "
                "processor.\n",
                disturbed, total, 100 * UNDISTURBED);
}

void bench_report_text(FILE *out, const struct bench_plan *plan)
{
    size_t class_count;
    struct bench_lines *classes = bench_lines_of(plan, &class_count);
    bool baselines = false;
    for (size_t c = 0; c < class_count; c++) {
        struct table table = {
            .plan = plan,
            .lines = &classes[c],
            .threads = bench_lines_have_threads(&classes[c]),
            .baselines = have_baselines(&classes[c]),
            .name_width = name_width(&classes[c]),
        };
        fputc('\n', out);
        print_head(out, &table);
        for (size_t i = 0; i < classes[c].count; i++)
            print_line(out, &classes[c].lines[i], &table);
        baselines |= table.baselines;
    }
    fputs(
        "\nRatios: the row's time over that of the subject in the column's head, median of adjacent"
        "\niterations; below 1 the row is faster. A/A: the floor against itself. equal: within A/A,"
        "\nor the 95 % interval of the ratio holds 1.\n",
        out);
    if (baselines)
        fputs("/baseline: the same ratio to the row of the same subject that it is seen beside.\n",
              out);
    bench_report_disturbance(out, plan);
    bench_lines_free(classes, class_count);
}
