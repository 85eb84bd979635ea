/* SPDX-License-Identifier: MIT */
#ifndef ISTI_ABI_SYSV_X64_CLASSIFY_H
#define ISTI_ABI_SYSV_X64_CLASSIFY_H
/*
 * The classes of a type, psABI x86-64 3.2.3.
 */
#include "layout/layout.h"

#define ISTI_X64_EIGHTBYTES_MAX 8

typedef enum isti_x64_class {
    ISTI_X64_NO_CLASS,
    ISTI_X64_INTEGER,
    ISTI_X64_SSE,
    ISTI_X64_SSEUP,
    ISTI_X64_X87,
    ISTI_X64_X87UP,
    ISTI_X64_COMPLEX_X87
} isti_x64_class;

typedef struct isti_x64_classes {
    unsigned count; /* Eightbytes; 0: class MEMORY. */
    isti_x64_class of[ISTI_X64_EIGHTBYTES_MAX];
} isti_x64_classes;

/* Of a value that isti_callable_require() lets through. */
isti_x64_classes isti_x64_classify(const ist_layout *layout);

#endif
