/* SPDX-License-Identifier: MIT */
/* Uses an inline, a slow half and an exported function, and prints what became of a stale segment. */
#include <isthmus/isthmus.h>

#include <stdio.h>

int main(void)
{
    ist_arena arena;
    ist_segment numbers;
    int64_t value = -1;
    IST_CHECK(ist_arena_open_confined(&arena));
    IST_CHECK(ist_arena_allocate(arena, 10 * sizeof(int64_t), sizeof(int64_t), &numbers));
    IST_CHECK(ist_set_i64(numbers, 8, 1));
    IST_CHECK(ist_arena_close(arena));
    ist_status status = ist_get_i64(numbers, 8, &value);
    printf("%s %s: %s\n", ist_version(), ist_status_name(status), ist_last_error());
    return value != -1;
}
