/* SPDX-License-Identifier: MIT */
/*
 * A plugin host: it knows the library only as a file, loads it late, after modules with thread-local
 * variables of their own and while threads run, uses it from old and new threads, and unloads it with arenas open.
 *
 *     host libisthmus.so module.so...
 */
#include <isthmus/isthmus.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The symbols' prototypes, docs/bindings.md: a segment comes by pointer. */
typedef struct api {
    ist_status (*open)(ist_arena *ret_arena);
    ist_status (*allocate)(ist_arena arena, size_t size, size_t alignment, ist_segment *ret_segment);
    ist_status (*close)(ist_arena arena);
    ist_status (*set)(const ist_segment *segment, size_t offset, int64_t value);
    ist_status (*get)(const ist_segment *segment, size_t offset, int64_t *ret_value);
    const char *(*last_error)(void);
    ist_status (*stats)(ist_stats *ret_stats);
} api;

static api isthmus;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void *load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return library;
}

/* POSIX makes a function pointer of what dlsym() gives; C has no cast for it. */
static void find(void *library, const char *name, void *ret_function)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    memcpy(ret_function, &symbol, sizeof symbol);
}

static void find_all(void *library)
{
    find(library, "ist_arena_open_confined", &isthmus.open);
    find(library, "ist_arena_allocate", &isthmus.allocate);
    find(library, "ist_arena_close", &isthmus.close);
    find(library, "ist_set_i64", &isthmus.set);
    find(library, "ist_get_i64", &isthmus.get);
    find(library, "ist_last_error", &isthmus.last_error);
    find(library, "ist_stats_get", &isthmus.stats);
}

static void use_library(void)
{
    ist_arena arena;
    ist_segment segment;
    int64_t value = 0;
    EXPECT(isthmus.open(&arena) == IST_OK);
    EXPECT(isthmus.allocate(arena, 80, 8, &segment) == IST_OK);
    EXPECT(isthmus.set(&segment, 8, 42) == IST_OK);
    EXPECT(isthmus.get(&segment, 8, &value) == IST_OK && value == 42);
    EXPECT(isthmus.close(arena) == IST_OK);
    EXPECT(isthmus.get(&segment, 8, &value) == IST_E_CLOSED && value == 42);
    EXPECT(strcmp(isthmus.last_error(),
                  "read of 8 bytes at offset 8 of a segment of 80 bytes whose confined arena is closed") == 0);
}

/* ---- Threads that were there before the library ---- */

static pthread_barrier_t loaded, done;

static void *old_thread(void *data)
{
    (void)data;
    pthread_barrier_wait(&loaded);
    use_library();
    pthread_barrier_wait(&done);
    /* The library was "unloaded" meanwhile; the thread ends after that, its exit code being the library's. */
    pthread_barrier_wait(&done);
    use_library();
    return NULL;
}

static void *new_thread(void *data)
{
    ist_arena *left_open = data;
    use_library();
    EXPECT(isthmus.open(left_open) == IST_OK);
    return NULL;
}

int main(int argc, char **argv)
{
    enum { OLD_THREADS = 4 };
    pthread_t threads[OLD_THREADS], late;
    EXPECT(argc >= 2);
    pthread_barrier_init(&loaded, NULL, OLD_THREADS + 1);
    pthread_barrier_init(&done, NULL, OLD_THREADS + 1);
    for (int i = 0; i < OLD_THREADS; i++)
        EXPECT(pthread_create(&threads[i], NULL, old_thread, NULL) == 0);
    for (int i = 2; i < argc; i++) {
        unsigned char (*module_touch)(size_t place);
        find(load(argv[i]), "tls_module_touch", &module_touch);
        EXPECT(module_touch((size_t)i) == 1);
    }

    void *library = load(argv[1]);
    find_all(library);
    use_library();
    pthread_barrier_wait(&loaded);
    pthread_barrier_wait(&done);
    ist_arena left_open, own;
    EXPECT(pthread_create(&late, NULL, new_thread, &left_open) == 0);
    pthread_join(late, NULL);
    EXPECT(isthmus.open(&own) == IST_OK);

    /* Unloading leaves it where it is: open arenas, thread exits and stale handles need it. */
    EXPECT(dlclose(library) == 0);
    void *again = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD);
    EXPECT(again != NULL);
    ist_stats stats = { .size = sizeof stats };
    EXPECT(isthmus.stats(&stats) == IST_OK);
    EXPECT(stats.arenas_open == 2 && stats.arenas_orphaned == 1);
    EXPECT(isthmus.close(own) == IST_OK);
    pthread_barrier_wait(&done);
    for (int i = 0; i < OLD_THREADS; i++)
        pthread_join(threads[i], NULL);
    EXPECT(isthmus.stats(&stats) == IST_OK && stats.threads == 1);
    return 0;
}
