# SPDX-License-Identifier: BSD-3-Clause
"""The loaded libwperf: its structures, its functions, and their errors. include/wperf/wperf.h explains each field.

The library is found by the environment's WPERF_LIBRARY (a file), next to this module, where a wheel carries it, or by the
system's loader, in this order.
"""
import ctypes
import functools
import os
import pathlib
import sys

CYCLE_COUNTER = -1
LIST_CORE_EVENTS, LIST_SYSTEM_EVENTS = 1, 2
CORE_EVENT = 0
TEST_BOOL, TEST_NUMBER = 0, 1

Message = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)
_Cores = ctypes.POINTER(ctypes.c_uint32)
_text, _size, _bool, _double = ctypes.c_wchar_p, ctypes.c_size_t, ctypes.c_bool, ctypes.c_double
_u32, _i32, _u64 = ctypes.c_uint32, ctypes.c_int32, ctypes.c_uint64


class Error(Exception):
    """A refusal in the words of the library. A remedy, if there is one, is at the end in parentheses."""


class VersionInfo(ctypes.Structure):
    c_name = "VERSION_INFO"
    _fields_ = [("major", _u32), ("minor", _u32), ("patch", _u32), ("gitver", ctypes.c_wchar * 32)]


class ListConf(ctypes.Structure):
    c_name = "LIST_CONF"
    _fields_ = [("list_event_types", _u32)]


class EventInfo(ctypes.Structure):
    c_name = "EVENT_INFO"
    _fields_ = [("type", ctypes.c_int), ("id", _u32), ("name", _text), ("desc", _text)]


class MetricInfo(ctypes.Structure):
    c_name = "METRIC_INFO"
    _fields_ = [("metric_name", _text), ("event_idx", _u32), ("event_name", _text)]


class StatConf(ctypes.Structure):
    c_name = "STAT_CONF"
    _fields_ = [("cores", _Cores), ("num_cores", _size), ("events", _text), ("metrics", _text), ("duration_ms", _u64),
                ("period_ms", _u32), ("kernel", _bool), ("program", _text), ("arguments", _text), ("spawn_delay_ms", _u32),
                ("timeline", _bool), ("interval_ms", _u64), ("num_counts", _u64), ("csv_file", _text)]


class StatInfo(ctypes.Structure):
    c_name = "STAT_INFO"
    _fields_ = [("count_idx", _u64), ("core_idx", _u32), ("event_idx", _i32), ("event_name", _text), ("event_note", _text),
                ("counter_value", _u64), ("scheduled", _u64), ("round", _u64), ("scaled_value", _u64),
                ("elapsed_seconds", _double)]


class StatMetricInfo(ctypes.Structure):
    c_name = "STAT_METRIC_INFO"
    _fields_ = [("count_idx", _u64), ("core_idx", _u32), ("metric_name", _text), ("value", _double), ("unit", _text)]


class SampleConf(ctypes.Structure):
    c_name = "SAMPLE_CONF"
    _fields_ = [("cores", _Cores), ("num_cores", _size), ("events", _text), ("rate_hz", _u32), ("duration_ms", _u64),
                ("kernel", _bool), ("program", _text), ("image_name", _text), ("arguments", _text), ("spawn_delay_ms", _u32),
                ("pdb_file", _text), ("symbol_path", _text), ("symbol", _text), ("display_row", _u32),
                ("decorated_names", _bool), ("annotate", _bool)]


class SampleInfo(ctypes.Structure):
    c_name = "SAMPLE_INFO"
    _fields_ = [("event", _text), ("interval", _u32), ("symbol", _text), ("count", _u64), ("overhead", _double)]


class AnnotateInfo(ctypes.Structure):
    c_name = "ANNOTATE_INFO"
    _fields_ = [("event", _text), ("symbol", _text), ("source_file", _text), ("line_number", _u32), ("hits", _u64)]


class SampleStats(ctypes.Structure):
    c_name = "SAMPLE_STATS"
    _fields_ = [("samples_generated", _u64), ("samples_dropped", _u64)]


class TestConf(ctypes.Structure):
    c_name = "TEST_CONF"
    _fields_ = [("events", _text), ("metrics", _text), ("period_ms", _u32)]


class TestInfo(ctypes.Structure):
    c_name = "TEST_INFO"
    _fields_ = [("name", _text), ("type", ctypes.c_int), ("bool_result", _bool), ("num_result", _u64), ("result", _text)]


_to = ctypes.POINTER
_FUNCTIONS = {
    "wperf_set_device": [ctypes.c_char_p],
    "wperf_init": [],
    "wperf_close": [],
    "wperf_set_message_function": [Message, ctypes.c_void_p],
    "wperf_driver_version": [_to(VersionInfo)],
    "wperf_version": [_to(VersionInfo)],
    "wperf_num_cores": [_to(ctypes.c_int)],
    "wperf_list_events": [_to(ListConf), _to(EventInfo)],
    "wperf_list_metrics": [_to(ListConf), _to(MetricInfo)],
    "wperf_stat": [_to(StatConf), _to(StatInfo)],
    "wperf_stat_begin": [_to(StatConf), _u32],
    "wperf_stat_end": [],
    "wperf_stat_metrics": [_to(StatConf), _to(StatMetricInfo)],
    "wperf_sample": [_to(SampleConf), _to(SampleInfo)],
    "wperf_sample_annotate": [_to(SampleConf), _to(AnnotateInfo)],
    "wperf_sample_stats": [_to(SampleConf), _to(SampleStats)],
    "wperf_test": [_to(TestConf), _to(TestInfo)],
}


def _places():
    name = "wperf.dll" if sys.platform == "win32" else "libwperf.so"
    named = os.environ.get("WPERF_LIBRARY")
    if named:
        return [named]
    beside = pathlib.Path(__file__).resolve().with_name(name)
    return ([str(beside)] if beside.exists() else []) + [name]


@functools.lru_cache(maxsize=None)
def library():
    """The library with the types of its functions. It is loaded once."""
    place = _places()[0]
    try:
        loaded = ctypes.CDLL(place)
    except OSError as error:
        raise Error(f"libwperf cannot be loaded: {error} (set WPERF_LIBRARY to the file)") from None
    for name, arguments in _FUNCTIONS.items():
        try:
            function = getattr(loaded, name)
        except AttributeError:
            raise Error(f"{place} has no {name}: it is older than this package (use the library of the same version)") from None
        function.argtypes, function.restype = arguments, ctypes.c_bool
    loaded.wperf_stop.argtypes, loaded.wperf_stop.restype = [], None
    loaded.wperf_last_error.argtypes, loaded.wperf_last_error.restype = [], ctypes.c_char_p
    return loaded


def call(name, *arguments):
    """Calls a function of the library; false becomes an Error."""
    loaded = library()
    if not getattr(loaded, name)(*arguments):
        raise Error(loaded.wperf_last_error().decode(errors="replace"))


def rows(name, configuration, row_type):
    """The rows that a function gives out one by one. The texts in them are Python's own."""
    loaded = library()
    row = row_type()
    while getattr(loaded, name)(configuration, ctypes.byref(row)):
        yield row
    reason = loaded.wperf_last_error()
    if reason:
        raise Error(reason.decode(errors="replace"))
