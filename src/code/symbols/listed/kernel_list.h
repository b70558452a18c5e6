// SPDX-License-Identifier: BSD-3-Clause
// A kernel's functions in the form of the cache. Lines are sorted by their distance from a symbol whose address every
// recording has, and have the same length up to the name. So a search looks at a few lines and nothing needs to be read
// before. The kernel's load address is not in it. Takes bytes, opens no files; damage gives no answer.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "code/symbols/listed/listed_symbols.h"

namespace wperf::symbols {

class KernelList {
 public:
  // `reference`: the address of the symbol with that name. It need not be in the list, because it may share its address
  // with a better name.
  static std::string write(const ListedSymbols& symbols, std::string_view reference_name, u64 reference);
  // nullopt if it is not such a list, if it was cut, or if it is measured from another symbol.
  static std::optional<KernelList> open(std::span<const std::byte> bytes, std::string_view reference_name);

  struct Found {
    u64 begin = 0, end = 0;  // distances, as numbers modulo 2^64; a function ends where the next one begins
    std::string_view name;
    usize line = 0;  // its place in the list
  };
  // `from`: the line of a function found for a smaller distance. The search begins near it and never looks at lines
  // before it.
  std::optional<Found> find(u64 distance, usize from = 0) const;

 private:
  usize begin_of_line(usize low, usize at) const;
  std::optional<Found> line_at(usize line, usize next, u64 wanted) const;

  std::string_view lines_;
  u64 end_ = 0;  // the end of the last function
};

}  // namespace wperf::symbols
