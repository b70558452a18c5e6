# SPDX-License-Identifier: BSD-3-Clause
"""scripts/sign-release and scripts/attestation-cab with a certificate, its root and a time stamp server that exist only
during this test. osslsigncode and gcab examine the results."""
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

ROOT = pathlib.Path(os.environ.get("WPERF_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
WORKLOADS = pathlib.Path(os.environ.get("WPERF_WORKLOADS", ROOT / "build/release/workloads"))
PROGRAM = WORKLOADS / "exact.exe"
for tool in ("openssl", "osslsigncode", "gcab", "msibuild"):
    if shutil.which(tool) is None:
        print(f"skipped: {tool} is not installed")
        sys.exit(77)
if not PROGRAM.is_file():
    print(f"skipped: there is no program for Windows to sign, {PROGRAM}")
    sys.exit(77)

CONFIGURATION = """
[tsa]
default_tsa = ours
[ours]
serial = {0}/serial
default_policy = 1.2.3.4.1
digests = sha256
signer_digest = sha256
"""


def run(*words, status=0, **keywords):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **keywords)
    assert done.returncode == status, (words, done.stdout, done.stderr)
    return done.stdout + done.stderr


class Publisher:
    """A root certificate, and below it the certificates of a publisher and of a time stamp server."""

    def __init__(self, folder):
        self.folder = folder
        self.root = self.issue("root", "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign", None)
        self.certificate = self.issue("publisher", "keyUsage=digitalSignature\nextendedKeyUsage=codeSigning", "root")
        self.key = folder / "publisher.key"
        self.clock = self.issue("clock", "keyUsage=digitalSignature\nextendedKeyUsage=critical,timeStamping", "root")

    def issue(self, name, extensions, issuer):
        file = {end: self.folder / f"{name}.{end}" for end in ("key", "csr", "pem", "ext")}
        file["ext"].write_text(extensions + "\n", encoding="utf-8")
        run("openssl", "req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN=wperf test {name}", "-keyout", file["key"],
            "-out", file["csr"])
        signer = (("-CA", self.root, "-CAkey", self.folder / f"{issuer}.key", "-CAcreateserial") if issuer else
                  ("-signkey", file["key"]))
        run("openssl", "x509", "-req", "-in", file["csr"], *signer, "-days", "2", "-sha256", "-extfile", file["ext"], "-out", file["pem"])
        return file["pem"]

    def stamp(self, query):
        (self.folder / "query").write_bytes(query)
        (self.folder / "tsa.conf").write_text(CONFIGURATION.format(self.folder), encoding="utf-8")
        (self.folder / "serial").write_text("01\n", encoding="utf-8")
        run("openssl", "ts", "-reply", "-config", self.folder / "tsa.conf", "-queryfile", self.folder / "query", "-signer", self.clock,
            "-inkey", self.folder / "clock.key", "-out", self.folder / "reply")
        return (self.folder / "reply").read_bytes()


class SigningTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        cls.publisher = Publisher(pathlib.Path(cls.place.name))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def options(self, **changed):
        words = {"certificate": self.publisher.certificate, "key": self.publisher.key, "root": self.publisher.root} | changed
        return [f"--{name}={value}" for name, value in words.items() if value]

    def sign(self, *files, status=0, **changed):
        return run(sys.executable, "-B", ROOT / "scripts/sign-release", *self.options(**changed), *files, status=status)

    def copy(self, name):
        return pathlib.Path(shutil.copy(PROGRAM, self.folder / name))

    def verified(self, path, *words):
        return run("osslsigncode", "verify", "-CAfile", self.publisher.root, *words, "-in", path)

    def make_installer(self, archive):
        run(sys.executable, "-B", ROOT / "tools/make_msi.py", "--archive", archive, "--output", archive.with_suffix(".msi"))
        return archive.with_suffix(".msi")

    def test_archive_then_installer(self):
        """The order of a release: the files in the installer are signed first, then the installer itself."""
        archive = self.folder / "wperf-3.8.0-windows-arm64.zip"
        top = archive.stem
        with zipfile.ZipFile(archive, "w") as out:
            for name in ("wperf.exe", "libwperf/bin/wperf.dll", "wperf-driver.sys"):
                out.writestr(zipfile.ZipInfo(f"{top}/{name}", (2026, 1, 2, 3, 4, 6)), PROGRAM.read_bytes())
            out.writestr(f"{top}/README.txt", "read me\r\n")
        self.sign(archive)
        with zipfile.ZipFile(archive) as signed:
            signed.extractall(self.folder)
            self.assertEqual(signed.getinfo(f"{top}/wperf.exe").date_time, (2026, 1, 2, 3, 4, 6))
            self.assertEqual([entry.filename.partition("/")[2] for entry in signed.infolist()],
                             ["wperf.exe", "libwperf/bin/wperf.dll", "wperf-driver.sys", "README.txt"])
        for name in ("wperf.exe", "libwperf/bin/wperf.dll"):
            self.verified(self.folder / top / name)
        self.assertEqual((self.folder / top / "wperf-driver.sys").read_bytes(), PROGRAM.read_bytes())
        self.assertEqual((self.folder / top / "README.txt").read_bytes(), b"read me\r\n")

        installer = self.make_installer(archive)
        self.sign(installer)
        self.verified(installer)
        self.assertIn("wperf.cab", run("msiinfo", "streams", installer))

    def test_signature_is_of_this_file(self):
        program = self.copy("wperf.exe")
        self.sign(program)
        self.assertIn("wperf test publisher", self.verified(program))
        content = bytearray(program.read_bytes())
        content[0x400] ^= 1
        program.write_bytes(content)
        run("osslsigncode", "verify", "-CAfile", self.publisher.root, "-in", program, status=1)

    def test_time_stamp(self):
        publisher = self.publisher

        class Clock(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                reply = publisher.stamp(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Type", "application/timestamp-reply")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Clock)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        program = self.copy("wperf.exe")
        self.sign(program, timestamp=f"http://127.0.0.1:{server.server_port}/")
        self.assertIn("Timestamp Server Signature verification: ok", self.verified(program, "-TSA-CAfile", publisher.root))

    def test_nothing_is_signed_by_halves(self):
        first = self.copy("first.exe")
        text = self.folder / "second.txt"
        text.write_text("no program")
        broken = self.folder / "third.exe"
        broken.write_bytes(b"no program")
        clock = self.publisher.folder / "clock.key"
        for words, changed, said in (((first, text), {}, "second.txt is none of .exe, .dll, .msi, .cab, .zip"),
                                     ((first, broken), {}, "third.exe is not signed"),
                                     ((first, self.folder / "absent.exe"), {}, "there is no file"),
                                     ((first,), {"key": clock}, "first.exe is not signed"),
                                     ((first,), {"root": None}, "does not lead to a certificate of"),
                                     ((first,), {"timestamp": "http://127.0.0.1:1/"}, "HTTP failure")):
            self.assertIn(said, self.sign(*words, status=1, **changed))
            self.assertEqual(first.read_bytes(), PROGRAM.read_bytes())

    def cabinet(self, *words, status=0):
        return run(ROOT / "scripts/attestation-cab", "--folder", self.folder, "--output", self.folder / "out/driver.cab", *words,
                   status=status, env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"})

    def test_cabinet_for_attestation(self):
        names = ("wperf-driver.sys", "wperf-driver.pdb")
        self.assertIn("wperf-driver.sys; build it with scripts/build driver-arm64", self.cabinet(status=1))
        for name in names:
            (self.folder / name).write_bytes(name.encode() * 100)
        self.assertIn("inf2cat makes it", self.cabinet())
        cabinet = self.folder / "out/driver.cab"
        first = cabinet.read_bytes()
        self.cabinet()
        self.assertEqual(cabinet.read_bytes(), first)

        (self.folder / "wperf-driver.cat").write_bytes(b"catalog")
        self.assertIn("made and signed", self.cabinet(*self.options()))
        self.verified(cabinet)
        self.assertEqual(run("gcab", "-t", cabinet).split(),
                         [f"wperf-driver\\{name}" for name in ("wperf-driver.inf", *names, "wperf-driver.cat")])
        run("gcab", "-x", "-C", self.folder / "unpacked", cabinet)
        self.assertIn(b"DriverVer   = 11/14/2023,", (self.folder / "unpacked/wperf-driver/wperf-driver.inf").read_bytes())
        for name in names:
            self.assertEqual((self.folder / "unpacked/wperf-driver" / name).read_bytes(), name.encode() * 100)


if __name__ == "__main__":
    unittest.main()
