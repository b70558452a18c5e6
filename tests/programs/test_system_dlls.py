#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs on real DLLs of Windows (`windows=`): their answers are the same as on other systems, two runs execute the
same number of instructions, and profiles name the functions of the DLLs."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import SOURCE, TIMEOUT, WORKLOADS, WperfTest  # noqa: E402

TOOLS = SOURCE / "build" / "tools"
DLLS = TOOLS / "windows"
ESBUILD = TOOLS / "esbuild" / "package" / "esbuild.exe"
ESBUILD_HERE = TOOLS / "esbuild-linux" / "package" / "bin" / "esbuild"
RIPGREP = TOOLS / "ripgrep" / "package" / "bin" / "rg.exe"
LUA = TOOLS / "programs" / "lua.exe"
SOURCES = {"a.ts": 'import {twice} from "./b"; const x: number = twice(3); console.log(x, [1, 2].map((n) => n + x));\n',
           "b.ts": "export function twice(n: number): number { return n * 2; }\nexport const unused = 7;\n"}


class SystemDlls(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not DLLS.exists():
            raise unittest.SkipTest("build/tools/windows is missing (scripts/test fetches it)")

    def run_on_dlls(self, program, *arguments, options="", command=("stat", "-q", "-e", "inst_retired", "-c", "0"), text=None):
        if not pathlib.Path(program).exists():
            self.skipTest(f"{program} is missing (scripts/test fetches it)")
        device = f"sim:pace=free,mhz=1000,console=shown{options}"
        done = self.run_wperf(*command, "--", program, *arguments, device=device, text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def folder_with_sources(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in SOURCES.items():
            (pathlib.Path(folder.name) / name).write_text(text)
        return folder.name

    def test_workloads_check_themselves(self):
        for name, answer in (("fib.exe", "fib 9227465\n"), ("threads.exe", "threads 4\n"), ("false_sharing.exe", "rounds 200000\n")):
            with self.subTest(name):
                self.assertEqual(self.run_on_dlls(WORKLOADS / name).stdout, answer)

    def test_two_runs_are_equal_to_the_instruction(self):
        for name in ("exact_1k.exe", "threads.exe"):
            with self.subTest(name):
                counts = {str(self.json("stat", "-e", "inst_retired,ld_spec,br_retired", "-c", "0", "--json", "--", WORKLOADS / name,
                                        device="sim:pace=free")["core"]["cores"]) for _ in range(3)}
                self.assertEqual(len(counts), 1)

    def test_esbuild_makes_what_its_linux_build_makes(self):
        folder = self.folder_with_sources()
        arguments = ("a.ts", "--bundle", "--minify", "--sourcemap=inline")
        here = subprocess.run([ESBUILD_HERE, *arguments], cwd=folder, text=True, capture_output=True, timeout=TIMEOUT, check=True)
        self.assertEqual(self.run_on_dlls(ESBUILD, *arguments, options=f",folder={folder}").stdout, here.stdout)

    def test_esbuild_writes_files(self):
        folder = self.folder_with_sources()
        self.run_on_dlls(ESBUILD, "a.ts", "--bundle", "--outfile=out/x.js", options=f",folder={folder},writes=on")
        self.assertIn("twice", (pathlib.Path(folder) / "out" / "x.js").read_text())

    def test_ripgrep_finds_what_grep_finds(self):
        folder = SOURCE / "sim" / "nt"
        found = self.run_on_dlls(RIPGREP, "-n", "--no-heading", "--sort", "path", "kInvalidHandle", ".", options=f",folder={folder}").stdout
        grep = subprocess.run(["grep", "-rn", "kInvalidHandle", "."], cwd=folder, text=True, capture_output=True, check=True)
        self.assertEqual(sorted(line.replace(".\\", "./") for line in found.splitlines()), sorted(grep.stdout.splitlines()))

    def test_lua_reads_its_standard_input(self):
        self.assertEqual(self.run_on_dlls(LUA, "-", text='print(("x"):rep(3), 2^53, math.maxinteger)\n').stdout,
                         "xxx\t9.007199254741e+15\t9223372036854775807\n")

    def test_profiles_name_functions_of_the_dlls(self):
        found = self.json("record", "-q", "-e", "inst_retired:5000", "-c", "0", "--sort", "module,symbol", "--json", "--", WORKLOADS / "threads.exe",
                          device="sim:pace=free,startup=counted")
        rows = found["recording"]["events"][0]["rows"]
        of_ntdll = {row["symbol"] for row in rows if row["module"] == "ntdll.dll"}
        self.assertIn("find_named_export", of_ntdll)  # a static function: only DWARF has its name

    def test_the_start_is_left_out_unless_it_is_to_be_counted(self):
        def counted(options=""):
            found = self.json("stat", "-e", "inst_retired", "-c", "0", "--json", "--", WORKLOADS / "fib.exe",
                              device=f"sim:pace=free{options}")
            return next(int(row["counter_value"]) for row in found["core"]["cores"][0]["Performance_counter"] if row["event_name"] == "inst_retired")

        self.assertGreater(counted(",startup=counted") - counted(), 900_000)

    def test_where_the_dlls_are_and_what_is_said_without_them(self):
        device = "sim:windows=/nowhere"
        done = self.run_wperf("stat", "-e", "inst_retired", "--", WORKLOADS / "fib.exe", device=device)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/nowhere", done.stderr)
        with tempfile.TemporaryDirectory() as empty:
            done = self.run_wperf("stat", "-e", "inst_retired", "--", WORKLOADS / "fib.exe", device=f"sim:windows={empty}")
            self.assertRegex(done.stderr, re.compile("ntdll.dll"))
        # A program without imports needs no DLLs.
        found = self.json("stat", "-e", "inst_retired", "-c", "0", "--json", "--", WORKLOADS / "exact.exe", device=device + ",pace=free")
        counts = {row["event_name"]: int(row["counter_value"]) for row in found["core"]["cores"][0]["Performance_counter"]}
        self.assertEqual(counts["inst_retired"], 31_000_023)

    def test_waits_name_the_functions_of_the_program(self):
        """The DLLs use x29 for other values, so the callers are found by unwind tables."""
        with tempfile.TemporaryDirectory() as folder:
            found = self.json("waits", "-q", "-o", pathlib.Path(folder) / "w.etl", "--json", "--", WORKLOADS / "threads.exe", "4", "300",
                              device="etw:fake,pace=free")
        locks = [row for row in found["waits"]["functions"] if row["class"] == "lock"]
        of_program = sum(row["total_ns"] for row in locks if row["caller_module"] == "threads.exe")
        self.assertGreater(of_program, 0.7 * sum(row["total_ns"] for row in locks))

    def test_batch_files_run(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.bat").write_text("@echo off\nfor %%i in (1 2) do echo %1 %%i\nif exist a.bat exit /b 3\n")
            done = self.run_on_dlls(DLLS / "cmd.exe", "/c", "a.bat x & if errorlevel 3 echo yes", options=f",folder={folder}")
        self.assertEqual([line.strip() for line in done.stdout.splitlines()], ["x 1", "x 2", "yes"])

    def test_a_dll_that_is_missing_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(WORKLOADS / "googolplex.exe", folder)
            done = self.run_wperf("stat", "-e", "inst_retired", "--", pathlib.Path(folder) / "googolplex.exe", device="sim:pace=free")
        self.assertIn("bignum.dll is missing: it is neither in the program's folder nor among the DLLs of Windows", done.stderr)

    def test_a_dll_that_is_refused_is_named_with_the_reason(self):
        dll = bytearray((WORKLOADS / "bignum.dll").read_bytes())
        header = int.from_bytes(dll[0x3c:0x40], "little")
        for_x64 = dll[:header + 4] + (0x8664).to_bytes(2, "little") + dll[header + 6:]
        for contents, why in ((for_x64, r"C:\app\bignum.dll is an x64 DLL; the simulated machine runs ARM64 programs"),
                              (dll[:3000], r"C:\app\bignum.dll is damaged or truncated"), (b"text", r"C:\app\bignum.dll is not a Windows program")):
            with self.subTest(why), tempfile.TemporaryDirectory() as folder:
                shutil.copy(WORKLOADS / "googolplex.exe", folder)
                (pathlib.Path(folder) / "bignum.dll").write_bytes(contents)
                done = self.run_wperf("stat", "-e", "inst_retired", "--", pathlib.Path(folder) / "googolplex.exe", device="sim:pace=free")
                self.assertIn(f"bignum.dll cannot be loaded (googolplex.exe needs it): {why}", done.stderr)

    def test_a_program_may_be_a_link(self):
        """The program's DLLs are in the folder of the file that the link points to."""
        with tempfile.TemporaryDirectory() as folder:
            link = pathlib.Path(folder) / "link.exe"
            link.symlink_to(WORKLOADS / "googolplex.exe")
            self.assertEqual(self.run_on_dlls(link, "2").stdout, "limbs 1\n")

    def test_a_function_that_the_dlls_lack_is_named(self):
        if not all(shutil.which(tool) for tool in ("clang-19", "lld-link-19", "llvm-dlltool-19")):
            self.skipTest("clang-19, lld-link-19 and llvm-dlltool-19 are needed to build the program")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.c").write_text("int no_such_function(void);\nint start(void) { return no_such_function() + 1; }\n")
            (pathlib.Path(folder) / "a.def").write_text("LIBRARY ucrtbase.dll\nEXPORTS\nno_such_function\n")
            for command in ("llvm-dlltool-19 -m arm64 -d a.def -l a.lib",
                            "clang-19 --target=aarch64-pc-windows-msvc -O1 -ffreestanding -c a.c -o a.obj",
                            "lld-link-19 /nodefaultlib /subsystem:console /entry:start a.obj a.lib /out:a.exe"):
                subprocess.run(command.split(), cwd=folder, check=True)
            done = self.run_wperf("stat", "-e", "inst_retired", "--", pathlib.Path(folder) / "a.exe", device="sim:pace=free")
        self.assertIn("it called the function ucrtbase.dll.no_such_function, which the Windows of the simulated machine does not have", done.stderr)


if __name__ == "__main__":
    unittest.main()
