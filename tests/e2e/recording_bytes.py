# SPDX-License-Identifier: BSD-3-Clause
"""perf.data files as bytes: finds the records in files and in pipes, for tests that change records, and writes files
with branch stacks."""
import struct

SAMPLE, AUXTRACE, TRACING_DATA = 9, 71, 66


def data_section(data):
    """(begin, end) of the records."""
    header_size = struct.unpack_from("<Q", data, 8)[0]
    if header_size == 16:
        return 16, len(data)
    begin, size = struct.unpack_from("<QQ", data, 40)
    return begin, begin + size


def records(data):
    """(offset, type, size) of each record."""
    at, end = data_section(data)
    while at < end:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        yield at, kind, size
        behind = 0
        if kind == AUXTRACE:
            behind = struct.unpack_from("<Q", data, at + 8)[0]
        if kind == TRACING_DATA:
            behind = struct.unpack_from("<I", data, at + 8)[0]
        at += size + behind


def samples(data):
    """(offset, size) of each sample."""
    return [(at, size) for at, kind, size in records(data) if kind == SAMPLE]


def perf_data_with_branches(program, build_id, base, size, stacks):
    """A perf.data file whose samples have branch stacks, the newest branch first, each (from, to, mispredicted). If the
    program has a Windows path, the file names wperf as its recorder, because no other tool records such programs."""
    sample_type = 1 | 2 | 4 | 0x800  # address, thread, time, branch stack
    branch_type = 1 << 17  # with the hardware index
    attribute = struct.pack("<IIQQQQQII", 0, 112, 0, 1000, sample_type, 0, 1 << 18, 0, 0) + struct.pack("<QQQ", 0, 0, branch_type)
    attribute = attribute.ljust(112, b"\0")

    def record(kind, body):
        return struct.pack("<IHH", kind, 2 | (0x4000 if kind == 10 else 0), 8 + len(body)) + body
    path = str(program).encode() + b"\0"
    path = path.ljust((len(path) + 7) // 8 * 8, b"\0")
    identity = struct.pack("<B3x20s", len(build_id), build_id)
    data = bytearray(record(10, struct.pack("<IIQQQ", 7, 7, base, size, 0) + identity + struct.pack("<II", 5, 2) + path +
                  struct.pack("<IIQ", 7, 7, 1)))
    for i, stack in enumerate(stacks):
        body = struct.pack("<QIIQQQ", stack[0][0], 7, 7, 10 + i, len(stack), 0)
        data += record(9, body + b"".join(struct.pack("<QQQ", *one) for one in stack))
    header = 104
    attributes = attribute + struct.pack("<QQ", 0, 0)
    flags, features = 0, b""
    if "\\" in str(program):
        version = b"wperf 1".ljust(64, b"\0")
        flags = 1 << 5  # the version of the recorder
        features = struct.pack("<QQI", header + len(attributes) + len(data) + 16, 4 + len(version), len(version)) + version
    return (b"PERFILE2" + struct.pack("<QQQQQQQQ", header, len(attributes), header, len(attributes), header + len(attributes),
                                      len(data), 0, 0) + struct.pack("<QQQQ", flags, 0, 0, 0) + attributes + bytes(data) + features)
