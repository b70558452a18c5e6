// SPDX-License-Identifier: BSD-3-Clause
// Python objects that are read completely: text and bytes. Sizes are limited, because the memory may contain anything.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "code/python/layout.h"
#include "code/python/process_memory.h"

namespace wperf::python {

inline constexpr u64 kMostCharacters = 4096;     // in a name or a path; longer texts are cut
inline constexpr u64 kMostBytes = u64{1} << 20;  // in a line table

struct TextObject {
  std::string text;  // UTF-8; ends in "…" if it was cut
  u64 type = 0;      // the address of its type
};

// Returns nullopt if there is no text at the address.
std::optional<TextObject> read_text(ProcessMemory& memory, const Layout& layout, u64 address);
// Returns nullopt if there is no bytes object at the address, or if it has more than kMostBytes.
std::optional<std::vector<std::byte>> read_byte_object(ProcessMemory& memory, const Layout& layout, u64 address);

}  // namespace wperf::python
