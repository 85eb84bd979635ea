/* SPDX-License-Identifier: MIT */
/*
 * The global arena is a record that no handle refers to: {NULL, GLOBAL} is the handle. Its chunks
 * hang on a static variable, so that leak checkers find them.
 */
#include "memory/global.h"

#include "memory/arena.h"
#include "session/lock.h"

/* Lock GLOBAL. All zero is a record without a chunk as well: there is no room between 0 and 0. */
static isti_arena global;

void *isti_global_take(size_t size, size_t alignment, bool zeroed)
{
    if (isti_local_current() == NULL) /* Before the first, the memory mode is not known. */
        return NULL;
    isti_lock(ISTI_LOCK_GLOBAL);
    void *block = isti_arena_take(&global, size, alignment, zeroed);
    isti_unlock(ISTI_LOCK_GLOBAL);
    return block;
}
