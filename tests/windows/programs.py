# SPDX-License-Identifier: BSD-3-Clause
"""Builds the bridge driver and remote.exe, which only these tests need, for one architecture, with clang and lld only.

Building them takes a second, so they are built anew each time.
"""
import dataclasses
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HERE = "tests/windows"
TRIPLES = {"arm64": "aarch64-pc-windows-msvc", "x64": "x86_64-pc-windows-msvc"}
DLLTOOL_MACHINES = {"arm64": "arm64", "x64": "i386:x86-64"}
INF_ARCHITECTURES = {"arm64": "arm64", "x64": "amd64"}
OPTIONS = ["-O2", "-g", "-gcodeview", "-std=c++20", "-ffreestanding", "-fno-exceptions", "-fno-rtti",
           "-fno-threadsafe-statics", "-fms-extensions", "-funwind-tables", "-fno-stack-protector", "-Wall", "-Wextra",
           "-Wshadow", "-Wconversion", "-Werror", f"-I{SOURCE}",
           # Each function of remote.exe's work has a frame record. Functions without a frame record would need the
           # unwind data of the ARM64 code, which the x64 program does not contain.
           "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"]


@dataclasses.dataclass
class Programs:
    bridge: pathlib.Path  # .sys
    remote: pathlib.Path  # .exe
    remote_pdb: pathlib.Path
    inf: pathlib.Path
    functions: dict  # functions of remote.exe's work: name → address, which Wine does not change


class Compiler:
    def __init__(self, architecture, folder):
        self.architecture = architecture
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def call(self, *command, folder=SOURCE):
        done = subprocess.run([str(word) for word in command], cwd=folder, text=True, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")

    def compile(self, source):
        output = self.folder / (pathlib.Path(source).stem + ".obj")
        options = [] if str(source).endswith(".s") else OPTIONS
        self.call("clang-19", f"--target={TRIPLES[self.architecture]}", *options, "-c", source, "-o", output)
        return output

    def import_library(self, definitions):
        path = pathlib.Path(definitions)
        output = self.folder / f"{path.parent.name}-{path.stem}.lib"
        self.call("llvm-dlltool-19", "-m", DLLTOOL_MACHINES[self.architecture], "-d", definitions, "-l", output)
        return output

    def link(self, output, *arguments):
        self.call("lld-link-19", "/nologo", f"/machine:{self.architecture}", "/nodefaultlib", "/debug", f"/out:{output}",
                  *arguments)


def build_bridge(compiler):
    bridge = compiler.folder / "wperf-driver.sys"  # the INF and the service use the real driver's file name
    compiler.link(bridge, "/subsystem:native,10.00", "/driver", "/entry:DriverEntry",
                  *[compiler.compile(f"{HERE}/{name}.cpp") for name in ("bridge/bridge", "bridge/host_line", "runtime")],
                  *[compiler.import_library(f"{HERE}/bridge/{name}.def") for name in ("ntoskrnl", "winsock")])
    return bridge


def build_file_of_version(folder, architecture, version):
    """A .sys file with only a version, which wperf.exe reads from Arm's driver before it uses it."""
    compiler = Compiler(architecture, folder / architecture)
    numbers = version.replace(".", ",") + ",0"
    script, resource = compiler.folder / "version.rc", compiler.folder / "version.res"
    script.write_text(f"1 VERSIONINFO\nFILEVERSION {numbers}\nPRODUCTVERSION {numbers}\nFILEOS 0x40004\nFILETYPE 3\n"
                      "BEGIN\nEND\n")
    # Names without a folder: llvm-rc would treat a path that begins with /c or another option letter as an option.
    compiler.call("llvm-rc-19", "/fo", resource.name, script.name, folder=compiler.folder)
    output = compiler.folder / f"windowsperf-{version}.sys"
    compiler.link(output, "/dll", "/noentry", resource)
    return output


def build_remote(compiler, work):
    """Builds remote.exe. `work` is the source of remote_work for this architecture."""
    remote = compiler.folder / "remote.exe"
    sources = [f"{HERE}/remote/remote.cpp", f"{HERE}/runtime.cpp", work]
    compiler.link(remote, "/subsystem:console", "/entry:start", f"/map:{compiler.folder / 'remote.map'}",
                  *[compiler.compile(source) for source in sources],
                  *[compiler.import_library(f"{HERE}/remote/{name}.def") for name in ("kernel32", "setupapi")])
    return remote


def build_shimmed_driver(folder, objects):
    """The ARM64 driver's own object files; shim/ replaces the registers and the functions that Wine lacks."""
    compiler = Compiler("arm64", folder / "shim")
    sources = [compiler.compile(f"{HERE}/shim/{name}.cpp") for name in ("model_registers", "wine_kernel")]
    supplied = re.findall(r"^WPERF_IN_PLACE_OF\((\w+),", (SOURCE / HERE / "shim/wine_kernel.cpp").read_text(), re.MULTILINE)
    imports = compiler.folder / "ntoskrnl.def"
    lines = (SOURCE / "driver/nt/ntoskrnl.def").read_text().splitlines()
    imports.write_text("\n".join(line for line in lines if line.split(" ")[0] not in supplied) + "\n")
    driver = compiler.folder / "wperf-driver.sys"
    compiler.link(driver, "/subsystem:native,10.00", "/driver", "/entry:shim_entry", "/guard:cf", *objects, *sources,
                  compiler.import_library(imports),
                  *[compiler.import_library(f"{HERE}/shim/{name}.def") for name in ("kernelbase", "wine_extra")])
    return driver


def driver_objects(build):
    """The object files of wperf-driver.sys, except the registers, which drivers in Wine cannot access. An older build
    leaves objects of sources that are gone."""
    folders = [build / "CMakeFiles" / f"{name}.dir" for name in ("driver_core", "driver_shell")]
    return sorted(path for folder in folders for path in folder.rglob("*.o")
                  if path.name != "registers.cpp.o" and (SOURCE / path.relative_to(folder).with_suffix("")).exists())


def functions_of(compiler):
    lines = re.findall(r"^ [0-9a-f]{4}:[0-9a-f]{8}\s+(\w+)\s+([0-9a-f]{16})\s", (compiler.folder / "remote.map").read_text(),
                       re.MULTILINE)
    return {name: int(address, 16) for name, address in lines if name in ("hot_loop", "cold_loop", "remote_work")}


def make_inf(compiler):
    """The shipped INF, used for the bridge, which has the driver's name and device."""
    version = re.search(r"project\(wperf VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
    inf = compiler.folder / "wperf-driver.inf"
    compiler.call("cmake", f"-DVERSION={version}", f"-DOUTPUT={inf}", f"-DARCH={INF_ARCHITECTURES[compiler.architecture]}",
                  "-P", "driver/package/make_inf.cmake")
    # If the name of a models section ends in a version of Windows, Wine treats it as a section for another machine.
    text = inf.read_bytes()
    plain = re.sub(rb"(NT\w+)\.10\.0\.\.\.\d+", rb"\1", text)
    if plain.count(b".10.0") != 0 or plain == text:
        raise RuntimeError("the INF no longer names the oldest Windows as Wine's copy expects")
    inf.write_bytes(plain)
    return inf


def build(architecture, folder):
    """The x64 remote.exe contains the code of the ARM64 remote.exe, so the ARM64 program is built first."""
    arm64 = Compiler("arm64", folder / "arm64")
    remote = build_remote(arm64, f"{HERE}/remote/remote_work.cpp")
    compiler = arm64
    if architecture == "x64":
        compiler = Compiler("x64", folder / "x64")
        carried = compiler.folder / "remote_work.s"
        compiler.call(sys.executable, f"{HERE}/remote/carry_code.py", remote, arm64.folder / "remote.map", carried)
        remote = build_remote(compiler, carried)
    return Programs(bridge=build_bridge(compiler), remote=remote, remote_pdb=remote.with_suffix(".pdb"),
                    inf=make_inf(compiler), functions=functions_of(compiler))
