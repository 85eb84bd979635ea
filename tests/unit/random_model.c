/* SPDX-License-Identifier: MIT */
/*
 * Random operations on arenas, segments and allocators, each compared with a naive model: arrays of bytes, flags, and the
 * order of checks as the headers state it. After every step its status is what the model says, and what a random segment
 * holds is what the model holds; when an arena ends, all of its blocks are compared.
 *
 *     random_model [operations [seed]]
 *
 * The model knows addresses, because alignment is the address's, and nothing else that the library decides.
 */
#include "contract/accessors.h"
#include "support/random.h"

#include <isthmus/isthmus.h>

#include <stdbool.h>
#include <string.h>

enum { LIVES = 24, SEGMENTS = 96, HOLDS = 4, FRAMES = 6, SLICINGS = 4, CALLER_BYTES = 4096 };
enum { GLOBAL_LIFE = LIVES, NO_LIFE = LIVES + 1 };

/* ---- The model ---- */

/* What a block should hold; `place` is where it is. */
typedef struct block {
    struct block *next;
    uint8_t *bytes;
    uint8_t *place;
    size_t size;
} block;

/* One life of an arena or of a frame. A slot sees many; segments know theirs by its serial. */
typedef struct life {
    uint64_t serial;
    bool open, frame;
    ist_arena arena;
    block *blocks;
    size_t block_count;
    ist_hold holds[HOLDS];
    size_t hold_count;
    size_t cleanups; /* Yet to run. */
} life;

typedef struct segment {
    ist_segment handle;
    int slot;
    uint64_t serial;
    block *block; /* Meaningful while the life is open. */
    size_t start, size;
    bool read_only;
} segment;

typedef struct slicing {
    ist_slicing handle;
    segment over;
    size_t used;
} slicing;

static test_random numbers;
static uint64_t seed, operations, step;
static const char *operation;
static uint64_t last_serial;
static life lives[LIVES + 2];
static segment segments[SEGMENTS];
static slicing slicings[SLICINGS];
static ist_frame frames[FRAMES]; /* The pushed ones, and behind them stale ones. */
static int frame_slots[FRAMES];
static size_t frame_count;
static size_t source_blocks;
static block *caller_block;
static _Alignas(64) uint8_t caller_bytes[CALLER_BYTES];

_Noreturn static void wrong(int line, const char *what)
{
    fprintf(stderr, "random_model.c:%d: step %llu, %s: %s\n    last error: %s\n    again: random_model %llu %llu\n", line,
            (unsigned long long)step, operation, what, ist_last_error(), (unsigned long long)operations,
            (unsigned long long)seed);
    abort();
}
#define require(condition) ((condition) ? (void)0 : wrong(__LINE__, #condition))

static void require_status_at(int line, ist_status got, ist_status wanted)
{
    char text[128];
    if (got == wanted)
        return;
    snprintf(text, sizeof text, "%s, not %s", ist_status_name(got), ist_status_name(wanted));
    wrong(line, text);
}
#define require_status(call, wanted) require_status_at(__LINE__, call, wanted)

static size_t below(size_t bound)
{
    return (size_t)test_random_below(&numbers, bound);
}

static bool one_in(size_t count)
{
    return below(count) == 0;
}

static bool is_open(const segment *s)
{
    return lives[s->slot].open && lives[s->slot].serial == s->serial;
}

static uint8_t *model_bytes(const segment *s)
{
    return s->block->bytes + s->start;
}

/* The order of checks. */
static ist_status access_status(const segment *s, size_t offset, size_t size, size_t alignment, bool writes)
{
    if (writes && s->read_only)
        return IST_E_READ_ONLY;
    if (offset > s->size || size > s->size - offset)
        return IST_E_BOUNDS;
    if (((uintptr_t)s->handle.address + offset) % alignment != 0)
        return IST_E_ALIGNMENT;
    return is_open(s) ? IST_OK : IST_E_CLOSED;
}

static segment *any_segment(void)
{
    return &segments[below(SEGMENTS)];
}

/* An offset that is mostly inside, often at an edge, sometimes absurd. */
static size_t any_offset(size_t size)
{
    switch (below(16)) {
    case 0:
        return size;
    case 1:
        return size + 1 + below(16);
    case 2:
        return SIZE_MAX - below(16);
    case 3:
        return size - below(10); /* Wraps where size is small. */
    default:
        return size == 0 ? 0 : below(size) & (one_in(2) ? ~(size_t)7 : SIZE_MAX);
    }
}

static size_t any_size(void)
{
    size_t kind = below(5000);
    if (kind == 0)
        return below(3000000);
    if (kind < 60)
        return below(100000);
    if (kind < 300)
        return below(20000);
    if (kind < 1200)
        return below(2048);
    return kind < 2800 ? below(256) : below(33);
}

static size_t any_alignment(void)
{
    return (size_t)1 << (one_in(50) ? below(17) : below(7));
}

static void compare(const segment *s, size_t offset, size_t size)
{
    require(memcmp((const uint8_t *)s->handle.address + offset, model_bytes(s) + offset, size) == 0);
}

static void compare_some(const segment *s)
{
    enum { WINDOW = 256 };
    if (!is_open(s))
        return;
    if (s->size <= WINDOW || one_in(256))
        compare(s, 0, s->size);
    else
        compare(s, below(s->size - WINDOW), WINDOW);
}

/* ---- Lives ---- */

static void begin_life(life *l, ist_arena arena, bool frame)
{
    *l = (life){ .serial = ++last_serial, .open = true, .frame = frame, .arena = arena };
    require(ist_arena_is_alive(arena));
}

static void end_life(life *l)
{
    while (l->blocks != NULL) {
        block *gone = l->blocks;
        l->blocks = gone->next;
        free(gone->bytes);
        free(gone);
    }
    l->open = false;
    l->block_count = 0;
    require(!ist_arena_is_alive(l->arena));
}

static void compare_all(const life *l)
{
    for (const block *b = l->blocks; b != NULL; b = b->next)
        require(memcmp(b->place, b->bytes, b->size) == 0);
}

/* A block that the library gave, as a segment in the table. */
static void add_block(life *l, int slot, ist_segment handle, size_t size, size_t alignment, bool zeroed)
{
    block *b = malloc(sizeof *b);
    require(b != NULL && handle.address != NULL && handle.size == size);
    require((uintptr_t)handle.address % alignment == 0);
    require(!ist_segment_is_read_only(handle));
    *b = (block){ l->blocks, calloc(1, size + 1), handle.address, size };
    require(b->bytes != NULL);
    if (zeroed)
        require(memcmp(b->place, b->bytes, size) == 0);
    else
        memcpy(b->bytes, b->place, size);
    l->blocks = b;
    l->block_count++;
    *any_segment() = (segment){ handle, slot, l->serial, b, 0, size, false };
}

static void *source_allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    size_t step_size = alignment < 16 ? 16 : alignment;
    void *place = aligned_alloc(step_size, (size + step_size - 1) / step_size * step_size);
    if (place != NULL) {
        memset(place, 0xB7, size);
        source_blocks++;
    }
    return place;
}

static void source_release(void *context, void *place, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    source_blocks--;
    free(place);
}

static const ist_memory_source source = { source_allocate, source_release, NULL, 0 };

static void do_open(void)
{
    life *l = &lives[below(LIVES)];
    ist_arena arena;
    operation = "open";
    if (l->open)
        return;
    if (one_in(10))
        require_status(ist_arena_open_confined_from(&source, &arena), IST_OK);
    else
        require_status(ist_arena_open_confined(&arena), IST_OK);
    begin_life(l, arena, false);
}

static void do_close(void)
{
    life *l = &lives[below(LIVES)];
    operation = "close";
    if (l->serial == 0)
        return;
    if (l->open)
        compare_all(l);
    ist_status wanted = !l->open ? IST_E_CLOSED : l->frame ? IST_E_UNSUPPORTED : l->hold_count ? IST_E_HELD : IST_OK;
    require_status(ist_arena_close(l->arena), wanted);
    require(wanted != IST_OK || l->cleanups == 0);
    if (wanted == IST_OK)
        end_life(l);
}

static void run_cleanup(void *data)
{
    size_t slot = (uintptr_t)data >> 32, number = (uintptr_t)data & 0xffffffff;
    require(lives[slot].cleanups == number + 1); /* Newest first, each once. */
    lives[slot].cleanups--;
}

static void do_on_close(void)
{
    size_t slot = below(LIVES);
    life *l = &lives[slot];
    operation = "on_close";
    if (l->serial == 0 || l->cleanups > 50)
        return;
    void *data = (void *)((uintptr_t)slot << 32 | l->cleanups);
    require_status(ist_arena_on_close(l->arena, run_cleanup, data), l->open ? IST_OK : IST_E_CLOSED);
    l->cleanups += l->open;
}

static void do_hold(void)
{
    life *l = &lives[below(LIVES)];
    ist_hold hold;
    operation = "hold";
    if (l->serial == 0 || l->hold_count == HOLDS)
        return;
    require_status(ist_arena_hold(l->arena, &hold), l->open ? IST_OK : IST_E_CLOSED);
    if (l->open)
        l->holds[l->hold_count++] = hold;
}

static void do_release(void)
{
    life *l = &lives[below(LIVES)];
    operation = "release";
    if (l->hold_count == 0)
        return;
    size_t i = below(l->hold_count); /* In any order. */
    require_status(ist_arena_release(&l->holds[i]), IST_OK);
    require_status(ist_arena_release(&l->holds[i]), IST_E_ARGUMENT);
    l->holds[i] = l->holds[--l->hold_count];
}

/* ---- Allocation ---- */

static ist_status allocate(life *l, bool zeroed, size_t size, size_t alignment, ist_segment *ret)
{
    switch (below(4)) {
    case 0:
        return zeroed ? ist_allocate(ist_arena_allocator(&l->arena), size, alignment, ret)
                      : ist_allocate_uninitialized(ist_arena_allocator(&l->arena), size, alignment, ret);
    default:
        return zeroed ? ist_arena_allocate(l->arena, size, alignment, ret)
                      : ist_arena_allocate_uninitialized(l->arena, size, alignment, ret);
    }
}

static void do_allocate(void)
{
    int slot = one_in(500) ? GLOBAL_LIFE : (int)below(LIVES);
    life *l = &lives[slot];
    bool zeroed = !one_in(4);
    size_t size = any_size(), alignment = any_alignment();
    ist_segment handle, before;
    operation = "allocate";
    if (l->serial == 0 || l->frame || l->block_count > 60)
        return;
    if (slot == GLOBAL_LIFE)
        size %= 100;
    ist_status wanted = l->open ? IST_OK : IST_E_CLOSED;
    memset(&handle, 0xEE, sizeof handle);
    before = handle;
    switch (below(200)) {
    case 0:
        alignment = below(2) ? 0 : 3 * alignment;
        wanted = IST_E_ARGUMENT;
        break;
    case 1:
        size = SIZE_MAX - below(alignment) / 2;
        alignment *= 2;
        wanted = l->open ? IST_E_OVERFLOW : IST_E_CLOSED;
        break;
    case 2:
        size = ((size_t)1 << 60) + size;
        wanted = l->open ? IST_E_NO_MEMORY : IST_E_CLOSED;
        break;
    default:
        break;
    }
    require_status(allocate(l, zeroed, size, alignment, &handle), wanted);
    if (wanted == IST_OK)
        add_block(l, slot, handle, size, alignment, zeroed);
    else
        require(memcmp(&before, &handle, sizeof handle) == 0);
}

static void do_frame_push(void)
{
    size_t slot = below(LIVES);
    ist_frame frame;
    operation = "frame push";
    if (lives[slot].open || frame_count == FRAMES)
        return;
    require_status(ist_frame_push(below(3000), any_alignment(), &frame), IST_OK);
    require(frame.depth == frame_count + 1);
    begin_life(&lives[slot], frame.arena, true);
    frames[frame_count] = frame;
    frame_slots[frame_count++] = (int)slot;
}

static void do_frame_pop(void)
{
    size_t i = below(FRAMES);
    operation = "frame pop";
    if (frames[i].depth == 0)
        return;
    if (i >= frame_count) { /* Popped before. */
        require_status(ist_frame_pop(&frames[i]), IST_E_CLOSED);
        return;
    }
    life *l = &lives[frame_slots[i]];
    compare_all(l);
    ist_status wanted = i + 1 != frame_count ? IST_E_BUSY : l->hold_count ? IST_E_HELD : IST_OK;
    require_status(ist_frame_pop(&frames[i]), wanted);
    if (wanted == IST_OK) {
        require(l->cleanups == 0);
        end_life(l);
        frame_count--;
    }
}

static void do_frame_allocate(void)
{
    size_t i = below(FRAMES), size = any_size(), alignment = any_alignment();
    bool zeroed = one_in(3);
    ist_segment handle;
    operation = "frame allocate";
    if (frames[i].depth == 0 || (i < frame_count && lives[frame_slots[i]].block_count > 60))
        return;
    ist_status wanted = i >= frame_count ? IST_E_CLOSED : i + 1 != frame_count ? IST_E_BUSY : IST_OK;
    if (zeroed)
        require_status(ist_allocate(ist_frame_allocator(&frames[i]), size, alignment, &handle), wanted);
    else
        require_status(ist_frame_allocate(&frames[i], size, alignment, &handle), wanted);
    if (wanted == IST_OK)
        add_block(&lives[frame_slots[i]], frame_slots[i], handle, size, alignment, zeroed);
}

static void do_slicing_begin(void)
{
    slicing *cut = &slicings[below(SLICINGS)];
    const segment *s = any_segment();
    operation = "slicing over";
    ist_status wanted = s->read_only ? IST_E_READ_ONLY : IST_OK;
    require_status(ist_slicing_over(s->handle, &cut->handle), wanted);
    if (wanted == IST_OK) {
        cut->over = *s;
        cut->used = 0;
    }
}

static void do_slicing_allocate(void)
{
    slicing *cut = &slicings[below(SLICINGS)];
    const segment *s = &cut->over;
    size_t size = below(40), alignment = (size_t)1 << below(6);
    bool zeroed = one_in(2);
    ist_segment handle;
    operation = "slicing allocate";
    size_t address = (uintptr_t)s->handle.address;
    size_t start = (address + cut->used + alignment - 1) / alignment * alignment - address;
    bool fits = start <= s->size && size <= s->size - start;
    ist_status wanted = !fits ? IST_E_BOUNDS : is_open(s) ? IST_OK : IST_E_CLOSED;
    ist_allocator allocator = ist_slicing_allocator(&cut->handle);
    require_status(zeroed ? ist_allocate(allocator, size, alignment, &handle)
                          : ist_allocate_uninitialized(allocator, size, alignment, &handle),
                   wanted);
    if (wanted == IST_OK) {
        cut->used = start + size;
        if (zeroed)
            memset(model_bytes(s) + start, 0, size);
        segment *part = any_segment();
        segment whole = *s;
        *part = (segment){ handle, whole.slot, whole.serial, whole.block, whole.start + start, size, false };
        require((uintptr_t)handle.address == address + start && handle.size == size);
        compare(part, 0, size);
    }
    require(cut->handle.used == cut->used);
}

/* ---- Shaping ---- */

static void do_slice(void)
{
    const segment *s = any_segment();
    size_t offset = any_offset(s->size);
    size_t size = offset < s->size ? any_offset(s->size - offset) : below(2);
    size_t alignment = (size_t)1 << below(4);
    segment part = *s;
    ist_status wanted = offset > s->size || size > s->size - offset ? IST_E_BOUNDS : IST_OK;
    ist_segment before = part.handle;
    operation = "slice";
    switch (below(3)) {
    case 0:
        require_status(ist_segment_slice(s->handle, offset, size, &part.handle), wanted);
        break;
    case 1:
        size = offset > s->size ? 0 : s->size - offset;
        wanted = offset > s->size ? IST_E_BOUNDS : IST_OK;
        require_status(ist_segment_slice_from(s->handle, offset, &part.handle), wanted);
        break;
    default:
        if (wanted == IST_OK && ((uintptr_t)s->handle.address + offset) % alignment != 0)
            wanted = IST_E_ALIGNMENT;
        require_status(ist_segment_slice_aligned(s->handle, offset, size, alignment, &part.handle), wanted);
        break;
    }
    if (wanted != IST_OK) {
        require(memcmp(&before, &part.handle, sizeof before) == 0);
        return;
    }
    part.start += offset;
    part.size = size;
    require((uintptr_t)part.handle.address == (uintptr_t)s->handle.address + offset && part.handle.size == size);
    *any_segment() = part;
}

static void do_freeze(void)
{
    segment part = *any_segment();
    operation = "as_read_only";
    part.handle = ist_segment_as_read_only(part.handle);
    part.read_only = true;
    require(ist_segment_is_read_only(part.handle));
    *any_segment() = part;
}

static void do_forget(void)
{
    operation = "forget";
    if (one_in(8))
        *any_segment() = (segment){ .handle = { 0 }, .slot = NO_LIFE };
    else
        *any_segment() = (segment){ ist_segment_of(caller_bytes, CALLER_BYTES), GLOBAL_LIFE, lives[GLOBAL_LIFE].serial,
                                    caller_block, 0, CALLER_BYTES, false };
}

/* ---- Single values ---- */

typedef struct accessor {
    const char *name;
    size_t size, alignment;
    ist_status (*get)(ist_segment handle, size_t offset, void *value);
    ist_status (*set)(ist_segment handle, size_t offset, const void *value);
} accessor;

#define DEFINE(name, type, ...)                                                                    \
    static ist_status get_##name(ist_segment handle, size_t offset, void *value)                   \
    {                                                                                              \
        type typed;                                                                                \
        memcpy(&typed, value, sizeof typed);                                                       \
        ist_status status = ist_get_##name(handle, offset, &typed);                                \
        memcpy(value, &typed, sizeof typed);                                                       \
        return status;                                                                             \
    }                                                                                              \
    static ist_status set_##name(ist_segment handle, size_t offset, const void *value)             \
    {                                                                                              \
        type typed;                                                                                \
        memcpy(&typed, value, sizeof typed);                                                       \
        return ist_set_##name(handle, offset, typed);                                              \
    }
ACCESSORS(DEFINE)

#define ROW(name, type, alignment, ...) { #name, sizeof(type), alignment, get_##name, set_##name },
static const accessor accessors[] = { ACCESSORS(ROW) };
enum { ACCESSOR_COUNT = sizeof accessors / sizeof accessors[0] };

/* The value's bytes, turned over where memory has them the other way round. */
static void ordered(const accessor *a, const uint8_t *from, uint8_t *to)
{
    bool big_endian = strstr(a->name, "_be") != NULL;
    for (size_t i = 0; i < a->size; i++)
        to[i] = from[big_endian ? a->size - 1 - i : i];
}

static void do_get(void)
{
    const segment *s = any_segment();
    const accessor *a = &accessors[below(ACCESSOR_COUNT)];
    size_t offset = any_offset(s->size);
    uint8_t got[8], wanted_bytes[8];
    ist_status wanted = access_status(s, offset, a->size, a->alignment, false);
    operation = "get";
    memset(got, 0x5A, sizeof got);
    memset(wanted_bytes, 0x5A, sizeof wanted_bytes);
    if (wanted == IST_OK)
        ordered(a, model_bytes(s) + offset, wanted_bytes);
    require_status(a->get(s->handle, offset, got), wanted);
    require(memcmp(got, wanted_bytes, sizeof got) == 0);
}

static void do_set(void)
{
    segment *s = any_segment();
    const accessor *a = &accessors[below(ACCESSOR_COUNT)];
    size_t offset = any_offset(s->size);
    uint64_t bits = test_random_next(&numbers);
    uint8_t value[8];
    ist_status wanted = access_status(s, offset, a->size, a->alignment, true);
    operation = "set";
    memcpy(value, &bits, sizeof value);
    require_status(a->set(s->handle, offset, value), wanted);
    if (wanted == IST_OK) {
        ordered(a, value, model_bytes(s) + offset);
        compare(s, offset, a->size);
    }
}

static void do_scope(void)
{
    segment *s = any_segment();
    size_t offset = any_offset(s->size), count = one_in(30) ? SIZE_MAX / 4 + below(9) : below(20), runs = 0;
    bool writes = one_in(2);
    ist_status status, wanted = access_status(s, offset, count > SIZE_MAX / 4 ? SIZE_MAX : 4 * count, 4, writes);
    operation = "scope";
    if (writes) {
        IST_WITH_WRITE(uint32_t, element, s->handle, offset, count, status) {
            runs++;
            for (size_t i = 0; i < count; i++)
                element[i] += (uint32_t)i;
        }
    } else {
        IST_WITH_READ(uint32_t, element, s->handle, offset, count, status) {
            runs++;
            require(memcmp(element, model_bytes(s) + offset, 4 * count) == 0);
        }
    }
    require_status(status, wanted);
    require(runs == (wanted == IST_OK));
    for (size_t i = 0; writes && wanted == IST_OK && i < count; i++) {
        uint32_t element;
        memcpy(&element, model_bytes(s) + offset + 4 * i, 4);
        element += (uint32_t)i;
        memcpy(model_bytes(s) + offset + 4 * i, &element, 4);
    }
}

/* ---- Bulk ---- */

static void do_fill(void)
{
    segment *s = any_segment();
    uint8_t value = (uint8_t)below(256);
    operation = "fill";
    ist_status wanted = access_status(s, 0, s->size, 1, true);
    require_status(ist_segment_fill(&s->handle, value), wanted);
    if (wanted == IST_OK)
        memset(model_bytes(s), value, s->size);
}

static void move_model(const segment *from, size_t from_offset, segment *to, size_t to_offset, size_t size)
{
    uint8_t *kept = malloc(size + 1);
    require(kept != NULL);
    memcpy(kept, model_bytes(from) + from_offset, size);
    memcpy(model_bytes(to) + to_offset, kept, size);
    free(kept);
}

static void do_copy(void)
{
    segment *from = any_segment(), *to = one_in(4) ? from : any_segment();
    bool all = one_in(3);
    size_t from_offset = all ? 0 : any_offset(from->size), to_offset = all ? 0 : any_offset(to->size);
    size_t size = all ? from->size : any_offset(from->size < to->size ? from->size / 2 : to->size / 2);
    operation = all ? "copy_from" : "copy";
    ist_status of_source = access_status(from, from_offset, size, 1, false);
    ist_status of_target = access_status(to, to_offset, size, 1, true);
    ist_status wanted = of_target == IST_E_READ_ONLY || of_source == IST_OK ? of_target : of_source;
    if (of_source == IST_E_CLOSED && of_target == IST_E_BOUNDS)
        wanted = IST_E_BOUNDS; /* The bounds of both come before the liveness of either. */
    if (all)
        require_status(ist_segment_copy_from(&to->handle, &from->handle), wanted);
    else
        require_status(ist_segment_copy(&from->handle, from_offset, &to->handle, to_offset, size), wanted);
    if (wanted == IST_OK) {
        move_model(from, from_offset, to, to_offset, size);
        compare_some(to);
    }
}

static void do_mismatch(void)
{
    const segment *a = any_segment(), *b = one_in(4) ? a : any_segment();
    size_t got = 777, smaller = a->size < b->size ? a->size : b->size, wanted_offset = 0;
    operation = "mismatch";
    ist_status wanted = is_open(a) && is_open(b) ? IST_OK : IST_E_CLOSED;
    require_status(ist_segment_mismatch(&a->handle, &b->handle, &got), wanted);
    if (wanted != IST_OK) {
        require(got == 777);
        return;
    }
    while (wanted_offset < smaller && model_bytes(a)[wanted_offset] == model_bytes(b)[wanted_offset])
        wanted_offset++;
    if (wanted_offset == smaller && a->size == b->size)
        wanted_offset = IST_NO_MISMATCH;
    require(got == wanted_offset);
}

static void do_trim(void)
{
    operation = "trim";
    if (one_in(20))
        (void)ist_trim();
}

/* ---- The whole ---- */

typedef struct weighted {
    void (*run)(void);
    unsigned weight;
} weighted;

static const weighted choices[] = {
    { do_get, 22 },          { do_set, 22 },         { do_allocate, 14 },        { do_slice, 8 },
    { do_open, 6 },          { do_close, 6 },        { do_fill, 4 },             { do_copy, 5 },
    { do_mismatch, 3 },      { do_scope, 6 },        { do_freeze, 2 },           { do_hold, 2 },
    { do_release, 3 },       { do_on_close, 2 },     { do_frame_push, 3 },       { do_frame_pop, 4 },
    { do_frame_allocate, 5 }, { do_slicing_begin, 2 }, { do_slicing_allocate, 4 }, { do_forget, 1 },
    { do_trim, 1 },
};
enum { CHOICES = sizeof choices / sizeof choices[0] };

static void begin(void)
{
    lives[GLOBAL_LIFE] = (life){ .serial = ++last_serial, .open = true, .arena = ist_arena_global() };
    lives[NO_LIFE] = (life){ 0 };
    caller_block = malloc(sizeof *caller_block);
    require(caller_block != NULL);
    *caller_block = (block){ NULL, calloc(1, CALLER_BYTES), caller_bytes, CALLER_BYTES };
    require(caller_block->bytes != NULL);
    lives[GLOBAL_LIFE].blocks = caller_block;
    for (size_t i = 0; i < SEGMENTS; i++)
        segments[i] = (segment){ ist_segment_of(caller_bytes, CALLER_BYTES), GLOBAL_LIFE, lives[GLOBAL_LIFE].serial, caller_block, 0,
                                 CALLER_BYTES, false };
    for (size_t i = 0; i < SLICINGS; i++) {
        slicings[i].over = segments[0];
        require_status(ist_slicing_over(segments[0].handle, &slicings[i].handle), IST_OK);
    }
}

static void finish(void)
{
    operation = "the end";
    while (frame_count > 0) {
        life *l = &lives[frame_slots[frame_count - 1]];
        while (l->hold_count > 0)
            require_status(ist_arena_release(&l->holds[--l->hold_count]), IST_OK);
        compare_all(l);
        require_status(ist_frame_pop(&frames[--frame_count]), IST_OK);
        end_life(l);
    }
    for (size_t i = 0; i < LIVES; i++) {
        life *l = &lives[i];
        while (l->hold_count > 0)
            require_status(ist_arena_release(&l->holds[--l->hold_count]), IST_OK);
        if (!l->open)
            continue;
        compare_all(l);
        require_status(ist_arena_close(l->arena), IST_OK);
        end_life(l);
    }
    ist_stats stats = { .size = sizeof stats };
    require_status(ist_stats_get(&stats), IST_OK);
    require(stats.arenas_open == 0 && stats.arenas_orphaned == 0);
    require(source_blocks == 0);
    compare_all(&lives[GLOBAL_LIFE]);
}

int main(int count, char **arguments)
{
    operations = count > 1 ? strtoull(arguments[1], NULL, 0) : 1000000;
    numbers = test_random_seeded(count, arguments, 2);
    seed = numbers.state;
    operation = "the beginning";
    begin();
    unsigned total = 0;
    for (size_t i = 0; i < CHOICES; i++)
        total += choices[i].weight;
    for (step = 1; step <= operations; step++) {
        unsigned drawn = (unsigned)below(total);
        size_t i = 0;
        while (drawn >= choices[i].weight)
            drawn -= choices[i++].weight;
        choices[i].run();
        compare_some(any_segment());
    }
    finish();
    printf("%llu operations as the model has them\n", (unsigned long long)operations);
    return 0;
}
