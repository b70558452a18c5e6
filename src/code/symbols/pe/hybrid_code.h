// SPDX-License-Identifier: BSD-3-Clause
// Hybrid images (ARM64EC, ARM64X): metadata of the load configuration say which code is of which instruction set, and
// where the .pdata of the other one lies.
#pragma once
#include <optional>
#include <vector>

#include "code/symbols/pe/pe_bytes.h"

namespace wperf::symbols {

struct HybridCode {
  std::vector<CodeRange> ranges;  // by RVA
  u32 extra_functions_rva = 0;    // ARM64 records of .pdata in addition to those of the exception directory
  u32 extra_functions_size = 0;
};

// nullopt if the load configuration has no such metadata, or damaged metadata.
std::optional<HybridCode> read_hybrid_code(const ImageBytes& image, Bytes load_config, u64 image_base);

}  // namespace wperf::symbols
