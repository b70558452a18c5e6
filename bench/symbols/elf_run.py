#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the speed of the ELF and DWARF reader with that of llvm-symbolizer.

usage: bench/symbols/elf_run.py [--check] [--rounds N] [--build FOLDER] [FILE[=DEBUG]...]
Needs the target elf_frames of a build folder with -DWPERF_BENCH=ON. Without FILE: libc.so.6, with the debug file of
libc6-dbg if that is installed. Each side resolves 100,000 random code addresses to inlined frames, files and lines.
Both sides run in turns, and the medians count. --check fails if a limit is exceeded.
"""
import argparse
import pathlib
import random
import re
import sys

from run import ADDRESS_COUNT, ROOT, Report, in_turns, run, tool

TIMES_FASTER = 3
LIBC = pathlib.Path("/lib/x86_64-linux-gnu/libc.so.6")


def readelf(*arguments):
    return run([tool("readelf"), *map(str, arguments)])[1]


def installed_debug_file(image):
    found = re.search(r"Build ID: ([0-9a-f]+)", readelf("-n", image))
    if found is None:
        return None
    debug = pathlib.Path("/usr/lib/debug/.build-id") / found[1][:2] / (found[1][2:] + ".debug")
    return debug if debug.exists() else None


def write_addresses(path, image):
    found = re.search(r"\s\.text\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", readelf("-SW", image))
    begin, size = int(found[1], 16), int(found[2], 16)
    chance = random.Random(1)
    path.write_text("".join(f"0x{begin + chance.randrange(size):x}\n" for _ in range(ADDRESS_COUNT)), encoding="ascii")


def measure(image, debug, frames, folder, rounds, report):
    addresses = folder / "elf_addresses"
    write_addresses(addresses, image)
    ours, theirs, peak = in_turns([frames, str(image), "addresses", str(addresses)] + ([str(debug)] if debug else []),
                                  [tool("llvm-symbolizer"), f"--obj={debug or image}", "--inlines"], rounds, addresses)
    report.line(f"llvm-symbolizer / {ADDRESS_COUNT} addresses of {image.name}",
                f"{theirs * 1e3:.0f} ms / {ours * 1e3:.0f} ms = {theirs / ours:.1f}", f"at least {TIMES_FASTER}",
                theirs >= TIMES_FASTER * ours)
    print(f"  {'':48} peak {peak / 1e6:.0f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if a limit is exceeded")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    build = pathlib.Path(options.build)
    frames = str(build / "bin/elf_frames")
    pairs = [(pathlib.Path(one.partition("=")[0]), one.partition("=")[2] or None) for one in options.files]
    if not pairs:
        debug = installed_debug_file(LIBC) if LIBC.exists() else None
        if debug is None:
            print("skipped: libc6-dbg is not installed")
            return 77
        pairs = [(LIBC, debug)]
    report = Report()
    for image, debug in pairs:
        measure(image, debug, frames, build, options.rounds, report)
    return 1 if options.check and report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
