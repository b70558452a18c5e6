// SPDX-License-Identifier: BSD-3-Clause
// Host memory that code is written to and executed from, through two views of the same pages: one is writable, the
// other executable. The Translator keeps its code in one.
#pragma once
#include "base/ints.h"

namespace wperf::sim {

class ExecutableMemory {
 public:
  explicit ExecutableMemory(usize bytes);  // zeroed; pages are allocated on first use
  ~ExecutableMemory();
  ExecutableMemory(const ExecutableMemory&) = delete;
  ExecutableMemory& operator=(const ExecutableMemory&) = delete;

  bool usable() const { return written_ != nullptr; }  // false: the host refused
  usize size() const { return bytes_; }
  u8* written() { return written_; }
  const u8* executed() const { return executed_; }

 private:
  usize bytes_;
  u8* written_ = nullptr;
  const u8* executed_ = nullptr;
};

}  // namespace wperf::sim
