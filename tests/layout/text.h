/* SPDX-License-Identifier: MIT */
#ifndef TEST_LAYOUT_TEXT_H
#define TEST_LAYOUT_TEXT_H
/* What the tests of C text share: an arena for each. */
#include "support/expect.h"

/* The arena of a test; open while it runs. */
static ist_arena arena;

static inline int open_arena(void **state)
{
    int failed = test_setup(state);
    expect_ok(ist_arena_open_confined(&arena));
    return failed;
}

static inline int close_arena(void **state)
{
    (void)state;
    expect_ok(ist_arena_close(arena));
    return 0;
}

#define text_case(function) cmocka_unit_test_setup_teardown(function, open_arena, close_arena)

/* What a text stands for. */
static inline const ist_layout *parsed(const char *text)
{
    const ist_layout *layout = NULL;
    test_context("%.200s", text);
    expect_ok(ist_layout_parse(arena, text, &layout));
    return layout;
}

#endif
