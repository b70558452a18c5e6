#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares wperf's PDB reader with LLVM's tools, for each pair of image and PDB.

usage: compare_with_llvm.py --dump PDB_DUMP [--npm FOLDER] [--addresses N] [IMAGE or folder of images...]

Every procedure, public and line row must equal the row that `llvm-pdbutil dump` lists. For N random addresses in
procedures (20,000), the function, inlined frames and lines must equal llvm-symbolizer's. If they differ, the answer is
computed again from the records that llvm-pdbutil prints (pdbutil.py). It must equal wperf's answer, and REASONS must
have the reason. --npm fetches packages with PDBs of Microsoft's compiler; when that fails the run is skipped (exit
status 77). """
import argparse
import collections
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile

from pdbutil import HIDDEN_LINES, Pdbutil, tool

PACKAGES = ("node-pty@1.1.0", "@vscode/windows-process-tree@0.8.0")
REASONS = {
    "thunk": "llvm-symbolizer does not know S_THUNK32",
    "hidden line": "llvm-symbolizer prints the marks for code of no line (0xfeefee, 0xf00f00) as if they were lines",
    "two rows at one address": "llvm-symbolizer takes the first of them at the address, the last one behind it",
    "folded functions": "llvm-symbolizer gives the name of the first and the lines of another function at an address",
    "several blocks": "llvm-symbolizer mixes the line blocks of a function that has code of several files",
    "inlined piece without a length": "llvm-symbolizer does not end a piece where the next one begins",
    "line of an inlined piece": "llvm-symbolizer loses count of lines when lengths and offsets are combined",
    "no inlined frames asked for": "llvm-symbolizer crashes on this PDB: it was asked for functions and lines alone",
}


class Comparison:
    def __init__(self, dump, image, pdb):
        self.dump_tool, self.image, self.pdb = dump, image, pdb
        self.wrong = []
        self.reasons = collections.Counter()

    def ours(self, *arguments):
        run = subprocess.run([self.dump_tool, self.pdb, *arguments], capture_output=True, text=True, errors="replace",
                             check=True)
        if run.stderr:
            self.wrong.append("pdb_dump says: " + run.stderr.strip())
        return [line.split("\t") for line in run.stdout.splitlines()]

    def same(self, what, ours, theirs):
        ours, theirs = collections.Counter(ours), collections.Counter(theirs)
        for extra in list((ours - theirs).elements())[:3]:
            self.wrong.append(f"{what}: only wperf has {extra}")
        for missing in list((theirs - ours).elements())[:3]:
            self.wrong.append(f"{what}: only llvm-pdbutil has {missing}")
        return sum(ours.values())

    def run(self, address_count):
        theirs = Pdbutil(self.pdb)
        functions = [(kind, int(rva, 16), int(size), name) for kind, rva, size, name in self.ours("functions")]
        procedures = [one for one in functions if one[0] == "p"]
        counts = [
            "%d procedures" % self.same("procedures", [one[1:] for one in procedures],
                                        [(one.rva, one.size, one.name) for one in theirs.procedures]),
            "%d publics" % self.same("publics", [(int(rva, 16), name) for _, rva, _, name in self.ours("publics")],
                                     theirs.publics()),
            "%d line rows" % self.same("line rows", [(int(rva, 16), int(line), file)
                                                     for rva, _, line, file in self.ours("lines")],
                                       [(row.rva, 0 if row.line in HIDDEN_LINES else row.line, row.file)
                                        for row in theirs.rows()]),
        ]
        if self.ours("id") != [[theirs.guid, str(theirs.age)]]:
            self.wrong.append(f"identity: {self.ours('id')} and {theirs.guid} {theirs.age}")
        counts.append("%d addresses" % self.compare_addresses(theirs, procedures, address_count))
        return ", ".join(counts)

    def compare_addresses(self, theirs, procedures, count):
        chance = random.Random(1)
        sized = [one for one in procedures if one[2] > 0]
        if not sized:
            return 0
        picked = chance.choices(sized, weights=[one[2] for one in sized], k=count)
        addresses = sorted({rva + chance.randrange(size) for _, rva, size, _ in picked})
        list_file = pathlib.Path(self.pdb + ".addresses")
        list_file.write_text("".join(f"{rva:x}\n" for rva in addresses), encoding="ascii")
        ours = parse_ours(self.ours("addresses", str(list_file)))
        list_file.unlink()
        symbolizer, has_inlined = ask_symbolizer(self.image, addresses)
        for rva, mine, llvm in zip(addresses, ours, symbolizer, strict=True):
            if not has_inlined and len(mine) > 1 and mine[-1:] == llvm:
                self.explain(theirs, rva, mine, None)
            elif mine != llvm:
                self.explain(theirs, rva, mine, llvm, has_inlined)
        return len(addresses)

    def explain(self, theirs, rva, mine, llvm, has_inlined=True):
        """wperf's answer must agree with the records, and the difference must have a known reason."""
        expected = theirs.frames(rva, mine[-1][0])
        if not is_same_place(mine, expected.frames):
            self.wrong.append(f"address {rva:x}: wperf says {mine}, llvm-symbolizer {llvm}, the records "
                              f"{expected.frames}")
            return
        if not has_inlined:
            mine = mine[-1:]
        reason = None
        if llvm is None:
            reason = "no inlined frames asked for"
        elif expected.is_thunk:
            reason = "thunk"
        elif len(mine) != len(llvm):
            reason = "inlined piece without a length" if expected.has_open_piece else None
        elif mine[-1] != llvm[-1]:
            if llvm[-1][2] in HIDDEN_LINES:
                reason = "hidden line"
            elif expected.is_folded and mine[:-1] == llvm[:-1] and mine[-1][0] == llvm[-1][0]:
                reason = "folded functions"
            elif expected.rows_at_address > 1:
                reason = "two rows at one address"
            elif expected.block_count > 1:
                reason = "several blocks"
        elif [frame[0] for frame in mine] == [frame[0] for frame in llvm]:
            reason = "line of an inlined piece" if expected.has_combined_lengths else None
        if reason is None:
            self.wrong.append(f"address {rva:x}: wperf says {mine}, llvm-symbolizer {llvm}: no known reason")
        else:
            self.reasons[reason] += 1


def is_same_place(mine, expected):
    """The frames of the records have short names; long names are cut and end with dots. If an annotation changed the
    file of a frame, the frame has no file."""
    return len(mine) == len(expected) and all(
        (other[0][:-3] in one[0] if other[0].endswith("...") else one[0].endswith(other[0])) and one[2] == other[2] and other[1] in (None, one[1])
        for one, other in zip(mine, expected))


def parse_ours(rows):
    """[[(function, file, line), …], …], the innermost frame first."""
    answers = []
    for row in rows:
        if row[0] == "@":
            answers.append([])
        else:
            answers[-1].append((row[2], row[3], int(row[1])))
    return answers


def ask_symbolizer(image, addresses):
    command = [tool("llvm-symbolizer"), "--obj=" + image, "--functions=short", "--relative-address", "--no-demangle"]
    asked = "".join(f"0x{rva:x}\n" for rva in addresses)
    run = subprocess.run([*command, "--inlines"], input=asked, capture_output=True, text=True, errors="replace",
                         check=False)
    has_inlined = run.returncode == 0
    if not has_inlined:
        run = subprocess.run([*command, "--no-inlines"], input=asked, capture_output=True, text=True, errors="replace",
                             check=True)
    answers = []
    for block in run.stdout.rstrip("\n").split("\n\n"):
        lines = block.split("\n")
        frames = []
        for function, place in zip(lines[::2], lines[1::2]):
            file, line, _ = re.fullmatch(r"(.*):(\d+):(\d+)", place).groups()
            frames.append((function, "" if file == "??" else file, int(line)))
        answers.append(frames)
    return answers, has_inlined


def find_pairs(paths):
    for path in map(pathlib.Path, paths):
        images = [path] if path.is_file() else sorted(path.rglob("*"))
        for image in images:
            if image.suffix not in (".exe", ".dll", ".node"):
                continue
            for name in (image.stem + ".pdb", image.stem + "_dll.pdb"):
                if (image.parent / name).is_file() and not (name == "probe.pdb" and image.suffix == ".dll"):
                    yield str(image), str(image.parent / name)
                    break


def fetch_packages(folder):
    """Returns False if the packages could not be fetched."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    npm = shutil.which("npm")
    for package in PACKAGES:
        done = folder / re.sub(r"\W+", "_", package)
        if done.exists():
            continue
        if npm is None:
            return False
        try:
            run = subprocess.run([npm, "pack", "--silent", package], cwd=folder, capture_output=True, text=True, timeout=120,
                                 check=False)
        except subprocess.TimeoutExpired:
            return False
        if run.returncode != 0:
            return False
        with tarfile.open(folder / run.stdout.split()[-1]) as archive:
            wanted = [one for one in archive.getmembers() if one.isfile() and one.name.endswith((".pdb", ".node", ".dll", ".exe"))
                      and "darwin" not in one.name and "conpty/" not in one.name]
            archive.extractall(str(done) + ".partial", members=wanted)
        os.rename(str(done) + ".partial", done)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dump", required=True)
    parser.add_argument("--npm")
    parser.add_argument("--addresses", type=int, default=20000)
    parser.add_argument("pairs", nargs="*")
    options = parser.parse_args()
    if tool("llvm-pdbutil") is None or tool("llvm-symbolizer") is None:
        print("skipped: llvm-pdbutil and llvm-symbolizer are not installed")
        return 77
    if options.npm:
        if not fetch_packages(options.npm):
            print("skipped: npm could not fetch " + " and ".join(PACKAGES))
            return 77
        options.pairs.append(options.npm)
    failed = False
    pair_count = 0
    for image, pdb in find_pairs(options.pairs):
        pair_count += 1
        comparison = Comparison(options.dump, image, pdb)
        print(f"{image}: {comparison.run(options.addresses)}")
        for reason, count in sorted(comparison.reasons.items()):
            print(f"    {count} differ: {REASONS[reason]}")
        for wrong in comparison.wrong[:20]:
            print("    WRONG", wrong)
        failed = failed or bool(comparison.wrong)
    if pair_count == 0:
        print("there is nothing to compare")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
