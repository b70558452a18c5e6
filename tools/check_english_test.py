#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of check_english.py: each habit has sentences that show it and plain ones that do not."""
import unittest

import check_english
from check_english import Finding


def texts(name, source):
    return [(text.kind, text.line, text.text) for text in check_english.texts_of(name, source)]


class Habits(unittest.TestCase):
    def marked(self, habit, *sentences):
        for sentence in sentences:
            self.assertIn(habit, check_english.habits_of(sentence), sentence)

    def plain(self, *sentences):
        for sentence in sentences:
            self.assertEqual(check_english.habits_of(sentence), [], sentence)

    def test_headless_clauses(self):
        self.marked("headless", "What was counted is good.", "Whose the profile is.", "It ran; what waited is gone.", "It ran; who waited is shown.",
                    "The time of whoever ended the wait.")
        self.plain("What does a wait cost?", "It prints what was counted.", "The rows show what ran and what waited.", "Two rows: what ran and what waited.")

    def test_of_in_front(self):
        self.marked("of-front", "Of whole cores the switch is recorded.", "Empty; of a thread its name.", "To whom the time belongs.")
        self.plain("Of course the file may be empty.", "The name of the first thread.")

    def test_nothing_as_a_value(self):
        self.marked("none", "0: it is none.", "This is no file.", "Nothing: the file is damaged.", "It says nothing.", "Nobody knows it.",
                    "Nothing is said of it.")
        self.plain("There is no file.", "The file is no longer open.", "None of the cores is idle.", "Nothing happens at start-up.")

    def test_told_without_a_teller(self):
        self.marked("told", "The loss is told.", "A record that tells of a switch.", "It is said first.")
        self.plain("The kernel is told to stop.", "Two threads cannot be told apart.", "The header tells how long it is.")

    def test_alone_beside_behind(self):
        self.marked("aside", "The key alone counts.", "The file beside it.", "What follows behind it.", "A file of its own.",
                    "It stands in a header.", "Each thread for itself.")
        self.plain("Leave the file alone.", "Sessions left behind.", "The standalone program.", "It stands for the name.")

    def test_else_without_a_subject(self):
        self.marked("else", "Else it goes through a pager.", "The file's name; else the kernel's.")
        self.plain("Returns true if it is open, else false.", "Nothing else happens.")

    def test_two_facts(self):
        self.marked("two-facts", "The file is here: it is new: read it.", "Word " * 51 + "ends.")
        self.plain("The file is new: read it.", "Word " * 49 + "ends.")

    def test_code_and_quotations_do_not_count(self):
        self.plain("The option `alone` is new.", 'The text is "what is told".')


class Places(unittest.TestCase):
    def test_comments_of_cpp(self):
        source = "// One\n// text.\n\nint a;  // first\nint b;  // second\n/* A block\n * of two. */\n"
        self.assertEqual(texts("a.h", source), [("comments", 1, "One text."), ("comments", 4, "first"), ("comments", 5, "second"),
                                                ("comments", 6, "A block of two.")])

    def test_a_trailing_comment_may_go_on_below_itself(self):
        self.assertEqual(texts("a.h", "int a;  // one\n        // text\n"), [("comments", 1, "one text")])

    def test_messages_are_joined(self):
        source = 'f("the file is "\n  "not open\\nnote: try the other one");\n g("name");\n'
        self.assertEqual(texts("a.cpp", source), [("messages", 1, "the file is not open"), ("messages", 2, "note: try the other one")])
        self.assertEqual(texts("a_test.cpp", source), [])

    def test_comments_in_strings_and_strings_in_comments(self):
        self.assertEqual(texts("a.cpp", 'f("// no"); // the "name" of it\n'), [("comments", 1, 'the "name" of it')])
        self.assertEqual(texts("a.cpp", 'f(R"x(// no comment in here)x");\n'), [])

    def test_python(self):
        source = '#!/bin/x\n"""First.\n\n    an example: set off\n\nSecond.\n"""\n# A comment.\nx = "# no"  # yes\n'
        self.assertEqual(texts("a.py", source), [("comments", 2, "First."), ("comments", 6, "Second."), ("comments", 8, "A comment."),
                                                 ("comments", 9, "yes")])

    def test_shell_and_cmake(self):
        for name in ("a.sh", "CMakeLists.txt", "scripts/a"):
            self.assertEqual(texts(name, "# One\n# text.\nset(x) # more\n"), [("comments", 1, "One text."), ("comments", 3, "more")])

    def test_pages(self):
        source = "# Title\n\nOne\ntext.\n\n- an item\n- another\n\n    code\n\n```\ncode\n```\n\n| a cell | one more |\n"
        self.assertEqual(texts("a.md", source), [("pages", 3, "One text."), ("pages", 6, "an item"), ("pages", 7, "another"),
                                                 ("pages", 15, "a cell"), ("pages", 15, "one more")])

    def test_a_finding_names_its_line(self):
        self.assertEqual(check_english.check_file("a.h", "// One.\n// Nothing yet. The loss\n// is told.\n"),
                         [Finding("a.h", 2, "told", "The loss is told.")])

    def test_a_quotation_is_excused(self):
        self.assertEqual(check_english.check_file("a.h", "// The loss is told. (english: quoted)\n"), [])

    def test_what_is_read(self):
        for name in ("src/a.cpp", "docs/a.md", "scripts/test", "cmake/a.cmake", "tests/CMakeLists.txt"):
            self.assertTrue(check_english.is_read(name), name)
        for name in ("src/pmu/generated/a.cpp", "tests/golden/a.md", "data/a.md", "tests/a.json"):
            self.assertFalse(check_english.is_read(name), name)


class Ratchet(unittest.TestCase):
    findings = [Finding("src/a.h", 1, "told", "It is told."), Finding("src/b.h", 2, "told", "It is told.")]

    def test_a_folder_may_have_what_its_row_allows(self):
        self.assertEqual(check_english.judge(self.findings, {"src": 2}), [])

    def test_more_than_the_row_is_a_complaint_with_the_places(self):
        self.assertEqual(check_english.judge(self.findings, {"src": 1}),
                         ["src/a.h:1: told: It is told.", "src/b.h:2: told: It is told.",
                          "src: 2 findings, 1 allowed by tools/english_ratchet.txt"])

    def test_a_folder_without_a_row_may_have_none(self):
        self.assertEqual(len(check_english.judge(self.findings[:1], {})), 2)

    def test_numbers_only_fall(self):
        text = check_english.lowered({"a": 3, "b": 1, "c": 2}, {"a": 2, "b": 5, "d": 4})
        self.assertEqual(check_english.parse_ratchet(text), {"a": 2, "b": 1})


class Drawing(unittest.TestCase):
    files = [("a.h", "// The first sentence here. The second sentence here.\n"), ("a.md", "A page has this sentence.\n")]

    def test_only_the_kind_that_was_asked_for(self):
        self.assertEqual(check_english.draw(self.files, 9, "pages", 1), ["a.md:1: A page has this sentence."])
        self.assertEqual(sorted(check_english.draw(self.files, 9, "comments", 1)),
                         ["a.h:1: The first sentence here.", "a.h:1: The second sentence here."])

    def test_a_seed_repeats_the_drawing(self):
        one = check_english.draw(self.files, 1, "comments", 7)
        self.assertEqual(len(one), 1)
        self.assertEqual(one, check_english.draw(self.files, 1, "comments", 7))


if __name__ == "__main__":
    unittest.main()
