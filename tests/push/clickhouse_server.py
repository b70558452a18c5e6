# SPDX-License-Identifier: BSD-3-Clause
"""Starts the installed ClickHouse server for a test, with a user who has a password."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from push_support import SECRET, free_port  # noqa: E402

PATIENCE = 60
CONFIG = """<yandex>
<logger><level>error</level><log>{0}/log</log><errorlog>{0}/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>{1}</http_port><path>{0}/data/</path><tmp_path>{0}/tmp/</tmp_path>
<mark_cache_size>100000000</mark_cache_size><users_config>{0}/users.xml</users_config>
<merge_tree><parts_to_delay_insert>3000</parts_to_delay_insert><parts_to_throw_insert>3000</parts_to_throw_insert></merge_tree>
<default_profile>default</default_profile><default_database>default</default_database>
</yandex>"""
USER = "<{0}><password>{1}</password><networks><ip>127.0.0.1</ip></networks><profile>{2}</profile><quota>default</quota></{0}>"
USERS = ("<yandex><profiles><default/><readonly><readonly>1</readonly></readonly></profiles><quotas><default/></quotas><users>" +
         USER.format("default", "", "default") + USER.format("writer", SECRET, "default") +
         USER.format("reader", SECRET, "readonly") + "</users></yandex>")


def is_there():
    return shutil.which("clickhouse-server") is not None


class Server:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.port = free_port()
        (self.folder / "config.xml").write_text(CONFIG.format(self.folder, self.port), encoding="utf-8")
        (self.folder / "users.xml").write_text(USERS, encoding="utf-8")
        self.process = subprocess.Popen(["clickhouse-server", f"--config-file={self.folder / 'config.xml'}"],
                                        cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.ask("SELECT 1")
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.stop()
                    raise unittest.SkipTest("the ClickHouse of this machine does not start") from None
                time.sleep(0.2)

    def stop(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, query, database="default"):
        address = f"http://127.0.0.1:{self.port}/?database={database}"
        try:
            with urllib.request.urlopen(address, query.encode(), timeout=PATIENCE) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from None

    def rows(self, query, database="default"):
        return [line.split("\t") for line in self.ask(query, database).splitlines()]

    def url(self, database):
        return f"http://127.0.0.1:{self.port}/{database}"

    def address(self, database, query=""):
        return f"clickhouse://127.0.0.1:{self.port}/{database}" + (f"?{query}" if query else "")
