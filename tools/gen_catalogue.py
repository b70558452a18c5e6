#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks data/ and writes the tables of src/machine/pmu/generated/ from it (see data/README.md).

  tools/gen_catalogue.py           write the tables
  tools/gen_catalogue.py --check   change nothing; exit 1 if data/ is wrong or the tables are not its image

Only the standard library of Python 3.11 is needed. The generated files are checked in, so that a build needs no Python.
"""
import argparse
import sys

from catalogue_data import ARCHITECTURAL, ROOT, UNCORE_CLASSES, Texts, problem, problems
from catalogue_data import load_identities, load_products, load_uncore

GENERATED = ROOT / "src" / "machine" / "pmu" / "generated"
POOL_ROW_BYTES = 32768      # tables.h kPoolRowBytes; below the literal limit of every compiler
ARCHITECTURAL_BIT = 0x8000  # tables.h kArchitecturalBit


class Strings:
    """Stores every string once and gives it a 16-bit number. No string crosses the end of a row."""

    def __init__(self):
        self.ids, self.rows, self.places = {}, [[]], []
        self.used = 0

    def id(self, text):
        if text not in self.ids:
            if not text.isascii() or (text and not text.isprintable()):
                problem("strings", f"{text!r} is not printable ASCII")
            if self.used + len(text) >= POOL_ROW_BYTES:
                self.rows.append([])
                self.used = 0
            self.ids[text] = len(self.places)
            self.places.append(((len(self.rows) - 1) * POOL_ROW_BYTES + self.used, len(text)))
            self.rows[-1].append(text)
            self.used += len(text)
        return self.ids[text]


class Rows:
    """Distinct rows of one table, in order of first use."""

    def __init__(self):
        self.index, self.rows = {}, []

    def id(self, row):
        if row not in self.index:
            self.index[row] = len(self.rows)
            self.rows.append(row)
        return self.index[row]


class Tables:
    def __init__(self, texts):
        self.texts, self.strings = texts, Strings()
        self.strings.id("")  # number 0: the empty string
        self.event_texts, self.metrics, self.groups = Rows(), Rows(), Rows()
        self.events, self.events_by_name = [], []
        self.metric_lists, self.group_lists, self.topdown, self.other_names = [], [], [], []

    def add_events(self, section, events, architectural, overrides=None):
        """Appends one list, ascending by code, and its order by name. Returns (first, count)."""
        first, names = len(self.events), []
        for event in sorted(events, key=lambda event: (int(events[event], 16), event.lower())):
            title, description = self.texts.find(section, event, overrides)
            name, code = event.lower(), int(events[event], 16)
            row = self.event_texts.id(tuple(map(self.strings.id, (name, title, description))))
            if architectural.get(event) == code:
                row |= ARCHITECTURAL_BIT
            self.events.append((row, code))
            names.append(name)
        self.events_by_name += sorted(range(len(names)), key=names.__getitem__)
        return first, len(names)

    def add_metrics(self, product):
        overrides, first = product.get("text"), len(self.metric_lists)
        for name, facts in sorted(product.get("metrics", {}).items()):
            title, description = self.texts.find("metrics", name, overrides)
            row = (name, title, description, facts["formula"].lower(), " ".join(facts["postfix"]).lower(),
                   facts["unit"], ",".join(facts["events"]).lower())
            self.metric_lists.append(self.metrics.id(tuple(map(self.strings.id, row))))
        return first, len(self.metric_lists) - first

    def add_groups(self, product):
        overrides, first = product.get("text"), len(self.group_lists)
        for name, members in sorted(product.get("metric_groups", {}).items()):
            title, description = self.texts.find("metric_groups", name, overrides)
            row = (name, title, description, ",".join(members))
            self.group_lists.append(self.groups.id(tuple(map(self.strings.id, row))))
        for name in product.get("event_groups", {}):
            self.texts.find("event_groups", name, overrides)
        return first, len(self.group_lists) - first

    def add_other_names(self, product):
        names, first = product.get("newer_names", {}), len(self.other_names)
        for event, other in sorted(names.items(), key=lambda pair: pair[1].lower()):
            self.other_names.append((self.strings.id(other.lower()), int(product["events"][event], 16)))
        return first, len(names)

    def add_topdown(self, product):
        topdown, first = product.get("topdown", {"tree": []}), len(self.topdown)
        for node in sorted(topdown["tree"], key=lambda node: node["name"]):
            row = (node["name"], ",".join(node["next_items"]), ",".join(node["sample_events"]).lower())
            self.topdown.append((*map(self.strings.id, row), int(node["name"] in topdown["root"])))
        return first, len(self.topdown) - first


def build(products, texts):
    architectural = {event: int(code, 16) for name in ARCHITECTURAL for event, code in products[name]["events"].items()}
    tables, product_rows, event_ranges = Tables(texts), [], {}
    for name in sorted(products, key=lambda name: (name not in ARCHITECTURAL, name)):
        if "events" in products[name]:
            product = products[name]
            known = {*product["events"], *product.get("metrics", {}), *product.get("metric_groups", {}),
                     *product.get("event_groups", {})}
            for text in sorted(set(product.get("text", {})) - known):
                problem(name, f'"text" overrides {text}, which this product does not have')
            event_ranges[name] = tables.add_events("events", product["events"], architectural, product.get("text"))
    for name in sorted(products):
        product = products[name]
        own = "events" in product and name not in ARCHITECTURAL
        words = (name, product["title"], product.get("architecture", ""), product.get("pmu_architecture", ""))
        product_rows.append((*map(tables.strings.id, words), product.get("slots", 0), int(own),
                             *event_ranges[product.get("events_of", name)], *tables.add_metrics(product),
                             *tables.add_groups(product), *tables.add_topdown(product),
                             *tables.add_other_names(product)))
    uncore, uncore_rows = load_uncore(), [(0, 0)]
    for event_class in UNCORE_CLASSES:
        uncore_rows.append(tables.add_events(event_class, uncore[event_class], {}))
    for what in (tables.strings.places, tables.events, tables.metric_lists, tables.group_lists):
        if len(what) > 0xFFFF:
            problem("tables", "a table is too long for 16-bit numbers")
    if len(tables.event_texts.rows) >= ARCHITECTURAL_BIT:
        problem("tables", "too many event texts for 15-bit numbers")
    return tables, product_rows, uncore_rows


HEAD = """// SPDX-License-Identifier: BSD-3-Clause
// Generated by tools/gen_catalogue.py from data/; do not edit. {what}
// clang-format off
#include "machine/pmu/tables.h"

namespace wperf::pmu::tables {{
"""
TAIL = "}  // namespace wperf::pmu::tables\n"


def wrapped(cells):
    lines, line = [], ""
    for cell in cells:
        if len(line) + len(cell) + 2 > 116:
            lines.append(line)
            line = ""
        line += ("" if not line else " ") + cell + ","
    return "".join(f"  {line}\n" for line in lines + [line] if line)


def rows_array(kind, name, rows):
    cells = ("{" + ", ".join(map(str, row)) + "}" for row in rows)
    return f"\nconstinit const {kind} {name}[] = {{\n" + wrapped(cells) + "};\n"


def named_rows_array(kind, name, rows, row_names):
    lines = ("  {" + ", ".join(map(str, row)) + "},  // " + row_name + "\n" for row, row_name in zip(rows, row_names))
    return f"\nconstinit const {kind} {name}[] = {{\n" + "".join(lines) + "};\n"


def numbers_array(kind, name, values):
    return f"\nconstinit const {kind} {name}[] = {{\n" + wrapped(map(str, values)) + "};\n"


def literal_lines(text):
    escaped = [f"\\{letter}" if letter in '"\\' else letter for letter in text]
    for start in range(0, len(escaped), 100):
        yield '    "' + "".join(escaped[start:start + 100]) + '"\n'


def write_strings(tables):
    out = [HEAD.format(what="The string pool.")]
    out.append("\nconstinit const char kPool[][kPoolRowBytes] = {\n")
    for row in tables.strings.rows:
        out += [line for text in row for line in literal_lines(text)]
        out.append("    ,\n")
    out.append("};\n")
    out.append(numbers_array("u32", "kStringOffsets", [offset for offset, _ in tables.strings.places]))
    out.append(numbers_array("u16", "kStringLengths", [length for _, length in tables.strings.places]))
    return "".join(out) + TAIL


def write_events(tables):
    return (HEAD.format(what="The events of every product and of the uncore.")
            + rows_array("EventText", "kEventTexts", tables.event_texts.rows)
            + rows_array("EventRow", "kEvents", tables.events)
            + numbers_array("u16", "kEventsByName", tables.events_by_name)
            + rows_array("OtherName", "kOtherNames", tables.other_names) + TAIL)


def write_metrics(tables):
    return (HEAD.format(what="Metrics, groups of metrics, and trees of them.")
            + rows_array("MetricRow", "kMetrics", tables.metrics.rows)
            + numbers_array("u16", "kMetricLists", tables.metric_lists)
            + rows_array("GroupRow", "kGroups", tables.groups.rows)
            + numbers_array("u16", "kGroupLists", tables.group_lists)
            + rows_array("TopdownRow", "kTopdown", tables.topdown) + TAIL)


def write_products(product_rows, uncore_rows, identities, aliases, names):
    identity_rows = [(*key, names.index(name)) for key, name in sorted(identities.items())]
    alias_rows = [(f'"{alias}"', f'"{name}"') for alias, name in sorted(aliases.items())]
    return (HEAD.format(what="The products and how to recognise them.")
            + named_rows_array("ProductRow", "kProducts", product_rows, names)
            + rows_array("EventRange", "kUncore", uncore_rows)
            + named_rows_array("IdentityRow", "kIdentities", identity_rows, [names[row[3]] for row in identity_rows])
            + rows_array("Alias", "kAliases", alias_rows)
            + f"\nconst u16 kProductCount = {len(product_rows)};\nconst u16 kIdentityCount = {len(identity_rows)};\n"
            + f"const u16 kAliasCount = {len(alias_rows)};\n"
            + f"const u16 kArchitecturalProduct = {names.index(ARCHITECTURAL[0])};\n" + TAIL)


def generate():
    products, aliases = load_products()
    if problems:
        return {}
    identities, texts = load_identities(products), Texts()
    tables, product_rows, uncore_rows = build(products, texts)
    texts.report_unused()
    return {
        "strings.cpp": write_strings(tables),
        "events.cpp": write_events(tables),
        "metrics.cpp": write_metrics(tables),
        "products.cpp": write_products(product_rows, uncore_rows, identities, aliases, sorted(products)),
    }


def main():
    parser = argparse.ArgumentParser(description="check data/ and write src/machine/pmu/generated/")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    files = generate()
    for text in problems:
        print(f"error: {text}", file=sys.stderr)
    if problems:
        return 1
    stale = [path.name for path in sorted(GENERATED.glob("*.cpp")) if path.name not in files]
    for name, text in files.items():
        path = GENERATED / name
        if path.exists() and path.read_text(encoding="ascii") == text:
            continue
        if check:
            stale.append(name)
        else:
            GENERATED.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="ascii", newline="\n")
    if stale:
        print(f"error: src/machine/pmu/generated differs from data/ in {', '.join(sorted(stale))}; run tools/gen_catalogue.py "
              "and look at the difference with git diff", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
