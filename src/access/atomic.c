/* SPDX-License-Identifier: MIT */
/*
 * Atomic access in a segment and through a path. Each function of <isthmus/atomic.h> packs what it
 * was given into an action, whose values are bits, and runs that.
 *
 * In the other byte order a value is turned on its way in and out. and, or, xor and exchange
 * commute with that; adding does not, nor is there an instruction that adds floats, so that both
 * are a loop around compare-and-exchange.
 *
 * Orders: a load and a store have the one that was asked for. An operation that reads and writes is
 * sequentially consistent whatever was asked for, which on x86-64 is the same instruction.
 */
#include <isthmus/atomic.h>

#include <string.h>

#include "access/path.h"
#include "memory/arena.h"
#include "session/error.h"

_Static_assert(IST_ORDER_NATIVE == IST_ORDER_LITTLE, "a value is the low bytes of its bits");

typedef enum action_verb {
    VERB_load,
    VERB_store,
    VERB_exchange,
    VERB_compare_exchange,
    VERB_fetch_add,
    VERB_fetch_and,
    VERB_fetch_or,
    VERB_fetch_xor
} action_verb;

static const char *const operations[] = {
    [VERB_load] = "atomic load",         [VERB_store] = "atomic store",
    [VERB_exchange] = "atomic exchange", [VERB_compare_exchange] = "atomic compare-exchange",
    [VERB_fetch_add] = "atomic add",     [VERB_fetch_and] = "atomic and",
    [VERB_fetch_or] = "atomic or",       [VERB_fetch_xor] = "atomic xor",
};

typedef struct atomic_action {
    action_verb verb;
    unsigned access; /* Sort and size, as ist_path.access. */
    ist_memory_order order;
    uint64_t value, wanted; /* Bits, in the machine's order. */
    bool is_swapped;
} atomic_action;

typedef struct atomic_where {
    bool has_path;
    isti_path_use use; /* Without a path base_offset is the offset. */
} atomic_where;

/* ---- On a word ---- */

static uint64_t sum_of(unsigned access, uint64_t a, uint64_t b)
{
    union {
        uint64_t bits;
        double f64;
        float f32;
    } left = { .bits = a }, right = { .bits = b };
    if ((access & ISTI_PATH_SCALAR) == (ISTI_PATH_FLOAT | 8))
        left.f64 += right.f64;
    else if ((access & ISTI_PATH_SCALAR) == (ISTI_PATH_FLOAT | 4))
        left.f32 += right.f32;
    else
        left.bits += right.bits;
    return left.bits;
}

/* Returns what was there before, in the machine's order. */
#define DEFINE_ACT(bits)                                                                           \
    static uint64_t add_##bits(uint##bits##_t *word, const atomic_action *action)                  \
    {                                                                                              \
        /* relaxed: the exchange decides; what is read here is only its guess. */                  \
        uint##bits##_t old = __atomic_load_n(word, __ATOMIC_RELAXED), sum;                         \
        do {                                                                                       \
            sum = (uint##bits##_t)sum_of(                                                          \
                action->access, isti_order_##bits(old, action->is_swapped), action->value);        \
            sum = isti_order_##bits(sum, action->is_swapped);                                      \
        } while (                                                                                  \
            !__atomic_compare_exchange_n(word, &old, sum, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
        return old;                                                                                \
    }                                                                                              \
    static uint##bits##_t load_##bits(const uint##bits##_t *word, ist_memory_order order)          \
    {                                                                                              \
        return order == IST_MEMORY_RELAXED   ? __atomic_load_n(word, __ATOMIC_RELAXED)             \
               : order == IST_MEMORY_ACQUIRE ? __atomic_load_n(word, __ATOMIC_ACQUIRE)             \
                                             : __atomic_load_n(word, __ATOMIC_SEQ_CST);            \
    }                                                                                              \
    static void store_##bits(uint##bits##_t *word, uint##bits##_t value, ist_memory_order order)   \
    {                                                                                              \
        if (order == IST_MEMORY_RELAXED)                                                           \
            __atomic_store_n(word, value, __ATOMIC_RELAXED);                                       \
        else if (order == IST_MEMORY_RELEASE)                                                      \
            __atomic_store_n(word, value, __ATOMIC_RELEASE);                                       \
        else                                                                                       \
            __atomic_store_n(word, value, __ATOMIC_SEQ_CST);                                       \
    }                                                                                              \
    static uint64_t act_##bits(void *place, const atomic_action *action)                           \
    {                                                                                              \
        uint##bits##_t *word = place;                                                              \
        int is_swapped = action->is_swapped;                                                       \
        uint##bits##_t value = isti_order_##bits((uint##bits##_t)action->value, is_swapped);       \
        uint##bits##_t old = isti_order_##bits((uint##bits##_t)action->wanted, is_swapped);        \
        bool is_plain_sum = !is_swapped && !(action->access & ISTI_PATH_FLOAT);                    \
        switch (action->verb) {                                                                    \
        case VERB_load:                                                                            \
            old = load_##bits(word, action->order);                                                \
            break;                                                                                 \
        case VERB_store:                                                                           \
            store_##bits(word, value, action->order);                                              \
            break;                                                                                 \
        case VERB_exchange:                                                                        \
            old = __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);                              \
            break;                                                                                 \
        case VERB_compare_exchange:                                                                \
            __atomic_compare_exchange_n(word, &old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
            break;                                                                                 \
        case VERB_fetch_add:                                                                       \
            old = is_plain_sum ? __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST)                 \
                               : (uint##bits##_t)add_##bits(word, action);                         \
            break;                                                                                 \
        case VERB_fetch_and:                                                                       \
            old = __atomic_fetch_and(word, value, __ATOMIC_SEQ_CST);                               \
            break;                                                                                 \
        case VERB_fetch_or:                                                                        \
            old = __atomic_fetch_or(word, value, __ATOMIC_SEQ_CST);                                \
            break;                                                                                 \
        case VERB_fetch_xor:                                                                       \
            old = __atomic_fetch_xor(word, value, __ATOMIC_SEQ_CST);                               \
            break;                                                                                 \
        }                                                                                          \
        return isti_order_##bits(old, is_swapped);                                                 \
    }
DEFINE_ACT(8)
DEFINE_ACT(16)
DEFINE_ACT(32)
DEFINE_ACT(64)

static uint64_t act(void *place, const atomic_action *action)
{
    switch (action->access & 0xff) {
    case 1:
        return act_8(place, action);
    case 2:
        return act_16(place, action);
    case 4:
        return act_32(place, action);
    default:
        return act_64(place, action);
    }
}

/* ---- Checked ---- */

static bool has_order(action_verb verb, ist_memory_order order)
{
    switch (order) {
    case IST_MEMORY_RELAXED:
    case IST_MEMORY_SEQ_CST:
        return true;
    case IST_MEMORY_ACQUIRE:
        return verb != VERB_store;
    case IST_MEMORY_RELEASE:
        return verb != VERB_load;
    case IST_MEMORY_ACQ_REL:
        return verb != VERB_load && verb != VERB_store;
    default:
        return false;
    }
}

static ist_status enter_segment(const isti_path_use *use, const atomic_action *action,
                                void **ret_bytes, uint64_t **ret_slot)
{
    const char *operation = operations[action->verb];
    size_t size = action->access & 0xff;
    if (use->segment == NULL)
        return isti_fail_argument(operation, "NULL where a segment is wanted");
    isti_attempt tried = { .segment = *use->segment,
                           .offset = use->base_offset,
                           .length = size,
                           .alignment = size,
                           .writes = action->verb != VERB_load,
                           .operation = operation };
    ist_status status = isti_attempt_enter(&tried, ret_slot);
    if (status == IST_OK)
        *ret_bytes = (char *)use->segment->address + use->base_offset;
    return status;
}

/* A leaf that may be touched atomically: its root's alignment is then enough. */
static ist_status require_atomic(const isti_path_use *use, const atomic_action *action)
{
    const char *operation = operations[action->verb];
    ist_status status = isti_path_require(use, operation);
    if (status != IST_OK)
        return status;
    if (use->path->access & ISTI_PATH_BITS)
        return isti_fail_text(IST_E_UNSUPPORTED, operation, "the path leads to a bit-field");
    status = isti_path_require_scalar(use->path, action->access, operation);
    if (status != IST_OK)
        return status;
    if (use->path->access & ISTI_PATH_UNALIGNED)
        return isti_fail_text(IST_E_UNSUPPORTED, operation,
                              "the layout does not align the value to its size");
    return IST_OK;
}

static ist_status enter_path(const isti_path_use *use, const atomic_action *action,
                             void **ret_bytes, uint64_t **ret_slot)
{
    isti_path_place place;
    ist_status status = require_atomic(use, action);
    if (status == IST_OK)
        status = isti_path_locate(use, action->verb != VERB_load, operations[action->verb], &place);
    if (status != IST_OK)
        return status;
    return isti_path_enter(&place, action->access & 0xff, ret_bytes, ret_slot);
}

/* What was there goes to *ret_old; NULL: nobody wants it. */
static ist_status run(const atomic_where *where, atomic_action *action, void *ret_old)
{
    void *bytes;
    uint64_t *slot;
    if (!has_order(action->verb, action->order))
        return isti_fail_argument(operations[action->verb],
                                  "a memory order that the operation cannot have");
    if (action->verb == VERB_load && ret_old == NULL)
        return isti_fail_argument(operations[action->verb], "NULL where the value is wanted");
    ist_status status = where->has_path ? enter_path(&where->use, action, &bytes, &slot)
                                        : enter_segment(&where->use, action, &bytes, &slot);
    if (status != IST_OK)
        return status;
    action->is_swapped = where->has_path && (where->use.path->access & ISTI_PATH_SWAPPED);
    uint64_t old = act(bytes, action);
    isti_arena_leave(slot);
    if (ret_old != NULL)
        memcpy(ret_old, &old, action->access & 0xff);
    return IST_OK;
}

/* ---- The functions ---- */

#define IN_SEGMENT                     \
    false,                             \
    {                                  \
        NULL, segment, offset, NULL, 0 \
    }
#define IN_PATH                                          \
    true,                                                \
    {                                                    \
        path, segment, base_offset, indexes, index_count \
    }

#define RUN(verb_, type, sort, value_, wanted_, ret_old, ...)               \
    do {                                                                    \
        atomic_where where = { __VA_ARGS__ };                               \
        atomic_action action = { .verb = VERB_##verb_,                      \
                                 .access = ISTI_PATH_##sort | sizeof(type), \
                                 .order = order };                          \
        memcpy(&action.value, value_, sizeof(type));                        \
        memcpy(&action.wanted, wanted_, sizeof(type));                      \
        return run(&where, &action, ret_old);                               \
    } while (0)

#define DEFINE_LOAD(function, at, in, verb, type, sort)              \
    ist_status function(at, ist_memory_order order, type *ret_value) \
    {                                                                \
        static const type none;                                      \
        RUN(verb, type, sort, &none, &none, ret_value, in);          \
    }
#define DEFINE_STORE(function, at, in, verb, type, sort)        \
    ist_status function(at, type value, ist_memory_order order) \
    {                                                           \
        RUN(verb, type, sort, &value, &value, NULL, in);        \
    }
#define DEFINE_UPDATE(function, at, in, verb, type, sort)                      \
    ist_status function(at, type value, ist_memory_order order, type *ret_old) \
    {                                                                          \
        RUN(verb, type, sort, &value, &value, ret_old, in);                    \
    }
#define DEFINE_COMPARE(function, at, in, verb, type, sort)                                      \
    ist_status function(at, type wanted, type value, ist_memory_order order, type *ret_witness) \
    {                                                                                           \
        RUN(verb, type, sort, &value, &wanted, ret_witness, in);                                \
    }
#define DEFINE_ATOMIC(shape, verb, name, type, sort)                                          \
    DEFINE_##shape(ist_atomic_##verb##_##name, ISTI_AT_SEGMENT, IN_SEGMENT, verb, type, sort) \
        DEFINE_##shape(ist_path_atomic_##verb##_##name, ISTI_AT_PATH, IN_PATH, verb, type, sort)
ISTI_ATOMIC_LIST(DEFINE_ATOMIC)
