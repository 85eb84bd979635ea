/* SPDX-License-Identifier: MIT */
/* Scratch memory and stores of arenas, for whatever makes layouts; see the header. */
#include "access/maker.h"

#include <isthmus/arena.h>

#include "base/heap.h"
#include "base/size.h"
#include "memory/arena.h"
#include "session/error.h"

#define BLOCK_SIZE ((size_t)4096)

/* A block of scratch memory: this, then `used` bytes that are taken. */
typedef struct scratch_block {
    struct scratch_block *next;
    size_t size, used; /* Bytes, this included. */
} scratch_block;

static scratch_block *new_block(isti_maker *maker, size_t wanted, isti_problem *problem)
{
    size_t size;
    if (!isti_size_add(wanted, sizeof(scratch_block) + _Alignof(max_align_t), &size)) {
        isti_problem_set(problem, IST_E_OVERFLOW, "%zu bytes", wanted);
        return NULL;
    }
    if (size < BLOCK_SIZE)
        size = BLOCK_SIZE;
    scratch_block *made = isti_heap_alloc_zeroed(size);
    if (made == NULL) {
        isti_problem_set(problem, IST_E_NO_MEMORY, "out of memory");
        return NULL;
    }
    *made = (scratch_block){ .next = maker->blocks, .size = size, .used = sizeof(scratch_block) };
    maker->blocks = made;
    return made;
}

static void *take_scratch(void *context, size_t size, size_t alignment, isti_problem *problem)
{
    isti_maker *maker = context;
    scratch_block *newest = maker->blocks;
    size_t begin = newest != NULL ? isti_align_up(newest->used, alignment) : 0;
    if (newest == NULL || begin > newest->size || size > newest->size - begin) {
        newest = new_block(maker, size, problem);
        if (newest == NULL)
            return NULL;
        begin = isti_align_up(newest->used, alignment);
    }
    newest->used = begin + size;
    return (char *)newest + begin;
}

static void *take_from_arena(void *context, size_t size, size_t alignment, isti_problem *problem)
{
    const ist_arena *arena = context;
    ist_segment segment;
    ist_status status = ist_arena_allocate(*arena, size, alignment, &segment);
    if (status == IST_OK)
        return segment.address;
    isti_problem_set(problem, status, "%s", ist_status_text(status));
    return NULL;
}

isti_store isti_arena_store(ist_arena *arena)
{
    return (isti_store){ .allocate = take_from_arena,
                         .context = arena,
                         .owner = { (uintptr_t)arena->session, arena->expected } };
}

void isti_maker_begin_scratch(isti_maker *maker, const char *operation)
{
    *maker = (isti_maker){ .operation = operation };
    maker->scratch = (isti_store){ .allocate = take_scratch,
                                   .context = maker,
                                   .owner = { (uintptr_t)maker, 0 },
                                   .borrows = true };
}

ist_status isti_maker_begin(isti_maker *maker, ist_arena arena, const char *operation)
{
    isti_maker_begin_scratch(maker, operation);
    maker->arena = arena;
    maker->store = isti_arena_store(&maker->arena);
    maker->problem.status = isti_arena_require(arena.session, arena.expected, operation);
    return maker->problem.status;
}

ist_status isti_maker_drop(isti_maker *maker)
{
    while (maker->blocks != NULL) {
        scratch_block *gone = maker->blocks;
        maker->blocks = gone->next;
        isti_heap_free(gone);
    }
    return maker->problem.status == IST_OK ? IST_OK
                                           : isti_problem_fail(&maker->problem, maker->operation);
}

ist_status isti_maker_end(isti_maker *maker, const ist_layout **ret_layout)
{
    const ist_layout *layout = NULL;
    if (maker->problem.status == IST_OK)
        isti_layout_adopt(&maker->store, maker->layout, &layout, &maker->problem);
    ist_status status = isti_maker_drop(maker);
    if (status == IST_OK)
        *ret_layout = layout;
    return status;
}

ist_status isti_problem_fail(const isti_problem *problem, const char *operation)
{
    return isti_fail_text(problem->status, operation, problem->text);
}
