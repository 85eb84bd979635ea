/* SPDX-License-Identifier: MIT */
/* Frames: a thread's stack of scratch memory. */
#include "support/expect.h"

static ist_frame pushed(size_t size, size_t alignment)
{
    ist_frame frame;
    expect_ok(ist_frame_push(size, alignment, &frame));
    return frame;
}

static ist_segment block_of(ist_frame *frame, size_t size, size_t alignment)
{
    ist_segment segment;
    expect_ok(ist_frame_allocate(frame, size, alignment, &segment));
    expect(ist_segment_address(segment) % alignment == 0 && ist_segment_address(segment) != 0);
    expect_size(ist_segment_size(segment), size);
    expect_ok(ist_segment_fill(&segment, 0xA5)); /* All of it is there. */
    return segment;
}

static void a_frame_has_its_room(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 8, 64, 100, 256, 1000, 5000, 70000, 1000000 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t shift = 0; shift <= 12; shift++) {
            test_context("%zu bytes aligned to 2^%zu", sizes[i], shift);
            ist_frame frame = pushed(sizes[i], (size_t)1 << shift);
            expect_size(frame.depth, 1);
            (void)block_of(&frame, sizes[i], (size_t)1 << shift);
            expect_ok(ist_frame_pop(&frame));
        }
    }
}

static void blocks_end_with_the_frame(void **state)
{
    (void)state;
    ist_frame frame = pushed(64, 8);
    ist_segment block = block_of(&frame, 16, 8);
    uint64_t value = 0;
    expect_ok(ist_get_u64(block, 8, &value));
    expect_ok(ist_frame_pop(&frame));
    value = 3;
    expect_status(ist_get_u64(block, 8, &value), IST_E_CLOSED);
    expect(value == 3);
    expect(!ist_segment_is_alive(&block));
    /* Also while the next frame has the same memory. */
    ist_frame next = pushed(64, 8);
    (void)block_of(&next, 16, 8);
    expect_status(ist_set_u64(block, 8, 1), IST_E_CLOSED);
    expect_ok(ist_frame_pop(&next));
}

static void nesting(void **state)
{
    (void)state;
    enum { DEEP = 200 };
    static ist_frame frames[DEEP];
    static ist_segment blocks[DEEP];
    for (size_t i = 0; i < DEEP; i++) {
        frames[i] = pushed(24, 8);
        expect_size(frames[i].depth, i + 1);
        blocks[i] = block_of(&frames[i], 24, 8);
        expect_ok(ist_segment_fill(&blocks[i], (uint8_t)i));
    }
    for (size_t i = DEEP; i-- > 0;) {
        for (size_t j = 0; j <= i; j++)
            expect(test_all_bytes(blocks[j].address, 24, (uint8_t)j));
        expect_ok(ist_frame_pop(&frames[i]));
        expect(!ist_segment_is_alive(&blocks[i]));
        expect(i == 0 || ist_segment_is_alive(&blocks[i - 1]));
    }
}

static void popping_out_of_order(void **state)
{
    (void)state;
    ist_frame first = pushed(32, 8);
    ist_segment a = block_of(&first, 0, 1);
    ist_frame second = pushed(32, 8);
    ist_segment b = block_of(&second, 8, 8);
    ist_frame third = pushed(1000000, 8);
    ist_segment c = block_of(&third, 8, 8);
    ist_frame untouched = first;
    expect_status(ist_frame_pop(&first), IST_E_BUSY);
    expect(memcmp(&untouched, &first, sizeof first) == 0);
    expect_status(ist_frame_pop(&second), IST_E_BUSY);
    expect(ist_segment_is_alive(&a) && ist_segment_is_alive(&b) && ist_segment_is_alive(&c));
    expect_ok(ist_frame_pop(&third));
    expect_status(ist_frame_pop(&first), IST_E_BUSY);
    expect_ok(ist_set_u8(b, 0, 1));
    expect_ok(ist_frame_pop(&second));
    expect_ok(ist_frame_pop(&first));
}

static void allocating_below_the_top(void **state)
{
    (void)state;
    ist_frame first = pushed(64, 8), second = pushed(64, 8);
    ist_segment segment, before;
    memset(&segment, 0xEE, sizeof segment);
    before = segment;
    expect_status(ist_frame_allocate(&first, 8, 8, &segment), IST_E_BUSY);
    expect_status(ist_allocate(ist_frame_allocator(&first), 8, 8, &segment), IST_E_BUSY);
    expect(memcmp(&before, &segment, sizeof segment) == 0);
    expect_ok(ist_frame_allocate(&second, 8, 8, &segment));
    expect_ok(ist_frame_pop(&second));
    expect_ok(ist_frame_allocate(&first, 8, 8, &segment));
    expect_ok(ist_frame_pop(&first));
}

static void popping_twice(void **state)
{
    (void)state;
    ist_frame frame = pushed(64, 8), copy = frame;
    ist_segment segment;
    expect_ok(ist_frame_pop(&frame));
    expect_status(ist_frame_pop(&frame), IST_E_CLOSED);
    expect_status(ist_frame_pop(&copy), IST_E_CLOSED);
    expect_status(ist_frame_allocate(&frame, 8, 8, &segment), IST_E_CLOSED);
    ist_frame next = pushed(64, 8);
    expect_status(ist_frame_pop(&copy), IST_E_CLOSED);
    expect_status(ist_frame_allocate(&copy, 8, 8, &segment), IST_E_CLOSED);
    expect_ok(ist_frame_allocate(&next, 8, 8, &segment));
    expect_ok(ist_frame_pop(&next));
}

static void bad_arguments(void **state)
{
    (void)state;
    ist_frame frame, before;
    ist_segment segment;
    memset(&frame, 0xEE, sizeof frame);
    before = frame;
    expect_status(ist_frame_push(64, 8, NULL), IST_E_ARGUMENT);
    expect_status(ist_frame_push(64, 0, &frame), IST_E_ARGUMENT);
    expect_status(ist_frame_push(64, 12, &frame), IST_E_ARGUMENT);
    expect_status(ist_frame_push(test_opaque(SIZE_MAX), 16, &frame), IST_E_OVERFLOW);
    expect(memcmp(&before, &frame, sizeof frame) == 0);
    expect_status(ist_frame_pop(NULL), IST_E_ARGUMENT);
    frame = pushed(64, 8);
    expect_size(frame.depth, 1); /* The failed ones have left nothing. */
    memset(&segment, 0xEE, sizeof segment);
    expect_status(ist_frame_allocate(&frame, 8, 0, &segment), IST_E_ARGUMENT);
    expect_status(ist_frame_allocate(&frame, 8, 24, &segment), IST_E_ARGUMENT);
    expect_status(ist_frame_allocate(&frame, 8, 8, NULL), IST_E_ARGUMENT);
    expect_status(ist_frame_allocate(&frame, test_opaque(SIZE_MAX), 16, &segment), IST_E_OVERFLOW);
    expect_status(ist_frame_allocate(&frame, (size_t)1 << 60, 16, &segment), IST_E_NO_MEMORY);
    expect(test_all_bytes(&segment, sizeof segment, 0xEE));
    (void)block_of(&frame, 64, 8);
    expect_ok(ist_frame_pop(&frame));
}

/* Memory that there is not is refused when the frame is pushed or, at the latest, when it is asked for. */
static void more_than_there_is(void **state)
{
    (void)state;
    ist_frame frame;
    ist_segment segment;
    ist_status status = ist_frame_push((size_t)1 << 60, 16, &frame);
    expect(status == IST_OK || status == IST_E_NO_MEMORY);
    if (status == IST_OK) {
        expect_status(ist_frame_allocate(&frame, (size_t)1 << 60, 16, &segment), IST_E_NO_MEMORY);
        (void)block_of(&frame, 100, 16);
        expect_ok(ist_frame_pop(&frame));
    }
    frame = pushed(64, 8);
    expect_size(frame.depth, 1);
    expect_ok(ist_frame_pop(&frame));
}

/* What does not fit the frame, or the thread's block, comes from ordinary memory; nothing overlaps. */
static void more_than_the_room(void **state)
{
    (void)state;
    static const size_t rooms[] = { 0, 1, 64, 200, 10000000 };
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        test_context("room for %zu bytes", rooms[i]);
        enum { COUNT = 60 };
        ist_segment blocks[COUNT];
        ist_frame outer = pushed(64, 8);
        ist_segment below = block_of(&outer, 64, 8);
        ist_frame frame = pushed(rooms[i], 8);
        for (size_t j = 0; j < COUNT; j++) {
            blocks[j] = block_of(&frame, j * j * 10, (size_t)1 << (j % 8));
            expect_ok(ist_segment_fill(&blocks[j], (uint8_t)j));
        }
        for (size_t j = 0; j < COUNT; j++)
            expect(test_all_bytes(blocks[j].address, j * j * 10, (uint8_t)j));
        expect(test_all_bytes(below.address, 64, 0xA5));
        expect_ok(ist_frame_pop(&frame));
        for (size_t j = 0; j < COUNT; j++)
            expect(!ist_segment_is_alive(&blocks[j]));
        expect(test_all_bytes(below.address, 64, 0xA5));
        expect_ok(ist_frame_pop(&outer));
    }
}

/* However many frames come and go, the next one finds the same room in the thread's block. */
static void push_and_pop_often(void *unused)
{
    (void)unused;
    ist_frame first = pushed(64, 8);
    expect_ok(ist_frame_pop(&first));
    for (size_t i = 0; i < 2000; i++) {
        ist_frame outer = pushed(64, 8), inner = pushed(i % 300, 16);
        expect_size(outer.size, first.size);
        expect_ok(ist_frame_pop(&inner));
        expect_ok(ist_frame_pop(&outer));
    }
}

static void room_comes_back(void **state)
{
    (void)state;
    test_on_thread(push_and_pop_often, NULL); /* A block that no other test has used. */
}

/* A deep stack of large frames: those that do not fit the thread's block do not disturb those that do. */
static void large_frames_between_small_ones(void **state)
{
    (void)state;
    enum { DEEP = 30 };
    ist_frame frames[DEEP];
    ist_segment blocks[DEEP];
    for (size_t i = 0; i < DEEP; i++) {
        size_t size = i % 3 == 0 ? 3000000 : 50;
        frames[i] = pushed(size, 16);
        blocks[i] = block_of(&frames[i], size, 16);
        expect_ok(ist_segment_fill(&blocks[i], (uint8_t)(i + 1)));
    }
    for (size_t i = DEEP; i-- > 0;) {
        expect(test_all_bytes(blocks[i].address, blocks[i].size, (uint8_t)(i + 1)));
        expect_ok(ist_frame_pop(&frames[i]));
    }
}

static void as_an_allocator(void **state)
{
    (void)state;
    ist_frame frame = pushed(512, 8);
    ist_segment segment = block_of(&frame, 512, 1); /* Dirty. */
    expect_ok(ist_frame_pop(&frame));
    frame = pushed(512, 8);
    expect_ok(ist_allocate(ist_frame_allocator(&frame), 100, 4, &segment));
    expect(test_all_bytes(segment.address, 100, 0)); /* Zeroed, when asked for by ist_allocate(). */
    expect_ok(ist_allocate_uninitialized(ist_frame_allocator(&frame), 100, 4, &segment));
    expect_ok(ist_allocate_string(ist_frame_allocator(&frame), "scratch", &segment));
    expect(strcmp(segment.address, "scratch") == 0);
    expect_ok(ist_frame_pop(&frame));
    expect(!ist_segment_is_alive(&segment));
    expect_status(ist_allocate(ist_frame_allocator(&frame), 8, 8, &segment), IST_E_CLOSED);
}

static void a_held_frame_stays(void **state)
{
    (void)state;
    ist_frame frame = pushed(64, 8), untouched = frame;
    ist_segment block = block_of(&frame, 8, 8);
    ist_hold hold;
    ist_status status;
    expect_ok(ist_arena_hold(frame.arena, &hold));
    expect_status(ist_frame_pop(&frame), IST_E_HELD);
    expect_size(test_last_error().holders, 1);
    expect(memcmp(&untouched, &frame, sizeof frame) == 0);
    expect_ok(ist_set_u64(block, 0, 1));
    (void)block_of(&frame, 8, 8);
    expect_ok(ist_arena_release(&hold));
    IST_WITH_READ(uint64_t, element, block, 0, 1, status) {
        expect(*element == 1);
        expect_status(ist_frame_pop(&frame), IST_E_HELD);
    }
    expect(status == IST_OK);
    expect_ok(ist_frame_pop(&frame));
}

static void only_popping_ends_a_frame(void **state)
{
    (void)state;
    ist_frame frame = pushed(64, 8);
    ist_segment block = block_of(&frame, 8, 8);
    expect_status(ist_arena_close(frame.arena), IST_E_UNSUPPORTED);
    expect_ok(ist_set_u64(block, 0, 1));
    expect(ist_arena_is_alive(frame.arena));
    expect_ok(ist_frame_pop(&frame));
    expect_status(ist_arena_close(frame.arena), IST_E_CLOSED);
}

static size_t cleaned;
static void count_cleanup(void *data)
{
    cleaned += *(size_t *)data;
}

static void cleanups_run_when_popped(void **state)
{
    (void)state;
    size_t amount = 3;
    ist_frame frame = pushed(64, 8);
    expect_ok(ist_arena_on_close(frame.arena, count_cleanup, &amount));
    expect_size(cleaned, 0);
    expect_ok(ist_frame_pop(&frame));
    expect_size(cleaned, 3);
    frame = pushed(64, 8);
    expect_ok(ist_frame_pop(&frame));
    expect_size(cleaned, 3);
}

static void push_and_pop_in_cleanup(void *data)
{
    (void)data;
    ist_frame frame = pushed(64, 8);
    (void)block_of(&frame, 64, 8);
    expect_ok(ist_frame_pop(&frame));
    cleaned++;
}

/* An arena's action may use frames of the thread that closes it. */
static void frames_in_a_cleanup(void **state)
{
    (void)state;
    ist_arena arena;
    ist_frame outer = pushed(64, 8);
    ist_segment block = block_of(&outer, 64, 8);
    cleaned = 0;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_on_close(arena, push_and_pop_in_cleanup, NULL));
    expect_ok(ist_arena_close(arena));
    expect_size(cleaned, 1);
    expect(test_all_bytes(block.address, 64, 0xA5));
    expect_ok(ist_frame_pop(&outer));
}

static void use_elsewhere(void *data)
{
    ist_frame *frame = data;
    ist_segment segment;
    expect_status(ist_frame_pop(frame), IST_E_WRONG_THREAD);
    ist_status status = ist_frame_allocate(frame, 8, 8, &segment);
    expect(status == IST_E_WRONG_THREAD || status == IST_E_BUSY); /* It is not this thread's top frame, either. */
    ist_frame own = pushed(64, 8);
    expect_size(own.depth, 1);
    (void)block_of(&own, 64, 8);
    expect_status(ist_frame_pop(frame), IST_E_WRONG_THREAD);
    expect_ok(ist_frame_pop(&own));
}

static void frames_belong_to_a_thread(void **state)
{
    (void)state;
    ist_frame frame = pushed(64, 8);
    ist_segment block = block_of(&frame, 64, 8);
    test_on_thread(use_elsewhere, &frame);
    expect(test_all_bytes(block.address, 64, 0xA5));
    expect_ok(ist_frame_pop(&frame));
}

static void dropped_on_a_thread(void *data)
{
    ist_segment *left = data;
    ist_frame frame = pushed(64, 8);
    *left = block_of(&frame, 64, 8);
}

/* A frame that is left on its thread does not outlive it in a way that others can touch. */
static void a_frame_of_a_dead_thread(void **state)
{
    (void)state;
    ist_segment left;
    uint8_t value;
    test_on_thread(dropped_on_a_thread, &left);
    ist_status status = ist_get_u8(left, 0, &value);
    expect(status == IST_E_WRONG_THREAD || status == IST_E_CLOSED);
    ist_frame frame = pushed(64, 8);
    (void)block_of(&frame, 64, 8);
    expect_ok(ist_frame_pop(&frame));
}

static void open_arenas_and_frames_mix(void **state)
{
    (void)state;
    size_t open_before = test_stats().arenas_open;
    ist_arena arena;
    ist_segment of_arena;
    ist_frame frame = pushed(64, 8);
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_allocate(arena, 64, 8, &of_arena));
    ist_segment block = block_of(&frame, 64, 8);
    expect(ist_segment_overlap(block, of_arena).size == 0);
    expect_ok(ist_frame_pop(&frame));
    expect(test_all_bytes(of_arena.address, 64, 0));
    expect_ok(ist_arena_close(arena));
    expect_size(test_stats().arenas_open, open_before);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(a_frame_has_its_room),
        test_case(blocks_end_with_the_frame),
        test_case(nesting),
        test_case(popping_out_of_order),
        test_case(allocating_below_the_top),
        test_case(popping_twice),
        test_case(bad_arguments),
        test_case(more_than_there_is),
        test_case(more_than_the_room),
        test_case(room_comes_back),
        test_case(large_frames_between_small_ones),
        test_case(as_an_allocator),
        test_case(a_held_frame_stays),
        test_case(only_popping_ends_a_frame),
        test_case(cleanups_run_when_popped),
        test_case(frames_in_a_cleanup),
        test_case(frames_belong_to_a_thread),
        test_case(a_frame_of_a_dead_thread),
        test_case(open_arenas_and_frames_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
