// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a PE file by RVA, and its directories and tables.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "code/symbols/pe/pe_file.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols {

using Bytes = bytes::Span;

// A PE file in its layout in memory. Only the bytes that are stored in the file are available.
class ImageBytes {
 public:
  ImageBytes(Bytes file, const std::vector<Section>& sections, u32 headers_size)
      : file_(file), sections_(sections), headers_size_(headers_size) {}

  // The section that contains an RVA, stored or zero-filled; null outside of all sections.
  const Section* section_at(u32 rva) const {
    const auto after = std::upper_bound(sections_.begin(), sections_.end(), rva,
                                        [](u32 wanted, const Section& section) { return wanted < section.rva; });
    if (after == sections_.begin()) return nullptr;
    const Section& section = *(after - 1);
    return rva - section.rva < std::max(section.virtual_size, section.file_size) ? &section : nullptr;
  }

  // All stored bytes from an RVA to the end of its section (or of the headers).
  Bytes from(u32 rva) const {
    if (rva < headers_size_) return bytes::from(file_.first(std::min<usize>(file_.size(), headers_size_)), rva);
    const Section* section = section_at(rva);
    if (section == nullptr) return {};
    const Bytes stored = bytes::from(file_, section->file_offset);
    return bytes::from(stored.first(std::min<usize>(stored.size(), section->file_size)), rva - section->rva);
  }

 private:
  Bytes file_;
  const std::vector<Section>& sections_;
  u32 headers_size_;
};

// The COFF symbol table of an image and its texts, as written by the linkers of MinGW, Go and Rust. The texts also
// include section names that are longer than eight characters.
class CoffSymbols {
 public:
  CoffSymbols() = default;
  // Offset and count are from the file's header; they are checked here.
  CoffSymbols(Bytes file, u32 table_offset, u32 symbol_count);

  // "/123" stands for the text at offset 123; "//AAAAe" has the offset in base 64. Any other field is the name itself.
  std::string section_name(std::string_view field) const;
  // Functions ordered by address, each with a different address. Each function ends at the next function or at the end
  // of its section. `sections`: all sections, in the order of their headers.
  std::vector<CoffFunction> functions(const std::vector<Section>& sections) const;

 private:
  std::string_view text(u64 offset) const;  // empty if damaged
  std::string_view name_of(Bytes field) const;

  Bytes records_, texts_;
};

// The debug and export directories of a PE image.
struct DirectoryEntry {  // in the optional header
  u32 rva = 0, size = 0;
};

// The stored bytes of a directory, up to its size.
Bytes directory_bytes(const ImageBytes& image, DirectoryEntry entry);

// The first RSDS record.
std::optional<CodeView> read_codeview(Bytes file, const ImageBytes& image, DirectoryEntry debug);
// Named exports that are code or data of this image, ordered by RVA, then by name.
std::vector<Export> read_exports(const ImageBytes& image, DirectoryEntry exports, u32 image_size);

// Hybrid images (ARM64EC, ARM64X): the metadata in the load configuration say which instruction set each piece of code
// has, and where the .pdata of the other instruction set is.
struct HybridCode {
  std::vector<CodeRange> ranges;  // ordered by RVA
  u32 extra_functions_rva = 0;    // ARM64 records of .pdata that are not in the exception directory
  u32 extra_functions_size = 0;
};

// Returns nullopt if the load configuration has no such metadata, or if they are damaged.
std::optional<HybridCode> read_hybrid_code(const ImageBytes& image, Bytes load_config, u64 image_base);

}  // namespace wperf::symbols
