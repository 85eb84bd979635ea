/* SPDX-License-Identifier: MIT */
/*
 * Worker processes: pipes, processors, and what to say when one fails.
 * Invariant: process != 0 exactly while there is a child to wait for; its pipes are open as long.
 * A worker ends by itself when the orchestrator dies, because its standard input ends.
 * Not done here: what the requests mean.
 */
#include "harness/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/memory.h"

#define BUFFER_SIZE 65536
#define STOP_TIMEOUT_MS 2000

static cpu_set_t allowed; /* What the orchestrator was started with; empty before it is asked. */

static void pin(unsigned core)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one); /* Best effort: a refusal costs precision only. */
}

unsigned bench_peer_claim_core(void)
{
    if (CPU_COUNT(&allowed) == 0 && sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        unsigned first = 0;
        while (!CPU_ISSET(first, &allowed))
            first++;
        pin(first);
    }
    int count = CPU_COUNT(&allowed);
    return count < 1 ? 1 : (unsigned)count;
}

static _Noreturn void become_worker(const char *file, int input, int output)
{
    if (CPU_COUNT(&allowed) > 0)
        sched_setaffinity(0, sizeof allowed, &allowed);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    execl(file, file, (char *)NULL);
    _exit(127);
}

bool bench_peer_start(struct bench_peer *peer, const char *name, const char *file)
{
    int to_worker[2], from_worker[2];
    *peer = (struct bench_peer){ .name = name };
    if (pipe2(to_worker, O_CLOEXEC) != 0) {
        snprintf(peer->error, sizeof peer->error, "no pipe: %s", strerror(errno));
        return false;
    }
    if (pipe2(from_worker, O_CLOEXEC) != 0) {
        snprintf(peer->error, sizeof peer->error, "no pipe: %s", strerror(errno));
        close(to_worker[0]);
        close(to_worker[1]);
        return false;
    }
    peer->process = fork();
    if (peer->process == 0)
        become_worker(file, to_worker[0], from_worker[1]);
    close(to_worker[0]);
    close(from_worker[1]);
    peer->requests = bench_need(fdopen(to_worker[1], "w"));
    peer->answers = from_worker[0];
    peer->buffer = bench_need(malloc(BUFFER_SIZE));
    if (peer->process > 0)
        return true;
    snprintf(peer->error, sizeof peer->error, "no process: %s", strerror(errno));
    peer->process = 0;
    return false;
}

bool bench_peer_request(struct bench_peer *peer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(peer->requests, format, arguments);
    va_end(arguments);
    fputc('\n', peer->requests);
    if (fflush(peer->requests) == 0)
        return true;
    snprintf(peer->error, sizeof peer->error, "the worker does not take requests: %s",
             strerror(errno));
    return false;
}

/* The worker's answers have ended: finds out why. */
static void explain_end(struct bench_peer *peer)
{
    int status = 0;
    waitpid(peer->process, &status, 0);
    peer->process = 0;
    if (WIFSIGNALED(status))
        snprintf(peer->error, sizeof peer->error, "the worker was ended by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == 127)
        snprintf(peer->error, sizeof peer->error,
                 "the worker does not start (is its library there?)");
    else
        snprintf(peer->error, sizeof peer->error, "the worker exited with status %d",
                 WEXITSTATUS(status));
}

/* Reads more of the answer; false if there is none, in time. */
static bool read_more(struct bench_peer *peer, unsigned timeout_ms)
{
    memmove(peer->buffer, peer->buffer + peer->taken, peer->used - peer->taken);
    peer->used -= peer->taken;
    peer->taken = 0;
    struct pollfd ready = { .fd = peer->answers, .events = POLLIN };
    if (peer->used == BUFFER_SIZE || poll(&ready, 1, (int)timeout_ms) == 0) {
        snprintf(peer->error, sizeof peer->error, "the worker does not answer");
        return false;
    }
    ssize_t length = read(peer->answers, peer->buffer + peer->used, BUFFER_SIZE - peer->used);
    if (length > 0) {
        peer->used += (size_t)length;
        return true;
    }
    explain_end(peer);
    return false;
}

char *bench_peer_line(struct bench_peer *peer, unsigned timeout_ms)
{
    for (;;) {
        char *line = peer->buffer + peer->taken;
        char *end = memchr(line, '\n', peer->used - peer->taken);
        if (end != NULL) {
            *end = '\0';
            peer->taken += (size_t)(end - line) + 1;
            return line;
        }
        if (!read_more(peer, timeout_ms))
            return NULL;
    }
}

char *bench_peer_ok(struct bench_peer *peer, unsigned timeout_ms)
{
    char *line = bench_peer_line(peer, timeout_ms);
    if (line == NULL)
        return NULL;
    if (strncmp(line, "ok", 2) == 0)
        return line[2] == '\t' ? line + 3 : line + 2;
    const char *sentence = strncmp(line, "error\t", 6) == 0 ? line + 6 : line;
    snprintf(peer->error, sizeof peer->error, "%s", sentence);
    return NULL;
}

/* Waits for the worker to close its answers, which it does by exiting. */
static bool exits_in_time(struct bench_peer *peer)
{
    char rest[256];
    struct pollfd ready = { .fd = peer->answers, .events = POLLIN };
    while (poll(&ready, 1, STOP_TIMEOUT_MS) > 0) {
        if (read(peer->answers, rest, sizeof rest) <= 0)
            return true;
    }
    return false;
}

void bench_peer_stop(struct bench_peer *peer)
{
    if (peer->requests != NULL)
        fclose(peer->requests);
    if (peer->process != 0) {
        if (!exits_in_time(peer))
            kill(peer->process, SIGKILL);
        waitpid(peer->process, NULL, 0);
    }
    if (peer->requests != NULL)
        close(peer->answers);
    free(peer->buffer);
    peer->process = 0;
    peer->requests = NULL;
    peer->buffer = NULL;
}
