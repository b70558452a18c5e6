// SPDX-License-Identifier: BSD-3-Clause
// Builds PDBs byte by byte for the tests of this room, with contents that the available compilers never produce.
#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/symbols/pdb/pdb_format.h"

namespace wperf::symbols::pdb {

// Bytes that are being written.
class Out {
 public:
  template <typename T>
  Out& put(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Out& text(std::string_view text) {
    bytes_.append(text).push_back('\0');
    return *this;
  }
  Out& raw(std::string_view bytes) {
    bytes_.append(bytes);
    return *this;
  }
  Out& align(usize to = 4) {
    while (bytes_.size() % to != 0) bytes_.push_back('\0');
    return *this;
  }
  u32 size() const { return static_cast<u32>(bytes_.size()); }
  std::string& bytes() { return bytes_; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline std::span<const std::byte> as_file(const std::string& bytes) {
  return std::as_bytes(std::span(bytes));
}

// Streams as an MSF file.
struct MsfLayout {
  u32 block_size = 512;
  bool is_scattered = false;  // the blocks of every stream are in reverse order
};
std::string build_msf(const std::vector<std::string>& streams, MsfLayout layout = {});

// The symbols and lines of one compiland.
class CompilandBuilder {
 public:
  explicit CompilandBuilder(std::string name) : name_(std::move(name)) { symbols_.put(kModuleSignature); }

  // A record with its size and padding; returns its position.
  u32 record(u16 kind, const Out& body);
  // A procedure in section 1; `body` adds the records inside it.
  template <typename Body>
  void procedure(u16 kind, u32 offset, u32 size, std::string_view name, Body body) {
    const u32 at = begin_procedure(kind, 1, offset, size, name);
    body(*this);
    end_scope(at, S_END);
  }
  void procedure(u16 kind, u32 offset, u32 size, std::string_view name) {
    procedure(kind, offset, size, name, [](CompilandBuilder&) {});
  }
  u32 begin_procedure(u16 kind, u16 section, u32 offset, u32 size, std::string_view name);
  u32 begin_inline_site(u32 inlinee, std::string_view annotations, u16 kind = S_INLINESITE);
  // Also writes the position of the end into the scope's first record.
  void end_scope(u32 begin, u16 kind);

  void subsection(u32 kind, const Out& body);
  struct Row {
    u32 offset;
    u32 line;
  };
  struct Block {
    u32 file;
    std::vector<Row> rows;
  };
  void lines(u32 offset, u32 size, const std::vector<Block>& blocks, bool has_columns = false, u16 section = 1);
  // Writes a checksums subsection for these offsets in /names. For lines(), file number n is n * 8.
  void files(const std::vector<u32>& names);
  void inlinees(const std::vector<InlineeLine>& lines, bool has_extra_files = false);

  const std::string& name() const { return name_; }
  std::string& symbols() { return symbols_.bytes(); }
  const std::string& symbols() const { return symbols_.bytes(); }
  const std::string& c13() const { return c13_.bytes(); }

 private:
  std::string name_;
  Out symbols_;
  Out c13_;
};

// A whole PDB.
struct PdbBuilder {
  struct Piece {
    u16 section;
    u32 offset;
    u32 size;
    u16 compiland;
  };
  struct Public {
    u16 section;
    u32 offset;
    std::string name;
    u32 flags = kPublicIsCode;
  };
  u32 info_age = 1;
  u32 dbi_age = 1;
  std::vector<CompilandBuilder> compilands;
  std::vector<Piece> pieces;
  bool has_wide_pieces = false;
  std::vector<SectionHeader> sections = {section(0x1000, 0x1000, kSectionExecutable), section(0x3000, 0x1000, 0)};
  std::vector<SectionHeader> original_sections;
  std::vector<OmapEntry> omap_from_source;
  std::vector<OmapEntry> omap_to_source;
  std::vector<Public> publics;
  bool has_address_map = true;
  std::string names;       // texts of /names; the first one is empty
  std::vector<Out> types;  // records with their kinds, numbered from 0x1000
  std::vector<Out> ids;    // in the form of `types`
  bool has_index = true;   // types and ids have an index
  u32 index_shift = 0;     // makes the index wrong

  PdbBuilder() { names.push_back('\0'); }
  static SectionHeader section(u32 rva, u32 size, u32 characteristics);
  u32 name(std::string_view text);
  static Out type(u16 kind) { return Out().put(kind); }
  std::string build(MsfLayout layout = {}) const;
};

}  // namespace wperf::symbols::pdb
