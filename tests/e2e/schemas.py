# SPDX-License-Identifier: BSD-3-Clause
"""The JSON schemas of the original tool, read in place; a test that needs them is skipped if they are missing."""
import copy
import json

import jsonschema

from support import SHARED

FOLDER = SHARED / "data" / "schemas"


def load(name):
    schema = json.loads((FOLDER / name).read_text())
    if name == "wperf.stat.schema":
        # Known fault: `unit` is a string in every document of the original tool, but the schema says otherwise.
        metric = schema["properties"]["core"]["properties"]["ts_metric"]["properties"]["Telemetry_Solution_Metrics"]
        metric["items"]["properties"]["unit"]["type"] = "string"
    if name == "wperf.timeline.schema":
        # The reference to the stat schema is relative to a folder, so the schema itself replaces the reference.
        schema["properties"]["timeline"]["items"] = load("wperf.stat.schema")
    return schema


def validate(test, document, name):
    if not (FOLDER / name).exists():
        test.skipTest(f"the schema {name} is not here")
    jsonschema.validate(copy.deepcopy(document), load(name))
