/* SPDX-License-Identifier: MIT */
#ifndef TEST_STRESS_STRESS_H
#define TEST_STRESS_STRESS_H
/*
 * Shared arenas under stress: threads use arenas while others close them, and what each saw is compared with what it may see.
 *
 * A *place* is where one shared arena follows another: its *lives*, numbered from 1. A churner opens a life, writes the life's
 * own pattern into all of its memory, publishes it, closes it and opens the next one; users take a copy of the published life and
 * use it, for as long as it takes, while it is closed and its record and memory serve the next life.
 *
 * What decides (nothing depends on time):
 *     late    a call that began after a close had returned IST_OK succeeded; a word read is not of the life's pattern; SIGSEGV
 *     lost    a close returned IST_OK while a hold was confirmed, or two closes of one life did
 *     wrong   IST_E_HELD although nobody tried to hold from before the call to behind it; a status that cannot be; an
 *             action that ran never, twice or although it was refused; blocks that overlap or are not zeroed
 *     hang    a thread has taken no step for a while: the watchdog ends the process
 */
#include <isthmus/isthmus.h>

#include "support/random.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_THREAD__)
#define STRESS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STRESS_TSAN 1
#endif
#endif
#ifndef STRESS_TSAN
#define STRESS_TSAN 0
#endif

enum {
    PLACES_MOST = 8,
    WORKERS_MOST = 64,
    BOXES = 16,    /* For detached holds on their way to another thread. */
    REMEMBERED = 16, /* Old lives that a worker keeps. */
    CELLS = 256,   /* Cleanup actions of a worker that are not checked yet. */
    WORDS = 160,   /* Of a life's memory; in the shapes for bulk operations there are BULK_WORDS. */
    BULK_WORDS = 160 * 1024 /* 1.25 MiB */
};

typedef struct life {
    ist_arena arena;
    ist_segment words;   /* All of the life's pattern. */
    ist_segment scratch; /* For copies; {0}: must keep the pattern in this life. */
    uint64_t number;
    uint64_t place;
} life;

enum { LIFE_WORDS = sizeof(life) / sizeof(uint64_t) };

typedef struct place {
    _Alignas(128) _Atomic uint64_t version; /* Odd: being changed. */
    _Atomic uint64_t published[LIFE_WORDS];
    _Alignas(128) _Atomic uint64_t closed; /* The last life for which a close has returned IST_OK. */
    _Atomic uint64_t chosen;               /* The last life that a user has chosen; churners wait for it, for a while. */
    _Atomic uint64_t avoid;                /* Users leave the place alone: its closer has been refused for long. */
    _Alignas(128) _Atomic uint64_t holding; /* Confirmed holds, as far as their holders have said so. */
    _Alignas(128) _Atomic uint64_t begun;   /* Attempts at a hold of a life that may be open, */
    _Atomic uint64_t ended;                 /* and those that are over: released, or refused. */
} place;

/* A cleanup action. */
typedef struct cell {
    _Atomic uint32_t ran;
    uint32_t added; /* IST_OK: it has to run once, by the end of that life. */
    uint64_t number;
    uint64_t place;
} cell;

typedef struct counts {
    uint64_t closes, held, reads, holds, bulks, allocations, cleanups, refused;
    uint64_t late, lost, wrong;
} counts;

typedef struct worker {
    _Alignas(128) _Atomic uint64_t steps; /* For the watchdog. */
    _Atomic(const char *) doing;
    _Atomic bool over;
    size_t index;
    uint64_t own_place; /* A churner's. */
    void (*turn)(struct worker *self);
    test_random random;
    counts seen;
    life old[REMEMBERED];
    cell *cells;
    uint64_t cells_used;
    uint64_t *bytes; /* BULK_WORDS words of the worker's own; bulk shapes. */
    _Atomic uint64_t tid;
} worker;

typedef struct action {
    void (*act)(worker *self);
    unsigned weight;
} action;

typedef struct shape {
    const char *name;
    const action *actions; /* Of users. */
    unsigned places;
    unsigned churners;   /* The first workers; each has places / churners of its own. */
    unsigned crowd;      /* Threads per thread asked for. */
    bool foreign;        /* Users close, too. */
    bool many;           /* Churners close by ist_arena_close_many(), everybody's. */
    bool bulk;
    bool watch_held;     /* IST_E_HELD has to be justified: attempts are counted, which slows them. */
    bool eager;          /* Lives are closed at once. */
    bool signals;
    bool counted;        /* Automatic arenas: churners drop their reference, holds are others. */
    bool newcomers;      /* Each life has a thread of its own as owner. */
    void (*extra)(worker *self); /* What the last worker does in the place of a user's turn. */
} shape;

extern const shape shapes[];
extern const size_t shape_count;

extern const shape *running;
extern place places[PLACES_MOST];
extern worker workers[WORKERS_MOST];
extern size_t worker_count;
extern _Atomic bool stopping;

/* What a word of a life holds; all of its bytes are the same. */
static inline uint64_t pattern(const life *of)
{
    return ((of->number * PLACES_MOST + of->place) % 251 + 1) * UINT64_C(0x0101010101010101);
}

/* Records what must not be. */
enum fault { LATE, LOST, WRONG };
__attribute__((format(printf, 3, 4))) void fault(worker *self, enum fault kind, const char *format, ...);

/* The handler of the signals in their shape. */
void on_signal(int number);

void churn(worker *self);
void use(worker *self);

/* After the end: all actions that were added have run. */
void check_cells(worker *self);
/* Releases all that is in the boxes. */
void empty_boxes(worker *self);

#endif
