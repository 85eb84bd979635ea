/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_LAYOUT_H
#define ISTHMUS_LAYOUT_H
/*
 * Layouts: what data in memory looks like, with every type of C on this platform.
 *
 *     const ist_layout *point, *list;
 *     ist_member xy[] = { { "x", ist_layout_of(IST_TYPE_DOUBLE) },
 *                         { "y", ist_layout_of(IST_TYPE_DOUBLE) } };
 *     IST_CHECK(ist_layout_struct(arena, "point", xy, 2, &point));
 *
 *     ist_member members[] = { { "count", ist_layout_of(IST_TYPE_INT) },
 *                              { "kind", ist_layout_of(IST_TYPE_UINT), .bits = 3 },
 *                              { "points", point } };
 *     IST_CHECK(ist_layout_struct_c(arena, "list", members, 3, NULL, &list));
 *     ist_layout_size(list);                          // 24, as the C compiler has it
 *
 * A layout is immutable and belongs to an arena: it ends with it, and may be read by any thread until
 * then, also if the arena is confined. What a layout is built from may belong to another arena: it is
 * copied unless that is the same arena or never ends. Layouts of types (ist_layout_of()) never end.
 * Sizes, offsets and alignments are bytes; an alignment is a power of two.
 *
 * Two ways to build a struct: ist_layout_struct() takes every member at the next byte and refuses what
 * would be misaligned there, as FFM does, so that padding is explicit; ist_layout_struct_c() leaves the
 * gaps that the C compilers of the platform leave (psABI x86-64 3.1.2; GCC's rules for packed and
 * aligned), and takes bit-fields.
 *
 * Members of a group have different names, also across unnamed groups inside. Types may be nested 200 deep;
 * a pointer to a struct or union with a tag does not count.
 *
 * Returns: unless a function says otherwise IST_OK; IST_E_ARGUMENT (a NULL, an alignment that is no
 *          power of two); IST_E_LAYOUT (the sentence names the member and says why); IST_E_OVERFLOW
 *          (a size of more than PTRDIFF_MAX; of a group: an eighth of that); IST_E_CLOSED, IST_E_WRONG_THREAD, IST_E_NO_MEMORY of
 *          the arena.
 * Follows java.lang.foreign.MemoryLayout.
 */
#include <isthmus/segment.h>

IST_BEGIN_DECLS

typedef struct ist_layout ist_layout;
typedef struct ist_function ist_function;

typedef enum ist_layout_kind {
    IST_LAYOUT_VALUE = 1, /* A scalar; ist_layout_type() says which. */
    IST_LAYOUT_VECTOR,    /* `count` values of one type, as a processor's register holds them. */
    IST_LAYOUT_STRUCT,
    IST_LAYOUT_UNION,
    IST_LAYOUT_SEQUENCE, /* An array: `count` elements. */
    IST_LAYOUT_PADDING,  /* Bytes without a meaning. */
    IST_LAYOUT_FUNCTION, /* What a pointer to a function points to; has no size. */
    IST_LAYOUT_VOID      /* What a `void *` points to; has no size. */
} ist_layout_kind;

/* X(name, value, size, text): the scalars of C. Values are part of the ABI and never change. */
#define IST_TYPE_LIST(X)                                   \
    X(BOOL, 1, 1, "_Bool")                                 \
    X(CHAR, 2, 1, "char")                                  \
    X(SCHAR, 3, 1, "signed char")                          \
    X(UCHAR, 4, 1, "unsigned char")                        \
    X(SHORT, 5, 2, "short")                                \
    X(USHORT, 6, 2, "unsigned short")                      \
    X(INT, 7, 4, "int")                                    \
    X(UINT, 8, 4, "unsigned int")                          \
    X(LONG, 9, 8, "long")                                  \
    X(ULONG, 10, 8, "unsigned long")                       \
    X(LLONG, 11, 8, "long long")                           \
    X(ULLONG, 12, 8, "unsigned long long")                 \
    X(INT128, 13, 16, "__int128")                          \
    X(UINT128, 14, 16, "unsigned __int128")                \
    X(FLOAT16, 15, 2, "_Float16")                          \
    X(BFLOAT16, 16, 2, "__bf16")                           \
    X(FLOAT, 17, 4, "float")                               \
    X(DOUBLE, 18, 8, "double")                             \
    X(LONG_DOUBLE, 19, 16, "long double")                  \
    X(FLOAT128, 20, 16, "_Float128")                       \
    X(COMPLEX_FLOAT, 21, 8, "float _Complex")              \
    X(COMPLEX_DOUBLE, 22, 16, "double _Complex")           \
    X(COMPLEX_LONG_DOUBLE, 23, 32, "long double _Complex") \
    X(COMPLEX_FLOAT128, 24, 32, "_Float128 _Complex")      \
    X(ADDRESS, 25, 8, "void *")

typedef enum ist_type {
    IST_TYPE_NONE = 0,
#define ISTI_TYPE_ENUM(name, value, size, text) IST_TYPE_##name = value,
    IST_TYPE_LIST(ISTI_TYPE_ENUM)
#undef ISTI_TYPE_ENUM
        IST_TYPE_I8 = IST_TYPE_SCHAR,
    IST_TYPE_U8 = IST_TYPE_UCHAR,
    IST_TYPE_I16 = IST_TYPE_SHORT,
    IST_TYPE_U16 = IST_TYPE_USHORT,
    IST_TYPE_I32 = IST_TYPE_INT,
    IST_TYPE_U32 = IST_TYPE_UINT,
    IST_TYPE_I64 = IST_TYPE_LONG,
    IST_TYPE_U64 = IST_TYPE_ULONG
} ist_type;

typedef enum ist_order {
    IST_ORDER_LITTLE = 1,
    IST_ORDER_BIG = 2,
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    IST_ORDER_NATIVE = IST_ORDER_BIG
#else
    IST_ORDER_NATIVE = IST_ORDER_LITTLE
#endif
} ist_order;

/* The count of a sequence that has no end: a flexible array member. */
#define IST_COUNT_OPEN SIZE_MAX

/* For ist_member.bits: an unnamed bit-field of width 0, which ends a storage unit. */
#define IST_BITS_BREAK (-1)

/*
 * A member to build a struct or union from. What is left out is 0. The name is copied; NULL: unnamed,
 * and the members of an unnamed struct or union count as members of the one around it (C11 6.7.2.1).
 */
typedef struct ist_member {
    const char *name;
    const ist_layout *layout;
    int bits;         /* Of a bit-field: its width; 0: no bit-field. */
    int packed;       /* The attribute of the member: its own alignment is 1, or one bit. */
    size_t alignment; /* The attribute of the member: at least so much; 0: none. */
} ist_member;

/* Attributes of a struct or union as a whole; 0: none. */
typedef struct ist_group_attributes {
    int packed;          /* Every member is. */
    size_t alignment;    /* At least so much. */
    size_t pack_maximum; /* `#pragma pack(n)`: no member is aligned to more. */
} ist_group_attributes;

/* A member as it came to lie. `size` is the caller's sizeof on the way in, what is valid on the way out. */
typedef struct ist_member_info {
    size_t size;
    const char *name;         /* NULL: unnamed. Ends with the layout. */
    const ist_layout *layout; /* Of a bit-field: its declared type. */
    size_t offset;            /* Bytes; of a bit-field: of the byte that has its first bit. */
    size_t bit_offset;        /* Bits from the beginning; 8 x offset if no bit-field. */
    unsigned bits;            /* Width; 0: no bit-field. */
} ist_member_info;

typedef struct ist_enumerator {
    const char *name;
    int64_t value; /* Of an unsigned type: its bits. */
} ist_enumerator;

/* ---- Making ---- */

/* The layout of a scalar in its natural size, alignment and the machine's order; NULL for other values. */
IST_API const ist_layout *ist_layout_of(ist_type type);

/* A pointer to `target`, whose size is that of the segments read through it. FFM: withTargetLayout. */
IST_NODISCARD IST_API ist_status ist_layout_address_to(ist_arena arena, const ist_layout *target,
                                                       const ist_layout **ret_layout);

/* A vector of 8, 16, 32 or 64 bytes of integers, float or double, aligned to its size. */
IST_NODISCARD IST_API ist_status ist_layout_vector(ist_arena arena, const ist_layout *element,
                                                   size_t count, const ist_layout **ret_layout);

/* An enumeration: a value of the integer layout `type` with names for some. FFM: has none. */
IST_NODISCARD IST_API ist_status ist_layout_enum(ist_arena arena, const char *tag,
                                                 const ist_layout *type,
                                                 const ist_enumerator *enumerators, size_t count,
                                                 const ist_layout **ret_layout);

/* `size` bytes without meaning, alignment 1; size 0 is IST_E_LAYOUT. FFM: paddingLayout. */
IST_NODISCARD IST_API ist_status ist_layout_padding(ist_arena arena, size_t size,
                                                    const ist_layout **ret_layout);

/*
 * An array. IST_COUNT_OPEN: without end, for the last member of a struct; its size is 0. The element's
 * size must be a multiple of its alignment. FFM: sequenceLayout.
 */
IST_NODISCARD IST_API ist_status ist_layout_sequence(ist_arena arena, size_t count,
                                                     const ist_layout *element,
                                                     const ist_layout **ret_layout);

/*
 * A struct of members that lie one behind the other, and a union of members that all begin at 0, with
 * neither gaps nor padding at the end added; both without bit-fields and attributes of members. `tag`
 * may be NULL. No members: legal, size 0. FFM: structLayout, unionLayout.
 */
IST_NODISCARD IST_API ist_status ist_layout_struct(ist_arena arena, const char *tag,
                                                   const ist_member *members, size_t count,
                                                   const ist_layout **ret_layout);
IST_NODISCARD IST_API ist_status ist_layout_union(ist_arena arena, const char *tag,
                                                  const ist_member *members, size_t count,
                                                  const ist_layout **ret_layout);

/* The same, laid out by the rules of C. `attributes` may be NULL. */
IST_NODISCARD IST_API ist_status ist_layout_struct_c(ist_arena arena, const char *tag,
                                                     const ist_member *members, size_t count,
                                                     const ist_group_attributes *attributes,
                                                     const ist_layout **ret_layout);
IST_NODISCARD IST_API ist_status ist_layout_union_c(ist_arena arena, const char *tag,
                                                    const ist_member *members, size_t count,
                                                    const ist_group_attributes *attributes,
                                                    const ist_layout **ret_layout);

/* ---- The same with one thing changed ---- */

/* Another name (of a group: its tag); NULL: none. FFM: withName, withoutName. */
IST_NODISCARD IST_API ist_status ist_layout_with_name(ist_arena arena, const ist_layout *layout,
                                                      const char *name,
                                                      const ist_layout **ret_layout);

/*
 * Another alignment; a group's is not below that of a member, a sequence's not below its element's:
 * IST_E_LAYOUT. FFM: withByteAlignment.
 */
IST_NODISCARD IST_API ist_status ist_layout_with_alignment(ist_arena arena,
                                                           const ist_layout *layout,
                                                           size_t alignment,
                                                           const ist_layout **ret_layout);

/* A value or vector in another byte order; IST_E_LAYOUT for other kinds. FFM: withOrder. */
IST_NODISCARD IST_API ist_status ist_layout_with_order(ist_arena arena, const ist_layout *layout,
                                                       ist_order order,
                                                       const ist_layout **ret_layout);

/* A sequence of as many elements as before in `count` dimensions, one of which may be IST_COUNT_OPEN: the rest. FFM: reshape. */
IST_NODISCARD IST_API ist_status ist_layout_reshape(ist_arena arena, const ist_layout *sequence,
                                                    const size_t *dimensions, size_t count,
                                                    const ist_layout **ret_layout);

/* A sequence of sequences as one of all their elements. FFM: flatten. */
IST_NODISCARD IST_API ist_status ist_layout_flatten(ist_arena arena, const ist_layout *sequence,
                                                    const ist_layout **ret_layout);

/* ---- Asking; any thread, never fails; a NULL layout has no kind, no size, no members ---- */

IST_API ist_layout_kind ist_layout_kind_of(const ist_layout *layout); /* 0 for NULL. */
IST_API ist_type ist_layout_type(const ist_layout *layout); /* IST_TYPE_NONE unless a value. */
IST_API size_t ist_layout_size(const ist_layout *layout);
IST_API size_t ist_layout_alignment(const ist_layout *layout);
IST_API ist_order ist_layout_order(const ist_layout *layout);
IST_API const char *ist_layout_name(const ist_layout *layout); /* NULL: none. */
/* 0: declared but not defined (`struct s;`), void, a function; nothing can have this type. */
IST_API int ist_layout_is_complete(const ist_layout *layout);
/* Members of a struct or union, elements of a sequence or vector, enumerators of an enumeration. */
IST_API size_t ist_layout_count(const ist_layout *layout);
IST_API const ist_layout *
ist_layout_element(const ist_layout *layout); /* Of a sequence or vector. */
IST_API const ist_layout *
ist_layout_target(const ist_layout *layout); /* Of a pointer; NULL: none. */
IST_API const ist_function *ist_layout_function(const ist_layout *layout); /* Of a function. */

/* Member or enumerator `index`. Returns: IST_OK; IST_E_BOUNDS; IST_E_ARGUMENT (a NULL, a size that is too small). */
IST_NODISCARD IST_API ist_status ist_layout_member(const ist_layout *layout, size_t index,
                                                   ist_member_info *ret_member);
IST_NODISCARD IST_API ist_status ist_layout_enumerator(const ist_layout *layout, size_t index,
                                                       ist_enumerator *ret_enumerator);

/*
 * Whether two layouts are the same in kind, type, size, alignment, order, members with their offsets,
 * counts and targets; and, unless `unnamed`, in every name. Where a pointer leads to a struct or union with
 * a tag, directly or as a parameter or result of a function, that is compared by its tag alone.
 */
IST_API int ist_layout_equals(const ist_layout *a, const ist_layout *b, int unnamed);

/* ---- Functions ---- */

/*
 * A function type: its result (NULL: void) and its parameters; from `fixed_count` on they are
 * variadic arguments of this call. fixed_count == count: not variadic, unless IST_FUNCTION_VARIADIC.
 * FFM: FunctionDescriptor.
 */
#define IST_FUNCTION_VARIADIC 1u
IST_NODISCARD IST_API ist_status ist_function_of(ist_arena arena, const ist_layout *result,
                                                 const ist_member *parameters, size_t count,
                                                 size_t fixed_count, unsigned flags,
                                                 const ist_function **ret_function);
IST_API const ist_layout *ist_function_result(const ist_function *function); /* NULL: void. */
IST_API size_t ist_function_count(const ist_function *function);
IST_API size_t ist_function_fixed_count(const ist_function *function);
IST_API int ist_function_is_variadic(const ist_function *function);
/* Parameter `index`; arrays and functions have become pointers, as in C. NULL if there is none. */
IST_API const ist_layout *ist_function_parameter(const ist_function *function, size_t index);
IST_API const char *ist_function_parameter_name(const ist_function *function, size_t index);
IST_API const char *ist_function_name(const ist_function *function); /* As declared; NULL: none. */

IST_END_DECLS
#endif
