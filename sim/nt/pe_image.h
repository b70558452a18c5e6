// SPDX-License-Identifier: BSD-3-Clause
// A PE32+ file for ARM64, read from untrusted bytes: headers, sections, exports and relocations; ntdll's loader reads
// the rest. Every length, offset and sum is checked here, so that the result can be mapped without further checks.
// Pure: keeps no reference to the bytes. Layout: Microsoft's "PE Format" page.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::sim {

struct PeSection {
  std::string name;
  u32 rva = 0;               // page-aligned, ascending, sections do not overlap
  u32 mapped_size = 0;       // page-aligned, at least 1 page
  u32 permissions = 0;       // Permission bits
  u32 file_offset = 0;       // file_offset + file_size lies inside the file
  u32 file_size = 0;         // <= mapped_size; the rest is zero
  bool discardable = false;  // debug information, relocations: not needed once the image is loaded
};

struct PeExport {
  std::string name;  // empty for an export by ordinal only
  u32 rva = 0;       // 0 for a forwarder
};

struct PeImage {
  u64 preferred_base = 0;
  u32 image_size = 0;    // page-aligned
  u32 headers_size = 0;  // mapped from file offset 0; not above the file's size
  u32 entry_rva = 0;     // may be 0
  u64 stack_reserve = 0;
  bool is_dll = false;
  bool relocatable = false;
  std::vector<PeSection> sections;
  std::vector<PeExport> exports;
  std::vector<u32> relocation_rvas;  // DIR64: 8 bytes to add the displacement to
  bool needs_loader = false;         // it imports functions or has thread-local storage
};

// Returns an empty text, or the reason why the bytes cannot be loaded: the predicate of a sentence whose subject is the
// file's name, e.g. "is an x64 program; the simulated machine runs ARM64 programs".
[[nodiscard]] std::string parse_pe(std::span<const std::byte> file, PeImage& out);

}  // namespace wperf::sim
