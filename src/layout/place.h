/* SPDX-License-Identifier: MIT */
#ifndef ISTI_LAYOUT_PLACE_H
#define ISTI_LAYOUT_PLACE_H
/*
 * Where the members of a group lie.
 */
#include "layout/layout.h"

/*
 * Gives each of group->count members its offset, and the group its size and alignment: by the rules of
 * C if its flags say so (ISTI_LAYOUT_C_RULES, with its attributes), otherwise one behind the other. The
 * members are complete. On failure the problem names the member.
 */
ist_status isti_place_members(ist_layout *group, isti_member *members, isti_problem *problem);

/*
 * The alignment that a group has as a type: without what isti_with_alignment() gave to one laid out by
 * the rules of C, since that is a typedef's, which ends where an argument is passed.
 */
size_t isti_group_alignment(const ist_layout *group);

#endif
