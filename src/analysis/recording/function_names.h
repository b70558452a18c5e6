// SPDX-License-Identifier: BSD-3-Clause
// How functions of a file are distinguished if their names do not do it: code without names, and overloads.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>

#include "code/modules/code_file.h"
#include "code/unwind/frame_table.h"
#include "model/stacks/stack_profile.h"

namespace wperf::recording {

// Stripped code: call frame information shows where its functions begin.
class NamelessCode {
 public:
  explicit NamelessCode(const modules::CodeFile& file);

  // Bounds of the function there, if they are known.
  void find_bounds(symbols::SymbolizedAddress& answer);
  // "libx.so+0x1a20", with the address as a disassembler shows it; for images the RVA.
  std::string name(const std::string& module, u64 address) const;

 private:
  std::optional<unwind::FrameTable> frames_;
  u64 base_ = 0;
};

// For one module: numbers in the profile by where the functions begin. Functions that share a name get their
// signatures.
void tell_overloads_apart(const modules::CodeFile& file, const std::unordered_map<u64, u32>& functions,
                          stacks::StackProfile& profile);

}  // namespace wperf::recording
