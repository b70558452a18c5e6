#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that files, sections and names that pages and comments mention exist.

usage: tools/check_pages.py [ROOT]

Checked: paths and file names in `code font` and links in ARCHITECTURE.md, CONTRIBUTING.md, docs/design, docs/decisions and the
READMEs of folders; names of files in comments ("see foo.h"); "contract N.N" (a section of docs/contract.md) and "decision N" (a
page of docs/decisions). If text in `code font` looks like an identifier, its last part must occur in the sources. """
import pathlib
import re
import sys

import check_english
from check_english import CODE_FILES

PAGES = re.compile(r"^(?:ARCHITECTURE|CONTRIBUTING)\.md$|^docs/(?:design|decisions|driver)/|^(?!docs/|tests/golden)[\w/]+/README\.md$")
CONTRACT = "docs/contract.md"
CODE_SPAN = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
FILE_NAME = re.compile(r"(?<![\w./…*_-])((?:[\w.-]+/)*[\w-]*[A-Za-z][\w-]*\.(?:h|cpp|py|cmake|mjs|md|sh))\b(?![\w*…/(]|\.[a-z])")
COMMENT = re.compile(r"^[ \t]*//.*$|(?<=[;{},)]) +// .*$", re.MULTILINE)
PATH = re.compile(r"^(?:\./)?[\w.-]+(?:/[\w.*{},-]+)+/?$")
CODE_NAME = re.compile(r"^(?:[A-Za-z_]\w*(?:::|\.|->))*([A-Za-z_]\w*)(?:\(.*\))?$")
SECTIONS = re.compile(r"\b[Cc]ontract (\d+(?:\.\d+)?(?:(?:-|, | and )\d+\.\d+)*)")
DECISION = re.compile(r"\b(?:decisions?|docs/decisions/)[ /]?(\d{1,4})(?:(?:, | and )(\d{4}))*")
TOP_FOLDERS = {"abi", "base", "bench", "cmake", "completions", "data", "devgen", "docs", "driver", "fuzz", "include", "scripts", "sim",
               "src", "tests", "tools"}
# Placeholders, and names in third-party code.
EXAMPLES = {"snake_case", "PascalCase", "kPascal", "member_", "GsDriverEntry", "VPIDR_EL2"}
# Names of files that are not in the tree: files that the build makes, files of the system or of others, and examples.
FOREIGN = re.compile(r"^(?:wperf_version|page_parts|schema_texts|windows|winerror|winnt|winternl|wincrypt|winsock2|psapi|setupapi|cfg|newdev|ntifs|ntddk|wdm|evntprov|cvinfo"
                     r"|perf_event|stdint|stddef|main|foo|bar|x)\."
                     r"|^_|\bPAGE\.|\bNAME_|^(?:linux|uapi|inc|sys|asm|arch|kernel|tools/perf|include/uapi|llvm|fmt)/")


def expand(path):
    """The names that `a/{b,c}_d` stands for."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [name for part in match[1].split(",") for name in expand(path[:match.start()] + part + path[match.end():])]


class Tree:
    """The names of a tree's files, and every word of its sources."""

    def __init__(self, files):
        self.names = set(files)
        self.folders = {"/".join(name.split("/")[:end]) for name in files for end in range(1, name.count("/") + 1)}
        self.base_names = {name.rpartition("/")[2] for name in files}
        self.words = {word for name, text in files.items() if not name.endswith(".md")
                      for word in re.findall(r"[A-Za-z_]\w*", COMMENT.sub("", text) if name.endswith(CODE_FILES) else text)}
        self.words |= {name.rpartition("/")[0].removeprefix("src/").replace("/", "_") + "_test" for name in files
                       if name.endswith("_test.cpp")}  # each room's test program (cmake/room.cmake)
        contract = files.get(CONTRACT, "")
        self.sections = set(re.findall(r"^#+ (\d+(?:\.\d+)?)\b", contract, re.MULTILINE))
        self.decisions = {int(match[1]) for name in files if (match := re.match(r"docs/decisions/(\d{4})-", name))}

    def has(self, path, beside):
        """Whether a path exists, relative to the root, to src, or to the folder of the file that names it. Extensions
        may be left out."""
        path = path.removeprefix("./").rstrip("/")
        while path.startswith("../"):
            path, beside = path[3:], beside.rpartition("/")[0]
        for name in expand(path):
            starts = [name, f"src/{name}", f"{beside}/{name}" if beside else name]
            whole = any(self.match(start) for start in starts)
            if not whole and not self.below(name):
                return False
        return True

    def match(self, name):
        if "*" in name or "…" in name:
            pattern = re.compile(re.escape(name).replace(r"\*", "[^/]*").replace("…", "[^/]*") + r"(?:\.\w+)?$")
            return any(pattern.match(other) for other in self.names | self.folders)
        return name in self.names or name in self.folders or any(name + end in self.names for end in (".h", ".cpp", ".py"))

    def names_like(self, word):
        """Whether a file's name begins with the word, or a name in the sources ends with it: `DSU_SETUP` for
        WPERF_CODE_DSU_SETUP."""
        return any(name.startswith(word) for name in self.base_names) or any(other.endswith("_" + word) for other in self.words)

    def below(self, name):
        """Whether the path is the end of one of the tree's: `perf_data/record.h`."""
        ends = [f"/{name}{end}" for end in ("", ".h", ".cpp", ".py")]
        return any(other.endswith(tuple(ends)) for other in self.names | self.folders)


def check_text(tree, name, text, is_page):
    """(line, sentence) of each complaint about one Text."""
    folder = name.rpartition("/")[0]
    for match in SECTIONS.finditer(text.text):
        for section in re.findall(r"\d+(?:\.\d+)?", match[1]):
            if section not in tree.sections:
                yield text.line_at(match.start()), f"contract {section} is no section of {CONTRACT}"
    for match in DECISION.finditer(text.text):
        for number in filter(None, match.groups()):
            if int(number) not in tree.decisions:
                yield text.line_at(match.start()), f"there is no decision {number} in docs/decisions"
    for match in FILE_NAME.finditer(text.text):
        path = match[1]
        if not FOREIGN.search(path) and not (tree.has(path, folder) if "/" in path else path in tree.base_names):
            yield text.line_at(match.start()), f"there is no {path}"
    for match in LINK.finditer(text.text) if is_page else ():
        target = pathlib.PurePosixPath(folder, match[1]).as_posix() if folder else match[1]
        parts = []
        for part in target.split("/"):
            parts = parts[:-1] if part == ".." else parts if part == "." else [*parts, part]
        if not tree.match("/".join(parts)):
            yield text.line_at(match.start()), f"the link to {match[1]} leads nowhere"
    for match in CODE_SPAN.finditer(text.text):
        span, line = match[1], text.line_at(match.start())
        if PATH.match(span) and span.removeprefix("./").split("/")[0] in TOP_FOLDERS | tree.folders and not FILE_NAME.search(span):
            if not FOREIGN.search(span) and not tree.has(span, folder):
                yield line, f"there is no {span}"
        elif (code := CODE_NAME.match(span)) and ("_" in code[1] or re.match(r"[A-Z]?[a-z]+[A-Z]|k[A-Z]", code[1]) or "::" in span):
            if code[1] not in tree.words | EXAMPLES and not tree.names_like(code[1]):
                yield line, f"no source has {span}"


def check(files):
    """Every complaint about files {name: text}, as 'name:line: sentence'."""
    tree = Tree(files)
    complaints = []
    for name, source in sorted(files.items()):
        is_page = bool(PAGES.match(name))
        if not (is_page or name == CONTRACT or name.endswith(CODE_FILES + check_english.HASH_FILES)) or \
                not check_english.is_read(name) or name.endswith("check_pages_test.py"):
            continue
        for text in check_english.texts_of(name, source):
            if text.kind != "messages":
                complaints += [f"{name}:{line}: {complaint}" for line, complaint in check_text(tree, name, text, is_page)]
    return complaints


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    files = {name: source for name, source in check_english.read_tree(root, [], every=True)}
    complaints = check(files)
    for complaint in complaints:
        print(complaint)
    print(f"pages: {len(files)} files, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
