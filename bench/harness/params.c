/* SPDX-License-Identifier: MIT */
/*
 * Spaces and combinations of parameters, taken apart in place.
 * Invariant: a piece is never NULL text with a length; an empty list has no pieces.
 * Not done here: judging values; a row's setup knows which ones it takes.
 */
#include "harness/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bench_params_cut(const char **rest, char separator, struct bench_span *ret_piece)
{
    if (*rest == NULL || **rest == '\0')
        return false;
    const char *end = strchrnul(*rest, separator);
    *ret_piece = (struct bench_span){ *rest, (size_t)(end - *rest) };
    *rest = *end == '\0' ? end : end + 1;
    return true;
}

bool bench_span_is(struct bench_span span, const char *text)
{
    return span.text != NULL && strlen(text) == span.length &&
           memcmp(span.text, text, span.length) == 0;
}

struct bench_span bench_params_find(const char *params, const char *key)
{
    struct bench_span piece;
    size_t key_length = strlen(key);
    while (bench_params_cut(&params, ';', &piece)) {
        if (piece.length > key_length && piece.text[key_length] == '=' &&
            memcmp(piece.text, key, key_length) == 0)
            return (struct bench_span){ piece.text + key_length + 1,
                                        piece.length - key_length - 1 };
    }
    return (struct bench_span){ NULL, 0 };
}

size_t bench_params_number(const char *params, const char *key, size_t maximum)
{
    struct bench_span value = bench_params_find(params, key);
    size_t number = 0;
    for (size_t i = 0; i < value.length; i++) {
        if (value.text[i] < '0' || value.text[i] > '9')
            return 0;
        number = number * 10 + (size_t)(value.text[i] - '0');
        if (number > maximum)
            return 0;
    }
    return number;
}

/* A piece of a space: its key, and how many values it lists. */
static size_t split_piece(struct bench_span piece, struct bench_span *ret_key,
                          struct bench_span *ret_values)
{
    const char *equals = memchr(piece.text, '=', piece.length);
    size_t key_length = equals == NULL ? piece.length : (size_t)(equals - piece.text);
    *ret_key = (struct bench_span){ piece.text, key_length };
    if (equals == NULL)
        return 0;
    *ret_values = (struct bench_span){ equals + 1, piece.length - key_length - 1 };
    size_t count = 1;
    for (size_t i = 0; i < ret_values->length; i++)
        count += ret_values->text[i] == ',';
    return count;
}

size_t bench_params_count(const char *space)
{
    struct bench_span piece, key, values;
    size_t count = 1;
    while (bench_params_cut(&space, ';', &piece))
        count *= split_piece(piece, &key, &values);
    return count;
}

static struct bench_span nth_value(struct bench_span values, size_t index)
{
    const char *start = values.text, *end = values.text + values.length;
    for (; index > 0; index--)
        start = (const char *)memchr(start, ',', (size_t)(end - start)) + 1;
    const char *comma = memchr(start, ',', (size_t)(end - start));
    return (struct bench_span){ start, (size_t)((comma == NULL ? end : comma) - start) };
}

bool bench_params_combination(const char *space, size_t index, char ret_params[BENCH_PARAMS_SIZE])
{
    struct bench_span piece, key, values;
    size_t used = 0, below = bench_params_count(space);
    ret_params[0] = '\0';
    while (bench_params_cut(&space, ';', &piece)) {
        size_t count = split_piece(piece, &key, &values);
        if (count == 0)
            return false;
        below /= count;
        struct bench_span value = nth_value(values, index / below % count);
        int written = snprintf(ret_params + used, BENCH_PARAMS_SIZE - used, "%s%.*s=%.*s",
                               used == 0 ? "" : ";", (int)key.length, key.text, (int)value.length,
                               value.text);
        used += (size_t)written;
        if (used >= BENCH_PARAMS_SIZE)
            return false;
    }
    return true;
}

bool bench_params_contains(const char *space, const char *params)
{
    char combination[BENCH_PARAMS_SIZE];
    for (size_t i = 0; i < bench_params_count(space); i++) {
        if (bench_params_combination(space, i, combination) && strcmp(combination, params) == 0)
            return true;
    }
    return false;
}
