/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_ACCESS_H
#define ISTHMUS_ACCESS_H
/*
 * Checked access to single values in a segment.
 *
 *     double x;
 *     ist_status status = ist_get_f64(row, 8, &x);      // a status, and x untouched on failure
 *     IST_CHECK(ist_set_u32_be(packet, 4, length));     // big-endian, at any address
 *     x = ist_read_f64(row, 8);                         // a value; a failure goes to the failure
 *     handler
 *
 * For each type T of the table below there are
 *
 *     ist_status ist_get_T  (ist_segment segment, size_t offset, T *ret_value);
 *     ist_status ist_set_T  (ist_segment segment, size_t offset, T value);
 *     T          ist_read_T (ist_segment segment, size_t offset);
 *     void       ist_write_T(ist_segment segment, size_t offset, T value);
 *
 *     T                          type                        also with the suffixes
 *     i8 u8                      int8_t uint8_t
 *     i16 u16 i32 u32 i64 u64    int16_t ... uint64_t        _unaligned _le _be
 *     f32 f64                    float double                _unaligned _le _be
 *     address                    void *                      _unaligned
 *
 * Without a suffix the address (not the offset) is a multiple of the type's size. `_unaligned`
 * takes any address. `_le` and `_be` take any address too, since wire and file formats seldom
 * align, and give the bytes in that order whatever the machine's is. Offsets are bytes.
 *
 * Returns: IST_OK; IST_E_READ_ONLY (set); IST_E_BOUNDS; IST_E_ALIGNMENT; IST_E_CLOSED;
 *          IST_E_WRONG_THREAD, looked for in this order; IST_E_ARGUMENT if ret_value is NULL. On
 *          failure neither the segment nor *ret_value changes. The read and write forms report the
 *          same to the failure handler; if it returns, the value is 0 and nothing is written.
 * Threads: the owner of a confined arena; any for caller memory and the global arena. Not atomic.
 *
 * An address that is read is a bare pointer: ist_segment_of() makes a segment of it for whoever
 * knows its size.
 * FFM: MemorySegment.get and set with the ValueLayout constants.
 */
#include <isthmus/segment.h>

IST_BEGIN_DECLS
ISTI_BEGIN_INLINES

/*
 * What an access is, for the slow half: its size, the alignment it asks for, and whether it writes.
 */
#define ISTI_ACCESS(size, alignment, writes) \
    ((unsigned)(size) | (unsigned)(alignment) << 8 | (unsigned)(writes) << 16)

/*
 * What an access does that cannot go ahead at once: on a shared arena it may have to wait for a
 * close to be decided, or to be the first of its thread, and is then carried out; any other is
 * refused, with the reason recorded. `raw` is the value's bytes as they are in memory, read or to
 * be written; NULL: the caller has no place for it. Takes the segment as scalars: a segment whose
 * address is taken would live in memory in the loop around the access.
 */
IST_API ISTI_COLD ist_status isti_access_slow(void *address, size_t size, uintptr_t session,
                                              uint64_t expected, size_t offset, unsigned access,
                                              void *raw);

/*
 * Whether an access may go ahead, in parts. Sizes and alignments are constants at each call of an
 * accessor, and loaded once for one through a path. What a loop over one segment does not change is
 * folded into words by arithmetic, which a compiler computes before the loop if no branch is in
 * front of it: the bound (is it writable, has it room for one value), and with it the kind of arena
 * and, at a constant stride, the alignment. Left in the loop are the offset against the bound, the
 * owner and the state. Each test is a branch of its own: or-ing all of them into one was measured
 * at more than twice the time.
 */

/* Offsets below it are inside; 0 also unless `admitted`, which is 1 or 0. */
IST_INLINE size_t isti_range_bound(ist_segment segment, size_t size, int writes, size_t admitted)
{
    size_t fits = (size_t)(segment.size >= size) &
                  (size_t) !(writes && (segment.session & ISTI_READ_ONLY)) & admitted;
    return (segment.size - size + 1) & (0 - fits);
}

/*
 * 0: the address is a multiple of the alignment. 0 - address and offset agree in the low bits then;
 * they are kept apart, so that a constant stride folds.
 */
IST_INLINE size_t isti_range_misaligned(ist_segment segment, size_t offset, size_t alignment)
{
    size_t low = alignment - 1;
    return ((0 - (size_t)(uintptr_t)segment.address) & low) - (offset & low);
}

IST_INLINE const isti_session *isti_range_session(ist_segment segment)
{
    return (const isti_session *)(segment.session & ~ISTI_TAG_MASK);
}

/* Of an access that is inside; the three words are of the functions above. */
IST_INLINE int isti_range_begin(ist_segment segment, const isti_session *session, size_t misaligned,
                                uint64_t **ret_slot)
{
    *ret_slot = NULL;
    if (ISTI_LIKELY((misaligned | (~segment.expected & ISTI_CONFINED)) == 0))
        return isti_confined_admits(session, segment.expected);
    if (ISTI_UNLIKELY(misaligned != 0))
        return 0;
    if (ISTI_LIKELY(segment.expected & ISTI_SHARED))
        return isti_shared_begin(session, segment.expected, ret_slot);
    return segment.expected == ISTI_GLOBAL;
}

IST_INLINE int
isti_access_begin(ist_segment segment, size_t offset, unsigned access, uint64_t **ret_slot)
{
    const isti_session *session = isti_range_session(segment);
    size_t bound = isti_range_bound(segment, access & 0xff, access >> 16 != 0, 1);
    size_t misaligned = isti_range_misaligned(segment, offset, access >> 8 & 0xff);
    if (ISTI_UNLIKELY(offset >= bound))
        return 0;
    return isti_range_begin(segment, session, misaligned, ret_slot);
}

/* The bytes of a value in the machine's order, or in the other one. */
IST_INLINE uint16_t isti_order_16(uint16_t bits, int swapped)
{
    return swapped ? __builtin_bswap16(bits) : bits;
}
IST_INLINE uint32_t isti_order_32(uint32_t bits, int swapped)
{
    return swapped ? __builtin_bswap32(bits) : bits;
}
IST_INLINE uint64_t isti_order_64(uint64_t bits, int swapped)
{
    return swapped ? __builtin_bswap64(bits) : bits;
}
IST_INLINE uint8_t isti_order_8(uint8_t bits, int swapped)
{
    (void)swapped;
    return bits;
}

#define ISTI_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/*
 * X(suffix, type, bits, alignment, swapped): every accessor there is. `bits` is the width in bits.
 */
#define ISTI_ACCESSOR_LIST(X)                 \
    X(i8, int8_t, 8, 1, 0)                    \
    X(u8, uint8_t, 8, 1, 0)                   \
    ISTI_ACCESSOR_FORMS(X, i16, int16_t, 16)  \
    ISTI_ACCESSOR_FORMS(X, u16, uint16_t, 16) \
    ISTI_ACCESSOR_FORMS(X, i32, int32_t, 32)  \
    ISTI_ACCESSOR_FORMS(X, u32, uint32_t, 32) \
    ISTI_ACCESSOR_FORMS(X, i64, int64_t, 64)  \
    ISTI_ACCESSOR_FORMS(X, u64, uint64_t, 64) \
    ISTI_ACCESSOR_FORMS(X, f32, float, 32)    \
    ISTI_ACCESSOR_FORMS(X, f64, double, 64)   \
    X(address, void *, 64, 8, 0)              \
    X(address_unaligned, void *, 64, 1, 0)

#define ISTI_ACCESSOR_FORMS(X, name, type, bits) \
    X(name, type, bits, bits / 8, 0)             \
    X(name##_unaligned, type, bits, 1, 0)        \
    X(name##_le, type, bits, 1, ISTI_BIG_ENDIAN) \
    X(name##_be, type, bits, 1, !ISTI_BIG_ENDIAN)

#define ISTI_DEFINE_ACCESSORS(name, type, bits, alignment, swapped)                                \
    IST_INLINE type isti_load_##name(const void *place)                                            \
    {                                                                                              \
        uint##bits##_t raw;                                                                        \
        type value;                                                                                \
        __builtin_memcpy(&raw, place, sizeof raw);                                                 \
        raw = isti_order_##bits(raw, swapped);                                                     \
        __builtin_memcpy(&value, &raw, sizeof value);                                              \
        return value;                                                                              \
    }                                                                                              \
    IST_INLINE void isti_store_##name(void *place, type value)                                     \
    {                                                                                              \
        uint##bits##_t raw;                                                                        \
        __builtin_memcpy(&raw, &value, sizeof raw);                                                \
        raw = isti_order_##bits(raw, swapped);                                                     \
        __builtin_memcpy(place, &raw, sizeof raw);                                                 \
    }                                                                                              \
    IST_NODISCARD IST_INLINE ist_status ist_get_##name(ist_segment segment, size_t offset,         \
                                                       type *ret_value)                            \
    {                                                                                              \
        unsigned access = ISTI_ACCESS(sizeof(type), alignment, 0);                                 \
        uint64_t *slot;                                                                            \
        if (ISTI_LIKELY(ret_value != NULL && isti_access_begin(segment, offset, access, &slot))) { \
            *ret_value = isti_load_##name((const char *)segment.address + offset);                 \
            isti_shared_end(slot);                                                                 \
            return IST_OK;                                                                         \
        }                                                                                          \
        unsigned char raw[sizeof(type)];                                                           \
        ist_status status =                                                                        \
            isti_access_slow(segment.address, segment.size, segment.session, segment.expected,     \
                             offset, access, ret_value != NULL ? raw : NULL);                      \
        if (status == IST_OK)                                                                      \
            *ret_value = isti_load_##name(raw);                                                    \
        return status;                                                                             \
    }                                                                                              \
    IST_NODISCARD IST_INLINE ist_status ist_set_##name(ist_segment segment, size_t offset,         \
                                                       type value)                                 \
    {                                                                                              \
        unsigned access = ISTI_ACCESS(sizeof(type), alignment, 1);                                 \
        uint64_t *slot;                                                                            \
        if (ISTI_LIKELY(isti_access_begin(segment, offset, access, &slot))) {                      \
            isti_store_##name((char *)segment.address + offset, value);                            \
            isti_shared_end(slot);                                                                 \
            return IST_OK;                                                                         \
        }                                                                                          \
        unsigned char raw[sizeof(type)];                                                           \
        isti_store_##name(raw, value);                                                             \
        return isti_access_slow(segment.address, segment.size, segment.session, segment.expected,  \
                                offset, access, raw);                                              \
    }                                                                                              \
    IST_INLINE type ist_read_##name(ist_segment segment, size_t offset)                            \
    {                                                                                              \
        type value = (type)0;                                                                      \
        ist_status status = ist_get_##name(segment, offset, &value);                               \
        if (ISTI_UNLIKELY(status != IST_OK))                                                       \
            ist_failure_report(status, "ist_read_" #name);                                         \
        return value;                                                                              \
    }                                                                                              \
    IST_INLINE void ist_write_##name(ist_segment segment, size_t offset, type value)               \
    {                                                                                              \
        ist_status status = ist_set_##name(segment, offset, value);                                \
        if (ISTI_UNLIKELY(status != IST_OK))                                                       \
            ist_failure_report(status, "ist_write_" #name);                                        \
    }

ISTI_ACCESSOR_LIST(ISTI_DEFINE_ACCESSORS)

ISTI_END_INLINES
IST_END_DECLS
#endif
