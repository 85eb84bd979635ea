/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_ATOMIC_H
#define ISTHMUS_ATOMIC_H
/*
 * Atomic access to single values, in a segment and through a path.
 *
 *     IST_CHECK(ist_atomic_fetch_add_u64(&counters, 8, 1, IST_MEMORY_RELAXED, NULL));
 *     IST_CHECK(ist_path_atomic_store_u32(&flag, &header, 0, NULL, 0, 1, IST_MEMORY_RELEASE));
 *
 *     uint64_t seen, old;
 *     IST_CHECK(ist_atomic_load_u64(&counters, 0, IST_MEMORY_RELAXED, &seen));
 *     do {
 *         old = seen;
 *         IST_CHECK(ist_atomic_compare_exchange_u64(&counters, 0, old, old * 3 + 1,
 *                                                   IST_MEMORY_SEQ_CST, &seen));
 *     } while (seen != old);
 *
 * For each type T there are, all returning ist_status, with AT for `const ist_segment *segment,
 * size_t offset`:
 *
 *     ist_atomic_load_T            (AT, ist_memory_order order, T *ret_value)
 *     ist_atomic_store_T           (AT, T value, order)
 *     ist_atomic_exchange_T        (AT, T value, order, T *ret_old)
 *     ist_atomic_compare_exchange_T(AT, T wanted, T value, order, T *ret_witness)
 *     ist_atomic_fetch_add_T       (AT, T value, order, T *ret_old)      not address
 *     ist_atomic_fetch_and_T, ..._or_T, ..._xor_T (likewise)             integers only
 *
 *     T: i8 u8 i16 u16 i32 u32 i64 u64, f32 f64, address (void *)
 *
 * and ist_path_atomic_..._T with `const ist_path *path, const ist_segment *segment, size_t
 * base_offset, const size_t *indexes, size_t index_count` for AT; leaf and T as for ist_path_get_T.
 * The leaf's byte order is applied: arithmetic goes by the values, not by the bytes.
 *
 * compare_exchange stores `value` if the memory has exactly the bits of `wanted`. The witness is
 * what was there: the exchange took place if it has those bits (compare a float's by memcmp(): -0
 * is not 0, and a NaN is itself). It does not fail without a reason. ret_old and ret_witness may be
 * NULL. Adding wraps around; adding to a float rounds as C does.
 *
 * Returns: IST_OK; IST_E_ARGUMENT (ret_value NULL, an order that the operation cannot have; of a
 * path
 *          as <isthmus/path.h> says); IST_E_LAYOUT (the leaf is of another type); IST_E_UNSUPPORTED
 *          (the leaf is a bit-field, or not always at a multiple of its size); IST_E_READ_ONLY (all
 *          but load); IST_E_BOUNDS; IST_E_ALIGNMENT: the address is no multiple of the size;
 *          IST_E_CLOSED; IST_E_WRONG_THREAD, in this order.
 * Threads: as for any access; atomic against each other, and against the plain accesses of others
 * as
 *          far as the processor makes those so.
 * FFM: VarHandle's access modes. get and set are the accessors; getOpaque and setOpaque RELAXED;
 *      getAcquire ACQUIRE; setRelease RELEASE; getVolatile, setVolatile and the rest SEQ_CST.
 */
#include <isthmus/path.h>

IST_BEGIN_DECLS

/* As in C11. Load: relaxed, acquire, seq_cst; store: relaxed, release, seq_cst; others: all. */
typedef enum ist_memory_order {
    IST_MEMORY_RELAXED = __ATOMIC_RELAXED,
    IST_MEMORY_ACQUIRE = __ATOMIC_ACQUIRE,
    IST_MEMORY_RELEASE = __ATOMIC_RELEASE,
    IST_MEMORY_ACQ_REL = __ATOMIC_ACQ_REL,
    IST_MEMORY_SEQ_CST = __ATOMIC_SEQ_CST
} ist_memory_order;

/* Where: in a segment; through a path. */
#define ISTI_AT_SEGMENT const ist_segment *segment, size_t offset
#define ISTI_AT_PATH                                                                             \
    const ist_path *path, const ist_segment *segment, size_t base_offset, const size_t *indexes, \
        size_t index_count

/*
 * X(shape, verb, suffix, type, sort): every operation there is. The shape is that of the
 * parameters.
 */
#define ISTI_ATOMIC_LIST(X)                        \
    ISTI_ATOMIC_INTEGER(X, i8, int8_t, INTEGER)    \
    ISTI_ATOMIC_INTEGER(X, u8, uint8_t, INTEGER)   \
    ISTI_ATOMIC_INTEGER(X, i16, int16_t, INTEGER)  \
    ISTI_ATOMIC_INTEGER(X, u16, uint16_t, INTEGER) \
    ISTI_ATOMIC_INTEGER(X, i32, int32_t, INTEGER)  \
    ISTI_ATOMIC_INTEGER(X, u32, uint32_t, INTEGER) \
    ISTI_ATOMIC_INTEGER(X, i64, int64_t, INTEGER)  \
    ISTI_ATOMIC_INTEGER(X, u64, uint64_t, INTEGER) \
    ISTI_ATOMIC_NUMBER(X, f32, float, FLOAT)       \
    ISTI_ATOMIC_NUMBER(X, f64, double, FLOAT)      \
    ISTI_ATOMIC_WORD(X, address, void *, ADDRESS)

#define ISTI_ATOMIC_WORD(X, name, type, sort) \
    X(LOAD, load, name, type, sort)           \
    X(STORE, store, name, type, sort)         \
    X(UPDATE, exchange, name, type, sort)     \
    X(COMPARE, compare_exchange, name, type, sort)
#define ISTI_ATOMIC_NUMBER(X, name, type, sort) \
    ISTI_ATOMIC_WORD(X, name, type, sort)       \
    X(UPDATE, fetch_add, name, type, sort)
#define ISTI_ATOMIC_INTEGER(X, name, type, sort) \
    ISTI_ATOMIC_NUMBER(X, name, type, sort)      \
    X(UPDATE, fetch_and, name, type, sort)       \
    X(UPDATE, fetch_or, name, type, sort)        \
    X(UPDATE, fetch_xor, name, type, sort)

#define ISTI_DECLARE_LOAD(function, at, type) \
    IST_NODISCARD IST_API ist_status function(at, ist_memory_order order, type *ret_value);
#define ISTI_DECLARE_STORE(function, at, type) \
    IST_NODISCARD IST_API ist_status function(at, type value, ist_memory_order order);
#define ISTI_DECLARE_UPDATE(function, at, type)                                       \
    IST_NODISCARD IST_API ist_status function(at, type value, ist_memory_order order, \
                                              type *ret_old);
#define ISTI_DECLARE_COMPARE(function, at, type)                                                   \
    IST_NODISCARD IST_API ist_status function(at, type wanted, type value, ist_memory_order order, \
                                              type *ret_witness);
#define ISTI_DECLARE_ATOMIC(shape, verb, name, type, sort)                  \
    ISTI_DECLARE_##shape(ist_atomic_##verb##_##name, ISTI_AT_SEGMENT, type) \
        ISTI_DECLARE_##shape(ist_path_atomic_##verb##_##name, ISTI_AT_PATH, type)
ISTI_ATOMIC_LIST(ISTI_DECLARE_ATOMIC)

IST_END_DECLS
#endif
