/* SPDX-License-Identifier: MIT */
#ifndef TEST_CALL_LIBRARIES_H
#define TEST_CALL_LIBRARIES_H
/* The libraries of libraries/, and what they tell the program that loads them. Included once in each program. */
#include "support/expect.h"

#include <dlfcn.h>
#include <stdatomic.h>

#define COUNTED TEST_LIBRARIES "/counted.so"
#define SYMBOLS TEST_LIBRARIES "/symbols_gnu.so"

/* Of counted.so: how often it was loaded and unloaded; what is to happen then. */
static atomic_size_t loads, unloads;
static void (*on_load)(void), (*on_unload)(void);
static void (*on_resolve)(void); /* Of symbols_*.so, when a function is chosen. */

#define TEST_EXPORT __attribute__((visibility("default")))
TEST_EXPORT void test_loaded(void);
TEST_EXPORT void test_unloaded(void);
TEST_EXPORT void test_resolving(void);

void test_loaded(void)
{
    atomic_fetch_add(&loads, 1);
    if (on_load != NULL)
        on_load();
}

void test_unloaded(void)
{
    atomic_fetch_add(&unloads, 1);
    if (on_unload != NULL)
        on_unload();
}

void test_resolving(void)
{
    if (on_resolve != NULL)
        on_resolve();
}

static inline int forget_counts(void **state)
{
    loads = unloads = 0;
    on_load = on_unload = on_resolve = NULL;
    return test_setup(state);
}

/* A test of a cmocka group that begins with the counts at 0. */
#define library_test(function) cmocka_unit_test_setup(function, forget_counts)

/* Whether the process has it, asked of the loader. */
static inline bool is_loaded(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (library != NULL)
        dlclose(library);
    return library != NULL;
}

static inline int call_int(ist_segment function)
{
    int (*entry)(void);
    void *address = ist_segment_pointer_unchecked(function);
    memcpy(&entry, &address, sizeof entry);
    return entry();
}

#endif
