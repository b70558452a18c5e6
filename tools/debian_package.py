# SPDX-License-Identifier: BSD-3-Clause
"""One .deb from a tree of files: control fields, checksums, dates. The same tree makes the same file, byte by byte."""
import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile


def run(*words, cwd=None, **variables):
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=os.environ | variables, text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def linked_packages(tree, architecture, unpacked):
    """The field Depends for the programs and libraries of the tree, by dpkg-shlibdeps. unpacked: folders that
    `dpkg-deb -R` made of the libraries' packages, for an architecture that is not this machine's."""
    binaries = sorted(path for path in tree.rglob("*") if is_elf(path))
    if not binaries:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        control = pathlib.Path(folder) / "debian/control"
        control.parent.mkdir()
        control.write_text("Source: wperf\n\nPackage: wperf\nArchitecture: any\n", encoding="utf-8")
        words = [word for binary in binaries for word in ("-e", binary.resolve())]
        out = run("dpkg-shlibdeps", "-O", *(f"-S{one.resolve()}" for one in unpacked), *words, cwd=folder,
                  DEB_HOST_ARCH=architecture)
    return out.strip().removeprefix("shlibs:Depends=")


def compressed(path, content):
    """Compresses the bytes as Debian compresses manual pages and changelogs: without name and date."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(content, compresslevel=9, mtime=0))


def normalise(tree, seconds):
    """Sets permissions and dates that do not depend on the builder and the time of the build."""
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (seconds, seconds), follow_symlinks=False)


def installed_kilobytes(tree):
    """The size as dpkg-gencontrol counts it: files in whole kilobytes, and every other entry as one."""
    return sum(-(-path.stat().st_size // 1024) if path.is_file() and not path.is_symlink() else 1 for path in tree.rglob("*"))


def checksums(tree):
    return "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n"
                   for path in sorted(tree.rglob("*")) if path.is_file() and not path.is_symlink())


def build(tree, fields, control_files, output, seconds, level):
    """fields: {name: text} in the order of the control file, without Installed-Size; empty fields are left out."""
    with tempfile.TemporaryDirectory() as folder:
        staged = pathlib.Path(folder) / "package"
        shutil.copytree(tree, staged, symlinks=True)
        normalise(staged, seconds)
        fields = {"Package": fields["Package"], "Version": fields["Version"], "Architecture": fields["Architecture"],
                  "Installed-Size": str(installed_kilobytes(staged)), **fields}
        files = {"control": "".join(f"{name}: {text}\n" for name, text in fields.items() if text),
                 "md5sums": checksums(staged), **control_files}
        control = staged / "DEBIAN"
        control.mkdir()
        for name, text in files.items():
            (control / name).write_text(text, encoding="utf-8")
        normalise(control, seconds)
        output.parent.mkdir(parents=True, exist_ok=True)
        run("dpkg-deb", "--root-owner-group", "--threads-max=1", "-Zxz", f"-z{level}", "--build", staged, output,
            SOURCE_DATE_EPOCH=str(seconds))
