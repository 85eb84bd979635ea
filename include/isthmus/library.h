/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_LIBRARY_H
#define ISTHMUS_LIBRARY_H
/*
 * Libraries: code that is loaded at run time, for as long as an arena is open, and the addresses of
 * its symbols.
 *
 *     ist_library *libm;
 *     ist_segment cosine;
 *     IST_CHECK(ist_library_open(arena, "libm.so.6", &libm));
 *     IST_CHECK(ist_library_find(libm, "cos", &cosine));
 *     ...
 *     IST_CHECK(ist_arena_close(arena));     // IST_E_HELD while a call is inside; then unloaded.
 *     // Whatever uses the segment `cosine` is IST_E_CLOSED from here on.
 *
 * An open library is an object of its arena: it ends with it, and there is no other way to close
 * it. Its pointer is good while the arena is open; the segments of its symbols carry the arena's
 * lifetime and say so when it is over. The close of the arena gives up the one reference that the
 * open took, in order with the arena's cleanup actions: those that were added later run while the
 * library is there. The loader unloads it when that was the last reference of the process, and
 * nothing else keeps it (RTLD_NODELETE, destructors of thread-local variables that are due). A
 * process that exits unloads nothing: libraries of arenas that are still open end with it, as those
 * do that were linked.
 *
 * Opening and closing run the library's constructors and destructors, on the calling thread. They
 * may use Isthmus; if a constructor closes the arena, the library is unloaded again and the open is
 * IST_E_CLOSED.
 *
 *                          open   find   close of the arena
 *     open                  -      -      -      An open that comes too late is IST_E_CLOSED.
 *     find                  -      -      X      X: the arena is open when a find begins, by the
 *                                                caller's care; a close during it is IST_E_HELD.
 *
 * Threads: of a confined arena its owner alone; others are IST_E_WRONG_THREAD.
 *
 * Follows java.lang.foreign.SymbolLookup and dlopen(3), dlsym(3), dlvsym(3).
 */
#include <isthmus/arena.h>

IST_BEGIN_DECLS

typedef struct ist_library ist_library;

/* ---- Opening ---- */

/*
 * Loads a library, with all its symbols bound, for as long as the arena is open. A name with a
 * slash is a path, from the working directory if it is relative; another one is searched for as the
 * loader does for libisthmus: LD_LIBRARY_PATH, the loader's cache, the system's folders, but not
 * the RUNPATH of the program.
 * Ownership: the library belongs to the arena. In the global arena it stays for ever.
 * Returns:   IST_OK; IST_E_ARGUMENT (a NULL, an empty name); IST_E_CLOSED; IST_E_WRONG_THREAD:
 *            nothing was loaded. IST_E_NOT_FOUND: the loader cannot use it, because it is missing,
 *            no library (a directory, say), or something that it needs is missing;
 *            ist_last_error() says what. IST_E_NO_MEMORY; where it is address space for the file
 *            that is missing, the loader does not tell: IST_E_NOT_FOUND as well. IST_E_CLOSED also
 *            if the arena was closed meanwhile: the library is unloaded again.
 * Threads:   the owner of a confined arena, any thread for others. FFM: SymbolLookup.libraryLookup.
 */
IST_NODISCARD IST_API ist_status ist_library_open(ist_arena arena, const char *name,
                                                  ist_library **ret_library);

/* How to open; a sum of these. */
enum {
    /* Its symbols serve libraries that are opened later, and ist_library_process(). RTLD_GLOBAL. */
    IST_LIBRARY_GLOBAL = 1,
    /* Only if the process has it loaded already; else IST_E_NOT_FOUND. RTLD_NOLOAD. */
    IST_LIBRARY_LOADED = 2,
    /*
     * It stays loaded when the arena ends, for code that does not bear to be unloaded; segments
     * of it are IST_E_CLOSED all the same. RTLD_NODELETE.
     */
    IST_LIBRARY_STAYS = 4,
};

/* As ist_library_open(), which is this without flags. Returns: also IST_E_ARGUMENT (other bits). */
IST_NODISCARD IST_API ist_status ist_library_open_with(ist_arena arena, const char *name,
                                                       unsigned flags, ist_library **ret_library);

/*
 * The symbols of the program, the libraries that it was linked to, and those that were opened with
 * IST_LIBRARY_GLOBAL, in the loader's order (RTLD_DEFAULT). Never closed; its symbols are in the
 * global arena: the loader does not unload a library any more in which one was found this way.
 * Threads: any. FFM: SymbolLookup.loaderLookup, as far as there is a counterpart.
 */
IST_API const ist_library *ist_library_process(void);

/*
 * The symbols of the C library: of libc, libm and libdl, in this order, whatever the program was
 * linked to or has put before them (LD_PRELOAD). Never closed; its symbols are in the global arena.
 * Threads: any. FFM: Linker.defaultLookup.
 */
IST_API const ist_library *ist_library_default(void);

/* ---- Finding ---- */

/*
 * The address of a symbol, as a segment of 0 bytes in the library's arena; in the libraries that
 * this one depends on too, where it has none of the name. One of several versions is the library's
 * default; of a function that is chosen at run time (an IFUNC) it is the one that was chosen; of a
 * thread-local variable it is the calling thread's, which ends with the thread.
 * Returns: IST_OK; IST_E_ARGUMENT (a NULL); IST_E_CLOSED; IST_E_WRONG_THREAD; IST_E_NOT_FOUND,
 *          also of a symbol whose address is 0; IST_E_NO_MEMORY.
 * Threads: the owner of a confined arena, any thread for others.
 * FFM: SymbolLookup.find.
 */
IST_NODISCARD IST_API ist_status ist_library_find(const ist_library *library, const char *symbol,
                                                  ist_segment *ret_segment);

/*
 * As ist_library_find(), of the symbol's version by that name ("GLIBC_2.2.5"): dlvsym(3).
 * Returns: as ist_library_find(); IST_E_ARGUMENT also if version is NULL.
 */
IST_NODISCARD IST_API ist_status ist_library_find_versioned(const ist_library *library,
                                                            const char *symbol, const char *version,
                                                            ist_segment *ret_segment);

/*
 * As ist_library_find(), of a variable: a segment of `size` bytes, what the caller was compiled
 * for; 0: of as many as the library's symbol table says. Whether it may be written is not known
 * here: writing to a constant one is a fault.
 * Returns: as ist_library_find(); IST_E_BOUNDS if the table gives the symbol a smaller size;
 *          IST_E_UNSUPPORTED if size is 0 and no table knows: of thread-local variables, and of
 *          symbols that were made without a size.
 */
IST_NODISCARD IST_API ist_status ist_library_find_variable(const ist_library *library,
                                                           const char *symbol, size_t size,
                                                           ist_segment *ret_segment);

/* ---- Several at once ---- */

/*
 * Finds a symbol somewhere: IST_OK and *ret_segment is set; IST_E_NOT_FOUND: others may have it;
 * any other status: the search ends with it.
 */
typedef ist_status ist_lookup_fn(void *context, const char *symbol, ist_segment *ret_segment);

/*
 * Where to look: a function, and what it is given. It owns nothing, and is good for as long as its
 * context is. Versions are chosen by a function of one's own:
 *
 *     static ist_status find_old(void *fuse, const char *symbol, ist_segment *ret_segment)
 *     {
 *         return ist_library_find_versioned((ist_library *)fuse, symbol, "FUSE_2.5", ret_segment);
 *     }
 *     ...
 *     ist_lookup lookups[] = { { find_old, fuse }, ist_library_lookup(ist_library_default()) };
 *     IST_CHECK(ist_lookup_find(lookups, 2, "fuse_main", &address));
 */
typedef struct ist_lookup {
    ist_lookup_fn *find;
    void *context;
} ist_lookup;

/* ist_library_find() in that library. */
IST_API ist_lookup ist_library_lookup(const ist_library *library);

/*
 * Asks one after the other; the first that does not answer IST_E_NOT_FOUND decides.
 * Returns: what it answers; IST_E_NOT_FOUND if nobody has the symbol; IST_E_ARGUMENT (a NULL; a
 *          lookup without a function, when its turn has come).
 * Threads: as the lookups. FFM: SymbolLookup.or.
 */
IST_NODISCARD IST_API ist_status ist_lookup_find(const ist_lookup *lookups, size_t count,
                                                 const char *symbol, ist_segment *ret_segment);

IST_END_DECLS
#endif
