#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the scenarios of a user's program under one memory tool, with the library as it is installed, and
expects silence for correct ones and the tool's report for mistakes.

Each tool has a table of what it must say, and a set of what it must be silent about; the rest is not its business.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SKIP = 77
HERE = pathlib.Path(__file__).resolve().parent
# With the static library as well, for how the tool finds the library and the other way round.
STATIC_TOO = {"correct", "correct_threads", "correct_shared", "overrun", "use_after_close", "race"}
CORRECT = ["correct", "left_open", "null_segment", "correct_threads", "correct_shared", "thousand_threads"]

# A report of AddressSanitizer or Valgrind about each mistake. What the words are does not depend on the allocator below.
ADDRESS = {
    "overrun": r"heap-buffer-overflow|use-after-poison",
    "overrun_reading_large": r"heap-buffer-overflow|use-after-poison",
    "overrun_global": r"heap-buffer-overflow|use-after-poison",
    "overrun_frame": r"heap-buffer-overflow|use-after-poison",
    "underrun": r"use-after-poison|heap-buffer-overflow",
    "use_after_close": r"heap-use-after-free|use-after-poison",
    "use_after_reopen": r"heap-use-after-free|use-after-poison",
    "use_after_pop": r"heap-use-after-free|use-after-poison",
}
MEMCHECK = {
    "overrun": r"Invalid write of size 1",
    "overrun_reading_large": r"Invalid read of size 1",
    "overrun_global": r"Invalid write of size 1",
    "overrun_frame": r"Invalid write of size 1",
    "underrun": r"Invalid write of size 1",
    "use_after_close": r"Invalid write of size 1",
    "use_after_reopen": r"Invalid write of size 1",
    "use_after_pop": r"Invalid write of size 1",
    "uninitialised": r"Conditional jump or move depends on uninitialised value",
}
VALGRIND = ["valgrind", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect,possible",
            "--num-callers=20", "--fair-sched=yes"]


class Tool:
    def __init__(self, flags=(), wrapper=(), silent=CORRECT, reports=None, environment=None):
        self.flags, self.wrapper = list(flags), list(wrapper)
        self.silent, self.reports = silent, reports or {}
        self.environment = environment or {}


TOOLS = {
    "address": Tool(["-fsanitize=address"], reports=ADDRESS, environment={"ASAN_OPTIONS": "detect_leaks=1"}),
    # Without the thousand threads: twenty show the same, and a thread is dear here.
    "thread": Tool(["-fsanitize=thread"], silent=CORRECT[:-1], reports={"race": r"ThreadSanitizer: data race"}),
    "undefined": Tool(["-fsanitize=undefined", "-fno-sanitize-recover=all"]),
    "memcheck": Tool(wrapper=VALGRIND, reports=MEMCHECK),
    # No tool: memory is recycled, and a late touch goes unnoticed.
    "none": Tool(silent=CORRECT + ["use_after_close"]),
    # The modes that the environment chooses. A late touch dies, by itself.
    "unmap": Tool(environment={"ISTHMUS_DEBUG": "unmap"}, reports={"use_after_close": signal.SIGSEGV}),
    "exact": Tool(environment={"ISTHMUS_DEBUG": "exact"}),
}


def build(options, tool, static, source, program):
    shared = pathlib.Path(options.shared)
    libraries = [options.static, "-pthread"] if static else [shared, f"-Wl,-rpath,{shared.parent}", "-pthread"]
    command = [options.cc, "-std=c11", "-O1", "-g", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", *tool.flags,
               "-I", options.include, source, *libraries, "-o", program]
    return subprocess.run(command, text=True, capture_output=True, check=False)


def clean_environment(tool):
    """Nothing that the caller's environment says to a tool reaches it."""
    kept = {name: value for name, value in os.environ.items() if not re.match(r".*SAN_OPTIONS$|^ISTHMUS_", name)}
    return {**kept, "LC_ALL": "C", **tool.environment}


def run(tool, program, scenario):
    return subprocess.run([*tool.wrapper, program, scenario], text=True, capture_output=True, check=False, timeout=240,
                          env=clean_environment(tool))


def problem_of(tool, program, scenario):
    """None if the tool did what is expected of it."""
    done = run(tool, program, scenario)
    expected = tool.reports.get(scenario)
    if isinstance(expected, signal.Signals):
        good = done.returncode == -expected
    elif expected is not None:
        # A tool's report, not an abort of the program for a reason of its own.
        good = done.returncode > 0 and re.search(expected, done.stderr) is not None
    else:
        quiet = not tool.flags or done.stderr == ""
        good = done.returncode == 0 and quiet
    if good:
        return None
    wanted = "silence" if expected is None else expected
    text = "\n".join((done.stdout + done.stderr).splitlines()[:40])
    return f"wanted: {wanted!r}; exit status {done.returncode}\n{text}"


def judge(options, tool, static, scratch):
    kind = "static" if static else "shared"
    program = pathlib.Path(scratch, f"scenarios-{kind}")
    built = build(options, tool, static, HERE / "scenarios.c", program)
    if built.returncode != 0:
        print(f"FAIL {kind}: does not build\n{built.stderr}")
        return 1
    listed = set(subprocess.run([program], text=True, capture_output=True, check=True).stdout.split())
    failures = 0
    for scenario in [*tool.silent, *tool.reports]:
        if (static and scenario not in STATIC_TOO) or (options.scenarios and scenario not in options.scenarios):
            continue
        problem = problem_of(tool, program, scenario) if scenario in listed else "the program has no such scenario"
        failures += problem is not None
        print(f"{'ok  ' if problem is None else 'FAIL'} {kind} {scenario}" + (f": {problem}" if problem else ""))
    return failures


def missing(options, tool, scratch):
    """What the machine lacks for this tool; None if nothing."""
    if shutil.which(options.cc) is None:
        return f"no {options.cc}"
    if tool.wrapper and shutil.which(tool.wrapper[0]) is None:
        return f"no {tool.wrapper[0]}"
    source = pathlib.Path(scratch, "empty.c")
    source.write_text("int main(void) { return 0; }\n")
    program = pathlib.Path(scratch, "empty")
    built = subprocess.run([options.cc, *tool.flags, source, "-o", program], capture_output=True, check=False)
    if built.returncode != 0 or subprocess.run([program], capture_output=True, check=False).returncode != 0:
        return f"{options.cc} {' '.join(tool.flags)} makes no program that runs"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("scenarios", nargs="*", help="only these")
    for name in ("cc", "include", "shared", "static"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    tool = TOOLS[options.tool]
    with tempfile.TemporaryDirectory() as scratch:
        lack = missing(options, tool, scratch)
        if lack is not None:
            print(f"skipped: {lack}")
            return SKIP
        failures = judge(options, tool, False, scratch)
        if tool.flags:
            failures += judge(options, tool, True, scratch)
    print(f"{options.tool} with {options.cc}: {failures} failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
