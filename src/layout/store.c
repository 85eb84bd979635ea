/* SPDX-License-Identifier: MIT */
/* Problems and the memory of layouts; see the header. */
#include "layout/store.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"

ist_status isti_problem_set(isti_problem *problem, ist_status status, const char *format, ...)
{
    if (problem->status != IST_OK)
        return problem->status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    problem->status = status;
    return status;
}

void *isti_store_take(const isti_store *store, size_t count, size_t size, isti_problem *problem)
{
    size_t bytes;
    if (!isti_size_multiply(count, size, &bytes)) {
        isti_problem_set(problem, IST_E_OVERFLOW, "%zu parts of %zu bytes each", count, size);
        return NULL;
    }
    return bytes == 0 ? NULL
                      : store->allocate(store->context, bytes, _Alignof(max_align_t), problem);
}

const char *
isti_store_text(const isti_store *store, const char *text, size_t length, isti_problem *problem)
{
    if (text == NULL)
        return NULL;
    char *copy = store->allocate(store->context, length + 1, 1, problem);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}
