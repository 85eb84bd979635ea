/* SPDX-License-Identifier: MIT */
/*
 * main() of every worker: one subject behind a line protocol on standard input and output.
 *
 *     request                              answer (fields separated by tabs)
 *     list                                 row, class, method, unit, space, quick space, answers,
 *                                          baseline, counters, wall or cpu: one line per row;
 *                                          skipped, sentence; then: ok
 *     origin                               ok, NAME=FILE, ...: where the measured calls live
 *     prepare, CLASS, METHOD, PARAMS, THREADS      ok, rounds in a batch, threads beside
 *     iterate, NANOSECONDS                 ok, ops, ns, cpu ns, peak resident KiB, counters
 *     finish                               ok: the check passed
 *     end of input                         (the worker exits)
 *
 * Any request may instead be answered: error, sentence.
 * Invariant: one answer per request, flushed at once; between requests the worker is blocked in
 * read() and takes no processor time from the others.
 * Not done here: choosing what to measure and for how long, and all statistics.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "harness/company.h"
#include "harness/cores.h"
#include "harness/meter.h"
#include "harness/params.h"
#include "harness/row.h"

#define MAX_FIELDS 6
#define MAX_THREADS 1024
#define TAB "\t"

static struct bench_meter *meter;
static size_t counter_count; /* Of the row that is prepared. */
static char prepared_params[BENCH_PARAMS_SIZE];

static void fail(const char *sentence)
{
    printf("error" TAB "%s\n", sentence);
}

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

static void list_row(const struct bench_row *row)
{
    const char *answers = row->answers == NULL ? row->method : row->answers;
    printf("row" TAB "%s" TAB "%s" TAB "%s" TAB "%s" TAB "%s" TAB "%s", row->class_name,
           row->method, row->unit, or_empty(row->params), or_empty(row->quick_params), answers);
    printf(TAB "%s" TAB "%s" TAB "%s\n", or_empty(row->baseline), or_empty(row->counters),
           row->clock == BENCH_CPU ? "cpu" : "wall");
}

static void list(char **fields)
{
    (void)fields;
    for (size_t t = 0; t < bench_subject.table_count; t++) {
        for (size_t i = 0; i < bench_subject.tables[t]->row_count; i++)
            list_row(&bench_subject.tables[t]->rows[i]);
    }
    if (bench_subject.skipped != NULL)
        printf("skipped" TAB "%s\n", bench_subject.skipped);
    printf("ok\n");
}

/* The file that a symbol's code lies in; NULL if that is not the library it should be from. */
static const char *symbol_file(const struct bench_symbol *symbol, const char **ret_found)
{
    Dl_info info;
    if (dladdr(symbol->address, &info) == 0 || info.dli_fname == NULL) {
        *ret_found = "nowhere";
        return NULL;
    }
    *ret_found = info.dli_fname;
    const char *slash = strrchr(info.dli_fname, '/');
    const char *base = slash == NULL ? info.dli_fname : slash + 1;
    return strncmp(base, symbol->library, strlen(symbol->library)) == 0 ? info.dli_fname : NULL;
}

static void origin(char **fields)
{
    (void)fields;
    const char *found;
    for (size_t i = 0; i < bench_subject.symbol_count; i++) {
        const struct bench_symbol *symbol = &bench_subject.symbols[i];
        if (symbol_file(symbol, &found) == NULL) {
            printf("error" TAB "%s comes from %s, not from %s\n", symbol->name, found,
                   symbol->library);
            return;
        }
    }
    printf("ok");
    for (size_t i = 0; i < bench_subject.symbol_count; i++) {
        const struct bench_symbol *symbol = &bench_subject.symbols[i];
        printf(TAB "%s=%s", symbol->name, symbol_file(symbol, &found));
    }
    printf("\n");
}

static const struct bench_row *find_in_table(const struct bench_table *table,
                                             const char *class_name, const char *method)
{
    for (size_t i = 0; i < table->row_count; i++) {
        const struct bench_row *row = &table->rows[i];
        if (strcmp(row->class_name, class_name) == 0 && strcmp(row->method, method) == 0)
            return row;
    }
    return NULL;
}

static const struct bench_row *find_row(const char *class_name, const char *method)
{
    const struct bench_row *row = NULL;
    for (size_t t = 0; t < bench_subject.table_count && row == NULL; t++)
        row = find_in_table(bench_subject.tables[t], class_name, method);
    return row;
}

static void prepare(char **fields)
{
    const struct bench_row *row = find_row(fields[1], fields[2]);
    unsigned long threads = strtoul(fields[4], NULL, 10);
    if (meter != NULL || row == NULL || threads == 0 || threads > MAX_THREADS ||
        strlen(fields[3]) >= sizeof prepared_params) {
        fail(meter != NULL ? "not finished with the last row" : "no such row, or bad parameters");
        return;
    }
    strcpy(prepared_params, fields[3]);
    counter_count = bench_meter_counters(row->counters);
    const char *error = bench_meter_open(row, prepared_params, (unsigned)threads, &meter);
    if (error != NULL)
        fail(error);
    else
        printf("ok" TAB "%llu" TAB "%u\n", (unsigned long long)bench_meter_batch(meter),
               bench_company_size());
}

static void iterate(char **fields)
{
    unsigned long long duration_ns = strtoull(fields[1], NULL, 10);
    if (meter == NULL) {
        fail("nothing prepared");
        return;
    }
    struct bench_reading reading;
    struct rusage usage;
    bench_meter_iterate(meter, duration_ns, &reading);
    getrusage(RUSAGE_SELF, &usage);
    printf("ok" TAB "%llu" TAB "%llu" TAB "%llu" TAB "%ld", (unsigned long long)reading.ops,
           (unsigned long long)reading.ns, (unsigned long long)reading.cpu_ns, usage.ru_maxrss);
    for (size_t i = 0; i < counter_count; i++)
        printf(TAB "%llu", (unsigned long long)reading.counters[i]);
    printf("\n");
}

static void finish(char **fields)
{
    (void)fields;
    const char *error = meter == NULL ? "nothing prepared" : bench_meter_close(meter);
    meter = NULL;
    if (error != NULL)
        fail(error);
    else
        printf("ok\n");
}

static const struct command {
    const char *name;
    size_t field_count;
    void (*answer)(char **fields);
} commands[] = {
    { "list", 1, list },       { "origin", 1, origin }, { "prepare", 5, prepare },
    { "iterate", 2, iterate }, { "finish", 1, finish },
};

static void answer(char *line)
{
    char *fields[MAX_FIELDS] = { NULL };
    size_t count = 0;
    while (count < MAX_FIELDS && line != NULL)
        fields[count++] = strsep(&line, TAB);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(commands[i].name, fields[0]) == 0 && commands[i].field_count == count) {
            commands[i].answer(fields);
            return;
        }
    }
    fail("not a request");
}

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    bench_cores_learn();
    while ((length = getline(&line, &capacity, stdin)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        answer(line);
        if (fflush(stdout) != 0)
            return 1;
    }
    free(line);
    return 0;
}
