// SPDX-License-Identifier: BSD-3-Clause
// Reads the marks (code_mark.h) of the code objects of a stack, as a part of one system call.
#pragma once
#include <span>
#include <vector>

#include "code/python/code_mark.h"
#include "code/python/layout.h"
#include "code/python/process_memory.h"

namespace wperf::python {

class CodeMarks {
 public:
  // The layout must outlive this, and has passed check_layout().
  explicit CodeMarks(const Layout& layout) : layout_(layout), part_(marked_part(layout)) {}

  void clear();
  // The code of the next frame, from the innermost on; 0 if it has no code.
  void add(u64 code);
  // Appends the pieces to read for them.
  void add_pieces(std::vector<MemoryPiece>& pieces);
  // The mark of the code of that frame, 0 if it was not read. `is_read`: for each piece, whether it was read.
  u64 mark_of_frame(usize frame, std::span<const u8> is_read) const;

 private:
  struct Place {
    usize piece = 0, offset = 0;  // which piece has it, counted from 1, 0: it has no piece; and where it is in bytes_
  };

  const Layout& layout_;
  MarkedPart part_;
  std::vector<u64> code_;  // nearly each code object once
  std::vector<u32> code_of_frame_;
  std::vector<u32> order_;  // by address
  std::vector<Place> places_;
  std::vector<std::byte> bytes_;
};

}  // namespace wperf::python
