# SPDX-License-Identifier: BSD-3-Clause
"""The environments ("worlds") in which the Windows programs run: a fresh prefix of this machine's own Wine, or of ARM64
Wine under qemu-user.

A world can put files into C:\\wperf, run and start programs there, and end all processes.
"""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

TIMEOUT = 300  # seconds; a run that takes longer is stuck
FOLDER = "wperf"  # below C:\
QUIET = {"WINEDEBUG": "-all", "DISPLAY": "", "LC_ALL": "C.UTF-8", "WINEDLLOVERRIDES": "mscoree,mshtml="}
SETTINGS = r"HKLM\Software\wperf-bridge"


class Absent(Exception):
    """This machine cannot offer that world. The text is the reason."""


class World:
    """Shared by both kinds of world. A subclass defines `command` and `prefix`."""

    name = ""
    architecture = ""
    keeps_x18 = True  # the register that Windows code uses for thread-local data
    reads_other_processes = True  # ReadProcessMemory works; without it the tool does not know the address of a program

    def __init__(self):
        self.prefix = None  # the path on this machine

    @property
    def folder(self):
        return self.prefix / "drive_c" / FOLDER

    def command(self, program, arguments):
        raise NotImplementedError

    def environment(self):
        return None

    def windows_path(self, name=""):
        return f"C:\\{FOLDER}\\{name}" if name else f"C:\\{FOLDER}"

    def put(self, *files):
        self.folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy2(file, self.folder)

    def run(self, program, *arguments, timeout=TIMEOUT):
        """Runs a program to its end; stdout and stderr are the bytes that it wrote."""
        process = self.start(program, *arguments)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.kill(process)
            out, err = process.communicate()
            raise AssertionError(f"{program} {arguments} did not end in {timeout} s\n{out}\n{err}") from None
        return subprocess.CompletedProcess([program, *arguments], process.returncode, out, self.said_by_programs(err))

    def said_by_programs(self, err):
        return err

    def start(self, program, *arguments):
        return subprocess.Popen(self.command(program, [str(argument) for argument in arguments]), cwd=self.folder,
                                env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def program_of(self, process):
        """The process id, on this machine, of the Windows program that `start` started."""
        return process.pid

    def send(self, process, number):
        with contextlib.suppress(ProcessLookupError):  # the process is just ending
            if process.poll() is None:
                os.kill(self.program_of(process), number)

    def kill(self, process):
        self.send(process, signal.SIGKILL)

    def interrupt(self, process):
        self.send(process, signal.SIGINT)  # Wine turns this signal into Ctrl-C

    def quietly(self, *command, check=True):
        """Runs one of Wine's own programs. Services that it starts keep the given stdout open."""
        subprocess.run(command, env=self.environment(), check=check, timeout=TIMEOUT, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def set_number(self, name, value):
        """Changes a setting of the bridge driver."""
        done = self.run("reg.exe", "add", SETTINGS, "/v", name, "/t", "REG_DWORD", "/d", str(value), "/f")
        assert done.returncode == 0, done

    def start_service(self, name, image):
        """Installs a driver as a plain service and starts it. Returns False if it does not start."""
        done = self.run("sc.exe", "create", name, "binPath=", image, "type=", "kernel", "start=", "demand")
        assert done.returncode == 0, done
        for _ in range(20):  # in a new prefix it takes a moment until the service is known
            if self.run("sc.exe", "start", name).returncode == 0:
                return True
            time.sleep(0.1)
        return False

    def stop_service(self, name):
        self.run("sc.exe", "stop", name)
        self.run("sc.exe", "delete", name)


class NativeWine(World):
    name = "x64 Wine"
    architecture = "x64"
    loader = "/usr/lib/wine/wine64"
    server = "/usr/lib/wine/wineserver64"

    def __init__(self):
        super().__init__()
        if not os.access(self.loader, os.X_OK):
            raise Absent(f"{self.loader} is absent (Debian packages wine and wine64)")
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="wperf-wine-"))
        self.prefix = self.home / "prefix"

    def environment(self):
        environment = dict(os.environ, WINEPREFIX=str(self.prefix), HOME=str(self.home), WINELOADER=self.loader, **QUIET)
        environment.pop("WINEARCH", None)
        return environment

    def command(self, program, arguments):
        return [self.loader, program, *arguments]

    def begin(self):
        # The server of the first start ends when the prefix is complete. A program started earlier would find an incomplete one.
        self.quietly(self.loader, "wineboot.exe", "-i")
        self.quietly(self.server, "-w")
        # -p makes this server run until it is stopped, and services and drivers with it.
        self.quietly(self.server, "-p")
        self.quietly(self.loader, "wineboot.exe")
        self.folder.mkdir(parents=True)

    def end(self):
        if self.prefix.is_dir():
            for option in ("-k", "-w"):
                self.quietly(self.server, option, check=False)
        shutil.rmtree(self.home, ignore_errors=True)


class ArmWine(World):
    """Programs run inside the root folder of scripts/setup-arm64-wine, in separate namespaces: the mounts and all
    processes are gone when the first process of these namespaces ends."""

    name = "ARM64 Wine"
    architecture = "arm64"
    # Debian's ARM64 Wine consists of ELF files, and Linux' C library below them uses this register.
    keeps_x18 = False
    reads_other_processes = False  # qemu-user has no ptrace
    loader = "/usr/lib/wine/wine64"
    server = "/usr/lib/wine/wineserver64"

    def __init__(self, installed):
        super().__init__()
        self.root = pathlib.Path(installed) / "root"
        if os.geteuid() != 0:
            raise Absent("ARM64 Wine needs root")
        if not (self.root.parent / "prefix").is_dir():
            raise Absent("ARM64 Wine is not set up: scripts/setup-arm64-wine")
        if not pathlib.Path("/proc/sys/fs/binfmt_misc/qemu-aarch64").exists():
            raise Absent("arm64 programs are not registered with this kernel: scripts/setup-arm64-wine")
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="wperf-wine-", dir=self.root / "tmp"))
        self.prefix = self.home / "prefix"
        self.first = None

    def inside(self, path):
        return "/" + str(path.relative_to(self.root))

    def command(self, program, arguments):
        home = self.inside(self.home)
        settings = {"WINEPREFIX": self.inside(self.prefix), "HOME": home, "TMPDIR": home, "PATH": "/usr/bin:/bin",
                    "WINELOADER": self.loader, **QUIET}
        return ["nsenter", f"--target={self.first_inside}", "--mount", "--pid", "--", "chroot", str(self.root),
                "/usr/bin/env", "-i", f"--chdir={self.inside(self.folder)}",
                *[f"{name}={value}" for name, value in settings.items()],
                self.server if program == self.server else self.loader,
                *([] if program == self.server else [program]), *arguments]

    def said_by_programs(self, err):
        """qemu-user adds a line about a program that is killed."""
        lines = err.splitlines(keepends=True)
        return b"".join(line for line in lines if not line.startswith(b"qemu: uncaught target signal"))

    def program_of(self, process):
        """nsenter forks into the namespace, and its child becomes the program."""
        try:
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        except FileNotFoundError:
            children = []
        if not children:
            raise ProcessLookupError(process.pid)
        return int(children[0])

    def begin(self):
        shutil.copytree(self.root.parent / "prefix", self.prefix, symlinks=True)
        self.folder.mkdir(parents=True)
        mounts = 'mount -t proc proc "$0/proc" && mount -t sysfs sysfs "$0/sys" && mount --rbind /dev "$0/dev"'
        self.first = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork",
                                       "--kill-child", "sh", "-c",
                                       mounts + " && echo ready && exec sleep infinity", str(self.root)],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        if self.first.stdout.readline().strip() != b"ready":
            raise Absent("this kernel or container does not give us mount and process namespaces")
        children = pathlib.Path(f"/proc/{self.first.pid}/task/{self.first.pid}/children").read_text().split()
        self.first_inside = int(children[0])
        # The first program starts services and drivers, which would keep its pipes open. So it gets no pipes.
        self.quietly(*self.command(self.server, ["-p"]))
        self.quietly(*self.command("wineboot.exe", []))

    def end(self):
        if self.first is not None:
            self.first.kill()  # --kill-child ends all processes inside
            self.first.wait()
            self.first.stdout.close()
        shutil.rmtree(self.home, ignore_errors=True)
