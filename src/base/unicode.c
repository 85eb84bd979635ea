/* SPDX-License-Identifier: MIT */
/*
 * Transcoding: one loop that reads a character and writes it, compiled for each pair of forms. The
 * loop works on a copy of the transcoding, which the bytes that it writes cannot alias. Where text
 * is ASCII it goes by blocks of 16 characters; a block that is not is not tried again before its
 * end.
 *
 * Each byte of text is loaded once for each decision: text that another thread writes to may come
 * out as any text, but is never read or written out of bounds.
 */
#include "base/unicode.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef unsigned char byte;

#define REPLACEMENT UINT32_C(0xfffd)
#define HIGHEST UINT32_C(0x10ffff)

static bool is_surrogate(uint32_t character)
{
    return character >= 0xd800 && character <= 0xdfff;
}

/* ---- Reading ---- */

/*
 * Each reads the character at *at, which is below size, and moves *at behind it; or, of malformed
 * text, behind a maximal subpart, and returns false.
 */

/* Unicode 15, table 3-7: what may follow the lead byte, and that nothing else may. */
ALWAYS_INLINE bool read_utf_8(const byte *from, size_t size, size_t *at, uint32_t *ret_character)
{
    uint32_t lead = from[(*at)++], character = lead;
    unsigned low = 0x80, high = 0xbf, more;
    if (lead < 0x80) {
        more = 0;
    } else if (lead >= 0xc2 && lead <= 0xdf) {
        more = 1;
        character &= 0x1f;
    } else if ((lead & 0xf0) == 0xe0) {
        more = 2;
        character &= 0x0f;
        low = lead == 0xe0 ? 0xa0 : low;   /* Else it would be overlong. */
        high = lead == 0xed ? 0x9f : high; /* Else a surrogate. */
    } else if (lead >= 0xf0 && lead <= 0xf4) {
        more = 3;
        character &= 0x07;
        low = lead == 0xf0 ? 0x90 : low;
        high = lead == 0xf4 ? 0x8f : high; /* Else above U+10FFFF. */
    } else {
        return false;
    }
    for (; more != 0; more--) {
        unsigned next = *at < size ? from[*at] : 0;
        if (next < low || next > high)
            return false;
        character = character << 6 | (next & 0x3f);
        low = 0x80;
        high = 0xbf;
        ++*at;
    }
    *ret_character = character;
    return true;
}

ALWAYS_INLINE uint32_t load_16(const byte *from, bool swapped)
{
    uint16_t unit;
    memcpy(&unit, from, sizeof unit);
    return swapped ? __builtin_bswap16(unit) : unit;
}

ALWAYS_INLINE uint32_t load_32(const byte *from, bool swapped)
{
    uint32_t unit;
    memcpy(&unit, from, sizeof unit);
    return swapped ? __builtin_bswap32(unit) : unit;
}

ALWAYS_INLINE bool
read_utf_16(const byte *from, size_t size, size_t *at, bool swapped, uint32_t *ret_character)
{
    uint32_t first = load_16(from + *at, swapped);
    *at += 2;
    if (is_surrogate(first)) {
        uint32_t second = first < 0xdc00 && *at < size ? load_16(from + *at, swapped) : 0;
        if (second < 0xdc00 || second > 0xdfff)
            return false;
        *at += 2;
        first = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    }
    *ret_character = first;
    return true;
}

ALWAYS_INLINE bool read(isti_transcoding *t, isti_coding_form form, uint32_t *ret_character)
{
    switch (form) {
    case ISTI_FORM_UTF_8:
        return read_utf_8(t->from, t->size, &t->at, ret_character);
    case ISTI_FORM_UTF_16:
        return read_utf_16(t->from, t->size, &t->at, t->source.swapped, ret_character);
    case ISTI_FORM_UTF_32:
        *ret_character = load_32(t->from + t->at, t->source.swapped);
        t->at += 4;
        return *ret_character <= HIGHEST && !is_surrogate(*ret_character);
    default:
        *ret_character = t->from[t->at++];
        return *ret_character <= t->source.highest;
    }
}

/* ---- Writing ---- */

/* Each writes a character that the form has, and returns how many bytes that takes. */

ALWAYS_INLINE size_t size_in_utf_8(uint32_t character)
{
    return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

ALWAYS_INLINE void write_utf_8(byte *to, uint32_t character, size_t size)
{
    static const byte leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = size - 1; i > 0; i--) {
        to[i] = (byte)(0x80 | (character & 0x3f));
        character >>= 6;
    }
    to[0] = (byte)(leads[size] | character);
}

ALWAYS_INLINE void store_16(byte *to, uint32_t unit, bool swapped)
{
    uint16_t raw = (uint16_t)unit;
    raw = swapped ? __builtin_bswap16(raw) : raw;
    memcpy(to, &raw, sizeof raw);
}

ALWAYS_INLINE void write_utf_16(byte *to, uint32_t character, size_t size, bool swapped)
{
    if (size == 2) {
        store_16(to, character, swapped);
    } else {
        store_16(to, 0xd800 + ((character - 0x10000) >> 10), swapped);
        store_16(to + 2, 0xdc00 + (character & 0x3ff), swapped);
    }
}

ALWAYS_INLINE void write_utf_32(byte *to, uint32_t character, bool swapped)
{
    character = swapped ? __builtin_bswap32(character) : character;
    memcpy(to, &character, sizeof character);
}

ALWAYS_INLINE size_t size_in(isti_coding_form form, uint32_t character)
{
    return form == ISTI_FORM_UTF_8    ? size_in_utf_8(character)
           : form == ISTI_FORM_UTF_16 ? (character >= 0x10000 ? 4 : 2)
           : form == ISTI_FORM_UTF_32 ? 4
                                      : 1;
}

/* Returns false if there is no room for it. */
ALWAYS_INLINE bool
write(isti_transcoding *t, isti_coding_form form, bool counts, uint32_t character)
{
    size_t size = size_in(form, character);
    if (!counts) {
        byte *to = t->to + t->made;
        if (t->room - t->made < size)
            return false;
        if (form == ISTI_FORM_UTF_8)
            write_utf_8(to, character, size);
        else if (form == ISTI_FORM_UTF_16)
            write_utf_16(to, character, size, t->target.swapped);
        else if (form == ISTI_FORM_UTF_32)
            write_utf_32(to, character, t->target.swapped);
        else
            *to = (byte)character;
    }
    t->made += size;
    return true;
}

/* ---- Blocks of ASCII ---- */

#define BLOCK 16 /* Characters. */

typedef uint8_t bytes_8 __attribute__((vector_size(8)));
typedef uint8_t bytes_16 __attribute__((vector_size(16)));
typedef uint16_t units_8 __attribute__((vector_size(16)));
typedef uint16_t units_16 __attribute__((vector_size(32)));
typedef uint32_t quads_8 __attribute__((vector_size(32)));

/* The bits that no unit of ASCII has, for eight bytes of units. */
ALWAYS_INLINE uint64_t bits_beyond_ascii(size_t unit, bool swapped)
{
    uint64_t bits = unit == 1   ? UINT64_C(0x8080808080808080)
                    : unit == 2 ? UINT64_C(0xff80ff80ff80ff80)
                                : UINT64_C(0xffffff80ffffff80);
    return swapped ? __builtin_bswap64(bits) : bits;
}

ALWAYS_INLINE bool is_ascii(const byte *from, size_t unit, bool swapped)
{
    uint64_t words[BLOCK / sizeof(uint64_t) * 4], all = 0;
    memcpy(words, from, BLOCK * unit);
    for (size_t i = 0; i < BLOCK * unit / sizeof(uint64_t); i++)
        all |= words[i];
    return (all & bits_beyond_ascii(unit, swapped)) == 0;
}

/*
 * Copies a block of which one side has bytes. A swapped unit has its character in the byte at the
 * other end. GCC 12 makes instructions on vectors of conversions between neighbouring widths alone.
 */
ALWAYS_INLINE void widen_2(byte *to, const byte *from, bool swapped)
{
    bytes_16 narrow;
    memcpy(&narrow, from, sizeof narrow);
    units_16 wide = __builtin_convertvector(narrow, units_16);
    wide = swapped ? wide << 8 : wide;
    memcpy(to, &wide, sizeof wide);
}

ALWAYS_INLINE void narrow_2(byte *to, const byte *from, bool swapped)
{
    units_16 wide;
    memcpy(&wide, from, sizeof wide);
    bytes_16 narrow = __builtin_convertvector(swapped ? wide >> 8 : wide, bytes_16);
    memcpy(to, &narrow, sizeof narrow);
}

ALWAYS_INLINE void widen_4(byte *to, const byte *from, bool swapped)
{
    bytes_8 narrow;
    memcpy(&narrow, from, sizeof narrow);
    quads_8 wide = __builtin_convertvector(__builtin_convertvector(narrow, units_8), quads_8);
    wide = swapped ? wide << 24 : wide;
    memcpy(to, &wide, sizeof wide);
}

ALWAYS_INLINE void narrow_4(byte *to, const byte *from, bool swapped)
{
    quads_8 wide;
    memcpy(&wide, from, sizeof wide);
    units_8 units = __builtin_convertvector(swapped ? wide >> 24 : wide, units_8);
    bytes_8 narrow = __builtin_convertvector(units, bytes_8);
    memcpy(to, &narrow, sizeof narrow);
}

ALWAYS_INLINE void copy_ascii(isti_transcoding *t, size_t to_unit, size_t from_unit)
{
    byte *to = t->to + t->made;
    const byte *from = t->from + t->at;
    if (to_unit == 2)
        widen_2(to, from, t->target.swapped);
    else if (from_unit == 2)
        narrow_2(to, from, t->source.swapped);
    else if (to_unit == 4)
        for (size_t i = 0; i < BLOCK; i += 8)
            widen_4(to + 4 * i, from + i, t->target.swapped);
    else if (from_unit == 4)
        for (size_t i = 0; i < BLOCK; i += 8)
            narrow_4(to + i, from + 4 * i, t->source.swapped);
    else
        memcpy(to, from, BLOCK);
}

ALWAYS_INLINE size_t unit_of(isti_coding_form form)
{
    return form == ISTI_FORM_UTF_16 ? 2 : form == ISTI_FORM_UTF_32 ? 4 : 1;
}

/* Goes on for as long as there are whole blocks; returns from where on to try again. */
ALWAYS_INLINE size_t go_by_blocks(isti_transcoding *t, size_t stop, isti_coding_form source,
                                  isti_coding_form target, bool counts)
{
    size_t read_size = BLOCK * unit_of(source), write_size = BLOCK * unit_of(target);
    while (stop - t->at >= read_size && (counts || t->room - t->made >= write_size)) {
        if (!is_ascii(t->from + t->at, unit_of(source), t->source.swapped))
            break;
        if (!counts)
            copy_ascii(t, unit_of(target), unit_of(source));
        t->at += read_size;
        t->made += write_size;
    }
    return t->at + read_size;
}

/* ---- The loop ---- */

ALWAYS_INLINE void note(isti_transcoding *t, size_t at, bool unknown)
{
    if (t->faulty)
        return;
    t->faulty = true;
    t->unknown = unknown;
    t->faulty_at = at;
    t->faulty_size = t->at - at;
}

ALWAYS_INLINE void convert(isti_transcoding *transcoding, size_t stop, isti_coding_form source,
                           isti_coding_form target, bool counts)
{
    isti_transcoding t = *transcoding;
    size_t next_block = t.at;
    while (t.at < stop) {
        size_t at = t.at;
        uint32_t character;
        if (at >= next_block) {
            next_block = go_by_blocks(&t, stop, source, target, counts);
            if (t.at >= stop)
                break;
            at = t.at;
        }
        if (!read(&t, source, &character)) {
            note(&t, at, false);
            character = REPLACEMENT;
        }
        if (target == ISTI_FORM_BYTES && character > t.target.highest) {
            note(&t, at, true);
            character = '?';
        }
        if (!write(&t, target, counts, character)) {
            t.at = at;
            t.full = true;
            break;
        }
    }
    *transcoding = t;
}

#define CONVERT(source, target)                                               \
    static void convert_##source##_##target(isti_transcoding *t, size_t stop) \
    {                                                                         \
        if (t->to == NULL)                                                    \
            convert(t, stop, ISTI_FORM_##source, ISTI_FORM_##target, true);   \
        else                                                                  \
            convert(t, stop, ISTI_FORM_##source, ISTI_FORM_##target, false);  \
    }
CONVERT(UTF_8, UTF_8)
CONVERT(UTF_16, UTF_8)
CONVERT(UTF_32, UTF_8)
CONVERT(BYTES, UTF_8)
CONVERT(UTF_8, UTF_16)
CONVERT(UTF_8, UTF_32)
CONVERT(UTF_8, BYTES)

void isti_transcode(isti_transcoding *transcoding, size_t stop)
{
    static void (*const from[])(isti_transcoding *, size_t) = {
        [ISTI_FORM_UTF_8] = convert_UTF_8_UTF_8,
        [ISTI_FORM_UTF_16] = convert_UTF_16_UTF_8,
        [ISTI_FORM_UTF_32] = convert_UTF_32_UTF_8,
        [ISTI_FORM_BYTES] = convert_BYTES_UTF_8,
    };
    static void (*const to[])(isti_transcoding *, size_t) = {
        [ISTI_FORM_UTF_8] = convert_UTF_8_UTF_8,
        [ISTI_FORM_UTF_16] = convert_UTF_8_UTF_16,
        [ISTI_FORM_UTF_32] = convert_UTF_8_UTF_32,
        [ISTI_FORM_BYTES] = convert_UTF_8_BYTES,
    };
    if (transcoding->target.form == ISTI_FORM_UTF_8)
        from[transcoding->source.form](transcoding, stop);
    else
        to[transcoding->target.form](transcoding, stop);
}

/* ---- The end of text ---- */

typedef uint16_t lanes_2 __attribute__((vector_size(16)));
typedef uint32_t lanes_4 __attribute__((vector_size(16)));
typedef uint64_t lanes_8 __attribute__((vector_size(16)));

/* Whether a block of 64 bytes has a unit that is 0. */
ALWAYS_INLINE bool has_zero(const byte *from, size_t unit)
{
    lanes_8 all = { 0 }, vector;
    for (size_t i = 0; i < 64; i += sizeof vector) {
        memcpy(&vector, from + i, sizeof vector);
        all |= unit == 2 ? (lanes_8)((lanes_2)vector == 0) : (lanes_8)((lanes_4)vector == 0);
    }
    return (all[0] | all[1]) != 0;
}

ALWAYS_INLINE size_t find_zero(const byte *from, size_t size, size_t unit)
{
    size_t at = 0;
    while (size - at >= 64 && !has_zero(from + at, unit))
        at += 64;
    while (at < size && (unit == 2 ? load_16(from + at, false) : load_32(from + at, false)) != 0)
        at += unit;
    return at;
}

size_t isti_unit_find_zero(const void *from, size_t size, size_t unit)
{
    if (size == 0)
        return 0;
    if (unit == 2)
        return find_zero(from, size, 2);
    if (unit == 4)
        return find_zero(from, size, 4);
    const byte *found = memchr(from, 0, size);
    return found != NULL ? (size_t)(found - (const byte *)from) : size;
}
