/* SPDX-License-Identifier: MIT */
/*
 * Every allocation that the loader and the library make for an open is refused once: this program's allocator is the
 * process's, and so the loader's too. The open is IST_E_NO_MEMORY and has loaded nothing, or gets by without.
 */
#include "call/libraries.h"

#include <errno.h>

TEST_EXPORT void *malloc(size_t size);
TEST_EXPORT void *calloc(size_t count, size_t size);
TEST_EXPORT void *realloc(void *block, size_t size);
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static size_t requests, refused; /* The number of one that is refused; 0: none. */

static bool strikes(void)
{
    if (++requests != refused)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return strikes() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return strikes() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return strikes() ? NULL : __libc_realloc(block, size);
}

static ist_status open_refusing(ist_arena arena, size_t number, ist_library **ret_library)
{
    requests = 0;
    refused = number;
    ist_status status = ist_library_open(arena, COUNTED, ret_library);
    refused = 0;
    return status;
}

static void each_allocation_is_refused_once(void **state)
{
    (void)state;
    size_t failures = 0, made;
    size_t number = 0;
    do {
        number++;
        test_context("allocation %zu", number);
        ist_arena arena;
        ist_library *library = NULL;
        ist_segment answer;
        loads = unloads = 0;
        expect_ok(ist_arena_open_confined(&arena));
        ist_status status = open_refusing(arena, number, &library);
        made = requests;
        if (status != IST_OK) {
            failures++;
            expect(status == IST_E_NO_MEMORY);
            expect(test_last_error().status == IST_E_NO_MEMORY);
            expect_sentence("opening a library: ");
            expect(library == NULL);
            expect_size(loads, unloads);
            expect(!is_loaded(COUNTED));
            expect_ok(ist_library_open(arena, COUNTED, &library)); /* Once more. */
        }
        expect_ok(ist_library_find(library, "counted_answer", &answer));
        expect(call_int(answer) == 42);
        expect_ok(ist_arena_close(arena));
        expect_size(loads, unloads);
        expect(!is_loaded(COUNTED));
    } while (made >= number);
    printf("%zu allocations, %zu of which an open cannot do without\n", made, failures);
    expect(failures > 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        library_test(each_allocation_is_refused_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
