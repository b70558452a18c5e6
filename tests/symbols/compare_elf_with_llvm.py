#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares wperf's readers of ELF files, DWARF and COFF symbols with llvm-symbolizer, for programs built in many ways.

usage: compare_elf_with_llvm.py --frames ELF_FRAMES --work FOLDER [--file IMAGE[=DEBUG]]... [--addresses N] [--only PATTERN]

linux_program/ is built by GCC and Clang with DWARF 2 to 5, split, packed, stripped, by link-time optimisation, through dwz, for
machines of either byte order and width. Clang and zig also build it as Windows programs with DWARF (pe-…). For every address of the
code, llvm-symbolizer and wperf must give the same functions, inlined frames, files and lines; every difference needs a reason in
REASONS. --file compares N random addresses of an existing file.
"""
import argparse
import collections
import fnmatch
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import zlib

SOURCES = pathlib.Path(__file__).resolve().parent / "linux_program"
TOOLS = SOURCES.parents[2] / "build" / "tools"
REASONS = {
    "file of a symbol": "where DWARF says nothing, llvm-symbolizer names the file of the nearest STT_FILE symbol",
    "stub": "llvm-symbolizer does not name the stubs that call other files",
    "several names": "of several names of an address wperf takes the one that perf shows",
    "no code": "llvm-symbolizer names the nearest symbol below, though it ends before the address",
}


class Variant:
    """One way to build the program."""

    def __init__(self, name, compiler, flags, link=(), after=None):
        self.name, self.compiler, self.flags, self.link, self.after = name, compiler, flags, list(link), after
        self.program = "program.exe" if name.startswith("pe-") else "program"


def tool(name):
    return shutil.which(name + "-19") or shutil.which(name)


def run(command, cwd=None):
    done = subprocess.run([str(one) for one in command], cwd=cwd, capture_output=True, text=True, errors="replace",
                          check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(str(one) for one in command)}: {done.stderr[-800:]}")
    return done.stdout


def strip_with_link(folder):
    run(["objcopy", "--only-keep-debug", "program", "program.debug"], folder)
    run(["objcopy", "--strip-all", "--add-gnu-debuglink=program.debug", "program", "program.stripped"], folder)
    return folder / "program.stripped", [folder / "program.debug"], folder / "program.debug"


def with_dwz(folder):
    """Two copies, so that dwz finds something to share."""
    dwz = tool("dwz")
    if dwz is None:
        return None
    for name in ("program", "program.twin"):
        shutil.copy(folder / "program", folder / (name + ".dwz"))
    (folder / "shared").unlink(missing_ok=True)
    run([dwz, "-m", "shared", "-M", "shared", "program.dwz", "program.twin.dwz"], folder)
    return folder / "program.dwz", ["-", folder / "shared"], folder / "program"  # LLVM does not know dwz's file


def packed(method):
    def pack(folder):
        run([tool("llvm-objcopy"), f"--compress-debug-sections={method}", "program", "program." + method], folder)
        return folder / ("program." + method), [], folder / ("program." + method)
    return pack


def packed_the_old_way(folder):
    """In .zdebug_ sections, which LLVM no longer supports."""
    run(["objcopy", "--compress-debug-sections=zlib-gnu", "program", "program.packed"], folder)
    return folder / "program.packed", [], folder / "program"


def packaged(folder):
    run([tool("llvm-dwp"), "-e", "program", "-o", "program.dwp"], folder)
    for one in folder.glob("*.dwo"):
        one.unlink()
    return folder / "program", [], folder / "program"


def without_dwarf(folder):
    run([tool("llvm-objcopy"), "--strip-debug", "program.exe", "stripped.exe"], folder)
    return folder / "stripped.exe", [], folder / "stripped.exe"


def packed_as_go_does(folder):
    """Packs the debug sections as Go does: .zdebug_ sections replace the plain sections, and their names are appended
    to the string table at the end of the file."""
    image = WindowsImage(folder / "program.exe")
    file, texts = bytearray(image.bytes), image.symbols + 18 * image.symbol_count
    for i, (name, size, _, stored, place, *_) in enumerate(image.sections):
        long_name = image.text(int(name.rstrip(b"\0")[1:])) if name.startswith(b"/") else name
        stream = b"ZLIB" + struct.pack(">Q", size) + zlib.compress(image.bytes[place:place + size])
        if not long_name.startswith(b".debug_") or len(stream) > stored:
            continue
        file[place:place + stored] = stream.ljust(stored, b"\0")
        struct.pack_into("<8sI", file, image.section_headers + 40 * i, b"/%d" % (len(file) - texts), len(stream))
        file += b".z" + long_name[1:] + b"\0"
    struct.pack_into("<I", file, texts, len(file) - texts)
    (folder / "packed.exe").write_bytes(file)
    return folder / "packed.exe", [], folder / "program.exe"


def without_pdb(folder):
    """Removes the PDB: zig names one in the image, and llvm-symbolizer would read it."""
    for one in folder.glob("*.pdb"):
        one.unlink()
    return folder / "program.exe", [], folder / "program.exe"


def zig_compiler():
    packed = os.environ.get("WPERF_ZIG") or next((str(one) for one in TOOLS.glob("zig-*/package/zig")), None)
    return packed or shutil.which("zig")


def windows_variants(clang):
    for machine in ("aarch64", "x86_64"):
        target = [f"--target={machine}-w64-windows-gnu"]
        link = target + [f"-fuse-ld={tool('ld.lld')}"]
        for version in (4, 5):
            for level in ("-O0", "-O2"):
                yield Variant(f"pe-{machine}-dwarf{version}{level}", clang,
                              [*target, level, "-g", f"-gdwarf-{version}", "-funwind-tables"], link)
        yield Variant(f"pe-{machine}-symbols", clang, [*target, "-O2", "-g", "-gdwarf-4"], link, without_dwarf)
        yield Variant(f"pe-{machine}-packed", clang, [*target, "-O2", "-g", "-gdwarf-4"], link, packed_as_go_does)
        yield Variant(f"pe-{machine}-lines", clang, [*target, "-O2", "-gline-tables-only", "-gdwarf-4"], link)
        yield Variant(f"pe-{machine}-gc", clang, [*target, "-O2", "-g", "-gdwarf-5", "-ffunction-sections"],
                      link + ["-Wl,--gc-sections"])


def variants():
    gcc, clang = shutil.which("g++"), tool("clang++") or tool("clang")
    if gcc:
        for version in (2, 3, 4, 5):
            yield Variant(f"gcc{version}", gcc, ["-O2", "-g", f"-gdwarf-{version}"])
        yield Variant("gcc-strict2", gcc, ["-O2", "-gdwarf-2", "-gstrict-dwarf"])
        yield Variant("gcc-O0", gcc, ["-O0", "-g"])
        yield Variant("gcc-64", gcc, ["-O2", "-g", "-gdwarf64"])
        yield Variant("gcc-types", gcc, ["-O2", "-g", "-gdwarf-4", "-fdebug-types-section"])
        yield Variant("gcc-types5", gcc, ["-O2", "-g", "-fdebug-types-section"])
        yield Variant("gcc-split4", gcc, ["-O2", "-g", "-gdwarf-4", "-gsplit-dwarf"])
        yield Variant("gcc-split5", gcc, ["-O2", "-g", "-gsplit-dwarf"])
        yield Variant("gcc-gc", gcc, ["-O2", "-g", "-ffunction-sections"], ["-Wl,--gc-sections"])
        yield Variant("gcc-lto", gcc, ["-O2", "-g", "-flto"], ["-O2", "-flto", "-g"])
        yield Variant("gcc-zlib", gcc, ["-O2", "-g", "-gz"], ["-gz"])
        yield Variant("gcc-zlib-gnu", gcc, ["-O2", "-g"], [], packed_the_old_way)
        yield Variant("gcc-stripped", gcc, ["-O2", "-g"], ["-Wl,--build-id"], strip_with_link)
        yield Variant("gcc-dwz", gcc, ["-O2", "-g"], ["-Wl,--build-id"], with_dwz)
        yield Variant("gcc-dwz4", gcc, ["-O2", "-g", "-gdwarf-4"], ["-Wl,--build-id"], with_dwz)
    if clang:
        for version in (2, 3, 4, 5):
            yield Variant(f"clang{version}", clang, ["-O2", "-g", f"-gdwarf-{version}"])
        yield Variant("clang-O0", clang, ["-O0", "-g"])
        yield Variant("clang-lines", clang, ["-O2", "-gline-tables-only"])
        yield Variant("clang-zlib", clang, ["-O2", "-g"], [], packed("zlib"))
        yield Variant("clang-zstd", clang, ["-O2", "-g"], [], packed("zstd"))
        lld = tool("ld.lld")
        if lld:
            use = [f"-fuse-ld={lld}"]
            yield Variant("clang-split4", clang, ["-O2", "-g", "-gdwarf-4", "-gsplit-dwarf"], use)
            yield Variant("clang-split5", clang, ["-O2", "-g", "-gsplit-dwarf"], use)
            yield Variant("clang-dwp4", clang, ["-O2", "-g", "-gdwarf-4", "-gsplit-dwarf"], use, packaged)
            yield Variant("clang-dwp5", clang, ["-O2", "-g", "-gsplit-dwarf"], use, packaged)
            yield Variant("clang-icf", clang, ["-O2", "-g", "-ffunction-sections"],
                          use + ["-Wl,--gc-sections", "-Wl,--icf=all"])
            yield Variant("clang-lto", clang, ["-O2", "-g", "-flto"], use + ["-flto", "-O2"])
            for machine in ("aarch64", "armv7", "i386", "powerpc64", "aarch64_be", "riscv64"):
                yield Variant("clang-" + machine, clang, [f"--target={machine}-linux-gnu", "-O2", "-g"],
                              use + [f"--target={machine}-linux-gnu"])
            yield from windows_variants(clang)
    if zig_compiler():
        # With a C library and without COFF symbols. File names are broken in the DWARF 5 of zig 0.11. scripts/programs
        # has already built the C library with these options.
        yield Variant("pe-zig", zig_compiler(), ["-target", "aarch64-windows-gnu", "-O2", "-g", "-gdwarf-4"], [], without_pdb)


def build(variant, work):
    """(image, further files for wperf, file for llvm-symbolizer)"""
    folder = work / variant.name
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    if variant.name.startswith("pe-zig"):
        return build_with_zig(variant, folder)
    objects = []
    for source in ("start.cpp", "other.cpp", "in_c.c", "by_hand.S"):
        by_language = ["-std=c++17", "-fno-exceptions", "-fno-rtti"] if source.endswith("cpp") else \
            ["-x", "c"] if source.endswith(".c") else []
        flags = [one for one in variant.flags if not (source.endswith(".S") and one in ("-gsplit-dwarf", "-flto"))]
        run([variant.compiler, *flags, *by_language, "-ffreestanding", "-fno-stack-protector",
             "-fno-asynchronous-unwind-tables", "-c", SOURCES / source, "-o", source + ".o"], folder)
        objects.append(source + ".o")
    run([variant.compiler, *variant.link, "-nostdlib", "-static", "-Wl,-e,_start", *objects, "-o", variant.program], folder)
    if variant.after:
        return variant.after(folder)
    return folder / variant.program, [], folder / variant.program


def build_with_zig(variant, folder):
    """A program with main: zig brings the C library for Windows."""
    (folder / "main.c").write_text("#include <stdio.h>\nvolatile int sink;\nint in_c(int);\n"
                                   "int main(int count, char** texts) {\n"
                                   "  return printf(\"%d %s\\n\", in_c(count), texts[0]);\n}\n", encoding="ascii")
    run([variant.compiler, "cc", *variant.flags, "main.c", SOURCES / "in_c.c", "-o", variant.program], folder)
    return variant.after(folder)


class WindowsImage:
    """The headers of a PE file: where its code is, and the names in its COFF symbol table."""

    def __init__(self, path):
        self.bytes = pathlib.Path(path).read_bytes()
        header = struct.unpack_from("<I", self.bytes, 0x3c)[0] + 4
        _, count, _, self.symbols, self.symbol_count, optional, _ = struct.unpack_from("<HHIIIHH", self.bytes, header)
        wide = struct.unpack_from("<H", self.bytes, header + 20)[0] == 0x20b
        self.base = struct.unpack_from("<Q" if wide else "<I", self.bytes, header + 20 + (24 if wide else 28))[0]
        self.section_headers = header + 20 + optional
        self.sections = [struct.unpack_from("<8sIIIIIIHHI", self.bytes, self.section_headers + 40 * i) for i in range(count)]

    def text(self, offset):
        begin = self.symbols + 18 * self.symbol_count + offset
        return self.bytes[begin:self.bytes.index(b"\0", begin)]

    @staticmethod
    def is_one(path):
        with open(path, "rb") as file:
            return file.read(2) == b"MZ"

    def code_ranges(self):
        return [(self.base + one[2], min(one[1], one[3])) for one in self.sections if one[9] & 0x20000000]

    def names(self):
        found, skip = collections.defaultdict(set), 0
        for i in range(self.symbol_count):
            if skip:
                skip -= 1
                continue
            name, value, section, _, _, skip = struct.unpack_from("<8sIhHBB", self.bytes, self.symbols + 18 * i)
            zeros, offset = struct.unpack("<II", name)
            if zeros == 0:
                name = self.text(offset)
            if section > 0:
                found[self.base + self.sections[section - 1][2] + value].add(name.rstrip(b"\0").decode())
        return found


def code_ranges(image):
    if WindowsImage.is_one(image):
        return WindowsImage(image).code_ranges()
    ranges = []
    for line in run(["readelf", "-SW", image]).splitlines():
        found = re.search(r"\]\s+\.(?:text|init|plt|plt\.sec)\S*\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", line)
        if found:
            ranges.append((int(found[1], 16), int(found[2], 16)))
    return ranges


def code_addresses(image, limit):
    """All addresses in the sections with code, or as many random ones."""
    ranges = code_ranges(image)
    total = sum(size for _, size in ranges)
    if total <= limit:
        return [begin + i for begin, size in ranges for i in range(size)]
    chance, out = random.Random(1), []
    for place in sorted(chance.sample(range(total), limit)):
        for begin, size in ranges:
            if place < size:
                out.append(begin + place)
                break
            place -= size
    return out


def parse(text, with_address, with_column):
    answers = []
    for block in text.strip("\n").split("\n\n"):
        lines = block.split("\n")[1 if with_address else 0:]
        frames = []
        for name, place in zip(lines[::2], lines[1::2]):
            frames.append((name, place.rsplit(":", 1)[0] if with_column else place))
        answers.append(frames)
    return answers


def reason_of(ours, theirs, symbols_at):
    if [one[1] for one in ours] == [one[1] for one in theirs] and ours[:-1] == theirs[:-1]:
        name = ours[-1][0]
        if name.endswith("@plt"):
            return "stub"
        if name == "??":
            return "no code"
        return "several names" if {name, theirs[-1][0]} <= symbols_at else None
    without_files = [(name, re.sub(r"^[^/]+:0$", "??:0", place)) for name, place in theirs]
    return "file of a symbol" if ours == without_files else None


def names_by_address(file):
    """Every name of each address, to judge aliases."""
    if WindowsImage.is_one(file):
        return WindowsImage(file).names()
    names = collections.defaultdict(set)
    for line in run(["readelf", "-sW", file]).splitlines():
        parts = line.split()
        if len(parts) >= 8 and parts[0][:-1].isdigit():
            names[int(parts[1], 16)].add(parts[7].split(" ")[0])
    return names


def compare(frames_tool, name, image, further, theirs_file, limit, work):
    addresses = code_addresses(image, limit)
    listed = work / "addresses"
    listed.write_text("".join(f"0x{one:x}\n" for one in addresses), encoding="ascii")
    ours = parse(run([frames_tool, image, "raw", listed, *further]), True, False)
    with open(listed, encoding="ascii") as source:
        theirs = subprocess.run([tool("llvm-symbolizer"), f"--obj={theirs_file}", "--inlines", "--no-demangle"],
                                stdin=source, capture_output=True, text=True, check=True).stdout
    theirs = parse(theirs, False, True)
    if len(ours) != len(addresses) or len(theirs) != len(addresses):
        return [f"{name}: {len(addresses)} addresses, {len(ours)} answers, {len(theirs)} of llvm-symbolizer"]
    names, reasons, wrong = None, collections.Counter(), []
    for address, our, their in zip(addresses, ours, theirs):
        if our == their:
            continue
        if names is None:
            names = names_by_address(theirs_file)
            start_of = sorted(names)
        at = max((one for one in start_of if one <= address), default=0)
        reason = reason_of(our, their, {one.split("@")[0] for one in names[at]} | names[at])
        if reason:
            reasons[reason] += 1
        else:
            wrong.append(f"{name} {address:#x}: wperf {our}, llvm-symbolizer {their}")
    inlined = sum(len(one) > 1 for one in ours)
    with_line = sum(not one[0][1].endswith(":0") for one in ours)
    print(f"{name}: {len(addresses)} addresses, {inlined} with inlined frames, {with_line} with a line"
          + "".join(f", {count} {REASONS[reason]!r}" for reason, count in reasons.items()))
    if with_line == 0 and not name.endswith("-symbols"):
        wrong.append(f"{name}: no address has a line")
    if all(one[0][0] == "??" for one in ours):
        wrong.append(f"{name}: no address has a name")
    if len(wrong) > 3:
        wrong = wrong[:3] + [f"{name}: {len(wrong)} differences in all"]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--work", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--only", default="*", help="names of variants, such as pe-*")
    parser.add_argument("--without", help="the same; these are left out")
    parser.add_argument("--addresses", type=int, default=20000)
    options = parser.parse_args()
    if tool("llvm-symbolizer") is None:
        print("skipped: llvm-symbolizer is not installed")
        return 77
    options.work.mkdir(parents=True, exist_ok=True)
    wrong, compared = [], 0
    for one in options.file:
        image, _, debug = one.partition("=")
        wrong += compare(options.frames, one, image, [debug] if debug else [], debug or image, options.addresses,
                         options.work)
        compared += 1
    for variant in () if options.file else variants():
        if not fnmatch.fnmatch(variant.name, options.only) or fnmatch.fnmatch(variant.name, options.without or ""):
            continue
        built = build(variant, options.work)
        if built is None:
            print(f"{variant.name}: skipped, a tool for it is not installed")
            continue
        wrong += compare(options.frames, variant.name, *built, options.addresses, options.work)
        compared += 1
    for one in wrong:
        print("wrong:", one)
    print(f"{compared} files compared")
    return 1 if wrong or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
