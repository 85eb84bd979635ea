/* SPDX-License-Identifier: MIT */
/* Reports to the program when it is loaded and unloaded; the program has these two functions. */
void test_loaded(void);
void test_unloaded(void);
int counted_answer(void);

static __attribute__((constructor)) void load(void)
{
    test_loaded();
}

static __attribute__((destructor)) void unload(void)
{
    test_unloaded();
}

int counted_answer(void)
{
    return 42;
}
