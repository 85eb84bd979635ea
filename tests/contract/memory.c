/* SPDX-License-Identifier: MIT */
/*
 * What arenas allocate: zeroed whatever was there before, aligned, apart from each other, and never less than asked for.
 * Runs in each memory mode (ISTHMUS_DEBUG). Arguments: seed.
 */
#include "support/expect.h"
#include "support/random.h"

static test_random numbers;

static ist_arena opened(void)
{
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
    return arena;
}

/* ---- Blocks and whether they overlap ---- */

typedef struct block {
    ist_segment segment;
    uint8_t value; /* Of each byte. */
} block;

static int by_address(const void *a, const void *b)
{
    uintptr_t first = ist_segment_address(((const block *)a)->segment);
    uintptr_t second = ist_segment_address(((const block *)b)->segment);
    return first < second ? -1 : first > second;
}

/* Sorts the blocks. A block of 0 bytes has an address of its own, as if it had one byte. */
static void expect_apart(block *blocks, size_t count)
{
    qsort(blocks, count, sizeof *blocks, by_address);
    for (size_t i = 0; i + 1 < count; i++) {
        uintptr_t address = ist_segment_address(blocks[i].segment);
        size_t size = ist_segment_size(blocks[i].segment);
        expect(address != 0);
        expect(address + (size == 0 ? 1 : size) <= ist_segment_address(blocks[i + 1].segment));
    }
}

/* ---- Zero bytes ---- */

static void nothing_has_an_address(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static block blocks[COUNT];
    ist_arena arenas[] = { opened(), ist_arena_global() };
    for (size_t a = 0; a < 2; a++) {
        for (size_t i = 0; i < COUNT; i++) {
            size_t alignment = (size_t)1 << (i % 7);
            if (i % 3 == 0)
                expect_ok(ist_arena_allocate_uninitialized(arenas[a], 0, alignment, &blocks[i].segment));
            else
                expect_ok(ist_arena_allocate(arenas[a], i % 3 == 1 ? 0 : i % 50, alignment, &blocks[i].segment));
            expect(ist_segment_address(blocks[i].segment) != 0);
            expect(ist_segment_address(blocks[i].segment) % alignment == 0);
        }
        expect_apart(blocks, COUNT);
    }
    uint8_t value = 3;
    ist_segment none;
    expect_ok(ist_arena_allocate(arenas[0], 0, 4096, &none));
    expect_size(ist_segment_size(none), 0);
    expect(ist_segment_address(none) % 4096 == 0);
    expect_status(ist_get_u8(none, 0, &value), IST_E_BOUNDS);
    expect_ok(ist_arena_close(arenas[0]));
}

/* ---- Alignment ---- */

static void every_alignment(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 7, 8, 24, 100, 1000, 4096, 70000, 3000000 };
    for (size_t shift = 0; shift <= 21; shift++) {
        ist_arena arena = opened();
        block blocks[2 * sizeof sizes / sizeof sizes[0]];
        size_t count = 0;
        for (size_t i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; i++) {
            size_t size = sizes[i / 2];
            test_context("%zu bytes aligned to 2^%zu", size, shift);
            ist_segment segment;
            if (i % 2 == 0)
                expect_ok(ist_arena_allocate(arena, size, (size_t)1 << shift, &segment));
            else
                expect_ok(ist_arena_allocate_uninitialized(arena, size, (size_t)1 << shift, &segment));
            expect(ist_segment_address(segment) % ((size_t)1 << shift) == 0);
            expect_size(ist_segment_size(segment), size);
            expect(i % 2 != 0 || test_all_bytes(segment.address, size, 0));
            expect_ok(ist_segment_fill(&segment, 0xA5));
            blocks[count++].segment = segment;
        }
        expect_apart(blocks, count);
        expect_ok(ist_arena_close(arena));
    }
}

static void alignments_that_are_none(void **state)
{
    (void)state;
    static const size_t alignments[] = { 0, 3, 5, 6, 7, 12, 24, 100, SIZE_MAX, ((size_t)1 << 63) + 1, (size_t)3 << 62 };
    ist_arena arena = opened();
    for (size_t i = 0; i < sizeof alignments / sizeof alignments[0]; i++) {
        for (size_t size = 0; size < 3; size++) {
            test_context("alignment %zu", alignments[i]);
            ist_segment segment;
            memset(&segment, 0xEE, sizeof segment);
            expect_status(ist_arena_allocate(arena, size, alignments[i], &segment), IST_E_ARGUMENT);
            expect_status(ist_arena_allocate_uninitialized(arena, size, alignments[i], &segment), IST_E_ARGUMENT);
            expect_status(ist_arena_allocate(ist_arena_global(), size, alignments[i], &segment), IST_E_ARGUMENT);
            expect(test_all_bytes(&segment, sizeof segment, 0xEE));
            expect_size(test_last_error().alignment, alignments[i]);
        }
    }
    expect_ok(ist_arena_close(arena));
}

/* ---- Too much ---- */

/* A huge request never becomes a small one, and the arena goes on as if nothing had been asked. */
static void more_than_there_is(void **state)
{
    (void)state;
    const struct {
        size_t size, alignment;
        bool sum_is_representable;
    } cases[] = {
        { (size_t)1 << 62, 1, true },
        { (size_t)1 << 60, 8, true },
        { ((size_t)1 << 62) + 12345, 4096, true },
        { 1, (size_t)1 << 62, true },
        { SIZE_MAX, 2, false },
        { SIZE_MAX, 4096, false },
        { SIZE_MAX - 6, 8, false },
        { SIZE_MAX - 62, 64, false },
        { ((size_t)1 << 63) + 1, (size_t)1 << 63, false },
        { SIZE_MAX, (size_t)1 << 63, false },
    };
    ist_arena arenas[] = { opened(), ist_arena_global() };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t a = 0; a < 2; a++) {
            test_context("%zu bytes aligned to %zu, %s", cases[i].size, cases[i].alignment, a == 0 ? "confined" : "global");
            ist_status wanted = cases[i].sum_is_representable ? IST_E_NO_MEMORY : IST_E_OVERFLOW;
            ist_segment segment, before, after;
            memset(&segment, 0xEE, sizeof segment);
            expect_ok(ist_arena_allocate(arenas[a], 16, 16, &before));
            expect_ok(ist_segment_fill(&before, 0x44));
            size_t live = test_stats().bytes_live;
            expect_status(ist_arena_allocate(arenas[a], cases[i].size, cases[i].alignment, &segment), wanted);
            expect_size(test_last_error().length, cases[i].size);
            expect_status(ist_arena_allocate_uninitialized(arenas[a], cases[i].size, cases[i].alignment, &segment), wanted);
            expect(test_all_bytes(&segment, sizeof segment, 0xEE));
            expect_size(test_stats().bytes_live, live);
            expect(test_all_bytes(before.address, 16, 0x44));
            expect_ok(ist_arena_allocate(arenas[a], 16, 16, &after));
            expect(test_all_bytes(after.address, 16, 0));
        }
    }
    expect_ok(ist_arena_close(arenas[0]));
}

/* Between 2^62 and what is not representable the answer is one of two; small memory it never is. */
static void nearly_not_representable(void **state)
{
    (void)state;
    const struct {
        size_t size, alignment;
    } cases[] = { { SIZE_MAX, 1 }, { SIZE_MAX - 1, 1 }, { SIZE_MAX - 7, 8 }, { SIZE_MAX - 64, 1 }, { SIZE_MAX - 4096, 16 },
                  { SIZE_MAX / 2, 1 }, { SIZE_MAX / 2 + 1, 1 }, { 0, (size_t)1 << 63 }, { 1, (size_t)1 << 63 } };
    ist_arena arena = opened();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_context("%zu bytes aligned to %zu", cases[i].size, cases[i].alignment);
        ist_segment segment;
        memset(&segment, 0xEE, sizeof segment);
        ist_status status = ist_arena_allocate(arena, cases[i].size, cases[i].alignment, &segment);
        expect(status == IST_E_NO_MEMORY || status == IST_E_OVERFLOW);
        expect(test_all_bytes(&segment, sizeof segment, 0xEE));
    }
    expect_ok(ist_arena_close(arena));
}

/* ---- Zeroed ---- */

/* Sizes of every class, and around the powers of two at which classes tend to change. */
static size_t size_number(size_t i)
{
    static const size_t large[] = { 4095, 4096, 4097, 8000, 16384, 32000, 32768, 33000, 65536, 100000, 300000, 1048576, 2500000 };
    return i < 1100 ? i : large[(i - 1100) % (sizeof large / sizeof large[0])];
}
enum { SIZE_NUMBERS = 1113 };

static void dirty_everything(ist_arena arena)
{
    for (size_t i = 0; i < SIZE_NUMBERS; i++) {
        ist_segment segment;
        expect_ok(ist_arena_allocate_uninitialized(arena, size_number(i), 1, &segment));
        expect_ok(ist_segment_fill(&segment, 0xA5));
    }
}

static void expect_zeroed(ist_arena arena, size_t size, size_t alignment)
{
    ist_segment segment;
    expect_ok(ist_arena_allocate(arena, size, alignment, &segment));
    expect(test_all_bytes(segment.address, size, 0));
    expect_ok(ist_segment_fill(&segment, 0xA5));
}

/* An earlier life never shows: one arena after another, each left full of 0xA5. */
static void an_earlier_life_never_shows(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZE_NUMBERS; i++) {
        test_context("%zu bytes after a dirty life", size_number(i));
        ist_arena arena = opened();
        expect_zeroed(arena, size_number(i), 8);
        expect_zeroed(arena, size_number(i), 1);
        expect_zeroed(arena, 1, 64);
        expect_ok(ist_arena_close(arena));
    }
    for (size_t round = 0; round < 3; round++) {
        ist_arena arena = opened();
        dirty_everything(arena);
        expect_ok(ist_arena_close(arena));
        if (round == 1)
            (void)ist_trim();
        arena = opened();
        for (size_t i = 0; i < SIZE_NUMBERS; i++) {
            test_context("%zu bytes in round %zu", size_number(i), round);
            expect_zeroed(arena, size_number(i), 1);
        }
        expect_ok(ist_arena_close(arena));
    }
}

/* The last life used less, or more, of the memory than the one before it. */
static void lives_of_all_lengths(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3000; i++) {
        ist_arena arena = opened();
        size_t blocks = (size_t)test_random_below(&numbers, 12);
        for (size_t j = 0; j < blocks; j++) {
            size_t size = (size_t)test_random_below(&numbers, (uint64_t)1 << test_random_below(&numbers, 14));
            size_t alignment = (size_t)1 << test_random_below(&numbers, 8);
            test_context("life %zu, block %zu of %zu bytes", i, j, size);
            if (test_random_below(&numbers, 3) == 0) {
                ist_segment segment;
                expect_ok(ist_arena_allocate_uninitialized(arena, size, alignment, &segment));
                expect_ok(ist_segment_fill(&segment, 0xA5));
            } else {
                expect_zeroed(arena, size, alignment);
            }
        }
        expect_ok(ist_arena_close(arena));
    }
}

/* Constant sizes, which a compiler expands on its own terms. */
#define ZEROED_CONSTANT(size)                                                                      \
    do {                                                                                           \
        ist_segment constant;                                                                      \
        expect_ok(ist_arena_allocate(arena, size, 8, &constant));                                  \
        expect(test_all_bytes(constant.address, size, 0));                                         \
        expect_ok(ist_segment_fill(&constant, 0xA5));                                              \
    } while (0)

static void constant_sizes(void **state)
{
    (void)state;
    for (size_t life = 0; life < 20; life++) {
        test_context("life %zu", life);
        ist_arena arena = opened();
        ZEROED_CONSTANT(1);
        ZEROED_CONSTANT(5);
        ZEROED_CONSTANT(8);
        ZEROED_CONSTANT(16);
        ZEROED_CONSTANT(40);
        ZEROED_CONSTANT(64);
        ZEROED_CONSTANT(65);
        ZEROED_CONSTANT(100);
        ZEROED_CONSTANT(128);
        ZEROED_CONSTANT(500);
        ZEROED_CONSTANT(1024);
        ZEROED_CONSTANT(8000);
        expect_ok(ist_arena_close(arena));
    }
}

/* ---- Apart ---- */

/* Random blocks, each with a value of its own that no other block's clearing or filling disturbs. */
static void blocks_never_overlap_in(ist_arena arena, size_t lives)
{
    enum { COUNT = 400 };
    static block blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = (size_t)test_random_below(&numbers, (uint64_t)1 << test_random_below(&numbers, i % 50 == 0 ? 18 : 10));
        size_t alignment = (size_t)1 << test_random_below(&numbers, 9);
        bool zeroed = test_random_below(&numbers, 2) != 0;
        test_context("life %zu, block %zu of %zu bytes", lives, i, size);
        if (zeroed)
            expect_ok(ist_arena_allocate(arena, size, alignment, &blocks[i].segment));
        else
            expect_ok(ist_arena_allocate_uninitialized(arena, size, alignment, &blocks[i].segment));
        expect(!zeroed || test_all_bytes(blocks[i].segment.address, size, 0));
        blocks[i].value = (uint8_t)(1 + i % 255);
        expect_ok(ist_segment_fill(&blocks[i].segment, blocks[i].value));
    }
    for (size_t i = 0; i < COUNT; i++)
        expect(test_all_bytes(blocks[i].segment.address, blocks[i].segment.size, blocks[i].value));
    expect_apart(blocks, COUNT);
}

static void blocks_never_overlap(void **state)
{
    (void)state;
    for (size_t life = 0; life < 60; life++) {
        ist_arena arena = opened();
        blocks_never_overlap_in(arena, life);
        expect_ok(ist_arena_close(arena));
    }
}

static void blocks_of_the_global_arena_never_overlap(void **state)
{
    (void)state;
    for (size_t life = 0; life < 3; life++)
        blocks_never_overlap_in(ist_arena_global(), life);
}

/* Blocks of several arenas that are open at once, allocated in turns. */
static void arenas_never_overlap(void **state)
{
    (void)state;
    enum { ARENAS = 20, EACH = 60 };
    static block blocks[ARENAS * EACH];
    for (size_t round = 0; round < 5; round++) {
        ist_arena arenas[ARENAS];
        for (size_t a = 0; a < ARENAS; a++)
            arenas[a] = opened();
        for (size_t i = 0; i < ARENAS * EACH; i++) {
            size_t size = (size_t)test_random_below(&numbers, 200);
            expect_ok(ist_arena_allocate(arenas[i % ARENAS], size, 1, &blocks[i].segment));
            expect(test_all_bytes(blocks[i].segment.address, size, 0));
            blocks[i].value = (uint8_t)(1 + i % 255);
            expect_ok(ist_segment_fill(&blocks[i].segment, blocks[i].value));
        }
        for (size_t i = 0; i < ARENAS * EACH; i++)
            expect(test_all_bytes(blocks[i].segment.address, blocks[i].segment.size, blocks[i].value));
        expect_apart(blocks, ARENAS * EACH);
        for (size_t a = 0; a < ARENAS; a++)
            expect_ok(ist_arena_close(arenas[a]));
    }
}

/* ---- The global arena ---- */

typedef struct shared {
    ist_segment segment;
} shared;

static void allocate_globally(void *data)
{
    shared *s = data;
    expect_ok(ist_arena_allocate(ist_arena_global(), 1000, 8, &s->segment));
    expect_ok(ist_set_u64(s->segment, 8, 42));
}

static void global_memory_is_everybodys(void **state)
{
    (void)state;
    shared s;
    uint64_t value = 0;
    test_on_thread(allocate_globally, &s);
    expect_ok(ist_get_u64(s.segment, 8, &value));
    expect(value == 42);
    expect(ist_segment_is_alive(&s.segment) && ist_segment_is_accessible(&s.segment));
    expect_ok(ist_segment_fill(&s.segment, 3));
}

/* ---- Giving back ---- */

static void large_memory_goes_back(void **state)
{
    (void)state;
    (void)ist_trim();
    size_t before = test_stats().bytes_live;
    for (size_t round = 0; round < 20; round++) {
        ist_arena arena = opened();
        ist_segment segment;
        expect_ok(ist_arena_allocate(arena, 10 << 20, 8, &segment));
        expect(test_stats().bytes_live >= before + (10 << 20));
        expect_ok(ist_arena_close(arena));
        expect(test_stats().bytes_live < before + (1 << 20));
    }
    (void)ist_trim();
    expect_size(test_stats().bytes_live, before);
}

static void trimming_gives_the_cache_back(void **state)
{
    (void)state;
    ist_arena arenas[8];
    (void)ist_trim();
    size_t before = test_stats().bytes_live;
    for (size_t i = 0; i < 8; i++) {
        ist_segment segment;
        arenas[i] = opened();
        expect_ok(ist_arena_allocate(arenas[i], 200, 8, &segment));
        expect_ok(ist_segment_fill(&segment, 0xA5));
    }
    for (size_t i = 0; i < 8; i++)
        expect_ok(ist_arena_close(arenas[i]));
    size_t cached = test_stats().bytes_live - before;
    expect_size(ist_trim(), cached);
    expect_size(test_stats().bytes_live, before);
    expect_size(ist_trim(), 0);
    ist_arena arena = opened();
    expect_zeroed(arena, 200, 8);
    expect_ok(ist_arena_close(arena));
}

/* Trimming while arenas are open leaves them alone. */
static void trimming_spares_open_arenas(void **state)
{
    (void)state;
    ist_arena arena = opened();
    ist_segment segment;
    expect_ok(ist_arena_allocate(arena, 300, 8, &segment));
    expect_ok(ist_segment_fill(&segment, 0x6B));
    (void)ist_trim();
    expect(test_all_bytes(segment.address, 300, 0x6B));
    expect_zeroed(arena, 300, 8);
    expect_ok(ist_arena_close(arena));
}

int main(int count, char **arguments)
{
    numbers = test_random_seeded(count, arguments, 1);
    static const struct CMUnitTest tests[] = {
        test_case(nothing_has_an_address),
        test_case(every_alignment),
        test_case(alignments_that_are_none),
        test_case(more_than_there_is),
        test_case(nearly_not_representable),
        test_case(an_earlier_life_never_shows),
        test_case(lives_of_all_lengths),
        test_case(constant_sizes),
        test_case(blocks_never_overlap),
        test_case(blocks_of_the_global_arena_never_overlap),
        test_case(arenas_never_overlap),
        test_case(global_memory_is_everybodys),
        test_case(large_memory_goes_back),
        test_case(trimming_gives_the_cache_back),
        test_case(trimming_spares_open_arenas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
