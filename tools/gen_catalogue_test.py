#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The checks of catalogue_data.py must refuse invalid data."""
import unittest

import catalogue_data


def product(**changes):
    base = {
        "events": {"INST_RETIRED": "0x0008", "CPU_CYCLES": "0x0011"},
        "metrics": {"ipc": {"formula": "INST_RETIRED / CPU_CYCLES", "unit": "per cycle",
                            "events": ["CPU_CYCLES", "INST_RETIRED"]}},
        "metric_groups": {"General": ["ipc"]},
        "event_groups": {"General": ["CPU_CYCLES"]},
        "topdown": {"stage_1": ["General"], "stage_2": [], "root": ["ipc"],
                    "tree": [{"name": "ipc", "group": "General", "next_items": [], "sample_events": ["CPU_CYCLES"]}]},
    }
    return base | changes


class Checks(unittest.TestCase):
    def problems_of(self, **changes):
        catalogue_data.problems.clear()
        for check in (catalogue_data.check_events, catalogue_data.check_metrics, catalogue_data.check_topdown):
            check("core", product(**changes))
        return list(catalogue_data.problems)

    def assert_refused(self, part, **changes):
        self.assertTrue(any(part in text for text in self.problems_of(**changes)), catalogue_data.problems)

    def test_a_sound_product_passes(self):
        self.assertEqual(self.problems_of(), [])

    def test_events(self):
        self.assert_refused("sorted by code", events={"CPU_CYCLES": "0x0011", "INST_RETIRED": "0x0008"})
        self.assert_refused("several names", events=product()["events"] | {"CYCLES": "0x0011"})
        self.assert_refused("greater than", events=product()["events"] | {"FAR": "0x10000"})
        self.assert_refused("hexadecimal", events=product()["events"] | {"FAR": "17"})
        self.assert_refused("upper case", events=product()["events"] | {"far": "0x0020"})

    def test_metrics(self):
        ipc = product()["metrics"]["ipc"]
        self.assert_refused("does not count", metrics={"ipc": ipc | {"events": ["CPU_CYCLES"]}})
        self.assert_refused("does not have", metrics={"ipc": ipc | {"events": ["CPU_CYCLES", "INST_RETIRED", "X"]}})
        self.assert_refused("ends too early", metrics={"ipc": ipc | {"formula": "INST_RETIRED /"}})
        self.assert_refused("nothing else", metrics={"ipc": ipc | {"units": ""}})

    def test_groups_and_topdown(self):
        self.assert_refused("names metric cpi", metric_groups={"General": ["cpi"]})
        self.assert_refused("names event STALL", event_groups={"General": ["STALL"]})
        self.assert_refused("names cpi", topdown=product()["topdown"] | {"root": ["cpi"]})

    def test_postfix(self):
        for infix, postfix in (("A / B * 1000", "A B / 1000 *"), ("A - B - C", "A B - C -"), ("(A + B) * C", "A B + C *"),
                               ("1 - A / (B * 5)", "1 A B 5 * / -"), ("((A))", "A")):
            self.assertEqual(" ".join(catalogue_data.to_postfix(infix)), postfix)
        for broken in ("", "A B", "A + + B", "(A", "A)", "-A", "A $ B", "()", "1 A"):
            with self.assertRaises(ValueError, msg=broken):
                catalogue_data.to_postfix(broken)


class ProductTexts(unittest.TestCase):
    def test_a_product_may_replace_a_title_alone(self):
        catalogue_data.problems.clear()
        texts = catalogue_data.Texts()
        title, description = texts.find("events", "LD_SPEC")
        self.assertEqual(texts.find("events", "LD_SPEC", {"LD_SPEC": {"title": "Loads"}}), ("Loads", description))
        self.assertEqual(texts.find("events", "LD_SPEC", {"LD_SPEC": {"description": "Counts."}}), (title, "Counts."))
        self.assertEqual(catalogue_data.problems, [])
        texts.find("events", "LD_SPEC", {"LD_SPEC": {"titel": "Loads"}})
        self.assertNotEqual(catalogue_data.problems, [])


if __name__ == "__main__":
    unittest.main()
