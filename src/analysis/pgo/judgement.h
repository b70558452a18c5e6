// SPDX-License-Identifier: BSD-3-Clause
// Is a profile good enough to compile with? A function's counts are as good as there are many for each of its
// instructions, which is its density. The thinnest of the hot functions decides.
#pragma once
#include "analysis/pgo/profile_counts.h"

namespace wperf::pgo {

// Hot functions are the densest that have this part of the samples in functions of known bounds.
inline constexpr double kHotPart = 0.9;
// How often each instruction of a hot function should be counted on average.
inline constexpr double kWantedDensity = 1.0;

struct Judgement {
  u64 samples = 0;                // or, with branch stacks, ranges
  u64 outside = 0;                // of these, in no known function
  u64 functions = 0;              // with samples, also those of unknown bounds
  u64 hot_functions = 0;          // of known bounds
  std::string hottest, thinnest;  // functions; empty if there are none
  double hottest_percent = 0;
  double density = 0;  // counts of each instruction in the thinnest hot function
  double longer = 0;   // how many times longer to record; 0 if it is enough, or if nothing is known
};

Judgement judge(const Binary& binary, const compiler_profiles::AddressCounts& counts);

}  // namespace wperf::pgo
