// SPDX-License-Identifier: BSD-3-Clause
// Functions that are listed as text rather than in a file of code: the kernel's in /proc/kallsyms, those of programs
// that make code as they run in /tmp/perf-PID.map. Takes the text, opens no files; the text must outlive the table.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::symbols {

struct ListedSymbol {
  u64 begin = 0, end = 0;
  std::string_view name;
  std::string_view module;  // of the kernel: "[ext4]" without brackets; empty: the kernel itself
};

// By address. If there are several at one address, the kernel's list keeps the one that perf shows, and a map the last
// one, which replaced the others.
class ListedSymbols {
 public:
  // "ffffffff81000000 T _text", "… t ext4_get [ext4]". Data is left out. All addresses are zero for users who may not
  // see them. Then the table is empty, and are_hidden() is true.
  static ListedSymbols parse_kallsyms(std::string_view text);
  // "7f0010 20 py::name with spaces", hexadecimal, with or without 0x.
  static ListedSymbols parse_perf_map(std::string_view text);

  std::span<const ListedSymbol> all() const { return symbols_; }
  const ListedSymbol* find(u64 address) const;  // null: none
  bool are_hidden() const { return are_hidden_; }
  u32 bad_lines() const { return bad_lines_; }

 private:
  std::vector<ListedSymbol> symbols_;
  bool are_hidden_ = false;
  u32 bad_lines_ = 0;
};

}  // namespace wperf::symbols
