/* SPDX-License-Identifier: MIT */
#ifndef ISTI_LAYOUT_STORE_H
#define ISTI_LAYOUT_STORE_H
/*
 * Where layouts get memory, and where they say what is wrong.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <isthmus/status.h>

/* Whose end ends a layout; session 0 never ends. Compared, never followed. */
typedef struct isti_owner {
    uintptr_t session;
    uint64_t life;
} isti_owner;

/* What is wrong. The first one counts. */
typedef struct isti_problem {
    ist_status status;
    char text[240];
} isti_problem;

/* Returns the problem's status, which is this one unless there was one before. */
__attribute__((format(printf, 3, 4))) ist_status
isti_problem_set(isti_problem *problem, ist_status status, const char *format, ...);

/* Memory that is given back all at once, by whoever has the store. */
typedef struct isti_store {
    /* Zeroed; NULL with the problem set where there is none. */
    void *(*allocate)(void *context, size_t size, size_t alignment, isti_problem *problem);
    void *context;
    isti_owner owner; /* Of what is made here. */
    bool borrows;     /* What is made here ends before anything that it may refer to. */
} isti_store;

/* Whether what an owner has lasts as long as what is made in the store. */
static inline bool isti_store_may_refer(const isti_store *store, isti_owner owner)
{
    return store->borrows || owner.session == 0 ||
           (owner.session == store->owner.session && owner.life == store->owner.life);
}

/* count x size bytes; size 0 is NULL without a problem. */
void *isti_store_take(const isti_store *store, size_t count, size_t size, isti_problem *problem);
#define ISTI_STORE_NEW(store, type, problem) \
    ((type *)isti_store_take((store), 1, sizeof(type), (problem)))
/* A copy of a text; NULL for NULL, or with the problem set. */
const char *
isti_store_text(const isti_store *store, const char *text, size_t length, isti_problem *problem);

#endif
