/* SPDX-License-Identifier: MIT */
/*
 * Taking a layout into a store: a copy of all that it refers to and that could end before the store.
 *
 * The copies form a list that is its own list of things to do: each new copy is shallow and goes to the
 * end; when its turn comes, its parts are replaced by their copies, made then if there are none yet. So
 * what is shared stays shared, pointers that lead back lead back into the copy, and depth costs no stack.
 * Beyond a few copies a table finds them.
 */
#include <string.h>

#include "layout/layout.h"

typedef struct copied {
    const ist_layout *original;
    ist_layout *copy;
    struct copied *next; /* In the list. */
    struct copied *same; /* In its bucket of the table. */
} copied;

#define TABLE_FROM ((size_t)16) /* Copies; fewer are looked for one by one. */

typedef struct adoption_state {
    const isti_store *store;
    isti_problem *problem;
    copied *first, **end;
    size_t count;
    copied **table;    /* NULL: none yet. */
    size_t table_size; /* A power of two. */
} adoption_state;

static copied **bucket_of(const adoption_state *adoption, const ist_layout *original)
{
    uint64_t mixed = ((uintptr_t)original >> 4) * UINT64_C(0x9E3779B97F4A7C15);
    return &adoption->table[(mixed >> 32) & (adoption->table_size - 1)];
}

static void enter(adoption_state *adoption, copied *entry)
{
    copied **bucket = bucket_of(adoption, entry->original);
    entry->same = *bucket;
    *bucket = entry;
}

/* At least as many buckets as copies. The tables end with the store. */
static void grow_table(adoption_state *adoption)
{
    if (adoption->count < TABLE_FROM || adoption->count < adoption->table_size)
        return;
    size_t size = adoption->table_size != 0 ? adoption->table_size * 4 : TABLE_FROM * 4;
    copied **table = isti_store_take(adoption->store, size, sizeof(copied *), adoption->problem);
    if (table == NULL)
        return;
    adoption->table = table;
    adoption->table_size = size;
    for (copied *entry = adoption->first; entry != NULL; entry = entry->next)
        enter(adoption, entry);
}

static copied *find(const adoption_state *adoption, const ist_layout *original)
{
    bool has_table = adoption->table != NULL;
    copied *entry = has_table ? *bucket_of(adoption, original) : adoption->first;
    while (entry != NULL && entry->original != original)
        entry = has_table ? entry->same : entry->next;
    return entry;
}

static const char *copy_text(adoption_state *adoption, const char *text)
{
    return isti_store_text(adoption->store, text, text != NULL ? strlen(text) : 0,
                           adoption->problem);
}

/* The copy of a part; the part itself where it lasts. NULL for NULL, or with the problem set. */
static const ist_layout *copy_for(adoption_state *adoption, const ist_layout *original)
{
    if (original == NULL || isti_store_may_refer(adoption->store, original->owner))
        return original;
    const copied *known = find(adoption, original);
    if (known != NULL)
        return known->copy;
    copied *entry = ISTI_STORE_NEW(adoption->store, copied, adoption->problem);
    ist_layout *copy = ISTI_STORE_NEW(adoption->store, ist_layout, adoption->problem);
    if (entry == NULL || copy == NULL)
        return NULL;
    bool complete = isti_layout_is_complete(original);
    memcpy(copy, original, sizeof *copy);
    atomic_init(&copy->complete, complete);
    copy->owner = adoption->store->owner;
    copy->name = copy_text(adoption, original->name);
    *entry = (copied){ .original = original, .copy = copy };
    *adoption->end = entry;
    adoption->end = &entry->next;
    adoption->count++;
    if (adoption->table != NULL)
        enter(adoption, entry);
    grow_table(adoption);
    return copy;
}

static void copy_members(adoption_state *adoption, ist_layout *copy)
{
    const isti_member *originals = copy->of.members;
    isti_member *members =
        isti_store_take(adoption->store, copy->count, sizeof *members, adoption->problem);
    for (size_t i = 0; members != NULL && i < copy->count; i++) {
        members[i] = originals[i];
        members[i].name = copy_text(adoption, originals[i].name);
        members[i].layout = copy_for(adoption, originals[i].layout);
    }
    copy->of.members = members;
}

static void copy_enumerators(adoption_state *adoption, ist_layout *copy)
{
    const ist_enumerator *originals = copy->of.enumerators;
    ist_enumerator *enumerators =
        isti_store_take(adoption->store, copy->count, sizeof *enumerators, adoption->problem);
    for (size_t i = 0; enumerators != NULL && i < copy->count; i++) {
        enumerators[i].name = copy_text(adoption, originals[i].name);
        enumerators[i].value = originals[i].value;
    }
    copy->of.enumerators = enumerators;
}

static void copy_function(adoption_state *adoption, ist_layout *copy)
{
    const ist_function *original = copy->of.function;
    ist_function *function = ISTI_STORE_NEW(adoption->store, ist_function, adoption->problem);
    isti_parameter *parameters =
        isti_store_take(adoption->store, original->count, sizeof *parameters, adoption->problem);
    if (function == NULL || (parameters == NULL && original->count != 0))
        return;
    for (size_t i = 0; i < original->count; i++) {
        parameters[i].name = copy_text(adoption, original->parameters[i].name);
        parameters[i].layout = copy_for(adoption, original->parameters[i].layout);
    }
    *function = *original;
    function->owner = adoption->store->owner;
    function->name = copy_text(adoption, original->name);
    function->result = copy_for(adoption, original->result);
    function->parameters = parameters;
    copy->of.function = function;
}

/* Replaces what a shallow copy refers to. What is declared only refers to nothing. */
static void copy_parts(adoption_state *adoption, ist_layout *copy)
{
    switch (copy->kind) {
    case IST_LAYOUT_STRUCT:
    case IST_LAYOUT_UNION:
        copy_members(adoption, copy);
        break;
    case IST_LAYOUT_SEQUENCE:
    case IST_LAYOUT_VECTOR:
        copy->of.element = copy_for(adoption, copy->of.element);
        break;
    case IST_LAYOUT_FUNCTION:
        copy_function(adoption, copy);
        break;
    case IST_LAYOUT_VALUE:
        if (copy->flags & ISTI_LAYOUT_ENUM)
            copy_enumerators(adoption, copy);
        else if (copy->type == IST_TYPE_ADDRESS)
            copy->of.target = copy_for(adoption, copy->of.target);
        break;
    default:
        break;
    }
}

ist_status isti_layout_adopt(const isti_store *store, const ist_layout *layout,
                             const ist_layout **ret, isti_problem *problem)
{
    adoption_state adoption = { .store = store, .problem = problem };
    adoption.end = &adoption.first;
    const ist_layout *adopted = copy_for(&adoption, layout);
    for (copied *entry = adoption.first; entry != NULL && problem->status == IST_OK;
         entry = entry->next)
        copy_parts(&adoption, entry->copy);
    if (problem->status == IST_OK)
        *ret = adopted;
    return problem->status;
}
