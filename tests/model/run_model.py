#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the lifetime model: every scenario must hold, and every mutant must be reported.

A row is one configuration of close.pml (a scenario and -D macros), one memory mode and one check:

  safe    assertions, and invalid end states: a wait that nobody ends is a state without successor
  finite  no cycle at all, under any scheduler (non-progress cycles where nothing counts as progress): a
          protocol that always reaches a state without successor, of which `safe` proves that all threads have returned
  fair    with waits written as the loops they are: no cycle that a weakly fair scheduler can follow for ever

A scenario row is fine when the whole state space was searched without an error and every outcome listed for it was
reached (so that nothing holds because nothing happens). A mutant row is fine when the check reports the sort of error
expected. Exit status: 0 when every row is fine, 1 otherwise, 77 when spin or the C compiler is missing.
"""
import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
MEMORY_MB = 3500   # per search; a search that needs more has failed
DEPTH_LIMIT = 100000

COMPILE = {'safe': ['-DSAFETY'], 'finite': ['-DNP'], 'fair': ['-DNP', '-DNFAIR=3']}
RUN = {'safe': [], 'finite': ['-l'], 'fair': ['-l', '-f']}

# Scenario, macros, outcomes that must be reachable. PSO allows whatever TSO allows, so the quick run uses PSO only.
SCENARIOS = [
    ('access', '', 'ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE'),
    ('access', 'FENCE_MODE', 'ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE'),
    ('access_twice', '', 'ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE'),
    ('access_owner', '', 'ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE CLOSE_GONE CLOSER_LOST'),
    ('access_both', '', 'ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE'),
    ('access_both', 'FENCE_MODE', 'ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE'),
    ('access_two_closers', '', 'ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE CLOSE_GONE CLOSER_LOST'),
    ('bulk', '', 'BULK_STOPPED CLOSED_QUICKLY CLOSE_DONE CLOSE_GONE'),
    ('copy', '', 'COPIED CLOSED_QUICKLY CLOSE_DONE CLOSER_LOST'),
    ('plain_access', '', 'CLOSED_PLAINLY OWNER_EXPOSED ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE'),
    ('plain_hold', '', 'CLOSED_PLAINLY OWNER_EXPOSED HELD_BY_SLOT HOLD_REFUSED CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED'),
    ('plain_closer', '', 'CLOSED_PLAINLY OWNER_EXPOSED CLOSED_QUICKLY CLOSE_DONE CLOSE_GONE CLOSER_LOST'),
    ('plain_twice', '', 'CLOSED_PLAINLY OWNER_EXPOSED ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE'),
    ('plain_reuse', '', 'CLOSED_PLAINLY OWNER_EXPOSED ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE'),
    ('hold', '', 'HOLD_WAITED HOLD_REFUSED HELD_BY_SLOT CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED'),
    ('hold', 'FENCE_MODE', 'HOLD_WAITED HOLD_REFUSED HELD_BY_SLOT CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED'),
    ('hold_access', '', 'ACCESS_DONE ACCESS_REFUSED HOLD_WAITED HOLD_REFUSED HELD_BY_SLOT CLOSE_DONE CLOSE_REFUSED'),
    ('hold_two_closers', '', 'HOLD_WAITED HOLD_REFUSED HELD_BY_SLOT CLOSE_DONE CLOSE_REFUSED CLOSE_GONE CLOSER_LOST'),
    ('hold_twice', '', 'HOLD_WAITED HOLD_REFUSED HELD_BY_SLOT CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED'),
    ('hold_witness', '', 'REFUSED_BY_LOOK CLOSE_DONE CLOSE_REFUSED'),
    ('hold_own', '', 'REFUSED_BY_LOOK ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE'),
    ('hold_nested', '', 'HELD_BY_SLOT CLOSE_DONE CLOSE_REFUSED'),
    ('hold_nested', 'SCAN_DOWNWARDS', 'HELD_BY_SLOT CLOSE_DONE CLOSE_REFUSED'),
    ('hold_not_lifo', '', 'HELD_BY_SLOT ACCESS_DONE CLOSE_DONE CLOSE_REFUSED'),
    ('hold_revert', '', 'GAVE_BACK HOLD_WAITED HELD_BY_SLOT ACCESS_DONE CLOSE_DONE CLOSE_REFUSED CLOSED_QUICKLY'),
    ('hold_stalled', '', 'GAVE_BACK ACCESS_DONE ACCESS_REFUSED HELD_BY_SLOT HOLD_REFUSED CLOSE_DONE CLOSE_REFUSED'),
    ('hold_cross', '', 'HOLD_WAITED HOLD_REFUSED HELD_BY_SLOT CLOSE_DONE CLOSE_REFUSED'),
    ('detached', '', 'HELD_DETACHED HELD_BY_SLOT HOLD_WAITED REFUSED_BY_LOOK CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED'),
    ('detached', 'FENCE_MODE', 'HELD_DETACHED HELD_BY_SLOT HOLD_WAITED CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED'),
    ('detached_two_closers', '', 'HELD_DETACHED HOLD_WAITED CLOSE_DONE CLOSE_REFUSED CLOSE_GONE CLOSER_LOST'),
    ('detached_twice', '', 'HELD_DETACHED HOLD_WAITED CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED'),
    ('detached_handed', '', 'HELD_DETACHED REFUSED_BY_LOOK CLOSED_QUICKLY'),
    ('detached_refuses', '', 'HELD_DETACHED ACCESS_DONE REFUSED_BY_LOOK CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED'),
    ('convert', '', 'HELD_BY_SLOT HOLD_WAITED REFUSED_BY_LOOK CLOSE_DONE CLOSE_REFUSED CLOSE_GONE'),
    ('adopt', '', 'HELD_BY_SLOT REFUSED_BY_LOOK CLOSE_DONE CLOSE_REFUSED CLOSE_GONE'),
    ('spill', '', 'SPILLED REFUSED_BY_LOOK CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED'),
    ('spill_two_closers', '', 'SPILLED CLOSE_DONE CLOSE_REFUSED CLOSE_GONE CLOSER_LOST'),
    ('spill_mixed', '', 'SPILLED HELD_BY_SLOT GAVE_BACK CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED'),
    ('count_owner', '', 'RETAINED ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY MERGED_BY_OWNER'),
    ('count_handed', '', 'ACCESS_DONE ACCESS_REFUSED'),
    ('count_both', '', 'RETAINED MERGED_BY_OTHER'),
    ('count_busy', '', 'RETAINED MERGED_BY_OTHER'),
    ('count_two_others', '', 'RETAINED MERGED_BY_OTHER'),
    ('count_foreign', '', 'RETAINED MERGED_BY_OTHER'),
    ('count_late', '', 'RETAINED RETAIN_REFUSED CLOSED_QUICKLY MERGED_BY_OWNER'),
    ('fence_fails', '', 'FENCE_FAILED ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE CLOSE_GONE'),
    ('fence_shared', '', 'FENCE_SHARED FENCE_SHARED_LATE ACCESS_DONE ACCESS_REFUSED CLOSE_DONE'),
    ('fence_shared_bare', '', 'FENCE_SHARED FENCE_SHARED_LATE ACCESS_DONE ACCESS_REFUSED CLOSE_DONE'),
    ('fence_shared_fails', '', 'FENCE_SHARED FENCE_SHARED_LATE FENCE_FAILED ACCESS_DONE ACCESS_REFUSED CLOSE_DONE'),
    ('many_cross', '', 'PUT_ASIDE CLOSE_GONE'),
    ('many_twice_the_same', '', 'PUT_ASIDE CLOSE_GONE CLOSE_REFUSED HELD_BY_SLOT HOLD_REFUSED'),
    ('many_copy', '', 'COPIED MANY_CLOSED'),
    ('many_closer', '', 'PUT_ASIDE ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE CLOSE_GONE'),
    ('many_closer', 'FENCE_MAY_FAIL', 'PUT_ASIDE FENCE_FAILED ACCESS_DONE ACCESS_REFUSED CLOSE_DONE CLOSE_GONE'),
    ('reuse', '', 'ACCESS_DONE ACCESS_REFUSED CLOSED_QUICKLY CLOSE_DONE'),
    ('reuse_hold', '', 'HELD_BY_SLOT HOLD_REFUSED CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED'),
    ('reuse_foreign', '', 'HELD_DETACHED CLOSED_QUICKLY CLOSE_DONE CLOSE_GONE'),
    ('cleanup', '', 'ADDED CLOSED_QUICKLY CLOSE_DONE'),
    ('cleanup_two_closers', '', 'ADDED CLOSED_QUICKLY CLOSE_DONE CLOSE_GONE'),
    ('cleanup_reuse', '', 'ADDED ADD_REFUSED CLOSED_QUICKLY'),
]

# Waits as loops, weakly fair scheduler. The eager scenarios loop without bound beside a closer: they exist only here.
FAIR = [
    ('eager_access', 'SPINNING', 'ACCESS_DONE ACCESS_REFUSED CLOSE_DONE CLOSED_QUICKLY'),
    ('eager_hold', 'SPINNING', 'HELD_BY_SLOT CLOSE_DONE CLOSE_REFUSED'),
    ('eager_closer', 'SPINNING', 'ACCESS_DONE REFUSED_BY_LOOK'),
    ('eager_witness', 'SPINNING', 'ACCESS_DONE ACCESS_REFUSED REFUSED_BY_LOOK CLOSE_DONE'),
    ('plain_access', 'SPINNING', 'CLOSED_PLAINLY OWNER_EXPOSED ACCESS_DONE CLOSE_DONE'),
    ('access', 'SPINNING', 'ACCESS_DONE ACCESS_REFUSED CLOSE_DONE'),
    ('hold_two_closers', 'SPINNING', 'HOLD_WAITED CLOSE_DONE CLOSE_REFUSED'),
    ('copy', 'SPINNING', 'COPIED CLOSE_DONE'),
    ('many_cross', 'SPINNING', 'PUT_ASIDE CLOSE_GONE'),
    ('spill', 'SPINNING', 'SPILLED CLOSE_DONE'),
]

# Larger searches, only in the long run.
LONG = [
    ('fence_shared_three', '', 'FENCE_SHARED FENCE_SHARED_LATE ACCESS_DONE ACCESS_REFUSED CLOSE_DONE'),
    ('four_mixed', '', 'HOLD_WAITED HELD_BY_SLOT ACCESS_DONE CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED CLOSE_GONE CLOSER_LOST'),
    ('four_detached', '', 'HOLD_WAITED HELD_BY_SLOT HELD_DETACHED CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED CLOSE_GONE'),
    ('four_copy', '', 'COPIED HELD_BY_SLOT CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED CLOSER_LOST'),
    ('four_reuse', '', 'ACCESS_DONE ACCESS_REFUSED HELD_BY_SLOT CLOSED_QUICKLY CLOSE_DONE CLOSE_REFUSED CLOSE_GONE'),
]

# What is wrong, scenario, further macros, memory mode, check, what reports it.
MUTANTS = [
    # Access
    ('WRONG_ACCESS_CHECKS_FIRST', 'access', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_POP_BEFORE_TOUCH', 'access', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('ORDER_POP=RELAXED', 'access', '', 'pso', 'safe', 'LATE'),
    ('WRONG_NO_LIGHT_FENCE', 'access_both', 'FENCE_MODE', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_NO_MEMBARRIER', 'access_both', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_NO_MEMBARRIER', 'access', '', 'pso', 'safe', 'TOUCH|LATE'),
    ('WRONG_ESCAPE_BY_STORE', 'access', '', 'tso', 'safe', 'TOUCH|LATE|TRUTH'),
    ('WRONG_NO_ESCAPE', 'access', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_ANYBODY_QUICK', 'access_owner', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_QUICK_BY_STORE', 'access', '', 'tso', 'safe', 'TOUCH|LATE|ONCE|TRUTH'),
    ('WRONG_CLOSING_BY_STORE', 'access_two_closers', '', 'tso', 'safe', 'ONCE|TOUCH|LATE|TRUTH'),
    ('WRONG_NO_DRAIN', 'access', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_DRAIN_BEFORE_VERDICT', 'access_both', '', 'tso', 'safe', 'end state'),
    ('WRONG_ACCESS_BLOCKS_VERDICT', 'access_both', '', 'tso', 'safe', 'end state'),
    ('WRONG_SCAN_TO_TOP', 'access', '', 'pso', 'safe', 'LATE'),
    # Plain close
    ('WRONG_NOT_EXPOSED', 'plain_access', '', 'tso', 'safe', 'TOUCH|LATE|TRUTH|ONCE'),
    ('WRONG_NOT_EXPOSED', 'plain_closer', '', 'tso', 'safe', 'TOUCH|LATE|TRUTH|ONCE'),
    ('WRONG_EXPOSED_WITHOUT_FENCE', 'plain_access', '', 'tso', 'safe', 'TOUCH|LATE|TRUTH|ONCE'),
    ('WRONG_MARK_IGNORED', 'plain_access', '', 'tso', 'safe', 'TOUCH|LATE|TRUTH|ONCE'),
    ('WRONG_MARK_AFTER_LOOK', 'plain_access', '', 'tso', 'safe', 'TOUCH|LATE|TRUTH|ONCE'),
    ('WRONG_EXPOSED_EARLY', 'plain_twice', '', 'tso', 'safe', 'TOUCH|LATE|TRUTH|ONCE'),
    ('ORDER_UNMARK=RELAXED', 'plain_access', '', 'pso', 'safe', 'TOUCH|LATE|TRUTH|ONCE'),
    # Hold
    ('WRONG_HOLD_CHECKS_FIRST', 'hold', '', 'tso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_NO_LIGHT_FENCE', 'hold', 'FENCE_MODE', 'tso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_NO_MEMBARRIER', 'hold', '', 'tso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_ESCAPE_BY_STORE', 'hold', '', 'tso', 'safe', 'EXACT|TOUCH|TRUTH'),
    ('WRONG_NO_ESCAPE', 'hold', '', 'tso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_WAIT_WITH_PEND', 'hold', '', 'tso', 'safe', 'end state'),
    ('WRONG_PEND_IGNORED', 'hold', '', 'tso', 'safe', 'EXACT|TOUCH|LATE'),
    ('WRONG_PEND_IS_HELD', 'hold', '', 'tso', 'safe', 'TRUTH'),
    ('ORDER_POP=RELAXED', 'hold', '', 'pso', 'safe', 'LATE'),
    ('WRONG_NESTED_SHORTCUT', 'hold_nested', 'SCAN_DOWNWARDS', 'tso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_TOP_LOWERED_BLINDLY', 'hold_not_lifo', '', 'tso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_OWN_HOLD_IGNORED', 'hold_own', '', 'tso', 'safe', 'EXACT'),
    ('WRONG_NO_REVERT', 'hold_stalled', '', 'tso', 'safe', 'end state'),
    ('WRONG_FENCE_ONCE', 'hold_revert', '', 'tso', 'safe', 'EXACT|TOUCH|LATE'),
    ('PHASE_REVERTED=OPEN', 'hold_revert', '', 'tso', 'safe', 'EXACT|TOUCH|LATE'),
    # Detached and spilled holds
    ('WRONG_CLEAR_BEFORE_ADD', 'detached', '', 'tso', 'safe', 'EXACT|TOUCH'),
    ('ORDER_UNPEND=RELAXED', 'detached', '', 'pso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_DETACHED_BEFORE_SLOTS', 'detached', '', 'tso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_ADD_THEN_UNDO', 'detached_two_closers', '', 'tso', 'safe', 'TRUTH'),
    ('WRONG_ADD_BY_STORE', 'detached_twice', '', 'tso', 'safe', 'COUNT|EXACT|TRUTH'),
    ('ORDER_DROP=RELAXED', 'detached', '', 'pso', 'safe', 'LATE'),
    ('ORDER_DROP=RELAXED', 'detached_handed', '', 'pso', 'safe', 'LATE'),
    ('WITHOUT_LOOK', 'detached_handed', '', 'tso', 'safe', 'EXACT'),
    ('PHASE_REVERTED=OPEN', 'detached_refuses', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_CONVERT_CLEARS_FIRST', 'convert', '', 'tso', 'safe', 'EXACT|TOUCH'),
    ('ORDER_UNPEND=RELAXED', 'convert', '', 'pso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_ADOPT_BARE', 'adopt', '', 'tso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_SPILL_UNANNOUNCED', 'spill', '', 'tso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_SPILL_CHECKS_FIRST', 'spill', '', 'tso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_SPILL_ORDER', 'spill', '', 'tso', 'safe', 'EXACT|TOUCH'),
    ('ORDER_UNANNOUNCE=RELAXED', 'spill', '', 'pso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_PENDING_NOT_READ', 'spill', '', 'tso', 'safe', 'EXACT|TOUCH'),
    ('WRONG_DETACHED_BEFORE_PENDING', 'spill', '', 'tso', 'safe', 'EXACT|TOUCH'),
    # References
    ('WRONG_NEVER_REVOKED', 'count_handed', '', 'tso', 'safe', 'COUNT|end state'),
    ('WRONG_COUNT_UNANNOUNCED', 'count_busy', '', 'tso', 'safe', 'COUNT|TRUTH|EXACT'),
    ('WRONG_MERGED_BY_STORE', 'count_late', '', 'tso', 'safe', 'COUNT|TRUTH|EXACT|TOUCH'),
    ('ORDER_UNPEND=RELAXED', 'count_both', '', 'pso', 'safe', 'COUNT|TRUTH|EXACT'),
    ('WRONG_REVOKED_UNMERGED', 'count_busy', '', 'tso', 'safe', 'COUNT|TRUTH|EXACT'),
    # Fences
    ('PHASE_REVERTED=OPEN', 'fence_fails', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_STARTED_READ_EARLY', 'fence_shared', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_SKIP_WHEN_BEGUN', 'fence_shared', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_SKIP_WHEN_EQUAL', 'fence_shared', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_COMPLETED_EARLY', 'fence_shared', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_FAILED_FENCE_COUNTS', 'fence_shared_fails', '', 'tso', 'safe', 'TOUCH|LATE'),
    ('WRONG_NO_FENCE_LOCK', 'fence_shared_bare', '', 'tso', 'safe', 'TOUCH|LATE'),
    # close_many
    ('WRONG_MANY_WAITS', 'many_cross', '', 'tso', 'safe', 'end state'),
    ('WRONG_MANY_WAITS', 'many_twice_the_same', '', 'tso', 'safe', 'end state'),
    ('WRONG_MANY_DRAINS_EARLY', 'many_copy', '', 'tso', 'safe', 'end state'),
    # Reuse
    ('WRONG_GENERATION_KEPT', 'reuse', '', 'tso', 'safe', 'TOUCH|LATE|TRUTH|ONCE'),
    ('WRONG_LOOK_BEFORE_GENERATION', 'reuse_foreign', '', 'tso', 'safe', 'TRUTH'),
    ('WRONG_LOOK_NOT_REPEATED', 'reuse_foreign', '', 'tso', 'safe', 'TRUTH'),
    ('ORDER_FREE=RELAXED', 'reuse_foreign', '', 'pso', 'safe', 'TRUTH|ONCE|TOUCH'),
    # Cleanup list
    ('WRONG_HEAD_WITHOUT_GENERATION', 'cleanup_reuse', '', 'tso', 'safe', 'ADDS'),
    ('WRONG_NEXT_AFTER_PUBLISH', 'cleanup_reuse', '', 'tso', 'safe', 'ADDS'),
    ('WRONG_PUBLISH_BY_STORE', 'cleanup', '', 'tso', 'safe', 'ADDS'),
    ('WRONG_LIST_NOT_TAKEN', 'cleanup_reuse', '', 'tso', 'safe', 'ADDS'),
    ('ORDER_PUBLISH=RELAXED', 'cleanup_reuse', '', 'pso', 'safe', 'ADDS'),
    # The hangs again, with waits as loops under a fair scheduler
    ('WRONG_DRAIN_BEFORE_VERDICT', 'access_both', 'SPINNING', 'tso', 'fair', 'cycle'),
    ('WRONG_ACCESS_BLOCKS_VERDICT', 'access_both', 'SPINNING', 'tso', 'fair', 'cycle'),
    ('WRONG_WAIT_WITH_PEND', 'hold', 'SPINNING', 'tso', 'fair', 'cycle'),
    ('WRONG_MANY_WAITS', 'many_cross', 'SPINNING', 'tso', 'fair', 'cycle'),
    ('WITHOUT_LOOK', 'eager_closer', 'SPINNING', 'tso', 'fair', 'cycle'),
    ('WRONG_NO_WITNESS', 'eager_witness', 'SPINNING', 'tso', 'fair', 'cycle'),
]


# Where optimising pan pays: the other searches take less time than that.
LARGE = ['fence_shared', 'fence_shared_bare', 'fence_shared_fails'] + [s[0] for s in LONG]

COLLAPSED = ['fence_shared_three']  # Compressed states, exact nevertheless, for the sake of memory.


class Row:
    def __init__(self, scenario, macros, memory, check, mutant=None, expect=None, outcomes=''):
        self.scenario, self.memory, self.check = scenario, memory, check
        self.mutant, self.expect, self.outcomes = mutant, expect, outcomes.split()
        self.large = scenario in LARGE
        self.macros = macros.split() + ([mutant] if mutant else []) + (['PSO'] if memory == 'pso' else [])

    def name(self):
        extra = [m for m in self.macros if m != 'PSO' and m != self.mutant]
        return ' '.join([self.scenario] + extra)


def rows(long_run):
    """All rows of the run, scenarios first."""
    result = []
    for scenario, macros, outcomes in SCENARIOS + (LONG if long_run else []):
        result.append(Row(scenario, macros, 'pso', 'safe', outcomes=outcomes))
        result.append(Row(scenario, macros, 'pso', 'finite', outcomes=outcomes))
        if long_run:
            result.append(Row(scenario, macros, 'tso', 'safe', outcomes=outcomes))
            result.append(Row(scenario, (macros + ' DEPTH=4').strip(), 'tso', 'safe', outcomes=outcomes))
    for scenario, macros, outcomes in FAIR:
        result.append(Row(scenario, macros, 'pso' if long_run else 'tso', 'fair', outcomes=outcomes))
    for mutant, scenario, macros, memory, check, expect in MUTANTS:
        result.append(Row(scenario, macros, memory, check, mutant, expect))
    return result


def run(command, folder, limit):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=limit)
    return done.returncode, done.stdout


def complaint(output, check):
    """Why the output of pan does not show a complete, exhaustive search; None when it does."""
    for text in ('max search depth too small', 'Search not completed', 'out of memory', 'VECTORSZ', 'reached -DMEMLIM',
                 'Hash-Compact', 'Bit statespace', 'aborted', 'interrupted', 'Error:'):
        if text.lower() in output.lower():
            return text
    if 'Full statespace search for:' not in output:
        return 'no full search'
    if not re.search(r'errors: \d+', output) or 'states, stored' not in output:
        return 'no result'
    if check == 'safe' and not re.search(r'invalid end states\t\+', output):
        return 'end states not checked'
    if check != 'safe' and not re.search(r'non-progress cycles \t\+', output):
        return 'cycles not checked'
    if check == 'fair' and 'fairness enabled' not in output:
        return 'no fairness'
    return None


def reported(output):
    """What pan complains about, in a word; None when nothing."""
    label = re.search(r'^violated: (\w+)$', output, re.M)
    if re.search(r'^pan:1: assertion violated', output, re.M):
        return label.group(1) if label else 'assertion'
    if re.search(r'^pan:1: invalid end state', output, re.M):
        return 'end state'
    if re.search(r'^pan:1: non-progress cycle', output, re.M):
        return 'cycle'
    return None


def judge(row, output):
    """(fine?, verdict)"""
    what = reported(output)
    if row.mutant:
        if what is None:
            return False, complaint(output, row.check) or 'NOT REPORTED'
        return what in row.expect.split('|'), what
    if what is not None:
        return False, what
    why = complaint(output, row.check)
    if why or 'errors: 0' not in output:
        return False, why or 'errors'
    missing = set(row.outcomes) - set(re.findall(r'^covered: (\w+)$', output, re.M))
    if missing:
        return False, 'never reached: ' + ' '.join(sorted(missing))
    return True, 'ok'


def check_row(row, cc, limit):
    """(fine?, verdict, states, seconds of search, seconds in all)"""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix='isthmus-model-') as folder:
        for source in HERE.glob('*.pml'):
            shutil.copy(source, folder)
        defines = ['-DSCENARIO_' + row.scenario] + ['-D' + m for m in row.macros]
        try:
            status, output = run(['spin'] + defines + ['-a', 'close.pml'], folder, limit)
            if status or 'rror' in output:
                return False, 'spin: ' + output.strip()[:200], 0, 0, 0
            level = '-O2' if row.large else '-O0'
            compiler = ['nice', cc, level, '-w', '-DMEMLIM=%d' % MEMORY_MB] + COMPILE[row.check]
            if row.scenario in COLLAPSED:
                compiler.append('-DCOLLAPSE')
            status, output = run(compiler + ['-o', 'pan', 'pan.c'], folder, limit)
            if status:
                return False, 'cc: ' + output.strip()[:200], 0, 0, 0
            start = time.monotonic()
            search = ['nice', './pan', '-w20', '-m%d' % DEPTH_LIMIT] + RUN[row.check]
            status, output = run(search, folder, limit)
        except subprocess.TimeoutExpired:
            return False, 'time limit', 0, 0, time.monotonic() - begin
    end = time.monotonic()
    fine, verdict = judge(row, output)
    states = re.search(r'(\S+) states, stored', output)
    return fine, verdict, int(float(states.group(1))) if states else 0, end - start, end - begin


def self_check():
    """Tables and sources must agree: a misspelt macro would silently check nothing."""
    text = ''.join(p.read_text() for p in HERE.glob('*.pml'))
    wrong = set(re.findall(r'\bWRONG_\w+', text)) - {m[0] for m in MUTANTS}
    scenarios = set(re.findall(r'SCENARIO_(\w+)\)', text)) - {s[0] for s in SCENARIOS + FAIR + LONG}
    macros = {m.split('=')[0] for row in rows(True) for m in row.macros}
    unknown = {m for m in macros if not re.search(r'\b%s\b' % m, text)}
    outcomes = {o for row in rows(True) for o in row.outcomes if not re.search(r'COVER\(%s\)' % o, text)}
    return ['%s in the model, not in the table' % n for n in sorted(wrong | scenarios)] + \
           ['%s in the table, not in the model' % n for n in sorted(unknown | outcomes)]


def main():
    parser = argparse.ArgumentParser(description='Checks the lifetime model and its mutants.')
    parser.add_argument('filter', nargs='?', default='', help='only rows whose name or mutant contains this')
    parser.add_argument('--quick', action='store_true', help='the normal run (default)')
    parser.add_argument('--long', action='store_true', help='also TSO, deeper buffers and larger scenarios')
    parser.add_argument('--only', choices=['scenarios', 'mutants'])
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--cc', default='cc')
    options = parser.parse_args()
    for tool in ('spin', options.cc):
        if not shutil.which(tool):
            print('skipped: %s not found' % tool)
            return 77
    problems = self_check()
    for problem in problems:
        print('table: ' + problem)
    chosen = [r for r in rows(options.long)
              if options.filter in ' '.join([r.name(), r.mutant or '', r.memory, r.check])
              and (options.only is None or (options.only == 'mutants') == bool(r.mutant))]
    begin = time.monotonic()
    line = '%-4s %-34s %-30s %-4s %-6s %9s %8s %8s  %s'
    print(line % ('', 'scenario', 'mutant', 'mem', 'check', 'states', 'search', 'total', 'verdict'))
    bad = len(problems)
    limit = 3600 if options.long else 300
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        results = pool.map(lambda r: check_row(r, options.cc, limit), chosen)
        for row, (fine, verdict, states, search, total) in zip(chosen, results):
            bad += not fine
            print(line % ('' if fine else 'BAD', row.name(), row.mutant or '', row.memory, row.check, states,
                          '%.1f s' % search, '%.1f s' % total, verdict), flush=True)
    print('%d rows, %d bad, %.0f s' % (len(chosen), bad, time.monotonic() - begin))
    return 1 if bad or not chosen else 0


if __name__ == '__main__':
    sys.exit(main())
