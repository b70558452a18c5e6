# SPDX-License-Identifier: BSD-3-Clause
"""The installer of tools/make_msi.py, in a prefix that Wine presents as Windows 7 until a test changes it to Windows
10."""
import os
import subprocess
import sys
import uuid
import zipfile

from support import SOURCE, TOOL, WindowsTest

FOLDER = r"C:\Program Files\wperf"
WINDOWS = r"HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion"
ENVIRONMENT = r"HKLM\System\CurrentControlSet\Control\Session Manager\Environment"
PRODUCTS = r"HKLM\Software\Microsoft\Windows\CurrentVersion\Uninstall"
REFUSED, WRONG_PLATFORM = 1603 & 0xFF, 1633 & 0xFF  # a status of Linux has eight bits


class Installer(WindowsTest):
    installed = False
    essential = ()  # ARM64 Wine has no folder for programs of 64 bits

    def setUp(self):
        if self.world.architecture != "x64":
            self.skipTest("the Windows Installer of ARM64 Wine knows no ProgramFiles64Folder")
        self.become_newer()
        self.addCleanup(self.become_older)

    def become_newer(self):
        self.key("add", WINDOWS, "/v", "CurrentMajorVersionNumber", "/t", "REG_DWORD", "/d", "10", "/f")

    def become_older(self):
        self.key("delete", WINDOWS, "/v", "CurrentMajorVersionNumber", "/f")

    def key(self, *words):
        done = self.world.run("reg.exe", *words)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.decode()

    def make(self, version, *more, architecture="x64"):
        """An installer with the tool and text files."""
        top = f"wperf-{version}-windows-{architecture}"
        archive = self.world.folder / f"{top}.zip"
        with zipfile.ZipFile(archive, "w") as out:
            out.write(self.world.folder / TOOL, f"{top}/{TOOL}")
            for name in more:
                out.writestr(f"{top}/{name}", f"{name} of {version}\r\n")
        subprocess.run([sys.executable, "-B", SOURCE / "tools/make_msi.py", "--archive", archive, "--output",
                        self.world.folder / f"{top}.msi"], check=True, capture_output=True,
                       env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"})
        return f"{top}.msi"

    def msiexec(self, action, installer, status=0):
        done = self.world.run("msiexec.exe", action, installer, "/qn")
        self.assertEqual(done.returncode, status, done)

    def files(self):
        folder = self.world.prefix / "drive_c/Program Files/wperf"
        return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

    def folders_on_path(self):
        text = self.key("query", ENVIRONMENT, "/v", "PATH").strip().splitlines()[-1]
        folders = text.split("REG_EXPAND_SZ")[1].strip().split(";")
        return [folder.rstrip("\\") for folder in folders if folder]  # after Wine removes a folder, an empty entry remains

    def test_upgrade_and_removal(self):
        before = self.folders_on_path()
        old, new = self.make("3.7.0", "docs/a page.md", "docs/old/page.md"), self.make("3.8.0", "docs/a page.md")
        self.msiexec("/i", old)
        self.addCleanup(self.world.run, "msiexec.exe", "/x", new, "/qn")
        self.assertEqual(self.files(), {TOOL, "docs/a page.md", "docs/old/page.md"})
        self.assertIn(FOLDER, self.folders_on_path())
        done = self.world.run(f"{FOLDER}\\{TOOL}", "--version")
        self.assertIn(b"wperf ", done.stdout, done)

        self.msiexec("/i", new)
        self.assertEqual(self.files(), {TOOL, "docs/a page.md"})
        page = self.world.prefix / "drive_c/Program Files/wperf/docs/a page.md"
        self.assertEqual(page.read_bytes(), b"docs/a page.md of 3.8.0\r\n")
        self.assertEqual(self.folders_on_path().count(FOLDER), 1)
        told = self.key("query", PRODUCTS, "/s")
        self.assertIn("3.8.0", told)
        self.assertNotIn("3.7.0", told)

        self.msiexec("/i", old, status=REFUSED)
        self.assertEqual(page.read_bytes(), b"docs/a page.md of 3.8.0\r\n")
        self.msiexec("/x", new)
        self.assertEqual(self.files(), set())
        self.assertEqual(self.folders_on_path(), before)
        self.assertNotIn("The wperf authors", self.key("query", PRODUCTS, "/s"))

    def test_older_windows_is_refused(self):
        self.become_older()
        self.addCleanup(self.become_newer)
        self.msiexec("/i", self.make("3.8.0"), status=REFUSED)
        self.assertEqual(self.files(), set())

    def test_another_processor_is_refused(self):
        self.msiexec("/i", self.make("3.8.0", architecture="arm64"), status=WRONG_PLATFORM)
        self.assertEqual(self.files(), set())

    def test_second_architecture_is_refused(self):
        """ARM64 Windows would accept both installers, into one folder. A changed header makes the second installer look
        like one for x64."""
        other = self.make("3.8.0", architecture="arm64")
        subprocess.run(["msibuild", self.world.folder / other, "-s", "wperf", "wperf", "x64;1033", "{" + str(uuid.uuid4()).upper() + "}"],
                       check=True, capture_output=True)
        self.msiexec("/i", other)
        self.addCleanup(self.msiexec, "/x", other)
        self.msiexec("/i", self.make("3.8.0", "second.txt"), status=REFUSED)
        self.assertEqual(self.files(), {TOOL})
