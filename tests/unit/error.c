/* SPDX-License-Identifier: MIT */
/* Failures whose reason is known at run time only: the text is copied, bounded, and the thread's own. Kept failures. */
#include "base/fault.h"
#include "session/error.h"
#include "support/expect.h"

#include <sys/wait.h>

static void the_text_ends_the_sentence(void **state)
{
    (void)state;
    expect_status(isti_fail_text(IST_E_NOT_FOUND, "opening a library", "no such thing"), IST_E_NOT_FOUND);
    expect(strcmp(ist_last_error(), "opening a library: no such thing") == 0);
    ist_error error = test_last_error();
    expect(strcmp(error.operation, "opening a library") == 0);
    expect(error.kind == NULL && error.length == 0 && error.os_errno == 0);
}

static void the_text_is_copied(void **state)
{
    (void)state;
    char text[] = "before";
    expect_status(isti_fail_text(IST_E_LAYOUT, "parsing", text), IST_E_LAYOUT);
    memcpy(text, "behind", sizeof text);
    expect(strcmp(ist_last_error(), "parsing: before") == 0);
    expect(strcmp(ist_last_error(), "parsing: before") == 0); /* Asking changes nothing. */
}

/* Percent signs are text. */
static void the_text_is_no_format(void **state)
{
    (void)state;
    expect_status(isti_fail_text(IST_E_NOT_FOUND, "look-up", "100%s %n"), IST_E_NOT_FOUND);
    expect(strcmp(ist_last_error(), "look-up: 100%s %n") == 0);
}

static void every_length(void **state)
{
    (void)state;
    char text[1000], wanted[1000];
    for (size_t length = 0; length < sizeof text; length++) {
        test_context("length %zu", length);
        for (size_t i = 0; i < length; i++)
            text[i] = (char)('a' + i % 26);
        text[length] = '\0';
        expect_status(isti_fail_text(IST_E_ARGUMENT, "operation", text), IST_E_ARGUMENT);
        snprintf(wanted, sizeof wanted, "operation: %.239s", text);
        expect(strcmp(ist_last_error(), wanted) == 0);
    }
}

/* No byte behind the bound is read: the text need not even end. */
static void a_text_without_an_end(void **state)
{
    (void)state;
    char *text = malloc(ISTI_REASON_SIZE - 1); /* To the sanitizers' eye. */
    expect(text != NULL);
    memset(text, 'x', ISTI_REASON_SIZE - 1);
    expect_status(isti_fail_text(IST_E_ARGUMENT, "operation", text), IST_E_ARGUMENT);
    expect_size(strlen(ist_last_error()), strlen("operation: ") + ISTI_REASON_SIZE - 1);
    free(text);
}

/* The sentence of a failure may be the reason of the next one, and so may the copied text. */
static void an_earlier_failure_as_the_text(void **state)
{
    (void)state;
    expect_status(isti_fail_text(IST_E_NOT_FOUND, "inner", "missing"), IST_E_NOT_FOUND);
    expect_status(isti_fail_text(IST_E_LAYOUT, "outer", ist_last_error()), IST_E_LAYOUT);
    expect(strcmp(ist_last_error(), "outer: inner: missing") == 0);
    const char *copy = strstr(ist_last_error(), "inner");
    expect_status(isti_fail_text(IST_E_LAYOUT, "last", copy), IST_E_LAYOUT);
    expect(strcmp(ist_last_error(), "last: inner: missing") == 0);
}

static void the_next_failure_has_its_own_reason(void **state)
{
    (void)state;
    expect_status(isti_fail_text(IST_E_NOT_FOUND, "one", "text"), IST_E_NOT_FOUND);
    expect_status(isti_fail_argument("two", "constant"), IST_E_ARGUMENT);
    expect(strcmp(ist_last_error(), "two: constant") == 0);
}

static void fail_elsewhere(void *unused)
{
    (void)unused;
    expect_status(isti_fail_text(IST_E_LAYOUT, "there", "its text"), IST_E_LAYOUT);
    expect(strcmp(ist_last_error(), "there: its text") == 0);
}

static void each_thread_has_its_own_text(void **state)
{
    (void)state;
    expect_status(isti_fail_text(IST_E_NOT_FOUND, "here", "our text"), IST_E_NOT_FOUND);
    test_on_thread(fail_elsewhere, NULL);
    expect(strcmp(ist_last_error(), "here: our text") == 0);
}

static void fail_without_a_record(void *unused)
{
    (void)unused;
    isti_fault_arm(1); /* The record of this process's first use. */
    ist_status status = isti_fail_text(IST_E_NOT_FOUND, "here", "our text");
    expect_size(isti_fault_disarm(), 1);
    expect(status == IST_E_NOT_FOUND);
    expect(strcmp(ist_last_error(), ist_status_text(IST_E_NOT_FOUND)) == 0);
    expect(test_last_error().status == IST_E_NOT_FOUND);
    /* Once there is a record, it has no part in that failure. */
    expect_status(isti_fail_text(IST_E_LAYOUT, "now", "with a record"), IST_E_LAYOUT);
    expect(strcmp(ist_last_error(), "now: with a record") == 0);
}

static void a_thread_without_a_record_keeps_the_status(void **state)
{
    (void)state;
    int status = test_in_child(fail_without_a_record, NULL);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- Kept failures ---- */

static void a_failure_is_put_back(void **state)
{
    (void)state;
    expect_status(isti_fail_text(IST_E_NOT_FOUND, "first", "its text"), IST_E_NOT_FOUND);
    ist_error before = test_last_error();
    isti_kept_failure kept = isti_failure_keep();
    expect_status(isti_fail_text(IST_E_LAYOUT, "second", "another text"), IST_E_LAYOUT);
    expect(isti_failure_status() == IST_E_LAYOUT);
    isti_failure_put_back(&kept);
    expect(isti_failure_status() == IST_E_NOT_FOUND);
    expect(strcmp(ist_last_error(), "first: its text") == 0);
    ist_error after = test_last_error();
    expect(memcmp(&before, &after, sizeof before) == 0);
}

static void no_failure_is_put_back(void *unused)
{
    (void)unused;
    isti_kept_failure kept = isti_failure_keep(); /* There is no record yet. */
    expect(isti_failure_status() == IST_OK);
    expect_status(isti_fail_text(IST_E_LAYOUT, "second", "another text"), IST_E_LAYOUT);
    isti_failure_put_back(&kept);
    expect(isti_failure_status() == IST_OK);
    expect(strcmp(ist_last_error(), "no error") == 0);
    expect(test_last_error().status == IST_OK && test_last_error().operation == NULL);
}

static void nothing_is_put_back_as_well(void **state)
{
    (void)state;
    test_on_thread(no_failure_is_put_back, NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(a_thread_without_a_record_keeps_the_status), /* First: nobody has a record yet. */
        test_case(the_text_ends_the_sentence),
        test_case(the_text_is_copied),
        test_case(the_text_is_no_format),
        test_case(every_length),
        test_case(a_text_without_an_end),
        test_case(an_earlier_failure_as_the_text),
        test_case(the_next_failure_has_its_own_reason),
        test_case(each_thread_has_its_own_text),
        test_case(a_failure_is_put_back),
        test_case(nothing_is_put_back_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
