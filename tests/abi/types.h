/* SPDX-License-Identifier: MIT */
#ifndef TEST_ABI_TYPES_H
#define TEST_ABI_TYPES_H
/*
 * Random types of C, as a layout and as text that declares the same: whoever compiles the text learns what the
 * compiler does with the layout. A seed determines both.
 */
#include "layout/layout.h"
#include "support/expect.h"
#include "support/random.h"

typedef struct test_types {
    test_random random;
    FILE *text; /* Declarations go here. */
    unsigned made;
    size_t vector_max; /* Bytes of the largest vector. */
    bool half, bfloat; /* The compiler has these. */
    bool gcc;          /* Also types that only GCC passes as GCC does. */
    bool bits, loose;  /* Bit-fields; members that may be misaligned. Only GCC passes both together as GCC does. */
} test_types;

typedef struct test_type {
    const ist_layout *layout;
    char name[40];
    uint8_t *mask; /* Which bits of its bytes mean something: sizeof many bytes. */
} test_type;

/* Before each function: decides what its types may have. */
void test_types_next(test_types *types);

/* What stands before all declarations. */
void test_types_begin(test_types *types);
/* Up to `depth` groups inside each other. */
test_type test_type_random(test_types *types, int depth);
test_type test_type_scalar(test_types *types, ist_type type);

#endif
