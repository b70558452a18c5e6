// SPDX-License-Identifier: BSD-3-Clause
// The tables of a PE image that symbolizing needs. Takes a view of the whole file, which the caller must keep mapped;
// owns only small tables. Every offset and sum is checked; damage leads to an error or an empty table, never to a
// crash.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/address.h"
#include "ground/diag/result.h"

namespace wperf::symbols {

enum class PeMachine : u8 { arm64, arm64ec, x64, other };

struct Section {
  std::string name;
  u32 rva = 0, virtual_size = 0, file_offset = 0, file_size = 0;
  u32 characteristics = 0;
  bool executable() const { return (characteristics & 0x20000000u) != 0; }
  u32 size_in_memory() const { return virtual_size != 0 ? virtual_size : file_size; }
  // The number of content bytes in the file, without the padding of the last block.
  u32 stored_size() const { return virtual_size != 0 && virtual_size < file_size ? virtual_size : file_size; }
};

struct Export {
  code::Rva rva;
  std::string_view name;
};

struct CoffFunction {  // from the symbol table that compilers other than Microsoft's write into images
  code::RvaRange range;
  std::string_view name;
};

struct CodeView {  // the RSDS record
  code::PdbId id;
  std::string_view path;  // path of the PDB, as the linker wrote it
};

// Code with one instruction set in a hybrid image (ARM64X, ARM64EC).
struct CodeRange {
  code::RvaRange range;
  PeMachine machine = PeMachine::arm64;
};

class PeFile {
 public:
  static diag::Result<PeFile> parse(std::span<const std::byte> file);

  PeMachine machine() const { return machine_; }
  bool is_64_bit() const { return is_64_bit_; }
  u64 image_base() const { return image_base_; }
  u32 image_size() const { return image_size_; }
  u32 entry_rva() const { return entry_rva_; }
  u32 time_stamp() const { return time_stamp_; }  // together with image_size(): the key of images on symbol servers
  const std::vector<Section>& sections() const { return sections_; }
  const Section* section(std::string_view name) const;  // null if there is no such section
  // The contents that are stored in the file.
  std::span<const std::byte> section_bytes(const Section& section) const;
  const std::optional<CodeView>& codeview() const { return codeview_; }
  const std::vector<Export>& exports() const { return exports_; }              // ordered by RVA; without forwarders
  const std::vector<code::RvaRange>& functions() const { return functions_; }  // from .pdata, ordered by RVA
  // Reads the COFF symbol table on each call. Returns the functions ordered by address. A function ends where its
  // .pdata entry ends; without an entry, it ends before the next function.
  std::vector<CoffFunction> coff_functions() const;
  const std::vector<CodeRange>& code_ranges() const { return code_ranges_; }  // only in hybrid images; ordered by RVA
  // In a hybrid image each range of code has its own machine type; elsewhere the image's type applies.
  PeMachine machine_at(code::Rva rva) const;

  std::optional<code::RvaRange> function_at(code::Rva rva) const;  // bounds from .pdata
  // ARM64 functions without a .pdata record, found by decoding the code; ordered by RVA. Reads all code on each call.
  std::vector<code::RvaRange> unlisted_functions() const;
  // The nearest export at or before the address. If several exports are equally near, returns the first one.
  const Export* export_before(code::Rva rva) const;
  // The latest possible end of the code at `start`, if its size is unknown: the end of its .pdata function, section or
  // last instruction, or the beginning of the next function. Reads the code on each call. Returns `start` outside of
  // sections.
  code::Rva furthest_end(code::Rva start) const;
  // The bytes of an RVA range that are stored in the file; used for disassembly.
  std::span<const std::byte> bytes_at(code::Rva rva, u32 size) const;
  // Returns false if lr has the return address: the function has no .pdata entry, or it has not saved lr before `rva`.
  bool saves_return_address(code::Rva rva) const;
  // The place of the return address just before the instruction runs; nullopt if it is not ARM64 code of this image.
  std::optional<code::CallerPlace> caller_place(code::Rva rva) const;

 private:
  const CodeRange* code_range_at(code::Rva rva) const;
  bool is_arm64_code(code::Rva rva) const;

  std::span<const std::byte> file_;
  PeMachine machine_ = PeMachine::other;
  bool is_64_bit_ = false;
  u64 image_base_ = 0;
  u32 image_size_ = 0, entry_rva_ = 0, time_stamp_ = 0, headers_size_ = 0;
  u32 symbol_table_ = 0, symbol_count_ = 0;  // of the COFF table
  std::vector<Section> sections_;
  std::optional<CodeView> codeview_;
  std::vector<Export> exports_;
  std::vector<code::RvaRange> functions_;
  std::vector<u32> unwind_words_;  // one for each function, see arm64_unwind.h
  std::vector<CodeRange> code_ranges_;
};

}  // namespace wperf::symbols
