// SPDX-License-Identifier: BSD-3-Clause
// Keeps a cache folder small. Called by code/modules/function_files.cpp after it wrote there.
#pragma once
#include <cstdint>
#include <string>

namespace wperf::os {

// Removes files of the folder, not of folders in it, those written longest ago first, until the rest has at most
// `limit` bytes. What cannot be removed stays: others may be at it, too.
void remove_oldest_files(const std::string& folder, std::uint64_t limit);

}  // namespace wperf::os
