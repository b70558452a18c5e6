# SPDX-License-Identifier: BSD-3-Clause
"""A perf.data file with hostile names of threads, files and functions, written byte by byte.

Functions are code made at run time, named by /tmp/perf-PID.map. The test that makes the recording removes that file.
"""
import os
import pathlib
import struct

# Larger than any process number of Linux. Tests run at the same time, so each uses a different number.
PROCESS = 0x400000 + 2 * os.getpid()
NAMES = ["</script><script>alert(1)</script>", "it's \"quoted\" \\ back", "\u202eright-to-left", "x" * 10_000,
         "semi;colon,comma", "\U0001f525 fire", "a<b>(c&d)", "tab\there", "=1+1", "'; DROP TABLE samples; --"]
BAD_BYTES = b"bad\xff\xc3\x28bytes"  # not UTF-8
CODE = 0x7F0000000000
EACH = 0x100


def names():
    """The names of functions, as they are shown."""
    return NAMES + [BAD_BYTES.decode("utf-8", "replace")]


def trailer(time):
    return struct.pack("<IIQII", PROCESS, PROCESS, time, 0, 0)


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def padded(text):
    text += b"\0"
    return text + b"\0" * (-len(text) % 8)


def sample(time, task, stack):
    """`functions`: the stack as numbers of functions, the innermost first. The address of a caller is the address after
    its call."""
    words = [0xFFFFFFFFFFFFFE00] + [CODE + EACH * function + 8 for function in stack]
    body = struct.pack("<QIIQIIQQ", words[1], PROCESS, task, time, 1, 0, 1_000_000, len(words))
    return record(9, 2, body + struct.pack(f"<{len(words)}Q", *words))


def write(path):
    """Every function is innermost in a different number of samples. Returns the path of the map."""
    fields = 1 | 2 | 4 | 0x20 | 0x80 | 0x100
    attributes = struct.pack("<IIQQQQQ", 1, 128, 0, 1_000_000, fields, 0, 1 << 18).ljust(128, b"\0")
    records = record(3, 0x2000, struct.pack("<II", PROCESS, PROCESS) + padded(b"</script>&'") + trailer(1))
    records += record(7, 0, struct.pack("<IIIIQ", PROCESS, PROCESS, PROCESS + 1, PROCESS, 2) + trailer(2))
    records += record(3, 0, struct.pack("<II", PROCESS, PROCESS + 1) + padded(b"\xffbad\"na") + trailer(3))
    mapping = struct.pack("<IIQQQIIQQII", PROCESS, PROCESS, CODE, EACH * 64, 0, 0, 0, 0, 0, 5, 2)
    records += record(10, 2, mapping + padded(b"//anon") + trailer(4))
    time = 1000
    functions = len(names())
    for function in range(functions):
        for repeated in range(function + 1):
            time += 1_000_000
            callers = [(function + 1) % functions, (function + 3) % functions][:repeated % 3]
            records += sample(time, PROCESS + repeated % 2, [function, *callers])
    ids_at = 104 + 144
    header = b"PERFILE2" + struct.pack("<QQ", 104, 144) + struct.pack("<QQ", 104, 144)
    header += struct.pack("<QQ", ids_at, len(records)) + bytes(16) + bytes(32)
    path.write_bytes(header + attributes + struct.pack("<QQ", ids_at, 0) + records)
    symbols = pathlib.Path(f"/tmp/perf-{PROCESS}.map")
    lines = [name.encode() for name in NAMES] + [BAD_BYTES]
    symbols.write_bytes(b"".join(b"%x %x %s\n" % (CODE + EACH * i, EACH, name) for i, name in enumerate(lines)))
    return symbols
