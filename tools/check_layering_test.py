#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of check_layering.py: each rule has a tree that follows it and a tree that breaks it."""
import unittest

import check_layering
from check_layering import File

PAGE = """
# a page
| room | may include |
|---|---|
| `abi` | nothing |
| `base` | `abi` |
| `driver` | `abi`, `base` |
| `driver/core` | `abi`, `base`, `driver/hal.h` |
| `src/*` | `base`, `abi/ints.h` |
| `src/ground/os` | | opens files |
| `src/pmu` | `wperf_version.h` |
| `src/plan` | `src/pmu` |
| `src/machine/device` | `src/ground/os` |
| `src/app/cli` | `src/plan` |
| `sim/cpu` | `base` |
| `tests` | everything |

| other | table |
|---|---|
| `nowhere` | `abi` |
"""

HEADERS = ["abi/ints.h", "abi/wire.h", "base/ints.h", "driver/hal.h", "driver/other.h", "src/ground/os/file.h", "src/pmu/table.h",
           "src/plan/plan.h", "sim/cpu/engine.h"]


def complaints(name, text, page=PAGE):
    files = [File(header, "") for header in HEADERS if header != name]
    return check_layering.check(files + [File(name, text)], page)


class Includes(unittest.TestCase):
    def allowed(self, name, text):
        self.assertEqual(complaints(name, text), [])

    def refused(self, name, text, words):
        found = complaints(name, text)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_room_includes_itself_and_its_row(self):
        self.allowed("src/plan/a.cpp", '#include "plan/plan.h"\n#include "pmu/table.h"\n#include "base/ints.h"\n')

    def test_a_room_outside_the_row_is_refused_with_its_line(self):
        self.refused("src/pmu/a.cpp", '\n#include "plan/plan.h"\n', "src/pmu/a.cpp:2: is in src/pmu, which may not include src/plan")

    def test_a_row_is_not_inherited_through_another_room(self):
        self.refused("src/app/cli/a.cpp", '#include "pmu/table.h"\n', "may not include src/pmu")

    def test_a_single_header_opens_no_room(self):
        self.allowed("driver/core/a.cpp", '#include "driver/hal.h"\n')
        self.refused("driver/core/a.cpp", '#include "driver/other.h"\n', "may not include driver")
        self.allowed("src/pmu/a.cpp", '#include "abi/ints.h"\n')
        self.refused("src/pmu/a.cpp", '#include "abi/wire.h"\n', "may not include abi")

    def test_same_short_name_in_two_trees(self):
        self.refused("src/pmu/a.cpp", '#include "sim/cpu/engine.h"\n', "may not include sim/cpu")

    def test_a_header_made_by_the_build_needs_its_place_in_the_row(self):
        self.allowed("src/pmu/a.cpp", '#include "wperf_version.h"\n')
        self.refused("src/plan/a.cpp", '#include "wperf_version.h"\n', "neither a file of the tree")

    def test_everything(self):
        self.allowed("tests/a.cpp", '#include "plan/plan.h"\n#include "driver/hal.h"\n#include "made.h"\n')

    def test_unknown_room(self):
        self.refused("src/new/a.cpp", "", "no row in the table")
        self.refused("elsewhere/a.h", "", "no row in the table")
        self.refused("nowhere/a.h", "", "no row in the table")

    def test_a_folder_inside_a_room(self):
        self.allowed("src/pmu/generated/a.cpp", '#include "pmu/table.h"\n')
        self.refused("driver/nt/a.cpp", "", "no row in the table")

    def test_indented_include_counts(self):
        self.refused("src/pmu/a.h", '  #  include "plan/plan.h"\n', "may not include")


WINGS = """
Wings, from the ground up: `src/ground`, `src/formats`, `src/app`

| room | may include | |
|---|---|---|
| `src/ground/os` | nothing | files |
| `src/ground/text` | nothing | |
| `src/formats/one` | nothing | Pure |
| `src/formats/two` | `src/formats/one` | |
| `src/app/cli` | nothing | |
"""


class Wings(unittest.TestCase):
    def complaints(self, name, *headers):
        text = "".join(f'#include "{header}"\n' for header in headers)
        known = ["src/ground/os/file.h", "src/ground/text/json.h", "src/formats/one/one.h", "src/formats/two/two.h"]
        return check_layering.check([File(header, "") for header in known] + [File(name, text)], WINGS)

    def test_lower_wings_are_open(self):
        self.assertEqual(self.complaints("src/app/cli/a.cpp", "formats/one/one.h", "formats/two/two.h", "ground/os/file.h"), [])

    def test_higher_wings_are_closed(self):
        self.assertEqual(len(self.complaints("src/ground/text/a.cpp", "formats/one/one.h")), 1)

    def test_rooms_of_the_same_wing_stand_in_the_row(self):
        self.assertEqual(self.complaints("src/formats/two/a.cpp", "formats/one/one.h"), [])
        self.assertEqual(len(self.complaints("src/formats/one/a.cpp", "formats/two/two.h")), 1)

    def test_a_pure_room_opens_no_files(self):
        self.assertEqual(self.complaints("src/formats/one/a.cpp", "ground/text/json.h"), [])
        self.assertEqual(len(self.complaints("src/formats/one/a.cpp", "ground/os/file.h")), 1)
        self.assertEqual(self.complaints("src/formats/two/a.cpp", "ground/os/file.h"), [])


class Headers(unittest.TestCase):
    def test_standard_headers_in_freestanding_rooms(self):
        for name in ("abi/a.h", "base/a.h", "driver/a.h", "driver/core/a.cpp"):
            self.assertIn("freestanding", complaints(name, "#include <stdint.h>\n")[0])
        self.assertEqual(complaints("driver/core/a_test.cpp", "#include <gtest/gtest.h>\n"), [])
        self.assertEqual(complaints("src/plan/a.h", "#include <vector>\n#include <iostream>\n"), [])

    def test_a_header_that_only_tests_include_is_a_test(self):
        fake = File("driver/core/fake.h", "#include <vector>\n")
        test = File("driver/core/a_test.cpp", '#include "driver/core/fake.h"\n')
        product = File("driver/core/a.cpp", '#include "driver/core/fake.h"\n')
        self.assertEqual(check_layering.check([fake, test], PAGE), [])
        self.assertEqual(check_layering.check([fake, File("tests/a_fuzz.cpp", test.text)], PAGE), [])
        self.assertEqual(len(check_layering.check([fake, test, product], PAGE)), 1)
        self.assertEqual(len(check_layering.check([fake], PAGE)), 1)

    def test_system_headers(self):
        for header in ("windows.h", "Windows.h", "unistd.h", "sys/mman.h", "fcntl.h", "dlfcn.h", "linux/perf_event.h"):
            self.assertEqual(len(complaints("src/plan/a.cpp", f"#include <{header}>\n")), 1, header)
            for name in ("src/ground/os/a.cpp", "src/machine/device/a.cpp", "sim/cpu/a.cpp", "src/plan/a_linux.cpp", "src/plan/a_win.cpp"):
                self.assertEqual(complaints(name, f"#include <{header}>\n"), [], (header, name))

    def test_standard_headers_that_look_like_system_ones(self):
        self.assertEqual(complaints("src/plan/a.cpp", "#include <system_error>\n#include <csignal>\n#include <ios>\n"), [])


class Printing(unittest.TestCase):
    def test_only_the_command_line_prints(self):
        for code in ('std::cout << 1;', 'printf("x");', 'std::fprintf(stderr, "x");', 'fmt::print("x");', 'std::puts("x");'):
            self.assertEqual(len(complaints("src/plan/a.cpp", code)), 1, code)
            self.assertEqual(complaints("src/app/cli/a.cpp", code), [], code)
            self.assertEqual(complaints("src/plan/a_test.cpp", code), [], code)

    def test_formatting_comments_and_texts_are_no_printing(self):
        text = 'snprintf(b, 4, "x"); // printf("x")\n/* std::cout\n*/ f("printf(");\n g(\'"\', "std::cerr");\n'
        self.assertEqual(complaints("src/plan/a.cpp", text), [])

    def test_the_line_is_right_after_a_comment_of_several_lines(self):
        self.assertIn("a.cpp:3:", complaints("src/plan/a.cpp", "/*\n*/\nputs(x);\n")[0])


class Length(unittest.TestCase):
    def test_long_files_need_a_reason(self):
        self.assertEqual(complaints("src/plan/a.cpp", "\n" * 600), [])
        self.assertIn("601 lines", complaints("src/plan/a.cpp", "\n" * 601)[0])
        self.assertEqual(complaints("src/plan/a.cpp", "// Long because it is one table.\n" + "\n" * 700), [])
        self.assertEqual(complaints("src/pmu/generated/a.cpp", "\n" * 700), [])


class Namespaces(unittest.TestCase):
    PAGE = "Wings, from the ground up: `src/low`, `src/high`\n\n" + PAGE.replace(
        "| `src/pmu` | `", "| `src/low/a` | nothing |\n| `src/low/a/drawer` | nothing |\n| `src/low` | nothing |\n| `src/pmu` | `")

    def test_folder_and_namespace_agree(self):
        for name, text in (("src/low/a/x.cpp", "namespace wperf::a {\n"), ("src/low/a/x.h", "namespace wperf::b {\nclass X;\n}\nnamespace wperf::a::parts {\n"),
                           ("src/low/a/drawer/x.cpp", "namespace wperf::a {\n"), ("src/low/x.h", "namespace wperf::low {\n"),
                           ("src/low/a/main.cpp", "int main() {}\n"), ("src/pmu/x.cpp", "namespace wperf::other {\n")):
            self.assertEqual(complaints(name, text, self.PAGE), [], name)
        for name, text in (("src/low/a/x.cpp", "namespace wperf::ab {\n"), ("src/low/a/drawer/x.cpp", "namespace wperf::drawer {\n")):
            self.assertIn("the one of its room is wperf::a", complaints(name, text, self.PAGE)[0])


class Links(unittest.TestCase):
    def links(self, text):
        rooms = [("src/pmu", "pmu"), ("base", "base"), ("src/ground/os", "os")]
        files = [File(f"{folder}/CMakeLists.txt", f"wperf_room({name})") for folder, name in rooms]
        return check_layering.check(files + [File("src/plan/CMakeLists.txt", text)], PAGE)

    def test_links_follow_the_table(self):
        self.assertEqual(self.links("wperf_room(plan LINKS pmu base LIBRARIES fmt TEST_LINKS os)"), [])
        self.assertIn("plan links os; src/plan may not include src/ground/os", self.links("wperf_room(plan\n LINKS pmu\n os)")[0])
        self.assertIn("links gone, which is no room", self.links("wperf_room(plan LINKS gone)")[0])

    def test_comments_are_no_calls(self):
        self.assertEqual(self.links("# wperf_room(plan LINKS os)"), [])

    def test_a_room_without_a_row(self):
        found = check_layering.check([File("src/new/CMakeLists.txt", "wperf_room(new)")], PAGE)
        self.assertIn("has no row", found[0])


class Table(unittest.TestCase):
    def broken(self, page, words):
        with self.assertRaisesRegex(check_layering.TableError, words):
            check_layering.parse_table(page)

    def test_damage_is_named(self):
        self.broken("no table here", "no table")
        self.broken("| room | may include |\n|---|---|\n| abi | nothing |\n", "names no room")
        self.broken("| room | may include |\n|---|---|\n| `a` | |\n| `a` | |\n", "two rows")
        self.broken("| room | may include |\n|---|---|\n| `a` | `b` |\n", "no row of its own")


if __name__ == "__main__":
    unittest.main()
