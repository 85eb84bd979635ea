#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Headers of the system, preprocessed by a compiler and read whole: what Isthmus makes of all that they declare against what
that compiler does.

Every struct, union, enumeration, typedef and variable is compared in size and alignment, every member in its place and size,
every enumerator in its value. The compiler is asked through the same preprocessed text, so that no macro comes in between.
A header that is not installed here is named and skipped; none at all is a failure.
"""
import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77

# What is included; several in one line belong together. Behind each: what must be found in it.
HEADERS = {
    "sys/stat.h": ["struct stat"], "sys/statfs.h": ["struct statfs"], "dirent.h": ["struct dirent"],
    "netinet/in.h": ["struct sockaddr_in6", "struct ip_mreqn"], "sys/socket.h": ["struct msghdr", "struct cmsghdr"],
    "netdb.h": ["struct addrinfo"], "sys/un.h": ["struct sockaddr_un"],
    "netinet/ip.h": ["struct iphdr", "struct ip"], "netinet/tcp.h": ["struct tcphdr", "struct tcp_info"],
    "linux/if_ether.h": ["struct ethhdr"], "netinet/ip6.h": ["struct ip6_hdr"],
    "time.h": ["struct tm", "struct timespec"], "signal.h": ["struct sigaction", "siginfo_t", "stack_t"],
    "ucontext.h": ["ucontext_t"], "pthread.h": ["pthread_mutex_t", "pthread_attr_t"], "threads.h": ["mtx_t"],
    "semaphore.h": ["sem_t"], "sys/epoll.h": ["struct epoll_event"], "poll.h": ["struct pollfd"],
    "sys/select.h": ["fd_set"], "linux/input.h": ["struct input_event", "struct ff_effect"],
    "termios.h": ["struct termios"], "sys/ioctl.h": ["struct winsize"], "utmpx.h": ["struct utmpx"],
    "elf.h": ["Elf64_Ehdr", "Elf64_Phdr", "Elf64_Shdr", "Elf64_Sym", "Elf32_Dyn"], "link.h": ["struct link_map"],
    "stdio.h": ["struct _IO_FILE", "FILE", "fpos_t"], "stdlib.h": ["div_t", "lldiv_t"], "stddef.h": ["max_align_t"],
    "stdint.h": ["uint64_t"], "inttypes.h": ["imaxdiv_t"], "locale.h": ["struct lconv"], "wchar.h": ["mbstate_t"],
    "setjmp.h": ["jmp_buf"], "fenv.h": ["fenv_t"], "math.h": [], "complex.h": [], "string.h": [], "unistd.h": [],
    "fcntl.h": ["struct flock"], "sched.h": ["cpu_set_t"], "spawn.h": ["posix_spawnattr_t"], "glob.h": ["glob_t"],
    "regex.h": ["regex_t"], "pwd.h": ["struct passwd"], "sys/resource.h": ["struct rusage"], "aio.h": ["struct aiocb"],
    "sys/sysinfo.h": ["struct sysinfo"], "sys/uio.h": ["struct iovec"], "sys/mman.h": [], "sys/time.h": ["struct timeval"],
    "sys/user.h": ["struct user_regs_struct"], "sys/procfs.h": ["struct elf_prstatus"], "sys/ptrace.h": [],
    "sys/inotify.h": ["struct inotify_event"], "sys/signalfd.h": ["struct signalfd_siginfo"], "mqueue.h": ["struct mq_attr"],
    "linux/perf_event.h": ["struct perf_event_attr", "struct perf_event_mmap_page"], "linux/io_uring.h": ["struct io_uring_sqe"],
    "linux/bpf.h": ["union bpf_attr"], "linux/fuse.h": ["struct fuse_attr"], "linux/videodev2.h": ["struct v4l2_format"],
    "linux/ethtool.h": ["struct ethtool_rx_flow_spec"], "linux/kvm.h": ["struct kvm_run"], "linux/netlink.h": ["struct nlmsghdr"],
    "linux/userfaultfd.h": ["struct uffd_msg"], "linux/fs.h": [], "linux/aio_abi.h": ["struct iocb"],
    "sound/asound.h": ["struct snd_pcm_sw_params"], "drm/drm.h": ["struct drm_version"],
    "sys/stat.h signal.h netinet/in.h stdio.h pthread.h": ["struct stat", "FILE"],
}

TAIL = r"""
static void tell_bits(const void *object, unsigned long size)
{
    const unsigned char *bytes = object;
    long first = -1, count = 0;
    for (unsigned long i = 0; i < 8 * size; i++)
        if (bytes[i / 8] >> i % 8 & 1) {
            count++;
            if (first < 0)
                first = (long)i;
        }
    __builtin_printf("%ld\n%ld\n", first, count);
}
static void tell_values(const unsigned long *list, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        __builtin_printf("%lu\n", list[i]);
}
"""


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, errors="replace", **more)


class Declared:
    """A line of declarations: what Isthmus says about it, and what has to be asked to check that."""

    def __init__(self, kind, name):
        self.kind, self.name, self.numbers, self.members, self.value = kind, name, None, [], None

    def constants(self):
        """(C expression, what Isthmus says)"""
        if self.kind == "constant":
            return [(f"(unsigned long){self.name}", self.value % 2**64)]
        if self.numbers is None or self.kind == "function":
            return []
        of = f"__typeof__({self.name})" if self.kind == "variable" else self.name
        # A vector's _Alignof is not the alignment of a member; an array's parts are those of its type.
        said = [(f"sizeof({self.name})", self.numbers[0]), (f"__alignof__({of})", self.numbers[1])]
        if self.kind == "variable":
            return said[:1]
        for path, first, bits, size in self.members:
            if bits == 0 and not path.startswith("["):
                said.append((f"__builtin_offsetof({self.name}, {path}) * 8", first))
                if size is not None:
                    said.append((f"sizeof((({self.name} *)0)->{path})", size))
        return said

    def tried(self):
        return [(path, first, bits) for path, first, bits, _ in self.members
                if bits and self.kind != "variable" and not path.startswith("[")]


def read_told(lines):
    declared = []
    for line in lines:
        words = line.split()
        if words[0] == "=":
            kind, name = words[1], " ".join(words[2:])
            if kind == "constant":
                name, value = words[2], int(words[3])
            declared.append(Declared(kind, name))
            if kind == "constant":
                declared[-1].value = value
        elif declared[-1].numbers is None:
            declared[-1].numbers = (int(words[0]), int(words[1]))
        else:
            path, first, bits, size = words
            declared[-1].members.append((path, int(first), int(bits), None if size == "-" else int(size)))
    return declared


def ask_compiler(command, text, declared, scratch, name):
    """The numbers that the compiler has for each constant and each bit-field, in order."""
    constants = [pair[0] for d in declared for pair in d.constants()]
    tries = [(d.name, path) for d in declared for path, _, _ in d.tried()]
    body = "".join(f"    {{ {type_} object; __builtin_memset(&object, 0, sizeof object); object.{path} = -1;"
                   f" tell_bits(&object, sizeof object); }}\n" for type_, path in tries)
    source, program = scratch / f"{name}.c", scratch / name
    values = ",\n    ".join(constants or ["0"])
    source.write_text(f"{text}\n{TAIL}\nstatic const unsigned long told[] = {{\n    {values} }};\nint main(void)\n{{\n"
                      f"    tell_values(told, sizeof told / sizeof told[0]);\n{body}    return 0;\n}}\n")
    built = run([command, "-std=gnu11", "-w", "-O0", "-o", str(program), str(source)])
    if built.returncode != 0:
        raise RuntimeError("\n".join(built.stderr.splitlines()[:12]))
    numbers = [int(word) for word in run([str(program)]).stdout.split()]
    return numbers[:len(constants)], numbers[max(len(constants), 1):]


def wrong_in(declared, constants, bits):
    wrong = []
    constants, bits = iter(constants), iter(bits)
    for d in declared:
        for expression, said in d.constants():
            got = next(constants)
            if got != said:
                wrong.append(f"{expression} is {got}, Isthmus says {said}")
    for d in declared:
        for path, first, count in d.tried():
            got = (next(bits), next(bits))
            if got != (first, count):
                wrong.append(f"{d.name}, {path}: bits {got}, Isthmus says {(first, count)}")
    return wrong


def check(tell, command, header, scratch):
    """(what became of it, lines): of one header and one compiler."""
    includes = "".join(f"#include <{name}>\n" for name in header.split())
    text = run([command, "-E", "-std=gnu11", "-D_GNU_SOURCE", "-x", "c", "-"], input=includes)
    if text.returncode != 0:
        return "missing", text.stderr.splitlines()[:1]
    told = run([tell], input=f"h {len(text.stdout.encode())}\n{text.stdout}")
    lines = told.stdout.splitlines()
    if told.returncode != 0 or not lines or lines[-1] != ".":
        return "failed", [f"{tell} ends with {told.returncode}: {told.stderr[-300:]}"]
    if lines[0].startswith("!"):
        return "failed", [lines[0]]
    declared = read_told(lines[:-1])
    names = {d.name for d in declared if d.numbers is not None}
    wrong = [f"no {name} was found" for name in HEADERS[header] if name not in names]
    try:
        name = re.sub(r"\W", "_", f"{command}_{header}")
        wrong += wrong_in(declared, *ask_compiler(command, text.stdout, declared, scratch, name))
    except RuntimeError as problem:
        wrong.append(str(problem))
    counts = [len(declared), sum(len(d.members) for d in declared)]
    return ("failed", wrong) if wrong else ("passed", counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tell", required=True, help="the program tell.c")
    parser.add_argument("--cc", required=True)
    parser.add_argument("headers", nargs="*", default=[], help="only these")
    options = parser.parse_args()
    if shutil.which(options.cc) is None:
        print(f"skipped: no {options.cc} here")
        return SKIP
    passed = failed = declarations = members = 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        chosen = options.headers or HEADERS
        results = pool.map(lambda header: check(options.tell, options.cc, header, pathlib.Path(scratch)), chosen)
        for header, (outcome, lines) in zip(chosen, results):
            if outcome == "passed":
                passed += 1
                declarations += lines[0]
                members += lines[1]
            elif outcome == "missing":
                print(f"<{header}>: not here")
            else:
                failed += 1
                print(f"FAIL <{header}>: " + "\n    ".join(lines[:8]))
    print(f"{options.cc}: {passed} headers with {declarations} declarations and {members} members, {failed} failures")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
