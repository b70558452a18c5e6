#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf mcp` with the official client packages of the protocol: one for the older revisions, one for the stateless
revision. Fetches the packages from npm once, into build/tools."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["WPERF_SOURCE_DIR"])
PACKAGES = ["@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/client@2.4.0"]
FOLDER = SOURCE / "build/tools/mcp-clients"


def fetched():
    """Returns the folder with the packages. If there is no npm or no network, prints the reason and returns None."""
    if (FOLDER / "node_modules").is_dir():
        return FOLDER
    if shutil.which("npm") is None:
        print("skipped: npm is not installed")
        return None
    part = pathlib.Path(f"{FOLDER}.{os.getpid()}.part")
    part.mkdir(parents=True)
    (part / "package.json").write_text("{}")
    try:
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", *PACKAGES], cwd=part,
                       check=True, timeout=240, stdin=subprocess.DEVNULL, capture_output=True)
        part.rename(FOLDER)
    except (subprocess.SubprocessError, OSError) as error:
        shutil.rmtree(part, ignore_errors=True)
        print(f"skipped: npm cannot fetch the clients: {error}")
        return None
    return FOLDER


class Clients(unittest.TestCase):
    def test_every_way_to_begin(self):
        with tempfile.TemporaryDirectory() as root:
            pathlib.Path(root, "a.folded").write_text("main;work;hot 60\nmain;cool 40\n")
            done = subprocess.run(["node", SOURCE / "tests/mcp/ask.mjs", os.environ["WPERF_BINARY"], root, "a.folded"], cwd=FOLDER,
                                  capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([one["name"] for one in told], ["sdk", '"legacy"', '"auto"', '{"pin":"2026-07-28"}'])
        for one in told:
            self.assertEqual(one["server"], "wperf")
            self.assertIn("summary", one["tools"])
            self.assertNotIn("record", one["tools"])
            self.assertIn("hot, 60.00 %", one["answer"]["structuredContent"]["brief"]["verdict"][0])
            self.assertTrue(one["outside"]["isError"])


if __name__ == "__main__":
    if fetched() is None:
        sys.exit(77)
    unittest.main()
