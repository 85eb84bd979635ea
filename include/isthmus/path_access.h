/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_PATH_ACCESS_H
#define ISTHMUS_PATH_ACCESS_H
/*
 * Typed access through a path, inline.
 *
 *     const ist_path y = *resolved;
 *     for (size_t i = 0; i < count; i++) {
 *         double value;
 *         if (ist_path_get_f64(&y, polygon, 0, &i, 1, &value) != IST_OK)
 *             return gone();
 *         sum += value;
 *     }
 *
 * For each T of i8 u8 i16 u16 i32 u32 i64 u64 f32 f64, address (void *) and bool (int) there are
 *
 *     ist_status ist_path_get_T(const ist_path *path, ist_segment segment, size_t base_offset,
 *                               const size_t *indexes, size_t index_count, T *ret_value);
 *     ist_status ist_path_set_T(const ist_path *path, ist_segment segment, size_t base_offset,
 *                               const size_t *indexes, size_t index_count, T value);
 *
 * The leaf is of T's size and sort: i8 ... u64 take any integer of the size, signed or not, but
 * _Bool, and enumerations. bool: any byte but 0 reads 1, and 0 or 1 is written. The leaf's byte
 * order is applied, at any alignment.
 *
 * In a loop keep the path in a variable of its own, whose address goes nowhere else, as above: what
 * does not change is then computed before the loop.
 *
 * Returns: as <isthmus/path.h> says. On failure neither the segment nor *ret_value changes.
 * Threads: as for the segment. Not atomic.
 * FFM: VarHandle.get and set.
 */
#include <isthmus/access.h>
#include <isthmus/path.h>

IST_BEGIN_DECLS
ISTI_BEGIN_INLINES

/* A use of a path, for what is not inline. */
typedef struct isti_path_use {
    const ist_path *path;
    const ist_segment *segment;
    size_t base_offset;
    const size_t *indexes;
    size_t index_count;
} isti_path_use;

#define ISTI_PATH_WRITES (1u << 31) /* Beside the ISTI_PATH_SCALAR of the type. */

/* An access that could not begin at once; `raw` is the value in the machine's order, or NULL. */
IST_API ISTI_COLD ist_status isti_path_slow(const isti_path_use *use, unsigned access, void *raw);

/* A leaf that an access may go to as far as path, bounds and alignment go. */
typedef struct isti_path_found {
    const isti_session *session;
    size_t offset;    /* In the segment. */
    uint64_t unusual; /* 0: in a confined arena, inside the root, in the machine's order. */
} isti_path_found;

/* Adds an open index to the offset, or returns 0; also unless `inside` is 1. */
IST_INLINE int
isti_path_step(const ist_path *path, const size_t *indexes, size_t i, size_t inside, size_t *offset)
{
    if (ISTI_UNLIKELY(indexes[i] >= (path->open[i].count & (0 - inside))))
        return 0;
    *offset += indexes[i] * (size_t)path->open[i].stride;
    return 1;
}

/*
 * Finds the leaf, or returns 0. As in isti_access_begin() what a loop does not change is
 * arithmetic. With open indexes all of it is, as a rule, and is folded into the bound of the index;
 * without any it is the base offset that changes.
 */
IST_INLINE int isti_path_find(const ist_path *path, ist_segment segment, size_t base_offset,
                              const size_t *indexes, size_t index_count, unsigned access,
                              isti_path_found *ret_found)
{
    if (ISTI_UNLIKELY(path == NULL || (indexes == NULL && index_count != 0)))
        return 0;
    unsigned kind = ISTI_PATH_RESOLVED | (access & ISTI_PATH_SCALAR) |
                    ISTI_PATH_OPEN(index_count < IST_PATH_INDEXES_MAX ? (unsigned)index_count
                                                                      : IST_PATH_INDEXES_MAX);
    size_t suits = (size_t)((path->access & ~ISTI_PATH_QUICK) == kind) &
                   (size_t)(index_count <= IST_PATH_INDEXES_MAX);
    size_t bound = isti_range_bound(segment, path->size, (access & ISTI_PATH_WRITES) != 0, suits);
    uintptr_t low = ((uintptr_t)segment.address + base_offset) & (path->alignment - 1);
    size_t inside = (size_t)(base_offset < bound) & (size_t)(low == 0);
    size_t offset = path->offset;
    ret_found->session = isti_range_session(segment);
    ret_found->unusual = (~segment.expected & ISTI_CONFINED) |
                         (path->access & (ISTI_PATH_SWAPPED | ISTI_PATH_ENDLESS));
    if (index_count > 0 && !isti_path_step(path, indexes, 0, inside, &offset))
        return 0;
    if (index_count > 1 && !isti_path_step(path, indexes, 1, inside, &offset))
        return 0;
    for (size_t i = 2; i < index_count && i < IST_PATH_INDEXES_MAX; i++) {
        if (!isti_path_step(path, indexes, i, inside, &offset))
            return 0;
    }
    if (index_count == 0 && ISTI_UNLIKELY(base_offset >= bound))
        return 0;
    if (index_count == 0 && ISTI_UNLIKELY(low != 0))
        return 0;
    ret_found->offset = base_offset + offset;
    return 1;
}

/* Begins an access to an unusual leaf; *ret_slot as in isti_shared_begin(). */
IST_INLINE int isti_path_begin(const ist_path *path, ist_segment segment, isti_path_found found,
                               uint64_t **ret_slot)
{
    if ((found.unusual & ISTI_PATH_ENDLESS) != 0 &&
        (path->leaf_size > segment.size || found.offset > segment.size - path->leaf_size))
        return 0;
    return isti_range_begin(segment, found.session, 0, ret_slot);
}

/*
 * Copies for the slow half: a path, a segment or an index whose own address went there would live
 * in memory in the loop around the access.
 */
typedef struct isti_path_copy {
    ist_path path;
    ist_segment segment;
    size_t indexes[IST_PATH_INDEXES_MAX];
} isti_path_copy;

IST_INLINE isti_path_use isti_path_use_of(isti_path_copy *copy, const ist_path *path,
                                          ist_segment segment, size_t base_offset,
                                          const size_t *indexes, size_t index_count)
{
    if (path != NULL)
        copy->path = *path;
    if (indexes != NULL && index_count <= IST_PATH_INDEXES_MAX)
        __builtin_memcpy(copy->indexes, indexes, index_count * sizeof *indexes);
    copy->segment = segment;
    isti_path_use use = { path != NULL ? &copy->path : NULL, &copy->segment, base_offset,
                          indexes != NULL ? copy->indexes : NULL, index_count };
    return use;
}

#define ISTI_DEFINE_PATH_BITS(bits)                                                              \
    IST_INLINE ist_status isti_path_get_##bits(                                                  \
        const ist_path *path, ist_segment segment, size_t base_offset, const size_t *indexes,    \
        size_t index_count, unsigned access, uint##bits##_t *ret_raw)                            \
    {                                                                                            \
        isti_path_found found;                                                                   \
        if (ISTI_LIKELY(ret_raw != NULL && isti_path_find(path, segment, base_offset, indexes,   \
                                                          index_count, access, &found))) {       \
            const char *place = (const char *)segment.address + found.offset;                    \
            uint64_t *slot;                                                                      \
            if (ISTI_LIKELY(found.unusual == 0)) {                                               \
                if (ISTI_LIKELY(isti_confined_admits(found.session, segment.expected))) {        \
                    __builtin_memcpy(ret_raw, place, sizeof *ret_raw);                           \
                    return IST_OK;                                                               \
                }                                                                                \
            } else if (isti_path_begin(path, segment, found, &slot)) {                           \
                uint##bits##_t raw;                                                              \
                __builtin_memcpy(&raw, place, sizeof raw);                                       \
                isti_shared_end(slot);                                                           \
                *ret_raw = isti_order_##bits(raw, (found.unusual & ISTI_PATH_SWAPPED) != 0);     \
                return IST_OK;                                                                   \
            }                                                                                    \
        }                                                                                        \
        isti_path_copy copy;                                                                     \
        isti_path_use use =                                                                      \
            isti_path_use_of(&copy, path, segment, base_offset, indexes, index_count);           \
        uint##bits##_t read;                                                                     \
        ist_status status = isti_path_slow(&use, access, ret_raw != NULL ? &read : NULL);        \
        if (status == IST_OK)                                                                    \
            *ret_raw = read;                                                                     \
        return status;                                                                           \
    }                                                                                            \
    IST_INLINE ist_status isti_path_set_##bits(                                                  \
        const ist_path *path, ist_segment segment, size_t base_offset, const size_t *indexes,    \
        size_t index_count, unsigned access, uint##bits##_t value)                               \
    {                                                                                            \
        isti_path_found found;                                                                   \
        access |= ISTI_PATH_WRITES;                                                              \
        if (ISTI_LIKELY(isti_path_find(path, segment, base_offset, indexes, index_count, access, \
                                       &found))) {                                               \
            char *place = (char *)segment.address + found.offset;                                \
            uint64_t *slot;                                                                      \
            if (ISTI_LIKELY(found.unusual == 0)) {                                               \
                if (ISTI_LIKELY(isti_confined_admits(found.session, segment.expected))) {        \
                    __builtin_memcpy(place, &value, sizeof value);                               \
                    return IST_OK;                                                               \
                }                                                                                \
            } else if (isti_path_begin(path, segment, found, &slot)) {                           \
                uint##bits##_t raw =                                                             \
                    isti_order_##bits(value, (found.unusual & ISTI_PATH_SWAPPED) != 0);          \
                __builtin_memcpy(place, &raw, sizeof raw);                                       \
                isti_shared_end(slot);                                                           \
                return IST_OK;                                                                   \
            }                                                                                    \
        }                                                                                        \
        isti_path_copy copy;                                                                     \
        isti_path_use use =                                                                      \
            isti_path_use_of(&copy, path, segment, base_offset, indexes, index_count);           \
        uint##bits##_t written = value;                                                          \
        return isti_path_slow(&use, access, &written);                                           \
    }
ISTI_DEFINE_PATH_BITS(8)
ISTI_DEFINE_PATH_BITS(16)
ISTI_DEFINE_PATH_BITS(32)
ISTI_DEFINE_PATH_BITS(64)

/* X(suffix, type, bits, sort): the typed accessors but bool. */
#define ISTI_PATH_LIST(X)         \
    X(i8, int8_t, 8, INTEGER)     \
    X(u8, uint8_t, 8, INTEGER)    \
    X(i16, int16_t, 16, INTEGER)  \
    X(u16, uint16_t, 16, INTEGER) \
    X(i32, int32_t, 32, INTEGER)  \
    X(u32, uint32_t, 32, INTEGER) \
    X(i64, int64_t, 64, INTEGER)  \
    X(u64, uint64_t, 64, INTEGER) \
    X(f32, float, 32, FLOAT)      \
    X(f64, double, 64, FLOAT)     \
    X(address, void *, 64, ADDRESS)

#define ISTI_DEFINE_PATH_ACCESSORS(name, type, bits, sort)                                         \
    IST_NODISCARD IST_INLINE ist_status ist_path_get_##name(                                       \
        const ist_path *path, ist_segment segment, size_t base_offset, const size_t *indexes,      \
        size_t index_count, type *ret_value)                                                       \
    {                                                                                              \
        uint##bits##_t raw;                                                                        \
        ist_status status = isti_path_get_##bits(path, segment, base_offset, indexes, index_count, \
                                                 sizeof(type) | ISTI_PATH_##sort,                  \
                                                 ret_value != NULL ? &raw : NULL);                 \
        if (ISTI_LIKELY(status == IST_OK))                                                         \
            __builtin_memcpy(ret_value, &raw, sizeof raw);                                         \
        return status;                                                                             \
    }                                                                                              \
    IST_NODISCARD IST_INLINE ist_status ist_path_set_##name(                                       \
        const ist_path *path, ist_segment segment, size_t base_offset, const size_t *indexes,      \
        size_t index_count, type value)                                                            \
    {                                                                                              \
        uint##bits##_t raw;                                                                        \
        __builtin_memcpy(&raw, &value, sizeof raw);                                                \
        return isti_path_set_##bits(path, segment, base_offset, indexes, index_count,              \
                                    sizeof(type) | ISTI_PATH_##sort, raw);                         \
    }
ISTI_PATH_LIST(ISTI_DEFINE_PATH_ACCESSORS)

IST_NODISCARD IST_INLINE ist_status ist_path_get_bool(const ist_path *path, ist_segment segment,
                                                      size_t base_offset, const size_t *indexes,
                                                      size_t index_count, int *ret_value)
{
    uint8_t raw;
    ist_status status = isti_path_get_8(path, segment, base_offset, indexes, index_count,
                                        1 | ISTI_PATH_BOOL, ret_value != NULL ? &raw : NULL);
    if (ISTI_LIKELY(status == IST_OK))
        *ret_value = raw != 0;
    return status;
}

IST_NODISCARD IST_INLINE ist_status ist_path_set_bool(const ist_path *path, ist_segment segment,
                                                      size_t base_offset, const size_t *indexes,
                                                      size_t index_count, int value)
{
    return isti_path_set_8(path, segment, base_offset, indexes, index_count, 1 | ISTI_PATH_BOOL,
                           value != 0);
}

ISTI_END_INLINES
IST_END_DECLS
#endif
