# SPDX-License-Identifier: BSD-3-Clause
"""The emulated Arm machine with the shipped driver: QEMU with the NT host of tests/nthost, which serves the bridge
driver."""
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/nthost"))
import run_nthost  # noqa: E402
import server_check  # noqa: E402
import server_client  # noqa: E402

CORES = 2  # Wine pins programs to the first cores of this machine, so there are no more than most machines have
# The machine that the native tool simulates for comparison: the same cores, without the units that QEMU's cores lack.
SAME_MACHINE = f"sim:cpu=neoverse-n1,cores={CORES},pace=free,dsu=off,dmc=0,spe=off"
CPU = ["-cpu", "neoverse-n1", "-smp", str(CORES)]
MODES = {
    # Each core is a thread of the host. In this mode QEMU counts cycles, derived from the clock, but no instructions.
    "fast": run_nthost.Mode("windows", [*CPU, "-accel", "tcg,thread=multi"], [], only="serve_a_bridge"),
    # Instructions are counted, and time passes with them. The cores take turns, and a busy core makes the others wait
    # for seconds. This mode is for programs that end by themselves.
    "exact": run_nthost.Mode("windows, exact", [*CPU, "-icount", "shift=1"], ["icount"], only="serve_a_bridge"),
}


ARMS = "arms"  # without an emulated machine: the fake of Arm's driver over the simulated machine (arm_driver/)
ARMS_HOST = SOURCE / "build/release/bin/wperf-arm-driver-host"


class EmulatedMachine:
    def __init__(self, build, mode):
        self.port = server_check.free_port()
        if mode == ARMS:
            command = [ARMS_HOST, str(self.port), "pace=free,seed=1", SOURCE / "build/release/workloads/googolplex.exe"]
            environment = dict(os.environ, WPERF_SIM_INSTANCE=f"windows-tests-arms-{os.getpid()}")
            self.host = server_client.Host(command, self.port, environment)
        else:
            command = server_client.with_serial_at(self.port, run_nthost.command(build, MODES[mode], ""))
            self.host = server_client.Host(command, self.port)

    def kill(self):
        self.host.__exit__()

    def shut_down(self):
        """Unloads the driver and checks for leftovers: (exit status, the host's output)."""
        try:
            self.host.line = self.host.connect()
            text = self.host.shut_down()
        except (server_client.HostGone, OSError, subprocess.TimeoutExpired) as error:
            self.host.process.kill()
            return 1, str(error)
        return self.host.process.returncode, text


def missing(build):
    return run_nthost.missing(build)
