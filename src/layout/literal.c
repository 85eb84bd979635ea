/* SPDX-License-Identifier: MIT */
/*
 * What numbers, characters and strings of C are worth: C11 6.4.4 and 6.4.5, binary numbers and the
 * suffixes of GCC. Not by strtold(), which asks the locale and sets errno; a floating constant is used for
 * its type, or for the whole part of its value.
 */
#include <string.h>
#include <wchar.h>

#include "layout/constant.h"

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

static bool same_word(const char *text, size_t length, const char *word)
{
    if (strlen(word) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];
        if (c != word[i])
            return false;
    }
    return true;
}

/* ---- Floating constants ---- */

static const struct {
    char suffix[6];
    ist_type type;
} floating_suffixes[] = {
    { "", IST_TYPE_DOUBLE },     { "f", IST_TYPE_FLOAT },          { "l", IST_TYPE_LONG_DOUBLE },
    { "f16", IST_TYPE_FLOAT16 }, { "f32", IST_TYPE_FLOAT },        { "f64", IST_TYPE_DOUBLE },
    { "f32x", IST_TYPE_DOUBLE }, { "f64x", IST_TYPE_LONG_DOUBLE }, { "f128", IST_TYPE_FLOAT128 },
    { "q", IST_TYPE_FLOAT128 },  { "w", IST_TYPE_LONG_DOUBLE },
};

static long double scaled(long double value, int exponent, long double base)
{
    for (; exponent > 0 && value != 0 && value < 1e4000L; exponent--)
        value *= base;
    for (; exponent < 0 && value != 0; exponent++)
        value /= base;
    return value;
}

/* `+12`, where there is one; beyond any exponent that matters it stays. */
static const char *take_exponent(const char *text, const char *end, int *exponent)
{
    bool is_negative = text < end && *text == '-';
    int value = 0;
    if (text < end && (*text == '-' || *text == '+'))
        text++;
    for (; text < end && digit_of(*text) < 10; text++)
        value = value < 20000 ? value * 10 + digit_of(*text) : value;
    *exponent += is_negative ? -value : value;
    return text;
}

static const char *real_number(const char *text, size_t length, bool is_hex, isti_constant *ret)
{
    const char *end = text + length;
    int base = is_hex ? 16 : 10, places = 0, exponent = 0;
    bool behind_dot = false;
    long double value = 0;
    for (; text < end && (digit_of(*text) < base || (*text == '.' && !behind_dot)); text++) {
        if (*text == '.') {
            behind_dot = true;
            continue;
        }
        value = value * base + digit_of(*text);
        places -= behind_dot;
    }
    if (text < end && (*text | 0x20) == (is_hex ? 'p' : 'e'))
        text = take_exponent(text + 1, end, &exponent);
    value = is_hex ? scaled(scaled(value, places, 16), exponent, 2)
                   : scaled(value, places + exponent, 10);
    for (size_t i = 0; i < sizeof floating_suffixes / sizeof floating_suffixes[0]; i++) {
        if (same_word(text, (size_t)(end - text), floating_suffixes[i].suffix)) {
            isti_constant exact = { .type = IST_TYPE_LONG_DOUBLE, .real = value };
            *ret = isti_constant_convert(&exact, floating_suffixes[i].type);
            return NULL;
        }
    }
    return "the number is not one of C";
}

/* ---- Integer constants ---- */

/* C11 6.4.4.1p5: the first that the value fits into, from the suffix's type on. */
static ist_type type_for(unsigned __int128 value, bool is_unsigned, int longs, bool is_decimal)
{
    static const ist_type types[] = { IST_TYPE_INT,   IST_TYPE_UINT,  IST_TYPE_LONG,
                                      IST_TYPE_ULONG, IST_TYPE_LLONG, IST_TYPE_ULLONG };
    for (size_t i = (size_t)longs * 2; i < sizeof types / sizeof types[0]; i++) {
        bool without_sign = i % 2 == 1;
        if (without_sign ? is_decimal && !is_unsigned : is_unsigned)
            continue;
        isti_constant fitted = isti_constant_int(types[i], (__int128)value);
        if (fitted.bits == value)
            return types[i];
    }
    /* GCC takes a decimal that only unsigned long has room for as __int128. */
    return value <= UINT64_MAX && is_decimal ? IST_TYPE_INT128 : IST_TYPE_NONE;
}

static bool take_suffix(const char *text, size_t length, bool *is_unsigned, int *longs)
{
    static const struct {
        char text[4];
        bool is_unsigned;
        int longs;
    } suffixes[] = { { "", false, 0 },  { "u", true, 0 },  { "l", false, 1 },  { "ll", false, 2 },
                     { "ul", true, 1 }, { "lu", true, 1 }, { "ull", true, 2 }, { "llu", true, 2 } };
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (same_word(text, length, suffixes[i].text)) {
            *is_unsigned = suffixes[i].is_unsigned;
            *longs = suffixes[i].longs;
            return true;
        }
    }
    return false;
}

static const char *whole_number(const char *text, size_t length, int base, isti_constant *ret)
{
    const char *end = text + length, *begin = text;
    unsigned __int128 value = 0;
    bool is_unsigned;
    int longs;
    for (; text < end && digit_of(*text) < base; text++) {
        value = value * (unsigned)base + (unsigned)digit_of(*text);
        if (value > UINT64_MAX)
            return "the number is too large";
    }
    if (text == begin || !take_suffix(text, (size_t)(end - text), &is_unsigned, &longs))
        return "the number is not one of C";
    ist_type type = type_for(value, is_unsigned, longs, base == 10);
    if (type == IST_TYPE_NONE)
        return "the number is too large";
    *ret = isti_constant_int(type, (__int128)value);
    return NULL;
}

const char *isti_constant_number(const isti_token *token, isti_constant *ret)
{
    const char *text = token->text;
    size_t length = token->length;
    int base = 10;
    if (length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x')
        base = 16;
    else if (length > 2 && text[0] == '0' && (text[1] | 0x20) == 'b')
        base = 2;
    size_t prefix = base != 10 ? 2 : 0;
    if (base != 2) {
        for (size_t i = prefix; i < length; i++) {
            char c = (char)(text[i] | 0x20);
            if (text[i] == '.' || c == (base == 16 ? 'p' : 'e'))
                return real_number(text + prefix, length - prefix, base == 16, ret);
        }
    }
    if (base == 10 && text[0] == '0')
        base = 8;
    return whole_number(text + prefix, length - prefix, base, ret);
}

/* ---- Characters and strings ---- */

static ist_type wide_type(void)
{
    return (wchar_t)-1 < 0 ? IST_TYPE_INT : IST_TYPE_UINT;
}

/* The type of an element behind a prefix; *text moves behind it. */
static ist_type take_prefix(const char **text)
{
    switch (**text) {
    case 'L':
        ++*text;
        return wide_type();
    case 'U':
        ++*text;
        return IST_TYPE_UINT;
    case 'u':
        *text += (*text)[1] == '8' ? 2 : 1;
        return (*text)[-1] == '8' ? IST_TYPE_CHAR : IST_TYPE_USHORT;
    default:
        return IST_TYPE_CHAR;
    }
}

static const char *take_digits(const char *text, const char *end, int base, int most, uint32_t *ret)
{
    uint32_t value = 0;
    for (; most > 0 && text < end && digit_of(*text) < base; most--)
        value = value * (uint32_t)base + (uint32_t)digit_of(*text++);
    *ret = value;
    return text;
}

/* `text` is behind the backslash. */
static const char *take_escape(const char *text, const char *end, uint32_t *ret)
{
    static const char letters[] = "abfnrtve", values[] = "\a\b\f\n\r\t\v\033";
    if (*text >= '0' && *text <= '7')
        return take_digits(text, end, 8, 3, ret);
    if (*text == 'x')
        return take_digits(text + 1, end, 16, 1 << 20, ret);
    if (*text == 'u' || *text == 'U')
        return take_digits(text + 1, end, 16, *text == 'u' ? 4 : 8, ret);
    const char *letter = strchr(letters, *text);
    *ret = (unsigned char)(letter != NULL ? values[letter - letters] : *text);
    return text + 1;
}

/* One UTF-8 character; a byte that begins none stands for itself. */
static const char *take_utf8(const char *text, const char *end, uint32_t *ret)
{
    unsigned char first = (unsigned char)*text++;
    int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
    uint32_t value = more == 0 ? first : first & (0x3Fu >> more);
    for (; more > 0 && text < end && ((unsigned char)*text & 0xC0) == 0x80; more--)
        value = value << 6 | ((unsigned char)*text++ & 0x3F);
    *ret = value;
    return text;
}

/* One element of a character or string of this type. */
static const char *take_element(const char *text, const char *end, ist_type type, uint32_t *ret)
{
    if (*text == '\\')
        return take_escape(text + 1, end, ret);
    if (type != IST_TYPE_CHAR)
        return take_utf8(text, end, ret);
    *ret = (unsigned char)*text;
    return text + 1;
}

const char *isti_constant_character(const isti_token *token, isti_constant *ret)
{
    const char *text = token->text, *end = token->text + token->length - 1;
    ist_type type = take_prefix(&text);
    uint32_t value = 0, element;
    size_t count = 0;
    for (text++; text < end; count++) {
        text = take_element(text, end, type, &element);
        value = type == IST_TYPE_CHAR ? value << 8 | (element & 0xFF) : element;
    }
    if (count == 0)
        return "the character is empty";
    if (type != IST_TYPE_CHAR)
        *ret = isti_constant_int(type, value);
    else /* One has the value of a char, several fill an int: GCC's manual, "Implementation-defined". */
        *ret = isti_constant_int(IST_TYPE_INT, count == 1 ? (char)value : (int32_t)value);
    return NULL;
}

size_t isti_string_length(const isti_token *token, ist_type *ret_type)
{
    const char *text = token->text, *end = token->text + token->length - 1;
    uint32_t element;
    size_t count = 0;
    *ret_type = take_prefix(&text);
    for (text++; text < end; count++)
        text = take_element(text, end, *ret_type, &element);
    return count;
}
