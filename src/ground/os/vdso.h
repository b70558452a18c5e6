// SPDX-License-Identifier: BSD-3-Clause
// The code that the kernel of Linux lends to every process ("[vdso]"): an ELF file without a file. Called where
// recordings are named.
#pragma once
#include <cstddef>
#include <span>

namespace wperf::os {

// Of this process, and so of every other of the same kernel and kind; empty: there is none.
std::span<const std::byte> vdso_image();

}  // namespace wperf::os
