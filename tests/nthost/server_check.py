# SPDX-License-Identifier: BSD-3-Clause
"""Checks the server with a separate client: a whole sampling session over the wire, on a program that it sends."""
import socket
import struct
import time

import server_client as wire

VERSION, LOCK, SAMPLE_CONFIGURE, SAMPLE_START, SAMPLE_STOP, SAMPLE_DRAIN = (
    (0x8000 << 16) | (3 << 14) | ((0x900 + n) << 2) for n in (0, 1, 32, 33, 34, 35))
WIRE_VERSION, DRAIN_HEAD = 2, 64
RUNNING, RETURNED, STOPPED = 1, 2, 4
NO_SUCH_CLIENT, ACCESS_DENIED, LOCK_BUSY = 0xC0000008, 0xC0000022, 0xE0570005
TOOL, OTHER, PROGRAM = 44, 48, 52
BASE = 0x1_4001_0000
# subs x0, x0, #1; b.ne <the first>; mov x0, #7; ret
COUNT_DOWN = struct.pack("<4I", 0xF1000400, 0x54FFFFE1, 0xD28000E0, 0xD65F03C0)
# The addresses of the programs' stacks, each with the code to which the program returns; see workload.cpp.
WAYS_BACK, WAYS_BACK_END = 0x7FFE_0000_0000, 0x7FFF_0000_0000


def header(size):
    return struct.pack("<2I", size, WIRE_VERSION)


def control(host, client, code, payload=b"", capacity=0):
    return host.ask(wire.CONTROL, header(8 + len(payload)) + payload, client=client, code=code, capacity=capacity)


def expect(text, value, wanted):
    if value != wanted:
        raise AssertionError(f"{text}: {value!r}, not {wanted!r}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def check_clients(host):
    expect("open by a stranger", host.ask(wire.OPEN, client=1, process=TOOL)[0], ACCESS_DENIED)
    expect("open", host.ask(wire.OPEN, client=1, process=TOOL, rights=2)[0], 0)
    expect("open of another", host.ask(wire.OPEN, client=2, process=OTHER, rights=1)[0], 0)
    expect("lock", control(host, 1, LOCK, struct.pack("<2I", 1, 0))[0], 0)
    expect("lock held", control(host, 2, LOCK, struct.pack("<2I", 1, 0))[0], LOCK_BUSY)
    expect("cleanup", host.ask(wire.CLEANUP, client=2)[0], 0)
    expect("close", host.ask(wire.CLOSE, client=2)[0], 0)
    expect("closed", control(host, 2, VERSION, capacity=120)[0], NO_SUCH_CLIENT)


def latency_ms(host, requests=200):
    begin = time.monotonic()
    for _ in range(requests):
        status, data = control(host, 1, VERSION, capacity=120)
        expect("version", (status, len(data)), (0, 120))
    return (time.monotonic() - begin) * 1000 / requests


def sampled(host, rounds):
    """(pc, process, thread) of the samples of a run on core 1."""
    events = struct.pack("<2HI", 0x11, 0, 200_000)
    request = struct.pack("<2I4QQ4I", 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0) + events + bytes(8 * 30)
    expect("configure", control(host, 1, SAMPLE_CONFIGURE, request)[0], 0)
    expect("start", control(host, 1, SAMPLE_START)[0], 0)
    expect("run", host.run(PROGRAM, 1, BASE, COUNT_DOWN, argument=rounds), 0)
    deadline = time.monotonic() + wire.HUNG_S
    while host.program(wire.RUN_STATE, PROGRAM, 1)[0] == RUNNING and time.monotonic() < deadline:
        time.sleep(0.02)
    expect("end of the program", host.program(wire.STOP_RUN, PROGRAM, 1), (RETURNED, 7))
    expect("stop", control(host, 1, SAMPLE_STOP)[0], 0)
    status, data = control(host, 1, SAMPLE_DRAIN, struct.pack("<2I", 1, 0), capacity=DRAIN_HEAD + 40 * 1024)
    expect("drain", status, 0)
    count = struct.unpack_from("<I", data, 12)[0]
    samples = [struct.unpack_from("<3Q2I", data, DRAIN_HEAD + 40 * i) for i in range(count)]
    return [(pc, process, thread) for _, pc, _, process, thread in samples]


def check_sampling(host):
    """All samples lie in the program's loop, except for a few at the end that may come late, while the program
    returns."""
    for rounds in (20_000_000, 100_000_000, 500_000_000):  # a busy machine merges interrupts
        samples = sampled(host, rounds)
        if len(samples) >= 10:
            break
    if len(samples) < 10:
        raise AssertionError(f"{len(samples)} samples")
    after = 0
    for pc, process, thread in samples:
        expect("process and thread", (process, thread), (PROGRAM, PROGRAM + 1))
        in_loop = BASE <= pc < BASE + 8
        returns = BASE + 8 <= pc < BASE + len(COUNT_DOWN) or WAYS_BACK <= pc < WAYS_BACK_END
        if not returns and (after > 0 or not in_loop):
            raise AssertionError(f"a sample at {pc:#x}, {after} after the loop")
        after += returns
    if after > len(samples) / 10:
        raise AssertionError(f"{after} of {len(samples)} samples after the loop")
    return len(samples)


def check_stopping(host):
    expect("run for long", host.run(PROGRAM, 2, BASE, COUNT_DOWN, argument=1 << 60), 0)
    expect("it runs", host.program(wire.RUN_STATE, PROGRAM, 2)[0], RUNNING)
    expect("stop it", host.program(wire.STOP_RUN, PROGRAM, 2)[0], STOPPED)


def check(command):
    """Returns the lines to print; raises AssertionError or HostGone."""
    port = free_port()
    with wire.Host(wire.with_serial_at(port, command), port) as host:
        status, data = host.ask(wire.HELLO, capacity=8)
        expect("hello", (status, struct.unpack("<2I", data)), (0, (1, 3)))
        check_clients(host)
        latency = latency_ms(host)
        count = check_sampling(host)
        check_stopping(host)
        text = host.shut_down()
        expect("exit status of the host; it printed\n" + text, host.process.returncode, 0)
        return [f"    note: {latency:.2f} ms per request, {count} samples"]
