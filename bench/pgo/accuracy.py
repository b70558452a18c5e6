#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares profiles of `wperf pgo` with how often each instruction ran on the simulated machine.

usage: bench/pgo/accuracy.py [--check] [--samples N] [--build FOLDER] [PROGRAM…]
Each program is recorded by each kind of event, with about N samples (20,000 by default). Intervals are a quarter as long if only
branches are recorded, because few operations are branches. Branch stacks come from the execution itself, as hardware with LBR
or BRBE would record them: twice N stacks with branches of the program's image. The overlap of a profile with the truth is the sum of the
smaller of both shares, over all instructions of the image, in percent. PROGRAM is one of lua, mujs, zstd, sqlite3 and bc, which
`scripts/programs` builds; all by default. With --check, a small program is built by clang, and the bench fails if its counts are
not as known, or if an overlap is too small.
"""
import argparse
import collections
import itertools
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests" / "e2e")]
from recording_bytes import perf_data_with_branches  # noqa: E402
from shared import print_promises, tool  # noqa: E402

INPUTS = pathlib.Path(__file__).resolve().parent / "inputs"
DEPTH, STACK_INTERVAL = 32, 97  # branches of a stack; branches from one stack to the next
# Arguments and standard input.
PROGRAMS = {"lua": (["input.lua"], None), "mujs": (["input.js"], None), "zstd": (["-5", "-q", "-f", "input.txt"], None),
            "sqlite3": ([":memory:"], "input.sql"), "bc": (["-l", "-q", "input.bc"], None), "counted": ([], None)}
EVENTS = {"inst_retired": "inst_retired:{}", "cycles": "cpu_cycles:{}", "SPE operations": "arm_spe_0/period={}/",
          "SPE branches": "arm_spe_0/branch_filter=1,period={}/"}
SHORTEST = 1024  # interval of SPE
STACKS = "branch stacks"
KNOWN = {"pick": 300_000, "turn": 100_000, "choose": 100_000, "rest": 2_000}  # calls of the small program
# Its overlaps in percent, and by how much a profile's count of the frequent calls may differ.
LEAST = {"inst_retired": 97, "cycles": 90, "SPE operations": 97, "SPE branches": 96, STACKS: 99}
MOST_OFF = 30


def run(*command, **keywords):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=600, **keywords)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def write_text(path):
    """Words as in a text: some are much more frequent than others."""
    chance = random.Random(1)
    letters = "etaoinshrdlcumwfgypbvk"
    words = ["".join(chance.choice(letters) for _ in range(chance.randrange(2, 10))) for _ in range(3000)]
    path.write_text(" ".join(words[int(len(words) * chance.random() ** 3)] for _ in range(60_000)), encoding="ascii")


class Image:
    """A program's file, with its linked addresses."""

    def __init__(self, path):
        self.path, data = path, path.read_bytes()
        self.base = struct.unpack_from("<Q", data, struct.unpack_from("<I", data, 60)[0] + 48)[0]
        at = data.index(b"RSDS")
        self.build_id = data[at + 4:at + 24]

    def symbol(self, name):
        found = re.search(rf"(?m)^([0-9a-f]+) T {name}$", run(tool("llvm-nm"), self.path))
        return int(found[1], 16)


class Truth:
    """How often each instruction ran, and the branch stacks; all addresses are as linked."""

    def __init__(self, image, text):
        self.runs, self.cycles, moved, branches = collections.Counter(), 0, 0, []
        for line in text.splitlines():
            kind, *words = line.split()
            first, second = int(words[0], 16), int(words[1], 16)
            if kind == "image":
                moved, self.size = image.base - first, second
            elif kind == "block":
                for address in range(first + moved, first + moved + second, 4):
                    self.runs[address] += int(words[2])
                self.cycles += int(words[3])
            else:
                branches.append(((first + moved) % 2**64, (second + moved) % 2**64, False))
        stacks = (branches[i:i + DEPTH][::-1] for i in range(0, len(branches) - DEPTH + 1, DEPTH))
        self.stacks = [stack for stack in stacks if any(0 <= one - image.base < self.size for one, _, _ in stack)]

    def overlap(self, counts):
        ours, theirs = sum(self.runs.values()), sum(counts.values())
        return 100 * sum(min(count / ours, counts[address] / theirs) for address, count in self.runs.items())


class Bench:
    def __init__(self, build, folder, samples):
        self.build, self.folder, self.samples = build, folder, samples
        self.device = f"pace=free,instance=accuracy,writes=on,folder={folder}"

    def ran(self, name, *command):
        arguments, standard_input = PROGRAMS[name]
        with open(self.folder / standard_input if standard_input else "/dev/null", "rb") as stream:
            return run(*command, self.folder / f"{name}.exe", *arguments, cwd=self.folder, stdin=stream)

    def truth(self, name, image):
        return Truth(image, self.ran(name, self.build / "bin" / "pgo_executions", self.device, STACK_INTERVAL))

    def profile(self, data, image):
        """How often each instruction ran by the profile, and the number of samples or branches it was made from."""
        raw = self.folder / "raw"
        said = run(self.build / "bin" / "wperf", "pgo", data, "--binary", image.path, "--format", "llvm-unsymbolized", "-o", raw)
        counts = collections.Counter()
        for begin, last, count in re.findall(r"(?m)^([0-9A-Fa-f]+)-([0-9A-Fa-f]+):(\d+)$", raw.read_text(encoding="ascii")):
            for address in range(int(begin, 16), int(last, 16) + 4, 4):
                counts[address] += int(count)
        return counts, int(re.search(r": ([\d,]+) ", said)[1].replace(",", ""))

    def recorded(self, name, event):
        data = self.folder / "recorded.data"
        self.ran(name, self.build / "bin" / "wperf", "record", "-q", "--device", f"sim:{self.device}", "-c", "0", "-e", event, "-o",
                 data, "--")
        return data

    def with_stacks(self, image, truth):
        data = self.folder / "stacks.data"
        # Regular ones would keep step with loops.
        stacks = random.Random(1).sample(truth.stacks, min(2 * self.samples, len(truth.stacks)))
        path = "C:\\app\\" + image.path.name
        data.write_bytes(perf_data_with_branches(path, image.build_id, image.base, truth.size, stacks))
        return data

    def overlaps(self, name, image, truth):
        """{kind: (samples, overlap, profile)}"""
        instructions = sum(truth.runs.values())
        events = {"cycles": truth.cycles, "SPE branches": instructions // 4}
        found = {}
        for kind, event in EVENTS.items():
            interval = events.get(kind, instructions) // self.samples | 1
            data = self.recorded(name, event.format(max(interval, SHORTEST) if "spe" in event else interval))
            counts, samples = self.profile(data, image)
            found[kind] = samples, truth.overlap(counts), counts
        counts, samples = self.profile(self.with_stacks(image, truth), image)
        found[STACKS] = samples, truth.overlap(counts), counts
        return found


def build_counted(folder):
    run(tool("clang"), "--target=aarch64-pc-windows-msvc", "-O2", "-g", "-gcodeview", "-ffreestanding", "-c",
        INPUTS / "counted.c", "-o", folder / "counted.obj")
    run(tool("lld-link"), "/nologo", "/nodefaultlib", "/machine:arm64", "/debug:full,symtab", "/subsystem:console", "/entry:start",
        f"/out:{folder / 'counted.exe'}", folder / "counted.obj")


def check(bench):
    build_counted(bench.folder)
    image = Image(bench.folder / "counted.exe")
    truth = bench.truth("counted", image)
    begins = {name: image.symbol(name) for name in KNOWN}
    calls = {name: truth.runs[begin] for name, begin in begins.items()}
    print(f"calls of the small program: {calls}")
    promises = []
    for kind, (samples, overlap, counts) in bench.overlaps("counted", image, truth).items():
        scale = sum(truth.runs.values()) / sum(counts.values())
        off = max(abs(counts[begins[name]] * scale / known - 1) for name, known in KNOWN.items() if known >= 100_000)
        promises += [(f"{kind}, {samples:,}: overlap, %", overlap, ">=", LEAST[kind]),
                     (f"{kind}: calls off by at most, %", 100 * off, "<=", MOST_OFF)]
    return print_promises(promises) and calls == KNOWN


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="a small program with known counts; fail if a limit is missed")
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bench = Bench(options.build.resolve(), folder, options.samples)
        if options.check:
            return 0 if check(bench) else 1
        for file in INPUTS.iterdir():
            shutil.copy(file, folder)
        write_text(folder / "input.txt")
        print("| program |" + "".join(f" {kind} | overlap |" for kind in itertools.chain(EVENTS, [STACKS])))
        for program in options.programs or ["lua", "mujs", "zstd", "sqlite3", "bc"]:
            for end in (".exe", ".pdb"):
                shutil.copy(ROOT / "build" / "tools" / "programs" / (program + end), folder)
            image = Image(folder / f"{program}.exe")
            found = bench.overlaps(program, image, bench.truth(program, image))
            print(f"| {program} |" + "".join(f" {samples:,} | {overlap:.1f} |" for samples, overlap, _ in found.values()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
