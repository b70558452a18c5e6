# SPDX-License-Identifier: BSD-3-Clause
"""Totals of functions from the output of --export: {name: [self, with callees]}, in samples."""
import collections
import csv
import json
import re
import sqlite3


class Totals:
    def __init__(self):
        self.of = collections.defaultdict(lambda: [0, 0])

    def add(self, stack, count):
        """`stack`: names, the innermost first."""
        if not stack or count == 0:
            return
        self.of[stack[0]][0] += count
        for name in set(stack):
            self.of[name][1] += count

    def result(self):
        return {name: tuple(numbers) for name, numbers in self.of.items()}


ESCAPES = {"n": b"\n", "t": b"\t", "r": b"\r", '"': b'"', "'": b"'", "\\": b"\\"}


def unescaped(text):
    out = b""
    for octal, letter, plain in re.findall(r"\\([0-7]{1,3})|\\(.)|([^\\]+)", text):
        out += bytes([int(octal, 8)]) if octal else ESCAPES[letter] if letter else plain.encode()
    return out


def text_format(text):
    """The output of `protoc --decode` as {field: [values]}; values are numbers, bytes, or messages in the same form."""
    root = collections.defaultdict(list)
    open_messages = [root]
    for line in text.split("\n"):
        line = line.strip()
        if line.endswith(" {"):
            message = collections.defaultdict(list)
            open_messages[-1][line[:-2]].append(message)
            open_messages.append(message)
        elif line == "}":
            open_messages.pop()
        elif line:
            name, value = line.split(": ", 1)
            if value.startswith('"'):
                open_messages[-1][name].append(unescaped(value[1:-1]))
            else:
                open_messages[-1][name].append(int(value) if re.fullmatch(r"-?\d+", value) else value)
    return root


def one(message, name, otherwise=0):
    return message[name][0] if message[name] else otherwise


def of_pprof(text, column=0):
    profile = text_format(text)
    strings = [value.decode() for value in profile["string_table"]]
    functions = {one(entry, "id"): strings[one(entry, "name")] for entry in profile["function"]}
    locations = {one(entry, "id"): [functions[one(line, "function_id")] for line in entry["line"]]
                 for entry in profile["location"]}
    totals = Totals()
    for sample in profile["sample"]:
        stack = [name for location in sample["location_id"] for name in locations[location]]
        totals.add(stack, sample["value"][column])
    return totals.result()


def of_otlp(text, complain):
    data = text_format(text)
    dictionary = data["dictionary"][0]
    strings = [value.decode() for value in dictionary["string_table"]]
    for table in ("mapping_table", "location_table", "function_table", "link_table", "attribute_table", "stack_table"):
        entries = [json.dumps(entry, default=str) for entry in dictionary[table]]
        if entries[0] != "{}" or len(set(entries)) != len(entries):
            complain(f"{table}: its first entry is not zero, or there are duplicates")
    if strings[0] != "" or len(set(strings)) != len(strings):
        complain("string_table: its first entry is not empty, or there are duplicates")
    functions = [strings[one(entry, "name_strindex")] for entry in dictionary["function_table"]]
    locations = [[functions[one(line, "function_index")] for line in entry["lines"]]
                 for entry in dictionary["location_table"]]
    stacks = [[name for location in entry["location_indices"] for name in locations[location]]
              for entry in dictionary["stack_table"]]
    totals = Totals()
    used = set()
    for resource in data["resource_profiles"]:
        for profile in (profile for scope in resource["scope_profiles"] for profile in scope["profiles"]):
            begin, length = one(profile, "time_unix_nano"), one(profile, "duration_nano")
            for sample in profile["samples"]:
                times, values = sample["timestamps_unix_nano"], sample["values"]
                if times and (len(times) != len(values) or min(times) < begin or max(times) >= begin + length):
                    complain(f"{len(times)} times of {len(values)} values, or not within the profile")
                used.add(one(sample, "stack_index"))
                totals.add(stacks[one(sample, "stack_index")], sum(values))
    if used | {0} != set(range(len(stacks))):
        complain("stack_table: some are orphans")
    return totals.result()


def of_perfetto(text):
    trace = text_format(text)
    sequences = collections.defaultdict(lambda: ({}, {}, {}))  # interned data belongs to its sequence
    totals = Totals()
    for packet in trace["packet"]:
        functions, frames, stacks = sequences[one(packet, "trusted_packet_sequence_id")]
        for interned in packet["interned_data"][-1:]:  # Perfetto uses the last one
            functions.update({one(entry, "iid"): one(entry, "str", b"").decode() for entry in interned["function_names"]})
            frames.update({one(entry, "iid"): functions[one(entry, "function_name_id")] for entry in interned["frames"]})
            stacks.update({one(entry, "iid"): [frames[frame] for frame in reversed(entry["frame_ids"])]
                           for entry in interned["callstacks"]})
        for sample in packet["stack_sample"]:
            totals.add(stacks.get(one(sample, "callstack_iid"), []), sample["follower_weights"][0])
        for sample in packet["perf_sample"]:
            totals.add(stacks.get(one(sample, "callstack_iid", 0), []), 1)
    return totals.result()


def of_speedscope(document):
    names = [frame["name"] for frame in document["shared"]["frames"]]
    totals = Totals()
    for profile in document["profiles"]:
        for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
            totals.add([names[frame] for frame in reversed(stack)], weight)
    return totals.result()


def of_chrome(document):
    frames = document["stackFrames"]

    def stack_of(frame):
        while frame is not None:
            yield frames[frame]["name"]
            frame = frames[frame].get("parent")

    totals = Totals()
    for sample in document["samples"]:
        totals.add(list(stack_of(sample["sf"])), sample["weight"])
    return totals.result()


def of_firefox(document):
    """Reads the profile through its own tables; a second test reads it with profiler-cli."""
    shared = document["shared"]
    names = [shared["stringArray"][name] for name in shared["funcTable"]["name"]]
    functions = [names[shared["frameTable"]["func"][frame]] for frame in shared["stackTable"]["frame"]]
    totals = Totals()
    for samples in (thread["samples"] for thread in document["threads"]):
        for stack, weight in zip(samples["stack"], samples["weight"], strict=True):
            path = []
            while stack is not None:
                path.append(functions[stack])
                stack = shared["stackTable"]["prefix"][stack]
            totals.add(path, weight)
    return totals.result()


def of_csv(text):
    """Only self samples. Names in the column of stacks have no ';'. A text that a spreadsheet would treat as a formula
    begins with '."""
    own = collections.Counter()
    for row in csv.DictReader(text.splitlines(keepends=True)):
        for column in ("function", "stack"):
            if len(row[column]) > 1 and row[column].startswith(tuple("=+-@\t\r")):
                raise AssertionError(f"{column} {row[column]!r} is a formula to spreadsheets")
        function = row["function"]
        is_marked = function[:1] == "'" and function[1:2] in tuple("=+-@\t\r")
        own[function[1:] if is_marked else function] += int(row["samples"])
    return dict(own)


def of_sql(script):
    database = sqlite3.connect(":memory:")
    database.executescript(script)
    parents = dict(database.execute("SELECT id, parent FROM stacks"))
    names = dict(database.execute("SELECT k.id, f.name FROM stacks k JOIN functions f ON f.id = k.function"))
    totals = Totals()
    for stack, count in database.execute("SELECT stack, SUM(count) FROM samples GROUP BY stack"):
        path = []
        while stack is not None:
            path.append(names[stack])
            stack = parents[stack]
        totals.add(path, count)
    hot = dict(database.execute("SELECT function, SUM(samples) FROM hot_functions GROUP BY function"))
    return totals.result(), hot, database
