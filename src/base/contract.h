/* SPDX-License-Identifier: MIT */
#ifndef ISTI_BASE_CONTRACT_H
#define ISTI_BASE_CONTRACT_H
/*
 * Assertions. ISTI_ASSERT states what our own code guarantees; it is compiled in where
 * ISTI_ASSERTIONS is 1 (the debug and sanitizer presets) and ends the process. Misuse that the
 * library promises to detect is never an assertion: it gives a status.
 */
#ifndef ISTI_ASSERTIONS
#define ISTI_ASSERTIONS 0
#endif

/* Writes one line to standard error and aborts. */
_Noreturn void isti_assertion_failed(const char *condition, const char *file, int line);

#if ISTI_ASSERTIONS
#define ISTI_ASSERT(condition) \
    ((condition) ? (void)0 : isti_assertion_failed(#condition, __FILE__, __LINE__))
#else
#define ISTI_ASSERT(condition) ((void)sizeof(condition))
#endif

#endif
