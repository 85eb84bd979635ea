#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles every public header alone, twice over and all together, as pedantic C11 and C++17.

Nothing is asked of the user: no feature macro, no GNU mode. Warnings are errors, a few more than we
build ourselves with. The headers must also keep to their own names in the preprocessor.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77
WARNINGS = ["-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wundef", "-Werror"]
C_WARNINGS = ["-Wstrict-prototypes", "-Wmissing-prototypes"]
CXX_WARNINGS = ["-Wsign-conversion"]
MODES = {
    "C11": ("c", ["-std=c11"] + C_WARNINGS),
    "C17": ("c", ["-std=c17"] + C_WARNINGS),
    "C++17": ("c++", ["-std=c++17"] + CXX_WARNINGS),
    "C++20": ("c++", ["-std=c++20"] + CXX_WARNINGS),
}
OUR_MACRO = re.compile(r"^(IST_|ISTI_|ISTHMUS_|isti_)")


def run(command, text):
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False)


def compile_text(compilers, mode, include, name, text):
    language, flags = MODES[mode]
    done = run([compilers[language], *flags, *WARNINGS, "-O2", "-I", include, "-x", language, "-c", "-o", "/dev/null",
                "-"], text)
    if done.returncode == 0:
        return 0
    print(f"FAIL {name} as {mode}")
    print("\n".join(done.stderr.splitlines()[:20]))
    return 1


def macro_names(compiler, include, text):
    done = run([compiler, "-std=c11", "-I", include, "-x", "c", "-dM", "-E", "-"], text)
    done.check_returncode()
    return set(re.findall(r"^#define (\w+)", done.stdout, re.M))


def foreign_macros(compiler, include):
    """Names that our headers define beyond those of the standard headers they include."""
    standard = set()
    for header in pathlib.Path(include, "isthmus").glob("*.h"):
        standard.update(re.findall(r"^\s*#\s*include <(\w+\.h)>", header.read_text(), re.M))
    theirs = macro_names(compiler, include, "".join(f"#include <{name}>\n" for name in standard))
    ours = macro_names(compiler, include, "#include <isthmus/isthmus.h>\n") - theirs
    return sorted(name for name in ours if not OUR_MACRO.match(name)), standard


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--include", required=True)
    options = parser.parse_args()
    compilers = {"c": shutil.which(options.cc), "c++": shutil.which(options.cxx)}
    if None in compilers.values():
        print(f"skipped: no {options.cc} and {options.cxx} here")
        return SKIP

    headers = sorted(path.name for path in pathlib.Path(options.include, "isthmus").glob("*.h"))
    if len(headers) < 2:
        print(f"FAIL no headers in {options.include}")
        return 1
    texts = {name: f"#include <isthmus/{name}>\n" * 2 for name in headers}
    texts["all, last to first"] = "".join(f"#include <isthmus/{name}>\n" for name in reversed(headers))
    failures = sum(compile_text(compilers, mode, options.include, name, text)
                   for name, text in texts.items() for mode in MODES)

    included = set(re.findall(r"<isthmus/(\w+\.h)>",
                              run([compilers["c"], "-I", options.include, "-x", "c", "-E", "-dI", "-"],
                                  "#include <isthmus/isthmus.h>\n").stdout)) | {"isthmus.h", "gc.h", "host.h"} # For those who ask for them.
    for name in headers:
        if name not in included:
            print(f"FAIL isthmus.h does not include {name}")
            failures += 1

    names, standard = foreign_macros(compilers["c"], options.include)
    for name in names:
        print(f"FAIL the headers define the macro {name}")
        failures += 1
    allowed = {"stddef.h", "stdint.h", "stdbool.h", "limits.h", "string.h", "stdlib.h"}
    for name in sorted(standard - allowed):
        print(f"FAIL the headers include <{name}>, which is no freestanding or basic C11 header")
        failures += 1

    print(f"{len(texts)} texts in {len(MODES)} languages with {options.cc}: {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
