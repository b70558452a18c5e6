#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds seven habits that make a sentence hard to read, in comments, messages and Markdown pages.

usage: tools/check_english.py [--root ROOT] [--all | --count | --lower] [PATH…]
       tools/check_english.py [--root ROOT] --draw N comments|messages|pages [--seed SEED] [PATH…]

Without an option it fails if a folder has more findings than tools/english_ratchet.txt allows. --all prints every finding, --count
the number per folder, --lower writes smaller numbers into the ratchet. --draw prints N sentences at random for a person to judge.
PATHs are prefixes of file names and limit what is read.

A finding that quotes somebody else's text is excused by "english: quoted" in the same comment.
"""
import argparse
import collections
import dataclasses
import io
import pathlib
import random
import re
import subprocess
import sys
import tokenize

CODE_FILES = (".cpp", ".h", ".c")
HASH_FILES = (".py", ".sh", ".cmake", "CMakeLists.txt")
PAGE_FILES = (".md",)
KINDS = ("comments", "messages", "pages")
RATCHET = "tools/english_ratchet.txt"
EXCUSE = "english: quoted"
SKIPPED = re.compile(r"(^|/)(generated|golden|goldens|third_party)/|^data/|^docs/user/generated|^tools/check_english")

# The habits, each with what to write instead.
HABITS = {
    "headless": "name the thing instead of \"what\"",
    "of-front": "put the subject before \"of …\"",
    "none": "say what is missing instead of using none, nothing or nobody as a value",
    "told": "name who says it, or say that it is printed, recorded or reported",
    "aside": "write only, next to, after or separate",
    "else": "make a sentence with a subject: \"otherwise it …\"",
    "two-facts": "make two sentences",
}
PATTERNS = [(habit, re.compile(pattern, flags)) for habit, pattern, flags in (
    # "What was counted is good." A question is no such sentence.
    ("headless", r"^(?:And |But |So )?(?:What|Who|Whoever|Whose|Whom)\b(?!.*\?\W*$)", 0),
    ("headless", r"; (?:what|who|whoever|whose)\b(?!.*\?\W*$)", 0),
    ("headless", r"\b(?:of|than|by|as|with|from|for|to|in|like) (?:whoever|whose)\b", 0),
    # "Of whole cores the switch is told."
    ("of-front", r"^(?:And |But )?Of (?!course\b)", 0),
    ("of-front", r"[:;] of (?!course\b)(?:a|an|the|one|several|each|all|both)\b", 0),
    ("of-front", r"^(?:To|By|For|From|With) (?:whom|whose)\b", 0),
    # "0: it is none." "It is no file." "Nothing: the file is damaged."
    ("none", r"(?<!\bthere )(?<!\bif )\b(?:is|are|was|were|be|been) (?:none|nothing|nobody|no one)\b(?! of (?:the|these|them)\b)", re.I),
    ("none", r"(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|way\b|need\b|sooner\b|different\b|larger\b|greater\b|"
             r"smaller\b|later\b|wider\b|better\b|worse\b|slower\b|faster\b|such\b|op\b|point\b|use\b|other\b)[a-z]", re.I),
    ("none", r"\bnobody(?:'s| knows| tells| says| told| said)\b", re.I),
    ("none", r"^(?:Nothing|Nobody)(?:[:;.,]| (?:if|where|when|for|to)\b| of (?!the\b|these\b|them\b|it\b|this\b))", 0),
    ("none", r"\bnothing (?:is|was) (?:said|told)\b|\bnothing (?:tells|says)\b", re.I),
    ("none", r"\b(?:says?|tells?|means?) nothing\b", re.I),
    ("none", r"(?<!\bif )\bnone (?:is|was|has|that is)\b", re.I),
    # "What is left out is told."
    ("told", r"\b(?:is|are|be|was|were|been) told\b(?! (?:to|apart|from|how|that|where|when|about|which|whether|the|what|who|a|an|by)\b)",
     re.I),
    ("told", r"\btells? (?:of|so|so much)\b|\btold of\b|\bas told\b", re.I),
    ("told", r"\b(?:is|are|be|was|were|been) said\b", re.I),
    # "The key alone." "Beside it." "What stands behind."
    ("aside", r"^(?!.*\b(?:leaves?|left|let|stand|not) ?.*\balone).*\balone\b", re.I),
    ("aside", r"\bbeside\b", re.I),
    ("aside", r"(?<!\bleft )(?<!\bfall )(?<!\bfalls )(?<!\bfell )(?<!\bleave )(?<!\bleaves )(?<!\blag )(?<!\blags )(?<!\bfar )\bbehind\b(?! (?:a|the) lock\b)",
     re.I),
    ("aside", r"\bof (?:its|their|his|her|our|your|one's) own\b", re.I),
    ("aside", r"\bfor (?:itself|themselves|himself)\b", re.I),
    ("aside", r"\bstands? (?:in|at|on|there|where|before|after|under|over|first|last|beside|behind)\b", re.I),
    # "The file's name; else what the kernel says."
    ("else", r"^Else\b|[;:] else\b|\ball else\b", 0),
    # "The file is here: nobody read it: it is new."
    ("two-facts", r"[a-z)X]: (?:[^:;.,{]* )?(?:[a-z]+ )[a-z)X]+: ", 0),
)]
MOST_WORDS = 50


@dataclasses.dataclass(frozen=True)
class Text:
    """A comment, a message or a paragraph: its lines joined, and where each line begins in it."""

    kind: str
    line: int
    text: str
    starts: tuple  # (offset in text, line)

    def line_at(self, offset):
        return max((line for start, line in self.starts if start <= offset), default=self.line)


@dataclasses.dataclass(frozen=True)
class Finding:
    name: str
    line: int
    habit: str
    sentence: str


def joined(kind, rows):
    """One Text of rows (line, words)."""
    text, starts = "", []
    for line, words in rows:
        if text and words:
            text += " "
        starts.append((len(text), line))
        text += words
    return Text(kind, rows[0][0], text, tuple(starts))


def blocks(kind, rows):
    """Texts of rows (line, words); an empty row and a gap between lines end a text."""
    found, block = [], []
    for line, words in rows:
        if block and (not words or line > block[-1][0] + 1):
            found.append(joined(kind, block))
            block = []
        if words:
            block.append((line, words))
    if block:
        found.append(joined(kind, block))
    return found


CODE_TOKEN = re.compile(r'(?P<raw>R"(?P<mark>[^(\s]*)\((?P<body>.*?)\)(?P=mark)")|(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)'
                        r'|(?P<text>"(?:\\.|[^"\\\n])*")|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
PROSE = re.compile(r"(?:[A-Za-z'’-]{2,},? ){2}[a-z]")


def comment_words(words):
    """A line of a comment; "" for one that is set off as an example or a table, and for the license."""
    return "" if re.search(r"^    |\S {3,}\S|^ ?SPDX-", words) else words.strip()


def code_texts(source, with_messages):
    comments, strings, line, offset = [], [], 1, 0
    for match in CODE_TOKEN.finditer(source):
        line += source.count("\n", offset, match.start())
        offset = match.start()
        if match["line"]:
            before = source[source.rfind("\n", 0, offset) + 1:offset]
            if before.strip() or (comments and comments[-1][2] != len(before)):
                comments.append((line, "", 0))  # a comment in another column does not continue the line above
            comments.append((line, comment_words(match["line"][2:].lstrip("/!")), len(before)))
        elif match["block"]:
            comments.append((line, "", 0))
            for number, row in enumerate(match["block"][2:-2].split("\n")):
                comments.append((line + number, comment_words(row.strip().strip("*")), 0))
        elif match["text"] and with_messages:
            between = source[strings[-1][2]:offset] if strings else ";"
            goes_on = strings and not between.strip()
            strings.append((line, match["text"][1:-1], match.end(), goes_on))
    texts = blocks("comments", [(line, words) for line, words, _ in comments])
    run = []
    for line, words, _, goes_on in [*strings, (0, "", 0, False)]:
        if run and not goes_on:
            texts += [message for message in blocks("messages", run) if PROSE.search(message.text)]
            run = []
        for number, part in enumerate(words.split("\\n")):
            run += [(line, "")] if number else []
            run.append((line, part.replace('\\"', '"').strip()))
    return texts


def hash_texts(source):
    """Comments of shell and CMake files."""
    rows = []
    for number, row in enumerate(source.split("\n"), 1):
        whole = re.match(r"^\s*#( .*)$", row)
        match = whole or re.match(r"^[^'\"#]*\s#( .*)$", row)
        if match:
            rows += [] if whole else [(number, "")]  # a comment after code does not continue the line above
            rows.append((number, comment_words(match[1])))
    return blocks("comments", rows)


def python_texts(source):
    """Comments and doc strings of a Python file."""
    rows, texts, begins = [], [], True
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return hash_texts(source)
    for token in tokens:
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            if token.line[:token.start[1]].strip():
                rows.append((token.start[0], ""))  # a comment after code does not continue the line above
            rows.append((token.start[0], comment_words(token.string.lstrip("#!"))))
        elif token.type == tokenize.STRING and begins:
            words = token.string.strip("rbf").strip("\"'").split("\n")
            texts += blocks("comments", [(token.start[0] + number, comment_words(row)) for number, row in enumerate(words)])
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
    return texts + blocks("comments", rows)


def page_texts(source):
    """Data about the page, between --- and --- at its beginning, are no sentences."""
    source = re.sub(r"\A---\n.*?\n---\n", lambda found: "\n" * found[0].count("\n"), source, flags=re.DOTALL)
    rows, fenced = [], False
    for number, row in enumerate(source.split("\n"), 1):
        stripped = row.strip()
        if stripped.startswith("```"):
            fenced = not fenced
        listed = re.match(r"^(?:[-*]|\d+\.) (.*)$", stripped)
        if fenced or not stripped or stripped.startswith(("#", "<!--", "```")) or (row.startswith("    ") and not rows):
            rows.append((number, ""))
        elif row.startswith("    ") and rows and not rows[-1][1]:
            rows.append((number, ""))
        elif stripped.startswith("|"):
            rows.append((number, ""))
            rows += [entry for cell in stripped.strip("|").split(" | ") for entry in ((number, cell.strip()), (number, ""))]
        elif listed:
            rows += [(number, ""), (number, listed[1])]
        else:
            rows.append((number, stripped.removeprefix("> ")))
    return blocks("pages", rows)


def texts_of(name, source):
    """Every Text of one file."""
    if name.endswith(CODE_FILES):
        tested = name.endswith("_test.cpp") or name.startswith(("tests/", "fuzz/", "bench/")) or "test_" in name
        return code_texts(source, with_messages=not tested)
    if name.endswith(PAGE_FILES):
        return page_texts(source)
    if name.endswith(".py"):
        return python_texts(source)
    return hash_texts(source)


CODE_SPAN = re.compile(r"`[^`]*`")
SENTENCE_END = re.compile(r"(?<=[a-z]{4}\.)\s+(?=[a-z])|(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)[\"')*]*\s+(?=[\"'(*`\[]*(?:[A-Z0-9`_]|--))")


def sentences(text):
    """(offset, sentence) of a Text, with code spans kept."""
    start = 0
    for match in SENTENCE_END.finditer(text.text):
        yield start, text.text[start:match.end()].strip()
        start = match.end()
    if text.text[start:].strip():
        yield start, text.text[start:].strip()


def habits_of(sentence):
    """The habits of one sentence, each once. Words in `code font` and in quotes do not count."""
    plain = CODE_SPAN.sub("X", sentence)
    plain = re.sub(r"\"[^\"]*\"", "X", plain).strip("*_ ")
    plain = re.sub(r"^(?:warning|note|error|hint): ", "", plain)
    found = {habit for habit, pattern in PATTERNS if pattern.search(plain)}
    if len(re.findall(r"[A-Za-z]{2,}", plain)) > MOST_WORDS:
        found.add("two-facts")
    return [habit for habit in HABITS if habit in found]


def check_file(name, source):
    """Every Finding in one file."""
    found = []
    for text in texts_of(name, source):
        if EXCUSE in text.text:
            continue
        for offset, sentence in sentences(text):
            found += [Finding(name, text.line_at(offset), habit, sentence) for habit in habits_of(sentence)]
    return found


def is_read(name):
    named = name.endswith(CODE_FILES + HASH_FILES + PAGE_FILES) or re.fullmatch(r"scripts/[\w-]+", name)
    return bool(named) and not SKIPPED.search(name)


def read_tree(root, prefixes=(), every=False):
    """(name, source) of the files of a tree that are read, or of every file."""
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, check=False)
    if listing.returncode == 0:
        names = listing.stdout.decode().split("\0")
    else:
        names = [path.relative_to(root).as_posix() for path in root.rglob("*")]
        names = [name for name in names if not name.startswith(("build/", ".git/"))]
    for name in sorted(set(names)):
        if (every or is_read(name)) and (not prefixes or name.startswith(tuple(prefixes))) and (root / name).is_file():
            yield name, (root / name).read_text(encoding="utf-8", errors="replace")


def folder_of(name):
    """The folder that a finding counts for; in src its wing."""
    parts = name.split("/")[:-1]
    return "/".join(parts[:2] if parts[:1] == ["src"] else parts[:1]) or "."


def parse_ratchet(text):
    """{folder: findings that are allowed}; folders that are not named may have none."""
    allowed = {}
    for row in text.splitlines():
        if row.strip() and not row.startswith("#"):
            folder, number = row.split()
            allowed[folder] = int(number)
    return allowed


def judge(findings, allowed):
    """Complaints about folders with more findings than allowed: each finding of such a folder, then its sum."""
    by_folder = collections.defaultdict(list)
    for finding in findings:
        by_folder[folder_of(finding.name)].append(finding)
    complaints = []
    for folder, found in sorted(by_folder.items()):
        limit = allowed.get(folder, 0)
        if len(found) > limit:
            complaints += [shown(finding) for finding in found]
            complaints.append(f"{folder}: {len(found)} findings, {limit} allowed by {RATCHET}")
    return complaints


def shown(finding):
    return f"{finding.name}:{finding.line}: {finding.habit}: {finding.sentence}"


RATCHET_HEAD = """# Findings of tools/check_english.py that a folder may still have. The numbers only fall: mend some, then run
# tools/check_english.py --lower. A folder without a row may have none.
"""


def lowered(allowed, counts):
    """The ratchet's text with each number lowered to what is there."""
    rows = {folder: min(limit, counts.get(folder, 0)) for folder, limit in allowed.items()}
    return RATCHET_HEAD + "".join(f"{folder} {number}\n" for folder, number in sorted(rows.items()) if number)


def draw(files, number, kind, seed):
    """Sentences of a kind drawn at random, as 'name:line: sentence'."""
    pool = []
    for name, source in files:
        for text in texts_of(name, source):
            if text.kind == kind:
                pool += [f"{name}:{text.line_at(offset)}: {sentence}" for offset, sentence in sentences(text)
                         if not sentence.startswith(("namespace ", "NOLINT", "clang-format")) and len(re.findall(r"[A-Za-z]{2,}", sentence)) >= 3]
    return random.Random(seed).sample(pool, min(number, len(pool)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--all", action="store_true", help="print every finding")
    parser.add_argument("--count", action="store_true", help="print the number of findings per folder")
    parser.add_argument("--lower", action="store_true", help="lower the ratchet to the present numbers")
    parser.add_argument("--draw", nargs=2, metavar=("N", "KIND"), help="print N sentences of comments, messages or pages")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("paths", nargs="*", metavar="PATH")
    options = parser.parse_args()
    files = list(read_tree(options.root, options.paths))
    if options.draw:
        if options.draw[1] not in KINDS:
            parser.error(f"KIND is one of {', '.join(KINDS)}")
        print("\n".join(draw(files, int(options.draw[0]), options.draw[1], options.seed)))
        return 0
    findings = [finding for name, source in files for finding in check_file(name, source)]
    counts = collections.Counter(folder_of(finding.name) for finding in findings)
    ratchet = options.root / RATCHET
    allowed = parse_ratchet(ratchet.read_text(encoding="utf-8")) if ratchet.exists() else {}
    if options.all:
        print("\n".join(shown(finding) for finding in findings))
    elif options.count:
        print("\n".join(f"{number:5} {folder}" for folder, number in sorted(counts.items())))
    elif options.lower:
        ratchet.write_text(lowered(allowed, counts), encoding="utf-8")
    else:
        complaints = judge(findings, allowed)
        print("\n".join([*complaints, f"english: {len(files)} files, {len(findings)} findings, {len(complaints)} complaints"]))
        return 1 if complaints else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
