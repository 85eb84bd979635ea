/* SPDX-License-Identifier: MIT */
#ifndef ISTI_ABI_CALLABLE_H
#define ISTI_ABI_CALLABLE_H
/*
 * Whether a function can be called at all, by any ABI.
 */
#include "layout/layout.h"

/*
 * IST_OK, or IST_E_LAYOUT with a sentence that names the parameter, the member and the reason:
 *   - a type that is not defined; values in another byte order than `order`;
 *   - more parameters or larger values than a plan describes (ISTI_ARGUMENTS_MAX, ...);
 *   - a variadic argument of a type that C promotes;
 *   - groups whose bytes are not all accounted for: padding where C would have none or as a whole type, a
 *     size that is not a multiple of the alignment. Their classes would be a guess.
 */
ist_status
isti_callable_require(const ist_function *function, ist_order order, isti_problem *problem);

/* "parameter 2 'length'", or "the result" for index `count`. */
#define ISTI_CALLABLE_NAME_SIZE 80
void isti_callable_name(const ist_function *function, size_t index,
                        char text[ISTI_CALLABLE_NAME_SIZE]);

#endif
