/* SPDX-License-Identifier: MIT */
/*
 * What ist_stats_get() counts and ist_trim() gives back, in one way of keeping memory: recycle, exact or unmap.
 *
 *     ISTHMUS_DEBUG=MODE stats MODE
 */
#include <isthmus/isthmus.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static ist_stats stats_now(void)
{
    ist_stats stats = { .size = sizeof stats };
    EXPECT(ist_stats_get(&stats) == IST_OK);
    EXPECT(stats.size == sizeof stats);
    return stats;
}

static ist_arena open_with(size_t size)
{
    ist_arena arena;
    ist_segment segment;
    EXPECT(ist_arena_open_confined(&arena) == IST_OK);
    EXPECT(ist_arena_allocate(arena, size, 1, &segment) == IST_OK);
    return arena;
}

/* The caller's struct may be an older, smaller one: its size says how far the library may write. */
static void versions_of_the_struct(void)
{
    ist_stats stats;
    memset(&stats, 0xee, sizeof stats);
    stats.size = offsetof(ist_stats, arenas_cached);
    EXPECT(ist_stats_get(&stats) == IST_OK);
    EXPECT(stats.size == offsetof(ist_stats, arenas_cached));
    EXPECT(stats.arenas_open < 100);
    const unsigned char *beyond = (const unsigned char *)&stats.arenas_cached;
    for (size_t i = 0; i < sizeof stats - offsetof(ist_stats, arenas_cached); i++)
        EXPECT(beyond[i] == 0xee);

    struct {
        ist_stats known;
        size_t later[4];
    } newer; /* A caller of a later version. */
    memset(&newer, 0xee, sizeof newer);
    newer.known.size = sizeof newer;
    EXPECT(ist_stats_get(&newer.known) == IST_OK);
    EXPECT(newer.known.size == sizeof(ist_stats));
    EXPECT(newer.later[0] == (size_t)0xeeeeeeeeeeeeeeee);

    stats.size = sizeof(size_t);
    EXPECT(ist_stats_get(&stats) == IST_E_ARGUMENT);
    stats.size = 0;
    EXPECT(ist_stats_get(&stats) == IST_E_ARGUMENT && stats.size == 0);
    EXPECT(ist_stats_get(NULL) == IST_E_ARGUMENT);
}

static void counts(int recycles)
{
    enum { COUNT = 10, SIZE = 3000 };
    ist_stats before = stats_now();
    ist_arena arenas[COUNT];
    for (int i = 0; i < COUNT; i++)
        arenas[i] = open_with(SIZE);
    ist_stats open = stats_now();
    EXPECT(open.arenas_open == before.arenas_open + COUNT);
    EXPECT(open.bytes_live >= before.bytes_live + (size_t)COUNT * SIZE);
    EXPECT(open.records >= COUNT);
    EXPECT(open.records_retired == 0);
    EXPECT(open.threads == 1);

    for (int i = 0; i < COUNT; i++)
        EXPECT(ist_arena_close(arenas[i]) == IST_OK);
    ist_stats closed = stats_now();
    EXPECT(closed.arenas_open == before.arenas_open);
    EXPECT(closed.records == open.records);
    if (recycles) {
        /* Kept for the next arenas, until it is asked for. */
        EXPECT(closed.arenas_cached >= COUNT);
        EXPECT(closed.bytes_live >= (size_t)COUNT * SIZE);
        size_t given = ist_trim();
        ist_stats trimmed = stats_now();
        EXPECT(given >= (size_t)COUNT * SIZE);
        EXPECT(trimmed.bytes_live == closed.bytes_live - given);
        EXPECT(trimmed.arenas_cached == 0);
    } else {
        /* Records wait for the next arenas in every mode; their memory is gone. */
        EXPECT(closed.arenas_cached >= COUNT);
        EXPECT(closed.bytes_live == before.bytes_live);
        EXPECT(ist_trim() == 0);
    }
    EXPECT(stats_now().bytes_live == before.bytes_live);
    EXPECT(ist_trim() == 0);
}

/* ---- Other threads ---- */

static pthread_barrier_t step;

static void wait_for_step(void)
{
    pthread_barrier_wait(&step);
}

static void *other_thread(void *data)
{
    ist_arena *left = data;
    ist_arena cached = open_with(3000);
    *left = open_with(3000);
    EXPECT(ist_arena_close(cached) == IST_OK);
    wait_for_step(); /* Looked at from outside, and trimmed. */
    wait_for_step();
    /* The slow path follows the other thread's ist_trim(): an arena with a block too large to be kept takes it. */
    EXPECT(ist_arena_close(open_with(1000000)) == IST_OK);
    wait_for_step();
    wait_for_step();
    /* What is cached when a thread ends goes back with it. */
    EXPECT(ist_arena_close(open_with(3000)) == IST_OK);
    return NULL;
}

static void threads(int recycles)
{
    ist_stats before = stats_now();
    ist_arena left;
    pthread_t thread;
    pthread_barrier_init(&step, NULL, 2);
    EXPECT(pthread_create(&thread, NULL, other_thread, &left) == 0);
    wait_for_step();
    ist_stats running = stats_now();
    EXPECT(running.threads == 2);
    EXPECT(running.arenas_open == before.arenas_open + 1);
    EXPECT(running.arenas_orphaned == 0);
    EXPECT(running.arenas_cached > before.arenas_cached);
    (void)ist_trim();
    wait_for_step();
    wait_for_step();
    if (recycles)
        EXPECT(stats_now().bytes_live < running.bytes_live);
    wait_for_step();
    pthread_join(thread, NULL);

    ist_stats ended = stats_now();
    EXPECT(ended.threads == 1);
    EXPECT(ended.arenas_orphaned == before.arenas_orphaned + 1);
    EXPECT(ended.arenas_open == before.arenas_open + 1);
    EXPECT(ended.bytes_live >= before.bytes_live + 3000); /* The orphan's stays valid. */
    size_t reclaimed = 0;
    EXPECT(ist_arena_reclaim_orphans(&reclaimed) == IST_OK && reclaimed == 1);
    EXPECT(!ist_arena_is_alive(left));
    (void)ist_trim();
    ist_stats after = stats_now();
    EXPECT(after.arenas_orphaned == 0 && after.arenas_open == before.arenas_open);
    EXPECT(after.bytes_live == before.bytes_live);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "recycle";
    int recycles = strcmp(mode, "recycle") == 0;
    EXPECT(strcmp(ist_version(), IST_VERSION_STRING) == 0);
    EXPECT(stats_now().bytes_live == 0 && stats_now().arenas_open == 0);
    versions_of_the_struct();
    counts(recycles);
    threads(recycles);
    counts(recycles);
    return 0;
}
