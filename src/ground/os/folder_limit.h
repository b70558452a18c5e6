// SPDX-License-Identifier: BSD-3-Clause
// Keeps a cache folder small.
#pragma once
#include <cstdint>
#include <string>

namespace wperf::os {

// Removes files of the folder, not of folders in it, those written longest ago first, until the rest has at most
// `limit` bytes. A file that cannot be removed stays: another process may be using it.
void remove_oldest_files(const std::string& folder, std::uint64_t limit);

}  // namespace wperf::os
