// SPDX-License-Identifier: BSD-3-Clause
// The code that the kernel of Linux lends to every process ("[vdso]"): an ELF file without a file.
#pragma once
#include <cstddef>
#include <span>

namespace wperf::os {

// The code of the vdso in this process, the same in every other process of this kernel and kind; empty if there is
// none.
std::span<const std::byte> vdso_image();

}  // namespace wperf::os
