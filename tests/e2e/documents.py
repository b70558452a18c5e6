# SPDX-License-Identifier: BSD-3-Clause
"""Every JSON document that wperf writes in a test is checked against its schema, as `wperf schema` prints it.

The published schemas allow additional keys, because later versions may add some. The tests close the schemas, so a key
that no schema describes is a fault.
"""
import functools
import json
import os
import pathlib
import re
import subprocess

import jsonschema

ROWS_READ = 300  # only this many entries of a list are checked, because they are alike and checking is slow


def wperf(*arguments):
    done = subprocess.run([os.environ["WPERF_BINARY"], *arguments], capture_output=True, text=True, encoding="utf-8", timeout=60,
                          check=True)
    return done.stdout


@functools.cache
def printed_by():
    """{first word of a command line: names of its documents}."""
    names = {}
    for row in wperf("schema").splitlines()[2:]:
        name, _, lines = re.split(r"  +", row.strip(), maxsplit=2)
        for line in lines.split(", "):
            names.setdefault(line.split()[0], set()).add(name)
    return names


@functools.cache
def schema(name):
    return json.loads(wperf("schema", name))


def closed(node):
    """Returns the schema without permission for additional keys."""
    if isinstance(node, list):
        return [closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {key: closed(value) for key, value in node.items()}
    if isinstance(node.get("properties"), dict) and node.get("type") == "object":
        made.setdefault("additionalProperties", False)
    return made


@functools.cache
def validator(name):
    return jsonschema.Draft202012Validator(closed(schema(name)))


def thinned(node):
    if isinstance(node, dict):
        return {key: thinned(value) for key, value in node.items()}
    if not isinstance(node, list):
        return node
    step = max(1, len(node) // ROWS_READ)
    return [thinned(item) for item in node[::step]]


def faults(name, document):
    """Returns sentences about the parts of the document that do not match its schema."""
    found = []
    for fault in validator(name).iter_errors(thinned(document)):
        place = "/".join(str(part) for part in fault.absolute_path)
        found.append(f"/{place}: {fault.message[:300]}")
        if len(found) == 5:
            break
    return found


def name_of(document, names):
    """The schema that has the document's outermost keys."""
    keys = set(document)
    fitting = [name for name in sorted(names) if set(schema(name)["required"]) <= keys <= set(schema(name)["properties"])]
    if len(fitting) != 1:
        raise AssertionError(f"documents with the keys {sorted(keys)} fit {fitting or 'none'} of the schemas {sorted(names)}")
    return fitting[0]


def parsed(text):
    """One document, or one per line; None if the text is not JSON."""
    try:
        return [json.loads(text)]
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return None


def check_text(text, words, names, whole):
    documents = parsed(text)
    if documents is None:
        if whole:
            raise AssertionError(f"{words} wrote no JSON: {text[:200]!r}")
        return
    for document in thinned(documents):
        name = name_of(document, names)
        if found := faults(name, document):
            raise AssertionError(f"{words}: not as `wperf schema {name}` describes it:\n" + "\n".join(found))


def check(words, done, cwd):
    command = next((word for word in words if word in printed_by()), None)
    if command is None:
        return
    if command != "diff" and "--" in words:
        words = words[:words.index("--")]
    whole = done.returncode == 0
    names = printed_by()[command]
    # A program that wperf starts may write to stdout, too.
    if "--json" in words and "--help" not in words and done.stdout.startswith("{"):
        check_text(done.stdout, words, names, whole)
    if not whole or "--export" in words:
        return
    for option, name in zip(words, words[1:]):
        file = pathlib.Path(cwd or ".", name)
        if option in ("-o", "--output", "--records") and file.is_file() and file.read_bytes()[:1] == b"{":
            check_text(file.read_text(encoding="utf-8"), words, names, whole)
