// SPDX-License-Identifier: BSD-3-Clause
// Go's function table in images and ELF files. The bytes of the file must outlive the results.
#pragma once
#include <functional>
#include <optional>
#include <string_view>

#include "code/address.h"
#include "code/symbols/elf/elf_file.h"
#include "code/symbols/go/go_table.h"
#include "code/symbols/pe/pe_file.h"

namespace wperf::symbols {

// Nullopt if the file is not a Go program, or if its table is damaged.
std::optional<GoTable> go_table_of(const ElfFile& file);

class ImageGo {
 public:
  // Returns nullopt if the image has no such table. An image has no section for it, so all data are searched.
  static std::optional<ImageGo> open(const PeFile& image);

  struct Function {
    code::RvaRange range;
    std::string_view name;
  };
  std::optional<Function> function_at(code::Rva rva) const;
  GoLine line_at(code::Rva rva) const { return table_.line_at(base_ + rva.value); }
  void for_each_name(const std::function<void(code::Rva, std::string_view)>& visit) const;

 private:
  ImageGo(const GoTable& table, u64 base) : table_(table), base_(base) {}
  GoTable table_;
  u64 base_ = 0;
};

}  // namespace wperf::symbols
