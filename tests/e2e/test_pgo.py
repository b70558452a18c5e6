#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf pgo`: profiles made from recordings, read by the tools for which they are made (llvm-profgen, clang and BOLT),
and .spt files by a reader written from Microsoft's description."""
import collections
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

from recording_bytes import perf_data_with_branches
from support import SHARED, WperfTest, workload

CLANG = shutil.which("clang-19")
PROFGEN = shutil.which("llvm-profgen-19")
PROFDATA = shutil.which("llvm-profdata-19")
OBJDUMP = shutil.which("llvm-objdump-19")
LINKER = shutil.which("lld-link-19")
LLD = shutil.which("ld.lld-19")
BOLT = shutil.which("llvm-bolt-19")
PERF2BOLT = shutil.which("perf2bolt-19")

# Two hot functions whose order is known, and one that is inlined. The switch has a rare case.
PROGRAM = """
#ifndef ENTRY
#include <stdio.h>
#include <stdlib.h>
#endif
static unsigned mix(unsigned x)
{
  if (x & 64) x ^= 7;
  return x * 2654435761u;
}
__attribute__((noinline)) static int classify(unsigned x) {
  if (x % 1000 == 0) return 3;
  if (x & 1) return 1;
  return 2;
}
__attribute__((noinline)) unsigned long work(unsigned n, unsigned seed) {
  unsigned long sum = 0;
  for (unsigned i = 0; i < n; ++i) {
    switch (classify(mix(i ^ seed))) {
      case 1: sum += i; break;
      case 2: sum ^= i; break;
      default: sum *= 3;
    }
  }
  return sum;
}
#ifdef ENTRY
volatile unsigned long kept;
int ENTRY(void) {
  for (int i = 0; i < 60; ++i) kept += work(2000, (unsigned)kept);
  return 0;
}
#else
int main(int count, char** words) {
  unsigned long total = 0;
  for (int i = 0; i < (count > 1 ? atoi(words[1]) : 100); ++i) total += work(1000000, (unsigned)total);
  printf("%lu\\n", total);
  return 0;
}
#endif
"""


# Most time is spent in a lambda, inlined into a function template that is instantiated for its type.
LAMBDAS = """
#include <cstdio>
template <class Step> static inline unsigned churn(Step step, unsigned n) {
  unsigned sum = 1;
  for (unsigned i = 0; i < n; ++i) sum = step(sum) + i;
  return sum;
}
int main() {
  auto step = [](unsigned x) { return (x ^ x >> 3) * 2654435761u % 1000003u; };
  std::printf("%u\\n", churn(step, 60000000));
}
"""

# A function whose cold code is in another section, and a coroutine that the compiler splits at its suspensions.
PARTS = """
#include <coroutine>
#include <cstdio>
#include <exception>
struct Numbers {
  struct promise_type {
    unsigned value;
    Numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(unsigned x) { value = x; return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};
__attribute__((noinline)) Numbers numbers(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (i % 3 == 0) co_yield i * 7;
    else co_yield i ^ 5;
  }
}
__attribute__((noinline)) unsigned split(unsigned x) {
  if (__builtin_expect(x % 4 == 3, 0)) {
    unsigned sum = x;
    for (int i = 0; i < 12; ++i) sum = (sum * 1664525u + 1013904223u) ^ sum >> 7;
    return sum ^ 1;
  }
  return x + 1;
}
int main() {
  unsigned sum = 1;
  for (unsigned i = 0; i < 20000000; ++i) sum += split(i);
  Numbers all = numbers(20000000);
  for (all.handle.resume(); !all.handle.done(); all.handle.resume()) sum += all.handle.promise().value;
  all.handle.destroy();
  std::printf("%u\\n", sum);
}
"""

# The linker folds `first` and `second`, whose lines differ.
FOLDED = """
volatile unsigned kept;
__attribute__((noinline)) unsigned first(unsigned x) {
  for (int i = 0; i < 12; ++i)
    x = (x * 1664525u + 1013904223u) ^ x >> 7;
  return x;
}

__attribute__((noinline)) unsigned second(unsigned x) {

  for (int i = 0; i < 12; ++i)

    x = (x * 1664525u + 1013904223u) ^ x >> 7;
  return x;
}
int main() { for (unsigned i = 0; i < 6000000; ++i) { kept = first(kept + i); kept = second(kept); } }
"""

# Functions that other files cannot see; two of them have the same name.
HIDDEN = """
volatile unsigned kept;
static __attribute__((noinline)) unsigned over(unsigned x) { return x * 5 ^ x >> 2; }
static __attribute__((noinline)) unsigned over(int x) { return x * 7 ^ x >> 3; }
namespace { __attribute__((noinline)) unsigned hidden(unsigned x) { return x % 13 + 2; } }
__attribute__((noinline)) unsigned shown(unsigned x) { return x / 3 + 2; }
extern "C" int start() {
  for (unsigned i = 0; i < 60000; ++i) kept = over(i) + over(static_cast<int>(i)) + hidden(i) + shown(i);
  return 0;
}
"""


def run(*words, **keywords):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **keywords)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stderr}")
    return done


def overlap(folder, theirs, ours):
    """The smallest similarity or overlap that LLVM reports, in percent."""
    said = run(PROFDATA, "overlap", "--sample", theirs, ours, cwd=folder).stdout
    found = [float(one) for one in re.findall(r"(?:similarity|overlap)\b[^:]*: ([\d.]+)%", said)]
    assert len(found) >= 4, said
    return min(found)


def lines_of(path):
    """{(function, depth, callee, line): the largest count of its blocks} of an LLVM profile in text form."""
    counts, names = {}, [""]
    for line in pathlib.Path(path).read_text(encoding="ascii").splitlines():
        function = re.fullmatch(r"(\w+):\d+:\d+", line)
        inlined = re.fullmatch(r"( +)(\d+)(?:\.\d+)?: (\w+):\d+", line)
        if function:
            names = [function[1]]
        elif inlined:
            names[len(inlined[1]):] = [f"{inlined[2]}:{inlined[3]}"]
        else:
            depth, at, count = re.fullmatch(r"( +)(\d+)(?:\.\d+)?: (\d+)(?: .*)?", line).groups()
            key = (*names[:len(depth)], at)
            counts[key] = max(counts.get(key, 0), int(count))
    return counts


def read_unsymbolized(path):
    """({(begin, last): count}, {(from, to): count})"""
    lines = iter(pathlib.Path(path).read_text(encoding="ascii").split())

    def block(pattern):
        counts = {}
        for _ in range(int(next(lines))):
            first, second, count = re.fullmatch(pattern, next(lines)).groups()
            counts[int(first, 16), int(second, 16)] = int(count)
        return counts
    found = block(r"([0-9A-Fa-f]+)-([0-9A-Fa-f]+):(\d+)"), block(r"([0-9A-Fa-f]+)->([0-9A-Fa-f]+):(\d+)")
    assert next(lines, None) is None
    return found


def read_spt(path):
    """[(name, GUID, age, {(type, RVA): count})]. Instead of the RVA, branches have (from, to), and call stacks have
    their RVAs."""
    data = pathlib.Path(path).read_bytes()
    signature, version, _, _, names, ids, used, _, count, room = struct.unpack_from("<6I4H", data)
    assert (signature, version) == (0x5350543A, 1)
    modules = []
    for i in range(count):
        guid, age, name = struct.unpack_from("<16sII", data, ids + 24 * i)
        assert name < used
        modules.append((data[names + name:data.index(b"\0", names + name)].decode(), guid, age, collections.Counter()))
    at = ids + 24 * room
    while at < len(data):
        kind, _, number, length = struct.unpack_from("<BBHI", data, at)
        assert kind == 0x81
        end, at, repeat = at + 4 + length, at + 8, 0
        while at < end:
            if data[at] == 0x82:
                repeat = struct.unpack_from("<Q", data, at + 2)[0]
                at += 10
                continue
            kind, count = data[at], data[at + 1]
            rvas = struct.unpack_from(f"<{2 * count if kind == 0x10 else count}I", data, at + 2)
            found = {0x10: list(zip(rvas[1::2], rvas[::2])), 0x42: [rvas]}.get(kind, rvas)
            for one in found:
                modules[number][3][kind, one] += 1 + repeat
            at, repeat = at + 2 + 4 * len(rvas), 0
        assert at == end
    return modules


def samples_of(counts):
    """Without branches and calls."""
    return sum(count for (_, where), count in counts.items() if isinstance(where, int))


@unittest.skipUnless(CLANG, "needs clang-19 to build the programs")
class LinuxPgoTest(WperfTest):
    """Programs of this machine, sampled by its kernel."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.folder = pathlib.Path(cls.holder.name)
        (cls.folder / "program.c").write_text(PROGRAM, encoding="ascii")
        cls.build("program")
        done = subprocess.run([os.environ.get("WPERF_BINARY", ""), "record", "--device", "linux", "--freq", "2000", "-o",
                               "a.data", "--", "./program"], cwd=cls.folder, capture_output=True, text=True, check=False)
        cls.no_linux = None if done.returncode == 0 else done.stderr

    def setUp(self):
        if self.no_linux:
            self.skipTest(self.no_linux)

    @classmethod
    def build(cls, name, *options):
        run(CLANG, "-O2", "-g", "-fdebug-info-for-profiling", "-Wl,-q,--build-id", *options, "-o", name, "program.c",
            cwd=cls.folder)

    def pgo(self, *arguments):
        return self.json("pgo", *arguments, "--json", cwd=self.folder)["pgo"]

    def test_the_first_line_answers(self):
        text = self.ok("pgo", "a.data", "--format", "llvm-unsymbolized", "-o", "a.raw", cwd=self.folder)
        first, *others = text.splitlines()
        self.assertRegex(first, r"^a\.raw: [\d,]+ samples of program, \d functions; hottest: classify, [\d.]+ %$")
        self.assertRegex(others[0], "^counted: ")
        self.assertRegex(others[-1], "^next: llvm-profgen --binary ")

    def test_samples_are_those_of_the_report(self):
        answer = self.pgo("a.data", "--format", "bolt", "-o", "b.fdata")
        words = [line.split() for line in (self.folder / "b.fdata").read_text(encoding="ascii").splitlines()[1:]]
        [event] = self.json("report", "a.data", "--json", cwd=self.folder)["recording"]["events"]
        of_program = sum(row["samples"] for row in event["rows"] if row["module"] == "program")
        self.assertEqual(sum(int(one[-1]) for one in words), of_program)
        self.assertEqual((answer["used"], answer["samples"]), (of_program, event["samples"]))
        self.assertEqual(answer["used"] + sum(answer["not_used"].values()), answer["samples"])

    def test_recordings_are_added_up(self):
        self.pgo("a.data", "--format", "bolt", "-o", "once.fdata")
        self.pgo("a.data", "a.data", "--format", "bolt", "-o", "twice.fdata")
        once, twice = ([line.split() for line in (self.folder / name).read_text(encoding="ascii").splitlines()[1:]]
                       for name in ("once.fdata", "twice.fdata"))
        self.assertGreater(len(once), 5)
        self.assertEqual([[*where, str(2 * int(count))] for *where, count in once], twice)

    def test_the_wrong_binary_is_refused(self):
        wanted = ("--format", "bolt", "-o", "refused")
        said = self.fails("pgo", "a.data", *wanted, "--binary", "nothing.so", cwd=self.folder, status=2)
        self.assertRegex(said, r"no sample was taken in nothing\.so\nhint: sampled: program")
        other = self.folder / "other"
        other.mkdir(exist_ok=True)
        self.build("other/program", "-O0")
        said = self.fails("pgo", "a.data", *wanted, "--binary", other / "program", cwd=self.folder, status=2)
        self.assertRegex(said, "is a different build than the recorded one: [0-9a-f]{40} instead of [0-9a-f]{40}\nhint: ")
        said = self.fails("pgo", "a.data", *wanted, "--binary", "program.c", cwd=self.folder, status=2)
        self.assertIn("neither an ELF file nor a Windows image", said)
        self.assertFalse((self.folder / "refused").exists())

    def test_a_moved_binary_is_found_by_its_option(self):
        moved = self.folder / "moved"
        moved.mkdir()
        self.build("fleeting")
        self.ok("record", "--freq", "2000", "-q", "-o", "moved.data", "--", "./fleeting", "30", device="linux", cwd=self.folder)
        (self.folder / "fleeting").rename(moved / "fleeting")
        wanted = ("pgo", "moved.data", "--format", "llvm-unsymbolized", "-o", "moved.raw")
        self.assertIn("have no addresses", self.fails(*wanted, cwd=self.folder))
        self.assertGreater(self.pgo(*wanted[1:], "--binary", "moved/fleeting")["used"], 0)
        moved.rename(self.folder / "a;b:c")
        self.assertGreater(self.pgo(*wanted[1:], "--binary", "a;b:c/fleeting")["used"], 0)

    def test_outputs_are_checked_first(self):
        for output, said in (("a.data", "would overwrite a.data, which is an input"), ("no/where", "No such file")):
            self.assertIn(said, self.fails("pgo", "a.data", "--format", "bolt", "-o", output, cwd=self.folder,
                                           status=2 if "input" in said else 1))
        for missing in (("a.data", "--format", "bolt"), ("a.data", "-o", "x"), ("--format", "bolt", "-o", "x"),
                        ("a.data", "--format", "gcov", "-o", "x")):
            self.fails("pgo", *missing, cwd=self.folder, status=2)

    @unittest.skipUnless(PROFGEN and PROFDATA, "needs llvm-profgen-19 to read the profile")
    def test_clang_takes_the_profile(self):
        self.pgo("a.data", "--format", "llvm-unsymbolized", "-o", "c.raw")
        run(PROFGEN, "--binary", "program", "--unsymbolized-profile", "c.raw", "--use-offset=0", "-o", "c.prof", cwd=self.folder)
        shown = run(PROFDATA, "show", "--sample", "c.prof", cwd=self.folder).stdout
        self.assertEqual(sorted(re.findall(r"Function: (\w+):", shown)), ["classify", "work"])
        built = run(CLANG, "-O2", "-g", "-fdebug-info-for-profiling", "-Wall", "-Werror", "-fprofile-sample-use=c.prof", "-S",
                    "-emit-llvm", "-o", "-", "program.c", cwd=self.folder)
        self.assertEqual(built.stderr, "")
        [number] = re.findall(r"define .*@work\(.*!prof !(\d+)", built.stdout)
        self.assertRegex(built.stdout, rf"\n!{number} = !{{!\"function_entry_count\", i64 [1-9]")
        weights = re.findall(r"br i1 .*!prof !(\d+), !llvm.loop", built.stdout)
        self.assertTrue(weights, "the loop has no weights")
        self.assertRegex(built.stdout, rf"\n!{weights[0]} = !{{!\"branch_weights\", ")

    @unittest.skipUnless(PROFGEN and PROFDATA, "needs llvm-profgen-19 to make the same profile")
    def test_llvm_text_is_what_llvm_makes(self):
        self.pgo("a.data", "--format", "llvm-unsymbolized", "-o", "e.raw")
        run(PROFGEN, "--binary", "program", "--unsymbolized-profile", "e.raw", "--use-offset=0", "-o", "theirs.prof", cwd=self.folder)
        answer = self.pgo("a.data", "--format", "llvm", "-o", "ours.prof")
        self.assertLess(answer["without_line"], answer["instructions"] / 100)  # a sample may lie in the startup code
        self.assertGreaterEqual(overlap(self.folder, "theirs.prof", "ours.prof"), 99)
        text = (self.folder / "ours.prof").read_text(encoding="ascii")
        heads = {name: int(head) for name, head in re.findall(r"(?m)^(\w+):\d+:(\d+)$", text)}
        self.assertGreater(heads["classify"], 1000 * (heads["work"] + 1))  # a million times as often
        self.assertRegex(text, r"(?m)^ 3(\.\d+)?: mix:\d+$")  # the line of the call, relative to the line of `work`
        built = run(CLANG, "-O2", "-g", "-fdebug-info-for-profiling", "-Wall", "-Werror",
        "-fprofile-sample-use=ours.prof", "-S",
                    "-emit-llvm", "-o", "-", "program.c", cwd=self.folder)
        self.assertEqual(built.stderr, "")
        self.assertRegex(built.stdout, r"define .*@work\(.*!prof !\d+")
        # Without the number of entries, clang would treat `classify` as a cold function.
        assembly = run(CLANG, "-O2", "-g", "-fdebug-info-for-profiling", "-fprofile-sample-use=ours.prof", "-S", "-o", "-", "program.c",
                       cwd=self.folder).stdout
        sections = dict(zip(("classify", "work"), (re.findall(r"\.section\s+(\.text[.\w]*)", assembly[:assembly.index(f"\n{name}:")])[-1]
                                                   for name in ("classify", "work"))))
        self.assertNotIn(".text.unlikely.", sections.values())

    @unittest.skipUnless(PROFDATA, "needs llvm-profdata-19 to read the profile")
    def test_extbinary_has_what_the_text_has(self):
        self.pgo("a.data", "--format", "llvm", "-o", "f.prof")
        self.pgo("a.data", "--format", "extbinary", "-o", "f.bin")
        for name in ("f.prof", "f.bin"):
            run(PROFDATA, "merge", "--sample", "--text", name, "-o", name + ".text", cwd=self.folder)
            run(PROFDATA, "merge", "--sample", "--extbinary", name, "-o", name + ".merged", cwd=self.folder)
        for end in (".text", ".merged"):
            self.assertEqual((self.folder / ("f.bin" + end)).read_bytes(), (self.folder / ("f.prof" + end)).read_bytes())
        summaries = [run(PROFDATA, "show", "--sample", "--detailed-summary", name, cwd=self.folder).stdout
                     for name in ("f.bin", "f.prof.merged")]
        self.assertEqual(*summaries)
        built = run(CLANG, "-O2", "-g", "-fdebug-info-for-profiling", "-Wall", "-Werror", "-fprofile-sample-use=f.bin", "-S",
                    "-emit-llvm", "-o", "-", "program.c", cwd=self.folder)
        self.assertEqual(built.stderr, "")
        self.assertRegex(built.stdout, r"define .*@work\(.*!prof !\d+")

    def test_record_chooses_the_event(self):
        text = self.ok("record", "--pgo", "-o", "chosen.data", "--", "./program", "20", device="linux", cwd=self.folder)
        self.assertIn("next: `wperf pgo chosen.data --format llvm -o chosen.data.prof`", text)
        answer = self.pgo("chosen.data", "--format", "llvm", "-o", "chosen.prof")
        self.assertIn(answer["events"], (["cpu-clock"], ["instructions"], []))
        self.assertGreater(answer["used"], 100)
        for more, word in ((("-e", "cycles"), "-e"), (("-g",), "-g")):
            self.assertIn(f"{word} cannot be used with it",
                          self.fails("record", "--pgo", *more, "--", "./program", device="linux", cwd=self.folder, status=2))

    def test_llvm_text_needs_debug_information(self):
        run(CLANG, "-O2", "-Wl,--build-id", "-o", "bare", "program.c", cwd=self.folder)
        self.ok("record", "--freq", "2000", "-q", "-o", "bare.data", "--", "./bare", "20", device="linux", cwd=self.folder)
        said = self.fails("pgo", "bare.data", "--format", "llvm", "-o", "bare.prof", cwd=self.folder)
        self.assertRegex(said, "bare has no debug information .*\nhint: build it with -g")

    @unittest.skipUnless(BOLT, "needs llvm-bolt-19 to read the profile")
    def test_bolt_takes_the_samples(self):
        self.pgo("a.data", "--format", "bolt", "-o", "d.fdata")
        said = run(BOLT, "program", "-o", "program.bolt", "-data", "d.fdata", "-reorder-blocks=ext-tsp", cwd=self.folder)
        self.assertRegex(said.stdout + said.stderr, r"2 out of \d+ functions in the binary .* have non-empty execution profile")
        run(self.folder / "program.bolt", "1")

    def walked(self, count):
        """Branch stacks of random walks through the program's two hot functions, at their addresses as linked."""
        shown = run(OBJDUMP, "-d", "--no-show-raw-insn", "--disassemble-symbols=work,classify", "program", cwd=self.folder).stdout
        rows = re.findall(r"^ *([0-9a-f]+):\s+(\w+)\s*(?:0x([0-9a-f]+))?", shown, re.M)
        code = {int(at, 16): (kind, int(to, 16) if to else None) for at, kind, to in rows}
        order = sorted(code)
        after = dict(zip(order, order[1:]))
        begin = int(re.search(r"^([0-9a-f]+) <work>", shown, re.M)[1], 16)
        chance = random.Random(5)
        taken, at, returns = [], begin, []
        while len(taken) < count * 8:
            kind, to = code[at]
            if kind.startswith("ret"):
                target = returns.pop() if returns else begin
            elif kind.startswith("call"):
                returns.append(after[at])
                target = to
            elif kind == "jmp" or (kind.startswith("j") and chance.random() < 0.5):
                target = to
            else:
                at = after[at]
                continue
            taken.append((at, target, int(chance.random() < 0.1)))
            at = target
        return [taken[i:i + 16][::-1] for i in range(0, len(taken) - 16, 8)]

    def with_branches(self, name, stacks):
        """A recording of a program with these branches, given as linked addresses."""
        base = 0x5555_0000_0000
        notes = run("readelf", "-n", name, cwd=self.folder).stdout
        build_id = bytes.fromhex(re.search(r"Build ID: ([0-9a-f]+)", notes)[1])
        moved = [[(one + base, to + base, False) for one, to in stack] for stack in stacks]
        (self.folder / f"{name}.data").write_bytes(perf_data_with_branches(self.folder / name, build_id, base, 0x10000, moved))
        return f"{name}.data"

    @unittest.skipUnless(OBJDUMP and os.uname().machine == "x86_64", "needs llvm-objdump-19 to find a stub")
    def test_stubs_of_the_linker_are_no_functions(self):
        shown = run(OBJDUMP, "-d", "--no-show-raw-insn", "program", cwd=self.folder).stdout
        [(call, stub)] = re.findall(r"(?m)^ *([0-9a-f]+):\s+callq?\s+0x([0-9a-f]+) <strtol@plt>", shown)
        begin = re.search(r"(?m)^([0-9a-f]+) <main>:", shown)[1]
        call, stub, begin = (int(one, 16) for one in (call, stub, begin))
        data = self.with_branches("program", [[(stub, begin), (call, stub), (call, begin)]] * 5)
        self.pgo(data, "--format", "llvm", "-o", "stub.prof", "--binary", "program")
        text = (self.folder / "stub.prof").read_text(encoding="ascii")
        self.assertRegex(text, r"(?m) strtol:5$")
        self.assertNotIn("@plt", text)
        answer = self.pgo(data, "--format", "llvm-unsymbolized", "-o", "stub.raw", "--binary", "program")
        self.assertEqual(answer["functions"], 1)
        self.pgo(data, "--format", "bolt", "-o", "stub.pa", "--binary", "program")
        lines = (self.folder / "stub.pa").read_text(encoding="ascii").splitlines()
        self.assertEqual(sorted(line.split()[:3] for line in lines),
                         [["B", f"{call:x}", f"{to:x}"] for to in sorted((begin, stub))] + [["F", f"{begin:x}", f"{call:x}"]])

    @unittest.skipUnless(OBJDUMP and os.uname().machine == "x86_64", "needs llvm-objdump-19 to find a function")
    def test_entries_alone_are_no_profile(self):
        run(CLANG, "-O2", "-Wl,--build-id", "-o", "plain", "program.c", cwd=self.folder)
        shown = run(OBJDUMP, "-d", "--no-show-raw-insn", "plain", cwd=self.folder).stdout
        begin = int(re.search(r"(?m)^([0-9a-f]+) <work>:", shown)[1], 16)
        data = self.with_branches("plain", [[(begin + 4, begin), (begin + 4, begin)]] * 5)
        said = self.fails("pgo", data, "--format", "llvm", "-o", "plain.prof", "--binary", "plain", cwd=self.folder)
        self.assertIn("plain has no debug information with lines of its functions", said)

    def recorded(self, name, source, *options):
        """Builds a C++ program and records it; returns the name of the recording."""
        (self.folder / f"{name}.cpp").write_text(source, encoding="ascii")
        run("clang++-19", "-std=c++20", "-O2", "-g", "-fdebug-info-for-profiling", "-Wl,--build-id", *options, "-o", name,
            f"{name}.cpp", cwd=self.folder)
        self.ok("record", "--freq", "2000", "-q", "-o", f"{name}.data", "--", f"./{name}", device="linux", cwd=self.folder)
        return f"{name}.data"

    @unittest.skipUnless(PROFGEN and PROFDATA and LLD and shutil.which("clang++-19") and os.uname().machine == "x86_64",
                         "needs clang++-19, ld.lld-19 and llvm-profgen-19")
    def test_parts_of_a_function_count_for_it(self):
        (self.folder / "parts.list").write_text("v1\nf _Z5splitj\nc 0\n", encoding="ascii")
        data = self.recorded("parts", PARTS, "-fbasic-block-sections=list=parts.list", "-fuse-ld=lld")
        symbols = run("readelf", "-sW", "parts", cwd=self.folder).stdout
        self.assertIn("_Z5splitj.cold", symbols)
        self.assertIn("_Z7numbersj.resume", symbols)
        self.pgo(data, "--format", "llvm", "-o", "parts.prof")
        text = (self.folder / "parts.prof").read_text(encoding="ascii")
        self.assertEqual(sorted(re.findall(r"(?m)^(\S+?):\d+:", text)), ["_Z5splitj", "_Z7numbersj", "main"])
        self.pgo(data, "--format", "llvm-unsymbolized", "-o", "parts.raw")
        run(PROFGEN, "--binary", "parts", "--unsymbolized-profile", "parts.raw", "--use-offset=0", "-o", "parts.made", cwd=self.folder)
        self.assertGreaterEqual(overlap(self.folder, "parts.made", "parts.prof"), 99)

    @unittest.skipUnless(LLD and shutil.which("clang++-19"), "needs clang++-19 and ld.lld-19")
    def test_folded_functions_have_the_name_and_lines_of_one(self):
        data = self.recorded("folded", FOLDED, "-ffunction-sections", "-fuse-ld=lld", "-Wl,--icf=all")
        self.pgo(data, "--format", "llvm", "-o", "folded.prof")
        text = (self.folder / "folded.prof").read_text(encoding="ascii")
        [(name, body)] = re.findall(r"(?m)^_Z\d(first|second)j:\d+:\d+\n((?: .*\n)+)", text)
        lines = {int(line) for line in re.findall(r"(?m)^ (\d+)", body)}
        self.assertIn({"first": 2, "second": 4}[name], lines)
        self.assertLessEqual(max(lines), {"first": 3, "second": 5}[name])

    def test_bolt_needs_symbols(self):
        self.build("stripped")
        run("strip", "stripped", cwd=self.folder)
        self.ok("record", "--freq", "2000", "-q", "-o", "stripped.data", "--", "./stripped", "10", device="linux", cwd=self.folder)
        said = self.fails("pgo", "stripped.data", "--format", "bolt", "-o", "stripped.fdata", cwd=self.folder)
        self.assertRegex(said, "no sample of stripped is in a function that the symbol table names\nhint: .*-Wl,-q")

    @unittest.skipUnless(shutil.which("g++"), "needs g++")
    def test_lambdas_of_gcc_count_for_their_callers(self):
        """GCC gives no linkage name to inlined functions of local types."""
        (self.folder / "lambda.cpp").write_text(LAMBDAS, encoding="ascii")
        run("g++", "-O2", "-g", "-Wl,--build-id", "-o", "lambda", "lambda.cpp", cwd=self.folder)
        self.ok("record", "--freq", "2000", "-q", "-o", "lambda.data", "--", "./lambda", device="linux", cwd=self.folder)
        answer = self.pgo("lambda.data", "--format", "llvm", "-o", "lambda.prof")
        self.assertLess(answer["without_line"] + answer["without_name"], 0.02 * answer["instructions"])
        text = (self.folder / "lambda.prof").read_text(encoding="ascii")
        self.assertRegex(text, r"(?m)^main:[1-9]\d{3,}")
        self.assertNotRegex(text, r"operator|lambda|<|churn")

    @unittest.skipUnless(OBJDUMP and PROFGEN and os.uname().machine == "x86_64", "needs llvm-profgen-19 to read the same branches")
    def test_branch_stacks_become_what_llvm_makes_of_them(self):
        stacks = self.walked(2000)
        base = 0x5555_0000_0000
        shown = run("readelf", "-lW", "program", cwd=self.folder).stdout
        offset, address, size = (int(one, 16) for one in re.search(
            r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ R E", shown).groups())
        self.assertEqual(offset, address)
        moved = [[(one + base, to + base, missed) for one, to, missed in stack] for stack in stacks]
        notes = run("readelf", "-n", "program", cwd=self.folder).stdout
        build_id = bytes.fromhex(re.search(r"Build ID: ([0-9a-f]+)", notes)[1])
        (self.folder / "branches.data").write_bytes(
            perf_data_with_branches(self.folder / "program", build_id, base, 0x10000, moved))
        script = [f"PERF_RECORD_MMAP2 7/7: [0x{base + offset:x}(0x{size:x}) @ 0x{offset:x} 08:01 1 1]: r-xp {self.folder}/program\n"]
        script += [f" {stack[0][0]:x} " + " ".join(f"0x{one:x}/0x{to:x}/{'M' if missed else 'P'}/-/-/1" for one, to, missed in stack) +
                   "\n" for stack in moved]
        (self.folder / "branches.script").write_text("".join(script), encoding="ascii")
        run(PROFGEN, "--binary", "program", "--perfscript", "branches.script", "--skip-symbolization", "--use-offset=0", "-o",
            "theirs.raw", cwd=self.folder)
        answer = self.pgo("branches.data", "--format", "llvm-unsymbolized", "-o", "ours.raw", "--binary", "program")
        self.assertEqual(answer["branch_stacks"], len(stacks))
        self.assertEqual(answer["used"], sum(map(len, stacks)))
        ours, theirs = read_unsymbolized(self.folder / "ours.raw"), read_unsymbolized(self.folder / "theirs.raw")
        self.assertEqual(ours[0], theirs[0])
        self.assertEqual(ours[1], theirs[1])
        run(PROFGEN, "--binary", "program", "--unsymbolized-profile", "theirs.raw", "--use-offset=0", "-o", "branches.prof",
            cwd=self.folder)
        self.pgo("branches.data", "--format", "llvm", "-o", "own.prof", "--binary", "program")
        self.assertGreaterEqual(overlap(self.folder, "branches.prof", "own.prof"), 99)
        self.check_edges("branches.data", base, moved)
        self.pgo("branches.data", "--format", "bolt", "-o", "ours.pa", "--binary", "program")
        branches = collections.Counter((one, to) for stack in stacks for one, to, _ in stack)
        missed = collections.Counter((one, to) for stack in stacks for one, to, bad in stack if bad)
        lines = (self.folder / "ours.pa").read_text(encoding="ascii").splitlines()
        self.assertEqual([line for line in lines if line.startswith("B")],
                         [f"B {one:x} {to:x} {branches[one, to]} {missed[one, to]}" for one, to in sorted(branches)])
        if PERF2BOLT:
            said = run(PERF2BOLT, "--pa", "-p", "ours.pa", "-o", "ours.fdata", "program", cwd=self.folder)
            self.assertRegex(said.stdout + said.stderr, r"2 out of \d+ functions in the binary .* have non-empty")


    def check_edges(self, data, base, stacks):
        """`report --branches` shows the branches between functions."""
        symbols = [(int(at, 16) + base, int(size), name) for at, size, name in re.findall(
            r": (\w+) +(\d+) FUNC +\w+ +\w+ +\w+ (\w+)$", run("readelf", "-sW", "program", cwd=self.folder).stdout, re.M)]

        def function_of(address):
            return next(name for begin, size, name in symbols if begin <= address < begin + size)
        taken, missed = collections.Counter(), collections.Counter()
        for one, to, bad in (branch for stack in stacks for branch in stack):
            taken[function_of(one), function_of(to)] += 1
            missed[function_of(one), function_of(to)] += bad
        answer = self.json("report", data, "--branches", "--json", cwd=self.folder)["branches"]
        self.assertEqual({(row["from"], row["to"]): row["count"] for row in answer["edges"]}, taken)
        self.assertEqual(+collections.Counter({(row["from"], row["to"]): row["mispredicted"] for row in answer["edges"]}), +missed)
        self.assertEqual((answer["taken"], answer["timed"]), (sum(taken.values()), 0))
        rows = self.json("report", data, "--branches", "--sort", "line", "--json", cwd=self.folder)["branches"]["edges"]
        self.assertEqual(sum(row["count"] for row in rows), answer["taken"])
        lines = [row[end] for row in rows for end in ("from_line", "to_line") if end in row]  # some code has no line
        self.assertGreater(len(lines), len(rows))
        self.assertTrue(all(line.startswith("program.c:") for line in lines), lines)
        # Branches from or to a single function.
        calls = self.json("report", data, "--branches", "-s", "classify", "--json", cwd=self.folder)["branches"]["edges"]
        self.assertEqual({(row["from"], row["to"]) for row in calls}, {pair for pair in taken if "classify" in pair})


class WindowsPgoTest(WperfTest):
    """Windows programs for Arm on the simulated machine."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        for name in ("exact.exe", "exact.pdb"):
            shutil.copy(workload(name), self.folder)

    def recorded(self, name, *events, program="exact.exe"):
        self.ok("record", "-q", "-e", ",".join(events), "-c", "1", "-o", name, "--", program, cwd=self.folder)
        return self.folder / name

    def test_each_event_of_a_trace_has_its_type(self):
        data = self.recorded("a.data", "inst_retired:10000", "cpu_cycles:10000", "ld_spec:10000")
        answer = self.json("pgo", data, "--format", "spt", "-o", "a.spt", "--json", cwd=self.folder)["pgo"]
        [(name, guid, age, counts)] = read_spt(self.folder / "a.spt")
        self.assertEqual(name, "exact.exe")
        rsds = (self.folder / "exact.exe").read_bytes()
        at = rsds.index(b"RSDS")
        self.assertEqual((guid, age), (rsds[at + 4:at + 20], struct.unpack_from("<I", rsds, at + 20)[0]))
        by_type = collections.Counter()
        for (kind, where), count in counts.items():
            for rva in where if kind == 0x42 else [where]:  # the function of call_loop has a caller
                self.assertLess(rva, 0x10000)
            by_type[kind] += count
        self.assertEqual(by_type.pop(0x42), answer["calls"])
        report = self.json("report", data, "--sort", "module", "--json", cwd=self.folder)["recording"]["events"]
        samples = {event["event"]: sum(row["samples"] for row in event["rows"] if row["module"] == "exact.exe") for event in report}
        cycles = samples.get("cycle", samples.get("cpu_cycles"))
        self.assertEqual(by_type, {0x01: cycles, 0x02: samples["inst_retired"]})
        self.assertEqual(answer["used"], cycles + samples["inst_retired"])
        self.assertEqual(answer["not_used"]["other_events"], samples["ld_spec"])
        self.assertEqual((answer["functions"], answer["hot_functions"]), (8, 0))  # in assembly, without bounds

    def with_stacks(self, stacks):
        """A recording of exact.exe as `C:\\app\\exact.exe`; returns (file, linked base)."""
        image = (self.folder / "exact.exe").read_bytes()
        at = image.index(b"RSDS")
        moved = [[(0x7ff6_0000_0000 + one, 0x7ff6_0000_0000 + to, False) for one, to in stack] for stack in stacks]
        data = self.folder / "stacks.data"
        data.write_bytes(perf_data_with_branches("C:\\app\\exact.exe", image[at + 4:at + 24], 0x7ff6_0000_0000, 0x10000, moved))
        return data, struct.unpack_from("<Q", image, struct.unpack_from("<I", image, 60)[0] + 48)[0]

    def test_branch_stacks_of_an_image_in_another_folder(self):
        """Names only need the PDB; linked addresses need the image."""
        data, base = self.with_stacks([[(0x1020, 0x1010), (0x1018, 0x1008), (0x1004, 0x1014)]])
        there = self.folder / "there"
        there.mkdir()
        for name in ("exact.exe", "exact.pdb"):
            (self.folder / name).rename(there / name)
        answer = self.json("pgo", data, "--format", "llvm-unsymbolized", "-o", "s.raw", "--binary", there / "exact.exe", "--json",
                           cwd=self.folder)["pgo"]
        self.assertEqual((answer["used"], answer["branch_stacks"]), (3, 1))
        self.assertRegex(answer["losses"][-1], "exact.exe has no DWARF, .*: use --format llvm$")
        self.assertIn(f"--binary {there / 'exact.exe'} ", answer["next"])
        ranges, branches = read_unsymbolized(self.folder / "s.raw")
        self.assertEqual(ranges, {(base + 0x1008, base + 0x1020): 1, (base + 0x1014, base + 0x1018): 1})
        self.assertEqual(branches, {(base + one, base + to): 1 for one, to in ((0x1004, 0x1014), (0x1018, 0x1008), (0x1020, 0x1010))})
        (there / "exact.exe").unlink()
        said = self.fails("pgo", data, "--format", "llvm-unsymbolized", "-o", "s.raw", "--symbol-path", there, "--binary", "exact.exe",
                          cwd=self.folder)
        self.assertIn("exact.exe was not found, and its PDB does not give its image base", said)

    def test_branch_stacks_for_msvc(self):
        """Neither the image nor its PDB is there."""
        stack = [(0x1020, 0x1010), (0x1018, 0x1008), (0x1020, 0x1010), (0x1004, 0x1014)]
        data, _ = self.with_stacks([stack, stack, stack[:2]])
        wanted = ("pgo", data, "--format", "spt", "-o", "b.spt")
        here = self.json(*wanted, "--json", cwd=self.folder)["pgo"]
        [(name, *_, counts)] = read_spt(self.folder / "b.spt")
        branches = {(0x10, (0x1020, 0x1010)): 5, (0x10, (0x1018, 0x1008)): 3, (0x10, (0x1004, 0x1014)): 2}
        self.assertEqual((name, counts), ("exact.exe", {(0x01, 0x1020): 3, **branches}))
        self.assertEqual((here["branches"], here["calls"], here["used"]), (10, 0, 3))
        self.assertEqual(here["next"], "SPDConvert /mode:LBR exact.spd b.spt")
        for file in ("exact.exe", "exact.pdb"):
            (self.folder / file).unlink()
        self.ok(*wanted, cwd=self.folder)
        self.assertEqual(read_spt(self.folder / "b.spt")[0][3], counts)

    def test_call_stacks_for_msvc(self):
        """Each call of a stack returns to an instruction that follows a call."""
        for name in ("fib.exe", "fib.pdb"):
            shutil.copy(workload(name), self.folder)
        self.ok("record", "-q", "-g", "-e", "inst_retired:20000", "-c", "1", "-o", "c.data", "--", "fib.exe", "20", cwd=self.folder)
        answer = self.json("pgo", "c.data", "--format", "spt", "-o", "c.spt", "--json", cwd=self.folder)["pgo"]
        counts = next(counts for name, *_, counts in read_spt(self.folder / "c.spt") if name == "fib.exe")
        calls = {rvas: count for (kind, rvas), count in counts.items() if kind == 0x42}
        samples = sum(count for (kind, _), count in counts.items() if kind == 0x02)
        self.assertGreater(sum(calls.values()), 5 * samples)  # it is recursive
        image = (self.folder / "fib.exe").read_bytes()
        header = struct.unpack_from("<I", image, 60)[0]
        first = header + 24 + struct.unpack_from("<H", image, header + 20)[0]
        _, rva, _, offset = struct.unpack_from("<IIII", image, first + 8)
        returns = {rva + at + 4 for at in range(0, struct.unpack_from("<I", image, first + 16)[0], 4)
                   if image[offset + at + 3] & 0xfc == 0x94}
        self.assertEqual({rvas[1] for rvas in calls} - returns, set())
        self.assertTrue({rvas[0] for rvas in calls} & returns)
        self.assertGreaterEqual(answer["calls"], sum(calls.values()))

    def test_other_events_are_nothing_for_msvc(self):
        data = self.recorded("b.data", "ld_spec:10000")
        self.assertIn("no samples for MSVC", self.fails("pgo", data, "--format", "spt", "-o", "b.spt", cwd=self.folder, status=2))

    def test_bolt_reads_no_images(self):
        data = self.recorded("c.data", "ld_spec:10000")
        self.assertIn("BOLT reads ELF files", self.fails("pgo", data, "--format", "bolt", "-o", "c", cwd=self.folder, status=2))

    def test_traces_of_windows_and_several_modules(self):
        for name in ("googolplex.exe", "googolplex.pdb", "bignum.dll", "bignum.pdb"):
            shutil.copy(workload(name), self.folder)
        self.ok("record", "-q", "-e", "timer:400000", "--timeout", "2", "-o", "f.etl", "--", "googolplex.exe", cwd=self.folder,
                device="etw:fake,pace=free,seed=1")
        wanted = ("pgo", "f.etl", "--format", "spt", "-o", "f.spt")
        answer = self.json(*wanted, "--json", cwd=self.folder)["pgo"]
        modules = {name: samples_of(counts) for name, _, _, counts in read_spt(self.folder / "f.spt")}
        self.assertGreater(modules["bignum.dll"], 100)
        self.assertEqual(sum(modules.values()), answer["used"])
        self.assertEqual(answer["modules"], len(modules))
        self.assertEqual(answer["used"] + sum(answer["not_used"].values()), answer["samples"])
        [event] = self.json("report", "f.etl", "--sort", "module", "--json", cwd=self.folder)["recording"]["events"]
        rows = {row["module"]: row["samples"] for row in event["rows"]}
        self.assertEqual(modules, {name: rows[name] for name in modules})
        alone = self.json(*wanted, "--binary", "bignum.dll", "--json", cwd=self.folder)["pgo"]
        self.assertEqual(alone["used"], modules["bignum.dll"])
        self.assertEqual([name for name, *_ in read_spt(self.folder / "f.spt")], ["bignum.dll"])
        said = self.fails("pgo", "f.etl", "--format", "llvm-unsymbolized", "-o", "f.raw", cwd=self.folder, status=2)
        self.assertRegex(said, r"choose one with --binary: bignum\.dll, ")

    def test_msvc_needs_no_files_of_code(self):
        """A trace from another machine names the modules that ran, their builds and their addresses."""
        trace = SHARED / "data" / "etl" / "perfview-net452-x64-win8-compressed.etl"
        if not trace.exists():
            self.skipTest(f"{trace} is not there")
        done = self.run_wperf("pgo", trace, "--format", "spt", "-o", "g.spt", "--json", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)["pgo"]
        modules, rows = collections.Counter(), collections.Counter()  # there are two ntdll.dll
        for name, _, _, counts in read_spt(self.folder / "g.spt"):
            modules[name] += samples_of(counts)
        self.assertGreater(len(modules), 10)
        report = self.run_wperf("report", trace, "--sort", "module", "--sample-display-row", "500", "--json").stdout
        [event] = json.loads(report)["recording"]["events"]
        for row in event["rows"]:
            rows[row["module"]] += row["samples"]
        self.assertEqual(modules, {name: rows[name] for name in modules})
        self.assertEqual(answer["used"], sum(modules.values()))
        self.assertEqual(answer["used"] + sum(answer["not_used"].values()), answer["samples"])

    # For Windows, with DWARF.
    COMPILED = (CLANG, "--target=aarch64-pc-windows-msvc", "-O2", "-g", "-gdwarf", "-fdebug-info-for-profiling", "-ffreestanding",
                "-DENTRY=start")

    def build(self, compiler=(), linker=("/debug:dwarf",), source=PROGRAM):
        (self.folder / "program.c").write_text(source, encoding="ascii")
        run(*self.COMPILED, *compiler, "-c", "program.c", "-o", "program.obj", cwd=self.folder)
        run(LINKER, "/nologo", "/nodefaultlib", "/machine:arm64", *linker, "/subsystem:console", "/entry:start", "/out:program.exe",
            "program.obj", cwd=self.folder)

    def profile(self, raw):
        """Returns the text that llvm-profgen makes from a recording."""
        run(PROFGEN, "--binary", "program.exe", "--unsymbolized-profile", raw, "--use-offset=0", "--format", "text", "-o",
            "made.prof", cwd=self.folder)
        return (self.folder / "made.prof").read_text(encoding="ascii")

    @unittest.skipUnless(CLANG and LINKER and PROFGEN, "needs clang-19, lld-link-19 and llvm-profgen-19")
    def test_clang_takes_the_profile_of_an_image(self):
        self.build()
        data = self.recorded("d.data", "inst_retired:1000", program="program.exe")
        answer = self.json("pgo", data, "--format", "llvm-unsymbolized", "-o", "d.raw", "--json", cwd=self.folder)["pgo"]
        self.assertGreater(answer["used"], 100)
        self.assertEqual(answer["losses"], [])
        self.assertRegex(self.profile("d.raw"), r"(?m)^work:[1-9]")
        built = run(*self.COMPILED, "-Wall", "-Werror", "-fprofile-sample-use=made.prof", "-S", "-emit-llvm", "-o", "-", "program.c",
                    cwd=self.folder)
        self.assertEqual(built.stderr, "")
        self.assertRegex(built.stdout, r"define .*@work\(.*!prof !\d+")
        self.ok("pgo", data, "--format", "llvm", "-o", "own.prof", cwd=self.folder)
        self.assertEqual((self.folder / "own.prof").read_text(encoding="ascii"), (self.folder / "made.prof").read_text(encoding="ascii"))

    @unittest.skipUnless(CLANG and LINKER and PROFGEN, "needs clang-19, lld-link-19 and llvm-profgen-19")
    def test_lines_come_from_dwarf_beside_a_pdb(self):
        self.build(("-gcodeview",), ("/debug:full,dwarf",))
        self.assertTrue((self.folder / "program.pdb").exists())
        data = self.recorded("g.data", "inst_retired:1000", program="program.exe")
        answer = self.json("pgo", data, "--format", "llvm", "-o", "own.prof", "--json", cwd=self.folder)["pgo"]
        self.assertEqual(answer["without_line"], 0)
        self.ok("pgo", data, "--format", "llvm-unsymbolized", "-o", "g.raw", cwd=self.folder)
        self.assertEqual((self.folder / "own.prof").read_text(encoding="ascii"), self.profile("g.raw"))

    def build_hidden(self, *debug):
        (self.folder / "program.cpp").write_text(HIDDEN, encoding="ascii")
        run(CLANG, "--target=aarch64-pc-windows-msvc", "-O2", "-g", "-gcodeview", *debug, "-ffreestanding", "-c", "program.cpp", "-o",
            "program.obj", cwd=self.folder)
        run(LINKER, "/nologo", "/nodefaultlib", "/machine:arm64", "/debug:full,dwarf" if debug else "/debug:full", "/subsystem:console",
            "/entry:start", "/out:program.exe", "program.obj", cwd=self.folder)
        return self.recorded("hidden.data", "inst_retired:1000", program="program.exe")

    @unittest.skipUnless(CLANG and LINKER and PROFGEN, "needs clang-19, lld-link-19 and llvm-profgen-19")
    def test_names_come_from_dwarf_beside_a_pdb(self):
        data = self.build_hidden("-gdwarf", "-fdebug-info-for-profiling")
        answer = self.json("pgo", data, "--format", "llvm", "-o", "own.prof", "--json", cwd=self.folder)["pgo"]
        self.assertEqual((answer["without_line"], answer["without_name"]), (0, 0))
        self.ok("pgo", data, "--format", "llvm-unsymbolized", "-o", "g.raw", cwd=self.folder)
        text = (self.folder / "own.prof").read_text(encoding="ascii")
        self.assertEqual(text, self.profile("g.raw"))
        for name in (r"\?over@@YAIH@Z", r"\?over@@YAII@Z", r"\?hidden@\?A0x\w+@@YAII@Z", r"\?shown@@YAII@Z"):
            self.assertRegex(text, rf"(?m)^{name}:[1-9]")

    @unittest.skipUnless(CLANG and LINKER, "needs clang-19 and lld-link-19 to build the program")
    def test_names_that_a_pdb_lacks_are_not_invented(self):
        """Functions that other files cannot see have no public symbol, so the PDB lacks their decorated names."""
        data = self.build_hidden()
        answer = self.json("pgo", data, "--format", "llvm", "-o", "own.prof", "--json", cwd=self.folder)["pgo"]
        text = (self.folder / "own.prof").read_text(encoding="ascii")
        self.assertEqual(sorted(re.findall(r"(?m)^(\S+?):\d+:", text)), ["?shown@@YAII@Z", "start"])
        self.assertGreater(answer["without_name"], 0.3 * answer["instructions"])

    @unittest.skipUnless(CLANG and LINKER, "needs clang-19 and lld-link-19 to build the program")
    def test_a_pdb_is_enough(self):
        """Lines count from the declaration, which the PDB lacks: `mix` has its brace on another line."""
        source = PROGRAM.replace("work(unsigned n, unsigned seed) {", "work(unsigned n,\n  unsigned seed)\n{")
        self.build(("-gcodeview",), ("/debug:full,dwarf",), source)
        data = self.recorded("twin.data", "inst_retired:1000", program="program.exe")
        self.ok("pgo", data, "--format", "llvm", "-o", "twin.prof", cwd=self.folder)
        self.COMPILED = [word for word in self.COMPILED if word not in ("-gdwarf", "-fdebug-info-for-profiling")]
        self.build(("-gcodeview",), ("/debug:full",), source)
        data = self.recorded("pdb.data", "inst_retired:1000", program="program.exe")
        answer = self.json("pgo", data, "--format", "llvm", "-o", "pdb.prof", "--json", cwd=self.folder)["pgo"]
        self.assertEqual((answer["without_line"], answer["from_first_line"]), (0, 0))
        # A PDB has no discriminators, so blocks of one line share the largest count. The compiler assigns some code to
        # no line. In DWARF this code belongs to line 0, or to the line of the function if it comes first; in a PDB, to
        # the line before it.
        own, twin = lines_of(self.folder / "pdb.prof"), lines_of(self.folder / "twin.prof")
        self.assertEqual(own, {key: count for key, count in twin.items() if key in own})
        self.assertTrue(all(int(key[-1]) in (0, 65520) for key in twin if key not in own), twin)
        self.assertGreater(len(own), 8)
        self.assertIn(("work", "5:mix", "2"), own)
        built = run(*self.COMPILED, "-gcodeview", "-Wall", "-Werror", "-fprofile-sample-use=pdb.prof", "-S", "-emit-llvm", "-o", "-",
                    "program.c", cwd=self.folder)
        self.assertEqual(built.stderr, "")
        self.assertRegex(built.stdout, r"define .*@work\(.*!prof !\d+")
        # Without the source, lines are counted from the brace, and wperf reports it.
        (self.folder / "program.c").rename(self.folder / "elsewhere.c")
        text = self.ok("pgo", data, "--format", "llvm", "-o", "blind.prof", cwd=self.folder)
        self.assertRegex(text, r"not sure: [\d.]+ % of the counts, in functions whose declaration line is unknown")

    @unittest.skipUnless(CLANG and LINKER, "needs clang-19 and lld-link-19 to build the program")
    def test_the_binary_may_have_moved(self):
        """It is found by its name and build, in the folder of --binary or in a folder of --symbol-path."""
        self.build(("-gcodeview",), ("/debug:full,dwarf",))
        data = self.recorded("moved.data", "inst_retired:1000", program="program.exe")
        self.ok("pgo", data, "--format", "llvm", "-o", "here.prof", cwd=self.folder)
        moved = self.folder / "moved"
        moved.mkdir()
        for name in ("program.exe", "program.pdb"):
            (self.folder / name).rename(moved / name)
        for option in ("--binary", moved / "program.exe"), ("--symbol-path", moved):
            self.ok("pgo", data, "--format", "llvm", "-o", "moved.prof", *option, cwd=self.folder)
            self.assertEqual((self.folder / "moved.prof").read_bytes(), (self.folder / "here.prof").read_bytes())
        # Another build of this name is not used.
        self.build(("-gcodeview", "-DOTHER"), ("/debug:full,dwarf",), PROGRAM.replace("* 3", "* 5"))
        self.ok("pgo", data, "--format", "llvm", "-o", "moved.prof", "--symbol-path", moved, cwd=self.folder)
        self.assertEqual((self.folder / "moved.prof").read_bytes(), (self.folder / "here.prof").read_bytes())

    @unittest.skipUnless(CLANG and LINKER, "needs clang-19 and lld-link-19")
    def test_blocks_have_the_number_of_their_executions(self):
        """The same with few samples: `classify` ran 120,000 times, half of them for odd numbers."""
        self.build()
        calls = 60 * 2000
        # SPE may also record nothing but branches. In proportion to time, the slower blocks have too many samples.
        for event, most in (("inst_retired:997", 0.05), ("arm_spe_0/period=1024/", 0.1),
                            ("arm_spe_0/branch_filter=1,period=1024/", 0.3), ("cpu_cycles:499", 0.15)):
            data = self.recorded("x.data", event, program="program.exe")
            answer = self.json("pgo", data, "--format", "llvm", "-o", "x.prof", "--json", cwd=self.folder)["pgo"]
            self.assertLess(answer["used"], 5000)
            counts = lines_of(self.folder / "x.prof")
            known = {("classify", "1"): calls, ("classify", "4"): calls, ("work", "3:mix", "2"): calls,
                     ("work", "4"): calls // 2, ("work", "5"): calls // 2}
            # Samples per execution are the same everywhere.
            scale = sum(counts[key] for key in known) / sum(known.values())
            for key, executions in known.items():
                self.assertAlmostEqual(counts[key] / scale / executions, 1, delta=most, msg=(event, key, counts))

    @unittest.skipUnless(CLANG and LINKER and PROFGEN, "needs clang-19, lld-link-19 and llvm-profgen-19")
    def test_branches_of_spe_count_calls(self):
        self.build()
        data = self.recorded("e.data", "arm_spe_0/period=1024/", program="program.exe")
        answer = self.json("pgo", data, "--format", "llvm-unsymbolized", "-o", "e.raw", "--json", cwd=self.folder)["pgo"]
        self.assertEqual(answer["events"], ["SPE operations"])
        self.assertEqual(answer["used"] + sum(answer["not_used"].values()), answer["samples"])
        blocks, branches = read_unsymbolized(self.folder / "e.raw")
        branches = {pair: count for pair, count in branches.items() if pair[0] != 1}  # without entries from elsewhere
        self.assertGreater(sum(branches.values()), 5000)
        for origin, _ in branches:  # each taken branch is an operation, too, and ends its block
            self.assertTrue(any(last == origin for _, last in blocks), hex(origin))
        edges = self.json("report", data, "--branches", "--json", cwd=self.folder)["branches"]
        self.assertEqual((edges["source"], 100 * edges["taken"]), ("SPE", sum(branches.values())))
        # work calls classify once for each number, so about as often as its loop turns.
        head = int(re.search(r"(?m)^classify:\d+:(\d+)$", self.profile("e.raw"))[1])
        self.assertGreater(head, 20)


if __name__ == "__main__":
    unittest.main()
