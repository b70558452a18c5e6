// SPDX-License-Identifier: BSD-3-Clause
// The finished functions of an ELF module in the form in which they are kept for the next run: sorted columns and the
// names, one after the other, searched in place in a mapped file. Takes bytes, opens no files. Damaged bytes, and those
// of another build, are rejected. code/modules/elf_caches.h keeps the files.
#pragma once
#include <optional>
#include <vector>

#include "code/symbols/elf/elf_symbols.h"

namespace wperf::symbols {

// The file that the functions were read from.
struct FunctionCacheKey {
  static constexpr usize kLongestBuildId = 32;
  Bytes build_id;
  u64 image_size = 0, debug_size = 0;  // of the whole files; 0: the file is missing
};

class FunctionCache {
 public:
  // Empty if they cannot be cached: without a build id, with one that is too long, with names beyond 4 GB.
  static std::vector<std::byte> write(const ElfSymbols& symbols, const FunctionCacheKey& key);
  // Reads all of the bytes once, for their checksum. They must outlive this.
  static std::optional<FunctionCache> open(Bytes bytes, const FunctionCacheKey& key);

  // Corrects the checksum: at the end of write(), and in tests that change bytes.
  static void seal(std::span<std::byte> bytes);

  // As ElfSymbols::find().
  std::optional<ElfSymbol> find(u64 address) const;

 private:
  u32 count_ = 0;
  EndianBytes begins_, ends_, name_places_, enclosing_, tables_, names_;
};

}  // namespace wperf::symbols
