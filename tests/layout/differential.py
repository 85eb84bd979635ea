#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random C types: what Isthmus makes of them against what gcc and clang do.

    differential.py --tell build/release/tests/layout/layout_tell --count 100000 --seed 7
    differential.py --tell ... --seed 7 --index 4711           one type: its text, and what each says about it
    differential.py --compilers ...                            gcc against clang alone

Isthmus has to agree with gcc in everything, whether it reads the text of a type or has it built by calls. Gcc and clang may
differ only in types that have what docs/layouts.md says they differ in; such types are counted. A type that fails is made
as small as it can be while it fails. What gcc refuses is a failure, too: it is not meant to be made up.
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

import ctypes_random as types

SKIP = 77
BATCH = 200

HEAD = r"""
#include <stddef.h>
#include <stdio.h>
#include <string.h>
static void bits(const void *object, size_t size)
{
    const unsigned char *bytes = object;
    long first = -1, count = 0;
    for (size_t i = 0; i < 8 * size; i++)
        if (bytes[i / 8] >> i % 8 & 1) {
            count++;
            if (first < 0)
                first = (long)i;
        }
    printf(" %ld %ld", first, count);
}
#define BITS(place) (memset(&object, 0, sizeof object), object.place = -1, bits(&object, sizeof object))
static void values(const size_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf(" %zu", list[i]);
}
"""


class Case:
    def __init__(self, index, type_):
        self.index, self.type = index, type_
        spelled = types.Speller(f"c{index}", type_)
        self.text, self.tag, self.needs = spelled.text, spelled.tag, spelled.needs
        self.places = list(types.places(type_))
        self.answers = {}

    def unit(self):
        """C that prints what a compiler says: first constants, then what has to be tried."""
        tag, n = self.tag, self.index
        constants = [f"sizeof({tag})", f"offsetof(struct probe_{n}, t)"]
        tried = []
        for path, bits, there, sized in self.places:
            if bits is None:
                constants.append(f"offsetof({tag}, {path})")
                constants.append(f"sizeof((({tag} *)0)->{path})" if sized else "0")
            elif there:
                tried.append(f"    BITS({path});\n")
        return (f"{self.text}struct probe_{n} {{ char c; {tag} t; }};\n"
                f"static const size_t values_{n}[] = {{ {', '.join(constants)} }};\n"
                f"static void tell_{n}(void)\n{{\n    {tag} object;\n    (void)object;\n"
                f"    values(values_{n}, sizeof values_{n} / sizeof values_{n}[0]);\n{''.join(tried)}    puts(\"\");\n}}\n")

    def read(self, line):
        """The answer of a compiler: {path: (first bit, bits, size)}; of the whole type at ""."""
        numbers = [int(word) for word in line.split()]
        constants = sum(2 for place in self.places if place[1] is None) + 2
        tried = iter(numbers[constants:])
        rest = iter(numbers[2:constants])
        answer = {"": (numbers[0], numbers[1])}
        for path, bits, there, _ in self.places:
            if bits is None:
                offset, size = next(rest), next(rest)
                answer[path] = (8 * offset, 0, size)
            elif there:
                first, count = next(tried), next(tried)
                answer[path] = (first, count)
        return answer

    def read_tell(self, lines):
        if lines[0].startswith("!"):
            return lines[0]
        size, alignment = lines[0].split()
        answer = {"": (int(size), int(alignment))}
        hidden = {path for path, bits, there, _ in self.places if bits is not None and not there}
        for line in lines[1:]:
            path, first, bits, size = line.split()
            if path in hidden:
                continue
            answer[path] = (int(first), int(bits)) if int(bits) else (int(first), 0, 0 if size == "-" else int(size))
        return answer


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


class Compilers:
    def __init__(self, scratch, commands):
        self.scratch, self.commands, self.count = pathlib.Path(scratch), commands, 0

    def ask(self, name, cases, serial):
        """Fills in the answers of one compiler; what it refuses has a text for an answer."""
        cases = [case for case in cases if name == "gcc" or not case.needs]
        if not cases:
            return
        source = self.scratch / f"{name}_{serial}.c"
        program = self.scratch / f"{name}_{serial}"
        calls = "".join(f"    tell_{case.index}();\n" for case in cases)
        source.write_text(HEAD + "".join(case.unit() for case in cases) + f"int main(void)\n{{\n{calls}    return 0;\n}}\n")
        built = run([self.commands[name], "-std=gnu11", "-w", "-O0", "-o", str(program), str(source)])
        if built.returncode != 0:
            if len(cases) == 1:
                cases[0].answers[name] = "refused: " + "\n".join(
                    line for line in built.stderr.splitlines() if "error" in line)
                return
            middle = len(cases) // 2
            self.ask(name, cases[:middle], f"{serial}a")
            self.ask(name, cases[middle:], f"{serial}b")
            return
        ran = run([str(program)])
        if ran.returncode != 0:
            raise RuntimeError(f"{program}: {ran.returncode}")
        for case, line in zip(cases, ran.stdout.splitlines(), strict=True):
            case.answers[name] = case.read(line)
        source.unlink()
        program.unlink()

    def ask_all(self, cases):
        self.count += 1
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for done in [pool.submit(self.ask, name, cases, self.count) for name in self.commands]:
                done.result()


def ask_isthmus(tell, cases):
    """The answers of Isthmus to the same types, read from their text and built by calls."""
    asked = [(case, "parsed", f"t {len(case.text.encode())} {case.tag}\n{case.text}.\n") for case in cases]
    asked += [(case, "built", "\n".join(types.build(case.type)) + "\n.\n") for case in cases if buildable(case.type)]
    ran = run([tell], input="".join(text for _, _, text in asked))
    answers = [part.splitlines() for part in re.split(r"^\.\n", ran.stdout, flags=re.M)[:-1]]
    for (case, way, _), lines in zip(asked, answers):
        case.answers[way] = case.read_tell(lines)
    if ran.returncode != 0 or len(answers) != len(asked):
        crashed = asked[len(answers)][2] if len(answers) < len(asked) else ""
        raise RuntimeError(f"{tell} ends with {ran.returncode}: {ran.stderr}\n{crashed}")


def buildable(type_):
    """Whether builders can say it: a typedef of a struct or an array may be aligned to less than its parts, a layout not."""
    if isinstance(type_, types.Typedef):
        lowered = type_.alignment > 0 and isinstance(type_.target, (types.Array, types.Group))
        return not lowered and buildable(type_.target)
    if isinstance(type_, types.Array):
        return buildable(type_.element)
    return not isinstance(type_, types.Group) or all(buildable(member.target) for member in type_.members)


def aligned_bit_field(type_):
    """Whether a type has what gcc and clang treat differently: see "Where the compilers differ" in docs/layouts.md."""
    return any(member.bits is not None and (member.alignment or isinstance(member.target, types.Typedef))
               for group in types.groups(type_) for member in group.members)


def differences(case, left, right):
    """Lines that say where two answers differ; none if one of the two has no answer."""
    a, b = case.answers.get(left), case.answers.get(right)
    if a is None or b is None:
        return []
    if isinstance(a, str) or isinstance(b, str):
        said = [f"{name}: {answer}" for name, answer in ((left, a), (right, b)) if isinstance(answer, str)]
        return said if len(said) == 1 else []
    lines = []
    for path in sorted(a.keys() | b.keys()):
        if a.get(path) != b.get(path):
            what = "size, alignment" if path == "" else path
            lines.append(f"{what}: {left} {a.get(path)}, {right} {b.get(path)}")
    return lines


class Trial:
    """Everything that is asked about types, and what has come of it."""

    def __init__(self, options, scratch):
        commands = {"gcc": options.gcc}
        if shutil.which(options.clang):
            commands["clang"] = options.clang
        self.compilers = Compilers(scratch, commands)
        self.tell = None if options.compilers else options.tell
        self.counts, self.patience = {}, options.patience

    def count(self, what, number=1):
        self.counts[what] = self.counts.get(what, 0) + number

    def ask(self, cases):
        self.compilers.ask_all(cases)
        if self.tell:
            ask_isthmus(self.tell, cases)

    def judge(self, case, quietly=False):
        """What is wrong about a type."""
        if isinstance(case.answers["gcc"], str):
            return [] if quietly else [case.answers["gcc"]]
        between = differences(case, "gcc", "clang")
        if self.tell is None:
            return between
        wrong = differences(case, "gcc", "parsed") + differences(case, "gcc", "built")
        return wrong if aligned_bit_field(case.type) else wrong + between

    def shrink(self, type_, index):
        """The smallest type that still fails, by trying all that are one change smaller again and again."""
        ended = time.monotonic() + self.patience
        while time.monotonic() < ended:
            cases = [Case(f"{index}_{i}", smaller) for i, smaller in enumerate(types.smaller(type_))]
            self.ask(cases)
            failing = [case for case in cases if self.judge(case, quietly=True)]
            if not failing:
                break
            type_ = min(failing, key=lambda case: (len(case.text), case.text)).type
        return type_


def show(trial, case):
    print(case.text)
    for name, answer in case.answers.items():
        print(f"{name}: {answer}")
    print("\n".join(trial.judge(case)) or "no difference")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tell", help="the program tell.c")
    parser.add_argument("--compilers", action="store_true", help="gcc against clang, without Isthmus")
    parser.add_argument("--gcc", default="gcc")
    parser.add_argument("--clang", default="clang")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--index", type=int, help="only this type")
    parser.add_argument("--most", type=int, default=5, help="failures to show")
    parser.add_argument("--patience", type=int, default=20, help="seconds to spend on making one smaller")
    options = parser.parse_args()
    if not options.compilers and not options.tell:
        parser.error("--tell or --compilers")
    if shutil.which(options.gcc) is None:
        print("skipped: no gcc here")
        return SKIP
    print(f"seed {options.seed}", flush=True)

    with tempfile.TemporaryDirectory() as scratch:
        trial = Trial(options, scratch)
        if options.index is not None:
            case = Case(options.index, types.think(options.seed, options.index))
            trial.ask([case])
            show(trial, case)
            return 1 if trial.judge(case) else 0
        failures = 0
        for first in range(0, options.count, BATCH):
            cases = [Case(i, types.think(options.seed, i)) for i in range(first, min(first + BATCH, options.count))]
            trial.ask(cases)
            for case in cases:
                trial.count("types")
                trial.count("places", len(case.places))
                if differences(case, "gcc", "clang"):
                    trial.count("in which gcc and clang differ")
                wrong = trial.judge(case)
                if not wrong:
                    continue
                failures += 1
                print(f"FAIL --seed {options.seed} --index {case.index}: " + "; ".join(wrong[:3])[:300])
                if failures <= options.most:
                    small = Case(case.index, trial.shrink(case.type, case.index))
                    trial.ask([small])
                    show(trial, small)
        print(", ".join(f"{number} {what}" for what, number in trial.counts.items()), f"{failures} failures", sep=", ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
