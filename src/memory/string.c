/* SPDX-License-Identifier: MIT */
/*
 * Strings: finding their end, copying and converting them. A conversion goes through the text
 * twice, first to count what it makes and to look for what is malformed, then to write: so nothing
 * is written unless there is room for all of it. Both go in pieces, between which they look for a
 * close (A9). Between them nothing is held: that is where allocators, user code, are asked.
 *
 * Not here: what a coding is, and what is malformed (base/unicode.c).
 */
#include <isthmus/string.h>

#include "base/size.h"
#include "base/unicode.h"
#include "memory/bulk.h"

#include <string.h>

/* Of text, before conversion: at 1 ns a byte about what a copy does in four times as much. */
#define PIECE (ISTI_BULK_PIECE / 4)

#define IS_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static const isti_coding codings[] = {
    [IST_UTF8] = { ISTI_FORM_UTF_8, 1, 0, false },
    [IST_UTF16] = { ISTI_FORM_UTF_16, 2, 0, false },
    [IST_UTF16_LE] = { ISTI_FORM_UTF_16, 2, 0, IS_BIG_ENDIAN },
    [IST_UTF16_BE] = { ISTI_FORM_UTF_16, 2, 0, !IS_BIG_ENDIAN },
    [IST_UTF32] = { ISTI_FORM_UTF_32, 4, 0, false },
    [IST_UTF32_LE] = { ISTI_FORM_UTF_32, 4, 0, IS_BIG_ENDIAN },
    [IST_UTF32_BE] = { ISTI_FORM_UTF_32, 4, 0, !IS_BIG_ENDIAN },
    [IST_ASCII] = { ISTI_FORM_BYTES, 1, 0x7f, false },
    [IST_LATIN1] = { ISTI_FORM_BYTES, 1, 0xff, false },
};

/* NULL: there is no such charset. */
static const isti_coding *coding_of(ist_charset charset)
{
    size_t index = (size_t)charset;
    return index < sizeof codings / sizeof codings[0] ? &codings[index] : NULL;
}

size_t ist_charset_unit(ist_charset charset)
{
    const isti_coding *coding = coding_of(charset);
    return coding != NULL ? coding->unit : 0;
}

/* ---- Failures ---- */

static ist_status no_charset(const char *operation)
{
    return isti_fail(
        &(isti_failure){ .error = { .status = IST_E_UNSUPPORTED, .operation = operation },
                         .reason = "there is no such charset" });
}

static ist_status no_terminator(const ist_segment *segment, size_t offset, size_t looked_at)
{
    return isti_fail(&(isti_failure){ .error = { .status = IST_E_BOUNDS,
                                                 .operation = "string",
                                                 .offset = offset,
                                                 .length = looked_at,
                                                 .limit = segment->size },
                                      .parts = ISTI_PART_OFFSET | ISTI_PART_SEGMENT,
                                      .reason = "no terminator where one is looked for" });
}

static ist_status no_room(size_t size, size_t capacity)
{
    return isti_fail(&(isti_failure){ .error = { .status = IST_E_BOUNDS,
                                                 .operation = "string",
                                                 .length = size,
                                                 .limit = capacity },
                                      .parts = ISTI_PART_LENGTH,
                                      .reason = "more than the buffer has room for" });
}

static ist_status refused(const isti_transcoding *t, const char *operation)
{
    return isti_fail(&(isti_failure){ .error = { .status = IST_E_ARGUMENT,
                                                 .operation = operation,
                                                 .offset = t->faulty_at,
                                                 .length = t->faulty_size,
                                                 .limit = t->size },
                                      .parts = ISTI_PART_LENGTH | ISTI_PART_OFFSET,
                                      .reason = t->unknown ? "a character that the charset lacks"
                                                           : "malformed text" });
}

/* ---- Finding ---- */

/* The offset of the terminator, or that at which none was found yet: *ret_done is as far. */
static size_t find_end(const ist_segment *segment, const uint64_t *slot, const char *from,
                       size_t size, size_t unit, size_t *ret_done)
{
    size_t done = 0;
    while (done < size && isti_bulk_goes_on(segment, slot)) {
        size_t piece = isti_bulk_piece(size - done);
        size_t at = isti_unit_find_zero(from + done, piece, unit);
        if (at < piece) {
            *ret_done = size;
            return done + at;
        }
        done += piece;
    }
    *ret_done = done;
    return done;
}

ist_status ist_string_find(const ist_segment *segment, size_t offset, ist_charset charset,
                           size_t limit, ist_string *ret_string)
{
    if (segment == NULL || ret_string == NULL)
        return isti_fail_argument("string", segment == NULL ? "NULL where a segment is wanted"
                                                            : "NULL where the string is wanted");
    size_t unit = ist_charset_unit(charset);
    if (unit == 0)
        return no_charset("string");
    size_t left = offset <= segment->size ? segment->size - offset : 0, done;
    size_t size = (left < limit ? left : limit) / unit * unit;
    uint64_t *slot;
    ist_status status = isti_bulk_enter(segment, offset, size, 0, "string", &slot);
    if (status != IST_OK)
        return status;
    size_t end = find_end(segment, slot, isti_place(segment->address, offset), size, unit, &done);
    isti_arena_leave(slot);
    if (done != size)
        return isti_bulk_stopped(segment, "string", size, done);
    if (end == size)
        return no_terminator(segment, offset, size);
    ist_segment bytes = *segment;
    bytes.address = isti_place(bytes.address, offset);
    bytes.size = end;
    *ret_string = (ist_string){ .bytes = bytes, .charset = charset };
    return IST_OK;
}

/* ---- Converting ---- */

/* Goes through the text, or as far as a close lets it: then `at` is below `size`. */
static bool go_through(isti_transcoding *t, const isti_pair *both)
{
    while (t->at < t->size && !t->full && isti_pair_goes_on(both))
        isti_transcode(t, t->size - t->at > PIECE ? t->at + PIECE : t->size);
    return t->at == t->size || t->full;
}

/* The first time: what it makes, and whether something is refused. */
static ist_status count(isti_transcoding *t, const ist_segment *source, ist_malformed malformed,
                        const char *operation)
{
    if (malformed != IST_REPLACE && malformed != IST_REFUSE)
        return isti_fail_argument(operation, "malformed text is neither replaced nor refused");
    isti_pair both = { .first = source, .second = source };
    ist_status status = isti_bulk_enter(source, 0, source->size, 0, operation, &both.first_slot);
    if (status != IST_OK)
        return status;
    bool all = go_through(t, &both);
    isti_pair_leave(&both);
    if (!all)
        return isti_bulk_stopped(source, operation, t->size, t->at);
    return t->faulty && malformed == IST_REFUSE ? refused(t, operation) : IST_OK;
}

/* What the conversion that was counted takes, terminator included. */
static size_t size_of(const isti_transcoding *t)
{
    return t->made + t->target.unit;
}

/* The second time: into the target at an offset, with a terminator behind it. */
static ist_status write_out(isti_transcoding *t, const ist_segment *source,
                            const ist_segment *target, size_t offset, const char *operation)
{
    size_t size = size_of(t);
    ist_status status = isti_bulk_check(target, offset, size, 1, operation);
    isti_pair both = { .first = source, .second = target };
    if (status == IST_OK)
        status = isti_pair_enter(&both, 0, offset, source->size, size, operation, operation);
    if (status != IST_OK)
        return status;
    t->to = isti_place(target->address, offset);
    t->room = t->made;
    t->at = 0;
    t->made = 0;
    bool all = go_through(t, &both);
    if (all)
        memset(t->to + t->made, 0, t->target.unit);
    isti_pair_leave(&both);
    return all ? IST_OK : isti_pair_stopped(&both, operation, t->size, t->at);
}

/* ---- Reading ---- */

static ist_status check_string(const ist_string *string, const isti_coding **ret_coding)
{
    if (string == NULL)
        return isti_fail_argument("string", "NULL where a string is wanted");
    const isti_coding *coding = coding_of(string->charset);
    if (coding == NULL)
        return no_charset("string");
    if (string->bytes.size % coding->unit != 0)
        return isti_fail(&(isti_failure){ .error = { .status = IST_E_LAYOUT,
                                                     .operation = "string",
                                                     .length = string->bytes.size },
                                          .parts = ISTI_PART_LENGTH,
                                          .reason = "no multiple of the charset's unit" });
    *ret_coding = coding;
    return IST_OK;
}

static ist_status check_buffer(const void *buffer, size_t capacity)
{
    return buffer != NULL || capacity == 0
               ? IST_OK
               : isti_fail_argument("string", "NULL where a buffer is wanted");
}

/* What it takes is said on success, and where the buffer is too small. */
static ist_status say_size(ist_status status, size_t size, size_t capacity, size_t *ret_size)
{
    if (ret_size != NULL && (status == IST_OK || size > capacity))
        *ret_size = size;
    return status;
}

/* Into a target of at least the bytes and a terminator. */
static ist_status copy_units(const ist_string *string, size_t unit, const ist_segment *target)
{
    size_t size = string->bytes.size;
    ist_segment terminator;
    ist_status status = ist_segment_copy_from(target, &string->bytes);
    if (status == IST_OK)
        status = ist_segment_slice(*target, size, unit, &terminator);
    if (status == IST_OK)
        status = ist_segment_fill(&terminator, 0);
    return status;
}

ist_status
ist_string_copy(const ist_string *string, void *buffer, size_t capacity, size_t *ret_size)
{
    const isti_coding *coding;
    size_t size;
    ist_status status = check_string(string, &coding);
    if (status == IST_OK)
        status = check_buffer(buffer, capacity);
    if (status == IST_OK)
        status = isti_bulk_require(&string->bytes, 0, string->bytes.size, 0, "string");
    if (status != IST_OK)
        return status;
    if (!isti_size_add(string->bytes.size, coding->unit, &size))
        return no_room(SIZE_MAX, capacity);
    ist_segment target = ist_segment_of(buffer, size);
    if (buffer != NULL)
        status =
            size <= capacity ? copy_units(string, coding->unit, &target) : no_room(size, capacity);
    return say_size(status, size, capacity, ret_size);
}

ist_status
ist_string_copy_to(const ist_string *string, ist_allocator allocator, ist_segment *ret_segment)
{
    const isti_coding *coding;
    size_t size;
    ist_segment block;
    ist_status status = check_string(string, &coding);
    if (status == IST_OK)
        status = isti_bulk_require(&string->bytes, 0, string->bytes.size, 0, "string");
    if (status != IST_OK)
        return status;
    if (!isti_size_add(string->bytes.size, coding->unit, &size))
        return isti_fail(
            &(isti_failure){ .error = { .status = IST_E_OVERFLOW, .operation = "string" },
                             .reason = "with its terminator it is more than can be addressed" });
    status = ist_allocate_uninitialized(allocator, size, coding->unit,
                                        ret_segment != NULL ? &block : NULL);
    if (status == IST_OK)
        status = copy_units(string, coding->unit, &block);
    if (status == IST_OK)
        *ret_segment = block;
    return status;
}

static isti_transcoding decoding_of(const ist_string *string, const isti_coding *coding)
{
    return (isti_transcoding){ .source = *coding,
                               .target = codings[IST_UTF8],
                               .from = string->bytes.address,
                               .size = string->bytes.size };
}

ist_status ist_string_decode(const ist_string *string, ist_malformed malformed, char *buffer,
                             size_t capacity, size_t *ret_size)
{
    const isti_coding *coding;
    ist_status status = check_string(string, &coding);
    if (status == IST_OK)
        status = check_buffer(buffer, capacity);
    if (status != IST_OK)
        return status;
    isti_transcoding t = decoding_of(string, coding);
    status = count(&t, &string->bytes, malformed, "decoding");
    if (status != IST_OK)
        return status;
    size_t size = size_of(&t);
    ist_segment target = ist_segment_of(buffer, size);
    if (buffer != NULL)
        status = size <= capacity ? write_out(&t, &string->bytes, &target, 0, "decoding")
                                  : no_room(size, capacity);
    return say_size(status, size, capacity, ret_size);
}

ist_status ist_string_decode_to(const ist_string *string, ist_malformed malformed,
                                ist_allocator allocator, ist_segment *ret_segment)
{
    const isti_coding *coding;
    ist_segment block;
    ist_status status = check_string(string, &coding);
    if (status != IST_OK)
        return status;
    isti_transcoding t = decoding_of(string, coding);
    status = count(&t, &string->bytes, malformed, "decoding");
    if (status == IST_OK)
        status = ist_allocate_uninitialized(allocator, size_of(&t), 1,
                                            ret_segment != NULL ? &block : NULL);
    if (status == IST_OK)
        status = write_out(&t, &string->bytes, &block, 0, "decoding");
    if (status == IST_OK)
        *ret_segment = block;
    return status;
}

/* ---- Writing ---- */

/* Begins the conversion of a caller's text: it is counted. */
static ist_status begin_encoding(const ist_segment *text, ist_charset charset,
                                 ist_malformed malformed, isti_transcoding *ret_transcoding)
{
    const isti_coding *coding = coding_of(charset);
    if (text->address == NULL && text->size != 0)
        return isti_fail_argument("encoding", "NULL where text is wanted");
    if (coding == NULL)
        return no_charset("encoding");
    *ret_transcoding = (isti_transcoding){
        .source = codings[IST_UTF8], .target = *coding, .from = text->address, .size = text->size
    };
    return count(ret_transcoding, text, malformed, "encoding");
}

ist_status ist_string_encode(const ist_segment *segment, size_t offset, ist_charset charset,
                             ist_malformed malformed, const char *text, size_t size,
                             size_t *ret_size)
{
    if (segment == NULL)
        return isti_fail_argument("encoding", "NULL where a segment is wanted");
    ist_segment source = ist_segment_of_const(text, size);
    isti_transcoding t;
    ist_status status = begin_encoding(&source, charset, malformed, &t);
    if (status != IST_OK)
        return status;
    size_t written = size_of(&t);
    status = write_out(&t, &source, segment, offset, "encoding");
    if (status == IST_OK && ret_size != NULL)
        *ret_size = written;
    return status;
}

ist_status
ist_string_set(const ist_segment *segment, size_t offset, ist_charset charset, const char *text)
{
    if (segment == NULL || text == NULL)
        return isti_fail_argument("encoding", segment == NULL ? "NULL where a segment is wanted"
                                                              : "NULL where text is wanted");
    size_t size = strlen(text);
    if (charset != IST_UTF8)
        return ist_string_encode(segment, offset, charset, IST_REPLACE, text, size, NULL);
    ist_segment source = ist_segment_of_const(text, size + 1);
    return ist_segment_copy(&source, 0, segment, offset, size + 1);
}

/* ---- Allocating ---- */

ist_status ist_allocate_string_encoded(ist_allocator allocator, ist_charset charset,
                                       ist_malformed malformed, const char *text, size_t size,
                                       ist_segment *ret_segment)
{
    ist_segment source = ist_segment_of_const(text, size), block;
    isti_transcoding t;
    ist_status status = begin_encoding(&source, charset, malformed, &t);
    if (status == IST_OK)
        status = ist_allocate_uninitialized(allocator, size_of(&t), t.target.unit,
                                            ret_segment != NULL ? &block : NULL);
    if (status == IST_OK)
        status = write_out(&t, &source, &block, 0, "encoding");
    if (status == IST_OK)
        *ret_segment = block;
    return status;
}

ist_status ist_allocate_string_in(ist_allocator allocator, ist_charset charset, const char *text,
                                  ist_segment *ret_segment)
{
    if (charset == IST_UTF8 || text == NULL)
        return ist_allocate_string(allocator, text, ret_segment);
    return ist_allocate_string_encoded(allocator, charset, IST_REPLACE, text, strlen(text),
                                       ret_segment);
}
