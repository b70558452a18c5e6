#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf report` compared with the installed perf on the same recordings: time and memory.

usage: bench/perfdata/run.py [--check] [--rounds N] [--wperf FILE] [--keep FOLDER] [--sizes 1,53,310,490] [FILE...]
The recordings are made here, of real programs with frame-pointer stacks, as many megabytes each as --sizes says. They stay
in the user's cache folder. Both sides run in turns, the medians count. floor.cpp is the fastest possible loop. --check
fails if a limit is exceeded, and names it.
"""
import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "wperf" / "bench"
WORK = """
import json, re
data = [{"a": i, "b": [str(j) for j in range(20)]} for i in range(30000)]
text = json.dumps(data)
json.loads(text)
sorted(text.split(","))
re.findall(r"\\d+", text)
"""
# The usual way to fold stacks: perf's script, and a program like stackcollapse-perf.pl. COLLAPSE stands for that
# third-party program; it is shorter and not slower.
COLLAPSE = r"""
use strict; my (%count, @stack, $comm);
while (<STDIN>) {
  if (/^$/) { if (defined $comm) { $count{join(";", $comm, @stack)}++; } @stack = (); undef $comm; }
  elsif (/^\S/) { ($comm) = /^(\S.*?)\s+-?\d+/; }
  elsif (/^\s+[0-9a-f]+ (.+) \(.*\)$/) { my $name = $1; $name =~ s/\+0x[0-9a-f]+$//; unshift @stack, $name; }
}
print "$_ $count{$_}\n" for sort keys %count;
"""


# Built with frame pointers: a tree of expressions, evaluated, sorted and printed again and again.
EXPRESSIONS = r"""
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>
struct Node { virtual ~Node() = default; virtual double value() const = 0; virtual std::string text() const = 0; };
struct Leaf : Node { double number; explicit Leaf(double n) : number(n) {}
  double value() const override { return number; } std::string text() const override { return std::to_string(number); } };
struct Sum : Node { std::vector<std::unique_ptr<Node>> parts;
  double value() const override { double sum = 0; for (auto& part : parts) sum += part->value(); return sum; }
  std::string text() const override { std::string out = "("; for (auto& part : parts) out += part->text() + "+"; return out + ")"; } };
std::unique_ptr<Node> make(int depth) {
  if (depth == 0 || rand() % 7 == 0) return std::make_unique<Leaf>(rand() % 1000);
  auto sum = std::make_unique<Sum>();
  for (int i = 0; i < 2 + rand() % 3; ++i) sum->parts.push_back(make(depth - 1));
  return sum;
}
int main(int count, char** words) {
  std::map<std::string, double> seen;
  for (int i = 0; i < (count > 1 ? atoi(words[1]) : 10); ++i) {
    auto tree = make(2 + i % 9);
    std::string text = tree->text();
    std::sort(text.begin(), text.end());
    seen[text.substr(0, 64)] += tree->value();
  }
  return seen.empty();
}
"""


def record(path, megabytes, frequency):
    """Records Python, a pipeline, a program full of system calls, and one with deep stacks, again and again until the
    file has that size."""
    program = path.parent / "expressions"
    (path.parent / "expressions.cpp").write_text(EXPRESSIONS)
    subprocess.run(["g++", "-O1", "-g", "-fno-omit-frame-pointer", f"{program}.cpp", "-o", program], check=True)
    script = (f"while [ $(stat -c %s '{path}') -lt {megabytes * 1000000} ]; do {program} 500; python3 -c '{WORK}'; "
              "seq 1 100000 | sort -R | md5sum; find /usr/share /usr/lib | wc; tar c /usr/include | cat | wc; done")
    subprocess.run(["perf", "record", "-q", "-F", str(frequency), "-g", "-o", path, "--", "bash", "-c", script], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def measurer():
    """The path of measure.cpp's program, which is built once."""
    program = CACHE / "measure"
    source = pathlib.Path(__file__).with_name("measure.cpp")
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        CACHE.mkdir(parents=True, exist_ok=True)
        subprocess.run(["g++", "-O2", "-std=c++20", "-o", program, source], check=True)
    return program


def run(command):
    """Seconds and peak memory in MB, of all processes of the command."""
    done = subprocess.run([measurer(), *command], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(map(str, command))} ended with {done.returncode}")
    seconds, kilobytes = done.stdout.split()
    return float(seconds), int(kilobytes) / 1024


class Bench:
    def __init__(self, rounds):
        self.rounds = rounds
        self.broken = []

    def compare(self, name, ours, theirs, times, memory=None):
        mine, other = [], []
        for _ in range(self.rounds):
            mine.append(run(ours))
            other.append(run(theirs))
        seconds = statistics.median(one[0] for one in mine), statistics.median(one[0] for one in other)
        peak = max(one[1] for one in mine), max(one[1] for one in other)
        ratio, saved = seconds[1] / seconds[0], peak[1] / peak[0]
        print(f"{name:34} {seconds[0] * 1000:8.1f} ms {peak[0]:7.1f} MB | perf {seconds[1] * 1000:8.1f} ms {peak[1]:7.1f} MB"
              f" | {ratio:6.1f} times faster (promised {times})" + (f", memory 1/{saved:.1f} (promised 1/{memory})"
                                                                       if memory else f", memory 1/{saved:.1f}"))
        if ratio < times or (memory and saved < memory):
            self.broken.append(name)


    def judge(self, name, text, is_held):
        print(f"{name:34} {text}")
        if not is_held:
            self.broken.append(name)

    def beside_floor(self, ours, floor):
        """A report with call graph compared with a loop that only walks and folds."""
        mine = statistics.median(run(ours)[0] for _ in range(self.rounds))
        least = statistics.median(run(floor)[0] for _ in range(self.rounds))
        self.judge("call tree beside the floor", f"{mine * 1000:8.1f} ms | floor {least * 1000:8.1f} ms | {mine / least:.1f} times "
                   "(promised 2.2)", mine <= 2.2 * least)

    def lines(self, ours, floor):
        """Output of single samples: megabytes of text per second, and JSON compared with a hand-written writer."""
        rates = {}
        for name, command in (("text", ours), ("json", [*ours, "--json"]), ("by hand", [floor[0], "--json", floor[1]])):
            size = len(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout) / 1e6
            rates[name] = size / statistics.median(run(command)[0] for _ in range(self.rounds))
        self.judge("samples as text", f"{rates['text']:8.0f} MB/s (promised 300)", rates["text"] >= 300)
        self.judge("samples as JSON", f"{rates['json']:8.0f} MB/s | by hand {rates['by hand']:.0f} MB/s (promised three quarters)",
                   rates["json"] >= 0.75 * rates["by hand"])


def bench_file(bench, wperf, path, collapse, floor):
    size = path.stat().st_size
    print(f"{path.name}: {size / 1e6:.1f} MB")
    stdio = ["perf", "report", "-i", path, "--stdio"]
    ours = [wperf, "report", path]
    bench.compare("call tree", [*ours, "--tree"], [*stdio, "--no-children"], 10, 10)
    bench.compare("callers of hot functions", [*ours, "--callers"], [*stdio, "--no-children"], 10, 10)
    bench.compare("flat", ours, [*stdio, "--no-children", "-g", "none"], 5)
    if size < 5_000_000:
        return
    if size < 200_000_000:
        bench.compare("children", [*ours, "--children"], [*stdio, "--children"], 25)
    else:  # perf may need more memory than this machine has; in that case only wperf is run
        times = [run([*ours, "--children"]) for _ in range(bench.rounds)]
        peak = max(one[1] for one in times)
        bench.judge("children", f"{statistics.median(one[0] for one in times) * 1000:8.1f} ms {peak:7.1f} MB (promised 500 MB)", peak < 500)
    folding = ["sh", "-c", f"perf script -i '{path}' | perl '{collapse}'"]
    bench.compare("folded stacks", [*ours, "--folded"], folding, 40)
    bench.beside_floor([*ours, "--tree"], [floor, path])
    bench.lines([*ours, "--records", "-"], [floor, path])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--wperf", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "wperf")
    parser.add_argument("--keep", type=pathlib.Path, default=CACHE, help="record into this folder; existing recordings are used")
    parser.add_argument("--sizes", default="1,53,310,490", help="megabytes of each recording")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if shutil.which("perf") is None:
        print("skipped: no perf here")
        return 77
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    bench = Bench(options.rounds)
    folder = options.keep
    folder.mkdir(parents=True, exist_ok=True)
    collapse = folder / "collapse.pl"
    collapse.write_text(COLLAPSE)
    floor = folder / "floor"
    subprocess.run(["g++", "-O2", "-std=c++20", "-o", floor, pathlib.Path(__file__).with_name("floor.cpp")], check=True)
    files = list(options.files)
    for megabytes in [] if options.files else map(int, options.sizes.split(",")):
        path = folder / f"{megabytes}MB.data"
        if not path.exists():
            record(path, megabytes, 3000 if megabytes < 5 else 25000)
        files.append(path)
    for path in files:
        bench_file(bench, options.wperf, path, collapse, floor)
    for name in bench.broken:
        print(f"not held: {name}")
    return 1 if options.check and bench.broken else 0


if __name__ == "__main__":
    sys.exit(main())
