/* SPDX-License-Identifier: MIT */
#ifndef ISTI_LAYOUT_DISTINCT_H
#define ISTI_LAYOUT_DISTINCT_H
/*
 * That the members of a group have different names.
 */
#include "layout/layout.h"

/* Those of unnamed groups inside count too. The store is asked for memory if there are many. */
ist_status
isti_require_names_differ(const isti_store *store, const ist_layout *group, isti_problem *problem);

#endif
