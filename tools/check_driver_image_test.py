#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes each fault that check_driver_image.py refuses in a copy of the built driver.

usage: tools/check_driver_image_test.py IMAGE DEF…     (cmake/driver.cmake runs it on every image it links)
"""
import pathlib
import struct
import sys
import unittest

import check_driver_image

GOOD = b""
ALLOWED = {}


def section_header(image, name):
    for i in range(len(image.sections)):
        at = image.optional + 112 + 8 * len(image.directories) + 40 * i
        if image.data[at:at + 8].rstrip(b"\0").decode() == name:
            return at
    raise KeyError(name)


class Complaints(unittest.TestCase):
    def complaints(self, change=None, allowed=None, keep_checksum=False):
        data = bytearray(GOOD)
        image = check_driver_image.Image(GOOD)
        if change:
            change(data, image)
        changed = check_driver_image.Image(bytes(data))
        if not keep_checksum:
            struct.pack_into("<I", data, changed.optional + check_driver_image.CHECKSUM_OFFSET, changed.checksum())
        return list(check_driver_image.complaints_of(check_driver_image.Image(bytes(data)), allowed or ALLOWED))

    def assert_only(self, words, *arguments, **options):
        complaints = self.complaints(*arguments, **options)
        self.assertEqual(len(complaints), 1, complaints)
        self.assertIn(words, complaints[0])

    def test_what_was_built_is_sound(self):
        self.assertEqual(self.complaints(), [])

    def test_machine_and_subsystem(self):
        self.assert_only("machine", lambda data, image: struct.pack_into("<H", data, image.pe + 4, 0x8664))
        self.assert_only("subsystem", lambda data, image: struct.pack_into("<H", data, image.optional + 68, 3))

    def test_every_flag(self):
        for flag, name in check_driver_image.FLAGS.items():
            self.assert_only(name, lambda data, image, flag=flag:
                             struct.pack_into("<H", data, image.optional + 70, image.flags & ~flag))

    def test_imports(self):
        dll, name = next(pair for pair in check_driver_image.Image(GOOD).imports() if pair[0] == "ntoskrnl.exe")
        less = {known: set(names) for known, names in ALLOWED.items()}
        less[dll].discard(name)
        self.assert_only(f"{dll}!{name}", allowed=less)
        complaints = self.complaints(allowed={"ntoskrnl.exe": ALLOWED["ntoskrnl.exe"]})
        self.assertTrue(complaints and all("hal.dll" in complaint for complaint in complaints))

    def test_directories(self):
        for name, words in (("exceptions", ".pdata"), ("relocations", "relocations")):
            index = check_driver_image.DIRECTORIES[name]
            self.assert_only(words, lambda data, image, index=index:
                             struct.pack_into("<II", data, image.optional + 112 + 8 * index, 0, 0))

    def test_sections(self):
        self.assert_only("writable and executable", lambda data, image: struct.pack_into(
            "<I", data, section_header(image, ".text") + 36, 0xE0000020))
        self.assert_only("start-up", lambda data, image: struct.pack_into(
            "<8s", data, section_header(image, ".data"), b".CRT"))

    def test_checksum_and_size(self):
        self.assert_only("checksum", lambda data, image: struct.pack_into(
            "<I", data, image.optional + check_driver_image.CHECKSUM_OFFSET, 1), keep_checksum=True)
        self.assert_only("bytes, over", lambda data, image: data.extend(bytes(check_driver_image.MOST_BYTES)))

    def test_symbol_file(self):
        def rename(data, _):
            at = data.index(b"wperf-driver.pdb")
            data[at:at + 5] = b"/home"
        self.assert_only("/home-driver.pdb", rename)


if __name__ == "__main__":
    GOOD = pathlib.Path(sys.argv[1]).read_bytes()
    ALLOWED = check_driver_image.read_allowed(sys.argv[2:])
    unittest.main(argv=sys.argv[:1])
