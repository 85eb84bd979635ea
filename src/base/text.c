/* SPDX-License-Identifier: MIT */
/* Bounded text; see the header. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

isti_text isti_text_in(char *buffer, size_t capacity)
{
    buffer[0] = '\0';
    return (isti_text){ .buffer = buffer, .capacity = capacity };
}

void isti_text_add(isti_text *text, const char *format, ...)
{
    size_t room = text->capacity - text->length;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text->buffer + text->length, room, format, arguments);
    va_end(arguments);
    if (wanted < 0)
        return;
    text->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}
