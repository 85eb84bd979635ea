/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HARNESS_PEER_H
#define BENCH_HARNESS_PEER_H
/*
 * A running worker, seen from the orchestrator: start, ask, stop. One request, one answer.
 *
 * Every function that returns false or NULL has put a sentence into the peer's `error`.
 */
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct bench_peer {
    const char *name; /* The subject. */
    pid_t process;    /* 0: not running. */
    FILE *requests;
    int answers;  /* A pipe. */
    char *buffer; /* Bytes read from it and not handed out yet. */
    size_t used, taken;
    char error[256];
};

/*
 * Moves the orchestrator to the first processor that it may use, where workers put the least.
 * Returns how many there are, which is what workers get.
 */
unsigned bench_peer_claim_core(void);

/* Runs the file as the worker of a subject. */
bool bench_peer_start(struct bench_peer *peer, const char *name, const char *file);

/* Sends a request. Fields are separated by tabs, as worker.c describes. */
bool bench_peer_request(struct bench_peer *peer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The next line of an answer, good until the next call; waits for at most that long. */
char *bench_peer_line(struct bench_peer *peer, unsigned timeout_ms);

/* The next line must begin with "ok": returns what follows, past the tab. */
char *bench_peer_ok(struct bench_peer *peer, unsigned timeout_ms);

/* Ends the worker by closing its input, or by a signal if it does not listen. */
void bench_peer_stop(struct bench_peer *peer);

#endif
