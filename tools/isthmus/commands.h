/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_COMMANDS_H
#define ISTHMUS_COMMANDS_H
/*
 * The sub-commands of `isthmus`. Each gets its own arguments, argv[0] being "isthmus NAME", and
 * returns the exit status: 0 fine; 1 bad news or a failure; 2 usage.
 */

#define COMMAND_USAGE 2

int command_bench(int argc, char **argv);

#endif
