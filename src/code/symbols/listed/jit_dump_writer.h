// SPDX-License-Identifier: BSD-3-Clause
// Writes a jit-PID.dump without machine code, for functions that wperf itself discovered. jit_dump.h reads it.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::symbols {

class JitDumpWriter {
 public:
  explicit JitDumpWriter(u32 process);

  struct Line {
    u64 address = 0;
    u32 line = 0;
  };
  struct Function {
    u64 begin = 0, size = 0;
    u64 since = 0;               // in nanoseconds of the recording's clock
    std::string_view name = {};  // cut if it is too long
    std::string_view file = {};  // source file of the lines
    std::span<const Line> lines = {};
  };
  void add(const Function& function);
  bool is_empty() const { return functions_ == 0; }

  // Appends the dump to a section with several dumps: its size, then its bytes.
  void append_to(std::string& section) const;

 private:
  void put_lines(const Function& function);

  u32 process_;
  u64 functions_ = 0;
  std::string bytes_;
};

}  // namespace wperf::symbols
