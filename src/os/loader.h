/* SPDX-License-Identifier: MIT */
#ifndef ISTI_OS_LOADER_H
#define ISTI_OS_LOADER_H
/*
 * The dynamic loader. Each function leaves errno alone, and takes what dlerror() has to say at
 * once: a text that the program has not fetched yet is lost, as with any use of the loader.
 *
 * Opening, closing and finding run code of libraries, which may use Isthmus: no lock is held, and
 * nothing but a hold is published meanwhile. Nothing here runs when the process exits.
 */
#include <stdbool.h>
#include <stddef.h>

/* Why the loader did not do it. */
typedef struct isti_loader_refusal {
    bool no_memory;
    char text[240];
} isti_loader_refusal;

enum {
    ISTI_LOADER_GLOBAL = 1, /* Its symbols serve what is opened later. */
    ISTI_LOADER_LOADED = 2, /* Only if it is loaded already. */
    ISTI_LOADER_STAYS = 4,  /* Closing does not unload it. */
};

/* Opens a library with all its symbols bound. NULL: refused. `name` is not empty. */
void *isti_loader_open(const char *name, unsigned flags, isti_loader_refusal *ret_refusal);
void isti_loader_close(void *library);

/*
 * The address of a symbol of an open library and of those that it depends on; of the process if
 * `library` is NULL. `version` may be NULL. NULL: refused, or the address is 0.
 */
void *isti_loader_find(void *library, const char *symbol, const char *version,
                       isti_loader_refusal *ret_refusal);

/* The same in libc, libm and libdl, which are opened when they are first asked and stay open. */
void *isti_loader_find_standard(const char *symbol, const char *version,
                                isti_loader_refusal *ret_refusal);

/*
 * The size of a symbol as the table of its library has it: of the one by that name whose value is
 * the address. 0: there is none, or it has no size. The library stays loaded meanwhile.
 */
size_t isti_loader_size(const void *address, const char *symbol);

#endif
