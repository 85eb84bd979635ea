/* SPDX-License-Identifier: MIT */
#ifndef TEST_SUPPORT_RANDOM_H
#define TEST_SUPPORT_RANDOM_H
/* Pseudo-random numbers that a seed determines (splitmix64), and where the seed comes from. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct test_random {
    uint64_t state;
} test_random;

static inline uint64_t test_random_next(test_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A number below `bound`, which is not 0. */
static inline uint64_t test_random_below(test_random *random, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)test_random_next(random) * bound) >> 64);
}

/* Argument `index` of the program, or the clock; printed before anything else is done. */
static inline test_random test_random_seeded(int count, char **arguments, int index)
{
    test_random random = { 0 };
    if (count > index) {
        random.state = strtoull(arguments[index], NULL, 0);
    } else {
        struct timespec now;
        timespec_get(&now, TIME_UTC);
        random.state = (uint64_t)now.tv_sec * 1000003 + (uint64_t)now.tv_nsec;
    }
    printf("seed %llu\n", (unsigned long long)random.state);
    fflush(stdout);
    return random;
}

#endif
