#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Boots an emulated Arm machine with wperf inside and checks wperf's measurements. scripts/arm-linux calls it.

    tests/arm_linux/run_arm_linux.py [PATTERN]     only steps whose name has PATTERN in it

Exit status: 0 all passed, 1 something failed, 2 no such step, 77 nothing could run (and why).
"""
import pathlib
import subprocess
import sys
import time

import checks
import machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/linux-arm64"


def counted_program(work, name, rounds):
    program = work / name
    source = pathlib.Path(__file__).parent / "counted.S"
    subprocess.run(["aarch64-linux-gnu-gcc", "-nostdlib", "-static", f"-DROUNDS={rounds}", "-o", program, source], check=True)
    return program


def section_program(work):
    program = work / "section"
    source = pathlib.Path(__file__).parent / "section.cpp"
    subprocess.run(["aarch64-linux-gnu-g++", "-std=c++17", "-O2", "-static", f"-I{ROOT / 'include'}", "-o", program, source], check=True)
    return program


def furnish(work):
    arm = machine.Machine(ROOT)
    for name in ("wperf", "wperf-selftest"):
        arm.add_program(BUILD / "bin" / name)
    for name, rounds in (("counted", 5_000_000), ("counted-long", 100_000_000)):
        arm.archive.add(f"bin/{name}", counted_program(work, name, rounds).read_bytes())
    arm.archive.add("bin/section", section_program(work).read_bytes())
    arm.add_program(arm.folder / "root/usr/bin/perf")
    arm.add_python("3.11", pathlib.Path(__file__).parent / "stacks.py")
    return arm


def judge(step, done):
    """('ok', 'FAIL' or 'skip', the text of the report)"""
    if done is None:
        return "FAIL", "it did not come to its end"
    try:
        return "ok", step.judge(*done) or ""
    except checks.Wrong as wrong:
        return "FAIL", str(wrong)
    except (KeyError, IndexError, TypeError, ValueError) as odd:
        return "FAIL", f"what it printed is not understood ({type(odd).__name__}: {odd}): {done[1].strip()[:2000]}"


def run(arm, boot, steps, work):
    begun = time.monotonic()
    done, reason = arm.boot([(step.name, step.command) for step in steps], work, boot)
    results = [(step, *judge(step, done.get(step.name))) for step in steps]
    for step, result, told in results:
        print(f"{result:4} {step.name}: {told}", flush=True)
    if reason:
        print(f"FAIL {boot}: {reason}")
    print(f"     {boot}: {time.monotonic() - begun:.0f} s, {work.relative_to(ROOT)}/{boot}.log")
    return [result for _, result, _ in results] + ["FAIL"] * bool(reason)


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    work = BUILD / "arm_linux"
    work.mkdir(parents=True, exist_ok=True)
    try:
        arm = furnish(work)
    except (machine.Absent, OSError, subprocess.CalledProcessError) as why:
        print(f"skipped: {why}")
        return 77
    results = []
    for boot, steps in checks.BOOTS.items():
        chosen = [step for step in steps if pattern in step.name]
        if chosen:
            results += run(arm, boot, chosen, work)
    if not results:
        print(f"no step has '{pattern}' in its name", file=sys.stderr)
        return 2
    print(f"{results.count('ok')} passed, {results.count('FAIL')} failed, {results.count('skip')} skipped")
    return 1 if "FAIL" in results else 0


if __name__ == "__main__":
    sys.exit(main())
