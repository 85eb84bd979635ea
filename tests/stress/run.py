#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs all shapes of stress in both memory modes and both fence modes, for a time or for a number of closes.

    run.py BUILD/tests/stress/stress --seconds 10            each shape for 10 s in each mode
    run.py BUILD/tests/stress/stress --closes 10000000       rounds of all shapes and modes until so many are done

Prints a line per shape and mode with what was done and what was found, then the sums; late, lost, wrong and hangs have to be 0.
Each run's seed is printed where something was found. Exit status: 0, or 1 if anything was.
"""
import argparse
import os
import re
import subprocess
import sys
import time

DONE = ['closes', 'held', 'reads', 'holds', 'bulks', 'allocations', 'cleanups', 'refused']
FOUND = ['late', 'lost', 'wrong', 'hangs']
MODES = [(fence, memory) for fence in ('light', 'full') for memory in ('recycle', 'unmap')]


def shapes_of(program):
    usage = subprocess.run([program], capture_output=True, text=True).stderr
    return re.search(r'shapes:(.*)', usage).group(1).split()


def run(program, shape, options, mode):
    """The figures of one run; `why` says what went wrong."""
    environment = dict(os.environ, ISTHMUS_FENCE=mode[0], ISTHMUS_DEBUG=mode[1])
    command = [program, shape, str(options.threads), str(options.seconds)] + ([str(options.seed)] if options.seed else [])
    figures = dict.fromkeys(DONE + FOUND, 0)
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=options.seconds + 300)
    except subprocess.TimeoutExpired:
        return dict(figures, hangs=1, why='no end: ' + ' '.join(command))
    for name, value in re.findall(r'(\w+)=(\d+)', done.stdout):
        if name in figures:
            figures[name] = int(value)
    figures['hangs'] = int('hang:' in done.stderr)
    figures['late'] += int('late touch: signal' in done.stderr)
    figures['why'] = ''
    if done.returncode != 0:
        figures['why'] = 'status %d, %s\n%s' % (done.returncode, done.stdout.split('\n')[0], done.stderr.strip())
    return figures


def line(names, figures):
    return '%-14s %-6s %-8s' % names + ''.join('%12d' % figures[n] for n in DONE) + ''.join('%7d' % figures[n] for n in FOUND)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('--seconds', type=float, default=2, help='for each shape in each mode')
    parser.add_argument('--closes', type=int, help='rounds until there have been so many closes in all')
    parser.add_argument('--threads', type=int, default=4)
    parser.add_argument('--seed', type=int)
    parser.add_argument('--shape', action='append', help='this one only; may be repeated')
    options = parser.parse_args()
    shapes = options.shape or shapes_of(options.program)
    total = dict.fromkeys(DONE + FOUND, 0)
    by_mode = {mode: dict(total) for mode in MODES}
    failed, begin = 0, time.monotonic()
    print('%-14s %-6s %-8s' % ('shape', 'fence', 'memory') + ''.join('%12s' % n for n in DONE) + ''.join('%7s' % n for n in FOUND))
    while True:
        for shape in shapes:
            for mode in MODES:
                figures = run(options.program, shape, options, mode)
                print(line((shape,) + mode, figures), flush=True)
                if figures['why']:
                    failed += 1
                    print('  ' + figures['why'].replace('\n', '\n  '), flush=True)
                for name in total:
                    total[name] += figures[name]
                    by_mode[mode][name] += figures[name]
        if options.closes is None or total['closes'] >= options.closes:
            break
    for mode in MODES:
        print(line(('in all',) + mode, by_mode[mode]))
    print(line(('in all', 'both', 'both'), total))
    print('%d of the runs failed; %.0f s' % (failed, time.monotonic() - begin))
    return 1 if failed or any(total[n] for n in FOUND) else 0


if __name__ == '__main__':
    sys.exit(main())
