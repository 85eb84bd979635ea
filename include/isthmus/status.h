/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_STATUS_H
#define ISTHMUS_STATUS_H
/*
 * Statuses, the last error of a thread, and the handler for failures that a program treats as bugs.
 *
 *     int64_t value = -1;
 *     ist_status status = ist_get_i64(numbers, 8, &value);
 *     if (status != IST_OK)
 *         fprintf(stderr, "%s: %s\n", ist_status_name(status), ist_last_error());
 *     // IST_E_CLOSED: read of 8 bytes at offset 8 of a segment of 80 bytes whose confined arena is
 *     closed
 *
 * Every fallible function returns an ist_status, writes its outputs only on IST_OK, and on any
 * other status leaves the numbers behind it in the calling thread's ist_error. Success leaves the
 * last error as it was. errno is never changed by a function that returns a status.
 *
 * Threads: each thread has its own last error. The failure handler is one for the process.
 */
#include <isthmus/base.h>

IST_BEGIN_DECLS

/* X(name, value, text): values are part of the ABI and never change. */
#define IST_STATUS_LIST(X)                                                            \
    X(OK, 0, "success")                                                               \
    X(E_CLOSED, 1, "the arena is closed")                                             \
    X(E_HELD, 2, "the arena is held")                                                 \
    X(E_WRONG_THREAD, 3, "a confined arena is used by a thread that does not own it") \
    X(E_BOUNDS, 4, "outside the bounds")                                              \
    X(E_ALIGNMENT, 5, "misaligned")                                                   \
    X(E_READ_ONLY, 6, "the segment is read-only")                                     \
    X(E_ARGUMENT, 7, "invalid argument")                                              \
    X(E_OVERFLOW, 8, "a size or a count is not representable")                        \
    X(E_NO_MEMORY, 9, "out of memory")                                                \
    X(E_UNSUPPORTED, 10, "not supported")                                             \
    X(E_NOT_FOUND, 11, "not found")                                                   \
    X(E_LAYOUT, 12, "the layout does not fit")                                        \
    X(E_SYSTEM, 13, "a system call failed")                                           \
    X(E_BUSY, 14, "the thread would wait for itself")

typedef enum ist_status {
#define ISTI_STATUS_ENUM(name, value, text) IST_##name = value,
    IST_STATUS_LIST(ISTI_STATUS_ENUM)
#undef ISTI_STATUS_ENUM
} ist_status;

/*
 * Constant strings: "IST_E_CLOSED" and "the arena is closed"; "IST_?" and "unknown status" for
 * other values.
 */
IST_API const char *ist_status_name(ist_status status);
IST_API const char *ist_status_text(ist_status status);

/*
 * The numbers behind a thread's last failure. A field that the failure has no use for is 0.
 * The struct may grow at its end; `size` is what the library filled in.
 */
typedef struct ist_error {
    size_t size;           /* In: sizeof(ist_error) of the caller. Out: the bytes that are valid. */
    ist_status status;     /* What the failing function returned. */
    int os_errno;          /* The errno of a system call that refused; else 0. */
    const char *operation; /* A constant string: "read", "allocation", "close", ... */
    /* A constant string: the kind of arena, "confined" or "global"; else NULL. */
    const char *kind;
    uint64_t offset;    /* Bytes, from the start of the segment. */
    uint64_t length;    /* Bytes asked for. */
    uint64_t limit;     /* Bytes that there are: the size of the segment, the room left. */
    uint64_t alignment; /* Bytes: the alignment asked for. */
    uint64_t address;   /* The address that is misaligned; else 0. */
    uint64_t holders;   /* Holds that made a close fail. */
    uint64_t done;      /* Bytes that a bulk operation had done when a close stopped it. */
} ist_error;

/*
 * Describes the calling thread's last failure in a sentence without the status's name.
 * Ownership: the string is the library's, valid until the thread's next call of this function.
 * Returns:   never NULL; "no error" if nothing has failed on this thread yet.
 */
IST_API const char *ist_last_error(void);

/*
 * Copies the numbers of the calling thread's last failure; ret_error->size says how much room there
 * is.
 * Returns:   IST_OK (also if nothing has failed: status is IST_OK then); IST_E_ARGUMENT if
 *            ret_error is NULL or its size is below that of `size` and `status`. That one is not
 *            recorded: what failed before can still be asked for.
 */
IST_API ist_status ist_last_error_info(ist_error *ret_error);

/*
 * Called by IST_CHECK() and by the forms that return a value (ist_read_i64() and so on) when they
 * fail; the thread's last error says what happened. `where` names the call in the source
 * ("file:line: call"), or the function. It may end the process, longjmp, throw, or return: then
 * IST_CHECK() goes on, and the value is 0. No lock is held and nothing is published while it runs.
 */
typedef void ist_failure_fn(ist_status status, const char *where);

/*
 * Replaces the process's failure handler; NULL restores the default, which writes one line to
 * standard error and aborts.
 * Returns:   the handler that was in force.
 * Threads:   any. A failure that is being reported may still reach the old handler.
 */
IST_API ist_failure_fn *ist_failure_handler_set(ist_failure_fn *handler);

/* Reports a failure to the handler in force, as IST_CHECK() does. */
IST_API ISTI_COLD void ist_failure_report(ist_status status, const char *where);

#define ISTI_TEXT_(x) #x
#define ISTI_TEXT(x) ISTI_TEXT_(x)

/* Evaluates a call once and reports any status but IST_OK to the failure handler. */
#define IST_CHECK(call)                                                                    \
    do {                                                                                   \
        ist_status isti_status_ = (call);                                                  \
        if (ISTI_UNLIKELY(isti_status_ != IST_OK))                                         \
            ist_failure_report(isti_status_, __FILE__ ":" ISTI_TEXT(__LINE__) ": " #call); \
    } while (0)

IST_END_DECLS
#endif
