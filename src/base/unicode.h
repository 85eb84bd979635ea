/* SPDX-License-Identifier: MIT */
#ifndef ISTI_BASE_UNICODE_H
#define ISTI_BASE_UNICODE_H
/*
 * Text between UTF-8 and other codings, and where text ends.
 *
 * Malformed text becomes U+FFFD, one for each maximal subpart of an ill-formed subsequence: as much
 * of it as could have begun a character, at least one code unit (Unicode 15, 3.9, D93b and "U+FFFD
 * Substitution of Maximal Subparts"; the decoders of the WHATWG Encoding Standard do the same). A
 * character that the target does not have becomes '?'.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum isti_coding_form {
    ISTI_FORM_UTF_8,
    ISTI_FORM_UTF_16,
    ISTI_FORM_UTF_32,
    ISTI_FORM_BYTES, /* A byte is the number of its character, up to `highest`. */
} isti_coding_form;

typedef struct isti_coding {
    isti_coding_form form;
    uint8_t unit;    /* Bytes of a code unit; the terminator is one unit of 0. */
    uint8_t highest; /* BYTES: 0x7f or 0xff. */
    bool swapped;    /* The bytes of a unit are not in the machine's order. */
} isti_coding;

/*
 * A conversion that is under way; one of its two codings is UTF-8. Nothing is read beyond `size`
 * and nothing is written beyond `room`, also if the text changes meanwhile.
 */
typedef struct isti_transcoding {
    isti_coding source, target;
    const unsigned char *from;
    size_t size;       /* Bytes: a multiple of the unit. */
    size_t at;         /* Where the next character begins. */
    unsigned char *to; /* NULL: what would be written is counted. */
    size_t room;       /* Bytes; of no account while counting. */
    size_t made;       /* Bytes that were written or counted. */
    bool full;         /* There was no room for the next character: the end. */
    bool faulty;       /* Something was replaced; the first such thing: */
    bool unknown;      /* It is a character that the target does not have; else malformed. */
    size_t faulty_at, faulty_size;
} isti_transcoding;

/* Converts the characters that begin before `stop`, at most `size`; they may end behind it. */
void isti_transcode(isti_transcoding *transcoding, size_t stop);

/* The offset of the first unit that is 0, at any address; `size`, a multiple of `unit`: none is. */
size_t isti_unit_find_zero(const void *from, size_t size, size_t unit);

#endif
