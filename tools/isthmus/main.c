/* SPDX-License-Identifier: MIT */
/*
 * isthmus: picks the sub-command.
 * Not done here: the sub-commands' options; each parses its own.
 */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"

static const struct command {
    const char *name;
    char *full_name; /* What its messages begin with. */
    const char *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    { "bench", (char[]){ "isthmus bench" }, "measure this library beside others", command_bench },
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_help(FILE *out)
{
    fputs("Usage: isthmus COMMAND [OPTION...]\n\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n  isthmus COMMAND --help tells more; isthmus --version gives the version\n", out);
}

int main(int argc, char **argv)
{
    argp_err_exit_status = COMMAND_USAGE;
    if (argc < 2) {
        print_help(stderr);
        return COMMAND_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts("isthmus " ISTHMUS_VERSION);
        return 0;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            argv[1] = commands[i].full_name;
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    fprintf(stderr, "isthmus: unknown command '%s'\n", argv[1]);
    print_help(stderr);
    return COMMAND_USAGE;
}
