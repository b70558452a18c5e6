# SPDX-License-Identifier: BSD-3-Clause
"""Reads the records of a PDB as `llvm-pdbutil dump` prints them, and derives the answer for an address: a second, slow
implementation of the format's rules, for compare_with_llvm.py."""
import bisect
import dataclasses
import re
import shutil
import subprocess

HIDDEN_LINES = (0xFEEFEE, 0xF00F00)
HIDDEN_MARKS = {"NSI": HIDDEN_LINES[1], "ASI": HIDDEN_LINES[0]}
PROCEDURE = re.compile(r"\s*(\d+) \| S_(?:[GL]PROC32(?:_ID|_DPC|_DPC_ID)?|THUNK32) \[size = \d+\] `(.*)`$")
PROCEDURE_PLACE = re.compile(r"\s+parent = \d+, end = (\d+), addr = (\d+):(\d+), code size = (\d+)")
THUNK_PLACE = re.compile(r"\s+kind = .*, size = (\d+), addr = (\d+):(\d+)")
INLINE_SITE = re.compile(r"\s*(\d+) \| S_INLINESITE2? ")
INLINEE = re.compile(r"\s+inlinee = (0x[0-9A-F]+)(?: \((.*)\))?, parent = \d+, end = (\d+)$")
ANNOTATION_BYTES = re.compile(r"\s+([0-9A-F]{2,})(?: |$)")
MODULE = re.compile(r"\s*Mod (\d+) \| ")
FILE = re.compile(r"(\S.*) (?:\((?:MD5|SHA-1|SHA-256|no checksum).*\))$")
LINE_RANGE = re.compile(r"\s+(\d{4}):([0-9A-F]{8})-([0-9A-F]{8}), line/addr entries = \d+$")
LINE_ROW = re.compile(r"(\d+|NSI|ASI)(?::\d+)? ([0-9A-F]{8})")
INLINEE_LINE = re.compile(r"\s*(0x[0-9A-F]+) \|\s+(\d+) \| (.*) \((?:MD5|SHA-1|SHA-256|no checksum).*\)$")
PUBLIC = re.compile(r"\s*\d+ \| S_PUB32 \[size = \d+\] `(.*)`$")
PUBLIC_PLACE = re.compile(r"\s+flags = .*, addr = (\d+):(\d+)$")


def tool(name):
    return shutil.which(name + "-19") or shutil.which(name)


@dataclasses.dataclass
class Site:
    offset: int
    end: int
    inlinee: str
    name: str
    annotations: bytes


@dataclasses.dataclass
class Procedure:
    rva: int
    size: int
    name: str
    module: int
    is_thunk: bool
    sites: list


@dataclasses.dataclass
class Row:
    rva: int
    line: int
    file: str


@dataclasses.dataclass
class Block:
    begin: int
    end: int
    rows: list


@dataclasses.dataclass
class Expected:
    frames: list
    is_thunk: bool = False
    is_folded: bool = False
    block_count: int = 0
    rows_at_address: int = 0
    has_open_piece: bool = False
    has_combined_lengths: bool = False


def run_annotations(annotations, wanted):
    """(line offset, changed file, …) of the piece around `wanted`, or None; and the kinds of the pieces."""
    numbers = read_numbers(annotations)
    pieces = []  # [begin, end or None, line offset, is file changed]
    offset = line = 0
    changed = has_open = has_combined = False
    open_piece = None

    def close(end, by_length):
        nonlocal open_piece, has_open
        if open_piece is not None:
            pieces.append((open_piece[0], end, *open_piece[1:]))
            has_open = has_open or not by_length
        open_piece = None

    for operation in numbers:
        if operation == 0:
            break
        operand = next(numbers)
        if operation in (1, 3, 11, 12):
            if operation == 1:
                offset = operand
            elif operation == 3:
                offset += operand
            elif operation == 11:
                offset += operand & 15
                line += signed(operand >> 4)
            else:
                offset += next(numbers)
                has_combined = True
            close(offset, False)
            open_piece = (offset, line, changed)
            if operation == 12:
                close(offset + operand, True)
        elif operation == 4:
            offset += operand
            close(offset, True)
        elif operation == 5:
            changed = True
        elif operation == 6:
            line += signed(operand)
    for begin, end, line_offset, is_changed in pieces:
        if begin <= wanted < end:
            return (line_offset, is_changed), has_open, has_combined
    return None, has_open, has_combined


def signed(number):
    return -(number >> 1) if number & 1 else number >> 1


def read_numbers(data):
    at = 0
    while at < len(data):
        first = data[at]
        size = 1 if first < 0x80 else 2 if first < 0xC0 else 4
        number = int.from_bytes(data[at:at + size], "big") & (0x7F, 0x3FFF, 0, 0x1FFFFFFF)[size - 1]
        at += size
        yield number
    while True:
        yield 0


class Pdbutil:
    def __init__(self, pdb):
        self.pdb = pdb
        self.sections = [int(rva, 16) for rva in re.findall(r"([0-9A-F]+) virtual address", self.dump("-section-headers"))]
        summary = self.dump("-summary")
        self.guid = re.search(r"GUID: \{(.*)\}", summary)[1].replace("-", "").lower()
        self.age = int(re.search(r"Age: (\d+)", summary)[1])
        self.procedures = []
        self.read_symbols()
        self.blocks = {}  # module: [Block], by begin
        self.read_lines()
        self.inlinees = {}  # (module, id): (line, file)
        self.read_inlinees()
        self.procedures_at = {}
        for one in self.procedures:
            self.procedures_at.setdefault(one.rva, []).append(one)
        self.begins = sorted(self.procedures_at)

    def dump(self, *options):
        run = subprocess.run([tool("llvm-pdbutil"), "dump", *options, self.pdb], capture_output=True, text=True,
                             errors="replace", check=True)
        return run.stdout

    def rva(self, section, offset):
        """Returns None if the linker left the symbol out, or if it is not an address."""
        return self.sections[section - 1] + offset if 0 < section <= len(self.sections) else None

    def read_symbols(self):
        module = 0
        lines = iter(self.dump("-symbols").splitlines())
        line = next(lines, None)
        while line is not None:
            if found := MODULE.match(line):
                module = int(found[1])
            elif found := PROCEDURE.match(line):
                self.add_procedure(module, found[2], lines)
            elif found := INLINE_SITE.match(line):
                line = self.add_site(int(found[1]), lines)
                continue
            line = next(lines, None)

    def add_procedure(self, module, name, lines):
        place = PROCEDURE_PLACE.match(next(lines))
        is_thunk = place is None
        if is_thunk:
            place = THUNK_PLACE.match(next(lines))
            size, section, offset = map(int, place.groups())
        else:
            _, section, offset, size = map(int, place.groups())
        rva = self.rva(section, offset)
        self.current = Procedure(rva, size, name, module, is_thunk, [])
        if rva is not None:
            self.procedures.append(self.current)

    def add_site(self, offset, lines):
        inlinee, name, end = INLINEE.match(next(lines)).groups()
        digits = ""
        for line in lines:
            found = None if "|" in line else ANNOTATION_BYTES.match(line)
            if found is None:
                break
            digits += found[1]
        self.current.sites.append(Site(offset, int(end), inlinee, name or "", bytes.fromhex(digits)))
        return line

    def read_lines(self):
        module, file, block = 0, "", None
        for line in self.dump("-l").splitlines():
            if found := MODULE.match(line):
                module = int(found[1])
            elif found := LINE_RANGE.match(line):
                section, begin, end = int(found[1]), int(found[2], 16), int(found[3], 16)
                base = self.rva(section, 0)
                block = None
                if base is not None:
                    block = Block(base + begin, base + end, [])
                    self.blocks.setdefault(module, []).append(block)
            elif found := FILE.match(line):
                file = found[1]
            elif block is not None and line.startswith("  "):
                for number, offset in LINE_ROW.findall(line):
                    number = HIDDEN_MARKS.get(number) or int(number)
                    block.rows.append(Row(base + int(offset, 16), number, file))

    def read_inlinees(self):
        module = 0
        for line in self.dump("-il").splitlines():
            if found := MODULE.match(line):
                module = int(found[1])
            elif found := INLINEE_LINE.match(line):
                self.inlinees.setdefault((module, found[1]), (int(found[2]), found[3]))

    def rows(self):
        return [row for blocks in self.blocks.values() for block in blocks for row in block.rows]

    def publics(self):
        result = []
        lines = iter(self.dump("-publics").splitlines())
        for line in lines:
            if found := PUBLIC.match(line):
                section, offset = map(int, PUBLIC_PLACE.match(next(lines)).groups())
                if self.rva(section, offset) is not None:
                    result.append((self.rva(section, offset), found[1]))
        return result

    def procedure_at(self, rva, function):
        place = bisect.bisect_right(self.begins, rva)
        for begin in reversed(self.begins[max(0, place - 64):place]):
            for one in self.procedures_at[begin]:
                if rva < begin + one.size and one.name == function:
                    return one
        return None

    def frames(self, rva, function):
        """The inlined frames and lines for `rva`, derived from the records of the procedure called `function`."""
        procedure = self.procedure_at(rva, function)
        if procedure is None:
            return Expected([])
        result = Expected([], is_thunk=procedure.is_thunk)
        end = None
        skip_to = 0
        for site in procedure.sites:
            if site.offset < skip_to or (end is not None and site.offset > end):
                continue
            piece, has_open, has_combined = run_annotations(site.annotations, rva - procedure.rva)
            result.has_open_piece = result.has_open_piece or has_open
            result.has_combined_lengths = result.has_combined_lengths or has_combined
            if piece is None:
                skip_to = site.end
                continue
            line, file = self.inlinees.get((procedure.module, site.inlinee), (None, ""))
            end = site.end
            result.frames.insert(0, (site.name, None if piece[1] else file, 0 if line is None else line + piece[0]))
        result.frames.append((function, *self.own_line(result, procedure, rva)))
        return result

    def own_line(self, result, procedure, rva):
        best = None
        result.is_folded = len(self.procedures_at[procedure.rva]) > 1
        blocks = [one for one in self.blocks.get(procedure.module, ()) if one.begin <= rva < one.end]
        # The line tables of folded procedures have one address, too; the first table belongs to the first procedure.
        if result.is_folded and blocks:
            begin = blocks[0].begin
            first = blocks[0]
            blocks = [first] if all(one.rows[0].rva == begin for one in blocks) else blocks
        result.block_count = len(blocks)
        for block in blocks:
            for row in block.rows:
                if row.rva <= rva and (best is None or row.rva >= best.rva):
                    best = row
                result.rows_at_address += row.rva == rva
        if best is None:
            return "", 0
        return best.file, 0 if best.line in HIDDEN_LINES else best.line
