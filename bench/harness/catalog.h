/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_CATALOG_H
#define BENCH_HARNESS_CATALOG_H
/*
 * The subjects there are and the rows that each offers, as their workers list them.
 */
#include <stdbool.h>
#include <stddef.h>

#include "harness/params.h"
#include "harness/row.h"

/*
 * One row as listed; see harness/row.h for the meaning of the texts. Both spaces end in a key
 * threads, whether the row names one or not; the quick one is empty if it is not thinned.
 */
struct bench_offer {
    const char *subject;
    char *class_name, *method, *unit, *space, *quick_space, *answers, *baseline, *counters;
    enum bench_clock clock;
    bool one_thread; /* On one measuring thread, whatever is asked for. */
};

struct bench_catalog_subject {
    const char *name;
    char *file;    /* The worker; NULL: not built or not installed. */
    char *origin;  /* Where its calls live, "calloc=/lib/...". */
    char *skipped; /* What its tables lack; NULL: nothing. */
    bool wanted;   /* Selected by --peers; isthmus and limit always are. */
    struct bench_offer *offers;
    size_t offer_count;
};

#define BENCH_THROUGHPUT_UNIT "ops/us" /* All other units are times: lower is better. */
#define BENCH_SUBJECT_COUNT 9
#define BENCH_ISTHMUS "isthmus"
#define BENCH_LIMIT "limit"

struct bench_catalog {
    /* isthmus, limit, then the peers. */
    struct bench_catalog_subject subjects[BENCH_SUBJECT_COUNT];
};

/*
 * Finds the workers, asks each wanted one for its rows and checks where its symbols come from.
 * peers: "all", "none" or names with commas; NULL counts as "all".
 * Returns 0, or the exit status after having said what is wrong.
 */
int bench_catalog_load(struct bench_catalog *catalog, const char *peers);

/* The subject of that name; NULL if there is none. */
struct bench_catalog_subject *bench_catalog_find(struct bench_catalog *catalog, const char *name);

/* A space as people read it: without threads if it is only one. In memory of the caller's. */
char *bench_space_text(const char *space);

/* "avgt" or "thrpt", by the unit. */
const char *bench_offer_mode(const struct bench_offer *offer);

/* How many counters it has. */
size_t bench_counter_count(const struct bench_offer *offer);

/* The name and the unit of one of them. */
void bench_counter_name(const struct bench_offer *offer, size_t index, struct bench_span *ret_name,
                        struct bench_span *ret_unit);

/* Whether it is the growth that counts, which its unit # says; else its last value. */
bool bench_counter_grows(const struct bench_offer *offer, size_t index);

/* What a score in its unit is, for a cost of one nanosecond per operation: 0.001 for "us/op". */
double bench_offer_scale(const struct bench_offer *offer);

/* Whether an offer stands opposite to a method of its class. */
bool bench_offer_answers(const struct bench_offer *offer, const char *method);

/* The full path of a file beside the workers ("targets.json"); NULL if it is nowhere. */
char *bench_catalog_file(const char *name);

/* Prints the rows, one a line, or what is skipped and why. */
void bench_catalog_print(const struct bench_catalog *catalog);
void bench_catalog_print_skipped(const struct bench_catalog *catalog);

#endif
