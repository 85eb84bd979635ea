/* SPDX-License-Identifier: MIT */
/*
 * Results as one page of HTML with inline SVG: readable without network and scripts, light and
 * dark.
 * Invariant: every number that is drawn also stands in the table below its chart.
 * A chart has one panel per combination of parameters, each with its own linear scale from 0; a
 * bar is a score, its whisker the 99.9 % confidence interval. Colours and type are in the style
 * sheet, by the class of the subject.
 */
#include <math.h>
#include <string.h>

#include "harness/lines.h"
#include "harness/outcome.h"
#include "harness/report.h"

#define CHART_WIDTH 860
#define LABEL_WIDTH 230
#define VALUE_WIDTH 130
#define BAR_HEIGHT 16
#define BAR_STEP 22
#define PANEL_HEAD 30
#define PANEL_GAP 14

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>isthmus bench</title>\n<style>\n"
    ":root { color-scheme: light dark; --text: #1c2024; --faint: #687076; --line: #d7dbdf;\n"
    "  --page: #ffffff; --isthmus: #0b68cb; --limit: #8b8d98; --peer: #c9a26b; }\n"
    "@media (prefers-color-scheme: dark) { :root { --text: #ecedee; --faint: #9ba1a6;\n"
    "  --line: #3a3f42; --page: #151718;\n"
    "  --isthmus: #52a9ff; --limit: #7e868c; --peer: #a98548; } }\n"
    "body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page);\n"
    "  max-width: 1100px; margin: 2rem auto; padding: 0 1rem; }\n"
    "p, th { color: var(--faint); } h2 { margin: 2.5rem 0 0.5rem; }\n"
    "svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--text); }\n"
    ".isthmus { fill: var(--isthmus); } .limit { fill: var(--limit); }\n"
    ".peer { fill: var(--peer); }\n"
    ".head { font-weight: 600; } .whisker { stroke: var(--text); stroke-width: 1.2; }\n"
    ".axis { stroke: var(--line); }\n"
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

/* ---- Charts ---- */

static size_t bar_count(const struct bench_group *group)
{
    size_t count = 0;
    for (size_t i = 0; i < group->leg_count; i++)
        count += !group->legs[i].twin;
    return count;
}

/* The largest value that a panel shows, whiskers included. */
static double panel_maximum(const struct bench_group *group, const struct bench_settings *settings)
{
    double maximum = 0;
    for (size_t i = 0; i < group->leg_count; i++) {
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
            middle + 4, leg->offer->subject, leg->offer->method);
    fprintf(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>\n",
            style_of(leg->offer->subject), LABEL_WIDTH, y, metric.score * scale, BAR_HEIGHT);
    double low = fmax(LABEL_WIDTH, end - error * scale), high = end + error * scale;
    fprintf(out, "<path class=\"whisker\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8\"/>\n", low,
            middle, high, low, middle - 4, high, middle - 4);
    fprintf(out, "<text x=\"%.1f\" y=\"%.0f\">%.3f %s</text>\n", high + 6, middle + 4, metric.score,
            leg->offer->unit);
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
        if (group->legs[i].twin)
            continue;
        put_bar(out, &group->legs[i], y, maximum, settings);
        y += BAR_STEP;
    }
    return end + PANEL_GAP;
}

static void put_chart(FILE *out, const struct bench_plan *plan, const char *class_name)
{
    int height = 0;
    for (size_t g = 0; g < plan->group_count; g++) {
        if (strcmp(plan->groups[g].class_name, class_name) == 0)
            height += PANEL_HEAD + (int)bar_count(&plan->groups[g]) * BAR_STEP + PANEL_GAP;
    }
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", CHART_WIDTH,
            height, class_name);
    int y = 0;
    for (size_t g = 0; g < plan->group_count; g++) {
        if (strcmp(plan->groups[g].class_name, class_name) == 0)
            y = put_panel(out, &plan->groups[g], y, &plan->settings);
    }
    fputs("</svg>\n", out);
}

/* ---- Tables ---- */

static void put_ratio(FILE *out, const struct bench_line *line, const char *subject,
                      const struct bench_settings *settings)
{
    const struct bench_leg *other = bench_group_compared(line->group, line->leg, subject);
    if (other == NULL) {
        fputs("<td></td>", out);
        return;
    }
    struct bench_contrast ratio = bench_contrast_legs(BENCH_RATIO, line->leg, other, settings);
    double spread = bench_spread_for(BENCH_RATIO, line->group, line->leg, settings);
    bool is_floor = strcmp(subject, BENCH_LIMIT) == 0;
    const char *verdict = is_floor ? "" : bench_verdict_text(bench_verdict_of(&ratio, spread));
    fprintf(out, "<td>%.3f %s</td>", ratio.median, verdict);
}

static void put_line(FILE *out, const struct bench_line *line, const char *const *subjects,
                     size_t subject_count, const struct bench_settings *settings)
{
    const struct bench_offer *offer = line->leg->offer;
    struct bench_metric metric = bench_metric_of(line->leg, BENCH_SCORE, settings);
    double spread = bench_spread_for(BENCH_RATIO, line->group, line->leg, settings);
    fprintf(out, "<tr><td>%s.%s.%s</td><td>", offer->subject, offer->class_name, offer->method);
    put_text(out, line->group->params);
    fprintf(out, "</td><td>%u</td><td>%s</td><td>%zu</td><td>%.3f</td><td>%.3f</td><td>%s</td>",
            line->group->threads, bench_offer_mode(offer), metric.count, metric.score, metric.error,
            offer->unit);
    for (size_t i = 0; i < subject_count; i++) {
        if (strcmp(subjects[i], BENCH_ISTHMUS) != 0)
            put_ratio(out, line, subjects[i], settings);
    }
    fprintf(out, "<td>%.1f %%</td></tr>\n", 100 * spread);
    bench_metric_free(&metric);
}

static void put_table(FILE *out, const struct bench_lines *lines,
                      const struct bench_settings *settings)
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
    fputs("<th>A/A</th></tr>\n", out);
    for (size_t i = 0; i < lines->count; i++)
        put_line(out, &lines->lines[i], subjects, subject_count, settings);
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
        "<p>%u forks, %u warm-up and %u measured iterations of %llu ms, interleaved. Bars are "
        "means, whiskers 99.9 %% confidence. Ratios: the row's time over that of the subject in "
        "the column's head, median of adjacent iterations; below 1 the row is faster. A/A: the "
        "floor against itself; equal is within it, or within the ratio's 95 %% interval.</p>\n",
        settings->forks, settings->warmup_count, settings->count,
        (unsigned long long)(settings->duration_ns / 1000000));
    for (size_t c = 0; c < class_count; c++) {
        fprintf(out, "<h2>%s</h2>\n", classes[c].class_name);
        put_chart(out, plan, classes[c].class_name);
        put_table(out, &classes[c], settings);
    }
    fputs("</body>\n</html>\n", out);
    bench_lines_free(classes, class_count);
}
