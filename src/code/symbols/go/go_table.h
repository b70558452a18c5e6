// SPDX-License-Identifier: BSD-3-Clause
// The function table that Go's linker puts into every program for stack traces ("pclntab"). Stripping leaves it. Reads
// the tables of Go 1.2 to 1.27 for 64-bit machines. Takes a view of the table, which the caller must keep mapped.
// Opening checks the order of the functions; everything else is checked when it is read. Not thread-safe.
#pragma once
#include <functional>
#include <optional>
#include <string_view>

#include "code/symbols/elf/endian_bytes.h"

namespace wperf::symbols {

struct GoFunction {
  u64 begin = 0, end = 0;  // end: where the next function begins
  std::string_view name;   // as Go prints it: "net/http.(*conn).serve"
};

struct GoLine {
  std::string_view file;  // empty if not known. Code that was inlined has its own file and line.
  u32 line = 0;
};

// The values along the code of one function: a list of differences, each with the length of its code.
class GoValues {
 public:
  GoValues() = default;
  GoValues(EndianBytes list, u64 begin, u8 quantum) : list_(list.span()), end_(begin), quantum_(quantum) {}
  // Must be called with ascending addresses. Returns nullopt if there is no value.
  std::optional<u32> at(u64 address);

 private:
  bool step();
  u64 number();

  bytes::Reader list_{Bytes()};
  u64 begin_ = 0, end_ = 0;  // range of the code to which `value_` applies
  u32 value_ = ~u32{0};
  u8 quantum_ = 1;
  bool has_begun_ = false;
};

class GoTable {
 public:
  // `bytes` begin with the table and may be longer.
  static std::optional<GoTable> read(EndianBytes bytes);

  u8 quantum() const { return quantum_; }         // size of the machine's shortest instruction
  u64 names_offset() const { return names_at_; }  // from the table's first byte
  // The address to which functions are relative, as the linker stored it; 0 if the linker stored none. Nullopt if
  // functions have absolute addresses.
  std::optional<u64> stored_text() const { return stored_text_; }
  void set_text(u64 address) { text_ = address; }
  // The begin of the first function and the end of the last function. Both are relative to the text, or absolute
  // addresses.
  u64 first() const { return place(0); }
  u64 last() const { return place(count_); }

  // Needs set_text(), unless functions have absolute addresses.
  std::optional<GoFunction> function_at(u64 address) const;
  GoLine line_at(u64 address) const;
  void for_each(const std::function<void(const GoFunction&)>& visit) const;

 private:
  bool read_parts(EndianBytes bytes, u64 parts_at);
  bool read_oldest_parts(EndianBytes bytes);
  bool is_ordered() const;
  u64 place(u64 index) const;
  u64 record_at(u64 index) const;
  std::optional<u64> index_at(u64 address) const;
  std::optional<GoFunction> function(u64 index) const;
  std::string_view file_name(u64 record, u32 number) const;

  EndianBytes names_, units_, files_, values_, functions_, records_;
  u64 count_ = 0, names_at_ = 0, text_ = 0;
  std::optional<u64> stored_text_;
  u8 quantum_ = 1;
  bool wide_ = false;    // places have 8 bytes
  bool oldest_ = false;  // Go 1.2 to 1.15: files are numbered per program, not per unit

  struct LinesOf {  // for the function that was looked up last
    u64 index = ~u64{0}, address = 0;
    GoValues files = {}, lines = {};
    u32 file = 0;
    std::string_view file_name = {};
  };
  mutable LinesOf last_;
};

}  // namespace wperf::symbols
