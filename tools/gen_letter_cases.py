#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes sim/nt/letter_cases.h: the letters that Windows considers equal in names, from Python's Unicode data."""
import pathlib
import subprocess

TARGET = pathlib.Path(__file__).resolve().parents[1] / "sim" / "nt" / "letter_cases.h"
HEAD = """// SPDX-License-Identifier: BSD-3-Clause
// Capital letters outside of ASCII with the small letters that have no other capital. tools/gen_letter_cases.py writes
// this file.
#pragma once
#include <cstdint>

#include "base/ints.h"

namespace wperf::sim {

struct CapitalLetters {
  u16 first, last, step;
  std::int32_t to_small;  // the distance of the small letter
};

inline constexpr CapitalLetters kCapitalLetters[] = {
"""


def pairs():
    """Capital and small letters that are each other's counterpart, in 16 bits."""
    for capital in range(0x80, 0x10000):
        small = chr(capital).lower()
        if 0xd800 <= capital < 0xe000 or len(small) != 1 or small == chr(capital) or ord(small) > 0xffff:
            continue
        back = small.upper()
        # Greek letters with a small iota below have a capital, although upper() writes its iota separately.
        if back == chr(capital) or (len(back) > 1 and 0x1f00 <= capital < 0x2000):
            yield capital, ord(small)


def ranges():
    found = []
    for capital, small in pairs():
        distance = small - capital
        if found and found[-1][3] == distance:
            first, last, step, _ = found[-1]
            gap = capital - last
            if gap <= 2 and (first == last or gap == step):
                found[-1] = (first, capital, gap, distance)
                continue
        found.append((capital, capital, 1, distance))
    return found


def main():
    rows = "".join(f"{{{first:#06x}, {last:#06x}, {step}, {distance}}}, " for first, last, step, distance in ranges())
    TARGET.write_text(HEAD + rows + "};\n\n}  // namespace wperf::sim\n")
    subprocess.run(["clang-format-19", "-i", TARGET], check=True)


if __name__ == "__main__":
    main()
