// SPDX-License-Identifier: BSD-3-Clause
// Input that can be read only once, from its beginning to its end: pipes and standard input.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "ground/diag/result.h"

namespace wperf::os {

inline constexpr char kStandardInput[] = "-";

// A pipe with a name, or standard input.
bool is_stream(const std::string& path);
bool is_folder(const std::string& path);
// Reads up to the end, waiting for more if needed.
diag::Result<std::vector<std::byte>> read_stream(const std::string& path);

}  // namespace wperf::os
