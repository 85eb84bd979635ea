/* SPDX-License-Identifier: MIT */
/*
 * The dynamic loader of the GNU C library: dlopen(3), dlsym(3), dlvsym(3), dladdr1(3). For the
 * sizes of variables it reads the symbol tables of libraries: dladdr1() names any symbol of an
 * address, and where there are several a caller would get the size of another.
 *
 * The loader says why it refuses in words only, in the program's language. One reason can be told
 * all the same: it allocates by the program's malloc(), which leaves ENOMEM in errno. Its system
 * calls have an errno of their own, so that a want of address space is not known as such.
 */
#include "os/loader.h"

#include "base/contract.h"
#include "base/fault.h"
#include "base/text.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/*
 * `instead`: where the loader has nothing to say. Each of its calls forgets what an earlier one had
 * to say, so that this is always about the last.
 */
static void take_reason(bool no_memory, const char *instead, isti_loader_refusal *ret_refusal)
{
    const char *reason = dlerror();
    ret_refusal->no_memory = no_memory;
    isti_text text = isti_text_in(ret_refusal->text, sizeof ret_refusal->text);
    isti_text_add(&text, "%s", reason != NULL ? reason : instead);
}

static int modes_of(unsigned flags)
{
    return RTLD_NOW | (flags & ISTI_LOADER_GLOBAL ? RTLD_GLOBAL : RTLD_LOCAL) |
           (flags & ISTI_LOADER_LOADED ? RTLD_NOLOAD : 0) |
           (flags & ISTI_LOADER_STAYS ? RTLD_NODELETE : 0);
}

void *isti_loader_open(const char *name, unsigned flags, isti_loader_refusal *ret_refusal)
{
    int saved = errno;
    errno = 0;
    void *library = NULL;
    if (isti_fault_strikes())
        errno = ENOMEM;
    else
        library = dlopen(name, modes_of(flags));
    if (library == NULL)
        take_reason(errno == ENOMEM, errno == ENOMEM ? "out of memory" : "it is not loaded",
                    ret_refusal);
    errno = saved;
    return library;
}

void isti_loader_close(void *library)
{
    int saved = errno;
    int failed = dlclose(library);
    ISTI_ASSERT(failed == 0);
    (void)failed;
    errno = saved;
}

void *isti_loader_find(void *library, const char *symbol, const char *version,
                       isti_loader_refusal *ret_refusal)
{
    int saved = errno;
    void *handle = library != NULL ? library : RTLD_DEFAULT;
    void *address = version != NULL ? dlvsym(handle, symbol, version) : dlsym(handle, symbol);
    if (address == NULL)
        take_reason(false, "the address of the symbol is 0", ret_refusal);
    errno = saved;
    return address;
}

/* ---- The standard libraries ---- */

enum { STANDARD_COUNT = 3 };
static const char *const standard_names[STANDARD_COUNT] = { LIBC_SO, LIBM_SO, LIBDL_SO };
static _Atomic(void *) standard[STANDARD_COUNT]; /* Set once each. */

static void *open_standard(size_t index, isti_loader_refusal *ret_refusal)
{
    /* Acquire: pairs with the exchange below; not that the loader needed it. */
    void *library = atomic_load_explicit(&standard[index], memory_order_acquire);
    if (library != NULL)
        return library;
    library = isti_loader_open(standard_names[index], 0, ret_refusal);
    void *first = NULL;
    if (library == NULL ||
        atomic_compare_exchange_strong_explicit(&standard[index], &first, library,
                                                memory_order_acq_rel, memory_order_acquire))
        return library;
    isti_loader_close(library); /* Another thread was quicker: this is the same once more. */
    return first;
}

void *
isti_loader_find_standard(const char *symbol, const char *version, isti_loader_refusal *ret_refusal)
{
    for (size_t i = 0; i < STANDARD_COUNT; i++) {
        void *library = open_standard(i, ret_refusal);
        if (library == NULL && ret_refusal->no_memory)
            return NULL;
        void *address =
            library != NULL ? isti_loader_find(library, symbol, version, ret_refusal) : NULL;
        if (address != NULL)
            return address;
    }
    ret_refusal->no_memory = false;
    isti_text text = isti_text_in(ret_refusal->text, sizeof ret_refusal->text);
    isti_text_add(&text, "none of libc, libm and libdl has the symbol %s%s%s", symbol,
                  version != NULL ? ", version " : "", version != NULL ? version : "");
    return NULL;
}

/* ---- Sizes ---- */

/* What the dynamic section of a library says of its symbols. ELF gABI, chapter 5, "Hash Table". */
typedef struct symbol_table {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hash;     /* DT_HASH: how many buckets, how many symbols, ... */
    const uint32_t *gnu_hash; /* DT_GNU_HASH; at least one of the two. */
} symbol_table;

/* The loader has made most of them addresses; those of the kernel's own library stay offsets. */
static const void *place_in(const struct link_map *library, const ElfW(Dyn) * entry)
{
    ElfW(Addr) value = entry->d_un.d_ptr;
    return (const void *)(value < library->l_addr ? library->l_addr + value : value);
}

static symbol_table table_of(const struct link_map *library)
{
    symbol_table table = { .symbols = NULL };
    for (const ElfW(Dyn) *entry = library->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            table.symbols = place_in(library, entry);
        else if (entry->d_tag == DT_STRTAB)
            table.names = place_in(library, entry);
        else if (entry->d_tag == DT_HASH)
            table.hash = place_in(library, entry);
        else if (entry->d_tag == DT_GNU_HASH)
            table.gnu_hash = place_in(library, entry);
    }
    return table;
}

/*
 * How many symbols there are. DT_GNU_HASH does not say; the last is the end of the chain that
 * begins last, which a low bit marks:
 *
 *     bucket count | first hashed symbol | words of filter | shift | filter | buckets | chains
 */
static size_t count_symbols(const symbol_table *table)
{
    if (table->hash != NULL)
        return table->hash[1];
    size_t bucket_count = table->gnu_hash[0], first = table->gnu_hash[1];
    const ElfW(Addr) *filter = (const ElfW(Addr) *)(const void *)(table->gnu_hash + 4);
    const uint32_t *buckets = (const uint32_t *)(const void *)(filter + table->gnu_hash[2]);
    const uint32_t *chains = buckets + bucket_count;
    size_t last = 0;
    for (size_t i = 0; i < bucket_count; i++)
        last = buckets[i] > last ? buckets[i] : last;
    if (last < first)
        return first;
    while ((chains[last - first] & 1) == 0)
        last++;
    return last + 1;
}

static size_t size_in(const struct link_map *library, const void *address, const char *symbol)
{
    symbol_table table = table_of(library);
    size_t count = count_symbols(&table);
    for (size_t i = 0; i < count; i++) {
        const ElfW(Sym) *entry = &table.symbols[i];
        if (library->l_addr + entry->st_value == (ElfW(Addr))address &&
            entry->st_shndx != SHN_UNDEF && strcmp(table.names + entry->st_name, symbol) == 0)
            return entry->st_size;
    }
    return 0;
}

size_t isti_loader_size(const void *address, const char *symbol)
{
    int saved = errno;
    Dl_info info;
    void *library = NULL;
    bool known = dladdr1(address, &info, &library, RTLD_DL_LINKMAP) != 0 && library != NULL;
    errno = saved;
    return known ? size_in(library, address, symbol) : 0;
}
