/* SPDX-License-Identifier: MIT */
/*
 * This module's part in the life of a thread: what the environment chose before the first, and what
 * is left behind by each.
 */
#include "memory/local.h"

#include "base/heap.h"
#include "memory/chunk.h"
#include "memory/orphan.h"
#include "memory/record.h"
#include "os/memory_tools.h"

#include <stdlib.h>
#include <string.h>

static void initialize(void)
{
    const char *debug = secure_getenv("ISTHMUS_DEBUG");
    isti_memory_mode_chosen.unmap = debug != NULL && strcmp(debug, "unmap") == 0;
    isti_memory_mode_chosen.exact =
        !isti_memory_mode_chosen.unmap &&
        ((debug != NULL && strcmp(debug, "exact") == 0) || isti_tools_watch());
}

/* What the thread left open stays as it is. */
static void leave_frames(isti_local *local)
{
    /* Frames that were left pushed lie in the block: it stays with them. */
    local->stack_block = NULL;
    local->stack_used = local->stack_depth = 0;
}

static void on_exit_of(isti_thread *thread)
{
    isti_local *local = (isti_local *)thread;
    isti_record_trim(local);
    if (local->stack_depth == 0)
        isti_heap_free(local->stack_block);
    leave_frames(local);
}

static void on_lost(isti_thread *thread)
{
    isti_local *local = (isti_local *)thread;
    isti_orphans_lose(thread->serial);
    local->listed = 0; /* The list is lost with the thread. */
    leave_frames(local);
}

static void forget_pending(isti_arena *record, void *data)
{
    (void)data;
    record->session.pending = 0;
}

/*
 * A thread that is not there any more may have announced a hold without a slot: nobody is going to
 * take that back.
 */
static void on_fork(void)
{
    isti_record_visit(forget_pending, NULL);
}

const isti_thread_user isti_thread_user_memory = { .record_size = sizeof(isti_local),
                                                   .initialize = initialize,
                                                   .on_exit = on_exit_of,
                                                   .on_lost = on_lost,
                                                   .on_fork = on_fork };
