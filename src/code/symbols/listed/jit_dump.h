// SPDX-License-Identifier: BSD-3-Clause
// jit-PID.dump: functions that a program generated at run time, with their start times and source lines. Linux'
// tools/perf/Documentation/jitdump-specification.txt describes the format. Takes the bytes, which must outlive this
// object; opens no files.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "code/symbols/elf/endian_bytes.h"

namespace wperf::symbols {

struct JitFunction {
  u64 begin = 0, end = 0;
  u64 since = 0;  // in nanoseconds of the monotonic clock; 0 if the dump uses another clock
  std::string_view name;
  u64 written_at = 0;             // address of the code when its lines were written; a function may be moved later
  u32 first_line = 0, lines = 0;  // range in the table of lines
};

struct JitLine {
  std::string_view file;  // empty if not known
  u32 line = 0;
};

class JitDump {
 public:
  // Returns nullopt if it is not such a file. The table ends where the file is truncated or damaged.
  static std::optional<JitDump> parse(Bytes bytes);

  u32 process() const { return process_; }
  const std::vector<JitFunction>& functions() const { return functions_; }  // ordered by address, then by time
  // The newest code at this address at time `when`; the largest `when` means any time.
  static constexpr u32 kNone = ~u32{0};
  u32 find(u64 address, u64 when) const;
  // The last entry of the function at or before the address.
  JitLine line_at(const JitFunction& function, u64 address) const;
  u32 damaged() const { return damaged_; }

 private:
  struct Line {
    u64 address = 0;
    u32 line = 0;
    std::string_view file;
  };
  struct Reader;

  u32 process_ = 0;
  std::vector<JitFunction> functions_;
  std::vector<u64> furthest_;  // for each function, the largest end of all functions up to it
  std::vector<Line> lines_;    // ordered by address within each function
  u32 damaged_ = 0;
};

}  // namespace wperf::symbols
