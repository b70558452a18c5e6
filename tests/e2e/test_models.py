# SPDX-License-Identifier: BSD-3-Clause
"""The simulated machine's counts of programs with known behaviour."""
import unittest

from support import WperfTest, counts, workload

MIB = 1 << 20


class ModelsTest(WperfTest):
    def count(self, events, program, *arguments, core=1):
        document = self.json("stat", "--json", "-e", events, "-c", core, "--", workload(program), *arguments)
        return counts(document, core)

    def test_exact_counts(self):
        """The counts are known by construction, see sim/workloads/exact.S: 31 instructions an iteration, 23 once."""
        for program, n in (("exact.exe", 1_000_000), ("exact_1k.exe", 1_000)):
            expected = {"inst_retired": 31 * n + 23, "inst_spec": 31 * n + 23, "ld_spec": 2 * n, "st_spec": 2 * n,
                        "dp_spec": 10 * n + 21, "br_immed_spec": 10 * n, "br_return_spec": n + 1, "br_retired": 11 * n + 1,
                        "vfp_spec": 2 * n, "ase_spec": 2 * n, "crypto_spec": 2 * n, "mem_access": 4 * n}
            names = list(expected)
            for chunk in (names[:6], names[6:]):
                for _ in range(2):
                    measured = self.count(",".join(chunk), program)
                    for name in chunk:
                        self.assertEqual(measured[name], expected[name], (program, name))

    def test_exact_counts_survive_short_slices(self):
        """The counts are the same on any core and with any seed, even if they are read and rotated all the time."""
        for device in ("sim:pace=free,seed=7", "sim:pace=free,mhz=7,cores=2", "sim:pace=free,cpu=cortex-x1c*4+cortex-a78c*4"):
            document = self.json("stat", "--json", "-e", "inst_retired,br_retired", "-c", "0", "--config", "count.period=10",
                                 "--", workload("exact_1k.exe"), device=device)
            measured = counts(document)
            self.assertEqual((measured["inst_retired"], measured["br_retired"]), (31_023, 11_001), device)

    def refills_per_step(self, kib):
        events = "l1d_cache_refill,l2d_cache_refill,l3d_cache_refill"
        short = self.count(events, "chase.exe", kib * 1024, 200_000)
        long = self.count(events, "chase.exe", kib * 1024, 600_000)
        return [(long[name] - short[name]) / 400_000 for name in events.split(",")]

    def test_chase_steps_at_the_modelled_sizes(self):
        """L1D 64 KiB, L2 1 MiB, L3 4 MiB: a loop over more lines than a level holds misses in that level; a loop over
        fewer lines does not."""
        for kib, expected in ((32, (0, 0, 0)), (512, (1, 0, 0)), (3072, (1, 1, 0)), (8192, (1, 1, 1))):
            for measured, wanted in zip(self.refills_per_step(kib), expected):
                self.assertAlmostEqual(measured, wanted, delta=0.1, msg=f"{kib} KiB")

    def test_stream_bandwidth(self):
        """Every array is read or allocated a known number of times, and written back (sim/workloads/README.md)."""
        mib, repetitions = 8, 2
        document = self.json("stat", "--json", "-m", "ddr_bw", "-c", "0", "--", workload("stream.exe"), mib, repetitions)
        moved = (6 + 14 * repetitions) * mib * MIB
        rows = document["dmc"]["pmu"]["PMU_Performance_Counters"]
        measured = 128 * sum(r["counter_value"] for r in rows if r["pmu_id"] == "overall" and r["event_name"] == "rdwr")
        self.assertLess(abs(measured - moved), 0.05 * moved)
        printed = float(document["dmc"]["ddr"]["DDR_Metrics"][-1]["rw_bandwidth"].removesuffix("MB"))
        self.assertAlmostEqual(printed, measured / 1e6, places=1)

    def test_branches_of_random_data_are_mispredicted(self):
        random = self.count("br_retired,br_mis_pred_retired", "branchy.exe")
        regular = self.count("br_retired,br_mis_pred_retired", "exact.exe")
        self.assertGreater(random["br_mis_pred_retired"] / random["br_retired"], 0.05)
        self.assertLess(regular["br_mis_pred_retired"] / regular["br_retired"], 0.001)


if __name__ == "__main__":
    unittest.main()
