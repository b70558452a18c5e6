// SPDX-License-Identifier: BSD-3-Clause
// Runs one line program of .debug_line: gives the file and line of each address.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/dwarf/dwarf_unit.h"

namespace wperf::symbols::dwarf {

class LineTable {
 public:
  struct Row {
    u64 address = 0;
    u32 line = 0;
    u32 file = 0;
    u32 discriminator = 0;
  };

  // The program at `offset`; `unit` refers to it.
  LineTable(const Unit& unit, u64 offset, DwarfDamage& damage);

  // Returns the row for the address, or null. If the linker folded equal functions, several sequences begin at one
  // address. Only in this case declared_line() is called, and the sequence that fits the declared line is used.
  template <class DeclaredLine>
  const Row* find(u64 address, DeclaredLine&& declared_line) const {
    const std::span<const Sequence> some = sequences_at(address);
    if (some.empty()) return nullptr;
    return row_in(some.size() == 1 ? some.front() : nearest(some, declared_line()), address);
  }
  // The path of a file, with the folders that the table has; empty if there is no such file.
  std::string_view path(u64 file) const;

 private:
  struct Sequence {
    u64 begin = 0, end = 0;
    u32 first = 0, count = 0;  // rows
  };
  struct File {
    Value name;
    u64 folder = 0;
  };
  struct Header;

  // The sequences that contain the address and have the same begin.
  std::span<const Sequence> sequences_at(u64 address) const;
  const Sequence& nearest(std::span<const Sequence> some, u32 line) const;
  const Row* row_in(const Sequence& sequence, u64 address) const;
  bool read_header(Cursor& cursor, const Unit& unit, Header& header);
  void read_old_files(Cursor& cursor);
  bool read_new_entries(Cursor& cursor, std::vector<File>& out) const;
  void run(Cursor& cursor, const Header& header);
  void end_sequence(u32 first, u64 end);

  Unit unit_;  // needed to read texts
  std::vector<Value> folders_;
  std::vector<File> files_;
  std::vector<Row> rows_;
  std::vector<Sequence> sequences_;  // ordered by begin
  mutable std::vector<std::string> paths_;
};

}  // namespace wperf::symbols::dwarf
