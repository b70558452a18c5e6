// SPDX-License-Identifier: BSD-3-Clause
// Facts about this process: its cost, its readable memory, and the code that the kernel lends it.
#pragma once
#include <cstddef>
#include <span>

#include "base/ints.h"

namespace wperf::os {

// The cost of this process for the machine so far. For commands that run for a long time.
struct OwnCost {
  u64 cpu_ns = 0;          // of all threads, in user and kernel mode
  u64 resident_bytes = 0;  // memory that it holds now; 0 if the system does not say
  u64 most_bytes = 0;      // the most memory that it held at once
};

OwnCost own_cost();

// Reads memory of this process at an address that may be invalid. For the C API, whose callers leave fields of their
// structures uninitialised.

// Returns false if some of it cannot be read; then the contents of `to` are unspecified.
bool copy_own_memory(const void* from, std::span<std::byte> to);

// The code that the kernel of Linux lends to every process ("[vdso]"): an ELF file without a file.

// The code of the vdso in this process, the same in every other process of this kernel and kind; empty if there is
// none.
std::span<const std::byte> vdso_image();

}  // namespace wperf::os
