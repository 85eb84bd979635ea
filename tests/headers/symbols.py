#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the built libraries show to a linker, against what the headers say.

Every public inline is also a symbol; every symbol is declared to somebody, has our prefix and the version
of the release; the static library keeps to the prefix as well; the shared one needs nothing but the C library, stays
loaded, and takes no more static thread-local storage than any late dlopen() can have.
"""
import argparse
import pathlib
import re
import subprocess
import sys

STATIC_TLS_LIMIT = 64
TYPES_IN_FOUR_FORMS = ["i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"]
FORMS = ["", "_unaligned", "_le", "_be"]
# As the table in access.h has it: the list of the inlines does not come from the macro that makes them.
ACCESSOR_SUFFIXES = (["i8", "u8", "address", "address_unaligned"] +
                     [name + form for name in TYPES_IN_FOUR_FORMS for form in FORMS])
ACCESSORS = {f"ist_{verb}_{suffix}" for verb in ("get", "set", "read", "write") for suffix in ACCESSOR_SUFFIXES}
# As the comments of path_access.h and atomic.h have them.
INTEGERS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
WORDS = INTEGERS + ["f32", "f64", "address"]
ACCESSORS |= {f"ist_path_{verb}_{suffix}" for verb in ("get", "set") for suffix in WORDS + ["bool"]}
ATOMICS = {f"ist_{path}atomic_{verb}_{suffix}" for path in ("", "path_")
           for verbs, suffixes in ((("load", "store", "exchange", "compare_exchange"), WORDS),
                                   (("fetch_add",), INTEGERS + ["f32", "f64"]),
                                   (("fetch_and", "fetch_or", "fetch_xor"), INTEGERS))
           for verb in verbs for suffix in suffixes}


def output_of(*command, text=None):
    return subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout


class Checks:
    def __init__(self):
        self.failures = 0
        self.count = 0

    def none(self, wrong, what):
        self.count += 1
        for item in sorted(wrong):
            print(f"FAIL {what}: {item}")
        self.failures += bool(wrong)

    def that(self, good, what):
        self.none([] if good else [what], "not so")


def preprocessed(options):
    text = output_of(options.cc, "-I", options.include, "-E", "-P", "-x", "c", "-", text="#include <isthmus/isthmus.h>\n#include <isthmus/host.h>\n")
    return re.sub(r"\s+", " ", text)


def inline_functions(text):
    """Names that IST_INLINE introduces: the last word before the first parenthesis after its attributes."""
    pattern = r"static inline __attribute__\(\(always_inline, unused\)\) [^(){};]*?\b(\w+)\s*\("
    return set(re.findall(pattern, text))


def exported(options):
    """Pairs of name and version of the defined dynamic symbols."""
    pairs = []
    for line in output_of(options.nm, "-D", "--defined-only", "--with-symbol-versions", options.shared).splitlines():
        fields = line.split()
        kind, (name, _, version) = fields[-2], fields[-1].partition("@")
        if not (kind == "A" and name == options.node):
            pairs.append((name, version.lstrip("@")))
    return pairs


def archive_names(options):
    lines = output_of(options.nm, "-g", "--defined-only", options.static).splitlines()
    return {line.split()[-1] for line in lines if re.match(r"^[0-9a-f]+ \w ", line)}


def check_headers(checks, options, names):
    text = preprocessed(options)
    inlines = {name for name in inline_functions(text) if name.startswith("ist_")}
    checks.that(len(inlines) > len(ACCESSORS), "the inlines were found in the headers")
    checks.none(ACCESSORS - inlines, "access.h promises an accessor that is no inline")
    checks.none(ATOMICS - names, "atomic.h promises a function that is no exported symbol")
    checks.none(inlines - names, "a public inline is not an exported symbol")
    words = set(re.findall(r"\w+", text))
    checks.none(names - words, "an exported symbol is not declared in any header")
    listed = set(re.findall(r"\w+", pathlib.Path(options.bindings).read_text()))
    if_pattern = {re.sub(r"(?<=_)(?:%s)$" % "|".join(ACCESSOR_SUFFIXES + ["bool"]), "T", name): name for name in ACCESSORS}
    checks.none({name for name in inlines - ACCESSORS if name not in listed},
                f"{pathlib.Path(options.bindings).name} does not list the symbol of an inline")
    checks.none({pattern for pattern, name in if_pattern.items() if pattern not in listed and name not in listed},
                f"{pathlib.Path(options.bindings).name} does not list accessors")
    stale = {word for word in listed if re.match(r"^ist_[a-z]\w*[a-z0-9]$", word)} - words - set(if_pattern)
    checks.none(stale, f"{pathlib.Path(options.bindings).name} names what no header declares")


def check_shared(checks, options, pairs):
    names = {name for name, _ in pairs}
    checks.that(len(names) > 100, "there are exported symbols")
    checks.none({name for name in names if not re.match(r"^isti?_", name)}, "an exported symbol lacks our prefix")
    checks.none({name for name, version in pairs if version != options.node},
                f"an exported symbol lacks the version {options.node}")
    dynamic = output_of(options.readelf, "-dW", options.shared)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    checks.none({name for name in needed if not re.match(r"^(libc\.so|ld-linux)", name)}, "the library needs")
    checks.that(re.search(r"\(SONAME\).*\[libisthmus\.so\.\d+\]", dynamic), "the soname is versioned")
    checks.that("NODELETE" in dynamic, "the library stays loaded (-z nodelete)")
    segments = output_of(options.readelf, "-lW", options.shared)
    sizes = [int(line.split()[5], 16) for line in segments.splitlines() if line.split()[:1] == ["TLS"]]
    checks.that(len(sizes) == 1, "there is one TLS segment")
    checks.none([f"{size} bytes" for size in sizes if size > STATIC_TLS_LIMIT],
                f"static TLS of more than {STATIC_TLS_LIMIT} bytes")
    checks.that("RWE" not in segments, "no segment is writable and executable")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("cc", "nm", "readelf", "include", "bindings", "node", "shared", "static"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    checks = Checks()
    pairs = exported(options)
    names = {name for name, _ in pairs}
    check_shared(checks, options, pairs)
    check_headers(checks, options, names)
    archive = archive_names(options)
    checks.that(names <= archive, "the static library defines what the shared one exports")
    checks.none({name for name in archive if not re.match(r"^isti?_", name)}, "a global name of the archive lacks our prefix")
    print(f"{len(names)} exported symbols, {checks.count} checks, {checks.failures} failed")
    return checks.failures != 0


if __name__ == "__main__":
    sys.exit(main())
