/* SPDX-License-Identifier: MIT */
/*
 * That names differ (C11 6.7.2.1p13): each is looked up in a hash table of those before it, which is on the
 * stack where they are few.
 */
#include "layout/distinct.h"

#include <string.h>

#define FEW ((size_t)32) /* Names; a power of two. */

typedef struct name_set {
    const char **slots; /* NULL: names are only counted. */
    size_t capacity;    /* A power of two, at least twice the count. */
    size_t count;
} name_set;

static size_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return (size_t)(hash ^ hash >> 29);
}

/* False: it is there already. */
static bool add(name_set *set, const char *name)
{
    size_t slot = hash_of(name) & (set->capacity - 1);
    for (; set->slots[slot] != NULL; slot = (slot + 1) & (set->capacity - 1)) {
        if (strcmp(set->slots[slot], name) == 0)
            return false;
    }
    set->slots[slot] = name;
    return true;
}

/* All names of a group. Returns one that is there twice; NULL: none is. */
static const char *add_all(name_set *set, const ist_layout *group)
{
    for (size_t i = 0; i < group->count; i++) {
        const isti_member *member = &group->of.members[i];
        const char *twice = NULL;
        if (member->name != NULL) {
            set->count++;
            twice = set->slots != NULL && !add(set, member->name) ? member->name : NULL;
        } else if (isti_member_lends_names(member)) {
            twice = add_all(set, member->layout);
        }
        if (twice != NULL)
            return twice;
    }
    return NULL;
}

ist_status
isti_require_names_differ(const isti_store *store, const ist_layout *group, isti_problem *problem)
{
    const char *few[FEW * 2] = { NULL };
    name_set set = { .slots = NULL };
    (void)add_all(&set, group);
    set.slots = few;
    set.capacity = FEW * 2;
    if (set.count > FEW) {
        while (set.capacity < set.count * 2)
            set.capacity *= 2;
        set.slots = isti_store_take(store, set.capacity, sizeof *set.slots, problem);
    }
    const char *twice = set.slots != NULL ? add_all(&set, group) : NULL;
    if (twice != NULL)
        isti_problem_set(problem, IST_E_LAYOUT, "two members have the name '%.80s'", twice);
    return problem->status;
}
