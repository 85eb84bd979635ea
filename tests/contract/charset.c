/* SPDX-License-Identifier: MIT */
/*
 * Conversions between UTF-8 and the other charsets. What is well-formed is compared with glibc's iconv(), what is not
 * with a decoder that follows the definitions word by word: Unicode 15, table 3-7 for what is well-formed, and section
 * 3.9 for maximal subparts.
 *
 * Usage: charset [seed]
 */
#include "support/expect.h"
#include "support/random.h"

#include <iconv.h>

/* Sanitizers get a part of the rounds: what they look for is in each of them. */
enum { PART = TEST_ASAN || TEST_TSAN ? 8 : 1 };
static test_random numbers;

typedef struct charset {
    ist_charset id;
    const char *name; /* iconv's. */
    size_t unit;
    bool big;
    uint32_t highest; /* The last character that it has. */
} charset;

/* The machine is little-endian, as far as contract/accessors.h knows. */
static const charset charsets[] = {
    { IST_UTF8, "UTF-8", 1, false, 0x10FFFF },         { IST_UTF16, "UTF-16LE", 2, false, 0x10FFFF },
    { IST_UTF16_LE, "UTF-16LE", 2, false, 0x10FFFF },  { IST_UTF16_BE, "UTF-16BE", 2, true, 0x10FFFF },
    { IST_UTF32, "UTF-32LE", 4, false, 0x10FFFF },     { IST_UTF32_LE, "UTF-32LE", 4, false, 0x10FFFF },
    { IST_UTF32_BE, "UTF-32BE", 4, true, 0x10FFFF },   { IST_ASCII, "US-ASCII", 1, false, 0x7F },
    { IST_LATIN1, "ISO-8859-1", 1, false, 0xFF },
};
enum { CHARSETS = sizeof charsets / sizeof charsets[0] };

/* ---- Bytes that grow ---- */

typedef struct bytes {
    uint8_t *data;
    size_t size, room;
} bytes;

static void add_byte(bytes *b, uint8_t value)
{
    if (b->size == b->room) {
        b->room = b->room * 2 + 64;
        b->data = realloc(b->data, b->room);
        expect(b->data != NULL);
    }
    b->data[b->size++] = value;
}

static void add_unit(bytes *b, const charset *of, uint32_t unit)
{
    for (size_t i = 0; i < of->unit; i++)
        add_byte(b, (uint8_t)(unit >> 8 * (of->big ? of->unit - 1 - i : i)));
}

static void drop(bytes *b)
{
    free(b->data);
    *b = (bytes){ 0 };
}

/* ---- The naive conversions ---- */

/* UTF-8 as the definition has it: six bits a byte, behind a lead byte that says how many. */
static void add_utf_8(bytes *b, uint32_t c)
{
    if (c < 0x80) {
        add_byte(b, (uint8_t)c);
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    add_byte(b, (uint8_t)((0xFF00u >> (more + 1) & 0xFF) | c >> 6 * more));
    while (more-- > 0)
        add_byte(b, (uint8_t)(0x80 | (c >> 6 * more & 0x3F)));
}

static void add_character(bytes *b, const charset *of, uint32_t c)
{
    if (of->id == IST_UTF8) {
        add_utf_8(b, c);
    } else if (of->unit == 2 && c > 0xFFFF) {
        add_unit(b, of, 0xD800 + ((c - 0x10000) >> 10));
        add_unit(b, of, 0xDC00 + ((c - 0x10000) & 0x3FF));
    } else {
        add_unit(b, of, c);
    }
}

/* Unicode 15, table 3-7, as ranges of up to four bytes. */
static const struct {
    int count;
    uint8_t low[4], high[4];
} well_formed[] = {
    { 1, { 0x00 }, { 0x7F } },
    { 2, { 0xC2, 0x80 }, { 0xDF, 0xBF } },
    { 3, { 0xE0, 0xA0, 0x80 }, { 0xE0, 0xBF, 0xBF } },
    { 3, { 0xE1, 0x80, 0x80 }, { 0xEC, 0xBF, 0xBF } },
    { 3, { 0xED, 0x80, 0x80 }, { 0xED, 0x9F, 0xBF } },
    { 3, { 0xEE, 0x80, 0x80 }, { 0xEF, 0xBF, 0xBF } },
    { 4, { 0xF0, 0x90, 0x80, 0x80 }, { 0xF0, 0xBF, 0xBF, 0xBF } },
    { 4, { 0xF1, 0x80, 0x80, 0x80 }, { 0xF3, 0xBF, 0xBF, 0xBF } },
    { 4, { 0xF4, 0x80, 0x80, 0x80 }, { 0xF4, 0x8F, 0xBF, 0xBF } },
};

/* How many bytes, from the first on, begin some well-formed sequence; whether they are all of one. */
static size_t longest_beginning(const uint8_t *from, size_t size, bool *ret_complete)
{
    size_t longest = 0;
    *ret_complete = false;
    for (size_t row = 0; row < sizeof well_formed / sizeof well_formed[0]; row++) {
        size_t fits = 0;
        while (fits < (size_t)well_formed[row].count && fits < size && from[fits] >= well_formed[row].low[fits] &&
               from[fits] <= well_formed[row].high[fits])
            fits++;
        if (fits > longest)
            longest = fits;
        if (fits == (size_t)well_formed[row].count)
            *ret_complete = true;
    }
    return longest;
}

typedef struct reading {
    bool ok;
    size_t used;
    uint32_t character;
} reading;

static uint32_t unit_at(const charset *of, const uint8_t *from)
{
    uint32_t unit = 0;
    for (size_t i = 0; i < of->unit; i++)
        unit |= (uint32_t)from[i] << 8 * (of->big ? of->unit - 1 - i : i);
    return unit;
}

static reading read_character(const charset *of, const uint8_t *from, size_t size)
{
    reading r = { .used = of->unit };
    if (of->id == IST_UTF8) {
        r.used = longest_beginning(from, size, &r.ok);
        r.used += r.used == 0;
        r.character = r.used == 1 ? from[0] : from[0] & (0x7Fu >> r.used);
        for (size_t i = 1; i < r.used; i++)
            r.character = r.character << 6 | (from[i] & 0x3F);
        return r;
    }
    r.character = unit_at(of, from);
    r.ok = r.character <= of->highest && !(r.character >= 0xD800 && r.character <= 0xDFFF);
    if (of->unit == 2 && r.character >= 0xD800 && r.character <= 0xDBFF && size >= 4) {
        uint32_t low = unit_at(of, from + 2);
        r.ok = low >= 0xDC00 && low <= 0xDFFF;
        r.used = r.ok ? 4 : 2;
        r.character = 0x10000 + (r.character - 0xD800) * 0x400 + (low - 0xDC00);
    }
    return r;
}

/* The text in the other charset, and where the first thing is that had to be replaced. */
typedef struct conversion {
    bytes text;
    bool faulty;
    size_t at, used;
} conversion;

static conversion convert(const charset *from, const charset *to, const uint8_t *text, size_t size)
{
    conversion c = { 0 };
    reading r;
    for (size_t at = 0; at < size; at += r.used) {
        r = read_character(from, text + at, size - at);
        if ((!r.ok || r.character > to->highest) && !c.faulty) {
            c.faulty = true;
            c.at = at;
            c.used = r.used;
        }
        uint32_t wanted = r.ok ? r.character : 0xFFFD;
        add_character(&c.text, to, wanted <= to->highest ? wanted : '?');
    }
    return c;
}

/* ---- The calls, against a conversion ---- */

static const charset *const utf_8 = &charsets[0];

static void expect_bytes(const uint8_t *got, size_t size, const bytes *wanted, size_t terminator)
{
    expect_size(size, wanted->size + terminator);
    for (size_t i = 0; i < wanted->size; i++)
        if (got[i] != wanted->data[i])
            test_failed(__FILE__, __LINE__, "byte %zu is %02x, not %02x", i, got[i], wanted->data[i]);
    expect(test_all_bytes(got + wanted->size, terminator, 0));
}

static void expect_refusal(const conversion *wanted)
{
    expect_size(test_last_error().offset, wanted->at);
    expect_size(test_last_error().length, wanted->used);
}

static void decodes(const charset *from, const uint8_t *text, size_t size, const conversion *wanted)
{
    size_t needed = 0, got_size = 0;
    uint8_t *buffer = malloc(wanted->text.size + 9);
    expect(buffer != NULL);
    memset(buffer, 0xC3, wanted->text.size + 9);
    ist_string string = ist_string_of(ist_segment_of_const(text, size), from->id);
    expect_ok(ist_string_decode(&string, IST_REPLACE, NULL, 0, &needed));
    expect_size(needed, wanted->text.size + 1);
    expect_status(ist_string_decode(&string, IST_REPLACE, (char *)buffer, needed - 1, NULL), IST_E_BOUNDS);
    expect(test_all_bytes(buffer, wanted->text.size + 9, 0xC3));
    expect_ok(ist_string_decode(&string, IST_REPLACE, (char *)buffer, needed, &got_size));
    expect_bytes(buffer, got_size, &wanted->text, 1);
    expect(test_all_bytes(buffer + needed, 8, 0xC3));
    memset(buffer, 0xC3, wanted->text.size + 9);
    got_size = 4711;
    if (wanted->faulty) {
        expect_status(ist_string_decode(&string, IST_REFUSE, (char *)buffer, needed, &got_size), IST_E_ARGUMENT);
        expect_refusal(wanted);
        expect(got_size == 4711 && test_all_bytes(buffer, wanted->text.size + 9, 0xC3));
    } else {
        expect_ok(ist_string_decode(&string, IST_REFUSE, (char *)buffer, needed + 1, &got_size));
        expect_bytes(buffer, got_size, &wanted->text, 1);
    }
    free(buffer);
}

static void encodes(const charset *to, const uint8_t *text, size_t size, const conversion *wanted)
{
    size_t needed = wanted->text.size + to->unit, got_size = 4711;
    uint8_t *room = malloc(needed + 10);
    expect(room != NULL);
    memset(room, 0xC3, needed + 10);
    /* At an odd address, with a byte to spare before and behind, and then with one too few. */
    ist_segment tight = ist_segment_of(room + 1, needed + 2), tighter = ist_segment_of(room + 1, needed + 1);
    const char *from = (const char *)text;
    expect_status(ist_string_encode(&tighter, 2, to->id, IST_REPLACE, from, size, &got_size), IST_E_BOUNDS);
    expect(got_size == 4711 && test_all_bytes(room, needed + 10, 0xC3));
    expect_status(ist_string_encode(&tight, 2, to->id, IST_REFUSE, from, size, &got_size),
                  wanted->faulty ? IST_E_ARGUMENT : IST_OK);
    if (wanted->faulty) {
        expect_refusal(wanted);
        expect(got_size == 4711 && test_all_bytes(room, needed + 10, 0xC3));
        expect_ok(ist_string_encode(&tight, 2, to->id, IST_REPLACE, from, size, &got_size));
    }
    expect_bytes(room + 3, got_size, &wanted->text, to->unit);
    expect(test_all_bytes(room, 3, 0xC3) && test_all_bytes(room + 3 + needed, 7, 0xC3));
    free(room);
}

/* The text in a charset to UTF-8, and, if it is one, what UTF-8 it might be to all charsets. */
static void try_text(const charset *from, const uint8_t *text, size_t size)
{
    conversion wanted = convert(from, utf_8, text, size);
    decodes(from, text, size, &wanted);
    drop(&wanted.text);
    for (size_t i = 0; from->id == IST_UTF8 && i < CHARSETS; i++) {
        wanted = convert(utf_8, &charsets[i], text, size);
        encodes(&charsets[i], text, size, &wanted);
        drop(&wanted.text);
    }
}

/* ---- Tests ---- */

/* Byte sequences and what they become, written by hand: U+FFFD is three bytes, ef bf bd. */
static void by_hand(void **state)
{
    (void)state;
#define X "\xef\xbf\xbd"
    static const struct {
        ist_charset from;
        const char *text;
        size_t size;
        const char *wanted;
    } cases[] = {
        /* Unicode 15, tables 3-8 to 3-11. */
        { IST_UTF8, "\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", 9, X X X X X X X X "A" },
        { IST_UTF8, "\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", 9, X X X X X X X X "A" },
        { IST_UTF8, "\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", 9, X X X X X "A" X X "B" },
        { IST_UTF8, "\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", 9, X X X X "A" },
        /* Cut off at the end, at each length. */
        { IST_UTF8, "a\xF0", 2, "a" X },
        { IST_UTF8, "a\xF0\x9F", 3, "a" X },
        { IST_UTF8, "a\xF0\x9F\x98", 4, "a" X },
        { IST_UTF8, "a\xF0\x9F\x98\x80", 5, "a\xF0\x9F\x98\x80" },
        { IST_UTF8, "\xE2\x82", 2, X },
        { IST_UTF8, "\xC3", 1, X },
        { IST_UTF8, "\xEF\xBB\xBFx", 4, "\xEF\xBB\xBFx" }, /* A byte order mark is a character. */
        { IST_UTF8, "\xF5\xF8\xFE\xFF", 4, X X X X },
        { IST_UTF16_LE, "\x3D\xD8\x00\xDE", 4, "\xF0\x9F\x98\x80" },
        { IST_UTF16_BE, "\xD8\x3D\xDE\x00", 4, "\xF0\x9F\x98\x80" },
        { IST_UTF16_BE, "\xD8\x3D", 2, X },
        { IST_UTF16_BE, "\xD8\x3D\x00\x41", 4, X "A" },
        { IST_UTF16_BE, "\xDE\x00\x00\x41", 4, X "A" },
        { IST_UTF16_BE, "\xDE\x00\xD8\x3D", 4, X X },
        { IST_UTF16_BE, "\xD8\x3D\xD8\x3D\xDE\x00", 6, X "\xF0\x9F\x98\x80" },
        { IST_UTF16_BE, "\xFE\xFF\x00\x41", 4, "\xEF\xBB\xBF" "A" },
        { IST_UTF16_LE, "\xFE\xFF\x41\x00", 4, "\xEF\xBF\xBE" "A" }, /* U+FFFE is one too. */
        { IST_UTF16_BE, "\xDB\xFF\xDF\xFF", 4, "\xF4\x8F\xBF\xBF" },
        { IST_UTF16_BE, "\xD8\x00\xDC\x00", 4, "\xF0\x90\x80\x80" },
        { IST_UTF32_BE, "\x00\x10\xFF\xFF\x00\x11\x00\x00", 8, "\xF4\x8F\xBF\xBF" X },
        { IST_UTF32_BE, "\x00\x00\xD8\x3D\x00\x00\xDE\x00", 8, X X },
        { IST_UTF32_LE, "\xAC\x20\x00\x00\xFF\xFF\xFF\xFF", 8, "\xE2\x82\xAC" X },
        { IST_ASCII, "a\x7F\x80\xFF", 4, "a\x7F" X X },
        { IST_LATIN1, "a\x7F\x80\xFF", 4, "a\x7F\xC2\x80\xC3\xBF" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        size_t size = 0;
        test_context("case %zu", i);
        ist_string string = ist_string_of(ist_segment_of_const(cases[i].text, cases[i].size), cases[i].from);
        expect_ok(ist_string_decode(&string, IST_REPLACE, text, sizeof text, &size));
        expect_size(size, strlen(cases[i].wanted) + 1);
        expect(strcmp(text, cases[i].wanted) == 0);
    }
#undef X
}

static iconv_t opened(const char *to, const char *from)
{
    iconv_t descriptor = iconv_open(to, from);
    if (descriptor == (iconv_t)-1)
        test_failed(__FILE__, __LINE__, "iconv has no %s to %s", from, to);
    return descriptor;
}

static bytes by_iconv(const charset *to, const charset *from, const bytes *text)
{
    iconv_t descriptor = opened(to->name, from->name);
    bytes made = { .room = text->size * 4 + 16 };
    made.data = malloc(made.room);
    expect(made.data != NULL);
    char *in = (char *)text->data, *out = (char *)made.data;
    size_t in_left = text->size, out_left = made.room;
    if (iconv(descriptor, &in, &in_left, &out, &out_left) != 0 || in_left != 0)
        test_failed(__FILE__, __LINE__, "iconv fails at %zu", text->size - in_left);
    made.size = made.room - out_left;
    iconv_close(descriptor);
    return made;
}

/* Text in UTF-8 that a charset has all of, there and back. */
static void there_and_back(const charset *of, const bytes *text)
{
    conversion there = { .text = by_iconv(of, utf_8, text) }, back = { .text = by_iconv(utf_8, of, &there.text) };
    expect_size(back.text.size, text->size);
    expect(text->size == 0 || memcmp(back.text.data, text->data, text->size) == 0);
    encodes(of, text->data, text->size, &there);
    decodes(of, there.text.data, there.text.size, &back);
    drop(&there.text);
    drop(&back.text);
}

/* Every character that there is, in one text, which is long enough to be converted in pieces. */
static void every_character(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHARSETS; i++) {
        bytes text = { 0 };
        test_context("%s", charsets[i].name);
        for (uint32_t c = 0; c <= charsets[i].highest; c++)
            if (c < 0xD800 || c > 0xDFFF)
                add_utf_8(&text, c);
        there_and_back(&charsets[i], &text);
        drop(&text);
    }
}

static uint32_t any_character(uint32_t highest)
{
    static const uint32_t bounds[] = { 0x7F, 0x7F, 0x7FF, 0xFFFF, 0x10FFFF };
    for (;;) {
        uint32_t bound = bounds[test_random_below(&numbers, 5)];
        uint32_t c = (uint32_t)test_random_below(&numbers, (bound < highest ? bound : highest) + 1);
        if (c < 0xD800 || c > 0xDFFF)
            return c;
    }
}

/* Well-formed text, with stretches of ASCII in between, which go by blocks. */
static void well_formed_text(void **state)
{
    (void)state;
    for (size_t round = 0; round < 2000 / PART; round++) {
        const charset *of = &charsets[round % CHARSETS];
        size_t length = (size_t)test_random_below(&numbers, round % 50 == 0 ? 60000 : 150);
        bytes text = { 0 };
        for (size_t i = 0; i < length; i++) {
            size_t run = test_random_below(&numbers, 6) == 0 ? (size_t)test_random_below(&numbers, 80) : 0;
            for (; run > 0; run--)
                add_byte(&text, (uint8_t)test_random_below(&numbers, 128));
            add_utf_8(&text, any_character(of->highest));
        }
        test_context("%s, round %zu", of->name, round);
        there_and_back(of, &text);
        drop(&text);
    }
}

/* Bytes and units that are mostly wrong, from those around which something changes. */
static void add_anything(bytes *text, const charset *of)
{
    static const uint8_t leads[] = { 0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0,
                                     0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0,
                                     0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFE, 0xFF };
    static const uint32_t units[] = { 0x00,   0x41,   0x7F,   0x80,   0xFF,    0x100,    0x7FF,    0x800,     0xD7FF,
                                      0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000,  0xFFFD,   0xFFFF,   0x10000,   0x10FFFF,
                                      0x110000, 0x7FFFFFFF, 0x80000041, 0xFFFFFFFF };
    if (of->id == IST_UTF8)
        add_byte(text, leads[test_random_below(&numbers, sizeof leads)]);
    else
        add_unit(text, of, units[test_random_below(&numbers, sizeof units / sizeof units[0])]);
}

static void malformed_text(void **state)
{
    (void)state;
    for (size_t round = 0; round < 40000 / PART; round++) {
        const charset *of = &charsets[round % CHARSETS];
        bytes text = { 0 };
        for (size_t length = (size_t)test_random_below(&numbers, 12); length > 0; length--) {
            if (test_random_below(&numbers, 3) == 0) {
                uint32_t c = any_character(of->highest);
                add_character(&text, of, c);
                while (of->id == IST_UTF8 && text.size > 1 && test_random_below(&numbers, 3) == 0)
                    text.size--; /* Cut off. */
            } else {
                add_anything(&text, of);
            }
            for (size_t run = test_random_below(&numbers, 20) == 0 ? 40 : 0; run > 0; run--)
                add_unit(&text, of, 'x');
        }
        test_context("%s, round %zu", of->name, round);
        try_text(of, text.data, text.size);
        drop(&text);
    }
}

/* Every sequence of four bytes that matters. */
static void short_sequences(void **state)
{
    (void)state;
    static const uint8_t kinds[] = { 0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2,
                                     0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF3, 0xF4, 0xF5 };
    enum { KINDS = sizeof kinds };
    for (size_t i = 0; i < KINDS * KINDS * KINDS * KINDS; i++) {
        uint8_t text[4] = { kinds[i % KINDS], kinds[i / KINDS % KINDS], kinds[i / KINDS / KINDS % KINDS],
                            kinds[i / KINDS / KINDS / KINDS] };
        conversion wanted = convert(utf_8, utf_8, text, 4);
        ist_string string = ist_string_of(ist_segment_of_const(text, 4), IST_UTF8);
        uint8_t got[16];
        size_t size = 0;
        test_context("%02x %02x %02x %02x", text[0], text[1], text[2], text[3]);
        expect_ok(ist_string_decode(&string, IST_REPLACE, (char *)got, sizeof got, &size));
        expect_bytes(got, size, &wanted.text, 1);
        drop(&wanted.text);
    }
}

/* Every three units that matter, in both orders of bytes. */
static void units_in_a_row(void **state)
{
    (void)state;
    static const uint32_t kinds[] = { 0,      0x41,   0xFF,   0xD7FF, 0xD800, 0xD801,
                                      0xDBFF, 0xDC00, 0xDC01, 0xDFFF, 0xE000, 0xFFFF };
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    for (size_t i = 0; i < CHARSETS; i++) {
        for (size_t j = 0; charsets[i].unit != 1 && j < KINDS * KINDS * KINDS; j++) {
            bytes text = { 0 };
            add_unit(&text, &charsets[i], kinds[j % KINDS]);
            add_unit(&text, &charsets[i], kinds[j / KINDS % KINDS]);
            add_unit(&text, &charsets[i], kinds[j / KINDS / KINDS]);
            test_context("%s, %zu", charsets[i].name, j);
            try_text(&charsets[i], text.data, text.size);
            drop(&text);
        }
    }
}

/* Long texts of characters of each length, so that they lie across every place where a piece may end. */
static void across_pieces(void **state)
{
    (void)state;
    static const uint32_t characters[] = { 0x41, 0xE9, 0x20AC, 0x1F600 };
    for (size_t i = 0; i < CHARSETS; i++) {
        for (size_t j = 0; j < 4; j++) {
            if (characters[j] > charsets[i].highest)
                continue;
            for (size_t shift = 0; shift < 5; shift++) {
                bytes text = { 0 };
                for (size_t k = 0; k < shift; k++)
                    add_unit(&text, &charsets[i], 'x');
                while (text.size < 300000)
                    add_character(&text, &charsets[i], characters[j]);
                if (shift == 4 && charsets[i].unit < 4)
                    text.size -= charsets[i].unit; /* Ends in the middle, perhaps. */
                test_context("%s, U+%04X, %zu", charsets[i].name, characters[j], shift);
                try_text(&charsets[i], text.data, text.size);
                drop(&text);
            }
        }
    }
}

/* What is refused is where iconv() stops. */
static void refused_where_iconv_stops(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHARSETS; i++) {
        const charset *of = &charsets[i], *to = of->id == IST_UTF8 ? &charsets[5] : utf_8;
        iconv_t descriptor = opened(to->name, of->name);
        for (size_t round = 0; round < 3000 / PART; round++) {
            bytes text = { 0 };
            for (size_t length = (size_t)test_random_below(&numbers, 10); length > 0; length--)
                add_character(&text, of, any_character(of->highest));
            for (size_t length = (size_t)test_random_below(&numbers, 4); length > 0; length--)
                add_anything(&text, of);
            char out[256], *in = (char *)text.data, *behind = out;
            size_t in_left = text.size, out_left = sizeof out, size = 0;
            iconv(descriptor, NULL, NULL, NULL, NULL);
            bool fails = text.size != 0 && iconv(descriptor, &in, &in_left, &behind, &out_left) == (size_t)-1;
            ist_string string = ist_string_of(ist_segment_of_const(text.data, text.size), of->id);
            test_context("%s, round %zu", of->name, round);
            expect_status(ist_string_decode(&string, IST_REFUSE, NULL, 0, &size), fails ? IST_E_ARGUMENT : IST_OK);
            if (fails)
                expect_size(test_last_error().offset, text.size - in_left);
            drop(&text);
        }
        iconv_close(descriptor);
    }
}

/* Characters that a charset lacks are told from malformed text. */
static void lacking_characters(void **state)
{
    (void)state;
    char room[64];
    ist_segment segment = ist_segment_of(room, sizeof room);
    size_t size = 0;
    expect_status(ist_string_encode(&segment, 0, IST_LATIN1, IST_REFUSE, "a\xC3\xA9\xE2\x82\xAC", 6, &size),
                  IST_E_ARGUMENT);
    expect_sentence("lacks");
    expect_size(test_last_error().offset, 3);
    expect_size(test_last_error().length, 3);
    expect_ok(ist_string_encode(&segment, 0, IST_LATIN1, IST_REPLACE, "a\xC3\xA9\xE2\x82\xAC", 6, &size));
    expect(size == 4 && memcmp(room, "a\xE9?", 4) == 0);
    expect_ok(ist_string_encode(&segment, 0, IST_ASCII, IST_REPLACE, "a\xC3\xA9\xE2\x82\xAC", 6, &size));
    expect(size == 4 && memcmp(room, "a??", 4) == 0);
    expect_status(ist_string_encode(&segment, 0, IST_LATIN1, IST_REFUSE, "a\x80", 2, &size), IST_E_ARGUMENT);
    expect_sentence("malformed");
}

int main(int count, char **arguments)
{
    static const struct CMUnitTest tests[] = {
        test_case(by_hand),
        test_case(every_character),
        test_case(well_formed_text),
        test_case(malformed_text),
        test_case(short_sequences),
        test_case(units_in_a_row),
        test_case(across_pieces),
        test_case(refused_where_iconv_stops),
        test_case(lacking_characters),
    };
    numbers = test_random_seeded(count, arguments, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
