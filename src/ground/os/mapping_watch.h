// SPDX-License-Identifier: BSD-3-Clause
// Mappings of files that another process may truncate. An access beyond the new end would end this process by a signal;
// with a watch, the pages there are zeros. Only on Linux: on Windows no program can truncate a mapped file.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace wperf::os {

class MappingWatch {
 public:
  // If `writable`, the zeros may be changed; the file does not get the changes.
  static MappingWatch* start(std::span<const std::byte> bytes, bool writable);
  // Must be called before the file is unmapped. Afterwards another mapping may use this watch.
  void stop();
  bool has_shrunk() const { return has_shrunk_.load(); }

  // take_shrunk() returns the file's name once if it has shrunk, also after the watch has stopped.
  void report_as(const std::string& name);
  static std::vector<std::string> take_shrunk();

 private:
  struct All;

  void collect_shrunk(std::vector<std::string>& names);
  bool fill_with_zeros(std::uintptr_t fault);

  std::atomic<std::uintptr_t> begin_{0}, end_{0};  // equal while no mapping uses this entry
  std::atomic<bool> has_shrunk_{false};
  std::atomic<bool> writable_{false};
  MappingWatch* next_ = nullptr;       // the next older entry in the list of all entries
  MappingWatch* next_free_ = nullptr;  // the next entry in the list of unused ones
  std::string name_;                   // empty if it is not reported
};

}  // namespace wperf::os
