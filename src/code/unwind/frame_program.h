// SPDX-License-Identifier: BSD-3-Clause
// Runs the instructions of call frame information up to one address of a function.
#pragma once
#include <optional>

#include "code/unwind/frame_row.h"

namespace wperf::unwind {

struct CommonEntry {  // CIE
  u64 code_factor = 1;
  std::int64_t data_factor = 1;
  u8 return_register = 0;
  u8 pointer_encoding = 0;  // DW_EH_PE_…, see pointer.h
  bool is_signal_frame = false;
  bool has_augmentation_size = false;
  symbols::EndianBytes program;
};

struct FunctionEntry {  // FDE
  CommonEntry common;
  u64 begin = 0, end = 0;        // as linked
  u64 program_address = 0;       // as linked, of its first byte
  symbols::EndianBytes program;  // after that of the common entry
};

// nullopt if the instructions are damaged or unknown.
std::optional<FrameRow> row_in(const FunctionEntry& function, u64 address);

}  // namespace wperf::unwind
