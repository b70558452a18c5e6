// SPDX-License-Identifier: BSD-3-Clause
// The unwind information of an ARM64 function ("ARM64 exception handling" of the Windows ABI): its length, and where
// its return address is at each instruction. `unwind_word` is the second word of the function's .pdata record; it holds
// the information itself or points to .xdata.
#pragma once
#include <optional>

#include "code/symbols/pe/image_tables.h"

namespace wperf::symbols {

// The size in bytes of the function or fragment; nullopt if the record is damaged or its kind has no length.
std::optional<u32> arm64_function_length(const ImageBytes& image, u32 unwind_word);

// Is lr saved just before the instruction at `offset` (from the start of the function) runs, and not restored yet? If
// so, lr itself may have any value; if not, lr has the return address.
bool arm64_return_address_saved(const ImageBytes& image, u32 unwind_word, u32 offset);

// The location of the return address just before the instruction at `offset` runs.
code::CallerPlace arm64_caller_place(const ImageBytes& image, u32 unwind_word, u32 offset);

}  // namespace wperf::symbols
