/* SPDX-License-Identifier: MIT */
/*
 * From samples to scores, contrasts and verdicts.
 * Invariant: sample i of fork f stands at f x count + i in every array, so equal positions are
 * adjacent iterations.
 * Not done here: printing, and the decision on targets (targets.c).
 */
#include "harness/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/memory.h"

static double cost(const struct bench_sample *sample, enum bench_clock clock)
{
    uint64_t ns = clock == BENCH_CPU ? sample->cpu_ns : sample->ns;
    return (double)ns / (double)sample->ops;
}

static double time_in_unit(const struct bench_offer *offer, const struct bench_sample *sample,
                           enum bench_clock clock)
{
    double ns = cost(sample, clock);
    return strcmp(offer->unit, BENCH_THROUGHPUT_UNIT) == 0 ? 1000 / ns
                                                           : ns * bench_offer_scale(offer);
}

static double quantity_of(const struct bench_leg *leg, const struct bench_sample *sample,
                          unsigned quantity)
{
    const struct bench_offer *offer = leg->cell.offer;
    switch (quantity) {
    case BENCH_SCORE:
        return time_in_unit(offer, sample, offer->clock);
    case BENCH_WALL_TIME:
        return time_in_unit(offer, sample, BENCH_WALL);
    case BENCH_CPU_TIME:
        return time_in_unit(offer, sample, BENCH_CPU);
    case BENCH_PEAK_RSS:
        return (double)sample->rss_kib / 1024;
    default:
        return (double)sample->counters[quantity - BENCH_COUNTER];
    }
}

static double largest(const double *values, size_t count)
{
    double maximum = -INFINITY;
    for (size_t i = 0; i < count; i++)
        maximum = fmax(maximum, values[i]);
    return maximum;
}

struct bench_metric bench_metric_of(const struct bench_leg *leg, unsigned quantity,
                                    const struct bench_settings *settings)
{
    size_t count = (size_t)settings->forks * settings->count;
    struct bench_metric metric = { .raw = bench_need(calloc(count, sizeof(double))),
                                   .count = count };
    for (size_t i = 0; i < count; i++)
        metric.raw[i] = quantity_of(leg, &leg->samples[i], quantity);
    if (quantity >= BENCH_COUNTER &&
        !bench_counter_grows(leg->cell.offer, quantity - BENCH_COUNTER)) {
        metric.score = largest(metric.raw, count);
        metric.error = NAN;
        return metric;
    }
    metric.score = bench_mean(metric.raw, count);
    metric.error = bench_error(metric.raw, count, BENCH_SCORE_CONFIDENCE);
    return metric;
}

void bench_metric_free(struct bench_metric *metric)
{
    free(metric->raw);
    metric->raw = NULL;
}

/* The contrasts of all pairs, in memory of the caller's. */
static double *pair_values(enum bench_contrast_kind kind, const double *a, const double *b,
                           size_t total)
{
    double *values = bench_need(calloc(total + 1, sizeof *values));
    for (size_t i = 0; i < total; i++)
        values[i] = kind == BENCH_RATIO ? a[i] / b[i] : a[i] - b[i];
    return values;
}

static double *fork_medians(const double *values, size_t forks, size_t count)
{
    double *medians = bench_need(calloc(forks + 1, sizeof *medians));
    for (size_t fork = 0; fork < forks; fork++)
        medians[fork] = bench_median(values + fork * count, count);
    return medians;
}

static bool is_any_missing(const double *values, size_t count)
{
    bool missing = false;
    for (size_t i = 0; i < count; i++)
        missing |= isnan(values[i]);
    return missing;
}

struct bench_contrast bench_contrast_of(enum bench_contrast_kind kind, const double *a,
                                        const double *b, size_t forks, size_t count)
{
    double *values = pair_values(kind, a, b, forks * count);
    double *medians = fork_medians(values, forks, count);
    struct bench_contrast contrast = {
        .median = bench_median(medians, forks),
        .interval = bench_median_interval(values, forks * count, BENCH_CONTRAST_CONFIDENCE),
        .pairs = forks * count,
    };
    if (is_any_missing(values, forks * count)) {
        contrast.median = NAN;
        contrast.interval = (struct bench_interval){ NAN, NAN };
    }
    free(medians);
    free(values);
    return contrast;
}

double bench_spread_of(enum bench_contrast_kind kind, const double *a, const double *b,
                       size_t forks, size_t count)
{
    double neutral = kind == BENCH_RATIO ? 1 : 0;
    double *values = pair_values(kind, a, b, forks * count);
    double *medians = fork_medians(values, forks, count);
    struct bench_interval interval =
        bench_median_interval(values, forks * count, BENCH_CONTRAST_CONFIDENCE);
    double spread = fmax(fabs(interval.low - neutral), fabs(interval.high - neutral));
    for (size_t fork = 0; fork < forks; fork++)
        spread = fmax(spread, fabs(medians[fork] - neutral));
    if (is_any_missing(values, forks * count))
        spread = NAN;
    free(medians);
    free(values);
    return spread;
}

static double *costs_of(const struct bench_leg *leg, enum bench_clock clock,
                        const struct bench_settings *settings)
{
    size_t total = (size_t)settings->forks * settings->count;
    double *costs = bench_need(calloc(total + 1, sizeof *costs));
    for (size_t i = 0; i < total; i++)
        costs[i] = cost(&leg->samples[i], clock);
    return costs;
}

struct bench_contrast bench_contrast_legs(enum bench_contrast_kind kind, enum bench_clock clock,
                                          const struct bench_leg *a, const struct bench_leg *b,
                                          const struct bench_settings *settings)
{
    double *left = costs_of(a, clock, settings), *right = costs_of(b, clock, settings);
    struct bench_contrast contrast =
        bench_contrast_of(kind, left, right, settings->forks, settings->count);
    free(left);
    free(right);
    return contrast;
}

double bench_spread_for(enum bench_contrast_kind kind, enum bench_clock clock,
                        const struct bench_group *group, const struct bench_leg *leg,
                        const struct bench_settings *settings)
{
    const struct bench_leg *floor = bench_group_opposite(group, leg, BENCH_LIMIT, false);
    const struct bench_leg *twin = bench_group_opposite(group, leg, BENCH_LIMIT, true);
    if (floor == NULL || twin == NULL)
        return NAN;
    double *left = costs_of(floor, clock, settings), *right = costs_of(twin, clock, settings);
    double spread = bench_spread_of(kind, left, right, settings->forks, settings->count);
    free(left);
    free(right);
    return spread;
}

double *bench_losses_of(enum bench_clock clock, const struct bench_leg *leg,
                        const struct bench_leg *base, const struct bench_settings *settings)
{
    double *losses = costs_of(leg, clock, settings), *costs = costs_of(base, clock, settings);
    for (size_t i = 0; i < (size_t)settings->forks * settings->count; i++) {
        const struct bench_sample *sample = &leg->samples[i];
        double events = (double)sample->counters[0];
        losses[i] = events == 0 ? NAN : (losses[i] - costs[i]) * (double)sample->ops / events;
    }
    free(costs);
    return losses;
}

struct bench_metric bench_loss_of(const struct bench_leg *leg, const struct bench_leg *base,
                                  const struct bench_settings *settings)
{
    struct bench_metric metric = {
        .raw = bench_losses_of(leg->cell.offer->clock, leg, base, settings),
        .count = (size_t)settings->forks * settings->count,
    };
    bool missing = is_any_missing(metric.raw, metric.count);
    metric.score = missing ? NAN : bench_median(metric.raw, metric.count);
    metric.error = NAN;
    return metric;
}

bool bench_leg_has_room(const struct bench_plan *plan, const struct bench_leg *leg)
{
    return leg->cell.threads + leg->company <= plan->cores;
}

enum bench_verdict bench_verdict_of(const struct bench_contrast *ratio, double spread)
{
    if (isnan(spread) || isnan(ratio->median))
        return BENCH_UNKNOWN;
    if (fabs(ratio->median - 1) <= spread ||
        (ratio->interval.low <= 1 && ratio->interval.high >= 1))
        return BENCH_EQUAL;
    return ratio->median < 1 ? BENCH_AHEAD : BENCH_BEHIND;
}

const char *bench_verdict_text(enum bench_verdict verdict)
{
    static const char *const texts[] = { "ahead", "equal", "behind", "" };
    return texts[verdict];
}
