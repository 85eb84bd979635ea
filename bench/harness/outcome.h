/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_OUTCOME_H
#define BENCH_HARNESS_OUTCOME_H
/*
 * What samples say: scores of legs, ratios and differences between them, verdicts. Pure.
 *
 * Legs are compared by *cost*, nanoseconds per operation, whatever the unit of their score: of the
 * wall or of the processor, as the row that is compared is scored. A *contrast* of two legs is
 * taken iteration by iteration, from adjacent ones, so that a drift of the machine cancels. It is
 * summed up as the median over the forks of each fork's median, with the 95 % interval of the
 * median of all pairs.
 */
#include <stdbool.h>
#include <stddef.h>

#include "harness/plan.h"
#include "harness/stats.h"

#define BENCH_SCORE_CONFIDENCE 0.999
#define BENCH_CONTRAST_CONFIDENCE 0.95

/* A mean with its error, as JMH reports it; raw holds one value per sample. */
struct bench_metric {
    double score, error;
    double *raw;
    size_t count;
};

/* The times in the row's unit, the memory in MiB. Counter i of the row is BENCH_COUNTER + i. */
enum bench_quantity { BENCH_SCORE, BENCH_WALL_TIME, BENCH_CPU_TIME, BENCH_PEAK_RSS, BENCH_COUNTER };

/* A quantity of a leg; bench_metric_free it. A counter that does not grow is scored by its largest
 * value, without an error. */
struct bench_metric bench_metric_of(const struct bench_leg *leg, unsigned quantity,
                                    const struct bench_settings *settings);
void bench_metric_free(struct bench_metric *metric);

enum bench_contrast_kind { BENCH_RATIO, BENCH_DIFFERENCE };

struct bench_contrast {
    double median;
    struct bench_interval interval;
    size_t pairs;
};

/* a / b or a - b; both arrays hold forks x count costs. NaN throughout if there are none or
 * one of them is missing (NaN). */
struct bench_contrast bench_contrast_of(enum bench_contrast_kind kind, const double *a,
                                        const double *b, size_t forks, size_t count);
struct bench_contrast bench_contrast_legs(enum bench_contrast_kind kind, enum bench_clock clock,
                                          const struct bench_leg *a, const struct bench_leg *b,
                                          const struct bench_settings *settings);

/*
 * The A/A spread: how far the contrast of a leg with its twin lies from 1 (ratio) or 0
 * (difference), at the worst of its interval and of the forks' medians. NaN if there is no twin.
 */
double bench_spread_of(enum bench_contrast_kind kind, const double *a, const double *b,
                       size_t forks, size_t count);
double bench_spread_for(enum bench_contrast_kind kind, enum bench_clock clock,
                        const struct bench_group *group, const struct bench_leg *leg,
                        const struct bench_settings *settings);

/*
 * What each event takes from a leg, in ns: (its cost - that of the base) x operations per event,
 * where events are the leg's first counter. One value per sample, in memory of the caller's; NaN
 * where nothing was counted.
 */
double *bench_losses_of(enum bench_clock clock, const struct bench_leg *leg,
                        const struct bench_leg *base, const struct bench_settings *settings);

enum bench_verdict { BENCH_AHEAD, BENCH_EQUAL, BENCH_BEHIND, BENCH_UNKNOWN };

/* The same as a metric, by the leg's own clock: the score is the median; NaN if any is missing. */
struct bench_metric bench_loss_of(const struct bench_leg *leg, const struct bench_leg *base,
                                  const struct bench_settings *settings);

/* Whether a leg had a processor for each of its threads. */
bool bench_leg_has_room(const struct bench_plan *plan, const struct bench_leg *leg);

/* Of a ratio: equal within the spread or when its interval holds 1; unknown without a spread. */
enum bench_verdict bench_verdict_of(const struct bench_contrast *ratio, double spread);
const char *bench_verdict_text(enum bench_verdict verdict);

#endif
