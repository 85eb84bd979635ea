/* SPDX-License-Identifier: MIT */
/*
 * isthmus bench: options, then one of list, compare, check, or a measured run with its reports.
 * Invariant: everything that can be wrong with the command line is found before anything is
 * measured, the files for reports included.
 * Not done here: measuring and reporting; bench/harness does that.
 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "harness/catalog.h"
#include "harness/check.h"
#include "harness/measure.h"
#include "harness/memory.h"
#include "harness/plan.h"
#include "harness/report.h"

#define MAX_ITERATIONS 10000
#define MAX_TIME_MS 3600000
#define MAX_THREADS 1024

enum {
    OPTION_LIST = 256,
    OPTION_QUICK,
    OPTION_FULL,
    OPTION_THREADS,
    OPTION_PARAM,
    OPTION_PEERS,
    OPTION_JSON,
    OPTION_REPORT,
    OPTION_CHECK,
    OPTION_COMPARE,
    OPTION_FORKS,
    OPTION_WARMUPS,
    OPTION_ITERATIONS,
    OPTION_TIME,
};

static const struct argp_option options[] = {
    { "list", OPTION_LIST, NULL, 0, "List the benchmarks and their parameters", 0 },
    { "quick", OPTION_QUICK, NULL, 0, "Short iterations, thinned parameters (default)", 0 },
    { "full", OPTION_FULL, NULL, 0, "JMH's settings: 3 forks, 5 warm-ups, 10 iterations of 500 ms",
      0 },
    { "threads", OPTION_THREADS, "N,...", 0, "Numbers of measuring threads, instead of the table's",
      0 },
    { "param", OPTION_PARAM, "KEY=VALUE,...", 0, "Values of a parameter, instead of the table's",
      0 },
    { "peers", OPTION_PEERS, "all|none|NAME,...", 0, "Libraries to compare with (default all)", 0 },
    { "json", OPTION_JSON, "FILE", 0, "Also write the result in JMH's JSON format", 0 },
    { "report", OPTION_REPORT, "FILE", 0, "Also write the result as a page of HTML", 0 },
    { "check", OPTION_CHECK, NULL, 0, "Decide the targets instead (REGEX selects rows)", 1 },
    { "compare", OPTION_COMPARE, NULL, 0, "Compare two JSON results, OLD and NEW, instead", 1 },
    { NULL, 0, NULL, 0, "Single settings, over those of --quick or --full:", 2 },
    { "forks", OPTION_FORKS, "N", 0, "Processes per row", 2 },
    { "warmups", OPTION_WARMUPS, "N", 0, "Warm-up iterations per fork", 2 },
    { "iterations", OPTION_ITERATIONS, "N", 0, "Measured iterations per fork", 2 },
    { "time", OPTION_TIME, "MS", 0, "Length of an iteration in milliseconds", 2 },
    { 0 },
};

struct request {
    bool list, full, check, compare;
    const char *peers, *json_file, *report_file;
    char *params;        /* All --param, as one space. */
    char *positional[2]; /* REGEX, or OLD and NEW. */
    unsigned positional_count;
    unsigned forks, warmups, iterations, time_ms; /* UINT_MAX: not given. */
    const char *threads;
};

/* ---- Command line ---- */

static unsigned parse_number(struct argp_state *state, const char *option, const char *text,
                             unsigned minimum, unsigned maximum)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < minimum ||
        value > maximum)
        argp_error(state, "--%s: '%s' is not a number from %u to %u", option, text, minimum,
                   maximum);
    return (unsigned)value;
}

static void add_param(struct argp_state *state, struct request *request, const char *text)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0' || strpbrk(text, ";\t\n") != NULL)
        argp_error(state, "--param: '%s' is not of the form KEY=VALUE,...", text);
    char *longer = bench_text("%s%s%s", request->params == NULL ? "" : request->params,
                              request->params == NULL ? "" : ";", text);
    free(request->params);
    request->params = longer;
}

static void add_positional(struct argp_state *state, struct request *request, char *text)
{
    if (request->positional_count == 2)
        argp_error(state, "too many arguments: '%s'", text);
    request->positional[request->positional_count++] = text;
}

static void check_positional(struct argp_state *state, const struct request *request)
{
    if (request->compare && request->positional_count != 2)
        argp_error(state, "--compare takes two files, OLD and NEW");
    if (!request->compare && request->positional_count > 1)
        argp_error(state, "one regular expression at most; '%s' is another",
                   request->positional[1]);
}

static error_t parse_setting(int key, char *argument, struct argp_state *state)
{
    struct request *request = state->input;
    switch (key) {
    case OPTION_FORKS:
        request->forks = parse_number(state, "forks", argument, 1, 100);
        return 0;
    case OPTION_WARMUPS:
        request->warmups = parse_number(state, "warmups", argument, 0, MAX_ITERATIONS);
        return 0;
    case OPTION_ITERATIONS:
        request->iterations = parse_number(state, "iterations", argument, 1, MAX_ITERATIONS);
        return 0;
    case OPTION_TIME:
        request->time_ms = parse_number(state, "time", argument, 1, MAX_TIME_MS);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct request *request = state->input;
    switch (key) {
    case OPTION_LIST:
        request->list = true;
        return 0;
    case OPTION_QUICK:
    case OPTION_FULL:
        request->full = key == OPTION_FULL;
        return 0;
    case OPTION_THREADS:
        request->threads = argument;
        return 0;
    case OPTION_PARAM:
        add_param(state, request, argument);
        return 0;
    case OPTION_PEERS:
        request->peers = argument;
        return 0;
    case OPTION_JSON:
        request->json_file = argument;
        return 0;
    case OPTION_REPORT:
        request->report_file = argument;
        return 0;
    case OPTION_CHECK:
        request->check = true;
        return 0;
    case OPTION_COMPARE:
        request->compare = true;
        return 0;
    case ARGP_KEY_ARG:
        add_positional(state, request, argument);
        return 0;
    case ARGP_KEY_END:
        check_positional(state, request);
        return 0;
    default:
        return parse_setting(key, argument, state);
    }
}

static const struct argp parser = {
    .options = options,
    .parser = parse_option,
    .args_doc = "[REGEX]\n--compare OLD NEW",
    .doc = "Measures Isthmus, plain C and other libraries, each in processes of its own, and says "
           "how far "
           "ahead or behind each is. REGEX selects rows by SUBJECT.CLASS.METHOD; the rows to "
           "compare with come along."
           "\vExit status: 0 fine; 1 a benchmark's check or a target failed; 2 usage.",
};

/* ---- Settings ---- */

/* Turns --threads into one more --param; 2 if it is no list of numbers. */
static int add_threads(struct request *request)
{
    struct bench_span piece;
    if (request->threads == NULL)
        return 0;
    for (const char *rest = request->threads; bench_params_cut(&rest, ',', &piece);) {
        char *end;
        unsigned long value = strtoul(piece.text, &end, 10);
        if (piece.text[0] < '0' || piece.text[0] > '9' || end != piece.text + piece.length ||
            value == 0 || value > MAX_THREADS) {
            bench_complain("--threads: '%s' is not a list of numbers from 1 to %d",
                           request->threads, MAX_THREADS);
            return COMMAND_USAGE;
        }
    }
    char *longer = bench_text("%s%sthreads=%s", request->params == NULL ? "" : request->params,
                              request->params == NULL ? "" : ";", request->threads);
    free(request->params);
    request->params = longer;
    return 0;
}

static void override(unsigned *setting, unsigned given)
{
    if (given != UINT_MAX)
        *setting = given;
}

static int make_settings(struct request *request, struct bench_settings *settings)
{
    static const struct bench_settings quick = {
        .quick = true,
        .forks = 2,
        .warmup_count = 1,
        .count = 5,
        .warmup_ns = 50000000,
        .duration_ns = 70000000,
    };
    static const struct bench_settings full = {
        .forks = 3,
        .warmup_count = 5,
        .count = 10,
        .warmup_ns = 500000000,
        .duration_ns = 500000000,
    };
    static const struct bench_settings check = {
        /* 36 pairs: more than a target asks for. */
        .forks = 3, .warmup_count = 1, .count = 12, .warmup_ns = 50000000, .duration_ns = 50000000,
    };
    *settings = request->full ? full : request->check ? check : quick;
    override(&settings->forks, request->forks);
    override(&settings->warmup_count, request->warmups);
    override(&settings->count, request->iterations);
    if (request->time_ms != UINT_MAX)
        settings->warmup_ns = settings->duration_ns = request->time_ms * UINT64_C(1000000);
    return add_threads(request);
}

/* ---- A run ---- */

struct output {
    const char *name;
    FILE *file;
};

static int open_output(struct output *output, const char *name)
{
    output->name = name;
    if (name == NULL || (output->file = fopen(name, "w")) != NULL)
        return 0;
    bench_complain("cannot write '%s': %s", name, strerror(errno));
    return COMMAND_USAGE;
}

/* Closes a report; 1 if it did not get everything. */
static int close_output(const struct output *output, bool good)
{
    if (output->file == NULL)
        return 0;
    if (fclose(output->file) == 0 && good)
        return 0;
    bench_complain("cannot write '%s': %s", output->name, strerror(errno));
    return 1;
}

static int measure_and_report(struct bench_plan *plan, const struct output *json,
                              const struct output *page)
{
    bool json_good = true;
    int status = bench_measure(plan, "");
    if (status == 0) {
        bench_report_text(stdout, plan);
        json_good = json->file == NULL || bench_report_json(json->file, plan);
        if (page->file != NULL)
            bench_report_html(page->file, plan);
    }
    bool page_good = page->file == NULL || !ferror(page->file);
    status |= close_output(json, json_good);
    status |= close_output(page, page_good);
    return status;
}

static int run(const struct request *request, const struct bench_catalog *catalog,
               const struct bench_settings *settings)
{
    struct bench_plan plan = { .catalog = catalog, .settings = *settings };
    struct bench_choice choice = { .regex = request->positional[0], .params = request->params };
    struct output json = { NULL, NULL }, page = { NULL, NULL };
    int status = bench_plan_choose(&plan, &choice);
    if (status == 0)
        status = open_output(&json, request->json_file);
    if (status == 0)
        status = open_output(&page, request->report_file);
    if (status != 0)
        return status;
    bench_plan_print_thinned(&plan, &choice);
    return measure_and_report(&plan, &json, &page);
}

int command_bench(int argc, char **argv)
{
    struct request request = {
        .forks = UINT_MAX,
        .warmups = UINT_MAX,
        .iterations = UINT_MAX,
        .time_ms = UINT_MAX,
    };
    struct bench_settings settings;
    struct bench_catalog catalog;
    argp_parse(&parser, argc, argv, 0, NULL, &request);
    if (request.compare)
        return bench_report_compare(request.positional[0], request.positional[1]);
    int status = make_settings(&request, &settings);
    if (status == 0)
        status = bench_catalog_load(&catalog, request.peers);
    if (status != 0)
        return status;
    if (request.list)
        bench_catalog_print(&catalog);
    bench_catalog_print_skipped(&catalog);
    if (request.list)
        return 0;
    fflush(stdout);
    if (request.check)
        return bench_check(&catalog, &settings, request.positional[0]);
    return run(&request, &catalog, &settings);
}
