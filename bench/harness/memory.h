/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_MEMORY_H
#define BENCH_HARNESS_MEMORY_H
/*
 * Heap memory and messages of the orchestrator, which can do nothing useful without memory:
 * running out of it ends the program with a sentence and exit status 1.
 */
#include <stddef.h>

/* Returns its argument, or ends the program if that is NULL. */
void *bench_need(void *memory);

/* Makes room for one more element in an array of count elements: doubles at powers of two. */
void *bench_grow(void *array, size_t count, size_t element_size);

/* Formatted text in memory that the caller frees. */
char *bench_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "isthmus bench: ..." and a newline to standard error. */
void bench_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
