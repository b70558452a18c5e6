// SPDX-License-Identifier: BSD-3-Clause
// Builds small ELF files for the tests of elf/ and of code/symbols/elf_module.cpp, in either width and byte order.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/elf/elf_file.h"
#include "code/symbols/elf/elf_format.h"

namespace wperf::symbols {

class ByteWriter {
 public:
  explicit ByteWriter(bool big_endian) : big_endian_(big_endian) {}
  void number(u64 value, int width) {
    for (int i = 0; i < width; ++i) {
      const int shift = 8 * (big_endian_ ? width - 1 - i : i);
      bytes.push_back(static_cast<std::byte>(shift < 64 ? value >> shift & 0xff : 0));
    }
  }
  void text(std::string_view text) {
    for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
    bytes.push_back(std::byte{0});
  }
  void add(const std::vector<std::byte>& more) { bytes.insert(bytes.end(), more.begin(), more.end()); }
  void pad(usize multiple) {
    while (bytes.size() % multiple != 0) bytes.push_back(std::byte{0});
  }
  std::vector<std::byte> bytes;

 private:
  bool big_endian_;
};

struct TestSymbol {
  std::string name;
  u64 value = 0, size = 0;
  u8 type = elf::kTypeFunction, binding = elf::kBindGlobal;
  u16 section = 1;
};

class ElfBuilder {
 public:
  explicit ElfBuilder(bool is_64_bit = true, bool big_endian = false, u16 machine = elf::kMachineX86_64)
      : is_64_bit_(is_64_bit), big_endian_(big_endian), machine_(machine) {
    add_section("", 0, 0, 0, {});
    // Section 1 is the code: 64 KB at 0x1000, without bytes in the file.
    add_section(".text", elf::kSectionNoBits, elf::kFlagExecutable, 0x1000, {}, 0x10000);
  }
  ByteWriter writer() const { return ByteWriter(big_endian_); }

  void add_section(std::string name, u32 type, u64 flags, u64 address, std::vector<std::byte> bytes, u64 size = 0,
                   u32 link = 0) {
    if (size == 0) size = bytes.size();
    sections_.push_back({std::move(name), type, flags, address, std::move(bytes), size, link});
  }
  void add_symbols(const std::vector<TestSymbol>& symbols, bool dynamic = false) {
    ByteWriter names(big_endian_), entries(big_endian_);
    names.text("");
    entries.bytes.resize(is_64_bit_ ? 24 : 16);
    for (const TestSymbol& one : symbols) {
      const u64 name = names.bytes.size();
      names.text(one.name);
      const u64 info = u64{one.binding} << 4 | one.type;
      entries.number(name, 4);
      if (is_64_bit_) {
        entries.number(info, 1);
        entries.number(0, 1);
        entries.number(one.section, 2);
      }
      entries.number(one.value, is_64_bit_ ? 8 : 4);
      entries.number(one.size, is_64_bit_ ? 8 : 4);
      if (!is_64_bit_) {
        entries.number(info, 1);
        entries.number(0, 1);
        entries.number(one.section, 2);
      }
    }
    const auto strings = static_cast<u32>(sections_.size()) + 1;
    add_section(dynamic ? ".dynsym" : ".symtab", dynamic ? elf::kSectionDynsym : elf::kSectionSymtab, 0, 0,
                entries.bytes, 0, strings);
    add_section(dynamic ? ".dynstr" : ".strtab", 3, 0, 0, names.bytes);
  }
  void add_build_id(std::string_view id) {
    ByteWriter note = writer();
    note.number(4, 4);
    note.number(id.size(), 4);
    note.number(elf::kNoteBuildId, 4);
    note.text("GNU");
    for (const char c : id) note.number(static_cast<u8>(c), 1);
    note.pad(4);
    add_section(".note.gnu.build-id", elf::kSectionNote, 0, 0, note.bytes);
  }

  std::vector<std::byte> build() const {
    std::vector<Section> all = sections_;
    all.push_back({".shstrtab", 3, 0, 0, {}, 0, 0});
    ByteWriter names(big_endian_);
    std::vector<u64> name_offsets;
    for (const Section& one : all) {
      name_offsets.push_back(names.bytes.size());
      names.text(one.name);
    }
    all.back().bytes = names.bytes;
    all.back().size = names.bytes.size();

    const int word = is_64_bit_ ? 8 : 4;
    const usize header_size = is_64_bit_ ? 64 : 52, segment_size = is_64_bit_ ? 56 : 32;
    ByteWriter body(big_endian_);
    body.bytes.resize(header_size + segment_size);
    std::vector<u64> offsets;
    for (const Section& one : all) {
      body.pad(8);
      offsets.push_back(body.bytes.size());
      body.add(one.bytes);
    }
    body.pad(8);
    const u64 table = body.bytes.size();
    for (usize i = 0; i < all.size(); ++i) {
      body.number(name_offsets[i], 4);
      body.number(all[i].type, 4);
      body.number(all[i].flags, word);
      body.number(all[i].address, word);
      body.number(offsets[i], word);
      body.number(all[i].size, word);
      body.number(all[i].link, 4);
      body.number(0, 4);
      body.number(1, word);
      body.number(0, word);
    }
    ByteWriter header(big_endian_);
    header.bytes = {std::byte{0x7f}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}};
    header.number(is_64_bit_ ? 2 : 1, 1);
    header.number(big_endian_ ? 2 : 1, 1);
    header.number(1, 1);
    header.bytes.resize(16);
    header.number(3, 2);
    header.number(machine_, 2);
    header.number(1, 4);
    header.number(0, word);
    header.number(header_size, word);
    header.number(table, word);
    header.number(0, 4);
    header.number(header_size, 2);
    header.number(segment_size, 2);
    header.number(1, 2);
    header.number(is_64_bit_ ? 64 : 40, 2);
    header.number(all.size(), 2);
    header.number(all.size() - 1, 2);
    // The only segment maps the file from 0x200 on at 0x1200.
    header.number(elf::kSegmentLoad, 4);
    if (is_64_bit_) header.number(5, 4);
    header.number(0x200, word);
    header.number(0x1200, word);
    header.number(0x1200, word);
    header.number(0x1000, word);
    header.number(0x1000, word);
    if (!is_64_bit_) header.number(5, 4);
    header.number(0x1000, word);
    std::copy(header.bytes.begin(), header.bytes.end(), body.bytes.begin());
    return body.bytes;
  }

 private:
  struct Section {
    std::string name;
    u32 type;
    u64 flags, address;
    std::vector<std::byte> bytes;
    u64 size;
    u32 link;
  };
  bool is_64_bit_, big_endian_;
  u16 machine_;
  std::vector<Section> sections_;
};

}  // namespace wperf::symbols
