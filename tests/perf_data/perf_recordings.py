# SPDX-License-Identifier: BSD-3-Clause
"""The files for comparing wperf with perf: recorded here by the installed perf, or named on the command line."""
import pathlib
import subprocess
import tempfile

SKIPPED = 77  # exit status: no perf here, or it may not record


def add_arguments(parser):
    parser.add_argument("--keep", type=pathlib.Path, help="record into this folder and keep it")
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="compare these instead")


def is_perf_here():
    try:
        subprocess.run(["perf", "--version"], capture_output=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return False
    return True


def record_all(folder, names, compile_programs, record):
    """{name: path} and the names of failed recordings. record(folder, name) returns the path, or None."""
    compile_programs(folder)
    files = {name: record(folder, name) for name in names}
    return {name: path for name, path in files.items() if path}, [name for name, path in files.items() if not path]


def compare_all(options, names, compile_programs, record, compare):
    """Calls compare(name, path) for each file. Returns False if there was none, after printing why."""
    if not is_perf_here():
        print("skipped: no perf here")
        return False
    with tempfile.TemporaryDirectory() as temporary:
        files, missing = {path.stem: path for path in options.files}, []
        if not files:
            folder = options.keep or pathlib.Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            files, missing = record_all(folder, names, compile_programs, record)
        if not files:
            print("skipped: perf is not allowed to record here")
            return False
        for name, path in files.items():
            compare(name, path)
        if missing:
            print("could not be recorded here:", ", ".join(missing))
    return True
