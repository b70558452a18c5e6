// SPDX-License-Identifier: BSD-3-Clause
// The kernel's small text files (sysfs, procfs, tracefs). Tests set `root` to another folder.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::perf_events {

class SystemFiles {
 public:
  explicit SystemFiles(std::string root = {}) : root_(std::move(root)) {}

  // The text without its line end; nullopt if there is no such file, or if it may not be read.
  std::optional<std::string> text(const std::string& path) const;
  std::optional<u64> number(const std::string& path) const;  // decimal, or hexadecimal after 0x
  // Names in a folder, sorted; empty if there is no folder.
  std::vector<std::string> names(const std::string& folder) const;
  // Only the names that are decimal numbers, in the same order. In procfs these are processes and threads.
  std::vector<u32> numbers(const std::string& folder) const;
  bool exists(const std::string& path) const;

 private:
  std::string root_;
};

}  // namespace wperf::perf_events
