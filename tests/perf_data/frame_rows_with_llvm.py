#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares rows of call frame information one by one with the rows that llvm-dwarfdump lists.

  frame_rows_with_llvm.py --dump FRAME_ROWS_DUMP [FILE...]

Without FILEs: libraries of this machine, and programs compiled here for x86-64 and AArch64 with .eh_frame and .debug_frame.
Exit status 77: no llvm-dwarfdump here.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = r"""
extern int other(int *);
__attribute__((noinline)) int arrays(int a) { int b[a + 1]; b[0] = a; return other(b) + b[a]; }
__attribute__((noinline)) int plain(int a) { int b[100]; b[a] = a; double d = a; return other(b) + (int)d; }
__attribute__((noinline)) int leaf(int a) { return a * 3; }
__attribute__((noinline)) int early(int a) { if (a == 3) return leaf(a); int b = plain(a); return b + arrays(b) + plain(b + 1); }
int other(int *p) { return *p > 100 ? *p : early(*p + 1); }
int _start(void) { return early(1) + arrays(2); }
"""
X64 = {name: number for number, name in enumerate("RAX RDX RCX RBX RSI RDI RBP RSP".split())}
X64.update({f"R{number}": number for number in range(8, 16)}, RIP=16)
ARM = {f"W{number}": number for number in range(31)} | {"WSP": 31}


def dumped(dwarfdump, path, section):
    """{address: row} with registers by number."""
    text = subprocess.run([dwarfdump, "--eh-frame" if section == ".eh_frame" else "--debug-frame", path], check=True,
                          capture_output=True, text=True).stdout
    registers = ARM if "aarch64" in text.splitlines()[0] else X64
    part = text.split(f"{section} contents:", 1)[1].split("_frame contents:", 1)[0]
    rows, end = {}, 0
    for line in part.splitlines():
        head = re.search(r"FDE cie=.* pc=[0-9a-f]+\.\.\.([0-9a-f]+)", line)
        if head:
            end = int(head.group(1), 16)
        found = re.match(r"^  0x([0-9a-f]+): (CFA=.*)$", line)
        if found and int(found.group(1), 16) < end:
            rows[int(found.group(1), 16)] = row_of(found.group(2), registers)
    return rows


def row_of(text, registers):
    cfa, _, rest = text.partition(": ")
    out = []
    found = re.fullmatch(r"CFA=(\w+?)([+-]\d+)?", cfa)
    number = registers.get(found.group(1)) if found else None
    out.append("CFA=expression" if number is None else f"CFA={number}{int(found.group(2) or 0):+d}")
    rules = []
    for name, what in re.findall(r"(\w+)=((?:\[[^\]]*\]|[^\[,])(?:[^,=]*?(?:, DW_OP[^,=]*)*))(?=, \w+=|$)", rest):
        if name not in registers:  # vectors, and whether the return address is signed
            continue
        if "DW_OP" in what:
            what = "[expression]" if what.startswith("[") else "expression"
        elif re.fullmatch(r"\[CFA\]", what):
            what = "[CFA+0]"
        elif what in registers:
            what = f"reg{registers[what]}"
        if what != "same":
            rules.append((registers[name], what))
    return " ".join(out + [f"{number}={what}" for number, what in sorted(rules)])


def compile_programs(folder):
    """The programs that the compilers on this machine can build: (file, section)."""
    (folder / "program.c").write_text(PROGRAM)
    made = []
    for name, command, section in (
            ("x64", ["gcc", "-O2"], ".eh_frame"),
            ("x64_debug_frame", ["gcc", "-O2", "-g", "-fno-asynchronous-unwind-tables"], ".debug_frame"),
            ("arm", ["clang-19", "--target=aarch64-linux-gnu", "-fuse-ld=lld", "-O1", "-fasynchronous-unwind-tables",
                     "-mbranch-protection=standard"], ".eh_frame"),
            ("arm_debug_frame", ["clang-19", "--target=aarch64-linux-gnu", "-fuse-ld=lld", "-O1", "-g",
                                 "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"], ".debug_frame")):
        done = subprocess.run([*command, "-nostdlib", "-ffreestanding", "-fno-stack-protector", folder / "program.c", "-o",
                               folder / name], capture_output=True, check=False)
        if done.returncode == 0:
            made.append((folder / name, section))
        else:
            print(f"{name}: not compiled here")
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dump", type=pathlib.Path, required=True)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    dwarfdump = shutil.which("llvm-dwarfdump-19") or shutil.which("llvm-dwarfdump")
    if dwarfdump is None:
        print("skipped: no llvm-dwarfdump here")
        return 77
    differences = 0
    with tempfile.TemporaryDirectory() as temporary:
        files = [(path, ".eh_frame") for path in options.files]
        if not files:
            files = compile_programs(pathlib.Path(temporary))
            for library in ("libc.so.6", "libstdc++.so.6", "libm.so.6", "ld-linux-x86-64.so.2"):
                path = pathlib.Path("/lib/x86_64-linux-gnu") / library
                if not path.exists():
                    path = pathlib.Path("/usr/lib/x86_64-linux-gnu") / library
                if path.exists():
                    files.append((path, ".eh_frame"))
        for path, section in files:
            theirs = dumped(dwarfdump, path, section)
            done = subprocess.run([options.dump, path, section], check=True, capture_output=True, text=True,
                                  input="\n".join(f"{address:x}" for address in theirs))
            ours = {int(line.split(":")[0], 16): line.split(": ", 1)[1] for line in done.stdout.splitlines()}
            wrong = [address for address, row in theirs.items() if ours.get(address) != row]
            print(f"{path.name} {section}: {len(theirs)} rows, {len(wrong)} differ")
            for address in wrong[:5]:
                print(f"  {address:x}: {ours.get(address)} here, {theirs[address]} by llvm-dwarfdump")
            differences += len(wrong) + (not theirs)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
