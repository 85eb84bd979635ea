/* SPDX-License-Identifier: MIT */
/*
 * The command as a whole: `isthmus bench` with settings so short that its numbers mean nothing, its
 * JSON read back, and the exit statuses of mistaken command lines.
 * Arguments: the command, and a folder for its files.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>
#include <jansson.h>

static const char *command, *folder;

#define SHORT "--forks 2 --warmups 0 --iterations 2 --time 2"

/* Runs `isthmus ARGUMENTS`, output to a file of the folder; returns the exit status. */
static int run(const char *arguments)
{
    char line[8192];
    snprintf(line, sizeof line, "'%s' %s >'%s/out.txt' 2>'%s/err.txt'", command, arguments, folder,
             folder);
    int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *read_file(const char *name)
{
    static char text[100000];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void check_row(json_t *row)
{
    json_t *metric = json_object_get(row, "primaryMetric");
    double score = json_number_value(json_object_get(metric, "score"));
    const char *name = json_string_value(json_object_get(row, "benchmark"));
    assert_non_null(name);
    if (!(isfinite(score) && score > 0))
        fail_msg("%s: score %g", name, score);
    assert_string_equal(json_string_value(json_object_get(row, "mode")), "avgt");
    assert_int_equal(json_integer_value(json_object_get(row, "forks")), 2);
    assert_string_equal(json_string_value(json_object_get(metric, "scoreUnit")), "ns/op");
    json_t *raw = json_object_get(metric, "rawData");
    assert_int_equal(json_array_size(raw), 2);
    assert_int_equal(json_array_size(json_array_get(raw, 0)), 2);
    json_t *secondary = json_object_get(row, "secondaryMetrics");
    assert_true(
        json_number_value(json_object_get(json_object_get(secondary, "rss.peak"), "score")) > 0);
}

static void test_json(void **state)
{
    (void)state;
    char arguments[4096], file[1024];
    snprintf(file, sizeof file, "%s/result.json", folder);
    snprintf(arguments, sizeof arguments,
             "bench AllocTest --peers none " SHORT " --json '%s' --report '%s/page.html'", file,
             folder);
    int status = run(arguments);
    if (status != 0)
        fail_msg("status %d: %s", status, read_file("err.txt"));
    json_error_t error;
    json_t *rows = json_load_file(file, 0, &error), *row;
    if (rows == NULL)
        fail_msg("line %d: %s", error.line, error.text);
    assert_true(json_array_size(rows) > 0);
    size_t index;
    json_array_foreach(rows, index, row)
        check_row(row);
    json_decref(rows);
    const char *page = read_file("page.html");
    assert_non_null(strstr(page, "<svg"));
    assert_null(strstr(page, "http"));
}

/* Tables with threads, companions, counters and baselines; the JSON says what was counted. */
static void test_shared_tables(void **state)
{
    (void)state;
    char arguments[4096], file[1024];
    snprintf(file, sizeof file, "%s/shared.json", folder);
    snprintf(arguments, sizeof arguments,
             "bench 'isthmus.(AcquireRelease|SharedAccess.get_int$|ConcurrentClose.unrelated_esc|"
             "ResourceScopeClose.(shared_close_esc|close_many))' --peers none --threads 1,2 "
             "--forks 1 --warmups 0 --iterations 2 --time 2 --json '%s' --report '%s/threads.html'",
             file, folder);
    int status = run(arguments);
    if (status != 0)
        fail_msg("status %d: %s", status, read_file("err.txt"));
    assert_non_null(strstr(read_file("out.txt"), "of threads=1"));
    assert_non_null(strstr(read_file("out.txt"), "of method=unrelated;rate=none"));
    assert_non_null(strstr(read_file("out.txt"), "unrelated_escaped:closes"));
    assert_non_null(strstr(read_file("threads.html"), "class=\"series\""));
    json_error_t error;
    json_t *rows = json_load_file(file, 0, &error), *row;
    assert_non_null(rows);
    size_t index, counted = 0, threaded = 0;
    json_array_foreach(rows, index, row) {
        json_t *secondary = json_object_get(row, "secondaryMetrics");
        counted += json_object_get(secondary, "closes") != NULL;
        threaded += json_integer_value(json_object_get(row, "threads")) == 2;
        assert_non_null(json_object_get(secondary, "wall.time"));
    }
    assert_true(counted > 0 && threaded > 0);
    json_decref(rows);
}

static void test_compare_with_itself(void **state)
{
    (void)state;
    char arguments[4096];
    snprintf(arguments, sizeof arguments, "bench --compare '%s/result.json' '%s/result.json'",
             folder, folder);
    assert_int_equal(run(arguments), 0);
    assert_non_null(strstr(read_file("out.txt"), "within the noise"));
    assert_null(strstr(read_file("out.txt"), "beyond"));
}

static void test_usage_errors(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        { "bench NoSuchTable", "NoSuchTable" },
        { "bench '('", "regular expression" },
        { "bench --peers glibz", "known are: all, none, glibc" },
        { "bench --param sise=5", "sise" },
        { "bench --param size", "KEY=VALUE" },
        { "bench --threads 0", "--threads" },
        { "bench --forks 0", "--forks" },
        { "bench --nonsense", "nonsense" },
        { "bench --compare only-one", "--compare" },
        { "bench --compare /nonexistent /nonexistent", "/nonexistent" },
        { "bench limit --peers none --json /nonexistent/x", "/nonexistent/x" },
        { "bench --check NoSuchRow --peers none", "NoSuchRow" },
        { "bensch", "bensch" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int status = run(cases[i].arguments);
        if (status != 2 || strstr(read_file("err.txt"), cases[i].message) == NULL)
            fail_msg("%s: status %d, %s", cases[i].arguments, status, read_file("err.txt"));
    }
}

static void test_list_and_version(void **state)
{
    (void)state;
    assert_int_equal(run("--version"), 0);
    assert_int_equal(run("--help"), 0);
    assert_int_equal(run("bench --list --peers none"), 0);
    assert_non_null(strstr(read_file("out.txt"), "limit.AllocTest.memset  size=5,20,100"));
}

static void test_worker_beside_command(void **state)
{
    (void)state;
    assert_int_equal(setenv("ISTHMUS_PEER_DIR", "/nonexistent", 1), 0);
    assert_int_equal(run("bench --list --peers none"),
                     0); /* Found beside the command all the same. */
    assert_non_null(strstr(read_file("out.txt"), "limit."));
    assert_int_equal(unsetenv("ISTHMUS_PEER_DIR"), 0);
}

/* A worker of the subject limit in shell: one row, and one thing wrong, as $FAKE says. */
static const char fake_worker[] =
    "#!/bin/sh\n"
    "while read -r line; do\n"
    "  case \"$FAKE $line\" in\n"
    "    'origin origin') printf 'error\\tcalloc comes from elsewhere\\n';;\n"
    "    'check finish') printf 'error\\tthe work was not done\\n';;\n"
    "    'death iterate'*) kill -SEGV $$;;\n"
    "    'nonsense iterate'*) printf 'ok\\tmuch\\n';;\n"
    "    *' list') printf 'row\\tFake\\twork\\tns/op\\t\\t\\twork\\t\\t\\twall\\nok\\n';;\n"
    "    *' prepare'*) printf 'ok\\t1\\t0\\n';;\n"
    "    *' iterate'*) printf 'ok\\t100\\t1000\\t1000\\t64\\n';;\n"
    "    *) printf 'ok\\n';;\n"
    "  esac\n"
    "done\n";

static void write_fake_worker(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/isthmus-peer-limit", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(fake_worker, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void test_failing_workers(void **state)
{
    (void)state;
    static const struct {
        const char *fake, *message;
        int status;
    } cases[] = {
        { "nothing", "", 0 },
        { "origin", "calloc comes from elsewhere", 1 },
        { "check", "limit.Fake.work : the work was not done", 1 },
        { "death", "ended by signal 11", 1 },
        { "nonsense", "answers an iteration with: much", 1 },
    };
    write_fake_worker();
    assert_int_equal(setenv("ISTHMUS_PEER_DIR", folder, 1), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(setenv("FAKE", cases[i].fake, 1), 0);
        int status = run("bench limit.Fake --peers none " SHORT);
        if (status != cases[i].status || strstr(read_file("err.txt"), cases[i].message) == NULL)
            fail_msg("%s: status %d, %s", cases[i].fake, status, read_file("err.txt"));
    }
    assert_int_equal(unsetenv("ISTHMUS_PEER_DIR"), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_compare_with_itself),
        cmocka_unit_test(test_shared_tables),
        cmocka_unit_test(test_usage_errors),
        cmocka_unit_test(test_list_and_version),
        cmocka_unit_test(test_worker_beside_command),
        cmocka_unit_test(test_failing_workers),
    };
    if (argc != 3)
        return 1;
    command = argv[1];
    folder = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
