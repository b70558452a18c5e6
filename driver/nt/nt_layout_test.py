#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares our driver/nt/nt.h with the kernel headers of mingw-w64: sizes, offsets and values of everything both have, as a
compiler for 64-bit Windows lays them out. The headers have no ARM64, but structures of the kernel interface are the same there.
KTRAP_FRAME, which only ARM64 has, follows the public symbols of the kernel.

Exit status 77: no such headers or compiler here.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("WPERF_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
KIT = pathlib.Path("/usr/share/mingw-w64/include")
TARGET = "--target=x86_64-w64-windows-gnu"
ROWS = """
#undef HalSetSystemInformation
#define SIZE(type) (long long)sizeof(type),
#define AT(type, member) (long long)__builtin_offsetof(type, member),
#define VALUE(name) (long long)(name) & 0xffffffffll,
"""
OURS = """
#define WPERF_NT_HOST
#include "driver/nt/nt.h"
""" + ROWS + """
extern "C" const long long layout_rows[];
const long long layout_rows[] = {
#include "driver/nt/nt_layout_rows.h"
};
"""
THEIRS = """
#include <ntifs.h>
#include <ntddk.h>
#include <evntprov.h>
""" + ROWS + """
const long long layout_rows[] = {
#include "driver/nt/nt_layout_rows.h"
};
"""


def row_names():
    text = (ROOT / "driver/nt/nt_layout_rows.h").read_text(encoding="utf-8")
    return re.findall(r"^((?:SIZE|AT|VALUE)\(.*\))$", text, re.MULTILINE)


def compile_rows(compiler, source, name, options):
    """The rows as numbers, read from the assembly of the array."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.write_text(source, encoding="utf-8")
        run = subprocess.run([compiler, TARGET, "-S", "-O1", "-fno-asynchronous-unwind-tables", f"-I{ROOT}", *options,
                              str(path), "-o", "-"], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{name} does not compile:\n{run.stderr[:4000]}")
    after = run.stdout.split("layout_rows:", 1)[1]
    numbers = []
    for line in after.splitlines()[1:]:
        words = line.split("#")[0].split()
        if words[:1] == [".quad"]:
            numbers.append(int(words[1], 0))
        elif words[:1] == [".zero"]:
            numbers.extend([0] * (int(words[1]) // 8))
        elif words:
            break
    return numbers


def main():
    compiler = shutil.which("clang-19")
    if compiler is None or not (KIT / "ddk/ntifs.h").exists():
        print("skipped: clang-19 or the kernel headers of mingw-w64-common are not installed")
        return 77
    ours = compile_rows(compiler, OURS, "ours.cpp", ["-std=c++20", "-ffreestanding"])
    theirs = compile_rows(compiler, THEIRS, "theirs.c",
                          ["-std=gnu17", "-w", f"-I{KIT}", f"-I{KIT / 'ddk'}", "-D_WIN32_WINNT=0x0A00",
                           "-DNTDDI_VERSION=0x0A000000", "-D_AMD64_", "-D_KERNEL_MODE"])
    names = row_names()
    if not names or not len(names) == len(ours) == len(theirs):
        sys.exit(f"{len(names)} rows, but {len(ours)} and {len(theirs)} numbers")
    wrong = 0
    for name, here, there in zip(names, ours, theirs):
        if here != there:
            print(f"{name}: {here:#x} here, {there:#x} in the kit")
            wrong += 1
    print(f"{len(names)} layouts compared, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
