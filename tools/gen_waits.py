#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes src/analysis/waits/generated/functions.h from data/waits/functions.csv: the functions that wait, and the
reasons of their waits.

usage: tools/gen_waits.py [--check]     --check: only says whether the file is as it should be
"""
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "data" / "waits" / "functions.csv"
TARGET = ROOT / "src" / "analysis" / "waits" / "generated" / "functions.h"
HEAD = """// SPDX-License-Identifier: BSD-3-Clause
// Functions that wait, sorted by name. Made by tools/gen_waits.py of data/waits/functions.csv; do not edit.
#pragma once
#include "analysis/waits/wait_classes.h"

namespace wperf::waits {

struct KnownFunction {
  std::string_view name;  // as symbol tables have it, without leading underscores
  WaitClass wait;
};

inline constexpr KnownFunction kFunctions[] = {
"""
TAIL = """};

}  // namespace wperf::waits
"""
CLASSES = ("lock", "io", "paging", "timer", "message", "idle_pool", "thread_end", "process_end", "other")


def generated():
    with open(SOURCE, newline="") as file:
        rows = list(csv.DictReader(file))
    names = {}
    for row in rows:
        if row["class"] not in CLASSES:
            sys.exit(f"{SOURCE}: no class {row['class']!r}")
        if names.setdefault(row["function"], row["class"]) != row["class"]:
            sys.exit(f"{SOURCE}: {row['function']} has two classes")
    lines = [f'    {{"{name}", WaitClass::{names[name]}}},\n' for name in sorted(names)]
    return HEAD + "".join(lines) + TAIL


def main():
    text = generated()
    if "--check" in sys.argv[1:]:
        if not TARGET.exists() or TARGET.read_text() != text:
            sys.exit(f"{TARGET} is not what {SOURCE} says: run tools/gen_waits.py")
        return
    TARGET.write_text(text)


if __name__ == "__main__":
    main()
