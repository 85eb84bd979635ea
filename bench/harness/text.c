/* SPDX-License-Identifier: MIT */
/*
 * Results as text: JMH's columns, parameters among them, then one column per subject compared with.
 * Invariant: one row a line, columns aligned within a table.
 * A cell of a comparison is the row's cost over the other's: below 1 the row is faster. Rows of
 * other subjects are compared with the floor only.
 */
#include <math.h>
#include <string.h>

#include "harness/lines.h"
#include "harness/outcome.h"
#include "harness/report.h"

#define NAME_WIDTH 41
#define PARAM_WIDTH 10
#define FLOOR_WIDTH 9
#define PEER_WIDTH 15
#define UNDISTURBED 0.97 /* A quiet machine shows 0.99 and more. */

static void print_head(FILE *out, const struct bench_lines *lines, bool threads)
{
    struct bench_span keys[BENCH_MAX_KEYS];
    const char *subjects[BENCH_SUBJECT_COUNT];
    size_t key_count = bench_lines_keys(lines, keys);
    size_t subject_count = bench_lines_subjects(lines, subjects);
    fprintf(out, "%-*s", NAME_WIDTH, "Benchmark");
    for (size_t i = 0; i < key_count; i++) {
        char title[32];
        snprintf(title, sizeof title, "(%.*s)", (int)keys[i].length, keys[i].text);
        fprintf(out, "%*s", PARAM_WIDTH, title);
    }
    if (threads)
        fprintf(out, "%*s", PARAM_WIDTH, "(threads)");
    fprintf(out, "  Mode  Cnt      Score      Error  Units");
    for (size_t i = 0; i < subject_count; i++) {
        if (strcmp(subjects[i], BENCH_LIMIT) == 0)
            fprintf(out, "%*s%*s", FLOOR_WIDTH, "/limit", FLOOR_WIDTH, "A/A");
        else if (strcmp(subjects[i], BENCH_ISTHMUS) != 0)
            fprintf(out, "   /%-*s", PEER_WIDTH - 4, subjects[i]);
    }
    fputc('\n', out);
}

static void print_params(FILE *out, const struct bench_line *line, const struct bench_lines *lines,
                         bool threads)
{
    struct bench_span keys[BENCH_MAX_KEYS];
    size_t key_count = bench_lines_keys(lines, keys);
    for (size_t i = 0; i < key_count; i++) {
        char key[32];
        snprintf(key, sizeof key, "%.*s", (int)keys[i].length, keys[i].text);
        struct bench_span value = bench_params_find(line->group->params, key);
        if (value.text == NULL)
            fprintf(out, "%*s", PARAM_WIDTH, "N/A");
        else
            fprintf(out, "%*.*s", PARAM_WIDTH, (int)value.length, value.text);
    }
    if (threads)
        fprintf(out, "%*u", PARAM_WIDTH, line->group->threads);
}

static void print_score(FILE *out, const struct bench_leg *leg,
                        const struct bench_settings *settings)
{
    struct bench_metric metric = bench_metric_of(leg, BENCH_SCORE, settings);
    fprintf(out, "  %-5s%4zu %10.3f", bench_offer_mode(leg->offer), metric.count, metric.score);
    if (isnan(metric.error))
        fprintf(out, " %10s", "");
    else
        fprintf(out, " \302\261%9.3f", metric.error);
    fprintf(out, "  %-5s", leg->offer->unit);
    bench_metric_free(&metric);
}

static void print_floor(FILE *out, const struct bench_line *line,
                        const struct bench_settings *settings)
{
    const struct bench_leg *floor = bench_group_compared(line->group, line->leg, BENCH_LIMIT);
    double spread = bench_spread_for(BENCH_RATIO, line->group, line->leg, settings);
    if (floor == NULL) {
        fprintf(out, "%*s", FLOOR_WIDTH, "");
    } else {
        struct bench_contrast ratio = bench_contrast_legs(BENCH_RATIO, line->leg, floor, settings);
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
    struct bench_contrast ratio = bench_contrast_legs(BENCH_RATIO, line->leg, other, settings);
    double spread = bench_spread_for(BENCH_RATIO, line->group, line->leg, settings);
    enum bench_verdict verdict = bench_verdict_of(&ratio, spread);
    fprintf(out, "   %5.3f %-*s", ratio.median, PEER_WIDTH - 9, bench_verdict_text(verdict));
}

static void print_line(FILE *out, const struct bench_line *line, const struct bench_lines *lines,
                       const struct bench_settings *settings, bool threads)
{
    const char *subjects[BENCH_SUBJECT_COUNT];
    size_t subject_count = bench_lines_subjects(lines, subjects);
    const struct bench_offer *offer = line->leg->offer;
    int length = fprintf(out, "%s.%s.%s", offer->subject, offer->class_name, offer->method);
    fprintf(out, "%*s", length < NAME_WIDTH ? NAME_WIDTH - length : 1, "");
    print_params(out, line, lines, threads);
    print_score(out, line->leg, settings);
    for (size_t i = 0; i < subject_count; i++) {
        if (strcmp(subjects[i], BENCH_LIMIT) == 0)
            print_floor(out, line, settings);
        else if (strcmp(subjects[i], BENCH_ISTHMUS) != 0)
            print_peer(out, line, subjects[i], settings);
    }
    fputc('\n', out);
}

void bench_report_disturbance(FILE *out, const struct bench_plan *plan)
{
    size_t disturbed = 0, total = 0;
    for (size_t g = 0; g < plan->group_count; g++) {
        const struct bench_group *group = &plan->groups[g];
        size_t sample_count = (size_t)plan->settings.forks * plan->settings.count;
        for (size_t i = 0; i < group->leg_count * sample_count; i++) {
            const struct bench_sample *sample =
                &group->legs[i / sample_count].samples[i % sample_count];
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
    bool threads = plan->settings.thread_count > 1 || plan->settings.threads[0] != 1;
    for (size_t c = 0; c < class_count; c++) {
        fputc('\n', out);
        print_head(out, &classes[c], threads);
        for (size_t i = 0; i < classes[c].count; i++)
            print_line(out, &classes[c].lines[i], &classes[c], &plan->settings, threads);
    }
    fputs(
        "\nRatios: the row's time over that of the subject in the column's head, median of adjacent"
        "\niterations; below 1 the row is faster. A/A: the floor against itself. equal: within A/A,"
        "\nor the 95 % interval of the ratio holds 1.\n",
        out);
    bench_report_disturbance(out, plan);
    bench_lines_free(classes, class_count);
}
