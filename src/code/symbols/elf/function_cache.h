// SPDX-License-Identifier: BSD-3-Clause
// The cached functions of an ELF module: sorted columns, followed by the names, searched in place in a mapped file.
// Takes bytes; opens no files. Damaged bytes, and bytes from another build, are rejected. code/modules/elf_caches.h
// keeps the files.
#pragma once
#include <optional>
#include <vector>

#include "code/symbols/elf/elf_symbols.h"

namespace wperf::symbols {

// Identifies the file that the functions were read from.
struct FunctionCacheKey {
  static constexpr usize kLongestBuildId = 32;
  Bytes build_id;
  u64 image_size = 0, debug_size = 0;  // sizes of the whole files; 0 if the file is missing
};

class FunctionCache {
 public:
  // Returns an empty vector if the functions cannot be cached: there is no build id, it is too long, or the names
  // exceed 4 GB.
  static std::vector<std::byte> write(const ElfSymbols& symbols, const FunctionCacheKey& key);
  // Reads all bytes once, for their checksum. The bytes must outlive this object.
  static std::optional<FunctionCache> open(Bytes bytes, const FunctionCacheKey& key);

  // Updates the checksum: at the end of write(), and in tests that change bytes.
  static void seal(std::span<std::byte> bytes);

  // See ElfSymbols::find().
  std::optional<ElfSymbol> find(u64 address) const;

 private:
  u32 count_ = 0;
  EndianBytes begins_, ends_, name_places_, enclosing_, tables_, names_;
};

}  // namespace wperf::symbols
