/* SPDX-License-Identifier: MIT */
/*
 * Layouts as a table, one line for each member, with what lies between them:
 *
 *       offset    size  struct sample
 *            0       1      char kind
 *            1       3      (hole)
 *            4       4      int value
 *            8   3 bit      unsigned int mode : 3
 *          8:3  29 bit      (padding)
 *     struct sample: 12 bytes, alignment 4, 3 members, 1 hole of 3 bytes, 29 bits of padding
 *
 * Members of groups inside follow the group, with offsets from the beginning of all; of an array of groups
 * they are those of its first element.
 */
#include <inttypes.h>
#include <stdio.h>

#include "layout/print.h"

#define BYTE_BITS 8
#define INDENT 4
/* What types refer to twice is shown twice, and so on: a table ends at this many lines. */
#define LINES_MAX 20000

typedef struct table_state {
    isti_writer *writer;
    size_t lines;
} table_state;

/* What is left out between members, in bits. */
typedef struct gaps_found {
    size_t count, bits;
} gaps_found;

static bool has_no_word(void *context, const ist_layout *type)
{
    (void)context;
    (void)type;
    return false;
}

static void spell(isti_writer *writer, const ist_layout *type, const char *name)
{
    const isti_speller speller = { .has_word = has_no_word, .is_brief = true };
    isti_spell(&speller, writer, type, name);
}

static void write_bits(char *text, size_t size, size_t bits)
{
    if (bits % BYTE_BITS == 0)
        snprintf(text, size, "%zu", bits / BYTE_BITS);
    else
        snprintf(text, size, "%zu bit", bits);
}

/* Offset and size; false where the table has enough lines. */
static bool begin_line(table_state *table, size_t level, size_t bit_offset, size_t bits)
{
    char size[32], place[32];
    if (table->lines++ >= LINES_MAX)
        return false;
    write_bits(size, sizeof size, bits);
    if (bit_offset % BYTE_BITS == 0)
        snprintf(place, sizeof place, "%zu", bit_offset / BYTE_BITS);
    else
        snprintf(place, sizeof place, "%zu:%zu", bit_offset / BYTE_BITS, bit_offset % BYTE_BITS);
    isti_write(table->writer, "%12s  %10s  ", place, size);
    isti_write_spaces(table->writer, level * INDENT);
    return true;
}

static void write_gap(table_state *table, size_t level, size_t begin, size_t end, const char *what)
{
    if (begin_line(table, level, begin, end - begin))
        isti_write(table->writer, "(%s)\n", what);
}

/* The group that a member consists of, by itself or in an array; NULL: none. */
static const ist_layout *group_of(const ist_layout *layout)
{
    while (layout->kind == IST_LAYOUT_SEQUENCE)
        layout = layout->of.element;
    return isti_layout_is_group(layout) ? layout : NULL;
}

static size_t bits_of(const isti_member *member)
{
    return isti_member_is_bits(member) ? isti_member_width(member)
                                       : member->layout->size * BYTE_BITS;
}

static bool is_foreign(const ist_layout *layout)
{
    while (layout->kind == IST_LAYOUT_SEQUENCE)
        layout = layout->of.element;
    return layout->order != IST_ORDER_NATIVE;
}

static void write_members(table_state *table, const ist_layout *group, size_t level, size_t begin,
                          gaps_found *holes, gaps_found *padding);

static void write_member(table_state *table, const isti_member *member, size_t level, size_t begin)
{
    const ist_layout *group = group_of(member->layout);
    gaps_found ignored;
    if (!begin_line(table, level, begin, bits_of(member)))
        return;
    spell(table->writer, member->layout, member->name);
    if (isti_member_is_bits(member))
        isti_write(table->writer, " : %zu", isti_member_width(member));
    if (is_foreign(member->layout))
        isti_write(table->writer,
                   IST_ORDER_NATIVE == IST_ORDER_LITTLE ? " (big-endian)" : " (little-endian)");
    isti_write(table->writer, "\n");
    if (group != NULL && !isti_member_is_bits(member))
        write_members(table, group, level + 1, begin, &ignored, &ignored);
}

/* The lines of a group whose first bit is at `begin`. */
static void write_members(table_state *table, const ist_layout *group, size_t level, size_t begin,
                          gaps_found *holes, gaps_found *padding)
{
    size_t end = 0;
    gaps_found between = { 0, 0 }, behind = { 0, 0 };
    for (size_t i = 0; i < group->count && table->lines < LINES_MAX; i++) {
        const isti_member *member = &group->of.members[i];
        if (group->kind == IST_LAYOUT_STRUCT && member->bit_offset > end) {
            write_gap(table, level, begin + end, begin + member->bit_offset, "hole");
            between.count++;
            between.bits += member->bit_offset - end;
        }
        write_member(table, member, level, begin + member->bit_offset);
        if (member->bit_offset + bits_of(member) > end)
            end = member->bit_offset + bits_of(member);
    }
    if (group->size * BYTE_BITS > end) {
        behind = (gaps_found){ 1, group->size * BYTE_BITS - end };
        write_gap(table, level, begin + end, begin + group->size * BYTE_BITS, "padding");
    }
    *holes = between;
    *padding = behind;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* "3 bytes", "29 bits", "1 byte 4 bits" */
static void write_amount(isti_writer *writer, size_t bits)
{
    size_t bytes = bits / BYTE_BITS, rest = bits % BYTE_BITS;
    if (bytes != 0)
        isti_write(writer, "%zu byte%s", bytes, plural(bytes));
    if (rest != 0)
        isti_write(writer, "%s%zu bit%s", bytes != 0 ? " " : "", rest, plural(rest));
}

static void write_enumerators(table_state *table, const ist_layout *layout)
{
    bool is_unsigned = isti_type_class(layout->type) == ISTI_CLASS_UNSIGNED;
    for (size_t i = 0; i < layout->count && table->lines++ < LINES_MAX; i++) {
        const ist_enumerator *enumerator = &layout->of.enumerators[i];
        isti_write_spaces(table->writer, 26 + INDENT);
        isti_write_word(table->writer, enumerator->name);
        if (is_unsigned)
            isti_write(table->writer, " = %" PRIu64 "\n", (uint64_t)enumerator->value);
        else
            isti_write(table->writer, " = %" PRId64 "\n", enumerator->value);
    }
}

/* What all of it comes to. */
static void write_summary(table_state *table, const ist_layout *layout, const gaps_found *holes,
                          const gaps_found *padding)
{
    isti_writer *writer = table->writer;
    if (table->lines > LINES_MAX)
        isti_write(writer, "(more lines are not shown)\n");
    spell(writer, layout, NULL);
    if (!isti_layout_is_complete(layout)) {
        isti_write(writer, ": has no size\n");
        return;
    }
    isti_write(writer, ": %zu byte%s, alignment %zu", layout->size, plural(layout->size),
               layout->alignment);
    if (!isti_layout_is_group(layout)) {
        isti_write(writer, "\n");
        return;
    }
    isti_write(writer, ", %zu member%s", layout->count, plural(layout->count));
    if (holes->count != 0) {
        isti_write(writer, ", %zu hole%s of ", holes->count, plural(holes->count));
        write_amount(writer, holes->bits);
    }
    if (padding->count != 0) {
        isti_write(writer, ", ");
        write_amount(writer, padding->bits);
        isti_write(writer, " of padding");
    }
    isti_write(writer, "\n");
}

void isti_print_table(const ist_layout *layout, isti_writer *writer)
{
    table_state table = { .writer = writer };
    gaps_found holes = { 0, 0 }, padding = { 0, 0 };
    const ist_layout *group = group_of(layout);
    isti_write(writer, "%12s  %10s  ", "offset", "size");
    spell(writer, layout, NULL);
    isti_write(writer, is_foreign(layout) ? " (in the other byte order)\n" : "\n");
    if (group != NULL && isti_layout_is_complete(group))
        write_members(&table, group, 1, 0, &holes, &padding);
    else if (layout->flags & ISTI_LAYOUT_ENUM)
        write_enumerators(&table, layout);
    write_summary(&table, layout, &holes, &padding);
}
