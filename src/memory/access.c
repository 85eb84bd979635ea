/* SPDX-License-Identifier: MIT */
/*
 * Accesses and scopes that could not begin at once: the slow halves of <isthmus/access.h> and
 * <isthmus/scope.h>. On a shared arena they may wait and go ahead; otherwise they say why not.
 */
#include <isthmus/access.h>
#include <isthmus/scope.h>

#include "memory/access.h"
#include "memory/arena.h"
#include "memory/bulk.h"

#include <string.h>

ist_status isti_attempt_enter(const isti_attempt *tried, uint64_t **ret_slot)
{
    const ist_segment *segment = &tried->segment;
    uintptr_t place = (uintptr_t)segment->address + tried->offset;
    int read_only = tried->writes && ist_segment_is_read_only(*segment);
    int inside = tried->offset <= segment->size && tried->length <= segment->size - tried->offset;
    if (!read_only && inside && (place & (tried->alignment - 1)) != 0)
        return isti_fail(
            &(isti_failure){ .error = { .status = IST_E_ALIGNMENT,
                                        .operation = tried->operation,
                                        .offset = tried->offset,
                                        .length = tried->length,
                                        .limit = segment->size,
                                        .alignment = tried->alignment,
                                        .address = place },
                             .parts = ISTI_PART_LENGTH | ISTI_PART_OFFSET | ISTI_PART_SEGMENT });
    return isti_bulk_enter(segment, tried->offset, tried->length, tried->writes, tried->operation,
                           ret_slot);
}

ist_status isti_access_slow(void *address, size_t size, uintptr_t session, uint64_t expected,
                            size_t offset, unsigned access, void *raw)
{
    int writes = access >> 16 != 0;
    isti_attempt tried = { .segment = { address, size, session, expected },
                           .offset = offset,
                           .length = access & 0xff,
                           .alignment = access >> 8 & 0xff,
                           .writes = writes,
                           .operation = writes ? "write" : "read" };
    uint64_t *slot;
    ist_status status = isti_attempt_enter(&tried, &slot);
    if (status != IST_OK)
        return status;
    char *place = (char *)address + offset;
    if (raw != NULL && writes)
        memcpy(place, raw, tried.length);
    else if (raw != NULL)
        memcpy(raw, place, tried.length);
    isti_arena_leave(slot);
    return raw != NULL ? IST_OK
                       : isti_fail_argument(tried.operation, "NULL where the value is wanted");
}

ist_status isti_scope_slow(void *address, size_t size, uintptr_t session, uint64_t expected,
                           size_t offset, size_t length, size_t alignment, int writes,
                           ist_hold *ret_hold)
{
    isti_attempt tried = { .segment = { address, size, session, expected },
                           .offset = offset,
                           .length = length,
                           .alignment = alignment,
                           .writes = writes,
                           .operation = writes ? "scope for writing" : "scope for reading" };
    uint64_t *slot;
    ist_status status = isti_attempt_enter(&tried, &slot);
    if (status != IST_OK)
        return status;
    isti_arena_leave(slot);
    return ist_arena_hold(ist_segment_arena(tried.segment), ret_hold);
}
