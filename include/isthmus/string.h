/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_STRING_H
#define ISTHMUS_STRING_H
/*
 * Strings in segments: found by their terminator or given by their size, copied as they are, or
 * converted from and to UTF-8.
 *
 *     ist_string name;
 *     char text[64];
 *     IST_CHECK(ist_string_find(&record, 16, IST_UTF16_LE, 48, &name));  // within 48 bytes
 *     IST_CHECK(ist_string_decode(&name, IST_REPLACE, text, sizeof text, NULL));
 *     IST_CHECK(ist_string_set(&record, 64, IST_UTF16_LE, "Zoë"));
 *
 *     charset                                 unit       without a byte order
 *     IST_UTF8                                1 byte
 *     IST_UTF16  IST_UTF16_LE  IST_UTF16_BE   2 bytes    the machine's
 *     IST_UTF32  IST_UTF32_LE  IST_UTF32_BE   4 bytes    the machine's
 *     IST_ASCII  IST_LATIN1                   1 byte     the first 128 and 256 characters
 *
 * A terminator is one unit of 0. Byte order marks are characters like others: none is looked for,
 * none is written. Units lie at any address, as in wire formats; what is allocated begins at a
 * multiple of the unit, so that C code can take it for an array of char16_t or char32_t.
 *
 * Malformed text is replaced or refused, as the caller says. Replaced, it becomes U+FFFD, one for
 * each maximal subpart of an ill-formed subsequence (Unicode 15, section 3.9; the WHATWG Encoding
 * Standard): overlong forms, surrogates, what is above U+10FFFF and what ends too early are
 * malformed. A character that IST_ASCII or IST_LATIN1 lacks becomes '?' there, and so does
 * malformed text.
 *
 * Threads: as for an access, of each segment. On a shared arena a long string is converted in
 *          pieces, between which a close is not kept waiting: the status is IST_E_CLOSED then,
 *          ist_error says how far it came, and that much is in the target. Text that another thread
 *          writes to meanwhile comes out as some text, cut off where there is no more room.
 *
 * FFM: MemorySegment.getString, setString; SegmentAllocator.allocateFrom(String, Charset).
 */
#include <isthmus/allocator.h>

IST_BEGIN_DECLS
ISTI_BEGIN_INLINES

/* Values are part of the ABI. */
typedef enum ist_charset {
    IST_UTF8 = 0,
    IST_UTF16 = 1,
    IST_UTF16_LE = 2,
    IST_UTF16_BE = 3,
    IST_UTF32 = 4,
    IST_UTF32_LE = 5,
    IST_UTF32_BE = 6,
    IST_ASCII = 7,
    IST_LATIN1 = 8
} ist_charset;

/* What becomes of malformed text, and of characters that a charset lacks. */
typedef enum ist_malformed {
    IST_REPLACE = 0,
    IST_REFUSE = 1 /* IST_E_ARGUMENT; ist_error has offset and length of the first such place. */
} ist_malformed;

/* Looks as far as the segment goes. */
#define IST_NO_LIMIT SIZE_MAX

/* A string in a segment. A value; the fields are read-only to callers. */
typedef struct ist_string {
    ist_segment bytes; /* Its units, without a terminator. */
    ist_charset charset;
} ist_string;

ISTI_STATIC_ASSERT(sizeof(ist_string) == 40);

/* The bytes of a unit: 1, 2 or 4; 0 if there is no such charset. */
IST_API size_t ist_charset_unit(ist_charset charset);

/* ---- Reading ---- */

/* All of a segment as a string: what is known by its size needs no terminator, and may have 0s. */
IST_INLINE ist_string ist_string_of(ist_segment bytes, ist_charset charset)
{
    ist_string string = { bytes, charset };
    return string;
}

/*
 * Finds the string at `offset`: the units before the first that is 0. At most `limit` bytes are
 * looked at, the terminator among them.
 * Returns: IST_OK; IST_E_ARGUMENT (a NULL); IST_E_UNSUPPORTED (no such charset); IST_E_BOUNDS (the
 *          offset is outside, or no terminator is within the segment and the limit); IST_E_CLOSED;
 *          IST_E_WRONG_THREAD.
 */
IST_NODISCARD IST_API ist_status ist_string_find(const ist_segment *segment, size_t offset,
                                                 ist_charset charset, size_t limit,
                                                 ist_string *ret_string);

/*
 * Copies the units unchanged, and a terminator behind them, to a buffer that does not lie in the
 * string. *ret_size is what that takes, in bytes; ret_size may be NULL. A buffer that is NULL, of
 * capacity 0, only asks for it.
 * Returns: IST_OK; IST_E_ARGUMENT (string is NULL, buffer is NULL and capacity not 0);
 *          IST_E_UNSUPPORTED; IST_E_LAYOUT (the bytes are no multiple of the unit); IST_E_CLOSED;
 *          IST_E_WRONG_THREAD; IST_E_BOUNDS (capacity is too small: nothing is written, but
 *          *ret_size is set, to more than capacity).
 */
IST_NODISCARD IST_API ist_status ist_string_copy(const ist_string *string, void *buffer,
                                                 size_t capacity, size_t *ret_size);

/*
 * The same into a block of an allocator's, at a multiple of the unit.
 * Returns: as ist_string_copy(); IST_E_ARGUMENT (ret_segment is NULL); IST_E_OVERFLOW; whatever the
 *          allocator answers.
 */
IST_NODISCARD IST_API ist_status ist_string_copy_to(const ist_string *string,
                                                    ist_allocator allocator,
                                                    ist_segment *ret_segment);

/*
 * Converts to UTF-8, with a terminator behind it; UTF-8 too, so that what comes out is well-formed.
 * Sizes and the buffer as ist_string_copy().
 * Returns: as ist_string_copy(); IST_E_ARGUMENT (there is malformed text and it is refused; there
 *          is no such ist_malformed).
 */
IST_NODISCARD IST_API ist_status ist_string_decode(const ist_string *string,
                                                   ist_malformed malformed, char *buffer,
                                                   size_t capacity, size_t *ret_size);

/* The same into a block of an allocator's. Returns: as ist_string_decode() and copy_to(). */
IST_NODISCARD IST_API ist_status ist_string_decode_to(const ist_string *string,
                                                      ist_malformed malformed,
                                                      ist_allocator allocator,
                                                      ist_segment *ret_segment);

/* ---- Writing ---- */

/*
 * Writes a C string of UTF-8 in a charset at `offset`, and a terminator behind it. With IST_UTF8
 * its bytes are copied unchanged; elsewhere malformed text is replaced. The text does not lie in
 * the segment.
 * Returns: IST_OK; IST_E_ARGUMENT (a NULL); IST_E_UNSUPPORTED (no such charset); IST_E_READ_ONLY;
 *          IST_E_BOUNDS (no room for both: nothing is written); IST_E_CLOSED; IST_E_WRONG_THREAD.
 */
IST_NODISCARD IST_API ist_status ist_string_set(const ist_segment *segment, size_t offset,
                                                ist_charset charset, const char *text);

/*
 * The same for `size` bytes of text, which may have 0s, all of it converted as ist_malformed says,
 * to UTF-8 too. *ret_size is what was written in bytes, terminator included; ret_size may be NULL.
 * Returns: as ist_string_set(); IST_E_ARGUMENT (something is malformed, or lacking in the charset,
 *          and it is refused; there is no such ist_malformed; text is NULL and size not 0).
 */
IST_NODISCARD IST_API ist_status ist_string_encode(const ist_segment *segment, size_t offset,
                                                   ist_charset charset, ist_malformed malformed,
                                                   const char *text, size_t size, size_t *ret_size);

/* ---- Allocating ---- */

/*
 * Allocates a C string of UTF-8 in another charset, with its terminator, as ist_string_set() writes
 * it; ist_allocate_string() is the same for IST_UTF8.
 * Returns: as ist_allocate(); IST_E_ARGUMENT (text is NULL); IST_E_UNSUPPORTED (no such charset).
 */
IST_NODISCARD IST_API ist_status ist_allocate_string_in(ist_allocator allocator,
                                                        ist_charset charset, const char *text,
                                                        ist_segment *ret_segment);

/* The same as ist_string_encode() writes it. Returns: as both. */
IST_NODISCARD IST_API ist_status ist_allocate_string_encoded(ist_allocator allocator,
                                                             ist_charset charset,
                                                             ist_malformed malformed,
                                                             const char *text, size_t size,
                                                             ist_segment *ret_segment);

ISTI_END_INLINES
IST_END_DECLS
#endif
