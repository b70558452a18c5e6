#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf report` compared with `perf report` on the same recordings: equal counts for each (command, module, symbol).

  report_with_perf.py --wperf WPERF [--keep FOLDER] [FILE...]

The recordings are made here by the installed perf, of programs that are written and compiled here. A difference is allowed
only where EXPLAINED says why. Exit status 77: no perf here, or
it may not record.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

import perf_recordings

PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long sink;
__attribute__((noinline)) void busy(unsigned long n) { for (unsigned long i = 0; i < n; ++i) sink += i * i; }
__attribute__((noinline)) void recursive(int depth) { busy(20000); if (depth > 0) recursive(depth - 1); busy(1000); }
static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) void sorting(void) {
  enum { kCount = 20000 };
  static __thread int numbers[kCount];
  for (int i = 0; i < kCount; ++i) numbers[i] = rand();
  qsort(numbers, kCount, sizeof numbers[0], by_size);
}
static void *thread(void *name) {
  pthread_setname_np(pthread_self(), name);
  for (int i = 0; i < 20; ++i) { recursive(10); sorting(); }
  return NULL;
}
static void children(int count) {
  for (int i = 0; i < count; ++i) {
    if (fork() == 0) {
      busy(3000000);
      if (i % 2 == 0) execlp("true", "true", (char *)NULL);
      _exit(0);
    }
  }
  while (wait(NULL) > 0) {}
}
static void libraries(char *const *names, int count) {
  for (int i = 0; i < count; ++i) {
    void *library = dlopen(names[i], RTLD_NOW);
    if (library == NULL) { fprintf(stderr, "%s\n", dlerror()); exit(1); }
    void (*work)(unsigned long) = (void (*)(unsigned long))dlsym(library, "work");
    work(20000000);
    dlclose(library);
  }
}
static __attribute__((noinline, aligned(64))) unsigned long count_up(unsigned long n) {
  volatile unsigned long sum = 0;
  for (unsigned long i = 0; i < n; ++i) sum += i;
  return sum;
}
/* The same in memory with a name, without a file. */
static void in_named_memory(void) {
  int file = memfd_create("made", 0);
  if (file < 0 || write(file, (void *)count_up, 256) != 256) exit(1);
  void *code = mmap(NULL, 256, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
  if (code == MAP_FAILED) exit(1);
  __builtin___clear_cache(code, (char *)code + 256);
  ((unsigned long (*)(unsigned long))code)(60000000);
}
int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "loop";
  if (strcmp(what, "threads") == 0) {
    static char *const names[] = {"first", "second", "third"};
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, thread, names[i]);
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  } else if (strcmp(what, "forks") == 0) {
    children(100);
  } else if (strcmp(what, "memfd") == 0) {
    in_named_memory();
  } else if (strcmp(what, "dlopen") == 0) {
    libraries(words + 2, count - 2);
  } else {
    for (int i = 0; i < 50; ++i) { recursive(10); sorting(); }
  }
  return 0;
}
"""
LIBRARY = r"""
static volatile unsigned long sink;
__attribute__((noinline)) static void NAME(unsigned long n) { for (unsigned long i = 0; i < n; ++i) sink += i ^ n; }
void work(unsigned long n) { NAME(n); }
"""

TEMPLATES = r"""
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
template <class T> __attribute__((noinline)) T middle(std::vector<T> all) {
  std::sort(all.begin(), all.end(), [](const T& a, const T& b) { return b < a; });
  return all[all.size() / 2];
}
int main() {
  std::map<std::string, int> seen;
  for (int round = 0; round < 50; ++round) {
    std::vector<int> numbers(5000);
    for (int& one : numbers) one = rand();
    std::vector<std::string> texts;
    for (int one : numbers) texts.push_back(std::to_string(one));
    seen[middle(texts)] += middle(numbers);
  }
  return seen.empty();
}
"""

# Name → options of perf record and the command. {0} is the folder.
RECORDINGS = {
    "flat": ["-e", "cpu-clock", "-F", "2000", "--", "{0}/work"],
    "two_events": ["-e", "cpu-clock,task-clock,page-faults", "-F", "1500", "--", "{0}/work"],
    "grouped": ["-e", "{cpu-clock,page-faults}:S", "-F", "1500", "--", "{0}/work"],
    "fp_stacks": ["-g", "-F", "2000", "--", "{0}/work", "threads"],
    "dwarf_stacks": ["--call-graph", "dwarf,4096", "-F", "500", "--", "{0}/work"],
    "threads": ["-s", "-F", "2000", "--", "{0}/work", "threads"],
    "forks": ["-F", "4000", "--", "{0}/work", "forks"],
    "dlopen": ["-g", "-F", "2000", "--", "{0}/work", "dlopen", "{0}/one.so", "{0}/two.so", "{0}/one.so"],
    "memfd": ["-g", "-F", "2000", "--", "{0}/work", "memfd"],
    "system_wide": ["-a", "-g", "-F", "1000", "--", "{0}/work", "forks"],
    "shell": ["-F", "4000", "--", "sh", "-c", "seq 1 300000 | sort -R | md5sum; {0}/work"],
    "python": ["-g", "-F", "2000", "--", sys.executable, "-c", "sum(hash(str(i)) for i in range(500000))"],
    "periods": ["-e", "cpu-clock", "-c", "500000", "--", "{0}/work", "threads"],
    "user_only": ["-e", "cpu-clock:u", "-F", "2000", "-d", "--", "{0}/work"],
    "cplusplus": ["-g", "-F", "3000", "--", "{0}/templates"],
    "packed": ["-z", "-g", "-F", "3000", "--", "{0}/work", "threads"],
    "through_pipe": ["-g", "-F", "2000", "--", "{0}/work", "forks"],
    "tracepoint": ["-e", "sched:sched_switch", "-g", "--", "{0}/work", "forks"],
}

# Symbols that may differ, and why. Within a command and module every difference must be explained by one line here, and
# samples that one side lacks must be a surplus on the other side: samples may have another name, but may not be lost.
EXPLAINED = [
    (r"@plt$|^\[unknown\]$|^_init$", "perf calls stubs without a symbol '@plt' or takes them for what lies before, and does not "
     "know those of .plt.sec and .plt.got"),
    (r"^__vdso_|^__kernel_|^\[unknown\]$", "perf takes the names of the vdso from its own process"),
]


def perf(*arguments, check=True):
    return subprocess.run(["perf", *map(str, arguments)], capture_output=True, text=True, check=check, errors="replace")


def compile_programs(folder):
    (folder / "work.c").write_text(PROGRAM)
    (folder / "library.c").write_text(LIBRARY)
    flags = ["gcc", "-O1", "-g", "-fno-omit-frame-pointer"]
    subprocess.run([*flags, folder / "work.c", "-o", folder / "work", "-pthread", "-ldl"], check=True)
    (folder / "templates.cpp").write_text(TEMPLATES)
    subprocess.run(["g++", "-O1", "-fno-omit-frame-pointer", folder / "templates.cpp", "-o", folder / "templates"], check=True)
    for name in ("one", "two"):
        subprocess.run([*flags, "-shared", "-fPIC", f"-DNAME=in_{name}", folder / "library.c", "-o", folder / f"{name}.so"],
                       check=True)


def record(folder, name):
    path = folder / f"{name}.data"
    words = [word.replace("{0}", str(folder)) for word in RECORDINGS[name]]
    if name == "through_pipe":
        for _ in range(3):  # on a busy machine perf sometimes writes no sample at all into a pipe
            with open(path, "wb") as file:
                done = subprocess.run(["perf", "record", "-o", "-", *words], stdout=file, stderr=subprocess.DEVNULL, check=False)
            if done.returncode != 0 or perf("script", "-i", path, "-F", "ip", check=False).stdout.strip():
                break
    else:
        done = perf("record", "-o", path, *words, check=False)
    return path if done.returncode == 0 and path.exists() else None


def plain(module, symbol):
    """Returns one spelling for names that wperf and perf write differently."""
    module = module.strip()
    symbol = symbol.strip()
    if module in ("[kernel.kallsyms]", "[kernel.vmlinux]", "[guest.kernel.kallsyms]"):
        module = "[kernel]"
    module = re.sub(r"^\[JIT\] (tid|pid) ", "[JIT] ", module)
    # For stripped code, perf shows addresses and wperf shows the beginnings of functions.
    if re.fullmatch(rf"(0x)?[0-9a-f]{{8,}}|{re.escape(module)}\+0x[0-9a-f]+", symbol):
        symbol = "[unknown]"
    return module, symbol


def by_perf(path):
    """{event: {(command, module, symbol): (samples, period)}}"""
    done = perf("report", "-i", path, "--stdio", "--no-children", "-g", "none", "--sort", "comm,dso,symbol", "-F",
                "sample,period,comm,dso,sym", "-w", "24,24,64,512,2048", "--percent-limit", "0", "-t", "\x01", "--no-group",
                "--no-inline", "--no-demangle", check=False)
    events, rows = {}, None
    for line in done.stdout.splitlines():
        found = re.match(r"^# Samples: .* of events? '(.*)'", line)
        if found:
            rows = events.setdefault(found.group(1), collections.defaultdict(lambda: (0, 0)))
        elif rows is not None and line and not line.startswith("#"):
            words = line.split("\x01")
            if len(words) < 5:
                sys.exit(f"error: cannot read perf's line {line!r}")
            samples, period, comm, module, symbol = words[:5]  # perf adds columns for some events
            symbol = re.sub(r"^\s*\[.\] ", "", symbol)
            key = (comm.strip(), *plain(module, symbol))
            before = rows[key]
            rows[key] = before[0] + int(samples), before[1] + int(period)
    return {name: dict(rows) for name, rows in events.items() if rows}, done.stderr


def by_wperf(wperf, path, *more):
    done = subprocess.run([wperf, "report", path, "--json", "--sample-display-long", "--sample-display-row", "10000000",
                           *more], capture_output=True,
                          text=True, check=False)
    notes = [line for line in done.stderr.splitlines() if not line.startswith("note: this is a recording of context switches; ")]
    if done.returncode != 0 or notes:
        sys.exit(f"error: wperf ended with {done.returncode} on {path}: {done.stderr}")
    events = {}
    recording = json.loads(done.stdout)["recording"]
    for event in recording["events"]:
        rows = collections.defaultdict(lambda: (0, 0))
        for row in event["rows"]:
            key = (row["comm"], *plain(row["module"], row["symbol"]))
            rows[key] = rows[key][0] + row["samples"], rows[key][1] + row["period"]
        if rows:
            events[event["event"]] = dict(rows)
    return events, {module["module"]: module["path"] for module in recording["modules"] if module["path"]}


SAME_KERNEL_PLACE = "of several names at one place of the kernel perf shows the one that is listed last"
SAME_PLACE = "of a function without a size and one that begins where it stands, perf may show the former"


def are_one_place(path, symbols):
    """Whether each of these names shares an address in the file with another of these names."""
    places = collections.defaultdict(set)
    listed = subprocess.run(["readelf", "-Ws", "--dyn-syms", path], capture_output=True, text=True, check=False).stdout
    for line in listed.splitlines():
        words = line.split()
        if len(words) == 8 and words[3] == "FUNC":
            places[words[7].split("@")[0]].add(words[1])
    return share_places(places, [symbol.split("@")[0] for symbol in symbols])


def are_one_kernel_place(symbols):
    """The same for the running kernel."""
    places = collections.defaultdict(set)
    for line in pathlib.Path("/proc/kallsyms").read_text(errors="replace").splitlines():
        words = line.split()
        if words[2] in symbols:
            places[words[2]].add(words[0])
    return share_places(places, symbols)


def share_places(places, symbols):
    return all(any(places[symbol] & places[other] for other in symbols if other != symbol) for symbol in symbols)


class Comparison:
    def __init__(self):
        self.paths = {}  # by name of the module
        self.explained = collections.Counter()
        self.differences = 0
        self.rows = 0

    def compare(self, name, ours, theirs):
        """The number of samples."""
        if ours.keys() != theirs.keys():
            self.differences += 1
            print(f"{name}: events {sorted(ours)} here, {sorted(theirs)} by perf")
        samples = 0
        for event in sorted(ours.keys() & theirs.keys()):
            mine, other = ours[event], theirs[event]
            differing = collections.defaultdict(list)
            for key in sorted(mine.keys() | other.keys()):
                self.rows += 1
                here, there = mine.get(key, (0, 0)), other.get(key, (0, 0))
                samples += here[0]
                if here != there:
                    differing[key[:2]].append((key[2], here, there))
            for where, symbols in differing.items():
                self.judge(f"{name}: {event}: {' | '.join(where)}", symbols)
        print(f"{name}: {samples} samples, {sum(len(rows) for rows in theirs.values())} rows")
        return samples

    def judge(self, where, symbols):
        """One line of EXPLAINED applies to all differences of a command and module."""
        balanced = all(sum(here[i] for _, here, _ in symbols) == sum(there[i] for _, _, there in symbols) for i in (0, 1))
        for pattern, _ in EXPLAINED:
            if balanced and all(re.search(pattern, symbol) for symbol, _, _ in symbols):
                self.explained[pattern] += len(symbols)
                return
        names = [symbol for symbol, _, _ in symbols]
        if balanced and where.endswith(" | [kernel]") and are_one_kernel_place(names):
            self.explained[SAME_KERNEL_PLACE] += len(symbols)
            return
        path = self.paths.get(where.split(" | ")[-1])
        if balanced and path and are_one_place(path, names):
            self.explained[SAME_PLACE] += len(symbols)
            return
        self.differences += len(symbols)
        for symbol, here, there in symbols:
            print(f"{where} | {symbol}: (samples, period) {here} here, {there} by perf")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wperf", type=pathlib.Path, required=True)
    perf_recordings.add_arguments(parser)
    options = parser.parse_args()
    comparison = Comparison()

    def compare(name, path):
        theirs, said = by_perf(path)
        ours, comparison.paths = by_wperf(options.wperf, path)
        if comparison.compare(name, ours, theirs) == 0:
            comparison.differences += 1
            print(f"{name}: no samples\n{said[-300:]}")

    if not perf_recordings.compare_all(options, RECORDINGS, compile_programs, record, compare):
        return perf_recordings.SKIPPED
    print(f"{comparison.rows} rows, {comparison.differences} differences, {sum(comparison.explained.values())} explained")
    for pattern, reason in [*EXPLAINED, (SAME_KERNEL_PLACE, SAME_KERNEL_PLACE), (SAME_PLACE, SAME_PLACE)]:
        print(f"  {comparison.explained[pattern]} rows: {reason}")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
