# SPDX-License-Identifier: BSD-3-Clause
"""section.h as its users see it: the compilers that accept it, the systems on which it cannot count, and the examples
of its page."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("WPERF_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
PAGE = (SOURCE / "docs" / "user" / "section.md").read_text(encoding="utf-8")
STRICT = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-pedantic", "-Werror", "-O1", f"-I{SOURCE / 'include'}"]
ELSEWHERE = """
#include <wperf/section.h>
int main() {
  wperf::Counters counters({"instructions", "page-faults"});
  { wperf::Section section(counters), inner(counters); }
  std::fputs(wperf::text(counters.counts()).c_str(), stdout);
  return counters.sections() == 1 ? 0 : 1;
}
"""


def example(words):
    """The source that contains these words, and its output as the page shows it, if any."""
    for source, shown in re.findall(r"^```cpp\n(.*?)^```$(?:(?:(?!^```|^## ).)*?^```\n(.*?)^```$)?", PAGE, re.MULTILINE | re.DOTALL):
        if words in source:
            return source, shown
    raise AssertionError(f"no example with {words}")


class Section(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def build(self, source, *options, compiler="c++", standard="c++17"):
        program = self.folder / "program"
        done = subprocess.run([compiler, f"-std={standard}", *STRICT, "-x", "c++", "-", "-o", program, *options], input=source,
                              text=True, capture_output=True)
        self.assertEqual(done.stderr, "", (compiler, standard, options))
        return program

    def run_it(self, program, *words):
        done = subprocess.run([program, *words], text=True, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_compilers_take_it(self):
        compilers = [one for one in ("g++", "clang++-19") if shutil.which(one)]
        for compiler in compilers:
            for standard in ("c++17", "c++20"):
                self.build(ELSEWHERE, "-fno-exceptions", "-fno-rtti", compiler=compiler, standard=standard)

    def test_two_files_may_include_it(self):
        other = self.folder / "other.cpp"
        other.write_text("#include <wperf/section.h>\nvoid count(wperf::Counters& c) { wperf::Section s(c); }\n", encoding="utf-8")
        # The option -x c++ also applies to this file.
        self.run_it(self.build(ELSEWHERE, str(other)))

    def test_on_other_systems_each_value_is_absent(self):
        told = self.run_it(self.build(ELSEWHERE, "-U__linux__", "-U__linux", "-Ulinux"))
        lines = told.splitlines()
        self.assertEqual(len(lines), 2)
        for line, event in zip(lines, ("instructions", "page-faults")):
            self.assertRegex(line, rf"^ +absent  {event}: this header counts on Linux only; libwperf and `wperf stat`")

    def test_first_example(self):
        source, shown = example("memory.resize")
        told = self.run_it(self.build(source))
        names = ["instructions", "branch-misses", "task-clock", "page-faults"]
        for text in (told, shown):
            self.assertEqual([re.match(r" +(?:\d+|absent)  ([\w-]+)", line)[1] for line in text.splitlines()], names)
        faults = re.search(r"(\d+)  page-faults", told)
        if faults:  # huge pages cause fewer page faults
            self.assertLessEqual(int(faults[1]), (1 << 26) // os.sysconf("SC_PAGESIZE") + 1)

    def test_google_benchmark(self):
        if not pathlib.Path("/usr/include/benchmark/benchmark.h").exists():
            self.skipTest("libbenchmark-dev is not installed")
        told = self.run_it(self.build(example("BENCHMARK_MAIN")[0], "-lbenchmark", "-lpthread"), "--benchmark_min_time=0.05")
        self.assertRegex(told, r"sort_numbers .*page-faults=\d")
        self.assertRegex(told, r"sort_numbers .*task-clock=[\d.]+k")

    def test_catch2(self):
        if not pathlib.Path("/usr/include/catch2/catch.hpp").exists():
            self.skipTest("Catch2 2 (Debian's catch2) is not installed")
        told = self.run_it(self.build(example("TEST_CASE")[0], "-O0"))  # most of it is Catch2, whose main takes long to optimise
        self.assertIn("All tests passed", told)


if __name__ == "__main__":
    unittest.main()
