/* SPDX-License-Identifier: MIT */
/* Text of any length into a bounded buffer; see the header. */
#include "layout/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(isti_writer *writer, const char *text, size_t length)
{
    if (length == 0)
        return;
    if (writer->length < writer->size) {
        size_t room = writer->size - writer->length - 1;
        size_t fits = length < room ? length : room;
        memcpy(writer->buffer + writer->length, text, fits);
        writer->buffer[writer->length + fits] = '\0';
    }
    writer->length += length;
    writer->last = text[length - 1];
}

void isti_write(isti_writer *writer, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* Names, which may be longer, are written as words. */
    if (length > 0)
        add(writer, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

void isti_write_word(isti_writer *writer, const char *word)
{
    char last = writer->last;
    if (last != 0 && last != ' ' && last != '*' && last != '(' && last != '\n')
        add(writer, " ", 1);
    add(writer, word, strlen(word));
}

void isti_write_spaces(isti_writer *writer, size_t count)
{
    for (; count > 0; count--)
        add(writer, " ", 1);
}
