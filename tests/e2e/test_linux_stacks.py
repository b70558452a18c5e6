#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`record -g` on Linux: callers in programs without frame pointers, in deep stacks, and in code made at run time."""
import collections
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from measured_programs import ENOUGH, until_enough
from support import WperfTest, paranoid

NO_POINTERS = r"""
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sum;
static long until;
static __attribute__((noinline, noclone)) void leaf(void) {
  struct timespec now;
  do {
    for (int i = 0; i < 20000; ++i) sum += i;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < until);
}
static __attribute__((noinline, noclone)) void middle(int n) { leaf(); sum += n; }
static __attribute__((noinline, noclone)) void outer(int n) { middle(n); sum += n; }
static __attribute__((noinline, noclone)) void deep(int n) {
  volatile char room[1024];
  room[n] = 1;
  if (n == 0) outer(n); else deep(n - 1);
  sum += room[n];
}
int main(int count, char **words) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  until = now.tv_sec * 1000 + now.tv_nsec / 1000000 + atol(words[1]);
  if (count > 2) deep(atoi(words[2])); else outer(3);
  return 0;
}
"""

# Like Python with -X perf: each Python function has a small piece of generated code that calls the interpreter, and a
# map names the pieces.
TRAMPOLINE = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sum;
static long until;
static __attribute__((noinline, noclone)) void interpret(void) {
  struct timespec now;
  do {
    for (int i = 0; i < 20000; ++i) sum += i;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < until);
}
#if defined(__aarch64__)
static const unsigned int made[] = {0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0};
#elif defined(WITHOUT_FRAME_POINTER)
static const unsigned char made[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3};
#else
static const unsigned char made[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3};
#endif
int main(int count, char **words) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  until = now.tv_sec * 1000 + now.tv_nsec / 1000000 + atol(words[1]);
  char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, made, sizeof made);
  if (mprotect(code, 4096, PROT_READ | PROT_EXEC) != 0) return 1;
  __builtin___clear_cache(code, code + sizeof made);
  char name[64];
  snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
  FILE *map = fopen(name, "w");
  fprintf(map, "%lx %lx py::work:/home/user/a.py\n", (unsigned long)code, (unsigned long)sizeof made);
  fclose(map);
  puts(name);
  fflush(stdout);
#if defined(__aarch64__)
  ((void (*)(void (*)(void)))code)(interpret);
#else
  ((void (*)(long, long, long, void (*)(void)))code)(0, 0, 0, interpret);
#endif
  sum += count;
  return 0;
}
"""


def may_not_sample():
    level = paranoid()
    return level is None or (level > 2 and os.geteuid() != 0)


@unittest.skipUnless(sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64"), "needs Linux on x86-64 or AArch64")
@unittest.skipIf(may_not_sample(), "this kernel has no perf events, or this user may not sample")
@unittest.skipIf(shutil.which("cc") is None, "there is no C compiler")
class LinuxStacksTest(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        for name, source, *options in (("plain", NO_POINTERS), ("trampoline", TRAMPOLINE),
                                       ("old_trampoline", TRAMPOLINE, "-DWITHOUT_FRAME_POINTER")):
            (cls.path / f"{name}.c").write_text(source)
            subprocess.run(["cc", "-O2", "-fomit-frame-pointer", *options, "-o", cls.path / name, cls.path / f"{name}.c"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def folded(self, text):
        """{stack: samples}, without the thread's name and the frames before main."""
        stacks = collections.Counter()
        for line in text.splitlines():
            stack, count = line.rsplit(" ", 1)
            stacks[re.sub(r"^.*?;(?=main;)", "", stack)] += int(count)
        return stacks

    def recorded(self, name, *words, how=("-g",)):
        """Returns a recording that is long enough, and its folded stacks."""
        path = self.path / f"{name}.data"

        def run(milliseconds):
            self.ok("record", "-q", *how, "-e", "cpu-clock:500000", "-o", path, "--", self.path / name, str(milliseconds), *words,
                    device="linux")
            return self.folded(self.ok("report", path, "--folded"))
        return path, until_enough(run, lambda stacks: sum(stacks.values()))

    def test_callers_without_frame_pointers(self):
        path, stacks = self.recorded("plain")
        total = sum(stacks.values())
        right = sum(count for stack, count in stacks.items() if stack.startswith("main;outer;middle;leaf"))
        self.assertGreaterEqual(total, ENOUGH)
        self.assertGreater(right, 0.95 * total, stacks)
        # The file holds the call chains, not the copies of the stacks.
        self.assertLess(path.stat().st_size, 100_000 + 1000 * total)

    def test_what_perf_reads(self):
        if shutil.which("perf") is None:
            self.skipTest("perf is not installed")
        path, stacks = self.recorded("plain")
        done = subprocess.run(["perf", "script", "-i", path, "-F", "ip,sym"], capture_output=True, text=True, check=True)
        callers = len(re.findall(r"leaf\n\s+[0-9a-f]+ middle\n\s+[0-9a-f]+ outer\n\s+[0-9a-f]+ main\n", done.stdout))
        self.assertGreater(callers, 0.9 * sum(stacks.values()))

    def test_copies_below_a_shell(self):
        """For children of a shell, perf often stops unwinding after the first function (6.1: for samples soon after a
        fork or exec). wperf unwinds all of them correctly: the callers of leaf are known."""
        if shutil.which("perf") is None:
            self.skipTest("perf is not installed")
        path = self.path / "shell.data"
        script = "for i in 1 2 3 4 5 6 7 8; do (./plain 20); done"
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-c", "500000", "--call-graph", "dwarf", "-o", path, "--", "sh",
                        "-c", script], cwd=self.path, capture_output=True, check=True)
        stacks = self.folded(self.ok("report", path, "--folded", "--comm", "plain"))
        in_leaf = {stack: count for stack, count in stacks.items() if re.search(r"(^|;)leaf(;|$)", stack)}
        right = sum(count for stack, count in in_leaf.items() if stack.startswith("main;outer;middle;leaf"))
        total = sum(in_leaf.values())
        self.assertGreater(total, 0)
        self.assertEqual(right, total, stacks)
        perf = subprocess.run(["perf", "script", "-i", path, "--comm", "plain", "-F", "ip,sym"], capture_output=True, text=True, check=True)
        theirs = len(re.findall(r"leaf\n\s+[0-9a-f]+ middle\n\s+[0-9a-f]+ outer\n\s+[0-9a-f]+ main\n", perf.stdout))
        self.assertLessEqual(theirs, right)

    def test_stacks_deeper_than_the_copy_are_told(self):
        path, stacks = self.recorded("plain", "40")
        text = self.ok("report", path, "--tree")
        cut = re.search(r"^(?:note: )?([\d,]+)(?: of [\d,]+)? call stacks stop early[^:]*: the stack copy was too short", text, re.MULTILINE)
        self.assertIsNotNone(cut, text)
        self.assertGreater(int(cut.group(1).replace(",", "")), 0.9 * sum(stacks.values()))
        deepest = max(stacks, key=stacks.get)
        self.assertRegex(deepest, r"deep;deep;deep;deep;deep;deep;deep;deep;.*outer;middle;leaf")

    def test_stacks_are_complete_where_a_program_begins(self):
        """The first function of the dynamic loader has no call frame information."""
        path = self.path / "short.data"
        text = self.ok("record", "-g", "-e", "cpu-clock:50000", "-o", path, "--", "sh", "-c",
                       "i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done", device="linux")
        samples = int(re.search(r"([\d,]+) samples", text)[1].replace(",", ""))
        self.assertGreater(samples, ENOUGH)
        incomplete = re.search(r"([\d,]+) of [\d,]+ stacks are incomplete", text)
        self.assertLess(int(incomplete[1].replace(",", "")) if incomplete else 0, 0.05 * samples, text)

    def test_functions_of_a_language_stand_between_those_of_c(self):
        for program in ("trampoline", "old_trampoline"):
            path, stacks = self.recorded(program)
            total = sum(stacks.values())
            right = sum(count for stack, count in stacks.items() if stack.startswith("main;work;interpret"))
            self.assertGreater(right, 0.95 * total, stacks)


if __name__ == "__main__":
    unittest.main()
