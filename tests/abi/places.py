#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the plans of random functions to a compiler: places.py <abi_places> <seed> <count> <compiler>...

One compiler is a command; which types it has, and which instructions the processor, is found out here. What the cases
are is said in places.c. Exit 77: no compiler for this processor."""
import concurrent.futures, os, shlex, subprocess, sys, tempfile

BATCH = 250
PROCESSOR = {"zmm": ("avx512f", "-mavx512f"), "ymm": ("avx", "-mavx")}


def flags_of_processor():
    with open("/proc/cpuinfo") as lines:
        words = next((line.split() for line in lines if line.startswith("flags")), [])
    return [(name, option) for name, (flag, option) in PROCESSOR.items() if flag in words][:1]


def accepts(compiler, text):
    command = compiler + ["-fsyntax-only", "-w", "-x", "c", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True).returncode == 0


def features_of(compiler):
    names = [name for name, _ in flags_of_processor()]
    names += ["half"] if accepts(compiler, "_Float16 x;") else []
    names += ["bfloat"] if accepts(compiler, "__bf16 f(__bf16 x) { return x; }") else []
    names += ["gcc"] if not accepts(compiler, "#ifndef __clang__\n#error\n#endif\n") else []
    return names


def run_batch(program, compiler, options, features, seed, count, folder):
    """What is wrong, or nothing."""
    name = os.path.join(folder, f"{seed}")
    case = [str(seed), str(count), ",".join(features) or "-"]
    with open(name + ".c", "w") as text:
        subprocess.run([program, "text", *case], stdout=text, check=True)
    command = [*compiler, *options, "-O1", "-w", "-shared", "-fPIC", "-o", name + ".so", name + ".c"]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode != 0:
        return f"{' '.join(command)}\n{built.stderr[:1000]}"
    checked = subprocess.run([program, "check", *case, name + ".so"], capture_output=True, text=True)
    os.remove(name + ".so")
    if checked.returncode != 0:
        return f"{program} {' '.join(case)}, {' '.join(compiler)}\n{checked.stderr}"
    os.remove(name + ".c")
    return None


def main():
    program, seed, count = sys.argv[1], int(sys.argv[2], 0), int(sys.argv[3])
    compilers = [shlex.split(argument) for argument in sys.argv[4:]]
    options = [option for _, option in flags_of_processor()]
    print(f"seed {seed}", flush=True)
    failures = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for compiler in compilers:
            features = features_of(compiler)
            batches = [pool.submit(run_batch, program, compiler, options, features, seed + first, min(BATCH, count - first),
                                   folder) for first in range(0, count, BATCH)]
            wrong = [batch.result() for batch in batches if batch.result() is not None]
            print(f"{' '.join(compiler)} ({','.join(features)}): {count} functions, {len(wrong)} batches wrong")
            failures += wrong
    for failure in failures[:3]:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
