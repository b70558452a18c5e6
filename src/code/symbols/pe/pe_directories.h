// SPDX-License-Identifier: BSD-3-Clause
// The debug and export directories of a PE image.
#pragma once
#include <optional>
#include <vector>

#include "code/symbols/pe/pe_bytes.h"

namespace wperf::symbols {

struct DirectoryEntry {  // of the optional header
  u32 rva = 0, size = 0;
};

// The stored bytes of a directory, at most its size.
Bytes directory_bytes(const ImageBytes& image, DirectoryEntry entry);

// The first RSDS record.
std::optional<CodeView> read_codeview(Bytes file, const ImageBytes& image, DirectoryEntry debug);
// Named exports that are code or data of this image, by RVA, then name.
std::vector<Export> read_exports(const ImageBytes& image, DirectoryEntry exports, u32 image_size);

}  // namespace wperf::symbols
