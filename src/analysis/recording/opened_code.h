// SPDX-License-Identifier: BSD-3-Clause
// Files of code that stay open from one report to the next, for reports every second: opening and checking them is most
// of the cost of naming. Used from one thread.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "code/modules/code_file.h"
#include "code/unwind/frame_table.h"
#include "formats/perf_data/process_history.h"
#include "model/stacks/stack_profile.h"

namespace wperf::recording {

class OpenedCode {
 public:
  // Null if it was not opened yet, or has changed since.
  std::shared_ptr<const modules::CodeFile> find(const perf_data::MappedCode& code);
  std::shared_ptr<const modules::CodeFile> keep(const perf_data::MappedCode& code, modules::CodeFile file);

 private:
  using Key = std::pair<std::string, std::string>;  // path and build id
  struct Opened {
    u64 size = 0, changed_unix_ns = 0;  // of the file at this path; 0 if there was none
    std::shared_ptr<const modules::CodeFile> file;
  };
  static Key key_of(const perf_data::MappedCode& code);
  static Opened state_of(const std::string& path);

  std::map<Key, Opened> files_;
};

// How functions of a file are distinguished if their names are not enough: code without names, and overloads.

// Stripped code: call frame information shows where its functions begin.
class NamelessCode {
 public:
  explicit NamelessCode(const modules::CodeFile& file);

  // Bounds of the function there, if they are known.
  void find_bounds(symbols::SymbolizedAddress& answer);
  // "libx.so+0x1a20", with a disassembler's address; for images the RVA.
  std::string name(const std::string& module, u64 address) const;

 private:
  std::optional<unwind::FrameTable> frames_;
  u64 base_ = 0;
};

// For one module: numbers in the profile by the beginnings of functions. Functions that share a name get their
// signatures.
void tell_overloads_apart(const modules::CodeFile& file, const std::unordered_map<u64, u32>& functions,
                          stacks::StackProfile& profile);

}  // namespace wperf::recording
