#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures how often `wperf diff` is wrong, and how often it finds a real change: the figures of docs/design/diff.md.

  tools/diff_proof.py BUILD_FOLDER [sim|linux] [--pairs 200] [--runs 60] [--held-back N | --of COMMAND] [--per share] [--times N]

Records a program of eight functions again and again, and the same program with one function that does 3 % more. Pairs
are drawn from these recordings. In a pair of the same program, every change that `diff` calls sure is wrong. In a pair
of both programs, `diff` should name the changed function. --held-back draws function sizes that were not used for
tuning. --of records any program; then only pairs of the same program can be drawn. --times makes the programs run
longer, because 3 % of a function need many samples if samples are random. --per is diff's unit of comparison: if the
machine determines how long a run takes, one run per side can only compare shares. Needs clang and lld for the simulated
machine, cc for Linux.
"""
import argparse
import json
import os
import pathlib
import random
import shlex
import subprocess
import tempfile

ROUNDS = (9000, 14000, 20000, 30000, 42000, 25000, 6000, 11000)
SLOWER, BY_PERCENT = 3, 3
LOOP = {"sim": 'asm volatile("1: subs %0, %0, #1\\n add x9, x9, #3\\n b.ne 1b" : "+r"(n) :: "x9", "cc")',
        "linux": 'for (volatile unsigned long long i = 0; i < n; ++i) {}'}
SCALE = {"sim": 12, "linux": 2200}
TURNS = 200


def held_back(seed):
    """Eight sizes between 5,000 and 50,000. The function that gets slower is in the upper half."""
    chance = random.Random(seed)
    sizes = sorted(chance.randrange(5000, 50000) for _ in ROUNDS)
    return tuple(sizes[1:4] + [sizes[5], sizes[0], *sizes[6:], sizes[4]])


def source(device, slower, sizes, times):
    text = ""
    for i, rounds in enumerate(sizes):
        rounds = rounds * SCALE[device] * times // TURNS
        if slower and i == SLOWER:
            rounds = rounds * (100 + BY_PERCENT) // 100
        text += f"__attribute__((noinline)) void work_{i}(void) {{ unsigned long long n = {rounds}; {LOOP[device]}; }}\n"
    calls = "".join(f"work_{i}();" for i in range(len(ROUNDS)))
    # The functions are called in turns, as in real programs, so that disturbances of the machine affect all of them.
    return text + (f"int {'start' if device == 'sim' else 'main'}(void) {{ "
                   f"for (int turn = 0; turn < {TURNS}; ++turn) {{ {calls} }} return 0; }}\n")


def build(device, folder, name, slower, sizes, times):
    (folder / f"{name}.c").write_text(source(device, slower, sizes, times), encoding="ascii")
    if device == "linux":
        subprocess.run(["cc", "-O1", "-g", "-o", name, f"{name}.c"], cwd=folder, check=True)
        return f"./{name}"
    subprocess.run(["clang-19", "--target=aarch64-pc-windows-msvc", "-O1", "-g", "-gcodeview", "-ffreestanding", "-c",
                    f"{name}.c"], cwd=folder, check=True)
    # Both images have the same name, so that only functions are compared.
    (folder / name).mkdir()
    subprocess.run(["lld-link-19", "/nologo", "/nodefaultlib", "/machine:arm64", "/debug", "/subsystem:console", "/entry:start",
                    f"/out:{name}/prog.exe", f"/pdb:{name}/prog.pdb", f"{name}.o"], cwd=folder, check=True)
    return f"{name}/prog.exe"


class Proof:
    def __init__(self, wperf, device, folder, per):
        self.wperf, self.device, self.folder, self.per, self.seed = wperf, device, folder, per, 0

    def record(self, program, name):
        self.seed += 1
        event = ["-e", "inst_retired:997", "--jitter", "--device", f"sim:pace=free,seed={self.seed},instance=proof{os.getpid()}"]
        if self.device == "linux":
            event = ["-e", "cpu-clock", "--freq", "20000"]
        subprocess.run([self.wperf, "record", "-q", *event, "-o", name, "--", *shlex.split(program)], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)
        return name

    def sure(self, before, after):
        done = subprocess.run([self.wperf, "diff", "--json", "--per", self.per, *before, "--", *after], cwd=self.folder, check=True,
                              capture_output=True, text=True)
        [event] = json.loads(done.stdout)["diff"]["events"]
        return {row["function"]: row["change"] for row in event["functions"] if row["sure"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("device", nargs="?", choices=("sim", "linux"), default="sim")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--held-back", type=int, metavar="N")
    parser.add_argument("--of", metavar="COMMAND")
    parser.add_argument("--per", default="run")
    parser.add_argument("--times", type=int, default=1)
    arguments = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        proof = Proof(str(pathlib.Path(arguments.build).resolve() / "bin" / "wperf"), arguments.device, folder, arguments.per)
        sizes = ROUNDS if arguments.held_back is None else held_back(arguments.held_back)
        programs = [arguments.of] if arguments.of else [build(arguments.device, folder, word, slower, sizes, arguments.times) for word, slower in
                                                        (("old", False), ("new", True))]
        # The programs run alternately, as with `bench`, so that disturbances of the machine affect both programs.
        runs = ([], [])
        for i in range(arguments.runs):
            for side in range(len(programs)):
                runs[side].append(proof.record(programs[side], f"{'on'[side]}{i}.data"))
        for count in (1, 5):
            alarms = named = wrong = 0
            for _ in range(arguments.pairs):
                drawn = random.sample(runs[0], 2 * count)
                alarms += bool(proof.sure(drawn[:count], drawn[count:]))
                if arguments.of:
                    continue
                found = proof.sure(random.sample(runs[0], count), random.sample(runs[1], count))
                named += found.get(f"work_{SLOWER}", "").startswith("grew")
                # If shares are compared, all other functions shrink when one grows.
                wrong += proof.per == "run" and any(name != f"work_{SLOWER}" for name in found)
            print(f"{arguments.device}, {count} against {count}, {arguments.pairs} pairs: of the same program something is called "
                  f"sure in {alarms}" + ("" if arguments.of else f"; {BY_PERCENT} % more in one function are named in {named}, "
                                                               f"others in {wrong}"), flush=True)


if __name__ == "__main__":
    main()
