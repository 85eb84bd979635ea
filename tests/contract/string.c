/* SPDX-License-Identifier: MIT */
/*
 * Strings in segments: where they end, how much is looked at and written, limits, buffers, allocators, misuse. What
 * text becomes in another charset is for charset.c.
 */
#include "support/expect.h"

#include <sys/mman.h>
#include <unistd.h>

static const ist_charset charsets[] = { IST_UTF8,  IST_UTF16,    IST_UTF16_LE, IST_UTF16_BE, IST_UTF32,
                                        IST_UTF32_LE, IST_UTF32_BE, IST_ASCII,    IST_LATIN1 };
static const size_t units[] = { 1, 2, 2, 2, 4, 4, 4, 1, 1 };
enum { CHARSETS = sizeof charsets / sizeof charsets[0], ROOM = 4096 };
static _Alignas(64) uint8_t room[ROOM];

static void charset_units(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHARSETS; i++) {
        expect(charsets[i] == (ist_charset)i); /* Values are promised. */
        expect_size(ist_charset_unit(charsets[i]), units[i]);
    }
    expect_size(ist_charset_unit((ist_charset)9), 0);
    expect_size(ist_charset_unit((ist_charset)-1), 0);
}

/* ---- Finding ---- */

/* Units that are not 0, though each but the first byte of every other one is: zeros that belong to no terminator. */
static void put_units(uint8_t *to, size_t count, size_t unit)
{
    memset(to, 0, count * unit);
    for (size_t i = 0; i < count; i++)
        to[i * unit + (i % 2 != 0 ? unit - 1 : 0)] = (uint8_t)(1 + i % 255);
}

static void finds_the_first_zero_unit(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHARSETS; i++) {
        for (size_t count = 0; count < 150; count++) {
            for (size_t start = 0; start < 9; start++) {
                size_t unit = units[i];
                ist_string string;
                test_context("charset %zu, %zu units from %zu on", i, count, start);
                memset(room, 0xFF, ROOM);
                put_units(room + 7 + start, count, unit);
                memset(room + 7 + start + count * unit, 0, unit);
                ist_segment segment = ist_segment_of(room + 7, ROOM - 7);
                expect_ok(ist_string_find(&segment, start, charsets[i], IST_NO_LIMIT, &string));
                expect(string.bytes.address == room + 7 + start && string.charset == charsets[i]);
                expect_size(string.bytes.size, count * unit);
                memset(room + 7 + start + (count + 3) * unit, 0, unit); /* A second one does not count. */
                expect_ok(ist_string_find(&segment, start, charsets[i], (count + 1) * unit, &string));
                expect_size(string.bytes.size, count * unit);
            }
        }
    }
}

/* Limits and segments that end before the terminator does, by a byte or by a unit. */
static void finds_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHARSETS; i++) {
        for (size_t count = 0; count < 140; count += count < 20 ? 1 : 17) {
            size_t unit = units[i], whole = (count + 1) * unit;
            ist_string string;
            memset(&string, 0xEE, sizeof string);
            memset(room, 0xFF, ROOM);
            put_units(room, count, unit);
            memset(room + count * unit, 0, unit);
            ist_segment segment = ist_segment_of(room, ROOM);
            for (size_t missing = 1; missing <= unit && missing <= whole; missing++) {
                test_context("charset %zu, %zu units, %zu bytes missing", i, count, missing);
                ist_segment shorter = ist_segment_of(room, whole - missing);
                expect_status(ist_string_find(&segment, 0, charsets[i], whole - missing, &string), IST_E_BOUNDS);
                expect_size(test_last_error().limit, ROOM);
                expect_status(ist_string_find(&shorter, 0, charsets[i], IST_NO_LIMIT, &string), IST_E_BOUNDS);
                expect_sentence("no terminator");
                expect_size(test_last_error().limit, whole - missing);
            }
            expect_status(ist_string_find(&segment, whole, charsets[i], IST_NO_LIMIT, &string), IST_E_BOUNDS);
            expect(test_all_bytes(&string, sizeof string, 0xEE));
        }
    }
}

static void finds_at_the_edges(void **state)
{
    (void)state;
    ist_string string;
    memset(&string, 0xEE, sizeof string);
    memset(room, 0, ROOM);
    ist_segment segment = ist_segment_of_const(room, 10);
    expect_status(ist_string_find(&segment, 10, IST_UTF8, IST_NO_LIMIT, &string), IST_E_BOUNDS);
    expect_status(ist_string_find(&segment, 11, IST_UTF8, IST_NO_LIMIT, &string), IST_E_BOUNDS);
    expect_status(ist_string_find(&segment, SIZE_MAX, IST_UTF32, IST_NO_LIMIT, &string), IST_E_BOUNDS);
    expect_status(ist_string_find(&segment, 0, IST_UTF8, 0, &string), IST_E_BOUNDS);
    expect_status(ist_string_find(&segment, 0, IST_UTF16, 1, &string), IST_E_BOUNDS);
    expect_status(ist_string_find(&segment, 9, IST_UTF16, IST_NO_LIMIT, &string), IST_E_BOUNDS);
    expect_status(ist_string_find(&segment, 0, (ist_charset)9, IST_NO_LIMIT, &string), IST_E_UNSUPPORTED);
    expect_status(ist_string_find(NULL, 0, IST_UTF8, IST_NO_LIMIT, &string), IST_E_ARGUMENT);
    expect_status(ist_string_find(&segment, 0, IST_UTF8, IST_NO_LIMIT, NULL), IST_E_ARGUMENT);
    expect(test_all_bytes(&string, sizeof string, 0xEE));
    expect_ok(ist_string_find(&segment, 9, IST_UTF8, 1, &string));
    expect_size(string.bytes.size, 0);
    expect_ok(ist_string_find(&segment, 6, IST_UTF32, 4, &string));
    uint8_t first;
    expect_status(ist_get_u8(string.bytes, 0, &first), IST_E_BOUNDS); /* The terminator is no part of it. */
    room[6] = 'x';
    expect_ok(ist_string_find(&segment, 6, IST_UTF8, IST_NO_LIMIT, &string));
    expect_status(ist_set_u8(string.bytes, 0, 1), IST_E_READ_ONLY);
}

/* Long strings, which are searched in pieces, with the terminator around every place where one may end. */
static void finds_in_pieces(void **state)
{
    (void)state;
    enum { SIZE = 300 * 1024 };
    static const size_t ends[] = { 65536, 131072, 262144 };
    uint8_t *bytes = malloc(SIZE);
    expect(bytes != NULL);
    for (size_t i = 0; i < CHARSETS; i++) {
        size_t unit = units[i];
        for (size_t j = 0; j < 3 * 5; j++) {
            for (size_t start = 0; start < 5; start++) {
                size_t end = ends[j / 5] / unit * unit + unit * (j % 5) - 2 * unit;
                ist_string string;
                test_context("charset %zu, %zu bytes from %zu on", i, end, start);
                put_units(bytes, SIZE / unit, unit);
                put_units(bytes + start, (SIZE - start) / unit, unit);
                memset(bytes + start + end, 0, unit);
                ist_segment segment = ist_segment_of(bytes, SIZE);
                expect_ok(ist_string_find(&segment, start, charsets[i], IST_NO_LIMIT, &string));
                expect_size(string.bytes.size, end);
                expect_status(ist_string_find(&segment, start, charsets[i], end, &string), IST_E_BOUNDS);
            }
        }
    }
    free(bytes);
}

/* Nothing beyond the segment's end, nor beyond the limit, is touched: the next page cannot be. */
static void nothing_beyond_is_touched(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *end = pages + page;
    char text[1024];
    expect(pages != MAP_FAILED && mprotect(end, page, PROT_NONE) == 0);
    for (size_t i = 0; i < CHARSETS; i++) {
        for (size_t size = 0; size < 300; size++) {
            size_t unit = units[i], whole = size / unit * unit;
            ist_string string;
            test_context("charset %zu, %zu bytes", i, size);
            memset(pages, 'x', page);
            ist_segment segment = ist_segment_of(end - size, size);
            ist_segment beyond = ist_segment_reinterpret_unchecked(segment, size + page);
            expect_status(ist_string_find(&segment, 0, charsets[i], IST_NO_LIMIT, &string), IST_E_BOUNDS);
            expect_status(ist_string_find(&beyond, 0, charsets[i], size, &string), IST_E_BOUNDS);
            string = ist_string_of(ist_segment_reinterpret_unchecked(segment, whole), charsets[i]);
            expect_ok(ist_string_decode(&string, IST_REPLACE, text, sizeof text, NULL));
            expect_ok(ist_string_copy(&string, text, sizeof text, NULL));
            if (whole == 0)
                continue;
            memset(end - size + whole - unit, 0, unit);
            expect_ok(ist_string_find(&segment, 0, charsets[i], IST_NO_LIMIT, &string));
            expect_size(string.bytes.size, whole - unit);
            expect_ok(ist_string_decode(&string, IST_REPLACE, text, sizeof text, NULL));
            /* Text to be written that ends there, and a place for it that does. */
            expect_ok(ist_string_encode(&segment, size - unit, charsets[i], IST_REPLACE, (char *)end, 0, NULL));
            ist_segment target = ist_segment_of(text, sizeof text);
            memset(pages, 0xE2, page); /* A lead byte at the end. */
            for (size_t tail = 0; tail < 4 && tail <= size; tail++)
                expect_ok(ist_string_encode(&target, 0, charsets[i], IST_REPLACE, (char *)end - tail, tail, NULL));
            expect_ok(ist_string_encode(&target, 0, charsets[i], IST_REPLACE, (char *)end - size / 2, size / 2, NULL));
        }
    }
    munmap(pages, 2 * page);
}

/* ---- Copying ---- */

/* Bytes as they are, malformed or not, and a terminator; no more than that is written. */
static void copies_are_unchanged(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHARSETS; i++) {
        for (size_t count = 0; count < 70; count++) {
            size_t unit = units[i], size = count * unit, needed = 0;
            uint8_t text[70 * 4], buffer[70 * 4 + 16];
            for (size_t j = 0; j < size; j++)
                text[j] = (uint8_t)(0xF0 + j % 7 * 11); /* Zeros among them, too. */
            test_context("charset %zu, %zu units", i, count);
            memset(buffer, 0xC3, sizeof buffer);
            ist_string string = ist_string_of(ist_segment_of_const(text, size), charsets[i]);
            expect_ok(ist_string_copy(&string, NULL, 0, &needed));
            expect_size(needed, size + unit);
            needed = 0;
            expect_status(ist_string_copy(&string, buffer + 1, size + unit - 1, &needed), IST_E_BOUNDS);
            expect(needed == size + unit && test_all_bytes(buffer, sizeof buffer, 0xC3));
            expect_size(test_last_error().length, size + unit);
            expect_size(test_last_error().limit, size + unit - 1);
            needed = 0;
            expect_ok(ist_string_copy(&string, buffer + 1, size + unit, &needed));
            expect(needed == size + unit && memcmp(buffer + 1, text, size) == 0);
            expect(test_all_bytes(buffer + 1 + size, unit, 0) && buffer[0] == 0xC3);
            expect(test_all_bytes(buffer + 1 + size + unit, sizeof buffer - 1 - size - unit, 0xC3));
            expect_ok(ist_string_copy(&string, buffer + 1, sizeof buffer - 1, NULL));
        }
    }
}

static void buffers_refused(void **state)
{
    (void)state;
    char text[8];
    size_t size = 4711;
    memset(text, 0xEE, sizeof text);
    ist_string string = ist_string_of(ist_segment_of_const("abcdefgh", 8), IST_UTF16);
    ist_string odd = ist_string_of(ist_segment_of_const("abcdefgh", 7), IST_UTF16);
    ist_string odder = ist_string_of(ist_segment_of_const("abcdefgh", 6), IST_UTF32_BE);
    ist_string unknown = ist_string_of(ist_segment_of_const("abcdefgh", 8), (ist_charset)9);
    ist_string without_end = ist_string_of(ist_segment_of_const("abcdefgh", SIZE_MAX), IST_UTF8);
    expect_status(ist_string_copy(&string, text, 8, &size), IST_E_BOUNDS);
    expect_size(size, 10);
    expect_status(ist_string_copy(&string, text, 0, &size), IST_E_BOUNDS);
    size = 4711;
    expect_status(ist_string_copy(&string, NULL, 8, &size), IST_E_ARGUMENT);
    expect_status(ist_string_decode(&string, IST_REPLACE, NULL, 8, &size), IST_E_ARGUMENT);
    expect_status(ist_string_copy(NULL, text, 8, &size), IST_E_ARGUMENT);
    expect_status(ist_string_decode(NULL, IST_REPLACE, text, 8, &size), IST_E_ARGUMENT);
    expect_status(ist_string_decode(&string, (ist_malformed)2, text, 8, &size), IST_E_ARGUMENT);
    expect_status(ist_string_decode(&string, (ist_malformed)-1, text, 8, &size), IST_E_ARGUMENT);
    expect_status(ist_string_copy(&odd, text, 8, &size), IST_E_LAYOUT);
    expect_status(ist_string_copy(&odder, text, 8, &size), IST_E_LAYOUT);
    expect_status(ist_string_decode(&odd, IST_REPLACE, text, 8, &size), IST_E_LAYOUT);
    expect_status(ist_string_decode(&odder, IST_REFUSE, text, 8, &size), IST_E_LAYOUT);
    expect_status(ist_string_copy(&unknown, text, 8, &size), IST_E_UNSUPPORTED);
    expect_status(ist_string_decode(&unknown, IST_REPLACE, text, 8, &size), IST_E_UNSUPPORTED);
    expect_status(ist_string_copy(&without_end, text, 8, &size), IST_E_BOUNDS);
    expect(size == 4711 && test_all_bytes(text, sizeof text, 0xEE));
    expect_ok(ist_string_decode(&string, IST_REPLACE, NULL, 0, NULL));
    expect_ok(ist_string_copy(&string, NULL, 0, NULL));
}

/* An empty string takes its terminator. */
static void empty_strings(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHARSETS; i++) {
        size_t size = 0;
        char text[4] = "xyz";
        test_context("charset %zu", i);
        ist_string string = ist_string_of(ist_segment_of(NULL, 0), charsets[i]);
        expect_ok(ist_string_decode(&string, IST_REFUSE, text, 1, &size));
        expect(size == 1 && text[0] == 0 && text[1] == 'y');
        expect_status(ist_string_decode(&string, IST_REFUSE, text, 0, &size), IST_E_BOUNDS);
        expect_ok(ist_string_copy(&string, text, 4, &size));
        expect(size == units[i] && test_all_bytes(text, units[i], 0));
        ist_segment segment = ist_segment_of(room, units[i]);
        memset(room, 0xC3, 8);
        expect_ok(ist_string_set(&segment, 0, charsets[i], ""));
        expect(test_all_bytes(room, units[i], 0) && room[units[i]] == 0xC3);
        memset(room, 0xC3, 8);
        expect_ok(ist_string_encode(&segment, 0, charsets[i], IST_REFUSE, NULL, 0, &size));
        expect(size == units[i] && test_all_bytes(room, units[i], 0) && room[units[i]] == 0xC3);
    }
}

/* ---- Writing ---- */

/* ASCII in each charset is the same number in every unit, so that one can say by hand what is written. */
static void expect_ascii(const uint8_t *at, ist_charset charset, const char *text, size_t size)
{
    size_t unit = units[charset];
    bool big = charset == IST_UTF16_BE || charset == IST_UTF32_BE;
    for (size_t i = 0; i <= size; i++)
        for (size_t j = 0; j < unit; j++)
            expect(at[i * unit + j] == (j == (big ? unit - 1 : 0) && i < size ? (uint8_t)text[i] : 0));
}

static void sets_with_room_for_both(void **state)
{
    (void)state;
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (size_t i = 0; i < CHARSETS; i++) {
        for (size_t length = 0; length < sizeof alphabet; length++) {
            char text[sizeof alphabet] = { 0 };
            size_t unit = units[i], needed = (length + 1) * unit;
            memcpy(text, alphabet, length);
            for (size_t offset = 0; offset < 4; offset++) {
                test_context("charset %zu, %zu characters at %zu", i, length, offset);
                memset(room, 0xC3, ROOM);
                ist_segment segment = ist_segment_of(room + 1, offset + needed);
                ist_segment shorter = ist_segment_of(room + 1, offset + needed - 1);
                expect_status(ist_string_set(&shorter, offset, charsets[i], text), IST_E_BOUNDS);
                expect_size(test_last_error().length, needed);
                expect(test_all_bytes(room, ROOM, 0xC3));
                expect_ok(ist_string_set(&segment, offset, charsets[i], text));
                expect_ascii(room + 1 + offset, charsets[i], text, length);
                expect(test_all_bytes(room, 1 + offset, 0xC3) && test_all_bytes(room + 1 + offset + needed, 64, 0xC3));
                ist_string string;
                char back[sizeof alphabet];
                expect_ok(ist_string_find(&segment, offset, charsets[i], IST_NO_LIMIT, &string));
                expect_ok(ist_string_decode(&string, IST_REFUSE, back, sizeof back, NULL));
                expect(strcmp(back, text) == 0);
            }
        }
    }
}

/* A given size counts, not a 0 in the text, and no 0 behind it is needed. */
static void encodes_as_much_as_is_said(void **state)
{
    (void)state;
    static const char text[] = { 'a', 0, 'b', 'c', 'd' };
    for (size_t i = 0; i < CHARSETS; i++) {
        size_t size = 0;
        ist_segment segment = ist_segment_of(room, ROOM);
        test_context("charset %zu", i);
        memset(room, 0xC3, ROOM);
        expect_ok(ist_string_encode(&segment, 3, charsets[i], IST_REFUSE, text, 4, &size));
        expect_size(size, 5 * units[i]);
        expect_ascii(room + 3, charsets[i], text, 4);
        expect(test_all_bytes(room + 3 + size, 64, 0xC3));
    }
}

/* What ist_string_set() does with malformed text: nothing in UTF-8, as ist_allocate_string() does. */
static void utf_8_is_set_unchanged(void **state)
{
    (void)state;
    ist_segment segment = ist_segment_of(room, ROOM), block;
    ist_allocator allocator = ist_prefix_allocator(&segment);
    expect_ok(ist_string_set(&segment, 0, IST_UTF8, "a\xFF\xC3"));
    expect(memcmp(room, "a\xFF\xC3", 4) == 0);
    memset(room, 0xC3, ROOM);
    expect_ok(ist_allocate_string_in(allocator, IST_UTF8, "a\xFF\xC3", &block));
    expect(block.size == 4 && memcmp(room, "a\xFF\xC3", 4) == 0 && room[4] == 0xC3);
    expect_ok(ist_string_set(&segment, 0, IST_UTF16_BE, "a\xFF"));
    expect(memcmp(room, "\0a\xFF\xFD\0\0", 6) == 0);
    expect_ok(ist_string_encode(&segment, 0, IST_UTF8, IST_REPLACE, "a\xFF", 2, NULL));
    expect(memcmp(room, "a\xEF\xBF\xBD", 5) == 0);
}

static void writes_refused(void **state)
{
    (void)state;
    size_t size = 4711;
    memset(room, 0xC3, ROOM);
    ist_segment segment = ist_segment_of(room, 8), frozen = ist_segment_as_read_only(segment);
    for (size_t i = 0; i < CHARSETS; i++) {
        ist_charset charset = charsets[i];
        test_context("charset %zu", i);
        expect_status(ist_string_set(&frozen, 999, charset, "text"), IST_E_READ_ONLY);
        expect_status(ist_string_encode(&frozen, 0, charset, IST_REPLACE, "text", 4, &size), IST_E_READ_ONLY);
        expect_status(ist_string_set(&segment, 8, charset, ""), IST_E_BOUNDS);
        expect_status(ist_string_set(&segment, 9, charset, ""), IST_E_BOUNDS);
        expect_status(ist_string_set(&segment, SIZE_MAX, charset, "a"), IST_E_BOUNDS);
        expect_status(ist_string_set(NULL, 0, charset, "text"), IST_E_ARGUMENT);
        expect_status(ist_string_set(&segment, 0, charset, NULL), IST_E_ARGUMENT);
        expect_status(ist_string_encode(NULL, 0, charset, IST_REPLACE, "text", 4, &size), IST_E_ARGUMENT);
        expect_status(ist_string_encode(&segment, 0, charset, IST_REPLACE, NULL, 1, &size), IST_E_ARGUMENT);
        expect_status(ist_string_encode(&segment, 0, charset, (ist_malformed)2, "text", 4, &size), IST_E_ARGUMENT);
    }
    expect_status(ist_string_set(&segment, 0, (ist_charset)9, "text"), IST_E_UNSUPPORTED);
    expect_status(ist_string_encode(&segment, 0, (ist_charset)-1, IST_REPLACE, "text", 4, &size), IST_E_UNSUPPORTED);
    expect(size == 4711 && test_all_bytes(room, ROOM, 0xC3));
}

/* ---- Allocating ---- */

/* Gives what is asked for from room + 3, dirty, and remembers what that was. */
typedef struct own {
    size_t zeroed, uninitialized, size, alignment;
    ist_status answer;
} own;

static ist_status give(void *context, size_t size, size_t alignment, ist_segment *ret_segment)
{
    own *o = context;
    o->uninitialized++;
    o->size = size;
    o->alignment = alignment;
    if (o->answer == IST_OK)
        *ret_segment = ist_segment_of(room + 3, size);
    return o->answer;
}

static ist_status give_zeroed(void *context, size_t size, size_t alignment, ist_segment *ret_segment)
{
    (void)size;
    (void)alignment;
    (void)ret_segment;
    ((own *)context)->zeroed++;
    return IST_E_UNSUPPORTED;
}

static ist_allocator allocator_of(own *o)
{
    *o = (own){ .answer = IST_OK };
    memset(room, 0xC3, ROOM);
    return (ist_allocator){ .allocate = give_zeroed, .allocate_uninitialized = give, .context = o };
}

/* What was asked for, once and not zeroed, and nothing written around it. */
static void expect_block(const own *o, const ist_segment *block, size_t size, size_t alignment)
{
    expect(o->zeroed == 0 && o->uninitialized == 1 && o->size == size && o->alignment == alignment);
    expect(block->address == room + 3 && block->size == size);
    expect(test_all_bytes(room, 3, 0xC3) && test_all_bytes(room + 3 + size, 64, 0xC3));
}

static void allocates(void **state)
{
    (void)state;
    own o;
    ist_segment block;
    for (size_t i = 0; i < CHARSETS; i++) {
        size_t unit = units[i];
        test_context("charset %zu", i);
        expect_ok(ist_allocate_string_in(allocator_of(&o), charsets[i], "twelve chars", &block));
        expect_block(&o, &block, 13 * unit, unit);
        expect_ascii(room + 3, charsets[i], "twelve chars", 12);
        expect_ok(ist_allocate_string_encoded(allocator_of(&o), charsets[i], IST_REFUSE, "a\0b", 3, &block));
        expect_block(&o, &block, 4 * unit, unit);
        expect_ascii(room + 3, charsets[i], "a\0b", 3);
        uint8_t units_of_it[3 * 4];
        memset(units_of_it, 'q', sizeof units_of_it);
        ist_string string = ist_string_of(ist_segment_of_const(units_of_it, 3 * unit), charsets[i]);
        expect_ok(ist_string_copy_to(&string, allocator_of(&o), &block));
        expect_block(&o, &block, 4 * unit, unit);
        expect(test_all_bytes(room + 3, 3 * unit, 'q') && test_all_bytes(room + 3 + 3 * unit, unit, 0));
        char text[32];
        size_t size;
        expect_ok(ist_string_decode(&string, IST_REPLACE, text, sizeof text, &size));
        expect_ok(ist_string_decode_to(&string, IST_REPLACE, allocator_of(&o), &block));
        expect_block(&o, &block, size, 1);
        expect(memcmp(room + 3, text, size) == 0);
    }
}

static void allocations_refused(void **state)
{
    (void)state;
    own o;
    ist_allocator allocator = allocator_of(&o);
    ist_segment block;
    memset(&block, 0xEE, sizeof block);
    ist_string string = ist_string_of(ist_segment_of_const("a\xFF", 2), IST_UTF8);
    ist_string odd = ist_string_of(ist_segment_of_const("abc", 3), IST_UTF16);
    ist_string unknown = ist_string_of(ist_segment_of_const("abc", 3), (ist_charset)9);
    ist_string without_end = ist_string_of(ist_segment_of_const("abc", SIZE_MAX), IST_LATIN1);
    expect_status(ist_allocate_string_in(allocator, IST_UTF16, NULL, &block), IST_E_ARGUMENT);
    expect_status(ist_allocate_string_in(allocator, IST_UTF16, "a", NULL), IST_E_ARGUMENT);
    expect_status(ist_allocate_string_in(allocator, (ist_charset)9, "a", &block), IST_E_UNSUPPORTED);
    expect_status(ist_allocate_string_encoded(allocator, IST_UTF16, IST_REFUSE, NULL, 1, &block), IST_E_ARGUMENT);
    expect_status(ist_allocate_string_encoded(allocator, IST_UTF16, IST_REFUSE, "a", 1, NULL), IST_E_ARGUMENT);
    expect_status(ist_allocate_string_encoded(allocator, IST_UTF16, IST_REFUSE, "a\xFF", 2, &block), IST_E_ARGUMENT);
    expect_status(ist_allocate_string_encoded(allocator, IST_UTF8, IST_REFUSE, "a\xFF", 2, &block), IST_E_ARGUMENT);
    expect_status(ist_allocate_string_encoded(allocator, IST_UTF8, (ist_malformed)2, "a", 1, &block), IST_E_ARGUMENT);
    expect_status(ist_string_copy_to(&string, allocator, NULL), IST_E_ARGUMENT);
    expect_status(ist_string_copy_to(NULL, allocator, &block), IST_E_ARGUMENT);
    expect_status(ist_string_copy_to(&odd, allocator, &block), IST_E_LAYOUT);
    expect_status(ist_string_copy_to(&unknown, allocator, &block), IST_E_UNSUPPORTED);
    expect_status(ist_string_copy_to(&without_end, allocator, &block), IST_E_OVERFLOW);
    expect_status(ist_string_decode_to(&string, IST_REPLACE, allocator, NULL), IST_E_ARGUMENT);
    expect_status(ist_string_decode_to(NULL, IST_REPLACE, allocator, &block), IST_E_ARGUMENT);
    expect_status(ist_string_decode_to(&string, IST_REFUSE, allocator, &block), IST_E_ARGUMENT);
    expect_status(ist_string_decode_to(&odd, IST_REPLACE, allocator, &block), IST_E_LAYOUT);
    expect_status(ist_string_decode_to(&unknown, IST_REPLACE, allocator, &block), IST_E_UNSUPPORTED);
    expect(o.uninitialized == 0 && o.zeroed == 0);
    o.answer = IST_E_NO_MEMORY;
    expect_answer(ist_allocate_string_in(allocator, IST_UTF16, "a", &block), IST_E_NO_MEMORY);
    expect_answer(ist_string_copy_to(&string, allocator, &block), IST_E_NO_MEMORY);
    expect_answer(ist_string_decode_to(&string, IST_REPLACE, allocator, &block), IST_E_NO_MEMORY);
    expect(test_all_bytes(&block, sizeof block, 0xEE) && test_all_bytes(room, ROOM, 0xC3));
}

/* From an arena, beginning where the units want it, in every charset, one behind the other. */
static void allocates_from_arenas(void **state)
{
    (void)state;
    static const char greeting[] = "Gr\xC3\xBC\xC3\x9F" "e";
    ist_arena arena;
    ist_segment blocks[CHARSETS];
    expect_ok(ist_arena_open_confined(&arena));
    for (size_t i = 0; i < CHARSETS; i++) {
        test_context("charset %zu", i);
        expect_ok(ist_allocate_string_in(ist_arena_allocator(&arena), charsets[i], greeting, &blocks[i]));
        expect(ist_segment_address(blocks[i]) % units[i] == 0);
    }
    for (size_t i = 0; i < CHARSETS; i++) {
        ist_string string;
        ist_segment text;
        test_context("charset %zu", i);
        expect_ok(ist_string_find(&blocks[i], 0, charsets[i], IST_NO_LIMIT, &string));
        expect_ok(ist_string_decode_to(&string, IST_REFUSE, ist_arena_allocator(&arena), &text));
        expect(strcmp(text.address, charsets[i] == IST_ASCII ? "Gr??e" : greeting) == 0);
    }
    expect_ok(ist_arena_close(arena));
    ist_string string;
    expect_status(ist_string_find(&blocks[0], 0, IST_UTF8, IST_NO_LIMIT, &string), IST_E_CLOSED);
    expect_status(ist_string_find(&blocks[0], 999, IST_UTF8, IST_NO_LIMIT, &string), IST_E_BOUNDS);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(charset_units),
        test_case(finds_the_first_zero_unit),
        test_case(finds_none),
        test_case(finds_at_the_edges),
        test_case(finds_in_pieces),
        test_case(nothing_beyond_is_touched),
        test_case(copies_are_unchanged),
        test_case(buffers_refused),
        test_case(empty_strings),
        test_case(sets_with_room_for_both),
        test_case(encodes_as_much_as_is_said),
        test_case(utf_8_is_set_unchanged),
        test_case(writes_refused),
        test_case(allocates),
        test_case(allocations_refused),
        test_case(allocates_from_arenas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
