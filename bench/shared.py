# SPDX-License-Identifier: BSD-3-Clause
"""Parts of several benches: the tools of LLVM that they compare with, and the table of promises."""
import shutil
import sys


def tool(name):
    path = shutil.which(name + "-19") or shutil.which(name)
    if path is None:
        print(f"skipped: {name} is not installed")
        sys.exit(77)
    return path


def print_promises(promises):
    """Each is (name, value, "<=" or ">=", limit). Returns whether all are kept."""
    kept = True
    for name, value, relation, limit in promises:
        held = value <= limit if relation == "<=" else value >= limit
        kept = kept and held
        print(f"  {name:48} {value:8.2f}   promised {relation} {limit}{'' if held else '   MISSED'}")
    return kept
