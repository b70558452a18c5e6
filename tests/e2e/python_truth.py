# SPDX-License-Identifier: BSD-3-Clause
"""The samples of a recording of python_stacks.py, compared with the program's own report."""
import bisect
import collections
import re


def last_part(name):
    return name.rsplit(".", 1)[-1]


def python_frames(sample):
    return [frame for frame in sample["frames"] if frame["module"].endswith(".py") or frame["module"].startswith("<")]


class Truth:
    """`notes`: the program's notes, by thread and time. `ahead_ns`: how far the program's clock is ahead of the
    recording's."""

    def __init__(self, notes, ahead_ns=0):
        self.ahead_ns = ahead_ns
        self.of_thread = collections.defaultdict(list)
        for note in notes:
            self.of_thread[note["tid"]].append(note)
        for thread in self.of_thread.values():
            thread.sort(key=lambda note: note["begin"])

    def at(self, sample):
        notes, when = self.of_thread.get(sample["tid"], []), sample["time_ns"] + self.ahead_ns
        index = bisect.bisect_right([note["begin"] for note in notes], when) - 1
        return notes[index] if index >= 0 and when <= notes[index]["end"] else None

    def noted(self, samples):
        """The samples of the program's parts, with their notes."""
        for sample in samples:
            note = self.at(sample)
            if note is not None:
                yield sample, note

    def functions(self, samples):
        """Counts correct stacks by part, wrong stacks by part and stack, and samples without a Python function."""
        right, wrong, apart = collections.Counter(), collections.Counter(), 0
        for sample, note in self.noted(samples):
            if "stacks" not in note:
                continue
            names = [last_part(frame["symbol"]) for frame in reversed(python_frames(sample))]
            if not names:
                apart += 1
            elif re.fullmatch(note["stacks"] + "/?", "/".join(names) + "/"):
                right[note["name"]] += 1
            else:
                wrong[note["name"], "/".join(names)] += 1
        return right, wrong, apart

    def lines(self, samples):
        """Returns the number of correct lines, and counts the wrong lines by (correct line, line found)."""
        right, wrong = 0, collections.Counter()
        for sample, note in self.noted(samples):
            frames = [frame for frame in python_frames(sample) if frame["symbol"] == note.get("function", "")]
            if "line" not in note or not frames:
                continue
            found = frames[0].get("line", "")
            if re.split(r"[/\\\\]", found)[-1] == f"python_stacks.py:{note['line']}":
                right += 1
            else:
                wrong[note["line"], found] += 1
        return right, wrong
