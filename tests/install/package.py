#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs the built tree into an empty prefix and uses it from outside, as a stranger would.

Checked are the list of installed files, programs built with pkg-config and with CMake against the
shared and the static library, that the tree can be moved, and that a program that was compiled for another ABI
does not start.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
HERE = pathlib.Path(__file__).resolve().parent
CONSUMER = HERE / "consumer"


class Failure(Exception):
    pass


def run(*command, env=None, cwd=None, check=True):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False, cwd=cwd,
                          env={**os.environ, **(env or {})}, timeout=300)
    if check and done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def expect(condition, what):
    if not condition:
        raise Failure(what)


class Package:
    def __init__(self, options, scratch):
        self.options = options
        self.scratch = scratch
        self.prefix = scratch / "usr"
        run(options.cmake, "--install", options.build, "--prefix", self.prefix)
        self.libdir = next(self.prefix.glob("**/libisthmus.so")).parent
        self.sentence = (f"{options.version} IST_E_CLOSED: read of 8 bytes at offset 8 of a segment of 80 bytes "
                         "whose confined arena is closed\n")

    def pkg_config(self, *arguments):
        return run("pkg-config", *arguments, "isthmus",
                   env={"PKG_CONFIG_PATH": str(self.libdir / "pkgconfig")}).stdout.split()

    def run_consumer(self, program):
        # Whether the program finds its library is the builder's business, not the environment's.
        done = run(program, env={"LD_LIBRARY_PATH": ""})
        expect(done.stdout == self.sentence, f"{program} printed {done.stdout!r} instead of {self.sentence!r}")

    def needs_shared(self, program):
        return "libisthmus.so.0" in run("readelf", "-dW", program).stdout


def test_files(package):
    """Nothing is missing, and nothing of the project's insides is installed."""
    headers = {"include/isthmus/" + path.name
               for path in (pathlib.Path(package.options.source) / "include/isthmus").glob("*.h")}
    lib = package.libdir.relative_to(package.prefix).as_posix()
    version = package.options.version
    wanted = headers | {f"{lib}/{name}" for name in (
        "libisthmus.a", "libisthmus.so", "libisthmus.so.0", f"libisthmus.so.{version}", "pkgconfig/isthmus.pc",
        "cmake/isthmus/isthmus-config.cmake", "cmake/isthmus/isthmus-config-version.cmake",
        "cmake/isthmus/isthmus-targets.cmake")}
    if package.options.gc:
        wanted |= {f"{lib}/{name}" for name in ("libisthmus-gc.so", "libisthmus-gc.so.0", f"libisthmus-gc.so.{version}",
                                                "pkgconfig/isthmus-gc.pc")}
    found = {path.relative_to(package.prefix).as_posix() for path in package.prefix.rglob("*") if not path.is_dir()}
    per_configuration = {name for name in found
                         if re.match(rf"^{lib}/cmake/isthmus/isthmus-targets-\w+\.cmake$", name)}
    expect(len(per_configuration) == 1, f"CMake files of one configuration, not {per_configuration}")
    if package.options.command:
        wanted |= {"bin/isthmus", "libexec/isthmus/targets.json"}
        peers = {name for name in found if re.match(r"^libexec/isthmus/isthmus-peer-\w+$", name)}
        expect({f"libexec/isthmus/isthmus-peer-{name}" for name in ("isthmus", "limit", "glibc")} <= peers,
               f"the peers that need no other library, not only {sorted(peers)}")
        wanted |= peers
    wanted |= per_configuration
    expect(found == wanted, f"missing {sorted(wanted - found)}, not wanted {sorted(found - wanted)}")
    for name in found:
        text = (package.prefix / name).read_bytes()
        if name.endswith((".pc", ".cmake", ".h")):
            expect(package.options.build.encode() not in text and package.options.source.encode() not in text,
                   f"{name} speaks of the build tree")


def test_run_paths(package):
    """What is installed looks for nothing in the build tree."""
    for path in [package.libdir / "libisthmus.so", *package.prefix.glob("bin/*"), *package.prefix.glob("libexec/*/*")]:
        dynamic = run("readelf", "-dW", path).stdout if path.suffix != ".json" else ""
        expect(package.options.build not in dynamic, f"{path} has a run path into the build tree")


def test_command(package):
    """The installed command finds the installed workers, and these the installed library."""
    if not package.options.command:
        return
    clean = {"LD_LIBRARY_PATH": ""}
    expect(package.options.version in run(package.prefix / "bin/isthmus", "--version", env=clean).stdout,
           "isthmus --version prints the version")
    listed = run(package.prefix / "bin/isthmus", "bench", "--list", env=clean).stdout
    expect("AllocTest" in listed, f"isthmus bench --list lists AllocTest, not {listed!r}")
    for worker in package.prefix.glob("libexec/isthmus/isthmus-peer-*"):
        libraries = run("ldd", worker, env=clean).stdout
        ours = re.findall(r"libisthmus\S* => (.*) \(", libraries)
        expect(all(pathlib.Path(path).resolve().is_relative_to(package.prefix) for path in ours),
               f"{worker.name} takes {ours}")
        expect(bool(ours) == (worker.name in ("isthmus-peer-isthmus", "isthmus-peer-gc")), f"{worker.name} is linked to its own subject only")
    shortest = ["--quick", "--forks=1", "--warmups=1", "--iterations=1", "--time=5", "--peers=none"]
    measured = run(package.prefix / "bin/isthmus", "bench", *shortest, "AllocTest.alloc_none", env=clean).stdout
    expect("alloc_none" in measured and "ns/op" in measured, f"isthmus bench measures, not {measured!r}")


def pkg_config_build(package, source, static):
    options = package.options
    compiler = options.cxx if source.endswith(".cpp") else options.cc
    program = package.scratch / f"pc-{source}-{'static' if static else 'shared'}"
    flags = package.pkg_config("--cflags")
    if static:
        libs = [("-l:libisthmus.a" if word == "-listhmus" else word) for word in package.pkg_config("--static", "--libs")]
    else:
        libs = package.pkg_config("--libs") + [f"-Wl,-rpath,{package.libdir}"]
    threads = ["-pthread"] if source.endswith(".cpp") else []
    run(compiler, "-O2", "-Wall", "-Wextra", "-Werror", *flags, CONSUMER / source, *threads, *libs, "-o", program)
    expect(package.needs_shared(program) != static, f"{program} is linked to the library it asked for")
    return program


def test_pkg_config(package):
    """C and C++, shared and static."""
    expect(package.pkg_config("--modversion") == [package.options.version], "pkg-config tells the version")
    for source in ("consumer.c", "consumer.cpp"):
        for static in (False, True):
            package.run_consumer(pkg_config_build(package, source, static))


def test_collected(package):
    """libisthmus-gc: found by pkg-config; a program without it does not need libgc."""
    if not package.options.gc:
        return
    environment = {"PKG_CONFIG_PATH": str(package.libdir / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "isthmus-gc", env=environment).stdout.split()
    program = package.scratch / "collected"
    run(package.options.cc, "-O2", "-Wall", "-Wextra", "-Werror", CONSUMER / "collected.c", *flags,
        f"-Wl,-rpath,{package.libdir}", "-o", program)
    printed = run(program, env={"LD_LIBRARY_PATH": ""}).stdout
    expect(printed == "collected\n", f"{program} printed {printed!r}")
    needed = run("readelf", "-dW", package.libdir / "libisthmus.so").stdout
    expect("libgc" not in needed, "libisthmus needs no libgc")


def configure_consumer(package, build, version, check=True):
    options = package.options
    return run(options.cmake, "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={package.prefix}",
               f"-DCMAKE_C_COMPILER={options.cc}", f"-DCMAKE_CXX_COMPILER={options.cxx}",
               "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", f"-DWANTED_VERSION={version}", check=check)


def test_cmake(package):
    """find_package(), and the targets isthmus::isthmus and isthmus::static."""
    build = package.scratch / "cmake"
    configure_consumer(package, build, package.options.version)
    run(package.options.cmake, "--build", build)
    for name in ("c_shared", "c_static", "cxx_shared", "cxx_static"):
        expect(package.needs_shared(build / name) == name.endswith("shared"), f"{name} is linked to what it asked for")
        package.run_consumer(build / name)


def test_cmake_version(package):
    """A version that this one does not serve is refused."""
    major, minor = package.options.version.split(".")[:2]
    refused = configure_consumer(package, package.scratch / "cmake-newer", f"{major}.{int(minor) + 1}", check=False)
    expect(refused.returncode != 0 and "version" in refused.stderr, "find_package() of a newer version fails")


def test_moved(package):
    """The installed tree works from another place: nothing in it names the first one."""
    moved = package.scratch / "moved"
    shutil.move(package.prefix, moved)
    try:
        elsewhere = Package.__new__(Package)
        elsewhere.__dict__.update(package.__dict__)
        elsewhere.prefix, elsewhere.libdir = moved, moved / package.libdir.relative_to(package.prefix)
        package.run_consumer(pkg_config_build(elsewhere, "consumer.c", False))
        configure_consumer(elsewhere, package.scratch / "cmake-moved", package.options.version)
    finally:
        shutil.move(moved, package.prefix)


def test_other_abi(package):
    """A program compiled for another layout of the records does not link, and where it was linked does not start."""
    headers = package.scratch / "other-abi"
    shutil.copytree(package.prefix / "include", headers)
    abi = headers / "isthmus/abi.h"
    text, count = re.subn(r"(#define ISTI_ABI) (\d+)", lambda m: f"{m[1]} {int(m[2]) + 1}", abi.read_text())
    expect(count == 1, "abi.h defines ISTI_ABI once")
    abi.write_text(text)
    symbol = "isti_self_abi" + re.search(r"#define ISTI_ABI (\d+)", text)[1]
    program, libs = package.scratch / "other-abi-program", package.pkg_config("--libs")
    command = [package.options.cc, "-O2", "-I", headers, CONSUMER / "consumer.c", *libs, f"-Wl,-rpath,{package.libdir}",
               "-o", program]
    linked = run(*command, check=False)
    expect(linked.returncode != 0 and symbol in linked.stderr, f"linking fails and names {symbol}")
    # A stub that has the other layout's word at link time; at run time there is only the real library. Bound as late as
    # can be: it must not depend on what the user's linker was told.
    stubs = package.scratch / "stubs"
    stubs.mkdir()
    (stubs / "stub.c").write_text(f"__thread long {symbol}[8];\n")
    run(package.options.cc, "-shared", "-fPIC", "-Wl,-soname,libisthmus.so.0", stubs / "stub.c", "-o",
        stubs / "libstub.so")
    run(package.options.cc, "-O2", "-I", headers, CONSUMER / "consumer.c", stubs / "libstub.so",
        "-Wl,--unresolved-symbols=ignore-all", "-Wl,-z,lazy", f"-Wl,-rpath,{package.libdir}", "-o", program)
    started = run(program, check=False)
    expect(started.returncode != 0 and started.stdout == "" and symbol in started.stderr,
           f"starting fails and names {symbol}, not {started.returncode} {started.stdout!r} {started.stderr!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("cmake", "build", "source", "cc", "cxx", "version"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--gc", action="store_true", help="libisthmus-gc was built")
    parser.add_argument("--command", action="store_true", help="the command and its workers were built")
    options = parser.parse_args()
    if shutil.which("pkg-config") is None:
        print("skipped: no pkg-config here")
        return SKIP
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        package = Package(options, pathlib.Path(scratch).resolve())
        for test in tests:
            try:
                test(package)
                print(f"ok   {test.__name__[5:]}: {test.__doc__}")
            except (Failure, OSError) as problem:
                failures += 1
                print(f"FAIL {test.__name__[5:]}: {problem}")
    print(f"{len(tests)} tests, {failures} failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
