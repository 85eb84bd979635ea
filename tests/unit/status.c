/* SPDX-License-Identifier: MIT */
/* The list of statuses: complete, dense, and each row's name and text are what the functions give. */
#include "support/expect.h"

#define COUNT_ONE(name, value, text) +1
enum { COUNT = 0 IST_STATUS_LIST(COUNT_ONE) };

static void rows(void **state)
{
    (void)state;
    size_t next = 0;
#define CHECK_ROW(name, value, text)                                                               \
    test_context("%s", #name);                                                                     \
    expect((value) == next);                                                                       \
    expect(IST_##name == (value));                                                                 \
    expect(strcmp(ist_status_name(IST_##name), "IST_" #name) == 0);                                \
    expect(strcmp(ist_status_text(IST_##name), (text)) == 0);                                      \
    next++;
    IST_STATUS_LIST(CHECK_ROW)
    expect_size(next, COUNT);
    expect_size(COUNT, 15);
}

static void texts_differ(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < i; j++) {
            expect(strcmp(ist_status_name((ist_status)i), ist_status_name((ist_status)j)) != 0);
            expect(strcmp(ist_status_text((ist_status)i), ist_status_text((ist_status)j)) != 0);
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(rows),
        test_case(texts_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
