/* SPDX-License-Identifier: MIT */
/* Arenas whose memory comes from functions of the user's: ist_memory_source. */
#include "support/expect.h"

/* A source that notes what it gave and what came back, in one log with the cleanup actions. */
enum { LOG = 256 };
typedef struct given {
    void *block;
    size_t size, alignment;
    bool released;
} given;

typedef struct recorder {
    given blocks[LOG];
    size_t count, releases, refused;
    int log[LOG]; /* Block numbers as they are released; cleanups as -1, -2, ... */
    size_t logged;
    bool refuse, misaligned;
    ist_arena arena; /* To misuse from inside. */
    bool close_inside, use_inside;
} recorder;

static void *record_allocate(void *context, size_t size, size_t alignment)
{
    recorder *r = context;
    if (r->close_inside)
        expect_status(ist_arena_close(r->arena), IST_E_HELD);
    if (r->refuse) {
        r->refused++;
        return NULL;
    }
    expect(size > 0 && alignment != 0 && (alignment & (alignment - 1)) == 0 && r->count < LOG);
    size_t room_alignment = alignment < 16 ? 16 : alignment;
    char *block = aligned_alloc(2 * room_alignment, (size / (2 * room_alignment) + 2) * 2 * room_alignment);
    expect(block != NULL);
    memset(block, 0xA5, size + room_alignment);
    if (r->misaligned)
        block += alignment / 2;
    r->blocks[r->count] = (given){ block, size, alignment, false };
    r->count++;
    return block;
}

static void record_release(void *context, void *block, size_t size, size_t alignment)
{
    recorder *r = context;
    ist_segment segment;
    size_t i = 0;
    while (i < r->count && (r->blocks[i].block != block || r->blocks[i].released))
        i++;
    expect(i < r->count); /* Given, and not released before. */
    expect_size(size, r->blocks[i].size);
    expect_size(alignment, r->blocks[i].alignment);
    r->blocks[i].released = true;
    r->releases++;
    r->log[r->logged++] = (int)i;
    if (r->use_inside)
        expect_status(ist_arena_allocate(r->arena, 8, 8, &segment), IST_E_CLOSED);
    free(r->misaligned ? (char *)block - alignment / 2 : block);
}

static ist_memory_source source_of(recorder *r)
{
    return (ist_memory_source){ record_allocate, record_release, r, 0 };
}

typedef struct action {
    recorder *recorder;
    int number;
} action;

static void log_action(void *data)
{
    action *a = data;
    a->recorder->log[a->recorder->logged++] = a->number;
}

static void blocks_come_from_the_source(void **state)
{
    (void)state;
    recorder r = { 0 };
    ist_memory_source source = source_of(&r);
    ist_arena arena;
    static const struct {
        size_t size, alignment;
    } requests[] = { { 1, 1 }, { 8, 8 }, { 100, 16 }, { 5000, 64 }, { 3, 4096 }, { 1000000, 8 }, { 8, 1 } };
    enum { REQUESTS = sizeof requests / sizeof requests[0] };
    expect_ok(ist_arena_open_confined_from(&source, &arena));
    expect_size(r.count, 0);
    for (size_t i = 0; i < REQUESTS; i++) {
        test_context("%zu bytes aligned to %zu", requests[i].size, requests[i].alignment);
        ist_segment segment;
        expect_ok(ist_arena_allocate(arena, requests[i].size, requests[i].alignment, &segment));
        expect_size(r.count, i + 1);
        expect(r.blocks[i].size >= requests[i].size && r.blocks[i].alignment >= requests[i].alignment);
        expect(segment.address == r.blocks[i].block && segment.size == requests[i].size);
        expect(test_all_bytes(segment.address, segment.size, 0)); /* Cleared: the source does not say that it does. */
        expect_ok(ist_segment_fill(&segment, 0x77));
    }
    expect_size(r.releases, 0);
    expect_ok(ist_arena_close(arena));
    expect_size(r.releases, REQUESTS);
    for (size_t i = 0; i < REQUESTS; i++)
        expect(r.log[i] == (int)(REQUESTS - 1 - i)); /* Newest first. */
}

static void uninitialized_and_zeroed(void **state)
{
    (void)state;
    recorder r = { 0 };
    ist_memory_source source = source_of(&r);
    ist_arena arena;
    ist_segment segment;
    expect_ok(ist_arena_open_confined_from(&source, &arena));
    expect_ok(ist_arena_allocate_uninitialized(arena, 100, 8, &segment));
    expect(test_all_bytes(segment.address, 100, 0xA5)); /* As the source gave it. */
    expect_ok(ist_arena_close(arena));
    source.zeroed = 1; /* A lie, by which it shows that nothing is zeroed twice. */
    expect_ok(ist_arena_open_confined_from(&source, &arena));
    expect_ok(ist_arena_allocate(arena, 100, 8, &segment));
    expect(test_all_bytes(segment.address, 100, 0xA5));
    expect_ok(ist_arena_close(arena));
    expect_size(r.releases, 2);
}

static void nothing_has_an_address(void **state)
{
    (void)state;
    recorder r = { 0 };
    ist_memory_source source = source_of(&r);
    ist_arena arena;
    ist_segment a, b;
    expect_ok(ist_arena_open_confined_from(&source, &arena));
    expect_ok(ist_arena_allocate(arena, 0, 1, &a));
    expect_ok(ist_arena_allocate(arena, 0, 64, &b));
    expect(ist_segment_address(a) != 0 && ist_segment_address(b) != 0);
    expect(!ist_segment_equals(a, b) && ist_segment_address(b) % 64 == 0);
    expect(a.size == 0 && b.size == 0);
    expect_ok(ist_arena_close(arena));
    expect_size(r.releases, r.count);
}

/* Blocks and actions end in one order, the newest of both first. */
static void in_order_with_the_actions(void **state)
{
    (void)state;
    recorder r = { 0 };
    ist_memory_source source = source_of(&r);
    ist_arena arena;
    ist_segment segment;
    action actions[] = { { &r, -1 }, { &r, -2 }, { &r, -3 } };
    expect_ok(ist_arena_open_confined_from(&source, &arena));
    expect_ok(ist_arena_on_close(arena, log_action, &actions[0]));
    expect_ok(ist_arena_allocate(arena, 8, 8, &segment)); /* 0 */
    expect_ok(ist_arena_allocate(arena, 8, 8, &segment)); /* 1 */
    expect_ok(ist_arena_on_close(arena, log_action, &actions[1]));
    expect_ok(ist_arena_allocate(arena, 80000, 8, &segment)); /* 2 */
    expect_ok(ist_arena_on_close(arena, log_action, &actions[2]));
    expect_size(r.count, 3); /* Blocks are what was asked for; nodes of actions are the library's affair. */
    expect_ok(ist_arena_close(arena));
    static const int order[] = { -3, 2, -2, 1, 0, -1 };
    expect_size(r.logged, 6);
    for (size_t i = 0; i < 6; i++)
        expect(r.log[i] == order[i]);
}

static void a_source_that_has_none(void **state)
{
    (void)state;
    recorder r = { 0 };
    ist_memory_source source = source_of(&r);
    ist_arena arena;
    ist_segment segment, before;
    memset(&segment, 0xEE, sizeof segment);
    before = segment;
    expect_ok(ist_arena_open_confined_from(&source, &arena));
    r.refuse = true;
    expect_status(ist_arena_allocate(arena, 100, 8, &segment), IST_E_NO_MEMORY);
    expect_status(ist_arena_allocate_uninitialized(arena, 100, 8, &segment), IST_E_NO_MEMORY);
    expect_size(r.refused, 2);
    expect(memcmp(&before, &segment, sizeof segment) == 0);
    r.refuse = false;
    expect_ok(ist_arena_allocate(arena, 100, 8, &segment));
    expect_ok(ist_arena_close(arena));
    expect_size(r.releases, 1);
}

/* A misaligned block is not handed out, and it goes back where it came from: nothing leaks. */
static void a_source_that_misaligns(void **state)
{
    (void)state;
    recorder r = { .misaligned = true };
    ist_memory_source source = source_of(&r);
    ist_arena arena;
    ist_segment segment, before;
    memset(&segment, 0xEE, sizeof segment);
    before = segment;
    expect_ok(ist_arena_open_confined_from(&source, &arena));
    expect_status(ist_arena_allocate(arena, 100, 16, &segment), IST_E_NO_MEMORY);
    expect(memcmp(&before, &segment, sizeof segment) == 0);
    expect_ok(ist_arena_close(arena));
    expect_size(r.count, 1);
    expect_size(r.releases, 1);
}

static void bad_requests_do_not_reach_it(void **state)
{
    (void)state;
    recorder r = { 0 };
    ist_memory_source source = source_of(&r);
    ist_arena arena;
    ist_segment segment;
    expect_ok(ist_arena_open_confined_from(&source, &arena));
    expect_status(ist_arena_allocate(arena, 8, 0, &segment), IST_E_ARGUMENT);
    expect_status(ist_arena_allocate(arena, 8, 3, &segment), IST_E_ARGUMENT);
    expect_status(ist_arena_allocate(arena, 8, 8, NULL), IST_E_ARGUMENT);
    expect_status(ist_arena_allocate(arena, test_opaque(SIZE_MAX), 64, &segment), IST_E_OVERFLOW);
    expect_size(r.count, 0);
    expect_ok(ist_arena_close(arena));
    expect_status(ist_arena_allocate(arena, 8, 8, &segment), IST_E_CLOSED);
    expect_size(r.count, 0);
}

static void bad_arguments(void **state)
{
    (void)state;
    recorder r = { 0 };
    ist_memory_source source = source_of(&r), nothing = { NULL, record_release, &r, 0 };
    ist_arena arena, before;
    memset(&arena, 0xEE, sizeof arena);
    before = arena;
    size_t open_before = test_stats().arenas_open;
    expect_status(ist_arena_open_confined_from(NULL, &arena), IST_E_ARGUMENT);
    expect_status(ist_arena_open_confined_from(&source, NULL), IST_E_ARGUMENT);
    expect_status(ist_arena_open_confined_from(&nothing, &arena), IST_E_ARGUMENT);
    expect(memcmp(&before, &arena, sizeof arena) == 0);
    expect_size(test_stats().arenas_open, open_before);
}

/* The arena is held while the source runs: it cannot be closed from inside. */
static void closing_from_inside(void **state)
{
    (void)state;
    recorder r = { .close_inside = true };
    ist_memory_source source = source_of(&r);
    ist_segment segment;
    expect_ok(ist_arena_open_confined_from(&source, &r.arena));
    expect_answer(ist_arena_allocate(r.arena, 8, 8, &segment), IST_OK);
    expect_answer(ist_arena_allocate(r.arena, 8, 8, &segment), IST_OK);
    expect_ok(ist_arena_close(r.arena)); /* And not held any longer. */
    expect_size(r.releases, 2);
}

static void closing_from_inside_a_failure(void **state)
{
    (void)state;
    recorder r = { .close_inside = true, .refuse = true };
    ist_memory_source source = source_of(&r);
    ist_segment segment;
    expect_ok(ist_arena_open_confined_from(&source, &r.arena));
    expect_answer(ist_arena_allocate(r.arena, 8, 8, &segment), IST_E_NO_MEMORY);
    expect_ok(ist_arena_close(r.arena));
}

static void allocating_in_release(void **state)
{
    (void)state;
    recorder r = { .use_inside = true };
    ist_memory_source source = source_of(&r);
    ist_segment segment;
    expect_ok(ist_arena_open_confined_from(&source, &r.arena));
    expect_ok(ist_arena_allocate(r.arena, 8, 8, &segment));
    expect_ok(ist_arena_allocate(r.arena, 8, 8, &segment));
    expect_answer(ist_arena_close(r.arena), IST_OK);
    expect_size(r.releases, 2);
}

static char block_for_ever[4096];
static size_t taken_for_ever;
static void *allocate_for_ever(void *context, size_t size, size_t alignment)
{
    (void)context;
    size_t start = (taken_for_ever + alignment - 1) / alignment * alignment;
    if (size > sizeof block_for_ever || start > sizeof block_for_ever - size)
        return NULL;
    taken_for_ever = start + size;
    return block_for_ever + start;
}

static void without_release(void **state)
{
    (void)state;
    ist_memory_source source = { allocate_for_ever, NULL, NULL, 1 };
    ist_arena arena;
    ist_segment a, b;
    expect_ok(ist_arena_open_confined_from(&source, &arena));
    expect_ok(ist_arena_allocate(arena, 100, 1, &a));
    expect_ok(ist_arena_allocate(arena, 100, 1, &b));
    expect(a.address == block_for_ever && b.address == block_for_ever + 100);
    expect_status(ist_arena_allocate(arena, 4096, 1, &b), IST_E_NO_MEMORY);
    expect(b.address == block_for_ever + 100);
    expect_ok(ist_arena_close(arena));
    expect(!ist_segment_is_alive(&a));
}

/* A custom arena is an arena in every other respect, and its record serves ordinary ones afterwards. */
static void otherwise_an_arena(void **state)
{
    (void)state;
    for (size_t life = 0; life < 50; life++) {
        recorder r = { 0 };
        ist_memory_source source = source_of(&r);
        ist_arena arena, ordinary;
        ist_hold hold;
        ist_segment segment, other;
        expect_ok(ist_arena_open_confined_from(&source, &arena));
        expect_ok(ist_arena_allocate(arena, 64, 8, &segment));
        expect_ok(ist_arena_hold(arena, &hold));
        expect_status(ist_arena_close(arena), IST_E_HELD);
        expect_size(r.releases, 0);
        expect_ok(ist_arena_release(&hold));
        expect_ok(ist_arena_close(arena));
        expect_status(ist_arena_close(arena), IST_E_CLOSED);
        expect_status(ist_set_u8(segment, 0, 1), IST_E_CLOSED);
        expect_ok(ist_arena_open_confined(&ordinary));
        expect_ok(ist_arena_allocate(ordinary, 64, 8, &other));
        expect_size(r.count, 1);
        expect(test_all_bytes(other.address, 64, 0));
        expect_ok(ist_arena_close(ordinary));
        expect_size(r.releases, 1);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(blocks_come_from_the_source),
        test_case(uninitialized_and_zeroed),
        test_case(nothing_has_an_address),
        test_case(in_order_with_the_actions),
        test_case(a_source_that_has_none),
        test_case(a_source_that_misaligns),
        test_case(bad_requests_do_not_reach_it),
        test_case(bad_arguments),
        test_case(closing_from_inside),
        test_case(closing_from_inside_a_failure),
        test_case(allocating_in_release),
        test_case(without_release),
        test_case(otherwise_an_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
