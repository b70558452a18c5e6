# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the push tests: recordings, strict servers, and the values of --json."""
import pathlib
import shutil
import socket
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "export"))
from support import SHARED, WperfTest  # noqa: E402
import hostile_recording  # noqa: E402
import stub_servers  # noqa: E402

PROTOS = SHARED / "data" / "protos"
SECRET = "sesame-0123456789"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@unittest.skipUnless(PROTOS.exists(), "the official .proto files are missing")
@unittest.skipUnless(shutil.which("protoc"), "protoc is not installed")
class PushTest(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.hostile = cls.folder / "hostile.data"
        symbols = hostile_recording.write(cls.hostile)
        cls.addClassCleanup(symbols.unlink, missing_ok=True)

    def setUp(self):
        # A copy, so that tests do not change the class's environment.
        self.environment = {name: value for name, value in self.environment.items() if name != "WPERF_PUSH_TOKEN"}

    def serve(self, **options):
        server = stub_servers.Stub(PROTOS, **options)
        self.addCleanup(server.stop)
        return server

    def truth(self, data, event=0):
        document = self.json("report", data, "--children", "--sort", "symbol", "--json")
        return {row["symbol"]: (row["samples"], row["all_samples"]) for row in
                document["recording"]["events"][event]["rows"]}

    def push(self, data, url, *more, **keywords):
        return self.ok("push", data, "--url", url, *more, **keywords)
