/* SPDX-License-Identifier: MIT */
/* The bounded text: what does not fit is cut off, never written beyond, and the text always ends. */
#include "base/text.h"
#include "support/expect.h"

static void pieces(void **state)
{
    (void)state;
    char buffer[64];
    memset(buffer, 'Z', sizeof buffer);
    isti_text text = isti_text_in(buffer, sizeof buffer);
    expect(buffer[0] == 0 && text.length == 0);
    isti_text_add(&text, "%s", "");
    expect(strcmp(buffer, "") == 0 && text.length == 0);
    isti_text_add(&text, "%d bytes", 12);
    isti_text_add(&text, " at %s", "offset 3");
    expect(strcmp(buffer, "12 bytes at offset 3") == 0);
    expect_size(text.length, 20);
}

/* Each capacity, in pieces: the text is the beginning of the whole. */
static void cutting(void **state)
{
    (void)state;
    static const char whole[] = "read of 8 bytes at offset 18446744073709551615";
    for (size_t capacity = 1; capacity <= sizeof whole + 3; capacity++) {
        test_context("capacity %zu", capacity);
        char buffer[sizeof whole + 8];
        memset(buffer, 'Z', sizeof buffer);
        isti_text text = isti_text_in(buffer, capacity);
        isti_text_add(&text, "read of %d bytes", 8);
        isti_text_add(&text, " at offset %zu", SIZE_MAX);
        size_t length = capacity - 1 < sizeof whole - 1 ? capacity - 1 : sizeof whole - 1;
        expect_size(text.length, length);
        expect(strlen(buffer) == length && memcmp(buffer, whole, length) == 0);
        expect(test_all_bytes(buffer + capacity, sizeof buffer - capacity, 'Z'));
        isti_text_add(&text, "%s", "more and more and more and more and more and more and more");
        expect(test_all_bytes(buffer + capacity, sizeof buffer - capacity, 'Z'));
        expect(strlen(buffer) == text.length && text.length < capacity);
        expect(memcmp(buffer, whole, length) == 0);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(pieces),
        test_case(cutting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
