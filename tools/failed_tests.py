#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names the tests that failed in a JUnit file of ctest, with the last output of each.

  failed_tests.py JUNIT.xml
"""
import sys
import xml.etree.ElementTree as tree

LINES = 25  # per test
CHARACTERS = 240  # per line

failed = [case for case in tree.parse(sys.argv[1]).getroot().iter("testcase") if case.find("failure") is not None]
for case in failed:
    print(f"      failed: {case.get('name')}")
for case in failed:
    print(f"      --- the end of {case.get('name')}:")
    said = (case.findtext("system-out") or "").rstrip().splitlines()
    for line in said[-LINES:]:
        print(f"      {line[:CHARACTERS]}")
