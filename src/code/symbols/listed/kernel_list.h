// SPDX-License-Identifier: BSD-3-Clause
// The cached functions of a kernel. Lines are sorted by the distance from a reference symbol, which has a recorded
// address in every recording. They have equal lengths up to the name. So a search reads only a few lines and needs no
// preparation. The cache does not contain the kernel's load address. Takes bytes; opens no files. If the bytes are
// damaged, nothing is found.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "code/symbols/listed/listed_symbols.h"

namespace wperf::symbols {

class KernelList {
 public:
  // `reference`: the address of the reference symbol. The list may lack this symbol if a better name has the same
  // address.
  static std::string write(const ListedSymbols& symbols, std::string_view reference_name, u64 reference);
  // Returns nullopt if it is not such a list, is truncated, or is relative to another symbol.
  static std::optional<KernelList> open(std::span<const std::byte> bytes, std::string_view reference_name);

  struct Found {
    u64 begin = 0, end = 0;  // distances modulo 2^64; a function ends where the next one begins
    std::string_view name;
    usize line = 0;  // position in the list
  };
  // `from`: the line found for a smaller distance. The search begins near it and reads no lines before it.
  std::optional<Found> find(u64 distance, usize from = 0) const;

 private:
  usize begin_of_line(usize low, usize at) const;
  std::optional<Found> line_at(usize line, usize next, u64 wanted) const;

  std::string_view lines_;
  u64 end_ = 0;  // the end of the last function
};

}  // namespace wperf::symbols
