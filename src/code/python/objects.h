// SPDX-License-Identifier: BSD-3-Clause
// Objects of Python that are read whole: text and bytes. Sizes are limited, because the memory may say anything.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "code/python/layout.h"
#include "code/python/process_memory.h"

namespace wperf::python {

inline constexpr u64 kMostCharacters = 4096;     // of a name or a path; longer ones are cut
inline constexpr u64 kMostBytes = u64{1} << 20;  // of a line table

struct TextObject {
  std::string text;  // UTF-8; ends in "…" if it was cut
  u64 type = 0;      // the address of its type
};

// nullopt if there is no text there.
std::optional<TextObject> read_text(ProcessMemory& memory, const Layout& layout, u64 address);
// nullopt if there are none, or more than kMostBytes.
std::optional<std::vector<std::byte>> read_byte_object(ProcessMemory& memory, const Layout& layout, u64 address);

}  // namespace wperf::python
