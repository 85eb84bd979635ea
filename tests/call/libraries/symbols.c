/* SPDX-License-Identifier: MIT */
/*
 * Symbols of every kind. symbols.map gives `answer` two versions, of which V2 is the default; `at_zero` is an absolute
 * symbol that the linker puts at 0.
 */
#include <stddef.h>
#include <stdint.h>

int answer_1(void);
int answer_2(void);
__asm__(".symver answer_1, answer@V1");
__asm__(".symver answer_2, answer@@V2");

int answer_1(void)
{
    return 1;
}

int answer_2(void)
{
    return 2;
}

extern int32_t number, numbers[5];
extern const char greeting[];
extern __thread int64_t per_thread;
int32_t number = 1234567;
int32_t numbers[5] = { 10, 20, 30, 40, 50 };
const char greeting[] = "hello";
__thread int64_t per_thread = 77;

int32_t get_number(void);
int32_t get_number(void)
{
    return number;
}

int64_t *get_per_thread(void);
int64_t *get_per_thread(void)
{
    return &per_thread;
}

/* Four names of one place, with a size each, and one without. */
#define NAMED(name, size) ".globl " name "\n.type " name ", %object\n.size " name ", " size "\n" name ":\n"
__asm__(".pushsection .data\n"
        ".balign 8\n" NAMED("shared_1", "1") NAMED("shared_2", "2") NAMED("shared_4", "4") NAMED("shared_8", "8")
        ".globl shared_unknown\n"
        "shared_unknown: .quad 7\n"
        ".popsection");

/* Eight bytes whose symbol has no size. */
__asm__(".pushsection .data\n"
        ".balign 8\n"
        ".globl sizeless\n"
        ".type sizeless, %object\n"
        "sizeless: .quad 99\n"
        ".popsection");

/* Chosen at run time; the program may look on. */
void test_resolving(void);
int chosen_other(void);
int chosen_this(void);
int chosen(void);

int chosen_this(void)
{
    return 5;
}

int chosen_other(void)
{
    return 6;
}

static int (*resolve(void))(void)
{
    test_resolving();
    return chosen_this;
}
int chosen(void) __attribute__((ifunc("resolve")));

/* The address of one is inside another variable, and the symbol itself is none. */
static void *resolve_to_middle(void)
{
    return &numbers[1];
}
int chosen_middle(void);
int chosen_middle(void) __attribute__((ifunc("resolve_to_middle")));

static int (*resolve_to_nothing(void))(void)
{
    return NULL;
}
int chosen_nothing(void);
int chosen_nothing(void) __attribute__((ifunc("resolve_to_nothing")));
