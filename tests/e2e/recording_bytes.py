# SPDX-License-Identifier: BSD-3-Clause
"""perf.data files as bytes, for tests that change some of them: finds the records in files and in pipes."""
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
