#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The spool: no profile is lost while the server is down, a full folder drops the oldest, no profile is sent twice, and
damage is reported."""
import concurrent.futures
import re
import sys
import pathlib
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import push_support  # noqa: E402


class Spool(push_support.PushTest):
    def setUp(self):
        super().setUp()
        self.spool = self.folder / self.id().rsplit(".", 1)[1]
        self.port = push_support.free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def fill(self, count, *more):
        """Spools profiles for a server that does not exist."""
        for number in range(count):
            said = self.fails("push", self.hostile, "--url", self.url, "--spool", self.spool, "--label",
                              f"number={number}", *more)
            self.assertIn("was not sent", said)
            self.assertRegex(said, "profile(s wait| waits) in ")

    def waiting(self):
        return sorted(self.spool.glob("*.wpush"))

    def numbers(self, server):
        return [profile.labels["number"] for profile in server.profiles]

    def test_a_dead_server_and_a_restart(self):
        self.fill(2)
        self.assertEqual(len(self.waiting()), 2)
        self.assertEqual(self.spool.stat().st_mode & 0o77, 0)
        server = self.serve(port=self.port)
        said = self.push(self.hostile, self.url, "--spool", self.spool, "--label", "number=2")
        self.assertIn("and 2 spooled profiles", said)
        self.assertEqual(self.numbers(server), ["0", "1", "2"])
        self.assertEqual(self.waiting(), [])
        self.assertEqual(server.profiles[0].totals, self.truth(self.hostile))
        self.assertIn("sent 0 spooled profiles", self.ok("push", "--url", self.url, "--spool", self.spool))

    def test_what_waits_is_sent_without_a_file(self):
        self.fill(1, "--to", "otlp")
        server = self.serve(port=self.port)
        self.assertIn("sent 1 spooled profile ", self.ok("push", "--url", self.url, "--to", "otlp", "--spool", self.spool))
        self.assertEqual(server.refused, [])
        self.assertEqual(len(server.profiles), 1)

    def test_a_full_spool_drops_the_oldest_and_says_so(self):
        limit, pushed, dropped = 3 * 1024, 0, 0
        # The number of profiles that fit depends on how well they pack, and so on the length of their path.
        while dropped < 2:
            said = self.fails("push", self.hostile, "--url", self.url, "--spool", self.spool, "--label",
                              f"number={pushed}", "--spool-limit", "3K")
            pushed += 1
            told = re.search(r"(\d+) oldest profiles were dropped", said)
            dropped += int(told.group(1)) if told else 0
            self.assertEqual(len(self.waiting()), pushed - dropped)
            self.assertLessEqual(sum(file.stat().st_size for file in self.waiting()), limit)
            self.assertLess(pushed, 100)
        server = self.serve(port=self.port)
        self.ok("push", "--url", self.url, "--spool", self.spool)
        self.assertEqual(self.numbers(server), [str(number) for number in range(dropped, pushed)])
        # Incompressible, so this profile is too large for the folder.
        noise = "".join(f"{number * 7919 % 10007:x}" for number in range(300))
        done = self.run_wperf("push", self.hostile, "--url", self.url, "--spool", self.spool, "--spool-limit", "1K",
                              "--label", f"noise={noise[:1000]}")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = done.stdout + done.stderr
        self.assertIn("more than the spool folder may hold", said)
        self.assertIn("the profile is sent without being kept", said)
        self.assertEqual(len(server.profiles), pushed - dropped + 1)

    def test_damage_is_named_and_set_aside(self):
        self.fill(3)
        files = self.waiting()
        files[0].write_bytes(files[0].read_bytes()[:-1])
        files[1].write_bytes(b"\0" * 100)
        server = self.serve(port=self.port)
        done = self.run_wperf("push", "--url", self.url, "--spool", self.spool)
        self.assertEqual(done.returncode, 0, done.stderr)
        for file in files[:2]:
            self.assertIn(file.name, done.stderr)
            self.assertTrue(file.with_name(file.name + ".damaged").exists())
        self.assertEqual(self.numbers(server), ["2"])

    def test_what_is_refused_is_named_and_dropped_and_what_is_not_is_kept(self):
        self.fill(2)
        server = self.serve(port=self.port)
        server.mood = [(401,)]
        self.assertIn("401", self.fails("push", "--url", self.url, "--spool", self.spool))
        self.assertEqual(len(self.waiting()), 2)
        server.mood = [(422,)]
        done = self.run_wperf("push", "--url", self.url, "--spool", self.spool)
        self.assertIn("was dropped: the server answered 422", done.stderr)
        self.assertEqual(self.numbers(server), ["1"])
        self.assertEqual(self.waiting(), [])

    def test_another_server_s_profiles_stay(self):
        self.fill(1)
        server = self.serve()
        done = self.run_wperf("push", self.hostile, "--url", server.url, "--spool", self.spool, "--label", "number=a")
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 profiles in", done.stderr)
        self.assertEqual(self.numbers(server), ["a"])
        self.assertEqual(len(self.waiting()), 1)

    def test_several_at_once_send_nothing_twice(self):
        self.fill(6)
        server = self.serve(port=self.port)
        server.slow = 0.05
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            runs = [pool.submit(self.run_wperf, "push", self.hostile, "--url", self.url, "--spool", self.spool,
                                "--label", f"number=more{number}") for number in range(4)]
            for run in runs:
                self.assertEqual(run.result().returncode, 0, run.result().stderr)
        self.ok("push", "--url", self.url, "--spool", self.spool)
        sent = self.numbers(server)
        self.assertEqual(sorted(sent), sorted([*map(str, range(6)), *(f"more{number}" for number in range(4))]))

    def test_a_lock_that_is_a_link(self):
        self.fill(1)
        (self.spool / "lock").unlink()
        (self.spool / "lock").symlink_to("elsewhere")
        server = self.serve(port=self.port)
        done = self.run_wperf("push", self.hostile, "--url", self.url, "--spool", self.spool, "--label", "number=1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("lock is a link", done.stderr)
        self.assertNotIn("another wperf", done.stderr)
        self.assertFalse((self.spool / "elsewhere").exists())
        self.assertEqual(len(self.waiting()), 2)
        (self.spool / "lock").unlink()
        self.ok("push", "--url", self.url, "--spool", self.spool)
        self.assertEqual(sorted(self.numbers(server)), ["0", "1"])

    def test_no_token_is_kept(self):
        self.environment["WPERF_PUSH_TOKEN"] = push_support.SECRET
        self.fill(1)
        self.assertNotIn(push_support.SECRET.encode(), self.waiting()[0].read_bytes())


if __name__ == "__main__":
    unittest.main()
