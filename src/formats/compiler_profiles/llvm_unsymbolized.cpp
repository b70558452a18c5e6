// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <iterator>

#include "formats/compiler_profiles/compiler_profiles.h"

namespace wperf::compiler_profiles {

// Two blocks: a number of lines, then the lines. Addresses are hexadecimal.
std::string llvm_unsymbolized(const AddressCounts& counts) {
  std::string out;
  const auto end = std::back_inserter(out);
  if (!counts.ranges.empty()) {
    fmt::format_to(end, "{}\n", counts.ranges.size());
    for (const RangeCount& one : counts.ranges) fmt::format_to(end, "{:x}-{:x}:{}\n", one.begin, one.last, one.count);
  } else {
    fmt::format_to(end, "{}\n", counts.samples.size());
    for (const AddressCount& one : counts.samples) {
      fmt::format_to(end, "{:x}-{:x}:{}\n", one.address, one.address, one.count);
    }
  }
  fmt::format_to(end, "{}\n", counts.entries.size() + counts.branches.size());
  for (const AddressCount& one : counts.entries) fmt::format_to(end, "1->{:x}:{}\n", one.address, one.count);
  for (const BranchCount& one : counts.branches) fmt::format_to(end, "{:x}->{:x}:{}\n", one.from, one.to, one.count);
  return out;
}

}  // namespace wperf::compiler_profiles
