/* SPDX-License-Identifier: MIT */
#ifndef TEST_LAYOUT_SHAPES_H
#define TEST_LAYOUT_SHAPES_H
/* Structs of C, and the same as layouts in an arena. */
#include "support/expect.h"

typedef struct point {
    double x, y;
} point;

typedef struct item {
    short id;
    char tag[6];
    union {
        int32_t number;
        float fraction;
    };
    point at[3];
    uint16_t grid[4][5];
} item;

/* What ends without an end. */
typedef struct list {
    uint32_t count;
    point points[];
} list;

typedef struct __attribute__((packed)) frame {
    uint8_t kind;
    uint64_t length;
    float ratio;
} frame;

typedef struct shapes {
    ist_arena arena;
    const ist_layout *point, *item, *items /* 10 */, *list, *frame;
} shapes;

shapes shapes_open(void);

/* Makers that must succeed. */
const ist_layout *shape_struct(ist_arena arena, const char *tag, const ist_member *members, size_t count);
const ist_layout *shape_array(ist_arena arena, size_t count, const ist_layout *element);
const ist_layout *shape_swapped(ist_arena arena, ist_type type); /* In the other byte order. */
const ist_layout *shape_pointer(ist_arena arena, const ist_layout *target);
ist_path shape_path(const ist_layout *root, const char *text);

#endif
