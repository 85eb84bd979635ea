/* SPDX-License-Identifier: MIT */
/* A layout with one thing changed: a copy, since layouts do not change. */
#include <string.h>

#include "base/size.h"
#include "layout/layout.h"

/* A copy in the store whose parts are the store's. */
static ist_layout *copy_of(const isti_store *store, const ist_layout *layout, isti_problem *problem)
{
    const ist_layout *adopted;
    if (isti_layout_adopt(store, layout, &adopted, problem) != IST_OK)
        return NULL;
    ist_layout *copy = ISTI_STORE_NEW(store, ist_layout, problem);
    if (copy == NULL)
        return NULL;
    memcpy(copy, adopted, sizeof *copy);
    copy->owner = store->owner;
    return copy;
}

/* What is declared only cannot be copied: its definition would not reach the copy. */
static ist_status require_defined(const ist_layout *layout, isti_problem *problem)
{
    if (isti_layout_is_complete(layout))
        return IST_OK;
    return isti_problem_set(problem, IST_E_LAYOUT, "the type '%s' has no definition to change",
                            layout->name != NULL ? layout->name : "?");
}

ist_status isti_with_name(const isti_store *store, const ist_layout *layout, const char *name,
                          const ist_layout **ret, isti_problem *problem)
{
    if (require_defined(layout, problem) != IST_OK)
        return problem->status;
    const char *text = isti_store_text(store, name, name != NULL ? strlen(name) : 0, problem);
    ist_layout *copy = problem->status == IST_OK ? copy_of(store, layout, problem) : NULL;
    if (copy == NULL)
        return problem->status;
    copy->name = text;
    *ret = copy;
    return IST_OK;
}

/* The smallest alignment that a layout can have: that of its parts. */
static size_t smallest_alignment(const ist_layout *layout)
{
    if (layout->kind == IST_LAYOUT_SEQUENCE)
        return layout->of.element->alignment;
    return isti_layout_is_group(layout) ? layout->part_alignment : 1;
}

ist_status isti_realign(const isti_store *store, const ist_layout *layout, size_t alignment,
                        const ist_layout **ret, isti_problem *problem)
{
    if (require_defined(layout, problem) != IST_OK)
        return problem->status;
    ist_layout *copy = copy_of(store, layout, problem);
    if (copy == NULL)
        return problem->status;
    copy->alignment = alignment;
    *ret = copy;
    return IST_OK;
}

ist_status isti_with_alignment(const isti_store *store, const ist_layout *layout, size_t alignment,
                               const ist_layout **ret, isti_problem *problem)
{
    if (!isti_is_power_of_two(alignment))
        return isti_problem_set(problem, IST_E_ARGUMENT, "the alignment %zu is not a power of two",
                                alignment);
    if (require_defined(layout, problem) != IST_OK)
        return problem->status;
    if (alignment < smallest_alignment(layout))
        return isti_problem_set(problem, IST_E_LAYOUT,
                                "the alignment %zu is below that of a part, %zu", alignment,
                                smallest_alignment(layout));
    return isti_realign(store, layout, alignment, ret, problem);
}

ist_status isti_with_order(const isti_store *store, const ist_layout *layout, ist_order order,
                           const ist_layout **ret, isti_problem *problem)
{
    if (order != IST_ORDER_LITTLE && order != IST_ORDER_BIG)
        return isti_problem_set(problem, IST_E_ARGUMENT, "%d is no byte order", (int)order);
    if (layout->kind != IST_LAYOUT_VALUE && layout->kind != IST_LAYOUT_VECTOR)
        return isti_problem_set(problem, IST_E_LAYOUT, "only a value or a vector has a byte order");
    if (require_defined(layout, problem) != IST_OK)
        return problem->status;
    ist_layout *copy = copy_of(store, layout, problem);
    if (copy == NULL)
        return problem->status;
    copy->order = order;
    *ret = copy;
    return IST_OK;
}

/* ---- Sequences ---- */

static ist_status require_sequence(const ist_layout *layout, isti_problem *problem)
{
    if (layout->kind == IST_LAYOUT_SEQUENCE && layout->count != IST_COUNT_OPEN)
        return IST_OK;
    return isti_problem_set(problem, IST_E_LAYOUT, "the layout is not a sequence with an end");
}

/* The one dimension that is left open is what the others leave of `total`. */
static ist_status close_dimensions(size_t total, const size_t *dimensions, size_t count,
                                   size_t *ret_rest, isti_problem *problem)
{
    size_t product = 1, open = 0;
    for (size_t i = 0; i < count; i++) {
        if (dimensions[i] == IST_COUNT_OPEN)
            open++;
        else if (!isti_size_multiply(product, dimensions[i], &product))
            return isti_problem_set(problem, IST_E_OVERFLOW, "the product of the dimensions");
    }
    if (open > 1)
        return isti_problem_set(problem, IST_E_ARGUMENT, "%zu dimensions are left open", open);
    if (open == 1 && product != 0 && total % product == 0) {
        *ret_rest = total / product;
        return IST_OK;
    }
    if (open == 0 && product == total)
        return IST_OK;
    return isti_problem_set(problem, IST_E_LAYOUT, "%zu elements do not fill dimensions of %zu",
                            total, product);
}

/* All elements of a sequence of sequences: what they are, and how many. */
static ist_status flatten(const ist_layout *sequence, const ist_layout **ret_element,
                          size_t *ret_total, isti_problem *problem)
{
    if (require_sequence(sequence, problem) != IST_OK)
        return problem->status;
    size_t total = sequence->count;
    const ist_layout *element = sequence->of.element;
    for (; element->kind == IST_LAYOUT_SEQUENCE; element = element->of.element) {
        if (!isti_size_multiply(total, element->count, &total))
            return isti_problem_set(problem, IST_E_OVERFLOW, "the count of elements");
    }
    *ret_element = element;
    *ret_total = total;
    return IST_OK;
}

ist_status isti_reshape(const isti_store *store, const ist_layout *sequence,
                        const size_t *dimensions, size_t count, const ist_layout **ret,
                        isti_problem *problem)
{
    const ist_layout *layout;
    size_t total, rest = 0;
    if (count == 0)
        return isti_problem_set(problem, IST_E_ARGUMENT, "no dimensions");
    if (flatten(sequence, &layout, &total, problem) != IST_OK ||
        close_dimensions(total, dimensions, count, &rest, problem) != IST_OK)
        return problem->status;
    for (size_t i = count; i-- > 0;) {
        size_t length = dimensions[i] == IST_COUNT_OPEN ? rest : dimensions[i];
        if (isti_sequence(store, length, layout, &layout, problem) != IST_OK)
            return problem->status;
    }
    *ret = layout;
    return IST_OK;
}

ist_status isti_flatten(const isti_store *store, const ist_layout *sequence, const ist_layout **ret,
                        isti_problem *problem)
{
    const ist_layout *element;
    size_t total;
    if (flatten(sequence, &element, &total, problem) != IST_OK)
        return problem->status;
    return isti_sequence(store, total, element, ret, problem);
}
