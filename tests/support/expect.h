/* SPDX-License-Identifier: MIT */
#ifndef TEST_SUPPORT_EXPECT_H
#define TEST_SUPPORT_EXPECT_H
/*
 * What the tests say about calls, on any thread and in children of a fork as well.
 *
 *     expect_ok(ist_arena_open_confined(&arena));
 *     expect_status(ist_set_i32(segment, 97, 1), IST_E_BOUNDS);
 *     expect(ist_segment_size(segment) == 100);
 *
 * Each call checked by expect_status() is also held to what goes for all of them: errno is as it was; a failure
 * is the thread's last error and has a sentence; a success leaves the last error alone.
 *
 * A failed expectation ends the test on the main thread, the process on any other and in a child.
 */
#include <isthmus/isthmus.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#ifndef TEST_ASAN
#if defined(__SANITIZE_ADDRESS__)
#define TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ASAN 1
#endif
#endif
#endif
#ifndef TEST_ASAN
#define TEST_ASAN 0
#endif

/* Whether ThreadSanitizer slows everything down, forks above all. */
#ifndef TEST_TSAN
#if defined(__SANITIZE_THREAD__)
#define TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_TSAN 1
#endif
#endif
#endif
#ifndef TEST_TSAN
#define TEST_TSAN 0
#endif

/* A test of a cmocka group; begins without context. */
#define test_case(function) cmocka_unit_test_setup(function, test_setup)
int test_setup(void **state);

/* Which case of a table is being tried; printed where an expectation fails. Of the process: set it before starting threads. */
__attribute__((format(printf, 1, 2))) void test_context(const char *format, ...);

_Noreturn __attribute__((format(printf, 3, 4))) void test_failed(const char *file, int line, const char *format, ...);

#define expect(condition)                                                                          \
    ((condition) ? (void)0 : test_failed(__FILE__, __LINE__, "not so: %s", #condition))

#define expect_size(got, wanted) test_equal((uint64_t)(got), (uint64_t)(wanted), #got, __FILE__, __LINE__)
void test_equal(uint64_t got, uint64_t wanted, const char *text, const char *file, int line);

/* The text of the thread's last error contains this. */
#define expect_sentence(part) test_sentence(part, __FILE__, __LINE__)
void test_sentence(const char *part, const char *file, int line);

#define expect_status(call, wanted)                                                                \
    do {                                                                                           \
        test_call test_begun = test_call_begin();                                                  \
        ist_status test_got = (call);                                                              \
        test_call_end(&test_begun, test_got, (wanted), #call, __FILE__, __LINE__);                 \
        if (test_got != (wanted)) /* For the compiler: what is set on success is set from here on. */ \
            abort();                                                                               \
    } while (0)

#define expect_ok(call) expect_status(call, IST_OK)

/* The status alone, for calls during which other failures are provoked. */
#define expect_answer(call, wanted)                                                                \
    do {                                                                                           \
        ist_status test_got = (call);                                                              \
        if (test_got != (wanted))                                                                  \
            test_failed(__FILE__, __LINE__, "%s is %s, not %s", #call, ist_status_name(test_got),  \
                        ist_status_name(wanted));                                                  \
    } while (0)

typedef struct test_call {
    ist_error last;
} test_call;
test_call test_call_begin(void);
void test_call_end(const test_call *call, ist_status got, ist_status wanted, const char *text, const char *file,
                   int line);

/* The numbers of the calling thread's last error, and of the library. */
ist_error test_last_error(void);
ist_stats test_stats(void);

/* The same number, of which the compiler knows nothing: it warns of sizes that no object has. */
size_t test_opaque(size_t value);

/* Whether all bytes of a range have one value. */
bool test_all_bytes(const void *bytes, size_t size, uint8_t value);

/* Runs body(data) on a thread of its own and waits for it. */
void test_on_thread(void (*body)(void *data), void *data);

/* Runs body(data) in a child of a fork, which exits with 0 afterwards; returns what waitpid() says. */
int test_in_child(void (*body)(void *data), void *data);

/* Sends the child's standard error into text, for test_in_child() only. */
int test_in_child_reading(void (*body)(void *data), void *data, char *text, size_t capacity);

/* Swaps the failure handler for one that counts and returns. */
typedef struct test_failures {
    size_t count;
    ist_status status;
    char where[256];
} test_failures;
extern test_failures test_reported;
ist_failure_fn *test_count_failures(void);

/* The monotonic clock. */
static inline uint64_t test_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#endif
