#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Profiles read back from servers that disconnect early, are slow or send invalid answers. Also tests Pyroscope's
query, to which servers passwords may be sent, and that wperf does not contact addresses from files and assistants."""
import gzip
import http.server
import json
import pathlib
import signal
import socket
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from push_support import SECRET, free_port  # noqa: E402
from stub_servers import fields  # noqa: E402
from support import WperfTest  # noqa: E402

HOSTS = {"data": [["a", "2", "1700000000", "1700000060", 120, "0"]], "rows": 1}
STACKS = {"data": [["7", ["main", "work"], ["app", "app"], ["", ""], [0, 0], [0, 0]]], "rows": 1}
COUNTS = {"data": [["7", ["cycles"], ["t"], [""], ["30"], ["3000"]]], "rows": 1}
EXCEPTION = b"Code: 241, e.displayText() = DB::Exception: Memory limit (total) exceeded\x1b[31m, e.what() = DB::Exception\n"
TYPE = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"


class Stub(http.server.ThreadingHTTPServer):
    """Answers each kind of question with `answers[kind]`: (status, bytes)."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = {"version": (200, b"toUInt16(2)\n"), "hosts": (200, self.document(HOSTS)),
                        "stacks": (200, self.document(STACKS)), "counts": (200, self.document(COUNTS))}
        self.asked, self.headers, self.slow = [], [], threading.Event()
        self.is_slow = False
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @staticmethod
    def document(value):
        return json.dumps(value).encode() + b"\n"

    def stop(self):
        self.slow.set()
        self.shutdown()
        self.server_close()

    @property
    def place(self):
        return f"127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_POST(self):
        question = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, question))
        self.server.headers.append(dict(self.headers))
        kind = ("pyroscope" if "QuerierService" in self.path else "version" if b"system.columns" in question else
                "hosts" if b"GROUP BY host" in question else "counts" if b"FINAL" in question else "stacks")
        if self.server.is_slow and kind != "version":
            self.server.slow.wait(60)
        status, body = self.server.answers[kind]
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True


class FleetServers(WperfTest):
    def setUp(self):
        self.server = Stub()
        self.addCleanup(self.server.stop)
        self.address = f"clickhouse://{self.server.place}/shop"

    def test_a_whole_answer_is_shown(self):
        rows = json.loads(self.ok("report", self.address, "--json"))["recording"]["events"][0]["rows"]
        self.assertEqual([(row["symbol"], row["samples"]) for row in rows], [("work", 30)])
        self.assertIn("2 profiles of 1 host, 2023-11-14 22:13:20 to 2023-11-14 22:14:20 UTC", self.ok("report", self.address))
        self.assertTrue(all(path == "/?database=shop" for path, _ in self.server.asked))

    def test_an_answer_that_breaks_off_is_an_error(self):
        for kind in ("hosts", "stacks", "counts"):
            status, whole = self.server.answers[kind]
            for body in (b"", whole[:len(whole) // 2], whole.replace(b'"rows": 1', b'"rows": 2'), b"[" * 100000, b"\xff\0"):
                with self.subTest(kind, body=body[:20]):
                    self.server.answers[kind] = (200, body)
                    self.assertIn("not complete", self.fails("report", self.address, status=4))
            self.server.answers[kind] = (200, whole[:-20] + EXCEPTION)
            said = self.fails("report", self.address)
            self.assertIn("Memory limit (total) exceeded", said)
            self.assertNotIn("\x1b", said)
            self.server.answers[kind] = (status, whole)

    def test_errors_of_the_server_are_told(self):
        for kind in ("version", "hosts", "stacks", "counts"):
            whole = self.server.answers[kind]
            for status in (400, 404, 500, 503):
                self.server.answers[kind] = (status, EXCEPTION + b"stack trace\n" * 1000)
                said = self.fails("report", self.address)
                self.assertIn(f"answered {status}", said)
                self.assertIn("Memory limit", said)
                self.assertLess(len(said), 600)
            self.server.answers[kind] = whole
        self.server.answers["hosts"] = (302, b"")
        self.assertIn("302", self.fails("diff", self.address, self.address + "?build=2"))

    def test_ctrl_c_ends_the_waiting(self):
        self.server.is_slow = True
        for command in (["report", self.address], ["diff", self.address, self.address + "?build=2"]):
            asked = len(self.server.asked)
            process = self.start_wperf(*command)
            while len(self.server.asked) < asked + 2:
                time.sleep(0.01)
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            # The server would keep it waiting for a minute.
            self.assertLess(time.monotonic() - begin, 10)
            self.assertNotEqual(process.returncode, 0)

    def test_a_password_goes_where_it_may(self):
        self.environment = self.environment | {"WPERF_PUSH_TOKEN": "reader:" + SECRET}
        said = self.fails("report", "clickhouse://db.invalid/shop", status=2)
        self.assertIn("--plain-token", said)
        said += self.fails("report", f"clickhouse://reader:{SECRET}@127.0.0.1/shop", status=2)
        self.assertNotIn(SECRET, said)
        self.ok("report", self.address)
        self.assertTrue(all(headers["Authorization"].startswith("Basic ") for headers in self.server.headers))

    def test_an_address_is_reported_alone(self):
        self.fails("report", self.address, "perf.data", status=2)
        self.assertEqual(self.server.asked, [])


class Pyroscope(WperfTest):
    def setUp(self):
        self.server = Stub()
        self.addCleanup(self.server.stop)

    def address(self, query):
        return f"pyroscope://{self.server.place}/?{query}"

    def test_the_merged_profile_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a.folded"
            file.write_text("main;work 30\nmain;other 12\n", encoding="utf-8")
            self.ok("report", file, "--export", "pprof", "-o", file.with_suffix(".pb"))
            self.server.answers["pyroscope"] = (200, gzip.decompress(file.with_suffix(".pb").read_bytes()))
        address = self.address("query=" + TYPE + '{service_name="shop",zone="a%26b"}&since=2023-11-14&until=2023-11-15')
        rows = json.loads(self.ok("report", address, "--json"))["recording"]["events"][0]["rows"]
        self.assertEqual({row["symbol"]: row["samples"] for row in rows}, {"work": 30, "other": 12})
        [(path, question)] = self.server.asked
        self.assertEqual(path, "/querier.v1.QuerierService/SelectMergeProfile")
        self.assertEqual(fields(question, {1: bytes, 2: bytes, 3: int, 4: int}),
                         [(1, TYPE.encode()), (2, b'{service_name="shop",zone="a&b"}'), (3, 1_699_920_000_000),
                          (4, 1_700_006_400_000)])
        self.assertEqual(self.server.headers[0]["Connect-Protocol-Version"], "1")
        self.assertIn("2 functions compared", self.ok("diff", address, self.address(f"query={TYPE}")))

    def test_nothing_and_nonsense_are_errors(self):
        for body in (b"", b"\xff" * 100, b"hello"):
            self.server.answers["pyroscope"] = (200, body)
            self.assertIn("no profile", self.fails("report", self.address(f"query={TYPE}")))
        self.server.answers["pyroscope"] = (400, b'{"code":"invalid_argument","message":"no such type"}')
        self.assertIn("no such type", self.fails("report", self.address(f"query={TYPE}")))
        self.fails("report", self.address("since=1h"), status=2)
        self.fails("report", self.address("query=a&build=1"), status=2)


class WhoMayAsk(WperfTest):
    def test_no_address_in_a_file_and_none_of_an_assistant_is_asked(self):
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            server.setblocking(False)
            address = f"clickhouse://127.0.0.1:{server.getsockname()[1]}/shop"
            messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
                        {"jsonrpc": "2.0", "method": "notifications/initialized"}]
            calls = [("open", {"recording": address}), ("functions", {"recording": address}),
                     ("compare", {"before": [address], "after": [address + "?build=2"]})]
            messages += [{"jsonrpc": "2.0", "id": 2 + number, "method": "tools/call",
                          "params": {"name": name, "arguments": arguments}} for number, (name, arguments) in enumerate(calls)]
            done = self.run_wperf("mcp", text="".join(json.dumps(message) + "\n" for message in messages))
            answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
            for number in range(len(calls)):
                self.assertIn("there is no file", json.dumps(answers[2 + number]), calls[number][0])
            for command in (["waits", address], ["push", address, "--url", f"http://127.0.0.1:{free_port()}"], ["pgo", address]):
                self.assertNotEqual(self.run_wperf(*command).returncode, 0)
            self.assertRaises(BlockingIOError, server.accept)


if __name__ == "__main__":
    unittest.main()
