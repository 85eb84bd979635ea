/* SPDX-License-Identifier: MIT */
/*
 * Interleaved measurement: in each fork one process per leg, all alive, one running.
 * Invariant: at any moment at most one worker has an unanswered request, so that the others sleep.
 * Not done here: statistics.
 */
#include "harness/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/clock.h"
#include "harness/memory.h"
#include "harness/peer.h"

/* What a worker may take beyond the time asked for: a set-up, a calibration, a stolen processor. */
#define PATIENCE_MS 60000u

struct progress {
    const char *label;
    bool shown;
    size_t done, total; /* Groups times forks. */
    uint64_t begin_ns;
};

static void show_progress(const struct progress *progress, const struct bench_group *group)
{
    if (!progress->shown)
        return;
    fprintf(stderr, "\r\033[K%s%zu of %zu: %s %s", progress->label, progress->done + 1,
            progress->total, group->class_name, group->params);
    if (group->threads != 1)
        fprintf(stderr, " threads=%u", group->threads);
    if (progress->done > 0) {
        double elapsed = (double)(bench_now_ns() - progress->begin_ns) / 1e9;
        double left = elapsed / (double)progress->done * (double)(progress->total - progress->done);
        fprintf(stderr, ", about %.0f s left", left);
    }
    fflush(stderr);
}

static void clear_progress(const struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
}

/* ---- One leg ---- */

static bool prepare(struct bench_peer *peer, struct bench_leg *leg)
{
    const struct bench_cell *cell = &leg->cell;
    if (!bench_peer_start(peer, cell->offer->subject, leg->file) ||
        !bench_peer_request(peer, "prepare\t%s\t%s\t%s\t%u", cell->offer->class_name,
                            cell->offer->method, cell->params, cell->threads))
        return false;
    char *answer = bench_peer_ok(peer, PATIENCE_MS);
    if (answer != NULL && sscanf(answer, "%*u %u", &leg->company) != 1)
        leg->company = 0;
    return answer != NULL;
}

/* Takes an answer apart; false if it is none. */
static bool read_sample(char *answer, size_t counter_count, struct bench_sample *ret_sample)
{
    uint64_t values[4 + BENCH_MAX_COUNTERS] = { 0 };
    for (size_t i = 0; i < 4 + counter_count; i++) {
        char *end;
        values[i] = strtoull(answer, &end, 10);
        if (end == answer)
            return false;
        answer = end;
    }
    *ret_sample = (struct bench_sample){ values[0], values[1], values[2], values[3], { 0 } };
    memcpy(ret_sample->counters, values + 4, sizeof ret_sample->counters);
    return values[0] != 0 && values[1] != 0;
}

static bool iterate(struct bench_peer *peer, const struct bench_leg *leg, uint64_t duration_ns,
                    struct bench_sample *ret_sample)
{
    if (!bench_peer_request(peer, "iterate\t%llu", (unsigned long long)duration_ns))
        return false;
    char *answer = bench_peer_ok(peer, PATIENCE_MS + (unsigned)(duration_ns / 1000000));
    if (answer == NULL)
        return false;
    if (read_sample(answer, bench_counter_count(leg->cell.offer), ret_sample))
        return true;
    snprintf(peer->error, sizeof peer->error, "answers an iteration with: %s", answer);
    return false;
}

static bool finish(struct bench_peer *peer)
{
    return bench_peer_request(peer, "finish") && bench_peer_ok(peer, PATIENCE_MS) != NULL;
}

/* ---- One fork of one group ---- */

/* Iteration i of all legs, one after the other; below 0 it is a warm-up. */
static bool iterate_all(struct bench_peer *peers, const struct bench_group *group,
                        const struct bench_settings *settings, unsigned fork, int i,
                        size_t *ret_leg)
{
    for (size_t k = 0; k < group->leg_count; k++) {
        struct bench_sample sample;
        *ret_leg = k;
        if (!iterate(&peers[k], &group->legs[k],
                     i < 0 ? settings->warmup_ns : settings->duration_ns, &sample))
            return false;
        if (i >= 0)
            group->legs[k].samples[(size_t)fork * settings->count + (size_t)i] = sample;
    }
    return true;
}

/* Returns whether all went well; else *ret_leg is the leg that failed. */
static bool run_fork(struct bench_peer *peers, const struct bench_group *group,
                     const struct bench_settings *settings, unsigned fork, size_t *ret_leg)
{
    for (*ret_leg = 0; *ret_leg < group->leg_count; ++*ret_leg) {
        if (!prepare(&peers[*ret_leg], &group->legs[*ret_leg]))
            return false;
    }
    for (int i = -(int)settings->warmup_count; i < (int)settings->count; i++) {
        if (!iterate_all(peers, group, settings, fork, i, ret_leg))
            return false;
    }
    for (*ret_leg = 0; *ret_leg < group->leg_count; ++*ret_leg) {
        if (!finish(&peers[*ret_leg]))
            return false;
    }
    return true;
}

static int measure_fork(const struct bench_group *group, const struct bench_settings *settings,
                        unsigned fork, const struct progress *progress)
{
    struct bench_peer *peers = bench_need(calloc(group->leg_count, sizeof *peers));
    size_t leg;
    show_progress(progress, group);
    bool good = run_fork(peers, group, settings, fork, &leg);
    clear_progress(progress);
    if (!good) {
        const struct bench_cell *cell = &group->legs[leg].cell;
        bench_complain("%s.%s.%s %s: %s", cell->offer->subject, cell->offer->class_name,
                       cell->offer->method, cell->params, peers[leg].error);
    }
    for (size_t k = 0; k < group->leg_count; k++)
        bench_peer_stop(&peers[k]);
    free(peers);
    return good ? 0 : 1;
}

int bench_measure(struct bench_plan *plan, const char *label)
{
    struct progress progress = {
        .label = label,
        .shown = isatty(STDERR_FILENO),
        .total = plan->group_count * plan->settings.forks,
        .begin_ns = bench_now_ns(),
    };
    int status = 0;
    plan->cores = bench_peer_claim_core();
    for (size_t g = 0; g < plan->group_count && status == 0; g++) {
        for (unsigned fork = 0; fork < plan->settings.forks && status == 0; fork++) {
            status = measure_fork(&plan->groups[g], &plan->settings, fork, &progress);
            progress.done++;
        }
    }
    return status;
}
