/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_SINK_H
#define BENCH_HARNESS_SINK_H
/*
 * Keeping the optimiser honest. None of these costs an instruction.
 */

/* The compiler must have computed the value, and must assume that its memory was looked at and
 * that any memory may have changed. */
#define bench_sink(value) __asm__ volatile("" : : "r"(value) : "memory")

/* From here on the compiler knows nothing about the variable's value. */
#define bench_hide(variable) __asm__ volatile("" : "+r"(variable))

#endif
