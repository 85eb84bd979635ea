/* SPDX-License-Identifier: MIT */
/* A program that has no collected heap of its own, with arenas that the collector ends. */
#include <isthmus/gc.h>
#include <isthmus/isthmus.h>
#include <stdio.h>

int main(void)
{
    ist_gc_stats stats = { .size = sizeof stats };
    for (int i = 0; i < 100000; i++) {
        ist_arena arena = { 0 };
        ist_segment words = { 0 };
        IST_CHECK(ist_gc_arena_open(&arena));
        IST_CHECK(ist_arena_allocate(arena, 1000, 8, &words));
        IST_CHECK(ist_set_u64(words, 992, 1));
    }
    ist_gc_collect();
    IST_CHECK(ist_gc_stats_get(&stats));
    printf("%s\n", stats.ended > 99000 ? "collected" : "not collected");
    return 0;
}
