/* SPDX-License-Identifier: MIT */
/* The locks, in an array by rank; their order is checked where assertions are compiled in. */
#include "session/lock.h"

#include "base/contract.h"

#include <pthread.h>

static pthread_mutex_t locks[] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER };
_Static_assert(sizeof locks / sizeof locks[0] == ISTI_LOCK_COUNT, "one mutex per rank");

#if ISTI_ASSERTIONS
/* Bit r: this thread holds the lock of rank r. Global-dynamic: the debug builds alone have it. */
static __thread unsigned held;
#define CHECK_TAKEN(rank) (ISTI_ASSERT(held >> (rank) == 0), held |= 1U << (rank))
#define CHECK_GIVEN(rank) (ISTI_ASSERT(held & 1U << (rank)), held &= ~(1U << (rank)))
#else
#define CHECK_TAKEN(rank) ((void)0)
#define CHECK_GIVEN(rank) ((void)0)
#endif

void isti_lock(isti_lock_rank rank)
{
    CHECK_TAKEN(rank);
    int failed = pthread_mutex_lock(&locks[rank]);
    ISTI_ASSERT(failed == 0);
    (void)failed;
}

void isti_unlock(isti_lock_rank rank)
{
    CHECK_GIVEN(rank);
    int failed = pthread_mutex_unlock(&locks[rank]);
    ISTI_ASSERT(failed == 0);
    (void)failed;
}
