# SPDX-License-Identifier: BSD-3-Clause
"""tools/make_sbom.py describes this build and a made-up archive for Windows. The result is compared with dpkg and
readelf, and checked against the rules of SPDX 2.3 that need no schema."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))
from support import BINARY, SOURCE, TIMEOUT, WperfTest  # noqa: E402

BUILD = pathlib.Path(BINARY).parents[1]
DATE = 1_700_000_000
LICENSES = {"MIT", "Zlib", "BSD-3-Clause", "Apache-2.0 WITH LLVM-exception", "GPL-3.0-or-later WITH GCC-exception-3.1",
            "LGPL-2.1-or-later", "curl", "BSD-3-Clause OR GPL-2.0-only", "LicenseRef-public-domain", "GPL-2.0-only", "ZPL-2.1"}
KINDS = {"DESCRIBES", "CONTAINS", "STATIC_LINK", "DYNAMIC_LINK", "OPTIONAL_DEPENDENCY_OF"}


def run(*words):
    done = subprocess.run([str(word) for word in words], env=os.environ | {"SOURCE_DATE_EPOCH": str(DATE)}, text=True,
                          encoding="utf-8", capture_output=True, timeout=TIMEOUT)
    if done.returncode != 0:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Rules:
    """Tests of any document. self.document describes self.archive."""

    def related(self, how, one):
        packages = {package["SPDXID"]: package for package in self.document["packages"]}
        return {packages[row["relatedSpdxElement"]]["name"]: packages[row["relatedSpdxElement"]]
                for row in self.document["relationships"] if (row["relationshipType"], row["spdxElementId"]) == (how, one)}

    def test_the_document_keeps_the_rules(self):
        document = self.document
        self.assertEqual((document["spdxVersion"], document["dataLicense"], document["SPDXID"]),
                         ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        self.assertRegex(document["documentNamespace"], r"^https://[^#\s]+-[0-9a-f]{8}-[0-9a-f-]{27}$")
        self.assertEqual(document["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        for creator in document["creationInfo"]["creators"]:
            self.assertRegex(creator, r"^(Tool|Organization|Person): \S")
        elements = document["packages"] + document["files"]
        identities = [element["SPDXID"] for element in elements]
        self.assertEqual(len(identities), len(set(identities)))
        for element in elements:
            self.assertRegex(element["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            self.assertTrue({"copyrightText", "licenseConcluded"} <= element.keys())
        for row in document["relationships"]:
            self.assertIn(row["relationshipType"], KINDS)
            self.assertLessEqual({row["spdxElementId"], row["relatedSpdxElement"]}, {*identities, "SPDXRef-DOCUMENT"})
        related = {row[end] for row in document["relationships"] for end in ("spdxElementId", "relatedSpdxElement")}
        self.assertEqual(set(identities) - related, set(), "everything has to do with something")

    def test_packages_have_names_licenses_and_versions(self):
        own = {extracted["licenseId"] for extracted in self.document.get("hasExtractedLicensingInfos", [])}
        opened = {row["spdxElementId"] for row in self.document["relationships"]
                  if row["relationshipType"] == "OPTIONAL_DEPENDENCY_OF"}
        for package in self.document["packages"]:
            self.assertTrue({"name", "downloadLocation", "licenseDeclared"} <= package.keys())
            self.assertIn(package["licenseDeclared"], LICENSES)
            self.assertIs(package["filesAnalyzed"], False)
            if package["licenseDeclared"].startswith("LicenseRef-"):
                self.assertIn(package["licenseDeclared"], own)
            self.assertEqual("versionInfo" not in package, package["SPDXID"] in opened, package["name"])

    def test_the_archive_and_its_programs(self):
        described = self.related("DESCRIBES", "SPDXRef-DOCUMENT")["wperf"]
        self.assertEqual(described["packageFileName"], self.archive.name)
        self.assertEqual(described["checksums"],
                         [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(self.archive.read_bytes()).hexdigest()}])
        for file in self.document["files"]:
            content = self.content(file["fileName"].removeprefix("./"))
            self.assertEqual({one["algorithm"]: one["checksumValue"] for one in file["checksums"]},
                             {"SHA1": hashlib.sha1(content).hexdigest(), "SHA256": hashlib.sha256(content).hexdigest()})

    def test_twice_the_same(self):
        first = self.output.read_bytes()
        self.make()
        self.assertEqual(self.output.read_bytes(), first)


class Made(WperfTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.output = cls.folder / "list.spdx.json"
        cls.prepare()
        cls.make()
        cls.document = json.loads(cls.output.read_text(encoding="utf-8"))

    @classmethod
    def make(cls):
        return run(sys.executable, "-B", SOURCE / "tools/make_sbom.py", *cls.words, "--archive", cls.archive, "--output", cls.output)

    def file(self, name):
        return next(file["SPDXID"] for file in self.document["files"] if file["fileName"] == f"./{name}")


def is_sanitized():
    return re.search("^WPERF_SANITIZE:STRING=.+", (BUILD / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)


@unittest.skipIf(is_sanitized(), "sanitized builds are not packed")
@unittest.skipUnless(shutil.which("dpkg-query") and shutil.which("ninja"), "it needs dpkg and ninja")
class Linux(Rules, Made):
    @classmethod
    def prepare(cls):
        cls.tree = cls.folder / "tree"
        run("cmake", "--install", BUILD, "--prefix", cls.tree, "--strip")
        cls.archive = cls.folder / "wperf-3.8.0-linux-amd64.tar.gz"
        run("tar", "-czf", cls.archive, "-C", cls.tree, ".")
        cls.words = ["linux", "--build", BUILD, "--tree", cls.tree]

    def content(self, name):
        return (self.tree / name).read_bytes()

    def test_every_program_is_named(self):
        programs = {str(path.relative_to(self.tree)) for path in self.tree.rglob("*")
                    if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"}
        self.assertEqual({file["fileName"] for file in self.document["files"]}, {f"./{name}" for name in programs})
        self.assertEqual(len(programs), 4)

    def test_what_is_inside_of_the_tool(self):
        """Before it is stripped, the linked program contains names of fmt, zlib and LLVM. The versions come from
        dpkg."""
        linked = self.related("STATIC_LINK", self.file("bin/wperf"))
        self.assertEqual(set(linked), {"fmt", "zlib", "LLVM", "GCC runtime libraries"})
        for name, package in (("fmt", "libfmt-dev"), ("zlib", "zlib1g-dev"), ("LLVM", "llvm-19-dev"),
                              ("GCC runtime libraries", "libstdc++-12-dev")):
            version = run("dpkg-query", "-W", "-f", "${Version}", package)
            self.assertEqual(linked[name]["versionInfo"], version)
            locator = linked[name]["externalRefs"][0]["referenceLocator"]
            self.assertRegex(locator, r"^pkg:deb/debian/[a-z0-9.%B-]+@[^+~ ]+\?arch=amd64$")
        symbols = run("nm", "-C", BINARY)
        for word in (" fmt::v", " inflate", " llvm::", " std::"):
            self.assertIn(word, symbols)

    def test_the_simulator_has_what_the_tool_has_not(self):
        self.assertIn("xbyak", self.related("STATIC_LINK", self.file("lib/wperf/libwperf-sim.so")))
        opened = [row["spdxElementId"] for row in self.document["relationships"]
                  if row["relationshipType"] == "OPTIONAL_DEPENDENCY_OF" and row["relatedSpdxElement"].endswith("libwperf-sim.so")]
        self.assertEqual(opened, ["SPDXRef-Package-libunicorn.so.2"])

    def test_what_is_loaded_is_what_readelf_says(self):
        for file in self.document["files"]:
            needed = re.findall(r"\(NEEDED\).*\[(\S+)\]", run("readelf", "-dW", self.tree / file["fileName"]))
            loaded = self.related("DYNAMIC_LINK", file["SPDXID"])
            self.assertEqual({"glibc"} if needed else set(), set(loaded), file["fileName"])
            for name in needed:
                self.assertRegex(name, r"^(libc\.so\.6|libm\.so\.6|ld-linux-x86-64\.so\.2)$")
            self.assertEqual(loaded["glibc"]["versionInfo"], run("dpkg-query", "-W", "-f", "${Version}", "libc6:amd64"))


class Windows(Rules, Made):
    """Headers like those of the libraries, with other version numbers."""

    @classmethod
    def prepare(cls):
        if not pathlib.Path("/usr/include/fmt/core.h").is_file():
            raise unittest.SkipTest("libfmt-dev is not installed")
        texts = {"zig/lib/libcxx/include/__config": "#  define _LIBCPP_VERSION 170203\n",
                 "zig/lib/libc/include/any-windows-any/_mingw_mac.h": "#define __MINGW64_VERSION_MAJOR 11\n"
                 "#define __MINGW64_VERSION_MINOR 2\n#define __MINGW64_VERSION_BUGFIX 1\n",
                 "zig/package.json": '{"version": "0.12.3"}', "zlib/zlib.h": '#define ZLIB_VERSION "1.4.5"\n',
                 "capstone/include/capstone/capstone.h": "#define CS_API_MAJOR 6\n#define CS_API_MINOR 7\n"
                 "#define CS_VERSION_EXTRA 8\n"}
        for name, text in texts.items():
            (cls.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (cls.folder / name).write_text(text, encoding="utf-8")
        (cls.folder / "build").mkdir()
        (cls.folder / "build/build.ninja").write_text(
            "rule link\n  command = false\nbuild bin/wperf.exe: link main.obj src/libwperf_app.a libwperf_fmt.a libwperf_zlib.a "
            "libwperf_capstone.a\nbuild lib/wperf.dll: link libwperf_fmt.a\nbuild bin/wperf-devgen.exe: link main.obj\n",
            encoding="utf-8")
        cls.archive = cls.folder / "wperf-3.8.0-windows-arm64.zip"
        with zipfile.ZipFile(cls.archive, "w") as archive:
            for name in ("wperf.exe", "wperf-devgen.exe", "wperf-selftest.exe", "wperf-driver.sys", "libwperf/bin/wperf.dll"):
                archive.writestr(f"top/{name}", name)
            archive.writestr("top/README.txt", "no program")
        cls.words = ["windows", *(word for name in ("build", "zig", "capstone", "zlib") for word in (f"--{name}", cls.folder / name))]

    def content(self, name):
        return name.encode()

    def test_versions_are_those_of_the_sources(self):
        linked = self.related("STATIC_LINK", self.file("wperf.exe"))
        versions = {name: package["versionInfo"] for name, package in linked.items()}
        self.assertRegex(versions.pop("fmt"), r"^\d+\.\d+\.\d+$")
        self.assertEqual(versions, {"zlib": "1.4.5", "Capstone": "6.7.8", "libc++": "17.2.3", "libc++abi": "17.2.3",
                                    "libunwind": "17.2.3", "compiler_rt of zig": "0.12.3", "mingw-w64": "11.2.1"})
        self.assertEqual(set(self.related("STATIC_LINK", self.file("wperf-driver.sys"))), set())
        self.assertNotIn("Capstone", self.related("STATIC_LINK", self.file("libwperf/bin/wperf.dll")))
        self.assertIn("fmt", self.related("STATIC_LINK", self.file("libwperf/bin/wperf.dll")))
        self.assertEqual(set(self.related("STATIC_LINK", self.file("wperf-devgen.exe"))),
                         {"libc++", "libc++abi", "libunwind", "compiler_rt of zig", "mingw-w64"})


if __name__ == "__main__":
    unittest.main()
