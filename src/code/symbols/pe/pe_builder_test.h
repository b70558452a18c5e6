// SPDX-License-Identifier: BSD-3-Clause
// Builds ARM64 images for tests, section by section, with a COFF symbol table.
#pragma once
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ints.h"

namespace wperf::symbols {

inline constexpr u64 kBuiltBase = 0x140000000;
inline constexpr u32 kCodeSection = 0x60000020, kDataSection = 0x40000040;

struct BuiltSymbol {
  std::string name;
  u32 value = 0;
  u16 section = 1;  // number of the section, from 1
  u16 type = 0x20;  // a function
  u8 storage = 2;   // external
  u8 further_records = 0;
};

class PeBuilder {
 public:
  // The first section begins at RVA 0x1000, each further one 0x1000 bytes later.
  void add_section(const std::string& name, std::string contents, u32 characteristics) {
    sections_.push_back(
        {name.size() <= 8 ? name : "/" + std::to_string(add_text(name)), std::move(contents), characteristics});
  }
  // For section names in other forms: returns the position of the text.
  usize add_text(const std::string& text) {
    const usize offset = texts_.size() + 4;
    texts_ += text + '\0';
    return offset;
  }
  void add_symbol(const BuiltSymbol& symbol) {
    std::string record(8, '\0');
    if (symbol.name.size() <= 8) {
      record.replace(0, symbol.name.size(), symbol.name);
    } else {
      put<u32>(record, 4, static_cast<u32>(add_text(symbol.name)));
    }
    append(record, symbol.value);
    append(record, symbol.section);
    append(record, symbol.type);
    append(record, symbol.storage);
    append(record, symbol.further_records);
    record.append(usize{18} * symbol.further_records, '\0');
    symbols_ += record;
  }
  // The .pdata record of a function that saves no registers.
  void add_function(u32 rva, u32 size) {
    append(functions_, rva);
    append(functions_, 1u | size / 4 << 2);
  }

  void add_export(const std::string& name, u32 rva) { exports_.emplace_back(name, rva); }

  std::vector<std::byte> build() {
    const u32 export_table = static_cast<u32>(0x1000 * (sections_.size() + 1));
    const std::string exported = export_section(export_table);
    if (!exports_.empty()) add_section(".edata", exported, kDataSection);
    if (!functions_.empty()) add_section(".pdata", functions_, kDataSection);
    std::string file(kHeaderSize, '\0');
    file.replace(0, 2, "MZ");
    put<u32>(file, 0x3c, 0x40);
    file.replace(0x40, 2, "PE");
    put<u16>(file, 0x44, 0xaa64);
    put<u16>(file, 0x46, static_cast<u16>(sections_.size()));
    put<u16>(file, 0x54, 240);  // size of the optional header
    const usize optional = 0x58;
    put<u16>(file, optional, 0x20b);
    put<u64>(file, optional + 24, kBuiltBase);
    put<u32>(file, optional + 56, static_cast<u32>(0x1000 * (sections_.size() + 1)));
    put<u32>(file, optional + 60, kHeaderSize);
    put<u32>(file, optional + 108, 16);  // directories
    if (!exports_.empty()) {
      put<u32>(file, optional + 112, export_table);
      put<u32>(file, optional + 112 + 4, static_cast<u32>(exported.size()));
    }
    if (!functions_.empty()) {
      put<u32>(file, optional + 112 + 3 * 8, static_cast<u32>(0x1000 * sections_.size()));
      put<u32>(file, optional + 112 + 3 * 8 + 4, static_cast<u32>(functions_.size()));
    }
    usize header = optional + 240, rva = 0x1000;
    for (const Built& one : sections_) {
      file.replace(header, one.name.size(), one.name);
      const usize stored = (one.contents.size() + 511) / 512 * 512;
      put<u32>(file, header + 8, static_cast<u32>(one.contents.size()));
      put<u32>(file, header + 12, static_cast<u32>(rva));
      put<u32>(file, header + 16, static_cast<u32>(stored));
      put<u32>(file, header + 20, static_cast<u32>(file.size()));
      put<u32>(file, header + 36, one.characteristics);
      file += one.contents;
      file.append(stored - one.contents.size(), '\xcc');
      header += 40;
      rva += 0x1000;
    }
    put<u32>(file, 0x4c, static_cast<u32>(file.size()));
    put<u32>(file, 0x50, static_cast<u32>(symbols_.size() / 18));
    file += symbols_;
    append(file, static_cast<u32>(texts_.size() + 4));
    file += texts_;
    std::vector<std::byte> bytes(file.size());
    std::memcpy(bytes.data(), file.data(), file.size());
    return bytes;
  }

 private:
  // The directory, followed by addresses, names, ordinals, and the texts of the names.
  std::string export_section(u32 rva) const {
    constexpr u32 kDirectory = 40;
    const auto count = static_cast<u32>(exports_.size());
    const u32 names = kDirectory + 4 * count, ordinals = names + 4 * count, texts = ordinals + 2 * count;
    std::string out(texts, '\0');
    put<u32>(out, 16, 1u);  // the first ordinal
    put<u32>(out, 20, count);
    put<u32>(out, 24, count);
    put<u32>(out, 28, rva + kDirectory);
    put<u32>(out, 32, rva + names);
    put<u32>(out, 36, rva + ordinals);
    for (u32 i = 0; i < count; ++i) {
      put<u32>(out, kDirectory + 4 * i, exports_[i].second);
      put<u32>(out, names + 4 * i, rva + static_cast<u32>(out.size()));
      put<u16>(out, ordinals + 2 * i, static_cast<u16>(i));
      out += exports_[i].first + '\0';
    }
    return out;
  }

  static constexpr u32 kHeaderSize = 0x400;
  struct Built {
    std::string name, contents;
    u32 characteristics = 0;
  };
  template <typename T>
  static void put(std::string& text, usize at, T value) {
    std::memcpy(text.data() + at, &value, sizeof value);
  }
  template <typename T>
  static void append(std::string& text, T value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::vector<Built> sections_;
  std::string symbols_, texts_, functions_;
  std::vector<std::pair<std::string, u32>> exports_;
};

}  // namespace wperf::symbols
