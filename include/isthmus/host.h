/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_HOST_H
#define ISTHMUS_HOST_H
/*
 * For authors of runtimes: arenas whose records are the runtime's own objects, and which end when it
 * says so. libisthmus-gc is such a host: its records are objects of a garbage collector.
 *
 * A host gives memory for a record, opens an arena in it as often as it likes, one at a time, and
 * ends it when nobody is left who might use it. Users of the arena see one that is automatic: any
 * thread allocates and accesses, nobody closes, retaining and dropping do nothing.
 *
 * What a host promises: the memory stays readable for ever, also between lives, since handles of
 * lives that have ended may be looked at at any time; and it opens and ends by one thread at a time.
 * What Isthmus promises: a handle of a life that has ended fails for ever, whoever kept it, and
 * ending waits for accesses that are under way all the same.
 */
#include <isthmus/arena.h>

IST_BEGIN_DECLS

#define IST_HOST_RECORD_SIZE 256
#define IST_HOST_RECORD_ALIGNMENT 128

/*
 * Learns that arenas of the host's got `bytes` bytes of memory more. It runs inside an allocation:
 * it may not use Isthmus, wait, or fail.
 */
typedef void ist_host_grew_fn(size_t bytes);

/* The two words `host` of a record are for the host, and 0 at first. */
typedef isti_arena ist_host_record;

/*
 * Makes a record of IST_HOST_RECORD_SIZE zeroed bytes. grew may be NULL.
 * Ownership: the memory is the host's, and is never given back.
 */
IST_API void ist_host_record_init(ist_host_record *record, ist_host_grew_fn *grew) IST_NONNULL(1);

/*
 * Opens an arena in a record that has none; the calling thread becomes its owner, who allocates
 * from it most cheaply.
 * Returns: IST_OK; IST_E_NO_MEMORY (the thread's first use of the library); IST_E_CLOSED (the
 *          record's generations are used up, after some 10^16 lives: forget it).
 */
IST_NODISCARD IST_API ist_status ist_host_open(ist_host_record *record, ist_arena *ret_arena)
    IST_NONNULL(1, 2);

/* Whether an arena is open in the record. */
IST_INLINE int ist_host_is_open(const ist_host_record *record)
{
    return __atomic_load_n(&record->cursor, __ATOMIC_ACQUIRE) != 0; /* Pairs with C6. */
}

/*
 * Ends the arenas in `count` records: cleanup actions run on the calling thread, newest first, then
 * memory goes back, but for one chunk of at most 32 KiB that the record keeps for its next life. An
 * arena that is not ended stays open, to be ended later.
 * Returns: IST_OK; IST_E_NO_MEMORY (the thread's first use of the library: none is ended);
 *          IST_E_SYSTEM (the kernel refuses membarrier: some are not ended).
 */
IST_NODISCARD IST_API ist_status ist_host_end(ist_host_record *const *records, size_t count)
    IST_NONNULL(1);

/* Whether ending it will run actions of users. */
IST_API int ist_host_has_cleanups(const ist_host_record *record) IST_NONNULL(1);

/* Bytes of memory that the record has, for an arena in it or kept for the next. */
IST_API size_t ist_host_bytes(const ist_host_record *record) IST_NONNULL(1);

/* Gives back what a record without arena keeps. Returns the bytes. */
IST_API size_t ist_host_trim(ist_host_record *record) IST_NONNULL(1);

/*
 * Makes a failure of the host's own the calling thread's last error, and returns its status. The
 * sentence is "<operation>: <reason>"; both are constant.
 */
IST_API ist_status ist_host_fail(ist_status status, const char *operation, const char *reason);

IST_END_DECLS
#endif
