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
 * Text: elements one behind the other; a name at the beginning stands without its point.
 *     element = "." name | "->" [ name ] | "[" "]" | "[" index "]" | "[" first ":" step "]"
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
#include <isthmus/layout.h>

IST_BEGIN_DECLS

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
 * ist_path.access: the size of a scalar leaf, or of a vector's elements, in bits 0-7 and what it is
 * in bits 8-11, both 0 for other leaves; and what sets the path apart, of which an inline copes
 * with the first three.
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
 * Asks for liveness and thread only where a pointer is read on the way; the slice lies in the
 * global arena then, and the pointers are trusted. FFM: sliceHandle. Returns: as above;
 * IST_E_UNSUPPORTED for a bit-field.
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

IST_END_DECLS
#endif
