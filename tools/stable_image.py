#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Replaces every time stamp of a Windows program or DLL by a number computed from the content. Also replaces the identity that it
shares with its .pdb.

usage: tools/stable_image.py IMAGE…

zig's linker writes the time of day, so two builds of the same sources differ. The new stamp has the same meaning as
with Microsoft's /Brepro: images with the same content have the same stamp. The identity is a hash of the .pdb, which
contains the path of the build folder. A .pdb in the folder of the image gets the new identity.
"""
import hashlib
import pathlib
import struct
import sys

from keep_exports import ImageError, file_offset, pe_header, word

EXPORT, RESOURCE, DEBUG = 0, 2, 6  # indices of the data directories
DEBUG_ENTRY = 28  # bytes
CODEVIEW = 2  # a kind of debug entry
IDENTITY = 16  # bytes


def directory(image, header, number):
    """Address and size; 0, 0 if the image has no directory of that kind."""
    if number >= word(image, header + 24 + 108):
        return 0, 0
    return struct.unpack_from("<II", image, header + 24 + 112 + 8 * number)


def stamps(image, header):
    """The file offsets of the time stamps."""
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


def identity_place(image, header):
    """The offset of the identity that the .pdb also has; None if there is no identity."""
    address, size = directory(image, header, DEBUG)
    start = file_offset(image, header, address) if size else 0
    for entry in range(start, start + size, DEBUG_ENTRY):
        record = word(image, entry + 24)
        if word(image, entry + 12) == CODEVIEW and image[record:record + 4] == b"RSDS":
            return record + 4
    return None


def identity_of(image):
    place = identity_place(image, pe_header(image))
    return b"" if place is None else bytes(image[place:place + IDENTITY])


def checksum(image):
    """The checksum as Windows computes it: the sum of 16-bit words with their carries, plus the length."""
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
    identity = identity_place(image, header)
    for place in (*places, checksum_at):
        struct.pack_into("<I", image, place, 0)
    if identity is not None:
        image[identity:identity + IDENTITY] = bytes(IDENTITY)
    digest = hashlib.sha256(image).digest()
    stamp = int.from_bytes(digest[:4], "little") or 1  # 0 would mean that there is no time stamp
    for place in places:
        struct.pack_into("<I", image, place, stamp)
    if identity is not None:
        image[identity:identity + IDENTITY] = digest[4:4 + IDENTITY]
    if had_checksum:
        struct.pack_into("<I", image, checksum_at, checksum(image))
    return image


def carry_identity(path, before, after):
    """Writes the new identity into the .pdb in the folder of the image, if it is the image's own."""
    beside = path.with_suffix(".pdb")
    if before and beside.is_file() and (content := beside.read_bytes()).count(before) == 1:
        beside.write_bytes(content.replace(before, after))


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        try:
            image = path.read_bytes()
            changed = stable(bytearray(image))
            path.write_bytes(changed)
            carry_identity(path, identity_of(image), identity_of(changed))
        except ImageError as error:
            print(f"error: {path}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
