# SPDX-License-Identifier: BSD-3-Clause
"""Reads data/ and checks it against its rules (data/README.md); gen_catalogue.py makes tables of valid data."""
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "data"

ARCHITECTURAL = ("armv8-a", "armv9-a")
UNCORE_CLASSES = ("dsu", "dmc_clk", "dmc_clkdiv2")  # in the order of EventClass
PRODUCT_FIELDS = {
    "title", "identity", "aliases", "architecture", "pmu_architecture", "counters", "slots", "shared_codes",
    "events_of", "events", "newer_names", "metrics", "metric_groups", "event_groups", "topdown", "text",
}
MAX_STACK_DEPTH = 16  # half of the limit of evaluate_postfix

problems = []


def problem(where, text):
    problems.append(f"{where}: {text}")


def load(path):
    where = path.relative_to(ROOT).as_posix()

    def no_twins(pairs):
        seen = {}
        for key, value in pairs:
            if key in seen:
                problem(where, f'key "{key}" appears twice')
            seen[key] = value
        return seen

    with open(path, encoding="ascii") as file:
        return json.load(file, object_pairs_hook=no_twins)


def number(where, text, limit):
    if not isinstance(text, str) or not re.fullmatch(r"0x[0-9a-f]+", text):
        problem(where, f"{text!r} is not a lower-case hexadecimal number")
        return 0
    value = int(text, 16)
    if value > limit:
        problem(where, f"{text} is greater than {limit:#x}")
    return value


def to_postfix(formula):
    """Converts an infix formula with + - * / and parentheses to a list of postfix tokens. Raises ValueError."""
    precedence = {"+": 1, "-": 1, "*": 2, "/": 2}
    output, operators = [], []
    token_pattern = re.compile(r"\s*(?:([A-Z][A-Z0-9_]*)|(\d+(?:\.\d+)?)|([-+*/])|([()]))\s*")
    position, expect_operand = 0, True
    while position < len(formula):
        match = token_pattern.match(formula, position)
        if not match:
            raise ValueError(f"cannot read {formula[position:]!r}")
        position = match.end()
        name, literal, operator, bracket = match.groups()
        opens = bool(name or literal or bracket == "(")
        if opens != expect_operand:
            raise ValueError(f"{match.group().strip()!r} in the wrong place")
        if name or literal:
            output.append(name or literal)
            expect_operand = False
        elif bracket == "(":
            operators.append("(")
        elif operator:
            while operators and operators[-1] != "(" and precedence[operators[-1]] >= precedence[operator]:
                output.append(operators.pop())
            operators.append(operator)
            expect_operand = True
        else:
            while operators and operators[-1] != "(":
                output.append(operators.pop())
            if not operators:
                raise ValueError("unbalanced )")
            operators.pop()
    if expect_operand or "(" in operators:
        raise ValueError("ends too early")
    return output + operators[::-1]


def stack_depth(postfix):
    depth = deepest = 0
    for token in postfix:
        depth += -1 if token in "+-*/" else 1
        deepest = max(deepest, depth)
    return deepest


def check_events(name, product):
    events = product["events"]
    by_code = {}
    for event, code in events.items():
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*", event):
            problem(name, f"event name {event!r} is not upper case")
        by_code.setdefault(number(f"{name} {event}", code, 0xFFFF), []).append(event)
    if list(events) != sorted(events, key=lambda event: (int(events[event], 16), event)):
        problem(name, "events are not sorted by code")
    shared = {f"{code:#06x}": sorted(names) for code, names in by_code.items() if len(names) > 1}
    if shared != {code: sorted(names) for code, names in product.get("shared_codes", {}).items()}:
        problem(name, f'codes with several names are {shared}, "shared_codes" says otherwise')


def check_newer_names(name, product):
    newer = product.get("newer_names", {})
    for event, other in newer.items():
        if event not in product["events"]:
            problem(name, f'"newer_names" has {event}, which this product does not have')
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*", other):
            problem(name, f"event name {other!r} is not upper case")
    if len({*newer.values(), *product["events"]}) != len(newer) + len(product["events"]):
        problem(name, '"newer_names" gives a name to two events')


def check_metrics(name, product):
    events, metrics = product["events"], product.get("metrics", {})
    for metric, facts in metrics.items():
        where = f"{name} {metric}"
        if set(facts) != {"formula", "unit", "events"}:
            problem(where, "needs formula, unit and events, nothing else")
            continue
        for event in facts["events"]:
            if event not in events:
                problem(where, f"counts {event}, which this product does not have")
        try:
            facts["postfix"] = to_postfix(facts["formula"])
        except ValueError as error:
            problem(where, f"formula: {error}")
            continue
        if stack_depth(facts["postfix"]) > MAX_STACK_DEPTH:
            problem(where, "formula is nested too deeply")
        for token in facts["postfix"]:
            if token[0].isalpha() and token not in facts["events"]:
                problem(where, f"formula uses {token}, which the metric does not count")
    for group, members in product.get("metric_groups", {}).items():
        for metric in members:
            if metric not in metrics:
                problem(f"{name} {group}", f"names metric {metric}, which this product does not have")
    for group, members in product.get("event_groups", {}).items():
        for event in members:
            if event not in events:
                problem(f"{name} {group}", f"names event {event}, which this product does not have")


def check_topdown(name, product):
    topdown = product.get("topdown")
    if topdown is None:
        return
    known = set(product["metrics"]) | set(product["metric_groups"])
    named = set(topdown["stage_1"]) | set(topdown["stage_2"]) | set(topdown["root"])
    for node in topdown["tree"]:
        named |= {node["name"], node["group"], *node["next_items"]}
        for event in node["sample_events"]:
            if event not in product["events"]:
                problem(f"{name} topdown", f"samples {event}, which this product does not have")
    for item in sorted(named - known):
        problem(f"{name} topdown", f"names {item}, which is no metric and no group of this product")


def load_uncore():
    uncore = load(DATA / "uncore.json")
    for section, events in uncore.items():
        codes = [number(f"{section} {event}", code, 0xFFFF if section in UNCORE_CLASSES else 0xFFFFFFFF)
                 for event, code in events.items()]
        if len(set(codes)) != len(codes):
            problem(section, "two events have the same code")
        for event in events:
            if not re.fullmatch(r"[a-z][a-z0-9_]*", event):
                problem(section, f"event name {event!r} is not lower case")
    return uncore


def load_products():
    products = {}
    for path in sorted((DATA / "cpus").glob("*.json")):
        name, product = path.stem, load(path)
        products[name] = product
        for field in sorted(set(product) - PRODUCT_FIELDS):
            problem(name, f'unknown field "{field}"')
        if not re.fullmatch(r"[a-z0-9-]+", name) or "title" not in product:
            problem(name, "needs a lower-case file name and a title")
        if ("events" in product) == ("events_of" in product):
            problem(name, "needs either events or events_of")
        if "events" in product:
            check_events(name, product)
            check_newer_names(name, product)
            check_metrics(name, product)
            check_topdown(name, product)
        elif set(product) - {"title", "identity", "aliases", "architecture", "counters", "slots", "events_of"}:
            problem(name, "a product without events of its own cannot have metrics, groups or texts")
        elif product["events_of"] not in ARCHITECTURAL:
            problem(name, f"events_of must be one of {', '.join(ARCHITECTURAL)}")
    aliases = {}
    for name, product in products.items():
        for alias in product.get("aliases", []):
            if alias in products or alias in aliases:
                problem(name, f"alias {alias} is taken")
            aliases[alias] = name
    return products, aliases


def load_identities(products):
    """(implementer, part, lowest revision) → product."""
    identities = {}
    for name, product in products.items():
        if not product.get("identity") and name not in ARCHITECTURAL:
            problem(name, "has no identity")
        for identity in product.get("identity", []):
            where = f"{name} identity"
            for field in sorted(set(identity) - {"implementer", "part", "from_revision"}):
                problem(where, f'unknown field "{field}"')
            revision = re.fullmatch(r"r(\d+)p(\d+)", identity.get("from_revision", "r0p0"))
            if not revision or max(map(int, revision.groups())) > 15:
                problem(where, "from_revision must look like r0p3")
                continue
            key = (number(where, identity["implementer"], 0xFF), number(where, identity["part"], 0xFFF),
                   int(revision[1]) << 4 | int(revision[2]))
            if key in identities:
                problem(where, f"is also the identity of {identities[key]}")
            identities[key] = name
    for implementer, part, revision in list(identities):
        if (implementer, part, 0) not in identities:
            problem(identities[implementer, part, revision], "nobody is this part from r0p0 on")
    return identities


class Texts:
    """The texts of data/text/. A product's own titles and descriptions replace them. Remembers which texts were
    used."""

    def __init__(self):
        self.sections = load(DATA / "text" / "metrics.json")
        architectural = load(DATA / "text" / "architectural_events.json")
        product_events = load(DATA / "text" / "product_events.json")
        for name in sorted(set(architectural) & set(product_events)):
            problem("data/text", f"{name} has two texts")
        self.sections["events"] = architectural | product_events
        self.unused = {(section, name) for section, names in self.sections.items() for name in names}

    def find(self, section, name, overrides=None):
        self.unused.discard((section, name))
        text = self.sections[section].get(name, {}) | (overrides or {}).get(name, {})
        if not text:
            problem(f"data/text ({section})", f"no text for {name}")
            return ("", "")
        if set(text) != {"title", "description"} or not all(text.values()):
            problem(f"data/text ({section})", f"{name} needs a title and a description, nothing else")
        return (text.get("title", ""), text.get("description", ""))

    def report_unused(self):
        for section, name in sorted(self.unused):
            problem(f"data/text ({section})", f"nobody uses the text of {name}")
