// SPDX-License-Identifier: BSD-3-Clause
// Builds Go's function tables for tests, in the form of each version of Go.
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "code/symbols/go/go_format.h"
#include "code/symbols/go/go_table.h"

namespace wperf::symbols {

struct BuiltGoLine {
  u32 length = 0;  // bytes of code
  u32 file = 0;    // index in BuiltGoTable::files
  u32 line = 0;
};

struct BuiltGoFunction {
  std::string name;
  u64 begin = 0;  // relative to the text
  std::vector<BuiltGoLine> lines;
};

struct BuiltGoTable {
  u32 magic = go::kMagic20;
  u8 quantum = 4;
  u64 text = 0;  // stored in the header; before Go 1.18, the base of all addresses
  u64 end = 0;   // end of the last function, relative to the text
  std::vector<std::string> files;
  std::vector<BuiltGoFunction> functions;
};

class GoBuilder {
 public:
  explicit GoBuilder(BuiltGoTable table) : table_(std::move(table)) {}

  std::string build() {
    const bool oldest = table_.magic == go::kMagic2;
    wide_ = oldest || table_.magic == go::kMagic16;
    for (const BuiltGoFunction& one : table_.functions) {
      name_at_.push_back(names_.size());
      names_ += one.name + '\0';
      add_lists(one, oldest ? 1 : 0);
    }
    for (const std::string& one : table_.files) {
      append<u32>(units_, static_cast<u32>(files_.size()));
      files_ += one + '\0';
    }
    return oldest ? oldest_table() : newer_table();
  }

 private:
  template <typename T>
  static void append(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  static void append_number(std::string& out, u32 value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }
  static void append_difference(std::string& out, u32 before, u32 after) {
    append_number(out, after >= before ? (after - before) << 1 : (before - after - 1) << 1 | 1);
  }
  void add_list(const BuiltGoFunction& function, u32 BuiltGoLine::* member, u32 added) {
    u32 before = ~u32{0};
    bool first = true;
    for (const BuiltGoLine& one : function.lines) {
      const u32 after = one.*member + added;
      // The first value is a difference from -1.
      first ? append_number(values_, (after + 1) << 1) : append_difference(values_, before, after);
      append_number(values_, one.length / table_.quantum);
      before = after;
      first = false;
    }
    values_ += '\0';
  }
  void add_lists(const BuiltGoFunction& function, u32 first_file) {
    file_list_at_.push_back(values_.size());
    // Consecutive equal values become one entry.
    BuiltGoFunction files = function;
    files.lines.clear();
    for (const BuiltGoLine& one : function.lines) {
      if (!files.lines.empty() && files.lines.back().file == one.file) {
        files.lines.back().length += one.length;
      } else {
        files.lines.push_back(one);
      }
    }
    add_list(files, &BuiltGoLine::file, first_file);
    line_list_at_.push_back(values_.size());
    add_list(function, &BuiltGoLine::line, 0);
  }
  void append_place(std::string& out, u64 value) const {
    wide_ ? append<u64>(out, value) : append<u32>(out, static_cast<u32>(value));
  }
  u64 base() const { return wide_ ? table_.text : 0; }
  // The places of all functions and their records, which begin `records_from` bytes after `places`.
  std::string places(u64 records_from) const {
    std::string out;
    for (usize i = 0; i < table_.functions.size(); ++i) {
      append_place(out, base() + table_.functions[i].begin);
      append_place(out, records_from + i * kRecord);
    }
    append_place(out, base() + table_.end);
    return out;
  }
  std::string records(u64 names_from, u64 values_from) const {
    std::string out;
    for (usize i = 0; i < table_.functions.size(); ++i) {
      std::string one;
      append_place(one, base() + table_.functions[i].begin);
      append<u32>(one, static_cast<u32>(names_from + name_at_[i]));
      one.append(12, '\0');  // arguments, deferred calls, stack
      append<u32>(one, static_cast<u32>(values_from + file_list_at_[i]));
      append<u32>(one, static_cast<u32>(values_from + line_list_at_[i]));
      one.resize(kRecord);
      out += one;
    }
    return out;
  }
  std::string header() const {
    std::string out;
    append<u32>(out, table_.magic);
    append<u16>(out, 0);
    append<u8>(out, table_.quantum);
    append<u8>(out, 8);
    append<u64>(out, table_.functions.size());
    return out;
  }
  std::string newer_table() const {
    std::string out = header();
    append<u64>(out, table_.files.size());
    if (!wide_) append<u64>(out, table_.text);
    const std::string empty_first(1, '\0');  // because an offset of 0 means that there is no list
    const std::string* const parts[] = {&names_, &units_, &files_, &values_};
    u64 at = out.size() + 5 * 8;
    for (const std::string* part : parts) {
      append<u64>(out, at);
      at += part->size() + (part == &values_ ? 1 : 0);
    }
    append<u64>(out, at);
    out += names_ + units_ + files_ + empty_first + values_;
    const u64 size = table_.functions.size() * (wide_ ? 16 : 8) + (wide_ ? 8 : 4);
    return out + places(size) + records(0, 1);
  }
  std::string oldest_table() const {
    const u64 size = table_.functions.size() * 16 + 12, records_at = 16 + size;
    const u64 names_at = records_at + table_.functions.size() * kRecord, values_at = names_at + names_.size();
    const u64 files_at = values_at + values_.size(), list_at = files_at + files_.size();
    std::string out = header() + places(records_at);
    append<u32>(out, static_cast<u32>(list_at));
    out += records(names_at, values_at) + names_ + values_ + files_;
    append<u32>(out, static_cast<u32>(table_.files.size() + 1));
    for (usize i = 0, at = 0; i < table_.files.size(); at += table_.files[i++].size() + 1) {
      append<u32>(out, static_cast<u32>(files_at + at));
    }
    return out;
  }

  static constexpr usize kRecord = 48;
  BuiltGoTable table_;
  std::string names_, units_, files_, values_;
  std::vector<usize> name_at_, file_list_at_, line_list_at_;
  bool wide_ = false;
};

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// Three functions in 0x100 bytes of code.
inline BuiltGoTable small_go_table(u32 magic, u64 text) {
  return {.magic = magic,
          .text = text,
          .end = 0x100,
          .files = {"/src/main.go", "/go/src/fmt/print.go"},
          .functions = {{"go:buildid", 0, {}},
                        {"main.(*list).sort", 0x10, {{8, 0, 300}, {16, 1, 5}, {8, 0, 302}}},
                        {"fmt.Println", 0x40, {{0xc0, 1, 314}}}}};
}

}  // namespace wperf::symbols
