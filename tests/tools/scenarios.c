/* SPDX-License-Identifier: MIT */
/*
 * A user's program in scenarios, for memory tools to judge: some are correct and must pass in silence, in some a plain
 * pointer goes where it must not and the tool has to say so. `scenarios NAME` runs one, without arguments it lists them.
 *
 * The mistakes are made through plain pointers: those made through Isthmus get a status and touch nothing.
 */
#include <isthmus/isthmus.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The compiler must neither see through the pointer nor drop the access. */
static volatile unsigned char *plain_pointer(ist_segment segment)
{
    void *pointer = ist_segment_pointer_unchecked(segment);
    __asm__("" : "+r"(pointer));
    return (volatile unsigned char *)pointer;
}

static void touch(volatile unsigned char *place)
{
    *place = (unsigned char)(*place + 1);
}

static ist_arena open_arena(void)
{
    ist_arena arena;
    IST_CHECK(ist_arena_open_confined(&arena));
    return arena;
}

static ist_segment allocate(ist_arena arena, size_t size)
{
    ist_segment segment;
    IST_CHECK(ist_arena_allocate(arena, size, 8, &segment));
    return segment;
}

/* ---- Correct ---- */

static void free_it(void *data)
{
    free(data);
}

static void use_arena(size_t seed)
{
    ist_arena arena = open_arena();
    void *cleaned = malloc(16);
    if (cleaned == NULL || ist_arena_on_close(arena, free_it, cleaned) != IST_OK)
        abort();
    for (size_t i = 0; i < 50; i++) {
        size_t size = (seed * 131 + i * i * 37) % 3000;
        ist_segment block = allocate(arena, size);
        volatile unsigned char *bytes = plain_pointer(block);
        for (size_t k = 0; k < size; k++) {
            if (bytes[k] != 0)
                abort();
            bytes[k] = (unsigned char)seed;
        }
        ist_segment raw;
        IST_CHECK(ist_arena_allocate_uninitialized(arena, size + 8, 64, &raw));
        IST_CHECK(ist_segment_fill(&raw, (uint8_t)i));
        IST_CHECK(ist_set_u64(raw, 0, seed));
        if (ist_read_u64(raw, 0) != seed)
            abort();
    }
    IST_CHECK(ist_arena_close(arena));
}

static void use_frames(void)
{
    ist_frame outer, inner;
    ist_segment block;
    IST_CHECK(ist_frame_push(256, 8, &outer));
    for (int i = 0; i < 20; i++) {
        IST_CHECK(ist_frame_push(100, 8, &inner));
        IST_CHECK(ist_frame_allocate(&inner, 100, 1, &block));
        IST_CHECK(ist_segment_fill(&block, 7));
        IST_CHECK(ist_frame_allocate(&inner, 5000, 16, &block)); /* Does not fit. */
        IST_CHECK(ist_segment_fill(&block, 7));
        IST_CHECK(ist_frame_pop(&inner));
    }
    IST_CHECK(ist_frame_pop(&outer));
}

static void correct(void)
{
    for (size_t i = 0; i < 40; i++)
        use_arena(i);
    use_frames();
    ist_segment lasting = allocate(ist_arena_global(), 100), copy;
    IST_CHECK(ist_segment_fill(&lasting, 1));
    ist_arena arena = open_arena();
    ist_slicing slicing;
    IST_CHECK(ist_slicing_over(allocate(arena, 1000), &slicing));
    for (int i = 0; i < 10; i++)
        IST_CHECK(ist_allocate_string(ist_slicing_allocator(&slicing), "some text", &copy));
    double sum = 0;
    ist_status status;
    IST_WITH_READ(const double, value, allocate(arena, 80), 0, 10, status) {
        for (int i = 0; i < 10; i++)
            sum += value[i];
    }
    if (status != IST_OK || sum < -1 || sum > 1)
        abort();
    IST_CHECK(ist_arena_close(arena));
    int8_t value = 3;
    if (ist_get_i8(copy, 0, &value) != IST_E_CLOSED || value != 3)
        abort();
    (void)ist_trim();
}

/* At exit an arena is open, and the program's own memory hangs on its blocks: none of it is lost. */
static void left_open(void)
{
    static ist_arena arena; /* Static, as a program that means it would have it. */
    arena = open_arena();
    for (int i = 0; i < 10; i++) {
        char *own = malloc(32);
        IST_CHECK(ist_set_address(allocate(arena, 40), 0, own));
        IST_CHECK(ist_set_address(allocate(ist_arena_global(), 40), 0, malloc(32)));
    }
}

/* Segments without memory behind them: pointer arithmetic on NULL is nobody's business. */
static void null_segment(void)
{
    ist_segment none = { 0 }, part, rest;
    int64_t value;
    IST_CHECK(ist_segment_slice(none, 0, 0, &part));
    IST_CHECK(ist_segment_slice_from(part, 0, &rest));
    IST_CHECK(ist_segment_slice_aligned(ist_segment_of(NULL, 0), 0, 0, 8, &part));
    IST_CHECK(ist_segment_fill(&part, 1));
    IST_CHECK(ist_segment_copy(&part, 0, &part, 0, 0));
    ist_status status;
    IST_WITH_READ(const int64_t, row, part, 0, 0, status) {
        (void)row;
    }
    if (status != IST_OK || ist_get_i64(none, 0, &value) != IST_E_BOUNDS || ist_set_i8(rest, 0, 1) != IST_E_BOUNDS)
        abort();
    IST_CHECK(ist_arena_allocate(ist_arena_global(), 0, 1, &part));
    ist_segment beside = ist_segment_overlap(part, none);
    if (ist_segment_size(beside) != 0)
        abort();
}

/* ---- Threads, correct ---- */

typedef struct relay {
    pthread_t thread;
    size_t number;
    ist_arena left;      /* Left open by the thread, for whoever joins it. */
    ist_segment block;   /* Of that arena. */
    ist_segment lasting; /* Of the global arena. */
} relay;

static void *run_relay(void *data)
{
    relay *self = data;
    for (size_t i = 0; i < 20; i++)
        use_arena(self->number + i);
    use_frames();
    if (self->number % 3 == 0)
        (void)ist_trim();
    self->left = open_arena();
    self->block = allocate(self->left, 64);
    ist_write_u64(self->block, 0, self->number);
    self->lasting = allocate(ist_arena_global(), 64);
    ist_write_u64(self->lasting, 0, self->number);
    return NULL;
}

static void start(pthread_t *thread, void *(*function)(void *), void *data)
{
    if (pthread_create(thread, NULL, function, data) != 0)
        abort();
}

/* What a thread leaves goes to its heir: through the join, adoption, and the pool from which the next threads open. */
static void correct_threads(void)
{
    relay relays[4];
    for (size_t round = 0; round < 5; round++) {
        for (size_t i = 0; i < 4; i++) {
            relays[i].number = round * 4 + i;
            start(&relays[i].thread, run_relay, &relays[i]);
        }
        use_arena(round);
        for (size_t i = 0; i < 4; i++) {
            pthread_join(relays[i].thread, NULL);
            if (ist_read_u64(relays[i].lasting, 0) != relays[i].number)
                abort();
            if (i % 2 == 0) {
                IST_CHECK(ist_arena_adopt(relays[i].left));
                if (ist_read_u64(relays[i].block, 0) != relays[i].number)
                    abort();
                ist_write_u64(relays[i].block, 0, 1);
                IST_CHECK(ist_arena_close(relays[i].left));
            }
        }
        size_t reclaimed = 0;
        IST_CHECK(ist_arena_reclaim_orphans(&reclaimed));
        if (reclaimed != 2)
            abort();
    }
}

static void *run_short(void *data)
{
    (void)data;
    use_arena(1);
    int64_t value;
    if (ist_get_i64((ist_segment){ 0 }, 0, &value) != IST_E_BOUNDS || strlen(ist_last_error()) < 10)
        abort();
    return NULL;
}

static void thousand_threads(void)
{
    for (int i = 0; i < 1000; i++) {
        pthread_t thread;
        start(&thread, run_short, NULL);
        pthread_join(thread, NULL);
    }
}

/* ---- A shared arena, correct ---- */

typedef struct reader {
    pthread_t thread;
    ist_segment numbers;
    pthread_barrier_t *started;
    long reads;
} reader;

static void *read_until_closed(void *data)
{
    reader *self = data;
    ist_status status = IST_OK;
    int64_t value = 7;
    pthread_barrier_wait(self->started);
    while (status == IST_OK) {
        if (value != 7)
            abort();
        if (++self->reads % 2 == 0) {
            status = ist_get_i64(self->numbers, 8, &value);
            continue;
        }
        IST_WITH_READ(const int64_t, number, self->numbers, 0, 2, status) {
            value = number[1];
        }
    }
    if (status != IST_E_CLOSED)
        abort();
    return NULL;
}

/* Several threads read until the closer ends it; what they read becomes memory of the next arena at once. */
static void correct_shared(void)
{
    enum { READERS = 3 };
    reader readers[READERS];
    pthread_barrier_t started;
    pthread_barrier_init(&started, NULL, READERS + 1);
    for (int round = 0; round < 10; round++) {
        ist_arena arena;
        IST_CHECK(ist_arena_open_shared(&arena));
        ist_segment numbers = allocate(arena, 16);
        IST_CHECK(ist_set_i64(numbers, 8, 7));
        for (int i = 0; i < READERS; i++) {
            readers[i] = (reader){ .numbers = numbers, .started = &started };
            start(&readers[i].thread, read_until_closed, &readers[i]);
        }
        pthread_barrier_wait(&started);
        ist_status status;
        do
            status = ist_arena_close(arena);
        while (status == IST_E_HELD);
        IST_CHECK(status);
        use_arena((size_t)round);
        for (int i = 0; i < READERS; i++)
            pthread_join(readers[i].thread, NULL);
    }
    pthread_barrier_destroy(&started);
}

/* ---- Mistakes ---- */

/* The block is 24 bytes and another follows: what lies behind is memory of the same arena. */
static void overrun(void)
{
    ist_arena arena = open_arena();
    ist_segment block = allocate(arena, 24);
    (void)allocate(arena, 24);
    touch(plain_pointer(block) + 24);
    IST_CHECK(ist_arena_close(arena));
}

static void overrun_reading_large(void)
{
    ist_arena arena = open_arena();
    ist_segment block = allocate(arena, 100001);
    (void)allocate(arena, 100000);
    volatile unsigned char read = *(plain_pointer(block) + 100001);
    (void)read;
    IST_CHECK(ist_arena_close(arena));
}

static void underrun(void)
{
    ist_arena arena = open_arena();
    (void)allocate(arena, 64);
    touch(plain_pointer(allocate(arena, 64)) - 1);
    IST_CHECK(ist_arena_close(arena));
}

static void overrun_global(void)
{
    ist_segment block = allocate(ist_arena_global(), 24);
    (void)allocate(ist_arena_global(), 24);
    touch(plain_pointer(block) + 24);
}

static void overrun_frame(void)
{
    ist_frame frame;
    ist_segment block, next;
    IST_CHECK(ist_frame_push(128, 8, &frame));
    IST_CHECK(ist_frame_allocate(&frame, 24, 8, &block));
    IST_CHECK(ist_frame_allocate(&frame, 24, 8, &next));
    IST_CHECK(ist_segment_fill(&next, 0));
    *(plain_pointer(block) + 24) = 1;
    IST_CHECK(ist_frame_pop(&frame));
}

static void use_after_close(void)
{
    ist_arena arena = open_arena();
    ist_segment block = allocate(arena, 100);
    IST_CHECK(ist_arena_close(arena));
    touch(plain_pointer(block) + 50);
}

/* The record serves another arena by now. */
static void use_after_reopen(void)
{
    ist_arena arena = open_arena();
    ist_segment block = allocate(arena, 100);
    IST_CHECK(ist_arena_close(arena));
    arena = open_arena();
    (void)allocate(arena, 100);
    touch(plain_pointer(block) + 50);
    IST_CHECK(ist_arena_close(arena));
}

static void use_after_pop(void)
{
    ist_frame frame;
    ist_segment block;
    IST_CHECK(ist_frame_push(128, 8, &frame));
    IST_CHECK(ist_frame_allocate(&frame, 24, 8, &block));
    IST_CHECK(ist_frame_pop(&frame));
    touch(plain_pointer(block));
}

/* The first arena leaves its bytes behind; the second gets memory that it did not clear. */
static void uninitialised(void)
{
    ist_arena arena = open_arena();
    ist_segment block = allocate(arena, 64);
    IST_CHECK(ist_segment_fill(&block, 1));
    IST_CHECK(ist_arena_close(arena));
    arena = open_arena();
    IST_CHECK(ist_arena_allocate_uninitialized(arena, 64, 8, &block));
    if (plain_pointer(block)[40] == 1)
        fputs("as before\n", stdout);
    IST_CHECK(ist_arena_close(arena));
}

static void *write_often(void *data)
{
    ist_segment *shared = data;
    for (int64_t i = 0; i < 1000; i++)
        IST_CHECK(ist_set_i64(*shared, 0, i));
    return NULL;
}

/* Isthmus does not order the accesses of several threads to global memory: the program has to. */
static void race(void)
{
    ist_segment shared = allocate(ist_arena_global(), 8);
    pthread_t first, second;
    start(&first, write_often, &shared);
    start(&second, write_often, &shared);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

/* ---- Choice ---- */

static const struct scenario {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    { "correct", correct },
    { "left_open", left_open },
    { "null_segment", null_segment },
    { "correct_threads", correct_threads },
    { "correct_shared", correct_shared },
    { "thousand_threads", thousand_threads },
    { "overrun", overrun },
    { "overrun_reading_large", overrun_reading_large },
    { "underrun", underrun },
    { "overrun_global", overrun_global },
    { "overrun_frame", overrun_frame },
    { "use_after_close", use_after_close },
    { "use_after_reopen", use_after_reopen },
    { "use_after_pop", use_after_pop },
    { "uninitialised", uninitialised },
    { "race", race },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        if (argc < 2)
            puts(scenarios[i].name);
        else if (strcmp(argv[1], scenarios[i].name) == 0)
            return scenarios[i].run(), 0;
    }
    return argc < 2 ? 0 : 2;
}
