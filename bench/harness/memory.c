/* SPDX-License-Identifier: MIT */
/*
 * Heap memory that is there or the program ends, and the one form of complaint.
 * Not done here: freeing; the orchestrator's tables live until it exits.
 */
#include "harness/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void *bench_need(void *memory)
{
    if (memory == NULL) {
        bench_complain("out of memory");
        exit(1);
    }
    return memory;
}

void *bench_grow(void *array, size_t count, size_t element_size)
{
    if ((count & (count - 1)) != 0)
        return array;
    size_t capacity = count == 0 ? 1 : 2 * count;
    return bench_need(reallocarray(array, capacity, element_size));
}

char *bench_text(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return bench_need(length < 0 ? NULL : text);
}

void bench_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("isthmus bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
