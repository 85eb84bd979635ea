/* SPDX-License-Identifier: MIT */
/*
 * Ordering a plan's legs into the lines of tables.
 * Invariant: every leg that is neither a twin nor a baseline is in exactly one place.
 */
#include "harness/lines.h"

#include <stdlib.h>
#include <string.h>

#include "harness/memory.h"

static struct bench_lines *class_for(struct bench_lines **classes, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp((*classes)[i].class_name, name) == 0)
            return &(*classes)[i];
    }
    *classes = bench_grow(*classes, *count, sizeof **classes);
    (*classes)[*count] = (struct bench_lines){ .class_name = name };
    return &(*classes)[(*count)++];
}

/* Groups lie in one array, so that their addresses tell their order. */
static int by_row_and_group(const void *left, const void *right)
{
    const struct bench_line *a = left, *b = right;
    if (a->leg->order != b->leg->order)
        return a->leg->order < b->leg->order ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

struct bench_lines *bench_lines_of(const struct bench_plan *plan, size_t *ret_count)
{
    struct bench_lines *classes = NULL;
    *ret_count = 0;
    for (size_t g = 0; g < plan->group_count; g++) {
        const struct bench_group *group = &plan->groups[g];
        struct bench_lines *lines = class_for(&classes, ret_count, group->class_name);
        for (size_t i = 0; i < group->leg_count; i++) {
            if (group->legs[i].twin || group->legs[i].baseline)
                continue;
            lines->lines = bench_grow(lines->lines, lines->count, sizeof *lines->lines);
            lines->lines[lines->count++] = (struct bench_line){ group, &group->legs[i] };
        }
    }
    for (size_t i = 0; i < *ret_count; i++)
        qsort(classes[i].lines, classes[i].count, sizeof *classes[i].lines, by_row_and_group);
    return classes;
}

void bench_lines_free(struct bench_lines *classes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(classes[i].lines);
    free(classes);
}

static bool has_key(const struct bench_span *keys, size_t count, struct bench_span key)
{
    for (size_t i = 0; i < count; i++) {
        if (keys[i].length == key.length && memcmp(keys[i].text, key.text, key.length) == 0)
            return true;
    }
    return false;
}

size_t bench_lines_keys(const struct bench_lines *lines, struct bench_span ret_keys[BENCH_MAX_KEYS])
{
    size_t count = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const char *rest = lines->lines[i].leg->cell.params;
        struct bench_span key;
        while (bench_params_cut(&rest, ';', &key)) {
            key.length = strcspn(key.text, "=");
            if (count < BENCH_MAX_KEYS && !has_key(ret_keys, count, key))
                ret_keys[count++] = key;
        }
    }
    return count;
}

size_t bench_lines_subjects(const struct bench_lines *lines,
                            const char *ret_names[BENCH_SUBJECT_COUNT])
{
    size_t count = 0; /* Lines are in the order of subjects, so equal ones are neighbours. */
    for (size_t i = 0; i < lines->count; i++) {
        const char *name = lines->lines[i].leg->cell.offer->subject;
        if (count == 0 || strcmp(ret_names[count - 1], name) != 0)
            ret_names[count++] = name;
    }
    return count;
}

bool bench_lines_have_threads(const struct bench_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->lines[i].leg->cell.threads != 1)
            return true;
    }
    return false;
}

const struct bench_line *bench_lines_find(const struct bench_lines *lines,
                                          const struct bench_cell *cell)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (bench_cell_equals(&lines->lines[i].leg->cell, cell))
            return &lines->lines[i];
    }
    return NULL;
}
