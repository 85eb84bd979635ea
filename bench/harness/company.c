/* SPDX-License-Identifier: MIT */
/*
 * Companions: threads that are awake between begin and end.
 * Invariant: active <= count is how many are inside run(); between end and the next begin it is 0.
 * Not done here: what they do, and what they leave behind for the measuring threads.
 */
#include "harness/company.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "harness/cores.h"

struct companion {
    struct bench_company *company;
    struct bench_companion task;
    unsigned core;
    pthread_t thread;
};

struct bench_company {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool going; /* Written under the lock; companions look at it without. */
    bool quit;
    size_t started; /* Since the last begin. */
    size_t active, count;
    struct companion companions[];
};

static unsigned company_size; /* Written by the thread that opens and closes. */

bool bench_company_goes_on(const struct bench_company *company)
{
    /* Relaxed: nothing is handed over by it; the lock orders what begin and end promise. */
    return atomic_load_explicit(&company->going, memory_order_relaxed);
}

unsigned bench_company_size(void)
{
    return company_size;
}

unsigned bench_company_cores(unsigned lanes)
{
    unsigned cores = bench_cores_count();
    return cores > lanes ? cores - lanes : cores;
}

/* Waits for an iteration; false if there will be none. The lock is held, as after it. */
static bool wait_for_begin_locked(struct bench_company *company)
{
    while (!atomic_load_explicit(&company->going, memory_order_relaxed) && !company->quit)
        pthread_cond_wait(&company->changed, &company->lock);
    return !company->quit;
}

static void *companion_main(void *argument)
{
    struct companion *companion = argument;
    struct bench_company *company = companion->company;
    bench_cores_pin(companion->core);
    pthread_mutex_lock(&company->lock);
    while (wait_for_begin_locked(company)) {
        company->active++;
        company->started++;
        pthread_cond_broadcast(&company->changed);
        pthread_mutex_unlock(&company->lock);
        companion->task.run(companion->task.argument, company);
        pthread_mutex_lock(&company->lock);
        company->active--;
        pthread_cond_broadcast(&company->changed);
        /* One that returned early waits for the end, so that it is not begun twice. */
        while (atomic_load_explicit(&company->going, memory_order_relaxed))
            pthread_cond_wait(&company->changed, &company->lock);
    }
    pthread_mutex_unlock(&company->lock);
    return NULL;
}

const char *bench_company_open(const struct bench_companion *companions, size_t count,
                               unsigned cores, struct bench_company **ret_company)
{
    struct bench_company *company = calloc(1, sizeof *company + count * sizeof(struct companion));
    if (company == NULL)
        return "out of memory";
    pthread_mutex_init(&company->lock, NULL);
    pthread_cond_init(&company->changed, NULL);
    for (size_t i = 0; i < count; i++) {
        struct companion *companion = &company->companions[i];
        *companion = (struct companion){ .company = company,
                                         .task = companions[i],
                                         .core = (unsigned)i % cores };
        if (pthread_create(&companion->thread, NULL, companion_main, companion) != 0) {
            bench_company_close(company);
            return "cannot start the threads beside the measuring ones";
        }
        company->count++;
        company_size++;
    }
    *ret_company = company;
    return NULL;
}

void bench_company_begin(struct bench_company *company)
{
    pthread_mutex_lock(&company->lock);
    company->started = 0;
    atomic_store_explicit(&company->going, true, memory_order_relaxed);
    pthread_cond_broadcast(&company->changed);
    while (company->started < company->count)
        pthread_cond_wait(&company->changed, &company->lock);
    pthread_mutex_unlock(&company->lock);
}

void bench_company_end(struct bench_company *company)
{
    pthread_mutex_lock(&company->lock);
    atomic_store_explicit(&company->going, false, memory_order_relaxed);
    pthread_cond_broadcast(&company->changed);
    while (company->active > 0)
        pthread_cond_wait(&company->changed, &company->lock);
    pthread_mutex_unlock(&company->lock);
}

void bench_company_close(struct bench_company *company)
{
    if (company == NULL)
        return;
    pthread_mutex_lock(&company->lock);
    company->quit = true;
    pthread_cond_broadcast(&company->changed);
    pthread_mutex_unlock(&company->lock);
    for (size_t i = 0; i < company->count; i++)
        pthread_join(company->companions[i].thread, NULL);
    company_size -= (unsigned)company->count;
    pthread_cond_destroy(&company->changed);
    pthread_mutex_destroy(&company->lock);
    free(company);
}
