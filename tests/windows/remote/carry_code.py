#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Extracts the section .remote of the ARM64 remote.exe as assembly for the x64 remote.exe: the same bytes in a section
of the same name. Each function gets a symbol, so that the x64 program's PDB names ARM64 code.

    carry_code.py IMAGE MAP OUTPUT      MAP: what lld-link wrote with /map
"""
import pathlib
import re
import struct
import sys

NAME = ".remote"


def find_section(image):
    header = struct.unpack_from("<I", image, 0x3C)[0]
    count, optional = struct.unpack_from("<H", image, header + 6)[0], struct.unpack_from("<H", image, header + 20)[0]
    for index in range(count):
        at = header + 24 + optional + 40 * index
        name = image[at:at + 8].rstrip(b"\0").decode()
        size, _, _, offset = struct.unpack_from("<IIII", image, at + 8)
        if name == NAME:
            return index + 1, image[offset:offset + size]
    sys.exit(f"error: no section {NAME}")


def functions(map_text, section):
    """[(offset, name)]: lines of the map like ` 0004:00000020       hot_loop  0000000140005000 …`."""
    found = re.findall(rf"^ {section:04x}:([0-9a-f]{{8}})\s+(\w+)\s+[0-9a-f]{{16}}\s", map_text, re.MULTILINE)
    return sorted((int(offset, 16), name) for offset, name in found)


def main():
    image, map_text = pathlib.Path(sys.argv[1]).read_bytes(), pathlib.Path(sys.argv[2]).read_text()
    section, code = find_section(image)
    named = functions(map_text, section)
    if {"remote_work", "hot_loop", "cold_loop"} - {name for _, name in named}:
        sys.exit(f"error: the map does not name the functions of {NAME}: {named}")
    lines = [f'.section {NAME},"xr"', ".p2align 2"]
    starts = {}
    for offset, name in named:
        starts.setdefault(offset, []).append(name)
    for offset in range(0, len(code) + 3 & ~3, 4):
        for name in starts.get(offset, []):
            lines += [f".def {name}; .scl 2; .type 32; .endef", f".globl {name}", f"{name}:"]
        lines.append(".long 0x%08x" % struct.unpack("<I", code[offset:offset + 4].ljust(4, b"\0"))[0])
    pathlib.Path(sys.argv[3]).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
