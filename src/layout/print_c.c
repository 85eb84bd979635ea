/* SPDX-License-Identifier: MIT */
/*
 * Layouts as C text, in two walks over all that a layout is made of. The first looks at each part once:
 * whether C can say it, by which attributes, how often it is needed. The second writes: what has a tag is
 * defined first, what C can only say by a typedef (a vector, an alignment of its own) or what has no tag and
 * is needed twice becomes a typedef, and everything else stands where it is used.
 *
 * A struct without gaps of its own is laid out by C with the same offsets, since each member already lies at
 * a multiple of its alignment; its size and alignment may take attributes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/enums.h"
#include "layout/names.h"
#include "layout/place.h"
#include "layout/print.h"

#define INDENT 4
#define FIRST_CAPACITY 64
/*
 * What would be nested deeper, or is used twice and longer, becomes a typedef: so a text can be read again,
 * and is not exponentially longer than what it is made of.
 */
#define HEIGHT_MAX 16
#define WEIGHT_MAX 64

/* A layout that was looked at. */
typedef struct part {
    const ist_layout *layout;
    size_t uses;
    bool in_signature; /* Needed between a function's parentheses, where nothing is defined. */
    bool is_written;   /* Its definition, or its typedef, is in the text. */
    unsigned number;   /* Of its typedef; 0: none yet. */
    ist_group_attributes form; /* Of a group: the attributes in the text. */
    size_t alignment;          /* That the text gives it, without a typedef. */
    size_t weight,
        height; /* Of what it is written as in place: words, and how deep they are nested. */
    const struct part *definition; /* Of the same tag; NULL: this one is defined itself. */
} part;

typedef struct printing_state {
    const isti_store *store;
    isti_writer *writer;
    isti_problem *problem;
    part **table; /* By the layout's address. */
    size_t capacity, count;
    isti_names names; /* Tags, enumerators, and parameters, whose names typedefs must not have. */
    unsigned next_number;
    size_t pack;                   /* `#pragma pack` at this place of the text. */
    size_t level;                  /* Of braces. */
    const ist_function *outermost; /* If a function is printed: its type; else NULL. */
    const char *where;             /* The member that is looked at; NULL: none. */
} printing_state;

/* ---- The parts ---- */

static size_t slot_of(const printing_state *printing, const ist_layout *layout)
{
    uintptr_t address = (uintptr_t)layout;
    size_t slot = (size_t)((address >> 4) * 0x9E3779B97F4A7C15u >> 20) & (printing->capacity - 1);
    while (printing->table[slot] != NULL && printing->table[slot]->layout != layout)
        slot = (slot + 1) & (printing->capacity - 1);
    return slot;
}

static part *find_part(const printing_state *printing, const ist_layout *layout)
{
    return printing->capacity != 0 ? printing->table[slot_of(printing, layout)] : NULL;
}

/* Twice as much room, at most half of it taken. */
static bool grow(printing_state *printing)
{
    part **before = printing->table;
    size_t capacity = printing->capacity;
    if (printing->count * 2 < capacity)
        return true;
    size_t wanted = capacity != 0 ? capacity * 2 : FIRST_CAPACITY;
    part **table = isti_store_take(printing->store, wanted, sizeof *table, printing->problem);
    if (table == NULL)
        return false;
    printing->table = table;
    printing->capacity = wanted;
    for (size_t i = 0; i < capacity; i++) {
        if (before[i] != NULL)
            table[slot_of(printing, before[i]->layout)] = before[i];
    }
    return true;
}

static part *add_part(printing_state *printing, const ist_layout *layout)
{
    part *made = ISTI_STORE_NEW(printing->store, part, printing->problem);
    if (made == NULL || !grow(printing))
        return NULL;
    made->layout = layout;
    printing->table[slot_of(printing, layout)] = made;
    printing->count++;
    return made;
}

/* ---- What C cannot say ---- */

static bool refuse(printing_state *printing, const char *what)
{
    isti_problem_set(printing->problem, IST_E_LAYOUT, "C has no way to say it: %s%.60s%s %s",
                     printing->where != NULL ? "'" : "the layout",
                     printing->where != NULL ? printing->where : "",
                     printing->where != NULL ? "'" : "", what);
    return false;
}

static bool is_identifier(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || (name[0] >= '0' && name[0] <= '9'))
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '$' || (unsigned char)c >= 0x80))
            return false;
    }
    return isti_keyword_of(name, length) == ISTI_KEYWORD_NONE;
}

static bool require_name(printing_state *printing, const char *name)
{
    if (name == NULL || is_identifier(name))
        return true;
    isti_problem_set(printing->problem, IST_E_LAYOUT,
                     "C has no way to say it: '%.80s' is no name of C", name);
    return false;
}

/* ---- First walk: enumerations ---- */

static bool take_enumerator(printing_state *printing, const ist_enumerator *enumerator)
{
    size_t length = strlen(enumerator->name);
    if (!require_name(printing, enumerator->name))
        return false;
    if (isti_names_find(&printing->names, false, enumerator->name, length) != NULL) {
        isti_problem_set(printing->problem, IST_E_LAYOUT,
                         "C has no way to say it: two enumerators have the name '%.80s'",
                         enumerator->name);
        return false;
    }
    return isti_names_add(&printing->names, IST_DECLARED_CONSTANT, NULL, enumerator->name, length,
                          printing->problem) != NULL;
}

static isti_enum_range range_of(const ist_layout *enumeration)
{
    isti_enum_range range = { 0, 0 };
    for (size_t i = 0; i < enumeration->count; i++) {
        int64_t value = enumeration->of.enumerators[i].value;
        bool is_unsigned = isti_type_class(enumeration->type) == ISTI_CLASS_UNSIGNED;
        isti_enum_range_add(&range, is_unsigned ? (__int128)(uint64_t)value : (__int128)value);
    }
    return range;
}

static bool survey_enumerators(printing_state *printing, part *of)
{
    const ist_layout *layout = of->layout;
    isti_enum_range range = range_of(layout);
    of->alignment = ist_layout_of(layout->type)->alignment;
    if (layout->count == 0)
        return refuse(printing, "is an enumeration without enumerators");
    if (!isti_enum_range_fits(&range, layout->type))
        return refuse(printing, "has an enumerator that is too large for its type");
    for (size_t i = 0; i < layout->count; i++) {
        if (!take_enumerator(printing, &layout->of.enumerators[i]))
            return false;
    }
    return true;
}

/* ---- First walk: groups ---- */

/* Whether C puts the members where they lie, by these attributes; the alignment that comes of it. */
static bool lies_so(printing_state *printing, const ist_layout *group,
                    const ist_group_attributes *attributes, size_t *ret_alignment)
{
    ist_layout trial = { .kind = group->kind,
                         .flags = ISTI_LAYOUT_C_RULES,
                         .count = group->count,
                         .attributes = *attributes };
    isti_problem ignored = { IST_OK, "" };
    isti_member *members =
        isti_store_take(printing->store, group->count, sizeof *members, printing->problem);
    if (printing->problem->status != IST_OK)
        return false;
    if (group->count != 0)
        memcpy(members, group->of.members, group->count * sizeof *members);
    if (isti_place_members(&trial, members, &ignored) != IST_OK || trial.size != group->size)
        return false;
    for (size_t i = 0; i < group->count; i++) {
        if (members[i].bit_offset != group->of.members[i].bit_offset)
            return false;
    }
    *ret_alignment = trial.alignment;
    return true;
}

/* Finds the attributes that say it; best those that say the alignment too. */
static bool choose_form(printing_state *printing, part *of)
{
    const ist_layout *group = of->layout;
    const ist_group_attributes forms[] = {
        group->attributes,
        { .packed = 0 },
        { .alignment = group->alignment },
        { .packed = 1, .alignment = group->alignment },
        { .packed = 1 },
    };
    bool found = false;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        size_t alignment;
        if (!lies_so(printing, group, &forms[i], &alignment))
            continue;
        if (!found || alignment == group->alignment) {
            of->form = forms[i];
            of->alignment = alignment;
        }
        found = true;
        if (alignment == group->alignment)
            break;
    }
    if (printing->problem->status != IST_OK)
        return false;
    if (!found || of->form.pack_maximum > 16)
        return refuse(printing, "does not lie as any attributes have it");
    return true;
}

/* Whether two layouts of one tag have one definition: a typedef may have changed the alignment of one. */
static bool same_definition(const ist_layout *a, const ist_layout *b)
{
    ist_layout aligned;
    memcpy(&aligned, a, sizeof aligned);
    aligned.alignment = b->alignment;
    return ist_layout_equals(&aligned, b, 0);
}

/*
 * Tags are told apart by their names alone. *ret_first: the layout that defines it, if that is another one.
 */
static bool take_tag(printing_state *printing, const ist_layout *layout, bool is_defined,
                     const ist_layout **ret_first)
{
    size_t length = strlen(layout->name);
    *ret_first = NULL;
    if (!require_name(printing, layout->name))
        return false;
    isti_symbol *tag = isti_names_find(&printing->names, true, layout->name, length);
    if (tag == NULL)
        tag = isti_names_add(&printing->names, IST_DECLARED_TAG, NULL, layout->name, length,
                             printing->problem);
    if (tag == NULL)
        return false;
    if (tag->layout == NULL ||
        (is_defined && !tag->is_being_defined && tag->layout->kind == layout->kind)) {
        tag->layout = layout;
        tag->is_being_defined = is_defined;
        return true;
    }
    if (tag->layout->kind != layout->kind ||
        (is_defined && !same_definition(tag->layout, layout))) {
        isti_problem_set(printing->problem, IST_E_LAYOUT,
                         "C has no way to say it: two types have the tag '%.80s'", layout->name);
        return false;
    }
    *ret_first = is_defined ? tag->layout : NULL;
    return true;
}

/* ---- First walk ---- */

static bool is_unnamed_type(const ist_layout *layout)
{
    return layout->name == NULL && isti_layout_is_complete(layout) &&
           (isti_layout_is_group(layout) || layout->flags & ISTI_LAYOUT_ENUM);
}

/* A type that is told by its tag, in a word. */
static bool has_tag(const ist_layout *layout)
{
    return layout->name != NULL &&
           (isti_layout_is_group(layout) || layout->flags & ISTI_LAYOUT_ENUM);
}

static bool takes_typedef(const part *of)
{
    const ist_layout *layout = of->layout;
    if (layout->kind == IST_LAYOUT_VECTOR || of->alignment != layout->alignment)
        return true;
    if (has_tag(layout))
        return false;
    if (of->height > HEIGHT_MAX || (of->uses > 1 && of->weight > WEIGHT_MAX))
        return true;
    return is_unnamed_type(layout) && (of->uses > 1 || of->in_signature);
}

static bool survey(printing_state *printing, const ist_layout *layout, bool in_signature);

static bool survey_member(printing_state *printing, const isti_member *member)
{
    const ist_layout *layout = member->layout;
    printing->where = member->name;
    if (!require_name(printing, member->name))
        return false;
    bool is_padding = layout->kind == IST_LAYOUT_PADDING;
    if (member->name != NULL || isti_member_is_bits(member) || is_padding)
        return survey(printing, layout, false);
    if (!isti_layout_is_group(layout) || layout->name != NULL)
        return refuse(printing,
                      "has a member without a name that is no struct or union, or has a tag");
    part *of = find_part(printing, layout);
    size_t uses = of != NULL ? of->uses : 0;
    if (!survey(printing, layout, false))
        return false;
    of = find_part(printing, layout);
    of->uses = uses; /* It is written in place, and asks for no typedef. */
    return of->alignment == layout->alignment ||
           refuse(printing, "has a member without a name whose alignment takes a typedef");
}

static bool survey_group(printing_state *printing, part *of)
{
    for (size_t i = 0; i < of->layout->count; i++) {
        const char *where = printing->where;
        if (!survey_member(printing, &of->layout->of.members[i]))
            return false;
        printing->where = where;
    }
    return choose_form(printing, of);
}

static bool take_parameter_name(printing_state *printing, const char *name)
{
    if (name == NULL || isti_names_find(&printing->names, false, name, strlen(name)) != NULL)
        return true;
    return require_name(printing, name) &&
           isti_names_add(&printing->names, IST_DECLARED_VARIABLE, NULL, name, strlen(name),
                          printing->problem) != NULL;
}

/*
 * A parameter or a result, or what a pointer leads to: then a group with a tag is only named, since from there
 * one may come back (and ist_layout_equals() asks no more).
 */
static bool
survey_used(printing_state *printing, const ist_layout *layout, bool in_signature, bool by_tag)
{
    const ist_layout *ignored;
    if (layout == NULL)
        return true;
    if (by_tag && isti_layout_is_group(layout) && layout->name != NULL)
        return take_tag(printing, layout, false, &ignored);
    return survey(printing, layout, in_signature);
}

static bool survey_function(printing_state *printing, const ist_function *function)
{
    bool by_tag = function != printing->outermost;
    if (!require_name(printing, function->name))
        return false;
    for (size_t i = 0; i < function->count; i++) {
        if (!take_parameter_name(printing, function->parameters[i].name) ||
            !survey_used(printing, function->parameters[i].layout, true, by_tag))
            return false;
    }
    return survey_used(printing, function->result, true, by_tag);
}

static bool survey_value(printing_state *printing, part *of, bool in_signature)
{
    const ist_layout *layout = of->layout;
    if (layout->flags & ISTI_LAYOUT_ENUM)
        return survey_enumerators(printing, of);
    of->alignment = ist_layout_of(layout->type)->alignment;
    if (layout->type == IST_TYPE_ADDRESS)
        return survey_used(printing, layout->of.target, in_signature, true);
    return true;
}

/* What a part adds to the text of one that it is written in; NULL: a tag. */
static void add_to(part *of, const part *inside)
{
    bool is_word = inside == NULL || takes_typedef(inside) || has_tag(inside->layout);
    size_t height = is_word ? 1 : inside->height + 1;
    of->height = height > of->height ? height : of->height;
    of->weight += is_word ? 1 : inside->weight;
    if (of->weight > WEIGHT_MAX) /* Enough to know; and it stays a number. */
        of->weight = WEIGHT_MAX + 1;
}

static void weigh(const printing_state *printing, part *of)
{
    const ist_layout *layout = of->layout;
    of->weight = 1;
    if (isti_layout_is_group(layout)) {
        for (size_t i = 0; i < layout->count; i++)
            add_to(of, find_part(printing, layout->of.members[i].layout));
    } else if (layout->kind == IST_LAYOUT_FUNCTION) {
        const ist_function *function = layout->of.function;
        for (size_t i = 0; i < function->count; i++)
            add_to(of, find_part(printing, function->parameters[i].layout));
        if (function->result != NULL)
            add_to(of, find_part(printing, function->result));
    } else if (layout->kind == IST_LAYOUT_SEQUENCE) {
        add_to(of, find_part(printing, layout->of.element));
    } else if (layout->type == IST_TYPE_ADDRESS && layout->of.target != NULL) {
        add_to(of, find_part(printing, layout->of.target));
    }
}

/* What a new part is made of. */
static bool survey_parts(printing_state *printing, part *of, bool in_signature)
{
    const ist_layout *layout = of->layout;
    switch (layout->kind) {
    case IST_LAYOUT_STRUCT:
    case IST_LAYOUT_UNION:
        return survey_group(printing, of);
    case IST_LAYOUT_VALUE:
        return survey_value(printing, of, in_signature);
    case IST_LAYOUT_SEQUENCE:
        of->alignment = layout->of.element->alignment;
        return survey(printing, layout->of.element, in_signature);
    case IST_LAYOUT_VECTOR:
        of->alignment = layout->size;
        return survey(printing, layout->of.element, in_signature);
    case IST_LAYOUT_FUNCTION:
        return survey_function(printing, layout->of.function);
    default:
        return true;
    }
}

static bool survey(printing_state *printing, const ist_layout *layout, bool in_signature)
{
    part *of = find_part(printing, layout);
    const ist_layout *first = NULL;
    if (of == NULL)
        of = add_part(printing, layout);
    if (of == NULL)
        return false;
    of->in_signature |= in_signature;
    if (of->uses++ != 0)
        return true;
    of->alignment = layout->alignment;
    bool is_complete = isti_layout_is_complete(layout);
    if (layout->order != IST_ORDER_NATIVE)
        return refuse(printing, "is in the byte order of other machines");
    if (has_tag(layout) && !take_tag(printing, layout, is_complete, &first))
        return false;
    if (first != NULL) {
        of->definition = find_part(printing, first);
        of->alignment = of->definition->alignment;
    }
    if (!is_complete && layout->kind != IST_LAYOUT_FUNCTION)
        return true;
    if (of->definition == NULL && !survey_parts(printing, of, in_signature))
        return false;
    if (of->definition == NULL)
        weigh(printing, of);
    return true;
}

/* ---- Words ---- */

static void typedef_name(const part *of, char *text, size_t size)
{
    const ist_layout *layout = of->layout;
    bool has_keyword = isti_layout_is_group(layout) || layout->flags & ISTI_LAYOUT_ENUM;
    snprintf(text, size, "%s_%u",
             has_keyword                         ? isti_tag_keyword(layout)
             : layout->kind == IST_LAYOUT_VECTOR ? "vector"
                                                 : "type",
             of->number);
}

/* The next number whose name nothing else has. */
static void give_number(printing_state *printing, part *of)
{
    char name[32];
    do {
        of->number = ++printing->next_number;
        typedef_name(of, name, sizeof name);
    } while (isti_names_find(&printing->names, false, name, strlen(name)) != NULL);
}

static bool has_word(void *context, const ist_layout *type)
{
    const part *of = find_part(context, type);
    return of != NULL && (of->number != 0 || is_unnamed_type(type));
}

static void write_definition(printing_state *printing, const part *of);

static void write_word(void *context, isti_writer *writer, const ist_layout *type)
{
    const part *of = find_part(context, type);
    char name[32];
    if (of->number == 0) {
        write_definition(context, of);
        return;
    }
    typedef_name(of, name, sizeof name);
    isti_write_word(writer, name);
}

static void spell(printing_state *printing, const ist_layout *layout, const char *name)
{
    const isti_speller speller = { .has_word = has_word,
                                   .write_word = write_word,
                                   .context = printing };
    isti_spell(&speller, printing->writer, layout, name);
}

/* ---- Lines ---- */

static void begin_line(printing_state *printing)
{
    if (printing->writer->length != 0)
        isti_write(printing->writer, "\n");
    isti_write_spaces(printing->writer, printing->level * INDENT);
}

/* The group that stands in braces in front of a declarator of this type; NULL: none. */
static const part *group_in(printing_state *printing, const ist_layout *type)
{
    const isti_speller speller = { .has_word = has_word,
                                   .write_word = write_word,
                                   .context = printing };
    const part *of = find_part(printing, isti_spell_base(&speller, type));
    return of != NULL && of->number == 0 && isti_layout_is_group(of->layout) ? of : NULL;
}

/* Has `#pragma pack` say what the group needs; returns what it said before. */
static size_t begin_pack(printing_state *printing, const part *group)
{
    size_t before = printing->pack;
    size_t wanted = group != NULL ? group->form.pack_maximum : before;
    if (wanted == before)
        return before;
    if (printing->writer->length != 0)
        isti_write(printing->writer, "\n");
    if (wanted != 0)
        isti_write(printing->writer, "#pragma pack(push, %zu)", wanted);
    else
        isti_write(printing->writer, "#pragma pack(push)\n#pragma pack()");
    printing->pack = wanted;
    return before;
}

static void end_pack(printing_state *printing, size_t before)
{
    if (printing->pack != before)
        isti_write(printing->writer, "\n#pragma pack(pop)");
    printing->pack = before;
}

static void write_attributes(isti_writer *writer, bool packed, size_t alignment)
{
    if (!packed && alignment == 0)
        return;
    isti_write(writer, " __attribute__((%s%s", packed ? "packed" : "",
               packed && alignment != 0 ? ", " : "");
    if (alignment != 0)
        isti_write(writer, "aligned(%zu)", alignment);
    isti_write(writer, "))");
}

/* ---- Definitions ---- */

/* A name for padding that no member has. */
static void name_padding(const ist_layout *group, size_t index, char *text, size_t size)
{
    size_t offset;
    for (;; index += group->count) {
        snprintf(text, size, "padding_%zu", index);
        if (isti_member_find(group, text, strlen(text), &offset) == NULL)
            return;
    }
}

static void write_member(printing_state *printing, const ist_layout *group, size_t index)
{
    const isti_member *member = &group->of.members[index];
    bool is_padding = member->layout->kind == IST_LAYOUT_PADDING && member->name == NULL;
    bool is_unnamed = member->name == NULL && !is_padding && !isti_member_is_bits(member);
    char padding[40];
    const part *inside =
        is_unnamed ? find_part(printing, member->layout) : group_in(printing, member->layout);
    size_t pack = begin_pack(printing, inside);
    begin_line(printing);
    if (is_padding)
        name_padding(group, index, padding, sizeof padding);
    if (is_unnamed)
        write_definition(printing, inside);
    else
        spell(printing, member->layout, is_padding ? padding : member->name);
    if (isti_member_is_bits(member))
        isti_write(printing->writer, " : %zu", isti_member_width(member));
    write_attributes(printing->writer, member->packed, member->alignment);
    isti_write(printing->writer, ";");
    end_pack(printing, pack);
}

static void write_group(printing_state *printing, const part *of)
{
    isti_write(printing->writer, " {");
    printing->level++;
    for (size_t i = 0; i < of->layout->count; i++)
        write_member(printing, of->layout, i);
    printing->level--;
    begin_line(printing);
    isti_write(printing->writer, "}");
    write_attributes(printing->writer, of->form.packed, of->form.alignment);
}

static void write_enumerator(printing_state *printing, const ist_layout *enumeration, size_t index)
{
    const ist_enumerator *enumerator = &enumeration->of.enumerators[index];
    isti_writer *writer = printing->writer;
    begin_line(printing);
    isti_write_word(writer, enumerator->name);
    if (isti_type_class(enumeration->type) == ISTI_CLASS_UNSIGNED && enumerator->value < 0)
        isti_write(writer, " = %" PRIu64 "u", (uint64_t)enumerator->value);
    else if (enumerator->value == INT64_MIN) /* Its digits alone are too large a number. */
        isti_write(writer, " = %" PRId64 " - 1", enumerator->value + 1);
    else
        isti_write(writer, " = %" PRId64, enumerator->value);
    isti_write(writer, index + 1 < enumeration->count ? "," : "");
}

static void write_enum(printing_state *printing, const part *of)
{
    const ist_layout *layout = of->layout;
    isti_enum_range range = range_of(layout);
    bool is_plain = isti_enum_type(&range, false) == layout->type;
    bool is_packed = !is_plain && isti_enum_type(&range, true) == layout->type;
    if (!is_plain && !is_packed)
        isti_write(printing->writer, " : %s", isti_type_text(layout->type));
    isti_write(printing->writer, " {");
    printing->level++;
    for (size_t i = 0; i < layout->count; i++)
        write_enumerator(printing, layout, i);
    printing->level--;
    begin_line(printing);
    isti_write(printing->writer, "}");
    write_attributes(printing->writer, is_packed, 0);
}

/* `struct tag { ... }` */
static void write_definition(printing_state *printing, const part *of)
{
    isti_write_word(printing->writer, isti_tag_keyword(of->layout));
    if (of->layout->name != NULL)
        isti_write_word(printing->writer, of->layout->name);
    if (isti_layout_is_group(of->layout))
        write_group(printing, of);
    else
        write_enum(printing, of);
}

/* ---- Second walk ---- */

static void write_typedef(printing_state *printing, part *of)
{
    const ist_layout *layout = of->layout;
    bool is_vector = layout->kind == IST_LAYOUT_VECTOR;
    char name[32];
    size_t pack = begin_pack(printing, group_in(printing, layout));
    begin_line(printing);
    isti_write(printing->writer, "typedef");
    part named = { .layout = layout };
    give_number(printing, &named);
    typedef_name(&named, name, sizeof name);
    spell(printing, is_vector ? layout->of.element : layout, name);
    if (is_vector)
        isti_write(printing->writer, " __attribute__((vector_size(%zu)))", layout->size);
    write_attributes(printing->writer, false,
                     of->alignment != layout->alignment ? layout->alignment : 0);
    isti_write(printing->writer, ";");
    end_pack(printing, pack);
    of->number = named.number;
}

static void write_parts(printing_state *printing, const ist_layout *layout);

/* What has to be declared before this part can be used, and it. */
static void write_needed(printing_state *printing, const ist_layout *layout)
{
    part *of = find_part(printing, layout);
    if (of == NULL || of->is_written)
        return;
    of->is_written = true;
    if (of->definition == NULL &&
        (isti_layout_is_complete(layout) || layout->kind == IST_LAYOUT_FUNCTION))
        write_parts(printing, layout);
    if (has_tag(layout) && isti_layout_is_complete(layout) && of->definition == NULL) {
        size_t pack = begin_pack(printing, isti_layout_is_group(layout) ? of : NULL);
        begin_line(printing);
        write_definition(printing, of);
        isti_write(printing->writer, ";");
        end_pack(printing, pack);
    }
    if (takes_typedef(of))
        write_typedef(printing, of);
}

/* As survey_used(). */
static void write_used(printing_state *printing, const ist_layout *layout, bool by_tag)
{
    if (layout != NULL && !(by_tag && isti_layout_is_group(layout) && layout->name != NULL))
        write_needed(printing, layout);
}

static void write_used_by_function(printing_state *printing, const ist_function *function)
{
    bool by_tag = function != printing->outermost;
    for (size_t i = 0; i < function->count; i++)
        write_used(printing, function->parameters[i].layout, by_tag);
    write_used(printing, function->result, by_tag);
}

static void write_parts(printing_state *printing, const ist_layout *layout)
{
    switch (layout->kind) {
    case IST_LAYOUT_STRUCT:
    case IST_LAYOUT_UNION:
        for (size_t i = 0; i < layout->count; i++)
            write_needed(printing, layout->of.members[i].layout);
        break;
    case IST_LAYOUT_SEQUENCE:
    case IST_LAYOUT_VECTOR:
        write_needed(printing, layout->of.element);
        break;
    case IST_LAYOUT_FUNCTION:
        write_used_by_function(printing, layout->of.function);
        break;
    case IST_LAYOUT_VALUE:
        if (layout->type == IST_TYPE_ADDRESS)
            write_used(printing, layout->of.target, true);
        break;
    default:
        break;
    }
}

/* The layout itself, where it is not a declaration of its own already. */
static void write_last(printing_state *printing, const ist_layout *layout)
{
    const part *of = find_part(printing, layout);
    if (of->number != 0 || (has_tag(layout) && isti_layout_is_complete(layout)))
        return;
    size_t pack = begin_pack(printing, group_in(printing, layout));
    begin_line(printing);
    spell(printing, layout, layout->kind == IST_LAYOUT_FUNCTION ? layout->of.function->name : NULL);
    isti_write(printing->writer, is_unnamed_type(layout) ? ";" : "");
    end_pack(printing, pack);
}

ist_status isti_print_c(const isti_store *store, const ist_layout *layout,
                        const ist_function *function, isti_writer *writer, isti_problem *problem)
{
    printing_state printing = { .store = store, .writer = writer, .problem = problem };
    const ist_layout of_function = { .kind = IST_LAYOUT_FUNCTION,
                                     .order = IST_ORDER_NATIVE,
                                     .alignment = 1,
                                     .of.function = function };
    printing.names.store = store;
    if (layout == NULL)
        layout = &of_function;
    printing.outermost = layout->kind == IST_LAYOUT_FUNCTION ? layout->of.function : NULL;
    if (!survey(&printing, layout, false))
        return problem->status;
    write_needed(&printing, layout);
    write_last(&printing, layout);
    return problem->status;
}
