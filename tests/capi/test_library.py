# SPDX-License-Identifier: BSD-3-Clause
"""libwperf as its users see it: its exports, its header in C and C++, programs that use it, the example of its page."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))
from support import BINARY, SOURCE, TIMEOUT, WperfTest, workload  # noqa: E402

BIN = pathlib.Path(BINARY).parent
LIBRARY = BIN / "libwperf.so"
HEADER = SOURCE / "include" / "wperf" / "wperf.h"
LIB_HEADER = HEADER.with_name("wperf-lib.h")
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{SOURCE / 'include'}"]


def declared_functions():
    return set(re.findall(r"^WPERF_API [^;]*?\b(wperf_\w+)\(", HEADER.read_text(encoding="utf-8"), re.MULTILINE))


def lib_functions():
    """{name in wperf-lib.h: name of the export}."""
    text = LIB_HEADER.read_text(encoding="utf-8")
    names = re.findall(r"^WPERF_LIB_API [^;]*?\b(wperf_\w+)\(", text, re.MULTILINE)
    renamed = dict(re.findall(r"^#define (wperf_\w+) (wperf_lib_\w+)$", text.split("extern \"C\"")[0], re.MULTILINE))
    return {name: renamed.get(name, name) for name in names}


class Surface(unittest.TestCase):
    def test_the_library_exports_the_header_and_nothing_else(self):
        listing = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", LIBRARY], check=True, text=True,
                                 capture_output=True).stdout
        # The only absolute symbol is the name of the version that all exports share.
        exported = {line.split()[0].split("@")[0] for line in listing.splitlines() if line.split()[1] != "A"}
        self.assertEqual(exported, declared_functions() | set(lib_functions().values()))
        self.assertGreater(len(declared_functions()), 15)

    def test_nothing_of_ours_runs_when_it_is_loaded(self):
        listing = subprocess.run(["nm", "--format=posix", LIBRARY], check=True, text=True, capture_output=True).stdout
        at_start = [line.split()[0] for line in listing.splitlines() if "_GLOBAL__sub_I_" in line]
        # The C++ library is linked in; its initialisers are named after its source files, which end in .cc.
        self.assertEqual([name for name in at_start if not name.endswith(".cc")], [])
        self.assertNotEqual(listing, "")

    def test_the_page_names_every_function(self):
        pages = sorted((SOURCE / "docs" / "user").glob("library*.md"))
        page = "".join(one.read_text(encoding="utf-8") for one in pages)
        self.assertEqual({name for name in declared_functions() | set(lib_functions()) if f"`{name}" not in page}, set())

    def test_the_header_compiles_alone(self):
        for header in ("wperf.h", "wperf-lib.h"):
            for compiler, language, standard in (("cc", "c", "c11"), ("c++", "c++", "c++98"), ("c++", "c++", "c++20")):
                extra = ["-Wno-long-long", "-Wno-variadic-macros"] if standard == "c++98" else []
                done = subprocess.run([compiler, *STRICT, *extra, "-x", language, f"-std={standard}", "-fsyntax-only", "-"],
                                      input=f"#include <wperf/{header}>\nint use(void);\n", text=True, capture_output=True)
                self.assertEqual(done.stderr, "", (header, standard))

    def test_the_headers_do_not_mix_silently(self):
        both = "#include <wperf/wperf.h>\n#include <wperf/wperf-lib.h>\n"
        done = subprocess.run(["cc", *STRICT, "-x", "c", "-fsyntax-only", "-"], input=both, text=True, capture_output=True)
        self.assertIn("can include only one of them", done.stderr)

    def test_layouts_are_those_programs_were_written_for(self):
        """Offsets computed by hand from the published lists of members: 8-byte pointers, natural alignment."""
        offsets = {"VERSION_INFO": {"patch": 8, "gitver": 12}, "LIST_CONF": {"list_event_types": 0},
                   "EVENT_INFO": {"id": 4, "name": 8, "desc": 16}, "METRIC_INFO": {"event_idx": 8},
                   "EVENT_NOTE": {"note.group_note.group_id": 8, "note.metric_note.group_id": 8, "note.metric_note.name": 16},
                   "STAT_CONF": {"cores": 8, "num_events": 16, "events": 24, "group_events.num_group_events": 40,
                                 "group_events.events": 48, "num_metrics": 56, "metric_events": 64, "duration": 72,
                                 "kernel_mode": 80, "period": 88, "timeline": 96, "count_timeline": 100,
                                 "counting_interval": 104, "pe_file": 112, "record_commandline": 120,
                                 "record_spawn_delay": 128},
                   "STAT_INFO": {"counter_value": 8, "event_idx": 16, "multiplexed_scheduled": 24, "multiplexed_round": 32,
                                 "scaled_value": 40, "evt_note": 48},
                   "TEST_CONF": {"events": 8, "num_metrics": 16, "metric_events": 24},
                   "TEST_INFO": {"type": 8, "num_result": 16, "evt_note_result.type": 20},
                   "SAMPLE_CONF": {"pdb_file": 8, "image_name": 16, "core_idx": 24, "num_events": 28, "events": 32,
                                   "intervals": 40, "display_short": 48, "duration": 56, "kernel_mode": 64, "annotate": 65,
                                   "record": 66, "record_commandline": 72, "record_spawn_delay": 80, "export_perf_data": 84},
                   "SAMPLE_INFO": {"symbol": 8, "count": 16, "overhead": 24},
                   "ANNOTATE_INFO": {"symbol": 8, "source_file": 16, "line_number": 24, "hits": 32},
                   "SAMPLE_STATS": {"sample_dropped": 8}}
        checks = "\n".join(f'_Static_assert(offsetof({name}, {member}) == {at}, "{name}.{member}");'
                           for name, members in offsets.items() for member, at in members.items())
        pointers = "".join(f"P{name} of_{name};\nstruct _{name} a_{name};\n" for name in offsets)
        done = subprocess.run(["cc", *STRICT, "-x", "c", "-std=c11", "-fsyntax-only", "-"], text=True, capture_output=True,
                              input=f"#include <wperf/wperf-lib.h>\n{checks}\n{pointers}")
        self.assertEqual(done.stderr, "")


class Programs(WperfTest):
    def run_program(self, name, *arguments, cwd=None, **variables):
        return subprocess.run([str(BIN / name), *arguments], env=self.environment | variables, cwd=cwd, text=True,
                              encoding="utf-8", capture_output=True, timeout=TIMEOUT)

    def test_app_lists_and_counts(self):
        done = self.run_program("wperf-lib-app")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()

        def of(word):
            return [line for line in lines if line.startswith(word + ":")]

        self.assertEqual(len(of("wperf_driver_version")), 1)
        self.assertEqual(len(of("wperf_version")), 1)
        self.assertEqual(of("wperf_list_num_events"), [f"wperf_list_num_events: {len(of('wperf_list_events'))}"])
        self.assertEqual(of("wperf_list_num_metrics_events"),
                         [f"wperf_list_num_metrics_events: {len(of('wperf_list_metrics'))}"])
        metrics = {re.search(r"metric=(\w+)", line)[1] for line in of("wperf_list_metrics")}
        self.assertEqual(of("wperf_list_num_metrics"), [f"wperf_list_num_metrics: {len(metrics)}"])
        self.assertEqual(len(of("wperf_stat")), 9)
        counted = re.findall(r"event_idx=(0x\w+), .*note=(\d)", done.stdout)
        self.assertCountEqual(counted, [("0xffff", "0"), ("0x1b", "0"), ("0x75", "0"), ("0x74", "0"), ("0x73", "0"),
                                        ("0x78", "0"), ("0x77", "0"), ("0x70", "1"), ("0x71", "1")])

    def test_the_lists_are_those_of_the_tool(self):
        done = self.run_program("wperf-lib-app")
        events = re.findall(r"^wperf_list_events: type=0, id=(0x\w+), name=(\w+),", done.stdout, re.MULTILINE)
        told = self.json("list", "--json")
        rows = [row for row in told["Predefined_Events"] if row["Event_Type"] == "[core PMU event]"]
        self.assertEqual([(int(number, 16), name) for number, name in events],
                         [(int(row["Raw_Index"], 16), row["Alias_Name"]) for row in rows])
        metrics = {row["Metric"] for row in told["Predefined_Metrics"] if row["Events"].startswith("{")}
        self.assertEqual(set(re.findall(r"metric=(\w+)", done.stdout)), metrics)

    def test_every_call_works_from_c(self):
        programs = {"wperf-every-call": declared_functions() - {"wperf_last_error", "wperf_stop"},
                    "wperf-lib-c-compat": set(lib_functions()) - {"wperf_last_error", "wperf_set_message_function"}}
        for name, functions in programs.items():
            with tempfile.TemporaryDirectory() as folder:
                done = self.run_program(name, workload("googolplex.exe"), cwd=folder, WPERF_DEVICE="sim:pace=free,mhz=5")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for line in done.stdout.splitlines():
                self.assertRegex(line, r"^Test wperf_[^\t]+\t \.\.\. PASS$")
            self.assertEqual(set(re.findall(r"^Test (wperf_\w+)", done.stdout, re.MULTILINE)), functions)

    def test_a_failure_shows(self):
        done = self.run_program("wperf-lib-c-compat", WPERF_DEVICE="toaster")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Test wperf_init\t ... FAIL", done.stdout)
        self.assertIn("toaster", done.stderr)

    def test_timeline_tells_its_file(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_program("wperf-lib-timeline", "1", "2", "0.5", "imix", workload("steady.exe"), "0",
                                    cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            named = re.search(r"^timeline file: '(wperf_core_1_[0-9_]+\.core\.csv)'$", done.stdout, re.MULTILINE)
            self.assertIsNotNone(named, done.stdout)
            self.assertEqual(os.listdir(folder), [named[1]])
            rows = (pathlib.Path(folder) / named[1]).read_text(encoding="utf-8").splitlines()
            values = [line for line in rows if re.fullmatch(r"([0-9]+,){7}", line)]
            self.assertEqual(len(values), 2)
            self.assertEqual(done.stdout.count("wperf_stat: "), 14)

    def test_a_second_process_waits_for_its_turn(self):
        holder = self.start_wperf("stat", "-e", "inst_spec", "--timeout", "60", device="sim:pace=real")
        try:
            while holder.stdout.read(1) == "":  # counting has begun
                self.assertIsNone(holder.poll())
            done = self.run_program("wperf-lib-app")
            self.assertEqual(done.returncode, 1)
            self.assertIn("other WindowsPerf process acquired the wperf-driver", done.stderr)
        finally:
            holder.kill()
            holder.communicate()


class Page(WperfTest):
    def test_the_example_compiles_and_runs(self):
        page = (SOURCE / "docs" / "user" / "library.md").read_text(encoding="utf-8")
        example, shown = re.search(r"^```c\n(.*?)^```$.*?^```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL).groups()
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / "example.c", pathlib.Path(folder) / "example"
            source.write_text(example, encoding="utf-8")
            subprocess.run([shutil.which("cc"), "-std=c11", *STRICT, str(source), "-o", str(program), f"-L{BIN}",
                            "-lwperf", f"-Wl,-rpath,{BIN}"], check=True)
            done = subprocess.run([str(program), workload("exact.exe")], env=self.environment, text=True,
                                  capture_output=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, shown)


if __name__ == "__main__":
    unittest.main()
