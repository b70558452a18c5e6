#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The generator of the data source tables refuses bad data."""
import copy
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import gen_spe_sources as generator  # pylint: disable=wrong-import-position

GOOD = json.loads(generator.DATA.read_text(encoding="ascii"))


class Check(unittest.TestCase):
    def problems_of(self, change):
        data = copy.deepcopy(GOOD)
        change(data["families"])
        return generator.check(data)

    def test_good_data(self):
        self.assertEqual(generator.check(GOOD), [])

    def test_bad_data(self):
        changes = {
            "twin value": lambda families: families[1]["sources"].insert(0, dict(families[1]["sources"][0], name="other")),
            "disorder": lambda families: families[1]["sources"].reverse(),
            "twin name": lambda families: families[0]["sources"][1].update(name=families[0]["sources"][0]["name"]),
            "no number": lambda families: families[0]["sources"][0].update(value="3"),
            "no level": lambda families: families[0]["sources"][0].update(level="l4"),
            "odd text": lambda families: families[0]["sources"][0].update(text='a "quote"'),
            "core of two families": lambda families: families[2]["cores"].append(families[1]["cores"][0]),
            "families in disorder": lambda families: families.reverse(),
            "no sources": lambda families: families[0].update(sources=[]),
        }
        for name, change in changes.items():
            with self.subTest(name):
                self.assertEqual(len(self.problems_of(change)), 1)


if __name__ == "__main__":
    unittest.main()
