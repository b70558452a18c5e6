// SPDX-License-Identifier: BSD-3-Clause
// The line of each instruction of a code object, from a line table in the form of CPython 3.11 and later. Pure.
#pragma once
#include <cstdint>
#include <vector>

#include "base/ints.h"
#include "ground/bytes/bytes.h"

namespace wperf::python {

class LineTable {
 public:
  LineTable() = default;
  // Reads up to the end of the table or the first damage.
  LineTable(bytes::Span table, u32 first_line);

  // `offset`: in bytes from the first instruction. Outside of the table, and for instructions
  // without a line, returns the nearest line before them. So the result is 0 only if the first line is 0.
  u32 line_at(std::int64_t offset) const;

  // The number of bytes of instructions that the table describes.
  u32 size() const { return size_; }

  struct Row {
    u32 begin = 0;
    u32 line = 0;
  };
  const std::vector<Row>& rows() const { return rows_; }  // ordered by begin; one row for each change of the line

 private:
  u32 first_line_ = 0, size_ = 0;
  std::vector<Row> rows_;
};

}  // namespace wperf::python
