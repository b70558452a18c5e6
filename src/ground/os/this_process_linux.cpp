// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "ground/os/process.h"

namespace wperf::os {
namespace {

u64 nanoseconds(const timeval& time) {
  return static_cast<u64>(time.tv_sec) * 1'000'000'000 + static_cast<u64>(time.tv_usec) * 1'000;
}

}  // namespace

OwnCost own_cost() {
  OwnCost cost;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    cost.cpu_ns = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
    cost.most_bytes = static_cast<u64>(usage.ru_maxrss) << 10;
  }
  if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
    unsigned long size = 0, resident = 0;
    if (std::fscanf(file, "%lu %lu", &size, &resident) == 2) {
      cost.resident_bytes = u64{resident} * static_cast<u64>(sysconf(_SC_PAGESIZE));
    }
    std::fclose(file);
  }
  return cost;
}

namespace {

constexpr size_t kStep = 4096;  // a pipe takes at least this much at once

}  // namespace

// write() makes the kernel read the memory, and fails with EFAULT where a load would crash. Unlike process_vm_readv(),
// that needs no right that a container may lack.
bool copy_own_memory(const void* from, std::span<std::byte> to) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const auto* source = static_cast<const std::byte*>(from);
  bool whole = true;
  for (size_t done = 0; whole && done < to.size();) {
    const size_t step = std::min(kStep, to.size() - done);
    const auto size = static_cast<ssize_t>(step);
    whole = write(ends[1], source + done, step) == size && read(ends[0], to.data() + done, step) == size;
    done += step;
  }
  close(ends[0]);
  close(ends[1]);
  return whole;
}

namespace {

// Parses two addresses with "-" between them; returns the second if the first is `begin`. Returns 0 if the line is
// about another place.
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
