/* SPDX-License-Identifier: MIT */
#ifndef ISTI_LAYOUT_WRITER_H
#define ISTI_LAYOUT_WRITER_H
/*
 * Text into a buffer that may be too small: what does not fit is cut off, and counted all the same.
 */
#include <stddef.h>

typedef struct isti_writer {
    char *buffer;
    size_t size;   /* Bytes of the buffer, the zero at the end included; 0: nothing is written. */
    size_t length; /* Of the whole text, without that zero. */
    char last;     /* What was written last; 0: nothing. */
} isti_writer;

/* Nothing is written yet; from the first piece on the text ends in a zero byte, if there is room for one. */
static inline isti_writer isti_writer_of(char *buffer, size_t size)
{
    return (isti_writer){ .buffer = buffer, .size = size };
}

__attribute__((format(printf, 2, 3))) void isti_write(isti_writer *writer, const char *format, ...);
/* A word that is set apart from a word before it. */
void isti_write_word(isti_writer *writer, const char *word);
void isti_write_spaces(isti_writer *writer, size_t count);

#endif
