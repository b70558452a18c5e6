// SPDX-License-Identifier: BSD-3-Clause
#include <sys/auxv.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>

#include "ground/os/vdso.h"

namespace wperf::os {
namespace {

// Two addresses with "-" between them, the first of them `begin`: the second. 0: the line is of another place.
std::uint64_t end_of_mapping(const std::string& line, std::uint64_t begin) {
  const char* const line_end = line.data() + line.size();
  std::uint64_t first = 0, end = 0;
  const auto dash = std::from_chars(line.data(), line_end, first, 16);
  if (dash.ec != std::errc{} || first != begin || dash.ptr == line_end || *dash.ptr != '-') return 0;
  if (std::from_chars(dash.ptr + 1, line_end, end, 16).ec != std::errc{}) return 0;
  return end > begin ? end : 0;
}

}  // namespace

std::span<const std::byte> vdso_image() {
  const unsigned long begin = getauxval(AT_SYSINFO_EHDR);
  if (begin == 0) return {};
  // "7ffd1c5f2000-7ffd1c5f4000 r-xp 00000000 00:00 0          [vdso]"
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with("[vdso]")) continue;
    const std::uint64_t end = end_of_mapping(line, begin);
    if (end == 0) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives addresses as numbers
    return {reinterpret_cast<const std::byte*>(begin), static_cast<size_t>(end - begin)};
  }
  return {};
}

}  // namespace wperf::os
