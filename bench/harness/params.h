/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_PARAMS_H
#define BENCH_HARNESS_PARAMS_H
/*
 * Parameters as text. A *space* lists the values of each key, "size=5,20;compiler=gcc,clang"; a
 * *combination* has one value per key, "size=5;compiler=gcc". Both may be empty. Linked into
 * workers and orchestrator alike, so it allocates nothing.
 */
#include <stdbool.h>
#include <stddef.h>

/* Longest combination, terminator included; a longer one does not occur in our tables. */
#define BENCH_PARAMS_SIZE 256

struct bench_span {
    const char *text;
    size_t length;
};

/* The value (or list of values) of a key; a NULL text if the key is not there. */
struct bench_span bench_params_find(const char *params, const char *key);

/* Cuts the next piece up to the separator off *rest; false when nothing is left. */
bool bench_params_cut(const char **rest, char separator, struct bench_span *ret_piece);

bool bench_span_is(struct bench_span span, const char *text);

/* The value of a key as a whole number in 1 ... maximum; 0 if it is not there or not one. */
size_t bench_params_number(const char *params, const char *key, size_t maximum);

/* Number of combinations of a space; an empty space has one, the empty combination. */
size_t bench_params_count(const char *space);

/* Whether a combination is one of a space's. */
bool bench_params_contains(const char *space, const char *params);

/* Writes the index-th combination, the last key varying fastest; false if it does not fit. */
bool bench_params_combination(const char *space, size_t index, char ret_params[BENCH_PARAMS_SIZE]);

#endif
