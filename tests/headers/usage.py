#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the usage program as C11 and C++17, without optimisation against the shared library and with link-time
optimisation against the static one, with warnings as errors, and runs each."""
import argparse
import itertools
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
HERE = pathlib.Path(__file__).resolve().parent
SOURCES = [str(HERE / "usage.c"), str(HERE / "usage_elsewhere.c")]
WARNINGS = ["-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wundef", "-Werror"]
WAYS = [("-O0", "shared"), ("-O3 -flto", "static")]
LANGUAGES = {"C11": ["-x", "c", "-std=c11"], "C++17": ["-x", "c++", "-std=c++17"]}


def shortened(text, lines=20):
    return "\n".join(text.splitlines()[:lines])


def build_and_run(command, program):
    built = subprocess.run(command, text=True, capture_output=True, check=False)
    if built.returncode != 0:
        return shortened(built.stderr)
    ran = subprocess.run([program], text=True, capture_output=True, check=False, timeout=60)
    return None if ran.returncode == 0 else f"exit status {ran.returncode}\n{shortened(ran.stderr)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("cc", "cxx", "include", "shared", "static"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    if shutil.which(options.cc) is None or shutil.which(options.cxx) is None:
        print(f"skipped: no {options.cc} and {options.cxx} here")
        return SKIP
    shared = pathlib.Path(options.shared)
    libraries = {"shared": [str(shared), f"-Wl,-rpath,{shared.parent}"], "static": [options.static, "-pthread"]}

    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        program = str(pathlib.Path(scratch, "usage"))
        for language, (level, library) in itertools.product(LANGUAGES, WAYS):
            compiler = options.cc if language == "C11" else options.cxx
            command = [compiler, *LANGUAGES[language], *level.split(), *WARNINGS, "-I", options.include, *SOURCES,
                       "-x", "none", *libraries[library], "-o", program]
            problem = build_and_run(command, program)
            if problem is not None:
                failures += 1
                print(f"FAIL {language} {level} {library}: {' '.join(command)}\n{problem}")
    print(f"{options.cc}: {failures} of {len(LANGUAGES) * len(WAYS)} programs failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
