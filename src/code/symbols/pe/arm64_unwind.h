// SPDX-License-Identifier: BSD-3-Clause
// The second word of an ARM64 .pdata record and the .xdata it may point to ("ARM64 exception handling" of the Windows
// ABI): how long a function is, and between which of its instructions the return address lies on the stack.
#pragma once
#include <optional>

#include "code/symbols/pe/pe_bytes.h"

namespace wperf::symbols {

// Bytes of the function or fragment; nullopt for a record that is damaged or of a kind without a length.
std::optional<u32> arm64_function_length(const ImageBytes& image, u32 unwind_word);

// True if lr has been saved and not restored yet when the instruction at `offset` (from the start of the function) is
// about to run: lr itself may hold any value then. False if lr holds the return address.
bool arm64_return_address_saved(const ImageBytes& image, u32 unwind_word, u32 offset);

// The instruction at `offset` is about to run.
code::CallerPlace arm64_caller_place(const ImageBytes& image, u32 unwind_word, u32 offset);

}  // namespace wperf::symbols
