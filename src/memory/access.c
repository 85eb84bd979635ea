/* SPDX-License-Identifier: MIT */
/* Why an access or a scope was refused: the slow halves of <isthmus/access.h> and <isthmus/scope.h>. */
#include <isthmus/access.h>
#include <isthmus/scope.h>

#include "memory/bulk.h"
#include "session/error.h"

typedef struct attempt {
    ist_segment segment;
    size_t offset;
    size_t length;
    size_t alignment;
    int writes;
    const char *operation;
    const char *otherwise; /* What is wrong if it is not the segment. */
} attempt;

/* The checks once more, in their order: read-only, bounds, alignment, closed, thread. */
static ist_status refuse(const attempt *tried)
{
    const ist_segment *segment = &tried->segment;
    uintptr_t place = (uintptr_t)segment->address + tried->offset;
    int read_only = tried->writes && ist_segment_is_read_only(*segment);
    int inside = tried->offset <= segment->size && tried->length <= segment->size - tried->offset;
    if (!read_only && inside && (place & (tried->alignment - 1)) != 0)
        return isti_fail(&(isti_failure){ .error = { .status = IST_E_ALIGNMENT,
                                                     .operation = tried->operation,
                                                     .offset = tried->offset,
                                                     .length = tried->length,
                                                     .limit = segment->size,
                                                     .alignment = tried->alignment,
                                                     .address = place },
                                          .parts = ISTI_PART_LENGTH | ISTI_PART_OFFSET | ISTI_PART_SEGMENT });
    ist_status status =
        isti_bulk_require(segment, tried->offset, tried->length, tried->writes, tried->operation);
    return status != IST_OK ? status : isti_fail_argument(tried->operation, tried->otherwise);
}

ist_status isti_access_fail(const void *address, size_t size, uintptr_t session, uint64_t expected, size_t offset,
                            unsigned access)
{
    int writes = access >> 16 != 0;
    return refuse(&(attempt){
        .segment = { (void *)(uintptr_t)address, size, session, expected },
        .offset = offset,
        .length = access & 0xff,
        .alignment = access >> 8 & 0xff,
        .writes = writes,
        .operation = writes ? "write" : "read",
        .otherwise = "NULL where the value is wanted" });
}

void isti_access_report(const void *address, size_t size, uintptr_t session, uint64_t expected, size_t offset,
                        unsigned access, const char *where)
{
    ist_failure_report(isti_access_fail(address, size, session, expected, offset, access), where);
}

ist_status isti_scope_fail(const void *address, size_t size, uintptr_t session, uint64_t expected, size_t offset,
                           size_t length, size_t alignment, int writes)
{
    return refuse(&(attempt){
        .segment = { (void *)(uintptr_t)address, size, session, expected },
        .offset = offset,
        .length = length,
        .alignment = alignment,
        .writes = writes,
        .operation = writes ? "scope for writing" : "scope for reading",
        .otherwise = "not admitted" });
}
