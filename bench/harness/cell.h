/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_CELL_H
#define BENCH_HARNESS_CELL_H
/*
 * A cell: one row at one combination of parameters and one number of threads. What is measured.
 */
#include <stdbool.h>

#include "harness/catalog.h"
#include "harness/params.h"

struct bench_cell {
    const struct bench_offer *offer;
    char params[BENCH_PARAMS_SIZE]; /* Without threads. */
    unsigned threads;
};

/* From a combination of a space, threads included. False if the threads are no number. */
bool bench_cell_of(const struct bench_offer *offer, const char *combination,
                   struct bench_cell *ret_cell);

/*
 * The cell of a row that has the values given, "mode=NONE;threads=2"; keys that are left out take
 * the row's first value. False if the row does not list that combination.
 */
bool bench_cell_find(const struct bench_offer *offer, const char *values,
                     struct bench_cell *ret_cell);

/* Whether a space contains the cell's combination. */
bool bench_cell_is_in(const struct bench_cell *cell, const char *space);

bool bench_cell_equals(const struct bench_cell *a, const struct bench_cell *b);

/*
 * Another cell of the same subject and class: as the given one but for the changes,
 * "method=simple", "threads=1", "method=unrelated;rate=none". False if there is no such row, or no
 * difference.
 */
bool bench_cell_change(const struct bench_catalog *catalog, const struct bench_cell *cell,
                       const char *changes, struct bench_cell *ret_cell);

/* The row of a subject that answers a cell's, at the same combination; false if there is none. */
bool bench_cell_answer(const struct bench_catalog *catalog, const struct bench_cell *cell,
                       const char *subject, struct bench_cell *ret_cell);

#endif
