#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the callers unwound from stack copies, address by address, with those of `perf script`.

  unwind_with_perf.py --dump UNWIND_DUMP [--keep FOLDER] [FILE...]

The recordings are made here with `perf record --call-graph dwarf`, of programs that are written and compiled here. With
FILEs, these recordings are compared instead. A stack may differ only where EXPLAINED says why. Exit status 77: no perf
here, or it may not record.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

import perf_recordings

DEEP = r"""
#include <string.h>
volatile unsigned long sink;
__attribute__((noinline)) void busy(unsigned long n) { for (unsigned long i = 0; i < n; ++i) sink += i * i; }
__attribute__((noinline)) unsigned long deep(int depth, unsigned long seed) {
  volatile char frame[700];
  memset((char *)frame, (int)seed, sizeof frame);
  unsigned long sum = depth > 0 ? deep(depth - 1, seed + 1) : 0;
  busy(300);
  return sum + (unsigned long)frame[seed % sizeof frame];
}
int main(void) {
  for (int i = 0; i < 12000; ++i) sink += deep(i % 40, (unsigned long)i);
  return 0;
}
"""

TEMPLATES = r"""
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
template <class T> __attribute__((noinline)) T middle(std::vector<T> all) {
  std::sort(all.begin(), all.end(), [](const T& a, const T& b) { return b < a; });
  return all[all.size() / 2];
}
template <int n> __attribute__((noinline)) int nested(const std::function<int(int)>& call, int value) {
  if (value % 97 == 96) throw std::runtime_error("unlucky");
  if constexpr (n == 0) return call(value) + 1;
  else return nested<n - 1>(call, value + 1) + 1;
}
int main() {
  std::map<std::string, int> seen;
  for (int round = 0; round < 120; ++round) {
    std::vector<int> numbers(4000);
    for (int& one : numbers) one = rand();
    std::vector<std::string> texts;
    for (int one : numbers) texts.push_back(std::to_string(one));
    seen[middle(texts)] += middle(numbers);
    for (int i = 0; i < 300; ++i) {
      try {
        seen["nested"] += nested<20>([&](int value) { return middle(std::vector<int>(20, value)); }, i);
      } catch (const std::runtime_error& error) {
        seen[error.what()]++;
      }
    }
  }
  return seen.empty();
}
"""

SIGNALS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
volatile unsigned long sink;
__attribute__((noinline)) void busy(unsigned long n) { for (unsigned long i = 0; i < n; ++i) sink += i * i; }
__attribute__((noinline)) static void on_alarm(int number) { (void)number; busy(400000); }
__attribute__((noinline)) static int by_size(const void *a, const void *b) {
  busy(20);
  return *(const int *)a - *(const int *)b;
}
__attribute__((noinline)) static void sorting(int count) {
  int numbers[count];
  for (int i = 0; i < count; ++i) numbers[i] = rand();
  qsort(numbers, (size_t)count, sizeof numbers[0], by_size);
  sink += (unsigned long)numbers[0];
}
static void *thread(void *rounds) {
  for (long i = 0; i < (long)rounds; ++i) sorting(2000);
  return NULL;
}
static void clocks(void) {
  struct timespec now;
  for (int i = 0; i < 6000000; ++i) { clock_gettime(CLOCK_MONOTONIC, &now); sink += (unsigned long)now.tv_nsec; }
}
int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "sort";
  if (strcmp(what, "signals") == 0) {
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval every = {{0, 3000}, {0, 3000}};
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < 400; ++i) sorting(1500);
  } else if (strcmp(what, "threads") == 0) {
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, thread, (void *)90);
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  } else if (strcmp(what, "library") == 0) {
    void *library = dlopen(words[2], RTLD_NOW);
    if (library == NULL) { fprintf(stderr, "%s\n", dlerror()); return 1; }
    void (*work)(void (*)(int), int) = (void (*)(void (*)(int), int))dlsym(library, "work");
    for (int i = 0; i < 150; ++i) work(sorting, 1500);
  } else if (strcmp(what, "clock") == 0) {
    clocks();
  } else {
    for (int i = 0; i < 250; ++i) sorting(2000);
  }
  return 0;
}
"""
LIBRARY = r"""
static int depth;
__attribute__((noinline)) static void descend(void (*call)(int), int count, int levels) {
  volatile char frame[64];
  frame[0] = (char)levels;
  if (levels == 0) call(count); else descend(call, count, levels - 1);
  depth += frame[0];
}
void work(void (*call)(int), int count) { descend(call, count, 6); }
"""

# Name → source, compiler and its options.
WITHOUT_FRAME_POINTERS = ["-g", "-O2", "-fomit-frame-pointer"]
PROGRAMS = {
    "deep": ("c", DEEP, ["gcc", *WITHOUT_FRAME_POINTERS, "-fno-optimize-sibling-calls"]),
    "templates": ("cpp", TEMPLATES, ["g++", *WITHOUT_FRAME_POINTERS]),
    "signals": ("c", SIGNALS, ["gcc", *WITHOUT_FRAME_POINTERS, "-fno-optimize-sibling-calls", "-pthread", "-ldl"]),
    "static": ("c", SIGNALS, ["gcc", *WITHOUT_FRAME_POINTERS, "-static-pie", "-pthread", "-w"]),
    "library.so": ("c", LIBRARY, ["gcc", *WITHOUT_FRAME_POINTERS, "-shared", "-fPIC"]),
    # No .eh_frame: .debug_frame has the information.
    "debug_frame": ("c", DEEP, ["gcc", "-g", "-O1", "-fno-asynchronous-unwind-tables", "-fomit-frame-pointer"]),
}
RECORDINGS = {
    "deep": ["dwarf,65528", "{0}/deep"],
    "cut": ["dwarf,2048", "{0}/deep"],
    "templates": ["dwarf,16384", "{0}/templates"],
    "sort": ["dwarf,32768", "{0}/signals"],
    "signals": ["dwarf,32768", "{0}/signals", "signals"],
    "threads": ["dwarf,32768", "{0}/signals", "threads"],
    "library": ["dwarf,32768", "{0}/signals", "library", "{0}/library.so"],
    "clock": ["dwarf,8192", "{0}/signals", "clock"],
    "static_pie": ["dwarf,32768", "{0}/static", "threads"],
    "debug_frame": ["dwarf,65528", "{0}/debug_frame"],
    "python": ["dwarf,32768", sys.executable, "-c", "sum(hash(str(i)) for i in range(400000))"],
}

FIRST_KERNEL_ADDRESS = 1 << 63
# Allowed differences between two stacks: a test for (wperf's stack, perf's stack), both with the innermost frame first,
# and the reason.
EXPLAINED = [
    (lambda mine, other: not other and len(mine) == 1,
     "perf shows not even the sample's own address where nothing of the stack could be copied"),
    (lambda mine, other: len(mine) == len(other) and all(a in (b, b + 1) for a, b in zip(mine, other)) and
     sum(a != b for a, b in zip(mine, other)) == 1,
     "perf takes one off the address that a signal handler returns to, and then has no name for it"),
    (lambda mine, other: len(other) > 1 and mine[:-1] == other,
     "perf ends one frame before us where the copy has the return address but not all registers that the function saved"),
]
# One program has only .debug_frame.
DEBUG_FRAME = "perf's unwinder may have been built without .debug_frame, and then ends where there is no .eh_frame"
# In a few samples, a caller is code without any table, such as the code that runs destructors at the end of a program.
# wperf then follows frame pointers. perf stops, or guesses a stack pointer and treats a word on the stack as a caller
# outside of all files (shown as an address, not as a file offset). In such cases, wperf's stack must end with the same
# frame as the stacks on which both agree.
GIVEN_UP = "perf ends or guesses where there is no table, and we go on to where other stacks end, too"
# If wperf's stack ends at the same frame, because there is no table and the stack copy ends, perf's stack is longer
# only by that word. This may occur as often as wperf reports such an end.
GUESSED = "perf takes a word that lies in no file for one caller more, where we say that the stack cannot be followed"
FIRST_ADDRESS_IN_NO_FILE = 1 << 40
MOST_GIVEN_UP = 0.01


def run(*words, check=True):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, check=check, errors="replace")


def compile_programs(folder):
    for name, (language, source, command) in PROGRAMS.items():
        path = folder / f"{name}.{language}"
        path.write_text(source)
        run(*command, path, "-o", folder / name)


def record(folder, name):
    path = folder / f"{name}.data"
    how, *program = [word.replace("{0}", str(folder)) for word in RECORDINGS[name]]
    done = run("perf", "record", "-o", path, "-e", "cpu-clock", "-F", "1000", "--call-graph", how, "--", *program, check=False)
    return path if done.returncode == 0 and path.exists() else None


def by_perf(path):
    """{(thread, nanoseconds): places of the frames of user code in their files, innermost first}"""
    done = run("perf", "script", "-i", path, "-F", "tid,time,ip", "--ns", "--no-inline", "--max-stack", "4000")
    stacks, key = {}, None
    for line in done.stdout.splitlines():
        head = re.match(r"^\s*(\d+)\s+(\d+)\.(\d+):", line)
        if head:
            key = int(head.group(1)), int(head.group(2) + head.group(3))
            stacks[key] = []
        elif line.strip():
            place = int(line.split()[0], 16)
            if place < FIRST_KERNEL_ADDRESS:
                stacks[key].append(place)
    return stacks


def by_dump(dump, path):
    """The same from wperf, and the number of stacks that end early: for lack of bytes or tables, because of damage, or
    in 32-bit programs."""
    stacks, early = {}, []
    for line in run(dump, path).stdout.splitlines():
        words = line.split()
        if words[0] == "early":
            early = list(map(int, words[1:]))
        else:
            stacks[int(words[0]), int(words[1])] = [int(word, 16) for word in words[2:]]
    return stacks, early


class Comparison:
    def __init__(self):
        self.explained = collections.Counter()
        self.differences = 0

    def compare(self, name, ours, early, theirs):
        same, shown, given_up, guessed = 0, 0, 0, 0
        agreed = [mine for key, mine in ours.items() if theirs.get(key) == mine]
        endings = {tuple(stack[-2:]) for stack in agreed if len(stack) > 1}
        for key in sorted(ours.keys() | theirs.keys()):
            mine, other = ours.get(key, []), theirs.get(key, [])
            if mine == other:
                same += 1
                continue
            reason = next((reason for judge, reason in EXPLAINED if judge(mine, other)), None)
            known = other[:-1] if other and other[-1] >= FIRST_ADDRESS_IN_NO_FILE else other
            ends_early = len(known) < len(mine) and mine[:len(known)] == known
            if not reason and ends_early and name == "debug_frame":
                reason = DEBUG_FRAME
            elif not reason and ends_early and tuple(mine[-2:]) in endings:
                given_up += 1
                reason = GIVEN_UP if given_up <= max(2, MOST_GIVEN_UP * len(ours)) else None
            elif not reason and known == mine and len(other) == len(mine) + 1:
                guessed += 1
                reason = GUESSED if guessed <= sum(early[:2]) else None
            if reason:
                self.explained[reason] += 1
                continue
            self.differences += 1
            shown += 1
            if shown <= 3:
                for who, stack in (("here", mine), ("perf", other)):
                    print(f"  {who}: {' '.join(f'{place:x}' for place in stack[:60])}")
        frames = sum(map(len, ours.values()))
        print(f"{name}: {len(ours)} stacks with {frames} frames, {same} the same; early {early}")
        return len(ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dump", type=pathlib.Path, required=True)
    perf_recordings.add_arguments(parser)
    options = parser.parse_args()
    comparison = Comparison()

    def compare(name, path):
        if comparison.compare(name, *by_dump(options.dump, path), by_perf(path)) == 0:
            comparison.differences += 1
            print(f"{name}: no samples")

    if not perf_recordings.compare_all(options, RECORDINGS, compile_programs, record, compare):
        return perf_recordings.SKIPPED
    print(f"{comparison.differences} differences, {sum(comparison.explained.values())} explained")
    for reason, count in comparison.explained.items():
        print(f"  {count} stacks: {reason}")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
