#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pages of `report --html` in real browsers. The pages show the numbers of --json, their buttons and keys work, and
they make no network requests. Accessibility and HTML checkers find no fault. page_checks.mjs runs in the browsers;
scripts/packages.sh (need_page_tools) fetches the tools that drive them."""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("WPERF_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
BINARY = pathlib.Path(os.environ.get("WPERF_BINARY", SOURCE / "build/release/bin/wperf"))
TOOLS = SOURCE / "build" / "tools" / "pages"
CHROMIUM = shutil.which("chromium")
FIREFOX = shutil.which("firefox-esr")
TRACE = SOURCE.parent / "shared" / "data" / "etl" / "perfview-net452-x64-win8-compressed.etl"
PID, CODE = 4242425, 0x10000
IP, TID, TIME, READ, CALLCHAIN, CPU = 1, 2, 4, 16, 32, 128
MMAP, LOST, COMM, SAMPLE = 1, 2, 3, 9
SECOND = 10**9
NAMES = ["main", "outer", "inner", "leaf", "again"]
HOSTILE = [b"</script><script>alert(1)</script>", b"\"'><img src=x onerror=alert(2)>", "‮txet desrever".encode(), b"x" * 10_000,
           b"bad \xff\xfe utf8 \xc3", b"<!--<script>", b"javascript:alert(3)", b"=HYPERLINK(1)"]


def record(kind, body, misc=2):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(name):
    return name + b"\0" + bytes(-(len(name) + 1) % 8)


def sample(time, thread, core, names):
    """`names`: indices of functions, the innermost first."""
    addresses = [CODE + name * 0x100 + 0x10 for name in names]
    chain = [2**64 - 512, *addresses]
    body = struct.pack("<QIIQII", addresses[0], PID, PID + thread, time, core, 0)
    return record(SAMPLE, body + struct.pack(f"<Q{len(chain)}Q", len(chain), *chain))


def perf_data(samples, program):
    records = record(COMM, struct.pack("<II", PID, PID) + text(program[:2000]))
    records += record(MMAP, struct.pack("<IIQQQ", PID, PID, CODE, 0x10000, 0) + text(b"//anon")) + b"".join(samples)
    attributes = struct.pack("<IIQQQQQ", 0, 112, 0, 1000, IP | TID | TIME | CALLCHAIN | CPU, 0, 0) + bytes(64)
    table = attributes + struct.pack("<QQ", 0, 0)
    header = b"PERFILE2" + struct.pack("<QQQQQQ", 104, len(table), 104, len(table), 104 + len(table), len(records))
    return header + bytes(104 - len(header)) + table + records


def timed_data():
    """A counter that is read with each sample, and programs that start during the recording."""
    at = [SECOND + i * 50_000_000 + i * i * 1_001 for i in range(40)]
    records = []
    for i, time in enumerate(at):
        address, core = CODE + (i % 3) * 0x100 + 0x10, i % 2
        body = struct.pack("<QIIQIIQQ", address, PID, PID, time, core, 0, 1000 * (i + 1), 77 + core)
        records.append(record(SAMPLE, body + struct.pack("<QQQ", 2, 2**64 - 512, address)))
        if i % 16 == 8:
            name = [b"first", b"second </script>", b"third"][i // 16]
            begins = struct.pack("<II", PID, PID) + text(name) + struct.pack("<IIQII", PID, PID, time + 10, core, 0)
            records.append(record(COMM, begins, 1 << 13))
    who = struct.pack("<IIQII", PID, PID, 0, 0, 0)
    first = record(COMM, struct.pack("<II", PID, PID) + text(b"prog") + who)
    first += record(MMAP, struct.pack("<IIQQQ", PID, PID, CODE, 0x10000, 0) + text(b"//anon") + who)
    attributes = struct.pack("<IIQQQQQ", 0, 112, 1, 1000, IP | TID | TIME | READ | CALLCHAIN | CPU, 4, 1 << 18) + bytes(64)
    ids = struct.pack("<QQ", 77, 78)
    table = attributes + struct.pack("<QQ", 104, len(ids))
    data = first + b"".join(records)
    header = b"PERFILE2" + struct.pack("<QQQQQQ", 104, len(table), 104 + len(ids), len(table), 104 + len(ids) + len(table), len(data))
    return at, header + bytes(104 - len(header)) + ids + table + data


def plain_samples():
    """Two phases: in the first second and from the third on."""
    made = []
    for i in range(100):
        made.append(sample(SECOND + i * 10**7, 0, 0, [2, 1, 0] if i % 4 else [3, 2, 1, 0]))
        made.append(sample(3 * SECOND + i * 10**7, 1, 1, [4, 4, 4, 4, 4, 4, 0] if i % 2 else [1, 0]))
    return [*made, record(LOST, struct.pack("<QQ", 0, 12))]


def literals_of(script):
    """The contents of string literals, and of template literals without the expressions in them."""
    found, within, at = [], [], 0
    while at < len(script):
        sign, begin = script[at], at
        if within and within[-1] == "`":
            while script[at] != "`" and not script.startswith("${", at):
                at += 2 if script[at] == "\\" else 1
            found.append(script[begin:at])
            if script[at] == "`":
                within.pop()
            else:
                within.append("{")
                at += 1
        elif sign == '"':
            at += 1
            while script[at] != '"':
                at += 2 if script[at] == "\\" else 1
            found.append(script[begin + 1:at])
        elif sign == "`" or (sign == "{" and within):
            within.append(sign)
        elif sign == "}" and within:
            within.pop()
        at += 1
    return found


# Two variables that threads wait for.
LOCKS = r"""
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t orders = PTHREAD_MUTEX_INITIALIZER, stock = PTHREAD_MUTEX_INITIALIZER;
static void *keep(void *lock) {
  for (int i = 0; i < 4; ++i) {
    pthread_mutex_lock(lock);
    usleep(10000);
    pthread_mutex_unlock(lock);
    usleep(100);
  }
  return lock;
}
int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, keep, i < 3 ? &orders : &stock);
  keep(&stock);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  return 0;
}
"""


class HtmlTest(unittest.TestCase):
    maxDiff = None
    plan = None  # made once for all browsers

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name)
        cls.map = pathlib.Path(f"/tmp/perf-{PID}.map")

    @classmethod
    def tearDownClass(cls):
        cls.map.unlink(missing_ok=True)
        cls.place.cleanup()

    def wperf(self, *words):
        own_machine = {**os.environ, "WPERF_SIM_INSTANCE": f"html-{os.getpid()}"}
        done = subprocess.run([BINARY, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, env=own_machine,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def make_page(self, name, names, samples, program):
        self.map.write_bytes(b"".join(b"%x 100 %s\n" % (CODE + i * 0x100, one) for i, one in enumerate(names)))
        data = self.folder / f"{name}.data"
        data.write_bytes(perf_data(samples, program))
        self.wperf("report", data, "--html", f"{name}.html")
        return data, self.folder / f"{name}.html"

    def the_plan(self):
        if HtmlTest.plan is None:
            HtmlTest.plan = self.make_plan()
        return HtmlTest.plan

    def make_plan(self):
        data, page = self.make_page("plain", [name.encode() for name in NAMES], plain_samples(), b"prog")
        answer = json.loads(self.wperf("report", data, "--json", "--children", "--sort", "module,symbol"))
        rows = answer["recording"]["events"][0]["rows"]
        functions = {row["symbol"]: [row["samples"], row["period"], row["all_period"]] for row in rows}
        self.assertEqual(set(functions), set(NAMES))
        hostile_samples = [sample(SECOND + i * 10**7, i % 3, i % 2, [i % len(HOSTILE), (i + 1) % len(HOSTILE)]) for i in range(64)]
        _, hostile = self.make_page("hostile", HOSTILE, hostile_samples, HOSTILE[0])
        self.wperf("record", "--device", "sim:pace=free", "-e", "ld_spec:100000,inst_spec:200000", "-c", "0", "--timeout", "1",
                   "--disassemble", "--html", "sim.html", "-q", "--", BINARY.parents[1] / "workloads" / "googolplex.exe")
        _, wide = self.make_page("wide", [b"main"], [sample(SECOND + i * 10**7, i % 70, i % 70, [0]) for i in range(140)], b"prog")
        at, timed = timed_data()
        (self.folder / "timed.data").write_bytes(timed)
        self.map.write_bytes(b"".join(b"%x 100 %s\n" % (CODE + i * 0x100, name.encode()) for i, name in enumerate(NAMES)))
        self.wperf("report", "timed.data", "--html", "timed.html", "--html-all")
        counted = json.loads(self.wperf("report", "timed.data", "--json"))["recording"]["events"][0]
        self.assertEqual(counted["samples"], len(at))
        moments = {"page": str(self.folder / "timed.html"), "times": [time - at[0] for time in at], "counted": counted["period"],
                   "marks": [[at[i] + 10 - at[0], name] for i, name in ((8, "first"), (24, "second </script>"))]}
        plan = {"wide": str(wide), "deep": [self.deep_page(630), self.deep_page(2100)], "memory": self.memory_page(), "counts": [self.counts_page("counts", "-c", "1", "--", BINARY.parents[1] / "workloads" / "googolplex.exe"), self.counts_page("zeros", "-c", "0,1")], "difference": self.difference_pages(), "moments": moments, "many": self.many_stacks(), "foreign": self.foreign_pages(), "page": str(page), "waits": self.waits_page(), "locks": self.locks_page(), "hostile": str(hostile), "others": [str(self.folder / f"{name}.html") for name in ("sim", "spe")], "functions": functions,
                "samples": 200, "firstHalf": 100, "withInner": 100, "hostileSamples": 64, "depth": 7}
        return plan

    def deep_page(self, levels):
        """One stack of that many functions."""
        (self.folder / f"deep{levels}.folded").write_text(";".join(f"level{i}" for i in range(levels)) + " 1\n")
        self.wperf("report", f"deep{levels}.folded", "--html", f"deep{levels}.html")
        return {"page": str(self.folder / f"deep{levels}.html"), "levels": levels}

    def memory_page(self):
        """The headings and the first function are the same as in the text."""
        self.wperf("record", "--device", "sim:pace=free", "-e", "arm_spe_0//", "-c", "0", "--timeout", "1", "-o", "spe.data", "--html", "spe.html", "-q", "--",
                   BINARY.parents[1] / "workloads" / "false_sharing.exe")
        text = self.wperf("report", "spe.data", "--mem").decode()
        heads = []
        for name in ("memory: where data came from", "memory: by function", "memory: by cache line of data"):
            heads.append("|".join([name, *re.split("  +", re.search(f"{name} =*\n *(.*)\n", text)[1].strip())]))
        address = re.search("memory: by cache line of data =*\n.*\n.*\n *.*?(0x[0-9a-f]+)", text)[1]
        return {"page": str(self.folder / "spe.html"), "heads": heads, "cell": address}

    def waits_page(self):
        """The tables of the page, compared with wperf's JSON."""
        self.wperf("waits", "--device", "etw:fake", "--timeout", "0.2", "-o", "waits.etl", "-q", "--", BINARY.parents[1] / "workloads" / "threads.exe")
        program = ("--comm", "threads.exe")
        self.wperf("waits", "waits.etl", *program, "--html", "waits.html")
        told = json.loads(self.wperf("waits", "waits.etl", *program, "--json"))["waits"]
        places = [[row["function"] or "[unknown]", row["module"], row["class"], row["count"], row["total_ns"], row["p50_ns"], row["p99_ns"], row["max_ns"], row["ended_by"] or "-"]
                  for row in told["functions"]]
        people = [[row["waiter"], row["function"] or "-", row["waker"], row["waker_function"] or "-", row["count"], row["waited_ns"], row["wake_to_run_ns"]] for row in told["wakers"]]
        self.assertGreater(len(places), 2)
        self.assertGreater(len(people), 5)
        return {"page": str(self.folder / "waits.html"), "places": sorted(places), "people": sorted(people), "wall": sum(row["wall_ns"] for row in told["threads"]),
                "longest": max(row["longest_wait_ns"] for row in told["threads"]), "ender": places[0][-1]}

    def locks_page(self):
        """Returns None if the scheduler may not be recorded or there is no compiler."""
        (self.folder / "locks.c").write_text(LOCKS)
        if shutil.which("cc") is None or subprocess.run(["cc", "-g", "-pthread", "-o", "locks", "locks.c"], cwd=self.folder).returncode != 0:
            return None
        made = subprocess.run([BINARY, "waits", "--device", "linux", "-o", "locks.data", "-q", "--", "./locks"], cwd=self.folder, capture_output=True)
        if made.returncode != 0:
            return None
        self.wperf("waits", "locks.data", "--html", "locks.html")
        rows = [[lock["lock"], place["caller"], place["count"], place["total_ns"], place["max_ns"], place["ended_by"] or "-"]
                for lock in json.loads(self.wperf("waits", "locks.data", "--json"))["waits"]["locks"] for place in lock["places"]]
        self.assertIn("orders", [row[0] for row in rows])
        return {"page": str(self.folder / "locks.html"), "rows": rows}

    def counts_page(self, name, *words):
        """Three counts with pauses between."""
        self.wperf("stat", "--device", "sim:pace=free", "-t", "-i", "0.6", "-n", "3", "--timeout", "0.4", "-e", "ld_spec,inst_spec", "--json", "-o", f"{name}.json",
                   "--output-csv", f"{name}.csv", "--html", f"{name}.html", "-q", *words)
        sums, cells = {}, []
        for count in json.loads((self.folder / f"{name}.json").read_text())["timeline"]:
            for core in count["core"]["cores"]:
                for row in core["Performance_counter"]:
                    event = f"core {core['core_number']}: {row['event_name']}"
                    sums[event] = sums.get(event, 0) + row["counter_value"]
                    cells.append(f"{row['counter_value']:,}")
        self.assertEqual(len(cells), 9 * len(words[1].split(",")))
        title = "googolplex.exe" if "--" in words else f"{len(words[1].split(','))} cores"
        return {"page": str(self.folder / f"{name}.html"), "title": title, "sums": [[event, total, 3] for event, total in sorted(sums.items())], "cells": cells, "pause": [0.5, 0.9],
                "count": [1.1, 1.3]}

    def many_stacks(self):
        """Stacks that share as little as possible, so most frames are too narrow for a screen."""
        numbers, lines, found = 1, [], 0
        for i in range(20_000):
            frames = []
            for _ in range(6):
                numbers = (numbers * 48271) % 0x7fffffff
                frames.append(f"f{numbers % 3000}")
            found += "f77" in frames
            lines.append(f"prog;{';'.join(frames)};leaf{i} 1")
        (self.folder / "many.folded").write_text("\n".join(lines) + "\n")
        self.wperf("report", "many.folded", "--html", "many.html")
        return {"page": str(self.folder / "many.html"), "stacks": len(lines), "found": found}

    def difference_pages(self):
        (self.folder / "old.folded").write_text("main;parse;scan 4000\nmain;parse 1000\nmain;emit 3000\nmain;old 500\nmain 1500\n")
        (self.folder / "new.folded").write_text("main;parse;scan 6000\nmain;parse 1000\nmain;emit 2000\nmain;fresh 500\nmain 500\n")
        self.wperf("diff", "old.folded", "new.folded", "--html", "difference.html")
        found = json.loads(self.wperf("diff", "old.folded", "new.folded", "--json"))
        [event] = found["diff"]["events"]
        rows = [[row["change"], row["function"]] for row in event["functions"]] + [[row["change"], row["module"]] for row in event["modules"]]
        words = {"scan": "grew: 4.00 K before, 6.00 K after (+50.0 %)", "emit": "shrank: 3.00 K before, 2.00 K after (−33.3 %)",
                 "fresh": "is new: 500", "old": "is gone: 500 before", "main": "is the same: 10.0 K before, 10.0 K after"}
        for side in ("first", "second"):
            (self.folder / f"{side}.folded").write_bytes(b"".join(b"main;%s %d\n" % (name.replace(b"\n", b""), 100 + len(side)) for name in HOSTILE))
        self.wperf("diff", "first.folded", "second.folded", "--html", "hostile_difference.html")
        return {"page": str(self.folder / "difference.html"), "hostile": str(self.folder / "hostile_difference.html"), "rows": rows, "words": words}

    def foreign_pages(self):
        """Profiles of other programs, and a real trace of Windows: [page, samples by event, their times]."""
        made, times = [], [time - timed_data()[0][0] for time in timed_data()[0]]
        for form in ("firefox", "speedscope", "pprof", "perfetto"):
            self.wperf("report", "timed.data", "--export", form, "-o", f"foreign.{form}")
            made.append(self.folder / f"foreign.{form}")
        made += [one for one in [TRACE] if one.exists()]
        pages = []
        for file in made:
            page = self.folder / f"{file.name}.html"
            events = json.loads(self.wperf("report", file, "--json", "--children"))["recording"]["events"]
            has_times = file.suffix in (".firefox", ".perfetto")
            self.wperf("report", file, "--html", page, *(["--html-all"] if has_times else []))
            pages.append([str(page), [event["samples"] for event in events], times if has_times else []])
        return pages

    def check_in(self, **browser):
        node = shutil.which("node")
        for tool, reason in ((node, "no node here"), (next(iter(browser.values())), "no such browser here"),
                             (TOOLS.exists(), "build/tools/pages is missing (scripts/build fetches it)")):
            if not tool:
                self.skipTest(reason)
        plan = self.folder / "plan.json"
        plan.write_text(json.dumps({**self.the_plan(), **browser}))
        home = {**os.environ, "HOME": str(self.folder)}  # browsers leave many files
        done = subprocess.run([node, pathlib.Path(__file__).with_name("page_checks.mjs"), TOOLS, plan], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300, env=home, check=False)
        self.assertEqual((done.stdout, done.returncode), ("", 0))

    def test_chromium(self):
        self.check_in(chromium=CHROMIUM)

    def test_firefox(self):
        self.check_in(firefox=FIREFOX)

    def test_markup(self):
        checker = TOOLS / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"
        if shutil.which("java") is None or not checker.exists():
            self.skipTest("no java, or no vnu.jar here")
        plan = self.the_plan()
        self.wperf("topdown", "--device", "sim:cpu=neoverse-n2,pace=free", "--html", "topdown.html", "-q", "--",
                   BINARY.parents[1] / "workloads" / "bottlenecks.exe", "memory", "20000")
        # Only errors count. The checker computes no hashes, so it warns about each script that the policy allows by its
        # hash.
        done = subprocess.run(["java", "-jar", checker, "--errors-only", plan["page"], plan["hostile"], plan["difference"]["page"], plan["difference"]["hostile"], plan["waits"]["page"], *[one["page"] for one in plan["counts"]], *plan["others"],
                               self.folder / "topdown.html"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual((done.stdout, done.returncode), ("", 0))

    def test_the_page_is_small(self):
        """Limits the size of a page with hardly any data: every page is at least this large."""
        _, page = self.make_page("small", [b"main"], [sample(SECOND, 0, 0, [0])], b"prog")
        self.assertLess(page.stat().st_size, 120_000)

    def test_scripts_can_be_packed(self):
        """embed_page.cmake removes blanks around operators, so no string may contain such blanks."""
        for file in sorted((SOURCE / "src" / "report" / "html" / "page").glob("*.js")):
            for literal in literals_of(re.sub(r"(?m)^ *//.*$", "", file.read_text())):
                self.assertNotRegex(literal, r"\+ \+|- -")
                for packed in (*(f" {sign} " for sign in "= => === !== && || ?? ? : < > <= >= += * +".split()), ") {"):
                    self.assertNotIn(packed, literal, file.name)

    def test_pictures_are_xml(self):
        data, _ = self.make_page("picture", HOSTILE, [sample(SECOND, 0, 0, list(range(len(HOSTILE))))], b"prog")
        self.wperf("report", data, "--svg", "graph.svg")
        import xml.etree.ElementTree as tree
        root = tree.parse(self.folder / "graph.svg").getroot()
        titles = [one.text for one in root.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(len(titles), 1 + len(HOSTILE))
        self.assertTrue(any("</script><script>alert(1)" in one for one in titles))


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
