#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the sources against the table of rooms in docs/design/rooms.md.

usage: tools/check_layering.py [ROOT]

Checked: every #include "…", the LINKS of every wperf_room(), headers of the operating system outside the rooms that may
have them, standard headers in freestanding rooms, printing outside the command line, files that are too long. A room of
src may include any room of a lower wing, and the rooms of the same wing that its row lists. A folder that no row of the
table names is an error, so a new room starts with its row.
"""
import dataclasses
import pathlib
import re
import subprocess
import sys

TABLE_HEAD = re.compile(r"^\|\s*room\s*\|\s*may include\s*\|", re.IGNORECASE)
CODE_SPAN = re.compile(r"`([^`]+)`")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)
ROOM_CALL = re.compile(r"\bwperf_room\s*\(([^)]*)\)")
ROOM_KEYWORDS = ("LINKS", "LIBRARIES", "TEST_LINKS")
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
PRINTING = re.compile(r"\bstd::(?:cout|cerr|clog)\b|\b(?:v?f?printf|f?puts|putchar|perror)\s*\(|\bfmt::print\b")
OS_HEADER = re.compile(
    r"^(?:windows|winsock2?|winternl|psapi|tlhelp32|dbghelp|processthreadsapi|io|direct|process|conio"
    r"|unistd|fcntl|dlfcn|pthread|sched|signal|poll|termios|dirent|pwd|spawn|semaphore|ucontext"
    r"|sys/.*|linux/.*|asm/.*|netinet/.*|arpa/.*)(?:\.h)?$", re.IGNORECASE)
SYSTEM_FILE = re.compile(r"_(?:linux|win)(?:_test)?\.(?:cpp|h)$")

TEST_ROOMS = ("tests", "fuzz", "bench")
DEVICE_ROOMS = tuple(f"src/machine/{room}" for room in ("device", "devices", "etw", "linux_kernel", "live", "perf_events", "windows", "windowsperf", "wperf_driver"))
OS_ROOMS = ("src/ground/os", *DEVICE_ROOMS, "sim/", *TEST_ROOMS)
OS_FILES = ("include/wperf/section.h",)  # one header for programs that use no library
IMPURE_ROOMS = ("src/ground/os", *DEVICE_ROOMS)  # a pure room in any wing may not include these
FREESTANDING_ROOMS = ("abi", "base", "driver", "driver/arm64", "driver/core", "driver/nt")
KIT_FILE = "driver/nt/nt.h"  # the only file in which the headers of Microsoft's kit may replace ours
PRINTING_ROOMS = ("src/app/cli", "include/wperf", "sim/workloads", *TEST_ROOMS)
MOST_LINES = 600
LONG_FILE_REASON = "Long because"
SOURCES = (".cpp", ".h", ".c")
ANYTHING = "everything"
EVERY_SRC_ROOM = "src/*"
WINGS_LINE = re.compile(r"^Wings, from the ground up: (.*)$", re.MULTILINE)
PURE = re.compile(r"\bPure\b")
NAMESPACE = re.compile(r"^(?:inline )?namespace (wperf::[\w:]+) \{", re.MULTILINE)


class TableError(Exception):
    """The table in docs/design/rooms.md cannot be read."""


@dataclasses.dataclass(frozen=True)
class File:
    name: str  # from the root, with forward slashes
    text: str


class Table(dict):
    """{room: [what its row lets it include, …]}; entries are rooms or single headers."""

    def __init__(self, wings):
        super().__init__()
        self.wings = wings
        self.pure = set()

    def wing(self, room):
        """The height of the room's wing above the ground, or None for a room outside of the wings."""
        return next((i for i, wing in enumerate(self.wings) if f"{room}/".startswith(wing + "/")), None)

    def allows(self, room, other):
        if other == room or ANYTHING in self[room] or other in self[room]:
            return True
        own, below = self.wing(room), self.wing(other)
        return own is not None and below is not None and below < own and not (room in self.pure and in_rooms(other + "/", IMPURE_ROOMS))


def parse_table(page):
    """Parses the table of the page."""
    told = WINGS_LINE.search(page)
    rows = Table(CODE_SPAN.findall(told[1]) if told else [])
    lines = iter(page.splitlines())
    for line in lines:
        if TABLE_HEAD.match(line):
            break
    else:
        raise TableError("docs/design/rooms.md has no table that starts with | room | may include |")
    next(lines, "")
    for line in lines:
        if not line.startswith("|"):
            break
        cells = line.strip().strip("|").split("|")
        rooms = CODE_SPAN.findall(cells[0])
        if not rooms or len(cells) < 2:
            raise TableError(f"this row names no room in `code font`: {line}")
        may = CODE_SPAN.findall(cells[1])
        if ANYTHING in cells[1]:
            may.append(ANYTHING)
        for room in rooms:
            if room in rows:
                raise TableError(f"the room {room} has two rows")
            rows[room] = list(may)
            if len(cells) > 2 and PURE.search(cells[2]):
                rows.pure.add(room)
    for room, may in rows.items():
        if room.startswith("src/") and room != EVERY_SRC_ROOM:
            may.extend(rows.get(EVERY_SRC_ROOM, []))
    for room, may in rows.items():
        for entry in may:
            if entry != ANYTHING and entry not in rows and not entry.endswith(".h"):
                raise TableError(f"the row of {room} names {entry}, which has no row of its own")
    return rows


def room_of(name, table):
    """The row that a file belongs to: the longest one that is a folder of its path. A room that contains rooms has no
    other folders; each of its folders needs a row."""
    rooms = [room for room in table if name.startswith(room + "/")]
    if not rooms:
        return None
    best = max(rooms, key=len)
    nested = "/" in name[len(best) + 1:]
    return None if nested and any(room.startswith(best + "/") for room in table) else best


def in_rooms(name, rooms):
    return any(name.startswith(room if room.endswith("/") else room + "/") for room in rooms)


def resolve(name, includer, names):
    """The file that an #include "…" names, or None if the tree has no such file."""
    folder = includer.rpartition("/")[0]
    for candidate in (name, "src/" + name, f"{folder}/{name}"):
        if candidate in names:
            return candidate
    return None


def reachable(starts, files_by_name):
    """The names of these files and of all the project's files that they include, directly or indirectly."""
    seen, waiting = set(), list(starts)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for match in INCLUDE.finditer(files_by_name[name].text):
            found = resolve(match[2], name, files_by_name) if match[1] == '"' else None
            if found is not None:
                waiting.append(found)
    return seen


def find_test_files(files):
    """Tests, fuzz targets and benches, and the headers that only they include."""
    files_by_name = {file.name: file for file in files if file.name.endswith(SOURCES)}
    tests = {name for name in files_by_name if name.endswith("_test.cpp") or in_rooms(name, TEST_ROOMS)}
    product = [name for name in files_by_name if name not in tests and not name.endswith(".h")]
    return reachable(tests, files_by_name) - reachable(product, files_by_name)


def check_include(file, quoted, target, table, names, is_test):
    room = room_of(file.name, table)
    if quoted:
        found = resolve(target, file.name, names)
        if found is None:
            if target in table[room] or ANYTHING in table[room]:
                return None
            return f'includes "{target}", which is neither a file of the tree nor in its row'
        other = room_of(found, table)
        if table.allows(room, other) or found in table[room]:
            return None
        return f'is in {room}, which may not include {other} ("{target}")'
    if room in FREESTANDING_ROOMS and not is_test and file.name != KIT_FILE:
        return f"includes <{target}>; {room} is freestanding and has no headers but ours"
    if OS_HEADER.match(target) and not in_rooms(file.name, OS_ROOMS) and file.name not in OS_FILES \
            and not SYSTEM_FILE.search(file.name):
        return f"includes the system header <{target}>; that belongs in src/ground/os, a device room of src/machine, sim or a _linux/_win file"
    return None


def check_namespace(file, table):
    """Complains if a file of a room or of a folder in it does not use the room's namespace."""
    if table.wing(file.name) is None:
        return None
    names = NAMESPACE.findall(file.text)
    wing = table.wings[table.wing(file.name)]
    room = file.name[len(wing) + 1:].split("/")[0] if file.name.count("/") > wing.count("/") + 1 else wing.rpartition("/")[2]
    wanted = f"wperf::{room}"
    if not names or any(name == wanted or name.startswith(wanted + "::") for name in names):
        return None
    return f"is in the namespace {names[0]}; the one of its room is {wanted}"


def check_source(file, table, names, is_test):
    """Every complaint about one source file, as 'name:line: sentence'."""
    complaints = []
    complaint = check_namespace(file, table)
    if complaint:
        complaints.append(f"{file.name}:1: {complaint}")
    for match in INCLUDE.finditer(file.text):
        complaint = check_include(file, match[1] == '"', match[2], table, names, is_test)
        if complaint:
            line = file.text.count("\n", 0, match.start(1)) + 1
            complaints.append(f"{file.name}:{line}: {complaint}")
    if not in_rooms(file.name, PRINTING_ROOMS) and not is_test:
        code = NOISE.sub(lambda match: "\n" * match[0].count("\n"), file.text)
        for match in PRINTING.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            complaints.append(f"{file.name}:{line}: prints; only src/app/cli does")
    lines = file.text.count("\n")
    head = file.text[:2000]
    if lines > MOST_LINES and "/generated/" not in file.name and LONG_FILE_REASON not in head:
        complaints.append(f'{file.name}:1: {lines} lines; over {MOST_LINES} the header comment says "{LONG_FILE_REASON} …"')
    return complaints


def room_calls(cmake_files):
    """Every wperf_room() as (file, folder, name, links)."""
    for file in cmake_files:
        for match in ROOM_CALL.finditer(re.sub(r"#[^\n]*", "", file.text)):
            words = match[1].split()
            if not words or words[0].startswith("$"):
                continue
            links, current = [], None
            for word in words[1:]:
                if word in ROOM_KEYWORDS:
                    current = word
                elif current == "LINKS":
                    links.append(word)
            yield file, file.name.rpartition("/")[0], words[0], links


def check_links(cmake_files, table):
    calls = list(room_calls(cmake_files))
    folder_of = {name: folder for _, folder, name, _ in calls}
    complaints = []
    for file, folder, name, links in calls:
        if folder not in table:
            complaints.append(f"{file.name}: the room {name} ({folder}) has no row in docs/design/rooms.md")
            continue
        for link in links:
            other = folder_of.get(link)
            if other is None:
                complaints.append(f"{file.name}: {name} links {link}, which is no room")
            elif not table.allows(folder, other):
                complaints.append(f"{file.name}: {name} links {link}; {folder} may not include {other}")
    return complaints


def check(files, page):
    """All complaints about files (sources and CMakeLists.txt) under the table of the page."""
    table = parse_table(page)
    names = {file.name for file in files}
    test_files = find_test_files(files)
    complaints = []
    for file in files:
        if not file.name.endswith(SOURCES):
            continue
        if room_of(file.name, table) is None:
            complaints.append(f"{file.name}:1: its folder has no row in the table of docs/design/rooms.md")
        else:
            complaints.extend(check_source(file, table, names, file.name in test_files))
    complaints.extend(check_links([file for file in files if file.name.endswith("CMakeLists.txt")], table))
    return complaints


def read_tree(root):
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, check=False)
    if listing.returncode == 0:
        names = listing.stdout.decode().split("\0")
    else:
        names = [path.relative_to(root).as_posix() for path in root.rglob("*")]
        names = [name for name in names if not name.startswith(("build/", ".git/"))]
    files = []
    for name in sorted(set(names)):
        path = root / name
        if name.endswith(SOURCES + ("CMakeLists.txt",)) and path.is_file():
            files.append(File(name, path.read_text(encoding="utf-8")))
    return files


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    files = read_tree(root)
    try:
        complaints = check(files, (root / "docs/design/rooms.md").read_text(encoding="utf-8"))
    except TableError as error:
        complaints = [f"docs/design/rooms.md: {error}"]
    for complaint in complaints:
        print(complaint)
    print(f"layering: {len(files)} files, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
