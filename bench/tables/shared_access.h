/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLES_SHARED_ACCESS_H
#define BENCH_TABLES_SHARED_ACCESS_H
/*
 * SharedAccess: what does a checked access to a shared arena cost beside a plain one, and do closes
 * of other arenas show in it?
 *
 *   get_int        1024 ints one after the other, each through ist_get_i32(); per int. The floor:
 *                  the plain loop, compiled alike, without vectoriser and unrolling
 *   get_int_held   the same ints through the pointer of one IST_WITH_READ() per 1024
 *   hold           a hold and its release. The floor: a store and another, as to a slot
 *   copy_64        ist_segment_copy() of 64 bytes, from one segment of the arena to another
 *   copy_1M        the same of 1 MiB. The floor of both: memcpy()
 *
 * Closer: none; open, another thread opens and closes other shared arenas flat out; escaped, a
 * third thread has held each of those; poll, another thread tries to close this very arena flat
 * out, and is refused because of a hold; spin, another thread is busy with memory of its own. `/baseline` is the row beside the same without a closer.
 *
 * The score is processor time per operation: with 2 measuring threads on two cores the closer has
 * no core of its own. The wall time is in the JSON.
 *
 * What would make these numbers a lie:
 *   - an owner's short cut: another thread has used the arena before, so that its owner and all
 * others go the same way;
 *   - a loop that a compiler vectorises, or a check that it drops: the object code is the proof,
 * see checked_kernels.c;
 *   - a closer that does not close: its closes are counted, and the library's own counters must
 * agree;
 *   - a kernel that does not charge interrupts to the thread that they interrupt
 *     (CONFIG_IRQ_TIME_ACCOUNTING): then processor time hides what escaped closes cost, and the
 * wall time of one measuring thread, which has its core to itself, is the one to look at;
 *   - copies of 1 MiB that leave the caches: source and target are 2 MiB together per thread.
 */
#include <stdint.h>

#include "harness/row.h"
#include "harness/sink.h"
#include "tables/segment_access.h"

#define SHARED_COPY_SIZE ((size_t)1 << 20)

#define SHARED_CLOSERS "closer=none,open,escaped,poll,spin"
#define SHARED_ROW .class_name = "SharedAccess", .unit = "ns/op", .clock = BENCH_CPU
#define SHARED_GET_ROW                                                                             \
    SHARED_ROW, .params = SHARED_CLOSERS ";" ACCESS_COMPILERS ";threads=1,2",                      \
                .quick_params = "closer=none,escaped;" ACCESS_COMPILER ";threads=1",               \
                .operations = ACCESS_COUNT
#define SHARED_HOLD_ROW                                                                            \
    SHARED_ROW, .params = "closer=none,poll,spin;threads=1", .quick_params = "closer=spin,poll;threads=1"
#define SHARED_COPY_ROW                                                                            \
    SHARED_ROW, .params = SHARED_CLOSERS ";threads=1,2",                                           \
                .quick_params = "closer=none,escaped;threads=1"

/* The kernels of a compiler, as access_kernel says. NULL: not in this build. */
access_kernel *shared_kernel(const char *params, int held);

extern const struct bench_table shared_access_table;

#endif
