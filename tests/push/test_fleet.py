#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A fleet's profiles in ClickHouse: `wperf push` sends the profiles of 50 hosts and two builds, the test copies them to
a thousand profiles in the database, and `report` and `diff` read them back. The test itself wrote the profiles, so it
knows the true values."""
import collections
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import clickhouse_server  # noqa: E402
from push_support import SECRET, free_port, hostile_recording  # noqa: E402
from support import BINARY, SOURCE, WORKLOADS, WperfTest  # noqa: E402

HOSTS, ROUNDS, FUNCTIONS, SAMPLES = 50, 10, 40, 300  # 2 builds x 50 hosts x 10 rounds
SLOWER = "parse_header"  # in the second build
HOSTILE = "a'b\\'; DROP TABLE wperf_samples; -- \"ü😀%&"


def build_of(number):
    return "41" if number % 2 == 0 else "42"


def percent(text):
    return "".join(f"%{byte:02X}" for byte in text.encode())


@unittest.skipUnless(clickhouse_server.is_there(), "there is no ClickHouse here")
class FleetTest(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = clickhouse_server.Server()
        cls.addClassCleanup(cls.server.stop)
        cls.folder = cls.server.folder

    def push(self, file, database, *more, **keywords):
        return self.ok("push", file, "--to", "clickhouse", "--url", self.server.url(database), *more, **keywords)

    def make_database(self, name):
        self.server.ask(f"CREATE DATABASE IF NOT EXISTS {name}")

    def folded(self, name, stacks):
        file = self.folder / name
        file.write_text("".join(f"{stack} {count}\n" for stack, count in stacks.items()), encoding="utf-8")
        return file

    def rows_of(self, *arguments):
        document = json.loads(self.ok("report", *arguments, "--json"))
        return {row["symbol"]: row["samples"] for row in document["recording"]["events"][0]["rows"]}


class Fleet(FleetTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        chance = random.Random(7)
        cls.stacks = [*(f"main;loop;work_{function}" for function in range(FUNCTIONS)), f"main;{SLOWER}",
                      f"main;read, \"all\";{SLOWER}"]
        cls.together = collections.defaultdict(collections.Counter)
        for number in range(2 * HOSTS):
            weights = [*(1 / (1 + function) for function in range(FUNCTIONS)), 0.2, 0.02 if build_of(number) == "41" else 0.2]
            stacks = collections.Counter(chance.choices(cls.stacks, weights, k=SAMPLES))
            cls.together[build_of(number)] += collections.Counter({stack: ROUNDS * count for stack, count in stacks.items()})
            cls.folded(cls, f"{number}.folded", stacks)
        cls.make_database(cls, "fleet")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda number: cls.send(cls, number), range(2 * HOSTS)))
        # Later rounds insert the same rows as other profiles, because a thousand processes would take too long.
        columns = [row[0] for row in cls.server.rows("SELECT name FROM system.columns WHERE table = 'wperf_samples' AND "
                                                     "database = 'fleet' AND name NOT IN ('profile', 'table_version')")]
        cls.server.ask(f"INSERT INTO wperf_samples (profile, {', '.join(columns)}) SELECT concat(profile, toString(number)), "
                       f"{', '.join(columns)} FROM wperf_samples CROSS JOIN (SELECT number FROM system.numbers LIMIT {ROUNDS - 1})",
                       "fleet")

    def send(self, number):
        done = subprocess.run([BINARY, "push", self.folder / f"{number}.folded", "--to", "clickhouse", "--url",
                               self.server.url("fleet"), "--label", f"build={build_of(number)}", "--label",
                               f"host=h{number // 2}"], capture_output=True)
        assert done.returncode == 0, done.stderr

    def truth(self, build):
        return self.rows_of(self.folded(f"all-{build}.folded", self.together[build]))

    def test_a_report_is_the_sum_of_the_profiles(self):
        for build in ("41", "42"):
            address = self.server.address("fleet", f"build={build}&since=1d")
            self.assertEqual(self.rows_of(address), self.truth(build))
        everything = self.rows_of(self.server.address("fleet"))
        self.assertEqual(sum(everything.values()), sum(sum(one.values()) for one in self.together.values()))
        self.assertTrue(self.ok("report", address).startswith(f"500 profiles of {HOSTS} hosts, "))

    def test_every_view_is_that_of_the_profiles_together(self):
        file = self.folded("all-42.folded", self.together["42"])
        address = self.server.address("fleet", "build=42")
        for view in (["--tree"], ["--children", "--sort", "symbol"], ["--folded"], ["--brief"], ["--callers"],
                     ["--export", "folded", "-o", "-"]):
            with self.subTest(view):
                of_file, of_fleet = (self.ok("report", one, *view).replace(f'"{one}"', "FILE").replace(str(one), "FILE") for one in (file, address))
                self.assertEqual(sorted(of_fleet.splitlines()[2:] if of_fleet.startswith("500 prof") else of_fleet.splitlines()),
                                 sorted(of_file.splitlines()))
        page = self.folder / "page.html"
        self.ok("report", address, "--html", page)
        self.assertIn(SLOWER, page.read_text(encoding="utf-8"))

    def test_diff_finds_what_costs_more(self):
        document = json.loads(self.ok("diff", self.server.address("fleet", "build=41"),
                                      self.server.address("fleet", "build=42"), "--json"))["diff"]
        self.assertEqual(len(document["before"]), HOSTS)
        found = [row["function"] for row in document["events"][0]["functions"] if row["sure"]]
        self.assertEqual(found[:1], [SLOWER])
        text = self.ok("diff", self.server.address("fleet", "build=41"), self.server.address("fleet", "build=42"))
        self.assertIn(f"{HOSTS} hosts of clickhouse://", text)
        self.assertIn(SLOWER, text)
        # Compares half of the hosts with the other half: nothing changed.
        halves = ["&".join(f"host=h{host}" for host in hosts) for hosts in (range(0, HOSTS, 2), range(1, HOSTS, 2))]
        document = json.loads(self.ok("diff", *(self.server.address("fleet", f"build=41&{half}") for half in halves), "--json"))
        self.assertEqual([row for row in document["diff"]["events"][0]["functions"] if row["sure"]], [])

    def test_the_queries_of_the_page(self):
        page = (SOURCE / "docs" / "user" / "clickhouse.md").read_text(encoding="utf-8")
        hottest, grown, callers = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
        truth = {build: self.truth(build) for build in ("41", "42")}
        totals = {build: sum(functions.values()) for build, functions in truth.items()}
        expected = []
        for build in ("41", "42"):
            ranked = sorted(truth[build].items(), key=lambda one: (-one[1], one[0]))
            expected += [[build, function, str(hits)] for function, hits in ranked[:3]]
        self.assertEqual(self.server.rows(hottest, "fleet"), expected)
        grew = self.server.rows(grown, "fleet")
        self.assertEqual(grew[0][0], SLOWER)
        for function, old, new in grew:
            self.assertAlmostEqual(float(old), 100 * truth["41"].get(function, 0) / totals["41"], places=9)
            self.assertAlmostEqual(float(new), 100 * truth["42"].get(function, 0) / totals["42"], places=9)
        found = {stack: int(hits) for stack, hits in self.server.rows(callers, "fleet")}
        self.assertEqual(found, {stack: count for stack, count in self.together["42"].items() if stack.endswith(SLOWER)})

    def test_nothing_found_says_what_is_there(self):
        said = self.fails("report", self.server.address("fleet", "build=43"))
        self.assertIn("41 (500, ", said)
        self.assertIn("42 (500, ", said)


class Table(FleetTest):
    def setUp(self):
        self.database = self.id().rsplit(".", 1)[1]
        self.make_database(self.database)
        self.file = self.folded("small.folded", {"main;work": 30, "main;other": 12})

    def address(self, query=""):
        return self.server.address(self.database, query)

    def test_a_profile_that_arrives_twice_counts_once(self):
        for _ in range(3):
            self.push(self.file, self.database, "--label", "host=a")
        self.assertEqual(self.rows_of(self.address()), {"work": 30, "other": 12})
        self.assertIn("1 profile of 1 host", self.ok("report", self.address()))

    def test_labels_may_have_any_value(self):
        for value in (HOSTILE, "plain"):
            for name in ("build", "zone"):
                self.push(self.file, self.database, "--label", f"{name}={value}", "--label", "host=a")
        for name in ("build", "zone"):
            self.assertIn("1 profile of", self.ok("report", self.address(f"{name}={percent(HOSTILE)}")))
            self.assertIn("2 profiles of", self.ok("report", self.address(f"{name}={percent(HOSTILE)}&{name}=plain")))
        self.assertIn("no profile", self.fails("report", self.address("build=x'%20OR%201=1%20OR%20'")))
        self.assertIn("4 profiles", self.ok("report", self.address()))

    def test_names_of_a_recording_come_back(self):
        """Modules, lines, marks and hostile names: the tables are the same as for the recording."""
        recording = self.folder / "hostile.data"
        symbols = hostile_recording.write(recording)
        self.addCleanup(symbols.unlink, missing_ok=True)
        sim = self.folder / "sim.data"
        self.ok("record", "-e", "inst_retired:20000", "-g", "-c", "0", "--timeout", "0.2", "-o", sim, "--",
                WORKLOADS / "googolplex.exe")
        for host, data in (("a", recording), ("b", sim)):
            self.push(data, self.database, "--label", f"host={host}")
            for sort in ("module,symbol", "symbol,line"):
                rows = [json.loads(self.ok("report", one, "--children", "--sort", sort, "--json"))["recording"]["events"]
                        for one in (data, self.address(f"host={host}"))]
                # As in every profile, files are without their folders.
                kept = [sorted(tuple(sorted((key, re.split(r"[/\\\\]", str(value))[-1]) for key, value in row.items()))
                               for event in events for row in event["rows"]) for events in rows]
                self.assertEqual(kept[1], kept[0])

    def test_an_older_table_is_brought_up_to_date_and_a_newer_one_is_refused(self):
        self.push(self.file, self.database, "--label", "host=a")
        self.server.ask("ALTER TABLE wperf_samples DROP COLUMN missing", self.database)
        self.server.ask("ALTER TABLE wperf_samples MODIFY COLUMN table_version UInt16 DEFAULT toUInt16(1)", self.database)
        self.assertIn("older wperf", self.fails("report", self.address()))
        self.push(self.file, self.database, "--label", "host=b")
        self.assertEqual(self.rows_of(self.address()), {"work": 60, "other": 24})
        self.server.ask("ALTER TABLE wperf_samples MODIFY COLUMN table_version UInt16 DEFAULT toUInt16(99)", self.database)
        for command in (["report", self.address()],
                        ["push", self.file, "--to", "clickhouse", "--url", self.server.url(self.database)]):
            said = self.fails(*command)
            self.assertIn("version 99", said)
            self.assertIn("newer wperf", said)
        self.server.ask("DROP TABLE wperf_samples", self.database)
        self.server.ask("CREATE TABLE wperf_samples (a UInt8) ENGINE = Log", self.database)
        self.assertIn("did not create", self.fails("push", self.file, "--to", "clickhouse", "--url",
                                                 self.server.url(self.database)))

    def test_passwords(self):
        environment = dict(self.environment)
        self.addCleanup(lambda: setattr(self, "environment", environment))
        for user, password, works in (("writer", SECRET, True), ("reader", SECRET, True), ("writer", "wrong", False)):
            self.environment = environment | {"WPERF_PUSH_TOKEN": f"{user}:{password}"}
            if user == "writer" and works:
                self.push(self.file, self.database, "--label", "host=a")
            if works:
                self.assertEqual(self.rows_of(self.address()), {"work": 30, "other": 12})
                continue
            said = self.fails("report", self.address()) + self.fails("push", self.file, "--to", "clickhouse", "--url",
                                                                     self.server.url(self.database))
            self.assertIn("Wrong password", said)
            self.assertNotIn("wrong:", said)
        self.environment = environment | {"WPERF_PUSH_TOKEN": "reader:" + SECRET}
        self.assertIn("readonly", self.fails("push", self.file, "--to", "clickhouse", "--url", self.server.url(self.database),
                                             "--label", "host=b"))
        self.environment = environment | {"WPERF_PUSH_TOKEN": SECRET}
        self.assertIn("USER:PASSWORD", self.fails("report", self.address(), status=2))

    def test_a_spool_waits_for_the_database(self):
        self.server.ask(f"DROP DATABASE {self.database}")
        where = ["--to", "clickhouse", "--url", self.server.url(self.database), "--spool", self.folder / self.database]
        self.assertIn("1 profile waits", self.fails("push", self.file, *where, "--label", "host=a"))
        self.make_database(self.database)
        self.assertIn("sent 1 spooled", self.ok("push", *where))
        self.assertEqual(self.rows_of(self.address()), {"work": 30, "other": 12})

    def test_commands_that_need_a_recording_say_so(self):
        for command in (["waits"], ["pgo", "--format", "llvm", "-o", "unwritten"]):
            self.assertIn("only `report` and `diff` read profiles from clickhouse://", self.fails(*command, "clickhouse://host/db"))

    def test_no_server_and_wrong_addresses(self):
        nowhere = f"clickhouse://127.0.0.1:{free_port()}/db"
        self.assertIn("connect", self.fails("report", nowhere))
        self.assertIn("connect", self.fails("diff", nowhere, nowhere + "?build=2"))
        self.assertIn("no table", self.fails("report", self.address()))
        self.assertIn("doesn't exist", self.fails("report", self.server.address("nowhere")))
        for query in ("since=1", "since=tomorrow", "until=2026-13-01", "build", "build=", "1a=b", "a=%zz", "a=%0a"):
            self.fails("report", self.address(query), status=2)
        self.fails("report", "clickhouse:///db", status=2)
        self.fails("waits", nowhere)
        spool = self.folder / "spool"
        said = self.fails("push", self.file, "--to", "clickhouse", "--url", "http://" + nowhere[len("clickhouse://"):], "--spool",
                          spool)
        self.assertIn("1 profile waits", said)


if __name__ == "__main__":
    unittest.main()
