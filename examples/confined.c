/* SPDX-License-Identifier: MIT */
/*
 * Memory that cannot outlive its arena: a stale access is an error with a sentence, today and after
 * a million reuses.
 */
#include <isthmus/isthmus.h>

#include <inttypes.h>
#include <stdio.h>

static ist_status sum_of(ist_segment numbers, size_t count, int64_t *ret_sum)
{
    ist_status status;
    int64_t sum = 0;
    IST_WITH_READ (const int64_t, number, numbers, 0, count, status) {
        for (size_t i = 0; i < count; i++)
            sum += number[i];
    }
    if (status == IST_OK)
        *ret_sum = sum;
    return status;
}

int main(void)
{
    ist_arena arena;
    ist_segment numbers;
    IST_CHECK(ist_arena_open_confined(&arena));
    /* zeroed */
    IST_CHECK(ist_arena_allocate(arena, 10 * sizeof(int64_t), _Alignof(int64_t), &numbers));
    for (size_t i = 0; i < 10; i++)
        IST_CHECK(ist_set_i64(numbers, i * sizeof(int64_t), (int64_t)(i * i)));
    int64_t sum = 0;
    IST_CHECK(sum_of(numbers, 10, &sum));
    printf("the sum is %" PRId64 "\n", sum);

    int64_t value = -1;
    ist_status status = ist_get_i64(numbers, 80, &value);
    printf("%s: %s\n", ist_status_name(status), ist_last_error());

    IST_CHECK(ist_arena_close(arena));
    for (int i = 0; i < 1000000; i++) {
        IST_CHECK(ist_arena_open_confined(&arena));
        IST_CHECK(ist_arena_close(arena));
    }
    status = ist_get_i64(numbers, 8, &value);
    printf("%s: %s\n", ist_status_name(status), ist_last_error());
    printf("the value is still %" PRId64 "\n", value);
    return 0;
}
