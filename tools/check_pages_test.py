#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of check_pages.py: a named thing must exist."""
import unittest

import check_pages

TREE = {
    "docs/contract.md": "# The contract\n\n## 5 stat\n\n### 5.2 Text\n",
    "docs/decisions/0003-a-choice.md": "",
    "docs/design/rooms.md": "",
    "src/machine/plan/count_plan.h": "struct CountPlan { int event_count; };\n",
    "src/machine/plan/count_plan.cpp": "",
    "src/machine/plan/count_plan_test.cpp": "",
    "driver/core/core.h": "enum { WPERF_CODE_DSU_SETUP };\n",
}


def complaints(name, text):
    return check_pages.check({**TREE, name: text})


class Pages(unittest.TestCase):
    def kept(self, *texts, name="ARCHITECTURE.md"):
        for text in texts:
            self.assertEqual(complaints(name, text + "\n"), [], text)

    def refused(self, words, *texts, name="ARCHITECTURE.md"):
        for text in texts:
            found = complaints(name, text + "\n")
            self.assertEqual(len(found), 1, (text, found))
            self.assertIn(words, found[0])

    def test_paths(self):
        self.kept("See `src/machine/plan/count_plan.cpp`.", "See `machine/plan/count_plan`.", "See `src/machine/plan`.", "`src/machine/plan/count_*` and `src/machine/{plan}`.")
        self.refused("there is no src/plans", "See `src/plans/count_plan`.")
        self.refused("there is no plan/other.h", "See `plan/other.h`.")

    def test_file_names(self):
        self.kept("See count_plan.h.", "See <winnt.h> and `windows.h`.", "Files end in `_linux.cpp`.", "`fuzz/NAME_fuzz.cpp`")
        self.refused("there is no gone.h", "See gone.h.")

    def test_links(self):
        self.kept("[one](docs/design/rooms.md#part)", "[two](https://example.com/a.html)")
        self.refused("leads nowhere", "[one](docs/design/gone.txt)")
        self.kept("[one](../decisions/0003-a-choice.md)", name="docs/design/rooms.md")

    def test_names_of_code(self):
        self.kept("A `CountPlan` has `CountPlan::event_count`.", "`DSU_SETUP` is a request.", "`stat` is a command.", "Run `machine_plan_test`.")
        self.refused("no source has CountPlans", "A `CountPlans` has counts.")
        self.refused("no source has machine_test", "Run `machine_test`.")

    def test_sections_of_the_contract(self):
        self.kept("(contract 5.2)", "Contract 5: it counts.")
        self.refused("contract 5.3 is no section", "(contract 5.3)", "(contract 5.2, 5.3)", "(contract 5.2-5.3)")

    def test_decisions(self):
        self.kept("docs/decisions/0003 says why.", "decision 3")
        self.refused("no decision", "decision 4", "docs/decisions/0004 says why.")


class Comments(unittest.TestCase):
    def test_a_file_that_is_gone(self):
        self.assertEqual(complaints("src/plan/a.h", "\n// Made by\n// gone.cpp.\n"), ["src/plan/a.h:3: there is no gone.cpp"])
        self.assertEqual(complaints("src/plan/a.h", "// Made by count_plan.cpp.\n"), [])

    def test_a_section_that_is_gone(self):
        self.assertEqual(len(complaints("src/plan/a.h", "int a;  // contract 9.9\n")), 1)
        self.assertEqual(complaints("src/plan/a.h", 'f("contract 9.9 is over");\n'), [])


if __name__ == "__main__":
    unittest.main()
