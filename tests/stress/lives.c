/* SPDX-License-Identifier: MIT */
/* Churners: they open lives, publish and close them, and check what a close may answer. */
#include "lives.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* ---- Publishing: a sequence lock ---- */

static void publish(const life *next)
{
    place *at = &places[next->place];
    uint64_t words[LIFE_WORDS], version = atomic_load_explicit(&at->version, memory_order_relaxed);
    memcpy(words, next, sizeof words);
    atomic_store_explicit(&at->version, version + 1, memory_order_relaxed);
    for (size_t i = 0; i < LIFE_WORDS; i++) /* Release: a reader that sees one of them sees the odd version. */
        atomic_store_explicit(&at->published[i], words[i], memory_order_release);
    atomic_store_explicit(&at->version, version + 2, memory_order_release);
}

bool read_life(uint64_t index, life *ret_life)
{
    place *at = &places[index];
    uint64_t words[LIFE_WORDS], version = atomic_load_explicit(&at->version, memory_order_acquire);
    if (version == 0 || version % 2 != 0)
        return false;
    for (size_t i = 0; i < LIFE_WORDS; i++)
        words[i] = atomic_load_explicit(&at->published[i], memory_order_acquire);
    if (atomic_load_explicit(&at->version, memory_order_relaxed) != version)
        return false;
    memcpy(ret_life, words, sizeof words);
    return true;
}

bool is_over(const life *seen)
{
    return atomic_load(&places[seen->place].closed) >= seen->number;
}

void pause_for(worker *self, uint64_t most)
{
    for (uint64_t left = test_random_below(&self->random, most + 1); left != 0; left--) {
        __asm__ __volatile__("" ::: "memory");
        if (left % 512 == 0)
            sched_yield();
    }
}

/* ---- Closing, and what it may answer ---- */

typedef struct closing {
    bool was_over;
    uint64_t begun, ended;
} closing;

static closing before_close(const life *target)
{
    closing call = { .was_over = is_over(target) };
    call.begun = atomic_load(&places[target->place].begun); /* This one first: see unjustified(). */
    call.ended = atomic_load(&places[target->place].ended);
    return call;
}

/* All attempts that had begun by the first look were over by the second, and none has begun since: nobody held. */
static bool unjustified(const closing *call, const place *at)
{
    return running->watch_held && call->begun == call->ended && atomic_load(&at->begun) == call->begun;
}

static void after_close(worker *self, const life *target, const closing *call, ist_status status)
{
    place *at = &places[target->place];
    uint64_t before = target->number - 1;
    switch (status) {
    case IST_OK:
        if (call->was_over)
            fault(self, LATE, "a close succeeded after another had");
        if (atomic_load(&at->holding) != 0)
            fault(self, LOST, "closed with %llu holds", (unsigned long long)atomic_load(&at->holding));
        if (!atomic_compare_exchange_strong(&at->closed, &before, target->number))
            fault(self, LOST, "two closes of one life succeeded");
        self->seen.closes++;
        return;
    case IST_E_HELD:
        if (call->was_over)
            fault(self, LATE, "held, after a close had succeeded");
        if (unjustified(call, at))
            fault(self, WRONG, "held, and nobody tried to hold");
        self->seen.held++;
        return;
    case IST_E_CLOSED:
        if (!running->foreign && !call->was_over)
            fault(self, WRONG, "closed by nobody");
        return;
    default:
        fault(self, WRONG, "a close answers %s", ist_status_name(status));
    }
}

ist_status close_life(worker *self, const life *target)
{
    atomic_store_explicit(&self->doing, "close", memory_order_relaxed);
    closing call = before_close(target);
    ist_status status = ist_arena_close(target->arena);
    after_close(self, target, &call, status);
    return status;
}

/* Everybody's lives, some of them twice, in any order. */
void close_lives(worker *self)
{
    enum { MOST = 2 * PLACES_MOST };
    life targets[MOST];
    closing calls[MOST];
    ist_arena arenas[MOST];
    ist_status statuses[MOST];
    size_t count = 0;
    for (size_t i = 1 + test_random_below(&self->random, 2 * running->places); i != 0; i--)
        count += read_life(test_random_below(&self->random, running->places), &targets[count]);
    for (size_t i = 0; i < count; i++) {
        arenas[i] = targets[i].arena;
        calls[i] = before_close(&targets[i]);
    }
    atomic_store_explicit(&self->doing, "close_many", memory_order_relaxed);
    ist_status status = ist_arena_close_many(arenas, count, statuses), first = IST_OK;
    /* The second of two that name one arena: between their looks the first was closed. */
    for (size_t i = 0; i < count; i++) {
        after_close(self, &targets[i], &calls[i], statuses[i]);
        first = first == IST_OK ? statuses[i] : first;
    }
    if (status != first)
        fault(self, WRONG, "close_many answers %s, not %s", ist_status_name(status), ist_status_name(first));
}

/* ---- A life ---- */

static uint64_t below_eight(worker *self)
{
    return test_random_below(&self->random, 8);
}

/* Until somebody is about to use the life; not for ever. */
static void await_user(const life *own)
{
    for (int i = 0; i < 20000; i++) {
        if (atomic_load_explicit(&places[own->place].chosen, memory_order_relaxed) == own->number)
            return;
        if (i % 256 == 255)
            sched_yield();
    }
}

static life open_life(worker *self, uint64_t index)
{
    life next = { .place = index, .number = atomic_load(&places[index].closed) + 1 };
    size_t size = (running->bulk ? BULK_WORDS : WORDS) * sizeof(uint64_t);
    IST_CHECK(running->counted ? ist_arena_open_automatic(&next.arena) : ist_arena_open_shared(&next.arena));
    IST_CHECK(ist_arena_allocate(next.arena, size, sizeof(uint64_t), &next.words));
    const uint64_t *words = next.words.address;
    for (size_t i = 0; i < WORDS; i++)
        if (words[i] != 0)
            fault(self, LATE, "word %zu of a fresh block is %llx", i, (unsigned long long)words[i]);
    memset(next.words.address, (int)(pattern(&next) & 0xff), size);
    if (test_random_below(&self->random, 2) != 0)
        IST_CHECK(ist_segment_slice(next.words, size - WORDS / 2 * sizeof(uint64_t), WORDS / 2 * sizeof(uint64_t),
                                    &next.scratch));
    return next;
}

/* Before a life is closed: nothing has written into it what is not its own. */
static void check_words(worker *self, const life *own)
{
    size_t count = (own->words.size - own->scratch.size) / sizeof(uint64_t);
    ist_hold hold;
    atomic_fetch_add(&places[own->place].begun, 1);
    if (!STRESS_TSAN && ist_arena_hold(own->arena, &hold) == IST_OK) {
        const uint64_t *words = own->words.address;
        for (size_t i = 0; i < count; i += running->bulk ? 61 : 1)
            if (words[i] != pattern(own))
                fault(self, LATE, "word %zu is %llx, not %llx", i, (unsigned long long)words[i],
                      (unsigned long long)pattern(own));
        if (!running->counted && below_eight(self) == 0) {
            ist_status status = close_life(self, own);
            if (status != IST_E_HELD)
                fault(self, LOST, "closing under one's own hold: %s", ist_status_name(status));
        }
        IST_CHECK(ist_arena_release(&hold));
    }
    atomic_fetch_add(&places[own->place].ended, 1);
}

static ist_status try_to_close(worker *self, const life *own)
{
    if (running->many && below_eight(self) != 0) {
        close_lives(self);
        return is_over(own) ? IST_OK : IST_E_HELD;
    }
    return close_life(self, own);
}

/* Takes and gives back some references, then the last of its own; others may have more. */
static void drop_life(worker *self, const life *own)
{
    place *at = &places[own->place];
    uint64_t more = below_eight(self), before = own->number - 1;
    atomic_store_explicit(&self->doing, "drop", memory_order_relaxed);
    for (uint64_t i = 0; i < more; i++)
        IST_CHECK(ist_arena_retain(own->arena));
    for (uint64_t i = 0; i <= more; i++)
        IST_CHECK(ist_arena_drop(own->arena));
    while (ist_arena_is_alive(own->arena)) {
        empty_boxes(self);
        sched_yield();
    }
    if (atomic_load(&at->holding) != 0)
        fault(self, LOST, "ended with %llu holds", (unsigned long long)atomic_load(&at->holding));
    if (!atomic_compare_exchange_strong(&at->closed, &before, own->number))
        fault(self, LOST, "two ends of one life");
    self->seen.closes++;
}

static void churn_one(worker *self)
{
    uint64_t index = self->own_place;
    self->own_place += running->churners; /* To the next of its places. */
    if (self->own_place >= running->places)
        self->own_place = self->index;
    place *at = &places[index];
    atomic_store_explicit(&self->doing, "open", memory_order_relaxed);
    life own = open_life(self, index);
    publish(&own);
    if (below_eight(self) % 2 != 0)
        await_user(&own);
    pause_for(self, running->eager ? 400 : 4000);
    check_words(self, &own);
    if (running->counted) {
        drop_life(self, &own);
        return;
    }
    ist_status status;
    for (uint64_t tries = 0; (status = try_to_close(self, &own)) == IST_E_HELD; tries++) {
        atomic_store_explicit(&at->avoid, tries > 20, memory_order_relaxed);
        empty_boxes(self);
        if (tries > 20)
            sched_yield();
    }
    atomic_store_explicit(&at->avoid, 0, memory_order_relaxed);
    atomic_store_explicit(&self->doing, "waits for the winner of a close", memory_order_relaxed);
    while (status == IST_E_CLOSED && !is_over(&own))
        sched_yield();
}

static void *churn_as_newcomer(void *data)
{
    churn_one(data);
    return NULL;
}

void churn(worker *self)
{
    pthread_t newcomer;
    if (!running->newcomers) {
        churn_one(self);
    } else {
        if (pthread_create(&newcomer, NULL, churn_as_newcomer, self) != 0)
            abort();
        pthread_join(newcomer, NULL);
    }
}
