/* SPDX-License-Identifier: MIT */
/* Moves that swap bytes, with and without AVX2: this processor takes one of the two only where callers ask. */
#include "memory/swap.h"
#include "os/processor.h"
#include "support/expect.h"

enum { ROOM = 1200, FROM = 400, MOST = 400 };
static uint8_t room[ROOM], wanted[ROOM];

static void number_bytes(uint8_t *bytes)
{
    for (size_t i = 0; i < ROOM; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251);
}

/* Each length up to some blocks, to each side by each small distance and by some that leave a gap. */
static void try(size_t size, bool wide)
{
    static const ptrdiff_t gaps[] = { -390, -200, -129, 129, 200, 390 };
    isti_move_fn *move = isti_swap_move(size, wide);
    for (size_t length = 0; length <= MOST; length += size) {
        for (ptrdiff_t i = -70; i < 70 + 6; i++) {
            ptrdiff_t distance = i < 70 ? i : gaps[i - 70];
            test_context("%zu bytes in elements of %zu by %td, wide: %d", length, size, distance, wide);
            number_bytes(room);
            number_bytes(wanted);
            for (size_t j = 0; j < length; j++)
                wanted[FROM + distance + (ptrdiff_t)j] = room[FROM + j / size * size + (size - 1 - j % size)];
            expect(move(room + FROM + distance, room + FROM, length) == room + FROM + distance);
            expect(memcmp(room, wanted, ROOM) == 0);
        }
    }
}

static void moves(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 16; size *= 2) {
        try(size, false);
        if (isti_processor_has_avx2())
            try(size, true);
    }
}

static void sizes_without_order(void **state)
{
    (void)state;
    for (size_t size = 0; size < 40; size++) {
        bool swaps = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
        expect((isti_swap_move(size, false) != NULL) == swaps && (isti_swap_move(size, true) != NULL) == swaps);
    }
    expect(isti_swap_move(SIZE_MAX, true) == NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(moves),
        test_case(sizes_without_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
