/* SPDX-License-Identifier: MIT */
#include "company.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

struct mate {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*step)(void *data);
    void *data;
    bool busy, ends;
    uint64_t id;
};

static void *run(void *argument)
{
    mate *self = argument;
    pthread_mutex_lock(&self->lock);
    self->id = (uint64_t)syscall(SYS_gettid);
    self->busy = false;
    pthread_cond_broadcast(&self->changed);
    while (!self->ends) {
        if (self->step == NULL) {
            pthread_cond_wait(&self->changed, &self->lock);
            continue;
        }
        void (*step)(void *data) = self->step;
        pthread_mutex_unlock(&self->lock);
        step(self->data);
        pthread_mutex_lock(&self->lock);
        self->step = NULL;
        self->busy = false;
        pthread_cond_broadcast(&self->changed);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

mate *mate_start(void)
{
    mate *other = calloc(1, sizeof *other);
    expect(other != NULL);
    pthread_mutex_init(&other->lock, NULL);
    pthread_cond_init(&other->changed, NULL);
    other->busy = true;
    expect(pthread_create(&other->thread, NULL, run, other) == 0);
    mate_wait(other);
    return other;
}

void mate_wait(mate *other)
{
    pthread_mutex_lock(&other->lock);
    while (other->busy)
        pthread_cond_wait(&other->changed, &other->lock);
    pthread_mutex_unlock(&other->lock);
}

void mate_begin(mate *other, void (*step)(void *data), void *data)
{
    pthread_mutex_lock(&other->lock);
    other->step = step;
    other->data = data;
    other->busy = true;
    pthread_cond_broadcast(&other->changed);
    pthread_mutex_unlock(&other->lock);
}

void mate_do(mate *other, void (*step)(void *data), void *data)
{
    mate_begin(other, step, data);
    mate_wait(other);
}

uint64_t mate_id(const mate *other)
{
    return other->id;
}

void mate_end(mate *other)
{
    pthread_mutex_lock(&other->lock);
    other->ends = true;
    pthread_cond_broadcast(&other->changed);
    pthread_mutex_unlock(&other->lock);
    pthread_join(other->thread, NULL);
    pthread_mutex_destroy(&other->lock);
    pthread_cond_destroy(&other->changed);
    free(other);
}

use use_open(void)
{
    use opened = { .status = IST_OK };
    expect_ok(ist_arena_open_shared(&opened.arena));
    expect_ok(ist_arena_allocate(opened.arena, 64, 8, &opened.segment));
    return opened;
}

void use_touch(void *data)
{
    const use *of = data;
    uint64_t value = 0;
    expect_ok(ist_set_u64(of->segment, 0, 42));
    expect_ok(ist_get_u64(of->segment, 0, &value));
    expect_size(value, 42);
}

void use_hold(void *data)
{
    use *of = data;
    expect_ok(ist_arena_hold(of->arena, &of->hold));
}

void use_release(void *data)
{
    use *of = data;
    expect_ok(ist_arena_release(&of->hold));
}

void use_close(void *data)
{
    use *of = data;
    of->status = ist_arena_close(of->arena);
}

void use_escape(use *data)
{
    test_on_thread(use_touch, data);
}
