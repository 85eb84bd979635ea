/* SPDX-License-Identifier: MIT */
#ifndef ISTI_SESSION_THREAD_H
#define ISTI_SESSION_THREAD_H
/*
 * Threads as the library knows them: a serial that is never reused, and a record that outlives the
 * thread.
 *
 * A thread gets its record at its first use of a slow path. The record is in a list that only
 * grows; when the thread ends it waits for another thread, under another serial. Records are never
 * freed or moved.
 *
 * `src/memory` keeps its own things per thread in the same record: it embeds isti_thread as first
 * member, and says how large the whole is and what to do when a thread ends (isti_thread_user).
 *
 * Lock: registry_lock, rank 1; see session/lock.h.
 */
#include "session/error.h"

#include <isthmus/abi.h>

#include <stdbool.h>

/* A hold that found no slot: it is counted in the session, and remembered here for its thread. */
typedef struct isti_spill {
    struct isti_spill *next;
    isti_session *session;
} isti_spill;

typedef struct isti_thread {
    /* Read by closers, written by the thread alone; lines of their own, since every access does. */
    _Alignas(128) uint64_t slots[ISTI_SLOT_COUNT];
    uint64_t exposed; /* Atomic; see session/exposure.h. Behind the slots, for the inlines. */
    uint64_t closes;  /* Shared and automatic arenas that ended here; atomic, the thread's own. */
    struct isti_thread *next; /* The registry. Constant once published. */
    /* The kernel's, of the thread that has or had the record. Registry lock. */
    uint64_t thread_id;
    isti_spill *spilled; /* Newest first. The thread's own. */
    size_t spill_count;
    int fence_errno; /* The thread's own: why its last heavy fence failed. */
    /* The thread's own words while it lives; else NULL. Registry lock. */
    isti_thread_self *self;
    uint64_t serial;               /* 0: free. Registry lock; the thread itself reads it without. */
    isti_failure last_failure;     /* The thread's own, as are the texts. */
    char reason[ISTI_REASON_SIZE]; /* Of the last failure, if that was isti_fail_text()'s. */
    char sentence[320];
} isti_thread;
_Static_assert(offsetof(isti_thread, exposed) == ISTI_WORD_EXPOSED * sizeof(uint64_t) &&
                   offsetof(isti_thread, closes) == ISTI_WORD_CLOSES * sizeof(uint64_t),
               "inlines find these behind the slots");

/* What the module above does with its part of the record. */
typedef struct isti_thread_user {
    size_t record_size;
    /* Runs once, before the first record is made. */
    void (*initialize)(void);
    /* Runs on a thread that ends, before its serial is dead. */
    void (*on_exit)(isti_thread *thread);
    /* Runs in the child of a fork for each thread that is not there any more. All locks held. */
    void (*on_lost)(isti_thread *thread);
    /* Runs in the child behind those, once. All locks held. */
    void (*on_fork)(void);
} isti_thread_user;

/* Defined by src/memory: a constant, so that there is no moment at which it is not known yet. */
extern const isti_thread_user isti_thread_user_memory;

/* The calling thread's record; made on first use. NULL: out of memory. */
isti_thread *isti_thread_current(void);

/* All records, newest first; the list only grows. For scans of slots. */
isti_thread *isti_thread_first(void);

/* Whether the thread with this serial has not ended. */
bool isti_thread_is_alive(uint64_t serial);

/* Calls visit() for each record, of living threads and others, with the registry lock held. */
void isti_thread_visit(void (*visit)(const isti_thread *thread, void *data), void *data);

#endif
