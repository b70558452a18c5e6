# SPDX-License-Identifier: BSD-3-Clause
"""An emulated Arm machine with Debian's kernel. Its files come from an initramfs, and its output is read from its
console. On it, one instruction takes one cycle and one nanosecond, and user mode is counted exactly (QEMU's -icount),
so expectations are numbers."""
import pathlib
import re
import shutil
import stat
import subprocess

QEMU = "qemu-system-aarch64"
LIMIT_S = 600  # on a quiet machine, a boot takes 20 to 50 s
MACHINE = ["-M", "virt", "-cpu", "neoverse-n1", "-smp", "1", "-icount", "shift=0,sleep=off", "-m", "512", "-nographic", "-no-reboot",
           "-nic", "none", "-append", "console=ttyAMA0 quiet loglevel=1 panic=-1"]
LOADER = "lib/ld-linux-aarch64.so.1"
FOLDERS = ["lib/aarch64-linux-gnu", "usr/lib/aarch64-linux-gnu"]

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t tracefs tracefs /sys/kernel/tracing
export PATH=/bin HOME=/tmp
cd /tmp
. /steps.sh
poweroff -f
"""
PASSWORDS = "root:x:0:0::/tmp:/bin/sh\nnobody:x:65534:65534::/tmp:/bin/sh\n"


class Absent(Exception):
    """A part of the machine is missing; the message names it."""


class Archive:
    """A cpio archive of the kind that the kernel unpacks (newc)."""

    def __init__(self):
        self.parts = []
        self.paths = set()

    def add(self, path, content=b"", mode=stat.S_IFREG | 0o755, device=(0, 0)):
        if path in self.paths:
            return
        parent = str(pathlib.PurePosixPath(path).parent)
        if parent != "." and path != "TRAILER!!!":
            self.add(parent, mode=stat.S_IFDIR | 0o755)
        self.paths.add(path)
        name = path.encode() + b"\0"
        fields = [len(self.paths), mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(name), 0]
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name
        self.parts += [head, bytes(-len(head) % 4), content, bytes(-len(content) % 4)]

    def bytes(self):
        self.add("TRAILER!!!", mode=0)
        return b"".join(self.parts)


def needed_libraries(path):
    text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def find_library(name, roots):
    for root in roots:
        for folder in FOLDERS:
            if (root / folder / name).exists():
                return root / folder / name
    raise Absent(f"the library {name} is not in {roots[0]}")


class Machine:
    def __init__(self, root):
        """root: the project's folder."""
        self.folder = root / "build/tools/arm64-machine"
        self.roots = [self.folder / "root", root / "build/tools/arm64-sysroot"]
        if shutil.which(QEMU) is None:
            raise Absent(f"no {QEMU} here")
        if not (self.folder / "vmlinuz").exists():
            raise Absent(f"no kernel in {self.folder}: scripts/arm-linux fetches it")
        self.archive = Archive()
        self.archive.add("dev/console", mode=stat.S_IFCHR | 0o600, device=(5, 1))
        self.archive.add("bin/busybox", (self.roots[0] / "bin/busybox").read_bytes())
        self.archive.add("init", INIT.encode())
        self.archive.add("etc/passwd", PASSWORDS.encode(), stat.S_IFREG | 0o644)
        for folder in ["proc", "sys", "tmp", "root"]:
            self.archive.add(folder, mode=stat.S_IFDIR | 0o755)

    def add_program(self, path):
        """Adds the program as /bin/NAME, with its libraries."""
        self.archive.add(f"bin/{path.name}", path.read_bytes())
        waiting = needed_libraries(path)
        while waiting:
            name = waiting.pop()
            inside = LOADER if name == pathlib.Path(LOADER).name else f"lib/{name}"
            if inside in self.archive.paths:
                continue
            library = find_library(name, self.roots)
            self.archive.add(inside, library.read_bytes())
            waiting += needed_libraries(library)

    def add_python(self, version, script):
        """Adds Debian's Python interpreter, the part of its library that it needs to start, and a script in /."""
        self.add_program(self.roots[0] / f"usr/bin/python{version}")
        library = self.roots[0] / f"usr/lib/python{version}"
        if not library.is_dir():
            raise Absent(f"no {library}")
        for file in (library / "os.py", *sorted((library / "encodings").glob("*.py"))):
            self.archive.add(f"usr/lib/python{version}/{file.relative_to(library)}", file.read_bytes())
        self.archive.add(script.name, script.read_bytes())

    def boot(self, steps, work, name):
        """Returns {name: (status, output)} of the steps [(name, shell command)] that finished in time, and the reason
        if the run ended early."""
        # The output goes into a file first, because wperf would colour it on a terminal.
        script = "".join(f"echo '@@ begin {step}'\n(\n{command}\n) >/tmp/out 2>&1 </dev/null\nstatus=$?\ncat /tmp/out\n"
                         "echo\necho \"@@ end $status\"\n" for step, command in steps)
        archive = Archive()
        archive.parts, archive.paths = list(self.archive.parts), set(self.archive.paths)
        archive.add("steps.sh", script.encode())
        image = work / "machine.cpio"
        image.write_bytes(archive.bytes())
        command = [QEMU, *MACHINE, "-kernel", self.folder / "vmlinuz", "-initrd", image]
        reason = ""
        try:
            ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S)
            text = ran.stdout
        except subprocess.TimeoutExpired as late:
            text = late.stdout or b""
            reason = f"the limit of {LIMIT_S} s for one boot has passed"
        image.unlink()
        text = text.decode(errors="replace").replace("\r", "")
        (work / f"{name}.log").write_text(text)
        found = re.findall(r"^@@ begin (.+)\n((?:.*\n)*?)@@ end (\d+)$", text, re.M)
        return {step: (int(status), output) for step, output, status in found}, reason
