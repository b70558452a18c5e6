#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Removes every unwanted export from a DLL.

usage: tools/keep_exports.py DLL NAMES

NAMES is a file with one name per line. A name that the DLL lacks is an error. The zig linker has no option that keeps
its unwinder from being exported.
"""
import pathlib
import struct
import sys


class ImageError(Exception):
    """The file is not a DLL that this script understands."""


def word(image, offset, form="<I"):
    try:
        return struct.unpack_from(form, image, offset)[0]
    except struct.error as error:
        raise ImageError(f"the file ends before {offset:#x}") from error


def pe_header(image):
    header = word(image, 0x3C)
    if image[:2] != b"MZ" or image[header:header + 4] != b"PE\0\0" or word(image, header + 24, "<H") != 0x20B:
        raise ImageError("it is no 64-bit PE image")
    return header


def file_offset(image, header, rva):
    """The file offset of the byte at an address."""
    first = header + 24 + word(image, header + 20, "<H")
    for section in range(first, first + 40 * word(image, header + 6, "<H"), 40):
        size, start, raw_size, raw = struct.unpack_from("<IIII", image, section + 8)
        if start <= rva < start + min(max(size, 1), raw_size):
            return raw + rva - start
    raise ImageError(f"no section holds the address {rva:#x}")


def keep(image, wanted):
    """Returns the image with only the wanted exports. They stay sorted, because the loader's search needs that."""
    header = pe_header(image)
    table = file_offset(image, header, word(image, header + 24 + 112))
    functions_rva, names_rva, ordinals_rva = struct.unpack_from("<III", image, table + 28)
    functions = file_offset(image, header, functions_rva)
    names = file_offset(image, header, names_rva)
    ordinals = file_offset(image, header, ordinals_rva)
    count = word(image, table + 24)
    found, kept = [], set()
    for i in range(count):
        name = word(image, names + 4 * i)
        start = file_offset(image, header, name)
        text = bytes(image[start:image.index(0, start)]).decode("ascii")
        ordinal = word(image, ordinals + 2 * i, "<H")
        if text in wanted:
            found.append((text, name, ordinal))
            kept.add(ordinal)
    missing = wanted - {text for text, _, _ in found}
    if missing:
        raise ImageError("it does not export " + ", ".join(sorted(missing)))
    for i, (_, name, ordinal) in enumerate(found):
        struct.pack_into("<I", image, names + 4 * i, name)
        struct.pack_into("<H", image, ordinals + 2 * i, ordinal)
    struct.pack_into("<I", image, table + 24, len(found))
    for ordinal in range(word(image, table + 20)):
        if ordinal not in kept:
            struct.pack_into("<I", image, functions + 4 * ordinal, 0)  # an unused number
    return image


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    dll = pathlib.Path(sys.argv[1])
    wanted = set(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").split())
    try:
        dll.write_bytes(keep(bytearray(dll.read_bytes()), wanted))
    except ImageError as error:
        print(f"error: {dll}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
