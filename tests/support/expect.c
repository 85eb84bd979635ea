/* SPDX-License-Identifier: MIT */
/* Expectations of tests; see expect.h. */
#include "expect.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MARKED_ERRNO = 4711 };

static char context[512];
static bool in_child;
test_failures test_reported;

void test_context(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context, sizeof context, format, arguments);
    va_end(arguments);
}

int test_setup(void **state)
{
    (void)state;
    context[0] = 0;
    return 0;
}

static bool on_main_thread(void)
{
    return !in_child && syscall(SYS_gettid) == getpid();
}

void test_failed(const char *file, int line, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s:%d: %s%s%s%s\n", file, line, text, context[0] != 0 ? " [" : "", context,
            context[0] != 0 ? "]" : "");
    fflush(stderr);
    if (on_main_thread())
        _fail(file, line);
    abort();
}

void test_equal(uint64_t got, uint64_t wanted, const char *text, const char *file, int line)
{
    if (got != wanted)
        test_failed(file, line, "%s is %llu, not %llu", text, (unsigned long long)got, (unsigned long long)wanted);
}

void test_sentence(const char *part, const char *file, int line)
{
    const char *sentence = ist_last_error();
    if (strstr(sentence, part) == NULL)
        test_failed(file, line, "no \"%s\" in \"%s\"", part, sentence);
}

ist_error test_last_error(void)
{
    ist_error error;
    memset(&error, 0, sizeof error);
    error.size = sizeof error;
    if (ist_last_error_info(&error) != IST_OK)
        test_failed(__FILE__, __LINE__, "ist_last_error_info() fails");
    return error;
}

ist_stats test_stats(void)
{
    ist_stats stats;
    memset(&stats, 0, sizeof stats);
    stats.size = sizeof stats;
    if (ist_stats_get(&stats) != IST_OK)
        test_failed(__FILE__, __LINE__, "ist_stats_get() fails");
    return stats;
}

test_call test_call_begin(void)
{
    test_call call = { .last = test_last_error() };
    errno = MARKED_ERRNO;
    return call;
}

void test_call_end(const test_call *call, ist_status got, ist_status wanted, const char *text, const char *file,
                   int line)
{
    int left_errno = errno;
    if (got != wanted)
        test_failed(file, line, "%s is %s, not %s (last error: %s)", text, ist_status_name(got),
                    ist_status_name(wanted), ist_last_error());
    if (left_errno != MARKED_ERRNO)
        test_failed(file, line, "%s changes errno to %d", text, left_errno);
    ist_error last = test_last_error();
    if (got == IST_OK && memcmp(&last, &call->last, sizeof last) != 0)
        test_failed(file, line, "%s succeeds and changes the last error to \"%s\"", text, ist_last_error());
    if (got != IST_OK && last.status != got)
        test_failed(file, line, "%s leaves the last error %s", text, ist_status_name(last.status));
    if (got != IST_OK && (last.operation == NULL || last.operation[0] == 0))
        test_failed(file, line, "%s leaves a last error without an operation", text);
    if (got != IST_OK && (strlen(ist_last_error()) < 8 || strcmp(ist_last_error(), "no error") == 0))
        test_failed(file, line, "%s leaves no sentence", text);
}

size_t test_opaque(size_t value)
{
    volatile size_t hidden = value;
    return hidden;
}

bool test_all_bytes(const void *bytes, size_t size, uint8_t value)
{
    const uint8_t *first = bytes;
    return size == 0 || (first[0] == value && memcmp(first, first + 1, size - 1) == 0);
}

typedef struct start {
    void (*body)(void *data);
    void *data;
} start;

static void *run_start(void *argument)
{
    start *begun = argument;
    begun->body(begun->data);
    return NULL;
}

void test_on_thread(void (*body)(void *data), void *data)
{
    start begun = { body, data };
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_start, &begun) != 0 || pthread_join(thread, NULL) != 0)
        test_failed(__FILE__, __LINE__, "no thread");
}

static pid_t fork_child(void (*body)(void *data), void *data, int standard_error)
{
    fflush(stdout);
    fflush(stderr);
    pid_t child = fork();
    if (child < 0)
        test_failed(__FILE__, __LINE__, "no child");
    if (child == 0) {
        in_child = true;
        if (standard_error >= 0)
            dup2(standard_error, STDERR_FILENO);
        body(data);
        _exit(0);
    }
    return child;
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            test_failed(__FILE__, __LINE__, "waitpid() fails");
    }
    return status;
}

int test_in_child(void (*body)(void *data), void *data)
{
    return wait_for(fork_child(body, data, -1));
}

int test_in_child_reading(void (*body)(void *data), void *data, char *text, size_t capacity)
{
    int ends[2];
    if (pipe(ends) != 0)
        test_failed(__FILE__, __LINE__, "no pipe");
    pid_t child = fork_child(body, data, ends[1]);
    close(ends[1]);
    size_t length = 0;
    ssize_t got;
    while (length < capacity - 1 && (got = read(ends[0], text + length, capacity - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = 0;
    close(ends[0]);
    return wait_for(child);
}

static void count_failure(ist_status status, const char *where)
{
    test_reported.count++;
    test_reported.status = status;
    snprintf(test_reported.where, sizeof test_reported.where, "%s", where);
}

ist_failure_fn *test_count_failures(void)
{
    memset(&test_reported, 0, sizeof test_reported);
    return ist_failure_handler_set(count_failure);
}
