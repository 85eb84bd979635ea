/* SPDX-License-Identifier: MIT */
/* Checked arithmetic on sizes, against arithmetic with twice the bits. */
#include "base/size.h"
#include "support/expect.h"

__extension__ typedef unsigned __int128 wide;

static const size_t edges[] = { 0, 1, 2, 3, 7, 8, 63, 64, 255, 65535, 65536, (size_t)1 << 31, ((size_t)1 << 32) - 1,
                                (size_t)1 << 32, ((size_t)1 << 32) + 1, (size_t)1 << 62, SIZE_MAX / 3, SIZE_MAX / 2,
                                SIZE_MAX / 2 + 1, SIZE_MAX - 8, SIZE_MAX - 1, SIZE_MAX };
enum { EDGES = sizeof edges / sizeof edges[0] };

static void sums_and_products(void **state)
{
    (void)state;
    for (size_t i = 0; i < EDGES; i++) {
        for (size_t j = 0; j < EDGES; j++) {
            test_context("%zu and %zu", edges[i], edges[j]);
            wide sum = (wide)edges[i] + edges[j], product = (wide)edges[i] * edges[j];
            size_t got = 4711;
            expect(isti_size_add(edges[i], edges[j], &got) == (sum <= SIZE_MAX));
            expect(got == (sum <= SIZE_MAX ? (size_t)sum : 4711));
            got = 4711;
            expect(isti_size_multiply(edges[i], edges[j], &got) == (product <= SIZE_MAX));
            expect(got == (product <= SIZE_MAX ? (size_t)product : 4711));
        }
    }
}

static void results_in_place(void **state)
{
    (void)state;
    size_t value = 40;
    expect(isti_size_add(value, 2, &value) && value == 42);
    expect(isti_size_multiply(value, 10, &value) && value == 420);
    expect(!isti_size_multiply(value, SIZE_MAX, &value) && value == 420);
}

static void powers_of_two(void **state)
{
    (void)state;
    size_t powers = 0;
    for (size_t value = 0; value < 100000; value++)
        powers += isti_is_power_of_two(value);
    expect_size(powers, 17); /* 2^0 to 2^16. */
    for (size_t shift = 0; shift < 64; shift++) {
        expect(isti_is_power_of_two((size_t)1 << shift));
        expect(shift == 0 || !isti_is_power_of_two(((size_t)1 << shift) + 1));
        expect(shift < 2 || !isti_is_power_of_two(((size_t)1 << shift) - 1));
    }
    expect(!isti_is_power_of_two(0) && !isti_is_power_of_two(SIZE_MAX));
}

static void multiples(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 12; shift++) {
        size_t alignment = (size_t)1 << shift;
        for (uintptr_t value = 0; value < 5000; value++)
            expect(isti_align_up(value, alignment) == (value + alignment - 1) / alignment * alignment);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(sums_and_products),
        test_case(results_in_place),
        test_case(powers_of_two),
        test_case(multiples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
