/* SPDX-License-Identifier: MIT */
/*
 * Results as one page of HTML with inline SVG: readable without network and scripts, light and
 * dark.
 * Invariant: every number that is drawn also stands in the table below its chart.
 * A chart has one panel per combination of parameters, each with a scale of its own. Measured on
 * one number of threads it shows bars, from 0; on several, one line per row over the threads, with
 * a logarithmic scale, since what contends grows a hundredfold and what does not stays where it is.
 * Whiskers are 99.9 % confidence intervals. Colours and type are in the style sheet.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/lines.h"
#include "harness/memory.h"
#include "harness/outcome.h"
#include "harness/report.h"

#define CHART_WIDTH 860
#define LABEL_WIDTH 230
#define VALUE_WIDTH 130
#define BAR_HEIGHT 16
#define BAR_STEP 22
#define PANEL_HEAD 30
#define PANEL_GAP 14
#define PLOT_LEFT 70
#define PLOT_RIGHT 620
#define PLOT_HEIGHT 240
#define PLOT_FOOT 34
#define LABEL_STEP 14
#define MAX_THREAD_COUNTS 32
#define MAX_SERIES 32
#define STROKES 5 /* As many as the style sheet has. */

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>isthmus bench</title>\n<style>\n"
    ":root { color-scheme: light dark; --text: #1c2024; --faint: #687076; --line: #d7dbdf;\n"
    "  --page: #ffffff; --isthmus: #0b68cb; --limit: #8b8d98; --peer: #c9a26b;\n"
    "  --s1: #2a8a6d; --s2: #8e4ec6; --s3: #c2560c; --s4: #b3175d; }\n"
    "@media (prefers-color-scheme: dark) { :root { --text: #ecedee; --faint: #9ba1a6;\n"
    "  --line: #3a3f42; --page: #151718;\n"
    "  --isthmus: #52a9ff; --limit: #7e868c; --peer: #a98548;\n"
    "  --s1: #4cc38a; --s2: #bf7af0; --s3: #ff8b3e; --s4: #f65cb6; } }\n"
    "body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page);\n"
    "  max-width: 1100px; margin: 2rem auto; padding: 0 1rem; }\n"
    "p, th { color: var(--faint); } h2 { margin: 2.5rem 0 0.5rem; }\n"
    "svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--text); }\n"
    ".isthmus { fill: var(--isthmus); } .limit { fill: var(--limit); }\n"
    ".peer { fill: var(--peer); }\n"
    ".head { font-weight: 600; } .whisker { stroke: var(--text); stroke-width: 1.2; }\n"
    ".axis { stroke: var(--line); fill: none; }\n"
    ".series { fill: none; stroke-width: 2; } .point { stroke: none; }\n"
    ".of-isthmus { --stroke: var(--isthmus); } .of-limit { --stroke: var(--limit); }\n"
    ".of-peer { --stroke: var(--peer); } .s1 { --stroke: var(--s1); }\n"
    ".s2 { --stroke: var(--s2); } .s3 { --stroke: var(--s3); } .s4 { --stroke: var(--s4); }\n"
    ".series { stroke: var(--stroke); } .point { fill: var(--stroke); }\n"
    ".of-limit .series { stroke-dasharray: 5 4; }\n"
    ".scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; }\n"
    "td, th { padding: 0.15rem 0.7rem; text-align: right; white-space: nowrap;\n"
    "  border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }\n"
    "td:first-child, th:first-child { text-align: left; }\n"
    "</style>\n</head>\n<body>\n<h1>isthmus bench</h1>\n";

/* Text of ours needs no more escaping than this: parameters may come from the command line. */
static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

static const char *style_of(const char *subject)
{
    bool has_own = strcmp(subject, BENCH_ISTHMUS) == 0 || strcmp(subject, BENCH_LIMIT) == 0;
    return has_own ? subject : "peer";
}

/* ---- Bars ---- */

static bool is_shown(const struct bench_leg *leg)
{
    return !leg->twin && !leg->baseline;
}

static size_t bar_count(const struct bench_group *group)
{
    size_t count = 0;
    for (size_t i = 0; i < group->leg_count; i++)
        count += is_shown(&group->legs[i]);
    return count;
}

/* The largest value that a panel shows, whiskers included. */
static double panel_maximum(const struct bench_group *group, const struct bench_settings *settings)
{
    double maximum = 0;
    for (size_t i = 0; i < group->leg_count; i++) {
        if (!is_shown(&group->legs[i]))
            continue;
        struct bench_metric metric = bench_metric_of(&group->legs[i], BENCH_SCORE, settings);
        maximum = fmax(maximum, metric.score + (isnan(metric.error) ? 0 : metric.error));
        bench_metric_free(&metric);
    }
    return maximum;
}

static void put_bar(FILE *out, const struct bench_leg *leg, int y, double maximum,
                    const struct bench_settings *settings)
{
    struct bench_metric metric = bench_metric_of(leg, BENCH_SCORE, settings);
    double scale = (CHART_WIDTH - LABEL_WIDTH - VALUE_WIDTH) / maximum;
    double middle = y + BAR_HEIGHT / 2.0, end = LABEL_WIDTH + metric.score * scale;
    double error = isnan(metric.error) ? 0 : metric.error;
    fprintf(out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%s %s</text>\n", LABEL_WIDTH - 8,
            middle + 4, leg->cell.offer->subject, leg->cell.offer->method);
    fprintf(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>\n",
            style_of(leg->cell.offer->subject), LABEL_WIDTH, y, metric.score * scale, BAR_HEIGHT);
    double low = fmax(LABEL_WIDTH, end - error * scale), high = end + error * scale;
    fprintf(out, "<path class=\"whisker\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8\"/>\n", low,
            middle, high, low, middle - 4, high, middle - 4);
    fprintf(out, "<text x=\"%.1f\" y=\"%.0f\">%.4g %s</text>\n", high + 6, middle + 4, metric.score,
            leg->cell.offer->unit);
    bench_metric_free(&metric);
}

/* Returns where the panel ends. */
static int put_panel(FILE *out, const struct bench_group *group, int y,
                     const struct bench_settings *settings)
{
    double maximum = panel_maximum(group, settings);
    int end = y + PANEL_HEAD + (int)bar_count(group) * BAR_STEP;
    fprintf(out, "<text class=\"head\" x=\"%d\" y=\"%d\">", LABEL_WIDTH, y + 18);
    put_text(out, group->params[0] == '\0' ? group->class_name : group->params);
    if (group->threads != 1)
        fprintf(out, " threads=%u", group->threads);
    fprintf(out, "</text>\n<path class=\"axis\" d=\"M%d %dV%d\"/>\n", LABEL_WIDTH,
            y + PANEL_HEAD - 4, end);
    y += PANEL_HEAD;
    for (size_t i = 0; i < group->leg_count; i++) {
        if (!is_shown(&group->legs[i]))
            continue;
        put_bar(out, &group->legs[i], y, maximum, settings);
        y += BAR_STEP;
    }
    return end + PANEL_GAP;
}

/* ---- Lines over threads ---- */

/* One row of a panel, at each of the panel's numbers of threads that it was measured on. */
struct series {
    const struct bench_offer *offer;
    const struct bench_line *points[MAX_THREAD_COUNTS]; /* By position; NULL: not measured. */
    double label_y;
};

struct plot {
    unsigned threads[MAX_THREAD_COUNTS]; /* Ascending. */
    size_t thread_count;
    struct series series[MAX_SERIES];
    size_t series_count;
    double low, high; /* What the scale spans. */
    int top;
};

static int by_threads(const void *left, const void *right)
{
    unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
    return (a > b) - (a < b);
}

/* The numbers of threads that a combination was measured on. */
static size_t thread_counts(const struct bench_lines *lines, const char *params,
                            unsigned ret_threads[MAX_THREAD_COUNTS])
{
    size_t count = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const struct bench_cell *cell = &lines->lines[i].leg->cell;
        bool is_new = strcmp(cell->params, params) == 0 && count < MAX_THREAD_COUNTS;
        for (size_t k = 0; k < count && is_new; k++)
            is_new = ret_threads[k] != cell->threads;
        if (is_new)
            ret_threads[count++] = cell->threads;
    }
    qsort(ret_threads, count, sizeof *ret_threads, by_threads);
    return count;
}

static struct series *series_for(struct plot *plot, const struct bench_offer *offer)
{
    for (size_t i = 0; i < plot->series_count; i++) {
        if (plot->series[i].offer == offer)
            return &plot->series[i];
    }
    if (plot->series_count == MAX_SERIES)
        return NULL;
    plot->series[plot->series_count] = (struct series){ .offer = offer };
    return &plot->series[plot->series_count++];
}

/* Puts a line's point into its series and widens the scale for it. */
static void add_point(struct plot *plot, const struct bench_line *line,
                      const struct bench_settings *settings)
{
    struct series *series = series_for(plot, line->leg->cell.offer);
    for (size_t i = 0; i < plot->thread_count && series != NULL; i++) {
        if (plot->threads[i] == line->leg->cell.threads)
            series->points[i] = line;
    }
    struct bench_metric metric = bench_metric_of(line->leg, BENCH_SCORE, settings);
    plot->low = fmin(plot->low, metric.score / 1.4);
    plot->high = fmax(plot->high, metric.score * 1.4);
    bench_metric_free(&metric);
}

static double plot_x(const struct plot *plot, size_t position)
{
    double step = (double)(PLOT_RIGHT - PLOT_LEFT) / (double)plot->thread_count;
    return PLOT_LEFT + step * ((double)position + 0.5);
}

static double plot_y(const struct plot *plot, double value)
{
    double part = log(fmax(value, plot->low) / plot->low) / log(plot->high / plot->low);
    return plot->top + PLOT_HEIGHT * (1 - fmin(part, 1));
}

/* Lines at 1, 2 and 5 times the powers of ten, and the threads below. */
static void put_grid(FILE *out, const struct plot *plot, const char *unit)
{
    static const double steps[] = { 1, 2, 5 };
    for (int power = (int)floor(log10(plot->low)); pow(10, power) <= plot->high; power++) {
        for (size_t i = 0; i < 3; i++) {
            double value = steps[i] * pow(10, power), y = plot_y(plot, value);
            if (value < plot->low || value > plot->high)
                continue;
            fprintf(out, "<path class=\"axis\" d=\"M%d %.1fH%d\"/>\n", PLOT_LEFT, y, PLOT_RIGHT);
            fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", PLOT_LEFT - 8,
                    y + 4, value);
        }
    }
    int foot = plot->top + PLOT_HEIGHT + 18;
    for (size_t i = 0; i < plot->thread_count; i++)
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%u</text>\n",
                plot_x(plot, i), foot, plot->threads[i]);
    fprintf(out, "<text x=\"%d\" y=\"%d\">threads</text>\n", PLOT_RIGHT + 8, foot);
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", PLOT_LEFT - 8,
            plot->top - 8, unit);
}

static void put_series(FILE *out, const struct plot *plot, const struct series *series,
                       unsigned stroke, const struct bench_settings *settings)
{
    fprintf(out, "<g class=\"of-%s s%u\">\n<path class=\"series\" d=\"",
            style_of(series->offer->subject), stroke);
    const char *command = "M";
    for (size_t i = 0; i < plot->thread_count; i++) {
        if (series->points[i] == NULL)
            continue;
        struct bench_metric metric = bench_metric_of(series->points[i]->leg, BENCH_SCORE, settings);
        fprintf(out, "%s%.1f %.1f", command, plot_x(plot, i), plot_y(plot, metric.score));
        command = "L";
        bench_metric_free(&metric);
    }
    fputs("\"/>\n", out);
    for (size_t i = 0; i < plot->thread_count; i++) {
        if (series->points[i] == NULL)
            continue;
        struct bench_metric metric = bench_metric_of(series->points[i]->leg, BENCH_SCORE, settings);
        double error = isnan(metric.error) ? 0 : metric.error, x = plot_x(plot, i);
        fprintf(out, "<path class=\"whisker\" d=\"M%.1f %.1fV%.1f\"/>", x,
                plot_y(plot, metric.score - error), plot_y(plot, metric.score + error));
        fprintf(out, "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", x,
                plot_y(plot, metric.score));
        bench_metric_free(&metric);
    }
    fprintf(out, "<text class=\"point\" x=\"%d\" y=\"%.1f\">%s %s</text>\n</g>\n", PLOT_RIGHT + 8,
            series->label_y, series->offer->subject, series->offer->method);
}

static int by_label(const void *left, const void *right)
{
    const struct series *a = *(const struct series *const *)left;
    const struct series *b = *(const struct series *const *)right;
    return (a->label_y > b->label_y) - (a->label_y < b->label_y);
}

/* Each label at its line's end, or below the one that is there already. */
static void place_labels(struct plot *plot, const struct bench_settings *settings)
{
    struct series *order[MAX_SERIES];
    for (size_t i = 0; i < plot->series_count; i++) {
        struct series *series = &plot->series[i];
        order[i] = series;
        for (size_t k = 0; k < plot->thread_count; k++) {
            if (series->points[k] == NULL)
                continue;
            struct bench_metric metric =
                bench_metric_of(series->points[k]->leg, BENCH_SCORE, settings);
            series->label_y = plot_y(plot, metric.score) + 4;
            bench_metric_free(&metric);
        }
    }
    qsort(order, plot->series_count, sizeof *order, by_label);
    for (size_t i = 1; i < plot->series_count; i++)
        order[i]->label_y = fmax(order[i]->label_y, order[i - 1]->label_y + LABEL_STEP);
}

/* Returns where the panel ends. */
static int put_plot(FILE *out, const struct bench_lines *lines, const char *params, int y,
                    const struct bench_settings *settings)
{
    struct plot *plot = bench_need(calloc(1, sizeof *plot));
    plot->top = y + PANEL_HEAD + LABEL_STEP;
    plot->low = INFINITY;
    plot->thread_count = thread_counts(lines, params, plot->threads);
    for (size_t i = 0; i < lines->count; i++) {
        if (strcmp(lines->lines[i].leg->cell.params, params) == 0)
            add_point(plot, &lines->lines[i], settings);
    }
    fprintf(out, "<text class=\"head\" x=\"%d\" y=\"%d\">", PLOT_LEFT, y + 18);
    put_text(out, params[0] == '\0' ? lines->class_name : params);
    fputs("</text>\n", out);
    place_labels(plot, settings);
    put_grid(out, plot, plot->series[0].offer->unit);
    unsigned own = 0; /* Rows of isthmus so far: the first has the subject's colour. */
    for (size_t i = 0; i < plot->series_count; i++) {
        bool is_own = strcmp(plot->series[i].offer->subject, BENCH_ISTHMUS) == 0;
        put_series(out, plot, &plot->series[i], is_own ? own % STROKES : 0, settings);
        own += is_own;
    }
    free(plot);
    return y + PANEL_HEAD + LABEL_STEP + PLOT_HEIGHT + PLOT_FOOT + PANEL_GAP;
}

/* ---- Charts ---- */

/* Whether a group is drawn: as bars, or as the first of those that one plot shows together. */
static bool has_panel(const struct bench_plan *plan, const struct bench_lines *lines, size_t index,
                      bool *ret_is_plot)
{
    const struct bench_group *group = &plan->groups[index];
    unsigned threads[MAX_THREAD_COUNTS];
    if (strcmp(group->class_name, lines->class_name) != 0)
        return false;
    *ret_is_plot = thread_counts(lines, group->params, threads) > 1;
    for (size_t i = 0; i < index && *ret_is_plot; i++) {
        if (strcmp(plan->groups[i].class_name, group->class_name) == 0 &&
            strcmp(plan->groups[i].params, group->params) == 0)
            return false;
    }
    return true;
}

static int panel_height(const struct bench_group *group, bool is_plot)
{
    if (is_plot)
        return PANEL_HEAD + LABEL_STEP + PLOT_HEIGHT + PLOT_FOOT + PANEL_GAP;
    return PANEL_HEAD + (int)bar_count(group) * BAR_STEP + PANEL_GAP;
}

static void put_chart(FILE *out, const struct bench_plan *plan, const struct bench_lines *lines)
{
    int height = 0, y = 0;
    bool is_plot;
    for (size_t g = 0; g < plan->group_count; g++) {
        if (has_panel(plan, lines, g, &is_plot))
            height += panel_height(&plan->groups[g], is_plot);
    }
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", CHART_WIDTH,
            height, lines->class_name);
    for (size_t g = 0; g < plan->group_count; g++) {
        const struct bench_group *group = &plan->groups[g];
        if (!has_panel(plan, lines, g, &is_plot))
            continue;
        y = is_plot ? put_plot(out, lines, group->params, y, &plan->settings)
                    : put_panel(out, group, y, &plan->settings);
    }
    fputs("</svg>\n", out);
}

/* ---- Tables ---- */

static void put_ratio(FILE *out, const struct bench_line *line, const char *subject,
                      const struct bench_settings *settings)
{
    const struct bench_leg *other = bench_group_compared(line->group, line->leg, subject);
    enum bench_clock clock = line->leg->cell.offer->clock;
    if (other == NULL) {
        fputs("<td></td>", out);
        return;
    }
    struct bench_contrast ratio =
        bench_contrast_legs(BENCH_RATIO, clock, line->leg, other, settings);
    double spread = bench_spread_for(BENCH_RATIO, clock, line->group, line->leg, settings);
    bool is_floor = strcmp(subject, BENCH_LIMIT) == 0;
    const char *verdict = is_floor ? "" : bench_verdict_text(bench_verdict_of(&ratio, spread));
    fprintf(out, "<td>%.3f %s</td>", ratio.median, verdict);
}

static void put_baseline(FILE *out, const struct bench_line *line, const struct bench_plan *plan)
{
    const struct bench_leg *other = bench_group_baseline(plan, line->group, line->leg);
    if (other == NULL) {
        fputs("<td></td>", out);
        return;
    }
    const struct bench_offer *offer = line->leg->cell.offer;
    struct bench_contrast ratio =
        bench_contrast_legs(BENCH_RATIO, offer->clock, line->leg, other, &plan->settings);
    fprintf(out, "<td>%.3f of %s</td>", ratio.median, offer->baseline);
}

/* The other clock, the memory and the counters, which the charts do not show. */
static void put_secondaries(FILE *out, const struct bench_leg *leg,
                            const struct bench_settings *settings)
{
    const struct bench_offer *offer = leg->cell.offer;
    static const unsigned fixed[] = { BENCH_WALL_TIME, BENCH_CPU_TIME, BENCH_PEAK_RSS };
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        struct bench_metric metric = bench_metric_of(leg, fixed[i], settings);
        fprintf(out, "<td>%.4g</td>", metric.score);
        bench_metric_free(&metric);
    }
    fputs("<td>", out);
    for (size_t i = 0; i < bench_counter_count(offer); i++) {
        struct bench_span name, unit;
        bench_counter_name(offer, i, &name, &unit);
        struct bench_metric metric = bench_metric_of(leg, BENCH_COUNTER + (unsigned)i, settings);
        fprintf(out, "%s%.*s %.4g %.*s", i == 0 ? "" : ", ", (int)name.length, name.text,
                metric.score, (int)unit.length, unit.text);
        bench_metric_free(&metric);
    }
    fputs("</td>", out);
}

static void put_line(FILE *out, const struct bench_line *line, const char *const *subjects,
                     size_t subject_count, const struct bench_plan *plan)
{
    const struct bench_settings *settings = &plan->settings;
    const struct bench_cell *cell = &line->leg->cell;
    const struct bench_offer *offer = cell->offer;
    struct bench_metric metric = bench_metric_of(line->leg, BENCH_SCORE, settings);
    double spread = bench_spread_for(BENCH_RATIO, offer->clock, line->group, line->leg, settings);
    fprintf(out, "<tr><td>%s.%s.%s</td><td>", offer->subject, offer->class_name, offer->method);
    put_text(out, cell->params);
    fprintf(out, "</td><td>%u</td><td>%s</td><td>%zu</td><td>%.4g</td><td>%.4g</td><td>%s</td>",
            cell->threads, bench_offer_mode(offer), metric.count, metric.score, metric.error,
            offer->unit);
    for (size_t i = 0; i < subject_count; i++) {
        if (strcmp(subjects[i], BENCH_ISTHMUS) != 0)
            put_ratio(out, line, subjects[i], settings);
    }
    fprintf(out, "<td>%.1f %%</td>", 100 * spread);
    put_baseline(out, line, plan);
    put_secondaries(out, line->leg, settings);
    fputs("</tr>\n", out);
    bench_metric_free(&metric);
}

static void put_table(FILE *out, const struct bench_lines *lines, const struct bench_plan *plan)
{
    const char *subjects[BENCH_SUBJECT_COUNT];
    size_t subject_count = bench_lines_subjects(lines, subjects);
    fputs("<div class=\"scroll\"><table>\n<tr><th>Benchmark</th><th>Parameters</th><th>Threads</th>"
          "<th>Mode</th><th>Cnt</th><th>Score</th><th>Error</th><th>Units</th>",
          out);
    for (size_t i = 0; i < subject_count; i++) {
        if (strcmp(subjects[i], BENCH_ISTHMUS) != 0)
            fprintf(out, "<th>/%s</th>", subjects[i]);
    }
    fputs("<th>A/A</th><th>/baseline</th><th>wall.time</th><th>cpu.time</th><th>rss.peak, MiB</th>"
          "<th>Counted</th></tr>\n",
          out);
    for (size_t i = 0; i < lines->count; i++)
        put_line(out, &lines->lines[i], subjects, subject_count, plan);
    fputs("</table></div>\n", out);
}

void bench_report_html(FILE *out, const struct bench_plan *plan)
{
    const struct bench_settings *settings = &plan->settings;
    size_t class_count;
    struct bench_lines *classes = bench_lines_of(plan, &class_count);
    fputs(page_head, out);
    fprintf(
        out,
        "<p>%u forks, %u warm-up and %u measured iterations of %llu ms, interleaved. Bars and "
        "points are means, whiskers 99.9 %% confidence. Ratios: the row's time over that of the "
        "subject in the column's head, median of adjacent iterations; below 1 the row is faster. "
        "A/A: the floor against itself; equal is within it, or within the ratio's 95 %% interval. "
        "/baseline: to the row of the same subject that it is seen beside.</p>\n",
        settings->forks, settings->warmup_count, settings->count,
        (unsigned long long)(settings->duration_ns / 1000000));
    for (size_t c = 0; c < class_count; c++) {
        fprintf(out, "<h2>%s</h2>\n", classes[c].class_name);
        put_chart(out, plan, &classes[c]);
        put_table(out, &classes[c], plan);
    }
    fputs("</body>\n</html>\n", out);
    bench_lines_free(classes, class_count);
}
