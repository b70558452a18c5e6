#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Validates a JSON document of wperf against a published schema of WindowsPerf.

    validate_schema.py FILE SCHEMA

FILE may be - for standard input. SCHEMA is the path of a *.schema file, or a short name (detect, list, man, sample,
spe, stat, test, timeline, version), which is searched for in $WPERF_SCHEMAS and next to this repository. Exit status: 0
valid, 1 not valid, 2 FILE is not JSON, 77 skipped (no such schema, or no jsonschema module).

Known faults of the schemas, corrected before use:
  sample    trailing commas make it invalid JSON
  stat      says that `unit` of a Telemetry Solution metric is an integer; it is a string
  timeline, spe   refer to file:schemas/..., relative to the current directory; spe hides the reference in `items` of an
                  object, where it is never applied
"""

import json
import os
import pathlib
import re
import sys

VALID, NOT_VALID, NOT_JSON, SKIPPED = 0, 1, 2, 77


def find_schema(name):
    if os.sep in name or name.endswith(".schema"):
        path = pathlib.Path(name)
        return path if path.is_file() else None
    folders = [pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "schemas"]
    if os.environ.get("WPERF_SCHEMAS"):
        folders.insert(0, pathlib.Path(os.environ["WPERF_SCHEMAS"]))
    candidates = [folder / f"wperf.{name}.schema" for folder in folders]
    return next((path for path in candidates if path.is_file()), None)


def mend(node, folder):
    """Replaces references by their targets, and corrects the type of `unit`."""
    if isinstance(node, list):
        return [mend(item, folder) for item in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref", "")
    if reference.startswith("file:"):
        return load_schema(folder / pathlib.PurePosixPath(reference).name)
    mended = {key: mend(value, folder) for key, value in node.items()}
    if "metric_name" in mended and mended.get("unit") == {"type": "integer"}:
        mended["unit"] = {"type": "string"}
    if mended.get("type") == "object" and isinstance(mended.get("items"), dict):
        mended = mended.pop("items")
    return mended


def load_schema(path):
    text = path.read_text(encoding="utf-8")
    return mend(json.loads(re.sub(r",(\s*[}\]])", r"\1", text)), path.parent)


def parse_constant(name):
    raise ValueError(f"{name} is not JSON")


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return NOT_JSON
    path = find_schema(arguments[1])
    if path is None:
        print(f"skipped: no schema {arguments[1]}")
        return SKIPPED
    try:
        import jsonschema
    except ImportError:
        print("skipped: the Python module jsonschema is not installed")
        return SKIPPED
    try:
        data = sys.stdin.buffer.read() if arguments[0] == "-" else pathlib.Path(arguments[0]).read_bytes()
        document = json.loads(data.decode("ascii"), parse_constant=parse_constant)
    except ValueError as error:
        print(f"{arguments[0]}: {error}")
        return NOT_JSON
    faults = list(jsonschema.Draft7Validator(load_schema(path)).iter_errors(document))
    for fault in faults:
        print(f"{arguments[0]}: /{'/'.join(str(part) for part in fault.absolute_path)}: {fault.message}")
    return NOT_VALID if faults else VALID


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
