# SPDX-License-Identifier: BSD-3-Clause
"""The Python package over libwperf: from its sources on the simulated machine and on Linux, its wheel in a fresh environment, and the
examples of its page."""
import contextlib
import io
import mmap
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import types
import unittest
import uuid
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))
from support import BINARY, SOURCE, workload  # noqa: E402

LIBRARY = pathlib.Path(BINARY).with_name("libwperf.so")
os.environ["WPERF_LIBRARY"] = str(LIBRARY)
sys.path.insert(0, str(SOURCE / "python"))
sys.path.insert(0, str(SOURCE / "tools"))
if b"__asan_init" in LIBRARY.read_bytes() or b"__tsan_init" in LIBRARY.read_bytes():
    print("skipped: a library under a sanitizer cannot be loaded into Python")
    sys.exit(77)
import make_wheel  # noqa: E402
import wperf  # noqa: E402
from wperf import _library  # noqa: E402

PAGE = SOURCE / "docs" / "user" / "python-package.md"
HEADER = SOURCE / "include" / "wperf" / "wperf.h"
EXACT = 31_000_023  # instructions of exact.exe
PAGE_SIZE = mmap.PAGESIZE


def sim(options=""):
    return f"sim:pace=free,seed=1,instance=python-{uuid.uuid4().hex[:12]}{options}"


def has_linux_events():
    """Some machines that run the tests forbid perf events."""
    try:
        with wperf.count("page-faults", device="linux"):
            pass
    except wperf.Error:
        return False
    return True


needs_linux_events = unittest.skipUnless(has_linux_events(), "this machine does not count page faults")


def touch(pages):
    """Writes to this many fresh pages, so that each write causes a page fault."""
    with mmap.mmap(-1, pages * PAGE_SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        if hasattr(mmap, "MADV_NOHUGEPAGE"):
            with contextlib.suppress(OSError):
                memory.madvise(mmap.MADV_NOHUGEPAGE)
        for at in range(0, len(memory), PAGE_SIZE):
            memory[at] = 1


def structures():
    return [one for one in vars(_library).values() if isinstance(one, type) and hasattr(one, "c_name")]


class Types(unittest.TestCase):
    def test_structures_are_those_of_the_header(self):
        names = {one.c_name for one in structures()}
        declared = set(re.findall(r"^\} (\w+_(?:CONF|INFO|STATS));", HEADER.read_text(encoding="utf-8"), re.MULTILINE))
        self.assertEqual(names, declared)
        checks = []
        for one in structures():
            checks.append(f'_Static_assert(sizeof({one.c_name}) == {_library.ctypes.sizeof(one)}, "{one.c_name}");')
            for field in (field[0] for field in one._fields_):
                place = getattr(one, field)
                checks.append(f'_Static_assert(offsetof({one.c_name}, {field}) == {place.offset}, "{one.c_name}.{field}");')
                checks.append(f'_Static_assert(sizeof((({one.c_name}*)0)->{field}) == {place.size}, "{one.c_name}.{field}");')
        done = subprocess.run(["cc", "-std=c11", f"-I{SOURCE / 'include'}", "-x", "c", "-fsyntax-only", "-"], text=True,
                              input="#include <wperf/wperf.h>\n" + "\n".join(checks), capture_output=True)
        self.assertEqual(done.stderr, "")
        self.assertGreater(len(checks), 100)

    def test_functions_have_as_many_arguments_as_in_the_header(self):
        text = HEADER.read_text(encoding="utf-8")
        for name, arguments in _library._FUNCTIONS.items():
            declared = re.search(rf"^WPERF_API bool {name}\(([^)]*)\);", text, re.MULTILINE)[1]
            self.assertEqual(0 if declared == "void" else declared.count(",") + 1, len(arguments), name)

    def test_numbers_are_those_of_the_header(self):
        text = HEADER.read_text(encoding="utf-8")
        for name, value in (("CYCLE_COUNTER", "(-1)"), ("LIST_CORE_EVENTS", "1u"), ("LIST_SYSTEM_EVENTS", "2u")):
            self.assertIn(f"#define WPERF_{name} {value}\n", text)
            self.assertEqual(getattr(_library, name), int(value.strip("()u")))


class Simulated(unittest.TestCase):
    def test_a_command_is_counted_to_the_instruction(self):
        counts = wperf.count_command([workload("exact.exe")], "inst_retired", ("ld_spec", "st_spec"), device=sim(), cores=[1])
        self.assertEqual(counts["inst_retired"], EXACT)
        self.assertEqual(counts["ld_spec"], 2_000_000)
        row = next(row for row in counts.rows if row["event"] == "inst_retired")
        self.assertEqual((row["core"], row["number"], row["note"], row["count"]), (1, 0x08, "e", 0))
        self.assertEqual(next(row for row in counts.rows if row["event"] == "ld_spec")["note"], "g0")
        self.assertIsNone(next(row for row in counts.rows if row["event"] == "cycle")["number"])
        self.assertGreater(counts.seconds, 0)
        self.assertNotIn("st_retired", counts)
        with self.assertRaises(KeyError):
            counts["st_retired"]

    def test_an_event_that_is_counted_twice_has_one_count(self):
        counts = wperf.count_command([workload("exact.exe")], "inst_retired", metrics=["ipc"], device=sim(), cores=[1])
        self.assertEqual(len([row for row in counts.rows if row["event"] == "inst_retired"]), 2)
        self.assertEqual(counts["inst_retired"], EXACT)
        self.assertEqual(counts.as_dict()["inst_retired"], EXACT)
        counts = wperf.count_command([workload("exact.exe")], "ld_spec", ("ld_spec", "st_spec"), device=sim(), cores=[1])
        self.assertEqual(counts["ld_spec"], 2_000_000)

    def test_each_core_gives_its_best_row(self):
        counts = wperf.Counts()
        counts.seconds = 1
        for core, note, value, scheduled in ((0, "g0", 90, 5), (0, "e", 100, 2), (1, "g0,ipc", 8, 1), (1, "g1", 9, 3), (2, "e", None, 0), (2, "g0", 4, 1)):
            counts.rows.append({"event": "x", "core": core, "note": note, "value": value, "scheduled": scheduled, "number": 1, "count": 0})
        self.assertEqual(counts["x"], 100 + 9 + 4)
        counts.rows.append({"event": "x", "core": 3, "note": "e", "value": None, "scheduled": 0, "number": 1, "count": 0})
        self.assertIsNone(counts["x"])

    def test_an_event_has_several_names(self):
        counts = wperf.count_command([workload("exact.exe")], "inst_retired", device=sim(), cores=[1])
        for name in ("inst_retired", "INST_RETIRED", "r8", "R0008"):
            self.assertEqual(counts[name], EXACT)
            self.assertIn(name, counts)
        for name in ("r9", "rx", "inst"):
            self.assertNotIn(name, counts)
            with self.assertRaisesRegex(KeyError, f"{name} was not counted; these were: cycle, inst_retired"):
                counts[name]

    def test_metrics_have_rows(self):
        counts = wperf.count_command([workload("exact.exe")], metrics=["ipc"], device=sim(",cpu=neoverse-v1"), cores=[0])
        self.assertEqual([(row["metric"], row["core"]) for row in counts.metrics], [("ipc", 0)])
        self.assertGreater(counts.metrics[0]["value"], 0)

    def test_a_section_counts_the_cores(self):
        with wperf.count("inst_retired", cores=[1], device=sim(f",mhz=1000,run=1:{workload('exact.exe')}")) as counts:
            with self.assertRaisesRegex(wperf.Error, "not ended"):
                counts["inst_retired"]
            time.sleep(0.1)
        self.assertEqual(counts["inst_retired"], EXACT)
        self.assertEqual({row["core"] for row in counts.rows}, {1})

    def test_a_process_of_ours_is_refused(self):
        with self.assertRaisesRegex(wperf.Error, "cannot follow a running process .*name cores instead"):
            with wperf.count("inst_retired", device=sim()):
                self.fail("nothing counts it")

    def test_samples_have_functions_and_lines(self):
        samples = wperf.sample([workload("googolplex.exe")], "ld_spec:10000", device=sim(), cores=[1], seconds=1, lines=True)
        self.assertEqual(samples.rows[0]["symbol"], "big_school_multiply:bignum.dll")
        self.assertEqual(samples.rows[0]["interval"], 10000)
        self.assertEqual(sum(row["samples"] for row in samples.rows), samples.generated - samples.dropped)
        self.assertAlmostEqual(sum(row["percent"] for row in samples.rows), 100)
        self.assertTrue(samples.lines[0]["file"].endswith(".c"), samples.lines[0])
        few = wperf.sample([workload("googolplex.exe")], "ld_spec:10000", device=sim(), cores=[1], seconds=1, most_rows=1)
        self.assertEqual((len(few.rows), few.lines), (1, []))

    def test_lists(self):
        with wperf.Machine(sim(",cores=3")) as machine:
            self.assertEqual(machine.cores, 3)
            events = {event["name"]: event for event in machine.events()}
            metrics = machine.metrics()
            facts = machine.facts()
        self.assertEqual((events["inst_spec"]["number"], events["inst_spec"]["kind"]), (0x1B, "core"))
        self.assertIn("inst_spec", metrics["imix"])
        self.assertIs(facts["request.ioctl_events [EVT_CORE]"], False)
        self.assertEqual(facts["pmu_device.sampling.INTERVAL_DEFAULT"], 0x4000000)
        self.assertIn("imix", wperf.metrics(device=sim()))

    def test_errors_have_the_words_of_the_library(self):
        cases = (("toaster", "toaster"), (sim(), "no_such_event"))
        for device, words in cases:
            with self.assertRaisesRegex(wperf.Error, words):
                wperf.count_command([workload("exact.exe")], "no_such_event", device=device)
        with self.assertRaisesRegex(wperf.Error, r"cores names core 99; this machine has 0 to 7"):
            wperf.count_command([workload("exact.exe")], "inst_spec", cores=[99], device=sim())
        for core in (-1, 2**32 + 1):
            with self.assertRaisesRegex(wperf.Error, f"the number of a core is from 0 to 4294967295, not {core}"):
                wperf.count_command([workload("exact.exe")], "inst_spec", cores=[core], device=sim())
            with self.assertRaisesRegex(wperf.Error, f"not {core}"):
                wperf.count("inst_spec", process=core, device=sim())
            with self.assertRaisesRegex(wperf.Error, f"rate_hz is from 0 to 4294967295, not {core}"):
                wperf.sample([workload("exact.exe")], "inst_spec", rate_hz=core, device=sim())
        with self.assertRaisesRegex(wperf.Error, r"ends at its first .0: 'a.x00b'"):
            wperf.count_command([workload("exact.exe"), "a\0b"], "inst_spec", device=sim())
        with self.assertRaisesRegex(wperf.Error, "empty"):
            wperf.count_command([], "inst_spec", device=sim())
        with self.assertRaisesRegex(wperf.Error, "either program or image_name"):
            wperf.sample(device=sim(), cores=[0])
        with wperf.Machine(sim()) as machine:  # the package still works after an error
            with self.assertRaisesRegex(wperf.Error, "a machine is open"):
                wperf.events(device="linux")
            self.assertEqual(machine.cores, 8)

    def test_a_thread_may_stop_a_measurement(self):
        stopper = threading.Timer(0.5, wperf.stop)
        stopper.start()
        counts = wperf.count_command([workload("googolplex.exe")], "inst_spec", cores=[0],
                                     device=sim().replace("free", "real"))
        stopper.join()
        self.assertGreater(counts["inst_spec"], 0)
        self.assertLess(counts.seconds, 60)


@needs_linux_events
class Linux(unittest.TestCase):
    def test_page_faults_of_this_process(self):
        touch(4)  # so that the code of touch() is in memory
        pages = 5000
        with wperf.count("page-faults", "task-clock", device="linux") as counts:
            touch(pages)
        self.assertGreaterEqual(counts["page-faults"], pages)
        self.assertLess(counts["page-faults"], pages + 100)
        self.assertGreater(counts["task-clock"], 0)
        self.assertLess(counts["task-clock"], counts.seconds * 1.5e9)
        self.assertEqual({row["core"] for row in counts.rows}, {None})
        self.assertEqual(counts["Page-Faults"], counts["page-faults"])
        self.assertNotIn("r2", counts)  # the kernel's number of page faults

    def test_a_short_section_is_counted_too(self):
        with wperf.Machine("linux") as machine:
            section = machine.count("page-faults")
            with section:
                touch(1)
            for pages in (1, 3, 50):
                with section as counts:
                    touch(pages)
                self.assertGreaterEqual(counts["page-faults"], pages)
                self.assertLess(counts["page-faults"], pages + 20)

    def test_a_section_in_itself_is_refused_and_the_outer_one_counts(self):
        with wperf.Machine("linux") as machine:
            section = machine.count("page-faults")
            with section as counts:
                with self.assertRaisesRegex(wperf.Error, "a count is running"), section:
                    pass
                touch(100)
            self.assertGreaterEqual(counts["page-faults"], 100)

    def test_a_machine_that_was_refused_does_not_close_the_open_one(self):
        with wperf.Machine("linux") as machine:
            other = wperf.Machine(sim())
            self.assertRaises(wperf.Error, other.open)
            other.close()
            self.assertGreaterEqual(machine.cores, 1)
            with machine.count("page-faults") as counts:
                touch(100)
        self.assertGreaterEqual(counts["page-faults"], 100)

    def test_a_forked_child_counts_by_itself(self):
        with wperf.count("page-faults", device="linux") as counts:
            child = os.fork()
            if child == 0:
                try:
                    with wperf.count("page-faults", device="linux") as own:
                        touch(100)
                    os._exit(0 if own["page-faults"] >= 100 else 1)
                except BaseException:
                    os._exit(2)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            touch(100)
        self.assertGreaterEqual(counts["page-faults"], 100)

    def test_process_0_is_refused(self):
        with self.assertRaisesRegex(wperf.Error, "no process has the number 0"):
            wperf.count("page-faults", process=0)

    def test_a_command_that_is_killed_is_an_error(self):
        for measure in (wperf.count_command, wperf.sample):
            with self.assertRaisesRegex(wperf.Error, r"was killed by SIGKILL \(signal 9\); the results end there"):
                measure(["/bin/sh", "-c", "kill -9 $$"], device="linux")

    def test_threads_of_this_process_are_counted(self):
        ready, go, done = threading.Event(), threading.Event(), threading.Event()

        def work():
            ready.set()
            go.wait()
            touch(2000)
            done.set()

        older = threading.Thread(target=work)
        older.start()
        ready.wait()
        with wperf.count("page-faults", device="linux") as counts:
            go.set()
            done.wait()
            younger = threading.Thread(target=touch, args=(1000,))
            younger.start()
            younger.join()
        older.join()
        self.assertGreaterEqual(counts["page-faults"], 3000)
        self.assertLess(counts["page-faults"], 3500)

    def test_an_exception_of_the_block_gets_out(self):
        with self.assertRaises(ZeroDivisionError):
            with wperf.count("page-faults", device="linux") as counts:
                touch(10)
                1 / 0
        self.assertGreaterEqual(counts["page-faults"], 10)
        with wperf.count("page-faults", device="linux"):
            with self.assertRaisesRegex(wperf.Error, "a machine is open"):
                with wperf.count("page-faults", device="linux"):
                    self.fail("one at a time")

    def test_another_process(self):
        with subprocess.Popen([sys.executable, "-c", "import sys\ninput()\nb = bytearray(30 * 2 ** 20)\nprint(1, flush=True)\ninput()"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            with wperf.count("page-faults", process=other.pid, device="linux") as counts:
                print(file=other.stdin, flush=True)
                other.stdout.readline()
            print(file=other.stdin, flush=True)
        self.assertGreater(counts["page-faults"], 10)
        with self.assertRaisesRegex(wperf.Error, "process 2147483632 has ended"):
            with wperf.count("page-faults", process=0x7FFFFFF0, device="linux"):
                self.fail("there is no such process")
        with self.assertRaisesRegex(wperf.Error, "not of both"):
            wperf.count("page-faults", process=1, cores=[0])

    def test_words_of_a_command_arrive_whole(self):
        words = ["a b", "", 'say "x"', "back\\slash", "end\\", 'q\\"', "ü", "$HOME *"]
        with tempfile.TemporaryDirectory() as folder:
            told = pathlib.Path(folder) / "words"
            code = "import sys; open(sys.argv[1], 'w', encoding='utf-8').write(repr(sys.argv[2:]))"
            counts = wperf.count_command([sys.executable, "-X", "utf8", "-c", code, told, *words], "page-faults", device="linux")
            self.assertEqual(told.read_text(encoding="utf-8"), repr(words))
        self.assertGreater(counts["page-faults"], 100)

    def test_a_command_is_sampled(self):
        code = "import time\nend = time.process_time() + 1\nwhile time.process_time() < end: pass"
        samples = wperf.sample([sys.executable, "-c", code], "cpu-clock", rate_hz=1000, device="linux")
        self.assertGreater(samples.generated, 100)  # the kernel may sample this clock only at its tick
        self.assertEqual(samples.rows[0]["event"], "cpu-clock")
        self.assertEqual(sum(row["samples"] for row in samples.rows), samples.generated - samples.dropped)

    def test_events_are_those_of_the_system(self):
        listed = wperf.events(device="linux")
        faults = next(event for event in listed if event["name"] == "page-faults")
        self.assertEqual(faults, {"name": "page-faults", "title": None, "number": None, "kind": "software"})
        if os.uname().machine == "x86_64":
            self.assertEqual([event["name"] for event in listed if event["kind"] == "core"], [])

    def test_what_is_not_counted_says_why(self):
        listed = {event["name"] for event in wperf.events(device="linux")}
        if "cycles" in listed:
            self.skipTest("this machine has counters")
        with self.assertRaisesRegex(wperf.Error, r"cycles.*\(.*\)"):
            with wperf.count("cycles", device="linux"):
                self.fail("no counters")


class Frames(unittest.TestCase):
    def setUp(self):
        self.counts = wperf.count_command([workload("exact.exe")], "inst_retired", device=sim(), cores=[0])

    def test_rows_go_to_pandas(self):
        known = sys.modules.get("pandas")
        sys.modules["pandas"] = types.SimpleNamespace(DataFrame=lambda rows: ("frame", rows))
        try:
            self.assertEqual(self.counts.to_frame(), ("frame", self.counts.rows))
        finally:
            sys.modules.pop("pandas")
            if known is not None:
                sys.modules["pandas"] = known

    def test_pandas_itself(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(wperf.Error, "needs pandas"):
                self.counts.to_frame()
            return
        frame = self.counts.to_frame()
        self.assertEqual(int(frame.set_index("event").loc["inst_retired", "value"]), EXACT)


class Wheel(unittest.TestCase):
    def make(self, folder):
        environment = dict(os.environ, SOURCE_DATE_EPOCH="1700000000")
        done = subprocess.run([sys.executable, "-B", SOURCE / "tools/make_wheel.py", "--library", LIBRARY, "--output", folder],
                              env=environment, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        wheels = list(pathlib.Path(folder).glob("*.whl"))
        self.assertEqual(len(wheels), 1)
        return wheels[0]

    def test_the_same_files_make_the_same_wheel(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            self.assertEqual(self.make(one).read_bytes(), self.make(other).read_bytes())

    def test_versions_are_one(self):
        text = (SOURCE / "python/pyproject.toml").read_text(encoding="utf-8")
        self.assertIn(f'\nversion = "{make_wheel.version_of()}"\n', text)
        self.assertEqual(wperf.version(), make_wheel.version_of())

    def test_the_tag_is_what_the_library_needs(self):
        with tempfile.TemporaryDirectory() as folder:
            def tag(code, *options):
                library = pathlib.Path(folder) / "tried.so"
                subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", library, *options], input=code, text=True, check=True)
                return make_wheel.platform_tag(library)

            machine = os.uname().machine
            plain = tag("#include <stdlib.h>\nvoid* f(void) { return malloc(1); }")
            self.assertRegex(plain, rf"^manylinux_2_\d+_{machine}$")
            other = pathlib.Path(folder) / "libother.so"
            subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", other], input="int g(void) { return 1; }", text=True, check=True)
            needs_more = tag("int g(void); int f(void) { return g(); }", str(other))
            self.assertEqual(needs_more, f"linux_{machine}")
            with self.assertRaises(make_wheel.Refused):
                make_wheel.platform_tag(SOURCE / "LICENSE")

    def test_an_archive_for_windows_becomes_a_wheel(self):
        """The wheel contains the DLL and all licences of the archive, and has the tag of the DLL's processor."""
        for machine, tag in ((0xAA64, "win_arm64"), (0x8664, "win_amd64")):
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                image = b"MZ" + bytes(58) + (64).to_bytes(4, "little") + b"PE\0\0" + machine.to_bytes(2, "little") + b"the rest"
                with zipfile.ZipFile(folder / "a.zip", "w") as archive:
                    for name, content in (("README.txt", b""), ("libwperf/bin/wperf.dll", image), ("licenses/zlib.txt", b"zlib's")):
                        archive.writestr(f"wperf/{name}", content)
                make_wheel.main(["--archive", str(folder / "a.zip"), "--output", str(folder)])
                with zipfile.ZipFile(folder / f"wperf-{make_wheel.version_of()}-py3-none-{tag}.whl") as wheel:
                    self.assertEqual(wheel.read("wperf/wperf.dll"), image)
                    info = f"wperf-{make_wheel.version_of()}.dist-info"
                    self.assertEqual(wheel.read(f"{info}/licenses/zlib.txt"), b"zlib's")
                    self.assertIn(f"Tag: py3-none-{tag}\n", wheel.read(f"{info}/WHEEL").decode())

    def test_an_archive_for_linux_becomes_a_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "libwperf.so.3").symlink_to(LIBRARY)
            with tarfile.open(folder / "a.tar.gz", "w:gz", dereference=True) as archive:
                archive.add(folder / "libwperf.so.3", "wperf/lib/libwperf.so.3")
            self.assertEqual(make_wheel.main(["--archive", str(folder / "a.tar.gz"), "--output", str(folder)]), 0)
            (wheel,) = folder.glob("*.whl")
            with zipfile.ZipFile(wheel) as opened:
                self.assertEqual(opened.read("wperf/libwperf.so"), pathlib.Path(LIBRARY).read_bytes())
            with tarfile.open(folder / "empty.tar.gz", "w:gz"):
                pass
            with self.assertRaisesRegex(make_wheel.Refused, "has 0 files of libwperf"):
                make_wheel.unpack_library(folder / "empty.tar.gz", folder)

    def test_it_works_in_a_fresh_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            wheel = self.make(folder)
            with zipfile.ZipFile(wheel) as archive:
                self.assertIn("wperf/libwperf.so", archive.namelist())
            done = subprocess.run([sys.executable, "-m", "venv", folder / "fresh"], capture_output=True, text=True)
            if done.returncode != 0:
                self.skipTest("python3 -m venv does not work here: " + done.stdout.strip())
            python = folder / "fresh/bin/python"
            subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", wheel], check=True)
            subprocess.run([python, "-m", "pip", "check", "--disable-pip-version-check"], check=True, capture_output=True)
            code = ("import wperf, wperf._library\nprint(wperf.version(), wperf._library._places()[0])\n"
                    "wperf.Machine('linux').open()")
            environment = {name: value for name, value in os.environ.items() if name not in ("WPERF_LIBRARY", "PYTHONPATH")}
            done = subprocess.run([python, "-I", "-c", code], cwd="/", env=environment, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        version, place = done.stdout.split()
        self.assertEqual(version, make_wheel.version_of())
        self.assertTrue(place.startswith(str(folder)), place)
        self.assertTrue(place.endswith("site-packages/wperf/libwperf.so"), place)


class Loading(unittest.TestCase):
    def import_with(self, library):
        environment = dict(os.environ, PYTHONPATH=str(SOURCE / "python"), WPERF_LIBRARY=str(library))
        return subprocess.run([sys.executable, "-B", "-c", "import wperf\ntry: wperf.version()\nexcept wperf.Error as e: print(e)"],
                              env=environment, capture_output=True, text=True).stdout

    def test_a_library_that_is_not_there(self):
        self.assertRegex(self.import_with("/nowhere/libwperf.so"), r"cannot be loaded.*/nowhere.*set WPERF_LIBRARY")

    def test_an_older_library(self):
        with tempfile.TemporaryDirectory() as folder:
            old = pathlib.Path(folder) / "old.so"
            subprocess.run(["cc", "-shared", "-x", "c", "-", "-o", old], input="int wperf_init(void) { return 1; }", text=True, check=True)
            self.assertRegex(self.import_with(old), r"old\.so has no wperf_\w+: it is older")


class Page(unittest.TestCase):
    """The examples of the page run unchanged and print the output that the page shows, except for numbers that depend
    on the machine."""

    def test_the_examples_run(self):
        text = PAGE.read_text(encoding="utf-8")
        examples = re.findall(r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(examples), 4)
        self.assertEqual(text.count("```python"), len(examples))
        before = os.getcwd()
        os.environ["WPERF_SIM_INSTANCE"] = "python-" + uuid.uuid4().hex[:12]
        with tempfile.TemporaryDirectory() as folder:
            for name in os.listdir(pathlib.Path(workload("exact.exe")).parent):
                os.symlink(workload(name), pathlib.Path(folder) / name)
            os.chdir(folder)
            try:
                for code, shown in examples:
                    on_linux = "sim" not in code
                    if on_linux and not has_linux_events():
                        continue
                    printed = io.StringIO()
                    with contextlib.redirect_stdout(printed):
                        exec(compile(code, str(PAGE), "exec"), {"__name__": "__main__"})
                    with self.subTest(code=code):
                        found, wanted = printed.getvalue(), shown
                        if on_linux:
                            found, wanted = (re.sub(r"[\d.]+", "0", one) for one in (found, wanted))
                        self.assertEqual(found, wanted)
            finally:
                os.chdir(before)
                del os.environ["WPERF_SIM_INSTANCE"]


if __name__ == "__main__":
    unittest.main()
