#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf push`: strict servers get the values of --json, a token is sent only where that is allowed, and errors are
reported."""
import base64
import contextlib
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import time
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from push_support import SECRET, PushTest, free_port, hostile_recording, stub_servers  # noqa: E402
from support import WORKLOADS  # noqa: E402

KINDS = ("pyroscope", "pyroscope-ingest", "parca", "otlp")


class Push(PushTest):
    def test_every_interface_gets_what_json_says(self):
        """A recording of the simulated machine, and one with hostile names."""
        sim = self.folder / "sim.data"
        self.ok("record", "-e", "inst_retired:20000", "-g", "-c", "0", "--timeout", "0.2", "-o", sim, "--",
                WORKLOADS / "googolplex.exe")
        for data in (sim, self.hostile):
            truth = self.truth(data)
            for kind in KINDS:
                with self.subTest(kind, data=data.name):
                    server = self.serve()
                    said = self.push(data, server.url, "--to", kind, "--label", "build=1234", "--label", "host=a-1")
                    self.assertIn("sent ", said)
                    self.assertEqual(server.refused, [])
                    [profile] = server.profiles
                    self.assertEqual(profile.totals, truth)
                    self.assertEqual((profile.labels["build"], profile.labels["host"]), ("1234", "a-1"))
                    if kind != "otlp":
                        self.assertAlmostEqual(profile.begin / 1e9, data.stat().st_mtime, delta=60)

    def test_labels_and_tenant(self):
        server = self.serve()
        self.push(self.hostile, server.url + "/", "--label", "service_name=shop", "--label", 'odd=a "b" ü',
                  "--label", "odd=last one counts", "--tenant", "team-7")
        [profile] = server.profiles
        self.assertEqual(profile.labels["service_name"], "shop")
        self.assertEqual(profile.labels["odd"], "last one counts")
        self.assertEqual(profile.tenant, "team-7")
        for label in ("1a=b", "a", "a=", "=b", "a-b=c"):
            self.fails("push", self.hostile, "--url", server.url, "--label", label, status=2)
        self.assertIn("/ingest does not allow", self.fails("push", self.hostile, "--url", server.url, "--to",
                                                        "pyroscope-ingest", "--label", "a=b,c=d", status=2))
        self.assertEqual(len(server.profiles), 1)

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_a_certificate_must_be_trusted(self):
        key, certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days",
                        "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        server = self.serve(tls=tls)
        for name in ("SSL_CERT_FILE", "CURL_CA_BUNDLE"):
            self.environment.pop(name, None)
        said = self.fails("push", self.hostile, "--url", server.url)
        self.assertIn("does not trust the server's certificate", said)
        self.assertEqual(server.profiles, [])
        self.environment["SSL_CERT_FILE"] = str(certificate)
        self.push(self.hostile, server.url)
        self.assertEqual([profile.totals for profile in server.profiles], [self.truth(self.hostile)])

    def test_filters_choose_what_is_sent(self):
        server = self.serve()
        self.push(self.hostile, server.url, "--tid", hostile_recording.PROCESS)
        self.assertLess(sum(own for own, _ in server.profiles[0].totals.values()),
                        sum(own for own, _ in self.truth(self.hostile).values()))

    def test_a_token_goes_where_it_may_and_is_never_shown(self):
        token = self.folder / "token"
        token.write_text(SECRET + "\n", encoding="utf-8")
        server = self.serve(token=f"Bearer {SECRET}")
        said = [self.push(self.hostile, server.url, "--token-file", token)]
        self.environment["WPERF_PUSH_TOKEN"] = SECRET
        said.append(self.push(self.hostile, server.url))
        self.environment["WPERF_PUSH_TOKEN"] = "user:" + SECRET
        server.token = "Basic " + base64.b64encode(f"user:{SECRET}".encode()).decode()
        said.append(self.push(self.hostile, server.url, "--to", "otlp"))
        server.token = "Bearer other"
        said.append(self.fails("push", self.hostile, "--url", server.url))
        self.assertIn("401", said[-1])
        said.append(self.fails("push", self.hostile, "--url", "http://pyroscope.invalid:4040", status=2))
        self.assertIn("--plain-token", said[-1])
        said.append(self.fails("push", self.hostile, "--url", f"http://user:{SECRET}@127.0.0.1/", status=2))
        token.write_text(SECRET + "\nX-Other: 1", encoding="utf-8")
        said.append(self.fails("push", self.hostile, "--url", server.url, "--token-file", token))
        self.assertNotIn(SECRET, "".join(said))
        self.assertEqual(len(server.profiles), 3)

    def test_a_proxy_sees_nothing_of_what_goes_to_this_machine(self):
        server = self.serve(token=f"Bearer {SECRET}")
        with socket.socket() as proxy:
            proxy.bind(("127.0.0.1", 0))
            proxy.listen()
            self.environment["WPERF_PUSH_TOKEN"] = SECRET
            address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
            self.environment |= {"http_proxy": address, "HTTP_PROXY": address, "all_proxy": address, "no_proxy": ""}
            self.push(self.hostile, server.url)
            self.push(self.hostile, server.url.replace("127.0.0.1", "localhost"))
            proxy.setblocking(False)
            self.assertRaises(BlockingIOError, proxy.accept)
        self.assertEqual(len(server.profiles), 2)

    def test_a_redirect_is_told_and_not_followed(self):
        other = self.serve()
        server = self.serve()
        for status in (301, 302, 307, 308):
            server.mood = [(status, ("Location", other.url + "/push.v1.PusherService/Push"))]
            self.environment["WPERF_PUSH_TOKEN"] = SECRET
            self.assertIn("does not follow", self.fails("push", self.hostile, "--url", server.url))
        self.assertEqual(other.headers_seen, [])

    def test_a_server_that_is_busy_is_asked_again(self):
        server = self.serve()
        server.mood = [(503,), (429, ("Retry-After", "0"))]
        self.push(self.hostile, server.url)
        self.assertEqual(len(server.profiles), 1)
        server.mood = [(400,)]
        self.assertIn("the server answered 400: in a mood", self.fails("push", self.hostile, "--url", server.url))
        self.assertEqual(server.mood, [])

    def test_what_cannot_be_sent_is_told(self):
        begin = time.monotonic()
        self.assertIn("was not sent", self.fails("push", self.hostile, "--url", f"http://127.0.0.1:{free_port()}"))
        self.assertLess(time.monotonic() - begin, 30)
        server = self.serve()
        self.assertIn("404", self.fails("push", self.hostile, "--url", server.url + "/elsewhere"))
        for url in ("ftp://a", "localhost:4040", "http://", "http://a?b=c"):
            self.fails("push", self.hostile, "--url", url, status=2)
        self.fails("push", self.hostile, status=2)
        self.fails("push", "--url", server.url, status=2)
        self.fails("push", self.hostile, "--url", server.url, "--to", "nobody", status=2)
        self.fails("push", self.hostile, "--url", server.url, "--time", "1000-")
        self.assertEqual(server.profiles, [])

    def test_an_answer_without_end_is_cut(self):
        """A server whose answer is far too long."""
        server = self.serve()
        server.mood = [(400,)]
        with unittest.mock.patch.object(stub_servers.Handler, "answer", endless):
            self.assertIn("server answered 400", self.fails("push", self.hostile, "--url", server.url))


def endless(handler, status, *rest, **keywords):
    handler.send_response(status)
    handler.send_header("Content-Length", str(9_000_000))
    handler.end_headers()
    with contextlib.suppress(ConnectionError):
        handler.wfile.write(b"no " * 3_000_000)


if __name__ == "__main__":
    unittest.main()
