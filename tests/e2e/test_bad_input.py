# SPDX-License-Identifier: BSD-3-Clause
"""Every wrong input gives one clear error. Afterwards no process is left and the lock is free."""
import pathlib
import struct
import tempfile
import unittest

from support import WperfTest, workload


class BadInputTest(WperfTest):
    def tearDown(self):
        self.ok("--version")  # the lock is free

    def error_of(self, *arguments, **keywords):
        text = self.fails(*arguments, **keywords)
        self.assertNotIn("unexpected arg", text)
        return text

    def test_events(self):
        self.assertIn("unknown event name: nonsense", self.error_of("stat", "-e", "nonsense", "--timeout", "1"))
        self.assertIn("nested group is not supported", self.error_of("stat", "-e", "{ld_spec,{st_spec}}", "--timeout", "1"))
        self.assertIn("missing '{' for event group", self.error_of("stat", "-e", "ld_spec,st_spec}", "--timeout", "1"))
        self.error_of("stat", "-e", "{ld_spec,st_spec", "--timeout", "1")  # unterminated
        self.error_of("stat", "-e", "r10000", "--timeout", "1")
        self.assertIn("exceeds number of hardware PMU counters",
                      self.error_of("stat", "-e", "{r1,r2,r3,r4,r5,r6,r7}", "--timeout", "1"))
        self.assertIn("exceeds number of free hardware PMU counters(4) out of a total of (6)",
                      self.error_of("stat", "-e", "{r1,r2,r3,r4,r5}", "--timeout", "1", device="sim:free=4,pace=free"))
        self.assertEqual(self.error_of("stat", "--timeout", "1", status=255), "no event specified\nhint: try -m imix; "
                         "`wperf list` shows the metrics for -m and the events for -e\n")
        many = ",".join(["inst_spec"] * 129)
        self.assertIn("error: too many", self.error_of("stat", "-e", many, "--timeout", "1"))

    def test_what_would_be_misread_is_refused(self):
        for arguments, text in (
                (("stat", "-e", "inst_spec,"), "error: a name is missing after the last comma of 'inst_spec,'"),
                (("stat", "-e", "{}"), "error: a name is missing in '{}'"),
                (("stat", "-e", ",inst_spec"), "error: a name is missing in ',inst_spec'"),
                (("stat", "-e", "/dsu/"), "error: a name is missing in '/dsu/'"),
                (("record", "-e", ":100", "--", "x.exe"), "error: a name is missing in ':100'"),
                (("stat", "-e", "foo", "-E", "foo:1b,foo:70"), "two values for one extra event in foo:70"),
                (("record", "-e", "ld_spec:100:200", "--", "x.exe"), "event interval: 100:200 is invalid!"),
                (("record", "-e", "ld_spec:100k", "--", "x.exe"), "event interval: 100k is invalid!")):
            with self.subTest(arguments):
                self.assertIn(text, self.error_of(*arguments))

    def test_wrong_use_ends_with_2(self):
        for arguments, text in (
                (("stat", "-t", "-e", "inst_spec", "-n", "abc"), "'abc' for -n"),
                (("stat", "-t", "-e", "inst_spec", "-n", "-1"), "'-1' for -n"),
                (("stat", "-t", "-e", "inst_spec", "-n", "99999999999999999999"), "'99999999999999999999' for -n"),
                (("stat", "-e", "inst_spec", "--timeout"), "error: --timeout has no value"),
                (("stat", "-e", "inst_spec", "-C"), "error: -C has no value"),
                (("stat", "-e", "inst_spec", "-E"), "error: -E has no value"),
                (("stat", "-e", "inst_spec", "-c"), "error: -c has no value"),
                (("stat", "-e", "inst_spec", "--"), "error: no program"),
                (("record", "--html"), "error: --html has no value"),
                (("record", "--symbol", "", "--", "x.exe"), "error: --symbol has an empty value"),
                (("list", "--device", ""), "error: --device has an empty value"),
                (("-e", "ld_spec", "record", "--", "x.exe"), "error: -e before the command names events to count, not to sample")):
            with self.subTest(arguments):
                self.assertIn(text, self.error_of(*arguments, status=2))

    def test_what_changes_nothing_is_told(self):
        for arguments, text in (
                (("list", "list"), "list.* twice"),
                (("list", "stat"), "list .*stat.* only list runs"),
                (("list", "-E", "a:1", "--output", "x", "-o", "/dev/null"), "-o /dev/null .*--output x")):
            done = self.run_wperf(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, rf"\Awarning: [^\n]*{text}[^\n]*\n\Z")
        text = self.error_of("stat", "record", "-e", "inst_spec", "--", workload("fib.exe"), status=255)
        self.assertRegex(text, r"\Awarning: .*stat .*record.* only stat runs\n")

    def test_settings_out_of_range_are_told_and_left_out(self):
        for value in ("0", "5", "9", "101", "abc"):
            done = self.run_wperf("test", "--config", f"count.period={value}", "--json")
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stderr,
                             f"error: can't set 'count.period={value}' config, it takes 10 to 100 milliseconds\n")
            self.assertIn('{"Test_Name":"config.count.period","Result":"100"}', done.stdout)

    def test_metrics(self):
        text = self.error_of("stat", "-m", "nonsense", "--timeout", "1")
        self.assertIn("metric 'nonsense' not supported", text)
        self.assertIn("\n  imix\n", text)
        self.assertIn("open config file 'no-such-file' failed", self.error_of("stat", "-C", "no-such-file", "-m", "imix"))

    def test_cores(self):
        self.assertIn("core index 99 not allowed. Use 0-7, see option -c <n>",
                      self.error_of("stat", "-e", "ld_spec", "-c", "99", "--timeout", "1"))
        self.assertIn("core index 256 not allowed", self.error_of("stat", "-e", "ld_spec", "-c", "256", "--timeout", "1"))
        self.assertIn("option -c format not supported, use comma separated list of integers, or range of integers",
                      self.error_of("stat", "-e", "ld_spec", "-c", "a", "--timeout", "1"))

    def test_durations(self):
        for bad in (".5", "01", "3.222s", "-1", "2d30m", "1!s", ""):
            for option in ("--timeout", "sleep", "-i"):
                self.assertIn(f'input: "{bad}" to argument \'{option}\' is invalid',
                              self.error_of("stat", "-e", "ld_spec", option, bad))

    def test_files(self):
        self.assertIn("PE file 'no.exe' doesn't exist",
                      self.error_of("stat", "-e", "ld_spec", "--pe_file", "no.exe", "--timeout", "1"))
        self.assertIn("PDB file 'no.pdb' doesn't exist",
                      self.error_of("stat", "-e", "ld_spec", "--pdb_file", "no.pdb", "--timeout", "1"))

    def test_unwritable_output(self):
        path = "/proc/no/such/folder.json"
        self.assertEqual(self.fails("list", "-o", path), f"error: cannot write {path}: No such file or directory\n")

    def test_unexpected_argument_is_only_a_warning(self):
        done = self.run_wperf("list", "nonsense")
        self.assertEqual((done.returncode, done.stderr), (0, "warning: unexpected arg 'nonsense' ignored\n"))

    def test_programs(self):
        with tempfile.TemporaryDirectory(prefix="wperf bad ") as folder:
            folder = pathlib.Path(folder)
            good = pathlib.Path(workload("fib.exe")).read_bytes()
            x64 = bytearray(good)
            header = struct.unpack_from("<I", good, 0x3C)[0]
            struct.pack_into("<H", x64, header + 4, 0x8664)
            lacking = good.replace(b"ExitProcess\0", b"ExitProcezz\0") if b"ExitProcess\0" in good else b""
            cases = {"missing.exe": None, "text.exe": b"#!/bin/sh\n", "empty.exe": b"", "x64.exe": bytes(x64),
                     "short.exe": good[:700], "half.exe": good[:len(good) // 2]}
            if lacking:
                cases["lacking.exe"] = lacking
            for name, content in cases.items():
                path = folder / name
                if content is not None:
                    path.write_bytes(content)
                with self.subTest(name):
                    text = self.error_of("stat", "-e", "inst_retired", "-c", "0", "--timeout", "1", "--", str(path))
                    self.assertEqual(text.count("CreateProcess failed"), 1)
                    self.assertLessEqual(len(text.strip().splitlines()), 2, text)
                    if name == "lacking.exe":
                        self.assertIn("ExitProcezz", text)

    def test_program_with_several_cores(self):
        self.assertIn("you can specify only one core for process spawn",
                      self.error_of("stat", "-e", "ld_spec", "-c", "0,1", "--", workload("fib.exe")))

    def test_devices(self):
        self.error_of("list", device="nonsense", status=2)
        text = self.error_of("list", device="sim:cores=0", status=2)
        self.assertIn("cores", text)
        text = self.error_of("list", device="sim:colour=red", status=2)
        self.assertIn("colour", text)


if __name__ == "__main__":
    unittest.main()
