// SPDX-License-Identifier: BSD-3-Clause
// Code files that stay open between reports that are made every second, because opening and checking them is most of
// the cost of naming. Must be used by one thread.
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
  // Null if the file was not opened yet, or has changed since.
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

// Distinguishes functions of a file if names are not enough: code without names, and overloads.

// For stripped code: call frame information shows where functions begin.
class NamelessCode {
 public:
  explicit NamelessCode(const modules::CodeFile& file);

  // Finds the bounds of the function, if they are known.
  void find_bounds(symbols::SymbolizedAddress& answer);
  // "libx.so+0x1a20", with the address that a disassembler shows, or the RVA for Windows images.
  std::string name(const std::string& module, u64 address) const;

 private:
  std::optional<unwind::FrameTable> frames_;
  u64 base_ = 0;
};

// `functions`: the profile's function numbers for one module, keyed by start address. Functions with the same name get
// their signatures.
void tell_overloads_apart(const modules::CodeFile& file, const std::unordered_map<u64, u32>& functions,
                          stacks::StackProfile& profile);

}  // namespace wperf::recording
