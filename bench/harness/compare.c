/* SPDX-License-Identifier: MIT */
/*
 * Two results in JMH's JSON, row by row.
 * Invariant: rows are paired by benchmark, mode, threads and parameters; a row that only one file
 * has is named, never dropped.
 * The two results come from different runs, so nothing is adjacent here: the only measure of noise
 * are the two 99.9 % confidence intervals, which say nothing of a machine that changed in between.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "harness/memory.h"
#include "harness/report.h"

struct result {
    double score, error;
};

static json_t *load(const char *file)
{
    json_error_t error;
    json_t *results = json_load_file(file, 0, &error);
    if (results == NULL)
        bench_complain("%s: line %d: %s", file, error.line, error.text);
    else if (!json_is_array(results)) {
        bench_complain("%s: not a result: no array", file);
        json_decref(results);
        results = NULL;
    }
    return results;
}

static bool is_same_row(const json_t *a, const json_t *b)
{
    static const char *const fields[] = { "benchmark", "mode", "threads", "params" };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const json_t *left = json_object_get(a, fields[i]), *right = json_object_get(b, fields[i]);
        if (left != right && !json_equal(left, right))
            return false;
    }
    return true;
}

static json_t *find_row(const json_t *results, const json_t *row)
{
    size_t index;
    json_t *candidate;
    json_array_foreach(results, index, candidate) {
        if (is_same_row(candidate, row))
            return candidate;
    }
    return NULL;
}

static struct result result_of(const json_t *row)
{
    const json_t *metric = json_object_get(row, "primaryMetric");
    const json_t *score = json_object_get(metric, "score");
    const json_t *error = json_object_get(metric, "scoreError");
    return (struct result){
        .score = json_is_number(score) ? json_number_value(score) : NAN,
        .error = json_is_number(error) ? json_number_value(error) : NAN,
    };
}

static const char *judge(const json_t *row, struct result old, struct result new)
{
    if (isnan(old.score + old.error + new.score + new.error))
        return "unknown noise";
    if (fabs(new.score - old.score) <= old.error + new.error)
        return "within the noise";
    const char *mode = json_string_value(json_object_get(row, "mode"));
    bool more_is_better = mode != NULL && strcmp(mode, "thrpt") == 0;
    return (new.score > old.score) == more_is_better ? "better, beyond the noise"
                                                     : "worse, beyond the noise";
}

static void print_name(const json_t *row)
{
    const char *name = json_string_value(json_object_get(row, "benchmark")), *key;
    json_t *value;
    char text[128];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", name == NULL ? "?" : name);
    json_object_foreach(json_object_get(row, "params"), key, value) {
        if (used < sizeof text && json_is_string(value))
            used += (size_t)snprintf(text + used, sizeof text - used, " %s=%s", key,
                                     json_string_value(value));
    }
    printf("%-52s", text);
}

static void print_pair(const json_t *row, struct result old, struct result new)
{
    const char *unit =
        json_string_value(json_object_get(json_object_get(row, "primaryMetric"), "scoreUnit"));
    print_name(row);
    printf(" %10.3f \302\261%8.3f %10.3f \302\261%8.3f  %-6s %6.3f  %s\n", old.score, old.error,
           new.score, new.error, unit == NULL ? "?" : unit, new.score / old.score,
           judge(row, old, new));
}

static void print_unpaired(const json_t *rows, const json_t *others, const char *remark)
{
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row) {
        if (find_row(others, row) == NULL) {
            print_name(row);
            printf("  %s\n", remark);
        }
    }
}

int bench_report_compare(const char *old_file, const char *new_file)
{
    json_t *old_results = load(old_file);
    json_t *new_results = old_results == NULL ? NULL : load(new_file);
    if (new_results == NULL) {
        json_decref(old_results);
        return 2;
    }
    printf("%-52s %20s %20s  %-6s %6s\n", "Benchmark", "Old", "New", "Units", "Ratio");
    size_t index;
    json_t *row;
    json_array_foreach(new_results, index, row) {
        json_t *old = find_row(old_results, row);
        if (old != NULL)
            print_pair(row, result_of(old), result_of(row));
    }
    print_unpaired(old_results, new_results, "only in the old result");
    print_unpaired(new_results, old_results, "only in the new result");
    json_decref(old_results);
    json_decref(new_results);
    return 0;
}
