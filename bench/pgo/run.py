#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the time and memory of `wperf pgo` with those of llvm-profgen, on the same branch stacks of the same program.

usage: bench/pgo/run.py [--check] [--stacks N] [--rounds N] [--build FOLDER] [PROGRAM]
PROGRAM is an x86-64 ELF file with DWARF; without it, one is made in C with 1,500 functions. A random walk over its machine
code makes the stacks (20,000 with 32 branches each by default). wperf reads them as perf.data, llvm-profgen as the text
that `perf script` would make of that file; the time of `perf script` does not count. Both sides run in turns, and the
medians count. --check fails if a limit is exceeded.
"""
import argparse
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests" / "e2e")]
from recording_bytes import perf_data_with_branches  # noqa: E402
from shared import print_promises, tool  # noqa: E402

DEPTH = 32  # branches of a stack, as on Intel's processors
TIME_SHARE, MEMORY_SHARE = 0.2, 0.5  # shares of llvm-profgen's time and memory
BASE = 0x555555554000
LIBRARY = 0x7FFFF7C00000 - BASE  # code of no known file


def run(*command, **keywords):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **keywords).stdout


def write_program(folder, functions=1500):
    """A program whose functions have loops, switches, inlined functions, and calls of others."""
    chance = random.Random(1)
    text = ["typedef unsigned u;", "volatile u kept[64];",
            "static inline u mix(u x) { x ^= x >> 15; if (x & 8) x *= 0x2c1b3c6du; return x ^ x >> 12; }",
            "static inline u fold(u x, u n) {\n  u sum = 0;\n  for (u i = 0; i < n; ++i) sum += mix(x + i);\n  return sum;\n}"]
    for i in range(functions):
        a, b, c, d = (chance.randrange(3, 60) for _ in range(4))
        callees = [chance.randrange(i) for _ in range(3)] if i else []
        calls = "\n".join(f"  if (mix(sum + {n}) % {d} == {n}) sum += f{one}(sum);" for n, one in enumerate(callees))
        text.append(f"""__attribute__((noinline)) u f{i}(u x) {{
  u sum = fold(x, {a} + (x & 7));
  for (u j = 0; j < {b}; ++j) {{
    if (kept[j & 63] > sum) {{
      sum += mix(j);
    }} else if ((sum & {c}) != 0) {{
      kept[(j + x) & 63] = fold(sum, {a % 5 + 1});
    }}
  }}
{calls}
  return sum;
}}""")
    text.append("int main(void) {\n" + "\n".join(f"  kept[0] += f{i}(kept[1]);" for i in range(functions)) + "\n  return 0;\n}")
    (folder / "program.c").write_text("\n".join(text), encoding="ascii")
    run(tool("clang"), "-O2", "-g", "-fdebug-info-for-profiling", "-Wl,--build-id", "program.c", "-o", "program", cwd=folder)
    return folder / "program"


class Code:
    """The instructions of a program, and a random walk over them."""

    def __init__(self, program):
        self.jumps, self.next, self.functions = {}, {}, []
        before, name = None, ""
        for line in run(tool("llvm-objdump"), "-d", "--no-show-raw-insn", program).splitlines():
            if symbol := re.match(r"[0-9a-f]+ <(.+)>:", line):
                before, name = None, symbol[1]
                continue
            found = re.match(r" *([0-9a-f]+): +\t(\w+)(?:\s+(\S.*))?", line)
            if not found or name.endswith("@plt"):
                continue
            at, word = int(found[1], 16), found[2]
            if before is not None:
                self.next[before] = at
            elif not name.startswith("_"):
                self.functions.append(at)
            before = at
            if word[0] == "j" or word in ("callq", "retq", "call", "ret"):
                target = re.match(r"(?:0x)?([0-9a-f]+)\b", found[3] or "")
                self.jumps[at] = word, int(target[1], 16) if target else None

    def branches(self, count):
        """`count` taken branches (from, to, mispredicted), in the order of time."""
        chance = random.Random(2)
        bias = {}
        hot = chance.sample(self.functions, max(len(self.functions) // 3, 1))
        at, callers, taken = hot[0], [], []
        while len(taken) < count:
            while at not in self.jumps and at in self.next:
                at = self.next[at]
            word, target = self.jumps.get(at, ("hlt", None))
            behind, to = self.next.get(at), target if target in self.next else None
            if word.startswith("call"):
                if behind is not None and (to is None or len(callers) == 20):  # a call into a library, which returns
                    taken += [(at, LIBRARY, False), (LIBRARY, behind, False)]
                    at = behind
                    continue
                callers.append(behind)
            elif word.startswith("ret"):
                to = callers.pop() if callers else None
            elif (word[0] == "j" and word[:3] != "jmp" and behind is not None and
                  chance.random() > bias.setdefault(at, chance.choice((0.05, 0.3, 0.7, 0.9)))):
                at = behind
                continue
            if to is None or chance.random() < 0.002:  # as if another function were called from here
                callers.clear()
                to = hot[int(len(hot) * chance.random() ** 3)]
            taken.append((at, to, chance.random() < 0.02))
            at = to
        return taken[:count]


def write_recordings(program, data, script, stacks):
    """The same stacks as perf.data and as text of `perf script`."""
    moved = [(BASE + one, BASE + to, bad) for one, to, bad in Code(program).branches(stacks * DEPTH)]
    groups = [moved[i:i + DEPTH][::-1] for i in range(0, len(moved), DEPTH)]
    build_id = bytes.fromhex(re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", program))[1])
    data.write_bytes(perf_data_with_branches(program, build_id, BASE, 1 << 28, groups))
    offset, address, size = (int(one, 16) for one in re.search(
        r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ R E", run("readelf", "-lW", program)).groups())
    with script.open("w", encoding="ascii") as out:
        out.write(f"PERF_RECORD_MMAP2 7/7: [0x{BASE + address:x}(0x{size:x}) @ 0x{offset:x} 08:01 1 1]: r-xp {program}\n")
        for group in groups:
            branches = " ".join(f"0x{one:x}/0x{to:x}/{'M' if bad else 'P'}/-/-/1" for one, to, bad in group)
            out.write(f" {group[0][0]:x} {branches}\n")


def measured(measure, *command):
    seconds, kilobytes = run(measure, *command).split()
    return float(seconds), float(kilobytes) / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if a limit is exceeded")
    parser.add_argument("--stacks", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("program", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = options.program.resolve() if options.program else write_program(folder)
        data, script, ours, theirs = (folder / one for one in ("b.data", "b.script", "ours.prof", "theirs.prof"))
        write_recordings(program, data, script, options.stacks)
        measure = folder / "measure"
        run("g++", "-O2", "-std=c++20", "-o", measure, ROOT / "bench" / "perfdata" / "measure.cpp")
        own, peer = [], []
        for _ in range(options.rounds):
            own.append(measured(measure, options.build / "bin" / "wperf", "pgo", data, "--format", "llvm", "-o", ours, "--binary",
                                program))
            peer.append(measured(measure, tool("llvm-profgen"), "--binary", program, "--perfscript", script, "--format", "text",
                                 "-o", theirs))
        said = run(tool("llvm-profdata"), "overlap", "--sample", theirs, ours)
        overlap = min(float(one) for one in re.findall(r"(?:similarity|overlap)\b[^:]*: ([\d.]+)%", said))
    seconds, memory = ([statistics.median(one[i] for one in side) for side in (own, peer)] for i in (0, 1))
    print(f"{options.stacks:,} stacks of {DEPTH} branches, {program.name}, median of {options.rounds}")
    kept = print_promises([
        (f"seconds: wperf {seconds[0]:.2f} / llvm-profgen {seconds[1]:.2f}", seconds[0] / seconds[1], "<=", TIME_SHARE),
        (f"MB of memory: wperf {memory[0]:.0f} / llvm-profgen {memory[1]:.0f}", memory[0] / memory[1], "<=", MEMORY_SHARE),
        ("overlap of the profiles, %", overlap, ">=", 99),
    ])
    return 1 if options.check and not kept else 0


if __name__ == "__main__":
    sys.exit(main())
