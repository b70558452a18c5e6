# SPDX-License-Identifier: BSD-3-Clause
"""Finds the commands on the pages for users, and makes a folder in which they can be run unchanged.

A command is a line of an indented block that begins with `wperf`, as a user types it. Two blanks end the command; an
explanation may follow. It runs on the simulated machine, in the folder of the workloads. If it needs another
environment, a line before the block names it:

    <!-- run: linux -->             on the machine's own device
    <!-- run: linux counters -->    the same, but only where the processor shows hardware counters
    <!-- run: linux root -->        the same, but only as root
    <!-- run: status 1 -->          it ends with this status, and says why
    <!-- run: linux notes -->       it may say what nobody must be warned of: lines that begin with "note:"
    <!-- run: no, REASON -->        not here

A fenced block of C after a line `<!-- program: NAME -->` is compiled for the commands of its page, which start `./NAME`.

For the linux device, `./program` and `perf.data` exist, and $PID is the number of a running process. For `sample`, the
named program is already running.
"""
import os
import pathlib
import re
import subprocess
import typing

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHOWN = re.compile(r"    (?:\$ )?(?P<text>(?:[A-Z_]+=\S+ )*(?:build/release/bin/)?wperf(?: .*)?)$")
RUN = re.compile(r"<!-- run: (?P<words>.*) -->$")
OUTPUT = re.compile(r"<!-- output: (?P<command>.*) -->$")
PROGRAM = re.compile(r"<!-- program: (?P<name>\w+) -->\n```c\n(?P<source>.*?)```\n", re.DOTALL)
RUNNING = "$PID"  # placeholder for the number of a running process


class Command(typing.NamedTuple):
    page: str
    line: int
    text: str
    how: tuple  # the words of the mark

    def __str__(self):
        return f"{self.page}:{self.line}: {self.text}"


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs" / "user").glob("*.md"))]


def commands_of(text, page):
    """The commands of a page, in their order."""
    found = []
    how, fenced = (), False
    lines = text.split("\n")
    for i, line in enumerate(lines):
        fenced ^= line.startswith("```")
        mark = RUN.match(line)
        if mark:
            how = tuple(mark["words"].split(" ") if not mark["words"].startswith("no,") else ["no"])
        elif line and not line.startswith("    "):
            how = ()
        shown = SHOWN.match(line)
        if shown and not fenced:
            words = re.split(" {2,}", shown["text"])[0]
            for more in lines[i + 1:]:
                if not words.endswith("\\"):
                    break
                words = words[:-1] + more.strip()
            found.append(Command(page, i + 1, words, how))
    return found


def build_programs(text, folder):
    """Compiles the programs that a page shows into a folder."""
    for program in PROGRAM.finditer(text):
        source = pathlib.Path(folder, program["name"] + ".c")
        source.write_text(program["source"])
        subprocess.run(["cc", "-g", "-O1", "-pthread", "-o", source.with_suffix(""), source], check=True)


def make_folder(folder, build):
    """Collects in one folder the files that the pages assume: the workloads, a build, and programs with the names used
    on the pages."""
    folder = pathlib.Path(folder)
    for workload in (build / "workloads").iterdir():
        (folder / workload.name).symlink_to(workload)
    for file in (ROOT / "build" / "tools" / "programs").glob("*"):  # third-party programs, if they were built
        if file.suffix in (".exe", ".pdb"):
            (folder / file.name).symlink_to(file)
    (folder / "build").mkdir()
    (folder / "build" / "release").symlink_to(build)
    for name, workload in (("prog.exe", "exact_1k.exe"), ("myprog.exe", "exact_1k.exe"), ("server.exe", "googolplex.exe")):
        (folder / name).symlink_to(build / "workloads" / workload)


def environment(build, device):
    """The environment of a command: with wperf in the path, and a separate instance of the simulated machine."""
    result = dict(os.environ, WPERF_SIM_INSTANCE=f"documentation-{os.getpid()}",
                  PATH=f"{build / 'bin'}:{os.environ['PATH']}")
    for name in ("WPERF_DEVICE", "_NT_SYMBOL_PATH", "DEBUGINFOD_URLS"):
        result.pop(name, None)
    return {**result, "WPERF_DEVICE": device} if device else result
