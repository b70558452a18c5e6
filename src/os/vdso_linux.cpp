// SPDX-License-Identifier: BSD-3-Clause
#include <sys/auxv.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "os/vdso.h"

namespace wperf::os {

std::span<const std::byte> vdso_image() {
  const unsigned long begin = getauxval(AT_SYSINFO_EHDR);
  if (begin == 0) return {};
  // "7ffd1c5f2000-7ffd1c5f4000 r-xp 00000000 00:00 0          [vdso]"
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with("[vdso]")) continue;
    const size_t dash = line.find('-');
    if (dash == std::string::npos || std::stoull(line, nullptr, 16) != begin) continue;
    const std::uint64_t end = std::stoull(line.substr(dash + 1), nullptr, 16);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel tells addresses as numbers
    return {reinterpret_cast<const std::byte*>(begin), static_cast<size_t>(end - begin)};
  }
  return {};
}

}  // namespace wperf::os
