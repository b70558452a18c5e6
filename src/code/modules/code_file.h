// SPDX-License-Identifier: BSD-3-Clause
// The files of one module and their information about its addresses, with one interface for Linux and Windows. All
// addresses are linked addresses: from an ELF file's headers, or an image's preferred base + RVA.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "code/address.h"
#include "code/modules/elf_files.h"
#include "code/modules/module_files.h"
#include "code/symbols/symbolization.h"

namespace wperf::modules {

class CodeFile {
 public:
  CodeFile() = default;
  explicit CodeFile(LoadedElf elf) : reason_(elf.reason), elf_(std::move(elf)) {}
  explicit CodeFile(LoadedModule image) : reason_(image.reason), image_(std::move(image)) {}

  // Are there any symbols to read?
  bool has_symbols() const;
  // Is it a Windows module? If its image is not on this machine, it has only a PDB: no code, and the base is 0.
  bool is_windows() const { return image_.has_value() && image_->symbols.has_value(); }
  bool is_image() const { return pe() != nullptr; }
  u64 image_base() const;
  // why there are no better names; empty if there is no reason
  const std::string& reason() const { return reason_; }
  // Files that were found but have not been used, with the reasons; empty if there are none.
  std::string not_used() const;
  std::string pdb_path() const { return image_.has_value() ? image_->pdb_path : std::string(); }
  const symbols::PeFile* pe() const;
  const symbols::ElfFile* elf() const;  // null if the file is not an ELF file, or is not on this machine

  // The address of an offset in the file. For a Windows image, which is mapped as a whole, the argument is an RVA.
  std::optional<u64> address_of_offset(u64 offset) const;
  // `addresses` must be sorted and unique. The texts are valid as long as this object exists.
  symbols::Symbolization answer(const std::vector<u64>& addresses, const symbols::SymbolQuery& query) const;
  symbols::SymbolizedAddress function_at(u64 address, bool decorated) const;
  // The pieces of the function at an address, if its debug information lists several, for example hot and cold code.
  // Otherwise empty.
  std::vector<code::AddressRange> pieces_at(u64 address) const;
  // The machine code; empty if the file is not on this machine, or if its instruction set cannot be disassembled.
  std::optional<CodeBytes> code(u64 begin, u64 end) const;
  // A hash of this function, without the addresses in its code, used to find the function in another build. Returns 0
  // if the function is too short to be recognised, and nullopt if the code is not on this machine or cannot be decoded.
  std::optional<u64> code_hash(code::AddressRange function) const;
  // Visits all names of code; an address may have several.
  void for_each_name(bool decorated, const symbols::CodeNameVisitor& visit) const;
  // For each address, the surrounding range of code on the same line of the outermost function.
  std::vector<code::AddressRange> line_ranges(const symbols::Symbolization& known) const;
  // Only for Arm64 code in images; nullopt for other code.
  std::optional<code::CallerPlace> caller_place(u64 address) const;
  bool is_call(u64 address) const;  // is it an Arm64 call instruction? Works for ELF files and images

 private:
  symbols::Symbolization answer_of_image(const std::vector<u64>& addresses, const symbols::SymbolQuery& query) const;
  code::Rva rva_of(u64 address) const;

  std::string reason_;
  std::optional<LoadedElf> elf_;
  std::optional<LoadedModule> image_;
};

}  // namespace wperf::modules
