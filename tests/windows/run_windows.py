#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests wperf.exe and wperf-devgen.exe as a user runs them, in Wine, with the shipped driver on an emulated Arm
machine.

    tests/windows/run_windows.py [--world x64|arm64] [--only PATTERN] [--arm64-wine FOLDER]

Without --world both: all tests in x64 Wine, the essential ones in ARM64 Wine where scripts/setup-arm64-wine set it up. Exit
status: 0 all passed, 1 something failed, 77 nothing could run (and why). README.md in this folder shows the set-up. """
import argparse
import fnmatch
import pathlib
import signal
import sys
import time
import unittest

import emulated_machine
import programs
import arm_driver_tests
import commands_tests
import counting_tests
import driver_in_wine_tests
import installation_tests
import library_tests
import lock_tests
import msi_tests
import rights_tests
import sampling_tests
import tracing_tests
import worlds
from support import DRIVER, INSTALLER, SERVICE, SOURCE, TOOL, Scene

TEST_CASES = (commands_tests.Commands, counting_tests.Counting, sampling_tests.Sampling, lock_tests.Lock,
              rights_tests.Rights, library_tests.Library, installation_tests.Installation, msi_tests.Installer,
              counting_tests.Instructions, tracing_tests.Tracing, arm_driver_tests.ArmDriver, driver_in_wine_tests.DriverInWine)
BUILD = SOURCE / "build"
# (machine, whether the driver is installed as a device); without a machine the tests use shim/.
PHASES = (("fast", True), ("fast", False), ("exact", True), (emulated_machine.ARMS, False), ("", False))
PRESETS = {"x64": "windows-x64", "arm64": "windows-arm64"}


class Result(unittest.TestResult):
    """Prints one line per test when it ends, and the last output below a failed one."""

    def __init__(self, world):
        super().__init__()
        self.world = world
        self.passed = self.failed = self.left_out = 0

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()

    def say(self, verdict, test, more=""):
        name = f"{type(test).__name__}.{test._testMethodName}" if isinstance(test, unittest.TestCase) else str(test)
        print(f"{verdict} {self.world}: {name} ({time.monotonic() - self.begun:.1f} s){more}", flush=True)

    def addSuccess(self, test):
        self.passed += 1
        self.say("PASS", test)

    def addFailure(self, test, error):
        self.failed += 1
        self.say("FAIL", test, "\n" + self._exc_info_to_string(error, test))

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.addFailure(test, error)

    def addSkip(self, test, reason):
        self.left_out += 1
        self.say("SKIP", test, f": {reason}")


def suite(only, essential, machine, installed):
    tests = unittest.TestSuite()
    for case in TEST_CASES:
        for name in unittest.defaultTestLoader.getTestCaseNames(case):
            wanted = fnmatch.fnmatch(f"{case.__name__}.{name}", only) and (not essential or name in case.essential)
            if wanted and (case.machine, case.installed) == (machine, installed):
                tests.addTest(case(name))
    return tests


def missing(architecture):
    """The reason why no test can run in this world, or None."""
    reason = emulated_machine.missing(BUILD / "driver-arm64/bin")
    if reason is not None:
        return reason
    preset = PRESETS[architecture]
    for program in (TOOL, INSTALLER):
        if not (BUILD / preset / "bin" / program).is_file():
            return f"{program} is not built (scripts/build {preset})"
    return None


def play(world, arguments, result):
    """Runs all tests of one world. An error of the set-up counts as a failed test."""
    begun = time.monotonic()
    Scene.world = world
    try:
        world.begin()
        built = programs.build(world.architecture, BUILD / "tests-windows")
        Scene.functions = built.functions
        programs_of_users = BUILD / PRESETS[world.architecture] / "bin"
        world.put(built.bridge, built.remote, built.remote_pdb, built.inf, programs_of_users / TOOL,
                  programs_of_users / INSTALLER)
        library = BUILD / PRESETS[world.architecture] / "lib"
        world.put(*library.glob("wperf.dll"), *library.glob("wperf-*.exe"))
        print(f"---- {world.name}: ready in {time.monotonic() - begun:.1f} s", flush=True)
        essential = world.architecture == "arm64" and arguments.only == "*"
        for machine, installed in PHASES:
            tests = suite(arguments.only, essential, machine, installed)
            if tests.countTestCases() == 0:
                continue
            if machine == emulated_machine.ARMS and not emulated_machine.ARMS_HOST.is_file():
                print(f"SKIP {world.name}: Arm's driver: {emulated_machine.ARMS_HOST.name} is missing; the preset release "
                      "builds it with the tests", flush=True)
                result.left_out += tests.countTestCases()
                continue
            if machine:
                play_on(machine, installed, world, tests, result)
            elif world.architecture == "arm64":
                world.put(programs.build_shimmed_driver(BUILD / "tests-windows",
                                                        programs.driver_objects(BUILD / "driver-arm64")))
                tests.run(result)
    except Exception as error:  # this world failed; the other one may still run
        result.failed += 1
        print(f"FAIL {world.name}: {type(error).__name__}: {error}", flush=True)
    finally:
        world.end()
    print(f"---- {world.name}: {time.monotonic() - begun:.1f} s", flush=True)


def play_on(mode, installed, world, tests, result):
    """Runs the tests of one machine, with the bridge as a plain service if the phase asks for it."""
    machine = emulated_machine.EmulatedMachine(BUILD / "driver-arm64/bin", mode)
    try:
        world.set_number("Port", machine.port)
        world.set_number("Arms", int(mode == emulated_machine.ARMS))
        if installed and not world.start_service(SERVICE, world.windows_path(DRIVER)):
            raise RuntimeError("the bridge driver does not start as a service")
        tests.run(result)
        if installed:
            world.stop_service(SERVICE)
        check_end(machine, result)
    finally:
        machine.kill()


def check_end(machine, result):
    """The NT host checks that the unloaded driver left nothing allocated."""
    result.begun = time.monotonic()
    status, text = machine.shut_down()
    if status == 0:
        result.passed += 1
        result.say("PASS", "the driver unloads and leaves nothing behind")
    else:
        result.failed += 1
        result.say("FAIL", "the driver unloads and leaves nothing behind", f"\nstatus {status}\n{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", choices=tuple(PRESETS))
    parser.add_argument("--only", default="*", help="Class.test_name, * and ? allowed; in ARM64 Wine, too")
    parser.add_argument("--arm64-wine", type=pathlib.Path, default=BUILD / "tools/arm64-wine")
    parser.add_argument("--native", type=pathlib.Path, default=BUILD / "release/bin/wperf")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that no process is left running
    Scene.native = arguments.native if arguments.native.is_file() else None
    Scene.same_machine = emulated_machine.SAME_MACHINE
    passed = failed = skipped = 0
    for architecture in (arguments.world,) if arguments.world else tuple(PRESETS):
        try:
            reason = missing(architecture)
            if reason is not None:
                raise worlds.Absent(reason)
            world = worlds.NativeWine() if architecture == "x64" else worlds.ArmWine(arguments.arm64_wine)
            result = Result(world.name)
            play(world, arguments, result)
            passed, failed, skipped = passed + result.passed, failed + result.failed, skipped + result.left_out
        except worlds.Absent as absent:
            skipped += 1
            print(f"skipped: {architecture}: {absent}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    if passed + failed == 0:
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
