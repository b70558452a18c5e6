#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the scenarios of the NT host in QEMU, each in the modes it needs, on the driver that ships.

    tests/nthost/run_nthost.py [--build FOLDER] [--only PATTERN] [--mode MODE] [--requests N]

Exit status: 0 all passed, 1 something failed, 77 nothing could run (and why).
"""
import argparse
import concurrent.futures
import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
import time

import server_check
import server_client

ROOT = pathlib.Path(__file__).resolve().parents[2]
QEMU = "qemu-system-aarch64"
EXACT_TIME = ["-icount", "shift=1,sleep=off"]
SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")
RESULT = re.compile(r"^(PASS|FAIL|SKIP) (\w+)")
TIMEOUT_S = 300


@dataclasses.dataclass
class Mode:
    """One way to run QEMU. `words` are the host's arguments (-append)."""
    name: str
    options: list
    words: list
    twice: bool = False  # two runs must print the same
    only: str = ""
    served: bool = False  # the scenario is a server, and server_check.py its client
    crashes: bool = False  # each scenario must end its run with a crash report


def modes(requests):
    return [
        # Two runs with half of the requests each keep both cores of this machine busy.
        Mode("fuzz", ["-cpu", "neoverse-n1", "-smp", "2"], [f"requests={requests // 2}", "seed=20260101"],
             only="a_million_random_requests"),
        Mode("fuzz again", ["-cpu", "max", "-smp", "2"], [f"requests={requests - requests // 2}", "seed=777"],
             only="a_million_random_requests"),
        Mode("exact", ["-cpu", "neoverse-n1", "-smp", "3", *EXACT_TIME], ["icount"], twice=True),
        Mode("trapped", ["-machine", "virtualization=on", "-cpu", "neoverse-n1", "-smp", "4", *EXACT_TIME], ["icount"],
             twice=True),
        Mode("fast", ["-cpu", "max", "-smp", "3", "-accel", "tcg,thread=multi"], []),
        Mode("eight counters", ["-cpu", "a64fx", "-smp", "3", *EXACT_TIME], ["icount"], only="count*"),
        Mode("crashes", ["-cpu", "max", "-smp", "2"], [], only="crash_*", crashes=True),
        Mode("server", ["-cpu", "max", "-smp", "3"], [], only="serve_a_bridge", served=True),
        Mode("exact server", ["-cpu", "max", "-smp", "3", "-icount", "shift=1"], ["icount"], only="serve_a_bridge",
             served=True),
    ]


def command(build, mode, only):
    words = [f"sys={build / 'wperf-driver.sys'}", *mode.words]
    if only or mode.only:
        words.append(f"only={only or mode.only}")
    return [QEMU, "-M", "virt,gic-version=3", "-m", "512M", "-nodefaults", "-nographic", "-monitor", "none",
            "-serial", "none", "-semihosting-config", "enable=on,target=native", *mode.options,
            "-kernel", str(build / "nthost.elf"), "-append", " ".join(words)]


@dataclasses.dataclass
class Outcome:
    mode: Mode
    seconds: float
    text: str
    problems: list

    def results(self):
        return [(match[1], match[2]) for match in map(RESULT.match, self.text.splitlines()) if match]


def run_once(build, mode, only):
    begin = time.monotonic()
    problems = []
    try:
        done = subprocess.run(command(build, mode, only), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=TIMEOUT_S)
        text = done.stdout + done.stderr
        if done.returncode != 0 and "FAIL " not in text:
            problems.append(f"QEMU ended with status {done.returncode}")
    except subprocess.TimeoutExpired as expired:
        text = "".join(part.decode(errors="replace") for part in (expired.stdout, expired.stderr) if part)
        problems.append(f"no end after {TIMEOUT_S} s")
    lines = text.splitlines()
    if not problems and not (lines and SUMMARY.match(lines[-1])):
        problems.append("the run ends without a summary")
    return Outcome(mode, time.monotonic() - begin, text, problems)


def run_served(build, mode):
    begin = time.monotonic()
    try:
        lines = server_check.check(command(build, mode, ""))
        lines.append(f"PASS {mode.only}")
    except (AssertionError, server_client.HostGone, OSError) as error:
        lines = [f"  FAILED: {error}", f"FAIL {mode.only}"]
    return Outcome(mode, time.monotonic() - begin, "\n".join(lines), [])


def run_crashes(build, mode):
    """The host must detect the fault in each of these scenarios. Each scenario is a separate run."""
    begin = time.monotonic()
    listing = run_once(build, dataclasses.replace(mode, only="", words=["names"]), "")
    lines = []
    for name in (line for line in listing.text.splitlines() if line.startswith(mode.only[:-1])):
        run = run_once(build, mode, name)
        crashed = f"FAIL {name} (the run ends here)" in run.text and "crash: " in run.text
        lines += [f"PASS {name}"] if crashed else [run.text, f"FAIL {name}"]
    problems = [] if lines else ["no scenario found"]
    return Outcome(mode, time.monotonic() - begin, "\n".join(lines), problems)


def run_mode(build, mode, only):
    if mode.crashes:
        return run_crashes(build, mode)
    if mode.served:
        return run_served(build, mode)
    outcome = run_once(build, mode, only)
    if mode.twice and not outcome.problems:
        again = run_once(build, mode, only)
        outcome.seconds += again.seconds
        if again.text != outcome.text:
            outcome.problems.append("two runs print different things:\n" + difference(outcome.text, again.text))
    return outcome


def difference(first, second):
    pairs = zip(first.splitlines() + [""], second.splitlines() + [""])
    return "\n".join(f"  {a}\n  {b}" for a, b in pairs if a != b)[:2000]


def show(outcome):
    print(f"--- {outcome.mode.name}: {outcome.seconds:.1f} s", flush=True)
    for line in outcome.text.splitlines():
        if not line.startswith("SKIP ") and not SUMMARY.match(line):
            print(line)
    for problem in outcome.problems:
        print(f"FAIL mode {outcome.mode.name}: {problem}")


def summarise(outcomes):
    """A scenario is reported as skipped only if no mode ran it."""
    results = [result for outcome in outcomes for result in outcome.results()]
    passed = sum(1 for verdict, _ in results if verdict == "PASS")
    failed = sum(1 for verdict, _ in results if verdict == "FAIL") + sum(len(it.problems) for it in outcomes)
    ran = {name for verdict, name in results if verdict != "SKIP"}
    skipped = sorted({name for verdict, name in results if verdict == "SKIP"} - ran)
    for name in skipped:
        print(f"SKIP {name}: no mode of this run can run it")
    print(f"{passed} passed, {failed} failed, {len(skipped)} skipped")
    return passed, failed


def missing(build):
    if shutil.which(QEMU) is None:
        return f"{QEMU} is not installed"
    for name in ("nthost.elf", "wperf-driver.sys"):
        if not (build / name).is_file():
            return f"{name} is not built (cmake --preset driver-arm64, then cmake --build --preset driver-arm64)"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/driver-arm64/bin")
    parser.add_argument("--only", default="", help="a scenario's name, or the beginning of names and *")
    parser.add_argument("--mode", default="", help="one mode instead of all")
    parser.add_argument("--requests", type=int, default=1_000_000, help="how many the fuzz scenario sends")
    arguments = parser.parse_args()
    reason = missing(arguments.build)
    if reason is not None:
        print(f"skipped: {reason}")
        return 77
    chosen = [mode for mode in modes(arguments.requests)
              if arguments.mode in ("", mode.name) and (not arguments.only or not mode.only)]
    if not chosen:
        print("there is no such mode; the modes are: " + ", ".join(mode.name for mode in modes(0)))
        return 1
    begin = time.monotonic()
    # Two QEMUs run at a time, because each mostly has one busy thread.
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for outcome in pool.map(lambda mode: run_mode(arguments.build.resolve(), mode, arguments.only), chosen):
            show(outcome)
            outcomes.append(outcome)
    passed, failed = summarise(outcomes)
    print(f"{time.monotonic() - begin:.0f} s")
    return 0 if failed == 0 and passed != 0 else 1


if __name__ == "__main__":
    sys.exit(main())
