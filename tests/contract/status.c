/* SPDX-License-Identifier: MIT */
/* Statuses, the last error of a thread, and the failure handler. */
#include "support/expect.h"

#include <signal.h>
#include <sys/wait.h>

static uint8_t bytes[16];

/* Fails with numbers that nothing else uses: 4 bytes at offset 13 of 16. */
static ist_status fail_bounds(void)
{
    return ist_set_u32_unaligned(ist_segment_of(bytes, sizeof bytes), 13, 1);
}

static const struct {
    int value;
    const char *name;
} statuses[] = {
    { 0, "IST_OK" },
    { 1, "IST_E_CLOSED" },
    { 2, "IST_E_HELD" },
    { 3, "IST_E_WRONG_THREAD" },
    { 4, "IST_E_BOUNDS" },
    { 5, "IST_E_ALIGNMENT" },
    { 6, "IST_E_READ_ONLY" },
    { 7, "IST_E_ARGUMENT" },
    { 8, "IST_E_OVERFLOW" },
    { 9, "IST_E_NO_MEMORY" },
    { 10, "IST_E_UNSUPPORTED" },
    { 11, "IST_E_NOT_FOUND" },
    { 12, "IST_E_LAYOUT" },
    { 13, "IST_E_SYSTEM" },
    { 14, "IST_E_BUSY" },
};
enum { STATUS_COUNT = sizeof statuses / sizeof statuses[0] };

static void values_and_names_are_fixed(void **state)
{
    (void)state;
    for (size_t i = 0; i < STATUS_COUNT; i++) {
        test_context("%s", statuses[i].name);
        expect(strcmp(ist_status_name((ist_status)statuses[i].value), statuses[i].name) == 0);
        expect(strlen(ist_status_text((ist_status)statuses[i].value)) > 4);
    }
    expect(strcmp(ist_status_text(IST_OK), "success") == 0);
    expect(strcmp(ist_status_text(IST_E_CLOSED), "the arena is closed") == 0);
    static const int unknown[] = { 15, 16, 255, 1000000 };
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        int value = unknown[i];
        ist_status status;
        memcpy(&status, &value, sizeof status); /* No enumerator: not to be converted. */
        expect(strcmp(ist_status_name(status), "IST_?") == 0);
        expect(strcmp(ist_status_text(status), "unknown status") == 0);
    }
}

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", IST_VERSION_MAJOR, IST_VERSION_MINOR, IST_VERSION_PATCH);
    expect(strcmp(ist_version(), IST_VERSION_STRING) == 0);
    expect(strcmp(ist_version(), text) == 0);
}

static void ask_a_fresh_thread(void *data)
{
    (void)data;
    expect(strcmp(ist_last_error(), "no error") == 0);
    ist_error error = test_last_error();
    expect(error.status == IST_OK);
    expect(error.size == sizeof error);
    expect(error.operation == NULL && error.kind == NULL);
    expect(error.offset == 0 && error.length == 0 && error.limit == 0 && error.alignment == 0);
    expect(error.address == 0 && error.holders == 0 && error.os_errno == 0);
}

static void a_fresh_thread_has_no_error(void **state)
{
    (void)state;
    expect_status(fail_bounds(), IST_E_BOUNDS);
    test_on_thread(ask_a_fresh_thread, NULL);
}

static void fail_otherwise(void *data)
{
    (void)data;
    ist_arena none = { 0 };
    expect_status(ist_arena_close(none), IST_E_CLOSED);
    expect(test_last_error().status == IST_E_CLOSED);
}

static void each_thread_has_its_own_error(void **state)
{
    (void)state;
    expect_status(fail_bounds(), IST_E_BOUNDS);
    test_on_thread(fail_otherwise, NULL);
    expect(test_last_error().status == IST_E_BOUNDS);
    expect_sentence("13");
}

static void the_sentence_of_the_header(void **state)
{
    (void)state;
    ist_arena arena;
    ist_segment numbers;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_allocate(arena, 80, 8, &numbers));
    expect_ok(ist_arena_close(arena));
    int64_t value = -1;
    expect_status(ist_get_i64(numbers, 8, &value), IST_E_CLOSED);
    expect(value == -1);
    expect(strcmp(ist_last_error(), "read of 8 bytes at offset 8 of a segment of 80 bytes whose confined arena is closed") == 0);
}

static void sentences_carry_the_numbers(void **state)
{
    (void)state;
    expect_status(fail_bounds(), IST_E_BOUNDS);
    expect_sentence("write");
    expect_sentence("4 bytes");
    expect_sentence("offset 13");
    expect_sentence("16 bytes");
    expect(strstr(ist_last_error(), "IST_") == NULL); /* A sentence without the status's name. */

    ist_segment slice;
    expect_status(ist_segment_slice(ist_segment_of(bytes, 16), 7, 123, &slice), IST_E_BOUNDS);
    expect_sentence("slice");
    expect_sentence("123");
    expect_sentence("7");
    expect_sentence("16");

    expect_status(ist_segment_slice(ist_segment_of(bytes, SIZE_MAX / 2), SIZE_MAX, SIZE_MAX, &slice), IST_E_BOUNDS);
    expect_sentence("18446744073709551615"); /* The longest numbers fit. */
    expect_sentence("9223372036854775807");
}

static void info_carries_the_numbers(void **state)
{
    (void)state;
    expect_status(fail_bounds(), IST_E_BOUNDS);
    ist_error error = test_last_error();
    expect(error.status == IST_E_BOUNDS);
    expect(strcmp(error.operation, "write") == 0);
    expect_size(error.offset, 13);
    expect_size(error.length, 4);
    expect_size(error.limit, 16);
    expect_size(error.address, 0);
    expect_size(error.holders, 0);
    expect(error.os_errno == 0);
}

static void info_of_a_misaligned_access(void **state)
{
    (void)state;
    _Alignas(16) static uint8_t place[32];
    uint64_t value = 7;
    expect_status(ist_get_u64(ist_segment_of(place, sizeof place), 4, &value), IST_E_ALIGNMENT);
    expect(value == 7);
    ist_error error = test_last_error();
    expect(strcmp(error.operation, "read") == 0);
    expect_size(error.alignment, 8);
    expect_size(error.address, (uintptr_t)place + 4);
    expect_size(error.offset, 4);
    expect_size(error.length, 8);
}

static void info_of_a_held_arena(void **state)
{
    (void)state;
    ist_arena arena;
    ist_hold holds[3];
    expect_ok(ist_arena_open_confined(&arena));
    for (size_t i = 0; i < 3; i++)
        expect_ok(ist_arena_hold(arena, &holds[i]));
    expect_status(ist_arena_close(arena), IST_E_HELD);
    ist_error error = test_last_error();
    expect(strcmp(error.operation, "close") == 0);
    expect(strcmp(error.kind, "confined") == 0);
    expect_size(error.holders, 3);
    expect_sentence("3");
    for (size_t i = 0; i < 3; i++)
        expect_ok(ist_arena_release(&holds[i]));
    expect_ok(ist_arena_close(arena));
}

static void info_of_an_allocation(void **state)
{
    (void)state;
    ist_arena arena;
    ist_segment segment;
    expect_ok(ist_arena_open_confined(&arena));
    expect_status(ist_arena_allocate(arena, 5, 12, &segment), IST_E_ARGUMENT);
    ist_error error = test_last_error();
    expect(strcmp(error.operation, "allocation") == 0);
    expect_size(error.alignment, 12);
    expect_sentence("12");
    expect_status(ist_arena_allocate(arena, (size_t)1 << 60, 8, &segment), IST_E_NO_MEMORY);
    error = test_last_error();
    expect_size(error.length, (uint64_t)1 << 60);
    expect_sentence("1152921504606846976");
    expect_ok(ist_arena_close(arena));
}

/* What a program built against a smaller or a larger struct sees. */
static void info_follows_the_size(void **state)
{
    (void)state;
    unsigned char room[sizeof(ist_error) + 64];
    size_t least = offsetof(ist_error, os_errno);
    expect(least == sizeof(size_t) + sizeof(ist_status));
    for (size_t size = 0; size <= sizeof room; size++) {
        test_context("size %zu", size);
        expect_status(fail_bounds(), IST_E_BOUNDS);
        memset(room, 0xEE, sizeof room);
        memcpy(room, &size, sizeof size);
        ist_error *error = (ist_error *)(void *)room;
        if (size < least) {
            expect_answer(ist_last_error_info(error), IST_E_ARGUMENT);
            expect_size(error->size, size);
            expect(test_all_bytes(room + sizeof size, sizeof room - sizeof size, 0xEE));
            continue;
        }
        expect_ok(ist_last_error_info(error));
        expect(error->size >= least && error->size <= size && error->size <= sizeof(ist_error));
        expect(size < sizeof(ist_error) || error->size == sizeof(ist_error));
        expect(error->status == IST_E_BOUNDS);
        expect(size < sizeof(ist_error) || error->limit == 16);
        size_t valid = error->size;
        expect(test_all_bytes(room + valid, sizeof room - valid, 0xEE));
    }
}

static void info_refuses_null(void **state)
{
    (void)state;
    expect_answer(ist_last_error_info(NULL), IST_E_ARGUMENT);
}

static size_t evaluations;

static ist_status evaluate(ist_status status)
{
    evaluations++;
    return status;
}

static void check_passes_success(void **state)
{
    (void)state;
    ist_failure_fn *previous = test_count_failures();
    evaluations = 0;
    IST_CHECK(evaluate(IST_OK));
    expect_size(evaluations, 1);
    expect_size(test_reported.count, 0);
    ist_failure_handler_set(previous);
}

static void check_reports_and_goes_on(void **state)
{
    (void)state;
    ist_failure_fn *previous = test_count_failures();
    evaluations = 0;
    if (true)
        IST_CHECK(evaluate(IST_E_LAYOUT)); /* One statement, also before an else. */
    else
        evaluations = 100;
    expect_size(evaluations, 1);
    expect_size(test_reported.count, 1);
    expect(test_reported.status == IST_E_LAYOUT);
    expect(strstr(test_reported.where, "status.c:") != NULL);
    expect(strstr(test_reported.where, "evaluate(IST_E_LAYOUT)") != NULL);
    ist_failure_handler_set(previous);
}

static void other_handler(ist_status status, const char *where)
{
    (void)status;
    (void)where;
}

static void setting_a_handler_gives_the_one_before(void **state)
{
    (void)state;
    ist_failure_fn *standard = ist_failure_handler_set(other_handler);
    expect(standard != NULL);
    expect(ist_failure_handler_set(NULL) == other_handler);
    expect(ist_failure_handler_set(other_handler) == standard); /* NULL had restored it. */
    expect(ist_failure_handler_set(standard) == other_handler);
    expect(ist_failure_handler_set(standard) == standard);
}

static void reports_reach_the_handler(void **state)
{
    (void)state;
    ist_failure_fn *previous = test_count_failures();
    ist_failure_report(IST_E_BUSY, "some place");
    expect_size(test_reported.count, 1);
    expect(test_reported.status == IST_E_BUSY);
    expect(strcmp(test_reported.where, "some place") == 0);
    ist_failure_handler_set(previous);
}

static void value_forms_report_and_give_zero(void **state)
{
    (void)state;
    ist_failure_fn *previous = test_count_failures();
    memset(bytes, 0x77, sizeof bytes);
    ist_segment segment = ist_segment_of(bytes, sizeof bytes);
    expect(ist_read_i64(segment, 16) == 0);
    expect_size(test_reported.count, 1);
    expect(test_reported.status == IST_E_BOUNDS);
    expect(strstr(test_reported.where, "ist_read_i64") != NULL);
    expect(test_last_error().status == IST_E_BOUNDS);
    ist_write_u8(ist_segment_as_read_only(segment), 3, 1);
    expect_size(test_reported.count, 2);
    expect(test_reported.status == IST_E_READ_ONLY);
    expect(strstr(test_reported.where, "ist_write_u8") != NULL);
    expect(test_all_bytes(bytes, sizeof bytes, 0x77));
    ist_failure_handler_set(previous);
}

static jmp_buf escape;

static void jump_out(ist_status status, const char *where)
{
    (void)where;
    longjmp(escape, (int)status);
}

/* The handler may leave by longjmp(): afterwards the library and the arena are fully usable. */
static void a_handler_may_jump(void **state)
{
    (void)state;
    ist_failure_fn *previous = ist_failure_handler_set(jump_out);
    ist_arena arena;
    ist_segment segment;
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_allocate(arena, 8, 8, &segment));
    volatile int reached = 0;
    int jumped = setjmp(escape);
    if (jumped == 0) {
        (void)ist_read_u64(segment, 1);
        reached = 1;
    }
    expect(reached == 0);
    expect(jumped == IST_E_BOUNDS);
    ist_failure_handler_set(previous);
    expect_ok(ist_set_u64(segment, 0, 5));
    expect(ist_read_u64(segment, 0) == 5);
    expect_ok(ist_arena_close(arena));
}

static void nest_jump(ist_status status, const char *where)
{
    (void)status;
    (void)where;
    /* No lock is held while a handler runs: it may use the library. */
    ist_arena arena;
    ist_segment segment;
    ist_stats stats = { .size = sizeof stats };
    expect_ok(ist_arena_open_confined(&arena));
    expect_ok(ist_arena_allocate(arena, 100000, 8, &segment));
    expect_ok(ist_stats_get(&stats));
    expect_ok(ist_arena_close(arena));
    test_reported.count++;
}

static void a_handler_may_use_the_library(void **state)
{
    (void)state;
    ist_failure_fn *previous = ist_failure_handler_set(nest_jump);
    test_reported.count = 0;
    expect(ist_read_u16(ist_segment_of(bytes, 1), 0) == 0);
    expect_size(test_reported.count, 1);
    ist_failure_handler_set(previous);
}

static void fail_for_good(void *data)
{
    (void)data;
    ist_failure_handler_set(NULL);
    IST_CHECK(fail_bounds());
}

static void the_default_handler_aborts(void **state)
{
    (void)state;
    char text[2048];
    int status = test_in_child_reading(fail_for_good, NULL, text, sizeof text);
    expect(WIFSIGNALED(status));
    expect(WTERMSIG(status) == SIGABRT);
    expect(strstr(text, "IST_E_BOUNDS") != NULL);
    expect(strstr(text, "fail_bounds()") != NULL);   /* Where. */
    expect(strstr(text, "offset 13") != NULL);       /* What. */
    char *end = strchr(text, '\n');
    expect(end != NULL && end[1] == 0);              /* One line. */
}

static void read_for_good(void *data)
{
    (void)data;
    ist_failure_handler_set(NULL);
    (void)ist_read_f64(ist_segment_of(bytes, 16), 9);
}

static void the_default_handler_names_the_function(void **state)
{
    (void)state;
    char text[2048];
    int status = test_in_child_reading(read_for_good, NULL, text, sizeof text);
    expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    expect(strstr(text, "ist_read_f64") != NULL);
    expect(strstr(text, "offset 9") != NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_case(values_and_names_are_fixed),
        test_case(the_version_is_that_of_the_header),
        test_case(a_fresh_thread_has_no_error),
        test_case(each_thread_has_its_own_error),
        test_case(the_sentence_of_the_header),
        test_case(sentences_carry_the_numbers),
        test_case(info_carries_the_numbers),
        test_case(info_of_a_misaligned_access),
        test_case(info_of_a_held_arena),
        test_case(info_of_an_allocation),
        test_case(info_follows_the_size),
        test_case(info_refuses_null),
        test_case(check_passes_success),
        test_case(check_reports_and_goes_on),
        test_case(setting_a_handler_gives_the_one_before),
        test_case(reports_reach_the_handler),
        test_case(value_forms_report_and_give_zero),
        test_case(a_handler_may_jump),
        test_case(a_handler_may_use_the_library),
        test_case(the_default_handler_aborts),
        test_case(the_default_handler_names_the_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
