/* SPDX-License-Identifier: MIT */
/*
 * Argument: the owner sets its mark, orders its compiler, reads `exposed`, and then closes. The
 * toucher writes `exposed`, has the kernel put a full barrier into every running thread, and reads
 * the mark. So either the owner sees that it is exposed, or the toucher sees the mark and waits
 * until the close is over; its CAS then meets the next life. The owner waits for nobody while the
 * mark is set. Several touchers at once do all of it each.
 */
#include "session/exposure.h"

#include "os/wait.h"

int isti_exposure_begin(isti_thread *record, uint64_t serial)
{
    uint64_t seen = __atomic_load_n(&record->exposed, __ATOMIC_ACQUIRE); /* E1: as in the header. */
    do {
        if (seen == serial || (seen & ~ISTI_UNDER_WAY) > serial)
            return 0; /* Done meanwhile, or the thread has ended. */
        /* E2: E3 orders it. */
    } while (!__atomic_compare_exchange_n(&record->exposed, &seen, serial | ISTI_UNDER_WAY, 0,
                                          __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    int failure = ISTI_HAS(E3) ? isti_fence_heavy() : 0; /* E3 */
    if (failure != 0)
        return failure;
    /* E4: pairs with Q6. */
    const uint64_t *mark = &record->slots[ISTI_SLOT_FOR_CLOSE];
    for (isti_wait wait = { 0 }; __atomic_load_n(mark, ISTI_ORDER(E4, ACQUIRE)) != 0;)
        isti_wait_step(&wait);
    /* E5: pairs with E1. Another one has done it, or done it for a later thread: as well. */
    seen = serial | ISTI_UNDER_WAY;
    __atomic_compare_exchange_n(&record->exposed, &seen, serial, 0, ISTI_ORDER(E5, RELEASE),
                                __ATOMIC_RELAXED);
    return 0;
}
