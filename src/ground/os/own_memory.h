// SPDX-License-Identifier: BSD-3-Clause
// Memory of this process at an address that may be anything. For the C API, whose callers leave fields of their
// structures uninitialised.
#pragma once
#include <cstddef>
#include <span>

namespace wperf::os {

// False, and nothing of `to` is promised: some of it cannot be read.
bool copy_own_memory(const void* from, std::span<std::byte> to);

}  // namespace wperf::os
