#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`stat --listen`: promtool finds no fault in the output, victoria-metrics reads it and gives back wperf's values, and no request
makes it fail."""
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from push_support import free_port  # noqa: E402
from support import BINARY, TIMEOUT, WORKLOADS, WperfTest  # noqa: E402

LINE = re.compile(r"^(\w+)\{(.*)\} (\S+)$")
PATIENCE = 60


class Listen(WperfTest):
    def start(self, *more):
        self.running = subprocess.Popen([BINARY, "stat", "-e", "inst_spec,ld_spec", "-c", "0", "--timeout", "0.1", "--listen", "0",
                                         *more, "--", WORKLOADS / "googolplex.exe"], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.addCleanup(self.running.kill)
        said = self.running.stdout.readline()
        found = re.fullmatch(r"serving counts at http://(127\.0\.0\.1:(\d+))/metrics until Ctrl-C\n", said)
        self.assertTrue(found, said)
        self.port = int(found[2])

    def stop(self):
        self.running.send_signal(signal.SIGINT)
        return self.running.communicate(timeout=TIMEOUT)

    def metrics(self):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as answer:
                    self.assertEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
                    return answer.read().decode()
            except urllib.error.HTTPError as error:
                self.assertEqual(error.code, 503)  # there is no count yet
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)

    def settled(self, counts):
        """Returns the page after that many counts, once it no longer changes."""
        end = time.monotonic() + PATIENCE
        while True:
            text = self.metrics()
            if f"wperf_counts_total{{}} {counts}\n" in text:
                return text
            self.assertLess(time.monotonic(), end, text)
            time.sleep(0.05)

    def values(self, text):
        matches = [LINE.match(line) for line in text.splitlines() if line.startswith("wperf_event")]
        return {(name, labels): float(value) for name, labels, value in (match.groups() for match in matches)}

    def test_promtool_and_what_grows(self):
        self.start("-n", "3")
        values = self.values(self.settled(3))
        label = 'class="core",unit="0",event="inst_spec"'
        self.assertGreater(values["wperf_event_total", label], values["wperf_event_value", label])
        text = self.metrics()
        self.stop()
        if shutil.which("promtool") is None:
            self.skipTest("no promtool here (prometheus)")
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))

    @unittest.skipUnless(shutil.which("victoria-metrics"), "victoria-metrics is not installed")
    def test_victoria_metrics_gives_back_what_wperf_says(self):
        self.start("-n", "2")
        truth = self.values(self.settled(2))
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / "scrape.yml").write_text(
            "global: {scrape_interval: 1s}\n"
            f"scrape_configs: [{{job_name: wperf, static_configs: [{{targets: ['127.0.0.1:{self.port}']}}]}}]\n",
            encoding="utf-8")
        port = free_port()
        database = subprocess.Popen(["victoria-metrics", f"-storageDataPath={folder / 'data'}", "-search.latencyOffset=0s",
                                     f"-httpListenAddr=127.0.0.1:{port}", f"-promscrape.config={folder / 'scrape.yml'}",
                                     "-memory.allowedBytes=100000000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(database.wait)
        self.addCleanup(database.kill)
        found, end = {}, time.monotonic() + PATIENCE
        while set(found) != set(truth) and time.monotonic() < end:
            time.sleep(0.3)
            try:
                query = urllib.parse.urlencode({"query": '{job="wperf"}'})
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?{query}", timeout=10) as answer:
                    rows = json.load(answer)["data"]["result"]
            except (OSError, http.client.HTTPException):
                continue  # it is still starting
            for row in rows:
                labels = row["metric"]
                if labels["__name__"].startswith("wperf_event"):
                    text = ",".join(f'{name}="{labels[name]}"' for name in ("class", "unit", "event"))
                    found[labels["__name__"], text] = float(row["value"][1])
        self.assertEqual(found, truth)
        out, errors = self.stop()
        self.assertEqual(errors, "")
        self.assertRegex(out, r"2 counts, read \d+ times\n")

    def test_json_at_the_end_is_the_last_count(self):
        self.start("-n", "2")
        self.settled(2)
        out, errors = self.stop()
        self.assertEqual((self.running.returncode, errors), (0, ""))
        self.assertIn("2 counts", out)

    def ask(self, request, most=1 << 16):
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as one:
            try:
                one.sendall(request)
                one.shutdown(socket.SHUT_WR)
                answer = b""
                while part := one.recv(4096):
                    answer += part
                return answer[:most]
            except OSError:
                return b""

    def test_hostile_requests(self):
        self.start("-n", "1")
        self.settled(1)
        for request, status in ((b"GET /metrics HTTP/1.1\r\n\r\n", b"200"), (b"GET /metrics?a=b HTTP/1.0\r\nA: b\r\n\r\n", b"200"),
                                (b"GET / HTTP/1.1\r\n\r\n", b"404"), (b"GET /../../etc/passwd HTTP/1.1\r\n\r\n", b"404"),
                                (b"POST /metrics HTTP/1.1\r\n\r\n", b"405"), (b"HEAD /metrics HTTP/1.1\r\n\r\n", b"200"),
                                (b"GET /metrics HTTP/1.1\r\nHost: localhost:80\r\n\r\n", b"200"),
                                (b"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"421"),
                                (b"\0" * 100 + b"\r\n\r\n", b"400"), (b"GET http://a/ HTTP/1.1\r\n\r\n", b"400"),
                                (b"GET /metrics HTTP/3\r\n\r\n", b"400"), (b"GET /metrics HTTP/1.1\r\nno header\r\n\r\n", b"400"),
                                (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n", b"400"), (b"\r\n\r\n", b"400")):
            with self.subTest(request[:40]):
                answer = self.ask(request)
                # A client that sends more than wperf reads may see the connection end before the answer.
                self.assertTrue(answer.startswith(b"HTTP/1.1 " + status) or (len(request) > 8192 and not answer), answer[:80])
        self.assertEqual(self.ask(b"GET /met"), b"")  # the client disconnects in the middle
        head = self.ask(b"HEAD /metrics HTTP/1.1\r\n\r\n")
        self.assertTrue(head.endswith(b"\r\n\r\n"))
        # A silent client delays the other clients only for a short time.
        silent = socket.create_connection(("127.0.0.1", self.port))
        self.addCleanup(silent.close)
        self.assertIn("wperf_event_value", self.metrics())
        self.stop()

    def test_half_open_clients_hold_nobody_up(self):
        self.start("-n", "1")
        self.settled(1)
        silent = []
        for _ in range(100):  # more connections than wperf keeps; each sends half of a request
            one = socket.create_connection(("127.0.0.1", self.port), timeout=10)
            self.addCleanup(one.close)
            one.sendall(b"GET /metr")
            silent.append(one)
        # If wperf gave each silent client two seconds, one after the other, these requests would time out.
        for _ in range(3):
            self.assertIn("wperf_event_value", self.metrics())
        _, errors = self.stop()
        self.assertEqual(errors, "")

    def test_without_descriptors_it_rests_and_goes_on(self):
        self.start("-n", "1")
        self.settled(1)
        used = len(os.listdir(f"/proc/{self.running.pid}/fd"))
        free = resource.prlimit(self.running.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(self.running.pid, resource.RLIMIT_NOFILE, (used, free[1]))
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as waiting:
            waiting.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
            switches = self.woken()
            # wperf tries again ten times a second. Without a pause it would try as fast as possible.
            time.sleep(1)
            tried = self.woken() - switches
            resource.prlimit(self.running.pid, resource.RLIMIT_NOFILE, free)
            waiting.settimeout(PATIENCE)
            self.assertTrue(waiting.recv(4096).startswith(b"HTTP/1.1 200"))
        self.assertLess(tried, 1000)
        self.stop()

    def woken(self):
        """How often its threads blocked in a system call, plus their CPU time in units of 10 ms."""
        total = 0
        for task in pathlib.Path(f"/proc/{self.running.pid}/task").iterdir():
            found = dict(line.split(":", 1) for line in (task / "status").read_text().splitlines())
            total += int(found["voluntary_ctxt_switches"])
            fields = (task / "stat").read_text().rpartition(")")[2].split()
            total += 100 * (int(fields[11]) + int(fields[12]))
        return total

    def test_what_does_not_go_together(self):
        self.fails("stat", "-e", "inst_spec", "--listen", "0", "-t", status=2)
        self.fails("stat", "-e", "inst_spec", "--listen", "nowhere:0", status=2)
        self.fails("stat", "-e", "inst_spec", "--listen", "127.0.0.1:99999", status=2)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.assertIn("cannot listen", self.fails("stat", "-e", "inst_spec", "--listen", str(taken.getsockname()[1])))


if __name__ == "__main__":
    unittest.main()
