/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_PATH_H
#define ISTHMUS_PATH_H
/*
 * Paths: the way from a layout to a part of it, resolved once into offsets, then only added up.
 *
 *     ist_path y;
 *     IST_CHECK(ist_path_resolve(polygon, "points[].y", &y));         // one open index
 *     for (size_t i = 0; i < 3; i++)
 *         IST_CHECK(ist_path_set_f64(&y, shapes, 0, &i, 1, 2.5));
 *
 *     ist_path_element same[] = { IST_PATH_MEMBER("points"), IST_PATH_OPEN, IST_PATH_MEMBER("y") };
 *     IST_CHECK(ist_path_resolve_elements(polygon, same, 3, &y));
 *
 * A path is a value. It has up to 8 open indexes, which every use gives, and up to 4 dereferences.
 * Using it needs the layouts no more; only `leaf` and ist_path_layout() end with them.
 *
 * Every use takes a segment, the offset of the root layout in it, and the open indexes, outermost
 * first; NULL and 0 where the path has none. An array of roots is walked by the offset. Checked are
 * the bounds and alignment of the whole root, each open index, and for a part without an end of its
 * own (a flexible array member) that the leaf lies inside the segment.
 *
 * Text: [ "->" ] name { "." name | "->" name | "->" | "[" "]" | "[" index "]" | "[" first ":" step "]" }
 *     a.b        member b of member a; members of an unnamed struct or union count as its own
 *     a[3]       element 3 of a sequence or vector; below its count, or IST_E_LAYOUT
 *     a[]        an open index
 *     a[4:-2]    an open index for the elements 4, 2, 0
 *     a->b a->   what a pointer with a target points to, or a member of it
 * The empty text leads to the layout itself.
 *
 * Returns: IST_OK; IST_E_ARGUMENT (a NULL, a path that was not resolved, another number of indexes
 *          than the path has open); IST_E_LAYOUT (the leaf is of another type); IST_E_READ_ONLY;
 *          IST_E_BOUNDS; IST_E_ALIGNMENT (also: a pointer that is not aligned for its target);
 *          IST_E_CLOSED; IST_E_WRONG_THREAD, looked for in this order.
 * Threads: as for the segment; of paths any, they are values.
 * FFM: MemoryLayout.PathElement, byteOffsetHandle, varHandle, sliceHandle.
 */
#include <isthmus/access.h>
#include <isthmus/layout.h>

IST_BEGIN_DECLS
ISTI_BEGIN_INLINES

#define IST_PATH_INDEXES_MAX 8
#define IST_PATH_DEREFERENCES_MAX 4

/* An open index i < count: adds i x stride to the offset. */
typedef struct ist_path_dimension {
    ptrdiff_t stride; /* Bytes. */
    size_t count;     /* Of a part without an end: as many as can be addressed. */
} ist_path_dimension;

/* A pointer on the way: it is read, and what follows lies where it points. */
typedef struct ist_path_dereference {
    size_t offset; /* Of the pointer, as ist_path.offset is of the leaf. */
    size_t size;   /* Of its target; SIZE_MAX: without an end. */
    size_t alignment;
    uint32_t open_count; /* Of the open indexes so many are used up to here. */
    uint32_t swapped;    /* The pointer is in the other byte order. */
} ist_path_dereference;

/* A path. The fields are read-only to callers. `{0}` leads nowhere: IST_E_ARGUMENT. */
typedef struct ist_path {
    const ist_layout *leaf;
    size_t size, alignment; /* Of the root. */
    size_t offset;          /* Of the leaf, all open indexes 0, in the root or the last target. */
    size_t leaf_size;       /* Bytes; of a bit-field: of the bytes that its bits lie in. */
    uint32_t access;        /* What an access compares: ISTI_PATH_... below. */
    ist_type type;          /* Of the leaf; of a bit-field as declared. IST_TYPE_NONE: no value. */
    uint8_t
        bit_offset; /* Of a bit-field: its first bit in its first byte, and its width; else 0. */
    uint8_t bits;
    uint8_t open_count, dereference_count;
    uint32_t reserved;
    /* Of a pointer as leaf: of what it points to, or 0 and 1. Of an open sequence: its element's. */
    size_t target_size, target_alignment;
    ist_path_dimension open[IST_PATH_INDEXES_MAX];
    ist_path_dereference dereferences[IST_PATH_DEREFERENCES_MAX];
} ist_path;

ISTI_STATIC_ASSERT(sizeof(ist_path) == 328);
ISTI_STATIC_ASSERT(offsetof(ist_path, access) == 40);
ISTI_STATIC_ASSERT(offsetof(ist_path, open_count) == 50);
ISTI_STATIC_ASSERT(offsetof(ist_path, open) == 72);
ISTI_STATIC_ASSERT(offsetof(ist_path, dereferences) == 200);

/*
 * ist_path.access: the size of a scalar leaf, or of a vector's elements, in bits 0-7 and what it is in
 * bits 8-11, both 0 for other leaves; and what sets the path apart, of which an inline copes with the first three.
 */
#define ISTI_PATH_INTEGER 0x100u
#define ISTI_PATH_FLOAT 0x200u
#define ISTI_PATH_ADDRESS 0x300u
#define ISTI_PATH_BOOL 0x400u
#define ISTI_PATH_COMPLEX 0x500u
#define ISTI_PATH_VECTOR 0x600u
#define ISTI_PATH_SCALAR 0xfffu
#define ISTI_PATH_SWAPPED (1u << 16)   /* The other byte order. */
#define ISTI_PATH_ENDLESS (1u << 17)   /* The leaf may lie beyond the root. */
#define ISTI_PATH_UNALIGNED (1u << 18) /* Not always at a multiple of its size. */
#define ISTI_PATH_BITS (1u << 19)      /* A bit-field. */
#define ISTI_PATH_POINTERS (1u << 20)  /* There are dereferences. */
#define ISTI_PATH_OPEN_LEAF (1u << 21) /* A sequence without an end. */
#define ISTI_PATH_RESOLVED (1u << 22)
#define ISTI_PATH_OPEN(count) ((unsigned)(count) << 24) /* So many open indexes. */
#define ISTI_PATH_QUICK (ISTI_PATH_SWAPPED | ISTI_PATH_ENDLESS | ISTI_PATH_UNALIGNED)

/* ---- Resolving ---- */

typedef enum ist_path_kind {
    IST_PATH_KIND_MEMBER = 1,
    IST_PATH_KIND_MEMBER_AT,
    IST_PATH_KIND_INDEX,
    IST_PATH_KIND_OPEN,
    IST_PATH_KIND_RANGE,
    IST_PATH_KIND_DEREFERENCE
} ist_path_kind;

/* One step of a path; made by the macros below, which stand in a list of initialisers. */
typedef struct ist_path_element {
    ist_path_kind kind;
    const char *name; /* Of a member. */
    size_t index;     /* Of a member, of an element; of a range: its first. */
    ptrdiff_t step;   /* Of a range. */
} ist_path_element;

/* clang-format off */
#define IST_PATH_MEMBER(name) { IST_PATH_KIND_MEMBER, name, 0, 0 }
/* Counts unnamed members too. */
#define IST_PATH_MEMBER_AT(index) { IST_PATH_KIND_MEMBER_AT, NULL, index, 0 }
#define IST_PATH_INDEX(index) { IST_PATH_KIND_INDEX, NULL, index, 0 }
#define IST_PATH_OPEN { IST_PATH_KIND_OPEN, NULL, 0, 0 }
#define IST_PATH_RANGE(first, step) { IST_PATH_KIND_RANGE, NULL, first, step }
#define IST_PATH_DEREFERENCE { IST_PATH_KIND_DEREFERENCE, NULL, 0, 0 }
/* clang-format on */

/*
 * Resolves a text, or a list of elements, from `root` on.
 * Returns: IST_OK; IST_E_ARGUMENT (a NULL, an unknown kind); IST_E_LAYOUT: the sentence says which
 *          element does not fit and what there is; IST_E_UNSUPPORTED: more open indexes or
 *          dereferences than a path has, a bit-field in the other byte order.
 */
IST_NODISCARD IST_API ist_status ist_path_resolve(const ist_layout *root, const char *text,
                                                  ist_path *ret_path);
IST_NODISCARD IST_API ist_status ist_path_resolve_elements(const ist_layout *root,
                                                           const ist_path_element *elements,
                                                           size_t count, ist_path *ret_path);

/* The layout that a path leads to; of a bit-field its type. NULL: leads nowhere. FFM: select. */
IST_API const ist_layout *ist_path_layout(const ist_path *path);

/*
 * Where the leaf lies with these indexes, from the beginning of the root; of a bit-field the byte
 * that has its first bit. FFM: byteOffset.
 * Returns: IST_OK; IST_E_ARGUMENT; IST_E_LAYOUT: there is a dereference; IST_E_BOUNDS: an index.
 */
IST_NODISCARD IST_API ist_status ist_path_offset(const ist_path *path, const size_t *indexes,
                                                 size_t index_count, size_t *ret_offset);

/* ---- Parts as they are ---- */

/*
 * The leaf as a segment; of a part without an end all whole elements up to the end of the segment.
 * Asks for liveness and thread only where a pointer is read on the way; the slice lies in the global
 * arena then, and the pointers are trusted. FFM: sliceHandle.
 * Returns: as above; IST_E_UNSUPPORTED for a bit-field.
 */
IST_NODISCARD IST_API ist_status ist_path_slice(const ist_path *path, const ist_segment *segment,
                                                size_t base_offset, const size_t *indexes,
                                                size_t index_count, ist_segment *ret_slice);

/*
 * Copies a leaf of any type but a bit-field, `size` bytes as C holds them: what has a byte order of
 * its own comes and goes in the machine's.
 * Returns: as above; IST_E_LAYOUT if the leaf has another size; IST_E_UNSUPPORTED for a bit-field.
 */
IST_NODISCARD IST_API ist_status ist_path_get_value(const ist_path *path,
                                                    const ist_segment *segment, size_t base_offset,
                                                    const size_t *indexes, size_t index_count,
                                                    void *ret_value, size_t size);
IST_NODISCARD IST_API ist_status ist_path_set_value(const ist_path *path,
                                                    const ist_segment *segment, size_t base_offset,
                                                    const size_t *indexes, size_t index_count,
                                                    const void *value, size_t size);

/*
 * Any integer whatever its size: bit-fields, enumerations, _Bool, __int128.
 * Returns: as above; IST_E_OVERFLOW if it does not fit into where it goes.
 */
IST_NODISCARD IST_API ist_status ist_path_get_integer(const ist_path *path,
                                                      const ist_segment *segment,
                                                      size_t base_offset, const size_t *indexes,
                                                      size_t index_count, int64_t *ret_value);
IST_NODISCARD IST_API ist_status ist_path_set_integer(const ist_path *path,
                                                      const ist_segment *segment,
                                                      size_t base_offset, const size_t *indexes,
                                                      size_t index_count, int64_t value);
IST_NODISCARD IST_API ist_status ist_path_get_unsigned(const ist_path *path,
                                                       const ist_segment *segment,
                                                       size_t base_offset, const size_t *indexes,
                                                       size_t index_count, uint64_t *ret_value);
IST_NODISCARD IST_API ist_status ist_path_set_unsigned(const ist_path *path,
                                                       const ist_segment *segment,
                                                       size_t base_offset, const size_t *indexes,
                                                       size_t index_count, uint64_t value);

/*
 * What a pointer points to, as a segment of its target's size (0: it has none) in the global arena;
 * a null pointer gives the NULL segment. The pointer is trusted. FFM: get with ADDRESS.
 * Returns: as above; IST_E_ALIGNMENT also if it is not aligned for its target.
 */
IST_NODISCARD IST_API ist_status ist_path_get_segment(const ist_path *path,
                                                      const ist_segment *segment,
                                                      size_t base_offset, const size_t *indexes,
                                                      size_t index_count, ist_segment *ret_target);

/* ---- Inline: ist_path_get_T and ist_path_set_T ----
 *
 *     ist_status ist_path_get_T(const ist_path *path, ist_segment segment, size_t base_offset,
 *                               const size_t *indexes, size_t index_count, T *ret_value);
 *     ist_status ist_path_set_T(const ist_path *path, ist_segment segment, size_t base_offset,
 *                               const size_t *indexes, size_t index_count, T value);
 *
 * The leaf is of T's size and sort: i8 ... u64 take any integer of the size, signed or not, but
 * _Bool, and enumerations; f32, f64; address (void *). bool (int): any byte but 0 reads 1, and 0 or
 * 1 is written. The leaf's byte order is applied, at any alignment.
 *
 * In a loop over one path keep it in a variable of its own, whose address goes nowhere else:
 * `const ist_path y = *resolved;`. What does not change is then computed before the loop.
 */

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
 * Finds the leaf, or returns 0. As in isti_access_begin() what a loop does not change is arithmetic.
 * With open indexes all of it is, as a rule, and is folded into the bound of the index; without any
 * it is the base offset that changes.
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
 * Copies for the slow half: a path, a segment or an index whose own address went there would live in
 * memory in the loop around the access.
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
