/* SPDX-License-Identifier: MIT */
#ifndef TEST_SHARED_COMPANY_H
#define TEST_SHARED_COMPANY_H
/*
 * Other threads that do as they are told, one step at a time, so that a test says who does what in which order.
 *
 *     mate *other = mate_start();
 *     mate_do(other, take_a_hold, &data);    // Returns when it is done.
 *     mate_end(other);                       // The thread exits.
 */
#include "support/expect.h"

typedef struct mate mate;

mate *mate_start(void);
/* Runs step(data) on that thread and waits for its end; or only begins it, and waits later. */
void mate_do(mate *other, void (*step)(void *data), void *data);
void mate_begin(mate *other, void (*step)(void *data), void *data);
void mate_wait(mate *other);
/* The kernel's id of the thread. */
uint64_t mate_id(const mate *other);
void mate_end(mate *other);

/* ---- What is asked of them most ---- */

typedef struct use {
    ist_arena arena;
    ist_segment segment;
    ist_hold hold;
    ist_detached_hold detached;
    ist_status status;
} use;

/* A shared arena with a block of 64 bytes. */
use use_open(void);
void use_touch(void *data);   /* Writes and reads the first word: the arena is escaped then. */
void use_hold(void *data);    /* expect_ok() */
void use_release(void *data); /* expect_ok() */
void use_close(void *data);   /* Into status. */
/* Has another thread touch it. */
void use_escape(use *data);

#endif
