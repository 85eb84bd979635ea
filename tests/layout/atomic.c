/* SPDX-License-Identifier: MIT */
/*
 * Atomic access: each operation of each type against plain arithmetic, in a segment and through paths of both byte
 * orders; each status; and races of eight threads that lose nothing, on confined memory of the caller's and on a shared
 * arena that is closed under them.
 */
#include "shapes.h"
#include "support/random.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SEGMENT, PATH, SWAPPED, WAYS };

/* A word of any type in 16 bytes, and paths to it in both orders. */
typedef struct word {
    _Alignas(8) uint8_t bytes[16];
    ist_segment segment;
    ist_path paths[WAYS];
    int way;
} word;

#define AT(of) &(of)->segment, 8
#define THROUGH(of) &(of)->paths[(of)->way], &(of)->segment, 8, NULL, 0

static void turn(void *bytes, size_t size)
{
    uint8_t *at = bytes;
    for (size_t i = 0; i < size / 2; i++) {
        uint8_t kept = at[i];
        at[i] = at[size - 1 - i];
        at[size - 1 - i] = kept;
    }
}

static word word_of(ist_arena arena, ist_type type)
{
    word of = { .way = SEGMENT };
    of.paths[PATH] = shape_path(ist_layout_of(type), "");
    of.paths[SWAPPED] = shape_path(shape_swapped(arena, type), "");
    return of;
}

/* X(name, type, layout) */
#define INTEGERS(X)        \
    X(i8, int8_t, I8)      \
    X(u8, uint8_t, U8)     \
    X(i16, int16_t, I16)   \
    X(u16, uint16_t, U16)  \
    X(i32, int32_t, I32)   \
    X(u32, uint32_t, U32)  \
    X(i64, int64_t, I64)   \
    X(u64, uint64_t, U64)
#define FLOATS(X)          \
    X(f32, float, FLOAT)   \
    X(f64, double, DOUBLE)

static const ist_memory_order every_order[] = { IST_MEMORY_RELAXED, IST_MEMORY_ACQUIRE, IST_MEMORY_RELEASE,
                                                IST_MEMORY_ACQ_REL, IST_MEMORY_SEQ_CST };

/* Calls by the way of the word; what the memory holds is compared with `kept`, the value it should have. */
#define CALL(verb, name, ...)                                                                                   \
    (of->way == SEGMENT ? ist_atomic_##verb##_##name(AT(of), __VA_ARGS__)                                       \
                        : ist_path_atomic_##verb##_##name(THROUGH(of), __VA_ARGS__))

#define DEFINE_WORDS(name, type)                                                                                \
    static void holds_##name(const word *of, type kept)                                                         \
    {                                                                                                           \
        if (of->way == SWAPPED)                                                                                 \
            turn(&kept, sizeof kept);                                                                           \
        expect(memcmp(of->bytes + 8, &kept, sizeof kept) == 0);                                                 \
        expect(test_all_bytes(of->bytes, 8, 0xC3));                                                             \
        expect(test_all_bytes(of->bytes + 8 + sizeof kept, 8 - sizeof kept, 0xC3));                             \
    }                                                                                                           \
    static void words_##name(word *of, type a, type b, type c)                                                  \
    {                                                                                                           \
        type got;                                                                                               \
        expect_ok(CALL(store, name, a, IST_MEMORY_RELEASE));                                                    \
        holds_##name(of, a);                                                                                    \
        expect_ok(CALL(store, name, b, IST_MEMORY_RELAXED));                                                    \
        expect_ok(CALL(store, name, a, IST_MEMORY_SEQ_CST));                                                    \
        expect_ok(CALL(load, name, IST_MEMORY_RELAXED, &got));                                                  \
        expect(memcmp(&got, &a, sizeof got) == 0);                                                              \
        expect_ok(CALL(load, name, IST_MEMORY_ACQUIRE, &got));                                                  \
        expect(memcmp(&got, &a, sizeof got) == 0);                                                              \
        for (size_t i = 0; i < 5; i++) {                                                                        \
            expect_ok(CALL(store, name, a, IST_MEMORY_SEQ_CST));                                                \
            expect_ok(CALL(exchange, name, b, every_order[i], &got));                                           \
            expect(memcmp(&got, &a, sizeof got) == 0);                                                          \
            holds_##name(of, b);                                                                                \
            expect_ok(CALL(exchange, name, a, every_order[i], NULL));                                           \
            holds_##name(of, a);                                                                                \
            expect_ok(CALL(compare_exchange, name, a, c, every_order[i], &got));                                \
            expect(memcmp(&got, &a, sizeof got) == 0);                                                          \
            holds_##name(of, c);                                                                                \
            bool differs = memcmp(&a, &c, sizeof a) != 0;                                                       \
            expect_ok(CALL(compare_exchange, name, a, b, every_order[i], &got));                                \
            expect(memcmp(&got, &c, sizeof got) == 0);                                                          \
            holds_##name(of, differs ? c : b);                                                                  \
            expect_ok(CALL(compare_exchange, name, b, c, every_order[i], NULL));                                \
        }                                                                                                       \
    }

#define DEFINE_UPDATE(name, type, verb, operator_, wide)                                                        \
    static void verb##_##name(word *of, type a, type b)                                                         \
    {                                                                                                           \
        type got;                                                                                               \
        type wanted = (type)((wide)a operator_(wide) b);                                                        \
        for (size_t i = 0; i < 5; i++) {                                                                        \
            expect_ok(CALL(store, name, a, IST_MEMORY_SEQ_CST));                                                \
            expect_ok(CALL(verb, name, b, every_order[i], &got));                                               \
            expect(memcmp(&got, &a, sizeof got) == 0);                                                          \
            holds_##name(of, wanted);                                                                           \
            expect_ok(CALL(store, name, a, IST_MEMORY_SEQ_CST));                                                \
            expect_ok(CALL(verb, name, b, every_order[i], NULL));                                               \
            holds_##name(of, wanted);                                                                           \
        }                                                                                                       \
    }

#define DEFINE_INTEGER(name, type, layout)             \
    DEFINE_WORDS(name, type)                           \
    DEFINE_UPDATE(name, type, fetch_add, +, uint64_t)  \
    DEFINE_UPDATE(name, type, fetch_and, &, uint64_t)  \
    DEFINE_UPDATE(name, type, fetch_or, |, uint64_t)   \
    DEFINE_UPDATE(name, type, fetch_xor, ^, uint64_t)
#define DEFINE_FLOAT(name, type, layout) \
    DEFINE_WORDS(name, type)             \
    DEFINE_UPDATE(name, type, fetch_add, +, type)
INTEGERS(DEFINE_INTEGER)
FLOATS(DEFINE_FLOAT)
DEFINE_WORDS(address, __typeof__(void *))

static test_random numbers;

static void prepare(word *of, int way)
{
    memset(of->bytes, 0xC3, sizeof of->bytes);
    of->segment = ist_segment_of(of->bytes, sizeof of->bytes);
    of->way = way;
}

static void operations_of_each_type(void **state)
{
    (void)state;
    ist_arena arena;
    expect_ok(ist_arena_open_confined(&arena));
#define TRY_INTEGER(name, type, layout)                                                                         \
    {                                                                                                           \
        word of = word_of(arena, IST_TYPE_##layout);                                                            \
        for (int round = 0; round < 150; round++) {                                                             \
            type a = (type)test_random_next(&numbers), b = (type)test_random_next(&numbers);                    \
            prepare(&of, round % WAYS);                                                                         \
            test_context("%s, way %d", #name, of.way);                                                          \
            words_##name(&of, a, b, (type)test_random_next(&numbers));                                          \
            fetch_add_##name(&of, a, b);                                                                        \
            fetch_and_##name(&of, a, b);                                                                        \
            fetch_or_##name(&of, a, b);                                                                         \
            fetch_xor_##name(&of, a, b);                                                                        \
        }                                                                                                       \
    }
    INTEGERS(TRY_INTEGER)
#define TRY_FLOAT(name, type, layout)                                                                           \
    {                                                                                                           \
        word of = word_of(arena, IST_TYPE_##layout);                                                            \
        for (int way = 0; way < WAYS; way++) {                                                                  \
            prepare(&of, way);                                                                                  \
            test_context("%s, way %d", #name, way);                                                             \
            words_##name(&of, (type)1.5, (type)-0.0, (type)1e30);                                               \
            words_##name(&of, (type)__builtin_nan(""), (type)0.0, (type)-0.0);                                  \
            fetch_add_##name(&of, (type)0.1, (type)0.2);                                                        \
            fetch_add_##name(&of, (type)1e30, (type)-1e10);                                                     \
        }                                                                                                       \
    }
    FLOATS(TRY_FLOAT)
    word of = word_of(arena, IST_TYPE_ADDRESS);
    for (int way = 0; way < WAYS; way++) {
        prepare(&of, way);
        words_address(&of, &of, NULL, (void *)(uintptr_t)0x123456789abc);
    }
    expect_ok(ist_arena_close(arena));
}

/* ---- Statuses ---- */

static void touch_elsewhere(void *data)
{
    expect_status(ist_atomic_fetch_add_u64(data, 8, 1, IST_MEMORY_SEQ_CST, NULL), IST_E_WRONG_THREAD);
}

static void statuses_in_segments(void **state)
{
    (void)state;
    ist_arena arena;
    ist_segment segment;
    uint64_t value = 77;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_allocate(arena, 16, 8, &segment));
    ist_segment fixed = ist_segment_as_read_only(segment);
    expect_status(ist_atomic_load_u64(&segment, 0, IST_MEMORY_RELEASE, &value), IST_E_ARGUMENT);
    expect_sentence("atomic load: a memory order that the operation cannot have");
    expect_status(ist_atomic_load_u64(&segment, 0, IST_MEMORY_ACQ_REL, &value), IST_E_ARGUMENT);
    expect_status(ist_atomic_store_u64(&segment, 0, 1, IST_MEMORY_ACQUIRE), IST_E_ARGUMENT);
    expect_status(ist_atomic_store_u64(&segment, 0, 1, IST_MEMORY_ACQ_REL), IST_E_ARGUMENT);
    expect_status(ist_atomic_exchange_u64(&segment, 0, 1, (ist_memory_order)99, &value), IST_E_ARGUMENT);
    expect_status(ist_atomic_fetch_add_u64(&segment, 0, 1, (ist_memory_order)-1, &value), IST_E_ARGUMENT);
    expect_status(ist_atomic_load_u64(&segment, 0, IST_MEMORY_RELAXED, NULL), IST_E_ARGUMENT);
    expect_status(ist_atomic_load_u64(NULL, 0, IST_MEMORY_RELAXED, &value), IST_E_ARGUMENT);
    expect_status(ist_atomic_store_u64(&fixed, 99, 1, IST_MEMORY_RELAXED), IST_E_READ_ONLY);
    expect_status(ist_atomic_fetch_or_u8(&fixed, 0, 1, IST_MEMORY_RELAXED, NULL), IST_E_READ_ONLY);
    expect_status(ist_atomic_compare_exchange_u8(&fixed, 0, 1, 2, IST_MEMORY_RELAXED, NULL), IST_E_READ_ONLY);
    expect_status(ist_atomic_load_u64(&segment, 9, IST_MEMORY_RELAXED, &value), IST_E_BOUNDS);
    expect_status(ist_atomic_load_u64(&segment, SIZE_MAX, IST_MEMORY_RELAXED, &value), IST_E_BOUNDS);
    expect_status(ist_atomic_load_u64(&segment, 4, IST_MEMORY_RELAXED, &value), IST_E_ALIGNMENT);
    uint16_t half = 7;
    expect_status(ist_atomic_exchange_u16(&segment, 3, 1, IST_MEMORY_RELAXED, &half), IST_E_ALIGNMENT);
    expect(half == 7 && value == 77);
    expect_ok(ist_atomic_load_u64(&fixed, 0, IST_MEMORY_SEQ_CST, &value));
    expect(value == 0);
    test_on_thread(touch_elsewhere, &segment);
    expect_ok(ist_arena_close(arena));
    value = 77;
    expect_status(ist_atomic_load_u64(&segment, 0, IST_MEMORY_RELAXED, &value), IST_E_CLOSED);
    expect_status(ist_atomic_load_u64(&segment, 4, IST_MEMORY_RELAXED, &value), IST_E_ALIGNMENT);
    expect_status(ist_atomic_fetch_add_u64(&segment, 0, 1, IST_MEMORY_RELAXED, &value), IST_E_CLOSED);
    expect(value == 77);
}

/* A leaf is accessible atomically if its layout says that it is aligned, not if it happens to be. */
static void statuses_of_paths(void **state)
{
    (void)state;
    shapes of = shapes_open();
    static _Alignas(64) uint8_t room[2048];
    ist_segment segment = ist_segment_of(room, sizeof room);
    uint64_t value = 77;
    ist_path length = shape_path(of.frame, "length"), kind = shape_path(of.frame, "kind"),
             grid = shape_path(of.items, "[].grid[][]"), y = shape_path(of.item, "at[].y");
    expect_status(ist_path_atomic_load_u64(&length, &segment, 7, NULL, 0, IST_MEMORY_RELAXED, &value),
                  IST_E_UNSUPPORTED);
    expect_sentence("the layout does not align the value to its size");
    expect_ok(ist_path_atomic_store_u8(&kind, &segment, 3, NULL, 0, 9, IST_MEMORY_RELAXED));
    expect(room[3] == 9);
    const ist_layout *loose;
    expect_ok(ist_layout_with_alignment(of.arena, ist_layout_of(IST_TYPE_U64), 4, &loose));
    ist_path bare = shape_path(loose, "");
    expect_status(ist_path_atomic_load_u64(&bare, &segment, 0, NULL, 0, IST_MEMORY_RELAXED, &value), IST_E_UNSUPPORTED);
    expect_status(ist_path_atomic_load_u32(&bare, &segment, 0, NULL, 0, IST_MEMORY_RELAXED, &(uint32_t){ 0 }),
                  IST_E_LAYOUT);
    const ist_member bit[] = { { .name = "b", .layout = ist_layout_of(IST_TYPE_U64), .bits = 64 } };
    ist_path bits = shape_path(shape_struct(of.arena, "bits", bit, 1), "b");
    expect_status(ist_path_atomic_load_u64(&bits, &segment, 0, NULL, 0, IST_MEMORY_RELAXED, &value), IST_E_UNSUPPORTED);
    expect_status(ist_path_atomic_load_u64(&y, &segment, 0, (size_t[]){ 1 }, 1, IST_MEMORY_RELAXED, &value),
                  IST_E_LAYOUT);
    expect_status(ist_path_atomic_load_u64(NULL, &segment, 0, NULL, 0, IST_MEMORY_RELAXED, &value), IST_E_ARGUMENT);
    expect_status(ist_path_atomic_load_u64(&bare, NULL, 0, NULL, 0, IST_MEMORY_RELAXED, &value), IST_E_ARGUMENT);
    double number = 3;
    expect_status(ist_path_atomic_load_f64(&y, &segment, 0, NULL, 0, IST_MEMORY_RELAXED, &number), IST_E_ARGUMENT);
    expect_status(ist_path_atomic_load_f64(&y, &segment, 0, (size_t[]){ 3 }, 1, IST_MEMORY_RELAXED, &number),
                  IST_E_BOUNDS);
    expect_status(ist_path_atomic_load_f64(&y, &segment, 4, (size_t[]){ 1 }, 1, IST_MEMORY_RELAXED, &number),
                  IST_E_ALIGNMENT);
    ist_segment fixed = ist_segment_as_read_only(segment);
    expect_status(ist_path_atomic_fetch_add_f64(&y, &fixed, 0, (size_t[]){ 9 }, 1, 1, IST_MEMORY_RELAXED, &number),
                  IST_E_READ_ONLY);
    expect(value == 77 && number > 2.9);
    const size_t indexes[] = { 2, 3, 4 };
    memset(room, 0, sizeof room);
    expect_ok(ist_path_atomic_fetch_add_u16(&grid, &segment, 0, indexes, 3, 500, IST_MEMORY_RELAXED, NULL));
    expect(((item *)room)[2].grid[3][4] == 500);
    expect_ok(ist_arena_close(of.arena));
}

/* ---- Races ---- */

enum { THREADS = 8, ROUNDS = TEST_TSAN || TEST_ASAN ? 3000 : 20000 };

typedef struct race {
    ist_segment segment; /* 64 bytes */
    ist_path counter, tries, sum, flags, half;
    atomic_uint ready;
    atomic_uint done; /* Operations that were IST_OK, for races that are ended by a close. */
} race;

static race race_of(ist_arena arena, bool swapped)
{
    const ist_layout *u64 = swapped ? shape_swapped(arena, IST_TYPE_U64) : ist_layout_of(IST_TYPE_U64),
                     *f64 = swapped ? shape_swapped(arena, IST_TYPE_DOUBLE) : ist_layout_of(IST_TYPE_DOUBLE),
                     *u32 = swapped ? shape_swapped(arena, IST_TYPE_U32) : ist_layout_of(IST_TYPE_U32),
                     *u16 = swapped ? shape_swapped(arena, IST_TYPE_U16) : ist_layout_of(IST_TYPE_U16);
    const ist_member members[] = { { .name = "counter", .layout = u64 },
                                   { .name = "tries", .layout = u64 },
                                   { .name = "sum", .layout = f64 },
                                   { .name = "flags", .layout = u32 },
                                   { .name = "half", .layout = u16 } };
    const ist_layout *layout = shape_struct(arena, "race", members, 5);
    return (race){ .counter = shape_path(layout, "counter"),
                   .tries = shape_path(layout, "tries"),
                   .sum = shape_path(layout, "sum"),
                   .flags = shape_path(layout, "flags"),
                   .half = shape_path(layout, "half") };
}

/* One step of each kind; returns the first status that is not IST_OK. */
static ist_status count_once(race *of, uint32_t mine)
{
    uint64_t seen, old;
    ist_status status = ist_path_atomic_fetch_add_u64(&of->counter, &of->segment, 0, NULL, 0, 3, IST_MEMORY_RELAXED, NULL);
    if (status == IST_OK)
        status = ist_path_atomic_load_u64(&of->tries, &of->segment, 0, NULL, 0, IST_MEMORY_RELAXED, &seen);
    do {
        if (status != IST_OK)
            return status;
        old = seen;
        status = ist_path_atomic_compare_exchange_u64(&of->tries, &of->segment, 0, NULL, 0, old, old + 5,
                                                      IST_MEMORY_SEQ_CST, &seen);
    } while (status != IST_OK || seen != old);
    status = ist_path_atomic_fetch_add_f64(&of->sum, &of->segment, 0, NULL, 0, 0.5, IST_MEMORY_ACQ_REL, NULL);
    if (status == IST_OK)
        status = ist_path_atomic_fetch_xor_u32(&of->flags, &of->segment, 0, NULL, 0, mine, IST_MEMORY_RELEASE, NULL);
    if (status == IST_OK)
        status = ist_path_atomic_fetch_add_u16(&of->half, &of->segment, 0, NULL, 0, 1, IST_MEMORY_SEQ_CST, NULL);
    return status;
}

static void start_together(race *of)
{
    atomic_fetch_add(&of->ready, 1);
    while (atomic_load(&of->ready) < THREADS)
        sched_yield();
}

typedef struct runner {
    race *of;
    pthread_t thread;
    uint32_t number;
} runner;

static void *count_up(void *data)
{
    const runner *self = data;
    start_together(self->of);
    for (int i = 0; i < ROUNDS + (int)self->number % 2; i++)
        expect_answer(count_once(self->of, 1u << (self->number * 4)), IST_OK);
    return NULL;
}

static void run_threads(race *of, void *(*body)(void *data), void (*meanwhile)(race *of))
{
    runner runners[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        runners[i] = (runner){ .of = of, .number = i };
        expect(pthread_create(&runners[i].thread, NULL, body, &runners[i]) == 0);
    }
    if (meanwhile != NULL)
        meanwhile(of);
    for (uint32_t i = 0; i < THREADS; i++)
        expect(pthread_join(runners[i].thread, NULL) == 0);
}

static void nothing_is_lost(ist_segment segment, ist_arena layouts, bool swapped)
{
    race of = race_of(layouts, swapped);
    of.segment = segment;
    expect_ok(ist_segment_fill(&segment, 0));
    run_threads(&of, count_up, NULL);
    const uint64_t total = (uint64_t)THREADS * ROUNDS + THREADS / 2;
    uint64_t counter, tries;
    uint32_t flags;
    uint16_t half;
    double sum;
    expect_ok(ist_path_get_u64(&of.counter, segment, 0, NULL, 0, &counter));
    expect_ok(ist_path_get_u64(&of.tries, segment, 0, NULL, 0, &tries));
    expect_ok(ist_path_get_f64(&of.sum, segment, 0, NULL, 0, &sum));
    expect_ok(ist_path_get_u32(&of.flags, segment, 0, NULL, 0, &flags));
    expect_ok(ist_path_get_u16(&of.half, segment, 0, NULL, 0, &half));
    expect_size(counter, 3 * total);
    expect_size(tries, 5 * total);
    expect_size((uint64_t)(sum * 2), total);
    expect_size(half, (uint16_t)total);
    for (uint32_t i = 0; i < THREADS; i++)
        expect((flags >> (i * 4) & 1) == (ROUNDS + i % 2) % 2);
}

static void eight_threads(void **state)
{
    (void)state;
    ist_arena layouts, shared;
    ist_segment segment;
    static _Alignas(64) uint8_t room[64];
    expect_ok(ist_arena_open_confined(&layouts));
    for (int swapped = 0; swapped < 2; swapped++) {
        nothing_is_lost(ist_segment_of(room, sizeof room), layouts, swapped);
        expect_ok(ist_arena_open_shared(&shared));
        expect_ok(ist_arena_allocate(shared, 64, 8, &segment));
        nothing_is_lost(segment, layouts, swapped);
        expect_ok(ist_arena_close(shared));
    }
    expect_ok(ist_arena_close(layouts));
}

/* Publishes plain bytes by a release, which an acquire takes up. */
typedef struct handover {
    ist_segment segment;
    uint64_t plain;
} handover;

static void *publish(void *data)
{
    handover *of = data;
    of->plain = 42;
    expect_answer(ist_atomic_store_u32(&of->segment, 0, 1, IST_MEMORY_RELEASE), IST_OK);
    return NULL;
}

static void release_and_acquire(void **state)
{
    (void)state;
    _Alignas(8) uint8_t room[8] = { 0 };
    for (int round = 0; round < 200; round++) {
        handover of = { .segment = ist_segment_of(room, sizeof room) };
        pthread_t thread;
        uint32_t seen = 0;
        expect_ok(ist_atomic_store_u32(&of.segment, 0, 0, IST_MEMORY_RELAXED));
        expect(pthread_create(&thread, NULL, publish, &of) == 0);
        while (seen == 0) {
            expect_ok(ist_atomic_load_u32(&of.segment, 0, IST_MEMORY_ACQUIRE, &seen));
            sched_yield();
        }
        expect_size(of.plain, 42);
        expect(pthread_join(thread, NULL) == 0);
    }
}

/* ---- Closed under them ---- */

static void *count_until_closed(void *data)
{
    const runner *self = data;
    ist_status status = IST_OK;
    start_together(self->of);
    while (status == IST_OK) {
        status = count_once(self->of, 1u << self->number);
        atomic_fetch_add(&self->of->done, status == IST_OK);
    }
    expect_answer(status, IST_E_CLOSED);
    return NULL;
}

static void close_when_they_run(race *of)
{
    while (atomic_load(&of->done) < THREADS * 4)
        sched_yield();
    expect_ok(ist_arena_close(ist_segment_arena(of->segment)));
}

static void closed_meanwhile(void **state)
{
    (void)state;
    ist_arena layouts, shared;
    expect_ok(ist_arena_open_confined(&layouts));
    for (int round = 0; round < (TEST_TSAN ? 10 : 60); round++) {
        race of = race_of(layouts, round % 2);
        expect_ok(ist_arena_open_shared(&shared));
        expect_ok(ist_arena_allocate(shared, 64, 8, &of.segment));
        run_threads(&of, count_until_closed, close_when_they_run);
        expect_status(ist_atomic_load_u64(&of.segment, 0, IST_MEMORY_SEQ_CST, &(uint64_t){ 0 }), IST_E_CLOSED);
    }
    expect_ok(ist_arena_close(layouts));
}

int main(int count, char **arguments)
{
    static const struct CMUnitTest tests[] = {
        test_case(operations_of_each_type),
        test_case(statuses_in_segments),
        test_case(statuses_of_paths),
        test_case(eight_threads),
        test_case(release_and_acquire),
        test_case(closed_meanwhile),
    };
    numbers = test_random_seeded(count, arguments, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
