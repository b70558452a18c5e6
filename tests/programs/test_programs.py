#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Third-party programs, built by scripts/programs, run on the simulated machine and give the same answers as Debian's
builds. Their profiles name their functions."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import BINARY, SOURCE, TIMEOUT, WperfTest  # noqa: E402

TOOLS = SOURCE / "build" / "tools"
PROGRAMS = TOOLS / "programs"

LUA = """
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(15), 7 // 2, 7 / 2, 2^53, -0.0, 1e300 * 1e10, math.pi, 10 // 0.0)
local words = {}
for line in io.lines("words.txt") do words[#words + 1] = line end
table.sort(words)
print(#words, words[1], words[#words], table.concat(words, " ", 1, 5))
print(string.format("%5.2f|%-8s|%08x|%g|%e|%q", 1 / 3, "left", 48879, 1e20, 12345.678, "a\\nb"))
print(pcall(error, { code = 1 }) and "" or "caught", select("#", 1, nil, nil), #arg, arg[1])
print(("the quick brown fox"):gsub("%w+", function(word) return word:upper():reverse() end))
local task = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i * i) end end)
print(task(), task(), task(), math.sin(1), math.exp(2), 2 ^ 0.5, math.fmod(-7, 3), tostring(1e15), 0x7fffffffffffffff + 1)
print(io.read("n", "l", "L", "a"))
io.stderr:write("to the other one\\n")
os.exit(3)
"""

SQL = """
create table numbers(n integer primary key, square integer, name text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 2000)
  insert into numbers select x, x * x % 997, printf('%05d-%s', x, hex(x)) from c;
create index by_square on numbers(square);
.mode column
select count(*), sum(square), max(name), avg(n), round(total(square) / 7, 3) from numbers;
select square, count(*) as many from numbers group by square having many > 2 order by many desc, square limit 5;
select a.n, b.n from numbers a join numbers b on a.square = b.square and a.n < b.n order by 1, 2 limit 4;
begin; delete from numbers where n % 3 = 0; rollback;
select count(*), group_concat(distinct n % 7), upper('straße'), 1e300 * 1e10, 1 / 3.0, date('2024-02-28', '+2 days') from numbers;
.mode list
select name like '%A%', instr(name, 'F'), substr(name, 2, 4), quote(name) from numbers where n in (1, 77, 1999);
select json_extract('{"a":[1,2,{"b":3}]}', '$.a[2].b'), abs(-9223372036854775807), 9223372036854775807 + 1;
select * from nothing;
"""

JAVASCRIPT = """
function Tree(key) { this.key = key; }
Tree.prototype.add = function (key) {
  var side = key < this.key ? "left" : "right";
  if (this[side]) this[side].add(key); else this[side] = new Tree(key);
};
Tree.prototype.sum = function () { return this.key + (this.left ? this.left.sum() : 0) + (this.right ? this.right.sum() : 0); };
var tree = new Tree(500), seed = 1;
for (var i = 0; i < 500; ++i) { seed = (seed * 1103515245 + 12345) % 2147483648; tree.add(seed % 1000); }
print(tree.sum(), [10, 9, 1, "b", "a"].sort(), JSON.stringify({ a: [1, 2.5, null, "x\\u00e4"], b: { c: true } }));
print(0.1 + 0.2, 1e21, 1 / 3, (255).toString(16), (1234.5678).toFixed(2), parseInt("0x1f"), Math.atan2(1, 2), Math.pow(2, 0.5));
print("a-b-c".split("-").reverse().join("+"), /(\\d+)-(\\d+)/.exec("tel 12-345")[2], "x".replace(/x/, "$&$&"));
try { null.f(); } catch (error) { print(error.name); }
print(new Date(0).toISOString(), encodeURIComponent("ä b"), isNaN("x"), [1, 2, 3].map(function (x) { return x * x; }));
"""

CALCULATIONS = """
2^200; 10^50/7; scale=30; 1/3; sqrt(2); e(1); a(1)*4; s(1); l(10); j(1,2)
define f(n) { if (n <= 1) return (1); return (n * f(n - 1)); }
f(60); obase=16; 3735928559; obase=10; ibase=2; 101101; ibase=A
for (i = 0; i < 5; ++i) { a[i] = i ^ 3; }; a[4]; length(12345.678); "text
"
1/0
"""


def words(count):
    chance = random.Random(1)
    return ["".join(chance.choice("abcdefghij") for _ in range(chance.randint(2, 9))) for _ in range(count)]


def text_of(done):
    """Windows' C runtime ends lines with two characters."""
    return done.stdout.decode().replace("\r\n", "\n")


class Programs(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not any(PROGRAMS.glob("*.exe")):
            raise unittest.SkipTest("scripts/programs has built nothing here")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.device = f"sim:pace=free,folder={cls.folder},writes=on"

    def put(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def program(self, name):
        path = PROGRAMS / f"{name}.exe"
        if not path.exists():
            self.skipTest(f"scripts/programs has not built {name} here")
        return str(path)

    def native(self, name, *arguments, given=""):
        if shutil.which(name) is None:
            self.skipTest(f"Debian's {name} is not on this machine")
        return subprocess.run([name, *arguments], input=given.encode(), cwd=self.folder, capture_output=True, timeout=60)

    def simulated(self, name, *arguments, given=""):
        """The program's own streams, its exit status and the counts."""
        report = self.folder.parent / f"{self.folder.name}.json"
        environment = dict(self.environment, WPERF_DEVICE=self.device + ",console=shown")
        try:
            done = subprocess.run(
                [BINARY, "stat", "-e", "inst_retired", "-c", "0", "--json", "-o", str(report), "--", self.program(name),
                 *arguments], input=given.encode(), env=environment, capture_output=True, timeout=TIMEOUT)
        finally:
            report.unlink(missing_ok=True)
        self.assertNotIn(b"crashed on the simulated machine", done.stderr)
        return done

    def same(self, name, *arguments, given="", native=None):
        expected = self.native(native or name, *arguments, given=given)
        done = self.simulated(name, *arguments, given=given)
        self.assertEqual(text_of(done), text_of(expected))
        self.assertNotEqual(expected.stdout, b"")
        return done

    def named(self, *arguments, program, given=""):
        """Runs a program with an input and returns wperf's output about it."""
        done = self.run_wperf(*arguments, "--", *program, device=self.device, text=given)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


class Answers(Programs):
    def test_bc(self):
        self.same("bc", "-l", given=CALCULATIONS)
        self.same("bc", given="10^1000\n")

    def test_bc_on_its_own_tests(self):
        for name in ("array.b", "arrayp.b", "aryprm.b", "BUG.bc"):
            with self.subTest(name):
                shutil.copy(TOOLS / "bc" / "Test" / name, self.folder)
                self.same("bc", "-l", name, given="")

    def test_lua(self):
        self.put("words.txt", "\n".join(words(500)) + "\n")
        self.put("script.lua", LUA)
        expected = self.native("lua5.4", "script.lua", "an argument", given="42 rest\nline\nall\nof it")
        done = self.simulated("lua", "script.lua", "an argument", given="42 rest\nline\nall\nof it")
        self.assertEqual(text_of(done), text_of(expected))
        self.assertEqual(expected.returncode, 3)
        self.assertIn(b"to the other one\r\n", done.stderr)
        self.same("lua", "-", native="lua5.4", given="print(#io.read('a')) print(_VERSION)")

    def test_mujs(self):
        self.same("mujs", self.put("script.js", JAVASCRIPT))

    def test_sqlite3(self):
        self.same("sqlite3", ":memory:", given=SQL)
        self.simulated("sqlite3", "made.db", given=SQL)
        question = "select count(*), sum(n * square) from numbers; pragma integrity_check;"
        self.same("sqlite3", "made.db", question)
        self.assertIn("ok", self.native("sqlite3", "made.db", question).stdout.decode())

    def test_zstd(self):
        text = "\n".join(words(20000))
        self.put("text", text)
        self.simulated("zstd", "-q", "text", "-o", "simulated.zst")
        self.native("zstd", "-q", "--single-thread", "text", "-o", "native.zst")
        self.assertEqual((self.folder / "simulated.zst").read_bytes(), (self.folder / "native.zst").read_bytes())
        self.simulated("zstd", "-q", "-d", "native.zst", "-o", "back")
        self.assertEqual((self.folder / "back").read_text(), text)

    def test_fasttext_with_threads(self):
        chance = random.Random(2)
        kinds = {"colour": "red green blue cyan white".split(), "animal": "dog cat cow horse pig".split()}
        lines = [f"__label__{kind} " + " ".join(chance.choice(kinds[kind]) for _ in range(6))
                 for kind in kinds for _ in range(60)]
        chance.shuffle(lines)
        self.put("lessons", "\n".join(lines) + "\n")
        learn = ("supervised", "-input", "lessons", "-output", "model", "-thread", "4", "-epoch", "4", "-dim", "6", "-bucket",
                 "500", "-lr", "1")
        self.simulated("fasttext", *learn)
        done = self.same("fasttext", "test", "model.bin", "lessons")
        self.assertIn("P@1\t1\n", text_of(done))
        # The program starts with four threads and makes four more for training. The last thread runs on the core of the
        # first thread.
        text = self.named("record", "-g", "-e", "inst_retired:2000", "-c", "0", program=(self.program("fasttext"), *learn))
        self.assertIn("fasttext::Model::update", text)


class Views(Programs):
    """The hot functions of each program are known: bc multiplies, lua interprets."""

    def test_counts_repeat(self):
        once, again = (self.named("stat", "-e", "inst_retired", "-c", "0", "--json", program=(self.program("bc"),), given="7^99\n")
                       for _ in range(2))
        self.assertEqual(once, again)

    def test_record_names_functions(self):
        text = self.named("record", "-e", "inst_retired:20000", "-c", "0", program=(self.program("bc"),), given="10^3000\n")
        self.assertRegex(text, r"(?m)^ +[5-9]\d\.\d\d +\d+ +_bc_rec_mul$")

    def test_callers_are_named(self):
        text = self.named("record", "-g", "-e", "inst_retired:20000", "-c", "0", "--folded", program=(self.program("bc"),), given="10^3000\n")
        self.assertRegex(text, r"(?m)main;yyparse;.*execute;.*bc_raise;.*bc_multiply;_bc_rec_mul")

    def test_spe_names_functions(self):
        text = self.named("record", "-e", "arm_spe_0/load_filter=1/", "-c", "0", program=(self.program("bc"),), given="10^3000\n")
        self.assertRegex(text, r"(?m)^ +[5-9]\d\.\d\d +\d+ +_bc_rec_mul$")

    def test_topdown_names_functions(self):
        text = self.named("topdown", program=(self.program("bc"),), given="10^3000\n")
        self.assertIn("bc.exe!_bc_rec_mul", text)


class Closed(Programs):
    """A program sees only the given folder, and may change it only with permission."""

    def lua(self, script, device):
        self.put("try.lua", script)
        done = subprocess.run([BINARY, "stat", "-e", "inst_retired", "-c", "0", "--json", "-o", str(self.folder / "report"), "--",
                               self.program("lua"), "try.lua"], stdin=subprocess.DEVNULL, text=True, capture_output=True,
                              env=dict(self.environment, WPERF_DEVICE=device), timeout=TIMEOUT)
        return done.stdout

    def test_nothing_outside_is_there(self):
        (self.folder / "link").symlink_to("/etc/passwd")
        script = 'for _, name in ipairs{"link", "/etc/passwd", "../../../etc/passwd", "C:/etc/passwd", "//?/C:/etc/passwd"} do ' \
                 'print(io.open(name)) end'
        text = self.lua(script, self.device + ",console=shown")
        self.assertEqual(text.count("nil\t"), 5, text)

    def test_reads_and_does_not_write_unless_told(self):
        text = self.lua('print(io.open("try.lua")) print(io.open("new", "w"))', f"sim:pace=free,folder={self.folder},console=shown")
        self.assertIn("file (", text)
        self.assertIn("nil\tnew: Permission denied\t13", text)
        self.assertFalse((self.folder / "new").exists())


ZIG = pathlib.Path(os.environ.get("WPERF_ZIG") or next(iter(TOOLS.glob("zig-*/package/zig")), "none"))


@unittest.skipUnless(ZIG.exists(), "needs zig to build the program")
class BuiltTest(WperfTest):
    """A program of this folder, built for Windows."""
    PROGRAM = ""
    LIBRARIES = ()
    EXPECTED = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        source = pathlib.Path(__file__).resolve().with_name(f"{cls.PROGRAM}.c")
        subprocess.run([ZIG, "cc", "-target", "aarch64-windows-gnu", "-O1", "-g", "-gcodeview", "-w", source, "-o", f"{cls.PROGRAM}.exe",
                        *cls.LIBRARIES], cwd=cls.folder, check=True, capture_output=True)

    def check_output(self):
        done = self.run_wperf("stat", "-q", "-e", "inst_retired", "-c", "0", "--json", "-o", "counts.json", "--",
                              self.folder / f"{self.PROGRAM}.exe", device="sim:pace=free,console=shown", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), self.EXPECTED)


class ChildrenTest(BuiltTest):
    """A program that starts other programs, communicates with them and waits for them."""
    PROGRAM = "children"
    EXPECTED = ["wrote 10000", r"got child one: 10000 in C:\work, yes", "the end is error 109", "exit code 42", "now 997", "event 0",
                "pipe says hello, exit code 5", "routine: error 0, 5 bytes, 0", "woken by 192", "pipe says hello, exit code 5", "crash c0000005", "early 258", "ended 9"]

    def test_pipes_exit_codes_and_what_is_inherited(self):
        self.check_output()

    def test_ctrl_c_goes_to_the_children_as_well(self):
        self.ok("machine", "start", device="sim")
        self.addCleanup(self.run_wperf, "machine", "stop")
        running = subprocess.Popen([BINARY, "machine", "run", "--", self.folder / "children.exe", "ctrl-c"], text=True,
                                   stdout=subprocess.PIPE, env=dict(self.environment, WPERF_DEVICE="sim"))
        self.assertEqual(running.stdout.readline(), "ready\n")
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.communicate(timeout=TIMEOUT)[0], "both were interrupted, exit code 3\n")
        self.assertEqual(running.returncode, 3)

    def test_waits_name_the_process_that_ended_them(self):
        found = self.json("waits", "-q", "-o", self.folder / "w.etl", "--json", "--", self.folder / "children.exe", device="etw:fake,pace=free")
        reads = [row for row in found["waits"]["wakers"] if row["function"] == "NtReadFile" and "(1004)" in row["waiter"]]
        self.assertIn("children.exe (1012)", {row["waker"] for row in reads})


class SocketsTest(BuiltTest):
    PROGRAM = "sockets"
    LIBRARIES = ("-lws2_32", "-lmswsock")
    EXPECTED = ["echoed 1000000", "the other process ended with 7", "keys 31, port right, 16 bytes of address", "key 2: by port",
                "closed: cancelled, error 995", "events 8, 1", "event 32", "8 bytes: datagram", "then -1, error 10060",
                "localhost is 127.0.0.1, example.com is error 11001", "nobody: -1, error 10061", "outside: -1, error 10051"]

    def test_processes_and_threads_talk_by_sockets(self):
        self.check_output()


class ObjectsTest(BuiltTest):
    """Timers that call a routine, permissions, ids."""
    PROGRAM = "objects"
    EXPECTED = ["4 calls", "0 wrong"]

    def test_timers_call_and_questions_are_answered(self):
        self.check_output()


class QuestionsTest(BuiltTest):
    """A program asks about the machine, its memory, its children and its console."""
    PROGRAM = "questions"
    LIBRARIES = ("-ladvapi32",)
    EXPECTED = ["0 wrong"]

    def test_the_answers_are_right(self):
        self.check_output()

    def test_a_program_that_ctrl_break_ends_has_not_crashed(self):
        done = self.run_wperf("stat", "-q", "-e", "inst_retired", "-c", "0", "--", self.folder / "questions.exe", "break",
                              device="sim:pace=free,console=shown")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class FilesTest(BuiltTest):
    """Files with Windows' semantics."""
    PROGRAM = "files"

    def check_part(self, part, *lines):
        with tempfile.TemporaryDirectory() as work:
            done = self.run_wperf("stat", "-q", "-e", "inst_retired", "-c", "0", "--json", "-o", self.folder / "counts.json", "--",
                                  self.folder / "files.exe", part, device=f"sim:pace=free,console=shown,folder={work},writes=on")
            self.assertEqual((done.returncode, done.stderr, done.stdout.splitlines()), (0, "", [*lines, "0 wrong"]))
            self.assertEqual(os.listdir(work), [])

    def test_handles_share_files_as_they_say(self):
        self.check_part("sharing")

    def test_attributes_and_times_are_kept(self):
        self.check_part("attributes")

    def test_letters_of_all_alphabets_have_two_cases(self):
        self.check_part("names")

    def test_files_have_several_names(self):
        self.check_part("links")

    def test_folders_are_watched(self):
        self.check_part("watch", "-below\\a.txt +b.txt -b.txt ")

    def test_there_is_one_drive(self):
        self.check_part("drives")


@unittest.skipUnless(ZIG.exists() and shutil.which("c++"), "needs zig and a native compiler to build the programs")
class ExceptionsTest(WperfTest):
    """One source is built twice: for Windows, where the simulated machine unwinds its stacks, and for this system."""
    SOURCE = pathlib.Path(__file__).resolve().with_name("exceptions.cpp")

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def build(self, compiler, name, *options):
        subprocess.run([*compiler, "-std=c++17", *options, self.SOURCE, "-o", self.folder / name], check=True, capture_output=True)
        return self.folder / name

    def test_exceptions_unwind_as_on_this_system(self):
        native = subprocess.run([self.build(["c++"], "native", "-O1", "-pthread")], capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(native.returncode, 3)
        windows = [ZIG, "c++", "-target", "aarch64-windows-gnu", "-g", "-gcodeview", "-fno-lto", "-w"]
        for optimised in ("-O0", "-O2"):
            with self.subTest(optimised):
                program = self.build(windows, f"exceptions{optimised}.exe", optimised, "-fno-sanitize=undefined")
                done = self.run_wperf("stat", "-v", "-e", "inst_retired", "-c", "0", "--json", "-o", "counts.json", "--", program,
                                      device="sim:pace=free,console=shown", cwd=self.folder)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, native.stdout)
        ended = self.run_wperf("stat", "-e", "inst_retired", "-c", "0", "--", program, "uncaught", device="sim:pace=free,console=shown")
        self.assertIn("terminating due to uncaught exception of type", ended.stderr)


if __name__ == "__main__":
    unittest.main()
