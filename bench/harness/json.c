/* SPDX-License-Identifier: MIT */
/*
 * Results in the JSON format of JMH 1.37, so that its viewers open them.
 * Invariant: as in JMH, a number that is not finite is a string ("NaN"), since JSON has none.
 * Fields that describe a JVM are left out. secondaryMetrics holds cpu.time, wall.time, rss.peak,
 * the row's counters, `ratio.SUBJECT` for each subject compared with, ratio.baseline, and
 * loss.COUNTER, what each event of the first counter took from the row against its baseline; they
 * have JMH's shape. The score is the one of cpu.time and wall.time that the row is scored by.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "harness/lines.h"
#include "harness/memory.h"
#include "harness/outcome.h"
#include "harness/report.h"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_string(isnan(value) ? "NaN" : "Infinity");
}

static json_t *duration(uint64_t ns)
{
    char text[32];
    snprintf(text, sizeof text, "%llu ms", (unsigned long long)(ns / 1000000));
    return json_string(text);
}

/* Fork by fork, iteration by iteration. */
static json_t *raw_data(const double *raw, const struct bench_settings *settings)
{
    json_t *forks = json_array();
    for (unsigned fork = 0; fork < settings->forks; fork++) {
        json_t *iterations = json_array();
        for (unsigned i = 0; i < settings->count; i++)
            json_array_append_new(iterations, number(raw[(size_t)fork * settings->count + i]));
        json_array_append_new(forks, iterations);
    }
    return forks;
}

static json_t *metric_json(const struct bench_metric *metric, struct bench_span unit,
                           const struct bench_settings *settings)
{
    json_t *object = json_object();
    json_object_set_new(object, "score", number(metric->score));
    json_object_set_new(object, "scoreError", number(metric->error));
    json_t *confidence = json_array();
    json_array_append_new(confidence, number(metric->score - metric->error));
    json_array_append_new(confidence, number(metric->score + metric->error));
    json_object_set_new(object, "scoreConfidence", confidence);
    json_object_set_new(object, "scoreUnit", json_stringn(unit.text, unit.length));
    json_object_set_new(object, "rawData", raw_data(metric->raw, settings));
    return object;
}

static json_t *quantity_json(const struct bench_leg *leg, unsigned quantity, struct bench_span unit,
                             const struct bench_settings *settings)
{
    struct bench_metric metric = bench_metric_of(leg, quantity, settings);
    json_t *object = metric_json(&metric, unit, settings);
    bench_metric_free(&metric);
    return object;
}

static json_t *ratio_json(const struct bench_line *line, const struct bench_leg *other,
                          const struct bench_settings *settings)
{
    struct bench_contrast ratio =
        bench_contrast_legs(BENCH_RATIO, line->leg->cell.offer->clock, line->leg, other, settings);
    json_t *object = json_object(), *confidence = json_array();
    double half = (ratio.interval.high - ratio.interval.low) / 2;
    json_array_append_new(confidence, number(ratio.interval.low));
    json_array_append_new(confidence, number(ratio.interval.high));
    json_object_set_new(object, "score", number(ratio.median));
    json_object_set_new(object, "scoreError", number(half));
    json_object_set_new(object, "scoreConfidence", confidence);
    json_object_set_new(object, "scoreUnit", json_string("ratio"));
    json_object_set_new(object, "rawData", json_array());
    return object;
}

static struct bench_span whole(const char *text)
{
    return (struct bench_span){ text, strlen(text) };
}

static void set_counters(json_t *metrics, const struct bench_leg *leg,
                         const struct bench_settings *settings)
{
    for (size_t i = 0; i < bench_counter_count(leg->cell.offer); i++) {
        struct bench_span name, unit;
        char key[64];
        bench_counter_name(leg->cell.offer, i, &name, &unit);
        snprintf(key, sizeof key, "%.*s", (int)name.length, name.text);
        json_object_set_new(metrics, key,
                            quantity_json(leg, BENCH_COUNTER + (unsigned)i, unit, settings));
    }
}

static void set_loss(json_t *metrics, const struct bench_leg *leg, const struct bench_leg *baseline,
                     const struct bench_settings *settings)
{
    struct bench_metric loss = bench_loss_of(leg, baseline, settings);
    struct bench_span name, unit;
    char key[64];
    bench_counter_name(leg->cell.offer, 0, &name, &unit);
    snprintf(key, sizeof key, "loss.%.*s", (int)name.length, name.text);
    json_object_set_new(metrics, key, metric_json(&loss, whole("ns"), settings));
    bench_metric_free(&loss);
}

static json_t *secondary_json(const struct bench_line *line, const struct bench_plan *plan)
{
    json_t *metrics = json_object();
    const struct bench_settings *settings = &plan->settings;
    struct bench_span unit = whole(line->leg->cell.offer->unit);
    json_object_set_new(metrics, "cpu.time",
                        quantity_json(line->leg, BENCH_CPU_TIME, unit, settings));
    json_object_set_new(metrics, "wall.time",
                        quantity_json(line->leg, BENCH_WALL_TIME, unit, settings));
    json_object_set_new(metrics, "rss.peak",
                        quantity_json(line->leg, BENCH_PEAK_RSS, whole("MiB"), settings));
    set_counters(metrics, line->leg, settings);
    for (size_t i = 0; i < line->group->leg_count; i++) {
        const char *subject = line->group->legs[i].cell.offer->subject;
        const struct bench_leg *other = bench_group_compared(line->group, line->leg, subject);
        if (other != &line->group->legs[i])
            continue;
        char name[64];
        snprintf(name, sizeof name, "ratio.%s", subject);
        json_object_set_new(metrics, name, ratio_json(line, other, settings));
    }
    const struct bench_leg *baseline = bench_group_baseline(plan, line->group, line->leg);
    if (baseline != NULL)
        json_object_set_new(metrics, "ratio.baseline", ratio_json(line, baseline, settings));
    if (baseline != NULL && bench_counter_count(line->leg->cell.offer) > 0)
        set_loss(metrics, line->leg, baseline, settings);
    return metrics;
}

static json_t *params_json(const char *params)
{
    json_t *object = json_object();
    struct bench_span piece;
    while (bench_params_cut(&params, ';', &piece)) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(piece.text, "="), piece.text);
        struct bench_span value = bench_params_find(piece.text, key);
        json_object_set_new(object, key, json_stringn(value.text, value.length));
    }
    return object;
}

static json_t *line_json(const struct bench_line *line, const struct bench_plan *plan)
{
    const struct bench_cell *cell = &line->leg->cell;
    const struct bench_offer *offer = cell->offer;
    const struct bench_settings *settings = &plan->settings;
    char name[256];
    snprintf(name, sizeof name, "%s.%s.%s", offer->subject, offer->class_name, offer->method);
    json_t *object = json_object();
    json_object_set_new(object, "jmhVersion", json_string("1.37"));
    json_object_set_new(object, "benchmark", json_string(name));
    json_object_set_new(object, "mode", json_string(bench_offer_mode(offer)));
    json_object_set_new(object, "threads", json_integer(cell->threads));
    json_object_set_new(object, "forks", json_integer(settings->forks));
    json_object_set_new(object, "warmupIterations", json_integer(settings->warmup_count));
    json_object_set_new(object, "warmupTime", duration(settings->warmup_ns));
    json_object_set_new(object, "warmupBatchSize", json_integer(1));
    json_object_set_new(object, "measurementIterations", json_integer(settings->count));
    json_object_set_new(object, "measurementTime", duration(settings->duration_ns));
    json_object_set_new(object, "measurementBatchSize", json_integer(1));
    if (cell->params[0] != '\0')
        json_object_set_new(object, "params", params_json(cell->params));
    json_object_set_new(object, "primaryMetric",
                        quantity_json(line->leg, BENCH_SCORE, whole(offer->unit), settings));
    json_object_set_new(object, "secondaryMetrics", secondary_json(line, plan));
    return object;
}

bool bench_report_json(FILE *out, const struct bench_plan *plan)
{
    size_t class_count;
    struct bench_lines *classes = bench_lines_of(plan, &class_count);
    json_t *results = bench_need(json_array());
    for (size_t c = 0; c < class_count; c++) {
        for (size_t i = 0; i < classes[c].count; i++)
            json_array_append_new(results, line_json(&classes[c].lines[i], plan));
    }
    bool written = json_dumpf(results, out, JSON_INDENT(4) | JSON_REAL_PRECISION(12)) == 0 &&
                   fputc('\n', out) != EOF && fflush(out) == 0;
    json_decref(results);
    bench_lines_free(classes, class_count);
    return written;
}
