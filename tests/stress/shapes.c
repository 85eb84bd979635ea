/* SPDX-License-Identifier: MIT */
/* Users: what they do with lives while those are closed, and the shapes, which are mixtures of that. */
#include "lives.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOT_HOLDS_MOST 20 /* More holds than a thread has slots for. */

static uint64_t below(worker *self, uint64_t bound)
{
    return test_random_below(&self->random, bound);
}

/* Now and then a life that the worker has seen long ago. False: none, at the moment. */
static bool choose(worker *self, life *ret_life)
{
    uint64_t index = below(self, running->places);
    if (atomic_load_explicit(&places[index].avoid, memory_order_relaxed) != 0) {
        sched_yield();
        return false;
    }
    if (!read_life(index, ret_life))
        return false;
    if (is_over(ret_life) && below(self, 16) != 0) {
        sched_yield(); /* So that there is a next one soon. */
        return false;
    }
    if (atomic_load_explicit(&places[index].chosen, memory_order_relaxed) != ret_life->number)
        atomic_store_explicit(&places[index].chosen, ret_life->number, memory_order_relaxed);
    if (below(self, 4) == 0)
        self->old[below(self, REMEMBERED)] = *ret_life;
    return true;
}

/* A call whose life was over before it began has to be refused, any other one may be. */
static bool succeeded(worker *self, bool was_over, ist_status status, const char *what)
{
    if (status == IST_OK && was_over)
        fault(self, LATE, "%s succeeded after a close had", what);
    if (status != IST_OK && status != IST_E_CLOSED)
        fault(self, WRONG, "%s answers %s", what, ist_status_name(status));
    self->seen.refused += status != IST_OK;
    return status == IST_OK;
}

/* Threads share all words of a life; for ThreadSanitizer, each has its own. */
static size_t a_word(worker *self, const life *seen)
{
    size_t count = (seen->words.size - seen->scratch.size) / sizeof(uint64_t);
    return STRESS_TSAN ? self->index : below(self, count);
}

static void compare(worker *self, uint64_t value, const life *seen, const char *what)
{
    if (value != pattern(seen))
        fault(self, LATE, "%s finds %llx, not %llx", what, (unsigned long long)value,
              (unsigned long long)pattern(seen));
}

/* ---- Accesses ---- */

/* False: the life is closed. */
static bool access_life(worker *self, const life *seen)
{
    bool was_over = is_over(seen);
    size_t at = a_word(self, seen) * sizeof(uint64_t);
    uint64_t value = 0;
    if (below(self, 2) != 0) {
        if (succeeded(self, was_over, ist_set_u64(seen->words, at, pattern(seen)), "a write"))
            self->seen.reads++;
        was_over = is_over(seen);
    }
    ist_status status = ist_get_u64(seen->words, at, &value);
    if (succeeded(self, was_over, status, "a read")) {
        self->seen.reads++;
        compare(self, value, seen, "a read");
    } else if (status == IST_E_CLOSED && ist_get_u64(seen->words, at, &value) == IST_OK) {
        fault(self, WRONG, "closed, and open again");
    }
    return status == IST_OK;
}

static void act_access(worker *self)
{
    life seen;
    if (!choose(self, &seen))
        return;
    for (uint64_t left = 1 + below(self, 64); left != 0 && access_life(self, &seen); left--)
        ;
}

/* ---- Holds ---- */

/* What a signal handler may touch: memory that its thread holds, through a plain pointer. */
static __thread uint64_t *volatile held_words;
static __thread volatile uint64_t held_pattern;
static _Atomic uint64_t wrong_in_handler;

void on_signal(int number)
{
    (void)number;
    uint64_t *words = held_words;
    if (words == NULL)
        return;
    if (words[0] != held_pattern)
        atomic_fetch_add(&wrong_in_handler, 1);
    words[0] = held_pattern;
}

/* A thread's hold of a life, and what the closers need to know of it. */
typedef struct held {
    life of;
    bool said; /* In `holding`. Half of the holds go unsaid, because saying so orders memory. */
    bool tried; /* In `begun`. */
    bool live;
} held;

static held begin(worker *self, const life *seen)
{
    held one = { .of = *seen, .said = below(self, 2) != 0, .tried = running->watch_held && !is_over(seen) };
    if (one.tried)
        atomic_fetch_add(&places[seen->place].begun, 1);
    return one;
}

static void over(held *one)
{
    if (one->tried)
        atomic_fetch_add(&places[one->of.place].ended, 1);
    one->tried = false;
}

static void confirmed(worker *self, held *one)
{
    self->seen.holds++;
    one->live = true;
    if (one->said)
        atomic_fetch_add(&places[one->of.place].holding, 1);
    if (is_over(&one->of))
        fault(self, LOST, "closed while a hold was taken");
}

static void before_release(worker *self, held *one)
{
    if (is_over(&one->of))
        fault(self, LOST, "closed under a hold");
    if (one->said)
        atomic_fetch_sub(&places[one->of.place].holding, 1);
    one->live = false;
}

static void touch(worker *self, const life *seen)
{
    uint64_t *words = seen->words.address;
    for (uint64_t left = 1 + below(self, 32); left != 0; left--) {
        size_t at = a_word(self, seen);
        compare(self, words[at], seen, "a raw read");
        words[at] = pattern(seen);
    }
}

static void touch_in_handler(worker *self, const life *seen)
{
    if (!running->signals)
        return;
    held_pattern = pattern(seen);
    held_words = seen->words.address;
    pause_for(self, 3000);
    held_words = NULL;
}

static bool hold_life(worker *self, const life *seen, held *one, ist_hold *ret_hold)
{
    bool was_over = is_over(seen);
    *one = begin(self, seen);
    if (succeeded(self, was_over, ist_arena_hold(seen->arena, ret_hold), "a hold")) {
        confirmed(self, one);
        return true;
    }
    over(one);
    return false;
}

static void release(worker *self, held *one, ist_hold *hold)
{
    before_release(self, one);
    ist_status status = ist_arena_release(hold);
    if (status != IST_OK)
        fault(self, WRONG, "a release answers %s", ist_status_name(status));
    over(one);
}

static void act_hold(worker *self)
{
    life seen;
    held one;
    ist_hold hold;
    if (!choose(self, &seen) || !hold_life(self, &seen, &one, &hold))
        return;
    touch(self, &seen);
    touch_in_handler(self, &seen);
    if (below(self, 16) == 0)
        pause_for(self, 3000);
    (void)access_life(self, &seen);
    touch(self, &seen);
    release(self, &one, &hold);
}

static void act_scope(worker *self)
{
    life seen;
    if (!choose(self, &seen))
        return;
    bool was_over = is_over(&seen);
    held one = begin(self, &seen);
    ist_status status;
    uint64_t sum = 0;
    IST_WITH_READ(uint64_t, words, seen.words, 0, WORDS / 2, status)
    {
        confirmed(self, &one);
        for (size_t i = STRESS_TSAN ? WORKERS_MOST : 0; i < WORDS / 2; i++)
            sum += words[i] ^ pattern(&seen);
        before_release(self, &one);
    }
    over(&one);
    (void)succeeded(self, was_over, status, "a scope");
    if (sum != 0)
        fault(self, LATE, "a scope finds other words than the life's");
}

/* More holds than slots, of several lives, released in any order, or unwound. */
static void act_spill(worker *self)
{
    held ones[SLOT_HOLDS_MOST];
    ist_hold holds[SLOT_HOLDS_MOST];
    size_t count = 0, wanted = 2 + below(self, SLOT_HOLDS_MOST - 1), mark = ist_hold_mark();
    for (size_t i = 0; i < wanted; i++) {
        life seen;
        if (choose(self, &seen) && hold_life(self, &seen, &ones[count], &holds[count]))
            count++;
    }
    for (size_t i = 0; i < count; i++)
        touch(self, &ones[i].of);
    bool unwind = below(self, 4) == 0;
    size_t kept = unwind ? below(self, count + 1) : 0; /* Released one by one before the others are unwound. */
    while (count > kept) {
        size_t index = below(self, count);
        release(self, &ones[index], &holds[index]);
        ones[index] = ones[count - 1];
        holds[index] = holds[count - 1];
        count--;
    }
    for (size_t i = 0; i < count; i++) {
        touch(self, &ones[i].of);
        before_release(self, &ones[i]);
    }
    ist_hold_unwind(mark);
    for (size_t i = 0; i < count; i++)
        over(&ones[i]);
}

/* Slots full of holds of an arena of the worker's own, so that each further hold is one without a slot. */
static void act_without_slots(worker *self)
{
    ist_arena own = { NULL, 0 };
    size_t mark = ist_hold_mark();
    IST_CHECK(ist_arena_open_shared(&own));
    for (size_t i = 0; i < ISTI_SLOT_HOLDS; i++) {
        ist_hold hold;
        IST_CHECK(ist_arena_hold(own, &hold));
    }
    for (size_t i = 0; i < 50; i++)
        act_hold(self);
    ist_hold_unwind(mark);
    IST_CHECK(ist_arena_close(own));
}

/* ---- Detached holds ---- */

enum { BOX_EMPTY, BOX_BUSY, BOX_FULL };

static struct box {
    _Alignas(64) _Atomic int state;
    held one;
    ist_detached_hold hold;
} boxes[BOXES];

static bool hold_detached(worker *self, const life *seen, held *one, ist_detached_hold *ret_hold)
{
    bool was_over = is_over(seen);
    *one = begin(self, seen);
    if (succeeded(self, was_over, ist_arena_hold_detached(seen->arena, ret_hold), "a detached hold")) {
        confirmed(self, one);
        return true;
    }
    over(one);
    return false;
}

static void release_detached(worker *self, held *one, ist_detached_hold *hold)
{
    before_release(self, one);
    ist_status status = ist_detached_release(hold);
    if (status != IST_OK)
        fault(self, WRONG, "a detached release answers %s", ist_status_name(status));
    over(one);
}

/* Slot to detached, and back. */
static bool attach(worker *self, ist_detached_hold *hold, ist_hold *ret_hold)
{
    ist_status status = ist_detached_attach(hold, ret_hold);
    if (status != IST_OK)
        fault(self, WRONG, "attaching answers %s", ist_status_name(status));
    return status == IST_OK;
}

static bool detach(worker *self, ist_hold *hold, ist_detached_hold *ret_hold)
{
    ist_status status = ist_hold_detach(hold, ret_hold);
    if (status != IST_OK)
        fault(self, WRONG, "detaching answers %s", ist_status_name(status));
    return status == IST_OK;
}

/* Leaves the hold in an empty box for another thread. False: the caller still has it. */
static bool post(worker *self, const held *one, const ist_detached_hold *hold)
{
    struct box *box = &boxes[below(self, BOXES)];
    int empty = BOX_EMPTY;
    if (!atomic_compare_exchange_strong(&box->state, &empty, BOX_BUSY))
        return false;
    box->one = *one;
    box->hold = *hold;
    atomic_store(&box->state, BOX_FULL);
    return true;
}

static bool take_box(struct box *box, held *ret_one, ist_detached_hold *ret_hold)
{
    int full = BOX_FULL;
    if (!atomic_compare_exchange_strong(&box->state, &full, BOX_BUSY))
        return false;
    *ret_one = box->one;
    *ret_hold = box->hold;
    atomic_store(&box->state, BOX_EMPTY);
    return true;
}

void empty_boxes(worker *self)
{
    for (size_t i = 0; i < BOXES; i++) {
        held one;
        ist_detached_hold hold;
        if (take_box(&boxes[i], &one, &hold))
            release_detached(self, &one, &hold);
    }
}

static void act_detached(worker *self)
{
    life seen;
    held one;
    ist_detached_hold hold;
    if (!choose(self, &seen) || !hold_detached(self, &seen, &one, &hold))
        return;
    touch(self, &seen);
    if (!post(self, &one, &hold))
        release_detached(self, &one, &hold);
}

static void act_box(worker *self)
{
    held one;
    ist_detached_hold hold;
    ist_hold attached;
    if (!take_box(&boxes[below(self, BOXES)], &one, &hold))
        return;
    touch(self, &one.of);
    if (below(self, 2) != 0 || !attach(self, &hold, &attached)) {
        release_detached(self, &one, &hold);
        return;
    }
    touch(self, &one.of);
    release(self, &one, &attached);
}

static void act_convert(worker *self)
{
    life seen;
    held one;
    ist_hold hold;
    ist_detached_hold detached;
    if (!choose(self, &seen) || !hold_life(self, &seen, &one, &hold))
        return;
    for (uint64_t left = below(self, 4); left != 0; left--) {
        if (!detach(self, &hold, &detached))
            break;
        touch(self, &seen);
        if (!attach(self, &detached, &hold)) {
            release_detached(self, &one, &detached);
            return;
        }
        touch(self, &seen);
    }
    if (below(self, 2) == 0 && detach(self, &hold, &detached)) {
        if (!post(self, &one, &detached))
            release_detached(self, &one, &detached);
        return;
    }
    release(self, &one, &hold);
}

/* ---- Bulk operations ---- */

static void stopped(worker *self, ist_status status, size_t size)
{
    ist_error error = { .size = sizeof error };
    if (status == IST_E_CLOSED && (ist_last_error_info(&error) != IST_OK || error.done >= size))
        fault(self, WRONG, "an operation of %zu bytes was stopped behind %llu", size, (unsigned long long)error.done);
}

/* The canaries of one life into the scratch area of another. */
static void act_copy(worker *self)
{
    life from, to;
    if (!choose(self, &from) || !choose(self, &to) || to.scratch.size == 0 || STRESS_TSAN)
        return;
    bool was_over = is_over(&from) || is_over(&to);
    ist_status status = ist_segment_copy(&from.words, 0, &to.scratch, 0, to.scratch.size);
    if (succeeded(self, was_over, status, "a copy"))
        self->seen.bulks++;
    stopped(self, status, to.scratch.size);
}

static void act_mismatch(worker *self)
{
    life a, b;
    if (!choose(self, &a) || !choose(self, &b) || STRESS_TSAN)
        return;
    size_t size = a.words.size / 2, at;
    ist_segment first, second;
    IST_CHECK(ist_segment_slice(a.words, 0, size, &first));
    IST_CHECK(ist_segment_slice(b.words, 0, size, &second));
    bool was_over = is_over(&a) || is_over(&b);
    ist_status status = ist_segment_mismatch(&first, &second, &at);
    stopped(self, status, size);
    if (!succeeded(self, was_over, status, "a comparison"))
        return;
    self->seen.bulks++;
    if (at != (pattern(&a) == pattern(&b) ? IST_NO_MISMATCH : 0))
        fault(self, LATE, "two lives are compared and differ at %zu", at);
}

static void act_fill(worker *self)
{
    life seen;
    if (!choose(self, &seen) || STRESS_TSAN)
        return;
    ist_segment part;
    IST_CHECK(ist_segment_slice(seen.words, 0, seen.words.size - seen.scratch.size, &part));
    bool was_over = is_over(&seen);
    ist_status status = ist_segment_fill(&part, (uint8_t)pattern(&seen));
    stopped(self, status, part.size);
    if (succeeded(self, was_over, status, "a fill"))
        self->seen.bulks++;
}

/* Out of a life into memory of the worker's own: what was copied before a close is the life's, whole or in part. */
static void act_copy_out(worker *self)
{
    life seen;
    if (!choose(self, &seen) || self->bytes == NULL || STRESS_TSAN)
        return;
    size_t size = seen.words.size - seen.scratch.size;
    ist_segment own = ist_segment_of(self->bytes, size);
    bool was_over = is_over(&seen);
    ist_status status = ist_segment_copy(&seen.words, 0, &own, 0, size);
    ist_error error = { .size = sizeof error };
    size_t done = size;
    if (!succeeded(self, was_over, status, "a copy")) {
        stopped(self, status, size);
        done = ist_last_error_info(&error) == IST_OK ? (size_t)error.done : 0;
    }
    self->seen.bulks += done != 0;
    for (size_t i = 0; i < done / sizeof(uint64_t); i += 97)
        compare(self, self->bytes[i], &seen, "a copy");
}

/* ---- Allocations and cleanups ---- */

static void act_allocate(worker *self)
{
    life seen;
    if (!choose(self, &seen))
        return;
    static const size_t sizes[] = { 8, 8, 16, 24, 40, 104, 408, 4008 };
    size_t size = below(self, 512) == 0 ? 40000 : sizes[below(self, 8)], last = size / 8 * 8 - 8;
    uint64_t mine = test_random_next(&self->random), value = 0;
    ist_segment block;
    bool was_over = is_over(&seen);
    if (!succeeded(self, was_over, ist_arena_allocate(seen.arena, size, 8, &block), "an allocation"))
        return;
    self->seen.allocations++;
    static const size_t parts[] = { 0, 1, 2 };
    for (size_t i = 0; i < 3; i++) {
        size_t at = last / 2 * parts[i] / 8 * 8;
        if (ist_get_u64(block, at, &value) == IST_OK && value != 0 && i == 0)
            fault(self, WRONG, "a fresh block of %zu bytes holds %llx", size, (unsigned long long)value);
        if (ist_set_u64(block, at, mine) != IST_OK)
            return;
    }
    pause_for(self, 200);
    for (size_t i = 0; i < 3; i++)
        if (ist_get_u64(block, last / 2 * parts[i] / 8 * 8, &value) == IST_OK && value != mine)
            fault(self, WRONG, "two blocks overlap, or one is not its owner's");
}

static void run_cell(void *data)
{
    atomic_fetch_add(&((cell *)data)->ran, 1);
}

/* The cell's life is over: its action has run once if it was added, else never. False: it is not over. */
static bool check_cell(worker *self, cell *one)
{
    if (one->number == 0)
        return true;
    life of = { .number = one->number, .place = one->place };
    if (!is_over(&of))
        return false;
    uint32_t ran = atomic_load(&one->ran);
    if (ran != one->added)
        fault(self, WRONG, "an action that was %s ran %u times", one->added ? "added" : "refused", ran);
    one->number = 0;
    return true;
}

void check_cells(worker *self)
{
    for (size_t i = 0; i < CELLS; i++)
        if (!check_cell(self, &self->cells[i]))
            fault(self, WRONG, "a life was not closed in the end");
}

static void act_cleanup(worker *self)
{
    life seen;
    cell *one = &self->cells[self->cells_used % CELLS];
    if (!choose(self, &seen) || !check_cell(self, one))
        return;
    self->cells_used++;
    *one = (cell){ .number = seen.number, .place = seen.place };
    bool was_over = is_over(&seen);
    if (succeeded(self, was_over, ist_arena_on_close(seen.arena, run_cell, one), "adding an action")) {
        one->added = 1;
        self->seen.cleanups++;
    }
}

/* ---- Old handles ---- */

static void act_stale(worker *self)
{
    life *old = &self->old[below(self, REMEMBERED)];
    life seen;
    (void)choose(self, &seen);
    if (old->number == 0 || !is_over(old))
        return;
    uint64_t value;
    ist_segment block;
    ist_hold hold;
    ist_detached_hold detached;
    ist_status status = IST_E_CLOSED;
    switch (below(self, 10)) {
    case 0: status = ist_get_u64(old->words, 8, &value); break;
    case 1: status = ist_set_u64(old->words, 8, UINT64_C(0xbad)); break;
    case 2: status = ist_arena_hold(old->arena, &hold); break;
    case 3: status = ist_arena_hold_detached(old->arena, &detached); break;
    case 4: status = ist_arena_allocate(old->arena, 16, 8, &block); break;
    case 5: status = ist_arena_close(old->arena); break;
    case 6: status = ist_segment_fill(&old->words, 0xbd); break;
    case 7: status = ist_arena_on_close(old->arena, run_cell, NULL); break;
    case 8: status = ist_arena_is_alive(old->arena) ? IST_OK : IST_E_CLOSED; break;
    case 9: status = ist_arena_close_many(&old->arena, 1, &(ist_status){ IST_OK }); break;
    default: break;
    }
    self->seen.refused++;
    if (status != IST_E_CLOSED)
        fault(self, LATE, "an old handle is answered with %s", ist_status_name(status));
}

/* Old handles while the thread's slots are full: attempts that are announced in the session's count. */
static void act_stale_spilled(worker *self)
{
    held ones[SLOT_HOLDS_MOST];
    ist_hold holds[SLOT_HOLDS_MOST];
    size_t count = 0;
    for (size_t i = 0; i < SLOT_HOLDS_MOST; i++) {
        life seen;
        if (choose(self, &seen) && hold_life(self, &seen, &ones[count], &holds[count]))
            count++;
    }
    for (size_t i = 0; i < 32; i++)
        act_stale(self);
    while (count-- != 0)
        release(self, &ones[count], &holds[count]);
}

/* ---- Closing by users; looking on ---- */

static void act_close(worker *self)
{
    life seen;
    if (below(self, 4) == 0 && choose(self, &seen))
        (void)close_life(self, &seen);
}

static void act_close_many(worker *self)
{
    if (below(self, 4) == 0)
        close_lives(self);
}

static void act_look(worker *self)
{
    life seen;
    ist_holder holders[4];
    size_t count;
    if (!choose(self, &seen))
        return;
    bool was_over = is_over(&seen);
    (void)succeeded(self, was_over, ist_arena_holders(seen.arena, holders, 4, &count), "listing holders");
    ist_stats stats = { .size = sizeof stats };
    IST_CHECK(ist_stats_get(&stats));
}

/* ---- Turns ---- */

void use(worker *self)
{
    unsigned all = 0;
    for (const action *one = running->actions; one->act != NULL; one++)
        all += one->weight;
    uint64_t chosen = below(self, all);
    const action *one = running->actions;
    while (chosen >= one->weight)
        chosen -= one++->weight;
    atomic_store_explicit(&self->doing, "uses", memory_order_relaxed);
    one->act(self);
    if (atomic_load_explicit(&wrong_in_handler, memory_order_relaxed) != 0 && atomic_exchange(&wrong_in_handler, 0))
        fault(self, LATE, "a signal handler finds other words than the life's");
}

static void *short_life(void *data)
{
    worker *parent = data;
    for (uint64_t left = below(parent, 30); left != 0; left--)
        use(parent);
    return NULL;
}

/* A thread that starts, uses, and exits; the worker lends it its state. */
static void start_a_thread(worker *self)
{
    pthread_t thread;
    atomic_store_explicit(&self->doing, "joins a thread", memory_order_relaxed);
    if (pthread_create(&thread, NULL, short_life, self) == 0)
        pthread_join(thread, NULL);
}

static void *touch_once(void *data)
{
    ist_status status = ist_set_u64(*(ist_segment *)data, 0, 7);
    return status == IST_OK ? data : NULL;
}

/* In a child: its own arenas work, and everybody else's can be closed or say why not. 0: so it is. */
static int be_a_child(void)
{
    alarm(20);
    for (uint64_t i = 0; i < running->places; i++) {
        life seen;
        if (!read_life(i, &seen))
            continue;
        ist_status status = ist_arena_close(seen.arena);
        if (status != IST_OK && status != IST_E_CLOSED && status != IST_E_HELD)
            return 2;
    }
    for (int round = 0; round < 3; round++) {
        ist_arena arena;
        ist_segment block;
        ist_hold hold;
        pthread_t thread;
        void *touched = NULL;
        if (ist_arena_open_shared(&arena) != IST_OK || ist_arena_allocate(arena, 64, 8, &block) != IST_OK)
            return 3;
        if (pthread_create(&thread, NULL, touch_once, &block) != 0 || pthread_join(thread, &touched) != 0 || touched == NULL)
            return 4;
        if (ist_arena_hold(arena, &hold) != IST_OK || ist_arena_close(arena) != IST_E_HELD ||
            ist_arena_release(&hold) != IST_OK || ist_arena_close(arena) != IST_OK)
            return 5;
    }
    return 0;
}

static void fork_a_child(worker *self)
{
    if (STRESS_TSAN) { /* Which does not follow threads into a child. */
        use(self);
        return;
    }
    atomic_store_explicit(&self->doing, "forks", memory_order_relaxed);
    pid_t child = fork();
    if (child == 0)
        _exit(be_a_child());
    int status = -1;
    atomic_store_explicit(&self->doing, "waits for a child", memory_order_relaxed);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        fault(self, WRONG, "a child ends with %x", (unsigned)status);
    for (int i = 0; i < 20; i++)
        use(self);
}

#define EVERYTHING                                                                                                     \
    { act_access, 20 }, { act_hold, 20 }, { act_scope, 10 }, { act_spill, 2 }, { act_without_slots, 1 }, { act_detached, 10 }, { act_box, 15 },  \
        { act_convert, 8 }, { act_copy, 5 }, { act_mismatch, 3 }, { act_fill, 3 }, { act_allocate, 8 },                \
        { act_cleanup, 8 }, { act_stale, 10 }, { act_look, 1 }

static const action accesses[] = { { act_access, 1 }, { NULL, 0 } };
static const action holds[] = { { act_hold, 60 }, { act_scope, 20 }, { act_access, 20 }, { NULL, 0 } };
static const action detached[] = { { act_detached, 40 }, { act_box, 60 }, { act_access, 20 }, { NULL, 0 } };
static const action conversions[] = { { act_convert, 50 }, { act_box, 30 }, { act_hold, 20 }, { NULL, 0 } };
static const action copies[] = { { act_copy, 50 }, { act_mismatch, 20 }, { act_fill, 10 }, { act_access, 20 }, { NULL, 0 } };
static const action bulks[] = { { act_copy_out, 40 }, { act_fill, 40 }, { act_mismatch, 40 }, { NULL, 0 } };
static const action closers[] = { { act_close, 40 }, { act_hold, 20 }, { act_access, 20 }, { act_cleanup, 10 }, { NULL, 0 } };
static const action many[] = { { act_close_many, 30 }, { act_hold, 20 }, { act_copy, 20 }, { act_access, 40 }, { NULL, 0 } };
static const action allocations[] = { { act_allocate, 80 }, { act_access, 10 }, { NULL, 0 } };
static const action cleanups[] = { { act_cleanup, 80 }, { act_access, 10 }, { act_close, 10 }, { NULL, 0 } };
static const action old_handles[] = { { act_stale, 80 }, { act_access, 20 }, { NULL, 0 } };
static const action old_spilled[] = { { act_stale_spilled, 10 }, { act_access, 10 }, { NULL, 0 } };
static const action spills[] = { { act_spill, 20 }, { act_without_slots, 10 }, { act_hold, 20 }, { act_access, 20 }, { NULL, 0 } };
static const action everything[] = { EVERYTHING, { NULL, 0 } };
static const action everything_and_close[] = { EVERYTHING, { act_close, 5 }, { act_close_many, 5 }, { NULL, 0 } };
static const action references[] = { { act_hold, 40 }, { act_scope, 10 }, { act_detached, 20 }, { act_box, 30 },
                                     { act_convert, 10 }, { act_access, 20 }, { NULL, 0 } };
static const action signalled[] = { { act_hold, 50 }, { act_access, 30 }, { act_detached, 10 }, { act_box, 15 }, { NULL, 0 } };

const shape shapes[] = {
    { .name = "readers", .actions = accesses, .places = 2, .churners = 1, .eager = true },
    { .name = "holders", .actions = holds, .places = 2, .churners = 1, .watch_held = true },
    { .name = "detached", .actions = detached, .places = 2, .churners = 1, .watch_held = true },
    { .name = "conversions", .actions = conversions, .places = 2, .churners = 1, .watch_held = true },
    { .name = "spills", .actions = spills, .places = 3, .churners = 1, .watch_held = true },
    { .name = "copies", .actions = copies, .places = 2, .churners = 2, .eager = true },
    { .name = "bulks", .actions = bulks, .places = 2, .churners = 1, .bulk = true },
    { .name = "closers", .actions = closers, .places = 2, .churners = 1, .foreign = true },
    { .name = "many", .actions = many, .places = 8, .churners = 2, .foreign = true, .many = true, .watch_held = true },
    { .name = "allocations", .actions = allocations, .places = 2, .churners = 1 },
    { .name = "cleanups", .actions = cleanups, .places = 2, .churners = 1, .foreign = true },
    { .name = "stale", .actions = old_handles, .places = 2, .churners = 1, .watch_held = true, .eager = true },
    { .name = "stale_spilled", .actions = old_spilled, .places = 4, .churners = 1, .watch_held = true },
    { .name = "crowd", .actions = everything_and_close, .places = 4, .churners = 2, .foreign = true, .crowd = 4 },
    { .name = "threads", .actions = everything, .places = 2, .churners = 1, .watch_held = true, .extra = start_a_thread },
    { .name = "forks", .actions = everything, .places = 2, .churners = 1, .extra = fork_a_child },
    { .name = "newcomers", .actions = accesses, .places = 2, .churners = 1, .eager = true, .newcomers = true },
    { .name = "references", .actions = references, .places = 2, .churners = 2, .counted = true, .eager = true },
    { .name = "signals", .actions = signalled, .places = 2, .churners = 1, .signals = true },
};
const size_t shape_count = sizeof shapes / sizeof shapes[0];
