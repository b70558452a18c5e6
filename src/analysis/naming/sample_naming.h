// SPDX-License-Identifier: BSD-3-Clause
// Places → symbols, modules and the symbolizer's answers.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/naming/sample_places.h"
#include "model/answers/address_answer.h"
#include "model/answers/compat_profile.h"

namespace wperf::naming {

struct NamedPlace {
  u64 address = 0;
  u32 symbol = 0;                                  // index into symbols
  u32 module = answers::kNone;                     // index into modules
  const answers::AddressAnswer* answer = nullptr;  // null: unknown
};

// Interns symbols and files, in the order they are asked for.
class NameTable {
 public:
  u32 symbol(answers::SymbolKind kind, u32 module, std::string_view name);
  u32 file(const std::string& path);
  std::vector<answers::Symbol> take_symbols() { return std::move(symbols_); }
  std::vector<answers::SourceFile> take_files() { return std::move(files_); }

 private:
  std::vector<answers::Symbol> symbols_;
  std::vector<answers::SourceFile> files_;
  std::unordered_map<std::string, u32> symbol_numbers_, file_numbers_;
};

// In the order of the places.
std::vector<NamedPlace> name_places(const std::vector<Place>& places, const std::vector<answers::SampleModule>& modules,
                                    const std::vector<std::vector<answers::AddressAnswer>>& answers, NameTable& names);

}  // namespace wperf::naming
