/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_SCOPE_H
#define ISTHMUS_SCOPE_H
/*
 * Scopes: check once, then run at raw speed; release on every way out.
 *
 *     double sum = 0;
 *     ist_status status;
 *     IST_WITH_READ(const double, row, rows, offset, count, status) {
 *         for (size_t i = 0; i < count; i++)
 *             sum += row[i];
 *     }
 *     if (status != IST_OK)
 *         return status;
 *
 * Each macro is followed by a block. `status` is a variable of the caller's. If it receives
 * anything but IST_OK when the scope begins, the block does not run. Inside the block `break` and
 * `continue` end the scope: a loop around it goes on. `return`, `goto` out of the block and C++
 * exceptions release the hold too; longjmp does not.
 *
 * Threads: as for an access.
 */
#include <isthmus/arena.h>

IST_BEGIN_DECLS
ISTI_BEGIN_INLINES

/* What a scope keeps; not for callers. */
typedef struct isti_scope {
    void *pointer;
    int live;      /* The block has yet to run. */
    ist_hold hold; /* `{0}`: the arena needs none. */
} isti_scope;

/* What a scope does that cannot begin at once: it waits for the hold, or is refused. */
IST_API ISTI_COLD ist_status isti_scope_slow(void *address, size_t size, uintptr_t session,
                                             uint64_t expected, size_t offset, size_t length,
                                             size_t alignment, int writes, ist_hold *ret_hold);

IST_INLINE isti_scope isti_scope_enter(ist_segment segment, size_t offset, size_t count,
                                       size_t element_size, size_t alignment, int writes,
                                       ist_status *ret_status)
{
    isti_scope scope = { NULL, 0, { NULL, 0, NULL } };
    isti_session *session = (isti_session *)(segment.session & ~ISTI_TAG_MASK);
    size_t length = count <= SIZE_MAX / element_size ? count * element_size : SIZE_MAX;
    int fits = !(writes && (segment.session & ISTI_READ_ONLY)) && offset <= segment.size &&
               length <= segment.size - offset &&
               (((uintptr_t)segment.address + offset) & (alignment - 1)) == 0;
    if (ISTI_UNLIKELY(!fits || (segment.expected != ISTI_GLOBAL &&
                                !isti_hold_begin(session, segment.expected, &scope.hold)))) {
        ist_hold held = { NULL, 0, NULL };
        *ret_status = isti_scope_slow(segment.address, segment.size, segment.session,
                                      segment.expected, offset, length, alignment, writes, &held);
        if (*ret_status != IST_OK)
            return scope;
        scope.hold = held;
    }
    scope.pointer = isti_place(segment.address, offset);
    scope.live = 1;
    *ret_status = IST_OK;
    return scope;
}

IST_INLINE void isti_scope_leave(isti_scope *scope)
{
    if (scope->hold.expected != 0)
        (void)ist_arena_release(&scope->hold);
}

/*
 * The two loops run the block once; the outer one exists so that `break` in the block still ends in
 * its step.
 */
#define ISTI_SCOPE(scope, type, name, segment, offset, count, writes, status)             \
    for (isti_scope scope __attribute__((cleanup(isti_scope_leave))) = isti_scope_enter(  \
             segment, offset, count, sizeof(type), __alignof__(type), writes, &(status)); \
         scope.live; scope.live = 0)                                                      \
        for (type *name = (type *)scope.pointer; scope.live; scope.live = 0)

/*
 * Runs the block with `const type *name` pointing at `count` elements of the segment from byte
 * `offset` on; the arena is held meanwhile. status: IST_OK; IST_E_BOUNDS; IST_E_ALIGNMENT;
 * IST_E_CLOSED; IST_E_WRONG_THREAD.
 */
#define IST_WITH_READ(type, name, segment, offset, count, status)                                 \
    ISTI_SCOPE(ISTI_UNIQUE(isti_scope_), const __typeof__(type), name, segment, offset, count, 0, \
               status)

/* As IST_WITH_READ(), for writing; status may also be IST_E_READ_ONLY. */
#define IST_WITH_WRITE(type, name, segment, offset, count, status) \
    ISTI_SCOPE(ISTI_UNIQUE(isti_scope_), type, name, segment, offset, count, 1, status)

/* What IST_WITH_CONFINED keeps; not for callers. */
typedef struct isti_arena_scope {
    ist_arena arena;
    int live;
    int opened;
    ist_status *status;
} isti_arena_scope;

IST_INLINE isti_arena_scope isti_arena_scope_enter(ist_status *ret_status)
{
    isti_arena_scope scope = { { NULL, 0 }, 0, 0, ret_status };
    *ret_status = ist_arena_open_confined(&scope.arena);
    scope.live = scope.opened = *ret_status == IST_OK;
    return scope;
}

IST_INLINE void isti_arena_scope_leave(isti_arena_scope *scope)
{
    if (scope->opened) {
        ist_status status = ist_arena_close(scope->arena);
        if (ISTI_UNLIKELY(status != IST_OK))
            *scope->status = status;
    }
}

#define ISTI_ARENA_SCOPE(scope, name, status)                                                  \
    for (isti_arena_scope scope                                                                \
         __attribute__((cleanup(isti_arena_scope_leave))) = isti_arena_scope_enter(&(status)); \
         scope.live; scope.live = 0)                                                           \
        for (ist_arena name = scope.arena; scope.live; scope.live = 0)

/*
 * Runs the block with `ist_arena name`, a confined arena that is closed on every way out. status
 * receives a failed open (the block does not run) or a close that was refused (IST_E_HELD: the
 * arena is still open; IST_E_CLOSED: the block closed it).
 */
#define IST_WITH_CONFINED(name, status) ISTI_ARENA_SCOPE(ISTI_UNIQUE(isti_scope_), name, status)

/* What IST_WITH_HOLD keeps; not for callers. */
typedef struct isti_hold_scope {
    ist_hold hold;
    int live;
} isti_hold_scope;

IST_INLINE isti_hold_scope isti_hold_scope_enter(ist_arena arena, ist_status *ret_status)
{
    isti_hold_scope scope = { { NULL, 0, NULL }, 0 };
    *ret_status = ist_arena_hold(arena, &scope.hold);
    scope.live = *ret_status == IST_OK;
    return scope;
}

IST_INLINE void isti_hold_scope_leave(isti_hold_scope *scope)
{
    if (scope->hold.expected != 0)
        (void)ist_arena_release(&scope->hold);
}

#define ISTI_HOLD_SCOPE(scope, arena, status)                                    \
    for (isti_hold_scope scope __attribute__((cleanup(isti_hold_scope_leave))) = \
             isti_hold_scope_enter(arena, &(status));                            \
         scope.live; scope.live = 0)

/* Runs the block while `arena` is held. status: as for ist_arena_hold(). */
#define IST_WITH_HOLD(arena, status) ISTI_HOLD_SCOPE(ISTI_UNIQUE(isti_scope_), arena, status)

ISTI_END_INLINES
IST_END_DECLS
#endif
