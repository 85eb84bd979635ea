/* SPDX-License-Identifier: MIT */
/* Shared arenas: opening, memory, accesses and cleanups, by any thread; handles that are stale. */
#include "company.h"

static void opening(void **state)
{
    (void)state;
    ist_arena arena;
    size_t open = test_stats().shared_open, closes = test_stats().shared_closes;
    expect_status(ist_arena_open_shared(NULL), IST_E_ARGUMENT);
    expect_ok(ist_arena_open_shared(&arena));
    expect(ist_arena_is_alive(arena));
    expect_size(test_stats().shared_open, open + 1);
    expect_ok(ist_arena_close(arena));
    expect_size(test_stats().shared_open, open);
    expect_size(test_stats().shared_closes, closes + 1);
    expect(!ist_arena_is_alive(arena));
    expect_status(ist_arena_close(arena), IST_E_CLOSED);
    expect(strcmp(test_last_error().kind, "shared") == 0);
    expect_sentence("shared");
}

static void use_all(void *data)
{
    use *of = data;
    ist_segment block;
    use_touch(of);
    expect(ist_arena_is_alive(of->arena));
    expect(ist_segment_is_alive(&of->segment) && ist_segment_is_accessible(&of->segment));
    expect_ok(ist_segment_fill(&of->segment, 7));
    expect_ok(ist_arena_allocate(of->arena, 100, 16, &block));
    expect(test_all_bytes(block.address, 100, 0));
    expect_ok(ist_segment_copy(&of->segment, 0, &block, 0, 64));
    expect(test_all_bytes(block.address, 64, 7));
    expect_status(ist_get_u64(of->segment, 64, &(uint64_t){ 0 }), IST_E_BOUNDS);
    expect_status(ist_get_u64(of->segment, 1, &(uint64_t){ 0 }), IST_E_ALIGNMENT);
    expect_status(ist_set_u8(ist_segment_as_read_only(of->segment), 0, 0), IST_E_READ_ONLY);
    expect_status(ist_arena_allocate(of->arena, 8, 3, &block), IST_E_ARGUMENT);
    expect_status(ist_arena_allocate(of->arena, test_opaque(SIZE_MAX), 8, &block), IST_E_OVERFLOW);
    expect_status(ist_arena_allocate(of->arena, 8, 8, NULL), IST_E_ARGUMENT);
}

static void any_thread(void **state)
{
    (void)state;
    use of = use_open();
    use_all(&of);
    test_on_thread(use_all, &of);
    use_all(&of);
    test_on_thread(use_close, &of);
    expect(of.status == IST_OK);
    expect_status(ist_arena_close(of.arena), IST_E_CLOSED);
    expect_status(ist_get_u64(of.segment, 0, &(uint64_t){ 0 }), IST_E_CLOSED);
    expect_status(ist_set_u64(of.segment, 0, 1), IST_E_CLOSED);
    /* What is wrong with the access itself comes first. */
    expect_status(ist_get_u64(of.segment, 64, &(uint64_t){ 0 }), IST_E_BOUNDS);
}

/* Closed by a thread that has never touched it, the first thing that this thread does with the library. */
static void closed_by_a_stranger(void **state)
{
    (void)state;
    use of = use_open();
    test_on_thread(use_close, &of);
    expect(of.status == IST_OK);
    expect(!ist_arena_is_alive(of.arena));
}

/* The inner arena's open takes the outer one off its thread's list; whoever closes that gives the record a place again. */
static void records_are_not_lost(void **state)
{
    (void)state;
    mate *closer = mate_start();
    size_t records = 0;
    for (int i = 0; i < 2000; i++) {
        use outer = use_open(), inner = use_open();
        mate_do(closer, use_close, &outer);
        expect(outer.status == IST_OK);
        expect_ok(ist_arena_close(inner.arena));
        if (i == 1000)
            records = test_stats().records;
    }
    expect_size(test_stats().records, records);
    mate_end(closer);
}

static void open_there(void *data)
{
    *(use *)data = use_open();
}

/* Its opener has ended: it is nobody's orphan. */
static void outlives_its_opener(void **state)
{
    (void)state;
    use of;
    size_t orphans = test_stats().arenas_orphaned, count = 99;
    test_on_thread(open_there, &of);
    expect_size(test_stats().arenas_orphaned, orphans);
    expect_ok(ist_arena_reclaim_orphans(&count));
    expect_size(count, 0);
    expect(ist_arena_is_alive(of.arena));
    use_touch(&of);
    expect_status(ist_arena_adopt(of.arena), IST_E_UNSUPPORTED);
    expect_ok(ist_arena_close(of.arena));
}

/* ---- Memory ---- */

enum { BLOCKS = 400 };

typedef struct blocks {
    ist_arena arena;
    ist_segment block[BLOCKS];
    uint8_t mark;
} blocks;

static size_t size_of(size_t i)
{
    static const size_t sizes[] = { 0, 1, 8, 24, 100, 700, 5000, 40000 };
    return i % 50 == 49 ? 200000 : sizes[i * 7 % 8];
}

static void allocate_blocks(void *data)
{
    blocks *of = data;
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t alignment = (size_t)1 << i % 8;
        expect_ok(ist_arena_allocate(of->arena, size_of(i), alignment, &of->block[i]));
        expect((uintptr_t)of->block[i].address % alignment == 0);
        expect(test_all_bytes(of->block[i].address, size_of(i), 0));
        memset(of->block[i].address, of->mark, size_of(i));
    }
}

static void no_two_share(const blocks *a, const blocks *b)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        expect(test_all_bytes(a->block[i].address, size_of(i), a->mark));
        for (size_t k = 0; k < BLOCKS; k++)
            expect(&a->block[i] == &b->block[k] || a->block[i].address != b->block[k].address);
    }
}

static void blocks_of_two_threads(void **state)
{
    (void)state;
    static blocks own, foreign;
    for (int life = 0; life < 5; life++) { /* Later ones begin with recycled memory. */
        expect_ok(ist_arena_open_shared(&own.arena));
        foreign.arena = own.arena;
        own.mark = 1;
        foreign.mark = 2;
        allocate_blocks(&own);
        test_on_thread(allocate_blocks, &foreign);
        no_two_share(&own, &foreign);
        no_two_share(&foreign, &own);
        no_two_share(&own, &own);
        no_two_share(&foreign, &foreign);
        expect_ok(ist_arena_close(own.arena));
    }
}

typedef struct pair {
    ist_arena arena;
    ist_segment large, small;
} pair;

static void large_then_small(void *data)
{
    pair *of = data;
    expect_ok(ist_arena_allocate(of->arena, 100000, 8, &of->large));
    expect_ok(ist_arena_allocate(of->arena, 64, 8, &of->small));
    expect_ok(ist_segment_fill(&of->small, 9));
    expect(test_all_bytes(of->large.address, 100000, 0));
}

/* The first block of a foreign thread is one that has a chunk to itself: nothing else is cut from that. */
static void a_large_block_first(void **state)
{
    (void)state;
    pair of;
    expect_ok(ist_arena_open_shared(&of.arena));
    test_on_thread(large_then_small, &of);
    large_then_small(&of);
    expect_ok(ist_arena_close(of.arena));
}

/* ---- Scopes ---- */

static void scopes(void *data)
{
    use *of = data;
    ist_status status = IST_E_BUSY;
    size_t rounds = 0;
    IST_WITH_WRITE(uint64_t, words, of->segment, 0, 8, status) {
        words[7] = 77;
        expect_status(ist_arena_close(of->arena), IST_E_HELD);
        rounds++;
    }
    expect(status == IST_OK && rounds == 1);
    IST_WITH_READ(uint64_t, words, of->segment, 56, 1, status) {
        expect_size(words[0], 77);
        break;
    }
    expect(status == IST_OK);
    IST_WITH_READ(uint64_t, words, of->segment, 60, 1, status)
        rounds += words[0];
    expect(status == IST_E_BOUNDS && rounds == 1);
    IST_WITH_HOLD(of->arena, status) {
        expect_status(ist_arena_close(of->arena), IST_E_HELD);
    }
    expect(status == IST_OK);
}

static void scopes_on_any_thread(void **state)
{
    (void)state;
    use of = use_open();
    scopes(&of);
    test_on_thread(scopes, &of);
    expect_ok(ist_arena_close(of.arena));
    ist_status status;
    size_t rounds = 0;
    IST_WITH_READ(uint64_t, words, of.segment, 0, 1, status)
        rounds += words[0] + 1;
    expect(status == IST_E_CLOSED && rounds == 0);
    IST_WITH_HOLD(of.arena, status)
        rounds++;
    expect(status == IST_E_CLOSED && rounds == 0);
}

/* ---- Stale handles ---- */

static void expect_stale(void *data)
{
    use *old = data;
    ist_segment block;
    ist_hold hold;
    ist_detached_hold detached;
    size_t count;
    expect(!ist_arena_is_alive(old->arena) && !ist_segment_is_alive(&old->segment));
    expect_status(ist_get_u64(old->segment, 0, &(uint64_t){ 0 }), IST_E_CLOSED);
    expect_status(ist_set_u64(old->segment, 0, 1), IST_E_CLOSED);
    expect_status(ist_segment_fill(&old->segment, 1), IST_E_CLOSED);
    expect_status(ist_arena_allocate(old->arena, 8, 8, &block), IST_E_CLOSED);
    expect_status(ist_arena_hold(old->arena, &hold), IST_E_CLOSED);
    expect_status(ist_arena_close(old->arena), IST_E_CLOSED);
    if (old->arena.expected & ISTI_SHARED) {
        expect_status(ist_arena_hold_detached(old->arena, &detached), IST_E_CLOSED);
        expect_status(ist_arena_holders(old->arena, NULL, 0, &count), IST_E_CLOSED);
        expect_status(ist_arena_close_within(old->arena, 1000), IST_E_CLOSED);
    }
}

static use open_kind(bool shared)
{
    use opened = { .status = IST_OK };
    if (shared)
        expect_ok(ist_arena_open_shared(&opened.arena));
    else
        expect_ok(ist_arena_open_confined(&opened.arena));
    expect_ok(ist_arena_allocate(opened.arena, 64, 8, &opened.segment));
    return opened;
}

/* A record serves one kind after another; handles of all of its lives but the last are stale, on every thread. */
static void stale_whatever_follows(void **state)
{
    (void)state;
    enum { LIVES = 24 };
    use lives[LIVES];
    size_t same = 0;
    for (size_t i = 0; i < LIVES; i++) {
        lives[i] = open_kind(i % 3 != 1);
        same += lives[i].arena.session == lives[0].arena.session;
        if (i % 4 == 3 && i % 3 != 1)
            use_escape(&lives[i]);
        for (size_t k = 0; k < i; k++) {
            expect_stale(&lives[k]);
            if (k % 5 == 0)
                test_on_thread(expect_stale, &lives[k]);
        }
        use_touch(&lives[i]);
        expect_ok(ist_arena_close(lives[i].arena));
    }
    expect(same > 1 || test_stats().arenas_cached == 0); /* The case was met, where records are recycled. */
}

/* ---- Cleanups ---- */

static char ran[16];

static void note(void *data)
{
    size_t length = strlen(ran);
    ran[length] = *(const char *)data;
    ran[length + 1] = 0;
}

typedef struct addition {
    ist_arena arena;
    const char *letters;
} addition;

static void add_actions(void *data)
{
    addition *of = data;
    for (const char *letter = of->letters; *letter != 0; letter++)
        expect_ok(ist_arena_on_close(of->arena, note, (void *)(uintptr_t)letter));
}

static void cleanups_newest_first(void **state)
{
    (void)state;
    addition of = { .letters = "ab" };
    expect_ok(ist_arena_open_shared(&of.arena));
    memset(ran, 0, sizeof ran);
    add_actions(&of);
    of.letters = "cd";
    test_on_thread(add_actions, &of);
    of.letters = "e";
    add_actions(&of);
    expect_status(ist_arena_on_close(of.arena, NULL, NULL), IST_E_ARGUMENT);
    expect(ran[0] == 0);
    expect_ok(ist_arena_close(of.arena));
    assert_string_equal(ran, "edcba");
    expect_status(ist_arena_on_close(of.arena, note, (void *)(uintptr_t) "x"), IST_E_CLOSED);
    assert_string_equal(ran, "edcba");
}

static use ending;

static void use_own_and_others(void *data)
{
    *(int *)data += 1;
    expect_stale(&ending);
    use other = use_open();
    use_escape(&other);
    expect_ok(ist_arena_close(other.arena));
}

/* In an action its own arena is closed, and others work. */
static void cleanups_use_other_arenas(void **state)
{
    (void)state;
    for (int escaped = 0; escaped < 2; escaped++) {
        int count = 0;
        ending = use_open();
        if (escaped)
            use_escape(&ending);
        expect_ok(ist_arena_on_close(ending.arena, use_own_and_others, &count));
        expect_answer(ist_arena_close(ending.arena), IST_OK);
        expect_size(count, 1);
    }
}

static void take_segment(void *data, const ist_segment *segment)
{
    *(ist_segment *)data = *segment;
}

static void segments_moved_into_it(void **state)
{
    (void)state;
    static uint64_t outside[4];
    use of = use_open();
    ist_segment given = ist_segment_of(outside, sizeof outside), moved, back = { 0 };
    expect_ok(ist_segment_reinterpret(&given, sizeof outside, of.arena, take_segment, &back, &moved));
    expect_ok(ist_set_u64(moved, 8, 5));
    expect_size(outside[1], 5);
    expect_ok(ist_arena_close(of.arena));
    expect(back.address == outside && back.size == sizeof outside && ist_segment_is_alive(&back));
    expect_status(ist_set_u64(moved, 8, 6), IST_E_CLOSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_case(opening),
        test_case(any_thread),
        test_case(closed_by_a_stranger),
        test_case(outlives_its_opener),
        test_case(records_are_not_lost),
        test_case(blocks_of_two_threads),
        test_case(a_large_block_first),
        test_case(scopes_on_any_thread),
        test_case(stale_whatever_follows),
        test_case(cleanups_newest_first),
        test_case(cleanups_use_other_arenas),
        test_case(segments_moved_into_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
