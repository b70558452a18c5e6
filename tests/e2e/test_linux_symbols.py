#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Code of recordings: lines, instructions and inlined functions compared with llvm-symbolizer, code made at run time compared
with `perf inject`, debug information from a server. Records with perf; skipped if perf is not installed."""
import collections
import functools
import http.server
import json
import os
import pathlib
import platform
import re
import shutil
import struct
import subprocess
import tempfile
import threading
import time
import unittest

import recording_bytes
from measured_programs import ENOUGH, MILLISECONDS
from support import WperfTest

SORTER = r"""
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <vector>
__attribute__((noinline)) void order(std::vector<unsigned>& numbers) { std::sort(numbers.begin(), numbers.end()); }
int main(int count, char** words) {  // milliseconds of CPU time
  std::vector<unsigned> numbers(10000);
  unsigned seed = 1;
  while (clock() < (count > 1 ? atol(words[1]) : 300) * (CLOCKS_PER_SEC / 1000)) {
    for (auto& number : numbers) number = seed = seed * 2654435761u ^ (seed >> 13);
    order(numbers);
  }
  return static_cast<int>(numbers[7] & 1);
}
"""

# Renames the second file to the path of its program, then uses the CPU for 0.3 seconds. OTHER has different functions.
SWAPPED = r"""
#include <stdio.h>
#include <time.h>
volatile unsigned sink;
#ifdef OTHER
#define WORK other_work
__attribute__((noinline)) void other_first(void) { for (unsigned i = 0; i < 100; ++i) sink += i * i; }
#else
#define WORK own_work
#endif
__attribute__((noinline)) void WORK(void) { for (unsigned i = 0; i < 100000; ++i) sink += i; }
int main(int count, char** words) {
  if (count > 1 && rename(words[1], words[0]) != 0) return 1;
  while (clock() < 300 * (CLOCKS_PER_SEC / 1000)) WORK();
  return 0;
}
"""

# Loads two libraries by the same path, one after the other, and uses the CPU for 0.2 seconds in each.
RELOADER = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
int main(void) {
  const char* names[] = {"first", "second"};
  for (int i = 0; i < 2; ++i) {
    if (rename(i == 0 ? "first.so" : "second.so", "hot.so") != 0) return 1;
    void* library = dlopen("./hot.so", RTLD_NOW);
    void (*work)(void) = (void (*)(void))dlsym(library, names[i]);
    for (clock_t begin = clock(); clock() - begin < 200 * (CLOCKS_PER_SEC / 1000);) work();
    dlclose(library);
  }
  return 0;
}
"""
PLUG = r"""
volatile unsigned sink;
void FIRST(void) { for (unsigned i = 0; i < 100000; ++i) sink += i; }
"""

# Two functions at one address, one after the other, described in jit-PID.dump.
CODE_MAKER = r"""
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static FILE* dump;
static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
static void word(uint32_t value) { fwrite(&value, 4, 1, dump); }
static void number(uint64_t value) { fwrite(&value, 8, 1, dump); }
static void load(const char* name, const void* code, uint64_t size, uint64_t index) {
  word(0), word((uint32_t)(56 + strlen(name) + 1 + size)), number(now());
  word((uint32_t)getpid()), word((uint32_t)getpid());
  number((uint64_t)code), number((uint64_t)code), number(size), number(index);
  fwrite(name, strlen(name) + 1, 1, dump);
  fwrite(code, size, 1, dump);
  fflush(dump);
}
static void line(const void* code, const char* file, uint32_t at) {
  word(2), word((uint32_t)(48 + strlen(file) + 1)), number(now()), number((uint64_t)code), number(1);
  number((uint64_t)code), word(at), word(0);
  fwrite(file, strlen(file) + 1, 1, dump);
}
static void work(const void* code, long ms) {  // of CPU time
  for (clock_t begin = clock(); clock() - begin < ms * (CLOCKS_PER_SEC / 1000);) ((int (*)(int))code)(100000);
}
int main(void) {
  char path[64];
  snprintf(path, sizeof path, "jit-%d.dump", getpid());
  int file = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);
  mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  dump = fdopen(file, "wb");
  word(0x4A695444), word(1), word(40), word(62), word(0), word((uint32_t)getpid()), number(now()), number(0);
  unsigned char* code =
      mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const unsigned char loop[] = {0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0xc3};  // mov eax, edi; dec eax; jne; ret
  memcpy(code, loop, sizeof loop);
  line(code, "made.js", 11);
  load("made_first", code, sizeof loop, 0);
  work(code, 150);
  load("made_second", code, sizeof loop, 1);
  work(code, 450);
  return 0;
}
"""


# A program with debug information that names a different source file.
BUSY_AT_LINES = r"""
#include <time.h>
volatile unsigned long sink;
#line 1 "FILE"
__attribute__((noinline)) void spin(void) {
  for (long i = 0; i < 100000; ++i) sink += i;
}
int main(void) {
  for (clock_t begin = clock(); clock() - begin < CLOCKS_PER_SEC / 4;) spin();
}
"""

# Two functions of the same name, whose shares differ: 3 to 1.
OVERLOADS = r"""
#include <time.h>
volatile unsigned long sink;
struct Work {
  __attribute__((noinline)) void run(int n) { for (long i = 0; i < n * 3000L; ++i) sink += i; }
  __attribute__((noinline)) void run(const char* text) { for (long i = 0; i < text[0] * 1000L; ++i) sink += i; }
  __attribute__((noinline)) void other(int n) { for (long i = 0; i < n * 1000L; ++i) sink += i; }
};
int main() {
  Work work;
  for (clock_t begin = clock(); clock() - begin < CLOCKS_PER_SEC / 2;) work.run(50), work.run("2"), work.other(50);
}
"""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        self.server.paths.append(self.path)


class LinuxSymbolsTest(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory(prefix="wperf-symbols-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)
        for tool in ("perf", "c++", "objcopy"):
            if shutil.which(tool) is None:
                raise unittest.SkipTest(f"{tool} is not installed")
        cls.program = cls.root / "sorter"
        (cls.root / "sorter.cpp").write_text(SORTER)
        subprocess.run(["c++", "-O2", "-g", "-Wl,--build-id", "-o", cls.program, cls.root / "sorter.cpp"], check=True)
        for milliseconds in MILLISECONDS:
            cls.recording = cls.record("sorter.data", cls.program, str(milliseconds))
            script = subprocess.run(["perf", "script", "-i", cls.recording, "-F", "ip"], capture_output=True, check=True)
            if script.stdout.count(b"\n") >= ENOUGH:
                break

    @classmethod
    def record(cls, name, *command):
        path = cls.root / name
        done = subprocess.run(["perf", "record", "-q", "-k", "mono", "-e", "cpu-clock:u", "-F", "4000", "-o", path, "--",
                               *command], cwd=cls.root, capture_output=True, text=True, check=False)
        if not path.exists():
            raise unittest.SkipTest("perf cannot record here: " + done.stderr)
        return path

    def setUp(self):
        self.environment["HOME"] = str(self.root / "home")
        for name in ("XDG_CACHE_HOME", "DEBUGINFOD_URLS"):
            self.environment.pop(name, None)

    def report(self, path, *arguments):
        return self.json("report", path, "--json", "--sample-display-row", "100000", *arguments)["recording"]["events"][0]

    def sampled_addresses(self):
        """{address as linked: samples} of the program, by perf."""
        maps = subprocess.run(["perf", "script", "-i", self.recording, "--show-mmap-events"], capture_output=True, text=True,
                              check=True).stdout
        found = re.search(r"\[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (?:0x)?([0-9a-f]+) .* r-xp .*/sorter$", maps, re.MULTILINE)
        begin, size, offset = (int(text, 16) for text in found.groups())
        script = subprocess.run(["perf", "script", "-i", self.recording, "-F", "ip"], capture_output=True, text=True,
                                check=True).stdout
        counts = collections.Counter(int(line, 16) for line in script.split())
        return {a - begin + offset: n for a, n in counts.items() if begin <= a < begin + size}

    def test_lines_and_inlined_functions_are_those_of_llvm_symbolizer(self):
        symbolizer = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")
        if symbolizer is None:
            self.skipTest("llvm-symbolizer is not installed")
        addresses = self.sampled_addresses()
        answers = subprocess.run([symbolizer, f"--obj={self.program}", "--output-style=JSON"], text=True, check=True,
                                 input="\n".join(map(hex, addresses)), capture_output=True).stdout.splitlines()
        lines, functions = collections.Counter(), collections.Counter()
        for count, answer in zip(addresses.values(), answers):
            frame = json.loads(answer)["Symbol"][0]
            lines[f"{pathlib.Path(frame['FileName']).name}:{frame['Line']}" if frame["FileName"] else ""] += count
            functions[frame["FunctionName"]] += count
        ours, our_functions = collections.Counter(), collections.Counter()
        for row in self.report(self.recording, "--inline", "--sort", "symbol,line", "--module", "sorter")["rows"]:
            ours[row["line"]] += row["samples"]
            our_functions[row["symbol"]] += row["samples"]
        self.assertGreater(sum(ours.values()), 50)
        self.assertEqual(ours, lines)
        self.assertEqual(sorted(our_functions.values()), sorted(functions.values()))

    def test_annotation_counts_each_sample_once(self):
        event = self.report(self.recording, "--disassemble", "--module", "sorter")
        self.assertTrue(event["code"])
        for code in event["code"]:
            row = next(row for row in event["rows"] if row["symbol"] == code["symbol"])
            self.assertEqual(code["samples"], row["samples"])
            self.assertEqual(sum(line["samples"] for line in code["lines"]), code["samples"])
            if "capstone" not in code.get("reason", ""):
                self.assertEqual(sum(one["samples"] for one in code["instructions"]), code["samples"])
        source = [line for code in event["code"] for line in code["lines"] if line["file"].endswith("/sorter.cpp")]
        self.assertIn("number = seed", " ".join(line["source"] for line in source))
        text = self.ok("report", self.recording, "--disassemble")
        self.assertRegex(text, r"\n +% +samples +address +line +instruction\n")

    def test_inlined_functions_stand_between_their_callers(self):
        folded = self.ok("report", self.recording, "--inline", "--folded")
        self.assertRegex(folded, r"std::sort<.*> \(inlined\)|std::__introsort_loop<[^;]*;[^;]*\(inlined\)")
        plain = self.ok("report", self.recording, "--folded")
        self.assertNotIn("(inlined)", plain)
        total = lambda text: sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines())
        self.assertEqual(total(folded), total(plain))

    def split_program(self, name):
        """The sorter with its debug information in a .dwo file: (recording, that file)."""
        folder = self.root / name
        folder.mkdir()
        shutil.copy(self.root / "sorter.cpp", folder)
        subprocess.run(["c++", "-O2", "-g", "-gsplit-dwarf", "-c", "sorter.cpp", "-o", "sorter.o"], cwd=folder, check=True)
        subprocess.run(["c++", "-Wl,--build-id", "-o", "split", "sorter.o"], cwd=folder, check=True)
        return self.record(f"{name}.data", folder / "split", str(MILLISECONDS[0])), folder / "sorter.dwo"

    @unittest.skipUnless(os.geteuid() == 0, "only root can change the owner of a file")
    def test_split_debug_information_that_is_not_used_is_told(self):
        recording, split = self.split_program("of others")
        inlined = ("report", recording, "--inline", "--children", "--module", "split")
        done = self.run_wperf(*inlined)
        self.assertIn("(inlined)", done.stdout)
        self.assertNotIn("not all functions inlined", done.stdout + done.stderr)
        os.chown(split, 4242, 4242)
        done = self.run_wperf(*inlined)
        self.assertNotIn("(inlined)", done.stdout)
        said = f"{split} belongs to another user, and is not opened ("
        self.assertIn(f"not all functions inlined in split are known: {said}", done.stdout + done.stderr)
        modules = self.json(*inlined, "--json")["recording"]["modules"]
        self.assertTrue(next(one for one in modules if one["module"] == "split")["reason"].startswith(said), modules)
        # The file is not needed if neither inlined functions nor lines are requested.
        self.assertNotIn("not all functions inlined", self.ok("report", recording))
        self.assertIn("(inlined)", self.ok(*inlined, "--symbol-path", split.parent))

    def test_split_debug_information_that_is_damaged_is_told(self):
        recording, split = self.split_program("damaged")
        split.write_bytes(b"no ELF file" * 100)
        done = self.run_wperf("report", recording, "--inline", "--children")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"not all functions inlined in split are known: {split}: ", done.stdout + done.stderr)

    def test_missing_split_debug_information_is_told(self):
        recording, split = self.split_program("lost")
        kept = self.root / "kept"
        kept.mkdir()
        split.rename(kept / split.name)
        inlined = ("report", recording, "--inline", "--children", "--module", "split")
        done = self.run_wperf(*inlined)
        self.assertNotIn("(inlined)", done.stdout)
        said = (f"not all functions inlined in split are known: its split debug information is missing, so some lines may belong to "
                f"inlined code: there is neither {split} nor {split.parent}/split.dwp; name the folder of these files with --symbol-path")
        self.assertEqual((done.stdout + done.stderr).count(said), 1, done.stdout + done.stderr)
        self.assertNotIn("split debug information", self.ok("report", recording))
        found = self.ok(*inlined, "--symbol-path", kept)
        self.assertIn("(inlined)", found)
        self.assertNotIn("split debug information", found)

    def recorded_here(self, name, *command, cwd=None):
        path = self.root / f"{name}.data"
        self.ok("record", "-q", "-e", "cpu-clock", "--freq", "4000", "-o", path, "--", *command, device="linux", cwd=cwd)
        return path

    def test_a_file_that_was_replaced_while_it_was_recorded_gives_no_names(self):
        folder, old = self.root / "swapped", self.root / "swapped-old"
        folder.mkdir()
        old.mkdir()
        (folder / "swapped.c").write_text(SWAPPED)
        for name, options in (("swapped", ()), ("other", ("-DOTHER",))):
            subprocess.run(["cc", "-O1", *options, "-o", name, "swapped.c"], cwd=folder, check=True)
        shutil.copy(folder / "swapped", old)
        recording = self.recorded_here("swapped", folder / "swapped", folder / "other")
        text = self.ok("report", recording)
        said = f"the recorded {folder}/swapped is missing: it was replaced or removed during the recording"
        self.assertIn(said, text)
        for function in ("other_work", "other_first", "own_work", "register_tm_clones"):
            self.assertNotIn(function, text)
        self.assertIn(said, self.ok("report", recording, "--symbol-path", folder))  # it has only the new file
        self.assertRegex(self.ok("report", recording, "--symbol-path", old), r"swapped +own_work")
        if shutil.which("perf") is not None:
            subprocess.run(["perf", "script", "-i", recording], capture_output=True, check=True)

    def test_files_that_had_the_same_path_are_told_apart(self):
        folder = self.root / "reloader"
        folder.mkdir()
        (folder / "reloader.c").write_text(RELOADER)
        (folder / "plug.c").write_text(PLUG)
        subprocess.run(["cc", "-O1", "-o", "reloader", "reloader.c", "-ldl"], cwd=folder, check=True)
        for name in ("first", "second"):
            subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-Wl,--build-id", f"-DFIRST={name}", "-o", f"{name}.so", "plug.c"], cwd=folder,
                           check=True)
        shutil.copy(folder / "first.so", folder / "kept.so")
        recording = self.recorded_here("reloader", folder / "reloader", cwd=folder)
        rows = {(row["module"], row["symbol"]): row["samples"] for row in self.report(recording)["rows"]}
        self.assertGreater(rows.get(("hot.so", "second"), 0), 50, rows)
        self.assertGreater(rows.get(("hot.so", "[unknown]"), 0), 50, rows)
        self.assertNotIn(("hot.so", "first"), rows)
        (folder / "kept.so").rename(folder / "hot.so")
        text = self.ok("report", recording)
        self.assertIn("a different build than the recorded one", text)
        self.assertNotIn("stripped", text)
        for function in ("first", "second"):
            self.assertNotRegex(text, rf"hot\.so +{function}")

    def test_a_running_program_whose_file_was_removed_or_rebuilt_is_named(self):
        folder = self.root / "removed"
        folder.mkdir()
        for name, is_rebuilt in (("gone", False), ("rebuilt", True)):
            program, recording = folder / name, self.root / f"{name}.data"
            shutil.copy(self.program, program)
            running = subprocess.Popen([program, "600000"])
            self.addCleanup(running.wait)
            self.addCleanup(running.kill)
            while name not in pathlib.Path(f"/proc/{running.pid}/comm").read_text() and running.poll() is None:
                time.sleep(0.01)
            program.unlink()
            if is_rebuilt:
                shutil.copy("/bin/sleep", program)
            text = self.ok("record", "-e", "cpu-clock", "-p", str(running.pid), "--timeout", "0.5", "-o", recording, device="linux")
            self.assertRegex(text, rf"{name} +(std::__\w+|order)")
            running.kill()
            running.wait()
            notes = subprocess.run(["readelf", "-n", self.program], capture_output=True, text=True, check=True).stdout
            build_id = re.search(r"Build ID: ([0-9a-f]+)", notes)[1]
            text = self.ok("report", recording)
            why = "is from a different build than the recorded one" if is_rebuilt else "here"
            self.assertIn(f"{why}, of build {build_id}", text)
            found = self.root / f"found-{name}"
            found.mkdir()
            shutil.copy(self.program, found / name)
            self.assertRegex(self.ok("report", recording, "--symbol-path", found), rf"{name} +(std::__\w+|order)")

    def test_overloads_show_their_signature(self):
        program = self.root / "overloads"
        program.with_suffix(".cpp").write_text(OVERLOADS)
        subprocess.run(["c++", "-O1", "-o", program, program.with_suffix(".cpp")], check=True)
        path = self.record("overloads.data", program)
        names = {row["symbol"] for row in self.report(path)["rows"] if row["module"] == "overloads" and row["samples"] > 20}
        self.assertLessEqual({"Work::run(int)", "Work::run(char const*)", "Work::other"}, names)

    def test_stripped_code_is_listed_by_its_functions(self):
        program = self.root / "overloads-stripped"
        source = self.root / "overloads-stripped.cpp"
        source.write_text(OVERLOADS)
        subprocess.run(["c++", "-O1", "-o", program, source], check=True)
        begins = {name: int(address, 16) for address, name in re.findall(
            r"^([0-9a-f]+) \w (\w*Work\w*)$",
            subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout, re.MULTILINE)}
        self.assertEqual(len(begins), 3)
        subprocess.run(["objcopy", "--strip-all", program], check=True)
        path = self.record("stripped.data", program)
        shown = self.report(path, "--annotate", "--disassemble")
        names = {row["symbol"] for row in shown["rows"] if row["module"] == program.name and row["samples"] > 20}
        self.assertLessEqual({f"{program.name}+{begin:#x}" for begin in begins.values()}, names)
        self.assertNotIn("[unknown]", names)
        code = {one["symbol"]: one for one in shown["code"]}
        self.assertTrue(code[f"{program.name}+{min(begins.values()):#x}"]["instructions"])

    def test_percent_limit_cuts_trees(self):
        path = self.root / "overloads.data"
        if not path.exists():
            self.test_overloads_show_their_signature()
        def shares(*options):
            text = self.ok("report", path, "--tree", *options)
            tree = text.split("call tree", 1)[1].split("\n\n", 1)[0]
            return [float(share) for share in re.findall(r"^ +(\d+\.\d\d)  ", tree, re.MULTILINE)]
        everything = shares("--percent-limit", "0")
        usual, high = shares(), shares("--percent-limit", "40")
        self.assertGreaterEqual(len(everything), len(usual))
        self.assertGreater(len(usual), len(high))
        self.assertGreaterEqual(min(usual), 0.5)
        self.assertGreaterEqual(min(high), 40)
        self.assertEqual([share for share in everything if share >= 40], high)
        self.assertIn("(at least 40 %)", self.ok("report", path, "--tree", "--percent-limit", "40"))

    def test_code_made_at_run_time_is_told_apart_in_time(self):
        if platform.machine() != "x86_64":
            self.skipTest("the program generates code for x86-64")
        source = self.root / "maker.c"
        source.write_text(CODE_MAKER)
        subprocess.run(["cc", "-O1", "-o", self.root / "maker", source], check=True)
        recording = self.record("maker.data", self.root / "maker")
        rows = {row["symbol"]: row for row in self.report(recording, "--sort", "module,symbol,line")["rows"]}
        self.assertRegex(rows["made_first"]["module"], r"^\[JIT\] pid \d+$")
        self.assertEqual(rows["made_first"]["line"], "made.js:11")
        self.assertGreater(rows["made_second"]["samples"], rows["made_first"]["samples"])
        injected = self.root / "injected.data"
        subprocess.run(["perf", "inject", "-j", "-i", recording, "-o", injected], cwd=self.root, check=True,
                       capture_output=True)
        script = subprocess.run(["perf", "script", "-i", injected, "-F", "ip,sym"], capture_output=True, text=True,
                                check=True, cwd=self.root).stdout.split()
        for name in ("made_first", "made_second"):
            self.assertEqual(rows[name]["samples"], script.count(name))

    def made_recording(self):
        if platform.machine() != "x86_64":
            self.skipTest("the program generates code for x86-64")
        recording = self.root / "listed.data"
        if not recording.exists():
            (self.root / "maker.c").write_text(CODE_MAKER)
            subprocess.run(["cc", "-O1", "-o", self.root / "maker", self.root / "maker.c"], check=True)
            self.record("listed.data", self.root / "maker")
        return recording

    def test_samples_in_made_code_are_listed_at_their_addresses(self):
        recording = self.made_recording()
        listed = collections.Counter()
        for line in self.ok("report", recording, "--records", "-", "--json").splitlines():
            frame = json.loads(line)["frames"][0]
            if frame.get("symbol", "").startswith("made_"):
                listed[frame["address"]] += 1
        script = subprocess.run(["perf", "script", "-i", recording, "-F", "ip"], capture_output=True, text=True,
                                check=True, cwd=self.root).stdout
        told = collections.Counter(int(word, 16) for word in script.split())
        self.assertTrue(listed)
        for address, count in listed.items():
            self.assertEqual(told[int(address, 16) if isinstance(address, str) else address], count)

    def test_an_address_that_no_process_can_have_is_not_named_as_made_code(self):
        data = bytearray(self.made_recording().read_bytes())
        changed = 0
        for at, _ in recording_bytes.samples(data):  # the address is their first field
            if changed < 50:
                struct.pack_into("<Q", data, at + 8, 1 << 62)
                changed += 1
        path = self.root / "bit62.data"
        path.write_bytes(data)
        before = {row["symbol"]: row["samples"] for row in self.report(self.made_recording(), "--sort", "symbol")["rows"]}
        after = {row["symbol"]: row["samples"] for row in self.report(path, "--sort", "symbol")["rows"]}
        self.assertGreaterEqual(after["[unknown]"], changed)
        for name in ("made_first", "made_second"):
            self.assertLessEqual(after.get(name, 0), before[name])

    def test_a_running_program_in_a_container_is_named_from_its_own_view_of_the_files(self):
        box = self.root / "box"
        box.mkdir()
        inside = f'mount -t tmpfs none "{box}" && cp "{self.program}" "{box}/boxed" && echo ready && exec "{box}/boxed" 600000'
        boxed = subprocess.Popen(["unshare", "--mount", "sh", "-c", inside], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(boxed.communicate)
        self.addCleanup(boxed.kill)
        if boxed.stdout.readline().strip() != b"ready":
            self.skipTest("this user is not allowed to mount anything")
        self.assertFalse((box / "boxed").exists())  # no other user sees it
        shutil.copy("/bin/sleep", box / "boxed")  # other users see a different file under this name
        while b"boxed" not in pathlib.Path(f"/proc/{boxed.pid}/comm").read_bytes() and boxed.poll() is None:
            time.sleep(0.01)
        rows = self.json("record", "--device", "linux", "-e", "cpu-clock", "-p", str(boxed.pid), "--timeout", "1", "--json",
                         "--sort", "module,symbol")["recording"]["events"][0]["rows"]
        named = sum(row["samples"] for row in rows if row["module"] == "boxed" and "sort" in row["symbol"])
        self.assertGreater(named, 0.5 * sum(row["samples"] for row in rows), rows)

    def serve(self, folder):
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(QuietHandler, directory=str(folder)))
        server.paths = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server, f"http://127.0.0.1:{server.server_address[1]}"

    def test_debug_information_comes_from_a_server_when_asked_for(self):
        program = self.root / "remote"
        shutil.copy(self.program, program)
        recording = self.record("remote.data", program)
        notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
        build_id = re.search(r"Build ID: ([0-9a-f]+)", notes)[1]
        store = self.root / "store" / "buildid" / build_id
        store.mkdir(parents=True)
        shutil.copy(program, store / "debuginfo")
        subprocess.run(["objcopy", "--strip-all", program], check=True)
        server, address = self.serve(self.root / "store")
        view = ["report", recording, "--sort", "symbol,line", "--module", "remote"]
        self.environment["DEBUGINFOD_URLS"] = f"http://127.0.0.1:9/ {address}/"
        self.assertNotIn("sorter.cpp", self.run_wperf(*view).stdout)
        self.assertEqual(server.paths, [])  # no server is asked without the option

        first = self.run_wperf(*view, "--debuginfod")
        self.assertEqual(first.stderr.count("warning: "), 1)  # one warning, about the server that does not answer
        self.assertIn(f"debuginfod: remote: asking {address}", first.stdout)
        self.assertRegex(first.stdout, r"sorter\.cpp:\d+")
        self.assertIn(f"/buildid/{build_id}/debuginfo", server.paths)

        server.paths.clear()
        second = self.run_wperf(*view, "--debuginfod")
        self.assertRegex(second.stdout, r"sorter\.cpp:\d+")
        self.assertNotIn(f"/buildid/{build_id}/debuginfo", server.paths)  # from the cache

        # The cache may contain the login page of a portal instead of the file. wperf does not use that page, and asks
        # the server once more.
        kept, = pathlib.Path(self.environment["HOME"]).rglob("debuginfod/*/debuginfo")
        kept.write_text("<html>please log in")
        third = self.run_wperf(*view, "--debuginfod")
        self.assertRegex(third.stdout, r"sorter\.cpp:\d+")
        self.assertIn(f"/buildid/{build_id}/debuginfo", server.paths)
        # Such a page is not cached either, and the next server is asked.
        kept.unlink()
        portal = self.root / "portal" / "buildid" / build_id
        portal.mkdir(parents=True)
        (portal / "debuginfo").write_text("<html>please log in")
        _, between = self.serve(self.root / "portal")
        self.environment["DEBUGINFOD_URLS"] = between
        fourth = self.run_wperf(*view, "--debuginfod")
        self.assertIn(f"warning: {between} did not send the file of build {build_id}", fourth.stderr)
        self.assertFalse(kept.exists())
        self.environment["DEBUGINFOD_URLS"] = f"{between} {address}"
        self.assertRegex(self.run_wperf(*view, "--debuginfod").stdout, r"sorter\.cpp:\d+")

    def test_a_file_that_is_no_source_is_not_shown(self):
        program, source = self.root / "hostile", self.root / "hostile.c"
        secret = self.root / "secret"
        secret.write_text("first secret\nsecond secret\n" * 20)
        source.write_text(BUSY_AT_LINES.replace("FILE", str(secret)))
        subprocess.run(["cc", "-O1", "-g", "-Wl,--build-id", "-o", program, source], check=True)
        recording = self.record("hostile.data", program)
        text = self.ok("report", recording, "--annotate")
        self.assertIn("spin", text)
        self.assertNotIn("first secret", text)
        self.assertNotIn("second secret", text)
        self.assertIn(f"{secret} does not have the name of a source file", text)
        page = self.root / "hostile.html"
        self.ok("report", recording, "--annotate", "--html", page)
        code = self.report(recording, "--annotate")["code"]
        self.assertFalse(any("source" in line for one in code for line in one.get("lines", ())), code)

    def test_a_source_that_was_changed_since_is_named(self):
        program, source = self.root / "edited", self.root / "edited.c"
        source.write_text(BUSY_AT_LINES.replace("FILE", str(source)))
        subprocess.run(["cc", "-O1", "-g", "-Wl,--build-id", "-o", program, source], check=True)
        recording = self.record("edited.data", program)
        self.assertNotIn("was changed after", self.run_wperf("report", recording, "--annotate").stderr)
        later = time.time() + 3600
        os.utime(source, (later, later))
        self.assertIn(f"warning: {source} was changed after the recording", self.run_wperf("report", recording, "--annotate").stderr)

    def test_debuginfod_without_servers_says_so(self):
        self.assertIn("DEBUGINFOD_URLS is not set", self.fails("report", self.recording, "--debuginfod", status=2))

    def program_of_many_functions(self, name, shift):
        """A program with so many functions that wperf caches them for the next report."""
        count = 5000
        lines = [f"__attribute__((noinline)) unsigned {name}_{i}(unsigned x) {{ return x * {2 * i + shift}u + 1; }}"
                 for i in range(count)]
        table = ", ".join(f"{name}_{i}" for i in range(count))
        source = self.root / f"{name}.c"
        source.write_text("#include <time.h>\n" + "\n".join(lines) + f"""
unsigned (*const all[])(unsigned) = {{{table}}};
int main(void) {{
  unsigned x = 1;
  while (clock() < CLOCKS_PER_SEC / 5) for (int k = 0; k < {count}; k += 50) x = all[k](x);
  return x == 7;
}}
""")
        program = self.root / name
        subprocess.run(["cc", "-Wl,--build-id", "-o", program, source], check=True)
        return program

    def kept_functions(self):
        folder = self.root / "home/.cache/wperf/symbols/functions"
        return sorted(folder.iterdir()) if folder.exists() else []

    def kept_for(self, program):
        notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
        build_id = re.search(r"Build ID: ([0-9a-f]+)", notes)[1]
        found = [one for one in self.kept_functions() if one.name.startswith(build_id + "-")]
        self.assertEqual(len(found), 1, self.kept_functions())
        return found[0]

    def test_kept_functions_answer_as_the_files_do(self):
        shutil.rmtree(self.root / "home", ignore_errors=True)
        program = self.program_of_many_functions("many", 1)
        recording = self.record("many.data", program)
        self.environment["WPERF_SYMBOL_CACHE"] = "off"
        without = self.report(recording)
        self.assertEqual(self.kept_functions(), [])
        self.assertGreater(len({row["symbol"] for row in without["rows"] if row["symbol"].startswith("many_")}), 5)
        del self.environment["WPERF_SYMBOL_CACHE"]
        self.assertEqual(self.report(recording), without)
        kept = self.kept_for(program)
        written = (kept.read_bytes(), kept.stat().st_mtime_ns)
        self.assertEqual(self.report(recording), without)
        # The cache was used and not written again.
        self.assertEqual((kept.read_bytes(), kept.stat().st_mtime_ns), written)

        # The cached answer must belong to exactly this file: a valid cache file of another program, stored under this
        # file's name, is refused.
        other = self.program_of_many_functions("other", 3)
        self.report(self.record("other.data", other))
        shutil.copy(self.kept_for(other), kept)
        self.assertEqual(self.report(recording), without)
        self.assertEqual(kept.read_bytes(), written[0])

        for at in (0, 9, 50, 100, len(written[0]) // 2, len(written[0]) - 1):
            damaged = bytearray(written[0])
            damaged[at] ^= 1
            kept.write_bytes(damaged)
            self.assertEqual(self.report(recording), without, at)
            self.assertEqual(kept.read_bytes(), written[0], at)  # written again
        kept.write_bytes(written[0][:-1])
        self.assertEqual(self.report(recording), without)

    def test_a_folder_that_cannot_be_written_is_told_with_v_only(self):
        recording = self.record("unkept.data", self.program_of_many_functions("unkept", 5))
        nowhere = self.root / "no-folder"
        nowhere.write_text("")
        self.environment["XDG_CACHE_HOME"] = str(nowhere)
        self.ok("report", recording)
        told = self.run_wperf("report", recording, "-v")
        self.assertEqual(told.returncode, 0)
        self.assertEqual(told.stderr.count("symbols cannot be cached for the next report: cannot write "), 1)


if __name__ == "__main__":
    unittest.main()
