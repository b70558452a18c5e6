// SPDX-License-Identifier: BSD-3-Clause
// Reads the marks (code_mark.h) of a stack's code objects, as part of a single system call.
#pragma once
#include <span>
#include <vector>

#include "code/python/code_mark.h"
#include "code/python/layout.h"
#include "code/python/process_memory.h"

namespace wperf::python {

class CodeMarks {
 public:
  // The layout must outlive this object, and must have passed check_layout().
  explicit CodeMarks(const Layout& layout) : layout_(layout), part_(marked_part(layout)) {}

  void clear();
  // Adds the code object of the next frame, from the innermost on; 0 if the frame has no code.
  void add(u64 code);
  // Appends the pieces to be read for the added code objects.
  void add_pieces(std::vector<MemoryPiece>& pieces);
  // The mark of the frame's code object; 0 if it was not read. `is_read`: for each piece, whether it was read.
  u64 mark_of_frame(usize frame, std::span<const u8> is_read) const;

 private:
  struct Place {
    usize piece = 0, offset = 0;  // number of its piece, from 1 (0: no piece), and its position in bytes_
  };

  const Layout& layout_;
  MarkedPart part_;
  std::vector<u64> code_;  // code objects, nearly without repetitions
  std::vector<u32> code_of_frame_;
  std::vector<u32> order_;  // sorted by address
  std::vector<Place> places_;
  std::vector<std::byte> bytes_;
};

}  // namespace wperf::python
