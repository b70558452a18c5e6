// SPDX-License-Identifier: BSD-3-Clause
// Hybrid images (ARM64EC, ARM64X): the metadata behind the load configuration says which code is of which instruction
// set, and where the .pdata of the other one lies. Called by pe_file.cpp.
#pragma once
#include <optional>
#include <vector>

#include "code/symbols/pe/pe_bytes.h"

namespace wperf::symbols {

struct HybridCode {
  std::vector<CodeRange> ranges;  // by RVA
  u32 extra_functions_rva = 0;    // ARM64 records of .pdata beside those of the exception directory
  u32 extra_functions_size = 0;
};

// Nothing when the load configuration has no such metadata, or damaged ones.
std::optional<HybridCode> read_hybrid_code(const ImageBytes& image, Bytes load_config, u64 image_base);

}  // namespace wperf::symbols
