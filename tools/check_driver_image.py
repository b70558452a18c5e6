#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the built wperf-driver.sys against the rules for our Windows kernel driver.

usage: tools/check_driver_image.py IMAGE DEF…

The .def files list the permitted imports. Each name is a documented function (or HalDispatchTable, through which ntddk.h calls
HalSetSystemInformation): https://learn.microsoft.com/windows-hardware/drivers/ddi/ finds every one by its name.
"""
import pathlib
import struct
import sys

MACHINE_ARM64 = 0xAA64
PE32_PLUS = 0x20B
SUBSYSTEM_NATIVE = 1
FLAGS = {0x0020: "HIGH_ENTROPY_VA", 0x0040: "DYNAMIC_BASE", 0x0080: "FORCE_INTEGRITY", 0x0100: "NX_COMPAT",
         0x4000: "GUARD_CF"}
SECTION_DISCARDABLE, SECTION_EXECUTE, SECTION_WRITE = 0x02000000, 0x20000000, 0x80000000
DIRECTORIES = {"import": 1, "exceptions": 3, "relocations": 5, "debug": 6}
DEBUG_CODEVIEW = 2
CHECKSUM_OFFSET = 64  # in the optional header
MOST_BYTES = 200 * 1024


class Image:
    """The headers of a PE32+ file and bytes by address."""

    def __init__(self, data):
        self.data = data
        self.pe = struct.unpack_from("<I", data, 0x3C)[0]
        if data[:2] != b"MZ" or data[self.pe:self.pe + 4] != b"PE\0\0":
            raise ValueError("is no PE image")
        self.machine, count, _, _, _, optional_size, _ = struct.unpack_from("<HHIIIHH", data, self.pe + 4)
        self.optional = self.pe + 24
        self.magic = self.u16(0)
        self.subsystem, self.flags = self.u16(68), self.u16(70)
        self.directories = [struct.unpack_from("<II", data, self.optional + 112 + 8 * i)
                            for i in range(self.u32(108))]
        self.sections = []
        for i in range(count):
            at = self.optional + optional_size + 40 * i
            name, size, address, raw_size, raw, _, _, _, _, flags = struct.unpack_from("<8sIIIIIIHHI", data, at)
            self.sections.append((name.rstrip(b"\0").decode(), address, size, raw, raw_size, flags))

    def u16(self, offset):
        return struct.unpack_from("<H", self.data, self.optional + offset)[0]

    def u32(self, offset):
        return struct.unpack_from("<I", self.data, self.optional + offset)[0]

    def offset_of(self, address):
        for _, start, size, raw, raw_size, _ in self.sections:
            if start <= address < start + max(size, raw_size):
                return raw + address - start
        raise ValueError(f"address {address:#x} is in no section")

    def text_at(self, address):
        start = self.offset_of(address)
        return self.data[start:self.data.index(b"\0", start)].decode()

    def directory(self, name):
        index = DIRECTORIES[name]
        return self.directories[index] if index < len(self.directories) else (0, 0)

    def imports(self):
        """Yields every import as (dll, name), or (dll, '#17') for an import by number."""
        address, size = self.directory("import")
        found = []
        at = self.offset_of(address) if size else None
        while at is not None:
            lookup, _, _, dll, thunks = struct.unpack_from("<IIIII", self.data, at)
            if dll == 0:
                break
            entry = self.offset_of(lookup or thunks)
            while (value := struct.unpack_from("<Q", self.data, entry)[0]) != 0:
                name = f"#{value & 0xffff}" if value >> 63 else self.text_at((value & 0x7fffffff) + 2)
                found.append((self.text_at(dll), name))
                entry += 8
            at += 20
        return found

    def checksum(self):
        """The checksum as the loader computes it: the sum of all words except the field itself, plus the length."""
        data = bytearray(self.data)
        at = self.optional + CHECKSUM_OFFSET
        data[at:at + 4] = bytes(4)
        if len(data) % 2:
            data.append(0)
        total = sum(struct.unpack(f"<{len(data) // 2}H", data))
        while total >> 16:
            total = (total & 0xffff) + (total >> 16)
        return total + len(self.data)

    def pdb_name(self):
        address, size = self.directory("debug")
        for i in range(size // 28):
            at = self.offset_of(address) + 28 * i
            kind, length, _, raw = struct.unpack_from("<IIII", self.data, at + 12)
            if kind == DEBUG_CODEVIEW:
                return self.data[raw + 24:raw + length].split(b"\0")[0].decode()
        return ""


def read_allowed(paths):
    """{dll: {names}} of .def files."""
    allowed = {}
    for path in paths:
        words = [line.split(";")[0].split() for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
        words = [line for line in words if line]
        library = next(line[1] for line in words if line[0] == "LIBRARY")
        allowed[library.lower()] = {line[0] for line in words if line[0] not in ("LIBRARY", "EXPORTS")}
    return allowed


def complaints_of(image, allowed):
    if image.machine != MACHINE_ARM64 or image.magic != PE32_PLUS:
        yield f"is for machine {image.machine:#x}, not ARM64"
    if image.subsystem != SUBSYSTEM_NATIVE:
        yield f"has subsystem {image.subsystem}, not native"
    for flag, name in FLAGS.items():
        if not image.flags & flag:
            yield f"lacks the flag {name}"
    for dll, name in image.imports():
        if dll.lower() not in allowed:
            yield f"imports {name} from {dll}, which is not one of {', '.join(sorted(allowed))}"
        elif name not in allowed[dll.lower()]:
            yield f"imports {dll}!{name}, which its .def file does not list"
    names = {section[0] for section in image.sections}
    if ".pdata" not in names or image.directory("exceptions")[1] == 0:
        yield "has no unwind information (.pdata)"
    if image.directory("relocations")[1] == 0:
        yield "has no relocations: it could load at one address only"
    for name, _, _, _, _, flags in image.sections:
        if flags & SECTION_EXECUTE and flags & SECTION_WRITE:
            yield f"section {name} is writable and executable"
        if name.startswith((".CRT", ".ctors", ".tls")):
            yield f"section {name}: nobody runs start-up code of a driver"
    if image.u32(CHECKSUM_OFFSET) != image.checksum():
        yield f"has checksum {image.u32(CHECKSUM_OFFSET):#x}, not {image.checksum():#x}; the kernel checks it"
    if image.pdb_name() != "wperf-driver.pdb":
        yield f"names its symbols \"{image.pdb_name()}\": a path of the building machine, or none"
    if len(image.data) >= MOST_BYTES:
        yield f"is {len(image.data)} bytes, over {MOST_BYTES}"


def main():
    if len(sys.argv) < 3:
        print(__doc__.strip())
        return 2
    path = pathlib.Path(sys.argv[1])
    try:
        image = Image(path.read_bytes())
        complaints = list(complaints_of(image, read_allowed(sys.argv[2:])))
    except (ValueError, struct.error, StopIteration) as error:
        complaints = [str(error)]
    for complaint in complaints:
        print(f"{path.name}: {complaint}")
    if complaints:
        path.unlink()  # otherwise the build would take it for up to date
        return 1
    print(f"{path.name}: {len(image.data)} bytes, {len(image.imports())} imports, {len(image.sections)} sections, sound")
    return 0


if __name__ == "__main__":
    sys.exit(main())
