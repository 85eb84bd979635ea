/* SPDX-License-Identifier: MIT */
/*
 * Paths on segments: resolving, offsets, slices, and the accesses that the inlines of
 * <isthmus/path_access.h> leave over: dereferences, shared arenas that are busy, and whatever is
 * refused.
 *
 * An access checks the use, then adds up indexes and reads the pointers on the way, each an access
 * of its own to the segment in which it lies, and at last enters the segment of the leaf. Nothing
 * here looks at a layout: a path outlives what it was resolved from.
 */
#include "access/path.h"

#include <string.h>

#include "access/maker.h"
#include "base/size.h"
#include "base/text.h"
#include "layout/path.h"
#include "memory/arena.h"
#include "session/error.h"

#define PATH "path"

/* ---- Resolving ---- */

static ist_status refuse_null(void)
{
    return isti_fail_argument(PATH, "NULL where a layout, elements or the path are wanted");
}

ist_status ist_path_resolve(const ist_layout *root, const char *text, ist_path *ret_path)
{
    isti_problem problem = { .status = IST_OK };
    if (root == NULL || text == NULL || ret_path == NULL)
        return refuse_null();
    if (isti_path_from_text(root, text, ret_path, &problem) != IST_OK)
        return isti_problem_fail(&problem, PATH);
    return IST_OK;
}

ist_status ist_path_resolve_elements(const ist_layout *root, const ist_path_element *elements,
                                     size_t count, ist_path *ret_path)
{
    isti_problem problem = { .status = IST_OK };
    if (root == NULL || (elements == NULL && count != 0) || ret_path == NULL)
        return refuse_null();
    if (isti_path_from_elements(root, elements, count, ret_path, &problem) != IST_OK)
        return isti_problem_fail(&problem, PATH);
    return IST_OK;
}

const ist_layout *ist_path_layout(const ist_path *path)
{
    return path != NULL ? path->leaf : NULL;
}

/* ---- Checks ---- */

ist_status isti_path_require(const isti_path_use *use, const char *operation)
{
    if (use->path == NULL || !(use->path->access & ISTI_PATH_RESOLVED))
        return isti_fail_argument(operation, "NULL or {0} where a path is wanted");
    if (use->segment == NULL)
        return isti_fail_argument(operation, "NULL where a segment is wanted");
    if (use->index_count != use->path->open_count)
        return isti_fail_argument(operation,
                                  "the path has another number of open indexes than were given");
    if (use->indexes == NULL && use->index_count != 0)
        return isti_fail_argument(operation, "NULL where the indexes are wanted");
    return IST_OK;
}

static const char *sort_text(unsigned access)
{
    switch (access & 0xf00) {
    case ISTI_PATH_INTEGER:
        return "an integer";
    case ISTI_PATH_FLOAT:
        return "a floating-point number";
    case ISTI_PATH_ADDRESS:
        return "an address";
    case ISTI_PATH_BOOL:
        return "a _Bool";
    case ISTI_PATH_COMPLEX:
        return "a complex number";
    case ISTI_PATH_VECTOR:
        return "a vector";
    default:
        return "no value";
    }
}

ist_status isti_path_require_scalar(const ist_path *path, unsigned access, const char *operation)
{
    char reason[ISTI_REASON_SIZE];
    isti_text text = isti_text_in(reason, sizeof reason);
    if (!(path->access & ISTI_PATH_BITS) && ((path->access ^ access) & ISTI_PATH_SCALAR) == 0)
        return IST_OK;
    if (path->access & ISTI_PATH_BITS)
        isti_text_add(&text, "the path leads to a bit-field of %u bits", path->bits);
    else
        isti_text_add(&text, "the path leads to %s of %zu bytes", sort_text(path->access),
                      path->leaf_size);
    isti_text_add(&text, ", not to %s of %u bytes", sort_text(access), access & 0xff);
    return isti_fail_text(IST_E_LAYOUT, operation, reason);
}

/* Adds indexes first ... last - 1 to *offset. */
static ist_status add_indexes(const isti_path_use *use, size_t first, size_t last,
                              const char *operation, size_t *offset)
{
    for (size_t i = first; i < last; i++) {
        const ist_path_dimension *open = &use->path->open[i];
        if (use->indexes[i] >= open->count) {
            char reason[ISTI_REASON_SIZE];
            isti_text text = isti_text_in(reason, sizeof reason);
            isti_text_add(&text, "open index %zu is %zu, which is not below %zu", i,
                          use->indexes[i], open->count);
            return isti_fail_text(IST_E_BOUNDS, operation, reason);
        }
        *offset += use->indexes[i] * (size_t)open->stride;
    }
    return IST_OK;
}

/* ---- Where the leaf is ---- */

ist_status
isti_path_enter(const isti_path_place *place, size_t size, void **ret_bytes, uint64_t **ret_slot)
{
    const isti_attempt *root = &place->root;
    isti_attempt leaf = *root;
    size_t end;
    if (!isti_size_add(root->offset, place->offset, &leaf.offset) ||
        !isti_size_add(leaf.offset, size, &end))
        leaf.offset = SIZE_MAX;
    /* Inside the root there is nothing more to ask for; a part without an end goes beyond it. */
    bool is_beyond = leaf.offset > root->segment.size || size > root->segment.size - leaf.offset;
    leaf.length = size;
    leaf.alignment = 1;
    ist_status status = isti_attempt_enter(is_beyond ? &leaf : root, ret_slot);
    if (status == IST_OK)
        *ret_bytes = (char *)root->segment.address + leaf.offset;
    return status;
}

/* Reads the pointer that `place` leads to, and moves there. */
static ist_status
follow(const ist_path_dereference *pointer, const char *operation, isti_path_place *place)
{
    void *bytes, *address;
    uint64_t *slot;
    ist_status status = isti_path_enter(place, sizeof address, &bytes, &slot);
    if (status != IST_OK)
        return status;
    memcpy(&address, bytes, sizeof address);
    isti_arena_leave(slot);
    if (pointer->swapped)
        isti_swap(&address, sizeof address, sizeof address);
    bool is_endless = pointer->size == SIZE_MAX;
    size_t size = is_endless ? PTRDIFF_MAX : pointer->size;
    place->root = (isti_attempt){ .segment = ist_segment_of(address, address != NULL ? size : 0),
                                  .length = is_endless ? 0 : size,
                                  .alignment = pointer->alignment,
                                  .writes = 0,
                                  .operation = operation };
    return IST_OK;
}

ist_status isti_path_locate(const isti_path_use *use, int writes, const char *operation,
                            isti_path_place *ret_place)
{
    const ist_path *path = use->path;
    isti_path_place place = { .root = { .segment = *use->segment,
                                        .offset = use->base_offset,
                                        .length = path->size,
                                        .alignment = path->alignment,
                                        .operation = operation } };
    size_t used = 0;
    ist_status status = IST_OK;
    if (writes && path->dereference_count == 0 && ist_segment_is_read_only(*use->segment)) {
        place.root.writes = 1;
        uint64_t *slot;
        return isti_attempt_enter(&place.root, &slot); /* Refuses. */
    }
    for (size_t i = 0; i < path->dereference_count && status == IST_OK; i++) {
        const ist_path_dereference *pointer = &path->dereferences[i];
        place.offset = pointer->offset;
        status = add_indexes(use, used, pointer->open_count, operation, &place.offset);
        used = pointer->open_count;
        if (status == IST_OK)
            status = follow(pointer, operation, &place);
    }
    if (status != IST_OK)
        return status;
    place.offset = path->offset;
    place.root.writes = writes;
    status = add_indexes(use, used, path->open_count, operation, &place.offset);
    if (status == IST_OK)
        *ret_place = place;
    return status;
}

ist_status
ist_path_offset(const ist_path *path, const size_t *indexes, size_t index_count, size_t *ret_offset)
{
    ist_segment none = { 0 };
    isti_path_use use = { path, &none, 0, indexes, index_count };
    if (ret_offset == NULL)
        return isti_fail_argument("path offset", "NULL where the offset is wanted");
    ist_status status = isti_path_require(&use, "path offset");
    if (status != IST_OK)
        return status;
    if (path->dereference_count != 0)
        return isti_fail_text(IST_E_LAYOUT, "path offset", "the path has a dereference");
    size_t offset = path->offset;
    status = add_indexes(&use, 0, path->open_count, "path offset", &offset);
    if (status == IST_OK)
        *ret_offset = offset;
    return status;
}

/* ---- Scalars ---- */

void isti_swap(void *bytes, size_t size, size_t unit)
{
    unsigned char *at = bytes;
    for (size_t begin = 0; begin < size; begin += unit) {
        for (size_t i = 0; i < unit / 2; i++) {
            unsigned char kept = at[begin + i];
            at[begin + i] = at[begin + unit - 1 - i];
            at[begin + unit - 1 - i] = kept;
        }
    }
}

/* The bytes of the leaf, as they are in memory, into or from `raw`. */
static ist_status move_leaf(const isti_path_use *use, int writes, size_t size, void *raw)
{
    const char *operation = writes ? "path write" : "path read";
    isti_path_place place;
    void *bytes;
    uint64_t *slot;
    ist_status status = isti_path_locate(use, writes, operation, &place);
    if (status == IST_OK)
        status = isti_path_enter(&place, size, &bytes, &slot);
    if (status != IST_OK)
        return status;
    memcpy(writes ? bytes : raw, writes ? raw : bytes, size);
    isti_arena_leave(slot);
    return IST_OK;
}

ist_status isti_path_slow(const isti_path_use *use, unsigned access, void *raw)
{
    int writes = (access & ISTI_PATH_WRITES) != 0;
    const char *operation = writes ? "path write" : "path read";
    size_t size = access & 0xff;
    ist_status status = isti_path_require(use, operation);
    if (status == IST_OK && raw == NULL)
        status = isti_fail_argument(operation, "NULL where the value is wanted");
    if (status == IST_OK)
        status = isti_path_require_scalar(use->path, access, operation);
    if (status != IST_OK)
        return status;
    bool is_swapped = use->path->access & ISTI_PATH_SWAPPED;
    if (writes && is_swapped)
        isti_swap(raw, size, size); /* The caller's copy. */
    status = move_leaf(use, writes, size, raw);
    if (status == IST_OK && !writes && is_swapped)
        isti_swap(raw, size, size);
    return status;
}

ist_status ist_path_get_segment(const ist_path *path, const ist_segment *segment,
                                size_t base_offset, const size_t *indexes, size_t index_count,
                                ist_segment *ret_target)
{
    void *address;
    isti_path_use use = { path, segment, base_offset, indexes, index_count };
    ist_status status = isti_path_slow(&use, ISTI_PATH_ADDRESS | sizeof address,
                                       ret_target != NULL ? &address : NULL);
    if (status != IST_OK)
        return status;
    if (((uintptr_t)address & (path->target_alignment - 1)) != 0)
        return isti_fail(&(isti_failure){ .error = { .status = IST_E_ALIGNMENT,
                                                     .operation = "path target",
                                                     .alignment = path->target_alignment,
                                                     .address = (uintptr_t)address } });
    *ret_target = ist_segment_of(address, address != NULL ? path->target_size : 0);
    return IST_OK;
}

/* ---- Parts as they are ---- */

static ist_status refuse_bits(const char *operation)
{
    return isti_fail_text(IST_E_UNSUPPORTED, operation, "a bit-field has no bytes of its own");
}

/* The root, or the last target, lies where it is said to; whether it is alive is not asked. */
static ist_status require_root(const isti_attempt *root)
{
    ist_segment whole;
    return ist_segment_slice_aligned(root->segment, root->offset, root->length, root->alignment,
                                     &whole);
}

ist_status ist_path_slice(const ist_path *path, const ist_segment *segment, size_t base_offset,
                          const size_t *indexes, size_t index_count, ist_segment *ret_slice)
{
    isti_path_use use = { path, segment, base_offset, indexes, index_count };
    isti_path_place place;
    ist_status status = isti_path_require(&use, "path slice");
    if (status == IST_OK && ret_slice == NULL)
        status = isti_fail_argument("path slice", "NULL where the slice is wanted");
    if (status == IST_OK && (path->access & ISTI_PATH_BITS))
        status = refuse_bits("path slice");
    if (status == IST_OK)
        status = isti_path_locate(&use, 0, "path slice", &place);
    if (status == IST_OK)
        status = require_root(&place.root);
    if (status != IST_OK)
        return status;
    size_t begin = place.root.offset, size = path->leaf_size;
    if (!isti_size_add(begin, place.offset, &begin))
        begin = SIZE_MAX;
    if ((path->access & ISTI_PATH_OPEN_LEAF) && begin < place.root.segment.size &&
        path->target_size != 0) {
        size = place.root.segment.size - begin;
        size -= size % path->target_size;
    }
    return ist_segment_slice(place.root.segment, begin, size, ret_slice);
}

/* What get and set of whole values ask for; *ret_place is the leaf's, its root checked. */
static ist_status require_value(const isti_path_use *use, const void *value, size_t size,
                                int writes, isti_path_place *ret_place)
{
    const char *operation = writes ? "path write" : "path read";
    ist_status status = isti_path_require(use, operation);
    if (status != IST_OK)
        return status;
    if (value == NULL)
        return isti_fail_argument(operation, "NULL where the value is wanted");
    if (use->path->access & ISTI_PATH_BITS)
        return refuse_bits(operation);
    if (size != use->path->leaf_size)
        return isti_fail_text(IST_E_LAYOUT, operation, "the leaf has another size");
    status = isti_path_locate(use, writes, operation, ret_place);
    void *bytes;
    uint64_t *slot;
    if (status == IST_OK)
        status = isti_path_enter(ret_place, size, &bytes, &slot);
    if (status == IST_OK)
        isti_arena_leave(slot);
    return status;
}

/* The unit in which the bytes of a leaf are turned; its size: not at all. */
static size_t unit_of(const ist_path *path)
{
    size_t size = path->access & 0xff;
    return (path->access & 0xf00) == ISTI_PATH_COMPLEX ? size / 2 : size;
}

ist_status ist_path_get_value(const ist_path *path, const ist_segment *segment, size_t base_offset,
                              const size_t *indexes, size_t index_count, void *ret_value,
                              size_t size)
{
    isti_path_use use = { path, segment, base_offset, indexes, index_count };
    isti_path_place place;
    ist_status status = require_value(&use, ret_value, size, 0, &place);
    if (status != IST_OK)
        return status;
    ist_segment target = ist_segment_of(ret_value, size);
    status =
        ist_segment_copy(&place.root.segment, place.root.offset + place.offset, &target, 0, size);
    if (status == IST_OK && (path->access & ISTI_PATH_SWAPPED))
        isti_swap(ret_value, size, unit_of(path));
    return status;
}

ist_status ist_path_set_value(const ist_path *path, const ist_segment *segment, size_t base_offset,
                              const size_t *indexes, size_t index_count, const void *value,
                              size_t size)
{
    isti_path_use use = { path, segment, base_offset, indexes, index_count };
    isti_path_place place;
    unsigned char turned[64]; /* No vector is larger, nor is a scalar. */
    ist_status status = require_value(&use, value, size, 1, &place);
    if (status != IST_OK)
        return status;
    ist_segment source = ist_segment_of_const(value, size);
    if (path->access & ISTI_PATH_SWAPPED) {
        memcpy(turned, value, size);
        isti_swap(turned, size, unit_of(path));
        source = ist_segment_of(turned, size);
    }
    return ist_segment_copy(&source, 0, &place.root.segment, place.root.offset + place.offset,
                            size);
}
