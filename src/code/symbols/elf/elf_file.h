// SPDX-License-Identifier: BSD-3-Clause
// An ELF file as bytes: sections, segments, build id, and the names of other files with its debug information. Reads
// executables, shared objects and separate debug files, 32 and 64 bits, in either byte order. Takes a view of the whole
// file, which the caller must keep mapped. Results are valid as long as the ElfFile exists and the file is mapped. Not
// thread-safe, because packed sections are unpacked on first use.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/elf/endian_bytes.h"
#include "ground/diag/result.h"

namespace wperf::symbols {

struct ElfSection {
  std::string_view name;
  u32 type = 0;
  u64 flags = 0;
  u64 address = 0, offset = 0, size = 0;
  u32 link = 0, info = 0;
  u64 entry_size = 0;
  bool contains(u64 wanted) const { return wanted >= address && wanted - address < size; }
};

struct ElfSegment {  // program header
  u32 type = 0, flags = 0;
  u64 offset = 0, address = 0, file_size = 0, memory_size = 0;
};

struct ElfDebugLink {  // .gnu_debuglink
  std::string_view file_name;
  u32 crc = 0;
};

struct ElfAlternateLink {  // .gnu_debugaltlink: names the file with the parts that dwz moved out of several debug files
  std::string_view file_name;
  Bytes build_id;
};

class ElfFile {
 public:
  static diag::Result<ElfFile> parse(Bytes bytes);
  ElfFile(ElfFile&&) noexcept;
  ElfFile& operator=(ElfFile&&) noexcept;
  ~ElfFile();

  u16 machine() const;
  u16 type() const;
  u64 entry() const;  // the address where the program begins; 0 if there is none
  bool is_64_bit() const;
  bool big_endian() const;
  std::span<const ElfSection> sections() const;
  std::span<const ElfSegment> segments() const;
  const ElfSection* section(std::string_view name) const;  // the first section with that name; null if there is none

  // The bytes as stored, up to the end of the file; empty for sections without bytes in the file.
  EndianBytes stored(const ElfSection& section) const;
  // The bytes, unpacked if necessary.
  diag::Result<EndianBytes> contents(const ElfSection& section) const;
  // The first section with that name, or with the name of its older packed form (".zdebug_info" for ".debug_info");
  // empty if it is missing or damaged.
  EndianBytes contents(std::string_view name) const;

  Bytes build_id() const;  // empty if there is none
  std::optional<ElfDebugLink> debug_link() const;
  std::optional<ElfAlternateLink> alternate_link() const;
  // Unpacks the ELF file in .gnu_debugdata; nullopt if there is none.
  diag::Result<std::optional<std::vector<std::byte>>> embedded_debug_file() const;

  // Convert offsets in the file, as in mappings of a process, to linked addresses, and back.
  std::optional<u64> address_of_offset(u64 offset) const;
  std::optional<u64> offset_of_address(u64 address) const;

 private:
  ElfFile();
  struct State;
  std::unique_ptr<State> state_;
};

// "2f3a…" in lower case.
std::string build_id_text(Bytes build_id);
// Unpacks a section of an ELF file or an image with a name like ".zdebug_info".
diag::Result<std::vector<std::byte>> unpack_zdebug_section(Bytes section, std::string_view name);
// The checksum that .gnu_debuglink has for a file.
u32 debug_link_crc(Bytes file);

}  // namespace wperf::symbols
