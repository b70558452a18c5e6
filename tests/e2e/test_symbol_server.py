# SPDX-License-Identifier: BSD-3-Clause
"""Symbols from a store: folders, a server on this machine, its cache; a server that is away costs a bounded time."""
import functools
import http.server
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

from support import WORKLOADS, WperfTest


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        self.server.paths.append(self.path)


class SymbolServerTest(WperfTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="wperf-store-")
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for name in ("googolplex.exe", "bignum.dll"):  # without their PDBs
            (self.root / name).write_bytes((WORKLOADS / name).read_bytes())
        self.environment["HOME"] = str(self.root / "home")
        self.environment.pop("XDG_CACHE_HOME", None)
        self.environment.pop("_NT_SYMBOL_PATH", None)
        key = self.key_of("bignum.pdb")
        self.store = self.root / "store"
        (self.store / "bignum.pdb" / key).mkdir(parents=True)
        (self.store / "bignum.pdb" / key / "bignum.pdb").write_bytes((WORKLOADS / "bignum.pdb").read_bytes())

    def key_of(self, pdb):
        text = subprocess.run(["llvm-pdbutil-19", "dump", "-summary", str(WORKLOADS / pdb)], capture_output=True, text=True,
                              check=True).stdout
        guid = re.search(r"GUID: \{([0-9A-F-]+)\}", text)[1].replace("-", "")
        return guid + format(int(re.search(r"Age: (\d+)", text)[1]), "x")

    def serve(self):
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(QuietHandler, directory=str(self.store)))
        server.paths = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server, f"http://127.0.0.1:{server.server_address[1]}"

    def record(self, *arguments):
        return self.ok("record", "-e", "inst_retired:20000", "-c", "0", "--timeout", "0.2", *arguments, "--",
                       self.root / "googolplex.exe")

    def test_local_store(self):
        self.assertNotRegex(self.record(), r"subtract_from:bignum\.dll")  # a static function: only its PDB names it
        self.assertRegex(self.record("--symbol-path", f"srv*{self.store}"), r"subtract_from:bignum\.dll")
        self.environment["_NT_SYMBOL_PATH"] = str(self.store)
        self.assertRegex(self.record(), r"subtract_from:bignum\.dll")

    def test_server_and_cache(self):
        server, url = self.serve()
        cache = self.root / "my cache"
        path = f"srv*{cache}*{url}"
        self.assertRegex(self.record("--symbol-path", path), r"subtract_from:bignum\.dll")
        self.assertTrue(any("bignum.pdb" in p for p in server.paths))
        cached = list(cache.rglob("bignum.pdb"))
        self.assertEqual([p.read_bytes() for p in cached if p.is_file()], [(WORKLOADS / "bignum.pdb").read_bytes()])
        asked = sum("bignum.pdb" in p for p in server.paths)
        self.assertRegex(self.record("--symbol-path", path), r"subtract_from:bignum\.dll")
        self.assertEqual(sum("bignum.pdb" in p for p in server.paths), asked)  # the second time from the cache

    def test_server_that_is_away(self):
        text = self.record("--symbol-path", "srv*http://127.0.0.1:9")
        self.assertRegex(text, r"big_\w+:bignum\.dll")  # exports still name something
        self.assertIn("127.0.0.1:9", text)


if __name__ == "__main__":
    unittest.main()
