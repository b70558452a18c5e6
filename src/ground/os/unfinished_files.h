// SPDX-License-Identifier: BSD-3-Clause
// Temporary files of outputs that do not have their final names yet. If the process is ended from outside, for example
// by Ctrl-C, they are removed, so that no partial output is left. Usable from any thread.
#pragma once
#include <cstddef>
#include <string_view>

namespace wperf::os {

// Registers one such file for the lifetime of this object. Only a limited number can be registered; further files are
// not removed.
inline constexpr int kMostUnfinishedFiles = 16;
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  explicit UnfinishedFile(std::string_view path);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile() { forget(); }

  void forget();  // the file was moved to its place, or is gone

 private:
  static constexpr int kNone = -1;
  int number_ = kNone;
};

// Safe in a signal handler.
void remove_unfinished_files();
// After this call, a signal that ends this process removes the unfinished files first, unless the signal is caught or
// ignored. Only for programs: a library must not decide this.
void remove_unfinished_when_ended();

namespace unfinished_files {

// The parts of unfinished_files.cpp that each system implements.
inline constexpr std::size_t kLongestPath = 4096;
void remove(const char* path);  // safe in a signal handler
// Installs the handlers again after another handler gave the signals back to the system. Safe in a signal handler. Only
// on Linux.
void reinstall_handlers();

}  // namespace unfinished_files

}  // namespace wperf::os
