/* SPDX-License-Identifier: MIT */
/*
 * Libraries as objects of arenas, and lookups.
 *
 * A library is a cleanup of its arena: the node in the arena's memory holds the loader's handle,
 * and running it closes that. While the loader works for an open nothing is held, so that a close
 * of the arena wins, as it does against any other use: then the node is not taken, and the library
 * goes back at once. A find holds the arena instead: the loader may run code of the library for it.
 */
#include <isthmus/library.h>

#include "base/text.h"
#include "memory/arena.h"
#include "os/loader.h"
#include "session/error.h"

#define OPENING "opening a library"
#define LOOKUP "symbol lookup"

struct ist_library {
    isti_cleanup cleanup; /* First. Of process_symbols and default_symbols unused. */
    ist_arena arena;
    void *handle; /* The loader's; NULL: the process. */
};

static const ist_library process_symbols = { .arena.expected = ISTI_GLOBAL };
static const ist_library default_symbols = { .arena.expected = ISTI_GLOBAL };

const ist_library *ist_library_process(void)
{
    return &process_symbols;
}

const ist_library *ist_library_default(void)
{
    return &default_symbols;
}

/* ---- Opening ---- */

_Static_assert((int)IST_LIBRARY_GLOBAL == (int)ISTI_LOADER_GLOBAL &&
                   (int)IST_LIBRARY_LOADED == (int)ISTI_LOADER_LOADED &&
                   (int)IST_LIBRARY_STAYS == (int)ISTI_LOADER_STAYS,
               "flags are passed on as they are");
enum { ALL_FLAGS = IST_LIBRARY_GLOBAL | IST_LIBRARY_LOADED | IST_LIBRARY_STAYS };

static void run_unload(isti_cleanup *cleanup)
{
    isti_loader_close(((ist_library *)cleanup)->handle);
}

/* Hands an open library to the arena, or closes it. */
static ist_status keep(ist_arena arena, void *handle, ist_library **ret_library)
{
    ist_library library = { .cleanup.run = run_unload, .arena = arena, .handle = handle };
    isti_cleanup *kept;
    ist_status status =
        isti_arena_add_object(arena, &library.cleanup, sizeof library, OPENING, &kept);
    if (status == IST_OK) {
        *ret_library = (ist_library *)kept;
        return IST_OK;
    }
    /* Destructors may fail at something of theirs: the last failure is still ours. */
    isti_kept_failure failure = isti_failure_keep();
    isti_loader_close(handle);
    isti_failure_put_back(&failure);
    return status;
}

ist_status
ist_library_open_with(ist_arena arena, const char *name, unsigned flags, ist_library **ret_library)
{
    if (name == NULL || ret_library == NULL)
        return isti_fail_argument(OPENING, "NULL where a name or the library is wanted");
    if (name[0] == '\0')
        return isti_fail_argument(OPENING, "the name is empty");
    if (flags & ~(unsigned)ALL_FLAGS)
        return isti_fail_argument(OPENING, "there is a flag that is not known");
    ist_status status = isti_arena_require(arena.session, arena.expected, OPENING);
    if (status != IST_OK)
        return status;
    isti_loader_refusal refusal;
    void *handle = isti_loader_open(name, flags, &refusal);
    if (handle == NULL)
        return isti_fail_text(refusal.no_memory ? IST_E_NO_MEMORY : IST_E_NOT_FOUND, OPENING,
                              refusal.text);
    return keep(arena, handle, ret_library);
}

ist_status ist_library_open(ist_arena arena, const char *name, ist_library **ret_library)
{
    return ist_library_open_with(arena, name, 0, ret_library);
}

/* ---- Finding ---- */

/* What is looked for. */
typedef struct wanted {
    const ist_library *library;
    const char *symbol;
    const char *version; /* NULL: any. */
    bool is_variable;
    size_t size; /* Of a variable; 0: the table says it. */
} wanted;

/* The bytes that the segment of a variable gets. */
static ist_status measure(const wanted *what, const void *address, size_t *ret_size)
{
    size_t size = isti_loader_size(address, what->symbol);
    if (size == 0 && what->size == 0)
        return isti_fail(
            &(isti_failure){ .error = { .status = IST_E_UNSUPPORTED, .operation = LOOKUP },
                             .reason = "no symbol table says how large the variable is" });
    if (size != 0 && what->size > size)
        return isti_fail(&(isti_failure){ .error = { .status = IST_E_BOUNDS,
                                                     .operation = LOOKUP,
                                                     .length = what->size,
                                                     .limit = size },
                                          .parts = ISTI_PART_LENGTH,
                                          .reason = "the variable is smaller" });
    *ret_size = what->size != 0 ? what->size : size;
    return IST_OK;
}

/* The library's arena is held. */
static ist_status find_held(const wanted *what, ist_segment *ret_segment)
{
    const ist_library *library = what->library;
    isti_loader_refusal refusal;
    void *address = library == &default_symbols
                        ? isti_loader_find_standard(what->symbol, what->version, &refusal)
                        : isti_loader_find(library->handle, what->symbol, what->version, &refusal);
    if (address == NULL)
        return isti_fail_text(refusal.no_memory ? IST_E_NO_MEMORY : IST_E_NOT_FOUND, LOOKUP,
                              refusal.text);
    size_t size = 0;
    ist_status status = what->is_variable ? measure(what, address, &size) : IST_OK;
    if (status == IST_OK)
        *ret_segment = (ist_segment){ .address = address,
                                      .size = size,
                                      .session = (uintptr_t)library->arena.session,
                                      .expected = library->arena.expected };
    return status;
}

static ist_status find(const wanted *what, ist_segment *ret_segment)
{
    if (what->library == NULL || what->symbol == NULL || ret_segment == NULL)
        return isti_fail_argument(LOOKUP, "NULL where a library, a name or the segment is wanted");
    ist_arena arena = what->library->arena;
    ist_hold hold;
    ist_status status = ist_arena_hold(arena, &hold);
    if (status != IST_OK)
        return isti_arena_refuse(status, arena.expected,
                                 &(isti_failure){ .error = { .operation = LOOKUP } });
    status = find_held(what, ret_segment);
    (void)ist_arena_release(&hold);
    return status;
}

ist_status
ist_library_find(const ist_library *library, const char *symbol, ist_segment *ret_segment)
{
    return find(&(wanted){ .library = library, .symbol = symbol }, ret_segment);
}

ist_status ist_library_find_versioned(const ist_library *library, const char *symbol,
                                      const char *version, ist_segment *ret_segment)
{
    if (version == NULL)
        return isti_fail_argument(LOOKUP, "NULL where a version is wanted");
    return find(&(wanted){ .library = library, .symbol = symbol, .version = version }, ret_segment);
}

ist_status ist_library_find_variable(const ist_library *library, const char *symbol, size_t size,
                                     ist_segment *ret_segment)
{
    return find(
        &(wanted){ .library = library, .symbol = symbol, .is_variable = true, .size = size },
        ret_segment);
}

/* ---- Several at once ---- */

static ist_status find_in_library(void *library, const char *symbol, ist_segment *ret_segment)
{
    return ist_library_find(library, symbol, ret_segment);
}

ist_lookup ist_library_lookup(const ist_library *library)
{
    return (ist_lookup){ .find = find_in_library, .context = (void *)(uintptr_t)library };
}

static ist_status nobody_has(const char *symbol, size_t count)
{
    char reason[ISTI_REASON_SIZE];
    isti_text text = isti_text_in(reason, sizeof reason);
    isti_text_add(&text, "none of %zu lookups has the symbol %s", count, symbol);
    return isti_fail_text(IST_E_NOT_FOUND, LOOKUP, reason);
}

ist_status ist_lookup_find(const ist_lookup *lookups, size_t count, const char *symbol,
                           ist_segment *ret_segment)
{
    if ((lookups == NULL && count != 0) || symbol == NULL || ret_segment == NULL)
        return isti_fail_argument(LOOKUP, "NULL where lookups, a name or the segment is wanted");
    isti_kept_failure before = isti_failure_keep();
    ist_status status = IST_E_NOT_FOUND;
    ist_segment found;
    for (size_t i = 0; i < count && status == IST_E_NOT_FOUND; i++) {
        if (lookups[i].find == NULL)
            return isti_fail_argument(LOOKUP, "a lookup has no function");
        status = lookups[i].find(lookups[i].context, symbol, &found);
    }
    if (status == IST_E_NOT_FOUND)
        return nobody_has(symbol, count);
    if (status == IST_OK) {
        isti_failure_put_back(&before); /* Those who have not got it have said so. */
        *ret_segment = found;
    } else if (isti_failure_status() != status) {
        return isti_fail(&(isti_failure){ .error = { .status = status, .operation = LOOKUP },
                                          .reason = "a lookup of the caller's fails" });
    }
    return status;
}
