// SPDX-License-Identifier: BSD-3-Clause
// The line of each instruction of a code object, from its line table as CPython 3.11 and later write it. Pure.
#pragma once
#include <cstdint>
#include <vector>

#include "base/ints.h"
#include "ground/bytes/bytes.h"

namespace wperf::python {

class LineTable {
 public:
  LineTable() = default;
  // Reads up to the end or the first damage.
  LineTable(bytes::Span table, u32 first_line);

  // `offset`: that of an instruction from the first one, in bytes. Before the first and beyond the table, and for
  // instructions that belong to no line, it is the nearest line before; so it is 0 only if the first line is.
  u32 line_at(std::int64_t offset) const;

  // Bytes of instructions that the table is about.
  u32 size() const { return size_; }

  struct Row {
    u32 begin = 0;
    u32 line = 0;
  };
  const std::vector<Row>& rows() const { return rows_; }  // by begin; one for each change of the line

 private:
  u32 first_line_ = 0, size_ = 0;
  std::vector<Row> rows_;
};

}  // namespace wperf::python
