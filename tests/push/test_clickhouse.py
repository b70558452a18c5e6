#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A thousand profiles of two builds in ClickHouse. The queries of docs/user/clickhouse.md give the same answers as
wperf does for these profiles together."""
import collections
import concurrent.futures
import json
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import SOURCE, WperfTest  # noqa: E402

PROFILES, HOSTS, FUNCTIONS = 1000, 20, 40
SLOWER = "parse_header"  # in the second build
PATIENCE = 60
CONFIG = """<yandex>
<logger><level>error</level><log>{0}/log</log><errorlog>{0}/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><tcp_port>{1}</tcp_port><path>{0}/data/</path><tmp_path>{0}/tmp/</tmp_path>
<mark_cache_size>100000000</mark_cache_size><users_config>{0}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
</yandex>"""
USERS = """<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password></password>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>"""


def queries():
    page = (SOURCE / "docs" / "user" / "clickhouse.md").read_text(encoding="utf-8")
    return re.findall(r"```sql\n(.*?)```", page, re.DOTALL)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@unittest.skipUnless(shutil.which("clickhouse-server") and shutil.which("clickhouse-client"), "ClickHouse is not installed")
class ClickHouse(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.port = free_port()
        (cls.folder / "config.xml").write_text(CONFIG.format(cls.folder, cls.port), encoding="utf-8")
        (cls.folder / "users.xml").write_text(USERS, encoding="utf-8")
        server = subprocess.Popen(["clickhouse-server", f"--config-file={cls.folder / 'config.xml'}"], cwd=cls.folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.kill)
        end = time.monotonic() + PATIENCE
        while cls.client("SELECT 1").stdout != b"1\n":
            if server.poll() is not None or time.monotonic() > end:
                raise unittest.SkipTest("ClickHouse does not start on this machine")
            time.sleep(0.2)

    @classmethod
    def client(cls, query, data=b""):
        return subprocess.run(["clickhouse-client", "--host", "127.0.0.1", "--port", str(cls.port), "--query", query],
                              input=data, capture_output=True)

    def ask(self, query, data=b""):
        done = self.client(query, data)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def rows(self, query):
        return [line.split("\t") for line in self.ask(query).splitlines()]

    def make_profiles(self):
        """Folded stacks of each profile, and their sums for each build: {build: {stack: count}}."""
        chance = random.Random(7)
        together = collections.defaultdict(collections.Counter)
        for number in range(PROFILES):
            build = "41" if number % 2 == 0 else "42"
            stacks = collections.Counter()
            for _ in range(12):
                leaf = f"work_{min(int(chance.expovariate(0.2)), FUNCTIONS - 1)}"
                stacks[f"main;loop;{leaf}"] += chance.randrange(1, 50)
            stacks[f"main;read, \"all\";{SLOWER}"] += 20 if build == "41" else 90
            stacks[f"main;{SLOWER}"] += number % 3 + 1
            together[build] += stacks
            text = "".join(f"{stack} {count}\n" for stack, count in stacks.items())
            (self.folder / f"{number}.folded").write_text(text, encoding="utf-8")
        return together

    def export(self, number):
        build = "41" if number % 2 == 0 else "42"
        file = self.folder / f"{number}.csv"
        self.ok("report", self.folder / f"{number}.folded", "--export", "csv", "--label", f"build={build}", "--label",
                f"host=h{number % HOSTS}", "-o", file)
        header, rows = file.read_bytes().split(b"\n", 1)
        self.assertTrue(header.startswith(b"build,host,event,"))
        return rows

    def what_wperf_says(self, build, stacks):
        file = self.folder / f"all-{build}.folded"
        file.write_text("".join(f"{stack} {count}\n" for stack, count in stacks.items()), encoding="utf-8")
        document = json.loads(self.ok("report", file, "--sort", "symbol", "--json"))
        return {row["symbol"]: row["samples"] for row in document["recording"]["events"][0]["rows"]}

    def test_the_queries_of_the_page(self):
        create, hottest, grown, callers = queries()
        together = self.make_profiles()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            data = b"".join(pool.map(self.export, range(PROFILES)))
        self.ask(create)
        self.ask("INSERT INTO profiles FORMAT CSV", data)
        self.assertEqual(self.ask("SELECT uniq(build), uniq(host) FROM profiles"), f"2\t{HOSTS}\n")
        truth = {build: self.what_wperf_says(build, stacks) for build, stacks in together.items()}
        totals = {build: sum(functions.values()) for build, functions in truth.items()}

        expected = []
        for build in ("41", "42"):
            ranked = sorted(truth[build].items(), key=lambda one: (-one[1], one[0]))
            expected += [[build, function, str(hits)] for function, hits in ranked[:3]]
        self.assertEqual(self.rows(hottest), expected)

        grew = self.rows(grown)
        self.assertEqual(grew[0][0], SLOWER)
        for function, old, new in grew:
            self.assertAlmostEqual(float(old), 100 * truth["41"].get(function, 0) / totals["41"], places=9)
            self.assertAlmostEqual(float(new), 100 * truth["42"].get(function, 0) / totals["42"], places=9)
        best = max(truth["42"], key=lambda one: truth["42"][one] / totals["42"] - truth["41"].get(one, 0) / totals["41"])
        self.assertEqual(best, SLOWER)

        found = {stack: int(hits) for stack, hits in self.rows(callers)}
        self.assertEqual(found, {stack: count for stack, count in together["42"].items() if stack.endswith(SLOWER)})


if __name__ == "__main__":
    unittest.main()
