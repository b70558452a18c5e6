#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast a trace of Windows is read, compared with a loop that only walks its record headers.

usage: bench/etl/run.py [--check] [--events N] [--rounds N] [--build FOLDER]
Writes a trace (5 million events by default: switches, wake-ups, samples, a stack after each switch and sample), then
runs floor, reader, `wperf waits` and `wperf report` in turns; the medians count. Then it asks `wperf mcp` about the trace. --check fails if
a limit is exceeded.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "bench"))
from shared import print_promises  # noqa: E402


def built(folder, source):
    program = folder / source.stem
    subprocess.run(["g++", "-O2", "-std=c++20", "-o", program, source], check=True)
    return program


def numbers(*command):
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]


def further_answers(wperf, trace):
    """The milliseconds of the slowest further answer of `wperf mcp` to waits and to critical_path, about other threads too."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    with subprocess.Popen([str(wperf), "mcp", "--root", str(trace.parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as server:
        def took(tool, **arguments):
            params = {"name": tool, "arguments": {"recording": trace.name, **arguments}, "_meta": meta}
            begin = time.perf_counter()
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}) + "\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            assert not answer["result"]["isError"], answer
            return (time.perf_counter() - begin) * 1e3
        slowest = []
        for tool in ("waits", "critical_path"):
            took(tool)
            slowest.append(max(statistics.median(took(tool, **chosen) for _ in range(3)) for chosen in ({}, {"tid": 1001})))
        server.stdin.close()
    return slowest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--events", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace = folder / "bench.etl"
        events, switches = numbers(built(folder, HERE / "write_trace.cpp"), trace, options.events)
        floor = built(folder, HERE / "floor.cpp")
        measure = built(folder, ROOT / "bench" / "perfdata" / "measure.cpp")
        wperf, walk = options.build / "bin" / "wperf", options.build / "bin" / "etl_walk"
        walked, copied, read, waits, report, memory = [], [], [], [], [], []
        for _ in range(options.rounds):
            headers = numbers(floor, trace)
            walked.append(headers[0])
            copied.append(headers[1])
            ours = numbers(walk, trace)
            assert ours[1] == headers[2] and ours[3] == 0, "the reader has other events, or not in their order"
            read.append(ours[0])
            waits.append(numbers(measure, wperf, "waits", trace)[0])
            seconds, kilobytes = numbers(measure, wperf, "report", "--tree", trace)
            report.append(seconds)
            memory.append(kilobytes)
        answers = further_answers(wperf, trace)
        middle = statistics.median
        size = trace.stat().st_size / 1e6
        print(f"{events:,.0f} events, {switches:,.0f} switches, {size:,.0f} MB, median of {options.rounds}")
        print(f"  record headers walked   {middle(walked):.3f} s    bytes copied once {middle(copied):.3f} s")
        kept = print_promises([
            ("read, told apart, ordered / floor", middle(read) / middle(walked), "<=", 3),
            ("million events a second, read", events / middle(read) / 1e6, ">=", 5),
            ("waits: million events a second", events / middle(waits) / 1e6, ">=", 1),
            ("report --tree: MB of memory", middle(memory) / 1e3, "<=", 500),
            ("mcp, waits: ms of a further answer", answers[0], "<=", 50),
            ("mcp, critical_path: ms of a further answer", answers[1], "<=", 50),
        ])
        print(f"  seconds: reader {middle(read):.2f}, waits {middle(waits):.2f}, report --tree {middle(report):.2f}")
        if options.check and not kept:
            sys.exit(1)


if __name__ == "__main__":
    main()
