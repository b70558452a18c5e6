#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The schemas of data/schemas are valid and complete, and the golden documents conform to them."""
import copy
import json
import os
import pathlib
import re
import sys
import unittest

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import documents  # noqa: E402  (next to the end-to-end tests)

SOURCE = pathlib.Path(os.environ.get("WPERF_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
FOLDER = SOURCE / "data" / "schemas"
PARTS = sorted(FOLDER.glob("parts/*.schema"))
FILES = sorted(FOLDER.glob("*.schema"))
GOLDEN = SOURCE / "tests" / "golden"
VERSION = 1  # kDocumentVersion of src/views/report/document_version.h


def nodes(node):
    """Every object of the schema."""
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from nodes(child)


class Schemas(unittest.TestCase):
    def test_every_file_is_a_schema_with_its_name_and_version(self):
        for file in FILES + PARTS:
            with self.subTest(file.name):
                text = file.read_text(encoding="ascii")
                schema = json.loads(text)
                jsonschema.Draft202012Validator.check_schema(schema)
                self.assertEqual(list(schema)[:4], ["$schema", "$id", "title", "description"])
                self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
                self.assertRegex(schema["$id"], f"^wperf-{file.stem}-[0-9]+$")

    def test_every_key_is_described(self):
        known = {schema["$id"]: schema for schema in (json.loads(file.read_text()) for file in FILES + PARTS)}
        for identity, schema in known.items():
            for node in nodes(schema):
                if not isinstance(node.get("properties"), dict) or "type" not in node:
                    continue
                self.assertLessEqual(set(node.get("required", [])), set(node["properties"]), identity)
                for key, value in node["properties"].items():
                    if "$ref" in value and "description" not in value:
                        base, _, path = value["$ref"].partition("#")
                        value = known[base or identity]
                        for part in path.split("/")[1:]:
                            value = value[part]
                    self.assertTrue(value.get("description"), f"{identity}: {key} has no description")

    def test_wperf_prints_every_file_and_only_these(self):
        names = set().union(*documents.printed_by().values())
        self.assertEqual(names, {file.stem for file in FILES})
        for file in FILES:
            with self.subTest(file.name):
                printed = documents.schema(file.stem)
                jsonschema.Draft202012Validator.check_schema(printed)
                own = json.loads(file.read_text())
                own_parts, parts = own.pop("$defs", {}), printed.pop("$defs", {})
                printed_parts = {key: parts[key] for key in own_parts}
                self.assertEqual((printed, printed_parts), (own, own_parts))
                # The printed schema is self-contained: each reference leads into it.
                inside = {node["$id"] for node in nodes([printed, parts]) if isinstance(node.get("$id"), str)}
                for node in nodes([printed, parts]):
                    if isinstance(node.get("$ref"), str) and not node["$ref"].startswith("#"):
                        self.assertIn(node["$ref"].partition("#")[0], inside)

    def test_golden_documents_are_as_described(self):
        names = sorted((file.stem for file in FILES), key=len, reverse=True)
        for file in sorted(GOLDEN.glob("*.json")):
            with self.subTest(file.name):
                name = next(name for name in names if re.split("[_.]", file.name)[0] == name)
                self.assertEqual(documents.faults(name, json.loads(file.read_text())), [])

    def test_versions_agree(self):
        header = (SOURCE / "src/views/report/document_version.h").read_text()
        self.assertIn(f"kDocumentVersion = {VERSION};", header)
        for file in FILES:
            schema = json.loads(file.read_text())
            if "version" in schema["properties"]:
                self.assertEqual(schema["properties"]["version"]["const"], VERSION, file.name)
                self.assertTrue(schema["$id"].endswith(f"-{VERSION}"), file.name)

    def test_readers_may_meet_new_keys_but_tests_may_not(self):
        document = json.loads((GOLDEN / "stat_one_core.json").read_text())
        added = copy.deepcopy(document)
        added["core"]["cores"][0]["new"] = 1
        jsonschema.validate(added, documents.schema("stat"))
        self.assertIn("new", documents.faults("stat", added)[0])
        for change in (lambda it: it.pop("Time_elapsed"), lambda it: it["core"]["cores"][0].update(core_number="0")):
            broken = copy.deepcopy(document)
            change(broken)
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(broken, documents.schema("stat"))
        # The same holds in a schema that another schema contains.
        timeline = json.loads((GOLDEN / "timeline_one_core.json").read_text())
        timeline["timeline"][0]["core"]["new"] = 1
        self.assertIn("new", documents.faults("timeline", timeline)[0])


if __name__ == "__main__":
    unittest.main()
