#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the library wrong in one place after another, and shows who notices.

    mutate.py                   all of them; about ten minutes on two cores
    mutate.py C5_DRAIN A8       these
    mutate.py --list

Two sorts of mutants:
  orders  -DISTI_WEAKEN_<step> takes one memory order or fence away (ISTI_ORDER and ISTI_HAS in <isthmus/abi.h>). Where the machine code is the
          same without it, nothing that runs on this machine can notice: "same code". That is for the model.
  logic   a few lines of the source are replaced: a step left out, two in the wrong order, a compare-and-swap made a store.
          A text that is not there exactly once is an error: this list has to follow the source.

For each: the contract test that fails, the shape of stress that fails, and the mutant of tests/model that has the same fault. What is noticed by
nobody, and has neither the same code nor a mutant of the model, is an error. Exit status: 0, or 1 after an error; 77 without a compiler.
"""
import argparse
import concurrent.futures
import dataclasses
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ['-std=gnu11', '-O2', '-g0', '-w', '-pthread', '-D_GNU_SOURCE', '-DISTI_ASSERTIONS=0', '-DSTRESS_PATIENCE_MS=5000']
YIELDS = ['-DISTI_SLOT_HOLDS=2', '-finstrument-functions']
CONTRACTS = ['arena', 'automatic', 'hold', 'close', 'bulk', 'fork', 'quiet', 'inside']
SECONDS = 1 # Of stress for each shape and mode.

RELAXED, NOTHING = '~,__ATOMIC_RELAXED', '~,0'


@dataclasses.dataclass
class Mutant:
    name: str
    what: str
    weaken: str = ''     # The value of ISTI_WEAKEN_<name>.
    edits: tuple = ()    # (file, text, replacement)
    tests: str = ''      # Contract tests to try first,
    shapes: str = ''     # and shapes.
    model: str = ''      # Mutants of the model.
    also: str = ''       # Who else would notice, or why nobody can.


def order(name, what, model='', weaken=RELAXED, **more):
    return Mutant(name, what, weaken=weaken, model=model, **more)


def logic(name, what, *edits, **more):
    return Mutant(name, what, edits=tuple(edits), **more)


ABI, ARENA_H, ACCESS_H = 'include/isthmus/abi.h', 'include/isthmus/arena.h', 'include/isthmus/access.h'
SLOTS, SLOTS_H, CLOSE, FENCE = 'src/session/slots.c', 'src/session/slots.h', 'src/session/close.c', 'src/session/fence.c'
CLOSE_H, RECORD, LOCAL = 'src/session/close.h', 'src/memory/record.c', 'src/memory/local.c'
EXPOSURE, EXPOSURE_H = 'src/session/exposure.c', 'src/session/exposure.h'
SESSION, THREAD, HOLD = 'src/session/session.c', 'src/session/thread.c', 'src/memory/hold.c'
SHARED, CHUNK, ORPHAN, ARENA = 'src/memory/shared.c', 'src/memory/chunk.c', 'src/memory/orphan.c', 'src/memory/arena.c'

MUTANTS = [
    # ---- Orders and fences ----
    order('A2_LIGHT', 'no compiler barrier behind a published slot', 'WRONG_ACCESS_CHECKS_FIRST', NOTHING, shapes='readers holders'),
    order('A2_FULL', 'full mode: a slot is published relaxed', 'WRONG_NO_LIGHT_FENCE'),
    order('A4', 'inline: state is loaded relaxed', also='what is read under the slot was published by the handle; the verdict needs no data'),
    order('H3', 'out of line: the same', also='as A4'),
    order('A8', 'a slot is cleared relaxed', 'ORDER_POP=RELAXED'),
    order('H6', 'waiting for a verdict, relaxed', also='check() loads the state again'),
    order('A9', 'between two pieces of a bulk operation, relaxed', also='the answer may be old anyway'),
    order('S1', 'a hold without slot is announced relaxed', 'WRONG_SPILL_CHECKS_FIRST'),
    order('S4', 'and taken back relaxed, confirmed', 'ORDER_UNANNOUNCE=RELAXED'),
    order('S4_REFUSED', 'and taken back relaxed, refused', also='nothing was done under it'),
    order('D6', 'a detached hold is dropped relaxed', 'ORDER_DROP=RELAXED'),
    order('C0', 'a closer loads state relaxed', 'ORDER_FREE=RELAXED'),
    order('C1', 'the quick close is relaxed', also='the owner alone has touched the session'),
    order('C2', 'CLOSING is set relaxed', also='the fence behind it orders'),
    order('C3_FULL', 'full mode: no fence behind CLOSING', 'WRONG_NO_LIGHT_FENCE', NOTHING),
    order('C4_SLOT', 'slots are scanned relaxed', 'ORDER_POP=RELAXED'),
    order('C4_DETACHED', 'the count is read relaxed', 'ORDER_DROP=RELAXED'),
    order('C4_VERDICT', 'the verdict "held" is stored relaxed', also='nothing but the verdict is handed over'),
    order('C5', 'the verdict "closed" is stored relaxed', also='as C4_VERDICT'),
    order('F1', 'no fence before `started` is read', 'WRONG_STARTED_READ_EARLY', NOTHING),
    order('F2', '`completed` is read relaxed', 'WRONG_SKIP_WHEN_BEGUN'),
    order('F4', 'and so under the lock', also='the lock orders'),
    order('F6', 'no membarrier', 'WRONG_NO_MEMBARRIER', NOTHING, shapes='readers holders stale', tests='quiet'),
    order('F7', '`completed` is stored relaxed', 'WRONG_COMPLETED_EARLY'),
    order('C6', 'a record is set free relaxed', 'ORDER_FREE=RELAXED'),
    order('O1', 'and found free relaxed', 'ORDER_FREE=RELAXED'),
    order('L3', 'a cleanup is linked relaxed', 'ORDER_PUBLISH=RELAXED'),
    order('L4', 'and the list is taken relaxed', 'ORDER_PUBLISH=RELAXED'),
    order('CHUNK_FIRST', 'a chunk of others is found relaxed', also='plain publication, not of the protocol'),
    order('CHUNK_FOLLOW', 'and published relaxed', also='as CHUNK_FIRST'),
    order('RECORD_FIRST', 'a thread record is found relaxed', also='plain publication, not of the protocol'),
    order('RECORD_ADD', 'and published relaxed', also='as RECORD_FIRST'),

    order('E1', 'that the owner is exposed is seen relaxed', also='Q6 and the CAS behind it are of words that others have written: publication alone'),
    order('E3', 'no fence behind `exposed`', 'WRONG_EXPOSED_WITHOUT_FENCE', NOTHING, shapes='newcomers'),
    order('E4', 'the mark is read relaxed', 'ORDER_UNMARK=RELAXED'),
    order('E5', 'EXPOSED is stored relaxed', 'WRONG_EXPOSED_EARLY'),
    order('Q6', 'the mark is cleared relaxed', 'ORDER_UNMARK=RELAXED'),

    # ---- Plain closes ----
    logic('Q1_NONE', 'a plain close leaves no mark',
          (ARENA_H, 'isti_slot_set(slots + ISTI_SLOT_FOR_CLOSE, session, ISTI_SLOT_CLOSE); /* Q1 */', ';'), shapes='newcomers', model='WRONG_MARK_AFTER_LOOK'),
    logic('Q3_NONE', 'an exposed thread closes by plain stores',
          (ARENA_H, '(isti_load_relaxed_u64(slots + ISTI_WORD_EXPOSED) & ~ISTI_UNDER_WAY) != isti_self.serial &&', ''),
          shapes='readers newcomers', model='WRONG_QUICK_BY_STORE'),
    logic('E_NONE', 'a first touch tells nobody',
          (EXPOSURE_H, 'if (!isti_fence_is_light())', 'if (1)'), shapes='newcomers readers', model='WRONG_NOT_EXPOSED'),
    logic('E_NONE_CLOSER', 'nor does a close by another thread',
          (CLOSE, 'if (state == open && (item->os_errno = isti_expose_owner(session)) != 0) {', 'if (0) {'),
          shapes='closers many', model='WRONG_NOT_EXPOSED'),
    logic('E4_NONE', 'a plain close is not waited for',
          (EXPOSURE, '__atomic_load_n(mark, ISTI_ORDER(E4, ACQUIRE)) != 0;', '0;'), shapes='newcomers', model='WRONG_MARK_IGNORED'),
    logic('E5_EARLY', 'EXPOSED is said before the fence',
          (EXPOSURE, '&record->exposed, &seen, serial | ISTI_UNDER_WAY, 0,', '&record->exposed, &seen, serial, 0,'),
          shapes='newcomers', model='WRONG_EXPOSED_EARLY'),

    # ---- References ----
    order('R6', 'a reference is dropped relaxed', 'ORDER_DROP=RELAXED'),
    order('R6_MERGE', 'the owner merges relaxed', also='the drops that it counts were read-modify-writes of the same word; the close behind it fences'),
    order('R9', 'a closer reads the references relaxed', 'ORDER_DROP=RELAXED'),
    logic('R1_NONE', 'the owner counts without a mark',
          ('include/isthmus/automatic.h', 'isti_slot_set(slot, session, ISTI_SLOT_PEND); /* R1 R5 */', ';'),
          tests='automatic', shapes='references', model='WRONG_COUNT_UNANNOUNCED'),
    logic('R6_NEVER', 'nobody asks what the owner has',
          ('src/session/count.c', 'return left == ISTI_MERGED_COUNT || (int64_t)left < 0;', 'return left == ISTI_MERGED_COUNT;'),
          tests='automatic', shapes='references', model='WRONG_NEVER_REVOKED'),
    logic('R6_STORE', 'the owner merges by a store',
          ('src/session/count.c', '__atomic_fetch_add(&session->detached, ISTI_MERGED_COUNT, ISTI_ORDER(R6_MERGE, ACQUIRE));',
           'isti_load_relaxed_u64(&session->detached); isti_store_relaxed_u64(&session->detached, others + ISTI_MERGED_COUNT);'),
          tests='automatic', shapes='references', model='WRONG_MERGED_BY_STORE'),
    logic('R9_UNMERGED', 'who has asked forgets the answer',
          ('src/session/count.c', '    if (all != 0) {', '    if (0) {'), tests='automatic', shapes='references', model='WRONG_REVOKED_UNMERGED'),

    # ---- Accesses ----
    logic('A1_INLINE', 'an access publishes nothing',
          (ABI, 'isti_slot_set(slot, session, ISTI_SLOT_ACCESS); /* A1 */', ';'),
          shapes='readers allocations', model='WRONG_NO_DRAIN'),
    logic('A1_BULK', 'nor does one out of line',
          (SLOTS, 'publish(slot, session, ISTI_SLOT_ACCESS); /* A1 A2 */', ';'),
          shapes='bulks copies cleanups allocations', model='WRONG_NO_DRAIN'),
    logic('A2_STORE', 'full mode: the slot is stored, not exchanged',
          (SLOTS, '__atomic_exchange_n(slot, (uint64_t)(uintptr_t)session | tag, ISTI_ORDER(A2_FULL, SEQ_CST));',
           'isti_slot_set(slot, session, tag);'),
          shapes='readers holders stale detached', model='WRONG_NO_LIGHT_FENCE'),
    logic('A3_OWNER', 'the owner is read behind the state',
          (ABI, '''    uint64_t owner = isti_load_relaxed_u64(&session->owner);
    uint64_t state = __atomic_load_n(&session->state, ISTI_ORDER(A4, ACQUIRE));
''', '''    uint64_t state = __atomic_load_n(&session->state, ISTI_ORDER(A4, ACQUIRE));
    uint64_t owner = isti_load_relaxed_u64(&session->owner);
'''), shapes='stale', also='the CAS behind it decides in the slow half; the window is two loads'),
    logic('A5_STORE', 'ESCAPED is stored, not swapped in',
          (SLOTS, '''            if (__atomic_compare_exchange_n(&session->state, &state, expected | ISTI_ESCAPED, 0, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED))
                return OPEN;
            continue;
''', '''            isti_store_relaxed_u64(&session->state, expected | ISTI_ESCAPED);
            return OPEN;
'''), shapes='readers stale holders', model='WRONG_ESCAPE_BY_STORE'),
    logic('A5_NONE', 'a first foreign touch leaves no trace',
          (SLOTS, '''            if (__atomic_compare_exchange_n(&session->state, &state, expected | ISTI_ESCAPED, 0, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED))
                return OPEN;
            continue;
''', '''            return OPEN;
'''), tests='hold', shapes='readers', model='WRONG_NO_ESCAPE'),
    logic('A8_EARLY', 'a slot is cleared before the write',
          (ACCESS_H, '''            isti_store_##name((char *)segment.address + offset, value);                            \\
            isti_shared_end(slot);                                                                 \\
''', '''            isti_shared_end(slot);                                                                 \\
            isti_store_##name((char *)segment.address + offset, value);                            \\
'''), shapes='readers', model='WRONG_POP_BEFORE_TOUCH'),
    logic('A9_NONE', 'a bulk operation does not look between its pieces',
          (SLOTS_H, 'return ((state ^ expected) & ~(ISTI_ESCAPED | ISTI_PHASE_CLOSING)) == 0;', 'return state != 1;'),
          tests='bulk', also='the close waits for all of it: slow, not wrong'),

    # ---- Holds ----
    logic('H1_CHECK_FIRST', 'a hold looks, then publishes',
          (ARENA_H, '''        isti_slot_set(slot, session, ISTI_SLOT_PEND); /* H1 */
        isti_light_fence();                           /* H2 */
        int admits = isti_shared_admits(session, expected); /* H3 */
''', '''        int admits = isti_shared_admits(session, expected);
        isti_slot_set(slot, session, ISTI_SLOT_PEND);
'''), shapes='holders conversions', model='WRONG_HOLD_CHECKS_FIRST'),
    logic('H6_KEEPS_PEND', 'a hold waits for the verdict with PEND in its slot',
          (SLOTS, '''        clear(slot); /* H6 H7 */
        if (answer != UNDECIDED)
            return refusal(answer);
        await_verdict(session, expected);
    }
}

/*
 * S1-S5''', '''        if (answer != UNDECIDED) {
            clear(slot);
            return refusal(answer);
        }
        await_verdict(session, expected);
    }
}

/*
 * S1-S5'''), shapes='holders', model='WRONG_WAIT_WITH_PEND', also='the closer gives the session back after a millisecond: slow, not wrong'),
    logic('H9_OWNER', 'a hold is released on any thread',
          (SLOTS, 'return find_spill(thread, hold) != NULL ? IST_OK : IST_E_WRONG_THREAD;', 'return find_spill(thread, hold) != NULL ? IST_OK : IST_E_ARGUMENT;'),
          tests='hold', also='a status of the contract'),

    # ---- Detached and spilled holds ----
    logic('D4_D5', 'a detached hold clears PEND, then counts',
          (SLOTS, '''    isti_slots_add_detached(session); /* D4 */
    clear(slot);            /* D5: behind D4, so that a closer sees one or the other. */
''', '''    clear(slot);
    isti_slots_add_detached(session);
'''), shapes='detached', model='WRONG_CLEAR_BEFORE_ADD'),
    logic('D4_STORE', 'the count is raised by a load and a store',
          (SLOTS_H, '__atomic_fetch_add(&session->detached, 1, __ATOMIC_RELAXED);',
           'isti_store_relaxed_u64(&session->detached, isti_load_relaxed_u64(&session->detached) + 1);'),
          shapes='detached conversions', model='WRONG_ADD_BY_STORE'),
    logic('D7_D8', 'slot to detached: released, then counted',
          (HOLD, '    isti_slots_add_detached(hold->session); /* D7 */\n', ''),
          (HOLD, '    status = ist_arena_release(hold); /* D8 */\n',
           '    status = ist_arena_release(hold); /* D8 */\n    isti_slots_add_detached(detached.session);\n'),
          shapes='conversions', model='WRONG_CONVERT_CLEARS_FIRST'),
    logic('D9_D10', 'detached to slot: dropped, then held',
          (HOLD, '    ist_status status = ist_arena_hold(arena, &attached); /* D9: a full hold. */\n',
           '    ist_detached_hold dropped = *hold;\n    (void)ist_detached_release(&dropped);\n    ist_status status = ist_arena_hold(arena, &attached);\n'),
          (HOLD, '    status = ist_detached_release(hold); /* D10 */\n', '    *hold = dropped;\n'),
          shapes='conversions detached', model='WRONG_ADOPT_BARE'),
    logic('S1_NONE', 'a hold without slot is not announced',
          (SLOTS, '''        __atomic_fetch_add(&session->pending, 1, ISTI_ORDER(S1, SEQ_CST));
        enum answer answer = check(session, expected); /* S2 */
        if (answer == OPEN)
            return IST_OK;
        __atomic_fetch_sub(&session->pending, 1, ISTI_ORDER(S4_REFUSED, RELEASE)); /* S4 */
''', '''        enum answer answer = check(session, expected); /* S2 */
        if (answer == OPEN)
            return IST_OK;
'''),
          (SLOTS, '__atomic_fetch_sub(&session->pending, 1, ISTI_ORDER(S4, RELEASE));', ''),
          shapes='spills', model='WRONG_SPILL_UNANNOUNCED'),
    logic('S3_S4', 'it is taken back, then counted',
          (SLOTS, '    isti_slots_add_detached(session); /* S3 */\n', ''),
          (SLOTS, '__atomic_fetch_sub(&session->pending, 1, ISTI_ORDER(S4, RELEASE));',
           '__atomic_fetch_sub(&session->pending, 1, ISTI_ORDER(S4, RELEASE));\n    isti_slots_add_detached(session);'),
          shapes='spills', model='WRONG_SPILL_ORDER'),

    # ---- Close ----
    logic('C0_OWN', "an owner's close does not look at its own holds",
          (CLOSE, 'uint64_t found = read_detached(session) + own_holds(session);', 'uint64_t found = read_detached(session);'),
          tests='hold', shapes='holders', model='WRONG_OWN_HOLD_IGNORED'),
    logic('C0_DETACHED', 'nor at detached ones',
          (CLOSE, 'uint64_t found = read_detached(session) + own_holds(session);', 'uint64_t found = own_holds(session);'),
          tests='hold', shapes='detached', model='WITHOUT_LOOK'),
    logic('C0_AGAIN', 'the generation is not looked at again',
          (CLOSE, '(read_state(session) ^ open) < ISTI_GENERATION_ONE ? IST_E_HELD : IST_E_CLOSED', 'IST_E_HELD'),
          shapes='closers many', model='WRONG_LOOK_NOT_REPEATED'),
    logic('C0_WITNESS', 'a refused close leaves no witness',
          (CLOSE, '__atomic_store_n(witness, slot, __ATOMIC_RELAXED);', ';'),
          tests='quiet', model='WRONG_NO_WITNESS'),
    logic('C1_ANYBODY', 'whoever closes does so by one CAS',
          (CLOSE, '        if (state == open && isti_is_mine(session)) {', '        if (state == open) {'),
          shapes='closers many', model='WRONG_ANYBODY_QUICK'),
    logic('C1_STORE', 'the quick close is a store',
          (CLOSE_H, '''    return __atomic_compare_exchange_n(&session->state, &expected, next, 0,
                                       ISTI_ORDER(C1, ACQ_REL), __ATOMIC_RELAXED);
''', '''    __atomic_store_n(&session->state, next, __ATOMIC_RELEASE);
    return true;
'''), shapes='stale readers holders', model='WRONG_QUICK_BY_STORE'),
    logic('C2_STORE', 'CLOSING is stored',
          (CLOSE, '''        if (__atomic_compare_exchange_n(&session->state, &state, escaped | ISTI_PHASE_CLOSING, 0,
                                        ISTI_ORDER(C2, ACQ_REL), __ATOMIC_RELAXED)) {
''', '''        __atomic_store_n(&session->state, escaped | ISTI_PHASE_CLOSING, __ATOMIC_SEQ_CST);
        {
'''), shapes='closers many', tests='close', model='WRONG_CLOSING_BY_STORE'),
    logic('C4_PEND', 'PEND is passed over',
          (CLOSE, '        if (tag != ISTI_SLOT_HOLD && tag != ISTI_SLOT_PEND)\n', '        if (tag != ISTI_SLOT_HOLD)\n'),
          tests='inside', shapes='holders detached conversions', model='WRONG_PEND_IGNORED'),
    logic('C4_PEND_HELD', 'PEND counts as a hold',
          (CLOSE, '        if (tag == ISTI_SLOT_HOLD) {', '        if (tag != 0) {'),
          tests='inside', shapes='stale', model='WRONG_PEND_IS_HELD'),
    logic('C4_PATIENCE', 'a closer waits for PEND without end',
          (CLOSE, 'if (isti_clock_ns() - begin > PATIENCE_NS)', 'if (begin == 0)'), tests='inside', model='WRONG_NO_REVERT'),
    logic('C4_FIRST_SLOT', 'the scan sees the first slot of each thread',
          (CLOSE, '''        for (size_t i = 0; i < ISTI_SLOT_COUNT; i++)
            judge_slot(''', '''        for (size_t i = 0; i < 1; i++)
            judge_slot('''), tests='hold', shapes='spills', model='WRONG_SCAN_TO_TOP'),
    logic('C4_PENDING', 'announced holds are not waited for',
          (CLOSE, '(pending = read_slot(&item->session->pending)) != 0;) {', '(pending = 0) != 0;) {'),
          tests='inside', shapes='spills', model='WRONG_PENDING_NOT_READ'),
    logic('C4_DETACHED_FIRST', '`detached` is read before the slots',
          (CLOSE, '    if (failure == 0)\n        scan(items, count);\n',
           '    for (size_t i = 0; i < count; i++)\n        items[i].holders += items[i].progress == MINE ? read_detached(items[i].session) : 0;\n    if (failure == 0)\n        scan(items, count);\n'),
          (CLOSE, '    item->holders += count_detached(item->session, item->expected);\n', ''),
          shapes='detached conversions', model='WRONG_DETACHED_BEFORE_SLOTS'),
    logic('C4_DETACHED_BEFORE_PENDING', '`detached` is read before the pending count',
          (CLOSE, '    for (uint64_t pending; (pending', '    item->holders += count_detached(item->session, item->expected);\n    for (uint64_t pending; (pending'),
          (CLOSE, '    item->holders += count_detached(item->session, item->expected);\n    if (item->holders', '    if (item->holders'),
          shapes='spills', model='WRONG_DETACHED_BEFORE_PENDING'),
    logic('C4_NO_DETACHED', '`detached` is not read in the verdict',
          (CLOSE, '    item->holders += count_detached(item->session, item->expected);\n', ''),
          shapes='detached conversions spills', model='WRONG_DETACHED_BEFORE_SLOTS'),
    logic('C4_OPEN', 'a refused close leaves OPEN behind',
          (CLOSE, 'item->expected | ISTI_ESCAPED, ISTI_ORDER(C4_VERDICT', 'item->expected, ISTI_ORDER(C4_VERDICT'),
          tests='inside', shapes='holders conversions', model='PHASE_REVERTED=OPEN'),
    logic('C5_DRAIN', 'accesses are not waited for',
          (CLOSE, '        drain(items, count); /* M4 */\n', ''), tests='inside', shapes='readers bulks', model='WRONG_NO_DRAIN'),
    logic('C5_DRAIN_FIRST', 'they are waited for before the verdict',
          (CLOSE, '    if (failure == 0)\n        scan(items, count);\n',
           '    for (size_t i = 0; i < count; i++)\n        items[i].progress = items[i].progress == MINE ? DONE : items[i].progress;\n    drain(items, count);\n'
           '    for (size_t i = 0; i < count; i++)\n        items[i].progress = items[i].progress == DONE ? MINE : items[i].progress;\n    if (failure == 0)\n        scan(items, count);\n'),
          (CLOSE, '/* From C0 to C5 for all', '/* From C0 to C5 for all'),
          (CLOSE, '/* C3, C4 and the verdicts', 'static void drain(isti_closing *items, size_t count);\n/* C3, C4 and the verdicts'),
          (CLOSE, '        drain(items, count); /* M4 */\n', ''),
          shapes='readers', tests='inside', model='WRONG_DRAIN_BEFORE_VERDICT'),
    logic('C6_GENERATION', 'a record is opened again under the old generation',
          (SESSION, '__builtin_add_overflow(kept, ISTI_GENERATION_ONE, &next)', '__builtin_add_overflow(kept, 0, &next)'),
          tests='arena', shapes='stale', model='WRONG_GENERATION_KEPT'),
    logic('C6_PENDING', 'the next life begins with a pending count of 0, whoever is about to lower it',
          (SHARED, '__atomic_store_n(&session->witness, NULL, __ATOMIC_RELAXED);', '__atomic_store_n(&session->witness, NULL, __ATOMIC_RELAXED);\n    session->pending = 0;'),
          shapes='stale_spilled spills'),
    logic('M1_WAIT', 'close_many waits for others while verdicts of its own are open',
          (CLOSE, 'size_t again = advance(items, count, count == 1);', 'size_t again = advance(items, count, 1);'),
          tests='close', shapes='many', model='WRONG_MANY_WAITS'),
    logic('M4_EARLY', 'each of many is finished before all verdicts are there',
          (CLOSE, '        conclude(item);\n', '        conclude(item);\n        if (item->progress == DONE)\n            drain(item, 1);\n'),
          (CLOSE, '/* C3, C4 and the verdicts', 'static void drain(isti_closing *items, size_t count);\n/* C3, C4 and the verdicts'),
          shapes='many', model='WRONG_MANY_DRAINS_EARLY', also='an access of two lives, one of them closed and one undecided, has to meet it'),

    # ---- Fences shared by closers ----
    logic('F2_EQUAL', 'a fence is skipped when the last one is complete',
          (FENCE, 'ISTI_ORDER(F2, ACQUIRE)) > before)', 'ISTI_ORDER(F2, ACQUIRE)) >= before)'),
          shapes='readers holders', tests='close', model='WRONG_SKIP_WHEN_EQUAL'),
    logic('F2_BEGUN', 'or when the next one has begun',
          (FENCE, 'if (atomic_load_explicit(&completed, ISTI_ORDER(F2, ACQUIRE)) > before)', 'if (atomic_load_explicit(&started, memory_order_acquire) > before)'),
          shapes='many closers', model='WRONG_SKIP_WHEN_BEGUN'),
    logic('F7_FAILED', 'a fence that failed counts',
          (FENCE, 'if (failure == 0) /* F7: pairs with F2. */ atomic_store', 'failure = 0;\n            atomic_store'),
          tests='quiet', model='WRONG_FAILED_FENCE_COUNTS'),

    # ---- Cleanups ----
    logic('L2_L3', '`next` is set behind the publication',
          (SESSION, '''    do
        cleanup->next = head;
    while (!__atomic_compare_exchange_n(&session->cleanups, &head, cleanup, 1, ISTI_ORDER(L3, RELEASE), __ATOMIC_RELAXED));
''', '''    while (!__atomic_compare_exchange_n(&session->cleanups, &head, cleanup, 1, ISTI_ORDER(L3, RELEASE), __ATOMIC_RELAXED))
        ;
    cleanup->next = head;
'''), shapes='cleanups', model='WRONG_NEXT_AFTER_PUBLISH', also='the access around it keeps the list from being read: harmless here'),
    logic('L3_STORE', 'the head is stored',
          (SESSION, '''    do
        cleanup->next = head;
    while (!__atomic_compare_exchange_n(&session->cleanups, &head, cleanup, 1, ISTI_ORDER(L3, RELEASE), __ATOMIC_RELAXED));
''', '''    cleanup->next = head;
    __atomic_store_n(&session->cleanups, cleanup, __ATOMIC_RELEASE);
'''), shapes='cleanups crowd', model='WRONG_PUBLISH_BY_STORE'),
    logic('L3_OUTSIDE', 'a cleanup is linked outside of the access',
          (ARENA, '    isti_cleanup *node = take_node(arena, size);\n    if (node != NULL) {\n',
           '    isti_cleanup *node = take_node(arena, size);\n    isti_arena_leave(slot);\n    slot = NULL;\n    if (node != NULL) {\n'),
          shapes='cleanups', model='WRONG_HEAD_WITHOUT_GENERATION'),

    # ---- Memory ----
    logic('CUT_STORE', 'blocks are cut by a load and a store',
          (SHARED, '} while (!__atomic_compare_exchange_n(&chunk->begin, &begin, start + size, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));',
           '    __atomic_store_n(&chunk->begin, start + size, __ATOMIC_RELAXED);\n    } while (0);'),
          shapes='allocations'),
    logic('ALONE_CUT', "other blocks are cut from a large block's own chunk",
          (CHUNK, 'chunk->begin = exact ? block : (uintptr_t)chunk + chunk->size;', 'chunk->begin = block;'), tests='arena'),
    logic('ZERO_LATE', 'a fresh block is cleared outside of the access',
          (ARENA, '    isti_arena_leave(slot);\n    if (!representable)', '    isti_arena_leave(slot);\n    if (block != NULL && size >= 8)\n        memset(block, 0, size);\n    if (!representable)'),
          shapes='allocations', model='WRONG_POP_BEFORE_TOUCH'),

    # ---- Records ----
    logic('U1_LOCK', 'a record is unlisted without the lock',
          (RECORD, 'if (shared) isti_lock(ISTI_LOCK_POOL);', ''), (RECORD, 'if (shared) isti_unlock(ISTI_LOCK_POOL);', ''),
          shapes='closers many threads', also='the window is a few instructions in each of two threads'),
    logic('U2_UNLISTED', 'a closer forgets the record that its owner has unlisted',
          (RECORD, 'if (renewed && unlisted) list(local, record);', ''), tests='arena', shapes='closers'),
    logic('U2_OWNER', 'a closer lists the record in its own list, wherever it is',
          (RECORD, 'bool unlisted = isti_load_relaxed_u64(&session->burden) & ISTI_BURDEN_UNLISTED;', 'bool unlisted = true;'),
          tests='arena close', shapes='closers readers'),
    logic('FORK_LISTED', 'who takes the place of a lost thread counts its records',
          (LOCAL, 'local->listed = 0;', ''), tests='fork', shapes='forks'),

    # ---- Threads and forks ----
    logic('RECORD_HELD', 'the record of a dead thread that holds serves another',
          (SLOTS, '''            return false;
    return thread->spilled == NULL;
''', '''            return true;
    return true;
'''), tests='inside hold'),
    logic('ORPHAN_KIND', 'shared arenas of dead threads are reclaimed as orphans',
          (ORPHAN, 'isti_thread_is_alive(owner) || !is_open(record, ISTI_CONFINED) ||', 'isti_thread_is_alive(owner) ||'), tests='arena'),
    logic('FORK_SLOTS', "a child keeps other threads' slots",
          (THREAD, '        isti_slots_forget(record);\n', ''), tests='fork', shapes='forks'),
    logic('FORK_COUNT', 'a fork does not wait for the closers that are counted',
          (CLOSE, 'atomic_load_explicit(&undecided, memory_order_acquire) != FORKING;)', '0;)'), tests='fork', shapes='forks'),
    logic('FORK_UNDECIDED', 'a fork does not wait for verdicts',
          (THREAD, '    isti_close_lock_for_fork();\n', ''), (THREAD, '    isti_close_unlock_after_fork();\n', ''), shapes='forks'),
    logic('FORK_PENDING', 'a child keeps announced holds',
          (THREAD, '    user->on_fork();\n', ''), tests='inside', shapes='forks', also='a thread has to be lost between S1 and S4'),
]


class Build:
    """The library, stress and the contract tests, in two variants: as they are, and with yields; without faults, then with one."""

    def __init__(self, folder, cc, jobs, support):
        self.folder, self.cc, self.jobs, self.support = folder, cc, jobs, support
        self.sources = sorted(str(p.relative_to(ROOT)) for p in (ROOT / 'src').rglob('*.c'))
        self.base = folder / 'base'
        self.compile_all(ROOT, self.base, [])

    def units(self):
        """(source, variant)"""
        library = [(s, v) for s in self.sources for v in ('plain', 'yields')]
        stress = [('tests/stress/%s.c' % n, v) for n in ('stress', 'lives', 'shapes') for v in ('plain', 'yields')]
        shared = [('tests/shared/%s.c' % n, 'plain') for n in CONTRACTS + ['company', 'filter']]
        return library + stress + [('tests/stress/yields.c', 'bare')] + shared

    def object_of(self, folder, unit):
        return folder / unit[1] / (unit[0].replace('/', '_') + '.o')

    def compile(self, tree, folder, unit, extra):
        source, variant = unit
        target = self.object_of(folder, unit)
        target.parent.mkdir(parents=True, exist_ok=True)
        flags = FLAGS + (YIELDS if variant == 'yields' else []) + extra
        if source.endswith('exports.c'):
            flags = [f for f in flags if f != '-finstrument-functions']
        done = subprocess.run([self.cc] + flags + ['-Iinclude', '-Isrc', '-Itests', '-Itests/stress', '-I%s' % self.support, '-c', source, '-o', str(target)],
                              cwd=tree, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError('%s does not compile:\n%s' % (source, done.stderr))

    def compile_all(self, tree, folder, extra, units=None):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for _ in pool.map(lambda u: self.compile(tree, folder, u, extra), units or self.units()):
                pass
        if units is None:
            expect = folder / 'plain' / 'expect.o'
            subprocess.run([self.cc] + FLAGS + ['-Iinclude', '-I%s' % self.support, '-c', str(self.support / 'support/expect.c'), '-o', str(expect)], cwd=tree, check=True)

    def link(self, folder, changed, program, variant, sources, libraries=()):
        """Objects of `changed` come from the folder, all others from the base."""
        units = [(s, variant) for s in self.sources + sources]
        objects = [str(self.object_of(folder if u in changed else self.base, u)) for u in units]
        if variant == 'yields':
            objects.append(str(self.object_of(self.base, ('tests/stress/yields.c', 'bare'))))
        if libraries:
            objects.append(str(self.base / 'plain/expect.o'))
        subprocess.run([self.cc, '-pthread', '-o', str(folder / program)] + objects + list(libraries), check=True)


def replaced(content, mutant, name, text, replacement):
    """The content with the one place that reads as the text, however its lines are broken, replaced."""
    places = list(re.finditer(r'\s+'.join(re.escape(word) for word in text.split()), content))
    if len(places) != 1:
        raise RuntimeError('%s: a text is %d times in %s:\n%s' % (mutant.name, len(places), name, text))
    return content[:places[0].start()] + replacement.strip() + content[places[0].end():]


def sites(mutant):
    """The sources that have the order or fence."""
    pattern = re.compile(r'ISTI_(ORDER|HAS)\(%s\b' % mutant.name)
    sources = list((ROOT / 'src').rglob('*.[ch]')) + list((ROOT / 'include').rglob('*.h'))
    return [str(p.relative_to(ROOT)) for p in sources if pattern.search(p.read_text())]


def check():
    """What each mutant changes is there. Returns the complaints."""
    complaints = []
    for mutant in MUTANTS:
        if mutant.weaken and not sites(mutant):
            complaints.append('%s: no such step in the source' % mutant.name)
        for name, text, replacement in mutant.edits:
            try:
                replaced((ROOT / name).read_text(), mutant, name, text, replacement)
            except RuntimeError as complaint:
                complaints.append(str(complaint))
    return complaints


def mutate(build, mutant, folder):
    """Compiles what the mutant changes. Returns the units whose code is another."""
    extra, tree, touched = [], ROOT, None
    if mutant.weaken:
        extra = ['-DISTI_WEAKEN_%s=%s' % (mutant.name, mutant.weaken)]
        touched = sites(mutant)
    else:
        tree = folder / 'tree'
        tree.mkdir(parents=True)
        for name in ('include', 'src', 'tests'):
            shutil.copytree(ROOT / name, tree / name)
        for name, text, replacement in mutant.edits:
            path = tree / name
            path.write_text(replaced(path.read_text(), mutant, name, text, replacement))
        touched = [name for name, _, _ in mutant.edits]
    units = build.units()
    if all(name.endswith('.c') for name in touched):
        units = [u for u in units if u[0] in touched]
    else:
        units = [u for u in units if u[1] != 'bare']
    build.compile_all(tree, folder, extra, units)
    return {u for u in units if not filecmp.cmp(build.object_of(folder, u), build.object_of(build.base, u), shallow=False)}


def run(command, environment, seconds):
    """Why the program failed; None: it did not."""
    try:
        done = subprocess.run(command, env=dict(os.environ, **environment), capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return 'hang'
    if done.returncode in (0, 77):
        return None
    text = done.stderr.decode(errors='replace')
    found = re.search(r'(late touch|lost hold|wrong|hang)', text)
    return found.group(1) if found else 'failed' if done.returncode > 0 else 'signal %d' % -done.returncode


class Trial:
    def __init__(self, build, folder, changed):
        self.build, self.folder, self.changed, self.linked = build, folder, changed, set()

    def program(self, name, variant, sources, libraries=()):
        if name not in self.linked:
            self.build.link(self.folder, self.changed, name, variant, sources, libraries)
            self.linked.add(name)
        return str(self.folder / name)

    def contract(self, names):
        for name in names:
            program = self.program(name, 'plain', ['tests/shared/%s.c' % n for n in (name, 'company', 'filter')], ['-lcmocka'])
            for fence in ('light', 'full'):
                why = run([program], {'ISTHMUS_FENCE': fence}, 20)
                if why:
                    return '%s, %s' % (name, fence)
        return None

    def stress(self, shapes, seconds=SECONDS, modes=4):
        stress = ['tests/stress/%s.c' % n for n in ('stress', 'lives', 'shapes')]
        programs = [self.program('stress_yields', 'yields', stress), self.program('stress', 'plain', stress)]
        for fence, memory in (('light', 'recycle'), ('full', 'unmap'), ('light', 'unmap'), ('full', 'recycle'))[:modes]:
            for program in programs:
                for shape in shapes:
                    why = run([program, shape, '4', str(seconds)], {'ISTHMUS_FENCE': fence, 'ISTHMUS_DEBUG': memory}, seconds + 25)
                    if why:
                        return '%s: %s (%s%s %s)' % (shape, why, 'yields ' if 'yields' in program else '', fence, memory)
        return None


def all_shapes():
    text = (ROOT / 'tests/stress/shapes.c').read_text()
    return re.findall(r'\{ \.name = "(\w+)"', text)


def model_mutants():
    path = ROOT / 'tests/model/run_model.py'
    return set(re.findall(r"\('((?:WRONG_|ORDER_|PHASE_|WITHOUT_)[\w=]+)'", path.read_text())) if path.exists() else None


def try_mutant(build, mutant, folder):
    """(contract, stress)"""
    changed = mutate(build, mutant, folder)
    if not changed:
        return 'same code', 'same code'
    trial = Trial(build, folder, changed)
    contract = trial.contract(mutant.tests.split())
    stress = trial.stress(mutant.shapes.split())
    if contract is None and stress is None:
        contract = trial.contract(CONTRACTS)
    if contract is None and stress is None:
        stress = trial.stress(all_shapes(), 0.4, 1)
    return contract or '-', stress or '-'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('name', nargs='*')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--check', action='store_true', help='only see that what each mutant changes is there')
    parser.add_argument('--cc', default='cc')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--support', type=pathlib.Path, default=ROOT / 'tests', help='the folder with support/expect.h')
    options = parser.parse_args()
    chosen = [m for m in MUTANTS if not options.name or m.name in options.name]
    if options.list:
        for mutant in chosen:
            print('%-28s %s' % (mutant.name, mutant.what))
        return 0
    if options.check:
        complaints = check()
        print('\n'.join(complaints + ['%d mutants, %d that cannot be made' % (len(MUTANTS), len(complaints))]))
        return 1 if complaints else 0
    if not shutil.which(options.cc):
        return 77
    known, errors, begin = model_mutants(), 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix='isthmus-mutants-') as scratch:
        build = Build(pathlib.Path(scratch), options.cc, options.jobs, options.support)
        print('built in %.0f s' % (time.monotonic() - begin))
        print('%-28s %-16s %-44s %-30s %s' % ('mutant', 'contract', 'stress', 'model', 'what is wrong'))
        for mutant in chosen:
            folder = pathlib.Path(scratch) / mutant.name
            note = ''
            try:
                contract, stress = try_mutant(build, mutant, folder)
            except RuntimeError as error:
                errors += 1
                print('%-28s %s' % (mutant.name, error), flush=True)
                continue
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            if known is not None and mutant.model and mutant.model not in known:
                errors += 1
                note = ' [no such mutant of the model]'
            if contract == '-' and stress == '-' and not mutant.model and not mutant.also:
                errors += 1
                note += ' [NOTICED BY NOBODY]'
            why = '; ' + mutant.also if mutant.also and contract in ('-', 'same code') and stress in ('-', 'same code') else ''
            print('%-28s %-16s %-44s %-30s %s%s%s' % (mutant.name, contract, stress, mutant.model or '-', mutant.what, why, note), flush=True)
    print('%d mutants, %d errors, %.0f s' % (len(chosen), errors, time.monotonic() - begin))
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
