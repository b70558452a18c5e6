#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares wperf's trace reader with an independent reader, and with scripted true values.

usage: compare_with_oracle.py ETL_DUMP FOLDER
FOLDER has traces (NAME.etl) with their numbers (NAME.json, NAME.truth.json). Without FOLDER the test is skipped.
"""
import json
import pathlib
import re
import subprocess
import sys


def kernel_names(counts):
    """Converts the other reader's event names to wperf's. The other reader writes names next to the numbers."""
    out = {}
    for name, count in counts.items():
        name = re.sub(r"kernel/\w+\((\d+)\)/\w+\((\d+)\)", lambda m: f"kernel/0x{int(m[1]):02x}/{m[2]}", name)
        name = re.sub(r"kernel/(\d+)/", lambda m: f"kernel/0x{int(m[1]):02x}/", name)
        name = re.sub(r"/id(\d+)/op\d+/", r"/\1/", name)
        name = re.sub(r"/\w+\((\d+)\)/v", r"/\1/v", name)
        out[name] = out.get(name, 0) + count
    return out


def expected_of(oracle):
    want = {name: oracle[name] for name in ("events_total", "first_event_raw", "last_event_raw", "first_event_100ns",
                                            "last_event_100ns", "header_types", "process_count", "thread_ids")}
    header = oracle["header"]
    want |= {"events_lost": header["EventsLost"], "buffers_lost": header["BuffersLost"],
             "logger": header["LoggerName"], "logfile": header["LogFileName"]}
    for name in ("count", "compressed", "flag_events_lost", "flag_buffer_lost"):
        want["buffers." + name] = oracle["buffers"][name]
    want["counts"] = kernel_names(oracle["counts"])
    samples = oracle["sampled_profile"]
    for name in ("count", "by_cpu", "with_stack", "unknown_pid", "dpc", "isr", "kernel_ip", "not_idle",
                 "joined_with_user_part", "joined_kernel_only"):
        if name in samples:
            want["sampled_profile." + name] = samples[name]
    for one in samples.get("by_pid", []):
        want[f"sampled_profile.by_pid.{one['pid']}"] = one["samples"]
    for name in ("events", "key_refs", "key_defs", "key_refs_resolved", "kernel_fragments", "user_fragments",
                 "mixed_fragments", "empty", "inline_ext", "inline_ext_frames"):
        if name in oracle["stackwalk"]:
            want["stackwalk." + name] = oracle["stackwalk"][name]
    want["cswitch"] = oracle["cswitch"]["count"]
    want["ready"] = oracle["ready_thread"]["count"]
    want["images"] = oracle["images"]["by_opcode"]
    want["pdb_events"] = oracle["pdb_ids"]["events"]
    return want


def look_up(found, name):
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def compare(dump, trace, want):
    run = subprocess.run([dump, trace], capture_output=True, text=True, timeout=120)
    if run.returncode:
        return [f"{trace.name}: ends with {run.returncode}: {run.stderr.strip()}"]
    found = json.loads(run.stdout)
    wrong = []
    for name, value in want.items():
        got = look_up(found, name)
        if isinstance(value, dict):
            got = got or {}
            for key in sorted(set(value) | set(got)):
                if value.get(key, 0) != got.get(key, 0):
                    wrong.append(f"{trace.name}: {name}.{key} is {got.get(key)}, not {value.get(key)}")
        elif got != value:
            wrong.append(f"{trace.name}: {name} is {got}, not {value}")
    return wrong


def main():
    dump, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if not folder.is_dir():
        print(f"skipped: {folder} is not there")
        return 77
    wrong, numbers, traces = [], 0, 0
    for trace in sorted(folder.glob("*.etl")):
        oracle, truth = trace.with_suffix(".json"), trace.with_suffix(".truth.json")
        if oracle.exists():
            want = expected_of(json.loads(oracle.read_text()))
        elif truth.exists() and "trunc" not in trace.name:
            script = json.loads(truth.read_text())
            want = {"cswitch": script["cswitch"], "ready": script["ready"], "wait_reason": script["wait_reason"]}
            want |= {f"sampled_profile.by_pid.{pid}": count for pid, count in script["samples"].items()}
            want["last_event_100ns"] = script["last_ft"]
            want["first_event_100ns"] = script["start_ft"]
        else:
            want = {"cut": 1} if "trunc" in trace.name else {}
        traces += 1
        numbers += sum(len(value) if isinstance(value, dict) else 1 for value in want.values())
        wrong += compare(dump, trace, want)
    print("\n".join(wrong))
    print(f"{traces} traces, {numbers} numbers, {len(wrong)} differ")
    return 1 if wrong or not numbers else 0


if __name__ == "__main__":
    sys.exit(main())
