/* SPDX-License-Identifier: MIT */
#ifndef ISTI_LAYOUT_ENUMS_H
#define ISTI_LAYOUT_ENUMS_H
/*
 * Which type an enumeration has in C, by the values of its enumerators.
 */
#include "layout/layout.h"

/* The values; 0 is always among them, which changes nothing. */
typedef struct isti_enum_range {
    __int128 lowest, highest;
} isti_enum_range;

void isti_enum_range_add(isti_enum_range *range, __int128 value);
bool isti_enum_range_fits(const isti_enum_range *range, ist_type type);
/* The type; with the attribute packed the smallest one. IST_TYPE_NONE: none has room. */
ist_type isti_enum_type(const isti_enum_range *range, bool is_packed);

#endif
