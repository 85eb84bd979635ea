/* SPDX-License-Identifier: MIT */
/* The scripting of failures itself: the request that is named fails, no other does, and all are counted. */
#include "base/fault.h"
#include "base/heap.h"
#include "os/pages.h"
#include "support/expect.h"

#include <errno.h>

static bool request(size_t number)
{
    void *block;
    switch (number % 4) {
    case 0:
        block = isti_heap_alloc(100);
        break;
    case 1:
        block = isti_heap_alloc_zeroed(100);
        expect(block == NULL || test_all_bytes(block, 100, 0));
        break;
    case 2:
        block = isti_heap_alloc_aligned_zeroed(512, 256);
        expect(block == NULL || ((uintptr_t)block % 256 == 0 && test_all_bytes(block, 512, 0)));
        break;
    default:
        block = isti_pages_map(100);
        expect(block == NULL || test_all_bytes(block, 4096, 0));
        if (block != NULL)
            isti_pages_unmap(block, 100);
        return block != NULL;
    }
    isti_heap_free(block);
    return block != NULL;
}

static void the_named_request_fails(void **state)
{
    (void)state;
    for (size_t named = 1; named <= 8; named++) {
        isti_fault_arm(named);
        for (size_t i = 1; i <= 12; i++) {
            errno = 33;
            expect(request(i) == (i != named));
            expect(errno == 33);
        }
        expect_size(isti_fault_disarm(), 12);
        for (size_t i = 1; i <= 12; i++)
            expect(request(i));
    }
}

static void none_is_named(void **state)
{
    (void)state;
    isti_fault_arm(0);
    for (size_t i = 0; i < 20; i++)
        expect(request(i));
    expect_size(isti_fault_disarm(), 20);
}

static void the_system_refuses(void **state)
{
    (void)state;
    errno = 33;
    expect(isti_heap_alloc(test_opaque(SIZE_MAX / 2)) == NULL);
    expect(isti_heap_alloc_zeroed(test_opaque(SIZE_MAX / 2)) == NULL);
    expect(isti_heap_alloc_aligned_zeroed(test_opaque((size_t)1 << 62), 4096) == NULL);
    expect(isti_pages_map((size_t)1 << 62) == NULL);
    expect(errno == 33);
    isti_heap_free(NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(the_named_request_fails),
        test_case(none_is_named),
        test_case(the_system_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
