/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TABLES_ALLOC_TEST_H
#define BENCH_TABLES_ALLOC_TEST_H
/*
 * AllocTest: what does it cost to get a zeroed block and to give it back?
 * AllocCompoundTest: the same for the mix that real programs showed: of 100 arenas 51 allocate
 * 8 bytes once, 48 allocate nothing, 1 allocates 16 bytes.
 *
 * What every subject does with a block, and pays for alike: it makes the last byte non-zero, so
 * that the next owner of the memory has something to clear, and in one operation of 256 it first
 * reads that byte, which must be zero. Reading in each would cost more than the allocation: the
 * C library's memset uses masked stores, which the processor cannot forward to a load (3 to 5 ns
 * on a Zen 5, November 2026).
 *
 * What would make these numbers a lie:
 *   - an allocator that hands out memory unzeroed: the byte read back says so;
 *   - a size that the compiler knows, or carries over from one operation to the next: it is hidden
 *     again in each;
 *   - memory that the compiler may assume unchanged between operations: the sink after each
 *     operation clobbers it.
 * It is the best case all the same: one size, last in first out, warm caches.
 */
#include <stddef.h>
#include <stdint.h>

#include "harness/row.h"
#include "harness/sink.h"

#define ALLOC_SIZES "size=5,20,100,500,1000,2000,8000"
#define ALLOC_QUICK_SIZES "size=5,20,100,1000,8000"
#define ALLOC_MAX_SIZE 1000000
#define ALLOC_ALIGNMENT 16 /* What malloc promises, so that all subjects owe the same. */

#define COMPOUND_ARENAS 100

/* What a subject's rows work with. */
struct alloc_state {
    volatile size_t size;
    unsigned seen;                  /* All bytes read back, or-ed: 0 if every block was zeroed. */
    unsigned failed;                /* All statuses, or-ed, of subjects that have statuses. */
    uint8_t order[COMPOUND_ARENAS]; /* The sizes that the arenas of the mix allocate; 0: none. */
};

#define ALLOC_SAMPLING 256

/*
 * The use of a block in the operation of that index; returns the byte read back, if it is read.
 * The block must not be NULL: a failed allocation ends the worker.
 */
static inline unsigned alloc_use(unsigned char *block, size_t size, uint64_t index)
{
    unsigned last = 0;
    if (__builtin_expect(index % ALLOC_SAMPLING == 0, 0))
        last = block[size - 1];
    block[size - 1] = 0xa5;
    bench_sink(block);
    return last;
}

/* For rows with the parameter size ... */
const char *alloc_setup(const char *params, void **ret_state);
/* ... and for those without: the mix, and the arena that allocates nothing. */
const char *alloc_setup_unsized(const char *params, void **ret_state);
const char *alloc_check(void *state, uint64_t rounds);
void alloc_teardown(void *state);

/* The common parts of the rows; the subject adds method, answers, setup, check and run. */
#define ALLOC_ROW                                                                                  \
    .class_name = "AllocTest", .unit = "ns/op", .params = ALLOC_SIZES,                             \
    .quick_params = ALLOC_QUICK_SIZES, .teardown = alloc_teardown
#define ALLOC_NONE_ROW .class_name = "AllocTest", .unit = "ns/op", .teardown = alloc_teardown
#define COMPOUND_ROW                                                                               \
    .class_name = "AllocCompoundTest", .method = "compound", .unit = "ns/op",                      \
    .teardown = alloc_teardown

#endif
