/* SPDX-License-Identifier: MIT */
#ifndef ISTI_LAYOUT_LAYOUT_H
#define ISTI_LAYOUT_LAYOUT_H
/*
 * What a layout is inside. Pure: no arena, no thread, no system call. Memory comes from a store; what is
 * wrong goes into a problem, which src/access makes the thread's last error.
 *
 * Invariant: all that a layout refers to is in its own store or never ends. Once its maker has handed it
 * out nothing in it changes, but for a group that is declared and defined later: `complete` turns true
 * behind everything else.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include <isthmus/layout.h>

#include "layout/store.h"

enum {
    ISTI_LAYOUT_ENUM = 1, /* A value with enumerators, or an enum declared without them. */
    ISTI_LAYOUT_C_RULES =
        2, /* A group laid out by the rules of C: what it says comes from members and attributes. */
    ISTI_LAYOUT_BITS = 4, /* A group with a bit-field, itself or inside. */
    ISTI_LAYOUT_OPEN = 8, /* A group that ends in an open sequence, itself or inside. */
    ISTI_LAYOUT_NAMES =
        16, /* A group that has a member with a name, itself or in an unnamed group. */
};

/* A member where it came to lie, with what it was declared with. */
typedef struct isti_member {
    const char *name; /* NULL: unnamed. */
    const ist_layout *layout;
    size_t
        bit_offset; /* Bits from the beginning of the group; a multiple of 8 unless a bit-field. */
    int bits;       /* 0: no bit-field; IST_BITS_BREAK: a member of no bits. */
    int packed;     /* As declared. */
    size_t alignment; /* As declared; 0: none. */
} isti_member;

struct ist_layout {
    ist_layout_kind kind;
    ist_type type; /* IST_TYPE_NONE unless a value. */
    ist_order order;
    unsigned flags;
    atomic_bool complete;
    size_t size, alignment; /* Bytes; 0 and 1 where there is no size. */
    size_t part_alignment;  /* Group: what its members ask for. */
    const char *name;       /* NULL: none. Of a group or enumeration: its tag. */
    size_t count;           /* Members, elements, enumerators. */
    union {
        const isti_member *members;        /* Struct, union. */
        const ist_layout *element;         /* Sequence, vector. */
        const ist_layout *target;          /* Address; NULL: unknown. */
        const ist_function *function;      /* Function. */
        const ist_enumerator *enumerators; /* Value with ISTI_LAYOUT_ENUM. */
    } of;
    ist_group_attributes attributes; /* Group by the rules of C: as declared. */
    unsigned depth;                  /* See isti_layout_nest(). */
    isti_owner owner;
};

typedef struct isti_parameter {
    const char *name; /* NULL: unnamed. */
    const ist_layout *layout;
} isti_parameter;

struct ist_function {
    const char *name;         /* As declared; NULL: none. */
    const ist_layout *result; /* NULL: void. */
    const isti_parameter *parameters;
    size_t count, fixed_count;
    unsigned flags;
    unsigned depth;
    isti_owner owner;
};

/* acquire: pairs with the release in isti_group_complete(); what the layout is like is visible then. */
static inline bool isti_layout_is_complete(const ist_layout *layout)
{
    return atomic_load_explicit(&layout->complete, memory_order_acquire);
}

static inline bool isti_layout_is_group(const ist_layout *layout)
{
    return layout->kind == IST_LAYOUT_STRUCT || layout->kind == IST_LAYOUT_UNION;
}

static inline bool isti_member_is_bits(const isti_member *member)
{
    return member->bits != 0;
}

/* The width in bits; 0 for IST_BITS_BREAK and where there is no bit-field. */
static inline size_t isti_member_width(const isti_member *member)
{
    return member->bits > 0 ? (size_t)member->bits : 0;
}

/* Whether the names inside count as the outer group's (C11 6.7.2.1). */
static inline bool isti_member_lends_names(const isti_member *member)
{
    return member->name == NULL && !isti_member_is_bits(member) &&
           isti_layout_is_group(member->layout) && member->layout->flags & ISTI_LAYOUT_NAMES;
}

extern const ist_layout isti_layout_void;

/* What kind of number a type is. */
typedef enum isti_class {
    ISTI_CLASS_NONE,
    ISTI_CLASS_BOOL,
    ISTI_CLASS_SIGNED,
    ISTI_CLASS_UNSIGNED,
    ISTI_CLASS_FLOAT,
    ISTI_CLASS_COMPLEX,
    ISTI_CLASS_ADDRESS
} isti_class;
isti_class isti_type_class(ist_type type); /* Plain char as the platform has it. */
const char *isti_type_text(ist_type type); /* As C writes it. */

/*
 * How deep layouts may be nested: so deep do functions that follow the parts of one recur. A pointer
 * counts what it points to, unless that is a group with a tag, which nobody follows through a pointer.
 */
#define ISTI_DEPTH_MAX 200
/* Makes *depth that of something which has this part; IST_E_LAYOUT if that is too deep. */
ist_status isti_layout_nest(unsigned *depth, const ist_layout *part, isti_problem *problem);

/* ---- Making. On success *ret is the new layout; on failure it is as before and the problem says why. ---- */

ist_status isti_address_to(const isti_store *store, const ist_layout *target,
                           const ist_layout **ret, isti_problem *problem);
ist_status isti_vector(const isti_store *store, const ist_layout *element, size_t count,
                       const ist_layout **ret, isti_problem *problem);
ist_status isti_enum(const isti_store *store, const char *tag, const ist_layout *type,
                     const ist_enumerator *enumerators, size_t count, const ist_layout **ret,
                     isti_problem *problem);
ist_status
isti_padding(const isti_store *store, size_t size, const ist_layout **ret, isti_problem *problem);
ist_status isti_sequence(const isti_store *store, size_t count, const ist_layout *element,
                         const ist_layout **ret, isti_problem *problem);
/* A struct or union without gaps of its own. */
ist_status isti_group(const isti_store *store, ist_layout_kind kind, const char *tag,
                      const ist_member *members, size_t count, const ist_layout **ret,
                      isti_problem *problem);
/* By the rules of C; attributes may be NULL. */
ist_status isti_group_c(const isti_store *store, ist_layout_kind kind, const char *tag,
                        const ist_member *members, size_t count,
                        const ist_group_attributes *attributes, const ist_layout **ret,
                        isti_problem *problem);
/* A group or enumeration that is declared only; and its definition, in place. */
ist_status isti_declare(const isti_store *store, ist_layout_kind kind, const char *tag,
                        ist_layout **ret, isti_problem *problem);
ist_status isti_group_complete(const isti_store *store, ist_layout *group,
                               const ist_member *members, size_t count,
                               const ist_group_attributes *attributes, isti_problem *problem);
ist_status isti_enum_complete(const isti_store *store, ist_layout *enumeration,
                              const ist_layout *type, const ist_enumerator *enumerators,
                              size_t count, isti_problem *problem);
ist_status isti_function_type(const isti_store *store, const ist_function *function,
                              const ist_layout **ret, isti_problem *problem);
ist_status isti_function_make(const isti_store *store, const char *name, const ist_layout *result,
                              const ist_member *parameters, size_t count, size_t fixed_count,
                              unsigned flags, const ist_function **ret, isti_problem *problem);

ist_status isti_with_name(const isti_store *store, const ist_layout *layout, const char *name,
                          const ist_layout **ret, isti_problem *problem);
ist_status isti_with_alignment(const isti_store *store, const ist_layout *layout, size_t alignment,
                               const ist_layout **ret, isti_problem *problem);
/* The same without a look at the parts: as a typedef with the attribute `aligned` has it in C. */
ist_status isti_realign(const isti_store *store, const ist_layout *layout, size_t alignment,
                        const ist_layout **ret, isti_problem *problem);
ist_status isti_with_order(const isti_store *store, const ist_layout *layout, ist_order order,
                           const ist_layout **ret, isti_problem *problem);

ist_status isti_reshape(const isti_store *store, const ist_layout *sequence,
                        const size_t *dimensions, size_t count, const ist_layout **ret,
                        isti_problem *problem);
ist_status isti_flatten(const isti_store *store, const ist_layout *sequence, const ist_layout **ret,
                        isti_problem *problem);

/*
 * The layout in this store: itself where it is already or never ends, otherwise a copy of all that it
 * refers to, in which pointers that lead back into it lead back into the copy.
 */
ist_status isti_layout_adopt(const isti_store *store, const ist_layout *layout,
                             const ist_layout **ret, isti_problem *problem);

/* ---- Asking ---- */

/*
 * The member of that name, also in unnamed groups inside; *ret_bit_offset is from the beginning of the
 * group. NULL: none.
 */
const isti_member *
isti_member_find(const ist_layout *group, const char *name, size_t length, size_t *ret_bit_offset);

#endif
