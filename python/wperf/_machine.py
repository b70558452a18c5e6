# SPDX-License-Identifier: BSD-3-Clause
"""A machine that measures: counts of this process, of commands and of cores, samples of commands, and the lists."""
import ctypes
import math
import os
import subprocess

from . import _library
from ._library import Error, call, library, rows
from ._results import Counts, Samples


def _joined(events):
    """As `-e` takes them; a tuple is a group."""
    words = ["{" + ",".join(one) + "}" if isinstance(one, tuple) else one for one in events]
    return ",".join(words) or None


def _checked(what, number):
    """The number, if it has at most 32 bits: ctypes would drop the others."""
    if not 0 <= number < 2**32:
        raise Error(f"{what} is from 0 to {2**32 - 1}, not {number}")
    return number


def _set_cores(configuration, cores):
    if cores is None:
        return
    numbers = list(cores)
    for number in numbers:
        _checked("the number of a core", number)
    configuration.cores = (ctypes.c_uint32 * len(numbers))(*numbers)
    configuration.num_cores = len(numbers)


def _set_command(configuration, command):
    if isinstance(command, (str, bytes)):
        raise TypeError(f"the command is a list of words, such as [{command!r}]")
    words = [os.fsdecode(word) for word in command]
    if not words:
        raise Error("the command is empty")
    for word in words:
        if "\0" in word:
            raise Error(f"a word of a command ends at its first \\0: {word!r}")
    configuration.program = words[0]
    configuration.arguments = subprocess.list2cmdline(words[1:]) or None  # the library splits it by the same rules


def _milliseconds(seconds):
    if seconds < 0:
        raise Error("seconds must not be negative")
    return math.ceil(seconds * 1000)


class Section:
    """A count between two moments, for `with`. It may be entered again; each time it makes new Counts."""

    def __init__(self, machine, configuration, process, owns_machine):
        self._machine, self._configuration, self._process, self._owns_machine = machine, configuration, process, owns_machine
        self._counts = None

    def __enter__(self):
        if self._owns_machine:
            self._machine.open()
        earlier = self._machine.messages[:]
        self._machine.messages.clear()
        try:
            call("wperf_stat_begin", self._configuration, self._process)
        except BaseException:
            self._machine.messages[:] = earlier  # they may belong to a count that goes on
            self._close()
            raise
        self._counts = Counts()
        return self._counts

    def __exit__(self, kind, error, trace):
        try:
            call("wperf_stat_end")
            self._machine.fill(self._counts, has_cores=self._process == 0)
        except Error:
            if kind is None:  # the section's own exception matters more
                raise
        finally:
            self._close()

    def _close(self):
        if self._owns_machine:
            self._machine.close()


class Machine:
    """An opened machine. A process has one at a time; `with wperf.Machine(device) as machine:` closes it.

    device: as `wperf --device` takes it; None is WPERF_DEVICE of the environment or the machine's own.
    """

    _opened = None  # the open machine of this process

    def __init__(self, device=None):
        self.device = device
        self.messages = []  # the warnings of the latest measurement
        self._listener = _library.Message(lambda line, _: self.messages.append(line.decode(errors="replace")))

    def open(self):
        if Machine._opened is not None:
            raise Error("a machine is open already: sections cannot be nested, and a process has one machine at a time")
        call("wperf_set_device", self.device.encode() if self.device is not None else None)
        call("wperf_set_message_function", self._listener, None)
        try:
            call("wperf_init")
        except BaseException:
            call("wperf_set_message_function", _library.Message(), None)
            raise
        Machine._opened = self
        return self

    def close(self):
        if Machine._opened is not self:
            return
        Machine._opened = None
        call("wperf_close")
        call("wperf_set_message_function", _library.Message(), None)

    def __enter__(self):
        return self.open()

    def __exit__(self, *_):
        self.close()

    @property
    def cores(self):
        """The number of cores."""
        number = ctypes.c_int()
        call("wperf_num_cores", number)
        return number.value

    def events(self):
        """The events that can be counted: a dictionary for each event, with the keys `name`, `title`, `number` and `kind`."""
        wanted = _library.ListConf(_library.LIST_CORE_EVENTS | _library.LIST_SYSTEM_EVENTS)
        call("wperf_list_events", wanted, None)
        listed = []
        for row in rows("wperf_list_events", wanted, _library.EventInfo):
            of_core = row.type == _library.CORE_EVENT
            listed.append({"name": row.name, "title": row.desc if of_core else None, "number": row.id if of_core else None,
                           "kind": "core" if of_core else row.desc})
        return listed

    def metrics(self):
        """{metric: its events}."""
        call("wperf_list_metrics", None, None)
        listed = {}
        for row in rows("wperf_list_metrics", None, _library.MetricInfo):
            listed.setdefault(row.metric_name, []).append(row.event_name)
        return listed

    def facts(self):
        """The facts that `wperf test` shows: {key: value}."""
        call("wperf_test", None, None)
        told = {}
        for row in rows("wperf_test", None, _library.TestInfo):
            if row.type == _library.TEST_BOOL:
                told[row.name] = row.bool_result
            else:
                told[row.name] = row.num_result if row.type == _library.TEST_NUMBER else row.result
        return told

    def count(self, *events, metrics=(), cores=None, process=None, kernel=False, period_ms=0):
        """Counts around a block: `with machine.count("page-faults") as c:`. c has the Counts after the block.

        The count is of this process, of the running `process`, or of whole `cores` if they are given.
        """
        return self._section(events, metrics, cores, process, kernel, period_ms, owns_machine=False)

    def _section(self, events, metrics, cores, process, kernel, period_ms, owns_machine):
        conf = _library.StatConf(events=_joined(events), metrics=_joined(metrics), kernel=kernel,
                                 period_ms=_checked("period_ms", period_ms))
        _set_cores(conf, cores)
        if process is not None and cores is not None:
            raise Error("a count is of a process or of cores, not of both")
        if process == 0:
            raise Error("no process has the number 0; without a number, a count is of this process")
        of_process = 0 if cores is not None else os.getpid() if process is None else _checked("the number of a process", process)
        return Section(self, conf, of_process, owns_machine)

    def count_command(self, command, *events, metrics=(), cores=None, kernel=False, period_ms=0, seconds=0):
        """Runs a command, given as a list of words, and counts it from its first instruction on; Counts.

        seconds: ends it after this time. cores: where it runs, on devices that count cores; otherwise core 0.
        """
        conf = _library.StatConf(events=_joined(events), metrics=_joined(metrics), kernel=kernel,
                                 period_ms=_checked("period_ms", period_ms), duration_ms=_milliseconds(seconds))
        _set_cores(conf, cores)
        _set_command(conf, command)
        self.messages.clear()
        call("wperf_stat", conf, None)
        counts = Counts()
        self.fill(counts)
        return counts

    def sample(self, command=None, *events, image_name=None, cores=None, rate_hz=0, kernel=False, seconds=0, symbol=None,
               symbol_path=None, pdb_file=None, most_rows=0, decorated_names=False, lines=False):
        """Samples a command, or the running program `image_name`; Samples.

        events: as `wperf record -e` takes them, with intervals: "ld_spec:100000". lines: finds the source lines too.
        """
        conf = _library.SampleConf(events=_joined(events), rate_hz=_checked("rate_hz", rate_hz), kernel=kernel,
                                   duration_ms=_milliseconds(seconds),
                                   image_name=image_name, symbol=symbol, symbol_path=symbol_path, pdb_file=pdb_file,
                                   display_row=_checked("most_rows", most_rows), decorated_names=decorated_names, annotate=lines)
        _set_cores(conf, cores)
        if command is not None:
            _set_command(conf, command)
        self.messages.clear()
        call("wperf_sample", conf, None)
        found = [{"event": row.event, "symbol": row.symbol, "samples": row.count, "percent": row.overhead,
                  "interval": row.interval} for row in rows("wperf_sample", conf, _library.SampleInfo)]
        by_line = []
        if lines:
            by_line = [{"event": row.event, "symbol": row.symbol, "file": row.source_file, "line": row.line_number,
                        "samples": row.hits} for row in rows("wperf_sample_annotate", None, _library.AnnotateInfo)]
        stats = _library.SampleStats()
        call("wperf_sample_stats", None, stats)
        return Samples(found, by_line, stats.samples_generated, stats.samples_dropped, list(self.messages))

    def fill(self, counts, has_cores=True):
        """Takes the rows of the latest count."""
        seconds = 0.0
        for row in rows("wperf_stat", None, _library.StatInfo):
            seconds = row.elapsed_seconds
            counts.rows.append({
                "event": row.event_name, "core": row.core_idx if has_cores else None,
                "value": row.scaled_value if row.scheduled else None, "counted_value": row.counter_value,
                "scheduled": row.scheduled, "rounds": row.round, "seconds": row.elapsed_seconds,
                "number": None if row.event_idx == _library.CYCLE_COUNTER else row.event_idx, "note": row.event_note,
                "count": row.count_idx})
        for row in rows("wperf_stat_metrics", None, _library.StatMetricInfo):
            counts.metrics.append({"metric": row.metric_name, "core": row.core_idx if has_cores else None,
                                   "value": None if math.isnan(row.value) else row.value, "unit": row.unit,
                                   "count": row.count_idx})
        counts.messages, counts.seconds = list(self.messages), seconds


def _forget_machine():
    Machine._opened = None


# The library forgets the session of a parent process, too.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_machine)


def stop():
    """Ends the running measurement, from another thread or a signal handler: it returns what it has."""
    library().wperf_stop()


def version():
    """The version of libwperf: "3.8.0"."""
    told = _library.VersionInfo()
    call("wperf_version", told)
    return f"{told.major}.{told.minor}.{told.patch}"


def count(*events, device=None, metrics=(), cores=None, process=None, kernel=False, period_ms=0):
    """Machine.count() on a machine that is opened for the block."""
    return Machine(device)._section(events, metrics, cores, process, kernel, period_ms, owns_machine=True)


def count_command(command, *events, device=None, **options):
    """Machine.count_command() on a machine that is opened for it."""
    with Machine(device) as machine:
        return machine.count_command(command, *events, **options)


def sample(command=None, *events, device=None, **options):
    """Machine.sample() on a machine that is opened for it."""
    with Machine(device) as machine:
        return machine.sample(command, *events, **options)


def events(device=None):
    """Machine.events() on a machine that is opened for it."""
    with Machine(device) as machine:
        return machine.events()


def metrics(device=None):
    """Machine.metrics() on a machine that is opened for it."""
    with Machine(device) as machine:
        return machine.metrics()
