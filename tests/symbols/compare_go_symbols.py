#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the names and lines that wperf finds in stripped Go programs with the output of Go's own tools for the same
programs.

usage: compare_go_symbols.py --frames ELF_FRAMES --work FOLDER [--against PROGRAM UNSTRIPPED]...

go_program/ is built for several systems, once unstripped and once stripped (-ldflags "-s -w"). For the start of every
function that `go tool nm` lists in the unstripped program, wperf must find the same name in the stripped program; for
addresses inside functions it must find the function and the line of `go tool addr2line`. Skipped without Go 1.18 or
later. --against compares two existing files. """
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parent / "go_program"
SKIPPED = 77
BUILDS = {  # system, machine, further options
    "windows-arm64": ("windows", "arm64", ()),
    "windows-amd64": ("windows", "amd64", ()),
    "linux-amd64": ("linux", "amd64", ()),
    "linux-amd64-pie": ("linux", "amd64", ("-buildmode=pie",)),
    "linux-arm64": ("linux", "arm64", ()),
}
# The linker's labels are not functions.
NO_FUNCTION = re.compile(r"^runtime\.e?text$")


def run(command, text=None, environment=None, folder=None):
    done = subprocess.run([str(one) for one in command], input=text, env=environment, cwd=folder, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(str(one) for one in command)}: {done.stderr[-800:]}")
    return done.stdout


def go_environment(work, system="", machine=""):
    environment = dict(os.environ, GOCACHE=str(work / "cache"), GOFLAGS="", GO111MODULE="off", CGO_ENABLED="0")
    if system:
        environment.update(GOOS=system, GOARCH=machine)
    return environment


def build(work, name):
    system, machine, options = BUILDS[name]
    made = []
    for stripped in (False, True):
        program = work / (name + (".stripped" if stripped else ""))
        flags = ["-ldflags", "-s -w"] if stripped else []
        run(["go", "build", *options, *flags, "-o", program, "main.go"], None, go_environment(work, system, machine), SOURCES)
        made.append(program)
    return made


def shown_by_stack_traces(name):
    """Stack traces use the same name, list[...], for all instances of a generic function, and do not distinguish
    calling conventions."""
    out, depth = "", 0
    for character in name.removesuffix(".abi0").removesuffix(".abiinternal"):
        depth -= character == "]"
        if depth == 0 or (depth == 1 and character == "[" and not out.endswith("[")):
            out += character
        if character == "[":
            if depth == 0:
                out += "..."
            depth += 1
    return out


def functions(unstripped, environment):
    """{address: {name, …}} of the code, from the symbol table."""
    found = {}
    for line in run(["go", "tool", "nm", unstripped], None, environment).splitlines():
        match = re.match(r"\s*([0-9a-f]+) [tT] (.*)$", line)
        if match and not NO_FUNCTION.match(match[2]):
            found.setdefault(int(match[1], 16), set()).add(shown_by_stack_traces(match[2]))
    return found


def wperf_says(frames, program, addresses, work):
    """[(function, place)] for the addresses, in their order."""
    listed = work / "addresses"
    listed.write_text("".join(f"{address:#x}\n" for address in addresses))
    blocks = run([frames, program, "print", listed]).split("\n\n")
    answers = [block.splitlines()[-2:] for block in blocks if block.strip()]
    return [(shown_by_stack_traces(function), place) for function, place in answers]


def addr2line_says(unstripped, addresses, environment):
    lines = run(["go", "tool", "addr2line", unstripped], "".join(f"{address:#x}\n" for address in addresses), environment).splitlines()
    return [(shown_by_stack_traces(function), place) for function, place in zip(lines[::2], lines[1::2])]


def has_line(answer):
    """The build id is data in the code; padding has the line -1."""
    function, place = answer
    return function not in ("go.buildid", "go:buildid") and not place.startswith(("?", ":"))


def compare(frames, name, unstripped, program, work):
    environment = go_environment(work)
    known = functions(unstripped, environment)
    begins = sorted(known)
    wrong = [f"{address:#x}: {function} instead of {' or '.join(known[address])}"
             for address, (function, _) in zip(begins, wperf_says(frames, program, begins, work)) if function not in known[address]]
    # Within functions, up to the last instruction. Linkers pad between functions.
    inside = sorted({begin + (end - begin) * part // 8 & ~3 for begin, end in zip(begins, begins[1:]) for part in range(0, 7, 2)})
    inside = [address for address in inside if address >= begins[0]]
    ours, theirs = wperf_says(frames, program, inside, work), addr2line_says(unstripped, inside, environment)
    lines = [(address, one, other) for address, one, other in zip(inside, ours, theirs) if has_line(other)]
    misplaced = [f"{address:#x}: {one} instead of {other}" for address, one, other in lines if one != other]
    print(f"{name}: {len(begins) - len(wrong)} of {len(begins)} functions and {len(lines) - len(misplaced)} of {len(lines)} lines are the same")
    for one in (wrong + misplaced)[:20]:
        print("  " + one)
    # addr2line finds no table in position-independent programs.
    complete = len(begins) > 1000 and (len(lines) > 1000 or name.endswith("pie")) and len(ours) == len(theirs) == len(inside)
    return complete and not wrong and not misplaced


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--against", nargs=2, type=pathlib.Path, action="append", default=[])
    options = parser.parse_args()
    if shutil.which("go") is None:
        print("skipped: no Go here (golang-go)")
        return SKIPPED
    version = re.search(r"go1\.(\d+)", run(["go", "version"]))
    if version and int(version[1]) < 18:
        print(f"skipped: {version[0]} has no generic functions")
        return SKIPPED
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    good = True
    for program, unstripped in options.against:
        good &= compare(options.frames, program.name, unstripped, program, options.work)
    if options.against:
        return 0 if good else 1
    for name in BUILDS:
        unstripped, stripped = build(options.work, name)
        good &= compare(options.frames, name, unstripped, stripped, options.work)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
