# SPDX-License-Identifier: BSD-3-Clause
"""The answers of measurements: rows that are plain dictionaries, and tables of pandas if it is installed."""
import re

from ._library import Error


def frame_of(rows):
    """The rows as a DataFrame of pandas."""
    try:
        import pandas  # optional
    except ImportError:
        raise Error("to_frame() needs pandas, which is not installed (the rows are dictionaries)") from None
    return pandas.DataFrame(rows)


def _best_rows(rows):
    """One row of each core, that of the event on its own if there is one, otherwise the row that was counted longest."""
    best = {}
    for row in rows:
        core = (row["core"], row["count"])
        rank = (row["value"] is not None, row["note"] == "e", row["scheduled"])
        if core not in best or rank > best[core][0]:
            best[core] = (rank, row)
    return [row for _, row in best.values()]


class Counts:
    """The counts of one measurement.

    rows: a dictionary for each event and core, with the keys `event`, `core`, `value`, `counted_value`, `scheduled`, `rounds`,
    `seconds`, `number`, `note` and `count`. `value` is the estimate for counting all the time, or None if the event was never on a
    counter. `core` is None if a process was counted between two moments.
    metrics: a dictionary for each metric and core, with the keys `metric`, `core`, `value`, `unit` and `count`.
    seconds: the length of the measurement. messages: the library's warnings.
    """

    def __init__(self):
        self.rows, self.metrics, self.messages = [], [], []
        self.seconds = None

    def _check(self):
        if self.seconds is None:
            raise Error("this count has not ended yet")

    def _rows_of(self, event):
        """The rows of an event, by its name in any case or by its number as rHEX."""
        rows = [row for row in self.rows if row["event"] == event]
        if not rows:
            rows = [row for row in self.rows if row["event"].lower() == event.lower()]
        number = re.fullmatch(r"r([0-9a-f]{1,4})", event, re.IGNORECASE)
        if not rows and number:  # Linux' own events (cycles, page-faults) have other numbers, and no underscore
            rows = [row for row in self.rows if row["number"] == int(number[1], 16) and "_" in row["event"]]
        return rows

    def __getitem__(self, event):
        """The sum of an event over the cores; None if it was never on a counter of one of them.

        An event that was counted twice, alone and for a metric, has one count: see _best_rows().
        """
        self._check()
        rows = self._rows_of(event)
        if not rows:
            names = ", ".join(dict.fromkeys(row["event"] for row in self.rows))
            raise KeyError(f"{event} was not counted; these were: {names}")
        values = [row["value"] for row in _best_rows(rows)]
        return None if None in values else sum(values)

    def __contains__(self, event):
        return bool(self._rows_of(event))

    def as_dict(self):
        """{event: the sum over the cores}."""
        self._check()
        return {event: self[event] for event in dict.fromkeys(row["event"] for row in self.rows)}

    def to_frame(self):
        self._check()
        return frame_of(self.rows)

    def __repr__(self):
        if self.seconds is None:
            return "<wperf.Counts, not counted yet>"
        return f"<wperf.Counts of {self.seconds:.6f} s: {self.as_dict()}>"


class Samples:
    """The samples of one measurement.

    rows: a dictionary for each function and event, hottest first, with the keys `event`, `symbol`, `samples`, `percent` and
    `interval`. lines: the same for source lines, with the keys `event`, `symbol`, `file`, `line` and `samples`; empty unless lines
    were wanted. generated, dropped: numbers of samples. messages: the library's warnings.
    """

    def __init__(self, rows, lines, generated, dropped, messages):
        self.rows, self.lines, self.messages = rows, lines, messages
        self.generated, self.dropped = generated, dropped

    def to_frame(self):
        return frame_of(self.rows)

    def __repr__(self):
        return f"<wperf.Samples: {self.generated} samples, {self.dropped} dropped, {len(self.rows)} rows>"
