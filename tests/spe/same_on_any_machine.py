#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`wperf report --mem` prints the same for a recording on a machine with one core and on a machine with many.

  same_on_any_machine.py --wperf WPERF --host-cores LIBRARY

The recording touches more cache lines than wperf keeps. The lines that are dropped could depend on how the work is
divided among cores. LIBRARY, of host_cores.c, sets how many cores there are.
"""
import argparse
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import perf_data as spe

RECORDS = 550_000  # of 64 bytes: several shares of RecordedRecords
# pc, context, operation, events, three counters, data address, source, timestamp, as a Neoverse core writes a load
LOAD = struct.Struct("<BQ5xBIBBBHBHBHBQBH9xBB2xBQ")


def records(chance):
    data = bytearray()
    for number in range(RECORDS):
        line = chance.randrange(300) if chance.random() < 0.3 else chance.randrange(1 << 19)
        issue = chance.randrange(40)
        data += LOAD.pack(0xb0, 1 << 63 | 0x7000_0000 + 4 * chance.randrange(5000), 0x65, 4000 + chance.randrange(4),
                          0x49, chance.randrange(2), 0x52, 0x16 | chance.randrange(2) << 3, 0x99, issue,
                          0x98, issue + chance.randrange(200), 0xb2, 0x10_0000 + 64 * line, 0x9a, 1, 0x43, 8, 0x71, number)
    return data


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wperf", type=pathlib.Path, required=True)
    parser.add_argument("--host-cores", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "perf.data"
        spe.write(path, [spe.Buffer(cpu=0, data=records(random.Random(5)))], cpuid="0x00000000413fd0c1",
                  comms=[(4000 + i, "program") for i in range(4)])
        said = {}
        for cores in (1, 2, 9):
            environment = dict(os.environ, LD_PRELOAD=str(options.host_cores), HOST_CORES=str(cores))
            said[cores] = subprocess.run([options.wperf, "report", path, "--mem", "--json"], env=environment,
                                         stdout=subprocess.PIPE, check=True).stdout
    if b'"forgotten_line_hits":0,' in said[1]:
        sys.exit("error: no line was forgotten: the recording is too small to show anything")
    different = [cores for cores in said if said[cores] != said[1]]
    print(f"{RECORDS} records on 1, 2 and 9 cores: {'different on ' + str(different) if different else 'the same'}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
