/* SPDX-License-Identifier: MIT */
/* The end of a process whose library has broken its own word. */
#include "base/contract.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void isti_assertion_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "isthmus: internal error: %s:%d: %s\n", file, line, condition);
    abort();
}
