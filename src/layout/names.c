/* SPDX-License-Identifier: MIT */
/*
 * A hash table of symbols. Symbols come and go last in, first out: the newest of a bucket is its first, so
 * that taking one back is to unlink the head.
 */
#include "layout/names.h"

#include <string.h>

#include "base/contract.h"

#define FIRST_BUCKETS 64

/* FNV-1a; tags apart. */
static uint32_t hash_of(bool is_tag, const char *name, size_t length)
{
    uint32_t hash = is_tag ? 2166136261u ^ 0x5bd1e995u : 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static isti_symbol **bucket_of(const isti_names *names, uint32_t hash)
{
    return &names->buckets[hash & (names->bucket_count - 1)];
}

isti_symbol *isti_names_find(const isti_names *names, bool is_tag, const char *name, size_t length)
{
    if (names->bucket_count == 0)
        return NULL;
    uint32_t hash = hash_of(is_tag, name, length);
    isti_symbol *symbol = *bucket_of(names, hash);
    while (symbol != NULL && (symbol->hash != hash || symbol->length != length ||
                              (symbol->kind == IST_DECLARED_TAG) != is_tag ||
                              memcmp(symbol->name, name, length) != 0))
        symbol = symbol->next;
    return symbol;
}

isti_symbol *isti_names_here(const isti_names *names, isti_symbol *symbol)
{
    return symbol != NULL && symbol->scope == names->scope ? symbol : NULL;
}

/* ---- Adding ---- */

static void link_oldest_first(isti_names *names)
{
    /* Turns the list round and back: nothing is needed for it that could be missing. */
    isti_symbol *oldest = NULL;
    for (isti_symbol *symbol = names->newest, *older; symbol != NULL; symbol = older) {
        older = symbol->older;
        symbol->older = oldest;
        oldest = symbol;
    }
    names->newest = NULL;
    for (isti_symbol *symbol = oldest, *newer; symbol != NULL; symbol = newer) {
        newer = symbol->older;
        symbol->older = names->newest;
        names->newest = symbol;
        isti_symbol **bucket = bucket_of(names, symbol->hash);
        symbol->next = *bucket;
        *bucket = symbol;
    }
}

/* Room for one more; the tables only grow, and what they leave behind ends with the store. */
static bool grow_table(isti_names *names, isti_problem *problem)
{
    if (names->symbol_count < names->bucket_count)
        return true;
    size_t count = names->bucket_count != 0 ? names->bucket_count * 4 : FIRST_BUCKETS;
    isti_symbol **buckets = isti_store_take(names->store, count, sizeof *buckets, problem);
    if (buckets == NULL)
        return false;
    names->buckets = buckets;
    names->bucket_count = count;
    link_oldest_first(names);
    return true;
}

static bool grow_list(isti_names *names, isti_problem *problem)
{
    if (names->scope != 0 || names->listed_count < names->listed_capacity)
        return true;
    size_t capacity = names->listed_capacity != 0 ? names->listed_capacity * 2 : FIRST_BUCKETS;
    isti_symbol **listed = isti_store_take(names->store, capacity, sizeof *listed, problem);
    if (listed == NULL)
        return false;
    if (names->listed_count != 0)
        memcpy(listed, names->listed, names->listed_count * sizeof *listed);
    names->listed = listed;
    names->listed_capacity = capacity;
    return true;
}

/* "struct point", of which the name is the end. */
static const char *shown_with(const isti_names *names, const char *keyword, const char *name,
                              size_t length, isti_problem *problem)
{
    size_t before = keyword != NULL ? strlen(keyword) + 1 : 0;
    char *text = isti_store_take(names->store, before + length + 1, 1, problem);
    if (text == NULL)
        return NULL;
    if (keyword != NULL) {
        memcpy(text, keyword, before - 1);
        text[before - 1] = ' ';
    }
    memcpy(text + before, name, length);
    return text;
}

isti_symbol *isti_names_add(isti_names *names, ist_declared kind, const char *keyword,
                            const char *name, size_t length, isti_problem *problem)
{
    const char *shown = shown_with(names, keyword, name, length, problem);
    isti_symbol *symbol = ISTI_STORE_NEW(names->store, isti_symbol, problem);
    if (shown == NULL || symbol == NULL || !grow_table(names, problem) ||
        !grow_list(names, problem))
        return NULL;
    size_t before = keyword != NULL ? strlen(keyword) + 1 : 0;
    *symbol = (isti_symbol){ .name = shown + before,
                             .length = length,
                             .hash = hash_of(kind == IST_DECLARED_TAG, name, length),
                             .kind = kind,
                             .scope = names->scope,
                             .shown = shown,
                             .older = names->newest };
    isti_symbol **bucket = bucket_of(names, symbol->hash);
    symbol->next = *bucket;
    *bucket = symbol;
    names->newest = symbol;
    names->symbol_count++;
    if (names->scope == 0)
        names->listed[names->listed_count++] = symbol;
    return symbol;
}

static void remove_newest(isti_names *names)
{
    isti_symbol *symbol = names->newest;
    isti_symbol **bucket = bucket_of(names, symbol->hash);
    ISTI_ASSERT(*bucket == symbol);
    *bucket = symbol->next;
    names->newest = symbol->older;
    names->symbol_count--;
}

/* ---- Scopes ---- */

void isti_names_open_scope(isti_names *names)
{
    names->scope++;
}

void isti_names_close_scope(isti_names *names)
{
    while (names->newest != NULL && names->newest->scope == names->scope)
        remove_newest(names);
    names->scope--;
}

/* ---- Taking back ---- */

static isti_change *note(isti_names *names, const isti_store *scratch, isti_problem *problem)
{
    isti_change *change = ISTI_STORE_NEW(scratch, isti_change, problem);
    if (change != NULL) {
        change->older = names->changes;
        names->changes = change;
    }
    return change;
}

ist_status isti_names_change(isti_names *names, isti_symbol *symbol, const ist_layout *layout,
                             bool has_prototype, const isti_store *scratch, isti_problem *problem)
{
    isti_change *change = note(names, scratch, problem);
    if (change == NULL)
        return problem->status;
    change->symbol = symbol;
    change->layout_before = symbol->layout;
    change->prototype_before = symbol->has_prototype;
    symbol->layout = layout;
    symbol->has_prototype = has_prototype;
    return IST_OK;
}

ist_status isti_names_define(isti_names *names, isti_symbol *tag, const isti_store *scratch,
                             isti_problem *problem)
{
    isti_change *change = note(names, scratch, problem);
    if (change == NULL)
        return problem->status;
    change->symbol = tag;
    change->defined = (ist_layout *)tag->layout; /* Tags have layouts of this store, still open. */
    tag->is_being_defined = true;
    return IST_OK;
}

isti_names_mark isti_names_begin(isti_names *names)
{
    names->changes = NULL;
    return (isti_names_mark){ .newest = names->newest, .listed_count = names->listed_count };
}

void isti_names_keep(isti_names *names)
{
    names->changes = NULL;
}

static void take_back(const isti_change *change)
{
    if (change->defined == NULL) {
        change->symbol->layout = change->layout_before;
        change->symbol->has_prototype = change->prototype_before;
        return;
    }
    change->symbol->is_being_defined = false;
    /* Release, as where it turned true; what is behind it stays, for whoever had seen it complete. */
    atomic_store_explicit(&change->defined->complete, false, memory_order_release);
}

void isti_names_undo(isti_names *names, const isti_names_mark *mark)
{
    for (const isti_change *change = names->changes; change != NULL; change = change->older)
        take_back(change);
    names->changes = NULL;
    while (names->newest != mark->newest)
        remove_newest(names);
    names->scope = 0;
    names->listed_count = mark->listed_count;
}
