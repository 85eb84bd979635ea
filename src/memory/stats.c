/* SPDX-License-Identifier: MIT */
/* Counting what there is, and giving back what is only cached. */
#include <isthmus/stats.h>

#include "memory/local.h"
#include "memory/orphan.h"
#include "memory/record.h"
#include "session/close.h"
#include "session/error.h"
#include "session/fence.h"

#include <string.h>

/* Relaxed loads: the counts of other threads move on while they are read. */
static void add_thread(const isti_thread *thread, void *data)
{
    const isti_local *local = (const isti_local *)thread;
    ist_stats *stats = data;
    stats->bytes_live += __atomic_load_n(&local->bytes, __ATOMIC_RELAXED);
    stats->shared_closes += isti_load_relaxed_u64(&thread->closes);
    stats->threads += thread->self != NULL;
}

ist_status ist_stats_get(ist_stats *ret_stats)
{
    if (ret_stats == NULL || ret_stats->size < sizeof(size_t) * 2)
        return isti_fail_argument("statistics", "no room for a count");
    ist_stats stats = { .size = 0 };
    isti_thread_visit(add_thread, &stats);
    isti_census census = isti_orphans_count();
    stats.arenas_open = census.confined;
    stats.arenas_orphaned = census.orphans;
    stats.arenas_cached = census.listed;
    stats.shared_open = census.shared;
    stats.automatic_open = census.automatic;
    isti_close_counters closes = isti_close_count();
    stats.shared_closes_escaped = closes.escaped;
    stats.longest_undecided_ns = closes.longest_undecided;
    stats.longest_drain_ns = closes.longest_drain;
    stats.heavy_fences = isti_fence_count();
    stats.fence_is_light = isti_fence_is_light();
    isti_record_count(&stats.records, &stats.records_retired);
    stats.size = ret_stats->size < sizeof stats ? ret_stats->size : sizeof stats;
    memcpy(ret_stats, &stats, stats.size);
    return IST_OK;
}

size_t ist_trim(void)
{
    isti_local *local = isti_local_current();
    if (local == NULL)
        return 0;
    isti_record_trim_others(local);
    return isti_record_trim(local);
}
