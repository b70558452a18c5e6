// SPDX-License-Identifier: BSD-3-Clause
// The call frame information of one file: .eh_frame, found by the search table of .eh_frame_hdr if there is one, or
// .debug_frame. Rows are computed on first use and kept, because samples repeat. The bytes of the sections must outlive
// this object. Not thread-safe.
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "code/symbols/elf/elf_file.h"
#include "code/unwind/frame_program.h"

namespace wperf::unwind {

struct FrameSections {
  symbols::EndianBytes frames;  // .eh_frame or .debug_frame
  u64 address = 0;              // linked address of .eh_frame
  bool is_debug_frame = false;
  symbols::EndianBytes search;  // .eh_frame_hdr; may be empty
  u64 search_address = 0;
};
// Returns empty sections if the file has none, or is not a 64-bit little-endian file.
FrameSections eh_frame_of(const symbols::ElfFile& file);
FrameSections debug_frame_of(const symbols::ElfFile& file);

class FrameTable {
 public:
  explicit FrameTable(const FrameSections& sections);

  // `address` is a linked address. Returns null if there is no information for it, or if it is damaged. The row is
  // valid as long as the table exists.
  const FrameRow* row_at(u64 address);
  std::optional<FunctionEntry> function_at(u64 address);

 private:
  struct Indexed {
    u64 begin = 0, end = 0;
    u64 offset = 0;  // offset of its entry in the section
  };

  std::optional<u64> searched_entry(u64 address) const;
  bool has_search_table();
  void index_all();
  std::optional<FunctionEntry> read_function(u64 offset) const;
  std::optional<CommonEntry> read_common(u64 offset) const;

  FrameSections sections_;
  u64 search_begin_ = 0, search_count_ = 0;  // of the table in .eh_frame_hdr
  bool is_indexed_ = false;
  std::vector<Indexed> index_;  // ordered by begin; used if there is no search table
  std::unordered_map<u64, std::optional<FrameRow>> rows_;
};

}  // namespace wperf::unwind
