# SPDX-License-Identifier: BSD-3-Clause
"""The third-party libraries in wperf's programs: their names and licences, and how to find them in the programs. For
packages and SBOMs."""
import dataclasses
import re

import debian_package


@dataclasses.dataclass(frozen=True)
class Library:
    name: str
    license: str  # an SPDX expression
    page: str


FMT = Library("fmt", "MIT", "https://fmt.dev")
ZLIB = Library("zlib", "Zlib", "https://zlib.net")
LLVM = Library("LLVM", "Apache-2.0 WITH LLVM-exception", "https://llvm.org")
XBYAK = Library("xbyak", "BSD-3-Clause", "https://github.com/herumi/xbyak")
LIBSTDCXX = Library("GCC runtime libraries", "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org")
GLIBC = Library("glibc", "LGPL-2.1-or-later", "https://www.gnu.org/software/libc")
CAPSTONE = Library("Capstone", "BSD-3-Clause", "https://www.capstone-engine.org")
CURL = Library("curl", "curl", "https://curl.se")
ZSTD = Library("Zstandard", "BSD-3-Clause OR GPL-2.0-only", "https://facebook.github.io/zstd")
XZ = Library("XZ Utils", "LicenseRef-public-domain", "https://tukaani.org/xz")
UNICORN = Library("Unicorn", "GPL-2.0-only", "https://www.unicorn-engine.org")

# Libraries inside of the programs of the Linux build, by the Debian package whose headers or archive are used.
LINKED = {"libfmt-dev": FMT, "zlib1g-dev": ZLIB, "llvm-19-dev": LLVM, "libstdc++-12-dev": LIBSTDCXX}
LINKED_INTO_SIMULATOR = {"libxbyak-dev": XBYAK}

# Optional libraries that are opened by name when they are needed: {soname: (library, Debian's package)}.
OPENED = {
    "libcapstone.so.4": (CAPSTONE, "libcapstone4"),
    "libcapstone.so.5": (CAPSTONE, "libcapstone5"),
    "libcurl.so.4": (CURL, "libcurl4 | libcurl3-gnutls"),
    "libcurl-gnutls.so.4": (CURL, "libcurl4 | libcurl3-gnutls"),
    "libz.so.1": (ZLIB, "zlib1g"),
    "libzstd.so.1": (ZSTD, "libzstd1"),
    "liblzma.so.5": (XZ, "liblzma5"),
    "libunicorn.so.2": (UNICORN, "libunicorn2"),
}
LIBRARY_NAME = re.compile(rb"(?<![\w./-])lib[\w+-]+\.so\.[0-9]+(?=\0)")


def needed_libraries(program):
    """The names of the libraries in its dynamic section, without the file's own name."""
    return set(re.findall(r"\(NEEDED\).*\[(\S+)\]", debian_package.run("readelf", "-dW", program)))


def opened_libraries(tree):
    """The shared libraries that programs and libraries of the tree open by name, found among their constants."""
    names = set()
    for path in sorted(tree.rglob("*") if tree.is_dir() else [tree]):
        if debian_package.is_elf(path):
            names |= {name.decode() for name in LIBRARY_NAME.findall(path.read_bytes())} - needed_libraries(path)
            names -= set(re.findall(r"\(SONAME\).*\[(\S+)\]", debian_package.run("readelf", "-dW", path)))
    unknown = names - set(OPENED)
    if unknown:
        raise RuntimeError(f"{tree} opens {', '.join(sorted(unknown))}: tools/libraries.py does not know it")
    return names
