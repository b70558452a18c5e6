// SPDX-License-Identifier: BSD-3-Clause
// Functions that are listed as text and not in a code file: the kernel's in /proc/kallsyms, and code generated at run
// time in /tmp/perf-PID.map. Takes the text, which must outlive the table; opens no files.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::symbols {

struct ListedSymbol {
  u64 begin = 0, end = 0;
  std::string_view name;
  std::string_view module;  // module of the kernel: "[ext4]" without brackets; empty for the kernel itself
};

// Ordered by address. If an address has several functions, the kernel's list keeps the function that perf shows, and a
// map keeps the last function, which replaced the earlier ones.
class ListedSymbols {
 public:
  // "ffffffff81000000 T _text", "… t ext4_get [ext4]". Data is left out. If the user may not see addresses, all of them
  // are zero. Then the table is empty, and are_hidden() returns true.
  static ListedSymbols parse_kallsyms(std::string_view text);
  // "7f0010 20 py::name with spaces": hexadecimal numbers, with or without 0x.
  static ListedSymbols parse_perf_map(std::string_view text);

  std::span<const ListedSymbol> all() const { return symbols_; }
  const ListedSymbol* find(u64 address) const;  // null if there is none
  bool are_hidden() const { return are_hidden_; }
  u32 bad_lines() const { return bad_lines_; }

 private:
  std::vector<ListedSymbol> symbols_;
  bool are_hidden_ = false;
  u32 bad_lines_ = 0;
};

}  // namespace wperf::symbols
