#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests an unpacked wperf on this machine with a program whose work is known, and reports which results are right.

usage: tools/prove_wperf.py try --wperf PROGRAM --output FOLDER [--device DEVICE] [--name NAME]
       tools/prove_wperf.py join --output FOLDER FOLDER...

`try` takes the program, or the .zip that scripts/package makes. It writes its results as JSON and as a Markdown table,
the recordings, and a page into FOLDER. It ends with 1 if a result is wrong. `join` makes one table of several machines,
and a badge in the form that shields.io reads. Used by the workflows in .github/workflows.
"""
import argparse
import json
import pathlib
import platform
import subprocess
import sys
import time
import zipfile

LONGEST = 300  # seconds for one command
SHARES = {"leaf_a": 20, "leaf_b": 60, "leaf_c": 20}  # percent, by construction of wperf-selftest
FEWEST = 200  # with fewer samples, shares are not compared
MARGIN = 6  # percent of the samples: more than three standard deviations of 200 to 1,000 samples


class Wrong(Exception):
    """A sentence about a wrong result."""


class Absent(Exception):
    """The reason why this machine cannot run a step."""


def program_of(path, folder):
    """The path of wperf. An archive is unpacked into the folder first."""
    if path.suffix != ".zip":
        return path
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder / "wperf")
    found = sorted((folder / "wperf").rglob("wperf.exe"))
    if not found:
        sys.exit(f"error: there is no wperf.exe in {path}")
    return found[0]


class Trial:
    def __init__(self, options):
        self.folder = pathlib.Path(options.output).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.wperf = program_of(pathlib.Path(options.wperf).resolve(), self.folder)
        self.device = options.device
        self.rows = []
        suffix = ".exe" if self.wperf.suffix == ".exe" or "fake" in self.device else ""
        self.program = str(self.wperf.parent / f"wperf-selftest{suffix}")

    def run(self, *words):
        words = list(words)
        if self.device and "report" not in words:
            words[1:1] = ["--device", self.device]
        return subprocess.run([str(self.wperf), *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              encoding="utf-8", errors="replace", timeout=LONGEST)

    def good(self, *words):
        done = self.run(*words)
        if done.returncode == 3:
            raise Absent(" ".join(done.stderr.split()) or "no device, or no permission")
        if done.returncode != 0:
            raise Wrong(f"`wperf {' '.join(words)}` ended with {done.returncode}: {' '.join(done.stderr.split())[:400]}")
        return done.stdout

    def document(self, *words):
        return json.loads(self.good(*words))

    def step(self, name, check):
        begun = time.monotonic()
        try:
            result, detail = "ok", check()
        except Absent as error:
            result, detail = "not possible", str(error)
        except (Wrong, OSError, ValueError, KeyError, IndexError, subprocess.TimeoutExpired) as error:
            result, detail = "failed", f"{type(error).__name__}: {error}" if not isinstance(error, Wrong) else str(error)
        self.rows.append({"step": name, "result": result, "detail": detail, "seconds": round(time.monotonic() - begun, 1)})
        print(f"{result:<12}  {name}: {detail}", flush=True)

    def version(self):
        return self.good("--version").strip().splitlines()[-1].strip()

    def doctor(self):
        done = self.run("doctor", "--json")
        (self.folder / "doctor.json").write_text(done.stdout, encoding="utf-8")
        checks = json.loads(done.stdout)["Doctor"]
        failed = [f"{check['check']}: {check['detail']}" for check in checks if check["status"] == "fail"]
        if failed:
            raise Absent("; ".join(failed))
        return f"{len(checks)} checks, none failed"

    def selftest(self):
        done = self.run("doctor", "--selftest", "--json")
        (self.folder / "selftest.json").write_text(done.stdout, encoding="utf-8")
        rows = json.loads(done.stdout)["Selftest"]
        failed = [f"{row['device']}: {row['check']}: {row['detail']}" for row in rows if row["result"] not in ("ok", "not possible")]
        if failed:
            raise Wrong("; ".join(failed))
        return f"{sum(row['result'] == 'ok' for row in rows)} of {len(rows)} checks are ok, the others not possible here"

    def recording(self):
        """The name that record chose; the device determines its extension."""
        found = sorted(self.folder.glob("recorded.*"))
        if not found:
            raise Wrong("record kept no file")
        return found[0].name

    def record(self):
        traced = "etw" in self.device or (not self.device and platform.system() == "Windows")
        self.good("record", "-o", "recorded.etl" if traced else "recorded.data", "--", self.program)
        events = self.document("report", self.recording(), "--sort", "symbol", "--json")["recording"]["events"]
        rows = {row["symbol"]: row["samples"] for row in events[0]["rows"]}
        leaves = {name: rows.get(name, 0) for name in SHARES}
        whole = sum(leaves.values())
        if whole < FEWEST:
            raise Wrong(f"only {whole} samples in the program's functions; are their names known?")
        shares = {name: 100 * samples / whole for name, samples in leaves.items()}
        detail = ", ".join(f"{name} {share:.1f} % of {SHARES[name]} %" for name, share in shares.items())
        if any(abs(share - SHARES[name]) > MARGIN for name, share in shares.items()):
            raise Wrong(detail)
        return f"{detail} ({whole} samples)"

    def page(self):
        self.good("report", self.recording(), "--html", "page.html")
        return f"{(self.folder / 'page.html').stat().st_size} bytes"

    def waits(self):
        waits = self.document("waits", "--json", "--", self.program)["waits"]
        if not waits["threads"]:
            raise Wrong("no thread was recorded")
        if waits["contradictions"]:
            raise Wrong(f"{waits['contradictions']} switches contradict each other")
        return f"{len(waits['threads'])} threads, {waits['switches']} switches"

    def stat(self):
        counts = self.document("stat", "--json", "--", self.program)
        if not counts["Time_elapsed"] > 0:
            raise Wrong("no time passed")
        return f"counted for {counts['Time_elapsed']:.2f} s"

    def all(self, name):
        for step in ("version", "doctor", "selftest", "record", "page", "waits", "stat"):
            self.step(step, getattr(self, step))
        machine = name or f"{platform.system()} {platform.release()} {platform.machine()}"
        results = {"machine": machine, "device": self.device, "rows": self.rows}
        (self.folder / "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
        (self.folder / "results.md").write_text(table([results]), encoding="utf-8")
        return any(row["result"] == "failed" for row in self.rows)


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def table(machines):
    lines = ["| machine | step | result | detail |", "|---|---|---|---|"]
    for one in machines:
        lines += [f"| {cell(one['machine'])} | {row['step']} | {row['result']} | {cell(row['detail'])} |" for row in one["rows"]]
    return "\n".join(lines) + "\n"


def join(folders, output):
    machines = [json.loads(path.read_text(encoding="utf-8")) for folder in folders
                for path in sorted(pathlib.Path(folder).rglob("results.json"))]
    if not machines:
        sys.exit("error: none of the folders has results.json")
    rows = [row["result"] for one in machines for row in one["rows"]]
    passed, failed = rows.count("ok"), rows.count("failed")
    output.mkdir(parents=True, exist_ok=True)
    (output / "table.md").write_text(table(machines), encoding="utf-8")
    badge = {"schemaVersion": 1, "label": f"tried on {len(machines)} machine{'s' if len(machines) != 1 else ''}",
             "message": f"{passed} ok, {failed} failed", "color": "red" if failed else "green"}
    (output / "badge.json").write_text(json.dumps(badge), encoding="utf-8")
    return failed != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    actions = parser.add_subparsers(dest="action", required=True)
    trying = actions.add_parser("try")
    trying.add_argument("--wperf", required=True)
    trying.add_argument("--output", required=True)
    trying.add_argument("--device", default="")
    trying.add_argument("--name", default="")
    joining = actions.add_parser("join")
    joining.add_argument("--output", required=True, type=pathlib.Path)
    joining.add_argument("folders", nargs="+")
    options = parser.parse_args()
    failed = Trial(options).all(options.name) if options.action == "try" else join(options.folders, options.output)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
