// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/kernel_core_list.h"

#include <charconv>

namespace wperf::perf_data {
namespace {

// More than any machine has. They limit the time and memory for a damaged list, because it must ascend.
constexpr u32 kMostCores = 8192;

}  // namespace

std::vector<u32> parse_kernel_list(std::string_view text) {
  std::vector<u32> cores;
  const char* at = text.data();  // NOLINT(bugprone-suspicious-stringview-data-usage): `end` is its size
  const char* const end = at + text.size();
  for (u32 least = 0; at != end;) {
    u32 first = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc{}) break;
    u32 last = first;
    if (read.ptr != end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc{} || first < least || last < first || last >= kMostCores) break;
    for (u32 core = first; core <= last; ++core) cores.push_back(core);
    least = last + 1;
    if (read.ptr == end || *read.ptr != ',') break;
    at = read.ptr + 1;
  }
  return cores;
}

}  // namespace wperf::perf_data
