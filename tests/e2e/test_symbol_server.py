# SPDX-License-Identifier: BSD-3-Clause
"""Symbols from a store: folders, a server on this machine, its cache. A server that does not answer costs a limited
time."""
import functools
import http.server
import pathlib
import re
import shutil
import ssl
import subprocess
import tempfile
import threading
import unittest

from support import WORKLOADS, WperfTest


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        self.server.paths.append(self.path)


class LeadingHandler(http.server.BaseHTTPRequestHandler):
    def __init__(self, url, *arguments):
        self.url = url
        super().__init__(*arguments)

    def do_GET(self):
        self.send_response(302)
        self.send_header("Location", self.url + self.path)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


# Passes all calls on, except calls with options that were new in 7.85. All arguments are pointers, or have the size of
# a pointer.
OLD_CURL = r"""
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
static void* real(const char* name) {
  static void* library;
  if (library == 0) library = dlopen(REAL, RTLD_NOW | RTLD_LOCAL);
  return library == 0 ? 0 : dlsym(library, name);
}
int curl_global_init(long flags) { return ((int (*)(long))real("curl_global_init"))(flags); }
void* curl_easy_init(void) { return ((void* (*)(void))real("curl_easy_init"))(); }
int curl_easy_perform(void* handle) { return ((int (*)(void*))real("curl_easy_perform"))(handle); }
void curl_easy_cleanup(void* handle) { ((void (*)(void*))real("curl_easy_cleanup"))(handle); }
const char* curl_easy_strerror(int code) { return ((const char* (*)(int))real("curl_easy_strerror"))(code); }
void* curl_slist_append(void* list, const char* text) { return ((void* (*)(void*, const char*))real("curl_slist_append"))(list, text); }
void curl_slist_free_all(void* list) { ((void (*)(void*))real("curl_slist_free_all"))(list); }
int curl_easy_getinfo(void* handle, int what, ...) {
  va_list more;
  va_start(more, what);
  void* to = va_arg(more, void*);
  va_end(more);
  return ((int (*)(void*, int, ...))real("curl_easy_getinfo"))(handle, what, to);
}
int curl_easy_setopt(void* handle, int option, ...) {
  va_list more;
  va_start(more, option);
  void* value = va_arg(more, void*);
  va_end(more);
  if (option == 10318 || option == 10319) return 48;
  FILE* log = fopen(getenv("OLD_CURL_LOG"), "a");
  if (log != 0) fprintf(log, "%d %ld\n", option, (long)value), fclose(log);
  return ((int (*)(void*, int, ...))real("curl_easy_setopt"))(handle, option, value);
}
"""


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

    def redirected(self, secure, **environment):
        """The messages, and whether wperf followed the redirect to a second server."""
        server, url = self.serve()
        context, key, certificate = None, self.root / "key.pem", self.root / "certificate.pem"
        if secure:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days",
                            "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            environment["SSL_CERT_FILE"] = str(certificate)
        first = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(LeadingHandler, url))
        if context is not None:
            first.socket = context.wrap_socket(first.socket, server_side=True)
        threading.Thread(target=first.serve_forever, daemon=True).start()
        self.addCleanup(first.server_close)
        self.addCleanup(first.shutdown)
        self.environment |= environment
        cache = tempfile.mkdtemp(dir=self.root)
        said = self.record("--symbol-path", f"srv*{cache}*http{'s' if secure else ''}://127.0.0.1:{first.server_address[1]}")
        return said, server.paths

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_https_leads_nowhere_less_secure(self):
        self.environment.pop("CURL_CA_BUNDLE", None)
        said, paths = self.redirected(False)
        self.assertRegex(said, r"subtract_from:bignum\.dll")
        self.assertTrue(paths)
        said, paths = self.redirected(True)
        self.assertNotRegex(said, r"subtract_from:bignum\.dll")
        self.assertEqual(paths, [])

    @unittest.skipUnless(shutil.which("openssl") and shutil.which("gcc"), "needs openssl and gcc")
    def test_an_older_libcurl_is_kept_to_the_same(self):
        """libcurl before 7.85 knows only the older options for protocols. This test wraps the real libcurl so that it
        looks like such an old version."""
        self.environment.pop("CURL_CA_BUNDLE", None)
        folder = self.root / "old"
        folder.mkdir()
        (folder / "old.c").write_text(OLD_CURL, encoding="utf-8")
        real = subprocess.run("ldconfig -p | sed -n 's/.*libcurl.so.4 .*x86-64.* => //p' | head -n 1", shell=True, capture_output=True,
                              text=True, check=True).stdout.strip()
        subprocess.run(["gcc", "-shared", "-fPIC", f'-DREAL="{real}"', "-o", folder / "libcurl.so.4", folder / "old.c", "-ldl"], check=True)
        asked = self.root / "asked"
        old = {"LD_LIBRARY_PATH": str(folder), "OLD_CURL_LOG": str(asked)}
        said, paths = self.redirected(False, **old)
        self.assertRegex(said, r"subtract_from:bignum\.dll")
        self.assertIn("181 3\n", asked.read_text(encoding="utf-8"))  # CURLOPT_PROTOCOLS: http and https
        said, paths = self.redirected(True, **old)
        self.assertNotRegex(said, r"subtract_from:bignum\.dll")
        self.assertEqual(paths, [])

    def test_server_that_is_away(self):
        text = self.record("--symbol-path", "srv*http://127.0.0.1:9")
        self.assertRegex(text, r"big_\w+:bignum\.dll")  # exports still name something
        self.assertIn("127.0.0.1:9", text)


if __name__ == "__main__":
    unittest.main()
