/* SPDX-License-Identifier: MIT */
/*
 * Finding workers and learning what they offer.
 * Invariant: a subject that is wanted and has a file has been asked; its offers are complete.
 * A worker is looked for in $ISTHMUS_PEER_DIR, beside the running program, and in
 * ../libexec/isthmus from there; the first that exists is taken.
 * Not done here: choosing rows; that is plan.c.
 */
#include "harness/catalog.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/memory.h"
#include "harness/params.h"
#include "harness/peer.h"

#define ANSWER_TIMEOUT_MS 10000
#define OFFER_FIELDS 10
#define ONE_THREAD "threads=1"

static const char *const subject_names[BENCH_SUBJECT_COUNT] = {
    BENCH_ISTHMUS, BENCH_LIMIT, "glibc", "mimalloc", "jemalloc", "apr", "talloc", "liburcu", "gc",
};

static char *program_folder(void)
{
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0)
        return NULL;
    path[length] = '\0';
    return dirname(path);
}

char *bench_catalog_file(const char *name)
{
    const char *folders[3] = { getenv("ISTHMUS_PEER_DIR"), program_folder(), NULL };
    folders[2] = folders[1];
    for (size_t i = 0; i < 3; i++) {
        if (folders[i] == NULL)
            continue;
        char *file = bench_text("%s/%s%s", folders[i], i == 2 ? "../libexec/isthmus/" : "", name);
        if (access(file, R_OK) == 0)
            return file;
        free(file);
    }
    return NULL;
}

struct bench_catalog_subject *bench_catalog_find(struct bench_catalog *catalog, const char *name)
{
    for (size_t i = 0; i < BENCH_SUBJECT_COUNT; i++) {
        if (strcmp(catalog->subjects[i].name, name) == 0)
            return &catalog->subjects[i];
    }
    return NULL;
}

static void complain_unknown_peer(struct bench_span name)
{
    char known[256] = "";
    for (size_t i = 2; i < BENCH_SUBJECT_COUNT; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i == 2 ? "" : ", ", subject_names[i]);
    }
    bench_complain("unknown peer '%.*s'; known are: all, none, %s", (int)name.length, name.text,
                   known);
}

/* Marks the peers that --peers names; 2 if one of them is unknown. */
static int select_peers(struct bench_catalog *catalog, const char *peers)
{
    bool all = peers == NULL || strcmp(peers, "all") == 0;
    for (size_t i = 0; i < BENCH_SUBJECT_COUNT; i++)
        catalog->subjects[i].wanted = all || i < 2;
    if (all || strcmp(peers, "none") == 0)
        return 0;
    struct bench_span piece;
    while (bench_params_cut(&peers, ',', &piece)) {
        struct bench_catalog_subject *found = NULL;
        for (size_t i = 0; i < BENCH_SUBJECT_COUNT; i++) {
            if (bench_span_is(piece, subject_names[i]))
                found = &catalog->subjects[i];
        }
        if (found == NULL) {
            complain_unknown_peer(piece);
            return 2;
        }
        found->wanted = true;
    }
    return 0;
}

/* The space with the key threads at its end: moved there, or added. In memory of the caller's. */
static char *with_threads(const char *space)
{
    char *others = bench_text("%s", ""), *threads = bench_text("%s", ONE_THREAD);
    struct bench_span piece;
    while (bench_params_cut(&space, ';', &piece)) {
        bool is_threads = strncmp(piece.text, "threads=", strlen("threads=")) == 0;
        char **text = is_threads ? &threads : &others;
        char *longer =
            bench_text("%s%s%.*s", is_threads ? "" : others,
                       is_threads || others[0] == '\0' ? "" : ";", (int)piece.length, piece.text);
        free(*text);
        *text = longer;
    }
    char *whole = bench_text("%s%s%s", others, others[0] == '\0' ? "" : ";", threads);
    free(others);
    free(threads);
    return whole;
}

char *bench_space_text(const char *space)
{
    size_t length = strlen(space), tail = strlen(ONE_THREAD);
    if (length >= tail && strcmp(space + length - tail, ONE_THREAD) == 0)
        length -= tail;
    if (length > 0 && space[length - 1] == ';')
        length--;
    return bench_text("%.*s", (int)length, space);
}

static void add_offer(struct bench_catalog_subject *subject, char *const *fields)
{
    struct bench_span threads = bench_params_find(fields[4], "threads");
    struct bench_offer offer = {
        .subject = subject->name,
        .class_name = fields[1],
        .method = fields[2],
        .unit = fields[3],
        .space = with_threads(fields[4]),
        .quick_space = fields[5][0] == '\0' ? fields[5] : with_threads(fields[5]),
        .answers = fields[6],
        .baseline = fields[7],
        .counters = fields[8],
        .clock = strcmp(fields[9], "cpu") == 0 ? BENCH_CPU : BENCH_WALL,
        .one_thread = bench_span_is(threads, "1"),
    };
    subject->offers = bench_grow(subject->offers, subject->offer_count, sizeof *subject->offers);
    subject->offers[subject->offer_count++] = offer;
}

/* Takes a line of the list: a row, or a sentence on what is skipped; false if it is neither. */
static bool add_listed(struct bench_catalog_subject *subject, char *line)
{
    char *fields[OFFER_FIELDS], *copy = bench_text("%s", line);
    size_t count = 0;
    for (char *rest = copy; rest != NULL && count < OFFER_FIELDS;)
        fields[count++] = strsep(&rest, "\t");
    if (count == 2 && strcmp(fields[0], "skipped") == 0) {
        subject->skipped = fields[1];
        return true;
    }
    if (count != OFFER_FIELDS || strcmp(fields[0], "row") != 0)
        return false;
    add_offer(subject, fields);
    return true;
}

static bool ask_list(struct bench_peer *peer, struct bench_catalog_subject *subject)
{
    if (!bench_peer_request(peer, "list"))
        return false;
    for (;;) {
        char *line = bench_peer_line(peer, ANSWER_TIMEOUT_MS);
        if (line == NULL)
            return false;
        if (strcmp(line, "ok") == 0)
            return true;
        if (!add_listed(subject, line)) {
            snprintf(peer->error, sizeof peer->error, "answers 'list' with: %s", line);
            return false;
        }
    }
}

static bool ask_origin(struct bench_peer *peer, struct bench_catalog_subject *subject)
{
    if (!bench_peer_request(peer, "origin"))
        return false;
    char *origin = bench_peer_ok(peer, ANSWER_TIMEOUT_MS);
    if (origin != NULL)
        subject->origin = bench_text("%s", origin);
    return origin != NULL;
}

static int load_subject(struct bench_catalog_subject *subject)
{
    char name[64];
    snprintf(name, sizeof name, "isthmus-peer-%s", subject->name);
    subject->file = bench_catalog_file(name);
    if (subject->file == NULL)
        return 0;
    struct bench_peer peer;
    bool good = bench_peer_start(&peer, subject->name, subject->file) && ask_list(&peer, subject) &&
                ask_origin(&peer, subject);
    if (!good)
        bench_complain("%s: %s", subject->name, peer.error);
    bench_peer_stop(&peer);
    return good ? 0 : 1;
}

int bench_catalog_load(struct bench_catalog *catalog, const char *peers)
{
    *catalog = (struct bench_catalog){ 0 };
    for (size_t i = 0; i < BENCH_SUBJECT_COUNT; i++)
        catalog->subjects[i].name = subject_names[i];
    int status = select_peers(catalog, peers);
    for (size_t i = 0; i < BENCH_SUBJECT_COUNT && status == 0; i++) {
        if (catalog->subjects[i].wanted)
            status = load_subject(&catalog->subjects[i]);
    }
    return status;
}

const char *bench_offer_mode(const struct bench_offer *offer)
{
    return strcmp(offer->unit, BENCH_THROUGHPUT_UNIT) == 0 ? "thrpt" : "avgt";
}

size_t bench_counter_count(const struct bench_offer *offer)
{
    const char *rest = offer->counters;
    size_t count = 0;
    struct bench_span piece;
    while (count < BENCH_MAX_COUNTERS && bench_params_cut(&rest, ',', &piece))
        count++;
    return count;
}

void bench_counter_name(const struct bench_offer *offer, size_t index, struct bench_span *ret_name,
                        struct bench_span *ret_unit)
{
    const char *rest = offer->counters;
    struct bench_span piece = { "", 0 };
    for (size_t i = 0; i <= index; i++)
        bench_params_cut(&rest, ',', &piece);
    size_t length = strcspn(piece.text, "=");
    length = length < piece.length ? length : piece.length;
    size_t skipped = length < piece.length ? length + 1 : length;
    *ret_name = (struct bench_span){ piece.text, length };
    *ret_unit = (struct bench_span){ piece.text + skipped, piece.length - skipped };
}

bool bench_counter_grows(const struct bench_offer *offer, size_t index)
{
    struct bench_span name, unit;
    bench_counter_name(offer, index, &name, &unit);
    return bench_span_is(unit, "#");
}

double bench_offer_scale(const struct bench_offer *offer)
{
    return strcmp(offer->unit, "us/op") == 0 ? 0.001 : 1;
}

bool bench_offer_answers(const struct bench_offer *offer, const char *method)
{
    const char *rest = offer->answers;
    struct bench_span piece;
    while (bench_params_cut(&rest, ',', &piece)) {
        if (bench_span_is(piece, "*") || bench_span_is(piece, method))
            return true;
    }
    return false;
}

void bench_catalog_print(const struct bench_catalog *catalog)
{
    for (size_t i = 0; i < BENCH_SUBJECT_COUNT; i++) {
        const struct bench_catalog_subject *subject = &catalog->subjects[i];
        for (size_t k = 0; k < subject->offer_count; k++) {
            const struct bench_offer *offer = &subject->offers[k];
            char *space = bench_space_text(offer->space);
            printf("%s.%s.%s%s%s\n", offer->subject, offer->class_name, offer->method,
                   space[0] == '\0' ? "" : "  ", space);
            free(space);
        }
    }
}

void bench_catalog_print_skipped(const struct bench_catalog *catalog)
{
    for (size_t i = 0; i < BENCH_SUBJECT_COUNT; i++) {
        const struct bench_catalog_subject *subject = &catalog->subjects[i];
        if (subject->wanted && subject->file == NULL)
            printf("%s: skipped (not installed)\n", subject->name);
        if (subject->skipped != NULL)
            printf("%s: skipped %s\n", subject->name, subject->skipped);
    }
}
