// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <iterator>

#include "formats/compiler_profiles/compiler_profiles.h"

namespace wperf::compiler_profiles {

std::string bolt_branches(const AddressCounts& counts) {
  std::string out;
  const auto end = std::back_inserter(out);
  for (const BranchCount& one : counts.branches) {
    fmt::format_to(end, "B {:x} {:x} {} {}\n", one.from, one.to, one.count, one.mispredicted);
  }
  for (const RangeCount& one : counts.ranges) {
    fmt::format_to(end, "F {:x} {:x} {}\n", one.begin, one.last, one.count);
  }
  return out;
}

std::string bolt_samples(std::string_view event, std::span<const FunctionSample> samples) {
  std::string out = fmt::format("no_lbr {}\n", event);
  for (const FunctionSample& one : samples) {
    out += "1 ";
    for (const char c : one.symbol) {
      if (c == ' ' || c == '\\') out += '\\';
      out += c;
    }
    fmt::format_to(std::back_inserter(out), " {:x} {}\n", one.offset, one.count);
  }
  return out;
}

}  // namespace wperf::compiler_profiles
