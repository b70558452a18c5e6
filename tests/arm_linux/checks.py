# SPDX-License-Identifier: BSD-3-Clause
"""Commands for wperf on the emulated Arm machine, and their expected answers. A step is a command on that machine and a
function that checks its output; the function returns a summary, or raises Wrong."""
import dataclasses
import json
import re
import typing

# counted.S
INSTRUCTIONS = 2 * 5_000_000 + 5
LONG_INSTRUCTIONS = 2 * 100_000_000 + 5
FOR_A_WHILE = 50_000_000  # instructions in 0.05 s
AS_NOBODY = "su -s /bin/sh nobody -c"
PARANOID = "/proc/sys/kernel/perf_event_paranoid"


class Wrong(Exception):
    """The expected value and the actual one."""


@dataclasses.dataclass
class Step:
    name: str
    command: str
    judge: typing.Callable  # (status, output)


def expect(condition, what):
    if not condition:
        raise Wrong(what)


def expect_words(text, *words):
    for word in words:
        expect(word in text, f"no '{word}' in: {text.strip()}")


def document(status, text):
    """The JSON that wperf printed."""
    expect(status == 0, f"status {status}: {text.strip()}")
    lines = [line for line in text.splitlines() if line.startswith("{")]
    expect(len(lines) == 1, f"no JSON in: {text.strip()}")
    return json.loads(lines[0])


def counts(status, text):
    """{event: its row}"""
    core = document(status, text)["core"]
    return {row["event_name"]: row for row in core["cores"][0]["Performance_counter"]}


def expect_count(rows, name, wanted):
    expect(name in rows, f"no {name} among {sorted(rows)}")
    expect(rows[name]["counter_value"] == wanted, f"{name}: {rows[name]['counter_value']:,} of {wanted:,}")


def expect_near(found, wanted, share, what):
    expect(abs(found - wanted) <= share * wanted, f"{what}: {found:,} is not within {100 * share:g} % of {wanted:,}")


def exact_counts(*names):
    def judge(status, text):
        rows = counts(status, text)
        for name in names:
            expect_count(rows, name, INSTRUCTIONS)
        return f"{INSTRUCTIONS:,} each of {', '.join(names)}"
    return judge


def perf_counts(status, text):
    numbers = {name: int(count) for count, name in re.findall(r"^(\d+),,(\w+):u,", text, re.M)}
    expect(numbers == {"instructions": INSTRUCTIONS, "cycles": INSTRUCTIONS}, f"perf says {text.strip()}")
    return f"perf beside it says {numbers['instructions']:,} instructions and {numbers['cycles']:,} cycles"


def kernel_too(status, text):
    rows = counts(status, text)
    count = rows["inst_retired"]["counter_value"]
    # The kernel's part varies from run to run: between 50,000 and 230,000 in the runs so far.
    expect(INSTRUCTIONS < count < INSTRUCTIONS + 1_000_000, f"{count:,} with the kernel, {INSTRUCTIONS:,} without")
    return f"{count:,} with the kernel"


def modifiers(status, text):
    rows = {name: row["counter_value"] for name, row in counts(status, text).items()}
    for name in ("instructions:u", "inst_retired:u", "cycles:u"):
        expect(rows[name] == INSTRUCTIONS, f"{name}: {rows[name]:,}")
    expect(0 < rows["cycles:k"] < 1_000_000, f"cycles:k: {rows['cycles:k']:,}")
    expect(rows["instructions:uk"] > INSTRUCTIONS, f"instructions:uk: {rows['instructions:uk']:,}")
    return f"user mode {rows['cycles:u']:,}, kernel {rows['cycles:k']:,} cycles, both {rows['instructions:uk']:,} instructions"


def words(*wanted, status=0, without=()):
    def judge(ended, text):
        expect(ended == status, f"status {ended}: {text.strip()}")
        expect_words(text, *wanted)
        for word in without:
            expect(word not in text, f"'{word}' in: {text.strip()}")
        return wanted[0]
    return judge


def doctor_counted(status, text):
    expect(status == 0, f"status {status}: {text.strip()}")
    expect_words(text, "6 of 6 programmable counters free")
    found = re.search(r"pmu: counted (\d+) cycles in a short loop", text)
    # A million rounds, of four instructions or of ten without optimisation.
    expect(found and 4_000_000 <= int(found[1]) < 11_000_000, f"cycles of doctor's loop: {text.strip()}")
    return f"6 of 6 counters free, {found[1]} cycles"


def group_of_six(status, text):
    rows = counts(status, text)
    for name in ("inst_retired", "cpu_cycles", "cycle"):
        expect_count(rows, name, INSTRUCTIONS)
    expect(len(rows) == 7 and not any("scaled_value" in row for row in rows.values()), f"rows {sorted(rows)}")
    return "six at once and the cycles, exact"


def taking_turns(status, text):
    rows = counts(status, text)
    told = []
    for name in ("cycle", "inst_retired", "cpu_cycles"):
        row = rows[name]
        counted, of = (int(part) for part in row["multiplexed"].split("/"))
        expect(0 < counted < of, f"{name} took no turns: {row['multiplexed']}")
        expect_near(row["scaled_value"], LONG_INSTRUCTIONS, 0.01, name)
        told.append(f"{name} {row['scaled_value']:,} in {row['multiplexed']} ms")
    per_cycle = {row["event_name"]: row["value"] for row in document(status, text)["Derived"] if row["unit"] == "per cycle"}
    expect(f"{per_cycle['inst_retired']:.2f}" == "1.00", f"{per_cycle['inst_retired']} instructions per cycle")
    return f"{', '.join(told)} of {LONG_INSTRUCTIONS:,}; {per_cycle['inst_retired']:.4f} per cycle"


def no_turn(status, text):
    expect(status == 0, f"status {status}: {text.strip()}")
    told = re.search(r"^Not counted, [^:]*: (.*)\.$", text, re.M)
    never = set(told[1].split(", ")) if told else set()
    zero = {name for name, counted in re.findall(r"^ +0  (\w+) +(\d+)/\d+ ", text, re.M) if counted == "0"}
    expect(zero <= never, f"0 without a turn, and not said: {sorted(zero - never)} in {text.strip()}")
    expect(never, f"all had a turn: {text.strip()}")
    return f"said of {', '.join(sorted(never))}"


def a_running_one(status, text):
    rows = counts(status, text)
    count = rows["inst_retired"]["counter_value"]
    expect_count(rows, "cycle", count)
    expect_near(count, FOR_A_WHILE, 0.05, "instructions in 0.05 s")
    return f"{count:,} instructions and cycles each in 0.05 s"


def a_running_one_sampled(status, text):
    found = re.search(r"^event cycles: (\d+) samples, ([\d,]+) counted$", text, re.M)
    expect(status == 0 and found, f"status {status}: {text.strip()}")
    expect_near(int(found[1]), FOR_A_WHILE // 100_000, 0.05, "samples in 0.05 s")
    expect_words(text, f" 100.00      {found[1]}  counted-long  counted-long  _start")
    return f"{found[1]} samples in 0.05 s, all of its loop"


def short_selftest(status, text):
    count = counts(status, text)["inst_retired"]["counter_value"]
    expect(2 * 10_000 < count < 2 * 10_000 + 500_000, f"{count:,} instructions of 10,000 rounds and a start")
    return f"{count:,} instructions with its start"


def what_it_lacks(status, text):
    # The PMU reports only for events up to 0x3f whether they exist.
    rows = [line for line in text.splitlines() if re.match(r" +\w+ +0x00[0-3]", line)]
    claimed = [line.split()[0] for line in rows if "core PMU event" in line]
    expect(status == 0 and sorted(claimed) == ["cpu_cycles", "inst_retired", "stall_backend", "stall_frontend"], f"{claimed}")
    lacking = sum("not in this PMU" in line for line in rows)
    expect(lacking > 0 and lacking + len(claimed) == len(rows), "rows that are neither")
    return f"{', '.join(claimed)}; {lacking} are not in this PMU"


def samples(number, event):
    def judge(status, text):
        found = re.search(rf"^event {event}: ([\d,]+) samples?, ([\d,]+) counted$", text, re.M)
        expect(status == 0 and found, f"status {status}: {text.strip()}")
        seen, counted = (int(part.replace(",", "")) for part in found.groups())
        expect(seen in (number, number + 1), f"{seen} samples of {number}")
        expect("lost" not in text, f"losses: {text.strip()}")
        return f"{seen} samples, {counted:,} counted"
    return judge


def frequency(status, text):
    found = re.search(r"^event cycles: (\d+) samples, ([\d,]+) counted$", text, re.M)
    expect(status == 0 and found, f"status {status}: {text.strip()}")
    counted = int(found[2].replace(",", ""))
    # 0.2 s; the kernel needs some samples to find the interval.
    expect(100 <= int(found[1]) <= 300, f"{found[1]} samples of about 199")
    expect_near(counted, LONG_INSTRUCTIONS, 0.02, "cycles of all samples")
    return f"{found[1]} samples of about 199, {counted:,} cycles"


SHARES = {"leaf_a": 20, "leaf_b": 60, "leaf_c": 20}


def shares_and_callers(status, text):
    """Shares and whole stacks of wperf-selftest, from a tree."""
    expect(status == 0, f"status {status}: {text.strip()}")
    flat = {name: float(share) for share, name in re.findall(r"^ *([\d.]+) +\d+  wperf-selftest +wperf-selftest +(leaf_\w)$", text, re.M)}
    for name, share in SHARES.items():
        expect(name in flat and abs(flat[name] - share) <= 5, f"{name}: {flat.get(name)} % of {share} % in {text.strip()}")
    root = re.search(r"^ *([\d.]+) +0.00  _start .*→ main", text, re.M)
    expect(root and float(root[1]) >= 99.5, f"main is not below all of it: {text.strip()}")
    by_outer = re.search(r"^ +([\d.]+) +0.00  ├ outer.*\n((?:.*│.*\n)+)", text, re.M)
    expect(by_outer and re.search(r"middle → leaf_b", by_outer[2]) and "leaf_a" in by_outer[2], f"outer > middle > leaf_b: {text.strip()}")
    expect(re.search(r"^ +([\d.]+) +\1  [├└] middle → leaf_b", text, re.M), f"main > middle > leaf_b: {text.strip()}")
    return ", ".join(f"{name} {share:.1f} %" for name, share in sorted(flat.items())) + f"; leaf_b by middle; main {root[1]} %"


def perf_reads(status, text):
    found = {name: float(share) for share, name in re.findall(r"^ +([\d.]+)% .*\[\.\] (leaf_\w)", text, re.M)}
    for name, share in SHARES.items():
        expect(name in found and abs(found[name] - share) <= 5, f"{name}: {found.get(name)} % of {share} % in {text.strip()}")
    return f"perf report: {found}"


def python_stacks(status, text):
    """Shares of stacks.py, from folded stacks."""
    expect(status == 0, f"status {status}: {text.strip()}")
    joined = re.search(r"^Python 3\.11: (?:all|([\d,]+) of) ([\d,]+) samples inside the interpreter have Python names.*$", text, re.M)
    inside, whole = [int((number or joined[2]).replace(",", "")) for number in joined.groups()] if joined else (0, 1)
    expect(joined and 100 * inside >= 97 * whole, f"joined: {joined and joined[0]} in {text.strip()[:2000]}")
    stacks = [(stack.split(";"), int(count)) for stack, count in re.findall(r"^(\S.*;.*) (\d+)$", text, re.M)]
    found = {name: sum(count for stack, count in stacks if name in stack) for name in ("leaf_a", "leaf_b")}
    both = sum(found.values())
    expect(both > 300 and abs(found["leaf_a"] / both - 0.25) < 0.05, f"{found} of 25 and 75 % in {text.strip()[:2000]}")
    for stack, _ in stacks:
        expect("leaf_b" not in stack or stack[stack.index("leaf_b") - 2:stack.index("leaf_b")] == ["main", "middle"], f"stack {stack}")
    return f"{joined[0]}; leaf_a {100 * found['leaf_a'] / both:.1f} % of 25"


def selftest(ok, impossible):
    def judge(status, text):
        expect(status == 0, f"status {status}: {text.strip()}")
        expect_words(text, f"---- {ok} ok, 0 failed, {impossible} not possible ----")
        told = re.search(r" counts: (.*)", text)
        return f"{ok} ok, 0 failed, {impossible} not possible; {told[1] if told else ''}"
    return judge


# A section around section.cpp's loop also contains the call and the return.
ROUNDS, FEW = 1_000_000, 8
LONG_ROUNDS = 100_000_000


def section_counts(status, text):
    """{event: (value, overhead)} of section.cpp."""
    expect(status == 0, f"status {status}: {text.strip()}")
    rows = re.findall(r"^ +(\d+)  ([\w-]+)(?:, overhead of (\d+) subtracted)?$", text, re.M)
    return {name: (int(value), int(overhead or 0)) for value, name, overhead in rows}


def exact_section(sections, *names):
    def judge(status, text):
        rows = section_counts(status, text)
        for name in names:
            expect(name in rows, f"no {name} in: {text.strip()}")
            value, overhead = rows[name]
            rest, odd = divmod(value, sections)
            expect(odd == 0, f"{name}: {value:,} are not {sections} equal sections")
            expect(0 <= rest - 2 * ROUNDS <= FEW, f"{name}: {rest:,} of {2 * ROUNDS:,} in a section")
            expect(overhead % sections == 0 and 0 < overhead // sections < 1000, f"{name}: overhead {overhead}")
        value, overhead = rows[names[0]]
        return f"{value:,} {names[0]} in {sections} sections, overhead of {overhead // sections} in each"
    return judge


def section_takes_turns(status, text):
    expect(status == 0, f"status {status}: {text.strip()}")
    found = re.findall(r"^ +(\d+)  r08.*, estimated: counted ([\d.]+) % of the time", text, re.M)
    expect(len(found) == 6, f"not six estimates: {text.strip()}")
    expect(text.count("overhead not known and not subtracted") in (0, 6), f"some have an overhead, others not: {text.strip()}")
    for value, share in found:
        expect(10 < float(share) < 95, f"counted {share} % of the time")
        expect_near(int(value), 2 * LONG_ROUNDS, 0.02, "the estimate")
    return f"{found[0][0]} of {2 * LONG_ROUNDS:,}, counted {found[0][1]} % of the time"


def at_level(level, command):
    return f"echo {level} >{PARANOID}; {AS_NOBODY} '{command}'"


SIX_OF_ONE = ",".join(["r08:u"] * 6)
SIX = "inst_retired,cpu_cycles,stall,stall_frontend,stall_backend,br_retired"
SEVEN = SIX + ",l1d_cache"
NINE = SEVEN + ",l1d_cache_refill,l2d_cache"
TWENTY = NINE + ",l1i_cache,l1i_cache_refill,mem_access,bus_access,br_pred,br_mis_pred,ld_spec,st_spec,dp_spec,vfp_spec,ase_spec"
TOO_GREAT = "event group size(7) exceeds number of hardware PMU counters(6)"
NO_RIGHT = "kernel.perf_event_paranoid is 3"
# The interval must not be close to a multiple of the 100,000 instructions of a round. Otherwise all samples would be at
# a few addresses.
SAMPLED = "777777"

BOOTS = {
    "counts": [
        Step("stat: events as perf names them", "wperf stat --json -e instructions,cycles -- counted",
             exact_counts("instructions", "cycles", "cycle")),
        Step("stat: events as Arm names them", "wperf stat --json -e inst_retired,cpu_cycles -- counted",
             exact_counts("inst_retired", "cpu_cycles", "cycle")),
        Step("perf stat beside it", "perf stat -x, -e instructions:u,cycles:u counted", perf_counts),
        Step("stat -k", "wperf stat --json -k -e inst_retired -- counted", kernel_too),
        Step("stat: modifiers", "wperf stat --json -e instructions:u,inst_retired:u,cycles:u,cycles:k,instructions:uk -- counted",
             modifiers),
        Step("stat: the usual set", "wperf stat -- counted",
             words("10,000,005  instructions      1.00 per cycle", "branches is not counted: this machine has no hardware counter")),
        Step("stat: an event that counts nothing here", "wperf stat -e l1d_cache -- counted",
             words("l1d_cache counted 0: the PMU of these cores does not have this event")),
        Step("doctor: free counters", "wperf doctor", doctor_counted),
        Step("stat: a group of six", f"wperf stat --json -e '{{{SIX}}}' -- counted", group_of_six),
        Step("stat: a group of seven", f"wperf stat -e '{{{SEVEN}}}' -- counted", words(TOO_GREAT, status=1)),
        Step("stat: a group of seven on a core", f"wperf stat -e '{{{SEVEN}}}' -c 0 --timeout 0.1", words(TOO_GREAT, status=1)),
        Step("stat: a group of seven of a process", f"sleep 9 & wperf stat -e '{{{SEVEN}}}' -p $! --timeout 0.1",
             words(TOO_GREAT, status=1)),
        Step("stat: nine events take turns", f"wperf stat --json -e {NINE} -- counted-long", taking_turns),
        Step("stat: twenty events for a moment", f"wperf stat -e {TWENTY} -- counted", no_turn),
        Step("stat -m ipc", "wperf stat -m ipc -- counted", words("neoverse-n1   ipc          1.000  per cycle")),
        Step("stat -p", "counted-long & wperf stat --json -e inst_retired -p $! --timeout 0.05", a_running_one),
        Step("stat: wperf-selftest of so many rounds", "wperf stat --json -e inst_retired -- wperf-selftest 10000", short_selftest),
        Step("stat -c 0", "wperf stat --json -k -e cpu_cycles -c 0 --timeout 0.1",
             lambda status, text: f"{counts(status, text)['cpu_cycles']['counter_value']:,} cycles of a core in 0.1 s"),
        Step("section: one", f"section {ROUNDS} 1 instructions inst_retired r08", exact_section(1, "instructions", "inst_retired", "r08")),
        Step("section: a hundred", f"section {ROUNDS} 100 instructions", exact_section(100, "instructions")),
        Step("section: with events of the kernel", f"section {ROUNDS} 10 task-clock page-faults instructions context-switches",
             exact_section(10, "instructions")),
        Step("section: more events than counters", "section 1000 1 r08 r08 r08 r08 r08 r08 r08 instructions",
             words("absent  r08: the processor cannot count it together with the events before it")),
        Step("section: perf uses the same counters", f"perf stat -o p.txt -e {SIX_OF_ONE} section {LONG_ROUNDS} 1 r08 r08 r08 r08 r08 r08",
             section_takes_turns),
        Step("section: perf keeps all counters", f"perf stat -a -o p.txt -e {SIX_OF_ONE.replace('u', 'D')} section 1000 1 r08 page-faults",
             words("absent  r08: it was never on a counter")),
        Step("section: an event that this PMU has not", "section 1000 1 l1d_cache",
             words("absent  l1d_cache: this machine has no event of this name")),
        Step("topdown", "wperf topdown -- counted", words("top-down of counted on Neoverse N1", "no multiplexing")),
        Step("list: what this PMU has", "wperf list", what_it_lacks),
        Step("test: what this PMU has", f"wperf test -e {SIX}", words("cpu_cycles, inst_retired, stall_backend, stall_frontend")),
    ],
    "samples": [
        Step("record: one in 100,000 cycles", "wperf record -e cpu_cycles:100000 -- counted", samples(100, "cpu_cycles")),
        Step("record: the same with a modifier", "wperf record -e cycles:u:100000 -- counted", samples(100, "cycles:u")),
        Step("record: one in 10,000 cycles", "wperf record -e cpu_cycles:10000 -- counted", samples(1000, "cpu_cycles")),
        Step("record -p", "counted-long & wperf record -e cycles:100000 -p $! --timeout 0.05", a_running_one_sampled),
        Step("record --freq", "wperf record --freq 997 -- counted-long", frequency),
        Step("record -g", f"wperf record -g -e cycles:{SAMPLED} --tree -o w.data -- wperf-selftest", shares_and_callers),
        Step("report of it", "wperf report --tree w.data", shares_and_callers),
        Step("perf report of it", "perf report -i w.data --no-children -g none --stdio", perf_reads),
        Step("report of perf record -g", f"perf record -g -e cycles:u -c {SAMPLED} -o p.data wperf-selftest && wperf report --tree p.data",
             shares_and_callers),
        Step("record --python", "wperf record --python -e cycles:500000 -o y.data -- python3.11 -S -E -B /stacks.py && "
             "wperf report --python --folded y.data", python_stacks),
        Step("record --call-graph fp", f"wperf record --call-graph fp -e cycles:{SAMPLED} --tree -- wperf-selftest", shares_and_callers),
    ],
    "rights": [
        Step("paranoid 3: stat of a counter", at_level(3, "wperf stat -e cycles -- counted"),
             words(NO_RIGHT, "sysctl kernel.perf_event_paranoid=2", status=3, without=["virtual machine"])),
        Step("paranoid 3: the usual set", at_level(3, "wperf stat -- counted"), words(NO_RIGHT, "CAP_PERFMON", status=3)),
        Step("paranoid 3: record", at_level(3, "wperf record -e cycles -- counted"),
             words(NO_RIGHT, "CAP_PERFMON", status=3, without=["virtual machine"])),
        Step("paranoid 3: waits", at_level(3, "wperf waits -- counted"),
             words(NO_RIGHT, "context switches", "kernel.perf_event_paranoid=2", status=3, without=["dummy"])),
        Step("paranoid 3: doctor", at_level(3, "wperf doctor"),
             words("FAIL rights: tested: you may not measure anything", "pmu: unknown", status=3, without=["virtual machine"])),
        Step("paranoid 2: stat", at_level(2, "wperf stat --json -e instructions,cycles -- counted"),
             exact_counts("instructions", "cycles", "cycle")),
        Step("paranoid 2: stat of events as Arm names them", at_level(2, "wperf stat --json -e inst_retired,cpu_cycles -- counted"),
             exact_counts("inst_retired", "cpu_cycles")),
        Step("paranoid 2: stat -k", at_level(2, "wperf stat -k -e cycles -- counted"),
             words("in kernel mode: kernel.perf_event_paranoid is 2", "kernel.perf_event_paranoid=1", status=3)),
        Step("paranoid 2: the usual set", at_level(2, "wperf stat -- counted"),
             words("10,000,005  instructions  1.00 per cycle", "page-faults counts user mode only")),
        Step("paranoid 2: record", at_level(2, "wperf record -e cpu_cycles:100000 -- counted"), samples(100, "cpu_cycles")),
        Step("paranoid 2: waits of a program", at_level(2, "wperf waits -- counted"), words("threads: wall = running")),
        Step("paranoid 2: waits of the machine", at_level(2, "wperf waits --timeout 0.1"),
             words("switches of the whole machine: kernel.perf_event_paranoid is 2", status=3)),
        Step("paranoid 3: section", at_level(3, "section 1000 1 instructions"),
             words("absent  instructions: this user may not count it: kernel.perf_event_paranoid is 3")),
        Step("paranoid 2: section", at_level(2, f"section {ROUNDS} 1 instructions"), exact_section(1, "instructions")),
        Step("paranoid 2: section with events of the kernel", at_level(2, "section 1000 1 page-faults context-switches"),
             words("page-faults, user mode only: this user may not count the kernel",
                   "absent  context-switches: this user may not count it: kernel.perf_event_paranoid is 2")),
        Step("paranoid 1: stat -k", at_level(1, "wperf stat --json -k -e inst_retired -- counted"), kernel_too),
    ],
    "selftest": [Step("doctor --selftest", "wperf doctor --selftest", selftest(10, 0))],
    "selftest as nobody": [Step("paranoid 2: doctor --selftest", at_level(2, "wperf doctor --selftest"), selftest(8, 2))],
}
