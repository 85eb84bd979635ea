/* SPDX-License-Identifier: MIT */
#ifndef ISTI_BASE_TEXT_H
#define ISTI_BASE_TEXT_H
/*
 * A text of bounded length, built piece by piece. What does not fit is cut off; the text always
 * ends in a zero byte.
 */
#include <stddef.h>

typedef struct isti_text {
    char *buffer;
    size_t capacity; /* Bytes, the zero byte included; at least 1. */
    size_t length;   /* Of what was written, without the zero byte; below capacity. */
} isti_text;

isti_text isti_text_in(char *buffer, size_t capacity);
__attribute__((format(printf, 2, 3))) void isti_text_add(isti_text *text, const char *format, ...);

#endif
