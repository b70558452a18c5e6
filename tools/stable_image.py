#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Replaces every time stamp of a Windows program or DLL by a number computed from the content.

usage: tools/stable_image.py IMAGE…

The linker that comes with zig writes the time of day, so that two builds of the same sources differ. The stamp has the
meaning that Microsoft's linker gives it with /Brepro: images of the same content have the same one.
"""
import hashlib
import pathlib
import struct
import sys

from keep_exports import ImageError, file_offset, pe_header, word

EXPORT, RESOURCE, DEBUG = 0, 2, 6  # indices of the data directories
DEBUG_ENTRY = 28  # bytes


def directory(image, header, number):
    """Address and size; 0, 0 if the image has no directory of that kind."""
    if number >= word(image, header + 24 + 108):
        return 0, 0
    return struct.unpack_from("<II", image, header + 24 + 112 + 8 * number)


def stamps(image, header):
    """Where in the file the time stamps are."""
    places = [header + 8]
    for number in (EXPORT, RESOURCE):
        address, size = directory(image, header, number)
        if size != 0:
            places.append(file_offset(image, header, address) + 4)
    address, size = directory(image, header, DEBUG)
    if size != 0:
        start = file_offset(image, header, address)
        places += [entry + 4 for entry in range(start, start + size, DEBUG_ENTRY)]
    return places


def checksum(image):
    """As Windows counts it: 16-bit words with their carries, and the length."""
    total = 0
    for (value,) in struct.iter_unpack("<H", bytes(image) + b"\0" * (len(image) % 2)):
        total += value
        total = (total & 0xFFFF) + (total >> 16)
    return total + len(image)


def stable(image):
    header = pe_header(image)
    checksum_at = header + 24 + 64
    had_checksum = word(image, checksum_at) != 0
    places = stamps(image, header)
    for place in (*places, checksum_at):
        struct.pack_into("<I", image, place, 0)
    stamp = int.from_bytes(hashlib.sha256(image).digest()[:4], "little") or 1  # 0 would mean that there is none
    for place in places:
        struct.pack_into("<I", image, place, stamp)
    if had_checksum:
        struct.pack_into("<I", image, checksum_at, checksum(image))
    return image


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        try:
            path.write_bytes(stable(bytearray(path.read_bytes())))
        except ImageError as error:
            print(f"error: {path}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
