# SPDX-License-Identifier: BSD-3-Clause
"""Measuring from Python with libwperf: docs/user/python-package.md.

    import wperf

    with wperf.count("task-clock", "page-faults") as c:
        work()
    print(c["page-faults"], c.seconds)
"""
from ._library import Error
from ._machine import Machine, Section, count, count_command, events, metrics, sample, stop, version
from ._results import Counts, Samples

__all__ = ["Counts", "Error", "Machine", "Samples", "Section", "count", "count_command", "events", "metrics", "sample", "stop",
           "version"]
