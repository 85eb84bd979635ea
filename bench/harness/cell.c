/* SPDX-License-Identifier: MIT */
/*
 * Cells, from texts and from one another.
 * Invariant: a cell's keys are those of its row's space, in that order.
 */
#include "harness/cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_KEY "threads"
#define MAX_THREADS 1024

bool bench_cell_of(const struct bench_offer *offer, const char *combination,
                   struct bench_cell *ret_cell)
{
    struct bench_cell cell = { .offer = offer };
    const char *tail = strstr(combination, THREADS_KEY "=");
    if (tail == NULL || strlen(combination) >= sizeof cell.params)
        return false;
    size_t length = (size_t)(tail - combination);
    memcpy(cell.params, combination, length);
    cell.params[length > 0 ? length - 1 : 0] = '\0';
    cell.threads = (unsigned)bench_params_number(combination, THREADS_KEY, MAX_THREADS);
    *ret_cell = cell;
    return cell.threads != 0;
}

/* A cell's whole combination, threads included. */
static void write_combination(const struct bench_cell *cell, char ret_text[BENCH_PARAMS_SIZE + 32])
{
    snprintf(ret_text, BENCH_PARAMS_SIZE + 32, "%s%s" THREADS_KEY "=%u", cell->params,
             cell->params[0] == '\0' ? "" : ";", cell->threads);
}

bool bench_cell_is_in(const struct bench_cell *cell, const char *space)
{
    char combination[BENCH_PARAMS_SIZE + 32];
    write_combination(cell, combination);
    return bench_params_contains(space, combination);
}

bool bench_cell_equals(const struct bench_cell *a, const struct bench_cell *b)
{
    return a->offer == b->offer && a->threads == b->threads && strcmp(a->params, b->params) == 0;
}

static struct bench_span first_value(struct bench_span piece, size_t key_length)
{
    const char *start = piece.text + key_length + 1;
    size_t length = piece.length - key_length - 1;
    const char *comma = memchr(start, ',', length);
    return (struct bench_span){ start, comma == NULL ? length : (size_t)(comma - start) };
}

/* The combination of a row: values from the first text that has the key, else the row's first. */
static bool combine(const struct bench_offer *offer, const char *values, const char *others,
                    struct bench_cell *ret_cell)
{
    char combination[BENCH_PARAMS_SIZE] = "";
    const char *rest = offer->space;
    struct bench_span piece;
    size_t used = 0;
    while (bench_params_cut(&rest, ';', &piece) && used < sizeof combination) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(piece.text, "="), piece.text);
        struct bench_span value = bench_params_find(values, key);
        if (value.text == NULL)
            value = bench_params_find(others, key);
        if (value.text == NULL)
            value = first_value(piece, strlen(key));
        used += (size_t)snprintf(combination + used, sizeof combination - used, "%s%s=%.*s",
                                 used == 0 ? "" : ";", key, (int)value.length, value.text);
    }
    return used < sizeof combination && bench_cell_of(offer, combination, ret_cell);
}

bool bench_cell_find(const struct bench_offer *offer, const char *values,
                     struct bench_cell *ret_cell)
{
    const char *rest = values;
    struct bench_span piece;
    while (bench_params_cut(&rest, ';', &piece)) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(piece.text, "="), piece.text);
        if (bench_params_find(offer->space, key).text == NULL)
            return false;
    }
    return combine(offer, values, NULL, ret_cell) && bench_cell_is_in(ret_cell, offer->space);
}

/* The row of an offer's subject and class with that method; NULL if there is none. */
static const struct bench_offer *sibling(const struct bench_catalog *catalog,
                                         const struct bench_offer *offer, struct bench_span method)
{
    if (method.text == NULL)
        return offer;
    for (size_t s = 0; s < BENCH_SUBJECT_COUNT; s++) {
        const struct bench_catalog_subject *subject = &catalog->subjects[s];
        if (strcmp(subject->name, offer->subject) != 0)
            continue;
        for (size_t i = 0; i < subject->offer_count; i++) {
            if (strcmp(subject->offers[i].class_name, offer->class_name) == 0 &&
                bench_span_is(method, subject->offers[i].method))
                return &subject->offers[i];
        }
    }
    return NULL;
}

bool bench_cell_change(const struct bench_catalog *catalog, const struct bench_cell *cell,
                       const char *changes, struct bench_cell *ret_cell)
{
    char own[BENCH_PARAMS_SIZE + 32];
    const struct bench_offer *offer =
        sibling(catalog, cell->offer, bench_params_find(changes, "method"));
    write_combination(cell, own);
    return offer != NULL && combine(offer, changes, own, ret_cell) &&
           !bench_cell_equals(cell, ret_cell);
}

bool bench_cell_answer(const struct bench_catalog *catalog, const struct bench_cell *cell,
                       const char *name, struct bench_cell *ret_cell)
{
    for (size_t s = 0; s < BENCH_SUBJECT_COUNT; s++) {
        const struct bench_catalog_subject *subject = &catalog->subjects[s];
        for (size_t i = 0; i < subject->offer_count && strcmp(subject->name, name) == 0; i++) {
            const struct bench_offer *offer = &subject->offers[i];
            *ret_cell = *cell;
            ret_cell->offer = offer;
            if (strcmp(offer->class_name, cell->offer->class_name) == 0 &&
                bench_offer_answers(offer, cell->offer->method) &&
                bench_cell_is_in(ret_cell, offer->space))
                return true;
        }
    }
    return false;
}
