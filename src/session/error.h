/* SPDX-License-Identifier: MIT */
#ifndef ISTI_SESSION_ERROR_H
#define ISTI_SESSION_ERROR_H
/*
 * The last failure of a thread: numbers now, a sentence when somebody asks.
 *
 *     return isti_fail(&(isti_failure){ .error = { .status = IST_E_BOUNDS, .operation = "slice",
 *                                                  .offset = offset, .length = size, .limit = total
 *                                                  },
 *                                       .parts = ISTI_PART_LENGTH | ISTI_PART_OFFSET |
 *                                       ISTI_PART_SEGMENT });
 */
#include <isthmus/status.h>

/* Which numbers the sentence speaks of; a number may be 0 and still matter. */
enum {
    ISTI_PART_LENGTH = 1,    /* "of <length> bytes" */
    ISTI_PART_ALIGNMENT = 2, /* "aligned to <alignment>" */
    ISTI_PART_OFFSET = 4,    /* "at offset <offset>" */
    ISTI_PART_SEGMENT = 8,   /* "of a segment of <limit> bytes" */
    ISTI_PART_DONE = 16,     /* "after <done> bytes" */
};

typedef struct isti_failure {
    ist_error error;
    unsigned parts;
    /* Ends the sentence: a constant string, or the copy in the thread's record; else NULL. */
    const char *reason;
} isti_failure;

/* Makes it the calling thread's last failure and returns its status. errno is left alone. */
ist_status isti_fail(const isti_failure *failure);

/* Short forms, for failures that need no more than words. */
ist_status isti_fail_argument(const char *operation, const char *reason);
ist_status isti_fail_no_memory(const char *operation, size_t length);

/*
 * For a reason that is known at run time only: `text` is copied into the thread's record, as far as
 * ISTI_REASON_SIZE - 1 bytes go, and may be anything, the sentence of an earlier failure too.
 */
#define ISTI_REASON_SIZE 240
ist_status isti_fail_text(ist_status status, const char *operation, const char *text);

/* The status of the calling thread's last failure; IST_OK if nothing has failed. */
ist_status isti_failure_status(void);

/*
 * The calling thread's last failure, to be put back behind steps whose failures are not the
 * caller's: attempts that may fail, user code in between.
 */
typedef struct isti_kept_failure {
    ist_status status;
    isti_failure failure;
    char reason[ISTI_REASON_SIZE];
} isti_kept_failure;

isti_kept_failure isti_failure_keep(void);
void isti_failure_put_back(const isti_kept_failure *kept);

#endif
