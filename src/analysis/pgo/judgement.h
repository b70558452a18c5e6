// SPDX-License-Identifier: BSD-3-Clause
// Judges whether a profile is good enough to compile with. The more counts a function has for each of its instructions
// (its density), the better. The hot function with the lowest density decides.
#pragma once
#include <string_view>

#include "analysis/pgo/profile_counts.h"

namespace wperf::pgo {

// The hot functions are the densest ones that together have this share of the samples in functions with known bounds.
inline constexpr double kHotPart = 0.9;
// The wanted mean count per instruction of a hot function.
inline constexpr double kWantedDensity = 1.0;

struct Judgement {
  u64 samples = 0;                // number of samples, or of ranges if there are branch stacks
  u64 outside = 0;                // how many of these are in no known function
  u64 functions = 0;              // number of functions with samples, including functions with unknown bounds
  u64 hot_functions = 0;          // only functions with known bounds
  std::string hottest, thinnest;  // names of functions; empty if there are none
  double hottest_percent = 0;
  double density = 0;  // counts per instruction in the hot function with the lowest density
  double longer = 0;   // factor by which to record longer; 0 if it is long enough or unknown
};

// `weighted` has the same addresses, with samples weighted by their periods; it decides which function is hottest.
Judgement judge(const Binary& binary, const compiler_profiles::AddressCounts& counts,
                const compiler_profiles::AddressCounts& weighted);
inline Judgement judge(const Binary& binary, const compiler_profiles::AddressCounts& counts) {
  return judge(binary, counts, counts);
}

// Did rustc make this linker name: "_RNvC3toy3run", "_ZN3toy3run17h17a8ccfdf0ea72b7E"?
bool is_rust_name(std::string_view name);

}  // namespace wperf::pgo
