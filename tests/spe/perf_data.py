# SPDX-License-Identifier: BSD-3-Clause
"""Writes perf.data files that hold SPE bytes, as `perf record -e arm_spe//` on Linux does, and makes SPE packets.

Writes only the records that perf needs to decode them: one event of the SPE unit, the conversion of its clock to
nanoseconds, AUXTRACE buffers. Byte layouts: the Linux header uapi/linux/perf_event.h and perf's page on the file
format.
"""
import dataclasses
import struct

PMU_TYPE = 8
EVENT_ID = 4242
ATTR_SIZE = 112
# IP, TID, TIME, ADDR, CPU, PERIOD, WEIGHT, DATA_SRC, IDENTIFIER, PHYS_ADDR: the fields that perf script can print
SAMPLE_TYPE = sum(1 << bit for bit in (0, 1, 2, 3, 7, 8, 14, 15, 16, 19))
RECORD_MMAP, RECORD_COMM, RECORD_AUX = 1, 3, 11
MISC_USER = 2
RECORD_AUXTRACE_INFO, RECORD_AUXTRACE, RECORD_TIME_CONV = 70, 71, 79
AUXTRACE_ARM_SPE = 4
FEATURE_CPUID = 9


@dataclasses.dataclass
class Buffer:
    """The bytes written by one core."""
    cpu: int
    data: bytes
    tid: int = -1


@dataclasses.dataclass
class Clock:
    """ns = zero + (ticks * mult >> shift)"""
    shift: int = 0
    mult: int = 1
    zero: int = 0

    def nanoseconds(self, ticks):
        return self.zero + (ticks // (1 << self.shift) * self.mult
                            + ((ticks & ((1 << self.shift) - 1)) * self.mult >> self.shift))


def record(kind, body, misc=0):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def sample_id(cpu, time=1):
    """The end of each kernel record if sample_id_all is set: tid, time, cpu, identifier."""
    return struct.pack("<IIQIIQ", 1, 1, time, cpu, 0, EVENT_ID)


def comm(tid, name):
    text = name.encode() + b"\0"
    text += bytes(-len(text) % 8)
    return record(RECORD_COMM, struct.pack("<II", tid, tid) + text + sample_id(0))


def mmap(pid, address, length, offset, path):
    """A file's code in a process."""
    text = str(path).encode() + b"\0"
    text += bytes(-len(text) % 8)
    return record(RECORD_MMAP, struct.pack("<IIQQQ", pid, pid, address, length, offset) + text + sample_id(0),
                  MISC_USER)


def attribute():
    """One event of the SPE unit, with sample_id_all."""
    flags = 1 << 18  # sample_id_all
    attr = struct.pack("<IIQQQQQ", PMU_TYPE, ATTR_SIZE, 1, 1, SAMPLE_TYPE, 0, flags)
    return attr.ljust(ATTR_SIZE, b"\0")


def write(path, buffers, clock=Clock(), cpuid=None, comms=(), mmaps=()):
    """A file with the buffers in order; cpuid is the text of MIDR_EL1 ("0x00000000413fd0c1"); mmaps: arguments of mmap()."""
    data = record(RECORD_TIME_CONV, struct.pack("<QQQQQ", clock.shift, clock.mult, clock.zero, 0, 0)
                  + struct.pack("<BB6x", 1, 0))
    data += record(RECORD_AUXTRACE_INFO, struct.pack("<IIQQ", AUXTRACE_ARM_SPE, 0, PMU_TYPE, 0))
    for tid, name in comms:
        data += comm(tid, name)
    for arguments in mmaps:
        data += mmap(*arguments)
    offsets = {}
    for index, buffer in enumerate(buffers):
        offset = offsets.get(buffer.cpu, 0)
        offsets[buffer.cpu] = offset + len(buffer.data)
        data += record(RECORD_AUX, struct.pack("<QQQ", offset, len(buffer.data), 0) + sample_id(buffer.cpu))
        data += record(RECORD_AUXTRACE, struct.pack("<QQQIiII", len(buffer.data), offset, index + 1, buffer.cpu,
                                                    buffer.tid, buffer.cpu, 0))
        data += buffer.data
    header_size, ids = 104, struct.pack("<Q", EVENT_ID)
    ids_at = header_size
    attrs_at = ids_at + len(ids)
    attrs = attribute() + struct.pack("<QQ", ids_at, len(ids))
    data_at = attrs_at + len(attrs)
    features = b""
    bits = 0
    if cpuid is not None:
        bits = 1 << FEATURE_CPUID
        text = cpuid.encode().ljust(64, b"\0")
        features = struct.pack("<QQ", data_at + len(data) + 16, 4 + len(text)) + struct.pack("<I", len(text)) + text
    header = b"PERFILE2" + struct.pack("<QQ", header_size, ATTR_SIZE + 16)
    header += struct.pack("<QQQQQQ", attrs_at, len(attrs), data_at, len(data), 0, 0)
    header += struct.pack("<QQQQ", bits, 0, 0, 0)
    with open(path, "wb") as file:
        for part in (header, ids, attrs, data, features):
            file.write(part)


# Packets. This is a second, independent encoder, so that the decoder is not tested against wperf's own encoder.
def code_address(index, address, level, non_secure=1):
    return bytes([0xb0 | index]) + struct.pack("<Q", address & (1 << 56) - 1 | non_secure << 63 | level << 61)


def data_address(address):
    return b"\xb2" + struct.pack("<Q", address)


def physical_address(payload):
    return b"\xb3" + struct.pack("<Q", payload)


def counter(index, cycles):
    return bytes([0x98 | index]) + struct.pack("<H", cycles)


def sized(header, log2_size, value):
    return bytes([header | log2_size << 4]) + value.to_bytes(1 << log2_size, "little")


def events(value, log2_size=1):
    return sized(0x42, log2_size, value)


def source(value, log2_size=0):
    return sized(0x43, log2_size, value)


def operation(index, payload):
    return bytes([0x48 | index, payload])


def context(level, value):
    return bytes([0x63 + level]) + struct.pack("<I", value)


def timestamp(ticks):
    return b"\x71" + struct.pack("<Q", ticks)
