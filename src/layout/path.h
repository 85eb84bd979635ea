/* SPDX-License-Identifier: MIT */
#ifndef ISTI_LAYOUT_PATH_H
#define ISTI_LAYOUT_PATH_H
/* From a layout and the steps into it to the numbers of a path. Pure. */
#include <isthmus/path.h>

#include "layout/store.h"

/*
 * Returns IST_OK, or the problem's status with *ret as it was: IST_E_LAYOUT, IST_E_UNSUPPORTED,
 * IST_E_ARGUMENT.
 */
ist_status
isti_path_from_text(const ist_layout *root, const char *text, ist_path *ret, isti_problem *problem);
ist_status isti_path_from_elements(const ist_layout *root, const ist_path_element *elements,
                                   size_t count, ist_path *ret, isti_problem *problem);

#endif
