#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes cabinets for cabinet_test.cpp: NAME.cab and NAME.bin with its contents.

usage: make_test_cabinets.py FOLDER
"""
import pathlib
import random
import struct
import sys
import zlib

BLOCK = 32768
STORED, MSZIP = 0, 1


def checksum(data, seed):
    whole = len(data) // 4 * 4
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        seed ^= word
    return seed ^ int.from_bytes(data[whole:], "big")


def compress(data, kind, level):
    """The blocks of a folder, each with its uncompressed size. MSZIP may refer back into the block before."""
    blocks, history = [], b""
    for at in range(0, len(data), BLOCK):
        piece = data[at:at + BLOCK]
        if kind == STORED:
            blocks.append((piece, len(piece)))
            continue
        settings = (level, zlib.DEFLATED, -15, 9, zlib.Z_FIXED if level == 1 else zlib.Z_DEFAULT_STRATEGY)
        deflate = zlib.compressobj(*settings, history) if history else zlib.compressobj(*settings)
        blocks.append((b"CK" + deflate.compress(piece) + deflate.flush(), len(piece)))
        history = piece
    return blocks


def cabinet(files, kind, level=9, reserve=b"", previous=b""):
    """One folder with these (name, bytes)."""
    blocks = compress(b"".join(data for _, data in files), kind, level)
    flags = (4 if reserve else 0) | (1 if previous else 0)
    extra = struct.pack("<HBB", len(reserve), len(reserve), len(reserve)) + reserve if reserve else b""
    extra += previous
    entries, offset = b"", 0
    for name, data in files:
        entries += struct.pack("<IIHHHH", len(data), offset, 0, 0, 0, 32) + name + b"\0"
        offset += len(data)
    files_at = 36 + len(extra) + 8 + len(reserve)
    body = b""
    for stored, size in blocks:
        sizes = struct.pack("<HH", len(stored), size)
        body += struct.pack("<I", checksum(sizes + reserve, checksum(stored, 0))) + sizes + reserve + stored
    folder = struct.pack("<IHH", files_at + len(entries), len(blocks), kind) + reserve
    total = files_at + len(entries) + len(body)
    header = struct.pack("<4sIIIIIBBHHHHH", b"MSCF", 0, total, 0, files_at, 0, 3, 1, 1, len(files), flags, 7, 0)
    return header + extra + folder + entries + body


def sample_data(size):
    """Text that compresses, noise that does not, and repeats from far back."""
    source = random.Random(7)
    out = bytearray()
    while len(out) < size:
        kind = source.randrange(4)
        if kind == 0:
            out += bytes(source.randrange(256) for _ in range(source.randrange(2000)))
        elif kind == 1 and len(out) > 32000:
            far = source.randrange(30000, 32000)
            out += out[-far:len(out) - far + source.randrange(1, 400)]
        else:
            out += b" ".join(source.choice((b"module", b"symbol", b"line", b"0x1f", b"\0\0\0\0")) for _ in range(300))
    return bytes(out[:size])


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    large = sample_data(250_000)
    small = b"a small file, a small file"
    name = b"x.pdb"
    made = {
        "mszip": (large, cabinet([(name, large)], MSZIP)),
        "fixed": (large[:70_000], cabinet([(name, large[:70_000])], MSZIP, 1)),
        "uncompressed": (large[:70_000], cabinet([(name, large[:70_000])], MSZIP, 0)),
        "stored": (large, cabinet([(name, large)], STORED)),
        "reserve": (large, cabinet([(name, large)], MSZIP, 6, b"12345678")),
        "two_files": (small, cabinet([(name, small), (b"y.pdb", large)], MSZIP)),
        "small": (small, cabinet([(name, small)], MSZIP)),
        "exact_block": (large[:BLOCK], cabinet([(name, large[:BLOCK])], MSZIP)),
        "neighbour": (small, cabinet([(name, small)], MSZIP, 9, b"", b"before.cab\0disk\0")),
    }
    for stem, (data, file) in made.items():
        (folder / f"{stem}.bin").write_bytes(data)
        (folder / f"{stem}.cab").write_bytes(file)
    (folder / "made").write_text("")


if __name__ == "__main__":
    main()
