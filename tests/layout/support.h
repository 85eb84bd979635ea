/* SPDX-License-Identifier: MIT */
#ifndef TEST_LAYOUT_SUPPORT_H
#define TEST_LAYOUT_SUPPORT_H
/* An arena for each test, and what the tests of layouts say about calls that make one. */
#include "support/expect.h"

/* Members are written as in the header's examples: what is left out is 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static ist_arena arena; /* Confined, of the test. */
static const ist_layout *const untouched = (const ist_layout *)&arena;

static int open_arena(void **state)
{
    (void)state;
    return ist_arena_open_confined(&arena) != IST_OK;
}

static int close_arena(void **state)
{
    (void)state;
    return ist_arena_close(arena) != IST_OK;
}

#define layout_test(function) cmocka_unit_test_setup_teardown(function, open_arena, close_arena)

/* A call whose last argument is &made, which is refused and leaves it alone. */
#define expect_refused(call, wanted)                                                               \
    do {                                                                                           \
        made = untouched;                                                                          \
        expect_status(call, wanted);                                                               \
        expect(made == untouched);                                                                 \
    } while (0)

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static inline const ist_layout *of(ist_type type)
{
    return ist_layout_of(type);
}

static inline const ist_layout *sequence(size_t count, const ist_layout *element)
{
    const ist_layout *made;
    expect_ok(ist_layout_sequence(arena, count, element, &made));
    return made;
}

static inline ist_member_info member(const ist_layout *layout, size_t index)
{
    ist_member_info info = { .size = sizeof info };
    expect_ok(ist_layout_member(layout, index, &info));
    expect_size(info.size, sizeof info);
    return info;
}

#endif
