# SPDX-License-Identifier: BSD-3-Clause
"""Recordings with crafted executables in which each address needs much work: the time must grow with their size, not
with the square of the size."""
import pathlib
import resource
import shutil
import struct
import subprocess
import tempfile
import unittest

from support import WperfTest
from test_bounds import block, number, varint

PID, BASE, TEXT, TABLES = 77, 0x7F0000000000, 0x1000, 0x400000
RET, MOV = struct.pack("<I", 0xD65F03C0), struct.pack("<I", 0xAA0003E0)  # MOV: any instruction that flow passes


def perf_data(addresses, mapped=None, extra=None):
    """A recording with a sample at each address. `mapped`: the (path, begin, file offset) of an executable. `extra`:
    the number and the contents of one more section."""
    def record(kind, body):
        return struct.pack("<IHH", kind, 2, 8 + len(body)) + body
    data = record(3, struct.pack("<II8s", PID, PID, b"made"))
    if mapped is not None:
        path, begin, offset = mapped
        name = str(path).encode() + b"\0"
        data += record(1, struct.pack("<IIQQQ", PID, PID, begin, 1 << 28, offset) + name.ljust((len(name) + 7) // 8 * 8, b"\0"))
    data += b"".join(record(9, struct.pack("<QII", address, PID, PID)) for address in addresses)
    version = b"wperf 1".ljust(64, b"\0")
    sections = {5: struct.pack("<I", len(version)) + version, **(extra or {})}
    attribute = struct.pack("<IIQQQQQ", 1, 112, 0, 1000, 3, 0, 0).ljust(128, b"\0")
    bits = [sum(1 << number % 64 for number in sections if number // 64 == word) for word in range(4)]
    at = 104 + len(attribute) + len(data) + 16 * len(sections)
    table = body = b""
    for number in sorted(sections):
        table += struct.pack("<QQ", at + len(body), len(sections[number]))
        body += sections[number]
    return (b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, len(attribute), 104, len(attribute), 104 + len(attribute), len(data), 0, 0) +
            struct.pack("<4Q", *bits) + attribute + data + table + body)


def image(code, tables, directories):
    """A DLL for ARM64 with code and a section of tables. `directories`: {number: (RVA, size)}."""
    def aligned(data):
        return data.ljust((len(data) + 511) // 512 * 512, b"\0")
    optional = struct.pack("<H2xIIIIIQIIHHHHHHIIIIHHQQQQII", 0x20B, 0, 0, 0, TEXT, TEXT, 1 << 32, 0x1000, 512, 6, 0, 0, 0, 6, 0, 0,
                           TABLES + (len(tables) + 0xFFF) // 0x1000 * 0x1000, 0x400, 0, 3, 0x8160, 1 << 20, 4096, 1 << 20, 4096, 0, 16)
    optional += b"".join(struct.pack("<II", *directories.get(number, (0, 0))) for number in range(16))
    parts, headers, at = [aligned(code), aligned(tables)], b"", 0x400
    for part, rva, kind in zip(parts, (TEXT, TABLES), (0x60000020, 0x40000040)):
        headers += struct.pack("<8sIIIIIIHHI", b"part", len(part), rva, len(part), at, 0, 0, 0, 0, kind)
        at += len(part)
    head = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<HHIIIHH", 0xAA64, 2, 0, 0, 0, len(optional), 0x2022)
    return (head + optional + headers).ljust(0x400, b"\0") + b"".join(parts)


class HostileCode(WperfTest):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.environment = {**self.environment, "XDG_CACHE_HOME": str(self.folder / "cache")}

    def seconds(self, *arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.run_wperf(*arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(done.returncode, 0, done.stderr)
        return after.ru_utime - before.ru_utime

    def grows_with_size(self, arguments_for, small):
        """Eight times the input may take twelve times as long, but not 64 times."""
        times = [self.seconds(*arguments_for(size)) for size in (small, small * 8)]
        self.assertLess(times[1], 12 * times[0] + 0.3, times)

    def of_image(self, name, data, addresses):
        (self.folder / name).write_bytes(data)
        recording = self.folder / f"{name}.data"
        recording.write_bytes(perf_data(addresses, (self.folder / name, BASE, 0)))
        return "report", recording

    def test_lines_of_generated_code(self):
        def made(count):
            def record(kind, body):
                return struct.pack("<IIQ", kind, 16 + len(body), 0) + body
            lines = b"".join(struct.pack("<QII", 0x10000 + i, i + 1, 0) + b"a.js\0" for i in range(count))
            dump = (struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, PID, 5, 0) + record(2, struct.pack("<QQ", 0x10000, count) + lines) +
                    record(0, struct.pack("<IIQQQQ", PID, PID, 0x10000, 0x10000, count, 1) + b"hot\0"))
            file = self.folder / "jit.data"
            file.write_bytes(perf_data(range(0x10000, 0x10000 + count), extra={251: struct.pack("<Q", len(dump)) + dump}))
            return "report", file, "--sort", "line"
        self.grows_with_size(made, 10_000)

    def test_code_of_one_export(self):
        def made(count):
            names = struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, TABLES + 64, 1, 1, 1, TABLES + 40, TABLES + 44, TABLES + 48)
            names += struct.pack("<IIH", TEXT, TABLES + 80, 0).ljust(24, b"\0") + b"x.dll".ljust(16, b"\0") + b"hot\0"
            return self.of_image("flow.dll", image(MOV * count + RET, names, {0: (TABLES, len(names))}),
                                 [BASE + TEXT + 4 * i for i in range(count)])
        self.grows_with_size(made, 4000)
        self.assertIn("hot", self.ok(*made(1000)))

    def test_ranges_of_a_hybrid_image(self):
        def made(count):
            functions = b"".join(struct.pack("<II", TEXT + 8 * i, 1 | 1 << 2) for i in range(count))
            at = TABLES + len(functions)
            config = struct.pack("<I", 0x200).ljust(0xC8, b"\0") + struct.pack("<Q", (1 << 32) + at + 0x200)
            ranges = struct.pack("<III", 1, at + 0x300, count).ljust(0x100, b"\0") + struct.pack("<II", 0xF0000000, 4) * count
            return self.of_image("hybrid.dll", image(RET * 2 * count, functions + config.ljust(0x200, b"\0") + ranges,
                                                     {3: (TABLES, len(functions)), 10: (at, 0x200)}), [BASE + TEXT + 4])
        self.grows_with_size(made, 5000)

    def test_modules_that_all_differ(self):
        def profile(name, count):
            texts = [b"", b"samples", b"count", *(f"{name}{i}".encode() for i in range(count))]
            data = [block(1, number(1, 1) + number(2, 2)), *(block(6, text) for text in texts)]
            for i in range(1, count + 1):
                data += [block(3, number(1, i) + number(5, i + 2)), block(5, number(1, i) + number(2, i + 2)),
                         block(4, number(1, i) + number(2, i) + block(4, number(1, i))),
                         block(2, block(1, varint(i)) + block(2, varint(50)))]
            file = self.folder / f"{name}.pb"
            file.write_bytes(b"".join(data))
            return file
        self.grows_with_size(lambda count: ("diff", profile("a", count), profile("b", count)), 500)

    @unittest.skipUnless(shutil.which("gcc") and shutil.which("readelf"), "needs gcc and readelf")
    def test_a_thousand_inlined_functions_at_each_address(self):
        """DWARF 4 debug information: a unit with one function, into which nested functions were inlined."""
        size, depth = 1 << 18, 1000
        kinds = ((1, 0x11, ((3, 8), (0x11, 1), (0x12, 7), (0x13, 5))), (2, 0x2E, ((3, 8), (0x11, 1), (0x12, 7))),
                 (3, 0x1D, ((0x31, 0x13), (0x11, 1), (0x12, 7), (0x59, 5))))
        text = f'.globl f\n.text\nf: .fill {size},1,0x90\n.section .debug_abbrev,"",@progbits\n'
        for number, tag, attributes in kinds:
            words = [number, tag, 1, *(word for one in attributes for word in one), 0, 0]
            text += "".join(f".uleb128 {word}\n" for word in words)
        text += ('.byte 0\n.section .debug_info,"",@progbits\nunit: .long end-start\nstart: .short 4\n.long .debug_abbrev\n.byte 8\n'
                 f'.uleb128 1\n.asciz "a.c"\n.quad f\n.quad {size}\n.short 12\ninner: .uleb128 2\n.asciz "f"\n.quad f\n.quad {size}\n')
        text += f".uleb128 3\n.long inner-unit\n.quad f\n.quad {size}\n.short 7\n" * depth + ".byte 0\n" * (depth + 2) + "end:\n"
        (self.folder / "nest.s").write_text(text)
        program = self.folder / "nest"
        subprocess.run(["gcc", "-nostdlib", "-static", "-Wl,-e,f", "-o", program, self.folder / "nest.s"], check=True)
        listed = subprocess.run(["readelf", "-lW", program], check=True, capture_output=True, text=True).stdout
        offset, address = next((int(line.split()[1], 16), int(line.split()[2], 16)) for line in listed.splitlines() if " R E " in line)
        file = self.folder / "nest.data"
        peaks = []
        for count in (2000, 20_000):
            file.write_bytes(perf_data([address + i for i in range(count)], (program, address, offset)))
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            self.ok("report", file, "--sort", "line")
            peaks.append(max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
        self.assertLess(peaks[1], 400_000, peaks)  # kilobytes; a gigabyte if all frames are kept


if __name__ == "__main__":
    unittest.main()
