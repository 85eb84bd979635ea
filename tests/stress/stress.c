/* SPDX-License-Identifier: MIT */
/*
 * stress SHAPE|all [THREADS [SECONDS [SEED [CLOSES]]]]
 *
 * Runs a shape until that many seconds, 0.5 for instance, have passed, or, where CLOSES is given, that many closes have been done. Prints the seed, then one
 * line of figures per shape. Exit status: 0; 1 a fault; 2 usage; a hang ends by abort(). See stress.h.
 */
#include "stress.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef STRESS_PATIENCE_MS
#define STRESS_PATIENCE_MS 30000 /* Without a step, a thread hangs. */
#endif
#define FAULTS_SHOWN 10

const shape *running;
place places[PLACES_MOST];
worker workers[WORKERS_MOST];
size_t worker_count;
_Atomic bool stopping;
static _Atomic unsigned faults_shown;
static _Atomic bool signalling;

void fault(worker *self, enum fault kind, const char *format, ...)
{
    *(kind == LATE ? &self->seen.late : kind == LOST ? &self->seen.lost : &self->seen.wrong) += 1;
    if (atomic_fetch_add(&faults_shown, 1) >= FAULTS_SHOWN)
        return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    static const char *const names[] = { "late touch", "lost hold", "wrong" };
    fprintf(stderr, "%s: %s: %s (%s)\n", running->name, names[kind], text, atomic_load(&self->doing));
}

/* Memory of a closed arena was touched: it is unmapped. */
static void on_segv(int number)
{
    char text[256];
    int length = snprintf(text, sizeof text, "%s: late touch: signal %d\n", running != NULL ? running->name : "?", number);
    (void)!write(STDERR_FILENO, text, (size_t)length);
    _exit(1);
}

static void *run_worker(void *data)
{
    worker *self = data;
    self->tid = (uint64_t)syscall(SYS_gettid);
    while (!atomic_load_explicit(&stopping, memory_order_relaxed)) {
        self->turn(self);
        atomic_fetch_add_explicit(&self->steps, 1, memory_order_relaxed);
    }
    atomic_store(&self->over, true);
    return NULL;
}

static void *send_signals(void *data)
{
    (void)data;
    struct timespec pace = { .tv_nsec = 50000 };
    for (size_t next = 0; atomic_load(&signalling); next++) {
        const worker *target = &workers[next % worker_count];
        if (target->tid != 0 && !atomic_load(&target->over))
            (void)syscall(SYS_tgkill, getpid(), (pid_t)target->tid, SIGUSR1);
        nanosleep(&pace, NULL);
    }
    return NULL;
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static counts total(void)
{
    counts sum = { 0 };
    for (size_t i = 0; i < worker_count; i++) {
        uint64_t *to = (uint64_t *)&sum;
        const uint64_t *from = (const uint64_t *)&workers[i].seen;
        for (size_t k = 0; k < sizeof sum / sizeof *to; k++)
            to[k] += __atomic_load_n(&from[k], __ATOMIC_RELAXED);
    }
    return sum;
}

/* Ends the process if a thread that is not over has taken no step for long. */
static void watch(uint64_t *last_steps, uint64_t *last_times)
{
    for (size_t i = 0; i < worker_count; i++) {
        uint64_t steps = atomic_load(&workers[i].steps), now = now_ms();
        if (steps != last_steps[i] || last_times[i] == 0 || atomic_load(&workers[i].over)) {
            last_steps[i] = steps;
            last_times[i] = now;
        } else if (now - last_times[i] > STRESS_PATIENCE_MS) {
            fprintf(stderr, "%s: hang: thread %zu of %zu, %s\n", running->name, i, worker_count,
                    atomic_load(&workers[i].doing));
            abort();
        }
    }
}

static bool all_over(void)
{
    for (size_t i = 0; i < worker_count; i++)
        if (!atomic_load(&workers[i].over))
            return false;
    return true;
}

static void prepare(size_t threads, test_random *random)
{
    memset(places, 0, sizeof places);
    memset(workers, 0, sizeof workers);
    worker_count = threads * (running->crowd != 0 ? running->crowd : 1);
    if (worker_count < running->churners + 1 + (running->extra != NULL))
        worker_count = running->churners + 1 + (running->extra != NULL);
    if (worker_count > WORKERS_MOST)
        worker_count = WORKERS_MOST;
    for (size_t i = 0; i < worker_count; i++) {
        worker *self = &workers[i];
        self->index = self->own_place = i;
        self->random.state = test_random_next(random);
        self->turn = i < running->churners ? churn : use;
        if (running->extra != NULL && i == worker_count - 1)
            self->turn = running->extra;
        self->cells = calloc(CELLS, sizeof *self->cells);
        self->bytes = running->bulk ? malloc(BULK_WORDS * sizeof(uint64_t)) : NULL;
        if (self->cells == NULL || (running->bulk && self->bytes == NULL))
            abort();
        atomic_store(&self->doing, "starts");
    }
    atomic_store(&stopping, false);
}

static void drive(uint64_t milliseconds, uint64_t closes)
{
    uint64_t begin = now_ms();
    static uint64_t steps[WORKERS_MOST], times[WORKERS_MOST];
    memset(times, 0, sizeof times);
    while (!all_over()) {
        struct timespec pace = { .tv_nsec = 20000000 };
        nanosleep(&pace, NULL);
        watch(steps, times);
        if (closes != 0 ? total().closes >= closes : now_ms() - begin >= milliseconds)
            atomic_store(&stopping, true);
    }
}

static bool report(size_t threads, uint64_t milliseconds)
{
    counts sum = total();
    ist_stats stats = { .size = sizeof stats };
    IST_CHECK(ist_stats_get(&stats));
    if (stats.shared_open != 0) {
        fprintf(stderr, "%s: wrong: %zu shared arenas are still open\n", running->name, stats.shared_open);
        sum.wrong++;
    }
    printf("%s threads=%zu ms=%llu closes=%llu held=%llu reads=%llu holds=%llu bulks=%llu allocations=%llu cleanups=%llu "
           "refused=%llu late=%llu lost=%llu wrong=%llu\n",
           running->name, threads, (unsigned long long)milliseconds, (unsigned long long)sum.closes,
           (unsigned long long)sum.held, (unsigned long long)sum.reads, (unsigned long long)sum.holds,
           (unsigned long long)sum.bulks, (unsigned long long)sum.allocations, (unsigned long long)sum.cleanups,
           (unsigned long long)sum.refused, (unsigned long long)sum.late, (unsigned long long)sum.lost,
           (unsigned long long)sum.wrong);
    fflush(stdout);
    return sum.late + sum.lost + sum.wrong == 0 && sum.closes != 0;
}

static bool run_shape(const shape *chosen, size_t threads, uint64_t milliseconds, uint64_t closes,
                      test_random *random)
{
    running = chosen;
    uint64_t begin = now_ms();
    prepare(threads, random);
    pthread_t ids[WORKERS_MOST], signaller;
    for (size_t i = 0; i < worker_count; i++)
        if (pthread_create(&ids[i], NULL, run_worker, &workers[i]) != 0)
            abort();
    atomic_store(&signalling, running->signals);
    if (running->signals && pthread_create(&signaller, NULL, send_signals, NULL) != 0)
        abort();
    drive(milliseconds, closes);
    for (size_t i = 0; i < worker_count; i++)
        pthread_join(ids[i], NULL);
    if (atomic_exchange(&signalling, false))
        pthread_join(signaller, NULL);
    empty_boxes(&workers[0]);
    for (size_t i = 0; i < worker_count; i++) {
        check_cells(&workers[i]);
        free(workers[i].cells);
        free(workers[i].bytes);
    }
    return report(worker_count, now_ms() - begin);
}

static int usage(void)
{
    fprintf(stderr, "usage: stress SHAPE|all [THREADS [SECONDS [SEED [CLOSES]]]]\nshapes:");
    for (size_t i = 0; i < shape_count; i++)
        fprintf(stderr, " %s", shapes[i].name);
    fprintf(stderr, "\n");
    return 2;
}

int main(int count, char **arguments)
{
    if (count < 2)
        return usage();
    size_t threads = count > 2 ? strtoull(arguments[2], NULL, 0) : 4;
    double seconds = count > 3 ? strtod(arguments[3], NULL) : 1;
    test_random random = test_random_seeded(count, arguments, 4);
    uint64_t closes = count > 5 ? strtoull(arguments[5], NULL, 0) : 0;
    struct sigaction late = { .sa_handler = on_segv };
    sigaction(SIGSEGV, &late, NULL);
    sigaction(SIGBUS, &late, NULL);
    sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_signal, .sa_flags = SA_RESTART }, NULL);
    bool found = false, fine = true;
    for (size_t i = 0; i < shape_count; i++) {
        if (strcmp(arguments[1], "all") != 0 && strcmp(arguments[1], shapes[i].name) != 0)
            continue;
        found = true;
        fine = run_shape(&shapes[i], threads, (uint64_t)(seconds * 1000), closes, &random) && fine;
    }
    return found ? !fine : usage();
}
