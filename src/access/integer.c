/* SPDX-License-Identifier: MIT */
/*
 * Integers of any width through a path: bit-fields, enumerations, _Bool, __int128.
 *
 * A bit-field of width w whose first bit is bit b of its first byte takes the bits b ... b + w - 1
 * of the little-endian number that its bytes make (psABI x86-64 3.1.2, AAPCS64 10.1.8). Writing one
 * reads and writes only the bytes that its bits lie in: what else they hold are bits of its
 * neighbours, one memory location with it (C11 3.14).
 */
#include <string.h>

#include "access/path.h"
#include "base/text.h"
#include "layout/layout.h"
#include "memory/arena.h"
#include "session/error.h"

_Static_assert(IST_ORDER_NATIVE == IST_ORDER_LITTLE, "bit-fields are counted from the low end");

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

enum {
    WIDE_BITS = 128,
    BYTES_MAX = WIDE_BITS / 8 + 1 /* Of a bit-field of so many bits that begins inside a byte. */
};

/* What kind of number a leaf is. */
typedef struct integer_form {
    unsigned bits; /* Its width. */
    unsigned shift;
    bool is_signed, is_bool;
} integer_form;

static ist_status form_of(const isti_path_use *use, const char *operation, integer_form *ret_form)
{
    ist_status status = isti_path_require(use, operation);
    if (status != IST_OK)
        return status;
    const ist_path *path = use->path;
    isti_class class = isti_type_class(path->type);
    bool is_bits = path->access & ISTI_PATH_BITS;
    if (class != ISTI_CLASS_BOOL && class != ISTI_CLASS_SIGNED && class != ISTI_CLASS_UNSIGNED)
        return isti_fail_text(IST_E_LAYOUT, operation, "the path leads to no integer");
    *ret_form = (integer_form){ .bits = is_bits ? path->bits : (path->access & 0xff) * 8,
                                .shift = is_bits ? path->bit_offset : 0,
                                .is_signed = class == ISTI_CLASS_SIGNED,
                                .is_bool = class == ISTI_CLASS_BOOL };
    return IST_OK;
}

static ist_status refuse_value(const integer_form *form, const char *operation)
{
    char reason[ISTI_REASON_SIZE];
    isti_text text = isti_text_in(reason, sizeof reason);
    isti_text_add(&text, "the value does not fit: the path leads to %s of %u bits",
                  form->is_bool     ? "a _Bool"
                  : form->is_signed ? "a signed integer"
                                    : "an unsigned integer",
                  form->bits);
    return isti_fail_text(IST_E_OVERFLOW, operation, reason);
}

static unsigned_wide mask_of(unsigned bits)
{
    return bits < WIDE_BITS ? ((unsigned_wide)1 << bits) - 1 : ~(unsigned_wide)0;
}

/* ---- Bits in bytes ---- */

static unsigned_wide extract(const unsigned char *bytes, const integer_form *form)
{
    unsigned_wide low, value;
    memcpy(&low, bytes, sizeof low);
    value = low >> form->shift;
    if (form->shift != 0)
        value |= (unsigned_wide)bytes[BYTES_MAX - 1] << (WIDE_BITS - form->shift);
    return value & mask_of(form->bits);
}

static void insert(unsigned char *bytes, const integer_form *form, unsigned_wide value)
{
    unsigned_wide mask = mask_of(form->bits), low;
    value &= mask;
    memcpy(&low, bytes, sizeof low);
    low = (low & ~(mask << form->shift)) | value << form->shift;
    memcpy(bytes, &low, sizeof low);
    if (form->shift != 0) {
        unsigned char high_mask = (unsigned char)(mask >> (WIDE_BITS - form->shift));
        unsigned char high = (unsigned char)(value >> (WIDE_BITS - form->shift));
        bytes[BYTES_MAX - 1] = (unsigned char)((bytes[BYTES_MAX - 1] & ~high_mask) | high);
    }
}

static void turn(const ist_path *path, unsigned char *bytes)
{
    if (path->access & ISTI_PATH_SWAPPED)
        isti_swap(bytes, path->leaf_size, path->leaf_size);
}

/* Enters the leaf of a use that is one. */
static ist_status enter(const isti_path_use *use, int writes, const char *operation,
                        void **ret_bytes, uint64_t **ret_slot)
{
    isti_path_place place;
    ist_status status = isti_path_locate(use, writes, operation, &place);
    if (status != IST_OK)
        return status;
    return isti_path_enter(&place, use->path->leaf_size, ret_bytes, ret_slot);
}

/* ---- Reading ---- */

/* The number between min and max. */
static ist_status
read_integer(const isti_path_use *use, wide min, wide max, const char *operation, wide *ret)
{
    integer_form form;
    unsigned char bytes[BYTES_MAX] = { 0 };
    void *place;
    uint64_t *slot;
    ist_status status = form_of(use, operation, &form);
    if (status == IST_OK)
        status = enter(use, 0, operation, &place, &slot);
    if (status != IST_OK)
        return status;
    memcpy(bytes, place, use->path->leaf_size);
    isti_arena_leave(slot);
    turn(use->path, bytes);
    unsigned_wide raw = extract(bytes, &form);
    if (form.is_bool)
        raw = raw != 0;
    bool is_negative = raw >> (form.bits - 1) != 0 && form.is_signed;
    if (is_negative)
        raw |= ~mask_of(form.bits);
    wide value = (wide)raw;
    bool is_huge = value < 0 && !is_negative; /* Of an unsigned __int128. */
    if (is_huge || value < min || value > max)
        return refuse_value(&form, operation);
    *ret = value;
    return IST_OK;
}

ist_status ist_path_get_integer(const ist_path *path, const ist_segment *segment,
                                size_t base_offset, const size_t *indexes, size_t index_count,
                                int64_t *ret_value)
{
    isti_path_use use = { path, segment, base_offset, indexes, index_count };
    wide value;
    if (ret_value == NULL)
        return isti_fail_argument("path read", "NULL where the value is wanted");
    ist_status status = read_integer(&use, INT64_MIN, INT64_MAX, "path read", &value);
    if (status == IST_OK)
        *ret_value = (int64_t)value;
    return status;
}

ist_status ist_path_get_unsigned(const ist_path *path, const ist_segment *segment,
                                 size_t base_offset, const size_t *indexes, size_t index_count,
                                 uint64_t *ret_value)
{
    isti_path_use use = { path, segment, base_offset, indexes, index_count };
    wide value;
    if (ret_value == NULL)
        return isti_fail_argument("path read", "NULL where the value is wanted");
    ist_status status = read_integer(&use, 0, UINT64_MAX, "path read", &value);
    if (status == IST_OK)
        *ret_value = (uint64_t)value;
    return status;
}

/* ---- Writing ---- */

static bool fits(const integer_form *form, wide value)
{
    if (form->is_bool)
        return value == 0 || value == 1;
    if (!form->is_signed)
        return value >= 0 && (unsigned_wide)value <= mask_of(form->bits);
    wide half = (wide)(mask_of(form->bits) >> 1);
    return value <= half && value >= -half - 1;
}

static ist_status write_integer(const isti_path_use *use, wide value)
{
    const char *operation = "path write";
    integer_form form;
    unsigned char bytes[BYTES_MAX] = { 0 };
    void *place;
    uint64_t *slot;
    ist_status status = form_of(use, operation, &form);
    if (status == IST_OK && !fits(&form, value))
        status = refuse_value(&form, operation);
    if (status == IST_OK)
        status = enter(use, 1, operation, &place, &slot);
    if (status != IST_OK)
        return status;
    if (use->path->access & ISTI_PATH_BITS)
        memcpy(bytes, place, use->path->leaf_size);
    insert(bytes, &form, (unsigned_wide)value);
    turn(use->path, bytes);
    memcpy(place, bytes, use->path->leaf_size);
    isti_arena_leave(slot);
    return IST_OK;
}

ist_status ist_path_set_integer(const ist_path *path, const ist_segment *segment,
                                size_t base_offset, const size_t *indexes, size_t index_count,
                                int64_t value)
{
    isti_path_use use = { path, segment, base_offset, indexes, index_count };
    return write_integer(&use, value);
}

ist_status ist_path_set_unsigned(const ist_path *path, const ist_segment *segment,
                                 size_t base_offset, const size_t *indexes, size_t index_count,
                                 uint64_t value)
{
    isti_path_use use = { path, segment, base_offset, indexes, index_count };
    return write_integer(&use, value);
}
