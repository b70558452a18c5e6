// SPDX-License-Identifier: BSD-3-Clause
// The files of one module, of Linux or of Windows, and what they say of its addresses: one way to ask, whatever they
// are. Addresses are as linked: what an ELF file's headers say, or the preferred base of an image + RVA. Called by
// recording.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "code/modules/code_bytes.h"
#include "code/modules/elf_files.h"
#include "code/modules/module_files.h"
#include "code/symbols/symbolization.h"

namespace wperf::modules {

struct CodeRange {
  u64 begin = 0, end = 0;  // equal: not known
};

class CodeFile {
 public:
  CodeFile() = default;
  explicit CodeFile(LoadedElf elf) : reason_(elf.reason), elf_(std::move(elf)) {}
  explicit CodeFile(LoadedModule image)
      : reason_(image.reason), image_(std::move(image)), texts_(std::make_unique<Texts>()) {}

  // Is there anything to ask?
  bool has_symbols() const;
  // Of Windows: an image, or a PDB alone where the image is not here; then there is no code, and its base is 0.
  bool is_windows() const { return image_.has_value() && image_->symbols.has_value(); }
  bool is_image() const { return pe() != nullptr; }
  u64 image_base() const;
  const std::string& reason() const { return reason_; }  // why its names are no better; empty: they couldn't be
  // Which of the files that it was asked from until now were here and not used, and why; empty: none.
  std::string not_used() const;
  std::string pdb_path() const { return image_.has_value() ? image_->pdb_path : std::string(); }
  const symbols::PeFile* pe() const;
  const symbols::ElfFile* elf() const;  // null: the file is of another kind, or not here

  // Of an offset in the file; in an image, which is mapped as a whole, of an RVA.
  std::optional<u64> address_of_offset(u64 offset) const;
  // addresses: sorted, unique. Texts live as long as this.
  symbols::Symbolization answer(const std::vector<u64>& addresses, const symbols::SymbolQuery& query) const;
  symbols::SymbolizedAddress function_at(u64 address, bool decorated) const;
  // Machine code; nothing where the file is not here, or for a machine that is not disassembled.
  std::optional<CodeBytes> code(u64 begin, u64 end) const;
  // For comparisons of two builds: what the function that begins there is made of, without addresses. 0: too short to
  // tell. Nothing: its code is not here, or cannot be decoded.
  std::optional<u64> code_hash(u64 begin) const;
  // All names of code, also several of one address.
  void for_each_name(bool decorated, const symbols::CodeNameVisitor& visit) const;
  // The code around each address that belongs to the function's own line there. addresses: as answer() has them.
  std::vector<CodeRange> line_ranges(const symbols::Symbolization& known) const;
  // Of Arm64 code in images; nothing: it is none.
  std::optional<code::CallerPlace> caller_place(u64 address) const;
  bool is_call(u64 address) const;  // an Arm64 instruction, in either kind of file

 private:
  using Texts = std::unordered_set<std::string>;
  symbols::Symbolization answer_of_image(const std::vector<u64>& addresses, const symbols::SymbolQuery& query) const;
  code::Rva rva_of(u64 address) const;

  std::string reason_;
  std::optional<LoadedElf> elf_;
  std::optional<LoadedModule> image_;
  std::unique_ptr<Texts> texts_;  // of answers of an image
};

}  // namespace wperf::modules
